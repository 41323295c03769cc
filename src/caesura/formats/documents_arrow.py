"""Parse lines of JSON with pyarrow, many documents at a time (see ``documents_json.py``).

Nothing becomes a Python object, so that nothing has to be checked object by object. pyarrow decides only about lines that
both parsers read in the same way. All other lines are left to the standard library, which reports the error: anything that
is not one object per line, values of other types, repeated keys, numbers of more than 62 bits, and unknown fields with deep
nesting or very long numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.formats import arrow
from caesura.formats.arrow import pa
from caesura.formats.documents import FIELDS, MAX_NAME, SIDES
from caesura.model.documents import BoundaryColumn, Documents
from caesura.model.index import flatnonzero, searchsorted
from caesura.model.value import Ints

# Number of bytes that are parsed at a time, apart from the rest of the last line.
BLOCK_BYTES = 2**20
_PIECE_BYTES = 2**16  # of a block with unknown fields; bounds the memory that their columns need
_MAX_PIECE_BYTES = 2**18  # a longer line is left to the standard library
_MAX_OPENINGS = 200  # brackets per line with unknown fields, which bounds how deeply they are nested
_LONG_NUMBER = re.compile(rb"[0-9]{1000}")
_LIMIT = 2**62

# Name of an invalid document, and what is wrong.
Problem = tuple[str, str]


@cache
def is_available() -> bool:
    return find_spec("pyarrow") is not None


def parse_block(line: int, data: bytes) -> Iterator[tuple[int, bytes, pa.Table | None]]:
    table = _parse(data, "error")
    if table is not None:
        yield line, data, table
        return
    parsed = ((piece, _parse(piece, "infer") if _is_harmless(piece) else None) for piece in _pieces(data))
    for is_table, group in groupby(parsed, lambda entry: entry[1] is not None):
        pieces, tables = zip(*group, strict=True)
        stretch = b"".join(pieces)
        yield line, stretch, pa.concat_tables(tables, promote_options="default") if is_table else None
        line += stretch.count(b"\n")


def _pieces(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PIECE_BYTES) + 1 or len(data)
        yield data[start:end]
        start = end


def _is_harmless(piece: bytes) -> bool:
    """Return whether the unknown fields cannot be nested deeply or contain numbers that Python does not convert."""
    if len(piece) > _MAX_PIECE_BYTES or _LONG_NUMBER.search(piece):
        return False
    return all(line.count(b"[") + line.count(b"{") <= _MAX_OPENINGS for line in piece.split(b"\n"))


def _parse(data: bytes, unknown_fields: str) -> pa.Table | None:
    # Names of items are text or numbers, as in the first line. Unknown fields become columns without values.
    lines = data.rstrip(b"\r\n")
    if not _has_one_object_per_line(lines):
        return None
    for item_type in (pa.string(), pa.int64()):
        try:
            table = _read(lines, item_type, unknown_fields)
        except (pa.ArrowException, ValueError, OverflowError):
            continue
        if table.num_rows != lines.count(b"\n") + 1:
            return None
        known = list(_schema(item_type).names)
        columns = [table.column(name) for name in known]
        columns[0] = columns[0].cast(pa.string())
        unknown = [name for name in table.column_names if name not in FIELDS]
        nothing = pa.nulls(table.num_rows)
        return pa.table([*columns, *(nothing for _ in unknown)], [*known, *unknown])
    return None


def _has_one_object_per_line(lines: bytes) -> bool:
    """Return whether every line break is between two objects. Within an object, ``}`` never precedes ``{``."""
    if not (lines.startswith(b"{") and lines.endswith(b"}")) or b"\0" in lines:
        return False
    if lines.count(b"}\n{") + lines.count(b"}\r\n{") != lines.count(b"\n"):
        return False
    try:
        return lines.isascii() or bool(lines.decode())
    except UnicodeDecodeError:
        return False


@cache
def _schema(item_type: pa.DataType) -> pa.Schema:
    columns = [("item", item_type), ("length", pa.int64()), *((side, pa.list_(pa.int64())) for side in SIDES)]
    return pa.schema([*columns, *((f"{side}_types", pa.list_(pa.string())) for side in SIDES)])


def _read(lines: bytes, item_type: pa.DataType, unknown_fields: str) -> pa.Table:
    from pyarrow import json

    parsing = json.ParseOptions(explicit_schema=_schema(item_type), unexpected_field_behavior=unknown_fields)
    reading = json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    return json.read_json(pa.BufferReader(lines), read_options=reading, parse_options=parsing)


def to_documents(line: int, table: pa.Table, problem_of: Callable[[int], Problem]) -> Iterator[Documents]:
    unknown = tuple(name[:MAX_NAME] for name in table.column_names if name not in FIELDS)
    columns = {name: arrow.combined(table.column(name)) for name in _schema(pa.string()).names}
    problems = {row: problem_of(row) for row in _invalid_rows(columns)}
    typed = np.zeros(table.num_rows, bool)
    for side in SIDES:
        typed |= columns[f"{side}_types"].is_valid().to_numpy(zero_copy_only=False)
    for has_types in (False, True):
        rows = flatnonzero(typed == has_types)
        if len(rows):
            chosen = columns
            if len(rows) < len(typed):
                chosen = {name: column.take(pa.array(rows)) for name, column in columns.items()}
            places = {place: problems[row] for place, row in enumerate(rows.tolist()) if row in problems}
            yield _documents(chosen, (rows + line).tolist(), has_types, places, unknown)


def _invalid_rows(columns: Mapping[str, pa.Array]) -> list[int]:
    """Return the rows in which a value is missing or a number has more than 62 bits."""
    rows = [arrow.null_places(columns["length"]), flatnonzero(_is_too_large(columns["length"]))]
    for side in SIDES:
        positions, types = columns[side], columns[f"{side}_types"]
        too_large = flatnonzero(_is_too_large(positions.values))
        rows += [arrow.null_places(positions), _rows_of(positions, too_large)]
        rows += [_rows_of(lists, arrow.null_places(lists.values)) for lists in (positions, types)]
    return [int(row) for row in np.unique(np.concatenate(rows))]


def _is_too_large(numbers: pa.Array) -> NDArray[np.bool_]:
    values = arrow.to_int64(arrow.without_nulls(numbers))
    return (values <= -_LIMIT) | (values >= _LIMIT)


def _rows_of(lists: pa.Array, entries: Ints) -> Ints:
    return searchsorted(arrow.to_int64(lists.offsets), entries, "right") - 1


def _documents(
    columns: Mapping[str, pa.Array],
    rows: Sequence[int],
    typed: bool,
    problems: Mapping[int, Problem],
    unknown: tuple[str, ...],
) -> Documents:
    types: list[str] = []
    reference, hypothesis = (_boundaries(side, columns, types if typed else None) for side in SIDES)
    items = _ItemNames(columns["item"], rows, {place: item for place, (item, _) in problems.items()})
    lengths = arrow.to_int64(arrow.without_nulls(columns["length"]))
    excluded = {place: problem for place, (_, problem) in problems.items()}
    return Documents(items, rows, lengths, reference, hypothesis, tuple(types), excluded, ignored_fields=unknown)


def _boundaries(side: str, columns: Mapping[str, pa.Array], types: list[str] | None) -> BoundaryColumn:
    positions = columns[side]
    arrays = [arrow.to_int64(arrow.without_nulls(positions.values)), arrow.to_int64(positions.offsets)]
    if types is not None:
        names = columns[f"{side}_types"]
        offsets = arrow.to_int64(names.offsets)
        arrays += [arrow.type_codes(names.values, offsets, types), offsets]
    return BoundaryColumn(*arrays)


class _ItemNames(Sequence[str]):
    """Names of documents, which become Python objects on first use. A document without a name has its line number."""

    def __init__(self, names: pa.Array, rows: Sequence[int], names_of_invalid: Mapping[int, str]) -> None:
        self.names, self.rows, self.names_of_invalid = names, rows, names_of_invalid

    @cached_property
    def _names(self) -> list[str]:
        pairs = zip(self.names.to_pylist(), self.rows, strict=True)
        names = [str(row) if name is None else name for name, row in pairs]
        for place, name in self.names_of_invalid.items():
            names[place] = name
        return names

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self._names[index]
