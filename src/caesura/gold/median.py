"""The exact median: the boundaries with the smallest total boundary edit distance to all coders, for one boundary type.

The distance is that of :func:`~caesura.boundary_similarity`: 1 per boundary that only one side has, d / n_t per pair of such
boundaries d < n_t apart. Nothing is approximated. One dynamic program serves units and seconds, which differ in the
candidates, the places that may become boundaries of the median: in units every position less than n_t from a mark (marks at
3 and 5 with n_t = 2 may have the median 4), in seconds every marked time (without this condition the minimum need not exist,
because a pair exactly n_t apart is no pair).

A state says, for each coder, what it costs if some of the boundaries less than n_t from the next place wait for a partner.
Where the next place is n_t or more away, nothing waits, so that dense groups of boundaries are independent of each other. The
program runs from right to left: of two choices with the same cost and matches, the one whose positions are smaller stays
smaller whatever is chosen before them.

In units, n_t = 1 makes positions independent, and the median is the majority; for n_t = 2, ``kernels/median.pyx`` has a
handful of states per position for any number of coders. Both give what the program gives. The kernel works block by block, from
right to left too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.errors import OptionError
from caesura.kernels.median import MedianGraph, small_count
from caesura.memory import check_memory
from caesura.model.index import argsort, flatnonzero, offsets, repeat, searchsorted
from caesura.model.value import Ints
from caesura.progress import report_progress

# Joint states of all coders at one place, and states of one coder there. Both grow exponentially if many boundaries lie close
# together, so that no memory is enough.
MAX_STATES = 20_000
_MAX_WAITING = 200
_BLOCK = 2**16  # positions that the kernel sees at a time

_EQUAL, _GOLD, _CODER = 0, 1, 2  # who has a boundary at a place: both or neither, median only, coder only
_Waiting = tuple[int, tuple[int, ...]]  # side and places of the boundaries that wait for a partner, the first one first
_NOTHING: _Waiting = (_EQUAL, ())
_State = tuple[tuple[_Waiting, int], ...]  # waiting boundaries -> cost relative to nothing waiting
_START: _State = ((_NOTHING, 0),)


@dataclass(frozen=True, slots=True)
class Median:
    """The boundaries with the smallest total boundary edit distance to all coders."""

    positions: tuple[int, ...]  # positions of the boundaries
    cost: float  # sum of the boundary edit distances to all coders
    matches: int  # number of exact matches with coders
    optima: int  # number of choices of boundaries with the same cost


def find_median(coders: Sequence[Sequence[int] | Ints], positions: int, n_t: int = 2, at: Ints | None = None) -> Median:
    """Return the median of coders who marked some of the positions from 1 to ``positions``.

    ``at`` has the time of each position, in a fraction of a second in which ``n_t`` is a whole number.
    """
    marks = [np.asarray(own, np.int64) for own in coders]
    marked, counts = np.unique(np.concatenate(marks), return_counts=True)
    if at is not None:
        return _search(marks, marked, at[marked - 1], n_t)
    if n_t == 1:
        return _majority(marked, counts, len(marks))
    ends = np.minimum(marked + n_t, positions + 1)
    begins = np.maximum(np.maximum(marked - n_t + 1, 1), np.concatenate([[0], ends[:-1]])[: len(ends)])
    sizes = ends - begins
    hint = "choose a smaller n_t, shorter items, or the method 'majority'"
    check_memory(f"the median of {sizes.sum():,} positions near boundaries", 100 * int(sizes.sum()), hint)
    near = repeat(begins - offsets(sizes)[:-1], sizes) + np.arange(sizes.sum())
    return _by_kernel(marks, near) if n_t == 2 else _search(marks, near, near, n_t)


class _Best(NamedTuple):
    """The best choice of boundaries so far: cost, matches (negative), the boundaries, and number of equally good choices."""

    cost: int
    matches: int
    chosen: tuple[int, ...]
    optima: int


_Layer = dict[tuple[int, ...], _Best]  # number of each coder's state -> the best choice


def _search(coders: Sequence[Ints], candidates: Ints, places: Ints, n_t: int) -> Median:
    marks = [frozenset(own.tolist()) for own in coders]
    states, layer = [_START], {(0,) * len(marks): _Best(0, 0, (), 1)}
    cost, matches, optima = 0, 0, 1
    chosen: tuple[int, ...] = ()  # to the right of a place where all choices meet in one state
    positions, at = candidates[::-1].tolist(), places[::-1].tolist()
    for number, (position, place) in enumerate(zip(positions, at, strict=True), 1):
        following = at[number] if number < len(at) else place - n_t
        marked = [position in own for own in marks]
        layer, states = _after(layer, states, position, place, following, marked, n_t)
        if len(layer) > MAX_STATES:
            raise OptionError(_TOO_DENSE)
        if len(layer) > 1000:  # such a place takes long
            report_progress(number, len(at))
        if len(layer) == 1:
            ((joint, best),) = layer.items()
            cost, matches, optima = cost + best.cost, matches - best.matches, optima * best.optima
            chosen = best.chosen[: len(best.chosen) - min(1, len(chosen))] + chosen
            layer = {joint: _Best(0, 0, chosen[:1], 1)}  # the next boundary decides which of two positions are smaller
    return Median(chosen, cost / n_t, matches, optima)


_TOO_DENSE = (
    "too many boundaries lie close together for an exact median; choose a smaller n_t (in units, 2 has no limit), or the "
    "method 'majority'"
)


class _Steps(dict[int, tuple[int, int]]):
    """Number of a coder's state -> number of the state after a place, and the change of the cost; found when first needed."""

    def __init__(
        self, states: Sequence[_State], step: Callable[[_State], tuple[_State, int]], numbers: dict[_State, int]
    ):
        self.states, self.step, self.numbers = states, step, numbers

    def __missing__(self, state: int) -> tuple[int, int]:
        successor, added = self.step(self.states[state])
        result = self[state] = self.numbers.setdefault(successor, len(self.numbers)), added
        return result


