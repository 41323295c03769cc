"""Measures of boundaries on an axis, from their definitions: exhaustive search, and windows at every place."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations

Places = Sequence[Fraction]


def most_pairs(a: Places, b: Places, tolerance: Fraction) -> int:
    """Return the size of a maximum matching: try all ways to give boundaries of a different partners."""
    for size in range(min(len(a), len(b)), 0, -1):
        for chosen in combinations(a, size):
            if any(all(abs(x - y) <= tolerance for x, y in zip(chosen, p, strict=True)) for p in permutations(b, size)):
                return size
    return 0


def nearest(a: Places, b: Places) -> list[Fraction]:
    """Return the distance of each boundary of a to the nearest boundary of b."""
    return [min(abs(x - y) for y in b) for x in a]


def median(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def edit_cost(a: Places, b: Places, insertion: Fraction, deletion: Fraction, shift: Fraction) -> Fraction:
    """Return the lowest cost of turning b into a, over all pairings that do not cross."""
    return min(
        shift * sum((abs(x - y) for x, y in zip(p, q, strict=True)), Fraction(0))
        + insertion * (len(a) - size)
        + deletion * (len(b) - size)
        for size in range(min(len(a), len(b)) + 1)
        for p in combinations(a, size)
        for q in combinations(b, size)
    )


def windows(a: Places, b: Places, end: Fraction, k: Fraction) -> tuple[Fraction, Fraction]:
    """Return Pk and WindowDiff in continuous time: between two places where a window changes, look at its middle."""
    changes = {Fraction(0), end - k} | {x for p in (*a, *b) for x in (p, p - k) if 0 < x < end - k}
    places = sorted(changes)
    one_sided = different = Fraction(0)
    for left, right in pairwise(places):
        start = (left + right) / 2
        counts = [sum(start < p <= start + k for p in side) for side in (a, b)]
        one_sided += (right - left) * (bool(counts[0]) != bool(counts[1]))
        different += (right - left) * (counts[0] != counts[1])
    return one_sided / (end - k), different / (end - k)
