"""The exact median segmentation: the smallest total boundary edit distance to all coders, for one boundary type.

The distance is that of :func:`~caesura.boundary_similarity`: 1 per boundary that only one side has, d / n_t per pair of such
boundaries d < n_t positions apart. Nothing is approximated. There are three ways to the same result:

- n_t = 1: every position is independent, and the median is the majority.
- n_t = 2: ``kernels/median.pyx``, a dynamic program with a handful of states per position for any number of coders.
- n_t > 2: a dynamic program over the joint states of all coders, in this module. The state of a coder says what it costs if
  some of the last n_t - 1 boundaries wait for a partner. There may be too many joint states; then an error says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.kernels.median import MedianGraph, small_count
from caesura.limits import MAX_GOLD_STATES
from caesura.model.index import argsort, flatnonzero
from caesura.model.value import Ints

# Maximum number of joint states per position for n_t > 2.
MAX_STATES = 20_000
# Maximum number of states of one coder.
MAX_CODER_STATES = 4_000

_INFINITE = 2**61
_EQUAL, _GOLD, _CODER = 0, 1, 2  # who has a boundary at a position: both or neither, gold standard only, coder only
_Waiting = tuple[int, tuple[int, ...]]  # side and ages of the boundaries that wait for a partner, oldest first
_NOTHING: _Waiting = (_EQUAL, ())


@dataclass(frozen=True, slots=True)
class MedianSegmentation:
    """The segmentation with the smallest total boundary edit distance to all coders."""

    positions: tuple[int, ...]  # positions of the boundaries
    cost: float  # sum of the boundary edit distances to all coders
    matches: int  # number of exact matches with coders
    optima: int  # number of segmentations with the same cost


def median_segmentation(coders: Sequence[Sequence[int] | Ints], positions: int, n_t: int = 2) -> MedianSegmentation:
    """Return the segmentation with the smallest total boundary edit distance to all coders."""
    # The number of optima can have thousands of digits. It is computed with whole numbers of any size. Wherever all optima
    # agree on the state of a position, the text is cut, and the numbers of the parts are multiplied.
    marks = np.zeros((positions, len(coders)), bool)
    for coder, boundaries in enumerate(coders):
        marks[np.asarray(boundaries, np.int64) - 1, coder] = True
    if n_t == 1:
        return _majority(marks)
    if n_t == 2:
        return _with_neighbours(marks)
    return _JointStates(marks, n_t).solve()


def _positions(bits: NDArray[np.generic]) -> tuple[int, ...]:
    return tuple((flatnonzero(bits) + 1).tolist())


def _majority(marks: NDArray[np.bool_]) -> MedianSegmentation:
    coders = marks.shape[1]
    counts = marks.sum(axis=1)
    gold = (2 * counts >= coders) & (counts > 0)
    cost = int(np.minimum(counts, coders - counts).sum())
    ties = int(np.count_nonzero((2 * counts == coders) & (counts > 0)))
    return MedianSegmentation(_positions(gold), float(cost), int(counts[gold].sum()), 2**ties)


def _with_neighbours(marks: NDArray[np.bool_]) -> MedianSegmentation:
    positions, coders = marks.shape
    padded = np.zeros((positions, -(-coders // 64) * 64), np.uint8)
    padded[:, :coders] = marks
    words = np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little")).view("<u8").astype(np.uint64)
    graph = MedianGraph(words, coders)
    gold = np.zeros(positions, np.uint8)
    factor = coders * positions + 1
    cost, matches = graph.find(factor, gold)
    optima = count_paths(*graph.steps(factor)) if positions else 1
    return MedianSegmentation(_positions(gold), cost / 2, matches, optima)


def count_paths(first: Ints, left: Ints, right: Ints) -> int:
    """Return the number of paths from the node of the first layer to the last layer."""
    small = small_count(first, left, right)
    if small >= 0:
        return small
    lefts, rights = left.tolist(), right.tolist()
    counts = {0: 1}
    factors: list[int] = []
    for _ in range(len(first) - 2):
        successors: dict[int, int] = {}
        for node, count in counts.items():
            for successor in (lefts[node], rights[node]):
                if successor >= 0:
                    successors[successor] = successors.get(successor, 0) + count
        if len(successors) == 1:  # all paths meet here
            ((node, count),) = successors.items()
            if count > 1:
                factors.append(count)
            successors = {node: 1}
        counts = successors
    return math.prod(factors) * sum(counts.values())


@dataclass(frozen=True)
class _CoderStates:
    """The boundary edit distance between the gold standard and one coder, as an automaton over positions."""

    # Costs are in units of 1 / n_t. ``after[state, who]`` is the next state, ``cost[state, who]`` the change of the smallest
    # cost if nothing waits any longer. ``advantage[s, t]`` is an upper bound of the future cost of s minus that of t.

    after: NDArray[np.int64]
    cost: NDArray[np.int64]
    advantage: NDArray[np.int64]


@lru_cache(8)
def _coder_states(n_t: int) -> _CoderStates:
    numbers: dict[tuple[tuple[_Waiting, int], ...], int] = {((_NOTHING, 0),): 0}
    states = list(numbers)
    after: list[list[int]] = []
    costs: list[list[int]] = []
    for state in states:  # grows
        after.append([])
        costs.append([])
        for who in (_EQUAL, _GOLD, _CODER):
            successor, cost = _next_state(dict(state), who, n_t)
            if successor not in numbers:
                numbers[successor] = len(states)
                states.append(successor)
            after[-1].append(numbers[successor])
            costs[-1].append(cost)
        if len(states) > MAX_CODER_STATES:
            raise OptionError(_too_large(n_t))
    groups = _equal_states(np.array(after), np.array(costs))
    chosen = np.unique(groups, return_index=True)[1]
    return _CoderStates(
        groups[np.array(after)[chosen]],
        np.array(costs)[chosen],
        _advantages([dict(states[i]) for i in chosen.tolist()], n_t),
    )


def _equal_states(after: NDArray[np.int64], costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a group for each state; states of a group have the same cost in every future. The first state has group 0."""
    number, groups = 0, np.zeros(len(after), np.int64)
    while number < groups.max() + 1:
        number = int(groups.max()) + 1
        groups = np.unique(np.hstack([groups[:, None], costs, groups[after]]), axis=0, return_inverse=True)[1].reshape(
            -1
        )
    # Number the groups in the order of their first states.
    first = np.unique(groups, return_index=True)[1]
    return argsort(argsort(first))[groups]


