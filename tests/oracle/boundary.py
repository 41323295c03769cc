"""Boundary edit distance by trying every pairing, and what S, B and the confusion matrix make of it.

A boundary is a cell (position, type), the type its place on the scale; a side is a set of cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

Cell = tuple[int, int]
Pair = tuple[Cell, Cell]


@dataclass(frozen=True)
class Rules:
    """What is allowed and what it costs."""

    n_t: int = 2
    types: int = 1
    transposition: str = "scaled"
    substitution: str = "scaled"
    wt: Fraction = Fraction(0)
    ws: Fraction = Fraction(0)

    def cost(self, x: Cell, y: Cell) -> Fraction | None:
        """Of explaining x on one side by y on the other; None if that cannot be."""
        d, steps = abs(x[0] - y[0]), abs(x[1] - y[1])
        if d == 0 and steps > 0:
            if self.substitution == "unit":
                return Fraction(1)
            over = {"scaled": self.types, "printed": self.types - 1}[self.substitution]
            return self.ws + Fraction(steps, over)
        if steps == 0 and 1 <= d < self.n_t:
            if self.transposition == "unit":
                return Fraction(1)
            if self.transposition == "te":  # equation 3 of 2012: b - 1/b^(n-2) with b = 2 and n = d + 1
                return 2 - Fraction(1, 2 ** (d - 1))
            over = {"scaled": self.n_t, "printed": self.n_t - 1}[self.transposition]
            return self.wt + Fraction(d, over)
        return None


@dataclass(frozen=True)
class Explanation:
    """Which boundaries go together: pairs as (leftmost, other), in order; and what is left alone on either side."""

    matches: frozenset[Cell]
    pairs: tuple[Pair, ...]
    a_alone: frozenset[Cell]
    b_alone: frozenset[Cell]
    cost: Fraction

    @property
    def transpositions(self) -> list[Pair]:
        return [(x, y) for x, y in self.pairs if x[1] == y[1]]

    @property
    def substitutions(self) -> list[Pair]:
        return [(x, y) for x, y in self.pairs if x[1] != y[1]]

    @property
    def additions(self) -> int:
        return len(self.a_alone) + len(self.b_alone)

    @property
    def edits(self) -> int:
        return self.additions + len(self.pairs)

    def parts(self) -> dict[str, int]:
        """The counts of Fournier 2013 in the names that scores give them."""
        return {
            "additions": self.additions,
            "transpositions": len(self.transpositions),
            "span": sum(y[0] - x[0] for x, y in self.transpositions),
            "substitutions": len(self.substitutions),
            "distance": sum(abs(x[1] - y[1]) for x, y in self.substitutions),
            "matches": len(self.matches),
        }

    def s(self, length: int, rules: Rules) -> Fraction:
        """S = 1 - cost / (P * |T|)."""
        possible = (length - 1) * rules.types
        return 1 - self.cost / possible if possible else Fraction(1)

    def b(self) -> Fraction:
        """B = 1 - cost / (|A| + |T| + |S| + |M|)."""
        pairs = self.edits + len(self.matches)
        return 1 - self.cost / pairs if pairs else Fraction(1)


def pairings(a: tuple[Cell, ...], b: frozenset[Cell], rules: Rules) -> Iterator[tuple[tuple[Pair, ...], Fraction]]:
    """Every way of pairing some of a with some of b, with its cost; what is not paired costs 1."""
    if not a:
        yield (), Fraction(len(b))
        return
    first, *rest = a
    for pairs, cost in pairings(tuple(rest), b, rules):
        yield pairs, cost + 1
    for other in b:
        step = rules.cost(first, other)
        if step is not None:
            pair = (min(first, other), max(first, other))
            for pairs, cost in pairings(tuple(rest), b - {other}, rules):
                yield (*pairs, pair), cost + step


def explain(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> Explanation:
    """The least cost, then the fewest edits, then the smallest list of pairs: by trying them all."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = a - b, b - a
    options = (
        (cost, len(a_only) + len(b_only) - len(pairs), tuple(sorted(pairs)))
        for pairs, cost in pairings(tuple(sorted(a_only)), b_only, rules)
    )
    cost, _, pairs = min(options)
    return _explanation(a, b, pairs, cost)


