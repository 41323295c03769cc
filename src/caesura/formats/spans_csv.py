"""Spans as a table, CSV or TSV: one row per span, ``item,coder,start,end,level,label,length``.

``start`` and ``end`` are inclusive and counted from 1 in a table with a column ``level``, which contains hierarchies, and
half-open and counted from 0 in all others. :mod:`caesura.formats.span_columns` finds the end if a table has durations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError, HierarchyError
from caesura.formats.column_names import SECONDS, normalize, split_unit
from caesura.formats.columns import Column, Table, parse_delimited
from caesura.formats.content import NUMBER, json_text
from caesura.formats.format import Reading, Writing
from caesura.formats.marks import Groups
from caesura.formats.roles import Roles, whole_numbers
from caesura.formats.spans import (
    CONTINUUM_FIELDS,
    OPTIONS,
    UNITS,
    Continuum,
    SpanRow,
    add_spans,
    check_continuum,
    last_end,
    span_rows,
    spans_of,
)
from caesura.formats.totals import check_totals
from caesura.formats.values import check_time, check_whole, parse_number
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import reduceat
from caesura.model.spans import Spans
from caesura.model.value import MAX_SECONDS, MAX_UNITS
from caesura.notices import warn
from caesura.options import Option, choice, whole

_IN_UNITS = ("start", "end")
_IN_SECONDS = ("start_time", "end_time")
_NAMES = ("item", "coder", "label")
_ROLES = ("item", "coder", "start", "end", "level", "label", "length")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0{1,9})?")  # pandas writes 1.0
_LONGEST_NUMBER = 400
_LARGEST_CELL = 100_000  # characters; the csv module of Python refuses a little more than that


@dataclass
class _CoderRows:
    line: int
    rows: list[SpanRow] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    continuum: dict[str, str] = field(default_factory=dict)
    error: FormatError | None = None

    def rows_as_spans(self, first: int) -> list[tuple[Any, Any, str | None]]:
        """Return half-open spans; ``first`` is the number of the first unit in the rows."""
        return [(row.start - first, row.end, row.label) for row in self.rows]


def read_segments(reading: Reading, table: Table, roles: Roles) -> Corpus:
    # The rows of a coder need not be adjacent.
    columns = {role: table.columns[column] for column, role in _role_of_column(reading, table, roles).items()}
    seconds = _in_seconds(reading, table, roles)
    inclusive = _is_inclusive(reading, table, roles, seconds)
    axis = _Axis(seconds, inclusive, _is_hierarchy(reading, "level" in roles))
    return _read_columns(reading, Table(columns, table.lines), axis)


def trim_names(reading: Reading, table: Table, roles: Roles) -> None:
    """Remove the spaces around the cells of the columns with items, coders and labels, and say so."""
    names = [roles.columns[role] for role in _NAMES if role in roles]
    changed = [name for name in names if table.columns[name].stripped != table.columns[name].values]
    for name in changed:
        column = table.columns[name]
        distinct = Column.of(name, column.stripped)
        table.columns[name] = Column(name, distinct.values, distinct.codes[column.codes])
    if changed:
        reading.notes.append(f"spaces around the cells of {', '.join(changed)} were removed")


def _role_of_column(reading: Reading, table: Table, roles: Roles) -> dict[str, str]:
    """Return the columns that are read, with their roles, and report those whose name alone tells the role."""
    names = {column: role for role, column in roles.columns.items() if role in _ROLES}
    by_name = {column: normalize(column) for column in roles.rest if normalize(column) in CONTINUUM_FIELDS}
    for column, role in by_name.items():
        reading.roles[column] = role
        reading.ignored[:] = [entry for entry in reading.ignored if not entry.startswith(f"{column} (")]
    length = roles.columns.get("length")
    if length is not None and normalize(length) == "duration":
        if _is_duration_of_segment(table, roles):
            names.pop(length, None)
            reading.roles[length] = "duration of the segment (not used)"
        else:
            names[length] = "duration"
    return names | by_name


def _numbered_rows(table: Table) -> Iterator[tuple[int, dict[str, str]]]:
    cells = {role: column.cells() for role, column in table.columns.items()}
    for line, row in zip(table.lines.tolist(), zip(*cells.values(), strict=True), strict=True):
        yield line, dict(zip(cells, row, strict=True))


def _is_hierarchy(reading: Reading, has_levels: bool) -> bool:
    """Return whether the spans are a hierarchy: with levels, or if an option of hierarchies is set."""
    kind = reading.options["as_"]
    if kind == "spans" and has_levels:
        raise reading.error(1, "spans with levels are a hierarchy; remove as_=spans, or the column level")
    return bool(has_levels or kind == "hierarchy" or reading.options["repair"])


def _is_duration_of_segment(table: Table, roles: Roles) -> bool:
    """Return whether the column ``duration`` is the difference between end and start in every row."""
    columns = [table.columns[roles.columns[role]] for role in ("start", "end", "length")]
    if not all(NUMBER.fullmatch(value) for column in columns for value in column.stripped):
        return False
    start, end, duration = (np.array([float(v) for v in column.stripped])[column.codes] for column in columns)
    return bool(np.allclose(end - start, duration, atol=0.002))


def read_without_header(reading: Reading, delimiter: str = ",") -> Corpus:
    table = parse_delimited(reading, delimiter=delimiter, header=False)
    reading.notes += table.notes
    names = ("coder", "label", "start", "end")
    table = Table(dict(zip(names, table.columns.values(), strict=True)), table.lines)
    check_totals(reading, table)
    trim_names(reading, table, Roles({name: name for name in names}))
    return _read_columns(reading, table, _Axis(True, False, _is_hierarchy(reading, False)))


class _Axis(NamedTuple):
    """What start and end are: seconds, or the first and last unit; and whether the spans are a hierarchy."""

    seconds: bool
    inclusive: bool
    hierarchy: bool


def _read_columns(reading: Reading, table: Table, axis: _Axis) -> Corpus:
    if not _add_at_once(reading, table, axis):
        coders = _coder_rows(reading, _numbered_rows(table), axis)
        if not axis.hierarchy or reading.options["all_coders"]:
            for key, item in _absent_coders(reading, list(coders)).items():
                coders[key] = _CoderRows(coders[item].line)
        _add_coders(reading, coders, axis)
    return reading.corpus()


def _add_at_once(reading: Reading, table: Table, axis: _Axis) -> bool:
    # Otherwise the rows must be read one after the other, for an error message with the line of the invalid row.
    others = {"level", *CONTINUUM_FIELDS} & {*table.columns}
    if axis.hierarchy or others or reading.options["length"] is not None:
        return False
    first = int(axis.inclusive)
    starts, ends = (_positions(table.columns[role], axis.seconds, first) for role in ("start", "end"))
    if starts is None or ends is None:
        return False
    labels = table.columns.get("label", Column.of("label", [""] * len(table)))
    empty = np.isnan(starts) & np.isnan(ends) & ~labels.filled
    if not ((starts <= ends) | empty).all():
        return False
    groups = Groups.of(table, [role if role in table.columns else None for role in ("item", "coder")])
    rows = groups.order[~empty[groups.order]]
    sizes = reduceat(np.add, ~empty[groups.order], groups.bounds[:-1], dtype=np.int64)
    categories = [labels.values[code] or None for code in labels.codes[rows].tolist()]
    spans = Spans.split(starts[rows] - first, ends[rows], categories, sizes, seconds=axis.seconds)
    keys = [
        (item if "item" in table.columns else reading.stem, coder if "coder" in table.columns else reading.stem)
        for item, coder in groups.keys
    ]
    for (item, coder), annotation in zip(keys, spans, strict=True):
        reading.add(item, coder, annotation)
    for item, coder in _absent_coders(reading, keys):
        reading.add(item, coder, Spans(seconds=axis.seconds))
    return True


def _positions(column: Column, seconds: bool, minimum: int) -> NDArray[np.float64] | None:
    """Return the positions of a column, NaN for empty cells; None if a cell has no valid position."""
    pattern, maximum, longest = (NUMBER, MAX_SECONDS, _LONGEST_NUMBER) if seconds else (_WHOLE, MAX_UNITS, 40)
    values = column.stripped
    if not all(not value or (len(value) < longest and pattern.fullmatch(value)) for value in values):
        return None
    numbers = np.array([float(value or "nan") for value in values])
    if (numbers < (0 if seconds else minimum)).any() or (numbers > maximum).any():
        return None
    return numbers[column.codes]


def _absent_coders(reading: Reading, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the coders without rows in an item, and an item and coder with rows, if the option counts them as present."""
    # Without the option, a note says that they are absent.
    first: dict[str, tuple[str, str]] = {}
    for key in keys:
        first.setdefault(key[0], key)
    coders = dict.fromkeys(coder for _, coder in keys)
    if len(first) * len(coders) == len(keys):
        return {}
    present = {*keys}
    absent = {(item, coder): key for item, key in first.items() for coder in coders if (item, coder) not in present}
    if reading.options["all_coders"]:
        return absent
    item, coder = next(iter(absent))
    number = len({name for _, name in absent})
    listed = f"coder {coder!r} has" if number == 1 else f"{number} coders have"
    place = f"item {item!r}" if len(absent) == 1 else f"some items (first: coder {coder!r} in item {item!r})"
    reading.notes.append(
        f"{listed} no rows in {place}; if this means that nothing was marked there, use --reading all_coders=yes"
    )
    return {}


