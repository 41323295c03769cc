"""Crisp boundary matching by exhaustive search, and R_FN and R_FP unit by unit."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction


def most_pairs(reference: Collection[int], hypothesis: Collection[int], tolerance: int) -> int:
    """Return the size of a maximum one-to-one matching of boundaries at most ``tolerance`` apart."""
    if not reference or not hypothesis:
        return 0
    first, *rest = sorted(reference)
    best = most_pairs(rest, hypothesis, tolerance)
    for partner in sorted(hypothesis):
        if abs(partner - first) <= tolerance:
            best = max(best, 1 + most_pairs(rest, set(hypothesis) - {partner}, tolerance))
    return best


def segment_of(length: int, positions: Collection[int], unit: int) -> set[int]:
    """Return all units of the segment that contains ``unit``."""
    start = max((p for p in positions if p < unit), default=0)
    stop = min((p for p in positions if p >= unit), default=length)
    return set(range(start + 1, stop + 1))


def unit_error(length: int, reference: Collection[int], hypothesis: Collection[int]) -> tuple[Fraction, Fraction]:
    """Return the sums over units of FN(w) and FP(w)."""
    fn = fp = Fraction(0)
    for unit in range(1, length + 1):
        r, h = segment_of(length, reference, unit), segment_of(length, hypothesis, unit)
        fn += Fraction(len(r - h), len(r))
        fp += Fraction(len(h - r), len(h))
    return fn, fp
