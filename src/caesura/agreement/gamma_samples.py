"""Statistics of observed and random alignments for gamma, within a limit on work.

A row of statistics belongs to one alignment. Rows of random samples extend each other: sample i depends on the seed and i only.
The work of an alignment is an estimate from counts (:mod:`caesura.agreement.unitary`), so the decisions about work below are
the same on every machine and engine:

1. If the observed units and five samples would take too much work, the corpus is refused. Some windows of units, which are
   aligned first, show whether that is so.
2. If 30 samples, or as many as the precision needs, would take too much work, there are fewer, and a warning says so.
3. If the tables of pairs or of all coders but one would take too much work, they are left out, and a warning says so.

A number of samples that the user sets is drawn whatever it takes, with all tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.gamma_chance import FIRST_SAMPLES, Continuum, Piece, Sampler, observed_units
from caesura.agreement.unitary import GROWTH, MANY_ANNOTATORS, Alignments, Dissimilarity, best_alignments
from caesura.agreement.unitary_exact import Counts
from caesura.agreement.unitizing import Job, shared_store
from caesura.engines import Engine
from caesura.errors import LimitError
from caesura.limits import MAX_FIRST_SAMPLES_WORK, MAX_SAMPLE_WORK, MAX_SAMPLED_WORK, MAX_TABLE_WORK
from caesura.model.index import argsort, repeat, searchsorted
from caesura.model.value import Floats
from caesura.notices import warn

# Number of samples below which a corpus is refused.
MIN_SAMPLES = 5
# Effort for the alignment of a random sample; that for the observed units is 1.
SAMPLE_EFFORT = 0.25
WORK_COLUMN = 4
_PROVED_COLUMN = 3
_CHUNK = 3000  # units per task
_WINDOW_WORK = 4  # nanoseconds per pair of units that are near each other
_FEW_UNITS = 1000
_MARGIN = 5
_CLEAR_EXCESS = 1.25  # of an estimate without samples
_PILOT_WINDOWS = 8
_PILOT_UNITS = 1000
_PAIR_WORK = 1000  # nanoseconds per unit of a pair of coders
_PER_SAMPLE = 2500  # nanoseconds per sample of an item, besides its alignment


class Cell(NamedTuple):
    """One item for one group of coders, and the continuum from which chance is drawn."""

    # Observed units, and the units from which random samples are drawn.
    observed: Continuum
    chance: Continuum
    place: int  # place of the item in the order of names
    group: tuple[str, ...]  # the coders
    chance_place: int  # place of the item from which random samples are drawn


class Group(NamedTuple):
    """Some coders of one item."""

    place: int  # place of the item in the order of names
    coders: tuple[str, ...]


@dataclass(frozen=True)
class GroupBlock:
    """The groups of all items that the same coders annotated."""

    groups: tuple[tuple[str, ...], ...]  # coders of each group
    places: tuple[int, ...]  # places of the items in the order of names
    sizes: Counts  # number of coders of each group
    units: Counts  # number of units of each item and group
    coders: int

    @classmethod
    def all_of(cls, jobs: Sequence[Job]) -> list[GroupBlock]:
        by_groups: dict[Any, list[int]] = {}
        for place, job in enumerate(jobs):
            by_groups.setdefault((job.item.coders, id(job.groups)), []).append(place)  # the id saves time
        blocks = []
        for (coders, _), places in by_groups.items():
            groups, number = jobs[places[0]].groups, {coder: k for k, coder in enumerate(coders)}
            member = np.zeros((len(groups), len(coders)), np.int64)
            for row, group in zip(member, groups, strict=True):
                row[[number[coder] for coder in group]] = 1
            units = np.array([[len(spans) for spans in jobs[place].item.annotations.values()] for place in places])
            blocks.append(cls(groups, tuple(places), member.sum(axis=1), units @ member.T, len(coders)))
        return blocks

    @property
    def everyone(self) -> NDArray[np.bool_]:
        return np.asarray(self.sizes == self.coders)

    @property
    def pairs(self) -> NDArray[np.bool_]:
        """Whether each group is a pair of several."""
        return np.asarray((self.sizes == 2) & ~self.everyone)

    @property
    def others(self) -> NDArray[np.bool_]:
        """Whether each group has more than two coders, but not all."""
        return np.asarray((self.sizes > 2) & ~self.everyone)

    def select(self, chosen: NDArray[np.bool_]) -> Iterator[Group]:
        for item, group in np.argwhere((self.units > 0) & chosen).tolist():
            yield Group(self.places[item], self.groups[group])


def choose_groups(blocks: Sequence[GroupBlock], choose: Callable[[GroupBlock], NDArray[np.bool_]]) -> list[Group]:
    groups = (group for block in blocks for group in block.select(choose(block)))
    return sorted(groups, key=lambda group: group.place)


@dataclass(frozen=True)
class Recipe:
    """How a row of statistics is computed: everything that a task of an engine needs."""

    how: Dissimilarity  # how units are compared
    sampler: Sampler  # how random samples are drawn
    seed: int
    # Function from alignments to rows of numbers; ``WORK_COLUMN`` is the work.
    statistics: Callable[[Alignments], Floats]

    def __call__(self, task: Sequence[Piece]) -> Floats:
        observed = task[0].last < 0
        units = (
            observed_units([piece.continuum for piece in task]) if observed else self.sampler.columns(task, self.seed)
        )
        table = units.table(task[0].continuum.annotators)
        return self.statistics(best_alignments(table, self.how, effort=1.0 if observed else SAMPLE_EFFORT))


def warn_once(name: str, message: str) -> None:
    """Issue a warning about a coefficient, unless another coefficient with the same samples has issued it."""
    shared = shared_store()
    if shared is not None and shared.setdefault(("warned", message), name) != name:
        return
    warn(f"{name}: {message}")


class SampleRows:
    """Rows of statistics of observed units and random samples; rows that are known already are not computed again."""

    def __init__(self, recipe: Recipe, key: Any, engine: Engine) -> None:
        self.recipe, self.engine = recipe, engine
        shared = shared_store()
        self.known: dict[Any, Floats] = {} if shared is None else shared.setdefault(("rows", key, recipe.seed), {})

    def observed(self, cells: Sequence[Cell]) -> list[Floats]:
        keys = [(-1, cell.observed.digest) for cell in cells]
        pieces = zip(keys, cells, strict=True)
        self._compute({key: Piece(cell.observed, 0, 0, -1) for key, cell in pieces if key not in self.known})
        return [self.known[key][0] for key in keys]

    def samples(self, cells: Sequence[Cell], wanted: Sequence[int]) -> list[Floats]:
        numbers: dict[Any, int] = {}
        keys = [(cell.chance_place, cell.chance.digest) for cell in cells]
        for key, number in zip(keys, wanted, strict=True):
            numbers[key] = max(number, numbers.get(key, 0))
        missing = {}
        for key, cell in zip(keys, cells, strict=True):
            first = len(self.known.get(key, ()))
            if first < numbers[key]:
                missing[key] = Piece(cell.chance, cell.chance_place, first, numbers[key])
        self._compute(missing)
        return [self.known[key][: numbers[key]] for key in keys]

    def _compute(self, missing: Mapping[Any, Piece]) -> None:
        pieces, owners = [], []
        for key, piece in missing.items():
            size = max(1, _CHUNK // max(piece.continuum.units, 1))
            parts = [piece]
            if piece.samples > size:
                steps = range(piece.first, piece.last, size)
                parts = [piece._replace(first=begin, last=min(begin + size, piece.last)) for begin in steps]
            pieces += parts
            owners += [key] * len(parts)
        rows: dict[Any, list[Floats]] = {key: [self.known[key]] if key in self.known else [] for key in missing}
        for key, block in zip(owners, self._blocks(pieces), strict=True):
            rows[key].append(block)
        self.known |= {key: blocks[0] if len(blocks) == 1 else np.concatenate(blocks) for key, blocks in rows.items()}

    def _blocks(self, pieces: Sequence[Piece]) -> list[Floats]:
        order = sorted(range(len(pieces)), key=lambda i: pieces[i].continuum.annotators)
        tasks = in_tasks([pieces[i] for i in order])
        blocks: list[Floats] = []
        for task, rows in zip(tasks, self.engine.map(self.recipe, tasks), strict=True):
            ends = np.cumsum([piece.samples for piece in task]).tolist()
            blocks += [rows[first:last] for first, last in pairwise((0, *ends))]
        result = dict(zip(order, blocks, strict=True))
        return [result[i] for i in range(len(pieces))]


def in_tasks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces in groups that are aligned together: they have equally many annotators, and not too many units."""
    tasks: list[list[Piece]] = []
    units = annotators = 0
    for piece in pieces:
        continuum = piece.continuum
        if not tasks or units > _CHUNK or continuum.annotators != annotators:
            tasks.append([])
            units, annotators = 0, continuum.annotators
        tasks[-1].append(piece)
        units += piece.samples * continuum.units
    return tasks


