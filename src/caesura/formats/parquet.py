"""Read and write tables of units in Parquet with pyarrow; the columns are those of ``unit_table``.

Cells may be text, whole numbers or truth values. Null is an empty cell. If a coder did not code an item, the cells are
``NA``, as in CSV. Error messages give the row, counted from 1, as the line. All cells are written as text, so that reading
returns the same values.

A Parquet file of a few bytes can claim any number of rows, and a text that is stored once can occur in every row. For this
reason, the reader rejects a file whose metadata claim too many cells, and keeps each text in memory only once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.errors import FormatError
from caesura.formats import arrow
from caesura.formats.arrow import pa, pc, pq
from caesura.formats.documents_parquet import is_documents
from caesura.formats.format import MAX_BYTES, Format, Reading, Writing
from caesura.formats.unit_table import UnitTable, table_rows
from caesura.model.corpus import Corpus

_MAX_CELLS = 2**28  # two gigabytes of pointers
_BATCH_ROWS = 2**16
_NULL = -1


def _read(reading: Reading) -> Corpus:
    """Read the table in batches and return the corpus."""
    arrow.require_pyarrow(reading.path, "reading")
    with arrow.reading_errors(reading.path):
        source = pa.BufferReader(reading.data)
        names = _column_names(reading, pq.ParquetFile(source))
        table = UnitTable(reading, names)
        # Text columns are read as dictionaries, so that each text is in memory only once.
        file = pq.ParquetFile(source, read_dictionary=names, page_checksum_verification=True)
        line = 1
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            columns = [_cells(reading, name, batch.column(i)) for i, name in enumerate(names)]
            if batch.num_rows:
                table.add_columns(range(line, line + batch.num_rows), columns)
            line += batch.num_rows
    return table.corpus()


def _column_names(reading: Reading, file: Any) -> list[str]:
    """Return the names of the columns; raise an error if the file is too large or a column is nested."""
    metadata = file.metadata
    names = list(file.schema_arrow.names)
    for name, kind in zip(names, file.schema_arrow.types, strict=True):
        if pa.types.is_nested(kind):
            raise _wrong_type(reading, name, kind)
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    limits = {"cells": (_MAX_CELLS, metadata.num_rows * len(names)), "bytes": (MAX_BYTES, size)}
    for unit, (maximum, actual) in limits.items():
        if actual > maximum:
            problem = f"expected a table of at most {maximum} {unit}; this claims to have {actual}"
            raise reading.error(None, problem)
    return names


def _cells(reading: Reading, name: str, column: pa.Array) -> list[str]:
    """Return the cells of one column as text."""
    if pa.types.is_dictionary(column.type):
        indices = column.indices.cast(pa.int64()).fill_null(_NULL).to_numpy(zero_copy_only=False)
        occurring, places = np.unique(indices, return_inverse=True)
        texts = _cells(reading, name, column.dictionary.take(pa.array(occurring[occurring != _NULL], pa.int64())))
        texts = ["", *texts] if _NULL in occurring[:1] else texts
        return [texts[i] for i in places.tolist()]
    text = _as_text(column)
    if not arrow.is_text(text.type):
        raise _wrong_type(reading, name, column.type)
    return [cell or "" for cell in text.to_pylist()]


def _as_text(column: pa.Array) -> pa.Array:
    """Convert numbers, truth values and nulls to text; return all other types unchanged."""
    kind = column.type
    if pa.types.is_floating(kind):  # pandas stores whole numbers with missing values as floats
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.all(pc.equal(pc.floor(column), column)).as_py() is not False
        column = column.cast(pa.int64()) if whole else column
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    return column.cast(pa.string()) if pa.types.is_null(kind) or pa.types.is_integer(column.type) else column


def _wrong_type(reading: Reading, name: str, kind: object) -> FormatError:
    return reading.error(None, f"column {name!r} must contain text or whole numbers; got {str(kind)[:80]}")


def _write(writing: Writing) -> bytes:
    """Return the same table as for a CSV file, with all cells as text."""
    arrow.require_pyarrow(writing.path, "writing")
    header, *rows = table_rows(writing)
    columns = zip(*rows, strict=True)
    with arrow.writing_errors(writing.path):
        table = pa.table({name: pa.array(cells, pa.string()) for name, cells in zip(header, columns, strict=True)})
    return arrow.to_parquet(table)


FORMAT = Format(
    name="table-parquet",
    suffixes=(".parquet",),
    description="table of units in Parquet: one row per unit, one column per coder",
    read=_read,
    looks_like=lambda text: False,
    extra="parquet",
    write=_write,
    magic=b"PAR1",
    matches_bytes=lambda data: not is_documents(data),
)