def _next_state(state: Mapping[_Waiting, int], who: int, n_t: int) -> tuple[tuple[tuple[_Waiting, int], ...], int]:
    """Return the state after a position, relative to the cost if nothing waits, and the change of that cost."""
    costs: dict[_Waiting, int] = {}

    def offer(waiting: _Waiting, cost: int) -> None:
        costs[waiting] = min(cost, costs.get(waiting, cost))

    for (side, before), cost in state.items():
        ages = tuple(age + 1 for age in before)
        kept = (side, ages) if ages else _NOTHING
        if who == _EQUAL:
            offer(kept, cost)
            continue
        offer(kept, cost + n_t)  # the boundary stays alone
        if side in (_EQUAL, who):
            offer((who, (*ages, 0)), cost)  # it waits for a partner
        else:
            offer((side, ages[1:]) if ages[1:] else _NOTHING, cost + ages[0])  # it pairs with the oldest
    base = costs[_NOTHING]
    useful = {
        waiting: cost - base
        for waiting, cost in costs.items()
        if waiting == _NOTHING or (waiting[1][0] < n_t - 1 and cost - base < _largest_gain(waiting, n_t))
    }
    return tuple(sorted(useful.items())), base


def _largest_gain(waiting: _Waiting, n_t: int) -> int:
    """Return the largest saving if the boundaries find partners that would otherwise stay alone."""
    return sum(max(0, n_t - (age + 1 + i)) for i, age in enumerate(waiting[1]))


def _advantages(states: list[dict[_Waiting, int]], n_t: int) -> NDArray[np.int64]:
    """Return an upper bound of the future cost of each state minus that of each other state."""
    table = np.zeros((len(states), len(states)), np.int64)
    for i, s in enumerate(states):
        for j, t in enumerate(states):
            table[i, j] = max(
                min(s.get(waiting, n_t**3), _largest_gain(waiting, n_t)) - cost for waiting, cost in t.items()
            )
    return table


def _too_large(n_t: int) -> str:
    return (
        f"the exact median with n_t={n_t} has too many states for these coders; choose a smaller n_t (2 has no limit) or "
        "the method 'majority'"
    )


