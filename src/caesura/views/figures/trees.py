"""Figures of two trees of a sentence, and of the experiments with trees of Shi, Gimpel & Livescu (2024)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MismatchError, OptionError
from caesura.measures.structiou import StructIoUScore
from caesura.model.tree import Tree
from caesura.model.value import count_of
from caesura.options import choice
from caesura.simulation.trees import Correlation, LengthRow, PerturbationCurve
from caesura.views.figures import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NODES = 600
MAX_LEVELS = 60


class _Pair(NamedTuple):
    """What a node shows of its pair: number and IoU, and whether both nodes cover the same span."""

    text: str
    same_span: bool


_Aligned = dict[int, _Pair]  # by node


class _Look(NamedTuple):
    ink: str
    frame: str
    ground: str
    line: str
    width: float
    weight: str


# Agreement is pale, so that differences stand out, also without colour.
_SAME = _Look("#767676", "#D5D5D5", "white", "solid", 0.6, "normal")
_DIFFERENT = _Look("black", canvas.COLOURS[0], "#DCEBF5", "solid", 1.1, "normal")
_ALONE = _Look("black", canvas.COLOURS[5], "#FBE5D6", "--", 1.3, "bold")


def tree_alignment(
    gold: Tree, predicted: Tree, score: StructIoUScore, *, width: float | None = None, title: str | None = None
) -> Figure:
    """Draw the gold tree above and the predicted tree upside down below; differences stand out.

    Parameters
    ----------
    gold, predicted : Tree
        Two trees of a sentence.
    score : StructIoUScore
        Their score, from :func:`caesura.struct_iou`.
    width : float, optional
        Width in inches (default: as wide as the words need).
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Notes
    -----
    After Figure 1 of Shi, Gimpel & Livescu (2024). Aligned nodes have the same number. They are pale if they cover the
    same span; otherwise they are blue, with their IoU behind the number in the lower tree. Nodes that are not aligned are
    bold, in a dashed orange frame. Trees with times are drawn over time, others over their words.

    Examples
    --------
    >>> import caesura as cz
    >>> a = cz.Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    >>> b = cz.Tree.from_brackets("(S (NP (DT the)) (JJ man) (VP (VBD ate)))")
    >>> figure = tree_alignment(a, b, cz.struct_iou(a, b))
    >>> [text.get_text() for text in figure.axes[0].texts][:6]
    ['S 1', 'NP 2', 'DT 3', 'the', 'NN', 'man']
    >>> [text.get_text() for text in figure.axes[1].texts][:2]
    ['S 1', 'NP 2 (.50)']
    """
    _check(gold, predicted, score)
    sides = {"gold": gold, "predicted": predicted}
    aligned = _aligned_nodes(score)
    heights = [_heights(tree) for tree in sides.values()]
    tops = [int(height.max()) for height in heights]
    inches = _fitting_width(gold, predicted) if width is None else canvas.check_width(width)
    with canvas.new_figure(inches, 0.6 + 0.34 * (sum(tops) + 2), title) as figure:
        upper, lower = figure.subplots(2, sharex=True, height_ratios=[top + 1 for top in tops])
        panels = zip((upper, lower), sides.items(), heights, aligned, strict=True)
        for axes, (name, tree), height, nodes in panels:
            _draw_tree(axes, tree, height, nodes)
            axes.set_yticks([])
            axes.set_ylabel(name, rotation=0, ha="right", va="center")
            axes.spines[:].set_visible(False)
            axes.tick_params(axis="x", length=0, labelbottom=False)
        upper.set_ylim(-1.3, tops[0] + 0.5)
        lower.set_ylim(tops[1] + 0.5, -1.3)
        if gold.times is not None:
            lower.spines["bottom"].set_visible(True)
            lower.tick_params(axis="x", length=2.5, labelbottom=True)
            lower.set_xlabel("seconds")
        spans = np.vstack([gold.spans, predicted.spans])
        lower.set_xlim(spans.min(), spans.max())
    return figure


def _check(gold: Tree, predicted: Tree, score: StructIoUScore) -> None:
    for tree in (gold, predicted):
        canvas.check_count(len(canvas.check_type(tree, Tree, "Tree.from_brackets or read_trees")), MAX_NODES, "nodes")
        canvas.check_count(int(tree.depth.max()) + 1, MAX_LEVELS, "levels")
    canvas.check_type(score, StructIoUScore, "struct_iou")
    if score.source is None:
        raise OptionError("expected the score of one sentence; got the score of several. Draw one figure per sentence")
    if (gold, predicted) != score.trees:
        raise MismatchError("the score must belong to these two trees; it belongs to different trees")
    if (gold.times is None) != (predicted.times is None):
        raise MismatchError("either both trees must have times or neither; only one has times")


def _aligned_nodes(score: StructIoUScore) -> tuple[_Aligned, _Aligned]:
    gold, predicted = {}, {}
    for number, pair in enumerate(score.alignment, 1):
        iou = "" if pair.iou == 1 else f" ({pair.iou:.2f})".replace("(0", "(")
        gold[pair.gold] = _Pair(f"{number}", pair.iou == 1)
        predicted[pair.predicted] = _Pair(f"{number}{iou}", pair.iou == 1)
    return gold, predicted


def _heights(tree: Tree) -> NDArray[np.int64]:
    """Return for each node the length of the longest path down to a leaf; children come after their parents."""
    height = np.zeros(len(tree), np.int64)
    parent = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        height[parent[node]] = max(height[parent[node]], height[node] + 1)
    return height


def _fitting_width(gold: Tree, predicted: Tree) -> float:
    """Return the width that words and labels need; if words have times, the densest place decides."""
    widths = []
    for tree in (gold, predicted):
        spans = tree.spans[tree.preterminal]
        lengths = np.diff(spans, axis=1)[:, 0] / (tree.spans.max() - tree.spans.min())
        labels = [label for label, leaf in zip(tree.labels, tree.preterminal.tolist(), strict=True) if leaf]
        inches = [
            canvas.label_inches([canvas.label_text(word, 12), canvas.label_text(label, 8) + " 10 "]) + 0.05
            for word, label in zip(tree.words, labels, strict=True)
        ]
        # A word of a few milliseconds among long ones may be crowded.
        widths.append(float(np.quantile(np.array(inches) / lengths, 0.8)))
    return min(max(*widths, canvas.COLUMN_WIDTH), canvas.MAX_WIDTH)


def _draw_tree(axes: Axes, tree: Tree, height: NDArray[np.int64], aligned: _Aligned) -> None:
    middle = tree.spans.mean(axis=1).tolist()
    is_leaf = tree.preterminal.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        x, y = middle[node], height[node]
        if parent >= 0:
            # With corners, lines never cross: between a node and its parent nothing else is above the node.
            corner = height[parent] - 0.5
            xs, ys = [middle[parent]] * 2 + [x] * 2, [height[parent], corner, corner, y]
            axes.plot(xs, ys, color="#999999", linewidth=0.7)
        _draw_label(axes, (x, y), canvas.label_text(tree.labels[node] or "()", 8), aligned.get(node))
        if is_leaf[node]:
            word = canvas.label_text(tree.words[tree.start[node]], 12)
            axes.plot([x] * 2, [y, -0.8], color="#CCCCCC", linewidth=0.5)
            canvas.write_centred(axes, word, (x, -0.95), canvas.FONT_SIZE - 1, fontstyle="italic")


def _draw_label(axes: Axes, point: tuple[float, float], label: str, aligned: _Pair | None) -> None:
    """Draw a node: pale if the other tree has its span, coloured if the spans differ, bold and dashed if it is alone."""
    look = _ALONE if aligned is None else _SAME if aligned.same_span else _DIFFERENT
    frame = {"boxstyle": "round,pad=0.2", "facecolor": look.ground, "edgecolor": look.frame, "linestyle": look.line}
    text = label if aligned is None else f"{label} {aligned.text}"
    style: dict[str, Any] = {"color": look.ink, "fontweight": look.weight, "bbox": {**frame, "linewidth": look.width}}
    canvas.write_centred(axes, text, point, canvas.FONT_SIZE - 1, zorder=3, **style)


# -- experiments -----------------------------------------------------------------------------------------------------

_LINE_STYLES = ("-", "--", ":", "-.")


def _line_style(i: int, size: float) -> dict[str, Any]:
    """Return shape of line and marks that distinguish the i-th line without colour."""
    return {"linestyle": _LINE_STYLES[i % len(_LINE_STYLES)], "marker": canvas.MARKERS[i], "markersize": size}


def perturbation(
    curve: PerturbationCurve, *, level: str = "sentences", width: float = canvas.COLUMN_WIDTH, title: str | None = None
) -> Figure:
    """Draw the decrease of the score with delta: one line per kind of perturbation, with the deviation over repeats (Figure 5).

    Parameters
    ----------
    curve : PerturbationCurve
        Scores, from :func:`caesura.simulation.trees.perturbation_curve`.
    level : {"sentences", "corpus"}
        Level of the scores.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Examples
    --------
    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import perturbation_curve
    >>> spoken = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> figure = perturbation(perturbation_curve([spoken], deltas=[0, 1], repeats=2, seed=1))
    >>> [box.get_label() for box in figure.axes[0].containers]
    ['noise', 'insert', 'delete']
    """
    canvas.check_type(curve, PerturbationCurve, "perturbation_curve")
    corpus = choice("sentences", "corpus")("level", level) == "corpus"
    with canvas.new_axes(canvas.check_width(width), 0.7 * width + 0.2, title) as (figure, axes):
        for i, kind in enumerate(dict.fromkeys(point.kind for point in curve.points)):
            points = sorted(curve.of_kind(kind), key=lambda point: point.delta)
            deltas = [point.delta for point in points]
            values = [point.corpus if corpus else point.mean for point in points]
            deviations = [point.corpus_deviation if corpus else point.deviation for point in points]
            style = {"color": canvas.COLOURS[i], **_line_style(i, 3.5)}
            axes.errorbar(deltas, values, yerr=deviations, label=kind, capsize=2, **style)
        label = canvas.wrap_label(f"{curve.measure.label}, {level}", 0.7 * width)
        axes.set(xlabel="delta", ylabel=label, ylim=(0, 1.02))
        figure.legend(loc="outside lower right", ncols=3)
    return figure


def by_length(rows: Sequence[LengthRow], *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the scores of all sentences up to a length, at the level of sentences and of the corpus (Figure 6).

    Parameters
    ----------
    rows : sequence of LengthRow
        Scores, from :func:`caesura.simulation.trees.by_length`.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Examples
    --------
    >>> figure = by_length([LengthRow(1, 1, 1.0, 1.0), LengthRow(2, 2, 0.9444, 0.9231)])
    >>> figure.axes[0].lines[1].get_ydata().tolist()
    [1.0, 0.9231]
    """
    listed = [canvas.check_type(row, LengthRow, "by_length") for row in rows]
    points = [(row.length, row.mean, row.corpus) for row in listed if row.mean is not None and row.corpus is not None]
    if not points:
        raise OptionError("expected at least one sentence; these rows have none")
    lengths, means, corpora = zip(*points, strict=True)
    with canvas.new_axes(canvas.check_width(width), 0.65 * width + 0.3, title) as (figure, axes):
        lines = (("sentence level", means, canvas.COLOURS[0]), ("corpus level", corpora, canvas.COLOURS[5]))
        for i, (label, values, colour) in enumerate(lines):
            spacing = max(1, len(lengths) // 20)
            axes.plot(lengths, values, label=label, color=colour, markevery=spacing, **_line_style(i, 3))
        axes.set(xlabel="words at most", ylabel="Struct-IoU")
        figure.legend(loc="outside lower right", ncols=2)
    return figure


def correlation(result: Correlation, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw Struct-IoU against PARSEVAL F1: one dot per sample, with Spearman's rho (Figures 3 and 7).

    Parameters
    ----------
    result : Correlation
        Both scores of all samples, from :func:`caesura.simulation.trees.correlation`.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Examples
    --------
    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import correlation as correlate
    >>> gold = [Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    >>> predicted = [Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    >>> figure = correlation(correlate(gold, predicted, size=1, seed=1))
    >>> figure.axes[0].lines[0].get_xdata().round(3).tolist()
    [1.0, 0.667, 0.667, 0.667]
    """
    canvas.check_type(result, Correlation, "correlation")
    with canvas.new_axes(canvas.check_width(width), 0.8 * width, title) as (figure, axes):
        style = {"alpha": 0.6, "markersize": 3.5, "markeredgewidth": 0}
        canvas.draw_marks(axes, result.f1, result.struct_iou, "o", canvas.COLOURS[0], **style)
        axes.set(xlabel="PARSEVAL F1", ylabel="Struct-IoU")
        samples = f"{len(result.f1)} samples of {count_of(result.size, 'sentence')}"
        text = f"ρ = {result.rho:.3f}, p = {result.p:.2g}; {samples}"
        axes.set_title(text, loc="right", fontsize=canvas.FONT_SIZE - 1)
    return figure
