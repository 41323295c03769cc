"""Sheets of Excel workbooks as tables."""

from __future__ import annotations

import functools
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError, FormatError
from caesura.formats.columns import MAX_TITLE_LINE, Column, Table, cell_text, table_of_rows, titles_note
from caesura.formats.format import Reading
from caesura.formats.header import rows_above_header
from caesura.limits import MAX_CELLS, MAX_COLUMNS, MAX_UNPACKED, declared_cells
from caesura.model.value import count_of

_MAX_SHEETS = 8  # in a message
_MAX_ROWS = 2**20  # of a sheet, in every program

_ELEMENT = re.compile(rb"<(?:\w{1,40}:)?(row|col)\s([^<>]*+)>")
_CELL = re.compile(rb"""<(?:\w{1,40}:)?(?:row|c)\s(?:[^<>]*?\s)?r=["']([A-Za-z]{0,8})([0-9]{1,20})["']""")
_ATTRIBUTE = re.compile(rb"""\b(hidden|r|min|max)=["']([^"']{0,20})["']""")
_PATH_NAME = "_worksheet_path"  # of a sheet of openpyxl inside the archive, which has no public name

_NumberedRow = tuple[int, list[str]]


def from_excel(
    reading: Reading, sheet: str | None = None, skip: int | None = None, sheets: str | None = None, hidden: str = "read"
) -> Table:
    pages, formulas, unseen = _workbook(reading)
    chosen = {title: rows for title, rows in pages.items() if rows and sheet in (None, title)}
    if not chosen:
        missing = "no sheet has content" if sheet is None else f"no sheet {sheet!r} with content"
        raise reading.error(None, f"{missing}; the sheets are {', '.join(pages)}")
    invisible = [title for title in chosen if unseen[title].sheet]
    if sheet is None and len(invisible) < len(chosen):
        chosen = {title: rows for title, rows in chosen.items() if title not in invisible}
    else:
        invisible = []
    if hidden == "skip":
        chosen = {title: unseen[title].visible(rows) for title, rows in chosen.items()}
    tables = {title: rows for title, rows in chosen.items() if _is_table(rows)} or chosen
    if len(tables) > 1 and sheets is None:
        raise _several_sheets(reading, tables)
    joined: dict[str, Table] = {}
    for title, rows in tables.items():
        _check_formulas(reading, rows, formulas.get(title, set()))
        joined[title] = _from_rows(reading, rows, skip)
    table = _join_sheets(reading, joined, sheets)
    table.ignored += [f"sheet {title} (not a table)" for title in chosen if title not in tables]
    table.ignored += [f"sheet {title} (hidden)" for title in invisible]
    for title in tables:
        table.notes += unseen[title].notes(pages[title], hidden, "" if len(tables) == 1 else f" of sheet {title}")
    if any(formulas.get(title) for title in tables):
        table.notes.append("cells with formulas have the values that the program stored last")
    return table


@dataclass(frozen=True)
class _Hidden:
    """What a program does not show of a sheet."""

    sheet: bool
    rows: frozenset[int]  # hidden rows, from 1; a filter hides rows too
    columns: frozenset[int]  # hidden columns, from 0

    @classmethod
    def of(cls, page: Any, data: bytes) -> _Hidden:
        rows, columns = set(), set[int]()
        number = 0
        for element in _ELEMENT.finditer(data):
            attributes = dict(_ATTRIBUTE.findall(element[2]))
            is_hidden = attributes.get(b"hidden") in (b"1", b"true")
            if element[1] == b"row":
                number = int(attributes.get(b"r", number + 1))
                rows |= {number} if is_hidden else set()
            elif is_hidden:
                columns |= {*range(int(attributes[b"min"]) - 1, min(int(attributes[b"max"]), MAX_COLUMNS))}
        return cls(page.sheet_state != "visible", frozenset(rows), frozenset(columns))

    def visible(self, rows: Sequence[_NumberedRow]) -> list[_NumberedRow]:
        return [
            (line, [cell for i, cell in enumerate(row) if i not in self.columns])
            for line, row in rows
            if line not in self.rows
        ]

    def notes(self, rows: Sequence[_NumberedRow], hidden: str, place: str) -> list[str]:
        lines = [line for line, row in rows if line in self.rows and any(map(str.strip, row))]
        columns = sorted({i + 1 for _, row in rows for i, cell in enumerate(row) if i in self.columns and cell.strip()})
        verb, other = ("left out", "read") if hidden == "skip" else ("read too", "skip")
        hint = f"{verb} (--reading hidden={other} changes this)"
        facts = [("row", lines), ("column", columns)]
        return [
            f"{count_of(len(numbers), f'hidden {what}')}{place} (first: {what} {numbers[0]}) {hint}"
            for what, numbers in facts
            if numbers
        ]