class _JointStates:
    """Dynamic program over the joint states of all coders."""

    def __init__(self, marks: NDArray[np.bool_], n_t: int) -> None:
        self.n_t = n_t
        self.positions, self.coders = marks.shape
        self.marks = marks
        self.automaton = _coder_states(n_t)
        self.layers: list[NDArray[np.int64]] = []  # states of all coders, one row per node
        self.costs: list[NDArray[np.int64]] = []  # smallest cost up to each node
        self.successors: list[NDArray[np.int64]] = []  # nodes after gold bit 0 and 1; -1 if discarded
        self.steps: list[NDArray[np.int64]] = []  # costs of these steps

    def solve(self) -> MedianSegmentation:
        self._build()
        factor = self.coders * self.positions + 1
        keys = self._keys(factor)
        gold = self._trace(keys, factor)
        cost = -(-int(keys[0][0]) // factor)
        return MedianSegmentation(
            _positions(gold), cost / self.n_t, cost * factor - int(keys[0][0]), self._optima(keys, factor)
        )

    def _build(self) -> None:
        layer = np.zeros((1, self.coders), np.int64)
        cost = np.zeros(1, np.int64)
        total = 0
        for marked in self.marks:
            nodes = len(layer)
            self.layers.append(layer)
            self.costs.append(cost)
            who = np.stack([np.where(marked, _CODER, _EQUAL), np.where(marked, _EQUAL, _GOLD)])
            steps = self.automaton.cost[layer[:, None], who].sum(axis=2)
            candidates = self.automaton.after[layer[:, None], who].reshape(2 * nodes, self.coders)
            reached = (cost[:, None] + steps).reshape(-1)
            layer, place = np.unique(candidates, axis=0, return_inverse=True)
            place = place.reshape(-1)
            cost = np.full(len(layer), _INFINITE)
            np.minimum.at(cost, place, reached)
            keep = self._useful(layer, cost)
            number = np.where(keep, np.cumsum(keep) - 1, -1)
            layer, cost = layer[keep], cost[keep]
            self.successors.append(number[place].reshape(nodes, 2))
            self.steps.append(steps)
            total += len(layer)
            if len(layer) > MAX_STATES or total > MAX_GOLD_STATES:
                raise OptionError(_too_large(self.n_t))
        self.layers.append(layer)
        self.costs.append(cost)

    def _useful(self, layer: NDArray[np.int64], cost: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the nodes that may be part of an optimum: no other node is cheaper in every future."""
        keep = np.ones(len(layer), bool)
        for best in argsort(cost, kind="stable")[:8]:
            advantage = self.automaton.advantage[layer[best], layer].sum(axis=1)
            keep &= cost <= cost[best] + advantage
        return keep

    def _keys(self, factor: int) -> list[NDArray[np.int64]]:
        """Return, for each node, the smallest cost of the rest times ``factor``, minus the most matches at that cost."""
        keys = [np.zeros(len(self.layers[-1]), np.int64)]
        for p in reversed(range(self.positions)):
            keys.append(self._step_keys(p, keys[-1], factor).min(axis=1))
        return keys[::-1]

    def _step_keys(self, p: int, after: NDArray[np.int64], factor: int) -> NDArray[np.int64]:
        matches = np.array([0, self.marks[p].sum()])
        successors = self.successors[p]
        keys = self.steps[p] * factor - matches + after[successors]
        return np.where((successors >= 0) & (after[successors] < _INFINITE), keys, _INFINITE)

    def _trace(self, keys: list[NDArray[np.int64]], factor: int) -> NDArray[np.bool_]:
        gold = np.zeros(self.positions, bool)
        node = 0
        for p in range(self.positions):
            if self._cost_without_boundaries(p, node) * factor == keys[p][node]:
                break
            steps = self._step_keys(p, keys[p + 1], factor)[node]
            gold[p] = steps[1] == keys[p][node]
            node = int(self.successors[p][node, int(gold[p])])
        return gold

    def _cost_without_boundaries(self, p: int, node: int) -> int:
        """Return the cost of the rest of the text if the gold standard has no more boundaries."""
        near = p + self.n_t - 1  # a boundary before p has no partner from here on
        total = self.n_t * int(self.marks[near:].sum())
        state = self.layers[p][node]
        for marked in self.marks[p:near]:
            who = np.where(marked, _CODER, _EQUAL)
            total += int(self.automaton.cost[state, who].sum())
            state = self.automaton.after[state, who]
        return total

    def _optima(self, keys: list[NDArray[np.int64]], factor: int) -> int:
        least = [-(-layer // factor) for layer in keys]
        first = np.cumsum([0, *map(len, self.layers)])
        steps = []
        for p in range(self.positions):
            successors = self.successors[p]
            optimal = (successors >= 0) & (self.steps[p] + least[p + 1][successors] == least[p][:, None])
            steps.append(np.where(optimal, successors + first[p + 1], -1))
        steps.append(np.full((len(self.layers[-1]), 2), -1))
        left, right = np.ascontiguousarray(np.concatenate(steps).T)
        return count_paths(first, left, right)
