"""Statistics of observed and random alignments for gamma, within a limit on work.

A row of statistics belongs to one alignment. Rows of random samples extend each other: sample i depends on the seed and i only.
The work of an alignment is an estimate from counts (:mod:`caesura.measures.unitary`), so the decisions about work below are the
same on every machine and engine:

1. If five samples would take too much work, the corpus is refused.
2. If 30 samples, or as many as the precision needs, would take too much work, there are fewer, and a warning says so.
3. If the tables of pairs or of all coders but one would take too much work, they are left out, and a warning says so.

A number of samples that the user sets is drawn whatever it takes, with all tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np

from caesura.agreement.gamma_chance import FIRST_SAMPLES, Continuum, Piece, Sampler, observed_units
from caesura.agreement.unitizing import Job, shared_store
from caesura.engines import Engine
from caesura.errors import LimitError
from caesura.limits import MAX_SAMPLE_WORK, MAX_TABLE_WORK
from caesura.measures.unitary import GROWTH, MANY_ANNOTATORS, Alignments, Dissimilarity, best_alignments
from caesura.model.value import Floats
from caesura.notices import warn

MIN_SAMPLES = 5
"""Number of samples below which a corpus is refused."""
SAMPLE_EFFORT = 0.25
"""Effort for the alignment of a random sample; that for the observed units is 1."""
WORK_COLUMN = 4
_PROVED_COLUMN = 3
_CHUNK = 3000  # units per task
_WINDOW_WORK = 4  # nanoseconds per pair of units that are near each other
_FEW_UNITS = 1000
_MARGIN = 5
_PILOT_ITEMS = 20
_PAIR_WORK = 1000  # nanoseconds per unit of a pair of coders


class Cell(NamedTuple):
    """One item for one group of coders, and the continuum from which chance is drawn.

    Attributes
    ----------
    observed, chance : Continuum
        Observed units, and the units from which random samples are drawn.
    place : int
        Place of the item in the order of names.
    group : tuple of str
        The coders.
    chance_place : int
        Place of the item from which random samples are drawn.
    """

    observed: Continuum
    chance: Continuum
    place: int
    group: tuple[str, ...]
    chance_place: int


class Group(NamedTuple):
    """Some coders of one item.

    Attributes
    ----------
    place : int
        Place of the item in the order of names.
    coders : tuple of str
        The coders.
    units : int
        Number of their units.
    everyone : bool
        Whether these are all coders of the item.
    """

    place: int
    coders: tuple[str, ...]
    units: int
    everyone: bool

    @classmethod
    def all_of(cls, place: int, job: Job) -> Iterator[Group]:
        """Iterate over the groups of a job.

        Parameters
        ----------
        place : int
            Place of the item in the order of names.
        job : Job
            The item with its groups.

        Yields
        ------
        Group
        """
        sizes = {coder: len(spans) for coder, spans in job.item.annotations.items()}
        for coders in job.groups:
            yield cls(place, coders, sum(sizes[coder] for coder in coders), len(coders) == len(sizes))


@dataclass(frozen=True)
class Recipe:
    """How a row of statistics is computed: everything that a task of an engine needs.

    Attributes
    ----------
    how : Dissimilarity
        How units are compared.
    sampler : Sampler
        How random samples are drawn.
    seed : int
        Random seed.
    statistics : callable
        Function from alignments to rows of numbers; ``WORK_COLUMN`` is the work.
    """

    how: Dissimilarity
    sampler: Sampler
    seed: int
    statistics: Callable[[Alignments], Floats]

    def __call__(self, task: Sequence[Piece]) -> Floats:
        """Return the statistics of the samples of a task, one row per sample."""
        observed = task[0].last < 0
        units = (
            observed_units([piece.continuum for piece in task]) if observed else self.sampler.columns(task, self.seed)
        )
        table = units.table(task[0].continuum.annotators)
        return self.statistics(best_alignments(table, self.how, effort=1.0 if observed else SAMPLE_EFFORT))


def warn_once(name: str, message: str) -> None:
    """Issue a warning about a coefficient, unless another coefficient with the same samples has issued it.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    message : str
        The rest of the warning.
    """
    shared = shared_store()
    if shared is not None and shared.setdefault(("warned", message), name) != name:
        return
    warn(f"{name}: {message}")


class SampleRows:
    """Rows of statistics of observed units and random samples; rows that are known already are not computed again.

    Parameters
    ----------
    recipe : Recipe
        How rows are computed.
    key : hashable
        Everything on which rows depend besides the units, the place and the seed.
    engine : Engine
        Engine that runs the computation.
    """

    def __init__(self, recipe: Recipe, key: Any, engine: Engine) -> None:
        self.recipe, self.key, self.engine = recipe, key, engine
        shared = shared_store()
        self.known: dict[Any, Floats] = {} if shared is None else shared

    def observed(self, cells: Sequence[Cell]) -> list[Floats]:
        """Return the row of the observed units of each cell.

        Parameters
        ----------
        cells : sequence of Cell
            The cells.

        Returns
        -------
        list of numpy.ndarray
        """
        keys = [self._key(cell.observed, -1) for cell in cells]
        self._compute({key: Piece(cell.observed, 0, 0, -1) for key, cell in zip(keys, cells, strict=True)})
        return [self.known[key][0] for key in keys]

    def samples(self, cells: Sequence[Cell], wanted: Sequence[int]) -> list[Floats]:
        """Return the rows of the wanted number of samples of each cell.

        Parameters
        ----------
        cells : sequence of Cell
            The cells.
        wanted : sequence of int
            Number of samples of each cell; of cells with the same chance, the largest counts.

        Returns
        -------
        list of numpy.ndarray, samples x numbers
        """
        numbers: dict[Any, int] = {}
        keys = [self._key(cell.chance, cell.chance_place) for cell in cells]
        for key, number in zip(keys, wanted, strict=True):
            numbers[key] = max(number, numbers.get(key, 0))
        self._compute(
            {
                key: Piece(cell.chance, cell.chance_place, len(self.known.get(key, ())), numbers[key])
                for key, cell in zip(keys, cells, strict=True)
            }
        )
        return [self.known[key][: numbers[key]] for key in keys]

    def _key(self, continuum: Continuum, place: int) -> Any:
        return self.key, self.recipe.seed, place, continuum.digest

    def _compute(self, missing: Mapping[Any, Piece]) -> None:
        """Compute the rows of the pieces, and add them to those that are known."""
        pieces, owners = [], []
        for key, piece in missing.items():
            if piece.last < 0:
                parts = [piece] if key not in self.known else []
            else:
                size = max(1, _CHUNK // max(piece.continuum.units, 1))
                steps = range(piece.first, piece.last, size)
                parts = [piece._replace(first=begin, last=min(begin + size, piece.last)) for begin in steps]
            pieces += parts
            owners += [key] * len(parts)
        rows: dict[Any, list[Floats]] = {}
        for key, block in zip(owners, self._blocks(pieces), strict=True):
            rows.setdefault(key, [self.known[key]] if key in self.known else []).append(block)
        self.known.update({key: np.concatenate(blocks) for key, blocks in rows.items()})

    def _blocks(self, pieces: Sequence[Piece]) -> list[Floats]:
        """Return the rows of each piece."""
        order = sorted(range(len(pieces)), key=lambda i: pieces[i].continuum.annotators)
        tasks = in_tasks([pieces[i] for i in order])
        blocks = (
            block
            for task, rows in zip(tasks, self.engine.map(self.recipe, tasks), strict=True)
            for block in np.split(rows, np.cumsum([piece.samples for piece in task[:-1]]))
        )
        result = dict(zip(order, blocks, strict=True))
        return [result[i] for i in range(len(pieces))]


def in_tasks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces in groups that are aligned together: they have equally many annotators, and not too many units.

    Parameters
    ----------
    pieces : sequence of Piece
        The pieces, in the order of their numbers of annotators.

    Returns
    -------
    list of list of Piece
    """
    tasks: list[list[Piece]] = []
    units = 0
    for piece in pieces:
        if not tasks or units > _CHUNK or piece.continuum.annotators != tasks[-1][0].continuum.annotators:
            tasks.append([])
            units = 0
        tasks[-1].append(piece)
        units += piece.samples * piece.continuum.units
    return tasks


