"""Figures: the drawn elements are compared with the result, or with counts by hand."""

from __future__ import annotations

import io
import re
import sys
import threading
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import caesura as cz
from caesura import plot
from caesura.data import stargazer
from caesura.errors import OptionError
from caesura.papers.ambiguity import random_tree
from caesura.simulation import trees
from caesura.tasks.figures import KINDS
from caesura.views.figures import canvas
from support.corpora import of_masses, random_corpus
from support.judged import SYSTEMS, people_and_systems

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

B = "boundary_similarity(n_t=2)"


def ticks(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def strings(figure: Any) -> str:
    """Return every text of a figure."""
    return "\n".join(
        "".join(node.itertext()) for node in ElementTree.fromstring(plot.svg(figure)).iter() if "text" in node.tag
    )


# -- coders -----------------------------------------------------------------------------------------------------------

# a ··|·······   b ··|·····|·   c ··········   Two boundaries in total: B(a, b) = 1/2, B with c = 0.
THREE = of_masses(poem={"a": [2, 8], "b": [2, 6, 2], "c": [10]})


def test_matrix_of_coders_by_hand() -> None:
    figure = plot.pairwise(cz.pairwise(THREE, B))
    axes = figure.axes[0]
    (image,) = axes.images
    assert image.get_array().tolist() == [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
    assert texts(axes) == ["1.0", ".50", ".00", ".50", "1.0", ".00", ".00", ".00", "1.0"]
    assert ticks(axes.xaxis) == ticks(axes.yaxis) == ["a", "b", "c"]
    assert (image.norm.vmin, image.norm.vmax) == (0, 1)


def test_pair_without_a_common_item_stays_blank() -> None:
    corpus = of_masses(x={"a": [2, 2], "b": [2, 2]}, y={"b": [1, 3], "c": [2, 2]})
    axes = plot.pairwise(cz.pairwise(corpus, B)).axes[0]
    assert axes.images[0].get_array().mask.tolist() == [[False, False, True], [False] * 3, [True, False, False]]
    assert len(axes.texts) == 7


def test_bright_means_similar_also_for_error_rates() -> None:
    pairs = cz.pairwise(THREE, "window_diff", ordered=True)
    axes = plot.pairwise(pairs).axes[0]
    (image,) = axes.images
    np.testing.assert_array_equal(np.asarray(image.get_array()), pairs.matrix)
    brightness = image.to_rgba(np.array([0.0, 1.0]))[:, :3].sum(axis=1)
    assert brightness[0] > brightness[1]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("hypothesis", "reference")


def test_values_are_not_printed_in_small_cells() -> None:
    pairs = cz.pairwise(random_corpus(1, items=1, coders=[f"c{i}" for i in range(12)]), B)
    assert len(plot.pairwise(pairs, width=1.8).axes[0].texts) == 0
    assert len(plot.pairwise(pairs, width=3.3).axes[0].texts) == 12 * 12


def test_heat_is_the_number_of_coders_per_position() -> None:
    axes = plot.boundary_heat(cz.boundary_heat(THREE)).axes[0]
    assert axes.images[0].get_array().tolist() == [[0, 2, 0, 0, 0, 0, 0, 1, 0]]
    # one colour for each of 0, 1, 2 and 3 coders
    assert axes.images[0].norm.boundaries.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]
    assert axes.images[0].cmap.N == 4
    left, right = axes.images[0].get_extent()[:2]
    assert (left, right) == (0.5, 9.5)  # position 1 stands over 1
    assert ticks(axes.yaxis) == ["poem"]


def test_long_texts_are_wrapped_and_different_numbers_of_coders_become_shares() -> None:
    long = cz.Segmentation.from_positions(150, [1, 125])
    corpus = cz.Corpus({"long": {"a": long, "b": long}, "short": {"a": cz.Segmentation.from_masses([1, 2])}})
    axes = plot.boundary_heat(cz.boundary_heat(corpus), width=3.0).axes[0]
    values = axes.images[0].get_array()
    assert values.shape == (3, 108)
    assert ticks(axes.yaxis) == ["long", "109", "short"]
    assert np.argwhere(values.filled(0) == 1).tolist() == [[0, 0], [1, 124 - 108], [2, 0]]
    assert values.mask[1].sum() == 2 * 108 - 149
    assert axes.images[0].norm.vmax == 1


def test_dendrogram_joins_at_the_distances() -> None:
    clustering = cz.cluster_coders(stargazer())
    axes = plot.dendrogram(clustering).axes[0]
    assert [max(line.get_xdata()) for line in axes.lines] == [cluster.height for cluster in clustering.clusters]
    assert ticks(axes.yaxis) == list(clustering.leaves)
    assert texts(axes) == [f"{cluster.value:.2f}".lstrip("0") for cluster in clustering.clusters]
    place = {(leaf,): float(i) for i, leaf in enumerate(clustering.leaves)}
    for line, cluster in zip(axes.lines, clustering.clusters, strict=True):
        low, high = (place[half] for half in cluster.halves)
        assert line.get_ydata().tolist() == [low, low, high, high]
        place[cluster.coders] = (low + high) / 2


def test_boundaries_of_each_coder_with_mean_and_deviation() -> None:
    axes = plot.boundaries_per_coder(cz.boundaries_placed(THREE)).axes[0]
    shares = np.array([1, 2, 0]) / 9
    np.testing.assert_allclose([bar.get_height() for bar in axes.patches], shares)
    mean, above, below = (line.get_ydata()[0] for line in axes.lines)
    np.testing.assert_allclose(
        [mean, above, below], [shares.mean(), *(shares.mean() + np.array([1, -1]) * shares.std())]
    )


# -- systems ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged() -> cz.Judgement:
    people, systems = people_and_systems()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
        return cz.judge(
            people, systems, measures=[B, "window_diff", "boundary_confusion"], seed=1, bounds=5, replicates=100
        )


def test_systems_best_first_with_intervals(judged: cz.Judgement) -> None:
    figure = plot.systems(judged)
    assert len(figure.axes) == 3
    for axes, measure in zip(figure.axes, (B, "window_diff", "boundary_confusion"), strict=True):
        names = ticks(axes.yaxis)
        assert tuple(names[:3]) == judged.ranking(measure)
        assert names[3:] == ["(random)", "(placement)", "(regular)", "(none)", "(all)"]
        for y, (box, label) in enumerate(zip(axes.containers, names, strict=True)):
            row = judged.row(label.strip("()"), measure, bound=label.startswith("("))
            assert box.lines[0].get_data()[0][0] == row.value
            assert box.lines[0].get_data()[1][0] == y
            ((low, _), (high, _)) = box.lines[2][0].get_segments()[0]
            np.testing.assert_allclose([low, high], row.interval)
        human = next(line for line in axes.lines if line.get_label() == "human")
        assert human.get_xdata()[0] == judged.row("human", measure).value
    assert figure.axes[1].get_xlabel().endswith("(lower is better)")


def test_one_measure_of_a_judgement(judged: cz.Judgement) -> None:
    (axes,) = plot.systems(judged, "window_diff").axes
    assert axes.get_xlabel() == "WD (lower is better)"
    with pytest.raises(cz.errors.OptionError, match="no measure 'pk' in this judgement; choose from boundary_sim"):
        plot.systems(judged, "pk")


def test_precision_against_recall(judged: cz.Judgement) -> None:
    axes = plot.precision_recall(judged).axes[0]
    marks = {line.get_label(): line.get_data() for line in axes.lines if not line.get_label().startswith("_")}
    assert set(marks) == {*SYSTEMS, "(human)", "(random)", "(placement)", "(regular)", "(none)", "(all)"}
    for system in SYSTEMS:
        figures = judged.row(system, "boundary_confusion").score.figures
        assert [float(values[0]) for values in marks[system]] == [figures["recall"], figures["precision"]]


def test_lines_of_equal_f() -> None:
    a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 9])
    axes = plot.precision_recall({"x": cz.crisp(a, b)}).axes[0]
    for line, f in zip(axes.lines, (0.2, 0.4, 0.6, 0.8), strict=False):
        recall, precision = line.get_data()
        np.testing.assert_allclose(2 * precision * recall / (precision + recall), f)
        assert max(precision) == pytest.approx(1)
    assert [float(values[0]) for values in axes.lines[-1].get_data()] == [0.5, 1]  # values of two found, nothing else


