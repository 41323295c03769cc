"""Trees: Struct-IoU against zss, which solves the same problem, how it grows, and whole test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Table

Nested = tuple[Any, ...]


def chain(sides: list[bool], label: str = "X") -> cz.Tree:
    """A word and the rest, again and again; True: the rest is on the left."""
    node: Nested = ("T", "w")
    for left in reversed(sides):
        node = (label, node, ("T", "w")) if left else (label, ("T", "w"), node)
    return cz.Tree.from_nested(node)


def random_splits(words: int, seed: int) -> cz.Tree:
    """Binary, cut anywhere, with three labels."""
    rng = np.random.default_rng(seed)
    pieces = [(0, words)]
    labels, parent, start, end = [], [], [], []
    above = [-1]
    while pieces:
        (first, last), over = pieces.pop(), above.pop()
        parent.append(over)
        start.append(first)
        end.append(last)
        labels.append("T" if last - first == 1 else "ABC"[rng.integers(3)])
        if last - first > 1:
            cut = int(rng.integers(first + 1, last))
            pieces += [(cut, last), (first, cut)]
            above += [len(labels) - 1] * 2
    return cz.Tree(labels, parent, start, end, ["w"] * words)


def shapes() -> dict[str, tuple[cz.Tree, cz.Tree]]:
    right = [False] * 24
    zigzag = [bool(i % 2) for i in range(199)]
    return {
        "25 words, both branch right, other labels": (chain(right), chain(right, "Y")),
        "25 words, right against left": (chain(right), chain([True] * 24)),
        "200 words, random splits": (random_splits(200, 1), random_splits(200, 2)),
        "200 words, zig-zag": (chain(zigzag), chain([not one for one in zigzag])),
    }


def distance(a: cz.Tree, b: cz.Tree) -> float:
    """The edit distance that Struct-IoU is, by zss."""
    import zss

    spans = [one.spans.tolist() for one in (a, b)]

    def rooted(tree: cz.Tree) -> Any:
        nodes = [zss.Node(i) for i in range(len(tree))]
        for i, above in enumerate(tree.parent.tolist()):
            if above >= 0:
                nodes[above].addkid(nodes[i])
        return nodes[0]

    def relabel(one: Any, other: Any) -> float:
        i, j = one.label, other.label
        if a.labels[i] != b.labels[j]:
            return 2.0
        (s, e), (t, f) = spans[0][i], spans[1][j]
        both = max(0.0, min(e, f) - max(s, t))
        return float(2 - 2 * both / (e - s + f - t - both))

    found = zss.distance(rooted(a), rooted(b), zss.Node.get_children, lambda _: 1.0, lambda _: 1.0, relabel)
    return float(found)


def against_zss() -> Table:
    rows: list[tuple[str, float, float | None, float | None, float | None]] = []
    for said, (a, b) in shapes().items():
        ours = best(partial(cz.struct_iou, a, b), least=3)
        if len(a) > 100:  # zss would take minutes
            rows.append((said, ours * 1e3, None, None, None))
            continue
        theirs = best(partial(distance, a, b), least=1)
        away = abs(cz.struct_iou(a, b).value - (1 - distance(a, b) / (len(a) + len(b))))
        rows.append((said, ours * 1e3, theirs * 1e3, theirs / ours, away))
    return Table(
        ("one pair", "ms", "zss, ms", "ratio", "difference"), tuple(rows), title="Struct-IoU against zss", digits=3
    )


def growth() -> Table:
    rows = []
    for words in (100, 1000, 10_000):
        pair = (random_splits(words, 1), random_splits(words, 2))
        rows.append((f"{words:,} words", best(partial(cz.struct_iou, *pair), least=2) * 1e3))
    many = [(random_splits(25, i), random_splits(25, 10_000 + i)) for i in range(2000)]
    gold, predicted = zip(*many, strict=True)
    took = best(partial(cz.struct_iou_corpus, list(gold), list(predicted)), least=2)
    rows.append(("2,000 sentences of 25 words", took * 1e3))
    return Table(("random splits", "ms"), tuple(rows), title="Struct-IoU, how it grows", digits=2)


def test_sets() -> Table:
    """PARSEVAL and two parsers compared, on the sentences of a usual test set."""
    gold, one, other = ([random_splits(20, 10_000 * k + i) for i in range(2400)] for k in range(3))
    calls: dict[str, Callable[[], object]] = {
        "parseval_corpus": partial(cz.parseval_corpus, gold, one),
        "struct_iou_corpus": partial(cz.struct_iou_corpus, gold, one),
        "compare_parsers, parseval": partial(cz.compare_parsers, gold, {"one": one, "other": other}, seed=1),
    }
    rows = tuple((name, best(call, least=2) * 1e3) for name, call in calls.items())
    return Table(("2,400 sentences of 20 words", "ms"), rows, title="A test set", digits=0)


def tables() -> Iterator[Table]:
    yield against_zss()
    yield growth()
    yield test_sets()
