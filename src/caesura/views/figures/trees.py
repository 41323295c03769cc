"""Two trees of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MismatchError, OptionError
from caesura.measures.structiou import StructIoUScore
from caesura.model.tree import Tree
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN,
    SIZE,
    WIDEST,
    drawing,
    few,
    name,
    needed,
    room_for,
    wide_enough,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["tree_alignment"]

MOST_NODES = 600
MOST_LEVELS = 60
_COLOURS = COLOURS[:6]  # not the yellow, in which a label cannot be read


def tree_alignment(
    gold: Tree, predicted: Tree, score: StructIoUScore, *, width: float | None = None, title: str | None = None
) -> Figure:
    """The gold tree above, the predicted one upside down below, with aligned nodes in the same colour and numbered alike.

    (After Figure 1 of Shi, Gimpel & Livescu 2024.) A number is that of a pair; where its nodes do not cover the same, their IoU
    stands behind it below. Nodes that are aligned with none are grey, in a dashed frame. Trees with times stand over
    time, others over their words. Without ``width`` the figure is as wide as the words need.

    >>> import caesura as cz
    >>> a = cz.Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    >>> b = cz.Tree.from_brackets("(S (NP (DT the)) (JJ man) (VP (VBD ate)))")
    >>> figure = tree_alignment(a, b, cz.struct_iou(a, b))
    >>> [one.get_text() for one in figure.axes[0].texts][:6]
    ['S 1', 'NP 2', 'DT 3', 'the', 'NN', 'man']
    >>> [one.get_text() for one in figure.axes[1].texts][:2]
    ['S 1', 'NP 2 (.50)']
    """
    for tree in (gold, predicted):
        few(range(len(needed(tree, Tree, "Tree.from_brackets or read_trees"))), MOST_NODES, "nodes")
        few(range(int(tree.depth.max()) + 1), MOST_LEVELS, "levels")
    needed(score, StructIoUScore, "struct_iou")
    if score.source is None:
        raise OptionError("the score of one sentence is needed; this one is of several. Ask each of them")
    if (gold, predicted) not in score.source.pairs:
        raise MismatchError("the score must be that of these two trees; it is of others")
    if (gold.times is None) != (predicted.times is None):
        raise MismatchError("both trees must have times, or none; got one of each")
    said: list[dict[int, str]] = [{}, {}]
    colour: list[dict[int, str]] = [{}, {}]
    for number, pair in enumerate(score.alignment, 1):
        iou = "" if pair.iou == 1 else f" ({pair.iou:.2f})".replace("(0", "(")
        said[0][pair.gold], said[1][pair.predicted] = f"{number}", f"{number}{iou}"
        colour[0][pair.gold] = colour[1][pair.predicted] = _COLOURS[(number - 1) % len(_COLOURS)]
    heights = [_height(gold), _height(predicted)]
    wide = _fitting(gold, predicted) if width is None else wide_enough(width)
    with drawing(wide, 0.6 + 0.34 * (heights[0].max() + heights[1].max() + 2), title) as figure:
        grid = figure.subplots(2, sharex=True, height_ratios=[heights[0].max() + 1, heights[1].max() + 1])
        for side, (axes, tree) in enumerate(zip(grid, (gold, predicted), strict=True)):
            _tree(axes, tree, heights[side], said[side], colour[side])
            axes.set_ylim(*((-1.3, heights[0].max() + 0.5), (heights[1].max() + 0.5, -1.3))[side])
            axes.set_ylabel(("gold", "predicted")[side], rotation=0, ha="right", va="center")
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            axes.tick_params(axis="x", length=0, labelbottom=False)
        if gold.times is not None:
            grid[1].spines["bottom"].set_visible(True)
            grid[1].tick_params(axis="x", length=2.5, labelbottom=True)
            grid[1].set_xlabel("seconds")
        spans = np.vstack([gold.spans, predicted.spans])
        grid[1].set_xlim(spans.min(), spans.max())
    return figure


def _height(tree: Tree) -> NDArray[np.int64]:
    """How many nodes stand below each, at most; children come after their parents."""
    height = np.zeros(len(tree), np.int64)
    parent = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        height[parent[node]] = max(height[parent[node]], height[node] + 1)
    return height


def _fitting(gold: Tree, predicted: Tree) -> float:
    """As wide as words and labels need: where words have times, the densest place decides."""
    needs = []
    for tree in (gold, predicted):
        spans = tree.spans[tree.preterminal]
        length = np.diff(spans, axis=1)[:, 0] / (tree.spans.max() - tree.spans.min())
        labels = [label for label, leaf in zip(tree.labels, tree.preterminal.tolist(), strict=True) if leaf]
        room = [
            room_for([name(word, 12), name(label, 8) + " 10 "]) + 0.05
            for word, label in zip(tree.words, labels, strict=True)
        ]
        # A word of a few milliseconds among long ones may be crowded.
        needs.append(float(np.quantile(np.array(room) / length, 0.8)))
    return min(max(*needs, COLUMN), WIDEST)


def _tree(axes: Axes, tree: Tree, height: NDArray[np.int64], said: dict[int, str], colour: dict[int, str]) -> None:
    middle = tree.spans.mean(axis=1).tolist()
    leaf = tree.preterminal.tolist()
    for node, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            # With corners, lines never cross: between a node and its parent nothing else stands above the node.
            corner = height[above] - 0.5
            x, y = [middle[above]] * 2 + [middle[node]] * 2, [height[above], corner, corner, height[node]]
            axes.plot(x, y, color="#999999", linewidth=0.7)
        number = said.get(node)
        ink = colour.get(node, "#666666")
        frame = {"facecolor": "white", "edgecolor": ink, "linewidth": 0.8, "boxstyle": "round,pad=0.2"}
        axes.text(
            middle[node],
            height[node],
            name(tree.labels[node] or "()", 8) + (f" {number}" if number else ""),
            ha="center",
            va="center",
            color="black" if number else ink,
            fontsize=SIZE - 1,
            bbox=frame | ({} if number else {"linestyle": "--"}),
            zorder=3,
        )
        if leaf[node]:
            word = name(tree.words[tree.start[node]], 12)
            axes.plot([middle[node]] * 2, [height[node], -0.8], color="#CCCCCC", linewidth=0.5)
            axes.text(middle[node], -0.95, word, ha="center", va="center", fontsize=SIZE - 1, fontstyle="italic")
