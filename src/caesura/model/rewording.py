"""Change the words of a tree: join neighbouring words, or split a word; the rest of the tree is unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import TreeError
from caesura.model.brackets import Nodes
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints, whole_number


def join_words(tree: Tree, boundaries: Iterable[int]) -> Tree:
    """Return the tree without some boundaries between words.

    Parameters
    ----------
    tree : Tree
        The tree.
    boundaries : iterable of int
        Boundaries to remove; boundary i lies between words i and i + 1, counted from 1.

    Returns
    -------
    Tree

    Raises
    ------
    TreeError
        If there is no such boundary.

    Notes
    -----
    Each run of joined words becomes one word. Its preterminal has the label of the first word's preterminal. It is attached
    to the lowest node that covers the run, between the remaining children before and after it. Nodes that lose all their
    words are removed. All other nodes keep their label and their remaining words.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate) (NP (NN rice))))")
    >>> join_words(tree, [2]).brackets
    '(S (NP (DT the)) (NN man_ate) (VP (NP (NN rice))))'
    """
    n = tree.length
    removed = np.zeros(n, bool)
    for boundary in boundaries:
        number = whole_number(boundary)
        if number is None or not 1 <= number < n:
            raise TreeError(f"a boundary between {n} words is a number from 1 to {n - 1}; got {boundary!r}")
        removed[number] = True
    return _join(tree, removed)


def join_empty_words(tree: Tree) -> Tree:
    """Join words of zero duration to their right neighbours, or to the left neighbour at the end of the sentence.

    Parameters
    ----------
    tree : Tree
        The tree; it is returned unchanged if it has no times.

    Returns
    -------
    Tree

    Raises
    ------
    TreeError
        If all words have zero duration.
    """
    if tree.times is None:
        return tree
    empty = tree.times[:, 0] == tree.times[:, 1]
    if empty.all():
        raise TreeError("all words have zero duration; a tree needs at least one word with a duration")
    removed = np.zeros(tree.length, bool)
    removed[1:] = empty[:-1]
    # The words after the last word with a duration have no right neighbour to join.
    removed[np.flatnonzero(~empty)[-1] + 1 :] = True
    return _join(tree, removed)


def _join(tree: Tree, removed: NDArray[np.bool_]) -> Tree:
    """Remove the boundary before each word i, counted from 0, for which ``removed[i]`` is true."""
    if not removed.any():
        return tree
    new = np.cumsum(~removed) - 1  # new number of each word
    first = np.flatnonzero(~removed)
    last = np.append(first[1:], tree.length) - 1
    joined = last > first
    # A node keeps a run that lies inside it, and loses every word of a run that extends beyond it.
    start = new[tree.start] + (first[new[tree.start]] < tree.start)
    end = new[tree.end - 1] + (last[new[tree.end - 1]] < tree.end)
    depth, leaf = tree.depth, tree.preterminal
    remains = (start < end) & ~(leaf & joined[new[tree.start]])
    runs, leaves = np.flatnonzero(joined), np.flatnonzero(leaf)
    # The lowest node that covers a run is the last such node in preorder; -1 if there is none.
    covers = (tree.start <= first[runs, None]) & (tree.end > last[runs, None])
    below = np.where(covers, np.arange(len(tree)), -1).max(axis=1)
    words = ["_".join(tree.words[a : b + 1]) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    times = None if tree.times is None else np.column_stack([tree.times[first, 0], tree.times[last, 1]])
    labels = [tree.labels[node] for node in np.flatnonzero(remains)] + [tree.labels[leaves[first[run]]] for run in runs]
    spans = np.column_stack([start, end, depth])[remains]
    new_spans = np.column_stack([runs, runs + 1, np.where(below >= 0, depth[below] + 1, 0)])
    return _from_spans(labels, np.concatenate([spans, new_spans]), words, times)


def split_words(tree: Tree, cuts: Sequence[tuple[int, float]]) -> Tree:
    """Return the tree with some words split in two.

    Parameters
    ----------
    tree : Tree
        A tree with times.
    cuts : sequence of (word, time)
        Words to split, counted from 0 and in order, with the time of each split.

    Returns
    -------
    Tree
        The tree, in which each split word has two neighbouring preterminals with the same label. If the preterminal was a
        root, the two get a parent with that label.

    Raises
    ------
    TreeError
        If the tree has no times, or a cut does not lie inside its word.
    """
    if tree.times is None:
        raise TreeError("expected a tree with times; this one has none")
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
    divided = leaf & (cut[tree.start] > 0)
    # A root becomes the parent of its halves.
    remains = ~divided | (tree.parent < 0)
    spans = np.column_stack([place[tree.start], place[tree.end], tree.depth])
    below = np.flatnonzero(divided)
    first, depth = spans[below, 0], spans[below, 2] + (tree.parent[below] < 0)
    left, right = (np.column_stack([start, start + 1, depth]) for start in (first, first + 1))
    labels = [tree.labels[node] for node in np.flatnonzero(remains)] + 2 * [tree.labels[node] for node in below]
    return _from_spans(labels, np.concatenate([spans[remains], left, right]), words, halves)


def _from_spans(labels: list[str], spans: Ints, words: list[str], times: Floats | None) -> Tree:
    """Return the tree of nodes in any order, with a row (start, end, depth) per node; of equal spans, the higher is first."""
    start, end, depth = spans.T
    order = np.lexsort((depth, -end, start)).tolist()
    nodes = Nodes([labels[i] for i in order], [], start[order].tolist(), end[order].tolist(), words)
    ancestors: list[int] = []
    for node, first in enumerate(nodes.start):
        while ancestors and nodes.end[ancestors[-1]] <= first:
            ancestors.pop()
        nodes.parent.append(ancestors[-1] if ancestors else -1)
        ancestors.append(node)
    return Tree.from_nodes(nodes, times)
