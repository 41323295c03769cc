"""Disagreements of coders about spans: what is not aligned, shifted or of another category in the best alignment of gamma."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from caesura.agreement.coder_pairs import Key
from caesura.agreement.disagreement_links import MISSING, MOVED, RELABELLED, Links, SpanRow, links_of_spans
from caesura.agreement.gamma import Gamma, align_items
from caesura.agreement.gamma_alignment import ItemAlignment, UnitaryAlignment
from caesura.agreement.unitized import UnitizedItem
from caesura.model.spans import MarkedSpan, Spans
from caesura.model.value import Ints
from caesura.notices import warn

# Kinds of disagreement about spans, by the numbers of links.
SPAN_KINDS = ("unaligned", "shift", "category", "shift and category")
_CONTEXT_CHARACTERS = 30
_CONTEXT_TOKENS = 5
_MAX_WARNED = 10  # items that have a warning of their own
_MAX_BETWEEN = 120  # characters of the text of a span


def align_spans(
    items: Sequence[UnitizedItem], gamma: Gamma, against: str | None
) -> tuple[list[Key], Links, ComparedSpans]:
    """Return the comparisons of two coders, their disagreements, and the spans about which they disagree."""
    alignments = align_items(items, gamma)
    _warn_unproved(alignments)
    keys: list[Key] = []
    places: list[tuple[UnitizedItem, UnitaryAlignment]] = []

    def rows() -> Iterator[SpanRow]:
        for item in items:
            compared = {}
            for i, j in combinations(range(len(item.coders)), 2):
                if against in (None, item.coders[i], item.coders[j]):
                    compared[i, j] = len(keys)
                    keys.append((item.name, item.coders[i], item.coders[j]))
            for unitary in alignments[item.name].unitary:
                starts = [None if unit is None else unit.start for unit in unitary.units]
                for i, j, kind, cost in _disagreements(unitary, gamma.delta_empty):
                    if (i, j) in compared:
                        yield compared[i, j], kind, starts[i], starts[j], None, cost, len(places)
                places.append((item, unitary))

    links = links_of_spans(rows())
    return keys, links, ComparedSpans(keys, links, places)


def _warn_unproved(alignments: Mapping[str, ItemAlignment]) -> None:
    unproved = [name for name, alignment in alignments.items() if not alignment.proved]
    for name in unproved[:_MAX_WARNED]:
        warn(f"item {name!r}: the alignment is not proved to be the best, because the search took too much work")
    if len(unproved) > _MAX_WARNED:
        warn(f"{len(unproved) - _MAX_WARNED:,} more alignments are not proved to be the best")


def _disagreements(unitary: UnitaryAlignment, delta_empty: float) -> Iterator[tuple[int, int, int, float]]:
    """Yield the disagreements of each pair of coders. Their costs add up to the disorder of the unitary alignment."""
    # A pair of coders without units costs delta_empty too, but has nothing to disagree about: its cost is divided equally among
    # the pairs with one unit.
    number = len(unitary.units)
    pairs = number * (number - 1) // 2
    has_unit = [unit is not None for unit in unitary.units]
    marked = sum(has_unit)
    alone = delta_empty * (1 + (number - marked - 1) / (2 * marked)) / pairs
    terms = {(first, second): (position, category) for first, second, position, category in unitary.pairs}
    for i, j in combinations(range(number), 2):
        term = terms.get((i, j))
        if term is not None and term[0] + term[1] > 0:
            yield i, j, MOVED * (term[0] > 0) + RELABELLED * (term[1] > 0), (term[0] + term[1]) / pairs
        elif term is None and (has_unit[i] or has_unit[j]):
            yield i, j, MISSING, alone


class ComparedSpans:
    """The spans of the coders in each place, which is a unitary alignment, and the text around them."""

    kinds = SPAN_KINDS

    def __init__(
        self, keys: Sequence[Key], links: Links, places: Sequence[tuple[UnitizedItem, UnitaryAlignment]]
    ) -> None:
        self.keys, self.links, self.places = keys, links, places
        self._contexts: dict[str, _Context] = {}

    def _at(self, i: int) -> tuple[_Context, dict[str, MarkedSpan | None]]:
        """Return the text of a link, and the span of each coder at its place."""
        item, unitary = self.places[self.links.place[i]]
        context = self._contexts.get(item.name) or self._contexts.setdefault(item.name, _Context.of(item))
        return context, dict(zip(item.coders, unitary.units, strict=True))

    def pair(self, i: int) -> dict[str, Any]:
        """Return what a row says about a link beside item, coders, kind and cost."""
        context, spans = self._at(i)
        units = tuple(spans[coder] for coder in self.keys[self.links.comparison[i]][1:])
        starts = tuple(None if unit is None else context.number(unit.start) for unit in units)
        return {
            "positions": starts,
            "times": starts if context.seconds else (None, None),
            "types": tuple(unit and unit.category for unit in units),
            "units": units,
            **context.around(_edges(units)),
        }

    def place(self, rows: Ints) -> dict[str, Any]:
        """Return what coders have at the place of some links, and where it is."""
        context, spans = self._at(int(rows[0]))
        units = {coder: unit for coder, unit in spans.items() if unit is not None}
        edges = _edges(units.values())
        positions = tuple(map(context.number, edges))
        starts = {coder: context.number(unit.start) for coder, unit in units.items()}
        return {
            "positions": positions,
            "times": positions if context.seconds else (),
            "marks": {coder: ((starts[coder], unit.category),) for coder, unit in units.items()},
            "mark_times": {coder: (start,) for coder, start in starts.items()} if context.seconds else {},
            "has_not": tuple(coder for coder in spans if coder not in units),
            "span": None,
            "units": units,
            **context.around(edges),
        }


def _edges(units: Iterable[MarkedSpan | None]) -> list[float]:
    return sorted({edge for unit in units if unit is not None for edge in (unit.start, unit.end)})


@dataclass(frozen=True)
class _Context:
    """The text of an item, and whether its positions are seconds."""

    text: str | tuple[str, ...] | None
    seconds: bool

    @classmethod
    def of(cls, item: UnitizedItem) -> _Context:
        annotations: list[Spans] = list(item.annotations.values())
        texts = [spans.text if spans.text is not None else spans.units for spans in annotations]
        text = next((text for text in texts if text is not None), None)
        return cls(text, annotations[0].axis == "seconds")

    def number(self, position: float) -> Any:
        """Return a position as a whole number, if it is one and no time."""
        return int(position) if not self.seconds and position == int(position) else position

    def around(self, edges: Sequence[float]) -> dict[str, str]:
        """Return the text before, between and after positions, with ``|`` at those inside; empty without text."""
        if self.text is None or self.seconds:
            return {"before": "", "between": "", "after": ""}
        size = _CONTEXT_CHARACTERS if isinstance(self.text, str) else _CONTEXT_TOKENS
        places = [int(edge) for edge in edges]
        between = " | ".join(self._part(first, last) for first, last in pairwise(places))
        if len(between) > _MAX_BETWEEN:
            between = f"{between[: _MAX_BETWEEN // 2]} … {between[-_MAX_BETWEEN // 2 :]}"
        before, after = self._part(max(0, places[0] - size), places[0]), self._part(places[-1], places[-1] + size)
        return {"before": before, "between": between, "after": after}

    def _part(self, first: int, last: int) -> str:
        assert self.text is not None
        part = self.text[first:last]
        return " ".join((part if isinstance(part, str) else " ".join(part)).split())
