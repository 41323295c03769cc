"""Write tables of units as CSV, TSV, Parquet or Excel: one row per unit, one column per coder.

:mod:`caesura.formats.table` describes the table and reads it.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from xml.sax.saxutils import escape

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.formats import arrow
from caesura.formats.arrow import pa
from caesura.formats.column_names import RESERVED, normalize
from caesura.formats.columns import Column, Table
from caesura.formats.content import describe_value, json_text
from caesura.formats.format import Reading, Writing
from caesura.formats.marks import OTHER, kind_of_cell
from caesura.limits import check_limit, declared_cells
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types

_MISSING = "NA"
_MAX_SHEET_ROWS = 2**20
_MAX_SHEET_COLUMNS = 2**14
_SHEET = "xl/worksheets/sheet1.xml"  # the first sheet of a workbook
_BLOCK_SIZE = 2**20  # bytes that are compressed at once
_BLOCK_ROWS = 2000  # rows of a sheet that are written at once
_MAX_CELL = 32_767  # characters in a cell of a sheet
# Characters that XML cannot contain, a carriage return, which XML changes, and what looks like the escapes of Excel.
_NOT_IN_SHEETS = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")


def share_types(corpus: Corpus) -> Corpus:
    """Return the corpus with one scale of types for all annotations, consisting of the types that occur."""
    scale = _occurring_types(_segmentations(corpus))
    if not scale:
        return corpus
    annotations: dict[str, dict[str, Annotation]] = {}
    for (item, coder), annotation in corpus.items():
        streams = {
            stream: segmentation.with_types(scale, types_declared=False)
            for stream, segmentation in texts_of(annotation).items()
        }
        annotations.setdefault(item, {})[coder] = Dialogue(streams) if isinstance(annotation, Dialogue) else streams[""]
    return Corpus(annotations)


def _occurring_types(segmentations: Iterable[Segmentation]) -> tuple[str, ...]:
    """Return the types of all boundaries, sorted with numbers first and then alphabetically."""
    return sort_types({name for segmentation in segmentations for _, name in segmentation.boundaries})


def _segmentations(corpus: Corpus) -> Iterator[Segmentation]:
    for annotation in corpus.values():
        yield from texts_of(annotation).values()


Reader = Callable[[Reading, Table], Corpus]


def write_text(writing: Writing, *, read: Reader, delimiter: str | None = None) -> str:
    columns = table_columns(writing, read)
    return writing.table_text(chain([tuple(columns)], zip(*columns.values(), strict=True)), delimiter)


def write_parquet(writing: Writing, *, read: Reader) -> bytes:
    arrow.require_pyarrow(writing.path, "writing")
    columns = table_columns(writing, read)
    with arrow.writing_errors(writing.path):
        table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    return arrow.to_parquet(table)


def write_excel(writing: Writing, *, read: Reader) -> bytes:
    try:
        import openpyxl
    except ImportError:
        raise writing.error("writing this needs openpyxl; run pip install 'caesura[excel]'") from None
    columns = table_columns(writing, read)
    number = len(columns["item"]) + 1
    if number > _MAX_SHEET_ROWS:
        raise writing.error(f"a sheet has at most {_MAX_SHEET_ROWS:,} rows; this table has {number:,}; write .csv")
    if len(columns) > _MAX_SHEET_COLUMNS:
        limit = f"a sheet has at most {_MAX_SHEET_COLUMNS:,} columns"
        raise writing.error(f"{limit}; this table has {len(columns):,}; write .csv")
    template, content = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(template)
    with zipfile.ZipFile(template) as book, zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name in book.namelist():
            with io.BufferedWriter(out.open(name, "w"), _BLOCK_SIZE) as part:
                part.writelines(_sheet_xml(writing, columns) if name == _SHEET else [book.read(name)])
    return content.getvalue()


def _sheet_xml(writing: Writing, columns: Mapping[str, list[str]]) -> Iterator[bytes]:
    """Yield the XML of a sheet; openpyxl would make an object of each cell."""
    yield b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    elements = {text: _text_element(writing, text) for text in {*columns, *chain.from_iterable(columns.values())}}
    marks = elements | {mark: f"><v>{mark}</v></c>" for mark in "01"}
    element_of = [marks if name in writing.corpus.coders else elements for name in columns]
    yield "".join(_sheet_rows(1, [[name] for name in columns], element_of)).encode()
    for start in range(0, len(columns["item"]), _BLOCK_ROWS):
        block = [column[start : start + _BLOCK_ROWS] for column in columns.values()]
        yield "".join(_sheet_rows(start + 2, block, element_of)).encode()
    yield b"</sheetData></worksheet>"


def _sheet_rows(first: int, columns: Sequence[Sequence[str]], element_of: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Return the elements of some rows of a sheet, of which the first has this number."""
    lines = range(first, first + len(columns[0]))
    parts = [[f'<row r="{line}">' for line in lines]]
    for i, column in enumerate(columns):
        letters, cells = _column_letters(i), map(element_of[i].__getitem__, column)
        parts.append([f'<c r="{letters}{line}"{cell}' if cell else "" for line, cell in zip(lines, cells, strict=True)])
    return chain.from_iterable(zip(*parts, repeat("</row>", len(lines)), strict=True))


