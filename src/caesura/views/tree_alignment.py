"""Two trees side by side, a node a line, with those that are aligned on one line."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.measures.structiou import NodePair
from caesura.model.tree import Tree
from caesura.views.table import clean, pad, shorten, text_width

__all__ = ["TREE_LEGEND", "draw_tree_alignment"]

TREE_LEGEND = "= the same span   0.50 aligned, with this IoU   < only in gold   > only in predicted"

_MARK = 6  # columns between the trees


def draw_tree_alignment(gold: Tree, predicted: Tree, alignment: Sequence[NodePair], *, width: int = 100) -> str:
    """The nodes of both trees in preorder, indented by depth, and marks between them.

    Aligned pairs keep their order on both sides, so that each tree can be read from top to bottom.

    >>> from caesura import struct_iou
    >>> a = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    >>> b = Tree.from_brackets("(S (NP (DT the)) (JJ man) (VP (VBD ate)))")
    >>> print(draw_tree_alignment(a, b, struct_iou(a, b).alignment, width=40))
    S            =   S
      NP        0.50   NP
        DT the   =       DT the
        NN man   <
                 >     JJ man
      VP         =     VP
        VBD ate  =       VBD ate
    """
    left, right = _lines(gold), _lines(predicted)
    wide = min(max(map(text_width, left), default=0), (width - _MARK) // 2)
    rows: list[tuple[str, str, str]] = []
    i = j = 0
    for pair in (*alignment, None):
        to_i, to_j = (pair.gold, pair.predicted) if pair else (len(gold), len(predicted))
        rows += [(left[k], "<", "") for k in range(i, to_i)]
        rows += [("", ">", right[k]) for k in range(j, to_j)]
        if pair:
            rows.append((left[to_i], "=" if pair.iou == 1 else f"{pair.iou:.2f}", right[to_j]))
        i, j = to_i + 1, to_j + 1
    room = width - wide - _MARK
    return "\n".join(
        f"{pad(shorten(one, wide), wide)}{mark:^{_MARK}}{shorten(other, room)}".rstrip() for one, mark, other in rows
    )


def _lines(tree: Tree) -> list[str]:
    """A line a node."""
    leaf = tree.preterminal.tolist()
    lines = []
    for i, (node, deep) in enumerate(zip(tree.nodes, tree.depth.tolist(), strict=True)):
        word = f" {tree.words[node.start]}" if leaf[i] else ""
        times = "" if tree.times is None else f" {node.begins:.2f}-{node.ends:.2f}"
        # A very deep tree would leave no room for its labels.
        indent = "  " * deep if deep <= 20 else f"{deep:>39} "
        lines.append(clean(f"{indent}{node.label or '()'}{word}{times}"))
    return lines
