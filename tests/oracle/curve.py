"""Boundary curves from their definition: at every threshold, the marks are chosen anew and matched anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Point = tuple[float, int, int]
"""Threshold, matches, and number of marks."""


def kuhn(reference: Sequence[float], marks: Sequence[float], tolerance: float) -> int:
    """Return the size of a maximum matching of places at most ``tolerance`` apart, by augmenting paths."""
    partner: dict[int, int] = {}

    def augment(i: int, seen: set[int]) -> bool:
        for j, mark in enumerate(marks):
            if j not in seen and abs(mark - reference[i]) <= tolerance:
                seen.add(j)
                if j not in partner or augment(partner[j], seen):
                    partner[j] = i
                    return True
        return False

    return sum(augment(i, set()) for i in range(len(reference)))


def peaks(scores: Mapping[float, float], distance: float) -> dict[float, float]:
    """Return the places that remain if the highest scores come first, and each removes those nearer than ``distance``."""
    kept: dict[float, float] = {}
    for place in sorted(scores, key=lambda place: (-scores[place], place)):
        if all(abs(place - other) >= distance for other in kept):
            kept[place] = scores[place]
    return kept


def points(
    reference: Sequence[float], scores: Mapping[float, float], tolerance: float, distance: float = 0
) -> list[Point]:
    """Return the curve: one point per distinct score, the highest first."""
    kept = peaks(scores, distance)
    result = []
    for threshold in sorted(set(kept.values()), reverse=True):
        marks = sorted(place for place, score in kept.items() if score >= threshold)
        result.append((threshold, kuhn(reference, marks, tolerance), len(marks)))
    return result


def pooled(curves: Sequence[Sequence[Point]]) -> list[Point]:
    """Return the curve of several texts: at every threshold of any of them, the sums over all of them."""
    thresholds = sorted({threshold for curve in curves for threshold, _, _ in curve}, reverse=True)
    result = []
    for threshold in thresholds:
        last = [[(0, 0), *((m, k) for t, m, k in curve if t >= threshold)][-1] for curve in curves]
        result.append((threshold, sum(m for m, _ in last), sum(k for _, k in last)))
    return result


def average_precision(curve: Sequence[Point], reference: int) -> Fraction:
    """Return the sum of the steps of recall, each times the precision at its end."""
    total, before = Fraction(0), 0
    for _, matches, marked in curve:
        total += Fraction(matches - before, reference) * Fraction(matches, marked)
        before = matches
    return total


def best(curve: Sequence[Point], reference: int) -> tuple[float | None, Fraction]:
    """Return the threshold with the highest F, of equal ones the highest, and F; None: mark nothing."""
    if not reference:
        return None, Fraction(1)
    rated = [(Fraction(2 * matches, reference + marked), threshold) for threshold, matches, marked in curve]
    f, threshold = max(rated, default=(Fraction(0), None))
    return threshold, f
