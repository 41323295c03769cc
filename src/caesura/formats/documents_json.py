"""Documents as lines of JSON: an object a document (see ``documents.py``).

    {"item": "a", "length": 11, "reference": [2, 5], "hypothesis": [2, 4]}
    {"item": "b", "length": 4, "reference": [2], "reference_types": ["act"], "hypothesis": [], "hypothesis_types": []}
    {"item": "c", "reference": "(S (NP (D the) (N dog)) (VP (V ran)))", "hypothesis": "(S (D the) (N dog) (V ran))"}

A large file is cut into stretches of bytes, each from the first line that begins in it to the last.
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, SegmentationError, TreeError
from caesura.formats.documents import FIELDS, SIDES, WRITING, add_chunk, check_reading, rows_of, tree_from
from caesura.formats.format import Format, Reading, decode, describe_value, parse_json
from caesura.model.corpus import Corpus
from caesura.model.documents import BoundaryColumn, DocumentPairs, Documents
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree

Ints = NDArray[np.int64]

AT_ONCE = 2**13
"""Documents in a batch, fewer where they have many boundaries."""
_NUMBERS = 2**20
_STRETCH = 2**23  # bytes
_BLOCK = 2**20  # bytes
_LONGEST_LINE = 2**26  # bytes


@dataclass(frozen=True)
class Lines:
    """The lines of a file from byte first to byte last-1."""

    path: str
    name: str
    size: int
    changed: int
    first: int
    last: int
    line: int
    """The number of the first line, from 1 on."""

    @property
    def place(self) -> str:
        """How messages call it."""
        return (
            self.path
            if (self.first, self.last) == (0, self.size)
            else f"{self.path}, bytes {self.first} to {self.last}"
        )

    @property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by."""
        return [self.name, self.size, self.changed, self.first, self.last]

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        """Batches of documents."""
        yield from _batches(self.path, self._lines())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with _opened(self.path) as file:
            file.seek(self.first)
            number, at = self.line, self.first
            while at < self.last and (line := file.readline(_LONGEST_LINE + 1)):
                if len(line) > _LONGEST_LINE:
                    raise FormatError(self.path, number, f"a line of at most {_LONGEST_LINE} bytes is needed")
                yield number, line
                number += 1
                at += len(line)

    def types(self) -> set[str]:
        """The types that occur."""
        with _opened(self.path) as file:
            file.seek(self.first)
            if b'_types"' not in file.read(self.last - self.first):
                return set()
        return {name for chunk in self.chunks() if isinstance(chunk, Documents) for name in chunk.types if name}


def partitions(files: Sequence[str], root: str) -> list[Lines]:
    """The files of a data set, large ones cut into stretches of lines."""
    found = []
    for path in files:
        name = os.path.relpath(path, root)
        try:
            with _opened(path) as file:
                said = os.fstat(file.fileno())
                first, line = 0, 1
                for last, lines in _stretches(file):
                    found.append(Lines(path, name, said.st_size, said.st_mtime_ns, first, last, line))
                    first, line = last, line + lines
        except FormatError:  # whoever reads it will say why
            found.append(Lines(path, name, 0, 0, 0, 0, 1))
    return found


