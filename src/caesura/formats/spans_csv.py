"""Spans as a table, CSV or TSV: a row a span.

    item,coder,start,end,level,label,length
    poem,ann,1,6,1,S,6
    poem,ann,1,2,2,,6
    poem,bo,3,6,1,,6

``start`` and ``end`` are units, counted from 1, both included. In columns named ``start_time`` and ``end_time``, or with
the option ``unit="seconds"``, they are seconds from 0; which of both is never guessed from the numbers. ``item`` and
``coder`` (or ``annotator``) may be left out: they are then named by the file. ``level`` and ``label`` may be left out;
levels are then derived from nesting, an empty label is none.

How many units there are is said by the column ``length``, else by the option ``length``, else it is the largest end of the
item; how long a recording is by ``duration``. Columns that the toolkit writes where they are needed: ``extent`` (what N is
for chance), ``edges`` (a JSON list of the times between units, where those of the spans and the duration are not all) and
``units`` (a JSON list of the text). All these stand in the first row of a coder, or of an item, or are the same in every
row. A row with neither start nor end says that a coder drew nothing.

A table of four columns without a header, every row of which is ``annotator,label,start,end`` with rising numbers, is one of
pygamma-agreement: its times are seconds.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import FormatError, HierarchyError, OptionError
from caesura.formats.format import NUMBER, Format, Reading, table_text
from caesura.formats.spans import (
    BEYOND,
    REPAIR,
    SNAP,
    UNITS,
    Frame,
    LeftOut,
    Row,
    beyond_of,
    check_edges,
    check_time,
    check_whole,
    choice,
    frame_of,
    hierarchy,
    last_end,
    rows_of,
    spans_of,
    within,
)
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option

__all__ = ["FORMAT"]

_DELIMITERS = (",", "\t", ";")
_IN_UNITS = ("start", "end")
_IN_SECONDS = ("start_time", "end_time")
_BARE = ("annotator", "label", *_IN_SECONDS)
_FRAME = ("length", "units", "duration", "edges", "extent")
_NAMES = ("item", "coder", "annotator", *_IN_UNITS, *_IN_SECONDS, "level", "label", *_FRAME)
_LARGEST_CELL = 100_000
"""Characters; the csv module of Python refuses a little more than that."""


@dataclass
class _Coder:
    """The rows of one coder of one item."""

    line: int
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    frame: dict[str, str] = field(default_factory=dict)
    problem: FormatError | None = None


def read(reading: Reading) -> Corpus:
    """Items and coders in order of appearance; their rows need not stand together."""
    delimiter = _delimiter(reading.text)
    table = csv.reader(io.StringIO(reading.text, newline=""), delimiter=delimiter or ",", strict=True)
    coders: dict[tuple[str, str], _Coder] = {}
    try:
        if _without_header(reading.text):
            columns = list(_BARE)
        else:
            columns = _columns(reading, [name.strip().lower() for name in next((row for row in table if row), [])])
        start, _ = _between(reading, columns)
        seconds = start == _IN_SECONDS[0] or reading.options["unit"] == "seconds"
        for row in table:
            if not row:
                continue
            if len(row) != len(columns):
                raise reading.error(
                    table.line_num, f"a row must have {len(columns)} cells like the header; got {len(row)}"
                )
            cells = dict(zip(columns, row, strict=True))
            name = cells.get("item", reading.stem), cells.get("coder", cells.get("annotator", reading.stem))
            coder = coders.setdefault(name, _Coder(table.line_num))
            if coder.problem is None:
                try:
                    _take(reading, coder, cells, table.line_num, seconds)
                except FormatError as problem:
                    coder.problem = problem
    except csv.Error as problem:
        raise reading.error(table.line_num, f"not a valid table: {problem}") from None
    _build(reading, coders, seconds).warn()
    return reading.corpus()


def _columns(reading: Reading, header: list[str]) -> list[str]:
    for name in header:
        if header.count(name) > 1:
            raise reading.error(1, f"a column may stand only once in the header; got {name[:40]!r} twice")
    if "coder" in header and "annotator" in header:
        raise reading.error(1, "the coder is named by one column; got coder and annotator")
    for name in header:
        if name not in _NAMES:
            raise reading.error(1, f"a column is one of {', '.join(_NAMES)}; got {name[:40]!r}")
    return header


def _between(reading: Reading, columns: list[str]) -> tuple[str, str]:
    """The two columns that say where a span is."""
    there = [pair for pair in (_IN_UNITS, _IN_SECONDS) if set(pair) <= set(columns)]
    if len(there) != 1:
        raise reading.error(
            1,
            "columns start and end (in units) or start_time and end_time (in seconds) are needed; "
            f"got {', '.join(columns)[:200] or 'none'}",
        )
    if there[0] == _IN_SECONDS and reading.options["unit"] == "units":
        raise reading.error(1, "the columns start_time and end_time are seconds; unit cannot be units")
    return there[0]


def _take(reading: Reading, coder: _Coder, cells: Mapping[str, str], line: int, seconds: bool) -> None:
    """One row into the coder's spans."""
    for name in _FRAME:
        given = cells.get(name, "")
        if given and coder.frame.setdefault(name, given) != given:
            before = coder.frame[name]
            raise reading.error(line, f"{name} must be the same in all rows; got {given[:40]!r} after {before[:40]!r}")
    start, end = (cells.get(a) or cells.get(b) or "" for a, b in zip(_IN_UNITS, _IN_SECONDS, strict=True))
    level, label = cells.get("level", "").strip(), cells.get("label", "")
    if not (start or end or level or label):
        return
    try:
        row = Row(
            _number("start", start, seconds),
            _number("end", end, seconds),
            check_whole("level", _whole(level)) if level else None,
            label or None,
        )
        if row.start > row.end:
            raise HierarchyError(f"start must not be after end; got {start} > {end}")
        if coder.rows and (row.level is None) != (coder.rows[0].level is None):
            raise HierarchyError("all spans of a coder have a level, or none")
    except HierarchyError as problem:
        raise reading.error(line, str(problem)) from None
    coder.rows.append(row)
    coder.lines.append(line)


