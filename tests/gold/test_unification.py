"""The unification experiment: every method against every annotation, and properties that hold by definition."""

from __future__ import annotations

import json
import random
import re
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError, Undefined
from caesura.gold import unify
from caesura.gold.experiment import FigureSummary
from caesura.gold.unify import METHODS
from caesura.views.gold import deviation_table, dropped_table, span_table, unification_table, unified_table
from oracle import unify as oracle
from support.examples import examples
from support.hierarchies import coders

Hierarchy = cz.Hierarchy

#     1   2   3   4   5   6   7   8
# 1   |-------------------------------|
#     |-------|---------------|-------|
# 2   |-------------------------------|
#     |---------------|---------------|
# 3   |-------------------------------|
#     |-------|---------------|
FIGURE_1 = {
    "1": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    "2": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    "3": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
}


@pytest.mark.slow
@examples(60)
@given(st.lists(coders(), min_size=1, max_size=3))
def test_every_figure_of_every_method(items):
    corpus = cz.Corpus({str(i): by_coder for i, by_coder in enumerate(items)})
    experiment = cz.evaluate_unification(corpus)
    for row in experiment.rows:
        figures: dict[str, list[float | None]] = {name: [] for name in ("kappa", "recall", "precision", "non_crossing")}
        golds = 0
        for i, by_coder in enumerate(items):
            reasons = {entry.item: entry.reason for entry in row.excluded}
            if str(i) in reasons:
                with pytest.raises(Undefined, match=re.escape(reasons[str(i)])):
                    cz.unify(by_coder, method=row.method, level=row.level)
                continue
            gold = cz.unify(by_coder, method=row.method, level=row.level)
            golds += 1
            for coder, annotation in by_coder.items():
                if not row.includes_self and coder == gold.best_annotator:
                    continue
                gold_spans, coder_spans = getattr(gold.hierarchy, row.level), getattr(annotation, row.level)
                kappa = oracle.kappa(gold.hierarchy.flat, annotation.flat, annotation.length)
                figures["kappa"].append(None if kappa is None else float(kappa))
                figures["recall"].append(len(gold_spans & coder_spans) / len(coder_spans) if coder_spans else None)
                figures["precision"].append(len(gold_spans & coder_spans) / len(gold_spans) if gold_spans else None)
                crossing = oracle.non_crossing(annotation.flat, gold.hierarchy.flat) if coder_spans else None
                figures["non_crossing"].append(None if crossing is None else float(crossing))
        assert golds + len(row.excluded) == len(items)
        for name, values in figures.items():
            summary = getattr(row, name)
            defined = [value for value in values if value is not None]
            assert (summary.annotations, summary.undefined) == (len(defined), len(values) - len(defined))
            if defined:
                assert summary.mean == pytest.approx(fmean(defined), abs=1e-12)
                assert summary.deviation == pytest.approx(pstdev(defined), abs=1e-9)
            else:
                assert summary == FigureSummary(None, None, 0, len(values))
        assert row.annotations == len(figures["kappa"])


@examples(100)
@given(coders())
def test_properties_that_follow_from_the_definitions(by_coder):
    """They hold for every annotation, not only for the mean."""
    pairs = [(method, level) for method in METHODS for level in METHODS[method] if method != "best_annotator"]
    golds = {(method, level): cz.unify(by_coder, method=method, level=level).hierarchy for method, level in pairs}
    union = golds["conflict_free_union", "flat"]
    for annotation in by_coder.values():
        for level in ("flat", "full"):
            spans = getattr(annotation, level)
            assert spans <= getattr(golds["union", level], level)
            assert getattr(golds["consensus", level], level) <= spans
            if spans:
                assert oracle.non_crossing(annotation.flat, golds["consensus", level].flat) == 1
        if annotation.flat:
            uncrossed = oracle.non_crossing(annotation.flat, union.flat) * len(annotation.flat)
            assert uncrossed == len(annotation.flat & union.flat)


