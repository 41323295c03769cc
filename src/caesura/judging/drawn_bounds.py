"""Score the random bounds of a judgement: many draws, in blocks of bounded size, of which only sums are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from caesura.judging.bounds import Baselines, Draws, TimedBaselines
from caesura.judging.pair_scores import BOUND_PREFIX, PLACEMENT, RANDOM, Pairing, PairScores, reference_kind
from caesura.measures.base import BatchCounts, Measure
from caesura.measures.many import score_packed
from caesura.measures.sums import Partial
from caesura.model.batch import Batch
from caesura.model.columns import Names
from caesura.model.index import flatnonzero, repeat
from caesura.model.result import Excluded, Score
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats

MAX_PLACEMENT_DRAWS = 50  # most draws of the placement bound
BLOCK_SEGMENTS = 2_000_000  # segments of the coders and of the drawn texts that are scored at once


@dataclass(eq=False)
class DrawSums:
    """Scores of the draws of one bound under one measure."""

    measure: Measure
    sums: list[Floats] = field(default_factory=list)  # parts of each draw, summed over items and coders
    macros: list[float] = field(default_factory=list)  # mean over items of each draw
    items: set[int] = field(default_factory=set)  # items that could be scored
    # (item, reference) -> reasons why a draw could not be scored.
    failures: dict[tuple[int, int], dict[str, None]] = field(default_factory=dict)
    total: Partial | None = None
    types: tuple[str, ...] = UNTYPED

    def add(self, scores: PairScores) -> None:
        for rows in scores.rows_of.values():
            items, parts = scores.by_item(rows)
            self.sums.append(parts.sum(axis=0))
            self.macros.append(float(scores.finish(parts).mean()))
            self.items.update(items.tolist())
        for row, error in scores.scores.errors.items():
            key = int(scores.item_of[row]), int(scores.reference_of[row])
            self.failures.setdefault(key, {})[f"{self.measure.label}: {error}"] = None
        scored = scores.scores.scored
        resolved = {name: column[scored] for name, column in scores.scores.resolved.items()}
        counts = BatchCounts(scores.scores.counts[scored], resolved)
        partial = Partial.of(self.measure, counts, scores.scores.types)
        self.types = scores.scores.types
        self.total = partial if self.total is None else self.total.merge(partial, self.measure)

    @property
    def values(self) -> Floats:
        """The micro value of each draw."""
        return self.measure.values(np.array(self.sums), self.types)

    @property
    def score(self) -> Score:
        assert self.total is not None
        return self.total.score(self.measure)

    def excluded(self, items: Sequence[str], bound: str, explained: set[tuple[int, int]]) -> Iterator[Excluded]:
        """Yield the items that could not be scored, unless a system failed against the same reference."""
        for key in sorted(self.failures):
            if key not in explained:
                yield from (Excluded(items[key[0]], f"({bound})", reason) for reason in self.failures[key])


def score_draws(
    pairing: Pairing, baselines: Baselines | TimedBaselines, measures: Iterable[Measure], draws: int, seed: int
) -> dict[tuple[Measure, str], DrawSums]:
    chosen = tuple(dict.fromkeys(measures))
    counts = {RANDOM: draws, PLACEMENT: min(draws, MAX_PLACEMENT_DRAWS)}
    sums = {(measure, bound): DrawSums(measure) for measure in chosen for bound in counts}
    # A drawn text has about as many segments as that of a coder.
    size = max(1, BLOCK_SEGMENTS // len(baselines.lengths))
    for stream, (bound, count) in enumerate(counts.items(), 1):
        draw = baselines.draws(np.random.default_rng([seed, stream]), placement=bound == PLACEMENT)
        for start in range(0, count, size):
            block = _Block(pairing, draw(min(size, count - start)))
            for measure in chosen:
                sums[measure, bound].add(block.score(measure))
    return sums


class _Block:
    """Some draws of a bound, of which objects are made only if a measure needs them."""

    def __init__(self, pairing: Pairing, draws: Draws) -> None:
        self._pairing = pairing
        self._texts, self._annotations = draws
        self._batches: dict[str, Batch | None] = {}

    def score(self, measure: Measure) -> PairScores:
        """Return the scores of all draws against the references of every item, one segmenter per draw."""
        table, kind = self._pairing.table(measure), reference_kind(measure)
        if self._texts is None or table.texts is None or measure.needs_pairs:
            return self._objects.score(measure)
        draws = self._texts.draws
        # A bound with an annotation of every item has every reference once.
        rows = flatnonzero(table.keys[:, 0] == list(self._pairing.segmenters).index(BOUND_PREFIX + "none"))
        draw = repeat(np.arange(draws), len(rows))
        _, item, reference, author = (np.tile(column, draws) for column in table.keys[rows].T)
        if kind not in self._batches:
            second = draw * len(self._pairing.items) + item
            self._batches[kind] = self._texts.pairs_with(table.texts, np.tile(table.first[rows], draws), second)
        types = self._types(measure, table.texts.pairs(table.first[rows], table.second[rows]))
        batch = self._batches[kind]
        if batch is None or types is None:
            return self._objects.score(measure)
        batch = batch.over(types)
        packed = batch.drop(batch.item_errors(measure.check(batch)), np.arange(len(batch)))
        scores = score_packed(measure, packed, len(draw))
        names = tuple(map(str, range(draws)))
        return PairScores(
            measure, names, self._pairing.items, self._pairing.coders, draw, item, reference, author, scores
        )

    def _types(self, measure: Measure, like: Batch | None) -> Names | None:
        """Return the scale of types; None if texts like those of a batch must be converted or cannot be compared."""
        if like is None or self._texts is None:
            return None
        like, errors = measure.convert(like)
        types, misfits = measure.scale(like)
        problems = errors or misfits or measure.needs.problems(like, measure.name, measure.sides)
        return None if problems or not self._texts.fits("inner" if measure.typed else measure.column, types) else types

    @cached_property
    def _objects(self) -> Pairing:
        return Pairing(self._pairing.participants, self._annotations())
