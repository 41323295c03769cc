"""What a page leaves out if it would take too long."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.tasks import report_budget
from caesura.tasks.report import analyze_corpus
from caesura.tasks.report_budget import MAX_FIGURES, MIN_FIGURES, PageBudget, page_budget
from caesura.tasks.report_results import CorpusReport
from caesura.tasks.report_subject import ReportOptions, prepare_subject
from caesura.views.page.build import report_page
from support.reported import nested, parsed, plain, talk

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")


def budget(corpus: cz.Corpus, *systems: str) -> PageBudget:
    return page_budget(prepare_subject(corpus, ReportOptions(), systems or None, None))


def work_of(corpus: cz.Corpus, *systems: str) -> report_budget._Work:
    return report_budget._Work.of(prepare_subject(corpus, ReportOptions(), systems or None, None))


def analyses_in_little_time(monkeypatch: pytest.MonkeyPatch, corpus: cz.Corpus, *systems: str) -> CorpusReport:
    """Return a report that has time for the judgement and the pairs only."""
    work = work_of(corpus, *systems)
    amounts = [work.optional[name][0] for name in ("judgement", "pairs") if name in work.optional]
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", work.needed + sum(amounts) + 1)
    return analyze_corpus(corpus, systems=systems or None)


@pytest.mark.parametrize("corpus", [plain, talk, nested, parsed])
def test_a_small_corpus_has_every_analysis(corpus: object) -> None:
    assert budget(corpus()) == PageBudget()  # type: ignore[operator]


def test_the_answers_stay_if_there_is_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = analyze_corpus(plain(), systems=["cy"])
    report = analyses_in_little_time(monkeypatch, plain(), "cy")
    assert report.agreement.result is not None
    assert [outcome.result for outcome in report.agreement.result] == [everything.agreement.result[0].result]
    rows = {row.score.measure: row.score.value for row in everything.judgement.result.rows if not row.bound}
    assert {row.score.measure: row.score.value for row in report.judgement.result.rows} == rows
    assert report.alignments.operations == everything.alignments.operations
    assert report.pairs.result is not None


def test_the_page_says_what_is_left_out_and_how_to_compute_it(monkeypatch: pytest.MonkeyPatch) -> None:
    report = analyses_in_little_time(monkeypatch, plain(), "cy")
    number = f"{len(plain().item_names)} items and 3 coders"
    bounds, coefficients = report.notes
    assert bounds == (
        f"the bounds of the systems are left out, because a page has no time for them with {number}; see the command judge"
    )
    assert coefficients.startswith("only the first coefficient of agreement is computed")
    assert report.clustering.result is None
    expected = f"left out, because a page has no time for it with {number}; see the command agree with --clusters"
    assert report.clustering.reason == expected
    page = report_page(report)
    assert all(text in page for text in (bounds, coefficients, report.clustering.reason))
    assert "The errors of the systems are not counted here; see the command judge." in page
    assert "Errors of the systems" not in page


def test_gold_standards_are_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    report = analyses_in_little_time(monkeypatch, nested())
    assert report.golds.reason.endswith("see the command gold")
    assert report.golds.reason in report_page(report)


def test_the_most_important_analysis_has_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    work = work_of(plain(), "cy")
    needed = work.needed + work.optional["judgement"][0] + work.optional["pairs"][0]
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", needed + work.bounds + 1)
    only_bounds = budget(plain(), "cy")
    assert (only_bounds.bounds, only_bounds.all_coefficients, only_bounds.mistakes) == (True, False, False)
    assert set(only_bounds.left_out) == {"clustering"}
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", needed + work.bounds + work.coefficient + 1)
    assert budget(plain(), "cy").all_coefficients


def test_figures_share_the_rest_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    work = work_of(plain(), "cy")
    for number in (0, MIN_FIGURES, 5, MAX_FIGURES - 1):
        figures = (MAX_FIGURES - number) * work.sections * work.figure
        monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", work.total - figures + 1)
        assert budget(plain(), "cy").figures == max(MIN_FIGURES, number)
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", work.total)
    assert budget(plain(), "cy") == PageBudget()


def test_thousands_of_items_have_no_time_for_bounds() -> None:
    text = cz.Segmentation.from_masses([2, 3])
    items = {f"x{i}": dict.fromkeys(("ann", "bo", "cy"), text) for i in range(5_000)}
    chosen = budget(cz.Corpus(items), "cy")
    assert not chosen.bounds
    assert chosen.notes[0].endswith("with 5,000 items and 3 coders; see the command judge")


def test_a_small_corpus_of_spans_and_systems_has_every_figure() -> None:
    spans = cz.Spans([(0, 3, "A"), (4, 6, "B")])
    items = {f"x{i}": dict.fromkeys(("ann", "bo", "cy"), spans) for i in range(20)}
    assert budget(cz.Corpus(items), "cy") == PageBudget()


def test_without_time_only_agreement_and_alignments_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", 0)
    report = analyze_corpus(plain(), systems=["cy"])
    assert report.agreement.result is not None
    assert report.alignments.operations is not None
    assert report.judgement is not None
    for outcome, command in ((report.judgement, "judge"), (report.pairs, "pairwise")):
        assert outcome.result is None
        assert outcome.reason.endswith(f"see the command {command}")
        assert outcome.reason in report_page(report)
    assert not any("bounds" in note for note in report.notes)


def test_precision_and_recall_of_pairs_are_left_out_before_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    work = work_of(plain())
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", work.needed + work.coefficient + work.optional["pairs"][0] + 1)
    chosen = budget(plain())
    assert chosen.left_out["precision_recall"].endswith("see the command pairwise -m boundary_confusion --ordered")
    assert "pairs" not in chosen.left_out


def test_the_first_coefficient_of_spans_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [cz.Spans([(0, 3, "A"), (4, 6 + i, "B")]) for i in range(3)]
    corpus = cz.Corpus(
        {"x": dict(zip(("ann", "bo", "cy"), spans, strict=True)), "y": dict.fromkeys(("ann", "bo"), spans[0])}
    )
    everything = analyze_corpus(corpus)
    monkeypatch.setattr(report_budget, "MAX_PAGE_WORK", 0)
    report = analyze_corpus(corpus)
    assert everything.agreement.result is not None
    assert len(everything.agreement.result) > 1
    assert report.agreement.result is not None
    (only,) = report.agreement.result
    assert only.coefficient == "gamma"
    assert only.result == everything.agreement.result[0].result