def _stretches(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Where each stretch ends, behind a line break or at the end of the file, and how many lines it has."""
    at = end = lines = there = 0
    while data := file.read(_BLOCK):
        last = data.rfind(b"\n")
        if last >= 0:
            lines += data.count(b"\n")
            end = at + last + 1
            if end - there >= _STRETCH:
                yield end, lines
                there, lines = end, 0
        at += len(data)
    if there < at or not at:
        yield at, lines


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as file:
            yield file
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None


# -- lines to batches -------------------------------------------------------------------------------------------------


@dataclass
class _Gathered:
    """Documents of one kind on their way into a batch; a side has the positions of all of them, end to end."""

    typed: bool = False
    items: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    numbers: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    counts: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    codes: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    code_counts: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    names: dict[str, int] = field(default_factory=dict)
    excluded: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def full(self) -> bool:
        numbers = self.numbers
        return len(self) >= AT_ONCE or max(len(numbers["reference"]), len(numbers["hypothesis"])) >= _NUMBERS

    def add(self, row: int, item: str, document: Mapping[str, Any]) -> None:
        """A document of positions."""
        self.items.append(item)
        self.rows.append(row)
        self.length.append(document["length"])
        for side in SIDES:
            self.numbers[side] += document[side]
            self.counts[side].append(len(document[side]))
            types = document.get(f"{side}_types") or ()
            self.codes[side] += [self.names.setdefault(name, len(self.names)) for name in types]
            self.code_counts[side].append(len(types))

    def add_wrong(self, row: int, item: str, problem: str) -> None:
        """A document that is none: it has its place, with nothing in it."""
        self.excluded[len(self)] = problem
        self.add(row, item, {"length": 1, "reference": [], "hypothesis": []})

    def batch(self) -> Documents:
        """All of it."""
        reference, hypothesis = map(self._column, SIDES)
        length = np.array(self.length, np.int64)
        return Documents(self.items, self.rows, length, reference, hypothesis, tuple(self.names), self.excluded)

    def _column(self, side: str) -> BoundaryColumn:
        positions, offsets = np.array(self.numbers[side], np.int64), _offsets(self.counts[side])
        if not self.typed:
            return BoundaryColumn(positions, offsets)
        return BoundaryColumn(
            positions, offsets, np.array(self.codes[side], np.int64), _offsets(self.code_counts[side])
        )


@dataclass
class _Planted:
    """Trees on their way into a batch."""

    items: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    pairs: list[Any] = field(default_factory=list)
    excluded: dict[int, str] = field(default_factory=dict)
    characters: int = 0

    @property
    def full(self) -> bool:
        return len(self.pairs) >= AT_ONCE or self.characters >= _NUMBERS

    def add(self, row: int, item: str, document: Mapping[str, Any]) -> None:
        """A document of brackets."""
        self.pairs.append(tuple(_tree(document, side) for side in SIDES))
        self.items.append(item)
        self.rows.append(row)
        self.characters += sum(len(document[side] or "") for side in SIDES)

    def add_wrong(self, row: int, item: str, problem: str) -> None:
        """A document that is none."""
        self.excluded[len(self.pairs)] = problem
        self.add(row, item, dict.fromkeys(SIDES))

    def batch(self) -> DocumentPairs:
        """All of it."""
        return DocumentPairs(self.items, self.rows, self.pairs, self.excluded)


def _offsets(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _batches(path: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[Documents | DocumentPairs]:
    """Documents with types, without, and trees: each in batches of their own, in the order in which these are full.

    So what is made of a document does not depend on which others stand near it.
    """
    made: dict[str, _Gathered | _Planted] = {}
    for number, line in lines:
        if not line.removeprefix(BOM_UTF8).strip():
            continue
        item, kind = str(number), "plain"
        try:
            row = _object(path, number, line)
            item, kind = _item(row, number), _kind(row)
            if kind != "trees":
                _check(row)
            _batch(made, kind).add(number, item, row)
        except CaesuraError as error:
            why = error.problem if isinstance(error, FormatError) else str(error)
            _batch(made, kind).add_wrong(number, item, why)
        if made[kind].full:
            yield made.pop(kind).batch()
    yield from (one.batch() for one in made.values())


def _batch(made: dict[str, _Gathered | _Planted], kind: str) -> _Gathered | _Planted:
    if kind not in made:
        made[kind] = _Planted() if kind == "trees" else _Gathered(typed=kind == "typed")
    return made[kind]


def _kind(row: Mapping[str, Any]) -> str:
    if any(isinstance(row[side], str) for side in SIDES):
        return "trees"
    return "plain" if all(row.get(f"{side}_types") is None for side in SIDES) else "typed"


def _object(path: str, number: int, line: bytes) -> dict[str, Any]:
    row = parse_json(path, decode(path, line), "documents")
    if not isinstance(row, dict):
        raise FormatError(path, number, f"an object is needed; got {describe_value(row)}")
    for name in row:
        if name not in FIELDS:
            raise FormatError(path, number, f"no field is called {describe_value(name)}; there are {', '.join(FIELDS)}")
    for side in SIDES:
        if side not in row:
            raise FormatError(path, number, f"{side}: it is missing")
    return row


def _item(row: Mapping[str, Any], number: int) -> str:
    item = row.get("item")
    if item is None:
        return str(number)
    if isinstance(item, bool) or not isinstance(item, str | int):
        raise SegmentationError(f"item: text is needed; got {describe_value(item)}")
    return str(item)


def _tree(row: Mapping[str, Any], side: str) -> Tree | None:
    text = row[side]
    if text is None:
        return None
    if not isinstance(text, str):
        raise TreeError(f"{side}: brackets are needed; got {describe_value(text)}")
    return tree_from(side, text, row.get(f"{side}_times"))


def _check(row: Mapping[str, Any]) -> None:
    """Whole numbers where numbers belong; whether they make a segmentation is seen later, with many at a time."""
    length = row.get("length")
    if not _is_whole(length):
        raise SegmentationError(f"length: a whole number is needed, of 63 bits at most; got {describe_value(length)}")
    for side in SIDES:
        positions, types = row[side], row.get(f"{side}_types")
        if not isinstance(positions, list):
            raise SegmentationError(f"{side}: a list of positions is needed; got {describe_value(positions)}")
        if positions and not (
            set(map(type, positions)) == {int} and _is_whole(min(positions)) and _is_whole(max(positions))
        ):
            wrong = next(one for one in positions if not _is_whole(one))
            raise SegmentationError(
                f"{side}: a position is a whole number, of 63 bits at most; got {describe_value(wrong)}"
            )
        if types is None:
            continue
        if not isinstance(types, list) or not all(isinstance(one, str) for one in types):
            raise SegmentationError(f"{side}_types: a list of names is needed; got {describe_value(types)}")


def _is_whole(value: object) -> bool:
    return type(value) is int and -(2**62) < value < 2**62


# -- as a corpus ------------------------------------------------------------------------------------------------------


def read(reading: Reading) -> Corpus:
    """Two coders, called reference and hypothesis."""
    check_reading(reading)
    lines = ((number, line.encode()) for number, line in enumerate(reading.text.split("\n"), 1))
    for chunk in _batches(reading.path, lines):
        add_chunk(reading, chunk, reading.types)
    return reading.corpus()


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """A line an item."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows_of(corpus, path, options))


def _looks_like(text: str) -> bool:
    try:
        _object("", 1, text.lstrip().partition("\n")[0].encode())
    except FormatError:
        return False
    return True


FORMAT = Format(
    name="documents-json",
    suffixes=(".jsonl", ".ndjson"),
    description="documents as lines of JSON: an object a document, with reference and hypothesis",
    read=read,
    looks_like=_looks_like,
    write=write,
    options=WRITING,
    annotation_types=(Segmentation, Tree),
)