def _is_inclusive(reading: Reading, table: Table, roles: Roles, seconds: bool) -> bool:
    """Return whether start and end are the first and the last unit, counted from 1."""
    if seconds:
        return False
    spans = reading.options["spans"] or ("inclusive" if "level" in roles else "half-open")
    convention = {
        "inclusive": "start and end are the first and the last unit, counted from 1",
        "half-open": "start and end are half-open offsets, counted from 0",
    }
    reading.notes.append(convention[spans])
    if reading.options["spans"] is None and spans == "half-open" and _leaves_gaps(table, roles):
        reading.notes.append(
            "most spans begin 1 after another ends; if ends are included, use --reading spans=inclusive"
        )
    return bool(spans == "inclusive")


def _leaves_gaps(table: Table, roles: Roles) -> bool:
    """Return whether more spans begin 1 after the end of the span before them than at its end."""
    starts, ends = (whole_numbers(table.columns[roles.columns[role]]) for role in ("start", "end"))
    if starts is None or ends is None:
        return False
    steps = starts[1:] - ends[:-1]
    return int((steps == 1).sum()) > int((steps == 0).sum())


def _in_seconds(reading: Reading, table: Table, roles: Roles) -> bool:
    """Return whether spans are in seconds: by the names of the columns, by decimals, or by the option ``unit``."""
    start, end = (roles.columns[role] for role in ("start", "end"))
    by_name, unit = _are_names_of_seconds(start, end, roles), reading.options["unit"]
    if by_name and unit == "units":
        raise reading.error(1, f"the columns {start} and {end} are seconds; unit cannot be units")
    if by_name or "level" in roles or unit is not None:
        return by_name or bool(unit == "seconds")
    decimals = any(_has_decimals(table.columns[name]) for name in (start, end))
    if decimals:
        reading.notes.append("start and end have decimals and are taken as seconds")
    return decimals