def _after(
    layer: _Layer, states: Sequence[_State], position: int, place: int, following: int, marked: Sequence[bool], n_t: int
) -> tuple[_Layer, list[_State]]:
    """Return the layer after a place, with and without a boundary of the median there, and the states of its coders."""
    numbers: dict[_State, int] = {}

    def steps_of(who: int) -> _Steps:
        return _Steps(states, lambda state: _next_state(state, who, place, following, n_t), numbers)

    equal, gold, coder = map(steps_of, (_EQUAL, _GOLD, _CODER))
    successors: _Layer = {}
    for has in (False, True):
        steps = [equal if mark == has else gold if has else coder for mark in marked]
        matches = sum(marked) if has else 0
        for joint, best in layer.items():
            moves = [step[state] for step, state in zip(steps, joint, strict=True)]
            cost = best.cost + sum([added for _, added in moves])
            chosen = (position, *best.chosen) if has else best.chosen
            entry = _Best(cost, best.matches - matches, chosen, best.optima)
            key = tuple([state for state, _ in moves])
            successors[key] = _better(successors[key], entry) if key in successors else entry
    reached = list(numbers)
    return _useful(successors, reached, following, n_t), reached


def _useful(layer: _Layer, states: Sequence[_State], following: int, n_t: int) -> _Layer:
    """Return the states that may be part of an optimum: pairs still to come can save what they cost more than the best."""
    gains = [
        max(sum(n_t - (at - following) for at in waiting[1]) - cost for waiting, cost in state) for state in states
    ]
    limit = min(best.cost for best in layer.values())
    return {joint: best for joint, best in layer.items() if best.cost - sum([gains[state] for state in joint]) <= limit}


def _better(a: _Best, b: _Best) -> _Best:
    """Return the better of two choices with the same state; the optima of equal cost are added."""
    if a.cost != b.cost:
        return a if a.cost < b.cost else b
    return min(a, b, key=lambda entry: entry[:3])._replace(optima=a.optima + b.optima)


def _next_state(state: _State, who: int, place: int, following: int, n_t: int) -> tuple[_State, int]:
    """Return the state after a place, relative to the cost if nothing waits, and the change of that cost."""
    costs = dict(state)
    if who != _EQUAL:
        costs = {}
        for waiting, cost in state:
            side, before = waiting
            costs[waiting] = min(cost + n_t, costs.get(waiting, cost + n_t))  # the boundary stays alone
            if side in (_EQUAL, who):
                after, total = (who, (*before, place)), cost  # it waits for a partner
            else:
                after, total = (side, before[1:]) if before[1:] else _NOTHING, cost + before[0] - place  # it pairs
            costs[after] = min(total, costs.get(after, total))
    base = costs[_NOTHING]
    expired = following + n_t  # a boundary from here on has no partner from the next place on
    useful = [
        (waiting, cost - base)
        for waiting, cost in costs.items()
        if not waiting[1] or (waiting[1][0] < expired and cost - base < expired * len(waiting[1]) - sum(waiting[1]))
    ]
    if len(useful) > _MAX_WAITING:
        raise OptionError(_TOO_DENSE)
    return tuple(sorted(useful)), base


def _majority(marked: Ints, counts: Ints, coders: int) -> Median:
    gold, cost = 2 * counts >= coders, np.minimum(counts, coders - counts).sum()
    ties = int(np.count_nonzero(2 * counts == coders))
    return Median(tuple(marked[gold].tolist()), float(cost), int(counts[gold].sum()), 2**ties)


def _by_kernel(marks: Sequence[Ints], near: Ints) -> Median:
    """Return the median for n_t = 2; only positions near a mark can be chosen, and those that are far apart are independent."""
    coders = len(marks)
    at, coder = searchsorted(near, np.concatenate(marks)), repeat(np.arange(coders), [len(own) for own in marks])
    order = argsort(at, kind="stable")
    at, coder = at[order], coder[order]
    gaps = flatnonzero(np.diff(near) > 1) + 1
    cuts = [0, *gaps[flatnonzero(np.diff(gaps // _BLOCK, prepend=0))].tolist(), len(near)]
    chosen: list[Ints] = []
    cost, matches, optima = 0, 0, 1
    for first, last in zip(cuts[-2::-1], cuts[:0:-1], strict=True):
        # A boundary of all coders behind the block, if there are boundaries to the right: which of two equally good choices is
        # smaller depends on that.
        size, tail = last - first, 3 * bool(chosen)
        what = f"the median of {size:,} positions of {coders:,} coders without a gap"
        check_memory(what, (size + tail) * (2 * coders + 400), "choose the method 'majority', or shorter items")
        padded = np.zeros((size + tail, -(-coders // 64) * 64), np.uint8)
        low, high = searchsorted(at, [first, last])
        padded[at[low:high] - first, coder[low:high]] = 1
        padded[size + 2 :, :coders] = 1
        words = np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little")).view("<u8").astype(np.uint64)
        graph, gold, factor = MedianGraph(words, coders), np.zeros(len(padded), np.uint8), coders * len(padded) + 1
        block_cost, block_matches = graph.find(factor, gold)
        optima *= count_paths(*graph.steps(factor)) if len(padded) else 1
        cost, matches = cost + block_cost, matches + block_matches - (coders if tail else 0)
        own = near[first + flatnonzero(gold[:size])]
        chosen += [own] if own.size else []
    return Median(tuple(np.concatenate([near[:0], *chosen[::-1]]).tolist()), cost / 2, matches, optima)


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
