"""Figure of two trees of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MismatchError, OptionError
from caesura.measures.structiou import StructIoUScore
from caesura.model.tree import Tree
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    MAX_WIDTH,
    check_count,
    check_type,
    check_width,
    label_inches,
    label_text,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NODES = 600
MAX_LEVELS = 60
_COLOURS = COLOURS[:6]  # without the yellow, which cannot be read


class _Node(NamedTuple):
    """How an aligned node is drawn: the number of its pair, and the colour."""

    number: str
    colour: str


def tree_alignment(
    gold: Tree, predicted: Tree, score: StructIoUScore, *, width: float | None = None, title: str | None = None
) -> Figure:
    """Draw the gold tree above and the predicted tree upside down below, with aligned nodes in the same colour.

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
    After Figure 1 of Shi, Gimpel & Livescu (2024). Aligned nodes have the same number. If they do not cover the same span,
    their IoU is behind the number in the lower tree. Nodes that are not aligned are grey, in a dashed frame. Trees with
    times are drawn over time, others over their words.

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
    trees = (gold, predicted)
    aligned = _aligned_nodes(score)
    heights = [_heights(tree) for tree in trees]
    tops = [int(height.max()) for height in heights]
    inches = _fitting_width(gold, predicted) if width is None else check_width(width)
    with new_figure(inches, 0.6 + 0.34 * (sum(tops) + 2), title) as figure:
        upper, lower = figure.subplots(2, sharex=True, height_ratios=[top + 1 for top in tops])
        for axes, tree, height, nodes in zip((upper, lower), trees, heights, aligned, strict=True):
            _draw_tree(axes, tree, height, nodes)
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            axes.tick_params(axis="x", length=0, labelbottom=False)
        upper.set_ylim(-1.3, tops[0] + 0.5)
        lower.set_ylim(tops[1] + 0.5, -1.3)
        upper.set_ylabel("gold", rotation=0, ha="right", va="center")
        lower.set_ylabel("predicted", rotation=0, ha="right", va="center")
        if gold.times is not None:
            lower.spines["bottom"].set_visible(True)
            lower.tick_params(axis="x", length=2.5, labelbottom=True)
            lower.set_xlabel("seconds")
        spans = np.vstack([gold.spans, predicted.spans])
        lower.set_xlim(spans.min(), spans.max())
    return figure


def _check(gold: Tree, predicted: Tree, score: StructIoUScore) -> None:
    for tree in (gold, predicted):
        check_count(len(check_type(tree, Tree, "Tree.from_brackets or read_trees")), MAX_NODES, "nodes")
        check_count(int(tree.depth.max()) + 1, MAX_LEVELS, "levels")
    check_type(score, StructIoUScore, "struct_iou")
    if score.source is None:
        raise OptionError("the score of one sentence is needed; this one is of several. Draw one figure per sentence")
    if (gold, predicted) not in score.source.pairs:
        raise MismatchError("the score must be that of these two trees; it is of different ones")
    if (gold.times is None) != (predicted.times is None):
        raise MismatchError("both trees must have times, or none; got one of each")


def _aligned_nodes(score: StructIoUScore) -> tuple[dict[int, _Node], dict[int, _Node]]:
    """Return node -> number and colour, of the gold tree and of the predicted one."""
    gold, predicted = {}, {}
    for number, pair in enumerate(score.alignment, 1):
        iou = "" if pair.iou == 1 else f" ({pair.iou:.2f})".replace("(0", "(")
        colour = _COLOURS[(number - 1) % len(_COLOURS)]
        gold[pair.gold] = _Node(f"{number}", colour)
        predicted[pair.predicted] = _Node(f"{number}{iou}", colour)
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
            label_inches([label_text(word, 12), label_text(label, 8) + " 10 "]) + 0.05
            for word, label in zip(tree.words, labels, strict=True)
        ]
        # A word of a few milliseconds among long ones may be crowded.
        widths.append(float(np.quantile(np.array(inches) / lengths, 0.8)))
    return min(max(*widths, COLUMN_WIDTH), MAX_WIDTH)


def _draw_tree(axes: Axes, tree: Tree, height: NDArray[np.int64], aligned: dict[int, _Node]) -> None:
    middle = tree.spans.mean(axis=1).tolist()
    is_leaf = tree.preterminal.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        x, y = middle[node], height[node]
        if parent >= 0:
            # With corners, lines never cross: between a node and its parent nothing else is above the node.
            corner = height[parent] - 0.5
            xs, ys = [middle[parent]] * 2 + [x] * 2, [height[parent], corner, corner, y]
            axes.plot(xs, ys, color="#999999", linewidth=0.7)
        _draw_label(axes, x, y, label_text(tree.labels[node] or "()", 8), aligned.get(node))
        if is_leaf[node]:
            word = label_text(tree.words[tree.start[node]], 12)
            axes.plot([x] * 2, [y, -0.8], color="#CCCCCC", linewidth=0.5)
            axes.text(x, -0.95, word, ha="center", va="center", fontsize=FONT_SIZE - 1, fontstyle="italic")


def _draw_label(axes: Axes, x: float, y: float, label: str, aligned: _Node | None) -> None:
    frame = {"facecolor": "white", "linewidth": 0.8, "boxstyle": "round,pad=0.2"}
    frame |= {"edgecolor": "#666666", "linestyle": "--"} if aligned is None else {"edgecolor": aligned.colour}
    axes.text(
        x,
        y,
        label if aligned is None else f"{label} {aligned.number}",
        ha="center",
        va="center",
        color="#666666" if aligned is None else "black",
        fontsize=FONT_SIZE - 1,
        bbox=frame,
        zorder=3,
    )
