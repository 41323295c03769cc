"""Expected additive counts of two random texts, from which agreement by chance is computed.

Two coders place boundaries at random: at every inner position, each side has one of several sets of types, or none, with
fixed probabilities and independently of everything else. If a measure has a formula for its expected counts, it returns it
from :meth:`~caesura.measures.base.Measure.expected_counts`. Otherwise :class:`SimulatedCounts` draws texts and scores them.

The minimum of boundary edits is computed by a finite automaton that reads two texts position by position. Boundaries of equal
type at equal positions match and need no edit. Every other boundary is *pending* while a later boundary may still be transposed
with it, which is for n_t - 1 positions. The past matters to the future only through the best value of the pairs so far, for
every set of pending boundaries that must remain unpaired. A state is the list of pending boundaries with these values, relative
to the best of all. Values are compared by gain (saved cost), then by the number of pairs, as in ``kernels/boundary.pyx``; both
are digits of one whole number.

Two rules merge states that have the same future. Let m be the largest value that a pending boundary can still add. First,
the value of a set is at least that of the same set without this boundary, minus m. Second, if it is exactly that for every
set, the boundary is no longer pending.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import placement as kernel
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
        ends = itertools.pairwise(side.off.tolist())
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


# Largest number of states; one type needs 115 for n_t = 3, 685 for n_t = 4 and more for larger n_t.
MAX_STATES = 1000
# Largest number of transitions, states times symbols.
MAX_TRANSITIONS = 12_000
# Largest number of pending boundaries.
MAX_PENDING = 10
# Largest number of different columns of two texts: (sets of types + 1) squared.
MAX_SYMBOLS = 100

_DIGIT = 1 << 24
_IMPOSSIBLE = -(_DIGIT**4)
# A boundary that may still be paired: its distance from the next position, its side and its type.
Pending = tuple[int, int, int]
# Pending boundaries, and the value for every set of them (as bits) that must remain unpaired.
State = tuple[tuple[Pending, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class EditChain:
    """The automaton. Symbols are pairs of sets of types, the last set is empty."""

    successor: NDArray[np.int32]  # the next state
    reward: Floats  # gain and number of pairs that the transition adds


def edit_chain(gain_t: Ints, gain_s: Ints, sets: tuple[tuple[int, ...], ...]) -> EditChain | None:
    return _edit_chain(tuple(gain_t.tolist()), tuple(gain_s.tolist()), sets)


@lru_cache(64)
def _edit_chain(
    gain_t: tuple[int, ...], gain_s: tuple[int, ...], sets: tuple[tuple[int, ...], ...]
) -> EditChain | None:
    columns = list(itertools.product((*sets, ()), repeat=2))
    if len(columns) > MAX_SYMBOLS:
        return None
    reader = _Reader(gain_t, gain_s)
    numbers: dict[State, int] = {((), (0,)): 0}
    successor: list[list[int]] = []
    reward: list[list[tuple[int, int]]] = []
    states = list(numbers)
    while len(successor) < len(states):
        state = states[len(successor)]
        transitions = [reader.read(state, a, b) for a, b in columns]
        too_large = len(states) > MAX_STATES or len(states) * len(columns) > MAX_TRANSITIONS
        if too_large or any(len(target[0]) > MAX_PENDING for target, _ in transitions):
            return None
        for target, _ in transitions:
            if target not in numbers:
                numbers[target] = len(states)
                states.append(target)
        successor.append([numbers[target] for target, _ in transitions])
        reward.append([_digits(value) for _, value in transitions])
    return EditChain(np.array(successor, np.int32), np.array(reward, np.float64))


def _value(gain: int) -> int:
    """Return the value of one pair."""
    return gain * _DIGIT + 1


def _digits(value: int) -> tuple[int, int]:
    """Return the gain and the number of pairs of a value."""
    pairs = (value + _DIGIT // 2) % _DIGIT - _DIGIT // 2
    return (value - pairs) // _DIGIT, pairs


def _raise_subsets(values: list[int], number: int) -> None:
    """Give each set of boundaries at least the value of a larger set: if that can remain unpaired, so can its subsets."""
    for j in range(number):
        for s in range(1 << number):
            if not s >> j & 1:
                values[s] = max(values[s], values[s | 1 << j])


def _raise_supersets(values: list[int], limits: list[int]) -> None:
    """Give each set at least the value without boundary j, less the most that j can still add."""
    for s in range(1 << len(limits)):
        for j, limit in enumerate(limits):
            if s >> j & 1:
                values[s] = max(values[s], values[s & ~(1 << j)] - limit)


class _Reader:
    def __init__(self, gain_t: tuple[int, ...], gain_s: tuple[int, ...]) -> None:
        self.n_t = len(gain_t)
        self.transposition = [None if gain < 0 else _value(gain) for gain in gain_t]
        self.substitution = [None if gain < 0 else _value(gain) for gain in gain_s]
        # The largest value that a boundary can still add at distance d or more; gains need not decrease with d.
        self.largest = [max((v for v in self.transposition[d:] if v is not None), default=0) for d in range(self.n_t)]

    def read(self, state: State, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[State, int]:
        """Return the next state, and the value of the pairs that are now certain."""
        pending, values = state
        new = [(0, 0, t) for t in a if t not in b] + [(0, 1, t) for t in b if t not in a]
        old = len(pending)
        old_bits = (1 << old) - 1
        new_bits = ((1 << len(new)) - 1) << old
        best = [_IMPOSSIBLE] * (1 << (old + len(new)))
        for used, value in self._matchings(pending, new, 0):
            needed = used & old_bits
            for unpaired in range(1 << old):
                if unpaired & needed == needed:  # those that are used now were unpaired before
                    still_unpaired = (unpaired | new_bits) & ~used
                    best[still_unpaired] = max(best[still_unpaired], values[unpaired] + value)
        return self._canonical((*pending, *new), best)

    def _matchings(self, pending: tuple[Pending, ...], new: list[Pending], k: int) -> Iterator[tuple[int, int]]:
        """Yield every choice of pairs of new boundaries k, k + 1, ...: the boundaries in pairs as bits, and the value."""
        if k == len(new):
            yield 0, 0
            return
        old = len(pending)
        own_bit = 1 << (old + k)
        _, side, boundary_type = new[k]
        for used, value in self._matchings(pending, new, k + 1):
            yield used, value
            if used & own_bit:
                continue
            for j, (distance, partner_side, partner_type) in enumerate((*pending, *new)):
                bit = 1 << j
                if partner_side == side or used & bit or (old <= j <= old + k):
                    continue
                if j >= old:
                    gain = self.substitution[abs(boundary_type - partner_type)]
                else:
                    gain = self.transposition[distance] if partner_type == boundary_type else None
                if gain is not None:
                    yield used | bit | own_bit, value + gain

    def _canonical(self, boundaries: tuple[Pending, ...], values: list[int]) -> tuple[State, int]:
        """Return the state in its normal form, and the value of its best set, which is subtracted."""
        _raise_subsets(values, len(boundaries))
        base = values[0]
        values = [value - base for value in values]
        limits = [self.largest[d + 1] if d + 1 < self.n_t else 0 for d, _, _ in boundaries]
        _raise_supersets(values, limits)
        useful = [j for j, limit in enumerate(limits) if not self._is_useless(j, limit, values)]
        useful.sort(key=lambda j: boundaries[j])
        subset_values = tuple(
            values[sum(1 << j for i, j in enumerate(useful) if s >> i & 1)] for s in range(1 << len(useful))
        )
        pending = tuple((boundaries[j][0] + 1, *boundaries[j][1:]) for j in useful)
        return (pending, subset_values), base

    @staticmethod
    def _is_useless(j: int, limit: int, values: list[int]) -> bool:
        bit = 1 << j
        return all(values[s | bit] == values[s] - limit for s in range(len(values)) if not s & bit)
