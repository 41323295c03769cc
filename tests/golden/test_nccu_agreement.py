"""kappa, pi, s and s_modified of the three conversations of Lai, Li & Zhang (2023)."""

from __future__ import annotations

import warnings

import pytest

import caesura as cz
from support.oracles import read_oracle

TYPES = [".", ",", "?", "--", ";"]
# The matrix that Section 4.2 describes, in the order of TYPES, then none.
WORDED = {
    "types": TYPES,
    "matrix": [
        [1, 0.5, 0.25, 0.25, 1, 0],
        [0.5, 1, 0.5, 0.5, 1, 0.25],
        [0.25, 0.5, 1, 0.25, 1, 0],
        [0.25, 0.5, 0.25, 1, 1, 0.25],
        [1, 1, 1, 1, 1, 1],
        [0, 0.25, 0, 0.25, 1, 1],
    ],
}
COSTS = {".": 0.5, ",": 0.375, "?": 0.5, "--": 0.375, ";": 0}


def marks(line: str) -> cz.Segmentation:
    return cz.Segmentation.from_marks([{" ": "", "–": "--"}.get(c, c) for c in line], types=TYPES)


@pytest.fixture(scope="module")
def talks() -> dict[str, cz.Corpus]:
    corpora = {}
    for row in read_oracle("nccu.jsonl"):
        sides = [dict(zip(row["speakers"], map(marks, row[side]), strict=True)) for side in ("lists1", "lists2")]
        corpora[row["text"]] = cz.Corpus({row["text"]: {"A": sides[0], "B": sides[1]}})
    return corpora


def measure(matrix: str, **options: object) -> cz.Measure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ";" is identical to none
        return cz.parse("flexible_similarity").replace(similarity=WORDED if matrix == "worded" else None, **options)


@pytest.mark.parametrize(
    ("talk", "matrix", "kappa"),
    [
        ("t001", "identity", 0.688796),
        ("t004", "identity", 0.734660),
        ("t001", "worded", 0.787934),
        ("t004", "worded", 0.804697),
    ],
)
def test_kappa_of_s_f(talks: dict[str, cz.Corpus], talk: str, matrix: str, kappa: float) -> None:
    exact = cz.agreement(talks[talk], measure=measure(matrix), chance="exact")
    assert exact.method == "exact"
    assert f"{exact.value:.6f}" == f"{kappa:.6f}"
    simulated = cz.agreement(talks[talk], measure=measure(matrix), seed=1, chance=cz.Simulate(draws=4000))
    assert abs(simulated.value - kappa) < 3 * simulated.standard_error + 5e-7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("talk", "values"),
    [
        ("t001", {"pi": 0.687894, "s": 0.875818, "s_modified": 0.704490}),
        ("t004", {"pi": 0.734441, "s": 0.907973, "s_modified": 0.756526}),
    ],
)
def test_other_coefficients_of_s_f(talks: dict[str, cz.Corpus], talk: str, values: dict[str, float]) -> None:
    for name, value in values.items():
        exact = cz.agreement(talks[talk], measure=measure("identity"), coefficient=name, chance="exact")
        assert f"{exact.value:.6f}" == f"{value:.6f}", name
        simulated = cz.agreement(
            talks[talk], measure=measure("identity"), coefficient=name, seed=2, chance=cz.Simulate(draws=4000)
        )
        assert abs(simulated.value - value) < 3 * simulated.standard_error + 5e-7, name


# S_f^B, and the R package's alignment and counting with the whole distribution: simulated, to five digits.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("talk", "matrix", "s_f_b", "old", "old_b"),
    [
        ("t001", "identity", 0.55086, 0.68983, 0.54543),
        ("t001", "worded", 0.70844, 0.78509, 0.69842),
        ("t004", "identity", 0.61877, 0.73549, 0.61575),
        ("t004", "worded", 0.73040, 0.80329, 0.72583),
    ],
)
def test_kappa_of_s_f_b_and_of_the_r_package(
    talks: dict[str, cz.Corpus], talk: str, matrix: str, s_f_b: float, old: float, old_b: float
) -> None:
    costs = COSTS if matrix == "worded" else None
    for options, value in (
        ({"normalize": "boundaries"}, s_f_b),
        ({"compat": "segsimflex", "transposition": costs}, old),
        ({"compat": "segsimflex", "transposition": costs, "normalize": "boundaries"}, old_b),
    ):
        simulated = cz.agreement(
            talks[talk], measure=measure(matrix, **options), seed=3, chance=cz.Simulate(draws=4000)
        )
        # the expected values are simulated too, with a standard error below .0001
        assert abs(simulated.value - value) < 3 * simulated.standard_error + 1e-4, options


def test_s_f_b_with_the_exact_cost(talks: dict[str, cz.Corpus]) -> None:
    ratio = measure("identity", normalize="boundaries")
    chances = (cz.Simulate(draws=4000), cz.Exact(draws=4000))
    plain, helped = (cz.agreement(talks["t001"], measure=ratio, seed=4, chance=chance) for chance in chances)
    assert helped.standard_error < plain.standard_error
    assert abs(helped.value - 0.55086) < 3 * helped.standard_error + 5e-6