def _easier(coders: int) -> float:
    """Return the work for a group of coders as a part of the work with one coder more."""
    return 1 / GROWTH if coders < MANY_ANNOTATORS else 1.0


def refuse(name: str, cells: Sequence[Cell], work: float) -> NoReturn:
    """Raise the error that says how much work a few samples would take.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    cells : sequence of Cell
        All coders of each item.
    work : float
        The work in nanoseconds.

    Raises
    ------
    LimitError
        Always.
    """
    units = sum(cell.observed.units for cell in cells)
    coders = max(len(cell.group) for cell in cells)
    raise LimitError(
        f"{name}: {MIN_SAMPLES} random samples of {units:,} spans of up to {coders} coders would take about "
        f"{work / 1e9:.0f} seconds of work, more than {MAX_SAMPLE_WORK / 1e9:g}; choose fewer coders or items, or set "
        f"the number of samples to compute it all the same: '{name}(samples={MIN_SAMPLES})'"
    )


def check_before(name: str, cells: Sequence[Cell], alpha: float, rows: SampleRows) -> None:
    """Raise an error if the observed units alone would take too much work, before they are aligned.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    cells : sequence of Cell
        All coders of each item.
    alpha : float
        Weight of positions.
    rows : SampleRows
        Rows of statistics; those of the first items show how much work there is.

    Raises
    ------
    LimitError
        If so.
    """
    work = MIN_SAMPLES * _WINDOW_WORK * float(sum(_pairs_in_reach(cell.observed, alpha) for cell in cells))
    if work <= MAX_SAMPLE_WORK and len(cells) > _PILOT_ITEMS:
        first = rows.observed(cells[:_PILOT_ITEMS])
        # Other items may be easier than the first ones, so that only a clear excess counts.
        work = MIN_SAMPLES * SAMPLE_EFFORT * float(np.mean([row[WORK_COLUMN] for row in first])) * len(cells)
    if work > MAX_SAMPLE_WORK:
        refuse(name, cells, work)