def test_coders_of_pairs_are_at_their_means() -> None:
    """Ordered pairs have each coder as hypothesis. Unordered pairs are counted in both directions, which is the same."""
    figures = [
        plot.precision_recall(cz.pairwise(THREE, "crisp", ordered=ordered)).axes[0].lines[-3:]
        for ordered in (False, True)
    ]
    either = [[tuple(float(values[0]) for values in line.get_data()) for line in lines] for lines in figures]
    # The boundary of a is one of the two of b; c has none. Means of (recall, precision) over the two other coders.
    assert either[0] == either[1] == [(0.25, 0.5), (0.5, 0.25), (0.0, 0.0)]


def test_long_and_unusual_names_are_shown() -> None:
    score = cz.crisp(cz.Segmentation.from_masses([2, 3]), cz.Segmentation.from_masses([2, 3]))
    long = "a system with a name that is cut"
    figure = plot.precision_recall({f"{long} 1": score, f"{long} 2": score, "_hidden": score})
    cut = "a system with a name th…"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [cut, cut, " _hidden"]
    same = {"gold": cz.Hierarchy(4, [(1, 2)]), "dropped": cz.Hierarchy(4, [(1, 2), (3, 4)])}
    assert [axes.get_ylabel() for axes in plot.gold(cz.unify(same), same).axes] == ["gold", "gold", "dropped"]


