"""Trees for tests: all small shapes, random ones, and times for their words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from caesura.model.tree import Tree

Nested = tuple[Any, ...]


@cache
def forests(nodes: int) -> tuple[tuple[Any, ...], ...]:
    """Return every ordered forest with this number of nodes. A tree is the tuple of its subtrees."""
    if nodes == 0:
        return ((),)
    listed = []
    for first in range(1, nodes + 1):
        for below in forests(first - 1):
            listed += [(below, *rest) for rest in forests(nodes - first)]
    return tuple(listed)


def shapes(nodes: int) -> Iterator[tuple[Any, ...]]:
    """Yield every ordered tree with this number of nodes."""
    yield from forests(nodes - 1)


def labelled(shape: tuple[Any, ...], rng: Random, labels: str = "A") -> Nested:
    """Return the shape with random labels and a word under each leaf."""
    label = rng.choice(labels)
    return (label, *(labelled(child, rng, labels) for child in shape)) if shape else (label, "w")


def random_nested(rng: Random, words: int, labels: str = "AB", unary: float = 0.2) -> Nested:
    """Return a random tree: up to four branches per node, sometimes one."""
    if rng.random() < unary:
        return (rng.choice(labels), random_nested(rng, words, labels, unary))
    if words == 1:
        return (rng.choice(labels), f"w{rng.randrange(100)}")
    cuts = sorted(rng.sample(range(1, words), min(words - 1, rng.choice((1, 1, 1, 2, 3)))))
    edges = [0, *cuts, words]
    parts = (b - a for a, b in pairwise(edges))
    return (rng.choice(labels), *(random_nested(rng, part, labels, unary) for part in parts))


def random_tree(rng: Random, words: int, labels: str = "AB", *, times: bool = False) -> Tree:
    """Return a random tree, with random times if ``times``."""
    tree = Tree.from_nested(random_nested(rng, words, labels))
    return tree.with_times(random_times(rng, words)) if times else tree


def random_times(rng: Random, words: int) -> list[tuple[float, float]]:
    """Return words of random length over about ten seconds, with silence between some of them, in whole nanoseconds."""
    at, times = round(rng.random(), 9), []
    for _ in range(words):
        at = round(at + rng.choice((0.0, 0.0, rng.random())), 9)
        end = round(at + 0.05 + rng.random() * 10 / words, 9)
        times.append((at, end))
        at = end
    return times
