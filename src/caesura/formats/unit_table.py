"""Tables of units as CSV or TSV: one row per unit, one column per coder; ``parquet`` has the same columns.

::

    item,unit,text,ann,bo
    poem,1,In Xanadu,,
    poem,2,did Kubla Khan,1,
    poem,3,a stately,,1

A cell contains the boundary after the unit. It is empty, one type, or several types as a JSON list (``["scene", "act"]``).
If all cells of the table are 0, 1 or empty, boundaries have no types and 0 means no boundary; a 1 after the last unit of an
item is then ignored, because every text ends there. If all cells of a coder in an item are ``NA``, the coder did not code
this item. The columns ``item``, ``stream``, ``unit``, ``text`` and ``types`` are optional. The first row of ``types`` is a
JSON list that declares the types in ordinal order. A type that would be misread (``0``, ``1``, ``NA``, or a type that begins
with a bracket) is written as a list of one.

If the table has a column ``stream``, each item is a dialogue, and the rows of each stream form one text::

    item,stream,unit,text,ann,bo
    chat,F,1,well,",",
    chat,M,1,yes,.,.
    chat,F,2,no,.,?

Units are numbered within the stream, as here, or within the item. If all cells of a coder in a stream are ``NA``, the coder
did not annotate this stream. An item whose stream cells are all empty has no streams. The order of turns is not kept.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby, islice

import numpy as np

from caesura.formats.format import Format, Reading, Writing, json_text, parse_table, table_text
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.segmentation import UNTYPED, Segmentation, check_types, sort_types

_RESERVED = ("item", "stream", "unit", "text", "types")
_MISSING = "NA"
_BATCH_SIZE = 250  # rows; larger batches would survive a garbage collection and slow down later ones


@dataclass
class _Rows:
    """Rows of one stream of an item, or of an item without streams."""

    text: list[str] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)  # coder -> cells
    lines: array[int] = field(default_factory=lambda: array("q"))


@dataclass
class _Item:
    """Rows of one item."""

    first_line: int
    streams: dict[str, _Rows] = field(default_factory=dict)
    length: int = 0
    numberings: set[str] = field(default_factory=lambda: {"item", "stream"})  # units are numbered within one of these


def _read(reading: Reading, *, delimiter: str) -> Corpus:
    """Return the items in order of appearance; the rows of an item need not be adjacent."""
    rows = parse_table(reading, delimiter)
    table = UnitTable(reading, next(rows, (1, []))[1])
    while batch := list(islice(rows, _BATCH_SIZE)):
        lines, cells = zip(*batch, strict=True)
        table.add_rows(lines, cells)
    return table.corpus()


class UnitTable:
    """Table of units to which batches of rows are added.

    Rows are stored by column. The rows of one stream are usually adjacent, so that many rows can be checked and stored in
    one step. In a table of five million rows, one step per row would be too slow.

    Parameters
    ----------
    reading : Reading
        File that is being read.
    header : iterable of str
        Names of the columns.
    """

    def __init__(self, reading: Reading, header: Iterable[str]) -> None:
        self._reading = reading
        self._header = [name.strip() for name in header]
        self._columns = _columns(reading, self._header)
        self._coders = [name for name in self._header if name not in _RESERVED]
        self._items: dict[str, _Item] = {}
        self._types: tuple[str, ...] | None = None
        self._untyped = False
        self._words: dict[str, str] = {}  # each word of the text, stored once

    def add_rows(self, lines: Sequence[int], rows: Sequence[list[str]]) -> None:
        """Add rows.

        Parameters
        ----------
        lines : sequence of int
            Line of each row in the file.
        rows : sequence of lists of str
            Cells of each row.
        """
        width = len(self._header)
        for line, row in zip(lines, rows, strict=True) if {*map(len, rows)} != {width} else ():
            if len(row) != width:
                raise self._reading.error(line, f"a row must have {width} cells like the header; got {len(row)}")
        self.add_columns(lines, list(zip(*rows, strict=True)))

    def add_columns(self, lines: Sequence[int], columns: Sequence[Sequence[str]]) -> None:
        """Add rows that are given by column.

        Parameters
        ----------
        lines : sequence of int
            Line of each row in the file.
        columns : sequence of sequences of str
            Cells of each column of the header.
        """
        cells = {name: columns[i] for name, i in self._columns.items()}
        for line, cell in zip(lines, cells.get("types", ()), strict=False):
            if cell:
                self._declare_types(line, cell)
        items = cells.get("item") or [self._reading.stem] * len(lines)
        streams = cells.get("stream") or [""] * len(lines)
        if items.count(items[0]) == streams.count(streams[0]) == len(lines):  # the usual case
            self._add_run(items[0], streams[0], lines, cells)
            return
        end = 0
        for (item, stream), run in groupby(zip(items, streams, strict=True)):
            start, end = end, end + len(list(run))
            part = {name: column[start:end] for name, column in cells.items()}
            self._add_run(item, stream, lines[start:end], part)

    def _declare_types(self, line: int, cell: str) -> None:
        if self._types is not None:
            raise self._reading.error(line, "types must be declared once, in the first row; got them again")
        names = _list(cell)
        if names is None:
            problem = f'types must be a JSON list of names like ["scene", "act"]; got {cell[:80]!r}'
            raise self._reading.error(line, problem)
        with self._reading.at_line(line):
            self._types = check_types(names)

    def _add_run(self, name: str, stream: str, lines: Sequence[int], cells: Mapping[str, Sequence[str]]) -> None:
        """Add successive rows of one stream of an item."""
        item = self._items.setdefault(name, _Item(lines[0]))
        rows = item.streams.setdefault(stream, _Rows())
        if "unit" in cells:
            _check_numbers(self._reading, lines, cells["unit"], item, stream)
        item.length += len(lines)
        rows.lines.extend(lines)
        if "text" in cells:
            rows.text.extend(map(self._words.setdefault, cells["text"], cells["text"]))
        for coder in self._coders:
            rows.cells.setdefault(coder, []).extend(cells[coder])

    def corpus(self) -> Corpus:
        """Build the annotations from all rows.

        Returns
        -------
        Corpus
            One annotation per item and coder.
        """
        reading = self._reading
        self._types = reading.types or self._types
        self._untyped = self._types is None and self._distinct_cells() <= {"", "0", "1", _MISSING}
        for name, item in self._items.items():
            with reading.item(item.first_line):
                self._read_item(name, item)
        return reading.corpus() if self._types is not None or self._untyped else _share_types(reading.corpus())

    def _read_item(self, name: str, item: _Item) -> None:
        reading = self._reading
        if "" in item.streams and len(item.streams) > 1:
            problem = "a stream must be named in all rows or in none; got none here"
            raise reading.error(item.streams[""].lines[0], f"item {name!r}: {problem}")
        has_text = "text" in self._columns
        texts = {stream: tuple(rows.text) for stream, rows in item.streams.items() if has_text}
        for coder in self._coders:
            with reading.item(item.first_line, f"item {name!r}, coder {coder!r}: "):
                self._read_coder(name, coder, item, texts)

    def _read_coder(self, name: str, coder: str, item: _Item, texts: Mapping[str, tuple[str, ...]]) -> None:
        """Add the annotation of one item by one coder, unless all cells are NA."""
        segmentations: dict[str, Segmentation] = {}
        for stream, rows in item.streams.items():
            missing = rows.cells[coder].count(_MISSING)
            if missing == len(rows.lines):
                continue
            if missing:
                place = f"item {name!r}, coder {coder!r}" + (f", stream {stream!r}" if stream else "")
                line = rows.lines[rows.cells[coder].index(_MISSING)]
                raise self._reading.error(line, f"{place}: {_MISSING} must be in all cells or in none")
            segmentations[stream] = self._segmentation(rows.lines, rows.cells[coder], texts.get(stream))
        if segmentations:
            self._reading.add(name, coder, segmentations[""] if "" in segmentations else Dialogue(segmentations))

    def _segmentation(self, lines: Sequence[int], column: list[str], units: tuple[str, ...] | None) -> Segmentation:
        if self._untyped:
            positions = np.array([i for i, cell in enumerate(column[:-1], 1) if cell == "1"], np.int64)
            return Segmentation.from_positions(len(column), positions, units=units)
        positions = np.array([i for i, cell in enumerate(column, 1) if cell], np.int64)
        marks_of = {cell: self._marks(lines[column.index(cell)], cell) for cell in dict.fromkeys(column) if cell}
        marks = [marks_of[cell] for cell in column if cell]
        return Segmentation.from_positions(len(column), positions, marks=marks, types=self._types, units=units)

    def _marks(self, line: int, cell: str) -> tuple[str, ...]:
        """Return the types in a cell that is not empty."""
        names = _list(cell) if cell.startswith("[") else [cell]
        if not names:
            problem = f'several types are written as a JSON list like ["scene", "act"]; got {cell[:80]!r}'
            raise self._reading.error(line, problem)
        for name in names:
            if self._types is not None and name not in self._types:
                declared = ", ".join(map(repr, self._types))
                raise self._reading.error(line, f"type {name!r} is not declared; declared are {declared}")
        return tuple(names)

    def _distinct_cells(self) -> set[str]:
        streams = (rows for item in self._items.values() for rows in item.streams.values())
        return set[str]().union(*(column for rows in streams for column in rows.cells.values()))


def _columns(reading: Reading, header: list[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for i, name in enumerate(header):
        if not name:
            raise reading.error(1, f"column {i + 1} must have a name in the header; it is empty")
        if name in columns:
            raise reading.error(1, f"a column may occur only once in the header; got {name!r} twice")
        columns[name] = i
    if all(name in _RESERVED for name in header):
        raise reading.error(1, f"expected one column per coder besides {', '.join(header)}; got none")
    return columns


def _check_numbers(reading: Reading, lines: Sequence[int], units: Sequence[str], item: _Item, stream: str) -> None:
    """Raise an error if numbered units are not in order, for example because the table was sorted."""
    offsets = {"item": item.length, "stream": len(item.streams[stream].lines)}
    sequential = {
        offset: list(units) == [*map(str, range(offset + 1, offset + len(units) + 1))] for offset in {*offsets.values()}
    }
    numberings = {numbering for numbering in item.numberings if sequential[offsets[numbering]]}
    if numberings:
        item.numberings = numberings
        return
    for i, (line, cell) in enumerate(zip(lines, units, strict=True), 1):
        unit = cell.strip()
        if unit.isdecimal() and unit.isascii():
            _check_number(reading, line, unit, item, {name: offset + i for name, offset in offsets.items()}, stream)


def _check_number(
    reading: Reading, line: int, unit: str, item: _Item, expected: Mapping[str, int], stream: str
) -> None:
    number = int(unit) if len(unit) <= 12 else -1
    item.numberings &= {numbering for numbering, expected_number in expected.items() if expected_number == number}
    if not item.numberings:
        scope, place = "within an item", f"unit {expected['item']}"
        if stream:
            scope += " or within a stream"
            place += f" of the item and unit {expected['stream']} of stream {stream!r}"
        raise reading.error(line, f"units must be numbered 1, 2, 3 ... {scope}; got {unit[:40]} for {place}")


def _list(cell: str) -> list[str] | None:
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _share_types(corpus: Corpus) -> Corpus:
    """Return the corpus with one scale of types for all annotations, consisting of the types that occur."""
    scale = _occurring_types(_segmentations(corpus))
    if not scale:
        return corpus
    annotations: dict[str, dict[str, Annotation]] = {}
    for (item, coder), annotation in corpus.items():
        streams = {
            stream: segmentation.with_types(scale, types_declared=False)
            for stream, segmentation in streams_of(annotation).items()
        }
        annotations.setdefault(item, {})[coder] = Dialogue(streams) if isinstance(annotation, Dialogue) else streams[""]
    return Corpus(annotations)


def _occurring_types(segmentations: Iterable[Segmentation]) -> tuple[str, ...]:
    """Return the types of all boundaries, sorted with numbers first and then alphabetically."""
    return sort_types({name for segmentation in segmentations for _, name in segmentation.boundaries})


def _segmentations(corpus: Corpus) -> Iterator[Segmentation]:
    for annotation in corpus.values():
        yield from streams_of(annotation).values()


def _write(writing: Writing, *, delimiter: str) -> str:
    return table_text(table_rows(writing), delimiter)


def table_rows(writing: Writing) -> list[list[str]]:
    """Return the rows of a table of units, with NA for missing annotations.

    Parameters
    ----------
    writing : Writing
        File that is being written.

    Returns
    -------
    list of lists of str
        The header, then the rows item by item and stream by stream.

    Raises
    ------
    FormatError
        If a table cannot represent the corpus.
    """
    corpus = writing.corpus
    _check_coders(writing)
    segmentations = list(_segmentations(corpus))
    types = _common_types(writing, segmentations)
    optional = {
        "stream": any(isinstance(annotation, Dialogue) for annotation in corpus.values()),
        "unit": True,
        "text": any(segmentation.units is not None for segmentation in segmentations),
        "types": types is not None and _must_declare(types, segmentations),
    }
    header = ["item", *(name for name, present in optional.items() if present), *corpus.coders]
    typed = types is not None
    rows = [header, *chain.from_iterable(_item_rows(writing, item, header, typed) for item in corpus.item_names)]
    if types is not None and optional["types"]:
        rows[1][header.index("types")] = json_text(list(types))
    return rows


def _must_declare(types: tuple[str, ...], segmentations: Sequence[Segmentation]) -> bool:
    """Return whether the table must declare its types. Otherwise the reader uses the types that occur."""
    declared = any(segmentation.types_declared for segmentation in segmentations)
    return declared or types != _occurring_types(segmentations)


def _check_coders(writing: Writing) -> None:
    for coder in writing.corpus.coders:
        if coder in _RESERVED or coder != coder.strip() or not coder:
            raise writing.error(f"a coder cannot be named {coder!r}, because coders are columns of the table")


def _item_rows(writing: Writing, item: str, header: list[str], typed: bool) -> Iterator[list[str]]:
    """Yield the rows of an item; the cells of the column ``types`` are empty."""
    for stream, by_coder in _streams(writing, item).items():
        units = _common_units(writing, item, by_coder, "text" in header)
        size = len(units)
        columns: dict[str, Sequence[str]] = {
            "item": [item] * size,
            "stream": [stream] * size,
            "unit": [*map(str, range(1, size + 1))],
            "text": units,
            "types": [""] * size,
        }
        for coder in writing.corpus.coders:
            columns[coder] = _column(by_coder.get(coder), size, typed)
        yield from map(list, zip(*(columns[name] for name in header), strict=True))


def _common_types(writing: Writing, segmentations: Sequence[Segmentation]) -> tuple[str, ...] | None:
    """Return the types that all segmentations declare, or None if boundaries have no types."""
    scales = list(dict.fromkeys(segmentation.types for segmentation in segmentations))
    if len(scales) > 1:
        got = " and ".join(map(str, scales))
        raise writing.error(f"all segmentations must declare the same types; got {got}")
    marks_end = any(segmentation.length in segmentation.positions[-1:] for segmentation in segmentations)
    return scales[0] if scales and (scales != [UNTYPED] or marks_end) else None


def _streams(writing: Writing, item: str) -> dict[str, dict[str, Segmentation]]:
    """Return the segmentations by stream and coder; without streams, the only stream name is empty."""
    streams: dict[str, dict[str, Segmentation]] = {}
    for coder, annotation in writing.corpus.of_item(item).items():
        if isinstance(annotation, Dialogue) and "" in annotation:
            raise writing.error("a stream must have a name; got ''", item, coder)
        for stream, segmentation in streams_of(annotation).items():
            streams.setdefault(stream, {})[coder] = segmentation
    if "" in streams and len(streams) > 1:
        coder = next(iter(streams[""]))
        raise writing.error(f"all coders must have streams or none; {coder} has none", item)
    return streams


def _common_units(writing: Writing, item: str, by_coder: dict[str, Segmentation], has_text: bool) -> tuple[str, ...]:
    """Return the units that all coders of an item share."""
    lengths = {segmentation.length for segmentation in by_coder.values()}
    if len(lengths) > 1:
        sizes = ", ".join(f"{coder} {segmentation.length}" for coder, segmentation in by_coder.items())
        raise writing.error(f"all coders must have the same number of units; got {sizes}", item)
    for coder, segmentation in by_coder.items():
        writing.check_contents(segmentation, item, coder, holds=("types", "units"))
    texts = {segmentation.units for segmentation in by_coder.values()}
    if len(texts) > 1 or (has_text and None in texts):
        raise writing.error("all coders must have the same units in a table with text", item)
    (length,), (text,) = lengths, texts
    return text if text is not None else ("",) * length


def _column(segmentation: Segmentation | None, length: int, typed: bool) -> list[str]:
    if segmentation is None:
        return [_MISSING] * length
    if not typed:
        return [*("1" if bit == "1" else "" for bit in segmentation.bits()), ""]
    types_at: dict[int, list[str]] = {}
    for position, name in segmentation.boundaries:
        types_at.setdefault(position, []).append(name)
    return [_cell(types_at.get(i, [])) for i in range(1, length + 1)]


def _cell(names: list[str]) -> str:
    if not names:
        return ""
    (name, *more) = names
    if more or name in ("0", "1", _MISSING) or name.startswith("["):
        return json_text(names)
    return name


def _looks_like(text: str, *, delimiter: str) -> bool:
    return delimiter in text.split("\n", 1)[0]


def _format(name: str, suffix: str, delimiter: str, description: str) -> Format:
    return Format(
        name=name,
        suffixes=(suffix,),
        description=description,
        read=partial(_read, delimiter=delimiter),
        looks_like=partial(_looks_like, delimiter=delimiter),
        write=partial(_write, delimiter=delimiter),
    )


CSV = _format("table-csv", ".csv", ",", "table of units, comma-separated: one row per unit, one column per coder")
TSV = _format("table-tsv", ".tsv", "\t", "table of units, tab-separated: one row per unit, one column per coder")
