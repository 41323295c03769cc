"""Trees over other words: neighbours joined into one, or one word cut in two. The rest of the tree stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import TreeError
from caesura.model.brackets import Nodes
from caesura.model.tree import Tree

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def join_words(tree: Tree, boundaries: Iterable[int]) -> Tree:
    """The tree after boundaries between words are taken away; boundary i stands between words i and i + 1, from 1.

    A run of words joined so becomes one word. Its preterminal has the label of the first and hangs under the lowest node
    that covers the run, between what is left of that node's children before and after it. The words of the run leave
    their places, nodes that lose all words vanish, all others keep label and remaining words.

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate) (NP (NN rice))))")
    >>> join_words(tree, [2]).brackets
    '(S (NP (DT the)) (NN man_ate) (VP (NP (NN rice))))'
    """
    n = tree.length
    gone = np.zeros(n + 1, bool)
    for boundary in boundaries:
        if isinstance(boundary, bool) or not isinstance(boundary, (int, np.integer)) or not 1 <= boundary < n:
            raise TreeError(f"a boundary between {n} words is a number from 1 to {n - 1}; got {boundary!r}")
        gone[boundary] = True
    return _joined(tree, gone[:n]) if gone.any() else tree


def join_empty_words(tree: Tree) -> Tree:
    """Words that take no time joined to their right neighbours, the last to its left."""
    if tree.times is None:
        return tree
    empty = tree.times[:, 0] == tree.times[:, 1]
    if not empty.any():
        return tree
    if empty.all():
        raise TreeError("no word takes any time; a tree needs one that does")
    gone = np.zeros(tree.length, bool)
    gone[1:] = empty[:-1]
    # At the end there is nobody to the right: as far as the last word that takes time.
    gone[np.flatnonzero(~empty)[-1] + 1 :] = True
    return _joined(tree, gone)


def _joined(tree: Tree, gone: NDArray[np.bool_]) -> Tree:
    """``gone[i]``: whether the boundary before word i, from 0, is taken away."""
    new = np.cumsum(~gone) - 1  # the new number of each word
    first = np.flatnonzero(~gone)
    last = np.append(first[1:], tree.length) - 1
    joined = last > first
    # A node keeps a run that lies inside it; of one that sticks out on a side it keeps nothing.
    start = new[tree.start] + (first[new[tree.start]] < tree.start)
    end = new[tree.end - 1] + (last[new[tree.end - 1]] < tree.end)
    depth = tree.depth
    leaf = tree.preterminal
    kept = (start < end) & ~(leaf & joined[new[tree.start]])
    runs = np.flatnonzero(joined)
    leaves = np.flatnonzero(leaf)
    below = _covering(tree, runs, first, last)
    words = tuple("_".join(tree.words[a : b + 1]) for a, b in zip(first.tolist(), last.tolist(), strict=True))
    times = None if tree.times is None else np.column_stack([tree.times[first, 0], tree.times[last, 1]])
    labels = [tree.labels[node] for node in np.flatnonzero(kept)] + [tree.labels[leaves[first[run]]] for run in runs]
    return _from_spans(
        labels,
        np.concatenate([start[kept], runs]),
        np.concatenate([end[kept], runs + 1]),
        np.concatenate([depth[kept], np.where(below >= 0, depth[below] + 1, 0)]),
        words,
        times,
    )


def _covering(tree: Tree, runs: Ints, first: Ints, last: Ints) -> Ints:
    """The lowest node over all words of each run; -1 if there is none."""
    leaves = np.flatnonzero(tree.preterminal)
    parent, end = tree.parent.tolist(), tree.end.tolist()
    found = []
    for run in runs.tolist():
        node = parent[leaves[first[run]]]
        while node >= 0 and end[node] <= last[run]:
            node = parent[node]
        found.append(node)
    return np.array(found, np.int64).reshape(-1)


def split_words(tree: Tree, cuts: Sequence[tuple[int, float]]) -> Tree:
    """The tree after words are cut in two: ``(word, time)``, words counted from 0 and in order.

    Its preterminal becomes two neighbours of the same label. One that is a root of its own gets a parent of that label.
    """
    if tree.times is None:
        raise TreeError("a tree with times is needed; this one has none")
    cut = np.zeros(tree.length, np.int64)
    at = np.zeros(tree.length)
    for word, time in cuts:
        if not 0 <= word < tree.length or not tree.times[word, 0] < time < tree.times[word, 1]:
            raise TreeError(f"a cut lies inside a word; got word {word} at {time}")
        cut[word], at[word] = 1, time
    if not cut.any():
        return tree
    place = np.concatenate([[0], np.cumsum(1 + cut)])
    twice = np.flatnonzero(cut)
    halves = np.repeat(tree.times, 1 + cut, axis=0)
    halves[place[twice], 1] = at[twice]
    halves[place[twice] + 1, 0] = at[twice]
    words: list[str] = []
    for text, split in zip(tree.words, cut.tolist(), strict=True):
        words += [f"{text}_1", f"{text}_2"] if split else [text]
    leaf = tree.preterminal
    torn = leaf & (cut[tree.start] > 0)
    # A root that is torn stays as the parent of its halves.
    kept = ~torn | (tree.parent < 0)
    start, end, depth = place[tree.start], place[tree.end], tree.depth
    below = np.flatnonzero(torn)
    deeper = depth[below] + (tree.parent[below] < 0)
    labels = [tree.labels[node] for node in np.flatnonzero(kept)] + 2 * [tree.labels[node] for node in below]
    return _from_spans(
        labels,
        np.concatenate([start[kept], start[below], start[below] + 1]),
        np.concatenate([end[kept], start[below] + 1, start[below] + 2]),
        np.concatenate([depth[kept], deeper, deeper]),
        tuple(words),
        halves,
    )


def _from_spans(
    labels: list[str], start: Ints, end: Ints, depth: Ints, words: tuple[str, ...], times: Floats | None
) -> Tree:
    """A tree from nodes in any order: the larger first, and of equal ones that which stood higher."""
    order = np.lexsort((depth, -end, start)).tolist()
    nodes = Nodes([labels[i] for i in order], [], start[order].tolist(), end[order].tolist(), list(words))
    open_: list[int] = []
    for node, first in enumerate(nodes.start):
        while open_ and nodes.end[open_[-1]] <= first:
            open_.pop()
        nodes.parent.append(open_[-1] if open_ else -1)
        open_.append(node)
    return Tree._of(nodes, times)
