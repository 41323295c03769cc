"""Tables that say how many coders marked each place, without saying which coders.

A corpus has one annotation per coder and cannot contain such counts. The option ``at_least`` of the table reader makes one
segmentation of them; :func:`read_marks` returns one :class:`~caesura.Marks` per item.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import AmbiguousFileError
from caesura.formats.column_names import normalize
from caesura.formats.columns import Column, Table, from_frame, from_parquet, parse_delimited
from caesura.formats.content import decode_text, load
from caesura.formats.excel import from_excel
from caesura.formats.format import Reading
from caesura.formats.marks import Groups, content_of
from caesura.formats.roles import Roles, assign_roles, check_fields, describe_roles, whole_numbers
from caesura.formats.totals import check_totals
from caesura.model.corpus import Corpus
from caesura.model.index import flatnonzero
from caesura.model.marks import Marks
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice, optional, whole

_COUNTS = ("count", "counts", "votes", "n_marked", "n_marks")
_CODERS = ("coders", "n", "n_coders", "number_of_coders", "raters", "n_raters")
_POSITION = "position"
_PARQUET, _EXCEL = b"PAR1", b"PK"

# Options of tables that say how many coders marked each place.
COUNT_OPTIONS = (
    Option("at_least", None, optional(whole(1)), "tables of counts: number of coders from which a place is a boundary"),
    Option(
        "rows",
        None,
        optional(choice("units", "positions")),
        "tables of counts: whether a row is a unit or a position between two units",
    ),
)

Whole = NDArray[np.int64]


def read_counts(reading: Reading, table: Table, roles: Roles) -> Corpus | None:
    """Return the segmentations of a table of counts, or None if the table has other content."""
    columns = _find_counts(table, roles)
    if columns is None:
        return None
    name, total = columns
    reader = _CountReader(reading, table, roles, table.columns[name], total)
    least = reading.options["at_least"]
    if least is None:
        raise _ask_for_number(reading, reader)
    rows = reading.options["rows"] or reader.kind_of_rows()
    largest = max(int(reader.counts.max()), 1)
    marks = reader.read(largest if total is None else None, rows, from_start=reading.options["marks"] == "start")
    describe_roles(reading, roles, {"number of coders who marked a boundary": [name]}, ("item", "unit", "text"))
    reading.roles |= {} if total is None else {total: "number of coders"}
    reading.ignored += [f"{column} (not needed here)" for column in roles.rest if column not in columns]
    for item, counted in marks.items():
        positions = counted.positions[counted.position_counts >= least]
        coder = f"at least {least}" if total is None else f"at least {least} of {counted.coders}"
        reading.add(item, coder, Segmentation.from_positions(counted.length, positions, units=counted.units))
    return reading.corpus()


def _find_counts(table: Table, roles: Roles) -> tuple[str, str | None] | None:
    """Return the column of counts, and the column with the number of coders; None if the table has other content."""
    if roles.coders is not None or {"coder", "mark", "start"} & {*roles.columns}:
        return None
    name, total = _find(roles, _COUNTS), _find(roles, _CODERS)
    counts = None if name is None else whole_numbers(table.columns[name])
    if name is None or counts is None or (total is None and counts.max() <= 1):
        return None
    groups = Groups.of(table, [roles.columns.get("item"), roles.columns.get("stream")])
    others = [column for column in roles.rest if column not in (name, total)]
    if any(content_of(table.columns[column], groups).shape in ("marks", "types", "error") for column in others):
        return None
    return name, total


def _ask_for_number(reading: Reading, reader: _CountReader) -> AmbiguousFileError:
    number = int((reader.counts if reader.totals is None else reader.totals).max())
    words = {number // 2 + 1: "more than half of the coders", number: "all coders", 1: "any coder"}
    if reader.totals is None:
        words = {number // 2 + 1: f"at least {number // 2 + 1} coders", 1: "any coder"}
    choices = [(f"a boundary where {who} marked one", {"at_least": least}) for least, who in words.items()]
    problem = f"column {reader.name!r} says how many coders marked each place, and not who"
    return AmbiguousFileError(reading.path, f"{problem} (in Python, read_marks keeps the numbers)", choices)


def read_marks(
    path: Any,
    coders: int | None = None,
    *,
    rows: str | None = None,
    marks: str = "end",
    fields: str | Mapping[str, Any] | None = None,
) -> dict[str, Marks]:
    """Read how many coders marked each place of each item.

    Parameters
    ----------
    path : path-like or data frame
        A CSV, TSV, Parquet or Excel file, or a data frame. A column ``count``, ``votes`` or ``n_marked`` contains the numbers
        of coders who marked a boundary. The columns ``item`` and ``text`` are optional.
    coders : int, optional
        Number of coders (default: the column ``n``, ``coders`` or ``n_coders``).
    rows : {"units", "positions"}, optional
        Whether a table has one row per unit, or one row per position between two units, which is one row less per item.
        By default, a column called ``position`` means positions, and a column with the number or the text of the unit
        means units.
    marks : {"end", "start"}, default "end"
        If rows are units: whether a count is of boundaries after or before the unit.
    fields : str or mapping, optional
        Columns by role, such as ``"item=doc,text=sentence"``.

    Returns
    -------
    dict of str to Marks
        The marks of each item. Without a column ``item``, the only item is called by the name of the file.

    Raises
    ------
    FormatError
        If there is no column of counts, the number of coders is unknown, or a number is invalid.
    AmbiguousFileError
        If rows may be units or positions.

    Notes
    -----
    If rows are units, the count of the end of the text (or of its beginning) is not used, because every coder has a
    boundary there.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("counts.csv").write_text("item,position,votes\\nx,1,0\\nx,2,4\\nx,3,1\\n")
    >>> read_marks("counts.csv", coders=7)
    {'x': Marks(7 coders, 4 units: ··4·1·)}
    """
    number = optional(whole(1))("coders", coders)
    choice("end", "start")("marks", marks)
    requested = optional(choice("units", "positions"))("rows", rows)
    reading, table = _load(path)
    if not table.columns or not len(table):
        raise reading.error(1, "the table has no rows")
    check_totals(reading, table)
    roles = assign_roles(reading, table, None if fields is None else check_fields("fields", fields))
    name, total = _find(roles, _COUNTS), _find(roles, _CODERS)
    if name is None:
        names = ", ".join(map(repr, list(table.columns)[:20]))
        raise reading.error(1, f"expected a column called {', '.join(_COUNTS)}; the columns are {names}")
    reader = _CountReader(reading, table, roles, table.columns[name], total if number is None else None)
    return reader.read(number, requested or reader.kind_of_rows(), from_start=marks == "start")


def _find(roles: Roles, names: tuple[str, ...]) -> str | None:
    return next((column for column in roles.rest if normalize(column) in names), None)


def _load(path: Any) -> tuple[Reading, Table]:
    if not isinstance(path, (str, PathLike)):
        name = "the data frame"
        return Reading(name, ""), from_frame(path, name)
    data = load(path)
    reading = Reading(fspath(path), "", data=data)
    if data.startswith(_PARQUET):
        return reading, from_parquet(reading)
    if data.startswith(_EXCEL):
        return reading, from_excel(reading)
    reading.text = decode_text(path, data, guess=True)[0]
    return reading, parse_delimited(reading, delimiter=None)


class _CountReader:
    def __init__(self, reading: Reading, table: Table, roles: Roles, counts: Column, total: str | None) -> None:
        self.reading, self.table, self.roles, self.name = reading, table, roles, counts.name
        self.counts = self._whole(counts)
        self.totals = None if total is None else self._whole(table.columns[total])

    def _whole(self, column: Column) -> Whole:
        numbers = whole_numbers(column)
        if numbers is None:
            cells = column.cells()
            wrong = next((i for i, cell in enumerate(cells) if not cell.strip().isdecimal()), 0)
            problem = f"column {column.name!r} must contain whole numbers; got {cells[wrong][:40]!r}"
            raise self.reading.error(int(self.table.lines[wrong]), problem)
        return numbers

    def kind_of_rows(self) -> str:
        unit = self.roles.columns.get("unit")
        if unit is not None and normalize(unit) == _POSITION and "text" not in self.roles:
            return "positions"
        if "text" in self.roles or unit is not None:
            return "units"
        choices = [
            ("one row per unit", {"rows": "units"}),
            ("one row per position between units", {"rows": "positions"}),
        ]
        problem = "no column says whether a row is a unit or a position between two units"
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def read(self, coders: int | None, rows: str, *, from_start: bool) -> dict[str, Marks]:
        item_column = self.roles.columns.get("item")
        groups = Groups.of(self.table, [item_column])
        result = {}
        for i, (item,) in enumerate(groups.keys):
            group = groups.rows(i)
            self._check_order(item, group, (1,) if rows == "positions" else (0, 1))
            counts, units = self.counts[group], None
            if rows == "units":
                counts = counts[1:] if from_start else counts[:-1]
                text = self.roles.columns.get("text")
                cells = None if text is None else self.table.columns[text]
                units = None if cells is None else [cells.values[code] for code in cells.codes[group].tolist()]
            with self.reading.at_line(int(self.table.lines[group[0]]), f"item {item!r}: " if item_column else ""):
                name = item if item_column else self.reading.stem
                result[name] = Marks(counts, self._coders(group, coders), units=units)
        return result

    def _coders(self, group: Whole, coders: int | None) -> int:
        line = int(self.table.lines[group[0]])
        if coders is not None:
            return coders
        if self.totals is None:
            names = ", ".join(_CODERS[:3])
            raise self.reading.error(
                line, f"the number of coders is missing; set coders=NUMBER, or add a column {names}"
            )
        totals = self.totals[group]
        if (wrong := flatnonzero(totals != totals[0])).size:
            problem = f"an item must have one number of coders; got {totals[wrong[0]]} after {totals[0]}"
            raise self.reading.error(int(self.table.lines[group[wrong[0]]]), problem)
        return int(totals[0])

    def _check_order(self, item: str, group: Whole, first: tuple[int, ...]) -> None:
        column = self.roles.columns.get("unit")
        numbers = None if column is None else whole_numbers(self.table.columns[column])
        if numbers is None:
            return
        steps = np.diff(numbers[group])
        if (wrong := flatnonzero(steps != 1)).size:
            row, previous = group[wrong[0] + 1], group[wrong[0]]
            problem = f"rows must be numbered without gaps; got {numbers[row]} after {numbers[previous]}"
            raise self.reading.error(int(self.table.lines[row]), f"item {item!r}: {problem}")
        if numbers[group[0]] not in first:
            problem = f"rows must be numbered from {' or '.join(map(str, first))}; got {numbers[group[0]]} first"
            raise self.reading.error(int(self.table.lines[group[0]]), f"item {item!r}: {problem}")
