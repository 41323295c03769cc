"""Boundary edit distance by exhaustive search over pairings, with S, B and the confusion matrix.

A boundary is a cell (position, type). The type is its index on the scale. A side is a set of cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

Cell = tuple[int, int]
Pair = tuple[Cell, Cell]


@dataclass(frozen=True)
class Rules:
    """The edits that are allowed and their costs."""

    n_t: int = 2
    types: int = 1
    transposition: str = "scaled"
    substitution: str = "scaled"
    wt: Fraction = Fraction(0)
    ws: Fraction = Fraction(0)
    w_trp: Fraction = Fraction(1)
    w_sub: Fraction = Fraction(1)

    def cost(self, x: Cell, y: Cell) -> Fraction | None:
        """Return the cost of pairing x on one side with y on the other, or None if they cannot be paired."""
        d, steps = abs(x[0] - y[0]), abs(x[1] - y[1])
        if d == 0 and steps > 0:
            if self.substitution == "unit":
                return self.w_sub
            over = {"scaled": self.types, "printed": self.types - 1}[self.substitution]
            return self.w_sub * (self.ws + Fraction(steps, over))
        if steps == 0 and 1 <= d < self.n_t:
            if self.transposition == "unit":
                return self.w_trp
            if self.transposition == "te":  # equation 3 of 2012: b - 1/b^(n-2) with b = 2 and n = d + 1
                return self.w_trp * (2 - Fraction(1, 2 ** (d - 1)))
            over = {"scaled": self.n_t, "printed": self.n_t - 1}[self.transposition]
            return self.w_trp * (self.wt + Fraction(d, over))
        return None


@dataclass(frozen=True)
class Explanation:
    """Matches, sorted pairs (left boundary, right boundary), and the unpaired boundaries of each side."""

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
        """Return the counts of Fournier 2013 under the names used in scores."""
        return {
            "additions": self.additions,
            "transpositions": len(self.transpositions),
            "span": sum(y[0] - x[0] for x, y in self.transpositions),
            "substitutions": len(self.substitutions),
            "distance": sum(abs(x[1] - y[1]) for x, y in self.substitutions),
            "matches": len(self.matches),
        }

    def s(self, length: int, rules: Rules) -> Fraction:
        """Return S = 1 - cost / (P * |T|)."""
        possible = (length - 1) * rules.types
        return 1 - self.cost / possible if possible else Fraction(1)

    def b(self) -> Fraction:
        """Return B = 1 - cost / (|A| + |T| + |S| + |M|)."""
        pairs = self.edits + len(self.matches)
        return 1 - self.cost / pairs if pairs else Fraction(1)


def pairings(a: tuple[Cell, ...], b: frozenset[Cell], rules: Rules) -> Iterator[tuple[tuple[Pair, ...], Fraction]]:
    """Yield every pairing of boundaries in a and b with its cost. An unpaired boundary costs 1."""
    if not a:
        yield (), Fraction(len(b))
        return
    first, *rest = a
    for pairs, cost in pairings(tuple(rest), b, rules):
        yield pairs, cost + 1
    for partner in b:
        step = rules.cost(first, partner)
        if step is not None:
            pair = (min(first, partner), max(first, partner))
            for pairs, cost in pairings(tuple(rest), b - {partner}, rules):
                yield (*pairs, pair), cost + step


def explain(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> Explanation:
    """Return the pairing with the lowest cost, then the fewest edits, then the smallest list of pairs."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = a - b, b - a
    options = (
        (cost, len(a_only) + len(b_only) - len(pairs), tuple(sorted(pairs)))
        for pairs, cost in pairings(tuple(sorted(a_only)), b_only, rules)
    )
    cost, _, pairs = min(options)
    return _explanation(a, b, pairs, cost)


