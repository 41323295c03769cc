"""The annotations that are compared in a list of disagreements: over units, with the times and the text of boundaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from caesura.agreement.coder_pairs import Key
from caesura.agreement.disagreement_links import Links
from caesura.agreement.disagreement_rows import MAJORITY, SPAN, Mark
from caesura.errors import InputError
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.model.annotation import tiers_of
from caesura.model.common_units import (
    BoundaryTimes,
    boundary_times,
    levels_as_types,
    over_common_units,
    tiers_over_units,
)
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import Excluded
from caesura.model.segmentation import UNTYPED
from caesura.model.spans import MarkedSpan
from caesura.notices import warn

# Kinds of disagreement about boundaries, by the numbers of links.
BOUNDARY_KINDS = ("miss", "near miss", "different type", "near miss, different type")
# Item, first and last unit of a span of hierarchies.
Place = tuple[str, int, int]
_CONTEXT_UNITS = 5  # units of text on each side, unless fewer are long enough
_CONTEXT_CHARACTERS = 30
_MAX_UNITS_BETWEEN = 12


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus over units, and the times of its boundaries."""

    corpus: Corpus  # segmentations, dialogues or hierarchies; or tiers in seconds, whose positions are times
    times: BoundaryTimes = field(default_factory=dict)  # item, coder and stream -> position -> time
    # Item -> whether its units are words; False if they are times.
    words: Mapping[str, bool] = field(default_factory=dict)
    data: str = ""  # fingerprint of the annotations over units
    majority: bool = False  # whether the majority was added as a coder
    excluded: tuple[Excluded, ...] = ()  # items whose tiers cannot be converted to units

    @cached_property
    def spans(self) -> bool:
        return self.corpus.holds(Hierarchy)

    def coders(self, item: str) -> list[str]:
        return [coder for coder in self.corpus.of_item(item) if not (self.majority and coder == MAJORITY)]

    def time(self, item: str, coder: str, stream: str | None, position: Any) -> float | None:
        if position is None:
            return None
        if tiers_of(self.corpus[item, coder]):
            return float(position)
        if not self.times and not self.spans:
            return None
        annotation = self.corpus[item, coder]
        if isinstance(annotation, Hierarchy):
            return None if annotation.edges is None else annotation.edges[position]
        return self.times.get((item, coder, stream or ""), {}).get(position)


def prepare(corpus: Corpus, measure: Measure) -> PreparedCorpus:
    """Convert tiers and timed hierarchies to units, and keep the times of the boundaries."""
    tiers = {key: tiers_of(annotation) for key, annotation in corpus.items()}
    if any(tiers.values()) and compares_seconds(measure):
        return PreparedCorpus(corpus, words=dict.fromkeys(corpus.item_names, False), data=corpus.fingerprint)
    if any(tiers.values()):
        errors: list[InputError] = []
        (converted,), notes = tiers_over_units([corpus], excluded=errors)
        if errors and not converted:
            raise errors[0]
        words: dict[str, bool] = {}
        for (item, _), streams in tiers.items():
            words[item] = words.get(item, False) or any(tier.words is not None for tier in streams.values())
        excluded = tuple(Excluded(None, None, str(error)) for error in errors)
        prepared = PreparedCorpus(converted, boundary_times(corpus), words, converted.fingerprint, excluded=excluded)
    elif corpus.kind == "hierarchy":
        shared, notes = over_common_units(corpus)
        prepared = PreparedCorpus(shared, data=shared.fingerprint)
        if "linear" in measure.kinds:  # otherwise it compares spans
            times = {
                (item, coder, ""): dict(enumerate(annotation.edges))
                for (item, coder), annotation in shared.items()
                if isinstance(annotation, Hierarchy) and annotation.edges is not None
            }
            prepared = PreparedCorpus(levels_as_types(shared), times, data=shared.fingerprint)
    else:
        return PreparedCorpus(corpus, data=corpus.fingerprint)
    for item, note in notes.items():
        warn(f"item {item!r}: {note}")
    return prepared


