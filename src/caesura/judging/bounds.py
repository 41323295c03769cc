"""Baselines: segmentations that ignore the text and use only statistics of the coders' segments.

The bounds of a judgement are::

    human     each coder compared with every other coder as reference
    random    segment lengths drawn from the coders' segments; the score is the mean of many draws
    placement a boundary at every position with the same probability, the coders' share of marked positions; also a mean
    regular   segments of equal length, which is the mean length of the coders' segments
    none      no boundary
    all       a boundary at every position

If boundaries have types, each random boundary copies the types of a coder's boundary, drawn with replacement. The
boundaries of ``regular`` and ``all`` get the most frequent types. If coders mark the end of a text, the baselines choose
the types of that mark in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.judging.drawn_texts import DrawnTexts, TextModel, TypeSets
from caesura.judging.participants import Annotations, Participants
from caesura.model.annotation import SAME_PLACE, tiers_of
from caesura.model.checks import NO_CODES
from caesura.model.columns import Table, offsets
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.index import flatnonzero, repeat, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.simulation.segmentations import SegmentLengths, fill_with_segments, regular_segmentation

PlaceBoundaries = Callable[[int], Ints]  # number of units -> boundary positions
ChooseTypes = Callable[["TypeSets", int], Ints]  # type sets and number of boundaries -> the type set of each boundary
PlaceTimes = Callable[[float, float], Floats]  # beginning and end of a recording -> boundaries in seconds
ChooseLabels = Callable[[int], list[str]]  # number of segments -> their labels


def _random_types(rng: np.random.Generator) -> ChooseTypes:
    return lambda sets, n: sets.pool[rng.integers(0, len(sets.pool), n)] if n else np.empty(0, np.int64)


class Baselines:
    """Segmentations of the participants' items that ignore the text and use only statistics of the coders' segments."""

    def __init__(self, participants: Participants) -> None:
        self.participants = participants

    @cached_property
    def _texts(self) -> list[Segmentation]:
        return _all_streams(self.participants.coders)

    @cached_property
    def lengths(self) -> Ints:
        """Lengths of all segments of all coders, sorted so that draws do not depend on the order of the coders."""
        table = Table.of(self._texts)
        # The ends of all segments, as if the texts were one: the boundaries of a text, and then its length.
        places, lengths = table.places, table.end
        ends = np.insert(places.place, places.off[1:], lengths)
        begins = np.cumsum(lengths) - lengths
        return np.sort(np.diff(ends + repeat(begins, places.count + 1), prepend=0))

    @cached_property
    def _types(self) -> tuple[str, ...] | None:
        """The types in order; None if all boundaries are untyped and no coder marks the end of a text."""
        for text in self._texts:
            if text.types_declared and text.types != UNTYPED:
                return text.types
        if all(text.types == UNTYPED for text in self._texts):
            marks_end = any(text.inner.size != text.boundary_positions.size for text in self._texts)
            return UNTYPED if marks_end else None
        # If no coder declared types, use all types that occur. A system may have types that no coder has.
        texts = [*self._texts, *_all_streams(self.participants.systems)]
        return sort_types({name for text in texts for _, name in text.boundaries}) or None

    @cached_property
    def _type_sets(self) -> tuple[TypeSets, TypeSets]:
        """The types of all inner boundaries of the coders, and the types (possibly none) at the ends of their texts."""
        code = {name: i for i, name in enumerate(self._types or UNTYPED)}
        inner: list[tuple[int, ...]] = []
        ends: list[tuple[int, ...]] = []
        for text in self._texts:
            codes_at: dict[int, list[int]] = {}
            for position, name in text.boundaries:
                codes_at.setdefault(position, []).append(code[name])
            ends.append(tuple(sorted(codes_at.pop(text.length, ()))))
            inner += (tuple(sorted(codes)) for codes in codes_at.values())
        return TypeSets(inner), TypeSets(ends)

    def random(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random segmentation per item, with segment lengths drawn from those of the coders."""
        lengths = SegmentLengths(self.lengths)
        return self._annotate(lambda units: fill_with_segments(units, lengths, rng), _random_types(rng), random=True)

    @cached_property
    def rate(self) -> float:
        """Share of inner positions that a coder marks, over all coders."""
        positions = sum(text.length - 1 for text in self._texts)
        return sum(text.inner.size for text in self._texts) / max(positions, 1)

    def placement(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random segmentation per item, with boundaries that are placed independently of each other."""

        def place(units: int) -> Ints:
            return flatnonzero(rng.random(units - 1) < self.rate) + 1

        return self._annotate(place, _random_types(rng), random=True)

    @cached_property
    def are_plain(self) -> bool:
        """Whether all items are segmentations without types and marks at the end."""
        by_coder = self.participants.coders.values()
        return self._types is None and all(
            isinstance(annotation, Segmentation) for entries in by_coder for annotation in entries.values()
        )

    @cached_property
    def model(self) -> TextModel:
        """What random texts are drawn from; items are in alphabetical order."""
        streams = [
            texts_of(next(iter(self.participants.coders[item].values()))) for item in sorted(self.participants.items)
        ]
        lengths = np.array([text.length for by_stream in streams for text in by_stream.values()], np.int64)
        sets = None if self._types is None else self._type_sets
        return TextModel(
            offsets(np.array([*map(len, streams)], np.int64)), lengths, self.lengths, self.rate, self._types, sets
        )

    def annotations_of(self, texts: DrawnTexts) -> dict[str, dict[str, Annotation]]:
        positions, codes, off = texts.typed
        lengths, ends, types = texts.lengths.tolist(), off.tolist(), self._types or UNTYPED
        segmentations = iter(
            Segmentation.from_valid_entries(length, positions[a:b], codes[a:b] if len(types) > 1 else NO_CODES, types)
            for length, (a, b) in zip(lengths, pairwise(ends), strict=True)
        )
        return {
            str(draw): _annotations(
                self.participants, lambda model: {name: next(segmentations) for name in texts_of(model)}
            )
            for draw in range(texts.draws)
        }

    def regular(self) -> dict[str, Annotation]:
        """Return one segmentation per item, with all segments as long as the mean segment of the coders."""
        mean = float(self.lengths.mean())
        return self._annotate(lambda units: regular_segmentation(units, mean).inner, _most_frequent)

    def none(self) -> dict[str, Annotation]:
        """Return one segmentation per item that has no boundaries and no mark at the end."""
        return self._annotate(lambda units: np.empty(0, np.int64), None)

    def all(self) -> dict[str, Annotation]:
        return self._annotate(lambda units: np.arange(1, units), _most_frequent)

    def _annotate(
        self, place: PlaceBoundaries, choose: ChooseTypes | None, *, random: bool = False
    ) -> dict[str, Annotation]:
        known: dict[int, Segmentation] = {}  # without randomness, texts of the same length share one segmentation

        def segment(length: int) -> Segmentation:
            if random or length not in known:
                known[length] = self._segmentation(length, place, choose)
            return known[length]

        return _annotations(
            self.participants, lambda model: {name: segment(text.length) for name, text in texts_of(model).items()}
        )

    def _segmentation(self, length: int, place: PlaceBoundaries, choose: ChooseTypes | None) -> Segmentation:
        # Leave out the units: they equal the coders' units, and checking them again in every draw is slow.
        positions = np.array(place(length), np.int64)
        codes = np.empty(0, np.int64)
        if self._types is None:
            return Segmentation.from_valid_entries(length, positions, codes, UNTYPED)
        if choose is not None:
            inner, ends = self._type_sets
            if not len(inner.pool):
                positions = positions[:0]
            chosen = choose(inner, len(positions))
            last = choose(ends, 1)
            sizes = np.concatenate([inner.size[chosen], ends.size[last]])
            codes = np.concatenate([*(inner.codes[k] for k in chosen), *(ends.codes[k] for k in last)], dtype=np.int64)
            positions = repeat(np.append(positions, length), sizes)
        if len(self._types) == 1:
            codes = codes[:0]
        return Segmentation.from_valid_entries(length, positions, codes, self._types)


def _all_streams(annotations: Annotations) -> list[Segmentation]:
    return [
        text
        for by_name in annotations.values()
        for annotation in by_name.values()
        for text in texts_of(annotation).values()
    ]


def _most_frequent(sets: TypeSets, n: int) -> Ints:
    """Return n copies of the most frequent set; if several are equally frequent, of the first."""
    if not len(sets.pool):
        return np.empty(0, np.int64)
    return np.full(n, sets.most_frequent)


class TimedBaselines:
    """Annotations of the participants' items in seconds that ignore the recording."""

    # If the coders' segments have labels, all segments of a baseline have labels too: drawn from those of the coders, or the
    # most frequent one.

    def __init__(self, participants: Participants) -> None:
        self.participants = participants

    @cached_property
    def _tiers(self) -> list[Tier]:
        by_item = self.participants.coders.values()
        return [tier for by_coder in by_item for entry in by_coder.values() for tier in tiers_of(entry).values()]

    @cached_property
    def lengths(self) -> Floats:
        """Lengths of all segments of all coders, sorted so that draws do not depend on the order of the coders."""
        edges = [np.concatenate([[tier.begin], tier.edges.inner, [tier.end]]) for tier in self._tiers]
        return np.sort(np.concatenate([np.diff(places) for places in edges]))

    @cached_property
    def labels(self) -> list[str]:
        """Labels of all intervals of all coders, sorted; empty if there are none."""
        return sorted(interval.label for tier in self._tiers for interval in tier.intervals)

    @cached_property
    def rate(self) -> float:
        """Boundaries per second of a coder, over all coders."""
        boundaries = sum(tier.edges.inner.size for tier in self._tiers)
        return boundaries / sum(tier.end - tier.begin for tier in self._tiers)

    def random(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random annotation per item, with segment lengths drawn from those of the coders."""

        def fill(begin: float, end: float) -> Floats:
            return _fill_with_times(self.lengths, begin, end - SAME_PLACE, rng)

        return self._annotate(fill, self._drawn(rng))

    def placement(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random annotation per item, with boundaries that are placed independently of each other."""

        def place(begin: float, end: float) -> Floats:
            return np.sort(rng.uniform(begin, end, rng.poisson(self.rate * (end - begin))))

        return self._annotate(place, self._drawn(rng))

    def regular(self) -> dict[str, Annotation]:
        """Return one annotation per item, with all segments as long as the mean segment of the coders."""
        mean = float(self.lengths.mean())
        return self._annotate(lambda begin, end: np.arange(begin + mean, end - SAME_PLACE, mean), self._frequent)

    def none(self) -> dict[str, Annotation]:
        return self._annotate(lambda begin, end: np.empty(0), self._frequent)

    def _drawn(self, rng: np.random.Generator) -> ChooseLabels:
        labels = self.labels
        return lambda n: [labels[k] for k in rng.integers(0, len(labels), n).tolist()]

    @cached_property
    def _most_frequent_label(self) -> str:
        return Counter(self.labels).most_common(1)[0][0]

    def _frequent(self, n: int) -> list[str]:
        return [self._most_frequent_label] * n

    def _annotate(self, place: PlaceTimes, choose: ChooseLabels) -> dict[str, Annotation]:
        return _annotations(
            self.participants,
            lambda model: {name: self._tier(tier, place, choose) for name, tier in tiers_of(model).items()},
        )

    def _tier(self, model: Tier, place: PlaceTimes, choose: ChooseLabels) -> Tier:
        times = place(model.begin, model.end)
        labels = choose(len(times) + 1) if self.labels else None
        return Tier.from_times(times, labels, begin=model.begin, end=model.end)


def _fill_with_times(lengths: Floats, begin: float, end: float, rng: np.random.Generator) -> Floats:
    """Return boundaries between segments that are drawn until they reach the end."""
    state = rng.bit_generator.state
    count = int((end - begin) / float(lengths.mean())) + 8
    while True:
        drawn = lengths[rng.integers(len(lengths), size=count)]
        times = np.cumsum(np.concatenate([[begin], drawn]))
        used = int(searchsorted(times[1:], end)) + 1  # up to the segment that reaches the end
        rng.bit_generator.state = state
        if used <= count:
            break
        count *= 2
    rng.integers(len(lengths), size=used)  # later draws continue after those that are used
    return times[1:used]


def _annotations(participants: Participants, annotate: Callable[[Annotation], dict[str, Any]]) -> dict[str, Annotation]:
    """Return one annotation per item; ``annotate`` makes its streams from the annotation of the first coder."""
    annotations: dict[str, Annotation] = {}
    for item in sorted(participants.items):
        model = next(iter(participants.coders[item].values()))
        streams = annotate(model)
        annotations[item] = Dialogue(streams) if isinstance(model, Dialogue) else streams[""]
    return annotations
