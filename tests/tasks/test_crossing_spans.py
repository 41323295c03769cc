"""Tasks that compare spans as they are, also if all annotations cross: judge, pairwise and agree."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.judge import judge_systems
from caesura.tasks.pairwise import PairwiseOptions, compare_pairs
from caesura.tasks.report import analyze_corpus
from caesura.tasks.report_subject import ReportOptions
from caesura.views.judgement import coders_table
from caesura.views.page.sections import page_sections

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
SPAN_F = cz.parse("span_f")


def crossing(*, seconds: bool = False) -> cz.Corpus:
    """Return two coders and a system, whose spans all cross.

    ann  AAAAA-----   bo  AAAAA-----   sys  AAAAA-----
         ---BBBBB--       ----BBBB--        ---CCCCC--
    """
    second = {"ann": (3, 8, "B"), "bo": (4, 8, "B"), "sys": (3, 8, "C")}
    return cz.Corpus(
        {"t": {coder: cz.Spans([(0, 5, "A"), span], length=10, seconds=seconds) for coder, span in second.items()}}
    )


@pytest.mark.parametrize("seconds", [False, True])
def test_judge(seconds: bool) -> None:
    corpus = crossing(seconds=seconds)
    people = corpus.select(coders=["ann", "bo"])
    judgement = judge_systems(people, {"sys": corpus.of_coder("sys")})
    # One of two spans is shared by each pair of annotators.
    assert judgement.row("sys", SPAN_F).value == 0.5
    assert judgement.row("human", SPAN_F, bound=True).value == 0.5
    drop = judgement.drops[0]
    assert (drop.coefficient, drop.items, drop.reason) == ("gamma", 1, None)
    assert drop.value == pytest.approx(drop.without_system - drop.with_system)
    assert set(drop.with_coders) == {"ann", "bo"}
    # The same spans alone: gamma of the system and one coder is that of a corpus of these two.
    pair = cz.agreement(corpus, coefficient="gamma", interval=None)
    values = {row.coders: row.value for row in pair.pairs}
    assert drop.with_coders["ann"] == values["ann", "sys"]
    table = coders_table(judgement.drops)
    assert [row[:2] for row in table.rows] == [("sys", "ann"), ("sys", "bo")]


def test_judge_with_one_coder_has_gamma() -> None:
    corpus = crossing()
    judgement = judge_systems(corpus.select(coders=["ann"]), {"sys": corpus.of_coder("sys")})
    drop = judgement.drops[0]
    assert drop.value is None
    assert drop.with_coders["ann"] is not None


def test_pairwise() -> None:
    study = compare_pairs(crossing())
    assert [result.measure.name for result in study.pairwise] == ["span_f", "token_f"]
    assert [row.value for row in study.pairwise[0].rows] == [0.5, 0.5, 0.5]
    # ann and bo: 5 + 5 and 5 + 4 labelled characters, of which 9 are shared
    assert study.pairwise[1].rows[0].value == pytest.approx(18 / 19)
    assert study.pairwise[0].items[0].full_misses is None
    timed = compare_pairs(crossing(seconds=True), PairwiseOptions(measures=(SPAN_F,)))
    assert [row.value for row in timed.pairwise[0].rows] == [0.5, 0.5, 0.5]


def test_agree() -> None:
    study = agree(crossing(), AgreeOptions(measures=(SPAN_F,)))
    assert study.agreement[0].result.value == 0.5


def test_seconds_are_equal_or_not() -> None:
    a = cz.Spans([(0.25, 1.5, "x"), (2.0, 3.125, "y")], seconds=True)
    b = cz.Spans([(0.25, 1.5, "x"), (2.0, 3.12, "y"), (1.5, 2.0, "x")], seconds=True)
    assert cz.span_f(a, b).value == pytest.approx(2 / 5)
    with pytest.raises(cz.errors.MismatchError, match="these are in seconds; use gamma"):
        cz.token_f(a, b)
    with pytest.raises(cz.errors.MismatchError, match="these are in seconds; use gamma"):
        cz.span_f(a, b, chance="li2024")


def test_report_has_gamma_and_the_alignment() -> None:
    nested = cz.Corpus(
        {"t": {"ann": cz.Spans([(0, 5, "A"), (6, 8, "B")], length=10), "bo": cz.Spans([(0, 4, "A")], length=10)}}
    )
    report = analyze_corpus(nested)
    assert [outcome.coefficient for outcome in report.agreement.result or ()][:3] == ["gamma", "gamma_cat", "u_alpha"]
    # d of the first spans is (1 / 9)^2, the second span stands alone: 1; the mean number of spans is 1.5
    assert report.spans.result["t"].disorder == pytest.approx((1 / 81 + 1) / 1.5)
    (section,) = [section for section in page_sections(report) if section.id == "spans"]
    (picture,) = section.pictures
    assert picture.source is not None
    assert picture.caption == "t: disorder 0.6749"


@pytest.mark.parametrize("seconds", [False, True])
def test_report_shows_spans_that_all_cross(seconds: bool) -> None:
    corpus = crossing(seconds=seconds)
    report = analyze_corpus(corpus)
    gamma = cz.agreement(corpus, coefficient="gamma")
    assert report.overview.label == "gamma"
    assert report.overview.items == {"t": gamma.value}
    assert report.overview.pairs == {row.coders: row.value for row in gamma.pairs}
    assert report.golds is None
    assert report.excluded == ()
    # Pictures show both spans of every coder, on two layers.
    assert {len(entry.spans) for entry in report.subject.corpus.values()} == {2}
    assert all(not entry.nested for entry in report.subject.corpus.values())
    assert {section.id for section in page_sections(report)} >= {"agreement", "spans", "pairs"}


def test_report_judges_systems_on_spans_that_cross() -> None:
    report = analyze_corpus(crossing(), systems=["sys"])
    assert report.judgement.result.row("sys", SPAN_F).value == 0.5
    assert set(report.overview.pairs) == {("ann", "bo")}


def test_report_with_a_measure_of_nested_spans_says_what_crosses() -> None:
    message = "a hierarchy needs spans that nest; gamma and u_alpha compare spans"
    with pytest.raises(cz.errors.SpansError, match=message):
        analyze_corpus(crossing(), ReportOptions(measure=cz.parse("hierarchy_kappa")))
