"""Options and computation that gamma, gamma-cat and gamma-k share; :mod:`caesura.agreement.gamma` has the equations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from caesura.agreement.category_distance import CategoryDistances, check_categories
from caesura.agreement.gamma_alignment import (
    AlignedItem,
    ItemAlignment,
    ItemAlignments,
    category_terms,
    concatenate,
    continuum_of,
)
from caesura.agreement.gamma_chance import (
    FIRST_SAMPLES,
    NORMAL_QUANTILE,
    Continuum,
    Piece,
    Sampler,
    Shift,
    Statistical,
    observed_units,
    samples_needed,
    sampling_interval,
)
from caesura.agreement.gamma_samples import (
    MIN_SAMPLES,
    Cell,
    Group,
    GroupBlock,
    Recipe,
    SampleRows,
    WorkLimit,
    check_before,
    choose_groups,
    in_tasks,
    warn_once,
)
from caesura.agreement.unitary import Alignments, BestAlignment, Dissimilarity, UnitTable, best_alignments
from caesura.agreement.unitary_exact import Counts
from caesura.agreement.unitized import UnitizedItem
from caesura.agreement.unitizing import (
    LEFT_OUT,
    NOTHING_MARKED,
    Disorders,
    Job,
    Plan,
    UnitizingCoefficient,
    shared_result,
    shared_store,
)
from caesura.engines import Engine, use_engine
from caesura.errors import InputError, LimitError
from caesura.kernels.sums import sum_groups
from caesura.limits import MAX_CATEGORY_CELLS, MAX_GAMMA_CODERS, MAX_SAMPLES
from caesura.model.index import bincount, repeat
from caesura.model.value import Floats
from caesura.options import choice, flag, non_negative, positive, setting, whole

# Reason why a coefficient is undefined.
NO_DISORDER = "expected disorder is 0"
# Mean number of units per coder below which expected disorder varies much from sample to sample.
MIN_UNITS = 5
# Number of parts of an item before those of its categories.
HEAD_PARTS = 9
_ALIGNMENT = 5  # numbers of an alignment before the terms of the coefficients

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "pygamma": {"chance": "statistical", "samples": 30, "unaligned": True, "degenerate": "pygamma"},
    "gamma-software": {"alpha": 3.0, "pivot_distance": 0.5, "pivots": "whole", "mean_units": "floor"},
}

PRESET_NOTES: Mapping[str, str] = {
    "pygamma": (
        "keeps: statistical samples, 30 of them; gamma-cat counts a unit and an empty place; 1 without observed disorder, "
        "0 without expected category disorder. Refuses: gamma that depends on where the text starts, inexact fast "
        "alignments, delta_empty without effect on categories, single precision, dropped repeated units"
    ),
    "gamma-software": (
        "keeps: alpha 3, shifts by whole numbers at half the mean length of a unit, mean number of units rounded down. "
        "Refuses: nothing that is known"
    ),
}


@dataclass(frozen=True)
class GammaFamily(UnitizingCoefficient):
    """Options and computation that gamma, gamma-cat and gamma-k share."""

    sampled = True
    of_categories: ClassVar[bool] = False  # whether the coefficient looks at the categories of aligned units alone
    presets = PRESETS
    preset_notes = PRESET_NOTES

    alpha: float = setting(1.0, positive, "Weight of positions.")
    beta: float = setting(1.0, non_negative(), "Weight of categories.")
    delta_empty: float = setting(
        1.0, positive, "Dissimilarity of a unit and an empty place; gamma does not depend on it."
    )
    categories: CategoryDistances | None = setting(
        None,
        check_categories,
        "Distances of categories, from 0 to 1: a matrix or a file (default: 0 if equal, else 1).",
    )
    chance: str = setting("shift", choice("shift", "statistical", "concatenated"), "How random continua are drawn.")
    samples: int | None = setting(
        None, whole(2, MAX_SAMPLES), "Number of samples (default: as many as the precision needs)."
    )
    precision: float = setting(0.02, positive, "Largest relative error of expected disorder.")
    pivots: str = setting("real", choice("real", "whole", "lattice"), "Numbers by which annotators are shifted.")
    pivot_distance: float = setting(
        1.0, non_negative(), "Smallest distance of two shifts, in multiples of the mean length of a unit."
    )
    mean_units: str = setting(
        "exact", choice("exact", "floor"), "Whether the mean number of units per coder is rounded down."
    )
    unaligned: bool = setting(
        False, flag, "Whether pairs of a unit and an empty place count in gamma-cat, as in pygamma-agreement."
    )
    degenerate: str = setting(
        "undefined",
        choice("undefined", "pygamma"),
        "Whether a coefficient without expected disorder is undefined, or 1 and 0 as in pygamma-agreement.",
    )

    def item_parts(self, item: UnitizedItem, plan: Plan) -> Floats:
        with use_engine("threads") as engine:
            (rows,) = self.all_parts([Job(item, (item.coders,))], plan, engine)
        if isinstance(rows, InputError):
            raise rows
        return np.asarray(rows[0])

    def all_parts(self, jobs: Sequence[Job], plan: Plan, engine: Engine) -> list[Floats | InputError]:
        too_many = {
            place: LimitError(
                f"{self.name}: {len(job.item.coders)} coders, more than {MAX_GAMMA_CODERS}; choose fewer coders, or set the "
                f"number of samples to compute it all the same: '{self.name}(samples={MIN_SAMPLES})'"
            )
            for place, job in enumerate(jobs)
            if self.samples is None and len(job.item.coders) > MAX_GAMMA_CODERS
        }
        allowed = [job._replace(groups=()) if place in too_many else job for place, job in enumerate(jobs)]
        blocks = GroupBlock.all_of(allowed)
        computed = self._parts_of_groups(allowed, blocks, plan, engine)
        parts: dict[int, Floats] = {}
        for block in blocks:
            rows = np.where(block.units[:, :, None] > 0, np.nan, np.zeros(HEAD_PARTS + 3 * self._tables(plan)))
            parts |= zip(block.places, rows, strict=True)
        for (place, coders), row in computed.items():
            parts[place][allowed[place].groups.index(coders)] = row
        return [too_many.get(place) or parts[place] for place in range(len(jobs))]

    def _parts_of_groups(
        self, jobs: Sequence[Job], blocks: Sequence[GroupBlock], plan: Plan, engine: Engine
    ) -> dict[tuple[int, tuple[str, ...]], Floats]:
        """Return the parts of all coders of each item, and of the other groups if that is not too much work."""
        rows = self._sample_rows(plan, engine)
        cells = self._cells(jobs, choose_groups(blocks, lambda block: block.everyone), plan)
        if not cells:
            return {}
        if self.samples is None:
            check_before(self.name, cells, self.alpha, rows)
        observed = rows.observed(cells)
        limit = WorkLimit(tuple(cells), tuple(observed), self.samples)
        limit.check(self.name)
        samples = self._draw(rows, cells, observed, limit)
        parts = self._parts_of_cells(cells, observed, samples)
        return parts | self._table_parts(rows, partial(self._cells, jobs, plan=plan), blocks, limit, samples)

    def _cells(self, jobs: Sequence[Job], groups: Sequence[Group], plan: Plan) -> list[Cell]:
        codes = plan.codes
        cells = []
        for group in groups:
            item = jobs[group.place].item
            whole = group.coders == item.coders
            continuum = _shared_continuum(item, codes) if whole else continuum_of(item.select(group.coders), codes)
            cells.append(Cell(continuum, continuum, group.place, group.coders, group.place))
        if self.chance != "concatenated":
            return cells
        together = {
            coders: concatenate([continuum_of(job.item.select(coders), codes) for job in jobs if coders in job.groups])
            for coders in {group.coders for group in groups}
        }
        return [cell._replace(chance=together[cell.group], chance_place=0) for cell in cells]

    def _sample_rows(self, plan: Plan, engine: Engine) -> SampleRows:
        """Return what computes the numbers of alignments; coefficients that share samples compute the terms of all."""
        how, shared = self.dissimilarity(plan), shared_store() is not None
        fixed = (self.alpha, self.beta, self.delta_empty, how.distance.tobytes(), self.mean_units, self.unaligned)
        chance = (self.chance, self.pivots, self.pivot_distance, shared or type(self), tabled_categories(plan))
        statistics = partial(self.statistics, plan=plan, with_categories=shared or self.of_categories)
        return SampleRows(Recipe(how, self.sampler(), plan.seed, statistics), (*fixed, *chance), engine)

    def _draw(
        self, rows: SampleRows, cells: Sequence[Cell], observed: Sequence[Floats], limit: WorkLimit
    ) -> list[Floats]:
        """Return the samples of all coders: as many as the precision needs, if that is not too much work."""
        if self.samples is not None:
            return rows.samples(cells, [self.samples] * len(cells))
        first = FIRST_SAMPLES
        if limit.is_close:
            limit.check(self.name, rows.samples(cells, [1] * len(cells)))
            first = min(first, limit.most(rows.samples(cells, [MIN_SAMPLES] * len(cells))))
        samples = rows.samples(cells, [first] * len(cells))
        most = max(first, limit.most(samples))
        wanted = self._wanted(cells, observed, samples)
        if max(wanted) > most:
            warn_once(
                self.name,
                f"expected disorder rests on {most} random samples instead of {max(wanted)}, because more would take too "
                f"much work; see the sampling interval, or set the number with the option samples={max(wanted)}",
            )
        return rows.samples(cells, [min(number, most) for number in wanted])

    def _table_parts(
        self,
        rows: SampleRows,
        cells_of: Callable[[Sequence[Group]], list[Cell]],
        blocks: Sequence[GroupBlock],
        limit: WorkLimit,
        samples: Sequence[Floats],
    ) -> dict[tuple[int, tuple[str, ...]], Floats]:
        """Return the parts of pairs and of all coders but one; tables that would take too much work are left out."""
        pairs, others = limit.tables(blocks, samples)
        left_out = [name for name, kept in (("pairs of coders", pairs), ("all coders but one", others)) if not kept]
        if left_out:
            warn_once(
                self.name,
                f"the values of {' and of '.join(left_out)} are left out, because they would take too much work; they are "
                f"computed all the same if the number of samples is set, such as samples={FIRST_SAMPLES}",
            )
        if not pairs and not others:
            return {}
        cells = cells_of(choose_groups(blocks, lambda block: (pairs & block.pairs) | (others & block.others)))
        if not cells:
            return {}
        observed = rows.observed(cells)
        first = self.samples or min(FIRST_SAMPLES, max(map(len, samples)))
        drawn = rows.samples(cells, [first] * len(cells))
        if self.samples is None:
            wanted = self._wanted(cells, observed, drawn)
            most = limit.most_of_tables(drawn)
            drawn = rows.samples(cells, [max(first, min(number, most)) for number in wanted])
        return self._parts_of_cells(cells, observed, drawn)

    def _wanted(self, cells: Sequence[Cell], observed: Sequence[Floats], samples: Sequence[Floats]) -> list[int]:
        """Return the number of samples of each cell that gives the sum over items its precision."""
        terms = slice(self._first_term, self._first_term + 2)
        parts = _weighted(*_stacked([row[terms] for row in observed], [rows[:, terms] for rows in samples]))
        numbers: dict[tuple[str, ...], int] = {}
        group_of = [numbers.setdefault(cell.group, len(numbers)) for cell in cells]
        expected, variance = (bincount(group_of, parts[:, column]).tolist() for column in (2, 3))
        errors = [
            NORMAL_QUANTILE * math.sqrt(square) / total if total > 0 else 0.0
            for total, square in zip(expected, variance, strict=True)
        ]
        return [
            samples_needed(errors[group], self.precision, len(rows))
            for group, rows in zip(group_of, samples, strict=True)
        ]

    def sampler(self) -> Sampler:
        """Return the sampler of random continua.

        Returns
        -------
        Sampler
        """
        return Statistical() if self.chance == "statistical" else Shift(self.pivot_distance, self.pivots)

    def dissimilarity(self, plan: Plan) -> Dissimilarity:
        """Return how units are compared.

        Parameters
        ----------
        plan : Plan
            What all items share.

        Returns
        -------
        Dissimilarity
        """
        distance = np.zeros((0, 0)) if self.categories is None else self.categories.matrix(plan.categories)
        return Dissimilarity(self.alpha, self.beta, np.ascontiguousarray(distance, dtype=float))

    def divisor(self, table: UnitTable) -> Floats:
        """Return the mean number of units per coder, by which costs are divided.

        Parameters
        ----------
        table : UnitTable
            Units of all coders.

        Returns
        -------
        numpy.ndarray
            One number per sample.
        """
        units = np.diff(table.offset)
        if self.mean_units == "floor":
            return np.asarray(np.maximum(units // table.annotators, 1), float)
        return np.asarray(units / table.annotators)

    def _tables(self, plan: Plan) -> int:
        return 0

    def _parts_of_cells(
        self, cells: Sequence[Cell], observed: Sequence[Floats], samples: Sequence[Floats]
    ) -> dict[tuple[int, tuple[str, ...]], Floats]:
        """Return the parts of each cell: see ``_head``; then three parts per category."""
        own, drawn, cell_of = _stacked(observed, samples)
        parts = [self._head(own, drawn, cell_of)]
        if self.of_categories:
            for k in range(self._first_term + 2, own.shape[1], 2):
                parts.append(_weighted(own[:, k : k + 2], drawn[:, k : k + 2], cell_of)[:, :3])
        rows = np.concatenate(parts, axis=1)
        return {(cell.place, cell.group): row for cell, row in zip(cells, rows, strict=True)}

    @property
    def _first_term(self) -> int:
        """Place of the numerator of the coefficient in the numbers of an alignment."""
        return _ALIGNMENT + 2 if self.of_categories else _ALIGNMENT

    def _head(self, observed: Floats, samples: Floats, cell_of: Counts) -> Floats:
        """Return one row per cell: observed disorder times weight, weight, expected disorder times weight, the variance of the
        third part due to sampling, units, unproved alignments, lower bound of the total cost, samples, and a lower bound of
        the third part of gamma."""
        k, number = self._first_term, len(observed)
        parts = _weighted(observed[:, k : k + 2], samples[:, k : k + 2], cell_of)
        unproved = (observed[:, 3] == 0) + bincount(cell_of, samples[:, 3] == 0, number)
        bound = [1, _ALIGNMENT + 1]
        least = _weighted(observed[:, bound], samples[:, bound], cell_of)[:, 2]
        drawn = bincount(cell_of, minlength=number)
        return np.column_stack((parts, observed[:, 2], unproved, observed[:, 1], drawn, least))

    def statistics(self, alignments: Alignments, plan: Plan, *, with_categories: bool) -> Floats:
        """Return the numbers of each alignment that the coefficients need.

        Parameters
        ----------
        alignments : Alignments
            An alignment per sample.
        plan : Plan
            What all items share.
        with_categories : bool
            Whether the terms of gamma-cat and gamma-k are needed.

        Returns
        -------
        numpy.ndarray, samples x numbers
            Disorder times x, its lower bound, number of units, whether the alignment is proved, and its work; then numerator
            and weight of gamma, of gamma-cat, and of each category.
        """
        size, units = self.delta_empty, np.diff(alignments.table.offset)
        head = (alignments.cost * size, alignments.bound * size, units, alignments.proved, alignments.work)
        terms = [np.column_stack((alignments.cost * size, self.divisor(alignments.table)))]
        if with_categories:
            terms.append(category_terms(alignments, tabled_categories(plan), size, unaligned=self.unaligned))
        return np.column_stack((*head, *terms))

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        return self._finish(parts[:, 0], parts[:, 1], parts[:, 2])

    def _finish(self, numerator: Floats, weight: Floats, expected: Floats) -> Disorders:
        possible = np.where(weight > 0, weight, np.nan)
        result = Disorders(numerator / possible, expected / possible)
        if self.degenerate != "pygamma":
            return result
        disorder, chance = np.nan_to_num(result.observed), np.nan_to_num(result.expected)
        chance = np.where((disorder == 0) & (chance <= 0), 1.0, np.where(chance <= 0, disorder, chance))
        return Disorders(disorder, chance)

    def reason(self, parts: Floats, plan: Plan) -> str:
        if np.isnan(parts[4]):
            return LEFT_OUT
        return NO_DISORDER if parts[4] else NOTHING_MARKED

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        total = parts.sum(axis=0)
        disorders = self.finish(total[None], plan)
        observed, expected = float(disorders.observed[0]), float(disorders.expected[0])
        error = math.sqrt(total[3]) / total[1] if total[1] > 0 else math.nan
        ends = sampling_interval(observed, expected, NORMAL_QUANTILE * error) if expected > 0 else None
        return {
            "alignment": self.align(items, plan),
            "sampling_interval": ends if self.average == "micro" else None,
            "method": f"{self.chance} sampling",
            "draws": int(total[7]),
            "expected_error": float(error),
            "standard_error": float(observed * error / expected**2) if expected > 0 else 0.0,
            "params": self.settings | {"proved": not bool(total[5]), "distance_cut": self._cut(items, plan)},
        }

    def search_warnings(self, parts: Floats) -> Iterable[str]:
        total = parts.sum(axis=0)
        if total[5]:
            yield (
                f"{self.name}: {int(total[5])} of {int(total[7]) + len(parts)} alignments are not proved to be the best, "
                f"because the search took too much work{self._range(total)}"
            )

    def align(self, items: Sequence[UnitizedItem], plan: Plan, *, share: float = 1.0) -> Mapping[str, ItemAlignment]:
        """Return the best alignment of each item, which is computed when it is looked at.

        Parameters
        ----------
        items : sequence of UnitizedItem
            The items.
        plan : Plan
            What all items share.
        share : float, default 1.0
            Share of the work for items of many coders; see :func:`caesura.agreement.unitary.best_alignments`.

        Returns
        -------
        mapping of str to ItemAlignment
            Item -> alignment.
        """
        how = self.dissimilarity(plan)
        best = _BestAlignments(tuple(items), plan.codes, how, share)
        alignments = ItemAlignments([item.name for item in items], partial(self._with_units, best))
        shared = shared_store()
        if shared is None:
            return alignments
        weights = (self.alpha, self.beta, how.distance.tobytes(), self.delta_empty, self.mean_units, share)
        known: ItemAlignments = shared.setdefault(("alignments", weights, tuple(map(id, items))), alignments)
        return known

    def _with_units(self, best: _BestAlignments) -> list[AlignedItem]:
        return [
            AlignedItem(item, alignment, self.delta_empty, self.divisor(alignment.table))
            for item, alignment in zip(best.items, best.alignments, strict=True)
        ]

    def _range(self, total: Floats) -> str:
        return "; .alignment has the lower bound of the observed disorder"

    def _cut(self, items: Sequence[UnitizedItem], plan: Plan) -> bool:
        """Return whether the distance between shifts had to be cut for an item."""
        sampler = self.sampler()
        if not isinstance(sampler, Shift):
            return False
        codes = plan.codes
        return any(sampler.smallest_distance(_shared_continuum(item, codes))[1] for item in items if item.units)

    def needed_parts(self, parts: Floats) -> Floats:
        return parts[:, :3]

    def warnings(self, items: Sequence[UnitizedItem]) -> Iterable[str]:
        return shared_result(("warnings", tuple(map(id, items))), items, lambda: [*self._warnings(items)])

    @staticmethod
    def _warnings(items: Sequence[UnitizedItem]) -> Iterator[str]:
        spans = [spans for item in items for spans in item.annotations.values()]
        owner = repeat(np.arange(len(spans)), [len(part) for part in spans])
        starts, ends, codes = (
            np.concatenate([getattr(part, name) for part in spans]) for name in ("starts", "ends", "codes")
        )
        empty = int((starts == ends).sum())
        if empty:
            spans_have = "1 span has" if empty == 1 else f"{empty} spans have"
            yield f"{spans_have} length 0; two of them are aligned only at the same position"
        same = np.logical_and.reduce([column[1:] == column[:-1] for column in (owner, starts, ends, codes)])
        twice = int(same.sum())  # the spans of a coder are sorted
        if twice:
            spans_occur = "1 span occurs" if twice == 1 else f"{twice} spans occur"
            yield f"{spans_occur} twice with the same coder; both are kept"
        units = sum(item.units for item in items)
        coders = sum(len(item.annotations) for item in items)
        if units and units < MIN_UNITS * coders and len(items) == 1:
            yield (
                f"there are fewer than {MIN_UNITS} spans per coder; the disorder of random samples varies much, "
                "see the sampling interval"
            )


def _shared_continuum(item: UnitizedItem, codes: Mapping[str | None, int]) -> Continuum:
    """Return the continuum of an item; coefficients that share results build it once."""
    return shared_result(("continuum", id(item)), item, lambda: continuum_of(item, codes))


def tabled_categories(plan: Plan) -> int:
    """Return the number of categories with own values: all of them, or none if that would take too much memory."""
    return len(plan.categories) if plan.groups * len(plan.categories) <= MAX_CATEGORY_CELLS else 0


@dataclass(frozen=True)
class _BestAlignments:
    """The best alignments of some items, computed when they are looked at."""

    items: tuple[UnitizedItem, ...]
    codes: Mapping[str | None, int]
    how: Dissimilarity
    share: float = 1.0

    @cached_property
    def alignments(self) -> list[BestAlignment]:
        continua = [continuum_of(item, self.codes) for item in self.items]
        order = sorted(range(len(continua)), key=lambda i: continua[i].annotators)
        tasks = in_tasks([Piece(continua[i], 0, 0, -1) for i in order])
        with use_engine("threads") as engine:
            results = chain.from_iterable(engine.map(partial(_best_together, self.how, self.share), tasks))
            by_place = dict(zip(order, results, strict=True))
        return [by_place[i] for i in range(len(continua))]


def _best_together(how: Dissimilarity, share: float, task: Sequence[Piece]) -> list[BestAlignment]:
    """Return the best alignment of each item of a task; its table refers to the units of the item alone."""
    table = observed_units([piece.continuum for piece in task]).table(task[0].continuum.annotators)
    alignments = best_alignments(table, how, share=share)
    return alignments.split()


def _stacked(observed: Sequence[Floats], samples: Sequence[Floats]) -> tuple[Floats, Floats, Counts]:
    """Return the numbers of all cells, those of all samples, and the cell of each sample."""
    cell_of = repeat(np.arange(len(samples)), [len(drawn) for drawn in samples])
    return np.array(observed), np.concatenate(samples), cell_of


def _weighted(observed: Floats, samples: Floats, cell_of: Counts) -> Floats:
    """Return numerator, weight, weight times the mean ratio of the samples, and the variance of the third number."""
    # There is one row per row of ``observed``, which has numerators and weights, as ``samples`` has. Samples without weight are
    # left out. All numbers of a row are 0 if it has no weight or no sample with weight.
    (numerator, weight), (numerators, weights), cells = observed.T, samples.T, len(observed)
    used = weights > 0
    ratios, owner = numerators[used] / weights[used], cell_of[used]
    number = bincount(owner, minlength=cells)
    mean = sum_groups(ratios, owner, cells) / np.maximum(number, 1)
    squares = sum_groups((ratios - mean[owner]) ** 2, owner, cells)
    variance = squares / (np.maximum(number, 1) * np.maximum(number - 1, 1))
    rows = np.column_stack((numerator, weight, weight * mean, weight**2 * variance))
    return np.where(((weight > 0) & (number > 0))[:, None], rows, 0.0)
