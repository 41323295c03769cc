"""Expected additive counts of two random texts, from which agreement by chance is computed.

Two coders place boundaries at random: at every inner position, each side has one of several sets of types, or none, with
fixed probabilities and independently of everything else. If a measure has a formula for its expected counts, it returns it
from :meth:`~caesura.measures.base.Measure.expected_counts`. Otherwise :class:`SimulatedCounts` draws texts and scores them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from caesura.kernels import placement as kernel
from caesura.measures.edit_chain import EditChain
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries
from caesura.model.index import flatnonzero, repeat, searchsorted
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product

if TYPE_CHECKING:
    from caesura.measures.base import Measure

# Number of positions that are drawn at once; it only affects memory.
MAX_POSITIONS = 2_000_000
# Number of drawn positions after which further rates get fewer draws, down to ``MIN_DRAWS``.
MAX_WORK = 10_000_000
_MAX_STEPS = 2_000_000  # transitions of an automaton per position, for all distributions together
_FORGOTTEN = 1e-15  # probabilities of states change by at most this much when an automaton has forgotten its start
# Smallest number of draws, because fewer have no useful standard error.
MIN_DRAWS = 20


@dataclass(frozen=True, eq=False)
class RandomStreams:
    """How often streams of each length occur, in several groups."""

    positions: Ints  # different numbers of inner positions, in increasing order
    weights: Floats  # number of streams with so many positions

    @cached_property
    def after(self) -> Floats:
        """Number of streams that are at least as long as each entry of ``positions``."""
        return np.ascontiguousarray(np.cumsum(self.weights[:, ::-1], axis=1)[:, ::-1])

    @cached_property
    def after_positions(self) -> Floats:
        """Number of positions of these streams."""
        return np.ascontiguousarray(np.cumsum((self.weights * self.positions)[:, ::-1], axis=1)[:, ::-1])

    @cached_property
    def total(self) -> Floats:
        total: Floats = product(self.weights, self.positions)
        return total


@dataclass(frozen=True, eq=False)
class Moments:
    """Expected counts and their uncertainty."""

    counts: Floats
    covariance: Floats | None = None  # covariance of the estimate; None if the counts are exact

    def summed(self, weights: Floats) -> Moments:
        """Return weighted sums of consecutive rows, which are estimated independently of each other."""
        groups, members = weights.shape
        parts = self.counts.shape[1]
        rows = self.counts.reshape(-1, members, parts)
        counts = np.einsum("gm,gmp->gp", weights, np.broadcast_to(rows, (groups, members, parts)))
        if self.covariance is None:
            return Moments(counts)
        squares = self.covariance.reshape(-1, members, parts, parts)
        squares = np.broadcast_to(squares, (groups, members, parts, parts))
        return Moments(counts, np.einsum("gm,gmpq->gpq", weights**2, squares))


class ExpectedCounts(ABC):
    method: str  # description of the computation
    draws: int = 0  # number of pairs of texts that were drawn, at most, for one pair of distributions; 0 for a formula
    max_rates: int  # number of different distributions for which the computation is fast enough
    # Number of positions from which on each further position adds the same to every count, to the last bit; None if this
    # depends on the distributions.
    linear_after: int | None = None

    @abstractmethod
    def moments(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> Moments:
        """Return the expected counts of each row."""


class SimulatedCounts(ExpectedCounts):
    """Expected counts from random texts that the measure scores."""

    # Every distribution and length has a random stream of its own, which depends on nothing else.

    max_rates = 400

    def __init__(
        self, measure: Measure, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...], *, draws: int, seed: int
    ) -> None:
        self.measure, self.types, self.sets = measure, types, sets
        self.max_draws, self.seed = draws, seed
        self.method = "placement, simulated"
        self._known: dict[tuple[bytes, int], tuple[Floats, Floats]] = {}

    def moments(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> Moments:
        rates, row_rates = np.unique(np.concatenate([p_a, p_b], axis=1), axis=0, return_inverse=True)
        row_rates = row_rates.reshape(-1)
        parts = len(self.measure.part_names(self.types))
        counts, covariance = np.zeros((len(p_a), parts)), np.zeros((len(p_a), parts, parts))
        draws = self._draws_of(streams, len(rates))
        for k, rate in enumerate(rates):
            rows = flatnonzero(row_rates == k)
            weights = streams.weights[group[rows]]
            for j in flatnonzero(weights.any(axis=0) & (streams.positions > 0)).tolist():
                mean, square = self._estimate(rate, int(streams.positions[j]), int(draws[j]))
                counts[rows] += weights[:, j, None] * mean
                covariance[rows] += weights[:, j, None, None] ** 2 * square
        self.draws = max(self.draws, int(draws.sum()))
        return Moments(counts, covariance)

    def _draws_of(self, streams: RandomStreams, rates: int) -> Ints:
        """Return the number of draws of each length: more for lengths with more positions, fewer if there are many rates."""
        share = streams.weights.sum(axis=0) * streams.positions
        number = self.max_draws * share / max(float(share.sum()), 1e-300)
        work = rates * product(number, streams.positions)
        draws: Ints = np.maximum(MIN_DRAWS, np.rint(number * min(1.0, MAX_WORK / max(work, 1.0)))).astype(np.int64)
        return draws

    def _estimate(self, rate: Floats, positions: int, draws: int) -> tuple[Floats, Floats]:
        """Return the mean counts of a stream, and the covariance of this mean; each is estimated once."""
        key = rate.tobytes(), positions
        if key not in self._known:
            words = np.frombuffer(rate.tobytes(), np.uint32).tolist()
            rng = np.random.default_rng([self.seed, positions, *words])
            step = max(1, MAX_POSITIONS // positions)
            blocks = [self._draw(rng, rate, positions, min(step, draws - i)) for i in range(0, draws, step)]
            counts = np.concatenate(blocks)
            if len(counts) < 2:  # the measure is undefined for almost all texts
                parts = counts.shape[1]
                counts = np.concatenate([counts, np.zeros((2 - len(counts), parts))])
            self._known[key] = counts.mean(axis=0), np.atleast_2d(np.cov(counts, rowvar=False)) / len(counts)
        return self._known[key]

    def _draw(self, rng: np.random.Generator, rate: Floats, positions: int, draws: int) -> Floats:
        """Return the counts of random texts; texts for which the measure is undefined are left out."""
        a, b = (Boundaries(*self._side(rng, p, positions, draws)) for p in np.split(rate, 2))
        if self.measure.needs_pairs:  # it compares the annotations themselves
            batch, _, _ = self.measure.pack(list(zip(*(self._texts(side, positions) for side in (a, b)), strict=True)))
        else:
            batch = Batch.of_sides(np.full(draws, positions + 1, np.int64), a, b, self.types)
            batch, _, _ = batch.drop(batch.item_errors(self.measure.check(batch)), np.arange(draws))
        return self.measure.documents(batch).counts

    def _texts(self, side: Boundaries, positions: int) -> list[Segmentation]:
        ends = pairwise(side.off.tolist())
        codes = side.code if side.code.size else np.zeros_like(side.place)
        return [
            Segmentation.from_valid_entries(positions + 1, side.place[i:j], codes[i:j], self.types) for i, j in ends
        ]

    def _side(self, rng: np.random.Generator, p: Floats, positions: int, draws: int) -> tuple[Ints, Ints, Ints]:
        text, place = np.divmod(_occupied(rng, float(p.sum()), draws * positions), positions)
        if len(self.types) == 1:
            return place + 1, EMPTY, searchsorted(text, np.arange(draws + 1))
        shares = np.cumsum(p) / max(p.sum(), 1e-300)
        chosen = np.minimum(searchsorted(shares, rng.random(len(place)), side="right"), len(self.sets) - 1)
        sizes = np.array([len(types) for types in self.sets], np.int64)
        repeats = sizes[chosen]
        # The types of all sets one after the other; those of a chosen set are as many as its size, from its first one.
        members = np.array([code for types in self.sets for code in types], np.int64)
        first = (np.cumsum(sizes) - sizes)[chosen]
        codes = members[np.arange(int(repeats.sum())) + repeat(first - (np.cumsum(repeats) - repeats), repeats)]
        text = repeat(text, repeats)
        return repeat(place + 1, repeats), codes, searchsorted(text, np.arange(draws + 1))


def _occupied(rng: np.random.Generator, p: float, length: int) -> Ints:
    """Return the places of a sequence that are occupied, each independently with probability p, from 0 to length - 1."""
    if p >= 1:
        return np.arange(length)
    places: list[Ints] = []
    last = -1
    while p > 0 and last < length:
        number = int((length - last) * p + 4 * (length * p) ** 0.5) + 10
        places.append(last + np.cumsum(rng.geometric(p, number)))
        last = int(places[-1][-1])
    joined = np.concatenate([EMPTY, *places])
    return joined[joined < length]


class MatchingPositions(ExpectedCounts):
    """Expected counts of a measure that only counts equal positions, of one type."""

    # The parts are the positions that both sides mark, the boundaries of a and the boundaries of b.

    method = "placement, exact"
    max_rates = 10**9
    linear_after = 0

    def moments(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> Moments:
        a, b = p_a[:, 0], p_b[:, 0]
        return Moments(streams.total[group, None] * np.column_stack([a * b, a, b]))


class ExpectedEdits(ExpectedCounts):
    """Base class of formulas for the minimum boundary edits."""

    method = "placement, exact"

    def __init__(self, sets: tuple[tuple[int, ...], ...], parts_of: Callable[[Floats], Floats]) -> None:
        self.sets, self.parts_of = sets, parts_of
        self.members = np.zeros((len(sets), 1 + max((max(types) for types in sets), default=0)))
        for k, types in enumerate(sets):
            self.members[k, list(types)] = 1

    def moments(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> Moments:
        gain, pairs = self.pairs(p_a, p_b, streams, group)
        positions = streams.total[group]
        a, b = (positions[:, None] * product(p[:, : len(self.sets)], self.members) for p in (p_a, p_b))
        rates = b / np.where(positions > 0, positions, 1)[:, None]
        columns = [gain, pairs, (a * rates).sum(axis=1), positions, a.sum(axis=1), b.sum(axis=1)]
        return Moments(self.parts_of(np.column_stack(columns)))

    @abstractmethod
    def pairs(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> tuple[Floats, Floats]:
        """Return the expected gain and the expected number of transpositions and substitutions of each row."""


class NeighbourEdits(ExpectedEdits):
    """Expected edits of boundaries of one type, if a transposition spans one position (n_t = 2)."""

    max_rates = 10**9
    linear_after = 32  # the number of steps in the kernel

    def __init__(self, gain: int, parts_of: Callable[[Floats], Floats]) -> None:
        super().__init__(((0,),), parts_of)
        self.gain = gain

    def pairs(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> tuple[Floats, Floats]:
        near = np.zeros(len(p_a))
        a, b = (np.ascontiguousarray(p[:, 0]) for p in (p_a, p_b))
        if self.gain >= 0:
            kernel.transpositions(
                a, b, streams.positions, streams.weights, streams.after, streams.after_positions, group, near
            )
        return self.gain * near, near


class ChainEdits(ExpectedEdits):
    """Expected edits from an automaton that reads two texts position by position."""

    def __init__(
        self, chain: EditChain, sets: tuple[tuple[int, ...], ...], parts_of: Callable[[Floats], Floats]
    ) -> None:
        super().__init__(sets, parts_of)
        self.chain = chain
        self.method = f"placement, exact ({len(chain.successor)} states)"
        self.max_rates = max(1, _MAX_STEPS // chain.successor.size)

    def pairs(self, p_a: Floats, p_b: Floats, streams: RandomStreams, group: Ints) -> tuple[Floats, Floats]:
        rates, row_rates = np.unique(np.concatenate([p_a, p_b], axis=1), axis=0, return_inverse=True)
        a, b = (np.column_stack([p, np.maximum(1 - p.sum(axis=1), 0)]) for p in np.split(rates, 2, axis=1))
        probability = np.einsum("ra,rb->rab", a, b).reshape(len(a), -1)
        sums = np.empty((len(a), len(streams.positions), 2))
        kernel.rewards(
            self.chain.successor,
            self.chain.reward,
            np.ascontiguousarray(probability),
            streams.positions,
            _FORGOTTEN,
            sums,
        )
        gain, pairs = np.einsum("rlk,rl->kr", sums[row_rates.reshape(-1)], streams.weights[group])
        return gain, pairs
