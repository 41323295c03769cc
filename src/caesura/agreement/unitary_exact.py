"""Exact search for the best alignment over enumerated unitary alignments, for many samples at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.alignment import cheapest_alignment
from caesura.kernels.assignment import pair_rows
from caesura.kernels.unitary import QUANTUM, raise_prices, split_samples
from caesura.model.index import argsort, bincount, flatnonzero, repeat

if TYPE_CHECKING:
    from caesura.agreement.unitary import UnitTable

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

# Mark of samples of which it is unknown whether another alignment has the same cost.
UNKNOWN = -1
_ROUNDS = 30
_BEAM = 32
_MAX_STATES = 500_000
_UNLIMITED = 1 << 60
_FIRST_WORK = 4_000_000
# Effort of the first search, which is cheaper than a linear program.
_LEAST_EFFORT = 0.5
_WORK = 60_000_000
# Number of linear programs, each with more unitary alignments than the one before.
_PROGRAMS = 4
# Largest reduced cost, in multiples of delta_empty, of the unitary alignments in the first linear program.
_PROMISING = 0.3
# Largest number of unitary alignments in a linear program; those with the smallest reduced costs come first.
_MAX_COLUMNS = 40_000
_COLUMNS_PER_UNIT = 10
NANOSECONDS_PER_TRIAL = 5
NANOSECONDS_PER_COLUMN = 10_000
_TOLERANCE = 1024
_ANY, _SKIP = -1, -2


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
    first: Counts  # sample s has the unitary alignments first[s]:first[s + 1]

    @property
    def sizes(self) -> Counts:
        return np.diff(self.begin)

    @property
    def sample(self) -> Counts:
        return repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def select(self, chosen: Mask) -> Tuples:
        sizes = self.sizes
        begin = np.concatenate(([0], np.cumsum(sizes[chosen])))
        members = self.members[repeat(chosen, sizes)]
        first = np.concatenate(([0], np.cumsum(chosen)))[self.first]
        return Tuples(begin, members, self.cost[chosen], self.category[chosen], first)

    def of_sample(self, number: int, unit: int) -> Tuples:
        part = slice(self.first[number], self.first[number + 1])
        begin = self.begin[part.start : part.stop + 1]
        members = self.members[begin[0] : begin[-1]] - np.int32(unit)
        first = np.array([0, part.stop - part.start])
        return Tuples(begin - begin[0], members, self.cost[part], self.category[part], first)

    def reduce(self, prices: Counts) -> Counts:
        return self.cost - _sums(prices[self.members], self.begin)


class Pieces:
    """Runs of units that no unitary alignment crosses; each is searched for itself, because the costs of runs add up."""

    def __init__(self, table: UnitTable, tuples: Tuples) -> None:
        self.first, offset, first = split_samples(table.offset, tuples.begin, tuples.members)
        self.table = replace(table, offset=offset)
        self.tuples = replace(tuples, first=first)

    def add(self, values: Counts) -> Counts:
        return _sums(values, self.first)


def _smallest(values: Counts, chosen: Mask, number: int) -> Mask:
    """Return a mask of the chosen entries, or of those with the smallest values if there are more than this number."""
    if chosen.sum() <= number:
        return chosen
    border = np.partition(values[chosen], number - 1)[number - 1]
    return np.asarray(chosen & (values <= border))


class ExactSearch:
    """Exact search over enumerated unitary alignments; every step serves all samples that still need it."""

    def __init__(self, table: UnitTable, tuples: Tuples, effort: float, *, programs: bool = True) -> None:
        self.table = table
        self.tuples = tuples
        self.effort = effort
        self.programs = programs
        self.sample = tuples.sample
        self.used = np.zeros(len(tuples.cost), bool)
        self.cost = np.full(table.samples, np.iinfo(np.int64).max)
        self.bound = np.zeros(table.samples, np.int64)
        self.proved = np.zeros(table.samples, bool)
        self.unique = np.full(table.samples, UNKNOWN, np.int8)
        self.work = np.zeros(table.samples, np.int64)

    def run(self) -> None:
        """Find the best alignment of each sample that has unitary alignments, or no units at all."""
        samples = (self.tuples.first[1:] > self.tuples.first[:-1]) | (self.table.offset[1:] == self.table.offset[:-1])
        rest = samples & ~self._search_narrow(samples)
        if not rest.any():
            return
        if self.table.annotators == 2:
            self._search(rest, self._assign(rest), _WORK)
            return
        prices, reduced = self._raise_prices(rest)
        self._beam(rest, reduced)
        rest &= ~self._search(rest, prices, int(max(self.effort, _LEAST_EFFORT) * _FIRST_WORK))
        for number in flatnonzero(rest).tolist() if self.programs else ():
            self._alone(number, reduced)

    def _search_narrow(self, samples: Mask) -> Mask:
        """Search the samples that need few states, for which no prices are necessary, and return them."""
        limit = np.where(samples, _ANY, _SKIP)
        chosen, cost, solved, ties, _ = self._combine(self.tuples, self.tuples.cost, limit, max_states=_BEAM)
        self.used[chosen] = True
        self.cost[solved], self.unique[solved], self.proved[solved] = cost[solved], ~ties[solved], True
        return solved

    def _combine(
        self,
        tuples: Tuples,
        reduced: Counts,
        limit: Counts,
        *,
        beam: int = _UNLIMITED,
        max_states: int = _MAX_STATES,
        work: int = _UNLIMITED,
    ) -> tuple[Counts, Counts, Mask, Mask, Mask]:
        """Return the cheapest unitary alignments that contain every unit once, with cost, solved, ties and truncated."""
        chosen, _, cost, solved, ties, truncated, tried = cheapest_alignment(
            self.table.offset,
            tuples.begin,
            tuples.members,
            reduced,
            tuples.category,
            self.table.twin,
            limit,
            beam,
            max_states,
            work,
        )
        self.work += NANOSECONDS_PER_TRIAL * tried
        return chosen, cost, solved & (limit != _SKIP), ties, truncated

    def _keep(self, samples: Mask, chosen: Counts, *, unique: Mask, proved: Mask) -> None:
        """Make the chosen unitary alignments the best alignments of some samples."""
        self.used &= ~samples[self.sample]
        self.used[chosen[samples[self.sample[chosen]]]] = True
        self.cost[samples] = _sums(self.tuples.cost * self.used, self.tuples.first)[samples]
        self.unique[samples], self.proved[samples] = unique[samples], proved[samples]

    def _assign(self, samples: Mask) -> Counts:
        """Return exact prices for two annotators, and keep the assignment as the best alignment of some samples."""
        tuples, size = self.tuples, len(self.table)
        sizes, wanted = tuples.sizes, samples[self.sample]
        pairs = flatnonzero((sizes == 2) & wanted)
        first = tuples.members[tuples.begin[pairs]]
        second = tuples.members[tuples.begin[pairs] + 1]
        swap = self.table.annotator[first] == 1
        row, column = np.where(swap, second, first), np.where(swap, first, second)
        order = argsort(row, kind="stable")
        rows = np.concatenate(([0], np.cumsum(bincount(row, minlength=size))))
        edge, u, v = pair_rows(size, rows, column[order], tuples.cost[pairs][order] - 2 * QUANTUM)
        prices = QUANTUM + u + v
        chosen = order[edge[edge >= 0]]
        covered = np.zeros(size, bool)
        covered[first[chosen]] = covered[second[chosen]] = True
        singles = flatnonzero((sizes == 1) & wanted)
        self.used[pairs[chosen]] = True
        self.used[singles[~covered[tuples.members[tuples.begin[singles]]]]] = True
        self.cost[samples] = self.bound[samples] = _sums(prices, self.table.offset)[samples]
        self.proved[samples] = True
        return prices

    def _alone(self, number: int, reduced: Counts) -> None:
        table = self.table.sample(number)
        search = ExactSearch(table, self.tuples.of_sample(number, int(self.table.offset[number])), self.effort)
        part = slice(self.tuples.first[number], self.tuples.first[number + 1])
        search.used[:] = self.used[part]
        columns = ("cost", "bound", "proved", "unique", "work")
        for name in columns:
            getattr(search, name)[0] = getattr(self, name)[number]
        search.run_programs(reduced[part])
        self.used[part] = search.used
        for name in columns:
            getattr(self, name)[number] = getattr(search, name)[0]

    def run_programs(self, reduced: Counts) -> None:
        """Search the only sample with prices from linear programs."""
        pairs, this = self.table.annotators * (self.table.annotators - 1) / 2, np.full(1, True)
        single = self.tuples.sizes == 1
        promising = reduced <= _PROMISING * QUANTUM * pairs
        for attempt in range(_PROGRAMS):
            most = max(int(_MAX_COLUMNS * self.effort), _COLUMNS_PER_UNIT * len(self.table))
            promising = single | _smallest(reduced, promising, most)
            self.work += NANOSECONDS_PER_COLUMN * int(promising.sum())
            dual = self._linear_program(promising)
            promising |= self.tuples.reduce(dual) < 0
            prices, reduced = self._raise_prices(this, dual)
            work = int(self.effort * (_WORK if attempt == _PROGRAMS - 1 else _WORK // 6))
            self._beam(this, reduced)
            if self._search(this, prices, work)[0]:
                return

    def _raise_prices(self, samples: Mask, known: Counts | None = None) -> tuple[Counts, Counts]:
        """Return prices of the units of some samples, and the reduced costs, which are not negative."""
        tuples, size = self.tuples, len(self.table)
        units = flatnonzero(repeat(samples, np.diff(self.table.offset)))
        prices, reduced = raise_prices(size, units, tuples.begin, tuples.members, tuples.cost, _ROUNDS, known)
        self.bound = np.maximum(self.bound, _sums(prices, self.table.offset))
        return prices, reduced

    def _beam(self, samples: Mask, reduced: Counts) -> None:
        """Search some samples along a beam, and keep the alignments that are better than those so far."""
        tuples = self.tuples
        chosen, _, solved, ties, truncated = self._combine(tuples, reduced, np.where(samples, _ANY, _SKIP), beam=_BEAM)
        used = np.zeros(len(tuples.cost), np.int64)
        used[chosen] = 1
        better = _sums(tuples.cost * used, tuples.first) < self.cost
        self._keep(solved & better, chosen, unique=~ties, proved=~truncated)

    def _search(self, samples: Mask, prices: Counts, work: int) -> Mask:
        """Search everything within the gap between the best alignments and the bound of these prices."""
        # Return the samples for which that took no more than this work.
        reduced = self.tuples.reduce(prices)
        gap = np.where(samples, self.cost - _sums(prices, self.table.offset), _SKIP)
        promising = reduced <= np.where(samples, gap + _TOLERANCE, _SKIP)[self.sample]
        rest = self.tuples.select(promising)
        chosen, _, solved, ties, _ = self._combine(rest, reduced[promising], gap, work=work)
        self._keep(solved, flatnonzero(promising)[chosen], unique=~ties, proved=solved)
        return solved

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