def refuse(name: str, cells: Sequence[Cell], work: float) -> NoReturn:
    """Raise the error that says how much work a few samples would take."""
    units = sum(cell.observed.units for cell in cells)
    coders = max(len(cell.group) for cell in cells)
    raise LimitError(
        f"{name}: the best alignment and {MIN_SAMPLES} random samples of {units:,} spans of up to {coders} coders would take "
        f"about {work / 1e9:.0f} seconds of work, more than {MAX_SAMPLE_WORK / 1e9:g}; choose fewer coders or items, or set "
        f"the number of samples to compute it all the same: '{name}(samples={MIN_SAMPLES})'"
    )


def check_before(name: str, cells: Sequence[Cell], alpha: float, rows: SampleRows) -> None:
    """Raise an error if the alignments would take too much work, before all units are aligned."""
    work = MIN_SAMPLES * _WINDOW_WORK * float(sum(_pairs_in_reach(cell.observed, alpha) for cell in cells))
    if work > MAX_SAMPLE_WORK:
        refuse(name, cells, work)
    windows = _windows(cells)
    units = sum(cell.observed.units for cell in cells)
    scale = units / sum(window.observed.units for window in windows)
    work, seen = 0.0, 0
    for window in windows:
        work += _least_work(rows.observed([window])[0])
        seen += window.observed.units
        if scale * work > _CLEAR_EXCESS * MAX_SAMPLE_WORK:  # even if the other windows take no work
            refuse(name, cells, work * units / seen)


