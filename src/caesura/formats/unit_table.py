"""A table of units: a row a unit, a column a coder, as CSV or TSV.

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from caesura.errors import FormatError, SegmentationError
from caesura.formats.format import Format, Reading, table_text
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.segmentation import UNTYPED, Segmentation, declare, in_order

__all__ = ["CSV", "TSV"]

_RESERVED = ("item", "stream", "unit", "text", "types")
_MISSING = "NA"


@dataclass
class _Rows:
    """The rows of one stream of an item, or of an item without streams."""

    text: list[str] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)


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
    rows = csv.reader(io.StringIO(reading.text, newline=""), delimiter=delimiter, strict=True)
    items: dict[str, _Item] = {}
    declared: tuple[str, ...] | None = None
    try:
        header = [name.strip() for name in next((row for row in rows if row), [])]
        columns = _columns(reading, header)
        coders = [name for name in header if name not in _RESERVED]
        for row in rows:
            line = rows.line_num
            if not row:
                continue
            if len(row) != len(header):
                raise reading.error(line, f"a row must have {len(header)} cells like the header; got {len(row)}")
            if "types" in columns and row[columns["types"]]:
                if declared is not None:
                    raise reading.error(line, "types must be declared once, in the first row; got them again")
                declared = _declared(reading, line, row[columns["types"]])
            name = row[columns["item"]] if "item" in columns else reading.stem
            item = items.setdefault(name, _Item(line))
            stream = row[columns["stream"]] if "stream" in columns else ""
            unit = row[columns["unit"]].strip() if "unit" in columns else ""
            rows_of = item.streams.setdefault(stream, _Rows())
            rows_of.lines.append(line)
            item.length += 1
            _check_number(reading, line, unit, item, stream)
            if "text" in columns:
                rows_of.text.append(row[columns["text"]])
            for coder in coders:
                rows_of.cells.setdefault(coder, []).append(row[columns[coder]])
    except csv.Error as problem:
        raise reading.error(rows.line_num, f"not a valid table: {problem}") from None
    types = reading.types or declared
    streams = [one for item in items.values() for one in item.streams.values()]
    cells = {cell for one in streams for column in one.cells.values() for cell in column}
    plain = types is None and cells <= {"", "0", "1", _MISSING}
    for name, item in items.items():
        with reading.item(item.first_line):
            if "" in item.streams and len(item.streams) > 1:
                line = item.streams[""].lines[0]
                raise reading.error(
                    line, f"item {name!r}: a stream must be named in all rows or in none; got none here"
                )
            for coder in coders:
                with reading.item(item.first_line, f"item {name!r}, coder {coder!r}: "):
                    _read_cell(reading, name, coder, item, types, plain, "text" in columns)
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


def _check_number(reading: Reading, line: int, unit: str, item: _Item, stream: str) -> None:
    """Numbered units must come in order, or the table was sorted by something else."""
    if not (unit.isdecimal() and unit.isascii()):
        return
    expected = {"item": item.length, "stream": len(item.streams[stream].lines)}
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
        return declare(names)
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
    has_text: bool,
) -> None:
    """What one coder made of one item; nothing if all cells say NA."""
    found: dict[str, Segmentation] = {}
    for stream, rows in item.streams.items():
        column = rows.cells[coder]
        missing = [cell == _MISSING for cell in column]
        if all(missing):
            continue
        place = f"item {name!r}, coder {coder!r}" + (f", stream {stream!r}" if stream else "")
        if any(missing):
            line = rows.lines[missing.index(True)]
            raise reading.error(line, f"{place}: {_MISSING} must stand in all cells or in none")
        units = tuple(rows.text) if has_text else None
        if plain:
            found[stream] = Segmentation.from_bits([c or "0" for c in column[:-1]], units=units)
            continue
        marks = {i: _marks(reading, rows.lines[i - 1], cell, types) for i, cell in enumerate(column, 1) if cell}
        found[stream] = Segmentation.from_positions(
            len(column), list(marks), marks=list(marks.values()), types=types, units=units
        )
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
    scale = in_order({name for one in _segmentations(corpus) for _, name in one.boundaries})
    if not scale:
        return corpus
    shared: dict[str, dict[str, Annotation]] = {}
    for item, coder in corpus:
        one = corpus[item, coder]
        sides = {stream: side.with_types(scale, declared=False) for stream, side in streams_of(one).items()}
        shared.setdefault(item, {})[coder] = Dialogue(sides) if isinstance(one, Dialogue) else sides[""]
    return Corpus(shared)


def _segmentations(corpus: Corpus) -> Iterator[Segmentation]:
    for key in corpus:
        yield from streams_of(corpus[key]).values()


def write(corpus: Corpus, path: str, options: Mapping[str, Any], *, delimiter: str) -> str:
    """Items one after another, in an item stream after stream, a column a coder, NA where a coder is missing."""
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
    names = {"stream": has_streams, "unit": True, "text": has_text, "types": typed}
    rows = [["item", *(name for name, there in names.items() if there), *corpus.coders]]
    declared = json.dumps(list(next(iter(scales))), ensure_ascii=False) if typed else ""
    for item in corpus.items:
        for stream, by_coder in _streams(path, item, corpus.of_item(item)).items():
            units = _one_text(path, item, by_coder, has_text)
            columns = [_column(by_coder.get(coder), len(units), typed) for coder in corpus.coders]
            for i, unit in enumerate(units):
                named = [item, *([stream] if has_streams else []), str(i + 1)]
                row = [*named, *([unit] if has_text else []), *([declared] if typed else [])]
                rows.append([*row, *(column[i] for column in columns)])
                declared = ""
    return table_text(rows, delimiter)


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


def _format(name: str, suffix: str, delimiter: str, says: str) -> Format:
    return Format(
        name=name,
        suffixes=(suffix,),
        says=says,
        read=partial(read, delimiter=delimiter),
        looks_like=partial(_looks_like, delimiter=delimiter),
        write=partial(write, delimiter=delimiter),
    )


CSV = _format("table-csv", ".csv", ",", "a table of units, comma-separated: a row a unit, a column a coder")
TSV = _format("table-tsv", ".tsv", "\t", "a table of units, tab-separated: a row a unit, a column a coder")