def test_a_measure_without_precision_is_rejected(judged: cz.Judgement) -> None:
    with pytest.raises(cz.errors.OptionError, match=r"such as boundary_confusion; window_diff has none"):
        plot.precision_recall(judged, "window_diff")
    with pytest.raises(cz.errors.OptionError, match="a Judgement, a Pairwise or a mapping name -> Score"):
        plot.precision_recall({})


# -- boundaries -------------------------------------------------------------------------------------------------------


def test_operations_are_stacked_shares() -> None:
    # a ··, ··. ·.    match .  ; , moved by one; . becomes ?
    # b ··· ,·? ·.
    a = cz.Segmentation.from_marks(["", ",", "", "", ".", "."])
    b = cz.Segmentation.from_marks(["", "", ",", "", "?", "."])
    axes = plot.operations(cz.operations_table(cz.flexible_similarity(a, b))).axes[0]
    assert ticks(axes.yaxis) == [",", ".", "?"]
    bars = {box.get_label(): [(bar.get_x(), bar.get_width()) for bar in box] for box in axes.containers}
    widths = {label: [round(float(width), 4) for _, width in parts] for label, parts in bars.items()}
    assert widths == {"match": [0, 0.6667, 0], "as .": [0, 0, 1], "as ?": [0, 0.3333, 0], "moved": [1, 0, 0]}
    for row in range(3):  # parts begins where the one before ends
        ends = np.cumsum([parts[row][1] for parts in bars.values()])
        np.testing.assert_allclose([parts[row][0] for parts in bars.values()], [0, *ends[:-1]])
        assert ends[-1] == pytest.approx(1)
    assert texts(axes) == ["2", "3", "1"]
    looks = {(box[0].get_facecolor(), box[0].get_hatch()) for box in axes.containers}
    assert len(looks) == len(axes.containers)


