"""Table 1 of Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT, p. 159."""

from __future__ import annotations

import math

import pytest

from caesura.papers.experiments import ScenarioMean, table_1

pytestmark = pytest.mark.slow  # two simulated experiments

WD, S = "window_diff", "segmentation_similarity"

# Mean and standard deviation of WD, and of S, over 10 trials of 100 hypotheses.
PRINTED = {
    ("misses", 20, 30): (0.2340, 0.0113, 0.9801, 0.0006),
    ("misses", 15, 35): (0.2292, 0.0104, 0.9801, 0.0006),
    ("misses", 10, 40): (0.2297, 0.0105, 0.9799, 0.0007),
    ("misses", 5, 45): (0.2206, 0.0079, 0.9796, 0.0007),
    ("false alarms", 20, 30): (0.2265, 0.0114, 0.9800, 0.0006),
    ("false alarms", 15, 35): (0.2265, 0.0111, 0.9800, 0.0006),
    ("false alarms", 10, 40): (0.2256, 0.0102, 0.9800, 0.0006),
    ("false alarms", 5, 45): (0.2184, 0.0069, 0.9796, 0.0007),
    ("both", 20, 30): (0.3635, 0.0126, 0.9605, 0.0009),
    ("both", 15, 35): (0.3599, 0.0117, 0.9603, 0.0009),
    ("both", 10, 40): (0.3516, 0.0110, 0.9606, 0.0010),
    ("both", 5, 45): (0.3254, 0.0087, 0.9598, 0.0011),
}
CELLS = [(scenario, low, high, name) for scenario, low, high in PRINTED for name in (WD, S)]


def printed(cell: tuple[str, int, int, str]) -> tuple[float, float]:
    values = PRINTED[cell[:3]]
    return values[:2] if cell[3] == WD else values[2:]


def by_place(table: tuple[ScenarioMean, ...]) -> dict[tuple[str, int, int, str], ScenarioMean]:
    """Return the cells under the printed ranges. The last column, 5..44, has the heading (5, 45)."""
    return {(c.scenario, c.low, 45 if c.high == 44 else c.high, c.measure.name): c for c in table}


# Trials differ because of the reference and its k of WindowDiff. So many trials of few hypotheses estimate the mean, and the
# deviation of ten trials from it, better than ten trials of many.
LONG = {"seed": 2012, "trials": 200, "hypotheses": 10}


@pytest.fixture(scope="module")
def corrected() -> dict[tuple[str, int, int, str], ScenarioMean]:
    return by_place(table_1(**LONG))


@pytest.fixture(scope="module")
def preset() -> dict[tuple[str, int, int, str], ScenarioMean]:
    return by_place(table_1(**LONG, compat="fournier2012"))


def sampling_error(cell: ScenarioMean) -> float:
    """Return three standard errors of the difference between our mean and a mean over 10 trials of 100, plus rounding.

    The variance of a trial's mean is that between trials and that within, divided by the hypotheses; of a single value
    it is the sum of both.
    """
    trials, n = LONG["trials"], LONG["hypotheses"]
    of_mean = cell.standard_error**2 * trials
    within = (cell.deviation**2 - of_mean) * n / (n - 1)
    between = of_mean - within / n
    of_print = (between + within / 100) / 10
    return 3 * math.sqrt(of_print + of_mean / trials) + 0.00005


@pytest.mark.parametrize("case", CELLS, ids=lambda case: "{} ({},{}) {}".format(*case))
def test_the_corrected_experiment_is_close_to_the_table(corrected, case):
    mean, _ = printed(case)
    assert corrected[case].mean == pytest.approx(mean, abs=0.012 if case[3] == WD else 0.0015)


@pytest.mark.parametrize("case", CELLS, ids=lambda case: "{} ({},{}) {}".format(*case))
def test_the_preset_reproduces_the_table_within_sampling_error(preset, case):
    mean, deviation = printed(case)
    ours = preset[case]
    assert abs(ours.mean - mean) < sampling_error(ours)
    assert ours.deviation == pytest.approx(deviation, abs=0.0025 if case[3] == WD else 0.00015)


def test_every_cell_was_checked(corrected, preset):
    assert set(corrected) == set(preset) == set(CELLS)


def test_the_table_cannot_be_reproduced_without_the_quirks(corrected):
    """Otherwise the test of the preset would prove nothing."""
    case = ("both", 5, 45, S)
    assert abs(corrected[case].mean - printed(case)[0]) > 2 * sampling_error(corrected[case])


def test_the_experiment_at_its_own_size(preset):
    """10 trials of 100 hypotheses. Our result and the printed one both have a sampling error."""
    for case, cell in by_place(table_1(seed=1, compat="fournier2012")).items():
        assert abs(cell.mean - printed(case)[0]) < math.sqrt(2) * sampling_error(preset[case])
