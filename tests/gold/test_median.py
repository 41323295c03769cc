"""The median segmentation against exhaustive search over all segmentations and all pairings."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.data import stargazer
from caesura.errors import OptionError
from caesura.gold import median as module
from caesura.gold.median import median_segmentation
from oracle.median import distance, medians, preferred


def _random_coders(rng: random.Random, positions: int, coders: int) -> list[tuple[int, ...]]:
    density = rng.random()
    return [tuple(p for p in range(1, positions + 1) if rng.random() < density) for _ in range(coders)]


def _check(coders: list[tuple[int, ...]], positions: int, n_t: int) -> None:
    cost, golds = medians(coders, positions, n_t)
    result = median_segmentation(coders, positions, n_t)
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
    result = median_segmentation(coders, positions, n_t)
    assert result.cost == pytest.approx(_cost(result.positions, coders, positions, n_t))
    for position in range(1, positions + 1):
        changed = tuple(sorted({*result.positions} ^ {position}))
        assert _cost(changed, coders, positions, n_t) >= result.cost - 1e-9
    for coder in coders:
        assert _cost(coder, coders, positions, n_t) >= result.cost - 1e-9


@given(_texts())
def test_general_program_equals_the_kernel(case: tuple[list[tuple[int, ...]], int]) -> None:
    coders, positions = case
    marks = np.zeros((positions, len(coders)), bool)
    for coder, boundaries in enumerate(coders):
        marks[np.array(boundaries, int) - 1, coder] = True
    assert module._JointStates(marks, 2).solve() == median_segmentation(coders, positions)


def test_independent_parts_multiply() -> None:
    part = [(1, 4), (2,), (3, 5)]
    optima = median_segmentation(part, 6).optima
    distant = [tuple(p + 9 * k for k in range(300) for p in side) for side in part]
    assert median_segmentation(distant, 9 * 300).optima == optima**300


@pytest.mark.parametrize("coders", [63, 64, 65, 130])
def test_any_number_of_coders(coders: int) -> None:
    #          1 2 3 4 5 6
    # two      . | . . . .
    # one      . . | . . .
    # the rest . . . . . |
    sides = [(2,)] * 2 + [(3,)] + [(6,)] * (coders - 3)
    result = median_segmentation(sides, 6)
    assert (result.positions, result.cost) == ((6,), 2 * 2 + 2)
    assert median_segmentation([(2,)] * coders, 6).matches == coders


def test_too_many_states_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STATES", 3)
    with pytest.raises(OptionError, match=r"too many states .* choose a smaller n_t .* or the method 'majority'"):
        median_segmentation([(1, 4), (2, 5), (3,)], 6, n_t=3)
    with pytest.raises(OptionError, match="too many states"):
        median_segmentation([(1, 4), (2, 5), (3,)], 6, n_t=12)


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
    result = median_segmentation(coders, 20)
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
