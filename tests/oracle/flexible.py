"""Flexible similarity from its definition: forced pairs, then every way of pairing the rest in order.

Slow and obvious. Costs are fractions, so that ties are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

Mark = str | None
Boundary = tuple[int, str]
Pairing = tuple[tuple[Boundary, Boundary], ...]


class Oracle:
    """Costs from a matrix over ``types`` and none (last), and c for each type."""

    def __init__(
        self,
        types: Sequence[str],
        matrix: Sequence[Sequence[float]] | None = None,
        c: dict[str, float] | float | None = None,
    ) -> None:
        names = [*types, None]
        rows = matrix or [[float(x == y) for y in names] for x in names]
        self.s = {(x, y): exact(rows[i][j]) for i, x in enumerate(names) for j, y in enumerate(names)}
        self.c = {
            x: ((1 - self.s[x, None]) + (1 - self.s[None, x])) / 4
            if c is None
            else exact(c[x] if isinstance(c, dict) else c)
            for x in types
        }
        self.best = cache(self._best)
        self.suffix = cache(self._suffix)

    def deletion(self, x: Boundary) -> Fraction:
        return 1 - self.s[x[1], None]

    def insertion(self, y: Boundary) -> Fraction:
        return 1 - self.s[None, y[1]]

    def pair(self, x: Boundary, y: Boundary) -> Fraction:
        return (self.c[x[1]] + self.c[y[1]]) / 2 * abs(x[0] - y[0]) + 1 - self.s[x[1], y[1]]

    def score(self, a: Sequence[Mark], b: Sequence[Mark]) -> tuple[Fraction, int]:
        """(C, objects) of one stream."""
        cost, objects = Fraction(0), 0
        for run in runs(a, b):
            if isinstance(run, str):
                x, y = run.split("\n")
                cost, objects = cost + 1 - self.s[x, y], objects + 1
            else:
                more_cost, more_objects = self.best(*run)
                cost, objects = cost + more_cost, objects + more_objects
        return cost, objects

    def _best(self, a: tuple[Boundary, ...], b: tuple[Boundary, ...]) -> tuple[Fraction, int]:
        """By exhaustive search over order-preserving pairings: the least cost, then the most objects."""
        found = []
        for pairs in pairings(a, b):
            lone_a = [x for x in a if x not in {p for p, _ in pairs}]
            lone_b = [y for y in b if y not in {q for _, q in pairs}]
            cost = sum((self.pair(x, y) for x, y in pairs), Fraction(0))
            cost += sum(map(self.deletion, lone_a)) + sum(map(self.insertion, lone_b))
            found.append((cost, -len(pairs) - len(lone_a) - len(lone_b)))
        cost, objects = min(found)
        return cost, -objects

    def _suffix(self, a: tuple[Boundary, ...], b: tuple[Boundary, ...]) -> tuple[Fraction, int]:
        """(cost, pairs) of the best alignment of these two lists, by recursion."""
        if not a or not b:
            return sum(map(self.deletion, a), Fraction(0)) + sum(map(self.insertion, b), Fraction(0)), 0
        below, right, across = self.suffix(a[1:], b), self.suffix(a, b[1:]), self.suffix(a[1:], b[1:])
        return min(
            (self.deletion(a[0]) + below[0], below[1]),
            (self.insertion(b[0]) + right[0], right[1]),
            (self.pair(a[0], b[0]) + across[0], across[1] + 1),
        )

    def trace(self, a: tuple[Boundary, ...], b: tuple[Boundary, ...]) -> list[tuple[Boundary, Boundary]]:
        """The pairs of a run: from the left the pair if it is best, else drop the one further left if that is."""
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


def exact(value: float) -> Fraction:
    """The number as it is written."""
    return Fraction(repr(float(value)))


def runs(a: Sequence[Mark], b: Sequence[Mark]) -> Iterator[str | tuple[tuple[Boundary, ...], tuple[Boundary, ...]]]:
    """Forced pairs as "x\\ny", and the runs between them, their positions counted from the run's first boundary."""
    one: list[Boundary] = []
    other: list[Boundary] = []
    for i in range(len(a) + 1):
        forced = i < len(a) and a[i] and b[i]
        if (forced or i == len(a)) and (one or other):
            first = min(p for p, _ in one + other)
            yield tuple((p - first, t) for p, t in one), tuple((p - first, t) for p, t in other)
            one, other = [], []
        if forced:
            yield f"{a[i]}\n{b[i]}"
        elif i < len(a):
            if a[i]:
                one.append((i, str(a[i])))
            if b[i]:
                other.append((i, str(b[i])))


def pairings(a: Sequence[Boundary], b: Sequence[Boundary]) -> Iterator[Pairing]:
    for k in range(min(len(a), len(b)) + 1):
        for xs in combinations(a, k):
            for ys in combinations(b, k):
                yield tuple(zip(xs, ys, strict=True))
