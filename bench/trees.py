"""Compare Struct-IoU with zss, which solves the same problem, and time it on growing trees and on whole test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Table

Nested = tuple[Any, ...]


def chain(sides: list[bool], label: str = "X") -> cz.Tree:
    """Return a chain of binary nodes, each over one word and the rest; the rest is on the left if ``sides`` is True."""
    node: Nested = ("T", "w")
    for left in reversed(sides):
        node = (label, node, ("T", "w")) if left else (label, ("T", "w"), node)
    return cz.Tree.from_nested(node)


def random_splits(words: int, seed: int) -> cz.Tree:
    """Return a random binary tree with three labels."""
    rng = np.random.default_rng(seed)
    stack = [(0, words, -1)]
    labels, parent, start, end = [], [], [], []
    while stack:
        first, last, node_above = stack.pop()
        parent.append(node_above)
        start.append(first)
        end.append(last)
        labels.append("T" if last - first == 1 else "ABC"[rng.integers(3)])
        if last - first > 1:
            cut = int(rng.integers(first + 1, last))
            stack += [(cut, last, len(labels) - 1), (first, cut, len(labels) - 1)]
    return cz.Tree(labels, parent, start, end, ["w"] * words)


def shapes() -> dict[str, tuple[cz.Tree, cz.Tree]]:
    right = [False] * 24
    zigzag = [bool(i % 2) for i in range(199)]
    return {
        "25 words, both right-branching, different labels": (chain(right), chain(right, "Y")),
        "25 words, right-branching and left-branching": (chain(right), chain([True] * 24)),
        "200 words, random splits": (random_splits(200, 1), random_splits(200, 2)),
        "200 words, zig-zag": (chain(zigzag), chain([not left for left in zigzag])),
    }


def distance(a: cz.Tree, b: cz.Tree) -> float:
    """Return the edit distance behind Struct-IoU, computed by zss."""
    import zss

    spans = [tree.spans.tolist() for tree in (a, b)]

    def to_zss(tree: cz.Tree) -> Any:
        nodes = [zss.Node(i) for i in range(len(tree))]
        for i, parent in enumerate(tree.parent.tolist()):
            if parent >= 0:
                nodes[parent].addkid(nodes[i])
        return nodes[0]

    def relabel(a_node: Any, b_node: Any) -> float:
        i, j = a_node.label, b_node.label
        if a.labels[i] != b.labels[j]:
            return 2.0
        (s, e), (t, f) = spans[0][i], spans[1][j]
        overlap = max(0.0, min(e, f) - max(s, t))
        return float(2 - 2 * overlap / (e - s + f - t - overlap))

    cost = zss.distance(to_zss(a), to_zss(b), zss.Node.get_children, lambda _: 1.0, lambda _: 1.0, relabel)
    return float(cost)


def against_zss() -> Table:
    rows: list[tuple[str, float, float | None, float | None, float | None]] = []
    for description, (a, b) in shapes().items():
        seconds = shortest_time(partial(cz.struct_iou, a, b), min_runs=3)
        if len(a) > 100:  # zss would take minutes
            rows.append((description, seconds * 1e3, None, None, None))
            continue
        zss_time = shortest_time(partial(distance, a, b), min_runs=1)
        difference = abs(cz.struct_iou(a, b).value - (1 - distance(a, b) / (len(a) + len(b))))
        rows.append((description, seconds * 1e3, zss_time * 1e3, zss_time / seconds, difference))
    return Table(
        ("one pair", "caesura, ms", "zss, ms", "ratio", "difference"), tuple(rows), title="Struct-IoU and zss", digits=3
    )


def growth() -> Table:
    rows = []
    for words in (100, 1000, 10_000):
        pair = (random_splits(words, 1), random_splits(words, 2))
        rows.append((f"{words:,} words", shortest_time(partial(cz.struct_iou, *pair), min_runs=2) * 1e3))
    gold, predicted = ([random_splits(25, start + i) for i in range(2000)] for start in (0, 10_000))
    seconds = shortest_time(partial(cz.struct_iou_corpus, gold, predicted), min_runs=2)
    rows.append(("2,000 sentences of 25 words", seconds * 1e3))
    return Table(("random binary trees", "ms"), tuple(rows), title="Struct-IoU: growth with the text", digits=2)


def test_sets() -> Table:
    """Compute PARSEVAL and compare two parsers on a test set of usual size."""
    gold, first, second = ([random_splits(20, 10_000 * k + i) for i in range(2400)] for k in range(3))
    calls: dict[str, Callable[[], object]] = {
        "parseval_corpus": partial(cz.parseval_corpus, gold, first),
        "struct_iou_corpus": partial(cz.struct_iou_corpus, gold, first),
        "compare_parsers, parseval": partial(cz.compare_parsers, gold, {"first": first, "second": second}, seed=1),
    }
    rows = tuple((name, shortest_time(call, min_runs=2) * 1e3) for name, call in calls.items())
    return Table(("2,400 sentences of 20 words", "ms"), rows, title="A test set", digits=0)


def tables() -> Iterator[Table]:
    yield against_zss()
    yield growth()
    yield test_sets()
