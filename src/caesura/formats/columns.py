"""Tables of cells: the content of CSV, TSV, Excel and Parquet files and of data frames, column by column.

A column stores each distinct cell once and one whole number per row, so that a table of millions of rows can be examined by
its distinct cells. All cells are text; numbers and truth values of other sources are written as text first.

Large delimited tables are parsed with pyarrow, many rows at a time, several times as fast as with the module ``csv`` of the
standard library. pyarrow gets only text that both read alike: cells are quoted as a whole or not at all, contain no line break,
and no row is empty. All other text is left to ``csv``, which also reports the errors.
"""

from __future__ import annotations

import csv
import io
import math
import operator
import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.formats import arrow
from caesura.formats.arrow import CONTENT_KEY, pa, pc, pq
from caesura.formats.column_names import ROLE_OF_NAME, normalize
from caesura.formats.content import NUMBER, cut_notes, json_text, unpacked_path, unprotect_cell
from caesura.formats.format import Reading
from caesura.formats.header import declared_delimiter, find_delimiter, rows_above_header, sample_rows
from caesura.formats.parquet_pages import PageChecker
from caesura.limits import MAX_BYTES, MAX_COLUMNS, declared_cells, unpacked_bytes
from caesura.memory import check_memory
from caesura.model.index import bincount

_DELIMITER_NAMES = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}

_MAX_DIGITS = 40  # no program writes longer numbers
_BATCH_ROWS = 2**14
_ROW_ROLES = ("item", "unit", "text", "coder", "start", "time")  # roles of columns that are filled in every row
# Last line in which titles above the header are expected.
MAX_TITLE_LINE = 20
_CELL_BYTES = 8  # at least: the number of its text
_PIECE_SIZE = 2**20  # characters
# Number of characters that pyarrow parses at a time, apart from the rest of the last line.
ARROW_BLOCK_SIZE = 2**23
# Number of characters of a table from which on pyarrow is used; its import takes as long as parsing this much.
MIN_ARROW_SIZE = 2**20
_MAX_ARROW_WIDTH = 1000  # every column of a block takes time, even if it has few rows
# For each column, the distinct cells in order of appearance, and the index of the cell of each row.
_Block = list[tuple[list[str], NDArray[np.int64]]]
_THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")
_NUMBER_OR_EMPTY = re.compile(r"\s*+([+-]?[0-9]*+\.?[0-9]*+)\s*+|(?i:na|nan|none|null)")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")


@dataclass(frozen=True)
class Column:
    name: str
    values: list[str]  # distinct cells
    codes: NDArray[np.int32]  # for each row, the index of its cell in ``values``

    @classmethod
    def of(cls, name: str, cells: Sequence[str]) -> Column:
        index: defaultdict[str, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(index.__getitem__, cells), np.int32, len(cells))
        return cls(name, list(index), codes)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return bincount(self.codes, minlength=len(self.values))

    @cached_property
    def stripped(self) -> list[str]:
        return [value.strip() for value in self.values]

    @property
    def filled(self) -> NDArray[np.bool_]:
        return np.array([bool(value) for value in self.stripped], bool)[self.codes]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The number in each row; NaN for other cells."""
        numbers = [
            float(text) if NUMBER.fullmatch(text) and len(text) < _MAX_DIGITS else math.nan for text in self.stripped
        ]
        return np.array(numbers, np.float64)[self.codes]

    def cells(self) -> list[str]:
        values = self.values
        return [values[code] for code in self.codes.tolist()]

    def first_row(self, value: str) -> int:
        return int(np.argmax(self.codes == self.values.index(value)))


@dataclass
class Table:
    columns: dict[str, Column]
    lines: NDArray[np.int64]  # line of each row, counted from 1
    ignored: list[str] = field(default_factory=list)  # columns that were left out while the table was decoded
    notes: list[str] = field(default_factory=list)  # conversions, such as a decimal comma

    def __len__(self) -> int:
        return len(self.lines)


def parse_delimited(reading: Reading, *, delimiter: str | None, header: bool = True, skip: int | None = None) -> Table:
    declared, skipped = declared_delimiter(reading.text)
    chosen = declared or delimiter or find_delimiter(reading.text)
    rows = _Rows(reading, chosen, skipped, int(skipped > 0))
    sample = sample_rows(reading.text[skipped:], chosen)
    above = _skip_titles(rows, sample, skip) if header else 0
    first_line, first = next(iter(rows), (1, []))
    names = _header_names(first, sample[above + 1 :]) if header else [str(i) for i in range(1, len(first) + 1)]
    if not _is_raw(reading):
        names = [unprotect_cell(name) for name in names]
    _check_names(reading, names)
    parts = _Accumulator(len(names))
    if not header:
        parts.add([first_line], [first])
    _add_rows(reading, rows, parts)
    table = _with_names(reading, names, parts)
    if not _is_raw(reading):
        table = _without_protection(table)
    table.notes += cut_notes(reading.text)
    if above:
        table.notes.append(titles_note(first_line))
    if chosen in _DELIMITER_NAMES and unpacked_path(reading.path).suffix.lower() != ".tsv":
        table.notes.append(f"{_DELIMITER_NAMES[chosen]} between cells")
    if chosen != ",":
        _convert_decimal_commas(table, may_be_thousands=chosen != ";")
    return table


def _header_names(cells: Iterable[str], below: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of the columns; a column of row names has none in some files."""
    names = [cell.strip() for cell in cells]
    return ["", *names] if _has_row_names(names, below) else names


