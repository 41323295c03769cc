"""Documents as JSON Lines, with one object per document (see ``documents.py``).

A large file is split into parts at line breaks. If pyarrow is installed, it parses most lines of large files
(``documents_arrow.py``); the result is the same.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from caesura.errors import CaesuraError, FormatError, SegmentationError
from caesura.formats import documents, documents_arrow
from caesura.formats.content import decode, describe_value, json_text, parse_json
from caesura.formats.documents import FIELDS, MAX_NAME, SIDES, FilePart
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.values import check_list, check_object
from caesura.model.corpus import Corpus
from caesura.model.documents import BoundaryColumn, DocumentPairs, Documents
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.model.value import Ints

# Maximum number of documents per batch; documents with many boundaries make smaller batches.
BATCH_SIZE = 2**13
_MAX_ENTRIES = 2**20  # positions or characters of brackets per batch
_PART_BYTES = 2**23
_MIN_ARROW_BYTES = 2**20  # the import of pyarrow takes as long as parsing this much without it
_MAX_LINE_BYTES = 2**26


@dataclass(frozen=True)
class LineRange(FilePart):
    last: int = 0  # end of the bytes, excluded
    line: int = 1  # number of the first line, from 1

    @property
    def place(self) -> str:
        if (self.first, self.last) == (0, self.size):
            return self.path
        return f"{self.path}, bytes {self.first} to {self.last}"

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        if self.size >= _MIN_ARROW_BYTES and documents_arrow.is_available():
            for number, data in self._blocks():
                yield from _block_batches(self.path, number, data)
        else:
            yield from _batches(self.path, self._lines())

    def _ranges(self) -> list[tuple[int, int]]:
        return [(self.first, self.last)]

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with _open(self.path) as file:
            file.seek(self.first)
            number, position = self.line, self.first
            while position < self.last and (line := file.readline(_MAX_LINE_BYTES + 1)):
                _check_line_length(self.path, number, line)
                yield number, line
                number += 1
                position += len(line)

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        with _open(self.path) as file:
            file.seek(self.first)
            number, position = self.line, self.first
            while data := file.read(min(documents_arrow.BLOCK_BYTES, self.last - position)):
                if not data.endswith(b"\n"):
                    data += file.readline(_MAX_LINE_BYTES + 1)
                if len(data) > _MAX_LINE_BYTES:
                    for i, line in enumerate(data.splitlines(keepends=True)):
                        _check_line_length(self.path, number + i, line)
                yield number, data
                number += data.count(b"\n")
                position += len(data)

    def _has_types(self) -> bool:
        with _open(self.path) as file:
            file.seek(self.first)
            return b'_types"' in file.read(self.last - self.first)


def partitions(files: Sequence[str], root: str) -> list[LineRange]:
    parts = []
    for path in files:
        name = os.path.relpath(path, root)
        try:
            with _open(path) as file:
                status = os.fstat(file.fileno())
                first, line = 0, 1
                for last, lines in _split(file):
                    parts.append(LineRange(path, name, status.st_size, first, last, line))
                    first, line = last, line + lines
        except FormatError:
            parts.append(LineRange(path, name, 0))
    return parts


def _check_line_length(path: str, number: int, line: bytes) -> None:
    if len(line) > _MAX_LINE_BYTES:
        raise FormatError(path, number, f"expected a line of at most {_MAX_LINE_BYTES} bytes")


def _split(file: BinaryIO) -> Iterator[tuple[int, int]]:
    end = 0
    while data := file.read(_PART_BYTES):
        data += file.readline(_MAX_LINE_BYTES)
        end += len(data)
        yield end, data.count(b"\n")
    if not end:
        yield 0, 0


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as file:
            yield file
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None


@dataclass
class _Line:
    item: str
    kind: str = "plain"  # segmentations with types (``"typed"``) or without (``"plain"``), or ``"trees"``
    content: Any = None  # the parsed object, or a pair of trees; None if the line is invalid
    problem: str = ""  # what is wrong with an invalid line
    size: int = 0  # number of positions or characters
    ignored: tuple[str, ...] = ()


@dataclass
class _Batch:
    kind: str
    items: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)  # parsed objects, or pairs of trees
    excluded: dict[int, str] = field(default_factory=dict)
    size: int = 0
    ignored: dict[str, None] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        return len(self.items) >= BATCH_SIZE or self.size >= _MAX_ENTRIES

    def add(self, number: int, line: _Line) -> None:
        """Add the document of a line, or an empty document in the place of an invalid one."""
        content = line.content
        if content is None:
            self.excluded[len(self.items)] = line.problem
            content = (None, None) if self.kind == "trees" else {"length": 1, **dict.fromkeys(SIDES, ())}
        self.items.append(line.item)
        self.rows.append(number)
        self.contents.append(content)
        self.size += line.size
        self.ignored |= dict.fromkeys(line.ignored)

    def documents(self) -> Documents | DocumentPairs:
        ignored = tuple(self.ignored)
        if self.kind == "trees":
            return DocumentPairs(self.items, self.rows, self.contents, self.excluded, ignored)
        types: dict[str, int] = {}
        reference, hypothesis = (self._column(side, types) for side in SIDES)
        lengths = np.array([document["length"] for document in self.contents], np.int64)
        return Documents(
            *(self.items, self.rows, lengths, reference, hypothesis, tuple(types), self.excluded),
            ignored_fields=ignored,
        )

    def _column(self, side: str, types: dict[str, int]) -> BoundaryColumn:
        positions, offsets = _flatten([document[side] for document in self.contents])
        if self.kind == "plain":
            return BoundaryColumn(positions, offsets)
        names = [document.get(f"{side}_types") or () for document in self.contents]
        codes = [[types.setdefault(name, len(types)) for name in row] for row in names]
        return BoundaryColumn(positions, offsets, *_flatten(codes))


def _flatten(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    offsets = np.concatenate([[0], np.cumsum([len(entries) for entries in lists], dtype=np.int64)])
    return np.fromiter(chain.from_iterable(lists), np.int64, int(offsets[-1])), offsets


def _batches(path: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[Documents | DocumentPairs]:
    # Typed segmentations, plain segmentations and trees are kept in separate batches. Therefore the result for a document does
    # not depend on the documents around it.
    batches: dict[str, _Batch] = {}
    for number, data in lines:
        if not data.removeprefix(BOM_UTF8).strip():
            continue
        line = _parse_line(path, number, data)
        batch = batches.setdefault(line.kind, _Batch(line.kind))
        batch.add(number, line)
        if batch.full:
            yield batches.pop(line.kind).documents()
    yield from (batch.documents() for batch in batches.values())


def _block_batches(path: str, number: int, data: bytes) -> Iterator[Documents | DocumentPairs]:
    for first, stretch, table in documents_arrow.parse_block(number, data):
        if table is None:
            yield from _batches(path, enumerate(stretch.split(b"\n"), first))
        else:
            yield from documents_arrow.to_documents(first, table, _Problems(path, first, stretch))


@dataclass
class _Problems:
    """Finds out what is wrong with single lines of a stretch."""

    path: str
    first: int
    data: bytes

    @cached_property
    def lines(self) -> list[bytes]:
        return self.data.split(b"\n")

    def __call__(self, row: int) -> documents_arrow.Problem:
        line = _parse_line(self.path, self.first + row, self.lines[row])
        return line.item, line.problem


def _parse_line(path: str, number: int, data: bytes) -> _Line:
    line = _Line(str(number))
    try:
        row = _parse_row(path, data.rstrip(b"\n"))
        line.ignored = tuple(name[:MAX_NAME] for name in row if name not in FIELDS)
        line.item = _item_name(row, number)
        if any(isinstance(row[side], str) for side in SIDES):
            line.kind = "trees"
        elif any(row.get(f"{side}_types") is not None for side in SIDES):
            line.kind = "typed"
        line.content = documents.parse_trees(row) if line.kind == "trees" else _check_numbers(row)
        line.size = sum(len(row[side] or ()) for side in SIDES)
    except CaesuraError as error:
        line.problem = getattr(error, "problem", str(error))
    return line


def _parse_row(path: str, line: bytes) -> dict[str, Any]:
    row = check_object("an object", parse_json(path, decode(path, line), "documents"))
    for side in SIDES:
        if side not in row:
            raise SegmentationError(f"{side}: it is missing")
    return row


def _item_name(row: Mapping[str, Any], number: int) -> str:
    item = row.get("item")
    if item is None:
        return str(number)
    if isinstance(item, bool) or not isinstance(item, str | int):
        raise SegmentationError(f"item: expected text; got {describe_value(item)}")
    return str(item)


def _check_numbers(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row if lengths and positions are whole numbers. Their ranges are checked later, for many rows at once."""
    length = row.get("length")
    if not _is_int64(length):
        raise SegmentationError(f"length: expected a whole number, of 63 bits at most; got {describe_value(length)}")
    for side in SIDES:
        _check_positions(side, row[side])
        types = row.get(f"{side}_types")
        if types is not None and not (isinstance(types, list) and all(isinstance(name, str) for name in types)):
            raise SegmentationError(f"{side}_types: expected a list of names; got {describe_value(types)}")
    return row