def test_undefined_figures_are_excluded_and_counted():
    corpus = cz.Corpus(
        {
            "apart": {"a": Hierarchy(6, [(1, 2)]), "b": Hierarchy(6, [(3, 4)]), "c": Hierarchy(6, [])},
            "one unit": {"a": Hierarchy(1, [(1, 1)]), "b": Hierarchy(1, [(1, 1)])},
        }
    )
    experiment = cz.evaluate_unification(corpus)
    consensus = experiment.row("FlatCNS")
    assert consensus.precision == FigureSummary(1, 0, 2, 3)
    assert (consensus.empty_golds, consensus.annotations) == (1, 5)
    assert consensus.recall.undefined == 1  # of c, who drew nothing
    assert consensus.kappa == FigureSummary(0, 0, 2, 3)  # empty against empty, and one unit twice
    best = experiment.row("BestAnnotator")
    assert [entry.item for entry in best.excluded] == ["one unit"]
    assert experiment.row("BestAnnotator-self").annotations == 2
    notes = unification_table(experiment).notes
    assert "FlatCNS: precision is undefined for 3 of 5 annotations, excluded" in notes
    assert "FlatCNS: the gold standard is empty for 1 of 2 items" in notes
    assert any(note.startswith("BestAnnotator: item 'one unit' excluded: best_annotator: kappa") for note in notes)
    empty = cz.evaluate_unification(corpus.select(items=["one unit"]), methods=["best_annotator"])
    assert unification_table(empty).rows[0][1:3] == ("undefined", "undefined")


def test_unusable_items_are_listed():
    corpus = cz.Corpus(
        {
            "good": FIGURE_1,
            "alone": {"1": Hierarchy(4, [(1, 2)])},
            "flat": {"1": Hierarchy(4, [(1, 2)]), "2": cz.Segmentation.from_masses([2, 2])},
            "other text": {"1": Hierarchy(4, [(1, 2)]), "2": Hierarchy(5, [(1, 2)])},
        }
    )
    experiment = cz.evaluate_unification(corpus)
    assert experiment.items == ("good",)
    assert {entry.item: entry.reason for entry in experiment.excluded} == {
        "alone": "expected at least two coders to unify; got '1'",
        "flat": "coder '2': expected a Hierarchy; got Segmentation",
        "other text": "all coders must annotate the same units; '1' has 4, '2' has 5",
    }
    assert any(note.startswith("item 'alone' excluded: expected at") for note in unification_table(experiment).notes)
    with pytest.raises(OptionError, match=r"^no item can be unified: item 'alone': expected at least two coders"):
        cz.evaluate_unification(corpus.select(items=["alone"]))
    with pytest.raises(OptionError, match=r"^no item can be unified; the corpus is empty$"):
        cz.evaluate_unification(cz.Corpus({}))


def test_methods_and_options():
    corpus = cz.Corpus({"figure": FIGURE_1})
    experiment = cz.evaluate_unification(corpus, methods=["majority", "union"], threshold=0.2, min_support=2)
    assert [(row.name, row.method, row.level) for row in experiment.rows] == [
        ("FullMCNS", "majority", "full"),
        ("FlatMCNS", "majority", "flat"),
        ("FullUNI", "union", "full"),
        ("FlatUNI", "union", "flat"),
    ]
    assert experiment.row("FlatMCNS").conflicting_golds == 1
    assert experiment.row("FlatUNI").mean_spans == 3
    assert experiment.signature == (
        "evaluate_unification|methods:majority+union|threshold:0.2|min_support:2|items:1|annotations:3|"
        f"caesura:{cz.__version__}"
    )
    unique = cz.evaluate_unification(corpus, methods=["conflict_free_union"], weights="unique")
    assert unique.row("CFU").mean_spans == 5
    assert json.loads(json.dumps(unique.to_dict()))["rows"][0]["name"] == "CFU"
    with pytest.raises(OptionError, match=r"no row 'UNI'; choose from 'CFU'"):
        unique.row("UNI")
    for options, message in (
        ({"methods": []}, "methods must be a name or a list of names; got []"),
        ({"methods": ["vote"]}, "no method 'vote'; choose from 'consensus',"),
        ({"threshold": 2}, "threshold must be a number from 0 to below 1; got 2"),
    ):
        with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
            cz.evaluate_unification(corpus, **options)


def test_spans_that_become_empty_are_counted():
    timed = {"a": Hierarchy.from_times([(0, 20, 1), (0, 0.25, 2)]), "b": Hierarchy.from_times([(0, 20, 1), (0, 10, 2)])}
    experiment = cz.evaluate_unification(cz.Corpus({"song": timed}))
    assert experiment.empty_spans == 1
    assert experiment.signature.endswith(f"|tolerance:0.5|caesura:{cz.__version__}")
    assert "spans dropped because they became empty when times were merged: 1" in unification_table(experiment).notes


