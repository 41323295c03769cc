"""The mean of a measure over pairs of coders, without chance or beyond random placement on the axis.

A measure without a published chance model, and every measure of annotations in seconds, has no coefficient: published ones
count positions. The mean over pairs of coders is still informative, and ``chance="placement"`` says how much of it is chance:
every coder places as many boundaries per item at random, anywhere in time or at any inner position, and keeps the order of
the labels. The expected *parts* of each item and pair are summed over items and finished once per pair, as the observed ones
are, and::

    value = (observed - expected) / (best - expected)

with ``best`` the value of two identical annotations: 1, or 0 for error rates and distances.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.agreement.chance import DEFAULT_DRAWS, ChanceModel, Coefficient
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import PairSums, Parts, Rows, Sums, sum_rows
from caesura.agreement.placement import finish_moments
from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.expected import Moments
from caesura.measures.needs import UNKNOWN_END
from caesura.model.annotation import TICKS, tiers_of
from caesura.model.batch import Batch
from caesura.model.columns import Boundaries, take
from caesura.model.index import repeat
from caesura.model.value import Floats, Ints
from caesura.progress import report_progress

# Name of the mean over pairs among the coefficients.
MEAN = "mean"
_MAX_FLOYD = 64  # boundaries of a text that are drawn for all draws at once
_MAX_CHOICE = 10_000  # positions above which numpy may draw in another way
_BLOCK = 2_000_000  # boundaries that are drawn at once


class MeanOverPairs(ChanceModel):
    """The mean over pairs of coders: each pair from parts summed over items, all pairs with the same weight."""

    family = "none"
    coefficients = (MEAN,)
    corrects = False
    scores_both_directions = True
    nothing = "no pair of coders can be compared"
    method = "not corrected for chance"

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        self.best = float(observed.measure.best or 0.0)

    @property
    def higher_is_better(self) -> bool:
        return self.corrects or self.observed.measure.higher_is_better

    @cached_property
    def parts(self) -> Parts:
        return self.observed.table(self.finish, pairwise=True)

    def finish(self, sums: Sums) -> Rows:
        observed = self._mean(sums.pairs, sums.pairs.parts)
        return Rows.of(observed, np.full(len(observed), np.nan), values=observed)

    def _mean(self, pairs: PairSums, parts: Floats) -> Floats:
        measure, types = self.observed.measure, self.observed.scores.types
        return pairs.mean(measure.finish(parts.reshape(-1, parts.shape[2]), types).reshape(parts.shape[:2]))


class AxisPlacement(MeanOverPairs):
    """The mean over pairs of coders, beyond that of coders who place as many boundaries at random on the axis."""

    family = "placement"
    corrects = True
    accepts_chance = True
    method = "placement, simulated"

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        batch = observed.scores.batch
        if not is_placeable(observed.measure):
            raise OptionError(
                f"chance='placement' places boundaries on an axis, and {observed.measure.name} compares no boundaries; "
                "leave chance out for the mean over pairs"
            )
        if any(tier.open_end for entry in observed.annotations.values() for tier in tiers_of(entry).values()):
            raise OptionError(f"chance='placement' places boundaries anywhere in a recording: {UNKNOWN_END}")
        chosen = None if coefficient.chance is None else coefficient.chance.draws
        self.draws = chosen or DEFAULT_DRAWS
        self._expected, self._covariance = self._simulate(batch)

    @property
    def signature_facts(self) -> dict[str, Any]:
        return super().signature_facts | {"draws": self.draws, "seed": self.coefficient.seed}

    def _simulate(self, batch: Batch) -> tuple[Floats, Floats]:
        """Return the expected counts of each row, and the covariance of these estimates."""
        offsets = range(len(batch) + 1) if batch.streams is None else batch.streams.tolist()
        observed, measure = self.observed, self.observed.measure
        counts, covariances = [], []
        for row, (start, stop) in enumerate(pairwise(offsets)):
            names = observed.items[observed.item_index[row]], *self._coders(row)
            estimates = [
                _estimate(measure, batch, d, self.draws, self._generator(*names, str(d - start)))
                for d in range(start, stop)
            ]
            counts.append(sum(mean for mean, _ in estimates))
            covariances.append(sum(covariance for _, covariance in estimates))
            report_progress(row + 1, len(offsets) - 1)
        return np.array(counts), np.array(covariances)

    def _coders(self, row: int) -> tuple[str, str]:
        a, b = self.observed.pairs[self.observed.pair_index[row]]
        return self.observed.coders[a], self.observed.coders[b]

    def _generator(self, *names: str) -> np.random.Generator:
        """Return a random stream that depends only on the seed and the names of item, coders and stream."""
        digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
        return np.random.default_rng([self.coefficient.seed, *np.frombuffer(digest[:16], "<u4").tolist()])

    @cached_property
    def parts(self) -> Parts:
        counts = np.column_stack([self.observed.scores.counts, self._expected])
        return self.observed.table(self.finish, values=counts, pairwise=True)

    def finish(self, sums: Sums) -> Rows:
        number = self._expected.shape[1]
        observed, expected = (
            self._mean(sums.pairs, np.ascontiguousarray(part))
            for part in (sums.pairs.parts[:, :, :-number], sums.pairs.parts[:, :, -number:])
        )
        room = self.best - expected
        values = (observed - expected) / np.where(np.abs(room) > 1e-12, room, np.nan)
        error = self._error if len(observed) == 1 else np.zeros(len(observed))
        return Rows.of(observed, expected, values=values, error=error)

    @cached_property
    def _error(self) -> Floats:
        """The standard error of the expected mean over all items and pairs; rows are drawn independently of each other."""
        observed = self.observed
        number, parts = len(observed.first), self._expected.shape[1]
        counts = sum_rows(self._expected, observed.pair_index, number)
        covariance = sum_rows(self._covariance.reshape(-1, parts**2), observed.pair_index, number)
        moments = Moments(counts, covariance.reshape(-1, parts, parts))
        _, errors = finish_moments(observed.measure, observed.scores.types, moments, as_similarity=False)
        return np.asarray(np.sqrt((errors**2).sum(keepdims=True)) / number)


def is_placeable(measure: Measure) -> bool:
    """Return whether boundaries can be placed at random under a measure."""
    return measure.places_boundaries and measure.best is not None


def _estimate(measure: Measure, batch: Batch, row: int, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the mean counts of a pair whose boundaries are placed at random, and the covariance of this mean."""
    table = batch.table
    size = int(table.size[batch.first[row]] + table.size[batch.second[row]])
    step = max(1, _BLOCK // max(1, size))
    blocks = []
    for start in range(0, draws, step):
        copies = random_copies(batch, "inner" if measure.typed else measure.column, row, min(step, draws - start), rng)
        copies, _, _ = copies.drop(measure.check(copies), np.arange(len(copies)))
        blocks.append(measure.count(copies).counts)
    counts = np.concatenate(blocks)
    if len(counts) < 2:  # the measure is undefined for almost all draws
        counts = np.concatenate([counts, np.zeros((2 - len(counts), counts.shape[1]))])
    return counts.mean(axis=0), np.atleast_2d(np.cov(counts, rowvar=False)) / len(counts)


def random_copies(batch: Batch, column: str, row: int, draws: int, rng: np.random.Generator) -> Batch:
    """Return copies of a pair in which both sides have as many boundaries as before, at random places."""
    first, second = batch.first[[row]], batch.second[[row]]
    copies = Batch(batch.table, repeat(first, draws), repeat(second, draws), batch.types)
    columns = batch.table.column(column, batch.types)
    begin, end = (int(extent[first[0]]) for extent in (batch.table.begin, batch.table.end))
    sides = []
    for place, code, _ in (take(columns, first), take(columns, second)):
        places = _placed(place, begin, end, batch.seconds, draws, rng).reshape(-1)
        sides.append(Boundaries(places, np.tile(code, draws), np.arange(draws + 1) * len(place)))
    copies.set_sides(*sides)
    return copies


def _placed(places: Ints, begin: int, end: int, seconds: bool, draws: int, rng: np.random.Generator) -> Ints:
    """Return random places in ascending order, one row per draw; boundaries at one place stay together."""
    distinct_places, which = np.unique(places, return_inverse=True)
    n = len(distinct_places)
    if seconds:
        chosen = np.rint(np.sort(rng.uniform(begin / TICKS, end / TICKS, (draws, n)), axis=1) * TICKS).astype(np.int64)
    else:
        chosen = np.sort(random_subsets(rng, end - 1, n, draws) + 1, axis=1)
    return chosen[:, which]


def random_subsets(rng: np.random.Generator, size: int, n: int, draws: int) -> Ints:
    if not 0 < n <= _MAX_FLOYD or size > _MAX_CHOICE:
        rows = [rng.choice(size, n, replace=False, shuffle=False) for _ in range(draws)]
        return np.array(rows, np.int64).reshape(draws, n)
    # Floyd's algorithm, as in numpy, for all draws at once: an element that was drawn before is replaced by the last one.
    last = np.arange(size - n, size)
    subsets = rng.integers(0, np.broadcast_to(last, (draws, n)), endpoint=True)
    for k in range(1, n):
        drawn = (subsets[:, :k] == subsets[:, k, None]).any(axis=1)
        subsets[drawn, k] = last[k]
    return subsets
