"""A table of units: a row a unit, a column a coder, as CSV or TSV; ``parquet`` has the same columns.

    item,unit,text,ann,bo
    poem,1,In Xanadu,,
    poem,2,did Kubla Khan,1,
    poem,3,a stately,,1

A cell says what stands after the unit: nothing, a type, or several types as a JSON list (``["scene", "act"]``). If no
cell of the table is anything but 0, 1 or empty, boundaries are of one unnamed kind and 0 is none; a mark after the last
unit of an item then says nothing, since every text ends there. ``NA`` in all cells of an item: this coder did not code
it. The columns ``item``, ``stream``, ``unit``, ``text`` and ``types`` may be missing; ``types``, in the first row, is a
JSON list that declares the types in ordinal order. A type that would be misread (``0``, ``1``, ``NA``, one that begins
with a bracket) is written as a list of one.

With a column ``stream`` an item is a dialogue, and the rows of each stream form a running text of their own:

    item,stream,unit,text,ann,bo
    chat,F,1,well,",",
    chat,M,1,yes,.,.
    chat,F,2,no,.,?

Units are numbered within the stream, as here, or through the item. ``NA`` in all cells of a stream: this coder has no
such stream. An item whose stream cells are all empty has no streams. How the streams took turns is not kept.
"""

from __future__ import annotations

import csv
import io
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from caesura.errors import FormatError, SegmentationError
from caesura.formats.format import Format, Reading, table_text
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.segmentation import UNTYPED, Segmentation, check_types, sort_types

_RESERVED = ("item", "stream", "unit", "text", "types")
_MISSING = "NA"
_AT_ONCE = 250  # rows; far more of them would outlive a collection of garbage, and be looked at over and over
_PIECE = 2**20  # characters


@dataclass
class _Rows:
    """The rows of one stream of an item, or of an item without streams."""

    text: list[str] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))


@dataclass
class _Item:
    """The rows of one item."""

    first_line: int
    streams: dict[str, _Rows] = field(default_factory=dict)
    length: int = 0
    numbered: set[str] = field(default_factory=lambda: {"item", "stream"})
    """How the units seen so far may have been numbered."""


def read(reading: Reading, *, delimiter: str) -> Corpus:
    """Items in order of appearance; the rows of an item need not stand together."""
    rows = csv.reader(_lines(reading.text), delimiter=delimiter, strict=True)
    try:
        table = Table(reading, next((row for row in rows if row), []))
        lines: list[int] = []
        chunk: list[list[str]] = []
        for row in rows:
            if row:
                lines.append(rows.line_num)
                chunk.append(row)
                if len(chunk) == _AT_ONCE:
                    table.add_rows(lines, chunk)
                    lines, chunk = [], []
        table.add_rows(lines, chunk)
    except csv.Error as problem:
        raise reading.error(rows.line_num, f"not a valid table: {problem}") from None
    return table.corpus()


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, a piece at a time: a StringIO takes four bytes a character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


