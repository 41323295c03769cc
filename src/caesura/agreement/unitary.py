"""Best alignment of the units of two or more annotators (Mathet, Widlöcher & Métivier 2015): arrays in, alignment out.

A unitary alignment has at most one unit of each annotator. It costs the mean of d over all pairs of annotators, where d is
delta_empty for a pair without two units. An alignment contains every unit once; the best one has the smallest total cost.

The search finds the exact minimum in these steps:

1. :func:`caesura.kernels.unitary.enumerate_tuples` lists the unitary alignments that cannot be divided into cheaper ones.
2. :func:`caesura.kernels.alignment.cheapest_alignment` combines them, for each run of units that none of them crosses. Most
   runs need only a few states and are done.
3. For the other runs, prices per unit give a lower bound. For two annotators they come from the assignment problem and are
   exact; for more, from coordinate ascent, and in hard cases from a linear program over the most promising unitary
   alignments. The combination then discards everything that exceeds the lower bound by more than a known alignment does.

If there are too many unitary alignments, or too many annotators, :func:`caesura.kernels.regroup.group_units` finds a good
alignment, and :mod:`caesura.agreement.unitary_bound` a lower bound, which may prove it. An alignment without proof has
``proved=False``.

Expected agreement needs many small samples, so a table may have the units of several samples, and each step processes all
of them at once. The alignment of a sample is the same, to the last bit, as that of the sample alone.

Among alignments whose costs differ by less than 1e-9 delta_empty, the choice is: fewest unitary alignments, then the smallest
numerator of delta_cat, then the order of the units (by middle, start and annotator).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitary_bound import lower_bound
from caesura.kernels.alignment import cheapest_alignment
from caesura.kernels.assignment import pair_rows
from caesura.kernels.regroup import group_units
from caesura.kernels.sums import sum_groups
from caesura.kernels.unitary import QUANTUM, enumerate_tuples, pair_terms, raise_prices, split_samples
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, nonzero, repeat, searchsorted
from caesura.model.value import Floats

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

# From this number of annotators on, the search begins with a good alignment and a simple bound, which may prove it.
MANY_ANNOTATORS = 7
# Effort of the exact search that follows, and by how much it is divided for each further annotator.
_MANY_EFFORT, _GROWTH = 0.6, 4
_BLOCK_EFFORT = 0.02  # for each set of annotators in a lower bound
# Numbers of unitary alignments (of a pair of annotators; of more; per unit) and of steps above which an item is not searched
# exactly.
_MOST_PAIRS, _MOST_TUPLES, _TUPLES_PER_UNIT, _MOST_STEPS = 2_000_000, 400_000, 1000, 100_000_000
# Mark of samples of which it is unknown whether another alignment has the same cost.
UNKNOWN = -1
_STARTS, _STEPS, _STEPS_PER_UNIT = 4, 10_000_000, 10_000
_ROUNDS = 30
_BEAM = 32
_MAX_STATES = 500_000
_UNLIMITED = 1 << 60
# Combinations that a search tries: with prices from coordinate ascent, then with those from linear programs, the last of which
# decides. The first needs at least half of the effort, because it is cheaper than a linear program.
_FIRST_TRIALS, _TRIALS, _LAST_TRIALS, _LEAST_EFFORT = 4_000_000, 10_000_000, 60_000_000, 0.5
# Number of linear programs, each with more unitary alignments than the one before.
_PROGRAMS = 4
# Largest reduced cost, in multiples of delta_empty, of the unitary alignments in the first linear program.
_PROMISING = 0.3
# Largest number of unitary alignments in a linear program; those with the smallest reduced costs come first.
_MAX_COLUMNS, _COLUMNS_PER_UNIT = 40_000, 10
_TOLERANCE = 1024
_ANY, _SKIP = -1, -2


@dataclass(frozen=True)
class Dissimilarity:
    """How much two units differ: ``alpha`` d_pos + ``beta`` d_cat, in multiples of delta_empty."""

    # Weights of position and category.
    alpha: float
    beta: float
    # Distance of two categories, from 0 to 1. An array of shape (0, 0) stands for 0 if they are equal, else 1.
    distance: Floats


@dataclass(frozen=True)
class UnitTable:
    """The units of all annotators of an item, or of several samples of it, in the order of their middles."""

    start: Floats
    end: Floats
    category: Codes
    annotator: Codes
    annotators: int  # number of annotators; some may have no units
    index: Counts  # place of each unit in the arrays that the table was built from
    offset: Counts  # sample s has the units offset[s]:offset[s + 1]; an item alone is one sample

    @classmethod
    def build(
        cls,
        start: Floats,
        end: Floats,
        category: Sequence[int] | Codes,
        annotator: Sequence[int] | Codes,
        annotators: int,
        sizes: Counts | None = None,
    ) -> UnitTable:
        """Return the sorted table of some units."""
        categories, owners = np.asarray(category, np.int32), np.asarray(annotator, np.int32)
        sizes = np.array([len(start)]) if sizes is None else sizes
        sample, middle = repeat(np.arange(len(sizes)), sizes), start + end
        order = lexsort((middle, sample))
        if ((np.diff(middle[order]) == 0) & (np.diff(sample[order]) == 0)).any():
            order = lexsort((categories, owners, end, start, middle, sample))
        offset = np.concatenate(([0], np.cumsum(sizes)))
        return cls(start[order], end[order], categories[order], owners[order], annotators, order, offset)

    def sample(self, number: int) -> UnitTable:
        part = slice(self.offset[number], self.offset[number + 1])
        columns = (self.start[part], self.end[part], self.category[part], self.annotator[part])
        return UnitTable(*columns, self.annotators, self.index[part], np.array([0, part.stop - part.start]))

    @property
    def samples(self) -> int:
        return len(self.offset) - 1

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def twin(self) -> Codes:
        """For each unit, the previous identical unit of the same annotator; -1 if there is none."""
        twin = np.full(len(self), -1, np.int32)
        if len(self) < 2:
            return twin
        columns = (self.start, self.end, self.annotator, self.category)
        same = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        same[self.offset[(self.offset > 0) & (self.offset < len(self))] - 1] = False
        (twins,) = nonzero(same)
        twin[twins + 1] = twins
        return twin


class AlignedPairs(NamedTuple):
    """Terms of an alignment, in multiples of delta_empty."""

    cost: Floats  # cost of each unitary alignment
    # For each pair of aligned units: the unitary alignment, and the two units.
    owner: Counts
    first: Counts
    second: Counts
    # d_pos and category distance of each pair.
    position: Floats
    distance: Floats


@dataclass(frozen=True)
class Alignments:
    """The best alignment of each sample of a table of units."""

    table: UnitTable
    dissimilarity: Dissimilarity  # how units were compared
    label: Counts  # the first unit of the unitary alignment that each unit is in
    proved: Mask  # whether no alignment of the sample has a smaller cost
    # Lower bound of the cost of each sample, in multiples of delta_empty; the cost itself if it is proved.
    bound: Floats
    # Whether no other alignment of the sample has the same cost; -1 if this is unknown. Alignments in which two identical units
    # of one annotator exchange their partners count as different.
    unique: NDArray[np.int8]

    @cached_property
    def members(self) -> Codes:
        """The units of all unitary alignments, one after the other."""
        return np.asarray(argsort(self.label, kind="stable"), np.int32)

    @cached_property
    def begin(self) -> Counts:
        """Unitary alignment t has the units members[begin[t]:begin[t + 1]]."""
        return np.append(flatnonzero(np.diff(self.label[self.members], prepend=-1)), len(self.table))

    @cached_property
    def offset(self) -> Counts:
        """Sample s has the unitary alignments offset[s]:offset[s + 1]."""
        return searchsorted(self.label[self.members[self.begin[:-1]]], self.table.offset)

    @cached_property
    def sample(self) -> Counts:
        """The sample of each unitary alignment."""
        return repeat(np.arange(self.table.samples), np.diff(self.offset))

    @cached_property
    def pairs(self) -> AlignedPairs:
        """Terms of the disorder, one per unitary alignment and one per pair of units in it."""
        table, how = self.table, self.dissimilarity
        columns = (table.start, table.end, table.category, table.annotators, how.alpha, how.beta, how.distance)
        return AlignedPairs(*pair_terms(self.begin, self.members, *columns))

    @cached_property
    def cost(self) -> Floats:
        """Total cost of each sample, in multiples of delta_empty."""
        return sum_groups(self.pairs.cost, self.sample, self.table.samples)

    def of_sample(self, number: int = 0) -> list[list[int]]:
        """Return the unitary alignments of a sample, as lists of units of the table."""
        first, last = self.offset[number : number + 2].tolist()
        members = self.members.tolist()
        return [members[a:b] for a, b in pairwise(self.begin[first : last + 1].tolist())]


def best_alignments(table: UnitTable, how: Dissimilarity, *, effort: float = 1.0) -> Alignments:
    """Return the alignment with the smallest total cost for each sample of a table."""
    if table.annotators < MANY_ANNOTATORS:
        result, complete = _align_exactly(table, how, effort)
    else:
        result, complete = _each_alone(table, how), np.zeros(table.samples, bool)
        effort *= _MANY_EFFORT / _GROWTH ** (table.annotators - MANY_ANNOTATORS)
    parts = {}
    for number in flatnonzero(~complete).tolist():
        sample = table.sample(number)
        parts[number] = good = good_alignment(sample, how)
        if table.annotators >= MANY_ANNOTATORS and not good.proved[0]:
            exact, ended = _align_exactly(sample, how, effort)
            if ended[0] and (exact.proved[0] or exact.cost[0] <= good.cost[0]):
                parts[number] = exact
    return _replaced(result, parts)


def good_alignment(table: UnitTable, how: Dissimilarity) -> Alignments:
    """Return a good alignment of the only sample, and a lower bound, which may prove it."""
    bound = np.array([lower_bound(table, how, _align_blocks)])
    result = replace(_each_alone(table, how), label=improved_labels(table, how), bound=bound)
    proved = result.cost <= result.bound + 1e-9
    return replace(result, proved=proved, bound=np.where(proved, result.cost, result.bound))


def improved_labels(table: UnitTable, how: Dissimilarity) -> Counts:
    """Return the labels of a good alignment of the only sample, by the search of ``kernels.regroup``."""
    # It begins several times, with another annotator first each time.
    annotators, starts = np.arange(table.annotators), min(_STARTS, table.annotators)
    orders = [np.roll(annotators, -(table.annotators * k // starts)) for k in range(starts)]
    columns = (table.start, table.end, table.category, table.annotator, table.annotators)
    steps = max(_STEPS, _STEPS_PER_UNIT * len(table))
    groups, _ = group_units(*columns, how.alpha, how.beta, how.distance, orders, steps)
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(first[number], np.int64)


def _align_blocks(table: UnitTable, how: Dissimilarity) -> Alignments:
    """Return alignments of some of the annotators, of which only the bounds are needed."""
    result, complete = _align_exactly(table, how, _BLOCK_EFFORT)
    for number in flatnonzero(~complete).tolist():
        result.bound[number] = lower_bound(table.sample(number), how, _align_blocks)
    return result


def _each_alone(table: UnitTable, how: Dissimilarity) -> Alignments:
    """Return the alignments of every unit with itself alone."""
    samples = table.samples
    label, unique = np.arange(len(table)), np.full(samples, UNKNOWN, np.int8)
    return Alignments(table, how, label, np.zeros(samples, bool), np.zeros(samples), unique)


def _replaced(alignments: Alignments, parts: dict[int, Alignments]) -> Alignments:
    """Return alignments of which some samples have others."""
    if not parts:
        return alignments
    columns = {name: getattr(alignments, name).copy() for name in ("label", "proved", "bound", "unique")}
    for number, part in parts.items():
        first, last = alignments.table.offset[number : number + 2]
        columns["label"][first:last] = part.label + first
        for name in ("proved", "bound", "unique"):
            columns[name][number] = getattr(part, name)[0]
    return replace(alignments, **columns)


def _align_exactly(table: UnitTable, how: Dissimilarity, effort: float) -> tuple[Alignments, Mask]:
    """Return the best alignments by an exact search, and which samples did not have too many unitary alignments for it."""
    limits: tuple[int, ...] = (_MOST_PAIRS, 0, _MOST_STEPS)
    if table.annotators > 2:
        limits = (int(_MOST_TUPLES * effort), int(_TUPLES_PER_UNIT * effort), int(_MOST_STEPS * effort))
    columns = (table.start, table.end, table.category, table.annotator, table.offset, table.annotators)
    begin, members, cost, category, _, complete, _ = enumerate_tuples(
        *columns, how.alpha, how.beta, how.distance, *limits
    )
    # Runs of units that no unitary alignment crosses are searched each for itself, because the costs of runs add up.
    runs, units, tuples_of_run = split_samples(table.offset, begin, members)
    search = _ExactSearch(
        replace(table, offset=units), how, Tuples(begin, members, cost, category, tuples_of_run), effort
    )
    search.run()
    proved = _sums(~search.proved, runs) == 0
    unknown, ties = _sums(search.unique == UNKNOWN, runs) > 0, _sums(search.unique == 0, runs) > 0
    unique = np.where(unknown, UNKNOWN, ~ties).astype(np.int8)
    bound = _sums(search.bound, runs) / (QUANTUM * table.annotators * (table.annotators - 1) // 2)
    result = Alignments(table, how, search.label, proved, bound, unique)
    bound[proved] = result.cost[proved]
    return result, complete


def _sums(values: Counts, first: Counts) -> Counts:
    """Return the sums of values[first[k]:first[k + 1]]."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(sums[first[1:]] - sums[first[:-1]])


