"""Tables of boundary scores: one row per position between units, per time, or per unit of a text.

Without the option ``scores``, the scores are left out, because most measures compare marks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError, ScoresError
from caesura.formats.columns import Column, Table
from caesura.formats.events import read_lengths, read_times
from caesura.formats.format import Reading
from caesura.formats.mark_columns import MarkColumn
from caesura.formats.marks import Groups
from caesura.formats.roles import Roles
from caesura.model.index import flatnonzero
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats
from caesura.options import Option, flag

SCORES = Option("scores", False, flag, "whether boundary scores are annotations of a program, as caesura curve needs")
# Fields of a JSON document that contain boundary scores.
FIELDS = ("scores", "probabilities", "probs")

Rows = NDArray[np.int64]


def add_marks_of_positions(
    reading: Reading, table: Table, roles: Roles, groups: Groups, coders: dict[str, MarkColumn]
) -> None:
    """Add the marks of a table of scores: its rows are positions between units, or times."""
    times = _times(reading, table, roles)
    lengths = None if reading.options["lengths"] is None else read_lengths(reading.options["lengths"])
    for i, (item, *_) in enumerate(groups.keys):
        rows = groups.rows(i)
        item = item if "item" in roles else reading.stem
        for coder, column in coders.items():
            place = f"item {item!r}, coder {coder!r}"
            with reading.item(int(table.lines[rows[0]]), f"{place}: "):
                positions = column.positions(rows, place, last=True)
                if positions is None:
                    continue
                if times is None:
                    annotation: Segmentation | Tier = Segmentation.from_positions(len(rows) + 1, positions)
                else:
                    end = float(times[rows].max()) if lengths is None else lengths.get(item)
                    if end is None:
                        raise InputError(f"the table of lengths has no item {item!r}")
                    marked = [(time, "") for time in times[rows][positions - 1].tolist()]
                    annotation = Tier(points=marked, end=end, open_end=lengths is None)
                reading.add(item, coder, annotation)
    if times is not None and lengths is None and coders:
        reading.notes.append("the length of the items is not known; give it with lengths=FILE (--reading lengths=FILE)")


def add_scores(reading: Reading, table: Table, roles: Roles, groups: Groups, *, per_unit: bool, named: bool) -> None:
    name = roles.columns["score"]
    column, times = table.columns[name], _times(reading, table, roles)
    values = column.numbers
    for i, key in enumerate(groups.keys):
        rows = groups.rows(i)
        item = key[0] if "item" in roles else reading.stem
        coder = key[-1] if "coder" in roles else name if named else reading.stem
        with reading.item(int(table.lines[rows[0]]), f"item {item!r}, coder {coder!r}: "):
            if per_unit:
                rows = _without_end(reading, table, column, rows, f"item {item!r}")
            scores = _check_scores(reading, table, column, values, rows, f"item {item!r}")
            reading.add(item, coder, BoundaryScores(scores, None if times is None else times[rows]))


def _times(reading: Reading, table: Table, roles: Roles) -> Floats | None:
    return None if "time" not in roles else read_times(reading, table, table.columns[roles.columns["time"]])


def _without_end(reading: Reading, table: Table, column: Column, rows: Rows, place: str) -> Rows:
    """Return all rows but the last one, which must have no score."""
    last = int(rows[-1])
    cell = column.cells()[last].strip()
    if cell:
        expected = f"a text of {len(rows)} units has {len(rows) - 1} inner positions"
        problem = f"{place}: {expected}, but {len(rows)} scores; the end of the text is no inner position"
        raise reading.error(int(table.lines[last]), f"{problem}: leave the last cell of {column.name} empty")
    return rows[:-1]


def _check_scores(reading: Reading, table: Table, column: Column, values: Floats, rows: Rows, place: str) -> Floats:
    scores = values[rows]
    wrong = flatnonzero(~np.isfinite(scores))
    if not wrong.size:
        return scores
    row = int(rows[wrong[0]])
    cell = column.cells()[row].strip()
    got = f"got {cell[:40]!r}" if cell else "the cell is empty"
    problem = f"{place}, score {int(wrong[0]) + 1}: {column.name} must be a finite number; {got}"
    raise reading.error(int(table.lines[row]), problem)


def score_field(document: Any) -> str | None:
    if not isinstance(document, dict):
        return None
    return next((name for name in document if name.lower() in FIELDS and isinstance(document[name], list)), None)


def scores_of_list(name: str, values: list[Any]) -> BoundaryScores:
    try:
        paired = bool(values) and isinstance(values[0], list)
        return BoundaryScores.from_pairs(values) if paired else BoundaryScores(values)
    except ScoresError as error:
        raise InputError(f"{name}: {error}") from None