def _are_names_of_seconds(start: str, end: str, roles: Roles) -> bool:
    """Return whether the names of the columns say that they are times, or their times were converted to seconds."""
    if all(name in roles.in_seconds or split_unit(name)[1] for name in (start, end)):
        return True
    return normalize(start) in SECONDS and normalize(end) in (*SECONDS, "offset", "end", "stop")


def _has_decimals(column: Column) -> bool:
    numbers = [float(value) for value in column.stripped if NUMBER.fullmatch(value)]
    return not all(number.is_integer() for number in numbers)


def _coder_rows(
    reading: Reading, rows: Iterable[tuple[int, dict[str, str]]], axis: _Axis
) -> dict[tuple[str, str], _CoderRows]:
    coders: dict[tuple[str, str], _CoderRows] = {}
    for line, cells in rows:
        key = cells.get("item", reading.stem), cells.get("coder", reading.stem)
        coder = coders.setdefault(key, _CoderRows(line))
        if coder.error is None:
            try:
                _add_row(coder, cells, line, axis)
            except HierarchyError as error:
                coder.error = reading.error(line, f"item {key[0]!r}, coder {key[1]!r}: {error}")
    return coders


def _add_row(coder: _CoderRows, cells: Mapping[str, str], line: int, axis: _Axis) -> None:
    for name in CONTINUUM_FIELDS:
        cell = cells.get(name, "")
        if cell and coder.continuum.setdefault(name, cell) != cell:
            first = coder.continuum[name][:40]
            raise HierarchyError(f"{name} must be the same in all rows; got {cell[:40]!r} after {first!r}")
    row = _span_row(cells, axis)
    if row is None:
        return
    if coder.rows and (row.level is None) != (coder.rows[0].level is None):
        raise HierarchyError("all spans of a coder have a level, or none")
    coder.rows.append(row)
    coder.lines.append(line)


