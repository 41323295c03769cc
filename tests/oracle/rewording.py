"""Joining and splitting words of a tree by definition, over nested lists.

A node is ``[label, child, ...]``. A preterminal is ``[label, words]`` with a tuple of words. A sentence is a list of
roots.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

Nested = list[Any]


def is_leaf(node: Nested) -> bool:
    return isinstance(node[1], tuple)


def words_of(node: Nested) -> list[int]:
    return list(node[1]) if is_leaf(node) else [word for child in node[1:] for word in words_of(child)]


def without(nodes: list[Nested], run: Collection[int]) -> list[Nested]:
    """Return the nodes without the words of the run and without nodes that become empty."""
    remaining = []
    for node in nodes:
        if is_leaf(node):
            if node[1][0] not in run:
                remaining.append(node)
        elif children := without(node[1:], run):
            remaining.append([node[0], *children])
    return remaining


def join_run(nodes: list[Nested], run: list[int], label: str) -> list[Nested]:
    """Return the children of a node that covers the run, with the words of the run joined into one."""
    for i, node in enumerate(nodes):
        if not is_leaf(node) and set(run) <= set(words_of(node)):
            return [*nodes[:i], [node[0], *join_run(node[1:], run, label)], *nodes[i + 1 :]]
    rest = without(nodes, run)
    before = [node for node in rest if words_of(node)[-1] < run[0]]
    after = [node for node in rest if words_of(node)[0] > run[-1]]
    assert len(before) + len(after) == len(rest)
    return [*before, [label, tuple(run)], *after]


def join(roots: list[Nested], boundaries: Collection[int]) -> list[Nested]:
    """Join words at the boundaries. Boundary i is between words i - 1 and i, counted from 0."""
    words = [word for root in roots for word in words_of(root)]
    runs: list[list[int]] = []
    for word in words:
        if word in boundaries:
            runs[-1].append(word)
        else:
            runs.append([word])
    for run in runs:
        if len(run) > 1:
            roots = join_run(roots, run, label_of(roots, run[0]))
    return roots


def label_of(nodes: list[Nested], word: int) -> str:
    (tag,) = (label for label, words in leaves(nodes) if words[0] == word)
    return tag


def leaves(nodes: list[Nested]) -> list[Nested]:
    return [leaf for node in nodes for leaf in ([node] if is_leaf(node) else leaves(node[1:]))]


def split(roots: list[Nested], cut: Collection[int]) -> list[Nested]:
    """Split the words in ``cut``. The halves are (word, 1) and (word, 2)."""
    nodes_after: list[Nested] = []
    for root in roots:
        halves = split_children([root], cut)
        nodes_after.append(halves[0] if len(halves) == 1 else [root[0], *halves])
    return nodes_after


def split_children(nodes: list[Nested], cut: Collection[int]) -> list[Nested]:
    nodes_after: list[Nested] = []
    for node in nodes:
        if not is_leaf(node):
            nodes_after.append([node[0], *split_children(node[1:], cut)])
        elif node[1][0] in cut:
            nodes_after += [[node[0], (*node[1], half)] for half in (1, 2)]
        else:
            nodes_after.append(node)
    return nodes_after


def to_brackets(roots: list[Nested]) -> str:
    """Return the bracket notation. A word is written as its numbers."""
    return " ".join(
        f"({node[0]} {'_'.join(map(str, node[1]))})" if is_leaf(node) else f"({node[0]} {to_brackets(node[1:])})"
        for node in roots
    )
