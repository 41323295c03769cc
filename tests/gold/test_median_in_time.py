"""The median in time against every set of the coders' times."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import LimitError, OptionError
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


def test_work_is_bounded() -> None:
    coders = [list(range(coder, 3000, 3)) for coder in range(1, 4)]
    places = [i * 200 for i in range(3000)]
    whole = median_in_time(coders, places, 1000, max_work=10**9)
    assert whole == median_in_time(coders, places, 1000)
    with pytest.raises(LimitError, match=r"the exact median of 3,000 times of 3 coders would take about .* --method"):
        median_in_time(coders, places, 1000, max_work=2000)


def test_parts_of_a_long_text_are_joined() -> None:
    """Wherever nothing waits, the text is cut: costs and matches are added, and numbers of optima multiplied."""
    part = median_in_time([[1], [2]], [0, 300], 1000)
    places = [start + offset for start in range(0, 500_000, 5000) for offset in (0, 300)]
    result = median_in_time([list(range(1, 201, 2)), list(range(2, 201, 2))], places, 1000)
    assert (result.matches, result.optima) == (100 * part.matches, part.optima**100)
    assert result.cost == pytest.approx(100 * part.cost)
    assert result.positions == tuple(2 * k + number for k in range(100) for number in part.positions)