@dataclass(frozen=True)
class Tuples:
    """Unitary alignments that may be needed, with costs in quanta times the number of pairs of annotators."""

    # Unitary alignment t has the units members[begin[t]:begin[t + 1]].
    begin: Counts
    members: Codes
    # Cost, and numerator of delta_cat.
    cost: Counts
    category: Counts
    first: Counts  # run r has the unitary alignments first[r]:first[r + 1]

    @property
    def sizes(self) -> Counts:
        return np.diff(self.begin)

    @property
    def run(self) -> Counts:
        return repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def select(self, chosen: Mask) -> Tuples:
        sizes = self.sizes
        begin = np.concatenate(([0], np.cumsum(sizes[chosen])))
        members = self.members[repeat(chosen, sizes)]
        first = np.concatenate(([0], np.cumsum(chosen)))[self.first]
        return Tuples(begin, members, self.cost[chosen], self.category[chosen], first)

    def of_run(self, number: int, unit: int) -> Tuples:
        part = slice(self.first[number], self.first[number + 1])
        begin = self.begin[part.start : part.stop + 1]
        members = self.members[begin[0] : begin[-1]] - np.int32(unit)
        first = np.array([0, part.stop - part.start])
        return Tuples(begin - begin[0], members, self.cost[part], self.category[part], first)

    def reduce(self, prices: Counts) -> Counts:
        return self.cost - _sums(prices[self.members], self.begin)