def _windows(cells: Sequence[Cell]) -> list[Cell]:
    """Return some items with few units each, from all parts of the corpus; of longer items, units that follow each other."""
    number = min(len(cells), _PILOT_WINDOWS)
    chosen = (cells[len(cells) * (2 * k + 1) // (2 * number)] for k in range(number))
    return [cell._replace(observed=cell.observed.window(_PILOT_UNITS // number)) for cell in chosen]


def _least_work(row: Floats) -> float:
    """Return the work for an item and a few samples: random units are no easier to align than observed ones are to prove."""
    return float(row[WORK_COLUMN]) * (1 + MIN_SAMPLES * (1.0 if row[_PROVED_COLUMN] else SAMPLE_EFFORT))


def _pairs_in_reach(continuum: Continuum, alpha: float) -> int:
    """Return the number of pairs of units that are near enough to be compared."""
    number, starts, ends = continuum.annotators, continuum.starts, continuum.ends
    if continuum.units < _FEW_UNITS:
        return 0
    order = argsort(starts + ends, kind="stable")
    middles, lengths = (starts + ends)[order], (ends - starts)[order]
    reach = math.sqrt((number * (number - 1) / 2 + number - 1) / alpha) * (lengths + lengths.max())
    return int((searchsorted(middles, middles + reach, side="right") - np.arange(1, len(order) + 1)).sum())


def _mean_work(samples: Sequence[Floats]) -> float:
    if not samples:
        return 0.0
    numbers = np.array([len(rows) for rows in samples])
    work = np.concatenate([rows[:, WORK_COLUMN] for rows in samples])
    return float((work / repeat(numbers, numbers)).sum()) + _PER_SAMPLE * len(samples)


@dataclass(frozen=True)
class WorkLimit:
    """How many samples may be drawn, and which tables may be computed."""

    cells: tuple[Cell, ...]  # all coders of each item
    observed: tuple[Floats, ...]  # their rows
    fixed: int | None  # number of samples that the user set; there is then no limit

    @cached_property
    def sample_work(self) -> float:
        """Least work of one sample of every item; see ``_least_work``."""
        chance = {id(cell.chance): cell for cell in self.cells}
        units = sum(cell.observed.units for cell in self.cells)
        drawn = sum(cell.chance.units for cell in chance.values())
        work = sum(row[WORK_COLUMN] * (1.0 if row[_PROVED_COLUMN] else SAMPLE_EFFORT) for row in self.observed)
        return float(work) * drawn / max(units, 1) + _PER_SAMPLE * len(self.cells)

    @cached_property
    def observed_work(self) -> float:
        return float(sum(row[WORK_COLUMN] for row in self.observed))

    @property
    def is_close(self) -> bool:
        """Whether the first samples might take too much work, even if random units are a few times as hard as observed ones."""
        return _MARGIN * FIRST_SAMPLES * self.sample_work > MAX_FIRST_SAMPLES_WORK

    def check(self, name: str, samples: Sequence[Floats] = ()) -> None:
        """Raise an error if the observed units and a few samples take too much work."""
        work = self.observed_work + MIN_SAMPLES * (_mean_work(samples) or self.sample_work)
        if self.fixed is None and work > MAX_SAMPLE_WORK * (1 if samples else _CLEAR_EXCESS):
            refuse(name, self.cells, work)

    def most(self, samples: Sequence[Floats]) -> int:
        work = max(_mean_work(samples), 1.0)
        first, most = (int((limit - self.observed_work) / work) for limit in (MAX_FIRST_SAMPLES_WORK, MAX_SAMPLED_WORK))
        return max(MIN_SAMPLES, first if first < FIRST_SAMPLES else most)

    def most_of_tables(self, samples: Sequence[Floats]) -> int:
        """Return the largest number of samples for the tables of pairs and coders."""
        return int(MAX_TABLE_WORK / max(_mean_work(samples), 1.0))

    def tables(self, blocks: Sequence[GroupBlock], samples: Sequence[Floats]) -> tuple[bool, bool]:
        """Return whether the tables of pairs, and of all coders but one, may be computed."""
        if self.fixed is not None:
            return True, True
        pairs = FIRST_SAMPLES * _PAIR_WORK * sum(int(block.units[:, block.pairs].sum()) for block in blocks)
        larger = [block for block in blocks if block.others.any()]
        cells = zip(self.cells, samples, strict=True) if larger else ()
        work = {cell.place: rows[:, WORK_COLUMN].sum() for cell, rows in cells}
        others = 0.0
        for block in larger:
            numbers = (block.units[:, block.others] > 0).sum(axis=1).tolist()
            # The work for one coder less, as a part of the work for all.
            easier = 1 / GROWTH if block.coders - 1 < MANY_ANNOTATORS else 1.0
            others += sum(work.get(place, 0.0) * easier * n for place, n in zip(block.places, numbers, strict=True))
        return pairs <= MAX_TABLE_WORK, others <= MAX_TABLE_WORK