def _check_positions(side: str, positions: Any) -> None:
    check_list("a list of positions", positions, side)
    if not positions or (
        set(map(type, positions)) == {int} and _is_int64(min(positions)) and _is_int64(max(positions))
    ):
        return
    got = describe_value(next(position for position in positions if not _is_int64(position)))
    raise SegmentationError(f"{side}: a position is a whole number, of 63 bits at most; got {got}")


def _is_int64(value: object) -> bool:
    return type(value) is int and -(2**62) < value < 2**62


def _read(reading: Reading) -> Corpus:
    lines = ((number, line.encode()) for number, line in enumerate(reading.text.split("\n"), 1))
    return documents.read_documents(reading, _batches(reading.path, lines))


def _write(writing: Writing) -> str:
    return "".join(f"{json_text(row)}\n" for row in documents.document_rows(writing))


def are_documents(path: str) -> bool:
    """Return whether the first line of a file is a document of this format, or is damaged."""
    try:
        with open(path, "rb") as file:
            line = next((line for line in iter(lambda: file.readline(_MAX_LINE_BYTES), b"") if line.strip()), b"")
        row = parse_json(path, line.decode("utf-8-sig"), "documents")
    except (OSError, UnicodeDecodeError, CaesuraError):
        return True  # the reader reports the error
    if not isinstance(row, dict):
        return True
    sides = [row[side] for side in SIDES if side in row]
    known = all(name in FIELDS for name in row)
    return known or (bool(sides) and ("length" in row or any(isinstance(side, str) for side in sides)))


def _looks_like(text: str) -> bool:
    """Return whether the first line has both sides and only known fields, or else valid positions or trees."""
    # Other files may have fields of the same names, such as ``reference`` and ``hypothesis`` in seconds.
    line = text.lstrip().partition("\n")[0].encode(errors="surrogatepass")
    try:
        row = _parse_row("", line)
    except CaesuraError:
        return False
    if all(name in FIELDS for name in row):
        return True
    batches = _batches("", [(1, line)])
    return any(not batch.excluded and _is_valid(batch) for batch in batches)


def _is_valid(batch: Documents | DocumentPairs) -> bool:
    if isinstance(batch, DocumentPairs):
        return None not in batch.pairs[0]
    try:
        batch.pair(0)
    except CaesuraError:
        return False
    return True


FORMAT = Format(
    name="documents-json",
    suffixes=(".jsonl", ".ndjson"),
    description="documents as lines of JSON: one object per document, with reference and hypothesis",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=documents.WRITING_OPTIONS,
    annotation_types=(Segmentation, Tree),
)
