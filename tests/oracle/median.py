"""The median segmentation by definition: all segmentations, all pairings, whole numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

Positions = tuple[int, ...]


@cache
def distance(a: frozenset[int], b: frozenset[int], n_t: int) -> int:
    """Return n_t times the boundary edit distance: the cheapest of all ways to pair boundaries that only one side has."""
    if a & b:
        return distance(a - b, b - a, n_t)
    if not a:
        return n_t * len(b)
    first, rest = min(a), a - {min(a)}
    options = [n_t + distance(rest, b, n_t)]
    options += [abs(first - other) + distance(rest, b - {other}, n_t) for other in b if abs(first - other) < n_t]
    return min(options)


@cache
def segmentations(positions: int) -> list[frozenset[int]]:
    """Return all sets of boundaries."""
    sizes = range(positions + 1)
    return [frozenset(gold) for size in sizes for gold in combinations(range(1, positions + 1), size)]


def medians(coders: Sequence[Positions], positions: int, n_t: int = 2) -> tuple[Fraction, list[Positions]]:
    """Return the smallest total distance, and all segmentations that have it."""
    sides = Counter(frozenset(coder) for coder in coders)
    totals = {
        gold: sum(number * distance(gold, side, n_t) for side, number in sides.items())
        for gold in segmentations(positions)
    }
    least = min(totals.values())
    return Fraction(least, n_t), [tuple(sorted(gold)) for gold, total in totals.items() if total == least]


def preferred(golds: Sequence[Positions], coders: Sequence[Positions]) -> Positions:
    """Return the one with the most exact matches with coders, then the smallest."""
    return min(golds, key=lambda gold: (-sum(len({*gold} & {*coder}) for coder in coders), gold))
