"""A good alignment and a lower bound for so many annotators, or so much overlap, that an exact search would not end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, count
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.assignment import pair_rows
from caesura.kernels.regroup import group_units
from caesura.kernels.unitary import QUANTUM
from caesura.model.index import argsort, bincount, flatnonzero, nonzero
from caesura.model.value import Floats

if TYPE_CHECKING:
    from caesura.agreement.unitary import Alignments, Dissimilarity, UnitTable

# Largest number of units whose distances are kept as a matrix.
MAX_MATRIX = 1000
# Number of searches for a good alignment.
STARTS = 4
_STEPS = 10_000_000
_STEPS_PER_UNIT = 10_000
_MOST_HALVES = 1000
_WORK_PER_PAIR = 100
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


def distances(table: UnitTable, how: Dissimilarity, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return d of all units ``first`` (rows) and ``second`` (columns), in multiples of delta_empty."""
    start, end = table.start, table.end
    moved = np.abs(start[first, None] - start[second]) + np.abs(end[first, None] - end[second])
    length = (end - start)[first, None] + (end - start)[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(moved == 0, 0.0, moved / length)
    categories = table.category[first, None], table.category[second]
    kinds = how.distance[categories] if len(how.distance) else categories[0] != categories[1]
    return np.minimum(how.alpha * ratio**2 + how.beta * kinds, _INFINITE)


def improve_alignment(
    table: UnitTable, how: Dissimilarity, *, starts: int = STARTS, steps: int | None = None
) -> tuple[list[list[int]], int]:
    """Return the unitary alignments of a good alignment, as sorted lists of units, and the work that they took."""
    # The search of ``kernels.regroup`` begins several times, with another annotator first each time.
    annotators = np.arange(table.annotators)
    starts = min(starts, table.annotators)
    orders = [np.roll(annotators, -(table.annotators * k // starts)) for k in range(starts)]
    groups, work = group_units(
        table.start,
        table.end,
        table.category,
        table.annotator,
        table.annotators,
        how.alpha,
        how.beta,
        how.distance,
        orders,
        max(_STEPS, _STEPS_PER_UNIT * len(table)) if steps is None else steps,
    )
    order = argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(bincount(groups))[:-1])
    return sorted(part.tolist() for part in parts), work


def lower_bound(
    table: UnitTable, how: Dissimilarity, align: Callable[[UnitTable, Dissimilarity], Alignments]
) -> tuple[float, int]:
    """Return a lower bound of the total cost of every alignment, in multiples of delta_empty, and the work that it took."""
    # An alignment of M unitary alignments costs C2 M plus the sum of d - 1 over all aligned pairs, in multiples of delta_empty
    # / C2. Divide the pairs of annotators among sets of annotators, each pair into one set. For every set, the alignment
    # without the other annotators has at most M unitary alignments, and it costs at least as much as the best alignment of the
    # set. The sum over the sets is therefore a lower bound. Another one is C2 times the number of units of the annotator with
    # the most units, plus the smallest sum of d - 1 for each pair of annotators.
    if table.annotators == 2:
        return half_bound(table, how), len(table) ** 2
    blocks = pair_cover(table.annotators) if table.annotators > 3 else tuple(combinations(range(3), 2))
    sizes = sorted({len(block) for block in blocks})
    costs, work = [], 0
    for size in sizes:
        part = _select(table, [block for block in blocks if len(block) == size])
        alignments = align(part, how)
        costs += (alignments.bound * (size * (size - 1) // 2)).tolist()
        work += int(alignments.work.sum())
    pairs = table.annotators * (table.annotators - 1) // 2
    bound = fsum(costs) / pairs
    if len(table) <= MAX_MATRIX:
        bound = max(bound, pairwise_bound(table, how))
        work += _WORK_PER_PAIR * len(table) ** 2
    return bound, work


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
    if len(table) > _MOST_HALVES:
        return 0.0
    smallest = np.full(len(table), 2.0)
    units = [flatnonzero(table.annotator == a) for a in range(2)]
    for own, others in (units, units[::-1]):
        for unit in own.tolist() if len(others) else []:
            smallest[unit] = min(2.0, distances(table, how, np.array([unit]), others).min())
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