def _skip_titles(rows: _Rows, sample: Sequence[Sequence[str]], skip: int | None) -> int:
    number = rows_above_header(sample) if skip is None else 0
    for _ in range(number):
        next(iter(rows))
    while skip is not None and rows.line < skip:
        rows.skip_line()
        number += 1
    return number


def titles_note(line: int) -> str:
    lines = "line 1 is" if line == 2 else f"lines 1 to {line - 1} are"
    return f"the header is in line {line}; {lines} left out"


def _has_row_names(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether all rows have one cell more than the header, as R writes them: the first cell numbers the row."""
    numbers = [row[0].strip() for row in rows]
    counted = numbers == [*map(str, range(1, len(rows) + 1))]
    return len(names) > 1 and len(rows) > 1 and counted and all(len(row) == len(names) + 1 for row in rows)


class _Accumulator:
    def __init__(self, width: int) -> None:
        self.lines = array("q")
        self.indices: list[defaultdict[str, int]] = [defaultdict(count().__next__) for _ in range(width)]
        self.codes = [array("i") for _ in range(width)]

    def add(self, lines: Sequence[int], rows: Sequence[Sequence[str]]) -> None:
        self.lines.extend(lines)
        for index, codes, cells in zip(self.indices, self.codes, zip(*rows, strict=True), strict=True):
            codes.extend(map(index.__getitem__, cells))

    def add_block(self, line: int, block: _Block) -> int:
        """Add rows on successive lines, and return their number."""
        rows = len(block[0][1])
        self.lines.frombytes(np.arange(line, line + rows, dtype=np.int64).tobytes())
        for index, codes, (cells, places) in zip(self.indices, self.codes, block, strict=True):
            code_of = np.fromiter(map(index.__getitem__, cells), np.int32, len(cells))
            codes.frombytes(code_of[places].tobytes())
        return rows

    def column(self, i: int, name: str) -> Column:
        return Column(name, list(self.indices[i]), np.frombuffer(self.codes[i], np.int32).copy())


class _Rows:
    def __init__(self, reading: Reading, delimiter: str, position: int = 0, line: int = 0) -> None:
        self.reading, self.delimiter = reading, delimiter
        self.position, self.line = position, line

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(self._lines(), delimiter=self.delimiter, strict=True)
        try:
            for row in rows:
                if row:
                    yield self.line, row
        except csv.Error as problem:
            limit = csv.field_size_limit()
            reason = f"a cell has more than {limit} characters" if "field limit" in str(problem) else str(problem)
            raise self.reading.error(self.line, f"not a valid table: {reason}") from None

    def skip_line(self) -> None:
        end = self.reading.text.find("\n", self.position) + 1
        self.position, self.line = end or len(self.reading.text), self.line + 1 if end else sys.maxsize

    def _lines(self) -> Iterator[str]:
        """Yield the lines. The text is split into pieces, because a StringIO takes four bytes per character."""
        text = self.reading.text
        while (start := self.position) < len(text):
            end = text.find("\n", start + _PIECE_SIZE) + 1 or len(text)
            for line in io.StringIO(text[start:end], newline=""):
                self.position += len(line)
                self.line += 1
                yield line


def parse_table(reading: Reading, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    if _is_raw(reading):
        yield from _Rows(reading, delimiter)
        return
    number = 0
    for line, row in _Rows(reading, delimiter):
        cells = [unprotect_cell(cell) for cell in row]
        number += sum(map(operator.ne, cells, row))
        yield line, cells
    if number:
        reading.notes.append(_protection_note(number))


def _is_raw(reading: Reading) -> bool:
    """Return whether an apostrophe before a formula is part of a cell; it is, unless caesura writes the format."""
    return bool(reading.options.get("raw", True))


def _protection_note(number: int) -> str:
    cells = "1 cell" if number == 1 else f"{number:,} cells"
    return (
        f"an apostrophe before =, +, -, @ or a control character was left out in {cells} (--reading raw=true keeps it)"
    )


def _without_protection(table: Table) -> Table:
    """Return the table without the apostrophes that keep spreadsheets from running cells."""
    columns, number = dict(table.columns), 0
    for name, column in table.columns.items():
        values = [unprotect_cell(value) for value in column.values]
        changed = np.array([*map(operator.ne, values, column.values)], bool)
        if changed.any():
            number += int(column.counts[changed].sum())
            columns[name] = Column.of(name, [values[code] for code in column.codes.tolist()])
    if not number:
        return table
    return Table(columns, table.lines, table.ignored, [*table.notes, _protection_note(number)])


def _add_rows(reading: Reading, rows: _Rows, parts: _Accumulator) -> None:
    """Add the rows that are not read yet. pyarrow parses blocks of a large table where it can."""
    text, width = reading.text, len(parts.codes)
    if not _arrow_is_useful(len(text), width):
        _add_slowly(reading, rows, parts, len(text))
        return
    while (start := rows.position) < len(text):
        end = text.find("\n", start + ARROW_BLOCK_SIZE) + 1 or len(text)
        block = parse_block(text[start:end], rows.delimiter, width)
        if block is None:
            _add_slowly(reading, rows, parts, end)
        else:
            number = parts.add_block(rows.line + 1, block)
            rows.position, rows.line = end, rows.line + number


def _arrow_is_useful(size: int, width: int) -> bool:
    """Return whether pyarrow is installed and a table is so large that it saves time."""
    return size >= MIN_ARROW_SIZE and 0 < width <= _MAX_ARROW_WIDTH and _has_arrow()


@cache
def _has_arrow() -> bool:
    return find_spec("pyarrow") is not None


def parse_block(block: str, delimiter: str, width: int) -> _Block | None:
    if not _is_plain(block, delimiter):
        return None
    from pyarrow import csv as arrow_csv

    names = [str(i) for i in range(width)]
    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        data = block.encode()
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char='"' if '"' in block else False),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, kind), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, ValueError):  # such as a row with too many cells, or half a surrogate pair
        return None
    if table.num_rows != block.count("\n") + (not block.endswith("\n")):
        return None
    columns = [arrow.combined(table.column(name)) for name in names]
    return [(column.dictionary.to_pylist(), arrow.to_int64(column.indices)) for column in columns]


def _is_plain(block: str, delimiter: str) -> bool:
    """Return whether both parsers read a block in the same way, unless a row has the wrong number of cells."""
    if block.startswith(("\n", "\r")) or "\n\n" in block or "\n\r" in block:
        return False
    if block.count("\r") != block.count("\r\n"):
        return False
    limit, start = csv.field_size_limit(), 0
    while len(block) - start > limit:
        end = block.rfind("\n", start, start + limit)
        if end < 0:
            return False  # a line is too long
        start = end + 1
    return '"' not in block or '"' not in _quoted_cell(delimiter).sub("", block)


@cache
def _quoted_cell(delimiter: str) -> re.Pattern[str]:
    edge = re.escape(delimiter)
    return re.compile(rf'(?:^|(?<=[{edge}\n]))"(?:[^"\n\r]++|"")*+"(?=[{edge}\n\r]|\Z)')


def _add_slowly(reading: Reading, rows: _Rows, parts: _Accumulator, end: int) -> None:
    remaining = _rows_before(rows, end)
    while batch := list(islice(remaining, _BATCH_ROWS)):
        lines, cells = zip(*batch, strict=True)
        parts.add(lines, _with_width(reading, lines, cells, len(parts.codes)))


def _rows_before(rows: _Rows, end: int) -> Iterator[tuple[int, list[str]]]:
    if rows.position < end:
        for row in rows:
            yield row
            if rows.position >= end:
                return


def _with_width(reading: Reading, lines: Sequence[int], rows: Sequence[list[str]], width: int) -> Sequence[list[str]]:
    if {*map(len, rows)} == {width}:
        return rows
    rows = [row if any(cell.strip() for cell in row[width:]) else row[:width] for row in rows]
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            hint = (
                "; if the header is further down, say so with --reading skip=LINES"
                if len(row) > width and line <= MAX_TITLE_LINE
                else ""
            )
            raise reading.error(line, f"a row must have {width} cells like the header; got {len(row)}{hint}")
    return rows


def table_of_rows(reading: Reading, names: Sequence[str], lines: Sequence[int], rows: Sequence[Sequence[str]]) -> Table:
    _check_names(reading, names)
    parts = _Accumulator(len(names))
    if rows:
        parts.add(lines, rows)
    return _with_names(reading, names, parts)


def _check_names(reading: Reading, names: Sequence[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise reading.error(1, f"a table may have {MAX_COLUMNS} columns; this has {len(names)}")
    seen: dict[str, int] = {}
    for i, name in enumerate(names, 1):
        if name and name in seen:
            raise reading.error(
                1, f"two columns have the name {name[:40]!r}: columns {seen[name]} and {i}; rename one of them"
            )
        seen[name] = i


def _with_names(reading: Reading, names: Sequence[str], parts: _Accumulator) -> Table:
    """Return the table without unnamed columns; an unnamed column with content other than row numbers is an error."""
    columns: dict[str, Column] = {}
    ignored: list[str] = []
    lines = np.frombuffer(parts.lines, np.int64).copy() if parts.lines else np.zeros(0, np.int64)
    for i, name in enumerate(names):
        column = parts.column(i, name)
        if name:
            columns[name] = column
        elif i == 0 and _counts_rows(column):
            ignored.append("the first column (row numbers)")
        elif any(column.stripped):
            raise reading.error(1, f"column {i + 1} must have a name in the header; it is empty")
    return _without_empty_rows(Table(columns, lines, ignored))


def _without_empty_rows(table: Table) -> Table:
    """Return the table without rows of empty cells, if the item, the text or the time is filled in all other rows."""
    # Otherwise an empty row may be a unit without a boundary.
    kept = _rows_to_keep(table)
    number = int(len(kept) - np.count_nonzero(kept))
    if not number:
        return table
    columns = {
        name: Column.of(name, [column.values[code] for code in column.codes[kept].tolist()])
        for name, column in table.columns.items()
    }
    notes = [*table.notes, f"{number} empty row{'s' if number > 1 else ''} left out"]
    return Table(columns, table.lines[kept], table.ignored, notes)


def _rows_to_keep(table: Table) -> NDArray[np.bool_]:
    """Return the rows with content if the item, the text or the time is filled in all of them; otherwise all rows."""
    everything = np.ones(len(table), bool)
    by_size = sorted(table.columns.values(), key=lambda column: len(column.values))
    if not by_size or any(all(column.stripped) for column in by_size):
        return everything  # a column without empty cells, so that no row is empty
    filled = {name: column.filled for name, column in table.columns.items()}
    kept: NDArray[np.bool_] = np.logical_or.reduce([*filled.values()])
    keys = [cells for name, cells in filled.items() if ROLE_OF_NAME.get(normalize(name)) in _ROW_ROLES]
    return kept if any(np.array_equal(cells, kept) for cells in keys) else everything


def _counts_rows(column: Column) -> bool:
    """Return whether the cells are 0, 1, 2 and so on, or 1, 2, 3 and so on."""
    cells = column.cells()
    return any(cells == [*map(str, range(start, start + len(cells)))] for start in (0, 1))


def _convert_decimal_commas(table: Table, *, may_be_thousands: bool) -> None:
    """Replace the decimal comma in columns that contain only such numbers and cells without a comma."""
    # A column of numbers such as 1,500 does not change if commas may separate thousands, which they do not in a table with
    # semicolons.
    converted = []
    for name, column in table.columns.items():
        if _has_decimal_commas(column, may_be_thousands):
            cells = [value.replace(",", ".") for value in column.values]
            merged = Column.of(name, cells)
            table.columns[name] = Column(name, merged.values, merged.codes[column.codes])
            converted.append(name)
    if converted:
        table.notes.append(f"decimal comma in {', '.join(converted[:8])}")


def _has_decimal_commas(column: Column, may_be_thousands: bool) -> bool:
    decimals = [value for value in column.values if _DECIMAL_COMMA.fullmatch(value)]
    others = [value for value in column.values if not _DECIMAL_COMMA.fullmatch(value)]
    if not decimals or not all(map(_NUMBER_OR_EMPTY.fullmatch, others)):
        return False
    return not may_be_thousands or not all(map(_THOUSANDS.fullmatch, decimals))


def cell_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (list, tuple)):
        return json_text([str(entry) for entry in value])
    return str(value)


def from_arrow(path: str, data: Any, *, offset: int = 1) -> Table:
    names = [str(name) for name in data.column_names]
    cells = len(names) * data.num_rows
    check_memory(f"{path}: a table of {cells:,} cells", cells * _CELL_BYTES, "write a Parquet data set of documents")
    reading = Reading(path, "")
    _check_names(reading, names)
    columns: dict[str, Column] = {}
    ignored = []
    for i, name in enumerate(names):
        kind = data.schema.types[i]
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        if pa.types.is_nested(kind) and not (is_list and arrow.is_text(kind.value_type)):
            ignored.append(f"{name} (nested)")
            continue
        columns[name] = _arrow_column(name, data.column(i))
    kept = {name: column for name, column in columns.items() if not _is_index(name, column)}
    ignored += [f"{name or 'the first column'} (row numbers)" for name in columns if name not in kept]
    return Table(kept, np.arange(offset, offset + data.num_rows, dtype=np.int64), ignored)


def _arrow_column(name: str, column: Any) -> Column:
    if pa.types.is_nested(column.type):
        return Column.of(name, [cell_text(value) for value in column.to_pylist()])
    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], column.type)
    if not pa.types.is_dictionary(encoded.type):
        encoded = pc.dictionary_encode(encoded)
    codes = encoded.indices.cast(pa.int64()).fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    occurring, places = np.unique(codes, return_inverse=True)
    values = [*encoded.dictionary.to_pylist(), None] if len(occurring) else []
    distinct = Column.of(name, [cell_text(values[i]) for i in occurring.tolist()])  # two values may have the same text
    return Column(name, distinct.values, distinct.codes[places])


def _is_index(name: str, column: Column) -> bool:
    return (name == "" or name.startswith("__index_level_") or name == "Unnamed: 0") and _counts_rows(column)


def from_parquet(reading: Reading) -> Table:
    arrow.require_pyarrow(reading.path, "reading")
    with arrow.reading_errors(reading.path):
        source = pa.BufferReader(reading.data)
        file = pq.ParquetFile(source)
        metadata = file.metadata
        names = list(file.schema_arrow.names)
        if CONTENT_KEY in (file.schema_arrow.metadata or {}):
            raise reading.error(None, "this file has the scores of documents (evaluate --scores), not annotations")
        size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        packed = len(reading.data)
        limits = {
            "cells": (declared_cells(packed), metadata.num_rows * len(names)),
            "bytes": (min(MAX_BYTES, unpacked_bytes(packed)), size),
        }
        for unit, (maximum, actual) in limits.items():
            if actual > maximum:
                raise reading.error(None, f"expected a table of at most {maximum} {unit}; this claims to have {actual}")
        pages = PageChecker(reading.path, source, file)
        for group in range(metadata.num_row_groups):
            pages.check(group)
        # Text columns are read as dictionaries, so that each text is in memory only once.
        flat = [name for name, kind in zip(names, file.schema_arrow.types, strict=True) if not pa.types.is_nested(kind)]
        file = pq.ParquetFile(source, read_dictionary=flat, page_checksum_verification=True)
        return from_arrow(reading.path, file.read(use_threads=False))


def from_frame(data: Any, name: str = "the data frame") -> Table:
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas
        return _from_pandas(data, name)
    arrow.require_pyarrow(name, "reading")
    with arrow.reading_errors(name):
        return from_arrow(name, pa.table(data))


def _from_pandas(data: Any, name: str) -> Table:
    if data.columns.nlevels > 1 or data.index.nlevels > 1:
        problem = "a frame must have one level of row and column names; got a MultiIndex; call reset_index() first"
        raise FormatError(name, None, problem)
    if data.index.name is not None:
        data = data.reset_index()
    reading = Reading(name, "")
    names = [str(column) for column in data.columns]
    _check_names(reading, names)
    columns = {
        column: Column.of(column, [cell_text(value) for value in data.iloc[:, i].tolist()])
        for i, column in enumerate(names)
    }
    return Table(columns, np.arange(1, len(data) + 1, dtype=np.int64))
