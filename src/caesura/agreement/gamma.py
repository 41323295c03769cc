"""Gamma, gamma-cat and gamma-k: agreement on spans with gaps, overlaps and categories.

With u, v units, D = delta_empty, n annotators, C2 = n (n - 1) / 2 and a mean of x units per annotator (Mathet et al. 2015)::

    d_pos(u, v) = ((|s_u - s_v| + |e_u - e_v|) / ((e_u - s_u) + (e_v - s_v)))^2 D
    d_cat(u, v) = distance of the categories, from 0 to 1, times D
    d(u, v)     = alpha d_pos + beta d_cat;   d = D if one of the two is empty, or both

A unitary alignment has at most one unit of each annotator; its disorder is the mean of d over all C2 pairs. An alignment
contains every unit once; its disorder is the sum over its unitary alignments divided by x. The observed disorder is that of the
best alignment, which :mod:`caesura.measures.unitary` finds exactly. The expected disorder is the mean over random continua
(:mod:`caesura.agreement.gamma_chance`). ::

    gamma = 1 - observed disorder / expected disorder

gamma-cat and gamma-k (Mathet 2017) look at the categories in the best alignment. In a unitary alignment of v >= 2 units, each
pair has the weight w = max(0, 1 - d_pos / D) / (v - 1), and ::

    delta_cat = sum of w times the distance of the categories / sum of w
    gamma-cat = 1 - delta_cat / mean delta_cat of the random continua

gamma-k(c) uses only pairs with at least one unit of category c.

Over several items, disorders are weighted with x (gamma) or with the sum of w (gamma-cat, gamma-k), so that long items count
more, and chance stays inside an item.

References
----------
- Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma for inter-annotator agreement
  measure and alignment. Computational Linguistics 41.
- Mathet, Y. (2017). The agreement measure gamma-cat: a complement to gamma focused on categorization of a continuum.
  Computational Linguistics 43.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from caesura.agreement.category_distance import CategoryDistances, check_categories
from caesura.agreement.gamma_alignment import ItemAlignment, category_terms, concatenate, continuum_of, item_alignment
from caesura.agreement.gamma_chance import (
    FIRST_SAMPLES,
    NORMAL_QUANTILE,
    Continuum,
    Sampler,
    Shift,
    Statistical,
    UnitColumns,
    samples_needed,
    sampling_interval,
)
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import NOTHING_MARKED, Disorders, Job, Plan, UnitizingCoefficient
from caesura.engines import Engine
from caesura.errors import InputError
from caesura.limits import MAX_SAMPLES
from caesura.measures.unitary import Alignments, Dissimilarity, UnitTable, best_alignment, best_alignments
from caesura.model.corpus import Corpus
from caesura.model.value import Floats
from caesura.notices import warn
from caesura.options import choice, flag, non_negative, positive, setting, text, whole

MIN_UNITS = 5
"""Mean number of units per coder below which expected disorder varies much from sample to sample."""
_HEAD = 8
_CHUNK = 3000  # units per task

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


class _Piece(NamedTuple):
    """Some samples of one continuum; the observed units, which are one sample, if ``last`` is -1."""

    continuum: Continuum
    place: int
    first: int
    last: int

    @property
    def annotators(self) -> int:
        return len(self.continuum.lines)

    @property
    def samples(self) -> int:
        return 1 if self.last < 0 else self.last - self.first

    def columns(self, sampler: Sampler, seed: int) -> UnitColumns:
        """Return the units of the samples."""
        if self.last < 0:
            return self.continuum.columns()
        return sampler.columns(self.continuum, seed, self.place, self.first, self.last)


class _Cell(NamedTuple):
    """One item for one group of coders, and the continuum from which chance is drawn."""

    observed: Continuum
    chance: Continuum
    place: int
    group: tuple[str, ...]


@dataclass(frozen=True)
class _GammaFamily(UnitizingCoefficient):
    """Options and computation that gamma, gamma-cat and gamma-k share."""

    sampled = True
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

    # -- parts ----------------------------------------------------------------------------------------------------------

    def item_parts(self, item: UnitizedItem, plan: Plan) -> Floats:
        from caesura.engines import use_engine

        with use_engine("threads") as engine:
            (rows,) = self.all_parts([Job(item, (item.coders,))], plan, engine)
        if isinstance(rows, InputError):
            raise rows
        return np.asarray(rows[0])

    def all_parts(self, jobs: Sequence[Job], plan: Plan, engine: Engine) -> list[Floats | InputError]:
        how = self.dissimilarity(plan)
        cells = self._cells(jobs, plan)
        marked = [cell for cell in cells if cell.observed.units]
        observed = self._compute([_Piece(cell.observed, 0, 0, -1) for cell in marked], how, plan, engine)
        chance = {id(cell.chance): (cell.chance, cell.place) for cell in marked}
        drawn = self._draw(chance, dict.fromkeys(chance, self.samples or FIRST_SAMPLES), {}, how, plan, engine)
        if self.samples is None:
            wanted = self._wanted(marked, observed, drawn)
            drawn = self._draw(chance, wanted, drawn, how, plan, engine)
        parts = iter([self._parts(row[0], drawn[id(cell.chance)]) for cell, row in zip(marked, observed, strict=True)])
        empty = np.zeros(_HEAD + 3 * self._tables(plan))
        rows = iter([next(parts) if cell.observed.units else empty for cell in cells])
        return [np.array([next(rows) for _ in job.groups]) for job in jobs]

    def _cells(self, jobs: Sequence[Job], plan: Plan) -> list[_Cell]:
        cells = []
        joined: dict[tuple[str, ...], list[Continuum]] = {}
        for place, job in enumerate(jobs):
            for group in job.groups:
                continuum = continuum_of(job.item.select(group), plan.categories)
                cells.append(_Cell(continuum, continuum, place, group))
                joined.setdefault(group, []).append(continuum)
        if self.chance != "concatenated":
            return cells
        together = {group: concatenate(parts) for group, parts in joined.items()}
        return [cell._replace(chance=together[cell.group], place=0) for cell in cells]

    def _draw(
        self,
        chance: Mapping[int, tuple[Continuum, int]],
        wanted: Mapping[int, int],
        drawn: Mapping[int, Floats],
        how: Dissimilarity,
        plan: Plan,
        engine: Engine,
    ) -> dict[int, Floats]:
        """Return the rows of the wanted number of samples of each continuum; ``drawn`` are the first ones."""
        pieces, owners = [], []
        for key, (continuum, place) in chance.items():
            first = len(drawn[key]) if key in drawn else 0
            size = max(1, _CHUNK // max(continuum.units, 1))
            for begin in range(first, wanted[key], size):
                pieces.append(_Piece(continuum, place, begin, min(begin + size, wanted[key])))
                owners.append(key)
        rows: dict[int, list[Floats]] = {key: [drawn[key]] if key in drawn else [] for key in chance}
        for key, block in zip(owners, self._compute(pieces, how, plan, engine), strict=True):
            rows[key].append(block)
        return {key: np.concatenate(blocks) for key, blocks in rows.items()}

    def _compute(self, pieces: Sequence[_Piece], how: Dissimilarity, plan: Plan, engine: Engine) -> list[Floats]:
        """Return the statistics of the samples of each piece, one row per sample."""
        order = sorted(range(len(pieces)), key=lambda i: pieces[i].annotators)
        tasks = _tasks([pieces[i] for i in order])
        blocks = (
            block
            for task, rows in zip(tasks, engine.map(partial(_rows, self, how, plan), tasks), strict=True)
            for block in np.split(rows, np.cumsum([piece.samples for piece in task[:-1]]))
        )
        result = dict(zip(order, blocks, strict=True))
        return [result[i] for i in range(len(pieces))]

    def _wanted(
        self, cells: Sequence[_Cell], observed: Sequence[Floats], drawn: Mapping[int, Floats]
    ) -> dict[int, int]:
        """Return the number of samples of each continuum that gives the sum over items its precision."""
        sums: dict[tuple[str, ...], Floats] = {}
        for cell, row in zip(cells, observed, strict=True):
            parts = self._parts(row[0], drawn[id(cell.chance)])[:4]
            sums[cell.group] = sums.get(cell.group, np.zeros(4)) + parts
        wanted: dict[int, int] = {}
        for cell in cells:
            total = sums[cell.group]
            error = NORMAL_QUANTILE * math.sqrt(total[3]) / total[2] if total[2] > 0 else 0.0
            number = samples_needed(error, self.precision)
            wanted[id(cell.chance)] = max(number, wanted.get(id(cell.chance), 0))
        return wanted

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
        number = max(len(plan.categories), 1)
        distance = 1.0 - np.eye(number) if self.categories is None else self.categories.matrix(plan.categories)
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
        """Return the number of categories with own parts."""
        return 0

    def _parts(self, observed: Floats, samples: Floats) -> Floats:
        """Return the parts of one item: see :meth:`_head`; then three parts per category."""
        parts = list(self._head(observed, samples))
        for k in range(6, len(observed), 2):
            parts += _weighted(float(observed[k]), float(observed[k + 1]), samples[:, k], samples[:, k + 1])[:3]
        return np.array(parts)

    def _head(self, observed: Floats, samples: Floats) -> Floats:
        """Return observed disorder times weight, weight, expected disorder times weight, the variance of the third part
        due to sampling, units, unproved alignments, lower bound of the total cost, and samples.
        """
        parts = _weighted(float(observed[4]), float(observed[5]), samples[:, 4], samples[:, 5])
        unproved = float((observed[3] == 0) + (samples[:, 3] == 0).sum())
        return np.array([*parts, observed[2], unproved, observed[1], len(samples)])

    def statistics(self, alignments: Alignments, plan: Plan) -> Floats:
        """Return the numbers of each alignment that the coefficient needs.

        Parameters
        ----------
        alignments : Alignments
            An alignment per sample.
        plan : Plan
            What all items share.

        Returns
        -------
        numpy.ndarray, samples x numbers
            Disorder times x, its lower bound, number of units, whether the alignment is proved; then numerator and weight
            that the coefficient uses, for all categories and for each one.
        """
        size, units = self.delta_empty, np.diff(alignments.table.offset)
        head = (alignments.cost * size, alignments.bound * size, units, alignments.proved)
        return np.column_stack((*head, self._terms(alignments, plan)))

    def _terms(self, alignments: Alignments, plan: Plan) -> Floats:
        raise NotImplementedError

    # -- results ----------------------------------------------------------------------------------------------------------

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
        if not parts[4]:
            return NOTHING_MARKED
        return "expected disorder is 0"

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        how = self.dissimilarity(plan)
        alignments = list(engine.map(partial(_align, self, how, plan), items))
        total = parts.sum(axis=0)
        disorders = self.finish(total[None], plan)
        observed, expected = float(disorders.observed[0]), float(disorders.expected[0])
        error = math.sqrt(total[3]) / total[1] if total[1] > 0 else math.nan
        if total[5]:
            warn(
                f"{self.name}: {int(total[5])} of {int(total[7]) + len(items)} alignments are not proved to be the best, "
                "because the search took too much work; .alignment has the lower bound of the observed disorder"
            )
        ends = sampling_interval(observed, expected, NORMAL_QUANTILE * error) if expected > 0 else None
        return {
            "alignment": {item.name: alignment for item, alignment in zip(items, alignments, strict=True)},
            "sampling_interval": ends if self.average == "micro" else None,
            "method": f"{self.chance} sampling",
            "draws": int(total[7]),
            "expected_error": float(error),
            "standard_error": float(observed * error / expected**2) if expected > 0 else 0.0,
            "params": self.settings | {"proved": not bool(total[5]), "distance_cut": self._cut(items, plan)},
        }

    def _cut(self, items: Sequence[UnitizedItem], plan: Plan) -> bool:
        """Return whether the distance between shifts had to be cut for an item."""
        sampler = self.sampler()
        if not isinstance(sampler, Shift):
            return False
        continua = (continuum_of(item, plan.categories) for item in items)
        return any(sampler.smallest_distance(continuum)[1] for continuum in continua if continuum.units)

    def warnings(self, items: Sequence[UnitizedItem]) -> Iterable[str]:
        lengths = sum(int((spans.starts == spans.ends).sum()) for item in items for spans in item.annotations.values())
        if lengths:
            yield f"{lengths} spans have length 0; two of them are aligned only at the same position"
        twice = sum(len(spans) - len(set(spans.spans)) for item in items for spans in item.annotations.values())
        if twice:
            yield f"{twice} spans occur twice with the same coder; both are kept"
        units = sum(len(spans) for item in items for spans in item.annotations.values())
        coders = sum(len(item.annotations) for item in items)
        if units and units < MIN_UNITS * coders and len(items) == 1:
            yield (
                f"there are fewer than {MIN_UNITS} spans per coder; the disorder of random samples varies much, "
                "see the sampling interval"
            )


def _tasks(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Return the pieces in groups that are aligned together: they have equally many annotators, and not too many units."""
    tasks: list[list[_Piece]] = []
    units = 0
    for piece in pieces:
        if not tasks or units > _CHUNK or piece.annotators != tasks[-1][0].annotators:
            tasks.append([])
            units = 0
        tasks[-1].append(piece)
        units += piece.samples * piece.continuum.units
    return tasks


