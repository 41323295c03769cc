"""Pk, WindowDiff and WinPR, window by window. Functions take positions and return (errors, windows) or counts."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

Positions = Collection[int]


def half_up(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2))


def half_even(x: Fraction) -> int:
    return round(x)  # a Fraction is rounded half to even


def segments(length: int, positions: Positions) -> list[int]:
    """Return the segment number of each unit."""
    return [sum(1 for p in positions if p < unit) for unit in range(1, length + 1)]


# four rules for the window size k


def half_mean_mass(length: int, reference: Positions) -> Fraction:
    masses = [segments(length, reference).count(s) for s in range(len(reference) + 1)]
    return Fraction(sum(masses), len(masses)) / 2


def window(length: int, reference: Positions) -> int:
    return min(max(2, half_up(half_mean_mass(length, reference))), length - 1)


def window_fournier2012(length: int, reference: Positions) -> int:
    return min(max(2, half_up(half_mean_mass(length, reference))), length)


def window_segeval(length: int, reference: Positions) -> int:
    return max(2, half_even(half_mean_mass(length, reference)))


def window_nltk(length: int, reference: Positions) -> int:
    return half_even(Fraction(length - 1, 2 * max(1, len(reference))))


# the measures


def pk(length: int, reference: Positions, hypothesis: Positions, k: int) -> tuple[int, int]:
    """Count pairs of units k apart that are in one segment on one side and in two on the other."""
    r, h = segments(length, reference), segments(length, hypothesis)
    pairs = [(i, i + k) for i in range(length) if i + k < length]
    return sum((r[i] == r[j]) != (h[i] == h[j]) for i, j in pairs), len(pairs)


def window_diff(length: int, reference: Positions, hypothesis: Positions, k: int) -> tuple[int, int]:
    """Count pairs of units k apart between which the number of boundaries differs."""
    r, h = segments(length, reference), segments(length, hypothesis)
    pairs = [(i, i + k) for i in range(length) if i + k < length]
    return sum(r[j] - r[i] != h[j] - h[i] for i, j in pairs), len(pairs)


def padded_windows(length: int, positions: Positions, k: int, padding: int) -> list[list[int]]:
    """Return every window of k marks over the inner positions, padded with empty marks at both ends."""
    marks = [0] * padding + [int(p in positions) for p in range(1, length)] + [0] * padding
    return [marks[s : s + k] for s in range(len(marks) - k + 1)]


def padded_pk(length: int, reference: Positions, hypothesis: Positions, k: int) -> tuple[int, int]:
    r, h = (padded_windows(length, side, k, k - 1) for side in (reference, hypothesis))
    return sum(any(x) != any(y) for x, y in zip(r, h, strict=True)), len(r)


def padded_window_diff(length: int, reference: Positions, hypothesis: Positions, k: int) -> tuple[int, int]:
    r, h = (padded_windows(length, side, k, k - 1) for side in (reference, hypothesis))
    return sum(sum(x) != sum(y) for x, y in zip(r, h, strict=True)), len(r)


def padded_window_diff_segeval(length: int, reference: Positions, hypothesis: Positions, k: int) -> tuple[int, int]:
    """Count like segeval, which pads k positions, has N+k windows and divides by N+k+1."""
    r, h = (padded_windows(length, side, k, k) for side in (reference, hypothesis))
    assert len(r) == length + k
    return sum(sum(x) != sum(y) for x, y in zip(r, h, strict=True)), length + k + 1


def win_pr(length: int, reference: Positions, hypothesis: Positions, k: int) -> dict[str, Fraction]:
    """Return the counts over all windows of k positions that contain an inner position, divided by k."""
    r, h = ([sum(w) for w in padded_windows(length, side, k, k - 1)] for side in (reference, hypothesis))
    tp = sum(min(x, y) for x, y in zip(r, h, strict=True))
    fp = sum(max(0, y - x) for x, y in zip(r, h, strict=True))
    fn = sum(max(0, x - y) for x, y in zip(r, h, strict=True))
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": k * (length - 1) - tp - fp - fn}
    return {name: Fraction(count, k) for name, count in counts.items()}
