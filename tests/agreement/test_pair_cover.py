"""Sets of annotators that contain every pair once, and the lower bound and the search that rest on them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from caesura.agreement.unitary import Dissimilarity, best_alignments, good_alignment
from caesura.agreement.unitary_bound import half_bound, lower_bound, pair_cover, pairwise_bound
from oracle.unitizing_gamma import Definition
from support.continua import categories_of, overlapping, table_of

HOW = Dissimilarity(1.0, 1.0, np.zeros((0, 0)))


@pytest.mark.parametrize("annotators", [*range(2, 35), 50, 73, 120])
def test_every_pair_is_in_exactly_one_set(annotators: int) -> None:
    blocks = pair_cover(annotators)
    pairs = [pair for block in blocks for pair in combinations(block, 2)]
    assert sorted(pairs) == list(combinations(range(annotators), 2))
    assert max(map(len, blocks)) <= 6


@pytest.mark.parametrize("annotators", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_search_and_bounds_enclose_the_minimum_by_definition(annotators: int, seed: int) -> None:
    units = overlapping(annotators, 6 // annotators, 12, 6, seed)
    exact = float(Definition(units).best_cost())
    table = table_of(units, categories_of(units))
    good = good_alignment(table, HOW)
    groups = good.of_sample()
    assert sorted(unit for group in groups for unit in group) == list(range(len(table)))
    assert all(len({table.annotator[unit] for unit in group}) == len(group) for group in groups)
    assert good.bound[0] - 1e-9 <= exact <= good.cost[0] + 1e-9
    assert lower_bound(table, HOW, best_alignments) <= exact + 1e-9
    assert pairwise_bound(table, HOW) <= exact + 1e-9
    if annotators == 2:
        assert half_bound(table, HOW) <= exact + 1e-9


@pytest.mark.parametrize("annotators", [3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_search_and_bound_are_near_the_exact_cost(annotators: int, seed: int) -> None:
    """The exact cost is proved; random units are the hardest case, and these margins leave room beside the worst of them."""
    units = overlapping(annotators, 20, 120, 14, seed)
    table = table_of(units, categories_of(units))
    exact, good = best_alignments(table, HOW), good_alignment(table, HOW)
    assert exact.proved[0]
    cost = exact.cost[0]
    assert cost - 1e-9 <= good.cost[0] <= 1.03 * cost
    assert 0.7 * cost <= good.bound[0] <= cost + 1e-9


def test_nominal_distances_need_no_matrix() -> None:
    units = overlapping(4, 15, 60, 9, 1)
    table = table_of(units, categories_of(units))
    with_matrix = best_alignments(table, Dissimilarity(1.0, 1.0, 1.0 - np.eye(3)))
    without = best_alignments(table, HOW)
    assert without.cost[0] == with_matrix.cost[0]
    assert without.label.tolist() == with_matrix.label.tolist()


def test_many_annotators_who_agree_are_proved() -> None:
    base = overlapping(1, 10, 200, 9, 3)["a00"]
    moved = {f"a{k:02}": [(s + k % 2, e, c) for s, e, c in base] for k in range(12)}
    result = best_alignments(table_of(moved, categories_of(moved)), HOW)
    assert result.proved
    assert result.cost == result.bound