class Table:
    """Items that grow by many rows at a time.

    Rows come as columns. Those of one stream stand together as a rule, so that a run of them can be looked at and kept as
    a whole: a table of five million rows is no time for a step a row.
    """

    def __init__(self, reading: Reading, header: Iterable[str]) -> None:
        self.reading = reading
        self.header = [name.strip() for name in header]
        self.columns = _columns(reading, self.header)
        self.coders = [name for name in self.header if name not in _RESERVED]
        self.items: dict[str, _Item] = {}
        self.declared: tuple[str, ...] | None = None
        self.words: dict[str, str] = {}
        """Each word of the text once: most come again and again."""

    def add_rows(self, lines: list[int], rows: list[list[str]]) -> None:
        """Rows with their lines in the file."""
        width = len(self.header)
        for line, row in zip(lines, rows, strict=True) if {*map(len, rows)} != {width} else ():
            if len(row) != width:
                raise self.reading.error(line, f"a row must have {width} cells like the header; got {len(row)}")
        if rows:
            self.add(lines, list(zip(*rows, strict=True)))

    def add(self, lines: Sequence[int], columns: Sequence[Sequence[str]]) -> None:
        """The same as a sequence of cells for each column of the header."""
        given = {name: columns[at] for name, at in self.columns.items()}
        for line, cell in zip(lines, given.get("types", ()), strict=False):
            if cell:
                self.declare(line, cell)
        items = given.get("item") or [self.reading.stem] * len(lines)
        streams = given.get("stream") or [""] * len(lines)
        if items.count(items[0]) == streams.count(streams[0]) == len(lines):  # as most often
            self.add_run(items[0], streams[0], lines, given)
            return
        end = 0
        for (name, stream), run in groupby(zip(items, streams, strict=True)):
            start, end = end, end + len(list(run))
            part = {column: cells[start:end] for column, cells in given.items()}
            self.add_run(name, stream, lines[start:end], part)

    def declare(self, line: int, cell: str) -> None:
        """The types, which a table says once."""
        if self.declared is not None:
            raise self.reading.error(line, "types must be declared once, in the first row; got them again")
        self.declared = _declared(self.reading, line, cell)

    def add_run(self, name: str, stream: str, lines: Sequence[int], part: Mapping[str, Sequence[str]]) -> None:
        """Rows of one stream of an item that follow each other."""
        item = self.items.setdefault(name, _Item(lines[0]))
        rows = item.streams.setdefault(stream, _Rows())
        if "unit" in part:
            _check_numbers(self.reading, lines, part["unit"], item, stream)
        item.length += len(lines)
        rows.lines.extend(lines)
        if "text" in part:
            rows.text.extend(map(self.words.setdefault, part["text"], part["text"]))
        for coder in self.coders:
            rows.cells.setdefault(coder, []).extend(part[coder])

    def corpus(self) -> Corpus:
        """What all rows together say."""
        reading, coders = self.reading, self.coders
        types = reading.types or self.declared
        streams = [one for item in self.items.values() for one in item.streams.values()]
        cells = set[str]().union(*(column for one in streams for column in one.cells.values()))
        plain = types is None and cells <= {"", "0", "1", _MISSING}
        for name, item in self.items.items():
            with reading.item(item.first_line):
                if "" in item.streams and len(item.streams) > 1:
                    line = item.streams[""].lines[0]
                    raise reading.error(
                        line, f"item {name!r}: a stream must be named in all rows or in none; got none here"
                    )
                units = {stream: tuple(rows.text) for stream, rows in item.streams.items()}
                texts = units if "text" in self.columns else {}
                for coder in coders:
                    with reading.item(item.first_line, f"item {name!r}, coder {coder!r}: "):
                        _read_cell(reading, name, coder, item, types, plain, texts)
        return reading.corpus() if types is not None or plain else _share_types(reading.corpus())


