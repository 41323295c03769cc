"""Hierarchical clustering by definition: merge the two nearest groups until one is left.

The distance between two groups of coders is, over all pairs with one coder in each group,

    average    the mean
    complete   the largest
    single     the smallest

and for "weighted" the mean of the distances to the two groups that were merged into a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

Group = frozenset[str]
Joint = tuple[Group, Group]


def between(
    distances: Mapping[Group, float], a: Group, b: Group, method: str, halves_of: Mapping[Group, Joint]
) -> float:
    """Return the distance between two groups. ``halves_of`` maps a group to the two groups it was merged from."""

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
    """Return all pairs of groups with their distance, nearest first."""
    pairs = [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    between_groups = {pair: between(distances, *pair, method, halves_of) for pair in pairs}
    return dict(sorted(between_groups.items(), key=lambda entry: entry[1]))


def clusters(distances: Mapping[Group, float], method: str) -> list[tuple[Group, float]]:
    """Return the groups in the order of merging, each with its merge distance."""
    groups = [frozenset((coder,)) for coder in sorted({coder for pair in distances for coder in pair})]
    halves_of: dict[Group, Joint] = {}
    out = []
    while len(groups) > 1:
        (a, b), height = next(iter(nearest(distances, groups, method, halves_of).items()))
        halves_of[a | b] = (a, b)
        groups = [entry for entry in groups if entry not in (a, b)] + [a | b]
        out.append((a | b, height))
    return out