def _span_row(cells: Mapping[str, str], axis: _Axis) -> SpanRow | None:
    start, end = cells["start"].strip(), cells["end"].strip()
    level, label = cells.get("level", "").strip(), cells.get("label", "")
    if not any((start, end, level, label)):
        return None
    first, last = _first_and_last(start, end, axis)
    return SpanRow(first, last, check_whole("level", _parse_whole(level)) if level else None, label or None)


def _first_and_last(start: str, end: str, axis: _Axis) -> tuple[float, float]:
    if axis.seconds or axis.inclusive:
        first, last = _number("start", start, axis.seconds), _number("end", end, axis.seconds)
        if first > last:
            raise HierarchyError(f"start must not be after end; got {start} > {end}")
        return first, last
    may_be_empty = not axis.hierarchy
    first, last = _number("start", start, False, minimum=0), _number("end", end, False, minimum=int(axis.hierarchy))
    if first > last or (first == last and not may_be_empty):
        raise HierarchyError(f"start must be before end; got {start} and {end}")
    return first + 1, last


def _number(name: str, cell: str, seconds: bool, minimum: int = 1) -> int | float:
    if seconds:
        return check_time(name, parse_number(cell))
    value = _parse_whole(cell)
    if isinstance(value, str) and isinstance(parse_number(cell), float):
        hint = "for times name the columns start_time and end_time, or read with unit='seconds'"
        raise HierarchyError(f"{name} must be a whole number; got {value!r}; {hint}")
    return check_whole(name, value, minimum)


def _parse_whole(cell: str) -> int | str:
    """Return the number; if the cell is not a number, return its text for the error message."""
    cell = cell.strip()
    return int(cell.partition(".")[0]) if _WHOLE.fullmatch(cell) else cell[:40]


def _parse_list(name: str, cell: str) -> list[Any]:
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list):
        raise HierarchyError(f"{name} must be a JSON list; got {cell[:40]!r}")
    return value


def _add_coders(reading: Reading, coders: Mapping[tuple[str, str], _CoderRows], axis: _Axis) -> None:
    last_ends: dict[str, float] = {}
    shared: dict[str, Mapping[str, str]] = {}  # item -> the continuum of its first coder who has one
    for (item, _), coder in coders.items():
        last_ends[item] = max(last_ends.get(item, 0.0), last_end(coder.rows))
        if coder.continuum and coder.error is None:
            shared.setdefault(item, coder.continuum)
    for (item, name), coder in coders.items():
        place = f"item {item!r}, coder {name!r}"
        with reading.item(coder.line, f"{place}: "):
            if coder.error is not None:
                raise coder.error
            cells = coder.continuum or shared.get(item, {})
            values = {field: _parse_field(field, cell) for field, cell in cells.items()}
            continuum = check_continuum(values, axis.seconds)
            if not axis.hierarchy:
                reading.add(item, name, _build_spans(reading, place, coder, continuum))
                continue
            if not axis.seconds:
                length = _unit_count(continuum, int(last_ends[item]), reading.options["length"])
                continuum = replace(continuum, length=length)
                _check_ends(reading, place, coder, length)
            add_spans(reading, item, name, coder.rows, continuum, last=last_ends[item])


def _build_spans(reading: Reading, place: str, coder: _CoderRows, continuum: Continuum) -> Spans:
    if continuum.edges is not None or continuum.extent is not None:
        raise HierarchyError("edges and extent belong to hierarchies; add a column level, or read with as_=hierarchy")
    if continuum.seconds:
        return Spans(coder.rows_as_spans(0), length=continuum.duration, seconds=True)
    known = (continuum.units, continuum.length, reading.options["length"])
    length = None if not any(known) else _unit_count(continuum, 0, reading.options["length"])
    if length is not None:
        _check_ends(reading, place, coder, length)
    return Spans(coder.rows_as_spans(1), length=length, units=continuum.units)


