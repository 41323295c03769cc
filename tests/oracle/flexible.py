"""Flexible similarity by definition: forced pairs, then all order-preserving pairings of the rest.

Costs are integers in millionths, so ties are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

Mark = str | None
Boundary = tuple[int, str]
Pairing = tuple[tuple[Boundary, Boundary], ...]

ONE = 10**6


class Oracle:
    """Costs from a matrix over ``types`` and none (last), and c for each type, with at most three decimals."""

    def __init__(
        self,
        types: Sequence[str],
        matrix: Sequence[Sequence[float]] | None = None,
        c: dict[str, float] | float | None = None,
    ) -> None:
        names = [*types, None]
        rows = matrix or [[float(x == y) for y in names] for x in names]
        self.cost = {(x, y): ONE - millionths(rows[i][j]) for i, x in enumerate(names) for j, y in enumerate(names)}
        self.c = {x: (self.cost[x, None] + self.cost[None, x]) // 4 for x in types}
        if c is not None:
            self.c = {x: millionths(c[x] if isinstance(c, dict) else c) for x in types}
        self.scored = cache(self._scored)
        self.best = cache(self._best)
        self.suffix = cache(self._suffix)

    def deletion(self, x: Boundary) -> int:
        return self.cost[x[1], None]

    def insertion(self, y: Boundary) -> int:
        return self.cost[None, y[1]]

    def pair(self, x: Boundary, y: Boundary) -> int:
        return (self.c[x[1]] + self.c[y[1]]) // 2 * abs(x[0] - y[0]) + self.cost[x[1], y[1]]

    def score(self, a: Sequence[Mark], b: Sequence[Mark]) -> tuple[float, int]:
        """Return (C, objects) of one stream."""
        cost, objects = self.scored(tuple(a), tuple(b))
        return cost / ONE, objects

    def _scored(self, a: tuple[Mark, ...], b: tuple[Mark, ...]) -> tuple[int, int]:
        """Score the run before the first forced pair, that pair, and the rest."""
        k = next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x and y), len(a))
        cost, objects = self.best(a[:k], b[:k])
        if k == len(a):
            return cost, objects
        rest_cost, rest_objects = self.scored(a[k + 1 :], b[k + 1 :])
        return cost + self.cost[a[k], b[k]] + rest_cost, objects + 1 + rest_objects

    def _best(self, run_a: tuple[Mark, ...], run_b: tuple[Mark, ...]) -> tuple[int, int]:
        """Search all order-preserving pairings of a run for the lowest cost, then the most objects."""
        a, b = boundaries(run_a), boundaries(run_b)
        candidates = []
        for pairs in pairings(a, b):
            lone_a = [x for x in a if x not in {p for p, _ in pairs}]
            lone_b = [y for y in b if y not in {q for _, q in pairs}]
            cost = sum(self.pair(x, y) for x, y in pairs)
            cost += sum(map(self.deletion, lone_a)) + sum(map(self.insertion, lone_b))
            candidates.append((cost, -len(pairs) - len(lone_a) - len(lone_b)))
        cost, objects = min(candidates)
        return cost, -objects

    def _suffix(self, a: tuple[Boundary, ...], b: tuple[Boundary, ...]) -> tuple[int, int]:
        """Return (cost, pairs) of the best alignment of the two lists, by recursion."""
        if not a or not b:
            return sum(map(self.deletion, a)) + sum(map(self.insertion, b)), 0
        below, right, across = self.suffix(a[1:], b), self.suffix(a, b[1:]), self.suffix(a[1:], b[1:])
        return min(
            (self.deletion(a[0]) + below[0], below[1]),
            (self.insertion(b[0]) + right[0], right[1]),
            (self.pair(a[0], b[0]) + across[0], across[1] + 1),
        )

    def trace(self, a: tuple[Boundary, ...], b: tuple[Boundary, ...]) -> list[tuple[Boundary, Boundary]]:
        """Return the pairs of a run. From the left, pair if that is optimal; else drop the leftmost boundary if that is."""
        pairs = []
        while a and b:
            best = self.suffix(a, b)
            cost, count = self.suffix(a[1:], b[1:])
            if (self.pair(a[0], b[0]) + cost, count + 1) == best:
                pairs.append((a[0], b[0]))
                a, b = a[1:], b[1:]
                continue
            below, right = self.suffix(a[1:], b), self.suffix(a, b[1:])
            drop_a = (self.deletion(a[0]) + below[0], below[1]) == best
            drop_b = (self.insertion(b[0]) + right[0], right[1]) == best
            if drop_a and (a[0][0] < b[0][0] or not drop_b):
                a = a[1:]
            else:
                b = b[1:]
        return pairs


def millionths(value: float) -> int:
    """Return the decimal number in millionths, which can be halved and quartered exactly."""
    whole = Fraction(repr(float(value))) * ONE
    assert whole.denominator == 1, value
    assert whole % 1000 == 0, value
    return int(whole)


def boundaries(marks: Sequence[Mark]) -> tuple[Boundary, ...]:
    return tuple((i, mark) for i, mark in enumerate(marks) if mark)


def runs(a: Sequence[Mark], b: Sequence[Mark]) -> Iterator[tuple[tuple[Boundary, ...], tuple[Boundary, ...]]]:
    """Return the runs between forced pairs."""
    forced = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x and y]
    for begin, end in pairwise([-1, *forced, len(a)]):
        yield boundaries(a[begin + 1 : end]), boundaries(b[begin + 1 : end])


def pairings(a: Sequence[Boundary], b: Sequence[Boundary]) -> Iterator[Pairing]:
    for k in range(min(len(a), len(b)) + 1):
        for xs in combinations(a, k):
            for ys in combinations(b, k):
                yield tuple(zip(xs, ys, strict=True))
