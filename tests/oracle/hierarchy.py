"""Measures between two hierarchies by definition. Spans are plain tuples and every sum is a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

Flat = set[tuple[int, int]]
Row = tuple[int, int, int, str | None]  # start, end, level, label


def flammia_zue(spans_a: Flat, spans_b: Flat, n: int) -> tuple[Fraction, Fraction]:
    """Return P_o and P_c. At least one side must have a span."""
    o = matched(spans_a, spans_b) + matched(spans_b, spans_a)
    total = len(spans_a) + len(spans_b)
    p_c = Fraction(0)
    for mine, theirs in ((spans_a, spans_b), (spans_b, spans_a)):
        p_c += Fraction(len(mine), total) * begin(mine, n) * end(mine, n) * either(theirs, n)
    return Fraction(o, total), p_c


def matched(mine: Flat, theirs: Flat) -> int:
    count = 0
    for i, j in mine:
        opens = any(a == i or b == i - 1 for a, b in theirs)
        closes = any(b == j or a == j + 1 for a, b in theirs)
        count += opens and closes
    return count


def begin(spans: Flat, n: int) -> Fraction:
    return Fraction(len({a for a, _ in spans}), n)


def end(spans: Flat, n: int) -> Fraction:
    return Fraction(len({b for _, b in spans}), n)


def either(spans: Flat, n: int) -> Fraction:
    b, e = begin(spans, n), end(spans, n)
    return (b + e - b * e) ** 2


def cross(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Return whether the spans share a unit and each also has a unit outside the other."""
    x, y = (set(range(a, b + 1)) for a, b in (first, second))
    return bool(x & y) and bool(x - y) and bool(y - x)


def uncrossed(mine: Flat, theirs: Flat) -> int:
    return sum(not any(cross(span, other_span) for other_span in theirs) for span in mine)


Meet = Callable[[int, int], int]


def meet_by_span(rows: Iterable[Row]) -> Meet:
    listed = list(rows)

    def meet(u: int, v: int) -> int:
        return max((level for a, b, level, _ in listed if a <= u <= b and a <= v <= b), default=0)

    return meet


def meet_by_label(rows: Iterable[Row]) -> Meet:
    listed = list(rows)

    def carried(u: int) -> set[tuple[int, str | None]]:
        return {(level, label) for a, b, level, label in listed if a <= u <= b}

    def meet(u: int, v: int) -> int:
        return max((level for level, _ in carried(u) & carried(v)), default=0)

    return meet


def recall(reference: Meet, estimate: Meet, n: int, *, without_query: bool = True) -> Fraction | None:
    """Return the share of ordered triples (q, u, v), averaged over q, or None if no q orders any pair.

    Without frames, a query is a point and has no weight within its atom. In this case ``without_query`` is False.
    """
    shares = []
    for q in range(1, n + 1):
        others = [u for u in range(1, n + 1) if u != q or not without_query]
        r = {u: reference(q, u) for u in others}
        e = {u: estimate(q, u) for u in others}
        ordered = [(u, v) for u in others for v in others if r[u] < r[v]]
        if ordered:
            shares.append(Fraction(sum(e[u] < e[v] for u, v in ordered), len(ordered)))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def recall_of_many(reference: np.ndarray, estimate: np.ndarray, weights: np.ndarray, own: float) -> float | None:
    """Return the same as :func:`recall` from the matrices of all meets, with the weight of each unit.

    ``own`` is the part of a query's own unit that it is not compared with: 1 for texts, 0 for times.
    """
    shares, total = 0.0, 0.0
    for q, (r, e) in enumerate(zip(reference, estimate, strict=True)):
        w = weights.copy()
        w[q] -= own
        pairs = np.outer(w, w)
        ordered = r[:, None] < r[None, :]
        if (number := pairs[ordered].sum()) > 0:
            shares += weights[q] * pairs[ordered & (e[:, None] < e[None, :])].sum() / number
            total += weights[q]
    return shares / total if total else None


def meets_by_label(rows: Iterable[Row], n: int) -> np.ndarray:
    """Return the meet of every two units by label."""
    meets = np.zeros((n, n), int)
    carriers: dict[tuple[int, str | None], np.ndarray] = {}
    for a, b, level, label in rows:
        carriers.setdefault((level, label), np.zeros(n, bool))[a - 1 : b] = True
    for (level, _), carried in carriers.items():
        meets = np.maximum(meets, level * np.outer(carried, carried))
    return meets
