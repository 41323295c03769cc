"""Mean cost of two random texts by definition: over all pairs of texts and all alignments of each pair.

A text is a tuple of type numbers, with T for no boundary. Costs and probabilities are fractions. If that takes too
long, ``mean_by_runs`` enumerates runs and aligns each with the full table, and ``table_cost`` aligns one pair of texts.
Both use floats and discard no entry of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import numpy as np

Text = tuple[int, ...]
Boundary = tuple[int, int]  # position, type
Edges = tuple[list[Boundary], list[Boundary], list[float], list[float]]


@dataclass(frozen=True, eq=False)
class Rules:
    """Similarities over T types and none (last), and the cost of moving each type by one position."""

    S: tuple[tuple[Fraction, ...], ...]
    c: tuple[Fraction, ...]

    @property
    def none(self) -> int:
        return len(self.c)

    def pair(self, x: Boundary, y: Boundary) -> Fraction:
        return (self.c[x[1]] + self.c[y[1]]) / 2 * abs(x[0] - y[0]) + 1 - self.S[x[1]][y[1]]

    def run(self, a: Sequence[Boundary], b: Sequence[Boundary]) -> Iterator[Fraction]:
        """Yield the cost of every ordered alignment: delete the first of a, or pair it after some insertions."""
        if not a:
            yield sum((1 - self.S[self.none][y[1]] for y in b), Fraction(0))
            return
        for rest in self.run(a[1:], b):
            yield 1 - self.S[a[0][1]][self.none] + rest
        for j, y in enumerate(b):
            inserted = sum((1 - self.S[self.none][z[1]] for z in b[:j]), Fraction(0))
            for rest in self.run(a[1:], b[j + 1 :]):
                yield inserted + self.pair(a[0], y) + rest

    @cache  # noqa: B019 - few rules, and many pairs of texts with the same ends
    def cost(self, a: Text, b: Text) -> Fraction:
        """Return C of one stream: the run before the first forced pair, that pair, and the rest."""
        cut = next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if self.none not in (x, y)), len(a))
        run = min(self.run(*([(i, x) for i, x in enumerate(text[:cut]) if x != self.none] for text in (a, b))))
        if cut == len(a):
            return run
        return run + 1 - self.S[a[cut]][b[cut]] + self.cost(a[cut + 1 :], b[cut + 1 :])

    def mean(self, p_a: Sequence[Fraction], p_b: Sequence[Fraction], length: int) -> Fraction:
        """Return E[C] of one stream over all pairs of texts."""
        texts = list(product(range(self.none + 1), repeat=length))
        chance_a, chance_b = ([prod(p[x] for x in text) for text in texts] for p in (p_a, p_b))
        total = Fraction(0)
        for a, p in zip(texts, chance_a, strict=True):
            if p:
                total += p * sum(q * self.cost(a, b) for b, q in zip(texts, chance_b, strict=True) if q)
        return total


class Table:
    """Last row and column of the alignment table. Each new boundary extends them."""

    def __init__(self, S: np.ndarray, c: np.ndarray) -> None:  # noqa: N803
        self.none = len(c)
        self.drop = (1 - S[: self.none, self.none]).tolist(), (1 - S[self.none, : self.none]).tolist()
        pair = 1 - S[: self.none, : self.none]
        step = (c[:, None] + c[None, :]) / 2
        self.pair = pair.tolist(), pair.T.tolist()
        self.step = step.tolist()

    def start(self) -> Edges:
        """Return empty boundary lists of a and b, the last row and the last column."""
        return [], [], [0.0], [0.0]

    def grow(self, side: int, new: Boundary, before: Edges) -> Edges:
        """Add a boundary to one side."""
        other, row, column = before[1 - side], before[2 + side], before[3 - side]
        position, x = new
        dropped, drop, pair, step = self.drop[side][x], self.drop[1 - side], self.pair[side][x], self.step[x]
        grown = [row[0] + dropped]
        for k, (j, y) in enumerate(other):
            paired = row[k] + step[y] * (position - j) + pair[y]
            grown.append(min(paired, row[k + 1] + dropped, grown[k] + drop[y]))
        mine, edges = [*before[side], new], (grown, [*column, grown[-1]])
        return (mine, other, *edges) if side == 0 else (other, mine, edges[1], edges[0])


def table_cost(a: Sequence[int], b: Sequence[int], S: np.ndarray, c: np.ndarray) -> float:  # noqa: N803
    """Return C of one stream."""
    table = Table(S, c)
    total, run = 0.0, table.start()
    for position, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != table.none and y != table.none:
            total += run[2][-1] + 1 - S[x, y]
            run = table.start()
        elif x != table.none:
            run = table.grow(0, (position, x), run)
        elif y != table.none:
            run = table.grow(1, (position, y), run)
    return float(total + run[2][-1])


def mean_by_runs(p_a: np.ndarray, p_b: np.ndarray, length: int, S: np.ndarray, c: np.ndarray) -> list[float]:  # noqa: N803
    """Return E[C] of streams of 0, 1, ... ``length`` positions: all runs before the first forced pair, and the rest."""
    table = Table(S, c)
    none = table.none
    run_cost = [0.0] * (length + 1)  # [n]: mean cost of a run of n positions, times its probability

    def visit(position: int, weight: float, run: Edges) -> None:
        run_cost[position] += weight * run[2][-1]
        if position == length or not weight:
            return
        visit(position + 1, weight * p_a[none] * p_b[none], run)
        for x in range(none):
            visit(position + 1, weight * p_a[x] * p_b[none], table.grow(0, (position, x), run))
            visit(position + 1, weight * p_b[x] * p_a[none], table.grow(1, (position, x), run))

    visit(0, 1.0, table.start())
    shared = float((1 - p_a[none]) * (1 - p_b[none]))
    forced = float(p_a[:none] @ (1 - S[:none, :none]) @ p_b[:none])
    means: list[float] = []
    for n in range(length + 1):
        mean = run_cost[n]
        for k in range(n):
            mean += run_cost[k] * shared + (1 - shared) ** k * (forced + shared * means[n - 1 - k])
        means.append(mean)
    return means