def _parse_field(name: str, cell: str) -> object:
    if name in ("units", "edges"):
        return _parse_list(name, cell)
    return parse_number(cell) if name == "duration" else _parse_whole(cell)


def _unit_count(continuum: Continuum, last: int, default: int | None) -> int:
    """Return the number of units from the units, the column, the option or the end of the last span, in this order."""
    if continuum.units is not None:
        length = len(continuum.units)
        if continuum.length not in (None, length):
            raise HierarchyError(f"length must be the number of units, {length}; got {continuum.length}")
        return length
    if continuum.length is not None:
        return continuum.length
    if default is not None:
        return default
    if not last:
        raise HierarchyError("without spans, the column length must give the number of units; there is none")
    return last


def _check_ends(reading: Reading, place: str, coder: _CoderRows, length: int) -> None:
    for row, line in zip(coder.rows, coder.lines, strict=True):
        if row.end > length:
            raise reading.error(line, f"{place}: a span must lie in 1..{length}; got {row.start}-{row.end}")


def write(writing: Writing) -> str:
    """Return spans or hierarchies as a table; the first row of each coder describes the continuum."""
    corpus = writing.corpus
    for item, coder in corpus:
        # An empty cell belongs to the item above it, or is missing.
        if (len(corpus.item_names) > 1 and not item.strip()) or (len(corpus.coders) > 1 and not coder.strip()):
            problem = "a table cannot contain a blank name beside others; write spans as .json"
            raise writing.error(problem, item, coder)
    if all(isinstance(annotation, Spans) for annotation in writing.corpus.values()):
        return writing.table_text(spans_table(writing))
    spans = spans_of(writing)
    continua = _continua(writing, spans)
    fields = _used_fields(continua.values())
    between = _IN_SECONDS if any(continuum.seconds for continuum in continua.values()) else _IN_UNITS
    table: list[list[Any]] = [["item", "coder", *between, "level", "label", *fields]]
    for (item, coder), (hierarchy, _) in spans.items():
        continuum = continua[item, coder]
        cells = [_cell(writing, item, coder, name, getattr(continuum, name)) for name in fields]
        rows = span_rows(hierarchy)
        _check_spaces(writing, item, coder, {row.label for row in rows})
        for row in rows or [SpanRow("", "")]:
            if row.label == "":
                raise writing.error("a table cannot contain an empty label; write spans as .json", item, coder)
            table.append([item, coder, *row, *cells])
            cells = [""] * len(fields)
    return writing.table_text(table)


def _check_spaces(writing: Writing, item: str, coder: str, labels: Iterable[str | None]) -> None:
    """Raise an error for a name or label with spaces around it, which the reader of a table removes."""
    for name in (item, coder, *labels):
        if name is not None and name != name.strip():
            problem = f"a table cannot contain spaces around {name[:40]!r}"
            raise writing.error(f"{problem}; write spans as .json", item, coder)


def spans_table(writing: Writing) -> list[list[Any]]:
    entries = {key: annotation for key, annotation in writing.corpus.items() if isinstance(annotation, Spans)}
    axes = {spans.axis for spans in entries.values()}
    if len(axes) > 1:
        raise writing.error("a table is in units or in seconds; these are in both; write spans as .json")
    if any(spans.text is not None for spans in entries.values()):
        warn(f"{writing.path}: the table does not contain the text; write spans as .json to keep it")
    between, length = (_IN_SECONDS, "duration") if axes == {"seconds"} else (_IN_UNITS, "length")
    fields = _fields_of_spans(entries.values(), length)
    table: list[list[Any]] = [["item", "coder", *between, "label", *fields]]
    for (item, coder), spans in entries.items():
        _check_spaces(writing, item, coder, spans.category_names)
        cells = _continuum_cells(writing, item, coder, spans, length)
        for row in _span_cells(writing, item, coder, spans) or [["", "", ""]]:
            table.append([item, coder, *row, *(cells.get(name, "") for name in fields)])
            cells.pop("units", None)  # the units are only in the first row of a coder
    return table


