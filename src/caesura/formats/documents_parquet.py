"""Documents in Parquet, with one row per document and positions in list columns (see ``documents.py``).

The reader uses the numbers of Arrow columns without copying them and creates no Python object per document. A large file is
split at its row groups, so several workers can read it in parallel.

A Parquet file of a few bytes can claim to have any number of rows, and a text that is stored once can occur in all rows.
Therefore the batch size depends on the number of entries that a row group claims to have, row groups that are too large
are rejected, and each distinct text is kept in memory only once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.formats import arrow, documents
from caesura.formats.arrow import pa, pc, pq
from caesura.formats.documents import FIELDS, SIDES, FilePart
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.parquet_pages import PageChecker
from caesura.model.corpus import Corpus
from caesura.model.documents import BoundaryColumn, DocumentPairs, Documents
from caesura.model.index import searchsorted
from caesura.model.segmentation import Segmentation, check_types
from caesura.model.tree import Tree
from caesura.model.value import Ints

# Maximum number of documents per batch; documents with many boundaries make smaller batches.
BATCH_SIZE = 2**15
_BATCH_ENTRIES = 2**23  # approximate number of positions per column of a batch
_MAX_ENTRIES = 2**27  # per column of a row group; a single row may contain all of them and needs a gigabyte
_TREE_CHARACTERS = 2**22  # number of characters in brackets that are parsed into trees at a time
_MAX_DOCUMENTS = 2**22  # per corpus
_MIN_SPLIT_BYTES = 2**24  # smaller files are not split
_ROWS_PER_TASK = 2**18
_SAMPLE_ROWS = 10
_FOOTER_END = 8  # bytes after the description of a file: its size, and the letters PAR1
_TYPES_KEY = b"caesura.types"
_TREE = re.compile(r"\s*\(.*\)\s*", re.DOTALL)


@dataclass(frozen=True)
class RowGroups(FilePart):
    @property
    def place(self) -> str:
        if self.last is None:
            return self.path
        if self.last == self.first + 1:
            return f"{self.path}, row group {self.first}"
        return f"{self.path}, row groups {self.first} to {self.last - 1}"

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        with _open(self.path) as (file, pages):
            last = file.num_row_groups if self.last is None else self.last
            yield from _DocumentReader(self.path, file, pages).read(range(self.first, last))

    def _ranges(self) -> list[tuple[int, int]] | None:
        """Return the places of the columns that are read, and of the description of the file at its end."""
        if self.last is None:
            return None
        ranges = []
        with _open(self.path) as (file, _):
            for group in range(self.first, self.last):
                metadata = file.metadata.row_group(group)
                for column in (metadata.column(i) for i in range(metadata.num_columns)):
                    if column.path_in_schema.partition(".")[0] in FIELDS:
                        start = max(0, column.dictionary_page_offset or column.data_page_offset)
                        ranges.append((start, start + column.total_compressed_size))
            footer = file.metadata.serialized_size + _FOOTER_END
        return [*ranges, (max(0, self.size - footer), self.size)]

    def _has_types(self) -> bool:
        with _open(self.path) as (file, _):
            return "reference_types" in file.schema_arrow.names


def partitions(files: Sequence[str], root: str) -> list[RowGroups]:
    parts = []
    for path in files:
        try:
            status = os.stat(path)
        except OSError as problem:
            raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
        whole = RowGroups(path, os.path.relpath(path, root), status.st_size)
        parts += [whole] if status.st_size < _MIN_SPLIT_BYTES else _split(whole)
    return parts


def _split(whole: RowGroups) -> list[RowGroups]:
    # A damaged file is not split; reading it raises the error.
    try:
        with _open(whole.path) as (file, _):
            rows = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    except FormatError:
        return [whole]
    edges, rows_so_far = [0], 0
    for i, number in enumerate(rows, 1):
        rows_so_far += number
        if rows_so_far >= _ROWS_PER_TASK or i == len(rows):
            edges.append(i)
            rows_so_far = 0
    parts = [replace(whole, first=first, last=last) for first, last in pairwise(edges)]
    return parts if len(parts) > 1 else [whole]


def inspect_files(paths: Sequence[str]) -> tuple[bool, tuple[str, ...] | None]:
    """Inspect the first readable file of a data set. Reading an invalid file raises its error later."""
    for path in paths:
        try:
            with _open(path) as (file, pages):
                return _has_documents(file, pages), _declared_types(path, file)
        except FormatError:
            continue
    return True, None


def _declared_types(path: str, file: Any) -> tuple[str, ...] | None:
    metadata = (file.schema_arrow.metadata or {}).get(_TYPES_KEY)
    if metadata is None:
        return None
    try:
        names = json.loads(metadata)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("expected a list of names")
        return check_types(names)
    except (ValueError, RecursionError, CaesuraError) as problem:
        raise FormatError(path, None, f"{_TYPES_KEY.decode()} in the metadata: {problem}") from None


def is_documents(data: bytes) -> bool:
    try:
        with _open("", data) as (file, pages):
            return _has_documents(file, pages)
    except FormatError:
        return False


def _has_documents(file: Any, pages: PageChecker) -> bool:
    # A table of units may have columns of these names too, if its coders are called reference and hypothesis.
    schema = file.schema_arrow
    if not set(SIDES) <= set(schema.names):
        return False
    kinds = [schema.field(side).type for side in SIDES]
    if any(map(pa.types.is_nested, kinds)):
        return True
    if not all(map(arrow.is_text, kinds)):
        return False
    group = next((i for i in range(file.num_row_groups) if file.metadata.row_group(i).num_rows), None)
    rows: list[dict[str, str | None]] = []
    if group is not None:
        pages.check(group, SIDES)
        batches = file.iter_batches(_SAMPLE_ROWS, row_groups=[group], columns=list(SIDES), use_threads=False)
        rows = next((batch.to_pylist() for batch in batches if batch.num_rows), [])
    return any(map(_has_tree, rows)) if rows else set(schema.names) <= set(FIELDS)


def _has_tree(row: Mapping[str, str | None]) -> bool:
    return any(_TREE.fullmatch(cell) for cell in row.values() if cell)


@contextmanager
def _open(path: str, data: bytes | None = None) -> Iterator[tuple[Any, PageChecker]]:
    arrow.require_pyarrow(path, "reading")
    with arrow.reading_errors(path), pa.OSFile(path) if data is None else pa.BufferReader(data) as source:
        metadata = pq.read_metadata(source)
        # Pages are read on demand, so a row group is not loaded into memory as a whole.
        options = {"buffer_size": 2**20, "pre_buffer": False, "page_checksum_verification": True}
        with pq.ParquetFile(source, metadata=metadata, read_dictionary=_text_columns(metadata), **options) as file:
            yield file, PageChecker(path, source, file)


def _text_columns(metadata: Any) -> list[str]:
    """Return the text columns, which are read as dictionaries, so each distinct text is stored once."""
    columns = [metadata.schema.column(i) for i in range(len(metadata.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return [path for path in texts if path.partition(".")[0] in FIELDS]


class _DocumentReader:
    """Reads the rows of an open file batch by batch."""

    def __init__(self, path: str, file: Any, pages: PageChecker) -> None:
        self.path, self.file, self.pages = path, file, pages
        self.declared_types = _declared_types(path, file)
        schema = file.metadata.schema.to_arrow_schema()  # the types in the file, before text is read as dictionaries
        self.kinds = dict(zip(schema.names, schema.types, strict=True))
        self._require(*SIDES)
        self.trees = all(arrow.is_text(self.kinds[side]) for side in SIDES)
        self.typed = self._has_types()
        if self.trees and "unit" in self.kinds:
            raise self._error("expected one row per document; this is a table of units")
        if not self.trees:
            self._require("length")
        suffix = "_times" if self.trees else "_types"
        columns = ["length"] * (not self.trees) + [*SIDES, *(f"{side}{suffix}" for side in SIDES)]
        self.columns = [name for name in columns if name in self.kinds]
        self.has_names = self._has_names()

    def _require(self, *names: str) -> None:
        for name in names:
            if name not in self.kinds:
                raise self._error(f"expected a column {name!r}; there are {', '.join(list(self.kinds)[:20])}")

    def _has_types(self) -> bool:
        present = {f"{side}_types" in self.kinds for side in SIDES}
        if len(present) > 1:
            raise self._error("expected reference_types and hypothesis_types, or neither; got one of them")
        return True in present

    def _has_names(self) -> bool:
        kind = self.kinds.get("item", pa.null())
        if not (pa.types.is_null(kind) or arrow.is_text(kind) or pa.types.is_integer(kind)):
            raise self._wrong_type("item", "text or whole numbers")
        return not pa.types.is_null(kind)

    def _wrong_type(self, name: str, expected: str) -> FormatError:
        return self._error(f"column {name!r} must contain {expected}; got {str(self.kinds[name])[:80]}")

    def _error(self, problem: str) -> FormatError:
        return FormatError(self.path, None, problem)

    def read(self, groups: range) -> Iterator[Documents | DocumentPairs]:
        metadata = self.file.metadata
        first_row = 1 + sum(metadata.row_group(i).num_rows for i in range(groups.start))
        for group in groups:
            self.pages.check(group, {*self.columns, "item"})
            rows_read, batch_size = 0, self._batch_size(group)
            names = cache(partial(self._names, group)) if self.has_names else None
            for batch in self.file.iter_batches(
                batch_size, row_groups=[group], columns=self.columns, use_threads=False
            ):
                for start, size in self._slices(batch):
                    offset = rows_read + start
                    items = _ItemNames(names, offset, first_row + offset, size)
                    yield (self._pairs if self.trees else self._documents)(batch.slice(start, size), items)
                rows_read += batch.num_rows
            first_row += metadata.row_group(group).num_rows

    def _batch_size(self, group: int) -> int:
        """Return the number of rows per batch, which is chosen so that the number of entries is bounded too."""
        metadata = self.file.metadata.row_group(group)
        paths = [self.file.schema.column(i).path for i in range(metadata.num_columns)]
        columns = [i for i, path in enumerate(paths) if path.partition(".")[0] in self.columns]
        entries: int = max((metadata.column(i).num_values for i in columns), default=0)
        if entries > _MAX_ENTRIES:
            problem = f"expected at most {_MAX_ENTRIES} entries in a column; this claims to have {entries}"
            raise self._error(f"row group {group}: {problem}. Write smaller row groups")
        rows: int = metadata.num_rows
        return max(1, min(BATCH_SIZE, _BATCH_ENTRIES * max(rows, 1) // max(entries, 1)))

    def _slices(self, batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
        """Yield start and size of the slices of a batch. Trees are sliced by their number of characters."""
        if not self.trees:
            if batch.num_rows:
                yield 0, batch.num_rows
            return
        lengths = np.zeros(batch.num_rows, np.int64)
        for side in SIDES:
            texts = batch.column(side)
            if len(texts.dictionary):
                text_lengths = pc.binary_length(texts.dictionary).take(texts.indices)
                lengths += text_lengths.fill_null(0).to_numpy(zero_copy_only=False)
        start = characters = 0
        for i, length in enumerate(lengths.tolist()):
            characters += length
            if characters >= _TREE_CHARACTERS or i == len(lengths) - 1:
                yield start, i + 1 - start
                start, characters = i + 1, 0

    def _names(self, group: int) -> Any:
        with arrow.reading_errors(self.path):
            table = self.file.read_row_group(group, columns=["item"], use_threads=False)
        return table.column("item")

    def _documents(self, batch: pa.RecordBatch, items: _ItemNames) -> Documents:
        excluded: dict[int, str] = {}
        lengths = self._lengths(batch.column("length"), excluded)
        types: list[str] = []
        reference, hypothesis = (self._boundaries(side, batch, types, excluded) for side in SIDES)
        return Documents(items, items.rows, lengths, reference, hypothesis, tuple(types), excluded, self.declared_types)

    def _boundaries(
        self, side: str, batch: pa.RecordBatch, types: list[str], excluded: dict[int, str]
    ) -> BoundaryColumn:
        positions, offsets = self._entries(side, batch, pa.int64(), excluded)
        columns = [arrow.to_int64(arrow.without_nulls(positions)), offsets]
        if self.typed:
            names, name_offsets = self._entries(f"{side}_types", batch, pa.string(), excluded)
            columns += [arrow.type_codes(names, name_offsets, types), name_offsets]
        return BoundaryColumn(*columns)

    def _lengths(self, column: pa.Array, excluded: dict[int, str]) -> Ints:
        """Return the lengths. A document without a length is excluded, and its length is set to 0."""
        if pa.types.is_null(column.type):
            column = column.cast(pa.int64())
        if not pa.types.is_integer(column.type):
            raise self._wrong_type("length", "whole numbers")
        for d in arrow.null_places(column).tolist():
            excluded.setdefault(d, "length: expected a whole number; got nothing")
        return arrow.to_int64(arrow.without_nulls(column))

    def _entries(
        self, name: str, batch: pa.RecordBatch, kind: pa.DataType, excluded: dict[int, str]
    ) -> tuple[pa.Array, Ints]:
        """Return the entries of all lists and the offset of each list. A document without a list is excluded."""
        is_kind, expected = (pa.types.is_integer, "whole numbers") if kind == pa.int64() else (arrow.is_text, "text")
        column = batch.column(name)
        if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
            raise self._wrong_type(name, f"lists of {expected}")
        for d in arrow.null_places(column).tolist():
            excluded.setdefault(d, f"{name}: expected a list; got nothing")
        values, offsets = column.values, arrow.to_int64(column.offsets)
        if pa.types.is_null(values.type):  # all lists of the file are empty
            values = values.cast(kind)
        if not is_kind(values.type):
            raise self._wrong_type(name, f"lists of {expected}")
        nulls = arrow.null_places(values)
        nulls = nulls[(nulls >= offsets[0]) & (nulls < offsets[-1])]
        for d in np.unique(searchsorted(offsets, nulls, "right") - 1).tolist():
            excluded.setdefault(d, f"{name}: every entry must have a value; got an entry without a value")
        return values, offsets

    def _pairs(self, batch: pa.RecordBatch, items: _ItemNames) -> DocumentPairs:
        columns = [arrow.to_list(batch.column(name)) for name in self.columns]
        pairs: list[Any] = []
        excluded: dict[int, str] = {}
        for d, cells in enumerate(zip(*columns, strict=True)):
            try:
                pairs.append(documents.parse_trees(dict(zip(self.columns, cells, strict=True))))
            except CaesuraError as problem:
                pairs.append(None)
                excluded[d] = str(problem)
        return DocumentPairs(items, items.rows, pairs, excluded)


class _ItemNames(Sequence[str]):
    """Item names of a batch, which are read from the file on first use."""

    def __init__(self, names_of_group: Callable[[], Any] | None, start: int, row: int, size: int) -> None:
        self.names_of_group, self.start, self.size = names_of_group, start, size
        self.rows = range(row, row + size)

    @cached_property
    def _names(self) -> list[str]:
        if self.names_of_group is None:
            return [str(row) for row in self.rows]
        chunks = self.names_of_group().slice(self.start, self.size).chunks
        names = chain.from_iterable(map(arrow.to_list, chunks))
        return [str(row) if name is None else str(name) for row, name in zip(self.rows, names, strict=True)]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        return self._names[index]


def _read(reading: Reading) -> Corpus:
    with _open(reading.path, reading.data) as (file, pages):
        rows = file.metadata.num_rows
        if rows > _MAX_DOCUMENTS:
            problem = f"expected a corpus of at most {_MAX_DOCUMENTS} documents; this claims to have {rows}"
            raise reading.error(None, f"{problem}; evaluate() takes any number")
        reader = _DocumentReader(reading.path, file, pages)
        chunks = reader.read(range(file.num_row_groups))
        return documents.read_documents(reading, chunks)


def _write(writing: Writing) -> bytes:
    arrow.require_pyarrow(writing.path, "writing")
    types, rows = documents.common_types(writing), documents.document_rows(writing)
    for row in rows:
        if ("length" in row) != ("length" in rows[0]):
            raise writing.error("all items must be segmentations, or all trees", row["item"])
    names = dict.fromkeys(name for row in rows for name in row)
    kinds = {
        "item": pa.string(),
        "length": pa.int64(),
        **dict.fromkeys(SIDES, pa.list_(pa.int64()) if "length" in names else pa.string()),
        **{f"{side}_types": pa.list_(pa.string()) for side in SIDES},
        **{f"{side}_times": pa.list_(pa.list_(pa.float64())) for side in SIDES},
    }
    schema = pa.schema([(name, kinds[name]) for name in names])
    if types is not None:
        schema = schema.with_metadata({_TYPES_KEY: json.dumps(types)})
    with arrow.writing_errors(writing.path):
        table = pa.Table.from_pylist(rows, schema)
    return arrow.to_parquet(table, row_group_size=BATCH_SIZE)


FORMAT = Format(
    name="documents-parquet",
    suffixes=(".parquet",),
    description="documents in Parquet: one row per document, reference and hypothesis in list columns",
    read=_read,
    looks_like=lambda text: False,
    extra="parquet",
    write=_write,
    options=documents.WRITING_OPTIONS,
    annotation_types=(Segmentation, Tree),
    magic=b"PAR1",
    matches_bytes=is_documents,
)