def _rows(coefficient: _GammaFamily, how: Dissimilarity, plan: Plan, task: Sequence[_Piece]) -> Floats:
    """Return the statistics of the samples of a task, one row per sample."""
    sampler = coefficient.sampler()
    units = UnitColumns.join([piece.columns(sampler, plan.seed) for piece in task])
    return coefficient.statistics(best_alignments(units.table(task[0].annotators), how), plan)


def _align(coefficient: _GammaFamily, how: Dissimilarity, plan: Plan, item: UnitizedItem) -> ItemAlignment:
    table = continuum_of(item, plan.categories).table()
    return item_alignment(
        item, best_alignment(table, how), coefficient.delta_empty, float(coefficient.divisor(table)[0])
    )


def best_span_alignment(corpus: Corpus, coefficient: Gamma | None = None) -> dict[str, ItemAlignment]:
    """Return the best alignment of the coders' spans for each item, without chance.

    Parameters
    ----------
    corpus : Corpus
        Spans of at least two coders.
    coefficient : Gamma, optional
        Weights and distances (default: those of :class:`Gamma`).

    Returns
    -------
    dict of str to ItemAlignment
        Item -> alignment; items that fewer than two coders annotated are left out.

    Examples
    --------
    >>> import caesura as cz
    >>> corpus = cz.Corpus({"text": {"ann": cz.Spans([(0, 4), (6, 9)]), "bo": cz.Spans([(0, 5)])}})
    >>> [unitary.units for unitary in best_span_alignment(corpus)["text"].unitary][1]
    (MarkedSpan(start=6.0, end=9.0, category=None), None)
    """
    chosen = coefficient or Gamma()
    items, _ = unitized_items(corpus, chosen.bounds)
    return align_items(items, chosen)


