"""Paired randomisation test by definition, over all swaps."""

from __future__ import annotations

from fractions import Fraction
from itertools import product


def ratio(rows: list[tuple[int, int]]) -> Fraction:
    """Return the sum of the first parts divided by the sum of the second parts."""
    return Fraction(sum(part for part, _ in rows), sum(whole for _, whole in rows))


def randomisation(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> Fraction:
    """Return the share of all 2^n swaps whose difference is at least as large as the observed one."""
    observed = abs(ratio(a) - ratio(b))
    larger = 0
    for swaps in product([False, True], repeat=len(a)):
        swapped_a = [y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)]
        swapped_b = [x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)]
        larger += abs(ratio(swapped_a) - ratio(swapped_b)) >= observed
    return Fraction(larger, 2 ** len(a))