def test_many_types_share_one_substitution() -> None:
    names = [f"t{i}" for i in range(9)]
    a, b = cz.Segmentation.from_marks(names), cz.Segmentation.from_marks(names[::-1])
    axes = plot.operations(cz.operations_table(cz.flexible_similarity(a, b))).axes[0]
    shares = {box.get_label(): [round(float(bar.get_width()), 4) for bar in box] for box in axes.containers}
    assert shares["match"] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert "different type" in shares
    assert not any(label.startswith("as ") for label in shares)


def test_clusters_phantoms_and_best_places() -> None:
    """The fourteen sentences of the paper, as in docs/fuzzy.md. A single mark at 13 is in no cluster."""
    marks = cz.Marks([0, 4, 0, 0, 4, 1, 1, 0, 0, 0, 7, 0, 1], coders=7)
    axes = plot.clusters(cz.fuzzy_success(marks, cz.Segmentation.from_positions(14, [2, 6, 9]))).axes[0]
    boxes = {
        group.get_label(): [(path.vertices.min(axis=0), path.vertices.max(axis=0)) for path in group.get_paths()]
        for group in axes.collections
    }
    inside, outside = (
        {round(low[0] + 0.4): float(high[1]) for low, high in boxes[label]}
        for label in ("marked, in a cluster", "marked, in none")
    )
    assert inside == {2: 4, 5: 4, 6: 1, 7: 1, 11: 7}
    assert outside == {13: 1}
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["boundary"].get_xdata().tolist() == [2, 6]
    assert lines["phantom"].get_xdata().tolist() == [9]
    assert lines["best place"].get_data()[0].tolist() == [2, 5, 11]
    assert lines["minimal peak"].get_ydata()[0] == 4
    bands = [(low[0], high[0]) for low, high in boxes["cluster"]]
    assert bands == [(1.5, 2.5), (4.5, 7.5), (10.5, 11.5)]


def test_svg_is_that_of_matplotlib() -> None:
    """The figure is drawn once; matplotlib itself draws it twice, and writes the same bytes."""
    first, second = (plot.pairwise(cz.pairwise(stargazer(), "boundary_similarity"), title="Readers") for _ in range(2))
    drawn = canvas._encode(first, "svg", dpi=150)
    buffer = io.BytesIO()
    with canvas._styled():
        second.savefig(buffer, format="svg", metadata=canvas._METADATA["svg"], dpi=150)
    assert drawn == buffer.getvalue()


def test_clusters_of_several_documents_are_rejected() -> None:
    score = cz.fuzzy_success([0, 2, 0], cz.Segmentation.from_positions(4, [2]), coders=2)
    with pytest.raises(cz.errors.OptionError, match="expected the score of one document"):
        plot.clusters(score + score)


# -- hierarchies and trees --------------------------------------------------------------------------------------------

#  first   |---------------|   second  |---------------|   third  |---------------|
#          |-1-2-|-3-6-|7-8|           |--1-4--|--5-8--|          |-1-2-|-3-6-|
FIGURE_4 = {
    "first": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    "second": cz.Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    "third": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
}


def bars(axes: Any) -> list[tuple[float, float, int, bool]]:
    """Return the first and last unit and the row of each bar, and whether it is hatched."""
    return [
        (p.get_x() + 0.5, p.get_x() + p.get_width() - 0.5, round(p.get_y() + p.get_height() / 2), bool(p.get_hatch()))
        for p in axes.patches
    ]


def test_gold_and_dropped_spans() -> None:
    figure = plot.gold(cz.unify(FIGURE_4))
    included, dropped = figure.axes
    assert bars(included) == [(1, 8, 0, False), (1, 2, 1, False), (3, 6, 1, False), (7, 8, 1, False)]
    assert bars(dropped) == [(1, 4, 0, True), (5, 8, 0, True)]