def explain_greedily(a: Collection[Cell], b: Collection[Cell], n_t: int) -> Explanation:
    """segeval's way with one type: for d = 1, 2, ..., from left to right, whatever is unpaired and d apart."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = set(a - b), set(b - a)
    pairs: list[Pair] = []
    for d in range(1, n_t):
        for left in sorted(a_only | b_only):
            right = (left[0] + d, left[1])
            for one, other in ((a_only, b_only), (b_only, a_only)):
                if left in one and right in other:
                    pairs.append((left, right))
                    one.remove(left)
                    other.remove(right)
    cost = sum((Fraction(y[0] - x[0], n_t) for x, y in pairs), Fraction(len(a_only) + len(b_only)))
    return _explanation(a, b, tuple(sorted(pairs)), cost)


def _explanation(a: frozenset[Cell], b: frozenset[Cell], pairs: tuple[Pair, ...], cost: Fraction) -> Explanation:
    paired = {cell for pair in pairs for cell in pair}
    return Explanation(a & b, pairs, (a - b) - paired, (b - a) - paired, cost)


# Larger inputs: as many pairings as there are cannot be listed any more. Augmenting paths by Bellman and Ford, in exact
# arithmetic; and the smallest list by asking again and again whether the optimum survives one more pair.


def explain_large(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> Explanation:
    """What ``explain`` gives, in polynomial time."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = sorted(a - b), sorted(b - a)
    best = _gain(a_only, b_only, rules)
    pairs: list[Pair] = []
    fixed = (Fraction(0), 0)
    left_a, left_b = list(a_only), list(b_only)
    for cell in sorted([*a_only, *b_only]):
        mine, others = (left_a, left_b) if cell in left_a else (left_b, left_a)
        if cell not in mine:
            continue  # already the partner of something further left
        for other in [y for y in others if y > cell]:
            step = rules.cost(cell, other)
            if step is None:
                continue
            with_it = (fixed[0] + 2 - step, fixed[1] + 1)
            rest = _gain([x for x in left_a if x not in (cell, other)], [y for y in left_b if y not in (cell, other)], rules)
            if (with_it[0] + rest[0], with_it[1] + rest[1]) == best:
                pairs.append((cell, other))
                fixed = with_it
                others.remove(other)
                break
        mine.remove(cell)  # paired with something to its right, or alone
    return _explanation(a, b, tuple(pairs), Fraction(len(a_only) + len(b_only)) - best[0])


def least_cost(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> tuple[Fraction, int]:
    """(cost, edits) of the optimum, without the list."""
    a_only, b_only = sorted(set(a) - set(b)), sorted(set(b) - set(a))
    gain, pairs = _gain(a_only, b_only, rules)
    return Fraction(len(a_only) + len(b_only)) - gain, len(a_only) + len(b_only) - pairs


def _gain(a: list[Cell], b: list[Cell], rules: Rules) -> tuple[Fraction, int]:
    """The most that pairs can save against leaving everything alone, and then the most pairs."""
    weight = {
        (i, j): (2 - step, 1)
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        if (step := rules.cost(x, y)) is not None
    }
    mate: dict[int, int] = {}  # of b
    total = (Fraction(0), 0)
    while True:
        # The best alternating path from an unpaired member of a: forward along an edge, back along a pair.
        paired = set(mate.values())
        reach_a = {i: (Fraction(0), 0) for i in range(len(a)) if i not in paired}
        reach_b: dict[int, tuple[Fraction, int]] = {}
        came_from: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for (i, j), gain in weight.items():
                if i in reach_a and mate.get(j) != i:
                    new = (reach_a[i][0] + gain[0], reach_a[i][1] + gain[1])
                    if j not in reach_b or new > reach_b[j]:
                        reach_b[j], came_from[j], changed = new, i, True
                        if j in mate:
                            back = weight[mate[j], j]
                            reach_a[mate[j]] = (new[0] - back[0], new[1] - back[1])
        ends = [(value, -j) for j, value in reach_b.items() if j not in mate]
        if not ends or max(ends)[0] <= (0, 0):
            return total
        value, end = max(ends)
        total = (total[0] + value[0], total[1] + value[1])
        j: int | None = -end
        while j is not None:
            i = came_from[j]
            before = next((other for other, owner in mate.items() if owner == i), None)
            mate[j] = i
            j = before


def confusion(explanation: Explanation, a: Collection[Cell], rules: Rules) -> list[list[Fraction]]:
    """Rows predicted (b), columns actual (a), over the types and "no boundary" last; a pair adds one minus its cost."""
    T = rules.types  # noqa: N806
    matrix = [[Fraction(0)] * (T + 1) for _ in range(T + 1)]
    for _, kind in explanation.matches:
        matrix[kind][kind] += 1
    for x, y in explanation.pairs:
        actual, predicted = (x, y) if x in a else (y, x)
        matrix[predicted[1]][actual[1]] += 1 - rules.cost(x, y)
    for _, kind in explanation.b_alone:
        matrix[kind][T] += 1
    for _, kind in explanation.a_alone:
        matrix[T][kind] += 1
    return matrix
