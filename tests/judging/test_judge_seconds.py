"""Judging in seconds: bounds on the time axis, agreement as the mean over pairs, and what is undefined."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import caesura as cz
from caesura.judging.bounds import TimedBaselines
from caesura.judging.participants import collect_participants

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")


def tier(*ends: float) -> cz.Tier:
    places = [0.0, *ends, 30.0]
    return cz.Tier([(a, b, "AB"[i % 2]) for i, (a, b) in enumerate(pairwise(places))])


HUMANS = cz.Corpus(
    {
        "one": {"ann": tier(10, 20), "bo": tier(10.5, 20), "cy": tier(10, 21)},
        "two": {"ann": tier(5), "bo": tier(5), "cy": tier(6, 15)},
    }
)
SYSTEMS = {"good": {"one": tier(10, 20), "two": tier(5)}, "bad": {"one": tier(25), "two": tier(1, 2, 3)}}


def test_rows_bounds_and_drops():
    judgement = cz.judge(HUMANS, SYSTEMS, measures=["boundary_f(tolerance='1s')", "purity_coverage"], seed=1)
    f = cz.parse("boundary_f(tolerance='1s')")
    pairs = [(HUMANS[item, coder], SYSTEMS["good"][item]) for item in ("one", "two") for coder in ("ann", "bo", "cy")]
    assert judgement.row("good", f).value == f.total([f.score(*pair) for pair in pairs]).value
    assert judgement.row("good", f).value > judgement.row("random", f).value > judgement.row("none", f).value == 0
    assert judgement.row("bad", f).value < judgement.row("human", f).value
    expected = {"good", "bad", "human", "random", "placement", "regular", "none"}
    assert {row.segmenter for row in judgement.rows} == expected
    assert "all" in judgement.undefined
    without = cz.agreement(HUMANS, f, interval=None).value
    drop = next(drop for drop in judgement.drops if drop.system == "bad")
    assert drop.coefficient == "mean"
    assert drop.without_system == pytest.approx(without)
    assert drop.value > 0
    again = cz.judge(HUMANS, SYSTEMS, measures=["boundary_f(tolerance='1s')"], seed=1)
    assert [row.value for row in again.rows] == [row.value for row in judgement.rows if row.measure == f]


def test_baselines():
    baselines = TimedBaselines(collect_participants(HUMANS, SYSTEMS))
    assert baselines.rate == pytest.approx(10 / 180)  # 6 boundaries in one, 4 in two, of three coders each
    assert baselines.lengths.sum() == pytest.approx(180)
    regular = baselines.fixed()["regular"]["one"]
    assert np.diff(regular.edges.inner) == pytest.approx(baselines.lengths.mean())
    assert baselines.fixed()["none"]["two"].edges.inner.size == 0
    rng = np.random.default_rng(0)
    placed = baselines.draws(rng, placement=True)(300)[1]().values()
    assert np.mean([texts["one"].edges.inner.size for texts in placed]) == pytest.approx(30 * 10 / 180, abs=0.3)
    (random,) = baselines.draws(rng, placement=False)(1)[1]().values()
    assert {interval.label for interval in random["one"].intervals} <= {"A", "B"}


def test_labels_of_systems():
    judgement = cz.judge(HUMANS, SYSTEMS, measures="time_kappa", seed=0)
    assert judgement.row("good", "time_kappa").value > judgement.row("random", "time_kappa").value


def test_bad_input():
    units = {"good": {"one": cz.Segmentation.from_masses([3, 4])}}
    with pytest.raises(cz.errors.OptionError, match="ann has seconds and good has units"):
        cz.judge(HUMANS, units, measures="purity_coverage")