def test_gold_above_its_coders() -> None:
    figure = plot.gold(cz.unify(FIGURE_4), FIGURE_4)
    assert [axes.get_ylabel() for axes in figure.axes] == ["gold", "first", "second", "third"]
    assert bars(figure.axes[2]) == [(1, 8, 0, False), (1, 4, 1, True), (5, 8, 1, True)]
    assert bars(figure.axes[3]) == [(1, 8, 0, False), (1, 2, 1, False), (3, 6, 1, False)]
    again = plot.gold(cz.unify(list(FIGURE_4.values())), list(FIGURE_4.values()))
    assert [bars(axes) for axes in again.axes] == [bars(axes) for axes in figure.axes]


def test_crossing_spans_are_on_separate_rows() -> None:
    spans = bars(plot.gold(cz.unify(FIGURE_4, method="union")).axes[0])
    assert len(spans) == 6
    for i, (start, end, row, _) in enumerate(spans):
        assert not any(r == row and s <= end and start <= e for s, e, r, _ in spans[:i])


def test_gold_over_time() -> None:
    songs = {
        "a": cz.Hierarchy.from_times([(0, 10, 1, "A"), (0, 4, 2, "b")]),
        "b": cz.Hierarchy.from_times([(0, 10, 1, "A")]),
    }
    shared, _ = cz.common_units(songs)
    axes = plot.gold(cz.unify(shared, method="union"), shared).axes
    assert [(p.get_x(), p.get_width()) for p in axes[0].patches] == [(0, 10), (0, 4)]
    assert texts(axes[0]) == ["A", "b"]
    assert axes[-1].get_xlabel() == "seconds"


def test_gold_with_different_units_is_rejected() -> None:
    gold = cz.unify(FIGURE_4)
    message = r"coder 'x': the gold standard has 8 units, this hierarchy 3; .* common_units"
    with pytest.raises(cz.errors.MismatchError, match=message):
        plot.gold(gold, {"x": cz.Hierarchy(3, [(1, 2)])})
    with pytest.raises(cz.errors.OptionError, match="expected one hierarchy per coder, 3; got 1"):
        plot.gold(gold, [FIGURE_4["first"]])


MAN = cz.Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
JJ = cz.Tree.from_brackets("(S (NP (DT the)) (JJ man) (VP (VBD ate)))")


def test_aligned_nodes_have_one_number_and_one_colour() -> None:
    score = cz.struct_iou(MAN, JJ)
    above, below = plot.tree_alignment(MAN, JJ, score).axes
    # The words are among the labels, in italics.
    nodes = [[text for text in axes.texts if text.get_fontstyle() == "normal"] for axes in (above, below)]
    assert [text.get_text() for text in nodes[0]] == ["S 1", "NP 2", "DT 3", "NN", "VP 4", "VBD 5"]
    assert [text.get_text() for text in nodes[1]] == ["S 1", "NP 2 (.50)", "DT 3", "JJ", "VP 4", "VBD 5"]
    for pair in score.alignment:
        gold_node, predicted_node = nodes[0][pair.gold], nodes[1][pair.predicted]
        assert gold_node.get_bbox_patch().get_edgecolor() == predicted_node.get_bbox_patch().get_edgecolor()
        assert gold_node.get_bbox_patch().get_linestyle() == "solid"
    assert [node.get_bbox_patch().get_linestyle() for node in (nodes[0][3], nodes[1][3])] == ["--", "--"]
    assert [text.get_text() for text in above.texts if text.get_fontstyle() == "italic"] == ["the", "man", "ate"]
    assert [text.get_position()[0] for text in nodes[0]] == [
        1.5,
        1.0,
        0.5,
        1.5,
        2.5,
        2.5,
    ]  # in the middle of what they cover


def test_lines_of_a_tree_do_not_cross() -> None:
    tree = random_tree([str(i) for i in range(12)], seed=3)
    axes = plot.tree_alignment(tree, tree, cz.struct_iou(tree, tree)).axes[0]
    steps = [
        (x[i], y[i], x[i + 1], y[i + 1])
        for x, y in (line.get_data() for line in axes.lines if len(line.get_xdata()) == 4)
        for i in range(3)
    ]
    flat = [(min(a, c), max(a, c), b) for a, b, c, d in steps if b == d]
    upright = [(min(b, d), max(b, d), a) for a, b, c, d in steps if a == c]
    assert len(flat) == len(tree) - 1
    assert not any(left < x < right and low < y < high for left, right, y in flat for low, high, x in upright)