def _workbook(
    reading: Reading,
) -> tuple[dict[str, list[_NumberedRow]], dict[str, set[tuple[int, int]]], dict[str, _Hidden]]:
    try:
        import openpyxl
    except ImportError:
        raise reading.error(None, "reading this needs openpyxl; run pip install 'caesura[excel]'") from None
    if reading.data.startswith(b"\xd0\xcf\x11\xe0"):
        raise reading.error(None, "the workbook is protected by a password, or is an old .xls file; save it as .xlsx")
    _check_unpacked_size(reading)
    try:
        book = openpyxl.load_workbook(io.BytesIO(reading.data), read_only=True, data_only=True, keep_links=False)
        unseen = {}
        with zipfile.ZipFile(io.BytesIO(reading.data)) as archive:
            for page in book.worksheets:
                data = archive.read(getattr(page, _PATH_NAME).lstrip("/"))
                _check_declared_cells(reading, page.title, data)
                unseen[page.title] = _Hidden.of(page, data)
        pages = {page.title: _without_blank_ends([*enumerate(_excel_rows(page), 1)]) for page in book.worksheets}
        return pages, _formulas(reading.data, openpyxl), unseen
    except FormatError:
        raise
    except Exception as problem:  # openpyxl raises many kinds of errors for damaged files
        raise reading.error(None, f"not a valid Excel workbook: {str(problem)[:200]}") from None


def _several_sheets(reading: Reading, tables: dict[str, list[_NumberedRow]]) -> AmbiguousFileError:
    choices: list[tuple[str, dict[str, Any]]] = []
    if len({tuple(rows[0][1]) for rows in tables.values()}) == 1:
        choices += [(f"one {role} per sheet", {"sheets": role}) for role in ("coder", "item")]
    choices += [(f"the sheet {title}", {"sheet": title}) for title in list(tables)[:_MAX_SHEETS]]
    return AmbiguousFileError(reading.path, f"the workbook has {len(tables)} sheets with content", choices)


def _join_sheets(reading: Reading, tables: dict[str, Table], role: str | None) -> Table:
    """Return one table of all sheets, with their names in a column of its own."""
    (first, table), *_ = tables.items()
    if role is None:
        table.notes.append(f"sheet {first!r}")
        return table
    for title, other in tables.items():
        if list(other.columns) != list(table.columns) or role in other.columns:
            problem = f"all sheets must have the same columns, and none called {role}"
            raise reading.error(None, f"{problem}; sheet {title!r} has {', '.join(other.columns)[:200]}")
    columns = {role: Column.of(role, [title for title, other in tables.items() for _ in range(len(other))])}
    for name in table.columns:
        columns[name] = Column.of(name, [cell for other in tables.values() for cell in other.columns[name].cells()])
    notes = [note for other in tables.values() for note in other.notes]
    lines = np.concatenate([other.lines for other in tables.values()])
    return Table(columns, lines, notes=[*notes, f"each sheet is one {role}: {', '.join(list(tables)[:_MAX_SHEETS])}"])


