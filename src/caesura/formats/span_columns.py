"""Columns of a table of spans whose role does not follow from their names alone: durations, labels and unknown names.

A table may have the start and the duration of each span instead of its end, or call the label ``entity``. Two columns of
numbers beside a label may be the start and the end of spans, whatever they are called.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import AmbiguousFileError, OptionError
from caesura.formats.column_names import DURATIONS, SECONDS, SPAN_LABELS, normalize, split_unit
from caesura.formats.columns import Column, Table
from caesura.formats.content import NUMBER
from caesura.formats.format import Reading
from caesura.formats.marks import Groups
from caesura.formats.roles import Roles, are_tags, convert_to_seconds, may_be_times, mostly_numbers

_MAX_DIGITS = 40


def duration_column(reading: Reading, table: Table, roles: Roles) -> str | None:
    if "duration" in roles:
        return roles.columns["duration"]
    if "start" not in roles or "end" in roles or "mark" in roles or "length" in (reading.options["fields"] or ()):
        return None
    length = [roles.columns["length"]] if "length" in roles else []
    names = [name for name in (*length, *roles.rest) if split_unit(name)[0] in DURATIONS]
    names = [name for name in names if may_be_times(table.columns[name])]
    if len(names) > 1:
        problem = f"several columns may be the duration: {', '.join(names)}"
        choices = [(f"duration in column {name}", {"fields": {"duration": name}}) for name in names]
        raise AmbiguousFileError(reading.path, problem, choices)
    return names[0] if names else None


def add_end(reading: Reading, table: Table, roles: Roles) -> None:
    name = duration_column(reading, table, roles)
    if name is None:
        return
    if "start" not in roles:
        raise OptionError("fields: a duration needs a start; name its column with start=COLUMN")
    if "duration" in roles and "end" in (reading.options["fields"] or ()):
        raise OptionError("fields: end and duration exclude each other; name one of them")
    start = roles.columns["start"]
    if "duration" not in roles:
        _check_recording(reading, table, roles, name)
    _convert_duration(reading, table, roles, name)
    end = f"{start} + {name}"
    table.columns[end] = _sums(end, table.columns[start], table.columns[name])
    if "end" in roles:
        roles.release("end")
    if roles.columns.get("length") == name:
        del roles.columns["length"]
    roles.rest = [column for column in roles.rest if column != name]
    roles.columns |= {"duration": name, "end": end}
    if _is_in_seconds(start, roles) or split_unit(name)[1]:
        roles.in_seconds |= {start, end}
    reading.notes.append(f"the end of a segment is {end}")


def _check_recording(reading: Reading, table: Table, roles: Roles, name: str) -> None:
    """Raise an error if a duration is the same in all rows of an item, and none of its segments begins after it."""
    groups = Groups.of(table, [roles.columns.get("item")])
    starts, durations = table.columns[roles.columns["start"]].numbers, table.columns[name].numbers
    several = False
    for i in range(len(groups.keys)):
        rows = groups.rows(i)
        first, last = starts[rows].min(), starts[rows].max()
        if len(np.unique(durations[rows])) > 1 or not last <= durations[rows[0]]:
            return
        several = several or first < last
    if not several:
        return
    start = roles.columns["start"]
    problem = f"{name} is the same in all rows of an item: it may be the duration of a segment or of the recording"
    choices: list[tuple[str, dict[str, Any]]] = [
        ("segments of this duration", {"fields": {"start": start, "duration": name}}),
        (f"events at the times in {start}", {"fields": {"time": start, "ignore": name}}),
    ]
    raise AmbiguousFileError(reading.path, problem, choices)


def _is_in_seconds(start: str, roles: Roles) -> bool:
    return bool(split_unit(start)[1]) or start in roles.in_seconds or normalize(start) in SECONDS


def _convert_duration(reading: Reading, table: Table, roles: Roles, name: str) -> None:
    """Convert durations to the unit of the starts; a duration without a unit has that of the starts."""
    start = roles.columns["start"]
    start_unit, unit = split_unit(start)[1], split_unit(name)[1]
    if unit == "ms" and not _is_in_seconds(start, roles):
        hint = f"rename the column to {start}_ms or {start}_s"
        raise reading.error(1, f"{name} is in milliseconds, and the unit of {start} is not known; {hint}")
    convert_to_seconds(reading, table, roles, name, milliseconds="ms" in (unit, "" if unit else start_unit))


def _sums(name: str, starts: Column, durations: Column) -> Column:
    """Return the column of the ends. A cell without a number is the end of its row, whose error shows it."""
    sums: dict[tuple[int, int], str] = {}
    cells = []
    for pair in zip(starts.codes.tolist(), durations.codes.tolist(), strict=True):
        if pair not in sums:
            sums[pair] = _sum(starts.stripped[pair[0]], durations.stripped[pair[1]])
        cells.append(sums[pair])
    return Column.of(name, cells)


def _sum(start: str, duration: str) -> str:
    if not all(NUMBER.fullmatch(cell) and len(cell) < _MAX_DIGITS for cell in (start, duration)):
        return duration
    if abs(float(start)) + abs(float(duration)) > 1e15:
        return repr(float(start) + float(duration))
    return f"{Decimal(start) + Decimal(duration):f}"


def add_label(roles: Roles) -> None:
    """Give the role label to the only column with a name such as ``entity``, if no column has it."""
    names = [name for name in roles.rest if normalize(name) in SPAN_LABELS]
    if "label" not in roles and len(names) == 1:
        roles.columns["label"] = names[0]
        roles.rest.remove(names[0])


def possible_spans(table: Table, roles: Roles, candidates: list[str]) -> list[tuple[str, str]]:
    if "unit" in roles or ("label" in roles and are_tags(table.columns[roles.columns["label"]])):
        return []
    return [pair for pair in pairwise(candidates) if _may_be_spans(table, roles, *pair)]


def _may_be_spans(table: Table, roles: Roles, start: str, end: str) -> bool:
    columns = [table.columns[name] for name in (start, end)]
    if not all(mostly_numbers(column) and len(column.values) > 1 for column in columns):
        return False
    starts, ends = (column.numbers for column in columns)
    if not ((starts >= 0) & (starts <= ends)).all() or bool((starts == ends).all()):
        return False
    return "text" not in roles or _are_in_order(table, roles, starts) or _are_lengths(table, roles, ends - starts)


def _are_in_order(table: Table, roles: Roles, starts: NDArray[np.float64]) -> bool:
    groups = Groups.of(table, [roles.columns.get("item"), roles.columns.get("coder")])
    return not bool(((np.diff(starts[groups.order]) < 0) & groups.inner()).any())


def _are_lengths(table: Table, roles: Roles, lengths: NDArray[np.float64]) -> bool:
    column = table.columns[roles.columns["text"]]
    return bool((np.array([len(value) for value in column.stripped])[column.codes] == lengths).mean() > 0.5)
