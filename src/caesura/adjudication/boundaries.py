"""Boundaries over units and in seconds: what coders agree on, what they dispute, and the segmentation or tier they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from statistics import median_low
from typing import cast

from caesura.adjudication.disputed import (
    BOUNDARY,
    DisputedCorpus,
    DisputedPlace,
    PlacedMark,
    PlacedMarks,
    Streams,
    streams_or_annotation,
)
from caesura.agreement.disagreement_rows import Disagreement, DisagreementPlace, Disagreements
from caesura.agreement.majority import majority
from caesura.errors import OptionError
from caesura.gold.tiers import recording_of, tier_of_decisions, tier_of_marks
from caesura.model.common_units import BoundaryTimes
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable
from caesura.model.old_names import streams_of, tiers_of
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier

# Position and type; the type is None if boundaries have no types.
Boundary = tuple[int, str | None]

# Boundaries that are further apart than this are different places, even if no other boundary lies between them.
NEAR_SECONDS = 0.5
_CONTEXT = 5  # units before and after a place


class DisputedBoundaries(DisputedCorpus):
    """Segmentations and dialogues. A place is a position, or several that near misses link."""

    def __init__(self, corpus: Corpus, result: Disagreements, over_units: Corpus | None = None) -> None:
        super().__init__(corpus, result)
        self.over_units = corpus if over_units is None else over_units
        texts = [text for entry in self.over_units.values() for text in streams_of(entry).values()]
        self.typed = any(text.types != UNTYPED for text in texts)
        self.exclusive = all(text.exclusive for text in texts)
        scales = [text.types for text in texts if text.types != UNTYPED]
        self.types = tuple(dict.fromkeys(name for scale in scales for name in scale))
        self._majorities: dict[str, dict[str, Segmentation]] = {}
        self._sets: dict[tuple[str, str], dict[str, frozenset[Boundary]]] = {}

    def majority_of(self, item: str) -> dict[str, Segmentation]:
        if item not in self._majorities:
            annotations = cast("list[Comparable]", list(self.over_units.of_item(item).values()))
            self._majorities[item] = dict(streams_of(majority(annotations)))
        return self._majorities[item]

    def boundaries(self, text: Segmentation) -> list[Boundary]:
        return [(position, name if self.typed else None) for position, name in text.boundaries]

    def mark(self, item: str, stream: str, boundary: Boundary, coders: Sequence[str]) -> PlacedMark:
        return PlacedMark(float(boundary[0]), None, boundary[1])

    @property
    def seconds(self) -> bool:
        return False

    def find_places(self) -> Iterable[DisputedPlace]:
        """Return one place per position, or per group of positions that near misses link."""
        for place in self.result.places:
            for rows in self.groups(place):
                yield self._place(place, rows)
        for item in self.result.items:
            for stream, text in self.majority_of(item).items():
                for disputed in self._unmeasured.get((item, stream), {}).values():
                    yield self._unmeasured_place(item, stream, text, disputed)

    @cached_property
    def _unmeasured(self) -> dict[tuple[str, str], dict[int, list[Boundary]]]:
        """Item and stream -> position -> boundaries that some coders have, although the measure sees no difference."""
        # The end of the text is such a position for measures that only compare inner positions.
        result: dict[tuple[str, str], dict[int, list[Boundary]]] = {}
        for item in self.result.items:
            disputed = self._disputed.get(item, set())
            for stream in self.majority_of(item):
                sets = self._boundary_sets(item, stream).values()
                differing = frozenset().union(*sets) - frozenset.intersection(*sets)
                for boundary in sorted(differing, key=_order):
                    if (stream, boundary) not in disputed:
                        at = result.setdefault((item, stream), {})
                        at.setdefault(boundary[0], []).append(boundary)
        return result

    def _unmeasured_place(self, item: str, stream: str, text: Segmentation, disputed: list[Boundary]) -> DisputedPlace:
        """Return a place at which coders differ although the measure does not count it, so that it costs nothing."""
        marks = self._variants(item, stream, disputed)
        pairs = sum(first != second for first, second in combinations(marks.values(), 2))
        position, units = disputed[0][0], text.units or ()
        return DisputedPlace(
            item=item,
            stream=stream or None,
            about=BOUNDARY,
            seconds=self.seconds,
            marks=marks,
            majority=self._majority(item, stream, disputed),
            kinds=("miss" if () in marks.values() else "different type",),
            cost=0.0,
            pairs=pairs,
            before=" ".join(units[max(0, position - _CONTEXT) : position]),
            after=" ".join(units[position : position + _CONTEXT]),
        )

    def _variants(self, item: str, stream: str, disputed: Sequence[Boundary]) -> dict[str, PlacedMarks]:
        return {
            coder: tuple(self.mark(item, stream, boundary, [coder]) for boundary in disputed if boundary in own)
            for coder, own in self._boundary_sets(item, stream).items()
        }

    def _majority(self, item: str, stream: str, disputed: Sequence[Boundary]) -> PlacedMarks:
        kept = set(self.boundaries(self.majority_of(item)[stream]))
        return tuple(
            self.mark(item, stream, boundary, self._owners(item, stream, boundary))
            for boundary in disputed
            if boundary in kept
        )

    def groups(self, place: DisagreementPlace) -> Iterable[Sequence[Disagreement]]:
        """Return the disagreements of a place, divided into those that are decided together."""
        return (place.rows,)

    def _place(self, place: DisagreementPlace, rows: Sequence[Disagreement]) -> DisputedPlace:
        item, stream = place.item, place.stream or ""
        disputed = sorted({boundary for row in rows for boundary in _boundaries_of(row)}, key=_order)
        costs: dict[str, float] = {}
        for row in rows:
            costs[row.kind] = costs.get(row.kind, 0.0) + row.cost
        is_whole = len(rows) == len(place.rows)
        return DisputedPlace(
            item=item,
            stream=place.stream,
            about=BOUNDARY,
            seconds=self.seconds,
            marks=self._variants(item, stream, disputed),
            majority=self._majority(item, stream, disputed),
            kinds=tuple(sorted(costs, key=lambda kind: (-costs[kind], kind))),
            cost=sum(costs.values()),
            pairs=len(rows),
            before=place.before if is_whole else rows[0].before,
            between=place.between if is_whole else rows[0].between,
            after=place.after if is_whole else rows[0].after,
        )

    def _owners(self, item: str, stream: str, boundary: Boundary) -> list[str]:
        return [coder for coder, own in self._boundary_sets(item, stream).items() if boundary in own]

    def _boundary_sets(self, item: str, stream: str) -> dict[str, frozenset[Boundary]]:
        if (item, stream) not in self._sets:
            self._sets[item, stream] = {
                coder: frozenset(self.boundaries(streams_of(entry)[stream]))
                for coder, entry in self.over_units.of_item(item).items()
            }
        return self._sets[item, stream]

    def agreed(self, item: str) -> Streams:
        streams: dict[str, PlacedMarks] = {}
        for stream in self.majority_of(item):
            sets = self._boundary_sets(item, stream).values()
            shared = sorted(frozenset.intersection(*sets), key=_order)
            disputed = self._disputed.get(item, set())
            streams[stream] = tuple(
                self.mark(item, stream, boundary, self._owners(item, stream, boundary))
                for boundary in shared
                if (stream, boundary) not in disputed
            )
        return streams

    @cached_property
    def _disputed(self) -> dict[str, set[tuple[str, Boundary]]]:
        """Item -> stream and boundary of everything about which there is a place."""
        disputed: dict[str, set[tuple[str, Boundary]]] = {}
        for row in self.result.rows:
            disputed.setdefault(row.item, set()).update((row.stream or "", entry) for entry in _boundaries_of(row))
        return disputed

    def build(self, item: str, marks: Streams) -> Annotation:
        texts = {
            stream: self._segmentation(text, marks.get(stream, ())) for stream, text in self.majority_of(item).items()
        }
        return streams_or_annotation(cast("Mapping[str, Annotation]", texts))

    def _segmentation(self, model: Segmentation, marks: PlacedMarks) -> Segmentation:
        types: dict[int, set[str]] = {}
        for mark in marks:
            types.setdefault(int(mark.start), set()).add(mark.type or UNTYPED[0])
        positions = sorted(types)
        if not self.typed:
            return Segmentation.from_positions(model.length, positions, units=model.units)
        if self.exclusive and (crowded := [at for at in positions if len(types[at]) > 1]):
            names = " and ".join(sorted(types[crowded[0]]))
            raise OptionError(f"position {crowded[0]} would have two types, {names}")
        typed = Segmentation.from_positions(
            model.length, positions, marks=[sorted(types[at]) for at in positions], units=model.units
        )
        return typed.with_types(
            model.types if model.types != UNTYPED else self.types, types_declared=model.types_declared
        )

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        self.check_type(mark.type, required=self.typed)
        texts = [streams_of(entry)[place.stream or ""] for entry in self.over_units.of_item(place.item).values()]
        last = texts[0].length - (0 if any(text.length in text.positions[-1:] for text in texts) else 1)
        if mark.end is not None or mark.level is not None or mark.start % 1 or not 1 <= mark.start <= last:
            raise OptionError(f"marks: a boundary has a whole position in 1..{last}; got {mark}")
        return mark


def _boundaries_of(row: Disagreement) -> list[Boundary]:
    return [(at, name) for at, name in zip(row.positions, row.types, strict=True) if at is not None]


def _order(boundary: Boundary) -> tuple[int, str]:
    return boundary[0], boundary[1] or ""


class DisputedTiers(DisputedBoundaries):
    """Tiers in seconds. Times of different coders that are very close are one boundary; places are near each other in time."""

    def __init__(self, corpus: Corpus, result: Disagreements, over_units: Corpus, times: BoundaryTimes) -> None:
        super().__init__(corpus, result, over_units)
        self.times = times
        tiers = [tier for entry in corpus.values() for tier in tiers_of(entry).values()]
        self.points = all(tier.points is not None and not tier.intervals for tier in tiers)

    @property
    def seconds(self) -> bool:
        return True

    def mark(self, item: str, stream: str, boundary: Boundary, coders: Sequence[str]) -> PlacedMark:
        """Return the mark of a boundary, at the middle one of the times of the coders."""
        position, name = boundary
        return PlacedMark(median_low(self.times[item, coder, stream][position] for coder in coders), None, name)

    def groups(self, place: DisagreementPlace) -> Iterable[Sequence[Disagreement]]:
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
        return streams_or_annotation(cast("Mapping[str, Annotation]", tiers))

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