def test_tables():
    gold = cz.unify(FIGURE_1)
    table = unified_table({"figure": gold})
    assert table.title == "conflict_free_union, flat"
    assert table.columns == ("item", "coders", "spans", "kept", "dropped", "crossing pairs", "optima")
    assert table.rows == (("figure", 3, 6, 4, 2, 0, 2),)
    assert table.notes[-1] == gold.signature
    spans = span_table({"figure": gold})
    assert spans.columns == ("item", "span", "level", "coders", "weight")
    assert spans.rows[:2] == (("figure", "1-8", 1, "1, 2, 3", 3), ("figure", "1-2", 2, "1, 3", 2))
    dropped = dropped_table({"figure": gold})
    assert dropped.columns == ("item", "span", "level", "label", "coders", "weight", "reason", "crosses")
    assert dropped.rows[0] == ("figure", "1-4", "2", None, "2", 1, "crosses 3-6", "3-6 of 1, 3")
    timed = cz.unify([Hierarchy.from_times([(0, 4.5, 1, "A")])] * 2)
    assert span_table({"song": timed}).rows == (("song", "0.00-4.50 s", 1, "A", "coder 1, coder 2", 2),)
    result = cz.evaluate_unification(cz.Corpus({"figure": FIGURE_1}))
    means = unification_table(result)
    assert means.columns == ("method", "kappa", "recall", "precision", "non-crossing", "spans", "coder")
    assert [row[0] for row in means.rows][-2:] == ["BestAnnotator", "BestAnnotator-self"]
    assert [row[-1] for row in means.rows] == [None] * 7 + ["3", "3"]
    deviations = deviation_table(result)
    assert deviations.columns[:2] == ("method", "kappa sd")
    assert len(deviations.rows) == len(means.rows) == 9


def test_full_methods_count_a_span_on_two_levels_twice():
    # 1-4 on level 1 for both, 1-2 on level 2 for a and on level 3 (inside 1-3) for b
    a = Hierarchy(4, [(1, 4, 1), (1, 2, 2)])
    b = Hierarchy(4, [(1, 4, 1), (1, 3, 2), (1, 2, 3)])
    result = cz.evaluate_unification(cz.Corpus({"t": {"a": a, "b": b}}))
    assert result.row("FlatUNI").mean_spans == 3
    assert result.row("FullUNI").mean_spans == 4
    assert result.row("FullCNS").mean_spans == 1
    assert result.row("FlatCNS").mean_spans == 2
    assert result.row("BestAnnotator").best_annotators == {"t": "a"}
    assert not result.row("CFU").best_annotators


def test_blocks_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are those of every pair on its own, however many pairs are compared together."""
    rng = random.Random(5)
    items = {f"item {k}": {f"coder {j}": nested(rng) for j in range(4)} for k in range(6)}
    items["item 6"] = {"coder 0": cz.Hierarchy(8, []), "coder 1": nested(rng)}
    corpus = cz.Corpus(items)
    whole = cz.evaluate_unification(corpus)
    for size in (1, 30):
        monkeypatch.setattr(unify, "_BLOCK_SPANS", size)
        assert cz.evaluate_unification(corpus) == whole
    scores = []
    for by_coder in items.values():
        gold = cz.unify(by_coder, method="union").hierarchy
        texts = by_coder.values()
        scores += [(text, cz.hierarchy_overlap(text, gold), cz.non_crossing(text, gold)) for text in texts]
    row = whole.row("FlatUNI")
    assert row.recall.annotations == row.non_crossing.annotations == len(scores) - 1  # one annotation has no spans
    assert row.precision.mean == pytest.approx(fmean(overlap.precision() for _, overlap, _ in scores), abs=1e-15)
    crossing = fmean(score.value for text, _, score in scores if text.spans)
    assert row.non_crossing.mean == pytest.approx(crossing, abs=1e-15)


def nested(rng: random.Random) -> cz.Hierarchy:
    """Return a hierarchy of a text of 8 units and random spans inside halves of the text."""
    spans = {(1, 8)}
    for first in (1, 5):
        start = rng.randrange(first, first + 4)
        spans.add((start, rng.randrange(start, first + 4)))
    return cz.Hierarchy(8, sorted(spans))
