"""Alignment of two lists of tokens by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

GAP = 1000
Pair = tuple[int | None, int | None]


def edit_distance(a: str, b: str) -> int:
    """Return the number of characters to insert, delete or replace, by recursion."""
    if not a or not b:
        return len(a) + len(b)
    return min(edit_distance(a[1:], b[1:]) + (a[0] != b[0]), edit_distance(a[1:], b) + 1, edit_distance(a, b[1:]) + 1)


def pair_cost(a: str, b: str) -> int:
    """Return the proportion of characters that differ, in thousandths; at least 1 unless the tokens are equal."""
    return 0 if a == b else max(1, GAP * edit_distance(a, b) // max(len(a), len(b)))


def alignments(m: int, n: int) -> Iterator[list[Pair]]:
    """Yield every alignment of m tokens with n tokens."""
    if not m and not n:
        yield []
    if m and n:
        yield from ([*rest, (m - 1, n - 1)] for rest in alignments(m - 1, n - 1))
    if m:
        yield from ([*rest, (m - 1, None)] for rest in alignments(m - 1, n))
    if n:
        yield from ([*rest, (None, n - 1)] for rest in alignments(m, n - 1))


def cost(a: Sequence[str], b: Sequence[str], pairs: Sequence[Pair]) -> int:
    """Return the cost of an alignment."""
    return sum(GAP if i is None or j is None else pair_cost(a[i], b[j]) for i, j in pairs)


def lowest_cost(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the lowest cost of all alignments."""
    return min(cost(a, b, pairs) for pairs in alignments(len(a), len(b)))
