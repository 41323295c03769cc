"""Measures of segments, from their definitions: every segment against every segment, with fractions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from math import log2

Segment = tuple[Fraction, Fraction, Hashable]
"""Start, end and class of a segment."""


def segments_of(places: Sequence[Fraction], classes: Sequence[Hashable] | None = None) -> list[Segment]:
    """Return the segments between places, which include both ends; without classes every segment is a class."""
    names = range(len(places) - 1) if classes is None else classes
    return list(zip(places[:-1], places[1:], names, strict=True))


def length(segment: Segment) -> Fraction:
    return segment[1] - segment[0]


def overlap(a: Segment, b: Segment) -> Fraction:
    return max(Fraction(0), min(a[1], b[1]) - max(a[0], b[0]))


def jaccard(a: Segment, b: Segment) -> Fraction:
    return overlap(a, b) / (length(a) + length(b) - overlap(a, b))


def coverage(reference: list[Segment], hypothesis: list[Segment]) -> Fraction:
    covered = sum(max(overlap(a, b) for b in hypothesis) for a in reference)
    return covered / sum(map(length, reference))


def covering(reference: list[Segment], hypothesis: list[Segment]) -> Fraction:
    weighted = sum(length(a) * max(jaccard(a, b) for b in hypothesis) for a in reference)
    return weighted / sum(map(length, reference))


def alignment_index(a: list[Segment], b: list[Segment], *, ties_all: bool = False) -> Fraction:
    pairs = set()
    for side, other, swap in ((a, b, False), (b, a, True)):
        for i, segment in enumerate(side):
            ranks = [(overlap(segment, x), jaccard(segment, x)) for x in other]
            best = [j for j, rank in enumerate(ranks) if rank == max(ranks)]
            pairs |= {(j, i) if swap else (i, j) for j in (best if ties_all else best[:1])}
    return sum(jaccard(a[i], b[j]) for i, j in pairs) / Fraction(len(pairs))


def common(a: list[Segment], b: list[Segment]) -> dict[tuple[Hashable, Hashable], Fraction]:
    table: dict[tuple[Hashable, Hashable], Fraction] = {}
    for x in a:
        for y in b:
            if overlap(x, y):
                table[x[2], y[2]] = table.get((x[2], y[2]), Fraction(0)) + overlap(x, y)
    return table


def by_class(segments: list[Segment]) -> dict[Hashable, Fraction]:
    totals: dict[Hashable, Fraction] = {}
    for segment in segments:
        totals[segment[2]] = totals.get(segment[2], Fraction(0)) + length(segment)
    return totals


def rand_over_units(a: list[Segment], b: list[Segment]) -> tuple[int, int, int, int, int]:
    """Return the pairs of units that both join, that a joins, that b joins, that are treated alike, and all of them."""
    n = int(a[-1][1])

    def classes(segments: list[Segment]) -> list[Hashable]:
        return [next(name for start, end, name in segments if start <= i < end) for i in range(n)]

    x, y = classes(a), classes(b)
    pairs = [(x[i] == x[j], y[i] == y[j]) for i, j in combinations(range(n), 2)]
    both = sum(p and q for p, q in pairs)
    return both, sum(p for p, _ in pairs), sum(q for _, q in pairs), sum(p == q for p, q in pairs), len(pairs)


def adjusted_rand(both: float, rows: float, columns: float, every: float) -> float:
    expected = Fraction(rows) * Fraction(columns) / Fraction(every) if every else Fraction(0)
    largest = Fraction(rows + columns) / 2
    return 1.0 if largest == expected else float((both - expected) / (largest - expected))


def squares(a: list[Segment], b: list[Segment]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the product measure of common classes, of classes of a, of classes of b and of everything."""
    total = sum(map(length, a))
    tables = (common(a, b), by_class(a), by_class(b))
    return (*(sum((x * x for x in table.values()), Fraction(0)) for table in tables), total * total)


def entropies(a: list[Segment], b: list[Segment]) -> tuple[float, float, float, float]:
    """Return H(b | a), H(b), H(a | b) and H(a) in bits."""
    table, rows, columns = common(a, b), by_class(a), by_class(b)
    total = float(sum(map(length, a)))
    b_given_a = sum(float(x) / total * log2(rows[i] / x) for (i, _), x in table.items())
    a_given_b = sum(float(x) / total * log2(columns[j] / x) for (_, j), x in table.items())
    own = [sum(float(x) / total * log2(total / x) for x in side.values()) for side in (columns, rows)]
    return b_given_a, own[0], a_given_b, own[1]