def _columns(reading: Reading, header: list[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for i, name in enumerate(header):
        if not name:
            raise reading.error(1, f"column {i + 1} must have a name in the header; it is empty")
        if name in columns:
            raise reading.error(1, f"a column may stand only once in the header; got {name!r} twice")
        columns[name] = i
    if all(name in _RESERVED for name in header):
        raise reading.error(1, f"a column a coder is needed beside {', '.join(header)}; got none")
    return columns


def _check_numbers(reading: Reading, lines: Sequence[int], units: Sequence[str], item: _Item, stream: str) -> None:
    """Numbered units must come in order, or the table was sorted by something else."""
    before = {"item": item.length, "stream": len(item.streams[stream].lines)}
    size = len(units)
    straight = {start: list(units) == [*map(str, range(start + 1, start + size + 1))] for start in {*before.values()}}
    fitting = {way for way in item.numbered if straight[before[way]]}
    if fitting:
        item.numbered = fitting
        return
    for i, (line, cell) in enumerate(zip(lines, units, strict=True), 1):
        unit = cell.strip()
        if not (unit.isdecimal() and unit.isascii()):
            continue
        expected = {way: start + i for way, start in before.items()}
        number = int(unit) if len(unit) <= 12 else -1
        item.numbered &= {way for way, place in expected.items() if place == number}
        if not item.numbered:
            counted = "within an item" + (" or within a stream" if stream else "")
            place = f"unit {expected['item']}" + (
                f" of the item and unit {expected['stream']} of stream {stream!r}" if stream else ""
            )
            raise reading.error(line, f"units must be numbered 1, 2, 3 ... {counted}; got {unit[:40]} for {place}")


def _declared(reading: Reading, line: int, cell: str) -> tuple[str, ...]:
    names = _list(cell)
    if names is None:
        raise reading.error(line, f'types must be a JSON list of names like ["scene", "act"]; got {cell[:80]!r}')
    try:
        return check_types(names)
    except SegmentationError as problem:
        raise reading.error(line, str(problem)) from None


def _list(cell: str) -> list[str] | None:
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _read_cell(
    reading: Reading,
    name: str,
    coder: str,
    item: _Item,
    types: tuple[str, ...] | None,
    plain: bool,
    texts: Mapping[str, tuple[str, ...]],
) -> None:
    """What one coder made of one item; nothing if all cells say NA."""
    found: dict[str, Segmentation] = {}
    for stream, rows in item.streams.items():
        column = rows.cells[coder]
        missing = column.count(_MISSING)
        if missing == len(column):
            continue
        place = f"item {name!r}, coder {coder!r}" + (f", stream {stream!r}" if stream else "")
        if missing:
            line = rows.lines[column.index(_MISSING)]
            raise reading.error(line, f"{place}: {_MISSING} must stand in all cells or in none")
        units = texts.get(stream)
        if plain:
            marked = np.array([i for i, cell in enumerate(column[:-1], 1) if cell == "1"], np.int64)
            found[stream] = Segmentation.from_positions(len(column), marked, units=units)
            continue
        marked = np.array([i for i, cell in enumerate(column, 1) if cell], np.int64)
        meant: dict[str, tuple[str, ...]] = {}
        for cell in dict.fromkeys(column):
            if cell:
                meant[cell] = _marks(reading, rows.lines[column.index(cell)], cell, types)
        marks = [meant[cell] for cell in column if cell]
        found[stream] = Segmentation.from_positions(len(column), marked, marks=marks, types=types, units=units)
    if found:
        reading.add(name, coder, found[""] if "" in found else Dialogue(found))


def _marks(reading: Reading, line: int, cell: str, types: tuple[str, ...] | None) -> tuple[str, ...]:
    """The types in a cell that is not empty."""
    names = _list(cell) if cell.startswith("[") else [cell]
    if not names:
        raise reading.error(line, f'several types are written as a JSON list like ["scene", "act"]; got {cell[:80]!r}')
    for name in names:
        if types is not None and name not in types:
            raise reading.error(line, f"type {name!r} is not declared; declared are {', '.join(map(repr, types))}")
    return tuple(names)


def _share_types(corpus: Corpus) -> Corpus:
    """One scale for a table that declares none: what occurs in it, in alphabetical order."""
    scale = _occurring(_segmentations(corpus))
    if not scale:
        return corpus
    shared: dict[str, dict[str, Annotation]] = {}
    for item, coder in corpus:
        one = corpus[item, coder]
        sides = {stream: side.with_types(scale, types_declared=False) for stream, side in streams_of(one).items()}
        shared.setdefault(item, {})[coder] = Dialogue(sides) if isinstance(one, Dialogue) else sides[""]
    return Corpus(shared)


def _occurring(segmentations: Iterable[Segmentation]) -> tuple[str, ...]:
    """Return the types of all boundaries, numbers first, then in alphabetical order."""
    return sort_types({name for segmentation in segmentations for _, name in segmentation.boundaries})


def _segmentations(corpus: Corpus) -> Iterator[Segmentation]:
    for key in corpus:
        yield from streams_of(corpus[key]).values()


def write(corpus: Corpus, path: str, options: Mapping[str, Any], *, delimiter: str) -> str:
    """The rows as delimited text."""
    return table_text(table_rows(corpus, path), delimiter)


def table_rows(corpus: Corpus, path: str) -> list[list[str]]:
    """The header, then items one after another, in an item stream after stream; NA where a coder is missing."""
    for coder in corpus.coders:
        if coder in _RESERVED or coder != coder.strip() or not coder:
            raise FormatError(path, None, f"a coder cannot be a column named {coder!r}")
    everything = list(_segmentations(corpus))
    scales = dict.fromkeys(one.types for one in everything)
    typed = list(scales) != [UNTYPED] or any(one.length in one.positions[-1:] for one in everything)
    if len(scales) > 1:
        raise FormatError(
            path, None, f"all segmentations must declare the same types; got {' and '.join(map(str, scales))}"
        )
    has_text = any(one.units is not None for one in everything)
    has_streams = any(isinstance(corpus[key], Dialogue) for key in corpus)
    # A scale that nobody declared is left to the reader, who collects the same one.
    declares = typed and (any(one.types_declared for one in everything) or next(iter(scales)) != _occurring(everything))
    names = {"stream": has_streams, "unit": True, "text": has_text, "types": declares}
    rows = [["item", *(name for name, there in names.items() if there), *corpus.coders]]
    declared = json.dumps(list(next(iter(scales))), ensure_ascii=False) if declares else ""
    for item in corpus.item_names:
        for stream, by_coder in _streams(path, item, corpus.of_item(item)).items():
            units = _one_text(path, item, by_coder, has_text)
            columns = [_column(by_coder.get(coder), len(units), typed) for coder in corpus.coders]
            for i, unit in enumerate(units):
                named = [item, *([stream] if has_streams else []), str(i + 1)]
                row = [*named, *([unit] if has_text else []), *([declared] if declares else [])]
                rows.append([*row, *(column[i] for column in columns)])
                declared = ""
    return rows


def _streams(path: str, item: str, by_coder: dict[str, Annotation]) -> dict[str, dict[str, Segmentation]]:
    """Stream -> coder -> segmentation; the stream is empty if the item has none."""
    streams: dict[str, dict[str, Segmentation]] = {}
    for coder, one in by_coder.items():
        if isinstance(one, Dialogue) and "" in one:
            raise FormatError(path, None, f"item {item!r}, coder {coder!r}: a stream must have a name; got ''")
        for stream, side in streams_of(one).items():
            streams.setdefault(stream, {})[coder] = side
    if "" in streams and len(streams) > 1:
        whole = next(iter(streams[""]))
        raise FormatError(path, None, f"item {item!r}: all coders must have streams or none; {whole} has none")
    return streams


def _one_text(path: str, item: str, by_coder: dict[str, Segmentation], has_text: bool) -> tuple[str, ...]:
    """The units that all coders of an item share."""
    lengths = {one.length for one in by_coder.values()}
    if len(lengths) > 1:
        sizes = ", ".join(f"{coder} {one.length}" for coder, one in by_coder.items())
        raise FormatError(path, None, f"item {item!r}: all coders must have the same number of units; got {sizes}")
    for coder, one in by_coder.items():
        if one.labels is not None:
            raise FormatError(
                path,
                None,
                f"item {item!r}, coder {coder!r}: this format cannot hold segment labels; "
                "write .json, or leave them out (convert --drop-labels)",
            )
    texts = {one.units for one in by_coder.values()}
    (length,) = lengths
    if len(texts) > 1 or (has_text and None in texts):
        raise FormatError(path, None, f"item {item!r}: all coders must carry the same units in a table with text")
    (text,) = texts
    return text if text is not None else ("",) * length


def _column(one: Segmentation | None, length: int, typed: bool) -> list[str]:
    if one is None:
        return [_MISSING] * length
    if not typed:
        return [*("1" if bit == "1" else "" for bit in one.bits()), ""]
    at: dict[int, list[str]] = {}
    for position, name in one.boundaries:
        at.setdefault(position, []).append(name)
    return [_cell(at.get(i, [])) for i in range(1, length + 1)]


def _cell(names: list[str]) -> str:
    if not names:
        return ""
    (name, *more) = names
    if more or name in ("0", "1", _MISSING) or name.startswith("["):
        return json.dumps(names, ensure_ascii=False)
    return name


def _looks_like(text: str, *, delimiter: str) -> bool:
    return delimiter in text.split("\n", 1)[0]


def _format(name: str, suffix: str, delimiter: str, description: str) -> Format:
    return Format(
        name=name,
        suffixes=(suffix,),
        description=description,
        read=partial(read, delimiter=delimiter),
        looks_like=partial(_looks_like, delimiter=delimiter),
        write=partial(write, delimiter=delimiter),
    )


CSV = _format("table-csv", ".csv", ",", "a table of units, comma-separated: a row a unit, a column a coder")
TSV = _format("table-tsv", ".tsv", "\t", "a table of units, tab-separated: a row a unit, a column a coder")
