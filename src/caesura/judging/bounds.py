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

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from caesura.judging.participants import Annotations, Participants
from caesura.kernels.fill import fill
from caesura.model.annotation import SAME_PLACE, tiers_of
from caesura.model.batch import Batch, Texts
from caesura.model.checks import NO_CODES
from caesura.model.columns import (
    EMPTY,
    PLACES,
    TYPED,
    Boundaries,
    ExtendedTable,
    Names,
    Table,
    Weights,
    offsets,
    rows_of,
)
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.index import bincount, repeat, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.simulation.segmentations import regular_positions

MAX_WORDS = 2**22  # random words that are drawn at once: 32 MB

# Some draws: the texts as arrays, if there are any, and draw -> item -> annotation.
Draws = tuple["DrawnTexts | None", Callable[[], Annotations]]


class TypeSets:
    """Distinct sets of types at boundaries, and a pool that contains each set as often as it occurred."""

    def __init__(self, observed: Iterable[tuple[int, ...]]) -> None:
        number: dict[tuple[int, ...], int] = {}
        self.pool = np.array([number.setdefault(codes, len(number)) for codes in sorted(observed)], np.int64)
        self.codes = [np.array(codes, np.int64) for codes in number]
        self.size = np.array([len(codes) for codes in number], np.int64)

    @property
    def most_frequent(self) -> Ints | None:
        """The most frequent set, the first if several are equally frequent; None if there is none."""
        return self.codes[int(bincount(self.pool).argmax())] if len(self.pool) else None


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
    def types(self) -> tuple[str, ...] | None:
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
    def sets(self) -> tuple[TypeSets, TypeSets] | None:
        """The types of all inner boundaries of the coders, and the types (possibly none) at the ends of their texts."""
        if self.types is None:
            return None
        code = {name: i for i, name in enumerate(self.types)}
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
                    units, np.empty(0, np.int64), NO_CODES, self.types or UNTYPED
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
        if self.types is None or self.sets is None:
            return Segmentation.from_valid_entries(units, positions, NO_CODES, UNTYPED)
        inner, end = (sets.most_frequent for sets in self.sets)
        if inner is None:
            positions = positions[:0]
        codes = np.tile(inner, len(positions)) if inner is not None else NO_CODES
        positions = repeat(positions, 0 if inner is None else len(inner))
        if end is not None:
            positions, codes = np.append(positions, [units] * len(end)), np.append(codes, end)
        return Segmentation.from_valid_entries(units, positions, codes if len(self.types) > 1 else NO_CODES, self.types)

    @cached_property
    def _texts_of_items(self) -> list[list[Segmentation]]:
        """The texts of a coder of each item; items are in alphabetical order."""
        coders = self.participants.coders
        return [[*texts_of(next(iter(coders[item].values()))).values()] for item in sorted(coders)]

    @cached_property
    def text_lengths(self) -> Ints:
        return np.array([text.length for texts in self._texts_of_items for text in texts], np.int64)

    @cached_property
    def stream_counts(self) -> Ints:
        """Number of texts of each item: of its streams, or 1 if it is no dialogue."""
        return np.array([*map(len, self._texts_of_items)], np.int64)

    def draws(self, rng: np.random.Generator, *, placement: bool) -> Callable[[int], Draws]:
        """Return a function that draws a number of random texts of every item."""
        source = TextSource(self, rng, placement=placement)

        def draw(number: int) -> Draws:
            texts = source.draw(number)
            return texts, partial(self.annotations_of, texts)

        return draw

    def annotations_of(self, texts: DrawnTexts) -> dict[str, dict[str, Annotation]]:
        positions, codes, off = texts.typed
        lengths, ends, types = texts.lengths.tolist(), off.tolist(), self.types or UNTYPED
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


