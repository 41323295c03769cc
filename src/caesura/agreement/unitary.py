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

If this takes more work than allowed, the result is an alignment with ``proved=False`` and the lower bound that was reached.

Expected agreement needs many small samples, so a table may have the units of several samples, and each step processes all
of them at once. The alignment of a sample is the same, to the last bit, as that of the sample alone.

Among alignments whose costs differ by less than 1e-9 delta_empty, the choice is: fewest unitary alignments, then the smallest
numerator of delta_cat, then the order of the units (by middle, start and annotator).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitary_exact import UNKNOWN, Codes, Counts, ExactSearch, Pieces, Tuples
from caesura.agreement.unitary_search import MAX_MATRIX, STARTS, improve_alignment, lower_bound
from caesura.kernels.sums import sum_groups
from caesura.kernels.unitary import QUANTUM, enumerate_tuples, pair_terms
from caesura.limits import MAX_UNITARY_ALIGNMENTS, MAX_UNITARY_PAIRS
from caesura.model.index import flatnonzero, lexsort, nonzero, repeat, searchsorted
from caesura.model.value import Floats

# Number of unitary alignments per unit that is allowed in any case.
TUPLES_PER_UNIT = 1000
MAX_STEPS = 100_000_000
# From this number of annotators on, the search begins with a good alignment and a simple bound, which may prove it.
MANY_ANNOTATORS = 7
MANY_FACTOR = 0.6
# Factor of the work that follows with so many annotators, and how often it is divided for each further annotator.
GROWTH = 4
# Effort for each set of annotators in the lower bound of an alignment with more of them.
BLOCK_EFFORT = 0.02
NANOSECONDS_PER_TUPLE, NANOSECONDS_PER_STEP = 250, 1
NANOSECONDS_PER_EXCHANGE, NANOSECONDS_PER_EXCHANGED_UNIT = 20_000, 160
# Steps of an early end of a search, for each nanosecond of its share of the work.
STEPS_PER_NANOSECOND = 0.4
# Factor of the share of the work of an exact search that ends early.
SHORT_EFFORT = 0.2
# Number of units of an item whose unitary alignments show how much work an exact search takes.
PILOT_UNITS = 125
_PILOT_STEPS = 5_000_000
_UNKNOWN_STEPS = 4  # factor if the units in the middle have more
_MOST_TUPLES = 1_000_000  # of an item, as in the kernel
_EXACT_STEP, _EXACT_TUPLE = 10, 2000  # nanoseconds, with everything that follows


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
        return cls(
            np.ascontiguousarray(start[order]),
            np.ascontiguousarray(end[order]),
            np.ascontiguousarray(categories[order]),
            np.ascontiguousarray(owners[order]),
            annotators,
            order,
            np.concatenate(([0], np.cumsum(sizes))),
        )

    def sample(self, number: int) -> UnitTable:
        part = slice(self.offset[number], self.offset[number + 1])
        columns = (self.start[part], self.end[part], self.category[part], self.annotator[part])
        return UnitTable(*columns, self.annotators, self.index[part], np.array([0, part.stop - part.start]))

    @property
    def samples(self) -> int:
        return len(self.offset) - 1

    def __len__(self) -> int:
        return len(self.start)

    @property
    def mean_units(self) -> float:
        return len(self) / self.annotators

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


