"""Chance of spans from its definition: every placement of the spans without overlaps, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

Span = tuple[int, int, str | None]
"""First token, end and label."""


def placements(spans: Sequence[Span], tokens: int) -> Iterator[frozenset[Span]]:
    """Yield every placement of spans of the same lengths and labels, in every order; equal spans are distinguished."""
    for order in permutations(spans):
        yield from map(frozenset, _places([(end - start, label) for start, end, label in order], 0, tokens))


def _places(sizes: list[tuple[int, str | None]], begin: int, tokens: int) -> Iterator[list[Span]]:
    if not sizes:
        yield []
        return
    (size, label), *rest = sizes
    needed = sum(length for length, _ in rest)
    for start in range(begin, tokens - size - needed + 1):
        for others in _places(rest, start + size, tokens):
            yield [(start, start + size, label), *others]


def tokens_of(spans: frozenset[Span]) -> frozenset[tuple[int, str | None]]:
    return frozenset((token, label) for start, end, label in spans for token in range(start, end))


def expected_f(a: Sequence[Span], b: Sequence[Span], tokens: int, *, of_tokens: bool) -> Fraction:
    """Return the mean F over all pairs of placements."""
    convert = tokens_of if of_tokens else frozenset
    first, second = ([convert(places) for places in placements(side, tokens)] for side in (a, b))
    total = sum((_f(x, y) for x in first for y in second), Fraction(0))
    return total / (len(first) * len(second))


def _f(x: frozenset, y: frozenset) -> Fraction:
    return Fraction(2 * len(x & y), len(x) + len(y)) if x or y else Fraction(1)
