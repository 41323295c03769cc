"""Lower bound of the cost of an alignment of so many annotators, or with so much overlap, that an exact search would not end.

An alignment of M unitary alignments costs C2 M plus the sum of d - 1 over all aligned pairs, in multiples of delta_empty / C2.
Divide the pairs of annotators among sets of annotators, each pair into one set. For every set, the alignment without the other
annotators has at most M unitary alignments, and it costs at least as much as the best alignment of the set. The sum over the
sets is therefore a lower bound. Another one is C2 times the number of units of the annotator with the most units, plus the
smallest sum of d - 1 for each pair of annotators.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, count
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from caesura.kernels.assignment import pair_rows
from caesura.kernels.unitary import QUANTUM
from caesura.model.index import argsort, bincount, flatnonzero, nonzero
from caesura.model.value import Floats, Ints

if TYPE_CHECKING:
    from caesura.agreement.unitary import Alignments, Dissimilarity, UnitTable

# Largest number of units whose distances are kept as a matrix.
_MAX_MATRIX = 1000
_INFINITE = 1e9
_MAX_BLOCK = 6  # annotators of a set whose pairs are aligned together
# Perfect difference sets (Singer 1938): every number from 1 to v - 1 is the difference of one pair, modulo v.
_DIFFERENCES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (7, (0, 1, 3)),
    (13, (0, 1, 3, 9)),
    (21, (0, 1, 4, 14, 16)),
    (31, (0, 1, 3, 8, 12, 18)),
)

Blocks = tuple[tuple[int, ...], ...]


def lower_bound(table: UnitTable, how: Dissimilarity, align: Callable[[UnitTable, Dissimilarity], Alignments]) -> float:
    """Return a lower bound of the total cost of every alignment of the only sample, in multiples of delta_empty."""
    if table.annotators == 2:
        return half_bound(table, how)
    blocks = pair_cover(table.annotators) if table.annotators > 3 else tuple(combinations(range(3), 2))
    costs: list[float] = []
    for size in sorted({len(block) for block in blocks}):
        alignments = align(_select(table, [block for block in blocks if len(block) == size]), how)
        costs += (alignments.bound * (size * (size - 1) // 2)).tolist()
    bound = fsum(costs) / (table.annotators * (table.annotators - 1) // 2)
    return max(bound, pairwise_bound(table, how)) if len(table) <= _MAX_MATRIX else bound


def distances(table: UnitTable, how: Dissimilarity, first: Ints, second: Ints) -> Floats:
    """Return d of all units ``first`` (rows) and ``second`` (columns), in multiples of delta_empty."""
    start, end = table.start, table.end
    moved = np.abs(start[first, None] - start[second]) + np.abs(end[first, None] - end[second])
    length = (end - start)[first, None] + (end - start)[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(moved == 0, 0.0, moved / length)
    categories = table.category[first, None], table.category[second]
    kinds = how.distance[categories] if len(how.distance) else categories[0] != categories[1]
    return np.minimum(how.alpha * ratio**2 + how.beta * kinds, _INFINITE)


def _select(table: UnitTable, blocks: list[tuple[int, ...]]) -> UnitTable:
    """Return a table with one sample per set of annotators."""
    place = np.full((len(blocks), table.annotators), -1, np.int32)
    for k, block in enumerate(blocks):
        place[k, list(block)] = np.arange(len(block))
    owners = place[:, table.annotator]
    sample, unit = nonzero(owners >= 0)
    columns = (table.start[unit], table.end[unit], table.category[unit], owners[sample, unit])
    return table.build(*columns, len(blocks[0]), bincount(sample, minlength=len(blocks)))


def half_bound(table: UnitTable, how: Dissimilarity) -> float:
    """Return a lower bound for two annotators: every unit costs 1, or half of its smallest d."""
    if len(table) > _MAX_MATRIX:
        return 0.0
    smallest = np.full(len(table), 2.0)
    units = [flatnonzero(table.annotator == a) for a in range(2)]
    for own, others in (units, units[::-1]):
        if len(others):
            smallest[own] = np.minimum(2.0, distances(table, how, own, others).min(axis=1))
    return fsum(smallest / 2)


def pairwise_bound(table: UnitTable, how: Dissimilarity) -> float:
    """Return the lower bound from all pairs of annotators, in multiples of delta_empty."""
    n, everything = table.annotators, np.arange(len(table))
    gain = distances(table, how, everything, everything) - 1
    first, second = nonzero((gain <= 0) & (table.annotator[:, None] < table.annotator))
    # All pairs of annotators are one assignment problem: a unit has one row or column for each other annotator.
    row, column = first * n + table.annotator[second], second * n + table.annotator[first]
    order = argsort(row, kind="stable")
    begin = np.concatenate(([0], np.cumsum(bincount(row, minlength=n * len(table)))))
    cost = -np.rint(-gain[first, second] * QUANTUM).astype(np.int64)
    _, u, v = pair_rows(n * len(table), begin, column[order].astype(np.int32), cost[order])
    most = int(bincount(table.annotator, minlength=n).max())
    return float(max(most + (int(u.sum()) + int(v.sum())) / QUANTUM / (n * (n - 1) / 2), 0.0))


@cache
def pair_cover(annotators: int) -> Blocks:
    """Return sets of at most six annotators, each pair of annotators in exactly one of them."""
    # The sets are the lines of a finite plane without the points above the number of annotators: a cyclic projective plane for
    # up to 31 annotators, an affine plane of prime order for more. Lines with more than six points are divided in the same way.
    if annotators <= 3:
        return (tuple(range(annotators)),)
    for points, differences in _DIFFERENCES:
        if annotators <= points:
            lines = [sorted((first + step) % points for step in differences) for first in range(points)]
            return _without(lines, annotators)
    order = next(p for p in count(6) if p * p >= annotators and all(p % d for d in range(2, p)))
    lines = [
        [x * order + (slope * x + y) % order for x in range(order)] for slope in range(order) for y in range(order)
    ]
    lines += [[x * order + y for y in range(order)] for x in range(order)]
    return tuple(
        tuple(line[place] for place in part)
        for line in _without(lines, annotators)
        for part in (pair_cover(len(line)) if len(line) > _MAX_BLOCK else (tuple(range(len(line))),))
    )


def _without(lines: list[list[int]], annotators: int) -> Blocks:
    """Return the lines without points above the number of annotators, if two or more are left."""
    kept = (tuple(point for point in sorted(line) if point < annotators) for line in lines)
    return tuple(line for line in kept if len(line) > 1)
