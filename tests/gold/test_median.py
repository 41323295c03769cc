"""The median against exhaustive search over all segmentations (or sets of times) and all pairings."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.data import stargazer
from caesura.errors import OptionError
from caesura.gold import median as module
from caesura.gold.median import find_median
from oracle.median import distance, medians, preferred
from oracle.median_in_time import median


def _random_coders(rng: random.Random, positions: int, coders: int) -> list[tuple[int, ...]]:
    density = rng.random()
    return [tuple(p for p in range(1, positions + 1) if rng.random() < density) for _ in range(coders)]


def _check(coders: list[tuple[int, ...]], positions: int, n_t: int) -> None:
    cost, golds = medians(coders, positions, n_t)
    result = find_median(coders, positions, n_t)
    assert result.cost == float(cost)
    assert result.optima == len(golds)
    assert result.positions == preferred(golds, coders)
    assert result.matches == sum(len({*result.positions} & {*coder}) for coder in coders)


@pytest.mark.slow
def test_2000_cases_equal_exhaustive_search() -> None:
    rng = random.Random(0)
    for _ in range(2000):
        positions = rng.randint(1, 9)
        _check(_random_coders(rng, positions, rng.randint(1, 6)), positions, 2)


@pytest.mark.parametrize("n_t", [1, 3, 4])
def test_other_spans_equal_exhaustive_search(n_t: int) -> None:
    rng = random.Random(n_t)
    for _ in range(60):
        positions = rng.randint(1, 7)
        _check(_random_coders(rng, positions, rng.randint(1, 5)), positions, n_t)


def test_all_pairs_of_coders_on_four_positions() -> None:
    texts = [tuple(p for p in range(1, 5) if bits >> (p - 1) & 1) for bits in range(16)]
    for a in texts:
        for b in texts:
            _check([a, b], 4, 2)


@st.composite
def _texts(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    positions = draw(st.integers(1, 40))
    marks = st.lists(st.integers(1, positions), unique=True, max_size=positions).map(lambda p: tuple(sorted(p)))
    return draw(st.lists(marks, min_size=1, max_size=7)), positions


def _cost(gold: tuple[int, ...], coders: list[tuple[int, ...]], positions: int, n_t: int) -> float:
    """Return the total cost by the alignment of B."""
    texts = [cz.Segmentation.from_positions(positions + 1, list(side)) for side in (gold, *coders)]
    scores = [cz.boundary_similarity(texts[0], text, n_t=n_t) for text in texts[1:]]
    return sum(edit.cost for score in scores for edit in score.edits or ())


@given(_texts(), st.sampled_from([2, 3]))
def test_cost_is_that_of_the_alignment_and_no_change_of_one_position_is_better(
    case: tuple[list[tuple[int, ...]], int], n_t: int
) -> None:
    coders, positions = case
    result = find_median(coders, positions, n_t)
    assert result.cost == pytest.approx(_cost(result.positions, coders, positions, n_t))
    for position in range(1, positions + 1):
        changed = tuple(sorted({*result.positions} ^ {position}))
        assert _cost(changed, coders, positions, n_t) >= result.cost - 1e-9
    for coder in coders:
        assert _cost(coder, coders, positions, n_t) >= result.cost - 1e-9


@example(
    (([(1, 9), (3, 9), (9,)]), 9), (2, 1)
)  # 2 is as good as nothing, and smaller because of the 9 in another block
@given(_texts(), st.sampled_from([(1, 1), (2, 4), (2, 2**16)]))
def test_general_program_equals_the_majority_and_the_kernel(
    case: tuple[list[tuple[int, ...]], int], size: tuple[int, int]
) -> None:
    (coders, positions), (n_t, block) = case, size
    places = np.arange(1, positions + 1)
    expected = module._search([np.array(own, int) for own in coders], places, places, n_t)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        assert find_median(coders, positions, n_t) == expected


def test_independent_parts_multiply() -> None:
    part = [(1, 4), (2,), (3, 5)]
    optima = find_median(part, 6).optima
    distant = [tuple(p + 9 * k for k in range(300) for p in side) for side in part]
    assert find_median(distant, 9 * 300).optima == optima**300


@pytest.mark.parametrize("coders", [63, 64, 65, 130])
def test_any_number_of_coders(coders: int) -> None:
    #          1 2 3 4 5 6
    # two      . | . . . .
    # one      . . | . . .
    # the rest . . . . . |
    sides = [(2,)] * 2 + [(3,)] + [(6,)] * (coders - 3)
    result = find_median(sides, 6)
    assert (result.positions, result.cost) == ((6,), 2 * 2 + 2)
    assert find_median([(2,)] * coders, 6).matches == coders


@pytest.mark.parametrize(("name", "limit"), [("MAX_STATES", 3), ("_MAX_WAITING", 2)])
def test_too_many_states_are_an_error(name: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, name, limit)
    with pytest.raises(
        OptionError, match=r"too many boundaries lie close .* choose a smaller n_t .* or the method 'majority'"
    ):
        find_median([(1, 4), (2, 5), (3,)], 6, n_t=3)


@pytest.mark.parametrize("n_t", [12, 1_000_000])
def test_a_large_n_t_looks_at_the_positions_of_the_text_only(n_t: int) -> None:
    assert find_median([(2,), (5,), (3,)], 6, n_t).positions == (3,)


def _costs_of_all_segmentations(coder: tuple[int, ...], positions: int) -> np.ndarray:
    """Return twice the distance (n_t = 2) between a coder and each of the 2^positions segmentations.

    Boundaries on one side only form paths of neighbours, on which pairing from the left is optimal.
    """
    golds = np.arange(2**positions)
    cost = np.zeros(len(golds), np.int64)
    open_gold = np.zeros(len(golds), bool)
    open_coder = np.zeros(len(golds), bool)
    for position in range(1, positions + 1):
        gold = (golds >> (position - 1) & 1).astype(bool)
        only_gold = gold & (position not in coder)
        only_coder = ~gold & (position in coder)
        pairs = (only_gold & open_coder) | (only_coder & open_gold)
        cost += 2 * (only_gold | only_coder) - 3 * pairs
        open_gold, open_coder = only_gold & ~pairs, only_coder & ~pairs
    return cost


def test_stargazer_equals_exhaustive_search() -> None:
    coders = [tuple(text.inner.tolist()) for text in stargazer().values() if isinstance(text, cz.Segmentation)]
    costs = sum(_costs_of_all_segmentations(coder, 20) for coder in coders)
    rng = random.Random(0)
    for _ in range(20):  # the costs themselves
        gold = rng.randrange(2**20)
        side = frozenset(p for p in range(1, 21) if gold >> (p - 1) & 1)
        assert costs[gold] == sum(distance(side, frozenset(coder), 2) for coder in coders)  # type: ignore[index]
    optima = np.flatnonzero(costs == np.min(costs)).tolist()
    result = find_median(coders, 20)
    assert (result.cost, result.optima) == (np.min(costs) / 2, len(optima))
    assert result.positions in [tuple(p for p in range(1, 21) if gold >> (p - 1) & 1) for gold in optima]


def test_oracle_distance_by_hand() -> None:
    # a  . | . . |
    # b  | . . . |
    assert distance(frozenset({2, 5}), frozenset({1, 5}), 2) == 1
    assert distance(frozenset({1}), frozenset({3}), 2) == 4
    assert distance(frozenset({1}), frozenset({3}), 4) == 2


@pytest.mark.parametrize("layers", [2, 5, 61, 62, 63, 64, 300])
def test_number_of_paths_of_any_size(layers, monkeypatch) -> None:
    """Small numbers are counted by the kernel, large ones as whole numbers of any size."""
    # 0 < 1 > 3 < 4 ...    every second layer has two nodes; from there, both steps lead to the same node
    #     2       5
    sizes = [1 + k % 2 for k in range(layers)]
    first = np.cumsum([0, *sizes])
    left = np.repeat([*first[1:-1], -1], sizes)
    right = np.repeat([*(first[1:-1] + [size - 1 for size in sizes[1:]]), -1], sizes)
    assert (module.small_count(first, left, right) < 0) == (layers > 62)
    assert module.count_paths(first, left, right) == 2 ** (layers - 1)
    monkeypatch.setattr(module, "small_count", lambda *_: -1)
    assert module.count_paths(first, left, right) == 2 ** (layers - 1)


# -- in seconds -------------------------------------------------------------------------------------------------------

TIMES = st.lists(st.integers(0, 60), max_size=4, unique=True).map(sorted)


@settings(max_examples=100, deadline=None)
@given(st.lists(TIMES, min_size=1, max_size=4), st.sampled_from([1, 5, 12, 30]))
def test_times_equal_the_definition(coders: list[list[int]], n_t: int) -> None:
    places = sorted({time for coder in coders for time in coder})[:10]
    coders = [[time for time in coder if time in places] for coder in coders]
    numbers = {time: number for number, time in enumerate(places, 1)}
    result = find_median([[numbers[t] for t in own] for own in coders], len(places), n_t, np.array(places, np.int64))
    cost, matches, chosen, optima = median(coders, n_t)
    assert result.cost == pytest.approx(float(cost), abs=1e-12)
    assert (result.matches, tuple(places[i - 1] for i in result.positions)) == (matches, chosen)
    assert result.optima == optima


def test_far_times_are_no_near_misses() -> None:
    # ann |        20                     |      near misses: less than 1 s
    # bo  |                  200          |
    result = find_median([[1], [2]], 2, 1000, np.array([20_000, 200_000]))
    assert (result.positions, result.cost, result.optima) == ((1, 2), 2.0, 4)
    # In positions, which are neighbours, the two would be one boundary.
    assert find_median([[1], [2]], 2).positions == (1,)


def test_three_close_coders_have_one_boundary_in_the_middle() -> None:
    result = find_median([[1], [2], [3]], 3, 1000, np.array([10_000, 10_200, 10_600]))
    assert (result.positions, result.cost) == ((2,), pytest.approx(0.2 + 0.4))


def test_nothing_to_place() -> None:
    assert find_median([[], []], 0, 1000, np.array([], np.int64)).positions == ()


def test_dense_times_are_refused_and_many_are_not() -> None:
    coders = [list(range(coder, 100, 3)) for coder in range(1, 4)]
    with pytest.raises(OptionError, match="too many boundaries lie close together"):
        find_median(coders, 100, 100_000, np.arange(100) * 10)
    coders = [list(range(coder, 1000, 3)) for coder in range(1, 4)]
    assert find_median(coders, 1000, 1000, np.arange(1000) * 200).cost > 0


def test_parts_of_a_long_text_are_joined() -> None:
    """Wherever nothing waits, the text is cut: costs and matches are added, and numbers of optima multiplied."""
    part = find_median([[1], [2]], 2, 1000, np.array([0, 300]))
    places = np.array([start + offset for start in range(0, 500_000, 5000) for offset in (0, 300)])
    result = find_median([list(range(1, 201, 2)), list(range(2, 201, 2))], 200, 1000, places)
    assert (result.matches, result.optima) == (100 * part.matches, part.optima**100)
    assert result.cost == pytest.approx(100 * part.cost)
    assert result.positions == tuple(2 * k + number for k in range(100) for number in part.positions)