def test_trees_of_another_score_are_rejected() -> None:
    with pytest.raises(cz.errors.MismatchError, match="the score must belong to these two trees"):
        plot.tree_alignment(JJ, MAN, cz.struct_iou(MAN, JJ))
    with pytest.raises(cz.errors.OptionError, match="expected the score of one sentence"):
        plot.tree_alignment(MAN, JJ, sum([cz.struct_iou(MAN, JJ), cz.struct_iou(MAN, MAN)]))


# -- experiments with trees -------------------------------------------------------------------------------------------


def test_perturbation_curves() -> None:
    spoken = MAN.with_times([(0, 1), (1, 2), (2, 3)])
    curve = trees.perturbation_curve([spoken], deltas=[0, 0.5, 1], repeats=3, seed=1)
    for level, mean, deviation in (("sentences", "mean", "deviation"), ("corpus", "corpus", "corpus_deviation")):
        axes = plot.perturbation(curve, level=level).axes[0]
        assert [box.get_label() for box in axes.containers] == ["noise", "insert", "delete"]
        for box in axes.containers:
            points = curve.of_kind(box.get_label())
            assert box.lines[0].get_xdata().tolist() == [0, 0.5, 1]
            assert box.lines[0].get_ydata().tolist() == [getattr(point, mean) for point in points]
            for point, ((_, low), (_, high)) in zip(points, box.lines[2][0].get_segments(), strict=True):
                assert high - low == pytest.approx(2 * getattr(point, deviation), abs=1e-12)
    with pytest.raises(cz.errors.OptionError, match="level must be"):
        plot.perturbation(curve, level="words")


def test_levels_by_length() -> None:
    rows = [trees.LengthRow(1, 1, 1.0, 1.0), trees.LengthRow(2, 0, None, None), trees.LengthRow(4, 3, 0.75, 0.5)]
    axes = plot.by_length(rows).axes[0]
    assert [line.get_data()[0].tolist() for line in axes.lines] == [[1, 4], [1, 4]]
    assert [line.get_data()[1].tolist() for line in axes.lines] == [[1, 0.75], [1, 0.5]]
    with pytest.raises(cz.errors.OptionError, match="at least one sentence"):
        plot.by_length(rows[1:2])


