"""The median in time against every set of the coders' times."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import OptionError
from caesura.gold.median import median_segmentation
from caesura.gold.median_in_time import median_in_time
from oracle.median_in_time import median

TIMES = st.lists(st.integers(0, 60), max_size=4, unique=True).map(sorted)


@settings(max_examples=100, deadline=None)
@given(st.lists(TIMES, min_size=1, max_size=4), st.sampled_from([1, 5, 12, 30]))
def test_equals_the_definition(coders: list[list[int]], n_t: int) -> None:
    places = sorted({time for coder in coders for time in coder})
    if len(places) > 10:
        places = places[:10]
        coders = [[time for time in coder if time in places] for coder in coders]
        places = sorted({time for coder in coders for time in coder})
    numbers = {time: number for number, time in enumerate(places, 1)}
    result = median_in_time([[numbers[time] for time in coder] for coder in coders], places, n_t)
    cost, matches, chosen, optima = median(coders, n_t)
    assert result.cost == pytest.approx(float(cost), abs=1e-12)
    assert (result.matches, tuple(places[i - 1] for i in result.positions)) == (matches, chosen)
    assert result.optima == optima


def test_far_boundaries_are_no_near_misses() -> None:
    # ann |        20                     |      near misses: less than 1 s
    # bo  |                  200          |
    result = median_in_time([[1], [2]], [20_000, 200_000], 1000)
    assert (result.positions, result.cost, result.optima) == ((1, 2), 2.0, 4)
    # In positions, which are neighbours, the two would be one boundary.
    assert median_segmentation([[1], [2]], 2).positions == (1,)


def test_three_close_coders_have_one_boundary_in_the_middle() -> None:
    result = median_in_time([[1], [2], [3]], [10_000, 10_200, 10_600], 1000)
    assert (result.positions, result.cost) == ((2,), pytest.approx(0.2 + 0.4))


def test_nothing_to_place() -> None:
    assert median_in_time([[], []], [], 1000).positions == ()


def test_too_many_close_boundaries() -> None:
    coders = [list(range(coder, 100, 3)) for coder in range(1, 4)]
    with pytest.raises(OptionError, match="too many boundaries lie close together"):
        median_in_time(coders, [i * 10 for i in range(100)], 100_000)
