"""Boundary similarity in seconds by exhaustive search over all pairings, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction


def pairings(a: Sequence[Fraction], b: Sequence[Fraction], n_t: Fraction) -> Iterator[list[Fraction]]:
    """Yield the distances of every set of pairs in which each boundary occurs once and all pairs are closer than n_t."""
    if not a:
        yield []
        return
    yield from pairings(a[1:], b, n_t)
    for j, time in enumerate(b):
        if abs(a[0] - time) < n_t:
            for rest in pairings(a[1:], [*b[:j], *b[j + 1 :]], n_t):
                yield [abs(a[0] - time), *rest]


def boundary_similarity(a: Sequence[Fraction], b: Sequence[Fraction], n_t: Fraction) -> Fraction:
    """B: equal times match; of the other boundaries the cheapest pairing counts, of equals the one with most pairs."""
    matches = set(a) & set(b)
    rest_a, rest_b = ([time for time in side if time not in matches] for side in (a, b))
    single = len(rest_a) + len(rest_b)
    cost, pairs = min((single - 2 * len(p) + sum(p, Fraction(0)) / n_t, -len(p)) for p in pairings(rest_a, rest_b, n_t))
    edits = single + pairs + len(matches)
    return 1 - cost / edits if edits else Fraction(1)
