"""Random segmentations of many texts as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from caesura.kernels.fill import fill
from caesura.model.batch import Batch, Texts
from caesura.model.columns import EMPTY, PLACES, TYPED, Boundaries, ExtendedTable, Names, Weights, offsets, rows_of
from caesura.model.index import bincount, repeat
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Ints

_MAX_WORDS = 2**22  # random words that are drawn at once: 32 MB


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


@dataclass(frozen=True, eq=False)
class TextModel:
    """What the random texts of a corpus have in common."""

    # Offsets: the first text of each item, followed by the number of all texts. An item that is no dialogue is one text.
    streams: Ints
    lengths: Ints
    masses: Ints  # lengths of segments to draw from, sorted
    rate: float  # probability of a boundary at a position
    types: tuple[str, ...] | None = None  # the boundary types in order; None if there are none
    # The types of inner boundaries, and those at the ends of texts, to draw from; None if there are no types.
    sets: tuple[TypeSets, TypeSets] | None = None


class TextSource:
    def __init__(self, model: TextModel, rng: np.random.Generator, *, placement: bool) -> None:
        self._model = model
        self._rng = rng
        self._rate = model.rate if placement else -1.0
        self._sums = np.concatenate([[0], np.cumsum(model.masses)])
        inner, ends = (None, None) if model.sets is None else model.sets
        self._inner = -1 if inner is None else len(inner.pool)
        self._ends = -1 if ends is None else len(ends.pool)
        self._words = np.empty(0, np.uint64)
        self._half = -1

    def draw(self, count: int) -> DrawnTexts:
        model = self._model
        lengths = np.tile(model.lengths, count)
        off, last = np.zeros(len(lengths) + 1, np.int64), np.zeros(len(lengths), np.int64)
        positions = chosen = EMPTY
        text = more = 0
        while text < len(lengths):
            needed = max(self._words_for(lengths[text : text + 1]), min(_MAX_WORDS, self._words_for(lengths[text:])))
            missing = max(needed - len(self._words), more)
            if missing > 0:
                self._words = np.concatenate([self._words, self._rng.bit_generator.random_raw(missing)])
            space = np.empty(self._boundaries_of(len(self._words)) + more, np.int64)
            positions = np.concatenate([positions[: off[text]], space])
            chosen = np.concatenate([chosen[: off[text]], space]) if self._inner > 0 else EMPTY
            rules = model.masses, self._sums, self._rate, self._inner, self._ends
            out = positions, chosen, last, off
            first = text
            text, used, self._half = fill(self._words, lengths, *rules, *out, text, 0, self._half)
            self._words = self._words[used:]
            more = 0 if text > first else 2 * more + 16  # the estimate was too low
        return DrawnTexts(model, count, Boundaries(positions[: off[-1]], EMPTY, off), chosen[: off[-1]], last)

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
            boundaries = units / float(self._model.masses.mean())
            halves = int(boundaries) + 10 * texts
        return (halves + (0 if self._inner < 0 else int(boundaries) + texts)) // 2 + 16


class DrawnTexts:
    def __init__(self, model: TextModel, draws: int, inner: Boundaries, chosen: Ints, last: Ints) -> None:
        self.model = model
        self.draws = draws
        self.inner = inner
        self._chosen = chosen
        self._last = last

    @property
    def lengths(self) -> Ints:
        return np.tile(self.model.lengths, self.draws)

    @cached_property
    def typed(self) -> Boundaries:
        """All boundaries with their types, those at the ends of texts too."""
        if self.model.sets is None:
            return self.inner
        positions, _, off = self.inner
        inner, ends = self.model.sets
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
        streams = np.tile(np.diff(self.model.streams), self.draws)
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
        new_codes = np.array([types.index(name) for name in self._types], np.int64)
        return Boundaries(place, new_codes[code] if code.size else np.full(len(place), new_codes[0]), off)

    def fits(self, name: str, types: Names) -> bool:
        """Return whether a column of the texts can be compared over a scale of types."""
        if name not in TYPED:
            return True
        has_sets = any((sets.size > 1).any() for sets in self.model.sets or ())
        return set(self._types) <= set(types) and not (has_sets and name == "marked")

    @property
    def _types(self) -> Names:
        return self.model.types or UNTYPED
