"""The figure of an alignment has one row per coder, one bar per span and one line per link."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import OptionError
from caesura.views import figures as plot

ANN = cz.Spans([(0, 4, "x"), (6, 9, "y"), (7, 12, "x")])
BO, CY = cz.Spans([(0, 5, "x"), (6, 9, "x")]), cz.Spans([(0, 4, "x"), (40, 44, "y")])
CORPUS = cz.Corpus({"text": {"ann": ANN, "bo": BO, "cy": CY}})


def test_rows_bars_and_links() -> None:
    (alignment,) = cz.best_span_alignment(CORPUS).values()
    axes = plot.alignment(alignment, title="text").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ann", "bo", "cy"]
    assert len(axes.patches) == 7
    links = sum(sum(unit is not None for unit in unitary.units) - 1 for unitary in alignment.unitary)
    assert sum(len(lines.get_segments()) for lines in axes.collections) == links
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y"]


def test_overlapping_spans_of_one_coder_do_not_hide_each_other() -> None:
    (alignment,) = cz.best_span_alignment(CORPUS).values()
    bars = [patch for patch in plot.alignment(alignment).axes[0].patches if patch.get_x() in (6, 7)]
    tops = {(bar.get_x(), round(bar.get_y(), 3)) for bar in bars if bar.get_y() < 0.5}
    assert len({y for _, y in tops}) == 2


def test_nothing_to_draw() -> None:
    empty = cz.Corpus({"text": {"ann": cz.Spans([]), "bo": cz.Spans([])}})
    (alignment,) = cz.best_span_alignment(empty).values()
    with pytest.raises(OptionError, match="nobody marked anything"):
        plot.alignment(alignment)


def test_many_categories_share_a_look() -> None:
    names = [f"k{number:02}" for number in range(40)] + ["k39"] * 3
    spans = cz.Spans([(3 * place, 3 * place + 2, name) for place, name in enumerate(names)])
    (alignment,) = cz.best_span_alignment(cz.Corpus({"text": {"ann": spans, "bo": spans}})).values()
    axes = plot.alignment(alignment, width=7.0).axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [*names[:10], "k39", "29 other categories"]
    assert len({(patch.get_facecolor(), patch.get_hatch()) for patch in axes.patches}) == 12


def test_categories_with_the_same_beginning_have_entries_of_their_own() -> None:
    spans = cz.Spans([(0, 4, "x" * 300 + "a"), (6, 9, "x" * 300 + "b")])
    (alignment,) = cz.best_span_alignment(cz.Corpus({"text": {"ann": spans, "bo": spans}})).values()
    assert len(plot.alignment(alignment).axes[0].get_legend().get_texts()) == 2