@dataclass(frozen=True)
class BestAlignment:
    """The best alignment of a table of units with one sample."""

    table: UnitTable
    dissimilarity: Dissimilarity  # how units were compared
    # Unitary alignment t has the units members[begin[t]:begin[t + 1]] of the table.
    begin: Counts
    members: Codes
    proved: bool  # whether no alignment has a smaller cost
    bound: float  # lower bound of the total cost, in multiples of delta_empty; the total cost itself if it is proved
    # Whether no other alignment has the same cost; None if this is unknown. Alignments in which two identical units of one
    # annotator exchange their partners count as different.
    unique: bool | None
    work: int = 0  # estimate of the work in nanoseconds, from counts only

    @cached_property
    def pairs(self) -> AlignedPairs:
        """Terms of the disorder, one per unitary alignment and one per pair of units in it."""
        return _aligned_pairs(self)

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
class Alignments:
    """The best alignment of each sample of a table of units."""

    table: UnitTable  # the units of all samples
    dissimilarity: Dissimilarity  # how units were compared
    # Unitary alignment t has the units members[begin[t]:begin[t + 1]] of the table.
    begin: Counts
    members: Codes
    offset: Counts  # sample s has the unitary alignments offset[s]:offset[s + 1]
    proved: NDArray[np.bool_]  # whether no alignment of the sample has a smaller cost
    # Lower bound of the cost of each sample, in multiples of delta_empty; the cost itself if it is proved.
    bound: Floats
    unique: NDArray[np.int8]  # whether no other alignment of the sample has the same cost; -1 if this is unknown
    # Estimate of the work for each sample in nanoseconds, from counts only, so that it is the same on every machine.
    work: Counts

    @classmethod
    def join(cls, table: UnitTable, parts: Sequence[BestAlignment]) -> Alignments:
        sizes = np.concatenate([np.diff(part.begin) for part in parts])  # units per unitary alignment
        members = [part.members + np.int32(first) for part, first in zip(parts, table.offset[:-1], strict=True)]
        return cls(
            table,
            parts[0].dissimilarity,
            np.concatenate(([0], np.cumsum(sizes))),
            np.concatenate(members),
            np.cumsum([0, *(len(part.begin) - 1 for part in parts)]),
            np.array([part.proved for part in parts]),
            np.array([part.bound for part in parts]),
            np.array([UNKNOWN if part.unique is None else part.unique for part in parts], np.int8),
            np.array([part.work for part in parts], np.int64),
        )

    @cached_property
    def sample(self) -> Counts:
        return repeat(np.arange(self.table.samples), np.diff(self.offset))

    @cached_property
    def pairs(self) -> AlignedPairs:
        return _aligned_pairs(self)

    @cached_property
    def cost(self) -> Floats:
        """Total cost of each sample, in multiples of delta_empty."""
        return sum_groups(self.pairs.cost, self.sample, self.table.samples)

    def __getitem__(self, number: int) -> BestAlignment:
        table = self.table.sample(number)
        first, last = self.offset[number : number + 2].tolist()
        begin = self.begin[first : last + 1]
        members = self.members[begin[0] : begin[-1]] - np.int32(self.table.offset[number])
        unique = None if self.unique[number] == UNKNOWN else bool(self.unique[number])
        facts = (bool(self.proved[number]), float(self.bound[number]), unique, int(self.work[number]))
        return BestAlignment(table, self.dissimilarity, begin - begin[0], members, *facts)

    def split(self) -> list[BestAlignment]:
        """Return the alignment of each sample, with the terms of all; a table refers to the units of its sample alone."""
        pairs, samples = self.pairs, []
        rows = searchsorted(pairs.owner, self.offset).tolist()  # owners ascend
        units, unitary = self.table.offset.tolist(), self.offset.tolist()
        for number in range(self.table.samples):
            best = self[number]
            best = replace(best, table=replace(best.table, index=best.table.index - units[number]))
            first, last = rows[number : number + 2]
            columns = (pairs.owner[first:last] - unitary[number], pairs.first[first:last] - units[number])
            terms = AlignedPairs(
                pairs.cost[unitary[number] : unitary[number + 1]],
                *columns,
                pairs.second[first:last] - units[number],
                pairs.position[first:last],
                pairs.distance[first:last],
            )
            best.__dict__["pairs"] = terms  # a cached property, which would compute the same terms again
            samples.append(best)
        return samples


@dataclass(frozen=True)
class AlignedPairs:
    """Terms of an alignment, in multiples of delta_empty."""

    cost: Floats  # cost of each unitary alignment
    # For each pair of aligned units: the unitary alignment, and the two units.
    owner: Counts
    first: Counts
    second: Counts
    # d_pos and category distance of each pair.
    position: Floats
    distance: Floats


