"""A good alignment and a lower bound for so many annotators that an exact search would not end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.assignment import pair_rows
from caesura.kernels.unitary import QUANTUM
from caesura.model.value import Floats

if TYPE_CHECKING:
    from caesura.measures.unitary import Dissimilarity, UnitTable

MAX_SWEEPS = 20
MAX_MATRIX = 2000
"""Largest number of units whose distances are kept as a matrix."""
_INFINITE = 1e9


def distances(table: UnitTable, how: Dissimilarity, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return d of all units ``first`` (rows) and ``second`` (columns), in multiples of delta_empty.

    Parameters
    ----------
    table : UnitTable
        The units.
    how : Dissimilarity
        How units are compared.
    first, second : ndarray of int
        Units of the table.

    Returns
    -------
    ndarray of float64, shape (len(first), len(second))
    """
    start, end = table.start, table.end
    moved = np.abs(start[first, None] - start[second]) + np.abs(end[first, None] - end[second])
    length = (end - start)[first, None] + (end - start)[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(moved == 0, 0.0, moved / length)
    kinds = how.distance[table.category[first, None], table.category[second]]
    return np.minimum(how.alpha * ratio**2 + how.beta * kinds, _INFINITE)


class AllDistances:
    """d of all pairs of units, as a matrix if the units are few.

    Parameters
    ----------
    table : UnitTable
        The units.
    how : Dissimilarity
        How units are compared.
    """

    def __init__(self, table: UnitTable, how: Dissimilarity) -> None:
        self.table, self.how = table, how
        everything = np.arange(len(table))
        self.matrix = distances(table, how, everything, everything) if len(table) <= MAX_MATRIX else None

    def block(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        """Return d of all units ``first`` (rows) and ``second`` (columns).

        Parameters
        ----------
        first, second : ndarray of int
            Units of the table.

        Returns
        -------
        ndarray of float64, shape (len(first), len(second))
        """
        if self.matrix is None:
            return distances(self.table, self.how, first, second)
        return np.asarray(self.matrix[first[:, None], second])


def pairwise_bound(table: UnitTable, known: AllDistances) -> float:
    """Return a lower bound of the total cost of every alignment, in multiples of delta_empty.

    Parameters
    ----------
    table : UnitTable
        The units.
    known : AllDistances
        Their distances.

    Returns
    -------
    float

    Notes
    -----
    An alignment of M unitary alignments costs M plus the sum of (d - 1) / C2 over all aligned pairs. M is at least the
    number of units of the annotator with the most units. For each pair of annotators, the sum of d - 1 is at least that of
    their best pairing.
    """
    n = table.annotators
    units = [np.flatnonzero(table.annotator == a) for a in range(n)]
    savings = 0
    for a in range(n):
        for b in range(a + 1, n):
            if len(units[a]) and len(units[b]):
                savings += _pairing(known.block(units[a], units[b]) - 1)[1]
    return float(max(max(len(group) for group in units) + savings / QUANTUM / (n * (n - 1) / 2), 0.0))


def _pairing(gain: Floats) -> tuple[NDArray[np.int64], int]:
    """Return the column of each row (or -1) that minimizes the sum of ``gain``, and that sum in quanta."""
    rows, columns = np.nonzero(gain <= 0)
    begin = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(gain)))))
    cost = -np.rint(-gain[rows, columns] * QUANTUM).astype(np.int64)
    column = columns.astype(np.int32)
    edge, u, v = pair_rows(gain.shape[1], begin, column, cost)
    partner = np.full(len(gain), -1)
    partner[edge >= 0] = column[edge[edge >= 0]]
    return partner, int(u.sum() + v.sum())


def improve_alignment(table: UnitTable, known: AllDistances) -> list[list[int]]:
    """Return the unitary alignments of a good alignment, as sorted lists of units.

    Parameters
    ----------
    table : UnitTable
        The units.
    known : AllDistances
        Their distances.

    Returns
    -------
    list of list of int

    Notes
    -----
    One annotator after the other is taken out of the alignment and put back by the best pairing of the annotator's units
    with the unitary alignments of the others, until nothing changes.
    """
    groups: list[list[int]] = []
    owner = table.annotator.tolist()
    units = [np.flatnonzero(table.annotator == a) for a in range(table.annotators)]
    for _ in range(MAX_SWEEPS):
        before = sorted(groups)
        for a, own in enumerate(units):
            groups = [group for group in ([u for u in group if owner[u] != a] for group in groups) if group]
            groups = _join(table, known, groups, own)
        if sorted(groups) == before:
            break
    return [sorted(group) for group in groups]


def _join(table: UnitTable, known: AllDistances, groups: list[list[int]], own: NDArray[np.int64]) -> list[list[int]]:
    """Add the units of one annotator to the groups of the others, or each as a new group, at the smallest cost."""
    if not len(own) or not groups:
        return groups + [[int(u)] for u in own]
    pairs = table.annotators * (table.annotators - 1) / 2
    # The cost of a unit in a group is the sum of (d - 1) / C2; alone it is 1.
    members = np.array([unit for group in groups for unit in group])
    begin = np.cumsum([0, *(len(group) for group in groups[:-1])])
    gain = np.add.reduceat(known.block(own, members) - 1, begin, axis=1) / pairs - 1
    partner, _ = _pairing(gain)
    joined = [list(group) for group in groups]
    for unit, place in zip(own.tolist(), partner.tolist(), strict=True):
        if place >= 0:
            joined[place].append(unit)
        else:
            joined.append([unit])
    return joined
