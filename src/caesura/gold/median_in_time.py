"""The exact median segmentation over places at real distances, such as times: the smallest total boundary edit distance.

The distance is that of :func:`~caesura.boundary_similarity` in seconds: 1 per boundary that only one side has, d / n_t per pair
of such boundaries less than n_t apart. A boundary of the median stands where at least one coder has one; without this
condition the minimum need not exist, because a pair exactly n_t apart is no pair.

A dynamic program runs over the places. Its state says, for each coder, what it costs if some of the boundaries less than n_t
before the next place wait for a partner. Where the next place is n_t or more away, nothing waits, so that dense groups of
boundaries are solved one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from caesura.errors import OptionError
from caesura.gold.median import MedianSegmentation

_EQUAL, _GOLD, _CODER = 0, 1, 2  # who has a boundary at a place: both or neither, median only, coder only
_Waiting = tuple[int, tuple[int, ...]]  # side and places of the boundaries that wait for a partner, first to last
_NOTHING: _Waiting = (_EQUAL, ())
_State = tuple[tuple[_Waiting, int], ...]  # waiting boundaries -> cost relative to nothing waiting


_MAX_STATES = 10_000  # of all coders together
_MAX_WAITING = 200  # ways in which boundaries of one coder may wait
_TOO_DENSE = (
    "too many boundaries lie close together for an exact median; choose a smaller n_t (--n-t 0.2s) or --method majority"
)


class _Best(NamedTuple):
    """The best choice of boundaries up to a place: cost, matches (negative), numbers of the places, and optima."""

    cost: int
    matches: int
    chosen: tuple[int, ...]
    optima: int


def median_in_time(coders: Sequence[Sequence[int]], places: Sequence[int], n_t: int) -> MedianSegmentation:
    """Return the segmentation with the smallest total boundary edit distance to all coders.

    Parameters
    ----------
    coders : sequence of sequences of int
        Numbers of the places, from 1, at which each coder has a boundary.
    places : sequence of int
        Where the places are, in rising order, in any unit such as microseconds. At each of them a coder should have a boundary.
    n_t : int
        Boundaries less than this far apart are near misses, in the same unit.

    Returns
    -------
    MedianSegmentation
        ``positions`` are numbers of places. Of several optima, the one with the most exact matches with coders, then the one
        with the earliest places.

    Raises
    ------
    OptionError
        If too many boundaries lie less than ``n_t`` apart.

    Examples
    --------
    Two coders at 10.0 s and 10.3 s mean the same boundary if near misses are less than 1 s apart; 20 s and 40 s are two:

    >>> median_in_time([[1, 3], [2, 4]], [10_000, 10_300, 20_000, 40_000], n_t=1000)
    MedianSegmentation(positions=(1, 3, 4), cost=2.3, matches=3, optima=8)
    """
    marks = [frozenset(positions) for positions in coders]
    layer: dict[tuple[_State, ...], _Best] = {(((_NOTHING, 0),),) * len(marks): _Best(0, 0, (), 1)}
    for number, place in enumerate(places, 1):
        following = places[number] if number < len(places) else place + n_t
        marked = [number in positions for positions in marks]
        layer = _after(layer, number, place, following, marked, n_t)
        if len(layer) > _MAX_STATES:
            raise OptionError(_TOO_DENSE)
    best = min(layer.values(), key=lambda entry: entry[:3])  # one state: nothing waits at the end
    return MedianSegmentation(best.chosen, best.cost / n_t, -best.matches, best.optima)


def _after(
    layer: Mapping[tuple[_State, ...], _Best], number: int, place: int, following: int, marked: Sequence[bool], n_t: int
) -> dict[tuple[_State, ...], _Best]:
    """Return the states after a place, with and without a boundary of the median there."""
    steps: dict[tuple[_State, int], tuple[_State, int]] = {}
    states: dict[tuple[_State, ...], _Best] = {}
    for joint, best in layer.items():
        for has in (False, True) if any(marked) else (False,):
            cost, successors = best.cost, []
            for state, mark in zip(joint, marked, strict=True):
                who = _EQUAL if mark == has else _GOLD if has else _CODER
                if (state, who) not in steps:
                    steps[state, who] = _next_state(state, who, place, following, n_t)
                successor, added = steps[state, who]
                successors.append(successor)
                cost += added
            matches = best.matches - (sum(marked) if has else 0)
            entry = _Best(cost, matches, (*best.chosen, number) if has else best.chosen, best.optima)
            key = tuple(successors)
            states[key] = _better(states[key], entry) if key in states else entry
    return _useful(states, following, n_t)


def _useful(states: Mapping[tuple[_State, ...], _Best], following: int, n_t: int) -> dict[tuple[_State, ...], _Best]:
    """Return the states that may be part of an optimum: pairs still to come can save what they cost more than the best."""
    gains: dict[_State, int] = {}
    for state in {state for joint in states for state in joint}:
        gains[state] = max(sum(n_t - (following - at) for at in waiting[1]) - cost for waiting, cost in state)
    smallest = min(best.cost for best in states.values())
    return {
        joint: best for joint, best in states.items() if best.cost - sum(gains[state] for state in joint) <= smallest
    }


def _better(a: _Best, b: _Best) -> _Best:
    """Return the better of two choices with the same state; the optima of equal cost are added."""
    optima = a.optima * (a.cost <= b.cost) + b.optima * (b.cost <= a.cost)
    return min(a, b, key=lambda entry: entry[:3])._replace(optima=optima)


def _next_state(state: _State, who: int, place: int, following: int, n_t: int) -> tuple[_State, int]:
    """Return the state after a place, relative to the cost if nothing waits, and the change of that cost."""
    costs: dict[_Waiting, int] = {}

    def offer(waiting: _Waiting, cost: int) -> None:
        costs[waiting] = min(cost, costs.get(waiting, cost))

    for (side, before), cost in state:
        if who == _EQUAL:
            offer((side, before), cost)
            continue
        offer((side, before), cost + n_t)  # the boundary stays alone
        if side in (_EQUAL, who):
            offer((who, (*before, place)), cost)  # it waits for a partner
        else:
            offer((side, before[1:]) if before[1:] else _NOTHING, cost + place - before[0])  # it pairs with the first
    base = costs[_NOTHING]
    useful = {
        waiting: cost - base
        for waiting, cost in costs.items()
        if waiting == _NOTHING
        or (following - waiting[1][0] < n_t and cost - base < sum(n_t - (following - at) for at in waiting[1]))
    }
    if len(useful) > _MAX_WAITING:
        raise OptionError(_TOO_DENSE)
    return tuple(sorted(useful.items())), base