class _ExactSearch:
    """Exact search over enumerated unitary alignments; every step serves all runs of units that still need it."""

    def __init__(self, table: UnitTable, how: Dissimilarity, tuples: Tuples, effort: float) -> None:
        self.table, self.how, self.tuples, self.effort = table, how, tuples, effort  # each sample of the table is a run
        self.run_of = tuples.run
        self.label = np.arange(len(table))
        self.cost = np.full(table.samples, np.iinfo(np.int64).max)
        self.bound = np.zeros(table.samples, np.int64)
        self.proved = np.zeros(table.samples, bool)
        self.unique = np.full(table.samples, UNKNOWN, np.int8)

    def run(self) -> None:
        """Find the best alignment of each run that has unitary alignments, or no units at all."""
        runs = (self.tuples.first[1:] > self.tuples.first[:-1]) | (self.table.offset[1:] == self.table.offset[:-1])
        narrow = self._combine(self.tuples, self.tuples.cost, np.where(runs, _ANY, _SKIP), max_states=_BEAM)
        self._keep(narrow, narrow.solved, self.tuples)
        rest = runs & ~narrow.solved
        if not rest.any():
            return
        if self.table.annotators == 2:
            self._search(rest, self._assign(rest), _LAST_TRIALS)
            return
        prices, reduced = self._raise_prices(rest)
        self._beam(rest, reduced)
        rest &= ~self._search(rest, prices, int(max(self.effort, _LEAST_EFFORT) * _FIRST_TRIALS))
        for number in flatnonzero(rest).tolist():
            self._run_programs(number, reduced)

    def _combine(
        self,
        tuples: Tuples,
        reduced: Counts,
        limit: Counts,
        *,
        beam: int = _UNLIMITED,
        max_states: int = _MAX_STATES,
        trials: int = _UNLIMITED,
    ) -> _Combined:
        """Return the cheapest unitary alignments that contain every unit of a run once."""
        table, columns = self.table, (tuples.begin, tuples.members, reduced, tuples.category)
        chosen, _, _, solved, ties, truncated, _ = cheapest_alignment(
            table.offset, *columns, table.twin, limit, beam, max_states, trials
        )
        used = np.zeros(len(tuples.cost), bool)
        used[chosen] = True
        return _Combined(used, _sums(tuples.cost * used, tuples.first), solved & (limit != _SKIP), ties, truncated)

    def _keep(self, found: _Combined, runs: Mask, tuples: Tuples) -> None:
        """Make the unitary alignments that were found the best alignments of some runs."""
        chosen = tuples.select(found.used & runs[tuples.run])
        self.label[chosen.members] = repeat(chosen.members[chosen.begin[:-1]], chosen.sizes)
        self.cost[runs], self.unique[runs], self.proved[runs] = (
            found.cost[runs],
            ~found.ties[runs],
            ~found.truncated[runs],
        )

    def _assign(self, runs: Mask) -> Counts:
        """Return exact prices for two annotators, and keep the assignment as the best alignment of some runs."""
        tuples, size = self.tuples, len(self.table)
        pairs = flatnonzero((tuples.sizes == 2) & runs[self.run_of])
        first = tuples.members[tuples.begin[pairs]]
        second = tuples.members[tuples.begin[pairs] + 1]
        swap = self.table.annotator[first] == 1
        row, column = np.where(swap, second, first), np.where(swap, first, second)
        order = argsort(row, kind="stable")
        rows = np.concatenate(([0], np.cumsum(bincount(row, minlength=size))))
        edge, u, v = pair_rows(size, rows, column[order], tuples.cost[pairs][order] - 2 * QUANTUM)
        prices = QUANTUM + u + v
        chosen = order[edge[edge >= 0]]
        self.label[second[chosen]] = first[chosen]
        self.cost[runs] = self.bound[runs] = _sums(prices, self.table.offset)[runs]
        self.proved[runs] = True
        return prices

    def _run_programs(self, number: int, reduced: Counts) -> None:
        """Search one run with prices from linear programs."""
        first, last = self.table.offset[number : number + 2]
        part = slice(self.tuples.first[number], self.tuples.first[number + 1])
        alone = _ExactSearch(self.table.sample(number), self.how, self.tuples.of_run(number, int(first)), self.effort)
        columns = ("cost", "bound", "proved", "unique")
        alone.label = self.label[first:last] - first
        for name in columns:
            getattr(alone, name)[0] = getattr(self, name)[number]
        alone.search_alone(reduced[part])
        self.label[first:last] = alone.label + first
        for name in columns:
            getattr(self, name)[number] = getattr(alone, name)[0]

    def search_alone(self, reduced: Counts) -> None:
        pairs, this = self.table.annotators * (self.table.annotators - 1) / 2, np.full(1, True)
        single = self.tuples.sizes == 1
        promising = reduced <= _PROMISING * QUANTUM * pairs
        for attempt in range(_PROGRAMS):
            most = max(int(_MAX_COLUMNS * self.effort), _COLUMNS_PER_UNIT * len(self.table))
            promising = single | _smallest(reduced, promising, most)
            dual = self._linear_program(promising)
            promising |= self.tuples.reduce(dual) < 0
            prices, reduced = self._raise_prices(this, dual)
            self._beam(this, reduced)
            trials = int(self.effort * (_LAST_TRIALS if attempt == _PROGRAMS - 1 else _TRIALS))
            if self._search(this, prices, trials)[0]:
                return

    def _raise_prices(self, runs: Mask, known: Counts | None = None) -> tuple[Counts, Counts]:
        """Return prices of the units of some runs, and the reduced costs, which are not negative."""
        tuples, size = self.tuples, len(self.table)
        units = flatnonzero(repeat(runs, np.diff(self.table.offset)))
        prices, reduced = raise_prices(size, units, tuples.begin, tuples.members, tuples.cost, _ROUNDS, known)
        self.bound = np.maximum(self.bound, _sums(prices, self.table.offset))
        return prices, reduced

    def _beam(self, runs: Mask, reduced: Counts) -> None:
        """Search some runs along a beam, and keep the alignments that are better than those so far."""
        found = self._combine(self.tuples, reduced, np.where(runs, _ANY, _SKIP), beam=_BEAM)
        self._keep(found, found.solved & (found.cost < self.cost), self.tuples)

    def _search(self, runs: Mask, prices: Counts, trials: int) -> Mask:
        """Search everything within the gap between the best alignments and the bound of these prices."""
        # Return the runs for which that took no more than this number of trials.
        reduced = self.tuples.reduce(prices)
        gap = np.where(runs, self.cost - _sums(prices, self.table.offset), _SKIP)
        promising = reduced <= np.where(runs, gap + _TOLERANCE, _SKIP)[self.run_of]
        rest = self.tuples.select(promising)
        found = self._combine(rest, reduced[promising], gap, trials=trials)
        self._keep(found, found.solved, rest)
        return found.solved

    def _linear_program(self, promising: Mask) -> Counts:
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


class _Combined(NamedTuple):
    """The cheapest alignments of some runs."""

    used: Mask  # of each unitary alignment
    cost: Counts
    solved: Mask  # whether the search did not give up
    ties: Mask
    truncated: Mask


def _smallest(values: Counts, chosen: Mask, number: int) -> Mask:
    """Return a mask of the chosen entries, or of those with the smallest values if there are more than this number."""
    if chosen.sum() <= number:
        return chosen
    border = np.partition(values[chosen], number - 1)[number - 1]
    return np.asarray(chosen & (values <= border))
