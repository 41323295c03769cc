"""The first rows of a large file, from which ``caesura info`` describes it."""

from __future__ import annotations

import io
from typing import NamedTuple

from caesura.errors import FormatError
from caesura.formats import arrow
from caesura.formats.parquet_pages import PageChecker

# Number of rows that are read of a large Parquet file.
MAX_ROWS = 50_000
# Parquet files with fewer rows are read completely.
MIN_ROWS = 4 * MAX_ROWS
# Number of bytes that are read of a large file of lines.
MAX_BYTES = 2**21
# Files of lines with fewer bytes are read completely.
MIN_BYTES = 4 * MAX_BYTES
_LINES = ("table-csv", "table-tsv", "documents-json")


class Sample(NamedTuple):
    data: bytes  # a file with these rows
    rows: int
    total: int  # number of rows of the whole file


def first_rows(path: str, format: str, data: bytes) -> Sample | None:
    if format.endswith("-parquet"):
        return _first_rows_of_parquet(path, data)
    return _first_lines(data) if format in _LINES and len(data) >= MIN_BYTES else None


def _first_rows_of_parquet(path: str, data: bytes) -> Sample | None:
    arrow.require_pyarrow(path, "reading")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with arrow.reading_errors(path):
            source = pa.BufferReader(data)
            file = pq.ParquetFile(source)
            total = file.metadata.num_rows
            if total < MIN_ROWS:
                return None
            pages = PageChecker(path, source, file)
            for group in range(file.num_row_groups):
                pages.check(group)
            batch = next(file.iter_batches(MAX_ROWS, use_threads=False), None)
            if batch is None:
                return None
            buffer = io.BytesIO()
            pq.write_table(pa.Table.from_batches([batch]).replace_schema_metadata(file.schema_arrow.metadata), buffer)
    except FormatError:
        return None  # the reader reports the error
    return Sample(buffer.getvalue(), batch.num_rows, total)


def _first_lines(data: bytes) -> Sample | None:
    """Return the lines up to the first line break after ``MAX_BYTES`` that is not inside quotes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return None  # two bytes per character
    end = data.find(b"\n", MAX_BYTES) + 1
    while end and data.count(b'"', 0, end) % 2 and end < MIN_BYTES:
        end = data.find(b"\n", end) + 1
    if not 0 < end < MIN_BYTES:
        return None
    first = data[:end]
    return Sample(first, first.count(b"\n"), data.count(b"\n") + (not data.endswith(b"\n")))