def _aligned_pairs(alignment: BestAlignment | Alignments) -> AlignedPairs:
    table, dissimilarity = alignment.table, alignment.dissimilarity
    terms = pair_terms(
        alignment.begin,
        alignment.members,
        table.start,
        table.end,
        table.category,
        table.annotators,
        dissimilarity.alpha,
        dissimilarity.beta,
        dissimilarity.distance,
    )
    return AlignedPairs(*terms)


def best_alignment(table: UnitTable, dissimilarity: Dissimilarity, *, effort: float = 1.0) -> BestAlignment:
    return best_alignments(table, dissimilarity, effort=effort)[0]


def search_work(units: int, annotators: int) -> int:
    """Return an estimate of the work for the best alignment of many annotators, in about a nanosecond."""
    return _exchange_work(units, annotators) if annotators >= MANY_ANNOTATORS else 0


def _exchange_work(units: int, annotators: int) -> int:
    return STARTS * annotators * (annotators + 1) * (NANOSECONDS_PER_EXCHANGE + NANOSECONDS_PER_EXCHANGED_UNIT * units)


def exact_work(table: UnitTable, dissimilarity: Dissimilarity) -> int:
    """Return an estimate of the work for the best alignment of three to six annotators, in about a nanosecond."""
    if not 2 < table.annotators < MANY_ANNOTATORS or not len(table):
        return 0
    size = min(len(table), PILOT_UNITS)
    part = slice((len(table) - size) // 2, (len(table) + size) // 2)
    *_, first, complete, steps = enumerate_tuples(
        table.start[part],
        table.end[part],
        table.category[part],
        table.annotator[part],
        np.array([0, size]),
        table.annotators,
        dissimilarity.alpha,
        dissimilarity.beta,
        dissimilarity.distance,
        MAX_UNITARY_ALIGNMENTS,
        0,
        _PILOT_STEPS,
    )
    scale = len(table) / size
    if not complete[0]:
        return int(_EXACT_STEP * min(_UNKNOWN_STEPS * scale * _PILOT_STEPS, MAX_STEPS))
    tuples, most = scale * int(first[1]), max(MAX_UNITARY_ALIGNMENTS, min(TUPLES_PER_UNIT * len(table), _MOST_TUPLES))
    if tuples > most:  # the search ends when it has too many
        return int(_EXACT_STEP * min(scale * int(steps[0]) * most / tuples, MAX_STEPS))
    return int(_EXACT_STEP * min(scale * int(steps[0]), MAX_STEPS) + _EXACT_TUPLE * tuples)


def best_alignments(
    table: UnitTable, dissimilarity: Dissimilarity, *, effort: float = 1.0, share: float = 1.0
) -> Alignments:
    """Return the alignment with the smallest total cost for each sample of a table."""
    samples = map(table.sample, range(table.samples))
    if table.annotators >= MANY_ANNOTATORS:
        if share < 1:
            return Alignments.join(table, [_align_quickly(sample, dissimilarity, share) for sample in samples])
        return Alignments.join(table, [_align_many(sample, dissimilarity, effort) for sample in samples])
    if share < 1 and table.annotators > 2:
        quickly = partial(_align_quickly, share=1.0)  # itself a small part of an exact search
        return _align_few(table, dissimilarity, SHORT_EFFORT * share, quickly, programs=False)
    return _align_few(table, dissimilarity, effort, _approximate)


def _align_few(
    table: UnitTable,
    dissimilarity: Dissimilarity,
    effort: float,
    otherwise: Callable[[UnitTable, Dissimilarity], BestAlignment],
    *,
    programs: bool = True,
) -> Alignments:
    """Return the best alignments by an exact search; for samples that take too much work, what ``otherwise`` returns."""
    limits = (MAX_UNITARY_PAIRS, 0, MAX_STEPS)
    if table.annotators > 2:
        limits = (int(MAX_UNITARY_ALIGNMENTS * effort), int(TUPLES_PER_UNIT * effort), int(MAX_STEPS * effort))
    begin, members, cost, category, first, complete, steps = enumerate_tuples(
        table.start,
        table.end,
        table.category,
        table.annotator,
        table.offset,
        table.annotators,
        dissimilarity.alpha,
        dissimilarity.beta,
        dissimilarity.distance,
        *limits,
    )
    alignments = _exact(table, Tuples(begin, members, cost, category, first), effort, dissimilarity, programs)
    alignments.work[:] += NANOSECONDS_PER_STEP * steps
    if complete.all():
        return alignments
    parts = []
    for number, wasted in enumerate((NANOSECONDS_PER_STEP * steps).tolist()):
        part = alignments[number] if complete[number] else otherwise(table.sample(number), dissimilarity)
        parts.append(part if complete[number] else replace(part, work=part.work + wasted))
    return Alignments.join(table, parts)


def _align_many(table: UnitTable, dissimilarity: Dissimilarity, effort: float) -> BestAlignment:
    """Return the best alignment of many annotators; only a bound that is not tight leads to an exact search."""
    known = _approximate(table, dissimilarity)
    if known.proved:
        return known
    effort *= MANY_FACTOR / GROWTH ** (table.annotators - MANY_ANNOTATORS)
    return _align_few(table, dissimilarity, effort, lambda *_: known)[0]


def _align_quickly(table: UnitTable, dissimilarity: Dissimilarity, share: float) -> BestAlignment:
    """Return a good alignment of three or more annotators after a share of the work, without a bound."""
    steps = int(STEPS_PER_NANOSECOND * share * _exchange_work(len(table), table.annotators))
    if len(table) > MAX_MATRIX and table.annotators >= MANY_ANNOTATORS:
        steps //= 10  # the distances of so many units are computed again in every step
    groups, work = improve_alignment(table, dissimilarity, starts=1, steps=steps)
    return BestAlignment(table, dissimilarity, *_columns(groups), False, 0.0, None, work)


def _columns(groups: list[list[int]]) -> tuple[Counts, Codes]:
    sizes = [len(group) for group in groups]
    return np.cumsum([0, *sizes]), np.array([unit for group in groups for unit in group], np.int32)


def _exact(table: UnitTable, tuples: Tuples, effort: float, dissimilarity: Dissimilarity, programs: bool) -> Alignments:
    pieces = Pieces(table, tuples)
    search = ExactSearch(pieces.table, pieces.tuples, effort, programs=programs)
    search.run()
    chosen = tuples.select(search.used)
    proved = pieces.add(~search.proved) == 0
    unique = np.where(pieces.add(search.unique == UNKNOWN) > 0, UNKNOWN, pieces.add(search.unique == 0) == 0)
    bound = np.zeros(table.samples)
    work = pieces.add(search.work) + NANOSECONDS_PER_TUPLE * np.diff(tuples.first)
    columns = (chosen.begin, chosen.members, chosen.first, proved, bound, unique.astype(np.int8), work)
    alignments = Alignments(table, dissimilarity, *columns)
    scale = QUANTUM * table.annotators * (table.annotators - 1) // 2
    bound[proved] = alignments.cost[proved]
    bounds = pieces.add(search.bound)
    for number in flatnonzero(~proved).tolist():
        bound[number] = int(bounds[number]) / scale
    return alignments


def _approximate(table: UnitTable, dissimilarity: Dissimilarity) -> BestAlignment:
    """Return a good alignment of too many annotators for an exact search, and a lower bound."""
    groups, work = improve_alignment(table, dissimilarity)
    bound, more = lower_bound(table, dissimilarity, _align_block)
    alignment = BestAlignment(table, dissimilarity, *_columns(groups), False, bound, None, work + more)
    if alignment.cost <= bound + 1e-9:
        return replace(alignment, proved=True, bound=alignment.cost)
    return alignment


def _align_block(table: UnitTable, dissimilarity: Dissimilarity) -> Alignments:
    """Return alignments of some of the annotators, of which only the bounds are needed."""
    return _align_few(table, dissimilarity, BLOCK_EFFORT, _only_bound)


def _only_bound(table: UnitTable, dissimilarity: Dissimilarity) -> BestAlignment:
    """Return the alignment of every unit with itself alone, and a lower bound."""
    bound, work = lower_bound(table, dissimilarity, _align_block)
    units = np.arange(len(table) + 1)
    return BestAlignment(table, dissimilarity, units, units[:-1].astype(np.int32), False, bound, None, work)
