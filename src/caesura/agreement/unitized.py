"""Items of a corpus of spans, as coefficients for unitizing compare them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from caesura.errors import InputError, MismatchError, SpansError, own_errors
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded
from caesura.model.spans import Spans, to_spans

_FEW_SPANS = 50  # of which Python finds the largest end faster than numpy


@dataclass(frozen=True)
class UnitizedItem:
    """One item: the spans of each coder, and where the item begins and ends."""

    name: str
    annotations: Mapping[str, Spans]  # spans of each coder, in ascending order of the coders' names
    bounds: tuple[float, float]  # beginning and end
    # Whether the bounds are known from the file or an option. Otherwise they are the first start and the last end.
    known: bool

    @property
    def coders(self) -> tuple[str, ...]:
        return tuple(self.annotations)

    @property
    def units(self) -> int:
        return sum(len(spans) for spans in self.annotations.values())

    def select(self, coders: tuple[str, ...]) -> UnitizedItem:
        if coders == self.coders:
            return self
        annotations = {coder: self.annotations[coder] for coder in coders}
        return UnitizedItem(self.name, annotations, self.bounds_of(coders), self.known)

    def bounds_of(self, coders: Iterable[str]) -> tuple[float, float]:
        if self.known:
            return self.bounds
        return _extent(self._extents[coder] for coder in coders)

    @cached_property
    def _extents(self) -> dict[str, tuple[float, float] | None]:
        """First start and last end of each coder's spans; None for a coder without spans."""
        return {coder: _extent_of(spans) for coder, spans in self.annotations.items()}


def unitized_items(
    corpus: Corpus, bounds: tuple[float, float] | None = None
) -> tuple[list[UnitizedItem], list[Excluded]]:
    items: list[UnitizedItem] = []
    excluded: list[Excluded] = []
    for name in sorted(corpus.item_names):
        annotations = corpus.of_item(name)
        if len(annotations) < 2:
            excluded.append(Excluded(name, None, f"only {next(iter(annotations))!r} annotated it; at least two must"))
            continue
        try:
            with own_errors():
                by_coder = {coder: _spans(coder, annotations[coder]) for coder in sorted(annotations)}
                items.append(_item(name, by_coder, bounds))
        except InputError as error:
            excluded.append(Excluded(name, None, str(error)))
    return items, excluded


def _spans(coder: str, annotation: object) -> Spans:
    try:
        return to_spans(annotation)
    except InputError as error:
        raise type(error)(f"coder {coder!r}: {error}") from None


def _item(name: str, annotations: Mapping[str, Spans], bounds: tuple[float, float] | None) -> UnitizedItem:
    """Return an item after checking that its coders annotated the same text or recording."""
    first, spans = next(iter(annotations.items()))
    for coder, other in annotations.items():
        names = f"coders {first!r} and {coder!r}"
        if other.axis != spans.axis:
            raise MismatchError(f"{names}: one has spans in {spans.axis}, the other in {other.axis}")
        if spans.text is not None and other.text is not None and spans.text != other.text:
            raise MismatchError(f"{names} have different texts; {_difference(spans.text, other.text)}")
        if spans.units is not None and other.units is not None and spans.units != other.units:
            raise MismatchError(f"{names} have different tokens; {_difference(spans.units, other.units)}")
    stated = {coder: other.bounds for coder, other in annotations.items() if other.bounds is not None}
    if bounds is None and len(set(stated.values())) > 1:
        a, (begin, end) = next(iter(stated.items()))
        b, other_extent = next(entry for entry in stated.items() if entry[1] != (begin, end))
        problem = f"{begin:.10g}-{end:.10g} and {other_extent[0]:.10g}-{other_extent[1]:.10g}"
        raise MismatchError(f"coders {a!r} and {b!r} have items of different extent, {problem}; set bounds=")
    extent = bounds or next(iter(stated.values()), None)
    if extent is None:
        return UnitizedItem(name, annotations, _extent(map(_extent_of, annotations.values())), False)
    _check_inside(annotations, extent)
    return UnitizedItem(name, annotations, extent, True)


def _extent_of(spans: Spans) -> tuple[float, float] | None:
    """Return the first start and the last end of the spans of a coder; None if there are none."""
    if not len(spans):
        return None
    last = max(spans.ends.tolist()) if len(spans) < _FEW_SPANS else float(spans.ends.max())
    return float(spans.starts[0]), last


def _extent(extents: Iterable[tuple[float, float] | None]) -> tuple[float, float]:
    marked = [extent for extent in extents if extent is not None]
    if not marked:
        return 0.0, 0.0
    return min(first for first, _ in marked), max(last for _, last in marked)


def _check_inside(annotations: Mapping[str, Spans], bounds: tuple[float, float]) -> None:
    for coder, spans in annotations.items():
        outside = (spans.starts < bounds[0]) | (spans.ends > bounds[1])
        if outside.any():
            i = int(outside.argmax())
            limits = f"{bounds[0]:.10g}-{bounds[1]:.10g}"
            raise SpansError(f"coder {coder!r}: spans[{i}] must lie in {limits}; got {spans.spans[i]}")


def _difference(first: str | tuple[str, ...], second: str | tuple[str, ...]) -> str:
    """Return where two texts, or two lists of tokens, differ. Characters are counted from 0, tokens from 1."""
    place = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if place is None:
        noun = "characters" if isinstance(first, str) else "tokens"
        return f"one has {len(first)} {noun}, the other {len(second)}"
    if isinstance(first, str):
        return f"they differ at character {place}: {first[place : place + 20]!r} and {second[place : place + 20]!r}"
    return f"they differ at token {place + 1}: {first[place][:40]!r} and {second[place][:40]!r}"
