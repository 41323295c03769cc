"""The exact median segmentation over places at real distances, such as times: the smallest total boundary edit distance.

The distance is that of :func:`~caesura.boundary_similarity` in seconds: 1 per boundary that only one side has, d / n_t per pair
of such boundaries less than n_t apart. A boundary of the median stands where at least one coder has one; without this
condition the minimum need not exist, because a pair exactly n_t apart is no pair.

A dynamic program runs over the places. Its state says, for each coder, what it costs if some of the boundaries less than n_t
before the next place wait for a partner. Where the next place is n_t or more away, nothing waits, so that dense groups of
boundaries are solved one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from caesura.errors import LimitError, OptionError
from caesura.gold.median import MedianSegmentation

_EQUAL, _GOLD, _CODER = 0, 1, 2  # who has a boundary at a place: both or neither, median only, coder only
_Waiting = tuple[int, tuple[int, ...]]  # side and places of the boundaries that wait for a partner, first to last
_NOTHING: _Waiting = (_EQUAL, ())
_State = tuple[tuple[_Waiting, int], ...]  # waiting boundaries -> cost relative to nothing waiting
_START: _State = ((_NOTHING, 0),)

_MAX_STATES = 10_000  # of all coders together
_MAX_WAITING = 200  # ways in which boundaries of one coder may wait
_INSTEAD = "choose a smaller n_t (--n-t 0.2s) or --method majority"
_TOO_DENSE = f"too many boundaries lie close together for an exact median; {_INSTEAD}"


class _Best(NamedTuple):
    """The best choice of boundaries up to a place: cost, matches (negative), numbers of the places, and optima."""

    cost: int
    matches: int
    chosen: tuple[int, ...]
    optima: int


_Layer = dict[tuple[int, ...], _Best]  # number of each coder's state -> the best choice


def median_in_time(
    coders: Sequence[Sequence[int]], places: Sequence[int], n_t: int, max_work: float = math.inf
) -> MedianSegmentation:
    """Return the segmentation with the smallest total boundary edit distance to all coders."""
    marks = [frozenset(positions) for positions in coders]
    states = [_START]
    layer: _Layer = {(0,) * len(marks): _Best(0, 0, (), 1)}
    work = 0
    parts: list[_Best] = []  # of the text before places where all choices meet in one state
    for number, place in enumerate(places, 1):
        following = places[number] if number < len(places) else place + n_t
        marked = [number in positions for positions in marks]
        layer, states = _after(layer, states, number, place, following, marked, n_t)
        work += len(layer) * len(marks)
        if len(layer) > _MAX_STATES:
            raise OptionError(_TOO_DENSE)
        if work > max_work:
            estimate = work * len(places) / number / max_work
            raise LimitError(
                f"the exact median of {len(places):,} times of {len(marks)} coders would take about {estimate:.2g} times the "
                f"work that is allowed, because many boundaries lie close together; {_INSTEAD}"
            )
        if len(layer) == 1:
            ((joint, best),) = layer.items()
            parts.append(best)
            layer = {joint: _Best(0, 0, (), 1)}
    # One state remains at the end, because nothing waits there.
    cost, matches = sum(part.cost for part in parts), sum(part.matches for part in parts)
    chosen = tuple(number for part in parts for number in part.chosen)
    return MedianSegmentation(chosen, cost / n_t, -matches, math.prod(part.optima for part in parts))


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
    layer: _Layer, states: Sequence[_State], number: int, place: int, following: int, marked: Sequence[bool], n_t: int
) -> tuple[_Layer, list[_State]]:
    """Return the layer after a place, with and without a boundary of the median there, and the states of its coders."""
    numbers: dict[_State, int] = {}

    def steps_of(who: int) -> _Steps:
        return _Steps(states, lambda state: _next_state(state, who, place, following, n_t), numbers)

    equal, gold, coder = map(steps_of, (_EQUAL, _GOLD, _CODER))
    successors: _Layer = {}
    for has in (False, True) if any(marked) else (False,):
        steps = [equal if mark == has else gold if has else coder for mark in marked]
        matches = sum(marked) if has else 0
        for joint, best in layer.items():
            moves = [step[state] for step, state in zip(steps, joint, strict=True)]
            cost = best.cost + sum([added for _, added in moves])
            chosen = (*best.chosen, number) if has else best.chosen
            entry = _Best(cost, best.matches - matches, chosen, best.optima)
            key = tuple([state for state, _ in moves])
            successors[key] = _better(successors[key], entry) if key in successors else entry
    reached = list(numbers)
    return _useful(successors, reached, following, n_t), reached


def _useful(layer: _Layer, states: Sequence[_State], following: int, n_t: int) -> _Layer:
    """Return the states that may be part of an optimum: pairs still to come can save what they cost more than the best."""
    gains = [
        max(sum(n_t - (following - at) for at in waiting[1]) - cost for waiting, cost in state) for state in states
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
    expired = following - n_t  # a boundary up to here has no partner from the next place on
    if who == _EQUAL:
        if len(state) == 1:
            return state, 0
        useful = [(waiting, cost) for waiting, cost in state if _is_useful(waiting, cost, expired)]
        return tuple(useful), 0
    costs: dict[_Waiting, int] = {}
    for waiting, cost in state:
        side, before = waiting
        alone = cost + n_t
        if alone < costs.get(waiting, alone + 1):
            costs[waiting] = alone  # the boundary stays alone
        if side in (_EQUAL, who):
            successor, after = (who, (*before, place)), cost  # it waits for a partner
        else:
            successor = (side, before[1:]) if before[1:] else _NOTHING
            after = cost + place - before[0]  # it pairs with the first
        if after < costs.get(successor, after + 1):
            costs[successor] = after
    base = costs[_NOTHING]
    useful = [(waiting, cost - base) for waiting, cost in costs.items() if _is_useful(waiting, cost - base, expired)]
    if len(useful) > _MAX_WAITING:
        raise OptionError(_TOO_DENSE)
    return tuple(sorted(useful)), base


def _is_useful(waiting: _Waiting, cost: int, expired: int) -> bool:
    """Return whether boundaries can have partners that save more than it costs to wait for them."""
    places = waiting[1]
    return not places or (places[0] > expired and cost < sum(places) - expired * len(places))
