"""Best alignment of the units of two or more annotators (Mathet, Widlöcher & Métivier 2015): arrays in, alignment out.

A unitary alignment has at most one unit of each annotator. It costs the mean of d over all pairs of annotators, where d is
delta_empty for a pair without two units. An alignment contains every unit once; the best one has the smallest total cost.

How it is found, always the exact minimum:

1. :func:`caesura.kernels.unitary.enumerate_tuples` lists the unitary alignments that no division beats.
2. Prices per unit give a lower bound. For two annotators they come from the assignment problem and are exact; for more, from
   coordinate ascent, and in hard cases from a linear program over the most promising unitary alignments.
3. :func:`caesura.kernels.alignment.cheapest_alignment` combines unitary alignments, and leaves every combination
   that exceeds the lower bound by more than a known alignment does.

If this takes more work than allowed, the result is an alignment with ``proved=False`` and the lower bound that was reached.

Among alignments whose costs differ by less than 1e-9 delta_empty, the choice is: fewest unitary alignments, then the smallest
numerator of delta_cat, then the order of the units (by middle, start and annotator).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.alignment import cheapest_alignment
from caesura.kernels.assignment import pair_rows
from caesura.kernels.unitary import QUANTUM, enumerate_tuples, pair_terms, raise_prices
from caesura.measures.unitary_search import improve_alignment, pairwise_bound
from caesura.model.value import Floats

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]

MAX_TUPLES = 400_000
MAX_PAIRS = 4_000_000
"""Largest number of unitary alignments of three or more annotators, and of two."""
MAX_STEPS = 100_000_000
MANY_ANNOTATORS = 7
"""From this number of annotators on, the search begins with a good alignment and a simple bound, which may prove it."""
_ROUNDS = 30
_BEAM = 32
_FIRST_WORK = 4_000_000
_WORK = 60_000_000
_PROGRAMS = 4
"""Number of linear programs, each with more unitary alignments than the one before."""
_PROMISING = 0.3
"""Largest reduced cost, in multiples of delta_empty, of the unitary alignments in the first linear program."""
_TOLERANCE = 1024
_ANY = -1


@dataclass(frozen=True)
class Dissimilarity:
    """How much two units differ: ``alpha`` d_pos + ``beta`` d_cat, in multiples of delta_empty.

    Parameters
    ----------
    alpha, beta : float
        Weights of position and category.
    distance : ndarray of float, shape (categories, categories)
        Distance of two categories, from 0 to 1.
    """

    alpha: float
    beta: float
    distance: Floats


@dataclass(frozen=True)
class UnitTable:
    """The units of all annotators of one item, in the order of their middles.

    Attributes
    ----------
    start, end : ndarray of float64
        Positions.
    category, annotator : ndarray of int32
        Codes from 0.
    annotators : int
        Number of annotators; some may have no units.
    index : ndarray of int64
        Place of each unit in the arrays that the table was built from.
    """

    start: Floats
    end: Floats
    category: Codes
    annotator: Codes
    annotators: int
    index: Counts

    @classmethod
    def build(
        cls,
        start: Floats,
        end: Floats,
        category: Sequence[int] | Codes,
        annotator: Sequence[int] | Codes,
        annotators: int,
    ) -> UnitTable:
        """Return the table of the given units, sorted.

        Parameters
        ----------
        start, end : ndarray of float64
            Positions, one entry per unit.
        category, annotator : sequence of int
            Codes of category and annotator.
        annotators : int
            Number of annotators.

        Returns
        -------
        UnitTable
        """
        categories, owners = np.asarray(category, np.int32), np.asarray(annotator, np.int32)
        order = np.lexsort((categories, owners, start, start + end))
        return cls(
            np.ascontiguousarray(start[order]),
            np.ascontiguousarray(end[order]),
            np.ascontiguousarray(categories[order]),
            np.ascontiguousarray(owners[order]),
            annotators,
            order,
        )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def mean_units(self) -> float:
        """Mean number of units per annotator."""
        return len(self) / self.annotators

    @cached_property
    def twin(self) -> Codes:
        """For each unit, the previous identical unit of the same annotator; -1 if there is none."""
        twin = np.full(len(self), -1, np.int32)
        if len(self) < 2:
            return twin
        order = np.lexsort((self.category, self.end, self.start, self.annotator))
        columns = (self.annotator, self.start, self.end, self.category)
        same = np.logical_and.reduce([column[order[1:]] == column[order[:-1]] for column in columns])
        twin[order[1:][same]] = order[:-1][same]
        return twin


@dataclass(frozen=True)
class BestAlignment:
    """The best alignment of a table of units.

    Attributes
    ----------
    table : UnitTable
        The units.
    dissimilarity : Dissimilarity
        How units were compared.
    begin, members : ndarray
        Unitary alignment t has the units members[begin[t]:begin[t + 1]] of the table.
    proved : bool
        Whether no alignment has a smaller cost.
    bound : float
        Lower bound of the total cost, in multiples of delta_empty; the total cost itself if it is proved.
    unique : bool or None
        Whether no other alignment has the same cost; None if this is unknown. Alignments in which two identical units of
        one annotator exchange their partners count as different.
    """

    table: UnitTable
    dissimilarity: Dissimilarity
    begin: Counts
    members: Codes
    proved: bool
    bound: float
    unique: bool | None

    @cached_property
    def pairs(self) -> AlignedPairs:
        """Terms of the disorder, one per unitary alignment and one per pair of units in it."""
        table, how = self.table, self.dissimilarity
        terms = pair_terms(
            self.begin, self.members, table.start, table.end, table.category, table.annotators,
            how.alpha, how.beta, how.distance,
        )  # fmt: skip
        return AlignedPairs(*terms)

    @cached_property
    def cost(self) -> float:
        """Total cost, in multiples of delta_empty."""
        return fsum(self.pairs.cost)

    def __iter__(self) -> Iterator[list[int]]:
        """Iterate over the unitary alignments, as lists of units of the table."""
        members = self.members.tolist()
        bounds = self.begin.tolist()
        return (members[first:last] for first, last in pairwise(bounds))


@dataclass(frozen=True)
class AlignedPairs:
    """Terms of an alignment, in multiples of delta_empty.

    Attributes
    ----------
    cost : ndarray of float64
        Cost of each unitary alignment.
    owner, first, second : ndarray of int64
        For each pair of aligned units: the unitary alignment, and the two units.
    position, distance : ndarray of float64
        d_pos and category distance of each pair.
    """

    cost: Floats
    owner: Counts
    first: Counts
    second: Counts
    position: Floats
    distance: Floats


@dataclass(frozen=True)
class _Tuples:
    """Unitary alignments that may be needed, with costs in quanta times the number of pairs of annotators."""

    begin: Counts
    members: Codes
    cost: Counts
    category: Counts

    @property
    def sizes(self) -> Counts:
        return np.diff(self.begin)

    def select(self, chosen: NDArray[np.bool_]) -> _Tuples:
        """Return the chosen unitary alignments."""
        sizes = self.sizes
        begin = np.concatenate(([0], np.cumsum(sizes[chosen])))
        return _Tuples(begin, self.members[np.repeat(chosen, sizes)], self.cost[chosen], self.category[chosen])

    def take(self, indices: Counts) -> tuple[Counts, Codes]:
        """Return (begin, members) of the unitary alignments with these indices."""
        chosen = np.zeros(len(self.cost), bool)
        chosen[indices] = True
        subset = self.select(chosen)
        return subset.begin, subset.members

    def reduce(self, prices: Counts) -> Counts:
        """Return the reduced costs."""
        return self.cost - np.add.reduceat(prices[self.members], self.begin[:-1])


@dataclass
class _Solution:
    """The best alignment so far, as indices of unitary alignments."""

    chosen: Counts
    cost: int
    unique: bool | None = None
    proved: bool = False


def best_alignment(table: UnitTable, dissimilarity: Dissimilarity, *, effort: float = 1.0) -> BestAlignment:
    """Return the alignment with the smallest total cost.

    Parameters
    ----------
    table : UnitTable
        Units of two or more annotators.
    dissimilarity : Dissimilarity
        How units are compared; ``alpha`` is above 0.
    effort : float, default 1.0
        Factor of the largest amount of work after which the search ends without proof.

    Returns
    -------
    BestAlignment
        With ``proved=False`` if the search took too much work.
    """
    if len(table) == 0:
        return BestAlignment(table, dissimilarity, np.zeros(1, np.int64), np.zeros(0, np.int32), True, 0.0, True)
    approximate = _approximate(table, dissimilarity) if table.annotators >= MANY_ANNOTATORS else None
    if approximate is not None and approximate.proved:
        return approximate
    limit = MAX_TUPLES if table.annotators > 2 else MAX_PAIRS
    begin, members, cost, category, complete = enumerate_tuples(
        table.start, table.end, table.category, table.annotator, table.annotators,
        dissimilarity.alpha, dissimilarity.beta, dissimilarity.distance,
        int(limit * effort), int(MAX_STEPS * effort),
    )  # fmt: skip
    if not complete:
        return approximate or _approximate(table, dissimilarity)
    return _Search(table, dissimilarity, _Tuples(begin, members, cost, category), effort).run()


class _Search:
    """Exact search over enumerated unitary alignments."""

    def __init__(self, table: UnitTable, dissimilarity: Dissimilarity, tuples: _Tuples, effort: float) -> None:
        self.table = table
        self.dissimilarity = dissimilarity
        self.tuples = tuples
        self.effort = effort
        self.bound = 0  # lower bound, in the scale of the costs
        self.best: _Solution | None = None

    def run(self) -> BestAlignment:
        if self.table.annotators == 2:
            self._search(self._assign(), _WORK)
        else:
            self._by_prices()
        if self.best is None:  # the beam always leaves an alignment
            raise AssertionError("no alignment")
        begin, members = self.tuples.take(self.best.chosen)
        scale = QUANTUM * self.table.annotators * (self.table.annotators - 1) // 2
        alignment = BestAlignment(
            self.table, self.dissimilarity, begin, members, self.best.proved, self.bound / scale, self.best.unique
        )
        return alignment if not self.best.proved else _with_bound(alignment)

    def _assign(self) -> Counts:
        """Return exact prices for two annotators, and keep the assignment as the best alignment."""
        tuples, size = self.tuples, len(self.table)
        pairs = np.flatnonzero(tuples.sizes == 2)
        first = tuples.members[tuples.begin[pairs]]
        second = tuples.members[tuples.begin[pairs] + 1]
        swap = self.table.annotator[first] == 1
        row, column = np.where(swap, second, first), np.where(swap, first, second)
        order = np.argsort(row, kind="stable")
        rows = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=size))))
        edge, u, v = pair_rows(size, rows, column[order], tuples.cost[pairs][order] - 2 * QUANTUM)
        prices = QUANTUM + u + v
        used = pairs[order[edge[edge >= 0]]]
        covered = np.zeros(size, bool)
        covered[first[np.isin(pairs, used)]] = covered[second[np.isin(pairs, used)]] = True
        singles = np.flatnonzero(tuples.sizes == 1)
        self.bound = int(prices.sum())
        self.best = _Solution(np.sort(np.concatenate((used, singles[~covered]))), self.bound, proved=True)
        return prices

    def _by_prices(self) -> None:
        """Search with prices from coordinate ascent, then with prices from linear programs."""
        prices, reduced = self._raise_prices(_ROUNDS)
        if self._beam(reduced):
            return
        if self._search(prices, _FIRST_WORK):
            return
        promising = self.tuples.sizes == 1
        promising |= reduced <= _PROMISING * QUANTUM * self.table.annotators * (self.table.annotators - 1) / 2
        for attempt in range(_PROGRAMS):
            dual = self._linear_program(promising)
            promising |= self.tuples.reduce(dual) < 0
            prices, reduced = self._raise_prices(_ROUNDS, dual)
            if self._beam(reduced) or self._search(prices, _WORK if attempt == _PROGRAMS - 1 else _WORK // 6):
                return

    def _raise_prices(self, rounds: int, known: Counts | None = None) -> tuple[Counts, Counts]:
        tuples = self.tuples
        prices, reduced = raise_prices(len(self.table), tuples.begin, tuples.members, tuples.cost, rounds, known)
        self.bound = max(self.bound, int(prices.sum()))
        return prices, reduced

    def _beam(self, reduced: Counts) -> bool:
        """Search along a beam, and return whether nothing was left out."""
        tuples = self.tuples
        chosen, _, ties, truncated = cheapest_alignment(
            len(self.table), tuples.begin, tuples.members, reduced, tuples.category, self.table.twin,
            _ANY, _BEAM, int(1e15),
        )  # fmt: skip
        if chosen is None:
            raise AssertionError("a beam always reaches the end")
        self._offer(_Solution(chosen, int(tuples.cost[chosen].sum()), not ties, not truncated))
        return not truncated

    def _search(self, prices: Counts, work: int) -> bool:
        """Search everything within the gap between the best alignment and the bound of these prices."""
        if self.best is None:
            raise AssertionError("a search needs an alignment to compare with")
        reduced = self.tuples.reduce(prices)
        gap = self.best.cost - int(prices.sum())
        promising = reduced <= gap + _TOLERANCE
        rest = self.tuples.select(promising)
        chosen, _, ties, _ = cheapest_alignment(
            len(self.table), rest.begin, rest.members, reduced[promising], rest.category, self.table.twin,
            gap, 1 << 60, int(work * self.effort),
        )  # fmt: skip
        if chosen is None:
            return False
        self.best = _Solution(np.flatnonzero(promising)[chosen], int(rest.cost[chosen].sum()), not ties, proved=True)
        return True

    def _offer(self, solution: _Solution) -> None:
        if self.best is None or solution.proved or solution.cost < self.best.cost:
            self.best = solution

    def _linear_program(self, promising: NDArray[np.bool_]) -> Counts:
        """Return the dual prices of the linear program over some of the unitary alignments."""
        from scipy.optimize import linprog
        from scipy.sparse import csc_matrix

        rest = self.tuples.select(promising)
        size = len(self.table)
        scale = float(QUANTUM)
        shape = (size, len(rest.cost))
        matrix = csc_matrix((np.ones(len(rest.members)), rest.members, rest.begin), shape=shape)
        result = linprog(rest.cost / scale, A_eq=matrix, b_eq=np.ones(size), method="highs-ds")  # type: ignore[call-overload]
        return np.asarray(np.rint(result.eqlin.marginals * scale), np.int64)


def _with_bound(alignment: BestAlignment) -> BestAlignment:
    """Return the proved alignment with its own cost as the bound."""
    fields = (alignment.table, alignment.dissimilarity, alignment.begin, alignment.members)
    return BestAlignment(*fields, True, alignment.cost, alignment.unique)


def _approximate(table: UnitTable, dissimilarity: Dissimilarity) -> BestAlignment:
    """Return a good alignment of too many annotators for an exact search, and a lower bound from all pairs of them."""
    groups = improve_alignment(table, dissimilarity)
    groups.sort()
    begin = np.concatenate(([0], np.cumsum([len(group) for group in groups])))
    members = np.array([unit for group in groups for unit in group], np.int32)
    bound = pairwise_bound(table, dissimilarity)
    alignment = BestAlignment(table, dissimilarity, begin, members, False, bound, None)
    if alignment.cost <= bound + 1e-9:
        return BestAlignment(table, dissimilarity, begin, members, True, alignment.cost, None)
    return alignment
