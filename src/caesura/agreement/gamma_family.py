"""Options and computation that gamma, gamma-cat and gamma-k share; :mod:`caesura.agreement.gamma` has the equations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from caesura.agreement.gamma_samples import Cell, Recipe, SampleRows, in_progress, in_tasks
from caesura.agreement.unitary import Alignments, Counts, Dissimilarity, UnitTable, best_alignments
from caesura.agreement.unitized import UnitizedItem
from caesura.agreement.unitizing import (
    NOTHING_MARKED,
    Disorders,
    Job,
    Plan,
    UnitizingCoefficient,
    shared_result,
    shared_store,
)
from caesura.engines import Engine, use_engine
from caesura.errors import InputError
from caesura.kernels.sums import sum_groups
from caesura.memory import memory_size
from caesura.model.index import bincount, repeat
from caesura.model.value import Floats
from caesura.options import choice, flag, non_negative, positive, setting, whole

# Reason why a coefficient is undefined.
NO_DISORDER = "expected disorder is 0"
# Mean number of units per coder below which expected disorder varies much from sample to sample.
MIN_UNITS = 5
# Number of parts of an item before those of its categories.
HEAD_PARTS = 9
_CATEGORY_MEMORY = 1 / 8  # share of the memory for values of categories
_ALIGNMENT = 4  # numbers of an alignment before the terms of the coefficients

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
    samples: int | None = setting(None, whole(2), "Number of samples (default: 30, or as many as the precision needs).")
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
        rows, cells = self._sample_rows(plan, engine), self._cells(jobs, plan)
        parts = [np.zeros((len(job.groups), HEAD_PARTS + 3 * self._tables(plan))) for job in jobs]
        if cells:
            observed = rows.observed(cells)
            samples = rows.samples(cells, [self.samples or FIRST_SAMPLES] * len(cells))
            if self.samples is None:
                samples = rows.samples(cells, self._wanted(cells, observed, samples))
            for cell, row in zip(cells, self._parts_of_cells(observed, samples), strict=True):
                parts[cell.place][jobs[cell.place].groups.index(cell.group)] = row
        return [*parts]

    def _cells(self, jobs: Sequence[Job], plan: Plan) -> list[Cell]:
        """Return the items with each group of coders who marked anything."""
        codes = plan.codes
        cells = []
        for place, (item, groups) in enumerate(jobs):
            for group in groups:
                whole = group == item.coders
                continuum = _shared_continuum(item, codes) if whole else continuum_of(item.select(group), codes)
                if continuum.units:
                    cells.append(Cell(continuum, continuum, place, group, whole, place))
        if self.chance != "concatenated":
            return cells
        together = {
            coders: concatenate([continuum_of(job.item.select(coders), codes) for job in jobs if coders in job.groups])
            for coders in {cell.group for cell in cells}
        }
        return [cell._replace(chance=together[cell.group], chance_place=0) for cell in cells]

    def _sample_rows(self, plan: Plan, engine: Engine) -> SampleRows:
        """Return what computes the numbers of alignments; coefficients that share samples compute the terms of all."""
        how, shared = self.dissimilarity(plan), shared_store() is not None
        fixed = (self.alpha, self.beta, self.delta_empty, how.distance.tobytes(), self.mean_units, self.unaligned)
        chance = (self.chance, self.pivots, self.pivot_distance, shared or type(self), tabled_categories(plan))
        statistics = partial(self.statistics, plan=plan, with_categories=shared or self.of_categories)
        return SampleRows(Recipe(how, self.sampler(), plan.seed, statistics), (*fixed, *chance), engine)

    def _wanted(self, cells: Sequence[Cell], observed: Sequence[Floats], samples: Sequence[Floats]) -> list[int]:
        """Return the number of samples of each cell that gives the sum over the items of its group its precision."""
        terms = slice(self._first_term, self._first_term + 2)
        parts = _weighted(*_stacked([row[terms] for row in observed], [rows[:, terms] for rows in samples]))
        numbers: dict[tuple[tuple[str, ...], bool], int] = {}
        group_of = [numbers.setdefault((cell.group, cell.whole), len(numbers)) for cell in cells]
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

    def _parts_of_cells(self, observed: Sequence[Floats], samples: Sequence[Floats]) -> Floats:
        """Return the parts of each cell: see ``_head``; then three parts per category."""
        own, drawn, cell_of = _stacked(observed, samples)
        parts = [self._head(own, drawn, cell_of)]
        if self.of_categories:
            for k in range(self._first_term + 2, own.shape[1], 2):
                parts.append(_weighted(own[:, k : k + 2], drawn[:, k : k + 2], cell_of)[:, :3])
        return np.concatenate(parts, axis=1)

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
            Disorder times x, its lower bound, number of units, and whether the alignment is proved; then numerator and weight
            of gamma, of gamma-cat, and of each category.
        """
        size, units = self.delta_empty, np.diff(alignments.table.offset)
        head = (alignments.cost * size, alignments.bound * size, units, alignments.proved)
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

    def align(self, items: Sequence[UnitizedItem], plan: Plan) -> Mapping[str, ItemAlignment]:
        """Return the best alignment of each item, which is computed when it is looked at.

        Parameters
        ----------
        items : sequence of UnitizedItem
            The items.
        plan : Plan
            What all items share.

        Returns
        -------
        mapping of str to ItemAlignment
            Item -> alignment.
        """
        alignments = ItemAlignments([item.name for item in items], partial(self._aligned, tuple(items), plan))
        shared = shared_store()
        if shared is None:
            return alignments
        how = self.dissimilarity(plan)
        weights = (self.alpha, self.beta, how.distance.tobytes(), self.delta_empty, self.mean_units)
        known: ItemAlignments = shared.setdefault(("alignments", weights, tuple(map(id, items))), alignments)
        return known

    def _aligned(self, items: Sequence[UnitizedItem], plan: Plan) -> list[AlignedItem]:
        codes = plan.codes
        continua = [continuum_of(item, codes) for item in items]
        order = sorted(range(len(items)), key=lambda i: continua[i].annotators)
        tasks = in_tasks([Piece(continua[i], i, 0, -1) for i in order])
        aligned: dict[int, AlignedItem] = {}
        with use_engine("threads") as engine:
            results = in_progress(engine, partial(_best_together, self.dissimilarity(plan)), tasks)
            for task, found in zip(tasks, results, strict=True):
                divisor = self.divisor(found.table).tolist()
                for number, piece in enumerate(task):
                    facts = (found, number, self.delta_empty, divisor[number])
                    aligned[piece.place] = AlignedItem(items[piece.place], *facts)
        return [aligned[i] for i in range(len(items))]

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
    needed = 2 * 8 * FIRST_SAMPLES * plan.groups * len(plan.categories)
    return len(plan.categories) if needed <= _CATEGORY_MEMORY * memory_size() else 0


def _best_together(how: Dissimilarity, task: Sequence[Piece]) -> Alignments:
    table = observed_units([piece.continuum for piece in task]).table(task[0].continuum.annotators)
    return best_alignments(table, how)


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
