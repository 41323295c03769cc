"""A table of units as Parquet: the columns of ``unit_table``, read and written by pyarrow.

Cells may be text, whole numbers, or true and false. Null is an empty cell: where a coder did not code an item, its cells
say ``NA`` as in CSV. Errors count rows as lines, from 1. What is written is text throughout, so that it reads back the
same.

A few bytes of Parquet can claim any number of rows, and a word that is stored once can stand in all of them. So a file
says in its metadata how large it is, and one beyond measure is not read; each word is kept once.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.errors import FormatError
from caesura.formats.documents_parquet import is_documents
from caesura.formats.format import MAX_BYTES, Format, Reading
from caesura.formats.unit_table import UnitTable, table_rows
from caesura.model.corpus import Corpus

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = 2**28  # two gigabytes of pointers
_AT_ONCE = 2**16  # rows
_NULL = -1


def read(reading: Reading) -> Corpus:
    """Batch after batch, so that the table never stands in memory as a whole."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise reading.error(None, "reading this needs pyarrow; install caesura[parquet]") from None
    try:
        source = pa.BufferReader(reading.data)
        names = _names(reading, pq.ParquetFile(source))
        table = UnitTable(reading, names)
        # A column of text comes with its words apart, each once.
        file = pq.ParquetFile(source, read_dictionary=names, page_checksum_verification=True)
        line = 1
        for batch in file.iter_batches(batch_size=_AT_ONCE, use_threads=False):
            columns = [_cells(reading, name, batch.column(i)) for i, name in enumerate(names)]
            if batch.num_rows:
                table.add_columns(range(line, line + batch.num_rows), columns)
            line += batch.num_rows
    except FormatError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as problem:
        said = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise reading.error(None, f"not valid Parquet: {said}") from None
    return table.corpus()


def _names(reading: Reading, file: Any) -> list[str]:
    """The names of the columns, of a file that is not beyond measure."""
    import pyarrow as pa

    said = file.metadata
    names = list(file.schema_arrow.names)
    for name, kind in zip(names, file.schema_arrow.types, strict=True):
        if pa.types.is_nested(kind):
            raise _unfit(reading, name, kind)
    size = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    for what, most, got in (("cells", _CELLS, said.num_rows * len(names)), ("bytes", MAX_BYTES, size)):
        if got > most:
            raise reading.error(None, f"a table of at most {most} {what} is needed; this says it has {got}")
    return names


def _cells(reading: Reading, name: str, column: pa.Array) -> list[str]:
    """The cells of one column, as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        places = column.indices.cast(pa.int64()).fill_null(_NULL).to_numpy(zero_copy_only=False)
        used, where = np.unique(places, return_inverse=True)
        words = _cells(reading, name, column.dictionary.take(pa.array(used[used != _NULL], pa.int64())))
        words = ["", *words] if _NULL in used[:1] else words
        return [words[i] for i in where.tolist()]
    if pa.types.is_floating(kind):  # how whole numbers with gaps come out of a data frame
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.all(pc.equal(pc.floor(column), column)).as_py() is not False
        column = column.cast(pa.int64()) if whole else column
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    if pa.types.is_null(kind) or pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise _unfit(reading, name, kind)
    return [cell or "" for cell in column.to_pylist()]


def _unfit(reading: Reading, name: str, kind: object) -> FormatError:
    return reading.error(None, f"column {name!r} must hold text or whole numbers; got {str(kind)[:80]}")


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> bytes:
    """The table that CSV would be, every cell a text."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FormatError(path, None, "writing this needs pyarrow; install caesura[parquet]") from None
    header, *rows = table_rows(corpus, path)
    columns = zip(*rows, strict=True)
    out = io.BytesIO()
    try:
        table = pa.table({name: pa.array(cells, pa.string()) for name, cells in zip(header, columns, strict=True)})
    except UnicodeEncodeError:
        raise FormatError(path, None, "text in UTF-8 cannot hold half a surrogate pair") from None
    pq.write_table(table, out, write_page_checksum=True)
    return out.getvalue()


FORMAT = Format(
    name="table-parquet",
    suffixes=(".parquet",),
    description="a table of units in Parquet: a row a unit, a column a coder",
    read=read,
    extra="parquet",
    looks_like=lambda text: False,
    write=write,
    magic=b"PAR1",
    matches_bytes=lambda data: not is_documents(data),
)
