"""Gamma by its definition: disorder of two units, of a unitary alignment, and the best alignment by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

Unit = tuple[Any, Any, Any]  # start, end, category
Annotators = Mapping[str, Sequence[Unit]]


def position(u: Unit, v: Unit) -> Fraction | None:
    """d_pos / delta_empty, None for infinity."""
    moved = abs(Fraction(u[0]) - Fraction(v[0])) + abs(Fraction(u[1]) - Fraction(v[1]))
    length = (Fraction(u[1]) - Fraction(u[0])) + (Fraction(v[1]) - Fraction(v[0]))
    if moved == 0:
        return Fraction(0)
    return None if length == 0 else (moved / length) ** 2


class Definition:
    """All alignments of a continuum, in units of delta_empty, by the formulas of the paper."""

    def __init__(self, annotators: Annotators, alpha: Any = 1, beta: Any = 1, distance: Any = None) -> None:
        self.units = [
            (k, *unit) for k, name in enumerate(sorted(annotators)) for unit in sorted(annotators[name], key=repr)
        ]
        self.n = len(annotators)
        self.alpha, self.beta = Fraction(alpha), Fraction(beta)
        self.distance = distance or (lambda a, b: Fraction(a != b))

    def d(self, i: int, j: int) -> Fraction | None:
        """Dissimilarity of two units; None for infinity."""
        d_pos = position(self.units[i][1:], self.units[j][1:])
        if d_pos is None:
            return None
        return self.alpha * d_pos + self.beta * Fraction(self.distance(self.units[i][3], self.units[j][3]))

    def cost(self, members: Sequence[int]) -> Fraction | None:
        """Mean of d over all pairs of annotators, where a pair without two units costs 1."""
        pairs = self.n * (self.n - 1) // 2
        total = Fraction(pairs - len(members) * (len(members) - 1) // 2)
        for i, j in combinations(members, 2):
            d = self.d(i, j)
            if d is None:
                return None
            total += d
        return total / pairs

    def tuples(self, rest: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """All unitary alignments of the first of these units with some of the others."""
        first, *others = rest
        by_annotator = [
            [None, *(u for u in others if self.units[u][0] == k)] for k in range(self.n) if k != self.units[first][0]
        ]
        for choice in product(*by_annotator):
            yield (first, *(u for u in choice if u is not None))

    def best_cost(self) -> Fraction:
        """Smallest total cost of an alignment."""

        @cache
        def search(rest: tuple[int, ...]) -> Fraction:
            if not rest:
                return Fraction(0)
            costs = []
            for members in self.tuples(rest):
                cost = self.cost(members)
                if cost is not None:
                    costs.append(cost + search(tuple(u for u in rest if u not in members)))
            return min(costs)

        return search(tuple(range(len(self.units))))

    def alignments(self) -> Iterator[list[tuple[int, ...]]]:
        """Every alignment with finite cost."""

        def search(rest: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
            if not rest:
                yield []
                return
            for members in self.tuples(rest):
                if self.cost(members) is not None:
                    for others in search(tuple(u for u in rest if u not in members)):
                        yield [members, *others]

        return search(tuple(range(len(self.units))))

    def category_numerator(self, alignment: Sequence[Sequence[int]]) -> Fraction:
        """Numerator of delta_cat: over aligned pairs, max(0, 1 - d_pos) / (v - 1) times the distance of the categories."""
        total = Fraction(0)
        for members in alignment:
            for i, j in combinations(members, 2):
                d_pos = position(self.units[i][1:], self.units[j][1:])
                assert d_pos is not None
                weight = max(Fraction(0), 1 - d_pos) / (len(members) - 1)
                total += weight * Fraction(self.distance(self.units[i][3], self.units[j][3]))
        return total

    def choice(self) -> tuple[Fraction, int, Fraction, int]:
        """Smallest cost; among its alignments the fewest tuples, then the smallest numerator; and how many alignments tie."""
        best: list[tuple[Fraction, int, Fraction]] = []
        for alignment in self.alignments():
            cost = sum((self.cost(members) or Fraction(0) for members in alignment), Fraction(0))
            best.append((cost, len(alignment), self.category_numerator(alignment)))
        smallest = min(best)
        return *smallest, sum(entry[0] == smallest[0] for entry in best)