def _text_element(writing: Writing, text: str) -> str:
    """Return the element of a cell after its place; empty for an empty cell."""
    if len(text) > _MAX_CELL or _NOT_IN_SHEETS.search(text):
        raise writing.error(f"a sheet cannot store this cell: {describe_value(text)}; write .csv")
    return f' t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>' if text else ""


def _column_letters(column: int) -> str:
    """Return the letters of a column of a sheet, counted from 0: A to Z, AA, AB and so on."""
    letters = ""
    while column >= 0:
        column, letter = column // 26 - 1, column % 26
        letters = chr(ord("A") + letter) + letters
    return letters


def table_columns(writing: Writing, read: Reader) -> dict[str, list[str]]:
    """Return the columns of a table of units, with NA for missing annotations."""
    # A table whose boundary types could be misread has them as JSON lists, and a table whose marks could be misread as the
    # beginnings of segments has a 1 at the end of each text as well.
    _check_coders(writing)
    _check_size(writing)
    problem = ""
    for lists, ends in ((False, False), (True, False), (False, True)):
        columns = _columns(writing, lists, ends)
        problem = _difference(writing, columns, read)
        if not problem:
            return columns
    raise writing.error(f"this corpus would be read differently from a table: {problem}")


def _difference(writing: Writing, cells: dict[str, list[str]], read: Reader) -> str:
    columns = {name: Column.of(name, column) for name, column in cells.items()}
    reading = Reading(writing.path, "", options=writing.options)
    try:
        result = read(reading, Table(columns, np.arange(2, len(cells["item"]) + 2)))
    except CaesuraError as error:
        return str(error.problem if isinstance(error, FormatError) else error)
    for (item, coder), annotation in writing.corpus.items():
        if result.get((item, coder)) != annotation:
            return f"item {item!r}, coder {coder!r}"
    return "" if len(result) == len(writing.corpus) else "there would be more annotations"


def _columns(writing: Writing, lists: bool, ends: bool) -> dict[str, list[str]]:
    corpus = writing.corpus
    segmentations = list(_segmentations(corpus))
    types = _common_types(writing, segmentations)
    declared = types is not None and _must_declare(types, segmentations)
    optional = {
        "stream": any(isinstance(annotation, Dialogue) for annotation in corpus.values()),
        "unit": True,
        "text": any(segmentation.units is not None for segmentation in segmentations),
        "types": declared,
    }
    columns: dict[str, list[str]] = {"item": []}
    columns |= {name: [] for name, present in optional.items() if present}
    columns |= {coder: [] for coder in corpus.coders}
    cell = None if types is None else partial(_cell, lists=lists)
    for item in corpus.item_names:
        for stream, by_coder in _streams(writing, item).items():
            units = _common_units(writing, item, by_coder, optional["text"])
            size = len(units)
            columns["item"] += [item] * size
            columns["unit"] += map(str, range(1, size + 1))
            if optional["stream"]:
                columns["stream"] += [stream] * size
            if optional["text"]:
                columns["text"] += units
            for coder in corpus.coders:
                columns[coder] += _column(by_coder.get(coder), size, cell, declared, ends)
    if declared:
        columns["types"] = [json_text(list(types or ())), *[""] * (len(columns["item"]) - 1)]
    return columns