class TextSource:
    """Random texts of all items, in alphabetical order."""

    def __init__(self, baselines: Baselines, rng: np.random.Generator, *, placement: bool) -> None:
        self._baselines = baselines
        self._rng = rng
        self._rate = baselines.rate if placement else -1.0
        self._sums = np.concatenate([[0], np.cumsum(baselines.lengths)])
        inner, ends = baselines.sets or (None, None)
        self._inner = -1 if inner is None else len(inner.pool)
        self._ends = -1 if ends is None else len(ends.pool)
        self._words = np.empty(0, np.uint64)
        self._half = -1

    def draw(self, count: int) -> DrawnTexts:
        lengths = np.tile(self._baselines.text_lengths, count)
        off, last = np.zeros(len(lengths) + 1, np.int64), np.zeros(len(lengths), np.int64)
        positions = chosen = EMPTY
        text = more = 0
        while text < len(lengths):
            needed = max(self._words_for(lengths[text : text + 1]), min(MAX_WORDS, self._words_for(lengths[text:])))
            missing = max(needed - len(self._words), more)
            if missing > 0:
                self._words = np.concatenate([self._words, self._rng.bit_generator.random_raw(missing)])
            space = np.empty(self._boundaries_of(len(self._words)) + more, np.int64)
            positions = np.concatenate([positions[: off[text]], space])
            chosen = np.concatenate([chosen[: off[text]], space]) if self._inner > 0 else EMPTY
            rules = self._baselines.lengths, self._sums, self._rate, self._inner, self._ends
            out = positions, chosen, last, off
            first = text
            text, used, self._half = fill(self._words, lengths, *rules, *out, text, 0, self._half)
            self._words = self._words[used:]
            more = 0 if text > first else 2 * more + 16  # the estimate was too low
        return DrawnTexts(self._baselines, count, Boundaries(positions[: off[-1]], EMPTY, off), chosen[: off[-1]], last)

    def _boundaries_of(self, words: int) -> int:
        """Estimate how many boundaries a number of random words suffice for."""
        if self._rate < 0:
            return 2 * words  # a place in a list takes half a word
        return int(words * self._rate + 6 * math.sqrt(words)) + 64

    def _words_for(self, lengths: Ints) -> int:
        units, texts = int(lengths.sum()), len(lengths)
        if self._rate >= 0:
            halves, boundaries = 2 * units, units * self._rate
        else:
            boundaries = units / float(self._baselines.lengths.mean())
            halves = int(boundaries) + 10 * texts
        return (halves + (0 if self._inner < 0 else int(boundaries) + texts)) // 2 + 16


class DrawnTexts:
    """Random texts of several draws, as arrays."""

    def __init__(self, baselines: Baselines, draws: int, inner: Boundaries, chosen: Ints, last: Ints) -> None:
        self._baselines = baselines
        self.draws = draws
        self.inner = inner
        self._chosen = chosen
        self._last = last

    @property
    def lengths(self) -> Ints:
        return np.tile(self._baselines.text_lengths, self.draws)

    @cached_property
    def typed(self) -> Boundaries:
        """All boundaries with their types, those at the ends of texts too."""
        sets_of_texts = self._baselines.sets
        if sets_of_texts is None:
            return self.inner
        positions, _, off = self.inner
        inner, ends = sets_of_texts
        sets = np.insert(inner.pool[self._chosen], off[1:], len(inner.codes) + ends.pool[self._last])
        sizes = np.concatenate([inner.size, ends.size])
        set_off = np.concatenate([[0], np.cumsum(sizes)])
        codes = np.array([*chain.from_iterable((*inner.codes, *ends.codes))], np.int64)
        rows, entries = rows_of(set_off, sets)
        places = repeat(np.insert(positions, off[1:], self.lengths), sizes[sets])
        return Boundaries(places, codes[rows], entries[off + np.arange(len(off))])

    @cached_property
    def typed_inner(self) -> Boundaries:
        """The boundaries that are not at the end of a text, with their types."""
        positions, codes, off = self.typed
        is_inner = positions < repeat(self.lengths, np.diff(off))
        before = np.concatenate([[0], np.cumsum(is_inner)])
        return Boundaries(positions[is_inner], codes[is_inner], before[off])

    def pairs_with(self, texts: Texts, first: Ints, second: Ints) -> Batch | None:
        """Return pairs of an annotation of a corpus and a drawn text, one per draw and item; None if their units differ."""
        table = ExtendedTable(texts.table, self.lengths, self.inner.count, self.column)
        number = len(texts.table)
        streams = np.tile(self._baselines.stream_counts, self.draws)
        rows, off = rows_of(offsets(streams), second)
        rows = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        own = texts.pairs(first, first)
        if own is None or own.pairs != len(rows) or (table.end[own.first] != table.end[number + rows]).any():
            return None
        if own.streams is None:
            return Batch(table, own.first, number + rows) if (streams == 1).all() else None
        return replace(own, table=table, second=number + rows, cache={}) if (own.streams == off).all() else None

    def column(self, name: str, types: Names) -> Any:
        """Return a column of the texts, for their table."""
        if name == "weighted":
            return Weights(self.inner.place, np.ones(len(self.inner.place)), self.inner.off)
        if name in PLACES or (name == "inner" and len(types) == 1):
            return self.inner
        place, code, off = self.typed_inner if name == "inner" else self.typed
        new_codes = np.array([types.index(name) for name in (self._baselines.types or UNTYPED)], np.int64)
        return Boundaries(place, new_codes[code] if code.size else np.full(len(place), new_codes[0]), off)

    def fits(self, name: str, types: Names) -> bool:
        """Return whether a column of the texts can be compared over a scale of types."""
        if name not in TYPED:
            return True
        has_sets = any((sets.size > 1).any() for sets in self._baselines.sets or ())
        return set(self._baselines.types or UNTYPED) <= set(types) and not (has_sets and name == "marked")


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


def _streams(annotations: Annotations, find: Callable[[Annotation], Mapping[str, Any]]) -> Iterator[Any]:
    for by_name in annotations.values():
        for annotation in by_name.values():
            yield from find(annotation).values()


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
