"""Unification of hierarchies by definition: exhaustive search over subsets, exact fractions.

Spans are pairs (start, end), annotations are sets of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cache

Span = tuple[int, int]


@cache
def cross(a: Span, b: Span) -> bool:
    """Return whether the spans overlap and neither contains the other."""
    units_a, units_b = set(range(a[0], a[1] + 1)), set(range(b[0], b[1] + 1))
    return bool(units_a & units_b) and not units_a <= units_b and not units_b <= units_a


def conflict_free_sets(spans: Collection[Span]) -> list[frozenset[Span]]:
    """Return all subsets without crossing spans."""
    sets: list[frozenset[Span]] = [frozenset()]
    for span in spans:
        sets += [spans | {span} for spans in sets if not any(cross(span, other) for other in spans)]
    return sets


def optima(weight: Mapping[Span, int]) -> list[frozenset[Span]]:
    """Return the conflict-free sets with the largest weight."""
    candidates = conflict_free_sets(tuple(weight))
    most = max(sum(weight[span] for span in spans) for spans in candidates)
    return [spans for spans in candidates if sum(weight[span] for span in spans) == most]


def rank(spans: Collection[Span], weight: Mapping[Span, int]) -> tuple[int, int, int]:
    """Return the sort key by which sets are preferred."""
    return sum(weight[span] for span in spans), sum(weight[span] ** 2 for span in spans), -len(spans)


def keep(weight: Mapping[Span, int], length: int) -> int:
    """Return keep[1, N] by the O(N^3) recurrence over all cuts of the text."""

    @cache
    def best(i: int, j: int) -> int:
        inside = max((best(i, k) + best(k + 1, j) for k in range(i, j)), default=0)
        return weight.get((i, j), 0) + inside

    return best(1, length)


def kappa(a: Collection[Span], b: Collection[Span], n: int) -> Fraction | None:
    """Return the kappa of Flammia & Zue, or None if it is undefined."""
    if not a and not b:
        return None

    def matched(spans: Collection[Span], other: Collection[Span]) -> int:
        return sum(
            any(k == i or m == i - 1 for k, m in other) and any(m == j or k == j + 1 for k, m in other)
            for i, j in spans
        )

    def begin(spans: Collection[Span]) -> Fraction:
        return Fraction(len({i for i, _ in spans}), n)

    def end(spans: Collection[Span]) -> Fraction:
        return Fraction(len({j for _, j in spans}), n)

    def either(spans: Collection[Span]) -> Fraction:
        return (begin(spans) + end(spans) - begin(spans) * end(spans)) ** 2

    total = len(a) + len(b)
    p_o = Fraction(matched(a, b) + matched(b, a), total)
    p_c = Fraction(len(a), total) * begin(a) * end(a) * either(b) + Fraction(len(b), total) * begin(b) * end(
        b
    ) * either(a)
    return None if p_c == 1 else (p_o - p_c) / (1 - p_c)


def non_crossing(annotation: Collection[Span], gold: Collection[Span]) -> Fraction:
    """Return the share of the annotation's spans that no span of the gold crosses."""
    return Fraction(sum(not any(cross(span, other) for other in gold) for span in annotation), len(annotation))