class ComparedTexts:
    """The boundaries and the spans of hierarchies of the coders, and the text around them; everything is looked up once."""

    def __init__(self, prepared: PreparedCorpus, keys: Sequence[Key], links: Links, places: Sequence[Place]) -> None:
        self.prepared, self.keys, self.links = prepared, keys, links
        self.time = prepared.time
        self._places = places  # empty unless they are spans of hierarchies
        self.kinds = (SPAN,) if prepared.spans else BOUNDARY_KINDS
        self._units: dict[tuple[str, str | None], tuple[str, ...] | None] = {}
        self._around: dict[tuple[Any, ...], tuple[str, str, str]] = {}
        self._marks: dict[tuple[str, str, str | None], dict[Any, list[Mark]]] = {}

    def number(self, item: str, position: Any) -> Any:
        return position

    def span(self, i: int) -> tuple[int, int] | None:
        """Return first and last unit of the span of a hierarchy at the place of a link."""
        return self._places[self.links.place[i]][1:] if self.prepared.spans else None

    def units(self, i: int) -> dict[str, MarkedSpan]:
        return {}

    def marks_at(self, i: int, links: Links) -> tuple[dict[str, tuple[Mark, ...]], list[Any]]:
        """Return coder -> the marks at the place of some links that a pair disputes, and the positions of these marks."""
        item, stream, span = self.keys[links.comparison[0]][0], links.streams[links.stream[0]], self.span(i)
        disputed = links.marks()
        positions = sorted({at for at, _ in disputed})
        marks: dict[str, tuple[Mark, ...]] = {}
        for coder in self.prepared.coders(item):
            own = self.marks(item, coder, stream)
            if span is None:
                marks[coder] = tuple(mark for at in positions for mark in own.get(at, ()) if mark in disputed)
            else:
                marks[coder] = tuple(own.get(span, ()))
        return marks, positions

    def marks(self, item: str, coder: str, stream: str | None) -> dict[Any, list[Mark]]:
        """Return the boundaries of a coder by position, or the spans of the coder's hierarchy by their units."""
        key = (item, coder, stream)
        if key not in self._marks:
            annotation = self.prepared.corpus[item, coder]
            at = self._marks[key] = {}
            if isinstance(annotation, Hierarchy):
                for span in annotation.spans:
                    at.setdefault(span[:2], []).append((span.start - 1, span_name(span)))
            else:
                for position, name in _boundaries(annotation, stream or ""):
                    at.setdefault(position, []).append((position, name if self.links.labels != (None,) else None))
        return self._marks[key]

    def around(self, item: str, stream: str | None, positions: Sequence[int]) -> tuple[str, str, str]:
        """Return the text before, between and after positions; empty without text."""
        if (item, stream) not in self._units:
            self._units[item, stream] = self._find_units(item, stream) if self.prepared.words.get(item, True) else None
        key, units = (item, stream, *positions), self._units[item, stream]
        if key not in self._around:
            self._around[key] = ("", "", "") if units is None else _around(units, positions)
        return self._around[key]

    def _find_units(self, item: str, stream: str | None) -> tuple[str, ...] | None:
        for annotation in self.prepared.corpus.of_item(item).values():
            text = annotation if isinstance(annotation, Hierarchy) else texts_of(annotation).get(stream or "")
            if text is not None and text.units is not None:
                return text.units
        return None


def span_name(span: Span) -> str:
    """Return the label of a span, or its level if it has none."""
    return span.label if span.label is not None else f"level {span.level}"


def _boundaries(annotation: Annotation, stream: str) -> Iterable[tuple[Any, str]]:
    """Return positions and types of the boundaries of a stream; the positions of a tier are its times."""
    tiers = tiers_of(annotation)
    if tiers:
        edges = tiers[stream].edges
        return [(time, UNTYPED[0]) for time in (edges.inner if edges.points is None else edges.points).tolist()]
    return texts_of(annotation)[stream].boundaries


def _around(units: Sequence[str], positions: Sequence[int]) -> tuple[str, str, str]:
    first, last = positions[0], positions[-1]
    before = _limited(units[max(0, first - _CONTEXT_UNITS) : first][::-1])[::-1]
    after = _limited(units[last : last + _CONTEXT_UNITS])
    parts = [_joined(units[start:end]) for start, end in pairwise(sorted(set(positions)))]
    if last - first > _MAX_UNITS_BETWEEN and len(parts) == 1:
        ends = (units[first : first + _CONTEXT_UNITS], units[last - _CONTEXT_UNITS : last])
        parts = [" … ".join(map(_joined, ends))]
    return _joined(before), " | ".join(parts), _joined(after)


def _limited(units: Sequence[str]) -> Sequence[str]:
    """Return as many of the first units as are needed for a reader to find the place."""
    characters = 0
    for i, unit in enumerate(units):
        characters += len(unit)
        if characters >= _CONTEXT_CHARACTERS:
            return units[: i + 1]
    return units


def _joined(units: Sequence[str]) -> str:
    """Join words with blanks, and single characters without."""
    characters = len(units) > 1 and all(len(unit) == 1 and not unit.isdigit() for unit in units)
    return ("" if characters else " ").join(units)
