"""Unifying hierarchies, from the definitions: every subset is looked at, and every division is exact.

Spans are pairs (start, end), annotations are sets of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cache

Span = tuple[int, int]


@cache
def cross(a: Span, b: Span) -> bool:
    """They overlap, and neither contains the other."""
    units_a, units_b = set(range(a[0], a[1] + 1)), set(range(b[0], b[1] + 1))
    return bool(units_a & units_b) and not units_a <= units_b and not units_b <= units_a


def conflict_free_sets(spans: Collection[Span]) -> list[frozenset[Span]]:
    """All subsets in which no two cross."""
    found: list[frozenset[Span]] = [frozenset()]
    for span in spans:
        found += [one | {span} for one in found if not any(cross(span, other) for other in one)]
    return found


def optima(weight: Mapping[Span, int]) -> list[frozenset[Span]]:
    """The conflict-free sets of the greatest weight."""
    every = conflict_free_sets(tuple(weight))
    most = max(sum(weight[span] for span in one) for one in every)
    return [one for one in every if sum(weight[span] for span in one) == most]


def rank(one: Collection[Span], weight: Mapping[Span, int]) -> tuple[int, int, int]:
    """By what one set is preferred to another."""
    return sum(weight[span] for span in one), sum(weight[span] ** 2 for span in one), -len(one)


def keep(weight: Mapping[Span, int], length: int) -> int:
    """keep[1, N] by the O(N^3) recurrence over cuts of the text, whatever was drawn."""

    @cache
    def best(i: int, j: int) -> int:
        inside = max((best(i, k) + best(k + 1, j) for k in range(i, j)), default=0)
        return weight.get((i, j), 0) + inside

    return best(1, length)


def kappa(a: Collection[Span], b: Collection[Span], n: int) -> Fraction | None:
    """Flammia & Zue's, or None."""
    if not a and not b:
        return None

    def matched(one: Collection[Span], other: Collection[Span]) -> int:
        return sum(
            any(k == i or m == i - 1 for k, m in other) and any(m == j or k == j + 1 for k, m in other) for i, j in one
        )

    def begin(one: Collection[Span]) -> Fraction:
        return Fraction(len({i for i, _ in one}), n)

    def end(one: Collection[Span]) -> Fraction:
        return Fraction(len({j for _, j in one}), n)

    def either(one: Collection[Span]) -> Fraction:
        return (begin(one) + end(one) - begin(one) * end(one)) ** 2

    total = len(a) + len(b)
    p_o = Fraction(matched(a, b) + matched(b, a), total)
    p_c = Fraction(len(a), total) * begin(a) * end(a) * either(b) + Fraction(len(b), total) * begin(b) * end(
        b
    ) * either(a)
    return None if p_c == 1 else (p_o - p_c) / (1 - p_c)


def non_crossing(annotation: Collection[Span], gold: Collection[Span]) -> Fraction:
    """The share of the annotation's spans that no span of the gold crosses."""
    return Fraction(sum(not any(cross(one, other) for other in gold) for one in annotation), len(annotation))