def explain_greedily(a: Collection[Cell], b: Collection[Cell], n_t: int) -> Explanation:
    """Pair like segeval (one type): for d = 1, 2, ..., from left to right, pair unpaired boundaries d apart."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = set(a - b), set(b - a)
    pairs: list[Pair] = []
    for d in range(1, n_t):
        for left in sorted(a_only | b_only):
            right = (left[0] + d, left[1])
            for left_side, right_side in ((a_only, b_only), (b_only, a_only)):
                if left in left_side and right in right_side:
                    pairs.append((left, right))
                    left_side.remove(left)
                    right_side.remove(right)
    cost = sum((Fraction(y[0] - x[0], n_t) for x, y in pairs), Fraction(len(a_only) + len(b_only)))
    return _explanation(a, b, tuple(sorted(pairs)), cost)


def _explanation(a: frozenset[Cell], b: frozenset[Cell], pairs: tuple[Pair, ...], cost: Fraction) -> Explanation:
    paired = {cell for pair in pairs for cell in pair}
    return Explanation(a & b, pairs, (a - b) - paired, (b - a) - paired, cost)


# Larger inputs have too many pairings to list. These functions find augmenting paths (Bellman-Ford) in exact arithmetic.
# To get the smallest list, they add a pair and check whether the optimum is still reachable.


def explain_large(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> Explanation:
    """Return the same result as ``explain`` in polynomial time."""
    a, b = frozenset(a), frozenset(b)
    a_only, b_only = sorted(a - b), sorted(b - a)
    best = _gain(a_only, b_only, rules)
    pairs: list[Pair] = []
    fixed = (Fraction(0), 0)
    left_a, left_b = list(a_only), list(b_only)
    for cell in sorted([*a_only, *b_only]):
        mine, others = (left_a, left_b) if cell in left_a else (left_b, left_a)
        if cell not in mine:
            continue  # already paired with a boundary to its left
        for partner in [y for y in others if y > cell]:
            step = rules.cost(cell, partner)
            if step is None:
                continue
            with_it = (fixed[0] + 2 - step, fixed[1] + 1)
            rest = _gain(
                [x for x in left_a if x not in (cell, partner)], [y for y in left_b if y not in (cell, partner)], rules
            )
            if (with_it[0] + rest[0], with_it[1] + rest[1]) == best:
                pairs.append((cell, partner))
                fixed = with_it
                others.remove(partner)
                break
        mine.remove(cell)  # paired with a boundary to its right, or unpaired
    return _explanation(a, b, tuple(pairs), Fraction(len(a_only) + len(b_only)) - best[0])


def least_cost(a: Collection[Cell], b: Collection[Cell], rules: Rules) -> tuple[Fraction, int]:
    """Return (cost, number of edits) of the optimum."""
    a_only, b_only = sorted(set(a) - set(b)), sorted(set(b) - set(a))
    gain, pairs = _gain(a_only, b_only, rules)
    return Fraction(len(a_only) + len(b_only)) - gain, len(a_only) + len(b_only) - pairs


def _gain(a: list[Cell], b: list[Cell], rules: Rules) -> tuple[Fraction, int]:
    """Return the largest saving by pairing (compared to no pairs), and the largest number of pairs with that saving."""
    weight = {
        (i, j): (2 - step, 1)
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        if (step := rules.cost(x, y)) is not None
    }
    mate: dict[int, int] = {}  # b -> a
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
            before = next((partner for partner, owner in mate.items() if owner == i), None)
            mate[j] = i
            j = before


def confusion(
    explanation: Explanation, a: Collection[Cell], b: Collection[Cell], length: int, rules: Rules
) -> list[list[Fraction]]:
    """Return the matrix with rows predicted (b) and columns actual (a). "No boundary" is last. A pair adds 1 - cost.

    The last cell counts the inner positions at which neither side has a boundary of any type.
    """
    T = rules.types  # noqa: N806
    matrix = [[Fraction(0)] * (T + 1) for _ in range(T + 1)]
    marked = {position for position, _ in (*a, *b)}
    matrix[T][T] += sum(position not in marked for position in range(1, length))
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
