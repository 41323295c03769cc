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
the types of that mark in the same way. In seconds, segments have labels instead: drawn from those of the coders, or the most
frequent one; and there is no bound ``all``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.judging.drawn_texts import DrawnTexts, TextModel, TextSource, TypeSets
from caesura.judging.participants import Annotations, Participants
from caesura.model.annotation import SAME_PLACE, tiers_of
from caesura.model.checks import NO_CODES
from caesura.model.columns import Table, offsets
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.index import repeat, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.simulation.segmentations import regular_positions

# Some draws: the texts as arrays, if there are any, and draw -> item -> annotation.
Draws = tuple[DrawnTexts | None, Callable[[], Annotations]]


class Baselines:
    """Segmentations of the participants' items that ignore the text and use only statistics of the coders' segments."""

    def __init__(self, participants: Participants) -> None:
        self.participants = participants

    @cached_property
    def _texts(self) -> list[Segmentation]:
        return [*_streams(self.participants.coders, texts_of)]

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
    def rate(self) -> float:
        """Share of inner positions that a coder marks, over all coders."""
        positions = sum(text.length - 1 for text in self._texts)
        return sum(text.inner.size for text in self._texts) / max(positions, 1)

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
        texts = [*self._texts, *_streams(self.participants.systems, texts_of)]
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

    def fixed(self) -> dict[str, dict[str, Annotation]]:
        """Return the bounds without randomness."""
        mean = float(self.lengths.mean())
        return {
            "regular": self._annotate(lambda units: self._marked(units, regular_positions(units, mean))),
            "none": self._annotate(
                lambda units: Segmentation.from_valid_entries(
                    units, np.empty(0, np.int64), NO_CODES, self._types or UNTYPED
                )
            ),
            "all": self._annotate(lambda units: self._marked(units, np.arange(1, units))),
        }

    def _annotate(self, segment: Callable[[int], Segmentation]) -> dict[str, Annotation]:
        known: dict[int, Segmentation] = {}  # texts of the same length share one segmentation
        for text in self._texts:
            if text.length not in known:
                known[text.length] = segment(text.length)
        return _annotations(
            self.participants, lambda model: {name: known[text.length] for name, text in texts_of(model).items()}
        )

    def _marked(self, units: int, positions: Ints) -> Segmentation:
        """Return boundaries with the most frequent types of the coders, and the most frequent mark at the end."""
        if self._types is None:
            return Segmentation.from_valid_entries(units, positions, NO_CODES, UNTYPED)
        inner, end = (sets.most_frequent for sets in self._type_sets)
        if inner is None:
            positions = positions[:0]
        codes = np.tile(inner, len(positions)) if inner is not None else NO_CODES
        positions = repeat(positions, 0 if inner is None else len(inner))
        if end is not None:
            positions, codes = np.append(positions, [units] * len(end)), np.append(codes, end)
        return Segmentation.from_valid_entries(
            units, positions, codes if len(self._types) > 1 else NO_CODES, self._types
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

    def draws(self, rng: np.random.Generator, *, placement: bool) -> Callable[[int], Draws]:
        """Return a function that draws a number of random texts of every item."""
        source = TextSource(self.model, rng, placement=placement)

        def draw(number: int) -> Draws:
            texts = source.draw(number)
            return texts, partial(self.annotations_of, texts)

        return draw

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


class TimedBaselines:
    """Annotations of the participants' items in seconds that ignore the recording."""

    def __init__(self, participants: Participants) -> None:
        self.participants = participants
        self._tiers: list[Tier] = [*_streams(participants.coders, tiers_of)]

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

    def fixed(self) -> dict[str, dict[str, Annotation]]:
        """Return the bounds without randomness."""
        mean = float(self.lengths.mean())

        def frequent(n: int) -> list[str]:
            return [Counter(self.labels).most_common(1)[0][0]] * n

        return {
            "regular": self._annotate(lambda tier: np.arange(tier.begin + mean, tier.end - SAME_PLACE, mean), frequent),
            "none": self._annotate(lambda tier: np.empty(0), frequent),
        }

    def draws(self, rng: np.random.Generator, *, placement: bool) -> Callable[[int], Draws]:
        """Return a function that draws a number of random annotations of every item."""

        def places(tier: Tier) -> Floats:
            if placement:
                return np.sort(rng.uniform(tier.begin, tier.end, rng.poisson(self.rate * (tier.end - tier.begin))))
            return _fill_with_times(self.lengths, tier.begin, tier.end - SAME_PLACE, rng)

        def labels(n: int) -> list[str]:
            return [self.labels[k] for k in rng.integers(0, len(self.labels), n).tolist()]

        def draw(number: int) -> Draws:
            annotations = {str(k): self._annotate(places, labels) for k in range(number)}
            return None, lambda: annotations

        return draw

    def _annotate(self, place: Callable[[Tier], Floats], choose: Callable[[int], list[str]]) -> dict[str, Annotation]:
        def annotate(tier: Tier) -> Tier:
            times = place(tier)
            labels = choose(len(times) + 1) if self.labels else None
            return Tier.from_times(times, labels, begin=tier.begin, end=tier.end)

        return _annotations(
            self.participants, lambda model: {name: annotate(tier) for name, tier in tiers_of(model).items()}
        )


def _streams(annotations: Annotations, streams_of: Callable[[Annotation], Mapping[str, Any]]) -> Iterator[Any]:
    for by_name in annotations.values():
        for annotation in by_name.values():
            yield from streams_of(annotation).values()


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