def _check_unpacked_size(reading: Reading) -> None:
    try:
        size = sum(entry.file_size for entry in zipfile.ZipFile(io.BytesIO(reading.data)).infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as problem:
        raise reading.error(None, f"not a valid Excel workbook: {problem}") from None
    if size > MAX_UNPACKED:
        limit = f"a workbook may unpack to {MAX_UNPACKED // 2**20} MB; this unpacks to {size // 2**20} MB"
        raise reading.error(None, f"{limit}; save the table as .csv")


def _check_declared_cells(reading: Reading, title: str, data: bytes) -> None:
    """Raise an error if a few cells far from each other span a table that is too large for the file."""
    last = max((int(cell[2]) for cell in _CELL.finditer(data)), default=0)
    names = {cell[1].upper() for cell in _CELL.finditer(data)}
    columns = max((functools.reduce(lambda n, letter: 26 * n + letter - 64, name, 0) for name in names), default=0)
    limit = declared_cells(len(reading.data))
    if last > _MAX_ROWS or last * columns > limit:
        problem = f"the cells of sheet {title!r} span {last:,} rows and {columns:,} columns"
        raise reading.error(None, f"{problem}, more than {limit:,} cells; delete cells far from the table")


def _excel_rows(page: Any) -> Iterator[list[str]]:
    for row in _rows_of(page):
        if len(row) > MAX_COLUMNS:
            raise ValueError(f"a table may have {MAX_COLUMNS} columns; this has {len(row)}")
        yield [cell_text(value) for value in row]


def _rows_of(page: Any) -> Iterator[tuple[Any, ...]]:
    if (page.max_row or 0) * (page.max_column or 0) > MAX_CELLS:
        page.reset_dimensions()  # the file may claim any size
    rows: Iterator[tuple[Any, ...]] = page.iter_rows(values_only=True)
    return rows


def _formulas(data: bytes, openpyxl: Any) -> dict[str, set[tuple[int, int]]]:
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
    return {
        page.title: {
            (line, i)
            for line, row in enumerate(_rows_of(page), 1)
            for i, value in enumerate(row)
            if isinstance(value, str) and value.startswith("=")
        }
        for page in book.worksheets
    }


def _check_formulas(reading: Reading, rows: Sequence[_NumberedRow], places: set[tuple[int, int]]) -> None:
    """Raise an error if a formula has no stored value; programs that do not compute formulas write such files."""
    for line, row in rows:
        for i, cell in enumerate(row):
            if not cell and (line, i) in places:
                problem = f"column {i + 1} has a formula without a stored value"
                raise reading.error(line, f"{problem}; open the workbook in a spreadsheet program and save it")


def _without_blank_ends(rows: list[_NumberedRow]) -> list[_NumberedRow]:
    filled = [i for i, (_, row) in enumerate(rows) if any(cell.strip() for cell in row)]
    return rows[filled[0] : filled[-1] + 1] if filled else []


def _is_table(rows: Sequence[_NumberedRow]) -> bool:
    """Return whether a sheet has at least two rows with two cells; a sheet with notes has not."""
    return sum(sum(bool(cell.strip()) for cell in row) > 1 for _, row in rows) > 1


def _from_rows(reading: Reading, rows: Sequence[_NumberedRow], skip: int | None = None) -> Table:
    # Above the header are titles, or the rows that the user wants to skip.
    if skip is None:
        above = rows_above_header([row for _, row in rows[:MAX_TITLE_LINE]])
    else:
        above = sum(line <= skip for line, _ in rows)
    if above >= len(rows):
        raise reading.error(None, f"the sheet has no row below line {skip}")
    (header_line, header), *body = rows[above:]
    width = max(len(row) for _, row in (*body, (header_line, header)))
    names = [name.strip() for name in header] + [""] * (width - len(header))
    padded = [row + [""] * (width - len(row)) for _, row in body]
    table = table_of_rows(reading, names, [line for line, _ in body], padded)
    if above:
        table.notes.append(titles_note(header_line))
    _check_filled(reading, table)
    return table


def _check_filled(reading: Reading, table: Table) -> None:
    """Raise an error if rows are empty and no column is filled in all other rows: then the number of units is unknown."""
    if not len(table) or not table.columns:
        return
    empty = ~np.logical_or.reduce([column.filled for column in table.columns.values()])
    if empty.any():
        problem = "the row is empty, and no column is filled in all rows, so that the number of units is not clear"
        hint = "add a column called unit with the numbers of the units"
        raise reading.error(int(table.lines[np.argmax(empty)]), f"{problem}; {hint}")
