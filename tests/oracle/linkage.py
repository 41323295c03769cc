"""Hierarchical clustering from its definition: join the two groups that are nearest, until one is left.

The distance of two groups of coders is, over all pairs with one coder in each,

    average    the mean
    complete   the largest
    single     the smallest

and for "weighted" the mean of the distances of the two halves that a group was joined from.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

Group = frozenset[str]
Joint = tuple[Group, Group]


def between(distances: Mapping[Group, float], a: Group, b: Group, method: str, made: Mapping[Group, Joint]) -> float:
    """The distance of two groups; ``made`` says which halves a group was joined from."""

    @cache
    def distance(a: Group, b: Group) -> float:
        if method == "weighted":
            if len(b) > 1:
                a, b = b, a
            if len(a) > 1:
                return sum(distance(half, b) for half in made[a]) / 2
        each = [distances[frozenset((x, y))] for x in a for y in b]
        return {"average": sum(each) / len(each), "complete": max(each), "single": min(each)}.get(method, each[0])

    return distance(a, b)


def nearest(
    distances: Mapping[Group, float], groups: list[Group], method: str, made: Mapping[Group, Joint]
) -> dict[Joint, float]:
    """Every two groups and their distance, the nearest first."""
    pairs = [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    found = {pair: between(distances, *pair, method, made) for pair in pairs}
    return dict(sorted(found.items(), key=lambda one: one[1]))


def clusters(distances: Mapping[Group, float], method: str) -> list[tuple[Group, float]]:
    """Groups with the distance at which they were joined, in that order."""
    groups = [frozenset((coder,)) for coder in sorted({coder for pair in distances for coder in pair})]
    made: dict[Group, Joint] = {}
    out = []
    while len(groups) > 1:
        (a, b), height = next(iter(nearest(distances, groups, method, made).items()))
        made[a | b] = (a, b)
        groups = [one for one in groups if one not in (a, b)] + [a | b]
        out.append((a | b, height))
    return out
