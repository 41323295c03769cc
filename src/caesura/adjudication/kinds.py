"""What groups and marks are for boundaries over units, boundaries in seconds, spans and hierarchies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median_low
from typing import Any, cast

from caesura.adjudication.disputed import (
    BOUNDARY,
    DisputedCorpus,
    DisputedPlace,
    GroupKey,
    Groups,
    PlacedMark,
    PlacedMarks,
    Streams,
)
from caesura.agreement.disagreement_rows import Disagreement, DisagreementPlace, Disagreements
from caesura.agreement.majority import majority, segmentation_of_marks
from caesura.errors import OptionError
from caesura.gold.tiers import recording_of, tier_of_decisions, tier_of_marks
from caesura.model.annotation import tiers_of
from caesura.model.common_units import BoundaryTimes
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, Dialogue, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier

# Boundaries that are further apart than this are different places, even if no other boundary lies between them.
NEAR_SECONDS = 0.5
_CONTEXT = 5  # units before and after a place


class DisputedBoundaries(DisputedCorpus):
    """Segmentations and dialogues. A group is a position and a type; near misses link positions to a place."""

    about = BOUNDARY
    unmeasured_kind = "different type"  # or a miss, such as at the end of the text for measures of inner positions

    def __init__(self, corpus: Corpus, result: Disagreements, over_units: Corpus | None = None) -> None:
        super().__init__(corpus, result)
        self.over_units = corpus if over_units is None else over_units
        texts = [text for entry in self.over_units.values() for text in texts_of(entry).values()]
        self.typed = any(text.types != UNTYPED for text in texts)
        self.exclusive = all(text.exclusive for text in texts)
        scales = [text.types for text in texts if text.types != UNTYPED]
        self.types = tuple(dict.fromkeys(name for scale in scales for name in scale))
        self._texts: dict[str, dict[str, tuple[Segmentation, frozenset[Any]]]] = {}

    def majority_text(self, item: str) -> dict[str, tuple[Segmentation, frozenset[Any]]]:
        """Return stream -> what more than half of the coders marked, and its boundaries."""
        if item not in self._texts:
            texts = texts_of(majority(cast("list[Comparable]", list(self.over_units.of_item(item).values()))))
            self._texts[item] = {name: (text, frozenset(self._boundaries(text))) for name, text in texts.items()}
        return self._texts[item]

    def _boundaries(self, text: Segmentation) -> list[tuple[int, str | None]]:
        return [(position, name if self.typed else None) for position, name in text.boundaries]

    def find_groups(self, item: str) -> Groups:
        groups: dict[GroupKey, Mapping[str, PlacedMarks]] = {}
        by_coder = self.over_units.of_item(item)
        for stream in self.majority_text(item):
            own = {coder: frozenset(self._boundaries(texts_of(entry)[stream])) for coder, entry in by_coder.items()}
            for key in sorted(frozenset().union(*own.values()), key=_order):
                groups[stream, key] = {
                    coder: (self.mark(item, stream, key, [coder]),) if key in own[coder] else () for coder in own
                }
        return groups

    def mark(self, item: str, stream: str, key: tuple[Any, ...], coders: Sequence[str]) -> PlacedMark:
        return PlacedMark(float(key[0]), None, key[1])

    def majority_of(self, item: str, key: GroupKey) -> PlacedMarks:
        stream, boundary = key
        owners = [coder for coder, own in self.groups(item)[key].items() if own]
        kept = boundary in self.majority_text(item)[stream][1]
        return (self.mark(item, stream, boundary, owners),) if kept else ()

    def keys(self, place: DisagreementPlace, rows: Sequence[Disagreement], number: int) -> Iterable[tuple[Any, ...]]:
        boundaries = {entry for row in rows for entry in zip(row.positions, row.types, strict=True)}
        return sorted(boundaries - {(None, None)}, key=_order)

    def around(self, item: str, key: GroupKey) -> dict[str, Any]:
        stream, (position, _) = key
        units = self.majority_text(item)[stream][0].units or ()
        before, after = units[max(0, position - _CONTEXT) : position], units[position : position + _CONTEXT]
        return {"before": " ".join(before), "after": " ".join(after)}

    def build(self, item: str, marks: Streams) -> Annotation:
        texts = {name: self._text(text, marks.get(name, ())) for name, (text, _) in self.majority_text(item).items()}
        return _joined(texts)

    def _text(self, model: Segmentation, marks: PlacedMarks) -> Segmentation:
        types: dict[int, str] = {}
        boundaries = sorted({(int(mark.start), mark.type or UNTYPED[0]) for mark in marks})
        for position, name in boundaries if self.exclusive else ():
            if types.setdefault(position, name) != name:
                raise OptionError(f"position {position} would have two types, {types[position]} and {name}")
        known = model.types if {name for _, name in boundaries} <= {*model.types} else self.types
        scale = (self.types if known == UNTYPED else known) if self.typed else UNTYPED
        declared = model.types_declared
        return segmentation_of_marks(model.length, boundaries, scale, types_declared=declared, units=model.units)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        self.check_type(mark.type, required=self.typed)
        texts = [texts_of(entry)[place.stream or ""] for entry in self.over_units.of_item(place.item).values()]
        last = texts[0].length - (0 if any(text.length in text.positions[-1:] for text in texts) else 1)
        if mark.end is not None or mark.level is not None or mark.start % 1 or not 1 <= mark.start <= last:
            raise OptionError(f"marks: a boundary has a whole position in 1..{last}; got {mark}")
        return mark


def _order(boundary: tuple[Any, ...]) -> tuple[int, str]:
    return boundary[0], boundary[1] or ""


def _joined(streams: Mapping[str, Any]) -> Annotation:
    annotation: Annotation = streams[""] if "" in streams else Dialogue(streams)
    return annotation


class DisputedTiers(DisputedBoundaries):
    """Tiers in seconds. Times of different coders that are very close are one boundary; places are near each other in time."""

    def __init__(self, corpus: Corpus, result: Disagreements, over_units: Corpus, times: BoundaryTimes) -> None:
        super().__init__(corpus, result, over_units)
        self.times = times
        tiers = [tier for entry in corpus.values() for tier in tiers_of(entry).values()]
        self.points = all(tier.points is not None and not tier.intervals for tier in tiers)

    def in_seconds(self, item: str) -> bool:
        return True

    def mark(self, item: str, stream: str, key: tuple[Any, ...], coders: Sequence[str]) -> PlacedMark:
        """Return the mark of a boundary, at the middle one of the times of the coders."""
        return PlacedMark(median_low(self.times[item, coder, stream][key[0]] for coder in coders), None, key[1])

    def divided(self, place: DisagreementPlace) -> Iterable[Sequence[Disagreement]]:
        """Return the disagreements of a place, divided where its boundaries are far apart in time."""
        stream, latest = place.stream or "", float("-inf")
        here = [self.times[place.item, coder, stream] for coder in self.over_units.of_item(place.item)]
        group_of: dict[int, int] = {}
        number = 0
        for at in place.positions:
            times = [by_position[at] for by_position in here if at in by_position]
            number += min(times) - latest > NEAR_SECONDS
            latest = max(latest, *times)
            group_of[at] = number
        groups: dict[int, list[Disagreement]] = {}
        for row in place.rows:
            numbers = {group_of[at] for at in row.positions if at is not None}
            parts = [row] if len(numbers) == 1 else _two_misses(row)
            for part in parts:
                groups.setdefault(group_of[part.position], []).append(part)
        return groups.values()

    def build(self, item: str, marks: Streams) -> Annotation:
        """Return the tier, or one tier per stream."""
        by_stream: dict[str, list[Tier]] = {}
        for entry in self.corpus.of_item(item).values():
            for stream, tier in tiers_of(entry).items():
                by_stream.setdefault(stream, []).append(tier)
        tiers = {stream: self._tier(entries, marks.get(stream, ())) for stream, entries in by_stream.items()}
        return _joined(tiers)

    def _tier(self, tiers: Sequence[Tier], marks: PlacedMarks) -> Tier:
        recording = recording_of(tiers)
        labels: dict[float, str] = {}
        for mark in sorted(marks, key=lambda mark: (mark.start, mark.type or "")):
            name = mark.type or ""
            if labels.setdefault(mark.start, name) != name:
                raise OptionError(f"the time {mark.start:.10g} s would have two types, {labels[mark.start]} and {name}")
        rows = sorted(labels.items())
        if self.points:
            plain = [(time, "" if name in UNTYPED else name) for time, name in rows]
            return tier_of_marks(recording, plain, points=True, typed=self.typed)
        return tier_of_decisions(recording, rows, tiers, typed=self.typed)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a boundary, rounded to milliseconds, if its time lies in the recording."""
        self.check_type(mark.type, required=self.typed)
        tiers = [tiers_of(entry)[place.stream or ""] for entry in self.corpus.of_item(place.item).values()]
        recording, time = recording_of(tiers), round(mark.start, 3)
        if mark.end is not None or mark.level is not None or not recording.begin < time <= recording.end:
            extent = f"{recording.begin:.10g}-{recording.end:.10g} s"
            raise OptionError(f"marks: a boundary has a time in {extent}; got {mark}")
        return PlacedMark(time, None, mark.type)


