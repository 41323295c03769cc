"""Documents in Parquet: a row a document, positions in list columns (see ``documents.py``).

Batches of rows come as Arrow columns, whose numbers are used where they lie: no Python object is made for a document. A data
set is a file or a folder of files; a large file is cut at its row groups, so that several workers share it. Other columns may
stand beside, and are not read.

A few bytes of Parquet can claim any number of rows, and a word that is stored once can stand in all of them. So batches are
cut by what a row group says it holds, one beyond measure is not read, and each word is kept once.

The order of the types, where it was declared, stands in the metadata of the schema under ``caesura.types``, as a JSON list.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError
from caesura.formats.documents import FIELDS, SIDES, WRITING, add_chunk, check_reading, rows_of, scale_of, tree_from
from caesura.formats.format import Format, Reading
from caesura.model.corpus import Corpus
from caesura.model.documents import BoundaryColumn, DocumentPairs, Documents
from caesura.model.segmentation import Segmentation, check_types
from caesura.model.tree import Tree

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]

AT_ONCE = 2**15
"""Documents in a batch, fewer where they have many boundaries."""
_NUMBERS = 2**23  # positions of a column in a batch, about
_MOST_NUMBERS = 2**27  # in one column of one row group, and all may stand in one row: a gigabyte
_CHARACTERS = 2**22  # of brackets that become trees at a time
_MOST_DOCUMENTS = 2**22  # that become a corpus
_SMALL = 2**24  # bytes of a file that is not worth cutting
_TOGETHER = 2**18  # rows that are worth a task
_TYPES = b"caesura.types"
_LOOKED_AT = 10  # rows
_NUMBERS_NEEDED = "lists of whole numbers"


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a file, or the whole file: what one worker reads in one go."""

    path: str
    name: str
    """The file as seen from the data set."""
    size: int
    changed: int
    """When the file was last written, in nanoseconds."""
    first: int = 0
    last: int | None = None
    """The row groups first .. last-1; None: all of them."""

    @property
    def place(self) -> str:
        """How messages call it."""
        if self.last is None:
            return self.path
        groups = (
            f"row group {self.first}" if self.last == self.first + 1 else f"row groups {self.first} to {self.last - 1}"
        )
        return f"{self.path}, {groups}"

    @property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by."""
        return [self.name, self.size, self.changed, self.first, self.last]

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        """Batches of documents."""
        with _opened(self.path) as file:
            last = file.num_row_groups if self.last is None else self.last
            yield from _Batches(self.path, file).read(range(self.first, last))

    def types(self) -> set[str]:
        """The types that occur."""
        with _opened(self.path) as file:
            if "reference_types" not in file.schema_arrow.names:
                return set()
        return {name for chunk in self.chunks() if isinstance(chunk, Documents) for name in chunk.types if name}


def partitions(files: Sequence[str], root: str) -> list[RowGroups]:
    """The files of a data set, large ones cut at their row groups."""
    found = []
    for path in files:
        try:
            said = os.stat(path)
        except OSError as problem:
            raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
        whole = RowGroups(path, os.path.relpath(path, root), said.st_size, said.st_mtime_ns)
        found += [whole] if said.st_size < _SMALL else _cut(whole)
    return found


def _cut(whole: RowGroups) -> list[RowGroups]:
    """Runs of row groups with enough rows for a task. What cannot be cut is one, and whoever reads it says why."""
    try:
        with _opened(whole.path) as file:
            rows = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    except FormatError:
        return [whole]
    edges, there = [0], 0
    for i, number in enumerate(rows, 1):
        there += number
        if there >= _TOGETHER or i == len(rows):
            edges.append(i)
            there = 0
    cut = [RowGroups(whole.path, whole.name, whole.size, whole.changed, a, b) for a, b in pairwise(edges)]
    return cut if len(cut) > 1 else [whole]


def declared_types(path: str) -> tuple[str, ...] | None:
    """The types that a file declares, in order."""
    with _opened(path) as file:
        return _declared(path, file)


def _declared(path: str, file: Any) -> tuple[str, ...] | None:
    said = (file.schema_arrow.metadata or {}).get(_TYPES)
    if said is None:
        return None
    try:
        names = json.loads(said)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("a list of names is needed")
        return check_types(names)
    except (ValueError, RecursionError, CaesuraError) as problem:
        raise FormatError(path, None, f"{_TYPES.decode()} in the metadata: {problem}") from None


def is_readable(path: str) -> bool:
    """Whether a file has a schema at all."""
    try:
        with _opened(path):
            return True
    except FormatError:
        return False


def is_documents(source: str | bytes) -> bool:
    """Whether a file, or what is in it, has the columns of documents, and not those of a table of units."""
    try:
        with _opened("", source) as file:
            return _has_columns(file)
    except FormatError:  # whoever reads it will say so
        return False


def _has_columns(file: Any) -> bool:
    """Lists are documents. The coders of a table may be called reference and hypothesis too, but their cells are no trees."""
    import pyarrow as pa

    schema = file.schema_arrow
    if not set(SIDES) <= set(schema.names):
        return False
    kinds = [schema.field(side).type for side in SIDES]
    if any(map(pa.types.is_nested, kinds)):
        return True
    if not all(map(_is_text, kinds)):
        return False
    batches = file.iter_batches(batch_size=_LOOKED_AT, columns=list(SIDES), use_threads=False)
    first = next((one.to_pylist() for one in batches if one.num_rows), None)
    if first is None:
        return set(schema.names) <= set(FIELDS)
    cells = (cell.strip() for row in first for cell in row.values() if cell)
    return any(cell.startswith("(") and cell.endswith(")") for cell in cells)


@contextmanager
def _opened(path: str, source: str | bytes | None = None) -> Iterator[Any]:
    """A Parquet file, by its path or by its bytes; whatever Arrow has to say about it becomes an error of the file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FormatError(path, None, "reading this needs pyarrow; install caesura[parquet]") from None
    given = path if source is None else pa.BufferReader(source) if isinstance(source, bytes) else source
    with _told(path):
        said = pq.read_metadata(given)
        # Pages are read as they are needed, so that a row group never stands in memory as a whole.
        with pq.ParquetFile(
            given,
            metadata=said,
            read_dictionary=_words_of(said),
            buffer_size=2**20,
            pre_buffer=False,
            page_checksum_verification=True,
        ) as file:
            yield file