def test_correlation_has_one_dot_per_sample() -> None:
    gold = [cz.Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    predicted = [cz.Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    result = trees.correlation(gold, predicted, size=1, seed=1)
    axes = plot.correlation(result).axes[0]
    assert axes.lines[0].get_xdata().tolist() == result.f1.tolist()
    assert axes.lines[0].get_ydata().tolist() == result.struct_iou.tolist()
    assert axes.get_title(loc="right").startswith("ρ = 0.775, p = 0.23; 4 samples of 1 sentence")


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_the_same_figure_is_the_same_file(suffix: str, tmp_path: Path) -> None:
    for name in "ab":
        plot.save(plot.dendrogram(cz.cluster_coders(THREE)), tmp_path / f"{name}.{suffix}")
    data = (tmp_path / f"a.{suffix}").read_bytes()
    assert data == (tmp_path / f"b.{suffix}").read_bytes()
    assert data.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[suffix])


def test_names_are_neither_formulas_nor_tags() -> None:
    names = ["a$x$", "<script>alert(1)</script>", "王小明", "שלום", 'id="x" &amp; #y', "bell\x07\n\u202e"]
    corpus = cz.Corpus({"詩": {name: cz.Segmentation.from_masses([i + 1, 9 - i]) for i, name in enumerate(names)}})
    figure = plot.dendrogram(cz.cluster_coders(corpus))
    labels = strings(figure)
    for name in (*names[:5], "bell\ufffd\ufffd\ufffd"):
        assert canvas.label_text(name) in labels
    assert "<script" not in plot.svg(figure)


def test_ids_of_svg_figures_in_a_page_are_unique() -> None:
    first, second = (
        plot.svg(plot.dendrogram(cz.cluster_coders(THREE))),
        plot.svg(plot.boundary_heat(cz.boundary_heat(THREE))),
    )
    sets = [set(re.findall(r'\sid="([^"]+)"', text)) for text in (first, second)]
    assert not sets[0] & sets[1]
    for text, ids in zip((first, second), sets, strict=True):
        assert text.startswith("<svg ")
        assert text.endswith("</svg>")
        ElementTree.fromstring(text)
        references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
        assert references
        assert references <= ids
    mine = plot.svg(plot.dendrogram(cz.cluster_coders(THREE)), prefix="mine")
    assert all(first.startswith("mine-") for first in re.findall(r'\sid="([^"]+)"', mine))
    with pytest.raises(cz.errors.OptionError, match="prefix must begin with a letter"):
        plot.svg(plot.dendrogram(cz.cluster_coders(THREE)), prefix='"><script>')


def test_invalid_file(tmp_path: Path) -> None:
    figure = plot.boundaries_per_coder(cz.boundaries_placed(THREE))
    with pytest.raises(cz.errors.FormatError, match=r"one of \.svg, \.pdf, \.png; got \.jpg"):
        plot.save(figure, tmp_path / "x.jpg")
    with pytest.raises(cz.errors.FormatError, match="cannot be written: No such file or directory"):
        plot.save(figure, tmp_path / "no" / "x.svg")


def test_characters_without_a_font_are_listed_except_for_svg(tmp_path: Path) -> None:
    figure = plot.boundaries_per_coder(cz.boundaries_placed(of_masses(x={"𒀀": [2, 2]})))  # cuneiform
    plot.save(figure, tmp_path / "x.svg")
    with pytest.warns(cz.errors.CaesuraWarning, match="no installed font has"):
        plot.save(figure, tmp_path / "x.png")


def test_style_is_restored() -> None:
    before = dict(matplotlib.rcParams)
    plot.svg(plot.pairwise(cz.pairwise(THREE, B)))
    with pytest.raises(cz.errors.OptionError):
        plot.pairwise(cz.pairwise(THREE, B), width=99)
    assert dict(matplotlib.rcParams) == before


def test_threads_do_not_share_their_style() -> None:
    drawings: list[str] = []
    clustering = cz.cluster_coders(THREE)
    before = dict(matplotlib.rcParams)
    threads = [
        threading.Thread(target=lambda: drawings.append(plot.svg(plot.dendrogram(clustering)))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawings) == 3
    assert len(set(drawings)) == 1
    assert dict(matplotlib.rcParams) == before


def test_everything_is_inside_the_picture(judged: cz.Judgement) -> None:
    """No label crosses the edge, even if names of coders and measures are long."""
    long = "a coder with a name that goes on and on"
    corpus = cz.Corpus({long: {f"{i} {long}": cz.Segmentation.from_masses([i + 1, 9 - i]) for i in range(4)}})
    figures = [
        plot.pairwise(cz.pairwise(corpus, "segmentation_similarity(n_t=3, wt=0.25, ws=0.125)"), title=long * 2),
        plot.dendrogram(cz.cluster_coders(corpus, "segmentation_similarity(n_t=3, wt=0.25, ws=0.125)")),
        plot.boundary_heat(cz.boundary_heat(corpus)),
        plot.boundaries_per_coder(cz.boundaries_placed(corpus)),
        plot.systems(judged, title=long),
        plot.precision_recall(judged),
        plot.gold(cz.unify(FIGURE_4), FIGURE_4, width=2.5),
        plot.tree_alignment(MAN, JJ, cz.struct_iou(MAN, JJ)),
    ]
    for figure in figures:
        canvas_ = FigureCanvasAgg(figure)
        canvas_.draw()
        box = figure.get_tightbbox(canvas_.get_renderer())
        wide, high = figure.get_size_inches()
        assert min(box.x0, box.y0) > -0.01
        assert box.x1 < wide + 0.01
        assert box.y1 < high + 0.01


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "tree_alignment"])
def test_other_results_are_rejected(kind: str) -> None:
    with pytest.raises(cz.errors.OptionError, match=r"expected.*; got"):
        getattr(plot, kind)([3] if kind in ("by_length", "boundary_heat") else 3)