def _two_misses(row: Disagreement) -> list[Disagreement]:
    (a, b), (a_time, b_time), (a_type, b_type) = row.positions, row.times, row.types
    miss = replace(row, kind="miss", cost=1.0)
    return [
        replace(miss, positions=(a, None), times=(a_time, None), types=(a_type, None)),
        replace(miss, positions=(None, b), times=(None, b_time), types=(None, b_type)),
    ]


class DisputedSpans(DisputedCorpus):
    """Spans, which may overlap, nest and cross. A group is a place: spans that gamma aligns; or a span that all have."""

    def __init__(self, corpus: Corpus, result: Disagreements) -> None:
        super().__init__(corpus, result)
        spans = [annotation for annotation in corpus.values() if isinstance(annotation, Spans)]
        names = {name for entry in spans for name in entry.category_names if name is not None}
        self.types = tuple(sorted(names))
        self.may_lack_type = any(None in entry.category_names for entry in spans)
        self._places: dict[str, list[DisagreementPlace]] = {}
        for place in result.places:
            self._places.setdefault(place.item, []).append(place)

    def _first(self, item: str) -> Spans:
        return cast(Spans, next(iter(self.corpus.of_item(item).values())))

    def in_seconds(self, item: str) -> bool:
        return self._first(item).axis == "seconds"

    def find_groups(self, item: str) -> Groups:
        by_coder = self.corpus.of_item(item)
        groups: dict[GroupKey, Mapping[str, PlacedMarks]] = {}
        for place in self._places.get(item, ()):
            units = place.units
            marks = {coder: (PlacedMark(*units[coder]),) if coder in units else () for coder in by_coder}
            groups["", (len(groups),)] = marks
        first = next(iter(by_coder))
        disputed = Counter(mark for marks in groups.values() for mark in marks[first])
        for mark in (Counter(PlacedMark(*span) for span in self._first(item).spans) - disputed).elements():
            groups["", (len(groups),)] = dict.fromkeys(by_coder, (mark,))
        return groups

    def majority_of(self, item: str, key: GroupKey) -> PlacedMarks:
        marks = self.groups(item)[key]
        variant, number = Counter(marks.values()).most_common(1)[0]
        return variant if 2 * number > len(marks) else ()

    def keys(self, place: DisagreementPlace, rows: Sequence[Disagreement], number: int) -> Iterable[tuple[Any, ...]]:
        return [(number,)]

    def build(self, item: str, marks: Streams) -> Spans:
        entries = [entry for entry in self.corpus.of_item(item).values() if isinstance(entry, Spans)]
        model = next((entry for entry in entries if entry.text is not None or entry.units is not None), entries[0])
        bounds = None
        if model.text is None and model.units is None and all(entry.bounds is not None for entry in entries):
            known = [entry.bounds for entry in entries if entry.bounds is not None]
            bounds = min(first for first, _ in known), max(last for _, last in known)
        rows = [(mark.start, mark.end, mark.type) for mark in marks.get("", ())]
        return Spans(rows, bounds=bounds, seconds=model.axis == "seconds", text=model.text, units=model.units)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a span if it lies in the item and has a category that occurs."""
        self.check_type(mark.type, required=not self.may_lack_type)
        if mark.end is None or mark.level is not None:
            raise OptionError("marks: a span has a start and an end, and no level")
        start, end = _rounded(place, mark.start), _rounded(place, mark.end)
        extents = [entry.extent for entry in self.corpus.of_item(place.item).values() if isinstance(entry, Spans)]
        first, last = min(0.0, *(begin for begin, _ in extents)), max(stop for _, stop in extents)
        if not first <= start < end <= last:
            raise OptionError(
                f"marks: a span must lie in {first:.10g}-{last:.10g} and end after its start; got {start:.10g}-{end:.10g}"
            )
        return PlacedMark(start, end, mark.type)


def _rounded(place: DisputedPlace, value: float) -> float:
    """Return a time in whole milliseconds, or a whole position."""
    if place.seconds:
        return round(value, 3)
    if value % 1:
        raise OptionError(f"marks: a position must be a whole number; got {value:.10g}")
    return float(value)


class DisputedHierarchies(DisputedCorpus):
    """Hierarchies. A group is a span from unit to unit; a place is one that some coders lack, or label differently."""

    unmeasured_kind = "different label"

    def __init__(self, corpus: Corpus, result: Disagreements, shared: Corpus) -> None:
        super().__init__(corpus, result)
        self.shared = shared
        labels = {span.label for item in self.items for entry in self._of_item(item).values() for span in entry.spans}
        self.types = tuple(sorted(label for label in labels if label is not None))

    def _of_item(self, item: str) -> dict[str, Hierarchy]:
        entries = self.shared.of_item(item).items()
        return {coder: entry for coder, entry in entries if isinstance(entry, Hierarchy)}

    def find_groups(self, item: str) -> Groups:
        by_coder = self._of_item(item)
        groups: dict[GroupKey, dict[str, PlacedMarks]] = {}
        for coder, hierarchy in by_coder.items():
            for span in hierarchy.spans:
                group = groups.setdefault(("", (span[:2],)), dict.fromkeys(by_coder, ()))
                group[coder] += (PlacedMark(span.start, span.end, span.label, span.level),)
        return groups

    def majority_of(self, item: str, key: GroupKey) -> PlacedMarks:
        """Return the span if more than half of the coders have it, with the level and the label that most of them chose."""
        marks = self.groups(item)[key].values()
        own = [entries for entries in marks if entries]
        counts = Counter(own)
        return min(own, key=lambda entries: -counts[entries]) if 2 * len(own) > len(marks) else ()

    def keys(self, place: DisagreementPlace, rows: Sequence[Disagreement], number: int) -> Iterable[tuple[Any, ...]]:
        return [(place.span,)]

    def around(self, item: str, key: GroupKey) -> dict[str, Any]:
        (start, end), edges = key[1][0], next(iter(self._of_item(item).values())).edges
        return {} if edges is None else {"times": (edges[start - 1], edges[end])}

    def build(self, item: str, marks: Streams) -> Hierarchy:
        model = next(iter(self._of_item(item).values()))
        spans = list(dict.fromkeys(marks.get("", ())))
        rows = [(int(mark.start), int(mark.end or 0), mark.level or _level(mark, spans), mark.type) for mark in spans]
        return Hierarchy(model.length, rows, units=model.units, edges=model.edges, extent=model.extent)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        self.check_type(mark.type)
        length = next(iter(self._of_item(place.item).values())).length
        if mark.end is None or mark.start % 1 or mark.end % 1 or not 1 <= mark.start <= mark.end <= length:
            raise OptionError(f"marks: a span goes from a first to a last unit in 1..{length}; got {mark}")
        return mark


def _level(mark: PlacedMark, spans: Sequence[PlacedMark]) -> int:
    around = [
        span.level
        for span in spans
        if span.level and span.start <= mark.start and (mark.end or 0) <= (span.end or 0) and span != mark
    ]
    return 1 + max(around, default=0)