def _number(name: str, cell: str, seconds: bool) -> int | float:
    if seconds:
        return check_time(name, _decimal(cell))
    whole = _whole(cell)
    if isinstance(whole, str) and isinstance(_decimal(cell), float):
        raise HierarchyError(
            f"{name} must be a whole number; got {whole!r}; for times name the columns start_time and end_time, or read "
            "with unit='seconds'"
        )
    return check_whole(name, whole)


def _whole(cell: str) -> int | str:
    """The number, or the cell itself for the message."""
    cell = cell.strip()
    return int(cell) if re.fullmatch(r"[+-]?[0-9]{1,18}", cell) else cell[:40]


def _decimal(cell: str) -> float | str:
    cell = cell.strip()
    return (
        float(cell)
        if len(cell) < 400
        and re.fullmatch(r"[+-]?[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", cell)
        and any(c.isdigit() for c in re.split("[eE]", cell)[0])
        else cell[:40]
    )


def _build(reading: Reading, coders: dict[tuple[str, str], _Coder], seconds: bool) -> LeftOut:
    left_out = LeftOut(reading.path)
    by_item: dict[str, list[_Coder]] = {}
    for (item, _), coder in coders.items():
        by_item.setdefault(item, []).append(coder)
    shared: dict[str, Frame] = {}
    for (item, name), coder in coders.items():
        place = f"item {item!r}, coder {name!r}"
        with reading.item(coder.line, f"{place}: "):
            if coder.problem is not None:
                raise reading.error(coder.problem.line, f"{place}: {coder.problem.problem}")
            beside = by_item[item]
            if coder.frame:
                frame = _frame(coder.frame, seconds)
            else:
                if item not in shared:
                    said = next((one.frame for one in beside if one.frame and one.problem is None), {})
                    shared[item] = _frame(said, seconds)
                frame = shared[item]
            rows = coder.rows
            if seconds and frame.edges is None:
                until = max(last_end(one.rows) for one in beside)
                rows, duration = within(
                    rows, frame.duration, beyond=beyond_of(reading.options), until=until, item=item, left_out=left_out
                )
                frame = Frame(True, None, None, duration, None, frame.extent)
            elif not seconds:
                frame = _counted(reading, place, coder, frame, beside)
            made = hierarchy(rows, frame, place=place, options=reading.options, left_out=left_out)
            reading.add(item, name, made)
    return left_out


def _counted(reading: Reading, place: str, coder: _Coder, frame: Frame, beside: list[_Coder]) -> Frame:
    """A frame that knows how many units there are; a span outside it is named by its line."""
    length = frame.length if frame.units is None else len(frame.units)
    if frame.length is not None and frame.length != length:
        raise HierarchyError(f"length must be the number of units, {length}; got {frame.length}")
    if length is None:
        length = reading.options["length"]
    if length is None:
        length = max((row.end for one in beside for row in one.rows), default=None)
    if length is None:
        raise HierarchyError("without spans, the length must be said in a column length; got none")
    for row, line in zip(coder.rows, coder.lines, strict=True):
        if row.end > length:
            raise reading.error(line, f"{place}: a span must lie in 1..{length}; got {row.start}-{row.end}")
    return Frame(False, length, frame.units, None, None, frame.extent)


