"""The best alignment is the minimum over all alignments, by exhaustive search, by other programs and by its own bound."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.agreement.unitary import Alignments, Dissimilarity, UnitTable, best_alignments
from caesura.agreement.unitary_bound import distances
from caesura.kernels.unitary import pair_terms
from oracle.unitizing_gamma import Definition, position
from support.continua import align, overlapping, rows_of
from support.examples import examples
from support.oracles import read_oracle

CASES = read_oracle("gamma.jsonl")
CONTINUA = [case for case in CASES if "annotators" in case]


def _arguments(case: dict[str, Any]) -> dict[str, Any]:
    params = case["params"]
    categories = params.get("categories") or sorted(
        {unit[2] for units in case["annotators"].values() for unit in units}
    )
    return {key: params.get(key) for key in ("alpha", "beta", "matrix")} | {"categories": categories}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] == "published_dpos"], ids=lambda case: case["id"]
)
def test_figure_10_of_the_2015_paper(case: dict[str, Any]) -> None:
    u, v = case["u"], case["v"]
    ends = np.array([u, v], float).T.copy()
    codes = np.zeros(2, np.int32)
    terms = pair_terms(
        np.array([0, 2]), np.array([0, 1], np.int32), ends[0], ends[1], codes, 2, 1.0, 1.0, np.zeros((1, 1))
    )
    assert terms[4][0] == pytest.approx(case["d_pos"], abs=1e-12)
    assert terms[4][0] == pytest.approx(case["printed"], abs=0.05 if case["printed"] > 1 else 0.005)
    assert float(position((*u, ""), (*v, "")) or 0) == pytest.approx(case["d_pos"], abs=1e-12)


@pytest.mark.parametrize("case", CONTINUA, ids=lambda case: case["id"])
def test_best_alignment_equals_the_exact_disorder(case: dict[str, Any]) -> None:
    result, params, exact = align(case["annotators"], **_arguments(case)), case["params"], case["exact"]
    disorder = result.cost[0] * params["delta_empty"] / _mean_units(result)
    assert result.proved
    assert disorder == pytest.approx(exact["disorder"], abs=1e-9)
    assert disorder == pytest.approx(exact.get("brute", disorder), abs=1e-9)
    if "unique" in exact:
        assert result.unique[0] == exact["unique"]
    if exact.get("unique") and "alignment" in case["pygamma"]:
        assert rows_of(result, case["annotators"]) == {tuple(row) for row in case["pygamma"]["alignment"]}
    if not case["id"].startswith("d_"):  # two cases with a defect of pygamma
        assert disorder == pytest.approx(case["pygamma"]["disorder"], rel=2e-6, abs=2e-6)


@pytest.mark.parametrize("case", [case for case in CONTINUA if "samples" in case], ids=lambda case: case["id"])
def test_best_alignment_of_random_samples(case: dict[str, Any]) -> None:
    for sample in case["samples"]:
        result = align(sample["annotators"], **_arguments(case))
        disorder = result.cost[0] * case["params"]["delta_empty"] / _mean_units(result)
        assert disorder == pytest.approx(sample["disorder_exact"], abs=1e-9)


def _mean_units(alignments: Alignments) -> float:
    return len(alignments.table) / alignments.table.annotators


def _check_by_definition(annotators: dict[str, list[Any]], alpha: Any = 1, beta: Any = 1) -> None:
    cost, tuples, numerator, ties = Definition(annotators, alpha, beta).choice()
    result = align(annotators, alpha, beta)
    assert result.proved
    assert result.cost[0] == pytest.approx(float(cost), abs=1e-9)
    assert len(result.of_sample()) == tuples
    weights = np.maximum(0, 1 - result.pairs.position) / (np.diff(result.begin)[result.pairs.owner] - 1)
    assert (weights * result.pairs.distance).sum() == pytest.approx(float(numerator), abs=1e-9)
    if all(len(set(units)) == len(units) for units in annotators.values()):
        assert result.unique[0] == (ties == 1)


def _units() -> st.SearchStrategy[tuple[int, int, str]]:
    return st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from("xyz")).map(
        lambda u: (u[0], u[0] + u[1], u[2])
    )


@examples(100)
@given(
    st.lists(st.lists(_units(), max_size=3), min_size=2, max_size=4),
    st.sampled_from([1, 3, Fraction(1, 2)]),
    st.integers(0, 2),
)
def test_best_alignment_and_tie_rule_by_definition(units: list[list[Any]], alpha: Any, beta: int) -> None:
    while sum(map(len, units)) > 6:  # larger continua have too many alignments for the definition
        max(units, key=len).pop()
    _check_by_definition({f"a{k}": sorted(part) for k, part in enumerate(units)}, alpha, beta)


def _continua(annotators: int, most: int) -> Any:
    """All continua of up to ``most`` units on a small grid with two categories, up to the order of annotators."""
    grid = [(0, 2, "x"), (1, 2, "x"), (1, 3, "y"), (2, 3, "x"), (0, 1, "x")][: 7 - annotators]
    parts = [part for size in range(most + 1) for part in combinations_with_replacement(grid, size)]
    for units in combinations_with_replacement(parts, annotators):
        if 0 < sum(map(len, units)) <= most:
            yield {f"a{k}": list(part) for k, part in enumerate(units)}


@pytest.mark.slow
@pytest.mark.parametrize("annotators", [2, 3])
def test_all_small_continua_by_exhaustive_search(annotators: int) -> None:
    checked = 0
    for continuum in _continua(annotators, 6):
        expected = Definition(continuum).best_cost()
        result = align(continuum)
        assert result.cost[0] == pytest.approx(float(expected), abs=1e-9), continuum
        assert result.proved
        checked += 1
    assert checked > 2_000


@pytest.mark.parametrize("annotators", [2, 3])
def test_small_continua_by_exhaustive_search(annotators: int) -> None:
    for continuum in _continua(annotators, 3):
        assert align(continuum).cost[0] == pytest.approx(float(Definition(continuum).best_cost()), abs=1e-9), continuum


def test_zero_lengths_meet_at_the_same_position_only() -> None:
    together = align({"a": [(3, 3, "x")], "b": [(3, 3, "x")]})
    assert together.cost == 0
    apart = align({"a": [(3, 3, "x")], "b": [(4, 4, "x")]})
    assert apart.cost == 2
    assert len(apart.of_sample()) == 2


def test_identical_units_of_one_annotator_are_all_aligned() -> None:
    units = [(0.0, 4.0, "x")] * 12 + [(6.0, 9.0, "y")] * 12
    result = align({"a": units, "b": units, "c": units[3:]})
    assert len(result.of_sample()) == 24
    assert result.cost[0] == pytest.approx(3 * 2 / 3)


def test_annotators_without_units_have_empty_places() -> None:
    result = align({"a": [(0, 4, "x")], "b": [(0, 4, "x")], "c": []})
    assert result.cost[0] == pytest.approx(2 / 3)
    assert _mean_units(result) == pytest.approx(2 / 3)
    assert align({"a": [], "b": [], "c": []}, categories=["x"]).cost == 0


@pytest.mark.parametrize("seed", range(3))
def test_heavy_overlap_is_proved_optimal(seed: int) -> None:
    result = align(overlapping(3, 80, 240, 14, seed))
    assert result.proved
    assert result.bound == result.cost


def test_two_annotators_with_many_overlaps_agree_with_scipy() -> None:
    from scipy.optimize import linear_sum_assignment

    annotators = overlapping(2, 150, 60, 30, 4)
    result = align(annotators)
    table, how = result.table, result.dissimilarity
    rows, columns = (np.flatnonzero(table.annotator == k) for k in (0, 1))
    cost = np.minimum(distances(table, how, rows, columns), 2)
    first, second = linear_sum_assignment(cost)
    assert result.cost[0] == pytest.approx(cost[first, second].sum(), abs=1e-9)


def test_twenty_annotators_get_an_answer_with_a_bound() -> None:
    base = overlapping(1, 8, 100, 9, 0)["a00"]
    rng = np.random.default_rng(1)
    moved = {
        f"a{k:02}": [(s + float(rng.integers(0, 2)), e + float(rng.integers(2, 4)), c) for s, e, c in base]
        for k in range(20)
    }
    result = align(moved)
    assert result.bound <= result.cost + 1e-9
    identical = align({f"a{k:02}": base for k in range(20)})
    assert identical.proved
    assert identical.cost == 0


def test_search_without_enough_work_gives_a_bound() -> None:
    annotators = overlapping(4, 40, 120, 14, 0)
    exact, short = align(annotators), align(annotators, effort=1e-3)
    assert exact.proved
    assert not short.proved
    assert short.bound - 1e-9 <= exact.cost <= short.cost + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_order_of_annotators_and_units_does_not_matter(seed: int) -> None:
    annotators = overlapping(4, 12, 60, 10, seed)
    rng = np.random.default_rng(seed)
    costs = set()
    for _ in range(4):
        names = rng.permutation(4)
        costs.add(
            align(
                {f"b{names[k]}": [units[i] for i in rng.permutation(12)] for k, units in enumerate(annotators.values())}
            ).cost[0]
        )
    assert len(costs) == 1


def test_pairs_that_never_meet_are_left_out_without_loss() -> None:
    for first, second in combinations(list(product(range(0, 12, 3), (1, 5))), 2):
        units = {"a": [(first[0], sum(first), "x")], "b": [(second[0], sum(second), "x")], "c": [(0, 6, "y")]}
        assert align(units).cost[0] == pytest.approx(float(Definition(units).best_cost()), abs=1e-12)


@pytest.mark.parametrize("annotators", [2, 3, 4, 7])
@pytest.mark.parametrize("effort", [1.0, 2e-4])
def test_samples_have_the_same_alignment_together_as_alone(annotators: int, effort: float) -> None:
    """Easy and hard samples, one without units, and with little effort some without proof."""
    rng = np.random.default_rng(annotators)
    how = Dissimilarity(1.0, 1.0, 1 - np.eye(3))
    sizes = np.array([5, 0, 1, 18, 45 if annotators < 7 else 14, 7])
    columns = []
    for size in sizes.tolist():
        start = rng.integers(0, 2 * size + 1, size).astype(float)
        ends = start + rng.integers(0, 9, size)
        columns.append((start, ends, rng.integers(0, 3, size), rng.integers(0, annotators, size)))
    together = UnitTable.build(*map(np.concatenate, zip(*columns, strict=True)), annotators, sizes)
    alignments = best_alignments(together, how, effort=effort)
    for number, column in enumerate(columns):
        alone = best_alignments(UnitTable.build(*column, annotators), how, effort=effort)
        first = int(together.offset[number])
        assert [[unit - first for unit in units] for units in alignments.of_sample(number)] == alone.of_sample()
        for name in ("proved", "bound", "unique", "cost"):
            assert getattr(alignments, name)[number] == getattr(alone, name)[0]
