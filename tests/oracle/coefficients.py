"""Agreement coefficients (pi, kappa, bias, nominal alpha) by definition, in fractions.

Coders may be missing. A corpus is a mapping item -> coder -> (length, set of (position, type)).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations

Text = tuple[int, frozenset[tuple[int, str]]]
Items = Mapping[str, Mapping[str, Text]]
Parts = Callable[[Text, Text], tuple[Fraction, Fraction]]
"""Numerator and denominator of the similarity of a pair, which are summed before they are divided."""


def shared_items(items: Items) -> dict[str, Mapping[str, Text]]:
    """Return the items that at least two coders annotated."""
    return {item: by for item, by in items.items() if len(by) >= 2}


def observed(items: Items, parts: Parts) -> Fraction:
    """Return A_a: parts summed over pairs of coders and their common items. Without comparisons it is 1."""
    rows = [parts(by[a], by[b]) for by in shared_items(items).values() for a, b in combinations(sorted(by), 2)]
    below = sum((row[1] for row in rows), Fraction(0))
    return sum((row[0] for row in rows), Fraction(0)) / below if below else Fraction(1)


def _placed(text: Text, kind: str) -> int:
    return sum(name == kind for _, name in text[1])


def expected_pi(items: Items, types: list[str]) -> Fraction:
    """Return the sum over types of P_t^2. Each (coder, item) counts once."""
    texts = [text for by in shared_items(items).values() for text in by.values()]
    positions = sum(n - 1 for n, _ in texts)
    return sum((Fraction(sum(_placed(text, t) for text in texts), positions) ** 2 for t in types), Fraction(0))


def expected_kappa(items: Items, types: list[str]) -> Fraction:
    """Return the product of two coders' rates over their items, averaged over pairs of coders that share an item."""
    mine: dict[str, list[Text]] = {}
    pairs: set[tuple[str, str]] = set()
    for by in shared_items(items).values():
        for coder, text in by.items():
            mine.setdefault(coder, []).append(text)
        pairs |= set(combinations(sorted(by), 2))

    def rate(coder: str, kind: str) -> Fraction:
        return Fraction(sum(_placed(text, kind) for text in mine[coder]), sum(n - 1 for n, _ in mine[coder]))

    products = [sum((rate(a, t) * rate(b, t) for t in types), Fraction(0)) for a, b in pairs]
    return sum(products, Fraction(0)) / len(products)


def corrected(a: Fraction, e: Fraction) -> Fraction:
    """Return the chance-corrected coefficient."""
    return (a - e) / (1 - e)


def alpha(items: Items) -> Fraction | None:
    """Krippendorff's nominal alpha from the coincidence matrix, as in his worked examples: 1 - D_o / D_e.

    Return None if all values are equal, because D_e is then 0.

    A unit of analysis is an inner position. Its values are the sets of types that the coders placed there.
    """
    coincidences: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    for by in shared_items(items).values():
        length = next(iter(by.values()))[0]
        for position in range(1, length):
            values = [frozenset(name for at, name in text[1] if at == position) for text in by.values()]
            for i, value in enumerate(values):
                for j, second in enumerate(values):
                    if i != j:
                        coincidences[value, second] += Fraction(1, len(values) - 1)
    n_v: Counter[frozenset[str]] = Counter()
    for (value, _), times in coincidences.items():
        n_v[value] += times
    n = sum(n_v.values())
    d_o = sum(times for (value, second), times in coincidences.items() if value != second)
    d_e = sum(n_v[value] * n_v[second] for value in n_v for second in n_v if value != second) / Fraction(n - 1)
    return 1 - d_o / d_e if d_e else None
