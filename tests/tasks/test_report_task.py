"""The computations behind a report, without the page."""

from __future__ import annotations

import json

import pytest

import caesura as cz
from caesura.errors import OptionError
from caesura.model.result import Excluded
from caesura.tasks import alignments
from caesura.tasks import report as report_task
from caesura.tasks.report import analyze_corpus
from caesura.tasks.report_subject import ReportOptions
from support.corpora import random_corpus
from support.reported import nested, parsed, plain, talk

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")


@pytest.mark.parametrize("corpus", [plain, talk, nested, parsed])
def test_a_report_is_plain_data(corpus: object) -> None:
    report = analyze_corpus(corpus())  # type: ignore[operator]
    plain_data = report.to_dict()
    json.dumps(plain_data, allow_nan=False)
    assert plain_data["subject"]["kind"] == report.subject.corpus.kind


def test_an_undefined_analysis_has_a_reason_and_no_result() -> None:
    report = analyze_corpus(talk())
    assert report.clustering.result is None
    assert report.clustering.reason == "clusters need at least three coders; got 2"
    assert report.agreement.reason is None


def test_an_analysis_that_does_not_apply_is_none() -> None:
    report = analyze_corpus(parsed())
    assert (report.clustering, report.placed, report.heat, report.golds, report.judgement) == (None,) * 5
    assert analyze_corpus(plain()).parsers is None


def test_numbers_are_those_of_the_functions() -> None:
    corpus = plain()
    report = analyze_corpus(corpus, ReportOptions(seed=3))
    assert report.agreement.result[0].result == cz.agreement(corpus, seed=3)
    assert report.pairs.result[0].mean == cz.pairwise(corpus, "boundary_similarity(n_t=2)").mean
    pairs = [(a, b) for a, b in (("ann", "bo"), ("ann", "cy"), ("bo", "cy"))]
    scores = [
        cz.boundary_similarity(corpus[item, a], corpus[item, b])  # type: ignore[arg-type]
        for item in corpus.item_names
        for a, b in pairs
    ]
    assert report.operations.result == cz.operations_table(scores)


def test_incomparable_items_are_excluded() -> None:
    annotations = {item: plain().of_item(item) for item in plain().item_names}
    odd = {"ann": cz.Segmentation.from_masses([3]), "bo": cz.Segmentation.from_masses([4])}
    tree = {"ann": parsed()["1", "gold"]}
    report = analyze_corpus(cz.Corpus({**annotations, "odd": odd, "tree": tree}))  # type: ignore[dict-item]
    assert report.excluded == (
        Excluded("tree", None, "coder 'ann' has trees, and this report is about segmentations"),
        Excluded("odd", None, "coders differ: 3 tokens for ann and 4 for bo"),
    )
    with pytest.raises(OptionError, match="there is nothing to report: item 'odd': coders differ"):
        analyze_corpus(cz.Corpus({"odd": odd}))


def test_precision_and_recall_of_coders_by_hand() -> None:
    # ann ··|··|·   bo ··|···   : bo has one of two boundaries, and no others
    annotations = {"ann": cz.Segmentation.from_masses([2, 2, 1]), "bo": cz.Segmentation.from_masses([2, 3])}
    corpus = cz.Corpus({"poem": annotations})
    for ordered in (True, False):
        pairs = cz.pairwise(corpus, "crisp", ordered=ordered)
        assert pairs.precision_and_recall() == {"ann": (0.5, 1), "bo": (1, 0.5)}
    placed = cz.boundaries_placed(corpus)
    assert (placed.mean_density, placed.density_deviation) == (0.375, 0.125)


def _marked() -> cz.Corpus:
    def spans(*pairs: tuple[int, int]) -> cz.Spans:
        return cz.Spans([(start, end, "x") for start, end in pairs])

    same, other = spans((0, 4), (6, 9)), spans((1, 8), (20, 30))
    return cz.Corpus({"same": {"a": same, "b": same}, "other": {"a": same, "b": other}})


def test_figures_of_spans_begin_with_the_least_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    every = analyze_corpus(_marked()).spans
    assert every.result == dict(cz.best_span_alignment(_marked()))
    monkeypatch.setattr(report_task, "MAX_FIGURES", 1)
    assert list(analyze_corpus(_marked()).spans.result or ()) == ["other"]


def test_operations_are_counted_in_blocks_of_items(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(7, items=9, coders="abcd", missing=0.3)
    expected = analyze_corpus(corpus).operations
    monkeypatch.setattr(alignments, "_BLOCK_EDITS", 40)
    assert len(alignments._blocks(corpus)) > 2
    assert analyze_corpus(corpus).operations == expected


def test_an_alignment_that_needs_too_much_memory_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 1000)
    report = analyze_corpus(plain())
    assert report.alignments.pairs == ()
    assert report.operations.reason.startswith("item 'moon': the edits of all pairs of coders: about 0 MB of memory")
    assert any(note.startswith("no two coders could be aligned: the alignments") for note in report.notes)


def test_items_can_be_chosen() -> None:
    assert analyze_corpus(_marked(), ReportOptions(items=("same",))).subject.corpus.item_names == ("same",)