def align_items(items: Sequence[UnitizedItem], coefficient: Gamma) -> dict[str, ItemAlignment]:
    """Return the best alignment of each item.

    Parameters
    ----------
    items : sequence of UnitizedItem
        The items.
    coefficient : Gamma
        Weights and distances.

    Returns
    -------
    dict of str to ItemAlignment
        Item -> alignment.
    """
    names = {name for item in items for spans in item.annotations.values() for name in spans.category_names}
    plan = Plan(tuple(sorted(names, key=lambda name: (name is not None, name or ""))), 0)
    how = coefficient.dissimilarity(plan)
    return {item.name: _align(coefficient, how, plan, item) for item in items}


def _weighted(numerator: float, weight: float, numerators: Floats, weights: Floats) -> list[float]:
    """Return numerator, weight, weight times the mean ratio of the samples, and the variance of the third number.

    Samples without weight are left out. All are 0 if there is no weight or no sample with weight.
    """
    used = weights > 0
    if weight <= 0 or not used.any():
        return [0.0, 0.0, 0.0, 0.0]
    ratios = numerators[used] / weights[used]
    mean = math.fsum(ratios) / len(ratios)
    variance = float(np.var(ratios, ddof=1)) / len(ratios) if len(ratios) > 1 else 0.0
    return [numerator, weight, weight * mean, weight**2 * variance]