def test_segments_are_blocks_between_the_boundaries() -> None:
    """ann  ··|···|·   masses 2, 3, 1; the row has three blocks and two lines"""
    corpus = cz.Corpus(
        {"text": {"ann": cz.Segmentation.from_masses([2, 3, 1]), "bo": cz.Segmentation.from_masses([6])}}
    )
    axes = plot.segments(corpus).axes[0]
    blocks = [[path.vertices[[0, 2], 0].tolist() for path in row.get_paths()] for row in axes.collections]
    assert blocks == [[[0, 2], [2, 5], [5, 6]], [[0, 6]]]
    assert [line.get_xdata()[0] for line in axes.lines] == [2, 5]
    assert axes.get_xlim() == (0, 6)


def test_items_come_from_the_lowest_to_the_highest_value() -> None:
    cut = cz.Segmentation.from_masses
    corpus = cz.Corpus({"same": {"a": cut([2, 3]), "b": cut([2, 3])}, "other": {"a": cut([1, 4]), "b": cut([4, 1])}})
    axes = plot.items([cz.pairwise(corpus, "boundary_similarity")]).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["other", "same"]
    assert axes.lines[0].get_xdata().tolist() == [0, 1]


def test_every_figure_can_be_made_on_the_command_line() -> None:
    assert {*KINDS, "save", "svg"} == {*plot.__all__}


@pytest.mark.parametrize("width", [0, -1, 41, float("nan"), "3", True])
def test_width_is_in_inches(width: Any) -> None:
    with pytest.raises(cz.errors.OptionError, match="width must be a number"):
        plot.dendrogram(cz.cluster_coders(THREE), width=width)


def test_data_too_large_for_a_figure_is_reported() -> None:
    long = cz.Segmentation.from_positions(100_000, [5])
    with pytest.raises(cz.errors.OptionError, match="a figure can show 300 lines; got 848"):
        plot.boundary_heat(cz.boundary_heat(cz.Corpus({"x": {"a": long}})))
    with pytest.raises(cz.errors.OptionError, match="expected at least one position"):
        plot.boundary_heat(cz.boundary_heat(of_masses(x={"a": [1]})))


@pytest.mark.parametrize("coders", [60, 61, 500])
def test_heat_of_many_coders_has_a_continuous_scale(coders: int) -> None:
    item = {f"c{i}": cz.Segmentation.from_masses([2, 3] if i % 2 else [4, 1]) for i in range(coders)}
    figure = plot.boundary_heat(cz.boundary_heat(cz.Corpus({"x": item})))
    image = figure.axes[0].images[0]
    assert hasattr(image.norm, "boundaries") == (coders <= 60)
    assert image.get_array()[0].tolist() == [0, coders // 2, 0, coders - coders // 2]
    assert image.norm.vmax == (coders if coders > 60 else coders + 0.5)


def test_a_figure_of_segments_has_a_limited_number_of_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["caesura.views.figures.items"], "MAX_BOUNDARIES", 2)
    corpus = cz.Corpus({"x": {"a": cz.Segmentation.from_masses([1, 1, 1]), "b": cz.Segmentation.from_masses([2, 1])}})
    with pytest.raises(OptionError, match="a figure can show 2 boundaries; got 3"):
        plot.segments(corpus)
