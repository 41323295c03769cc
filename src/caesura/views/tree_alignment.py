"""Two trees side by side, one node per line, with aligned nodes on the same line."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.measures.structiou import NodePair
from caesura.model.tree import Tree
from caesura.views.table import clean, pad, shorten, text_width

TREE_LEGEND = "= the same span   0.50 aligned, with this IoU   < only in gold   > only in predicted"

_MARK_WIDTH = 6  # columns between the trees
_MAX_INDENT = 20  # levels; deeper nodes show their depth as a number, or their labels would not fit


def draw_tree_alignment(gold: Tree, predicted: Tree, alignment: Sequence[NodePair], *, width: int = 100) -> str:
    """Return the nodes of both trees in preorder, indented by depth, with marks between them.

    Aligned pairs keep their order on both sides, so that each tree can be read from top to bottom.

    Parameters
    ----------
    gold, predicted : Tree
        Two trees of a sentence.
    alignment : sequence of NodePair
        Aligned nodes, such as ``struct_iou(gold, predicted).alignment``.
    width : int, default 100
        Characters per line.

    Returns
    -------
    str
        One line per node or pair of nodes.

    Examples
    --------
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
    gold_lines, predicted_lines = _node_lines(gold), _node_lines(predicted)
    rows: list[tuple[str, str, str]] = []
    i = j = 0
    for pair in (*alignment, None):
        next_i, next_j = (pair.gold, pair.predicted) if pair else (len(gold), len(predicted))
        rows += [(gold_lines[k], "<", "") for k in range(i, next_i)]
        rows += [("", ">", predicted_lines[k]) for k in range(j, next_j)]
        if pair:
            rows.append((gold_lines[next_i], "=" if pair.iou == 1 else f"{pair.iou:.2f}", predicted_lines[next_j]))
        i, j = next_i + 1, next_j + 1
    left_width = min(max(map(text_width, gold_lines), default=0), (width - _MARK_WIDTH) // 2)
    right_width = width - left_width - _MARK_WIDTH
    return "\n".join(
        f"{pad(shorten(gold_line, left_width), left_width)}{mark:^{_MARK_WIDTH}}"
        f"{shorten(predicted_line, right_width)}".rstrip()
        for gold_line, mark, predicted_line in rows
    )


def _node_lines(tree: Tree) -> list[str]:
    is_leaf = tree.preterminal.tolist()
    lines = []
    for i, (node, depth) in enumerate(zip(tree.nodes, tree.depth.tolist(), strict=True)):
        word = f" {tree.words[node.start]}" if is_leaf[i] else ""
        times = "" if tree.times is None else f" {node.begins:.2f}-{node.ends:.2f}"
        indent = "  " * depth if depth <= _MAX_INDENT else f"{depth:>39} "
        lines.append(clean(f"{indent}{node.label or '()'}{word}{times}"))
    return lines