def _frame(cells: Mapping[str, str], seconds: bool) -> Frame:
    for name in ("length", "units") if seconds else ("duration", "edges"):
        if name in cells:
            raise HierarchyError(f"{name} is for spans in {UNITS[not seconds]}; these are in {UNITS[seconds]}")
    length, duration, extent = (cells.get(name) for name in ("length", "duration", "extent"))
    edges = None
    if "edges" in cells:
        edges = check_edges(_list("edges", cells["edges"]))
    units = None
    if "units" in cells:
        units = tuple(_list("units", cells["units"]))
        for i, unit in enumerate(units):
            if not isinstance(unit, str):
                raise HierarchyError(f"units[{i}]: a string is needed; got {str(unit)[:40]}")
    return Frame(
        seconds=seconds,
        length=None if length is None else check_whole("length", _whole(length)),
        units=units,
        duration=None if duration is None else check_time("duration", _decimal(duration)),
        edges=edges,
        extent=None if extent is None else check_whole("extent", _whole(extent)),
    )


def _list(name: str, cell: str) -> list[Any]:
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise HierarchyError(f"{name} must be a JSON list; got {cell[:40]!r}")
    return found


# -- writing ----------------------------------------------------------------------------------------------------------


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """A row a span; what spans lie in stands in the first row of each coder."""
    made = {key: spans_of(corpus[key], path, *key) for key in corpus}
    frames = {
        (item, coder): frame_of(made[item, coder], path, f"item {item!r}, coder {coder!r}") for item, coder in made
    }
    kinds = {frame.seconds for frame in frames.values()}
    if len(kinds) > 1:
        raise FormatError(
            path, None, "a table is in units or in seconds; some of these have times; write spans as .json"
        )
    between = _IN_SECONDS if True in kinds else _IN_UNITS
    # Who says nothing has what another coder of the item says: where one speaks, all must.
    speaking = {key[0] for key, frame in frames.items() if frame != Frame(seconds=True)}
    for key, frame in frames.items():
        if frame == Frame(seconds=True) and key[0] in speaking:
            frames[key] = Frame(seconds=True, edges=made[key].edges)
    beside = [name for name in _FRAME if any(getattr(frame, name) is not None for frame in frames.values())]
    table: list[list[Any]] = [["item", "coder", *between, "level", "label", *beside]]
    for (item, coder), one in made.items():
        place = f"item {item!r}, coder {coder!r}"
        first = [_cell(path, f"{place}: {name}", getattr(frames[item, coder], name)) for name in beside]
        for row in rows_of(one) or [Row("", "", None, None)]:
            if row.label == "":
                raise FormatError(
                    path, None, f"{place}: a table cannot tell an empty label from none; write spans as .json"
                )
            level, label = ("" if value is None else value for value in row[2:])
            table.append([item, coder, *row[:2], level, label, *first])
            first = [""] * len(beside)
    return table_text(table, "\t" if path.lower().endswith(".tsv") else ",")


def _cell(path: str, place: str, value: Any) -> str:
    if value is None:
        return ""
    said = json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
    if len(said) > _LARGEST_CELL:
        raise FormatError(path, None, f"{place} is too long for a cell of a table; write spans as .json")
    return said


def _delimiter(text: str) -> str | None:
    """By the header: the delimiter that makes two columns out of it that say where a span is."""
    first = text.lstrip().split("\n", 1)[0][:10_000]
    for delimiter in _DELIMITERS:
        names = {name.strip().strip('"').lower() for name in first.split(delimiter)}
        if (set(_IN_UNITS) <= names or set(_IN_SECONDS) <= names) and "unit" not in names:  # a table of units has it
            return delimiter
    return None


def _without_header(text: str) -> bool:
    """Whether all rows, from the first on, are annotator, label, start and end."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or _delimiter(text) is not None:
        return False
    for line in lines:
        cells = line.split(",")
        if len(cells) != 4 or not all(NUMBER.fullmatch(cell.strip()) and len(cell) < 40 for cell in cells[2:]):
            return False
        if not cells[0].strip() or NUMBER.fullmatch(cells[0].strip()) or not float(cells[2]) < float(cells[3]):
            return False
    return True


def _length(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError(f"{name} must be a whole number from 1 up; got {value!r}")
    return value


FORMAT = Format(
    name="spans-csv",
    suffixes=(".csv", ".tsv"),
    other_suffixes=(".csv", ".tsv", ".txt"),
    description="spans as a table, CSV or TSV: item, coder, start, end, level, label",
    read=read,
    looks_like=lambda text: _delimiter(text) is not None or _without_header(text),
    write=write,
    options=(
        Option(
            "unit", None, choice(*UNITS), "whether start and end are units or seconds; by default as the header says"
        ),
        Option(
            "length", None, _length, "how many units there are, where no column says it; by default the largest end"
        ),
        REPAIR,
        SNAP,
        BEYOND,
    ),
    annotation_types=(Hierarchy, Segmentation, Dialogue),
)
