"""Expected counts under independent placement, by definition: over all pairs of texts.

A text has one entry per inner position: the number of a set of types, or ``len(sets)`` for none. Every position is drawn
independently, so the probability of a text is the product of the probabilities of its positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from oracle.boundary import Cell, Rules, explain

Text = tuple[int, ...]
Sets = Sequence[tuple[int, ...]]
Parts = dict[str, int]


def texts(positions: int, sets: Sets) -> list[Text]:
    """Return every text with this number of inner positions."""
    return list(product(range(len(sets) + 1), repeat=positions))


def probability(text: Text, rates: Sequence[Fraction]) -> Fraction:
    """Return the probability of a text; ``rates`` has one entry per set."""
    all_rates = [*rates, 1 - sum(rates, Fraction(0))]
    return prod((all_rates[entry] for entry in text), start=Fraction(1))


def cells(text: Text, sets: Sets) -> frozenset[Cell]:
    """Return the boundaries of a text: position and type."""
    return frozenset((i, t) for i, entry in enumerate(text, 1) if entry < len(sets) for t in sets[entry])


def expected_parts(
    positions: int, sets: Sets, rates_a: Sequence[Fraction], rates_b: Sequence[Fraction], rules: Rules
) -> dict[str, Fraction]:
    """Return the expected cost, number of edits and parts over all pairs of texts, each aligned by exhaustive search."""
    sums: dict[str, Fraction] = {}
    all_texts = texts(positions, sets)
    for a, b in product(all_texts, repeat=2):
        weight = probability(a, rates_a) * probability(b, rates_b)
        explanation = explain(cells(a, sets), cells(b, sets), rules)
        row = explanation.parts() | {"cost": explanation.cost, "pairs": explanation.edits + len(explanation.matches)}
        for name, value in row.items():
            sums[name] = sums.get(name, Fraction(0)) + weight * value
    return sums


def three_state_chain(p_a: Fraction, p_b: Fraction, positions: int) -> dict[str, Fraction]:
    """Return additions, transpositions and matches for one type and n_t = 2, step by step as in the text of the definition."""
    u, v = p_a * (1 - p_b), p_b * (1 - p_a)
    nothing, open_a, open_b = Fraction(1), Fraction(0), Fraction(0)
    near = Fraction(0)
    for _ in range(positions):
        near += u * open_b + v * open_a
        open_a, open_b = u * (nothing + open_a), v * (nothing + open_b)
        nothing = 1 - open_a - open_b
    return {"additions": positions * (u + v) - 2 * near, "transpositions": near, "matches": positions * p_a * p_b}


def chance_agreement(
    items: dict[str, dict[str, tuple[int, int]]],
    similarity: Callable[[dict[str, Fraction]], Fraction],
    *,
    own_rates: bool,
) -> Fraction:
    """Return A_e for one type and n_t = 2; items are coder -> (inner positions, boundaries).

    Items with fewer than two coders do not count. The rates are pooled over all coders, or each coder's own. Parts are summed
    over all pairs of coders of all items before ``similarity`` finishes them.
    """
    kept = [by_coder for by_coder in items.values() if len(by_coder) >= 2]
    totals: dict[str, list[int]] = {}
    for by_coder in kept:
        for coder, numbers in by_coder.items():
            entry = totals.setdefault(coder, [0, 0])
            entry[0] += numbers[0]
            entry[1] += numbers[1]
    pooled = Fraction(sum(b for _, b in totals.values()), max(1, sum(n for n, _ in totals.values())))
    rates = {coder: Fraction(b, n) if n else Fraction(0) for coder, (n, b) in totals.items()}
    sums: dict[str, Fraction] = {"positions": Fraction(0)}
    for by_coder in kept:
        for a, b in combinations(by_coder, 2):
            positions = by_coder[a][0]
            p_a, p_b = (rates[a], rates[b]) if own_rates else (pooled, pooled)
            sums["positions"] += positions
            for name, value in three_state_chain(p_a, p_b, positions).items():
                sums[name] = sums.get(name, Fraction(0)) + value
    return similarity(sums)
