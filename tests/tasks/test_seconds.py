"""Annotations in seconds without units: default measures, lengths that are not known, and extents that differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, MismatchError, OptionError, TierError
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.disagreements import find_disagreements
from caesura.tasks.judge import judge_systems
from caesura.tasks.pairwise import PairwiseOptions, compare_pairs
from caesura.tasks.report import analyze_corpus
from caesura.tasks.score import score_corpora
from support.commands import invoke

# ann |A|BB|A|      bo |A |B|A|
ANN = cz.Tier([(0, 2, "A"), (2, 5, "B"), (5, 9, "A")])
BO = cz.Tier([(0, 2.4, "A"), (2.4, 5.2, "B"), (5.2, 9, "A")])
LABELLED = cz.Corpus({"song": {"ann": ANN, "bo": BO}})
PRESSES = {"p1": [10.0, 20.0], "p2": [10.2, 20.9], "p3": [30.0]}
POINTS = cz.Corpus({"film": {name: cz.Segmentation.from_times(at, duration=60) for name, at in PRESSES.items()}})
BOUNDARIES, MOVES, SEGMENTS = "boundary_f(tolerance='0.5s')", "boundary_similarity(n_t='0.5s')", "purity_coverage"
LABELS = "label_share"


def names(measures: Any) -> list[str]:
    return [repr(measure) for measure in measures]


def test_labels_have_a_kappa_of_time_and_boundaries_a_mean() -> None:
    study = agree(LABELLED)
    expected = [(LABELS, "kappa"), (BOUNDARIES, "mean"), (MOVES, "mean"), (SEGMENTS, "mean")]
    assert [(repr(entry.measure), entry.coefficient) for entry in study.agreement] == expected
    assert study.agreement[0].result.value == cz.agreement(LABELLED, "label_share").value
    assert study.agreement[1].result.value == cz.boundary_f(ANN, BO, tolerance="0.5s").value == 1


def test_a_coefficient_is_that_of_the_labels() -> None:
    (entry,) = agree(LABELLED, AgreeOptions(coefficients=("pi",))).agreement
    assert (repr(entry.measure), entry.coefficient) == (LABELS, "pi")
    with pytest.raises(OptionError, match="pi counts positions between units"):
        agree(POINTS, AgreeOptions(coefficients=("pi",)))


def test_all_tasks_compare_seconds() -> None:
    assert names(entry.measure for entry in agree(POINTS).agreement) == [BOUNDARIES, MOVES, SEGMENTS]
    expected = [LABELS, BOUNDARIES, MOVES, SEGMENTS]
    assert names(dict.fromkeys(row.score.measure for row in score_corpora(LABELLED).scores)) == expected
    assert names(result.measure for result in compare_pairs(POINTS).pairwise) == [BOUNDARIES, MOVES, SEGMENTS]
    people, system = POINTS.select(coders=["p1", "p2"]), {"p3": POINTS.of_coder("p3")}
    expected = [BOUNDARIES, MOVES, SEGMENTS]
    assert names(dict.fromkeys(row.measure for row in judge_systems(people, system).rows)) == expected
    assert names(dict.fromkeys(row.measure for row in cz.judge(people, system).rows)) == [BOUNDARIES, MOVES, SEGMENTS]
    report = analyze_corpus(POINTS)
    assert report.agreement.result is not None
    assert names(entry.measure for entry in report.agreement.result) == [BOUNDARIES, MOVES, SEGMENTS]
    assert report.pairs.result is not None
    assert names(table.measure for table in report.pairs.result) == [BOUNDARIES, MOVES, SEGMENTS]


def test_disagreements_are_near_misses_in_seconds() -> None:
    """10 and 10.2 cost .4 with n_t = .5 s; 20 and 20.9 are too far apart: two misses."""
    result = find_disagreements(POINTS.select(coders=["p1", "p2"]))
    assert [round(row.cost, 9) for row in result.rows] == [1, 1, 0.4]
    assert repr(result.measure) == MOVES


def test_labels_that_nobody_shares_or_that_are_text_say_nothing() -> None:
    speakers = cz.Corpus({"call": {"ref": ANN, "hyp": cz.Tier([(0, 2, "spk0"), (2, 9, "spk1")])}})
    assert names(entry.measure for entry in agree(speakers).agreement) == [BOUNDARIES, MOVES, SEGMENTS]
    lines = [(0.0, 2.0, "well then"), (2.0, 5.0, "let us go"), (5.0, 9.0, "home at last")]
    subtitles = cz.Corpus({"film": {"a": cz.Tier(lines), "b": cz.Tier([(0.0, 5.0, "so we go"), lines[2]])}})
    assert names(entry.measure for entry in agree(subtitles).agreement) == [BOUNDARIES, MOVES, SEGMENTS]


@pytest.mark.filterwarnings("ignore:item 'song'. edges were moved:caesura.errors.CaesuraWarning")
def test_words_are_units() -> None:
    words = [(0.0, 2.0, "good"), (2.0, 5.0, "night"), (5.0, 9.0, "moon")]
    spoken = cz.Corpus({"song": {"ann": ANN.with_words(words), "bo": BO.with_words(words)}})
    assert "boundary_similarity(n_t=2)" in names(entry.measure for entry in agree(spoken).agreement)


def test_different_extents_leave_the_boundaries() -> None:
    corpus = cz.Corpus({"song": {"ann": ANN, "bo": cz.Tier([(0, 2, "A"), (2, 8, "B")])}})
    message = r"item 'song' has the extents 0-9 s and 0-8 s.*purity_coverage\(extent=union\)"
    with pytest.warns(CaesuraWarning, match=message):
        study = agree(corpus)
    assert names(entry.measure for entry in study.agreement) == [BOUNDARIES]


# -- lengths that are not known -----------------------------------------------------------------------------------------


@pytest.fixture
def presses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["p1,film,10", "p1,film,20", "p2,film,10.2", "p2,film,20.9", "p3,film,30"]
    Path("keys.csv").write_text("participant,video,time\n" + "\n".join(rows) + "\n")
    Path("durations.csv").write_text("video,duration\nfilm,60\n")


@pytest.mark.usefixtures("presses")
def test_only_boundaries_if_the_lengths_are_not_known() -> None:
    corpus = cz.read("keys.csv")
    with pytest.warns(CaesuraWarning, match="lengths of the items are not known.*--reading lengths=FILE"):
        study = agree(corpus)
    assert names(entry.measure for entry in study.agreement) == [BOUNDARIES]
    expected = [BOUNDARIES, MOVES, SEGMENTS]
    assert names(entry.measure for entry in agree(cz.read("keys.csv", lengths="durations.csv")).agreement) == expected


@pytest.mark.usefixtures("presses")
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("measure", ["purity_coverage", "F1@5%", "pk(window=2s)", "B(n_t=1s)", "hausdorff(ends=both)"])
def test_measures_that_need_the_lengths_are_refused(measure: str) -> None:
    corpus = cz.read("keys.csv")
    with pytest.raises(MismatchError, match=r"length of the recording is not known.*lengths=FILE"):
        cz.parse(measure).score(corpus["film", "p1"], corpus["film", "p2"])
    result = invoke(["agree", "keys.csv", "-m", measure])
    assert result.exit_code == 1
    assert "--reading lengths=FILE" in result.stderr
    assert invoke(["agree", "keys.csv", "-m", measure, "--reading", "lengths=durations.csv"]).exit_code == 0


@pytest.mark.usefixtures("presses")
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_units_and_placement_need_the_lengths() -> None:
    corpus = cz.read("keys.csv")
    with pytest.raises(TierError, match="lengths=FILE"):
        agree(corpus, AgreeOptions(cochran=True))
    with pytest.raises(OptionError, match="lengths=FILE"):
        agree(corpus, AgreeOptions(chance="placement"))
    result = invoke("judge keys.csv --system p3 --json")
    rows = json.loads(result.stdout)["results"]["rows"]
    assert {row["segmenter"] for row in rows} == {"p3", "human"}


@pytest.mark.usefixtures("presses")
def test_the_last_press_is_a_boundary_of_its_coder() -> None:
    result = find_disagreements(cz.read("keys.csv"))
    last = next(place for place in result.places if place.times == (30.0,))
    assert (last.has, last.has_not) == (("p3",), ("p1", "p2"))


@pytest.mark.usefixtures("presses")
def test_info_says_seconds_and_points() -> None:
    printed = invoke("info keys.csv").stdout
    assert "seconds  points" in printed
    assert "units" not in printed


def test_numbers_in_seconds_are_verified(tmp_path: Path) -> None:
    path = tmp_path / "song.TextGrid"
    cz.write(LABELLED, path)
    study = agree(cz.read(path))
    for entry in study.agreement:
        assert cz.verify(entry.result.signature, cz.read(path)).status == "verified"


# -- levels of hierarchies in time ----------------------------------------------------------------------------------------


def test_times_of_hierarchies_are_not_merged_for_measures_in_seconds() -> None:
    """By hand: 12.5 + 25.2 + 20 of 60 seconds are covered, and as many are pure."""
    sides = {"ann": [(0, 12.5), (12.5, 40), (40, 60)], "bo": [(0, 13), (13, 38.2), (38.2, 60)]}
    songs = {coder: cz.Hierarchy.from_times(rows) for coder, rows in sides.items()}
    corpus, options = cz.Corpus({"song": songs}), AgreeOptions(measures=("purity_coverage",))
    expected = pytest.approx(57.7 / 60)
    (entry,) = agree(corpus, options).agreement
    assert entry.result.value == expected
    assert compare_pairs(corpus, PairwiseOptions(measures=("purity_coverage",))).pairwise[0].mean == expected
    people, system = corpus.select(coders=["ann"]), {"bo": corpus.of_coder("bo")}
    assert cz.judge(people, system, measures="purity_coverage").row("bo", "purity_coverage").value == expected


@pytest.mark.filterwarnings("ignore:an interval from 2 items", "ignore:there are fewer than 5 spans")
def test_times_of_spans_have_no_alpha_without_atoms() -> None:
    """A corpus in which some times happen to be whole must not have an alpha from these items alone."""
    decimal = {
        "ann": cz.Spans([(0, 1.5, "a")], length=9, seconds=True),
        "bo": cz.Spans([(0, 2, "a")], length=9, seconds=True),
    }
    whole = {coder: cz.Spans([(0, 3, "a")], length=9, seconds=True) for coder in ("ann", "bo")}
    with pytest.warns(CaesuraWarning, match=r"u_alpha is left out.*-c 'u_alpha\(atom=0.01\)'"):
        study = agree(cz.Corpus({"x": decimal, "y": whole}))
    assert [entry.coefficient for entry in study.agreement] == ["gamma", "gamma_cat"]


def test_evaluate_compares_seconds(tmp_path: Path) -> None:
    for coder, tier in (("ann", ANN), ("bo", BO)):
        (tmp_path / coder).mkdir()
        cz.write(cz.Corpus({"song": {coder: tier}}), tmp_path / coder / "song.TextGrid")
    sides = {"reference": "ann", "hypothesis": "bo"}
    for source in (tmp_path, LABELLED):
        result = cz.evaluate(source, ["purity_coverage", "F1@0.3s"], **sides)
        for name in ("purity_coverage", "F1@0.3s"):
            assert result[name].value == cz.parse(name).score(ANN, BO).value
        with pytest.raises(OptionError, match="B counts positions between units"):
            cz.evaluate(source, ["purity_coverage", "B"], **sides)
