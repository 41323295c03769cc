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


def between(
    distances: Mapping[Group, float], a: Group, b: Group, method: str, halves_of: Mapping[Group, Joint]
) -> float:
    """The distance of two groups; ``halves_of`` says which halves a group was joined from."""

    @cache
    def distance(a: Group, b: Group) -> float:
        if method == "weighted":
            if len(b) > 1:
                a, b = b, a
            if len(a) > 1:
                return sum(distance(half, b) for half in halves_of[a]) / 2
        pairwise = [distances[frozenset((x, y))] for x in a for y in b]
        return {"average": sum(pairwise) / len(pairwise), "complete": max(pairwise), "single": min(pairwise)}.get(
            method, pairwise[0]
        )

    return distance(a, b)


def nearest(
    distances: Mapping[Group, float], groups: list[Group], method: str, halves_of: Mapping[Group, Joint]
) -> dict[Joint, float]:
    """Every two groups and their distance, the nearest first."""
    pairs = [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    between_groups = {pair: between(distances, *pair, method, halves_of) for pair in pairs}
    return dict(sorted(between_groups.items(), key=lambda entry: entry[1]))


def clusters(distances: Mapping[Group, float], method: str) -> list[tuple[Group, float]]:
    """Groups with the distance at which they were joined, in that order."""
    groups = [frozenset((coder,)) for coder in sorted({coder for pair in distances for coder in pair})]
    halves_of: dict[Group, Joint] = {}
    out = []
    while len(groups) > 1:
        (a, b), height = next(iter(nearest(distances, groups, method, halves_of).items()))
        halves_of[a | b] = (a, b)
        groups = [entry for entry in groups if entry not in (a, b)] + [a | b]
        out.append((a | b, height))
    return out
