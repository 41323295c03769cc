"""The minimum of boundary edits as a finite automaton that reads two texts position by position.

Boundaries of equal type at equal positions match and need no edit. Every other boundary is *pending* while a later boundary may
still be transposed with it, which is for n_t - 1 positions. The past matters to the future only through the best value of
the pairs so far, for every set of pending boundaries that must remain unpaired. A state is the list of pending boundaries
with these values, relative to the best of all.

Values are compared by gain (saved cost), then by the number of pairs, as in ``kernels/boundary.pyx``. Both are digits of one
whole number.

Two rules merge states that have the same future. Let m be the largest value that a pending boundary can still add. First,
the value of a set is at least that of the same set without this boundary, minus m. Second, if it is exactly that for every
set, the boundary is no longer pending.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from caesura.model.value import Floats, Ints

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
    columns = list(product((*sets, ()), repeat=2))
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