def _fields_of_spans(entries: Collection[Spans], length: str) -> list[str]:
    """Return the columns for what is known about the items: their length, and their units."""
    has_length = any(spans.bounds is not None for spans in entries)
    return [length] * has_length + ["units"] * any(spans.units is not None for spans in entries)


def _continuum_cells(writing: Writing, item: str, coder: str, spans: Spans, length: str) -> dict[str, str]:
    """Return the cells for the length and the units of what was annotated, as far as they are known."""
    cells = {}
    if spans.bounds is not None:
        cells[length] = f"{_position(writing, item, coder, spans, spans.bounds[1])}"
    if spans.units is not None:
        cells["units"] = _cell(writing, item, coder, "units", spans.units)
    return cells


def _span_cells(writing: Writing, item: str, coder: str, spans: Spans) -> list[list[Any]]:
    if spans.bounds is not None and spans.bounds[0]:
        raise writing.error("a table counts from 0; write spans with other bounds as .json", item, coder)
    rows = []
    for span in spans:
        if span.category == "":
            raise writing.error("a table cannot contain an empty label; write spans as .json", item, coder)
        positions = [_position(writing, item, coder, spans, value) for value in span[:2]]
        rows.append([*positions, span.category or ""])
    return rows


def _position(writing: Writing, item: str, coder: str, spans: Spans, value: float) -> float:
    if value < 0 or (spans.axis == "units" and not value.is_integer()):
        raise writing.error(f"a table cannot contain the position {value!r}; write spans as .json", item, coder)
    return int(value) if spans.axis == "units" else value


def _used_fields(continua: Collection[Continuum]) -> list[str]:
    return [name for name in CONTINUUM_FIELDS if any(getattr(continuum, name) is not None for continuum in continua)]


def _continua(
    writing: Writing, spans: Mapping[tuple[str, str], tuple[Hierarchy, Continuum]]
) -> dict[tuple[str, str], Continuum]:
    """Return the continua to write. If one coder of an item has a continuum, all coders of the item need one."""
    if len({continuum.seconds for _, continuum in spans.values()}) > 1:
        raise writing.error("a table is in units or in seconds; these are in both; write spans as .json")
    # A coder without a continuum would be read with that of the first coder of the item that has one.
    empty = Continuum(seconds=True)
    described = {item for (item, _), (_, continuum) in spans.items() if continuum != empty}
    return {
        (item, coder): replace(empty, edges=hierarchy.edges) if continuum == empty and item in described else continuum
        for (item, coder), (hierarchy, continuum) in spans.items()
    }


def _cell(writing: Writing, item: str, coder: str, name: str, value: Any) -> str:
    if value is None:
        return ""
    cell = json_text(value) if isinstance(value, tuple) else str(value)
    if len(cell) > _LARGEST_CELL:
        raise writing.error(f"{name} is too long for a cell of a table; write spans as .json", item, coder)
    return cell


def delimiter_without_header(text: str) -> str | None:
    """Return the character between cells if all rows, including the first, are annotator, label, start and end."""
    lines = (match.group() for match in re.finditer(r"[^\n]+", text))
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((mark for mark in ",;\t" if _is_headerless_row(first, mark)), None)
    if delimiter is None or not all(_is_headerless_row(line, delimiter) for line in lines if line.strip()):
        return None
    return delimiter


def _is_headerless_row(line: str, delimiter: str) -> bool:
    cells = [cell.strip() for cell in line.split(delimiter)]
    numbers = [cell if delimiter == "," else cell.replace(",", ".") for cell in cells[2:]]
    if len(cells) != 4 or not all(NUMBER.fullmatch(cell) and len(cell) < 40 for cell in numbers):
        return False
    start, end = map(float, numbers)
    return bool(cells[0]) and not NUMBER.fullmatch(cells[0]) and start <= end


SEGMENT_OPTIONS = (
    Option("unit", None, choice(*UNITS), "whether start and end are units or seconds (default: by the header)"),
    Option(
        "spans",
        None,
        choice("inclusive", "half-open"),
        "whether start and end are the first and last unit, or half-open offsets (default: inclusive with a level)",
    ),
    Option("as_", None, choice("spans", "hierarchy"), "read spans or a hierarchy (default: a hierarchy with a level)"),
    Option("length", None, whole(1), "number of units if no column has it (default: the largest end)"),
    *OPTIONS,
)