def _pairs_in_reach(continuum: Continuum, alpha: float) -> int:
    """Return the number of pairs of units that are near enough to be compared."""
    number, starts, ends = continuum.annotators, continuum.starts, continuum.ends
    if continuum.units < _FEW_UNITS:
        return 0
    order = np.argsort(starts + ends, kind="stable")
    middles, lengths = (starts + ends)[order], (ends - starts)[order]
    reach = math.sqrt((number * (number - 1) / 2 + number - 1) / alpha) * (lengths + lengths.max())
    return int((np.searchsorted(middles, middles + reach, side="right") - np.arange(1, len(order) + 1)).sum())


def _mean_work(samples: Sequence[Floats]) -> float:
    """Return the mean work of one sample of every item."""
    if not samples:
        return 0.0
    numbers = np.array([len(rows) for rows in samples])
    work = np.concatenate([rows[:, WORK_COLUMN] for rows in samples])
    return float((work / np.repeat(numbers, numbers)).sum())


@dataclass(frozen=True)
class WorkLimit:
    """How many samples may be drawn, and which tables may be computed.

    Attributes
    ----------
    cells : tuple of Cell
        All coders of each item.
    observed : tuple of numpy.ndarray
        Their rows.
    fixed : int or None
        Number of samples that the user set; there is then no limit.
    """

    cells: tuple[Cell, ...]
    observed: tuple[Floats, ...]
    fixed: int | None

    @cached_property
    def sample_work(self) -> float:
        """Least work of one sample of every item: random units are no easier to align than observed ones are to prove."""
        chance = {id(cell.chance): cell for cell in self.cells}
        units = sum(cell.observed.units for cell in self.cells)
        drawn = sum(cell.chance.units for cell in chance.values())
        work = sum(row[WORK_COLUMN] * (1.0 if row[_PROVED_COLUMN] else SAMPLE_EFFORT) for row in self.observed)
        return float(work) * drawn / max(units, 1)

    @property
    def is_close(self) -> bool:
        """Whether the first samples might take too much work, even if random units are a few times as hard as observed ones."""
        return _MARGIN * FIRST_SAMPLES * self.sample_work > MAX_SAMPLE_WORK

    def check(self, name: str, samples: Sequence[Floats] = ()) -> None:
        """Raise an error if even a few samples would take too much work.

        Parameters
        ----------
        name : str
            Name of the coefficient.
        samples : sequence of numpy.ndarray
            Rows of the first samples of each item, if there are any.

        Raises
        ------
        LimitError
            If so.
        """
        work = MIN_SAMPLES * (_mean_work(samples) or self.sample_work)
        if self.fixed is None and work > MAX_SAMPLE_WORK:
            refuse(name, self.cells, work)

    def most(self, samples: Sequence[Floats]) -> int:
        """Return the largest number of samples.

        Parameters
        ----------
        samples : sequence of numpy.ndarray
            Rows of the first samples of each item.

        Returns
        -------
        int
            At least ``MIN_SAMPLES``.
        """
        return max(MIN_SAMPLES, int(MAX_SAMPLE_WORK / max(_mean_work(samples), 1.0)))

    def most_of_tables(self, samples: Sequence[Floats]) -> int:
        """Return the largest number of samples for the tables of pairs and coders.

        Parameters
        ----------
        samples : sequence of numpy.ndarray
            Rows of the first samples of each group of coders.

        Returns
        -------
        int
        """
        return int(MAX_TABLE_WORK / max(_mean_work(samples), 1.0))

    def tables(self, groups: Sequence[Group], samples: Sequence[Floats]) -> tuple[bool, bool]:
        """Return whether the tables of pairs, and of all coders but one, may be computed.

        Parameters
        ----------
        groups : sequence of Group
            The pairs and other groups of coders.
        samples : sequence of numpy.ndarray
            Rows of the samples of all coders of each item.

        Returns
        -------
        tuple of (bool, bool)
        """
        if self.fixed is not None:
            return True, True
        pairs = sum(FIRST_SAMPLES * _PAIR_WORK * group.units for group in groups if len(group.coders) == 2)
        larger = [group for group in groups if len(group.coders) > 2]
        cells = zip(self.cells, samples, strict=True) if larger else ()
        work = {cell.place: rows[:, WORK_COLUMN].sum() for cell, rows in cells}
        others = sum(work.get(group.place, 0.0) * _easier(len(group.coders)) for group in larger)
        return pairs <= MAX_TABLE_WORK, others <= MAX_TABLE_WORK