@dataclass(frozen=True)
class Gamma(_GammaFamily):
    """Gamma of Mathet, Widlöcher & Métivier (2015): agreement on positions and categories of spans.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma"`` means ``Gamma()``. Spans may leave gaps, overlap,
    nest and occur twice. 1 is full agreement, 0 is what shifted annotations reach; there is no lower limit.
    :mod:`caesura.agreement.gamma` has the equations.
    """

    name = "gamma"
    title = "gamma"
    always_shown = ("alpha", "beta", "delta_empty")

    def _terms(self, alignments: Alignments, plan: Plan) -> Floats:
        return np.column_stack((alignments.cost * self.delta_empty, self.divisor(alignments.table)))

    def reason(self, parts: Floats, plan: Plan) -> str:
        return super().reason(parts, plan) + (": random samples agree completely" if parts[4] else "")


@dataclass(frozen=True)
class GammaCat(_GammaFamily):
    """Gamma-cat of Mathet (2017): agreement on the categories of spans that the best alignment puts together.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma_cat"`` means ``GammaCat()``. The table ``categories``
    of the result has gamma-k, one row per category. :mod:`caesura.agreement.gamma` has the equations.
    """

    name = "gamma_cat"
    title = "gamma-cat"
    category_label = "gamma-k"
    always_shown = ("alpha", "beta", "delta_empty")

    def _tables(self, plan: Plan) -> int:
        return len(plan.categories)

    def _terms(self, alignments: Alignments, plan: Plan) -> Floats:
        return category_terms(alignments, len(plan.categories), self.delta_empty, unaligned=self.unaligned)

    def category_table(self, parts: Floats, plan: Plan) -> list[tuple[float | None, float | None, str | None]]:
        table: list[tuple[float | None, float | None, str | None]] = []
        for k in range(len(plan.categories)):
            value = float(self._of_category(parts[None], k).values[0])
            reason = _no_value(parts[_HEAD + 3 * k + 1])
            table.append((None, None, reason) if math.isnan(value) else (value, None, None))
        return table

    def _of_category(self, parts: Floats, k: int) -> Disorders:
        return self._finish(*(parts[:, _HEAD + 3 * k + i] for i in range(3)))

    def reason(self, parts: Floats, plan: Plan) -> str:
        return NOTHING_MARKED if not parts[4] else _no_value(parts[1])


def _no_value(weight: float) -> str:
    if weight <= 0:
        return "no span is aligned with a span of another coder closely enough to have weight"
    return "expected disorder is 0: there is only one category"


@dataclass(frozen=True)
class GammaK(GammaCat):
    """Gamma-k of Mathet (2017): agreement on one category in the best alignment.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma_k"`` means ``GammaK()``. Its value is that of the
    option ``category``. Without this option it is the value of all categories together, which is gamma-cat.
    """

    name = "gamma_k"
    title = "gamma-k"

    category: str | None = setting(None, text, "The category k (default: all categories together, which is gamma-cat).")

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        if self.category is None:
            return super().finish(parts, plan)
        return self._of_category(parts, plan.place_of(self.category))

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        fields = super().extras(items, parts, plan, engine)
        if self.category is not None:  # the parts of one category have no variance
            fields |= {"sampling_interval": None, "expected_error": 0.0, "standard_error": 0.0}
        return fields

    def reason(self, parts: Floats, plan: Plan) -> str:
        if self.category is None or not parts[4]:
            return super().reason(parts, plan)
        return f"category {self.category!r}: {_no_value(parts[_HEAD + 3 * plan.place_of(self.category) + 1])}"
