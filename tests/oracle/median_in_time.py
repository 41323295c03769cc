"""The median segmentation in time by its definition: every set of the coders' times, every way to pair boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations


def edit_distance(gold: Sequence[int], coder: Sequence[int], n_t: int) -> Fraction:
    """Return the smallest cost: 1 per boundary that is alone, d / n_t per pair less than n_t apart; equal times match."""
    alone_in_gold = tuple(sorted(set(gold) - set(coder)))
    alone_in_coder = tuple(sorted(set(coder) - set(gold)))

    @cache
    def smallest(a: tuple[int, ...], b: tuple[int, ...]) -> Fraction:
        if not a:
            return Fraction(len(b))
        costs = [1 + smallest(a[1:], b)]
        for i, place in enumerate(b):
            if abs(place - a[0]) < n_t:
                costs.append(Fraction(abs(place - a[0]), n_t) + smallest(a[1:], b[:i] + b[i + 1 :]))
        return min(costs)

    return smallest(alone_in_gold, alone_in_coder)


def median(coders: Sequence[Sequence[int]], n_t: int) -> tuple[Fraction, int, tuple[int, ...], int]:
    """Return cost, matches, the chosen times and the number of optima."""
    candidates = sorted({time for coder in coders for time in coder})
    scored = []
    for size in range(len(candidates) + 1):
        for gold in combinations(candidates, size):
            cost = sum((edit_distance(gold, coder, n_t) for coder in coders), Fraction(0))
            matches = sum(len(set(gold) & set(coder)) for coder in coders)
            scored.append((cost, -matches, gold))
    best = min(scored)
    return best[0], -best[1], best[2], sum(cost == best[0] for cost, _, _ in scored)
