"""Score the random bounds of a judgement: many draws, in blocks of bounded size, of which only sums are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from caesura.judging.bounds import Baselines, TimedBaselines
from caesura.judging.drawn_texts import DrawnTexts, TextSource
from caesura.judging.pair_scores import BOUND_PREFIX, PLACEMENT, RANDOM, Pairing, PairScores, reference_kind
from caesura.measures.base import BatchCounts, Measure
from caesura.measures.many import score_packed
from caesura.measures.sums import Partial
from caesura.model.batch import Batch
from caesura.model.index import flatnonzero, repeat
from caesura.model.result import Excluded, Score
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints

MAX_PLACEMENT_DRAWS = 50  # most draws of the placement bound
BLOCK_SEGMENTS = 2_000_000  # segments of the coders and of the drawn texts that are scored at once
_EVERY_ITEM = BOUND_PREFIX + "none"  # a bound with an annotation of every item


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
    rows = {measure: _reference_rows(pairing, measure) for measure in chosen}
    for stream, (bound, count) in enumerate(counts.items(), 1):
        rng = np.random.default_rng([seed, stream])
        for block in _blocks(baselines, bound, rng, count, size):
            for measure in chosen:
                if isinstance(block, Pairing):
                    sums[measure, bound].add(block.score(measure))
                else:
                    sums[measure, bound].add(block.score(pairing, measure, rows[measure]))
    return sums


def _reference_rows(pairing: Pairing, measure: Measure) -> Ints:
    """Return the rows of the pairing that contain every reference of every item once."""
    table = pairing.table(measure)
    return flatnonzero(table.keys[:, 0] == list(pairing.segmenters).index(_EVERY_ITEM))


def _blocks(
    baselines: Baselines | TimedBaselines, bound: str, rng: np.random.Generator, count: int, size: int
) -> Iterator[Pairing | _ArrayBlock]:
    sizes = [min(size, count - start) for start in range(0, count, size)]
    if isinstance(baselines, Baselines):
        source = TextSource(baselines.model, rng, placement=bound == PLACEMENT)
        for number in sizes:
            yield _ArrayBlock(baselines, source.draw(number))
        return
    draw = baselines.random if bound == RANDOM else baselines.placement
    for number in sizes:
        yield Pairing(baselines.participants, {str(k): draw(rng) for k in range(number)})


class _ArrayBlock:
    """Some draws of a bound as arrays, from which objects are made when a measure needs them."""

    def __init__(self, baselines: Baselines, texts: DrawnTexts) -> None:
        self._baselines = baselines
        self._texts = texts
        self._batches: dict[str, Batch | None] = {}

    def score(self, pairing: Pairing, measure: Measure, rows_with_reference: Ints) -> PairScores:
        """Return the scores of all draws against the references of some rows of the pairing, one segmenter per draw."""
        table, kind = pairing.table(measure), reference_kind(measure)
        draws, rows = self._texts.draws, rows_with_reference
        _, item, reference, author = (np.tile(column, draws) for column in table.keys[rows].T)
        draw = repeat(np.arange(draws), len(rows))
        texts = pairing.texts(measure)
        if texts is not None and kind not in self._batches:
            second = draw * len(pairing.items) + item
            self._batches[kind] = self._texts.pairs_with(texts, np.tile(table.first[rows], draws), second)
        batch = None if texts is None else self._batches[kind]
        batch = None if batch is None or measure.pack_batch is None else self._typed(batch, measure)
        if batch is None:
            return self._objects.score(measure)
        packed = batch.drop(batch.item_errors(measure.check(batch)), np.arange(len(batch)))
        scores = score_packed(measure, packed, len(draw))
        names = tuple(map(str, range(draws)))
        return PairScores(measure, names, pairing.items, pairing.coders, draw, item, reference, author, scores)

    def _typed(self, batch: Batch, measure: Measure) -> Batch | None:
        """Return the batch over the types of the annotations; None if the drawn texts have other types."""
        own = replace(batch, second=batch.first, cache={})
        own, errors = measure.convert(own)
        types, misfits = measure.scale(own)
        if (
            errors
            or misfits
            or measure.needs.problems(own, measure.name, measure.sides)
            or not self._texts.fits("inner" if measure.typed else measure.column, types)
        ):
            return None
        return batch.over(types)

    @cached_property
    def _objects(self) -> Pairing:
        return Pairing(self._baselines.participants, self._baselines.annotations_of(self._texts))
