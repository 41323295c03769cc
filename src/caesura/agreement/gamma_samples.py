"""Statistics of observed and random alignments for gamma.

A row of statistics belongs to one alignment. Rows of random samples extend each other: sample i depends on the seed and i only.
Every group of coders has 30 samples first, and then as many as the precision of its expected disorder needs, unless the user
sets their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from caesura.agreement.gamma_chance import Continuum, Piece, Sampler, observed_units
from caesura.agreement.unitary import Alignments, Dissimilarity, best_alignments
from caesura.agreement.unitizing import shared_store
from caesura.engines import Engine
from caesura.memory import check_memory
from caesura.model.value import Floats
from caesura.progress import report_progress

R = TypeVar("R")

# Effort for the alignment of a random sample; that for the observed units is 1.
SAMPLE_EFFORT = 0.25
_CHUNK = 3000  # units per task


class Cell(NamedTuple):
    """One item for one group of coders, and the continuum from which chance is drawn."""

    # Observed units, and the units from which random samples are drawn.
    observed: Continuum
    chance: Continuum
    place: int  # place of the item in the order of names
    group: tuple[str, ...]  # the coders
    whole: bool  # whether nobody else annotated the item
    chance_place: int  # place of the item from which random samples are drawn


@dataclass(frozen=True)
class Recipe:
    """How rows of statistics are computed: everything that a task of an engine needs."""

    how: Dissimilarity  # how units are compared
    sampler: Sampler  # how random samples are drawn
    seed: int
    statistics: Callable[[Alignments], Floats]  # function from alignments to rows of numbers

    def __call__(self, task: Sequence[Piece]) -> Floats:
        observed = task[0].last < 0
        units = (
            observed_units([piece.continuum for piece in task]) if observed else self.sampler.columns(task, self.seed)
        )
        table = units.table(task[0].continuum.annotators)
        return self.statistics(best_alignments(table, self.how, effort=1.0 if observed else SAMPLE_EFFORT))


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
        columns = max((row.shape[1] for row in self.known.values()), default=1)
        needed = 2 * columns * 8 * sum(numbers.values())  # twice, when blocks are joined
        check_memory(f"{sum(numbers.values()):,} random samples", needed, "choose fewer items, coders or samples")
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
        order = sorted(range(len(pieces)), key=lambda i: pieces[i].continuum.annotators)
        tasks = in_tasks([pieces[i] for i in order])
        places = iter(order)
        blocks: dict[int, Floats] = {}
        for task, result in zip(tasks, in_progress(self.engine, self.recipe, tasks), strict=True):
            ends = np.cumsum([piece.samples for piece in task]).tolist()
            blocks |= {next(places): result[first:last] for first, last in pairwise((0, *ends))}
        for place, key in enumerate(owners):
            rows[key].append(blocks[place])
        self.known |= {key: parts[0] if len(parts) == 1 else np.concatenate(parts) for key, parts in rows.items()}


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


def in_progress(engine: Engine, function: Callable[[Any], R], tasks: Sequence[Any]) -> Iterator[R]:
    """Yield the results of tasks in their order, and report how many are done."""
    for number, result in enumerate(engine.map(function, tasks), 1):
        yield result
        report_progress(number, len(tasks))