@contextmanager
def _told(path: str) -> Iterator[None]:
    """What Arrow has to say about a file, as an error of ours."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as problem:
        if isinstance(problem, CaesuraError):
            raise
        why = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise FormatError(path, None, f"not valid Parquet: {why}") from None


def _words_of(said: Any) -> list[str]:
    """The columns of text, whose words are to come apart, each once."""
    columns = [said.schema.column(i) for i in range(len(said.schema))]
    return [one.path for one in columns if one.physical_type == "BYTE_ARRAY" and one.path.partition(".")[0] in FIELDS]


class _Batches:
    """The rows of an open file, batch after batch."""

    def __init__(self, path: str, file: Any) -> None:
        import pyarrow as pa

        self.path, self.file = path, file
        self.declared = _declared(path, file)
        schema = file.metadata.schema.to_arrow_schema()  # as it was written, whatever becomes of its words
        self.kinds = dict(zip(schema.names, schema.types, strict=True))
        for side in SIDES:
            if side not in self.kinds:
                raise FormatError(path, None, f"a column {side!r} is needed; there are {', '.join(schema.names[:20])}")
        self.trees = all(_is_text(self.kinds[side]) for side in SIDES)
        if self.trees and "unit" in self.kinds:
            raise FormatError(path, None, "a row a document is needed; this is a table of units")
        self.typed = "reference_types" in self.kinds
        if self.typed != ("hypothesis_types" in self.kinds):
            raise FormatError(
                path, None, "reference_types and hypothesis_types are needed, or neither; got one of them"
            )
        if not self.trees and "length" not in self.kinds:
            raise FormatError(path, None, f"a column 'length' is needed; there are {', '.join(schema.names[:20])}")
        asked = ["length", *SIDES] if not self.trees else [*SIDES, *(f"{side}_times" for side in SIDES)]
        asked += [f"{side}_types" for side in SIDES if self.typed and not self.trees]
        self.columns = [name for name in asked if name in self.kinds]
        self.named = "item" in self.kinds and not pa.types.is_null(self.kinds["item"])
        if self.named and not (_is_text(self.kinds["item"]) or pa.types.is_integer(self.kinds["item"])):
            raise self._unfit("item", "text or whole numbers")
        self._names: tuple[int, Any] = (-1, None)

    def _unfit(self, name: str, needed: str) -> FormatError:
        return FormatError(self.path, None, f"column {name!r} must hold {needed}; got {str(self.kinds[name])[:80]}")

    def read(self, groups: range) -> Iterator[Documents | DocumentPairs]:
        said = self.file.metadata
        row = 1 + sum(said.row_group(i).num_rows for i in range(groups.start))
        for group in groups:
            rows = said.row_group(group).num_rows
            done = 0
            batches = self.file.iter_batches(
                batch_size=self._at_once(group), row_groups=[group], columns=self.columns, use_threads=False
            )
            for batch in batches:
                for start, number in self._cuts(batch):
                    items = _Items(self, group, done + start, row + done + start, number)
                    yield (self._pairs if self.trees else self._documents)(batch.slice(start, number), items)
                done += batch.num_rows
            row += rows

    def _cuts(self, batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
        """Where to cut a batch, and how many rows follow: not at all, or so that a few brackets become trees at a time."""
        if not self.trees:
            if batch.num_rows:
                yield 0, batch.num_rows
            return
        import pyarrow.compute as pc

        size = np.zeros(batch.num_rows, np.int64)
        for side in SIDES:
            words = batch.column(side)
            if len(words.dictionary):
                lengths = pc.binary_length(words.dictionary).take(words.indices)
                size += lengths.fill_null(0).to_numpy(zero_copy_only=False)
        start = there = 0
        for i, one in enumerate(size.tolist()):
            there += one
            if there >= _CHARACTERS or i == len(size) - 1:
                yield start, i + 1 - start
                start, there = i + 1, 0

    def names(self, group: int) -> Any:
        """The column of names of a row group, which is kept for its next batch."""
        if self._names[0] != group:
            with _told(self.path):
                table = self.file.read_row_group(group, columns=["item"], use_threads=False)
            self._names = group, table.column("item")
        return self._names[1]

    def _at_once(self, group: int) -> int:
        """Rows in a batch, so that its numbers are bounded too."""
        said = self.file.metadata.row_group(group)
        paths = [self.file.schema.column(i).path for i in range(said.num_columns)]
        read = [i for i, path in enumerate(paths) if path.partition(".")[0] in self.columns]
        # Asked for what a damaged column says about itself, pyarrow ends the process; told to read nothing of it, it raises.
        next(self.file.reader.iter_batches(0, row_groups=[group], column_indices=read, use_threads=False), None)
        most: int = max((said.column(i).num_values for i in read), default=0)
        if most > _MOST_NUMBERS:
            needed = f"at most {_MOST_NUMBERS} entries in a column are needed; this says it has {most}"
            raise FormatError(self.path, None, f"row group {group}: {needed}. Write smaller row groups")
        rows: int = said.num_rows
        return max(1, min(AT_ONCE, _NUMBERS * max(rows, 1) // max(most, 1)))

    def _documents(self, batch: pa.RecordBatch, items: _Items) -> Documents:
        excluded: dict[int, str] = {}
        length = self._numbers("length", batch.column("length"), excluded)
        names: list[str] = []
        reference, hypothesis = (self._column(side, batch, names, excluded) for side in SIDES)
        return Documents(items, items.rows, length, reference, hypothesis, tuple(names), excluded, self.declared)

    def _column(self, side: str, batch: pa.RecordBatch, names: list[str], excluded: dict[int, str]) -> BoundaryColumn:
        positions, offsets = self._list(side, batch.column(side), excluded)
        if not self.typed:
            return BoundaryColumn(positions, offsets)
        codes, code_offsets = self._types(f"{side}_types", batch.column(f"{side}_types"), names, excluded)
        return BoundaryColumn(positions, offsets, codes, code_offsets)

    def _numbers(self, name: str, column: pa.Array, excluded: dict[int, str]) -> Ints:
        """Whole numbers; a document without one is noted, and has 0."""
        import pyarrow as pa

        if pa.types.is_null(column.type):
            column = column.cast(pa.int64())
        if not pa.types.is_integer(column.type):
            raise self._unfit(name, "whole numbers")
        if column.null_count:
            for d in np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist():
                excluded.setdefault(d, f"{name}: a whole number is needed; got nothing")
            column = column.fill_null(0)
        return _int64(column)

    def _flat(self, name: str, column: pa.Array, needed: str, excluded: dict[int, str]) -> tuple[pa.Array, Ints]:
        """What stands in the lists, end to end, and where each begins; a document without a list is noted."""
        import pyarrow as pa

        if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
            raise self._unfit(name, needed)
        if column.null_count:
            for d in np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist():
                excluded.setdefault(d, f"{name}: a list is needed; got nothing")
        values, offsets = column.values, _int64(column.offsets)
        if pa.types.is_null(values.type):  # nobody ever put anything into these lists
            values = values.cast(pa.int64() if needed == _NUMBERS_NEEDED else pa.string())
        if values.null_count:
            empty = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))
            inside = empty[(empty >= offsets[0]) & (empty < offsets[-1])]
            for d in np.unique(np.searchsorted(offsets, inside, "right") - 1).tolist():
                excluded.setdefault(d, f"{name}: every entry must have a value; got one without")
        return values, offsets

    def _list(self, name: str, column: pa.Array, excluded: dict[int, str]) -> tuple[Ints, Ints]:
        import pyarrow as pa

        values, offsets = self._flat(name, column, _NUMBERS_NEEDED, excluded)
        if not pa.types.is_integer(values.type):
            raise self._unfit(name, _NUMBERS_NEEDED)
        return _int64(values.fill_null(0) if values.null_count else values), offsets

    def _types(self, name: str, column: pa.Array, names: list[str], excluded: dict[int, str]) -> tuple[Ints, Ints]:
        """Places in ``names``, which grows by those that are new."""
        import pyarrow as pa

        values, offsets = self._flat(name, column, "lists of text", excluded)
        if not _is_text(values.type):
            raise self._unfit(name, "lists of text")
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        indices = values.indices
        codes = _int64(indices.fill_null(0) if indices.null_count else indices)
        # A dictionary may have words that stand nowhere, or not in these rows.
        used = np.unique(codes[offsets[0] : offsets[-1]])
        place = {one: i for i, one in enumerate(names)}
        table = np.zeros(max(len(values.dictionary), 1), np.int64)
        for i in used[used < len(values.dictionary)].tolist():
            table[i] = place.setdefault(values.dictionary[i].as_py() or "", len(place))
        names[:] = place
        return table[codes], offsets

    def _pairs(self, batch: pa.RecordBatch, items: _Items) -> DocumentPairs:
        columns = {name: _words(batch.column(name)) for name in self.columns}
        pairs: list[Any] = []
        excluded: dict[int, str] = {}
        for d in range(batch.num_rows):
            try:
                pairs.append(
                    tuple(_tree(side, columns[side][d], columns.get(f"{side}_times", {}), d) for side in SIDES)
                )
            except CaesuraError as problem:
                pairs.append(None)
                excluded[d] = str(problem)
        return DocumentPairs(items, items.rows, pairs, excluded)


def _tree(side: str, text: str | None, times: Any, document: int) -> Tree | None:
    """The tree of one cell; None where there is no parse."""
    if text is None:
        return None
    return tree_from(side, text, times[document] if times else None)


def _words(column: pa.Array) -> list[Any]:
    """The values of a column, each word of a dictionary once."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    words = column.dictionary.to_pylist()
    return [None if i is None else words[i] for i in column.indices.to_pylist()]


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _int64(column: pa.Array) -> Ints:
    """The numbers of a column, where they lie if they have 64 bits already; what is too large for them is the largest."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type == pa.uint64():
        column = pc.min_element_wise(column, pa.scalar(2**63 - 1, pa.uint64()))
    if column.type != pa.int64():
        column = column.cast(pa.int64())
    return np.asarray(column.to_numpy(zero_copy_only=False), np.int64)


class _Items(Sequence[str]):
    """The names of a batch, read from the file when the first is asked for."""

    def __init__(self, batches: _Batches, group: int, start: int, row: int, number: int) -> None:
        self.batches, self.group, self.start, self.number = batches, group, start, number
        self.rows = range(row, row + number)

    @cached_property
    def _names(self) -> list[str]:
        if not self.batches.named:
            return [str(row) for row in self.rows]
        found: list[str | int | None] = []
        for piece in self.batches.names(self.group).slice(self.start, self.number).chunks:
            found += _words(piece)
        return [str(row) if name is None else str(name) for row, name in zip(self.rows, found, strict=True)]

    def __len__(self) -> int:
        return self.number

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self._names[at]


# -- as a corpus ------------------------------------------------------------------------------------------------------


def read(reading: Reading) -> Corpus:
    """Two coders, called reference and hypothesis."""
    check_reading(reading)
    with _opened(reading.path, reading.data) as file:
        rows, most = file.metadata.num_rows, _MOST_DOCUMENTS
        if rows > most:
            said = f"this says it has {rows}; evaluate() takes any number"
            raise reading.error(None, f"a corpus of at most {most} documents is needed; {said}")
        batches = _Batches(reading.path, file)
        for chunk in batches.read(range(file.num_row_groups)):
            add_chunk(reading, chunk, reading.types or batches.declared)
    return reading.corpus()


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> bytes:
    """A row an item, in row groups of a batch each."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FormatError(path, None, "writing this needs pyarrow; install caesura[parquet]") from None
    scale = scale_of(corpus, path, options)
    rows = rows_of(corpus, path, options)
    for row in rows:
        if ("length" in row) != ("length" in rows[0]):
            raise FormatError(path, None, f"item {row['item']!r}: all items must be segmentations, or all trees")
    names = dict.fromkeys(name for row in rows for name in row)
    kinds = {
        "item": pa.string(),
        "length": pa.int64(),
        **dict.fromkeys(SIDES, pa.list_(pa.int64())),
        **{f"{side}_types": pa.list_(pa.string()) for side in SIDES},
        **{f"{side}_times": pa.list_(pa.list_(pa.float64())) for side in SIDES},
    }
    if "length" not in names:
        kinds |= dict.fromkeys(SIDES, pa.string())
    schema = pa.schema([(name, kinds[name]) for name in names])
    if scale is not None:
        schema = schema.with_metadata({_TYPES: json.dumps(scale)})
    out = io.BytesIO()
    try:
        table = pa.Table.from_pylist(rows, schema)
    except UnicodeEncodeError:
        raise FormatError(path, None, "text in UTF-8 cannot hold half a surrogate pair") from None
    pq.write_table(table, out, row_group_size=AT_ONCE, write_page_checksum=True)
    return out.getvalue()


FORMAT = Format(
    name="documents-parquet",
    suffixes=(".parquet",),
    description="documents in Parquet: a row a document, reference and hypothesis in list columns",
    read=read,
    extra="parquet",
    looks_like=lambda text: False,
    write=write,
    options=WRITING,
    annotation_types=(Segmentation, Tree),
    magic=b"PAR1",
    matches_bytes=is_documents,
)
