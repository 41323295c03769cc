"""Dots between thousands in a column of positions or times: 1.100 may be 1100 or 1.1.

Spreadsheets in many languages write 1.100 for 1100. Beside plain numbers from 1000 on, or if the numbers fall wherever they
have a dot, both readings are plausible, and the option ``thousands`` decides.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError
from caesura.formats.column_names import DURATIONS, split_unit
from caesura.formats.columns import Column, Table
from caesura.formats.content import NUMBER
from caesura.formats.format import Reading
from caesura.formats.marks import Groups
from caesura.options import Option, flag, optional

THOUSANDS = Option(
    "thousands", None, optional(flag), "whether 1.100 in a column of positions or times is 1100 (default: it is 1.1)"
)
_ROLES = ("start", "end", "time", "length", "duration")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_PLAIN = re.compile(r"[0-9]+")


def check_thousands(reading: Reading, table: Table, roles: dict[str, str], rest: list[str]) -> None:
    """Convert numbers with dots between thousands, as the option ``thousands`` says."""
    wish = reading.options.get("thousands")
    if wish is False:
        return
    names = [name for role, name in roles.items() if role in _ROLES]
    names += [name for name in rest if split_unit(name)[0] in DURATIONS]
    grouped = [name for name in names if _may_have_groups(table.columns[name])]
    if wish:
        for name in grouped:
            table.columns[name] = _without_dots(table.columns[name])
            reading.notes.append(f"dots in {name} separate thousands")
        return
    for name in grouped:
        plain = next((cell for cell in table.columns[name].stripped if _is_large(cell)), None)
        groups = Groups.of(table, [roles.get("item"), roles.get("coder")])
        if plain is not None or _falls_by_dots(table.columns[name], groups):
            raise _ask(reading, table, name, plain)


def _may_have_groups(column: Column) -> bool:
    """Return whether all numbers that have a dot have it where thousands begin, and some have one."""
    dotted = [cell for cell in column.stripped if "." in cell]
    return bool(dotted) and all(_GROUPED.fullmatch(cell) for cell in dotted)


def _is_large(cell: str) -> bool:
    return _PLAIN.fullmatch(cell) is not None and len(cell.lstrip("0")) > 3


def _without_dots(column: Column) -> Column:
    values = Column.of(
        column.name, [cell.replace(".", "") if _GROUPED.fullmatch(cell) else cell for cell in column.stripped]
    )
    return Column(column.name, values.values, values.codes[column.codes])


def _falls_by_dots(column: Column, groups: Groups) -> bool:
    """Return whether the numbers of each coder and item are in order only if dots separate thousands."""

    def falls(column: Column) -> bool:
        steps = np.diff(column.numbers[groups.order])
        return bool(np.any((steps < 0) & groups.inner()))

    return falls(column) and not falls(_without_dots(column))


def _ask(reading: Reading, table: Table, name: str, plain: str | None) -> AmbiguousFileError:
    column = table.columns[name]
    cell = next(cell for cell in column.stripped if _GROUPED.fullmatch(cell))
    line = int(table.lines[column.first_row(column.values[column.stripped.index(cell)])])
    reason = f"beside {plain}" if plain is not None else "and the numbers are not in order with decimals"
    number = cell.replace(".", "")
    decimal = f"{float(cell):g}" if NUMBER.fullmatch(cell) else cell
    choices: list[tuple[str, dict[str, Any]]] = [
        (f"thousands: {cell} is {number}", {"thousands": True}),
        (f"decimals: {cell} is {decimal}", {"thousands": False}),
    ]
    return AmbiguousFileError(reading.path, f"column {name!r} has {cell} (line {line}) {reason}", choices)