def _must_declare(types: tuple[str, ...], segmentations: Sequence[Segmentation]) -> bool:
    """Return whether the table must declare its types. Otherwise the reader uses the types that occur."""
    declared = any(segmentation.types_declared for segmentation in segmentations)
    return declared or types != _occurring_types(segmentations)


def _check_size(writing: Writing) -> None:
    corpus = writing.corpus
    if corpus.source is None:
        return
    rows = 0
    for item in corpus.item_names:
        lengths: dict[str, int] = {}
        for annotation in corpus.of_item(item).values():
            for stream, text in texts_of(annotation).items():
                lengths[stream] = max(text.length, lengths.get(stream, 0))
        rows += sum(lengths.values())
    size = sum(os.path.getsize(path) for path in corpus.source.files if os.path.exists(path))
    hint = "choose items or coders, or write .json, which stores segments instead of units"
    check_limit(
        f"{writing.path}: cells of a table of {rows:,} units",
        rows * (len(corpus.coders) + 2),
        declared_cells(size),
        hint,
    )


def _check_coders(writing: Writing) -> None:
    for coder in writing.corpus.coders:
        if normalize(coder) in RESERVED or coder != coder.strip() or not coder:
            raise writing.error(f"a coder cannot be named {coder!r}, because coders are columns of the table")


def _common_types(writing: Writing, segmentations: Sequence[Segmentation]) -> tuple[str, ...] | None:
    scales = list(dict.fromkeys(segmentation.types for segmentation in segmentations))
    if len(scales) > 1:
        got = " and ".join(map(str, scales))
        raise writing.error(f"all segmentations must declare the same types; got {got}")
    marks_end = any(segmentation.length in segmentation.positions[-1:] for segmentation in segmentations)
    return scales[0] if scales and (scales != [UNTYPED] or marks_end) else None


def _streams(writing: Writing, item: str) -> dict[str, dict[str, Segmentation]]:
    streams: dict[str, dict[str, Segmentation]] = {}
    for coder, annotation in writing.corpus.of_item(item).items():
        if isinstance(annotation, Dialogue) and "" in annotation:
            raise writing.error("a stream must have a name; got ''", item, coder)
        for stream, segmentation in texts_of(annotation).items():
            streams.setdefault(stream, {})[coder] = segmentation
    if "" in streams and len(streams) > 1:
        coder = next(iter(streams[""]))
        raise writing.error(f"all coders must have streams or none; {coder} has none", item)
    return streams


def _common_units(writing: Writing, item: str, by_coder: dict[str, Segmentation], has_text: bool) -> tuple[str, ...]:
    lengths = {segmentation.length for segmentation in by_coder.values()}
    if len(lengths) > 1:
        sizes = ", ".join(f"{coder} {segmentation.length}" for coder, segmentation in by_coder.items())
        raise writing.error(f"all coders must have the same number of units; got {sizes}", item)
    for coder, segmentation in by_coder.items():
        writing.check_contents(segmentation, item, coder, stores=("types", "units"))
    texts = {segmentation.units for segmentation in by_coder.values()}
    if len(texts) > 1 or (has_text and None in texts):
        raise writing.error("all coders must have the same units in a table with text", item)
    (length,), (text,) = lengths, texts
    return text if text is not None else ("",) * length


def _column(
    segmentation: Segmentation | None, length: int, cell: Callable[[list[str]], str] | None, declared: bool, ends: bool
) -> list[str]:
    if segmentation is None:
        return [_MISSING] * length
    if cell is None:
        bits = [*segmentation.bits()]
        return [
            *bits,
            "1" if ends and "0" in bits else "0",
        ]  # every coder must write a 0, unlike a coder who is missing
    types_at: dict[int, list[str]] = {}
    for position, name in segmentation.boundaries:
        types_at.setdefault(position, []).append(name)
    empty = "" if types_at or declared else "0"  # an empty column is read as typed only if its types are declared
    return [cell(types_at[i]) if i in types_at else empty for i in range(1, length + 1)]


def _cell(names: list[str], *, lists: bool) -> str:
    (name, *more) = names
    if more or lists or kind_of_cell(name) != OTHER or name.startswith("[") or name != name.strip():
        return json_text(names)
    return name
