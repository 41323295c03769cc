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
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.agreement.chance import BLOCK_SIZE, DEFAULT_DRAWS, AgreementArrays, ChanceModel, Coefficient
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.placement import finish_moments
from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.expected import Moments
from caesura.measures.needs import UNKNOWN_END
from caesura.model.annotation import TICKS
from caesura.model.batch import Batch
from caesura.model.columns import Boundaries, take
from caesura.model.index import repeat, searchsorted
from caesura.model.old_names import tiers_of
from caesura.model.value import Floats, Ints
from caesura.products import product

# Name of the mean over pairs among the coefficients.
MEAN = "mean"
# Arrays of measures whose boundaries can be placed at random.
# Smallest number of draws that a large corpus gets by default.
MIN_DRAWS = 100
_MAX_FLOYD = 64  # boundaries of a text that are drawn for all draws at once
_MAX_CHOICE = 10_000  # positions above which numpy may draw in another way
_MAX_WORK = 20_000_000  # boundaries and documents that are drawn by default


class _Means(AgreementArrays):
    """Observed means, and expected ones if there are; ``best`` is the value of two identical annotations."""

    best: float = 1.0
    corrected: bool = False

    def values(self, coefficient: str) -> Floats:
        if not self.corrected:
            return self.observed
        room = self.best - self.expected
        return (self.observed - self.expected) / np.where(np.abs(room) > 1e-12, room, np.nan)


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

    def _finish(self, parts: Floats) -> Floats:
        measure = self.observed.measure
        return measure.finish(parts, self.observed.scores.types)

    @cached_property
    def _parts(self) -> tuple[Floats, ...]:
        """Counts of each row whose means over pairs are the agreement: the observed ones, and the expected ones if any."""
        return (self.observed.scores.counts,)

    @property
    def replicate_work(self) -> float:
        columns = sum(parts.shape[1] for parts in self._parts)
        return 20.0 * len(self.observed.pairs) * int(columns)

    def _pair_values(self, parts: Floats, weights: Floats) -> Floats:
        """Return the value of each pair over weighted items: rows x pairs, NaN if no item of a pair counts."""
        sums, counts = self.observed.sum_by_pair(weights, parts)
        return np.where(counts, self._finish(sums.reshape(-1, sums.shape[2])).reshape(counts.shape), np.nan)

    def _error(self) -> Floats | None:
        """Return the standard error of the expected mean over all items and pairs; None without expected agreement."""
        return None

    def _arrays(self, observed: Floats, expected: Floats | None = None) -> AgreementArrays:
        missing, error = np.full(len(observed), np.nan), self._error() if len(observed) == 1 else None
        arrays = _Means.of(observed, missing if expected is None else expected, error=error)
        assert isinstance(arrays, _Means)
        arrays.best, arrays.corrected = self.best, self.corrects
        return arrays

    def _blocks(self, rows: int, columns: int) -> Iterator[slice]:
        """Divide rows so that each block has a bounded number of values, with so many columns for each pair."""
        step = max(1, BLOCK_SIZE // max(1, len(self.observed.pairs) * columns))
        return (slice(start, start + step) for start in range(0, rows, step))

    def over_items(self, weights: Floats) -> AgreementArrays:
        return self._arrays(*(self._means_over_items(parts, weights) for parts in self._parts))

    def _means_over_items(self, parts: Floats, weights: Floats) -> Floats:
        pairs = np.ones((1, len(self.observed.pairs)))
        blocks = self._blocks(len(weights), parts.shape[1])
        return np.concatenate([_weighted(self._pair_values(parts, weights[block]), pairs) for block in blocks])

    def over_coders(self, weights: Floats) -> AgreementArrays:
        return self._over_pairs(len(weights), lambda block: self.observed.pair_weights(weights[block]))

    def by_pair(self) -> AgreementArrays:
        return self._arrays(*(values[0] for values in self._all_items))

    def by_coder(self) -> AgreementArrays:
        coders = np.arange(len(self.observed.coders))
        # The order of additions depends on the order in memory: one pair after the other.
        return self._over_pairs(len(coders), lambda block: np.asfortranarray(self.observed.pairs_of(coders[block])))

    @cached_property
    def _all_items(self) -> tuple[Floats, ...]:
        """Values of each pair over all items: one row."""
        return tuple(self._pair_values(parts, np.ones((1, len(self.observed.items)))) for parts in self._parts)

    def _over_pairs(self, rows: int, pairs: Callable[[slice], Floats]) -> AgreementArrays:
        blocks = [[_weighted(values, pairs(block)) for values in self._all_items] for block in self._blocks(rows, 1)]
        return self._arrays(*map(np.concatenate, zip(*blocks, strict=True)))

    def by_item(self) -> AgreementArrays:
        return self._arrays(*map(self._means_of_items, self._parts))

    def _means_of_items(self, parts: Floats) -> Floats:
        observed, values = self.observed, self._finish(parts)
        first_rows = searchsorted(observed.item_index, np.arange(len(observed.items) + 1))  # rows are sorted by item
        pairs = np.ones((1, len(observed.pairs)))
        means = []
        for block in self._blocks(len(observed.items), 1):
            items = np.arange(len(observed.items))[block]
            rows = slice(first_rows[items[0]], first_rows[items[-1] + 1])
            grid = np.full((len(items), len(observed.pairs)), np.nan)
            grid[observed.item_index[rows] - items[0], observed.pair_index[rows]] = values[rows]
            means.append(_weighted(grid, pairs))
        return np.concatenate(means)


def _weighted(values: Floats, weights: Floats) -> Floats:
    """Return the weighted mean of each row; values that are NaN do not count."""
    weights = np.where(np.isnan(values), 0.0, weights)
    total = weights.sum(axis=1)
    return np.asarray((np.nan_to_num(values) * weights).sum(axis=1) / np.where(total > 0, total, np.nan), np.float64)


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
        size = int(batch.work[-1])
        chosen = None if coefficient.chance is None else coefficient.chance.draws
        self.draws = chosen or max(MIN_DRAWS, min(DEFAULT_DRAWS, _MAX_WORK // size))
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
        return np.array(counts), np.array(covariances)

    def _coders(self, row: int) -> tuple[str, str]:
        a, b = self.observed.pairs[self.observed.pair_index[row]]
        return self.observed.coders[a], self.observed.coders[b]

    def _generator(self, *names: str) -> np.random.Generator:
        """Return a random stream that depends only on the seed and the names of item, coders and stream."""
        digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
        return np.random.default_rng([self.coefficient.seed, *np.frombuffer(digest[:16], "<u4").tolist()])

    @cached_property
    def _parts(self) -> tuple[Floats, ...]:
        return self.observed.scores.counts, self._expected

    def _error(self) -> Floats | None:
        # Rows are drawn independently of each other.
        pairs = np.ones((1, len(self.observed.pairs)))
        rows_of_pair = self.observed.rows_of_pairs
        counts = np.stack([self._expected[rows].sum(axis=0) for rows in rows_of_pair])
        covariance = np.stack([self._covariance[rows].sum(axis=0) for rows in rows_of_pair])
        types = self.observed.scores.types
        _, errors = finish_moments(self.observed.measure, types, Moments(counts, covariance), as_similarity=False)
        return np.asarray(np.sqrt(product(pairs**2, errors**2)) / pairs.sum(axis=1), np.float64)


def is_placeable(measure: Measure) -> bool:
    """Return whether boundaries can be placed at random under a measure."""
    return measure.places_boundaries and measure.best is not None


def _estimate(measure: Measure, batch: Batch, row: int, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the mean counts of a pair whose boundaries are placed at random, and the covariance of this mean."""
    table = batch.table
    size = int(table.size[batch.first[row]] + table.size[batch.second[row]])
    step = max(1, _MAX_WORK // 10 // max(1, size))
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
