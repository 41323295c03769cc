"""Tables of the R package segsimflex as CSV or TSV: one row per segment, with its speaker, tokens and boundary symbol.

If the speaker is empty or ``NA``, it is the speaker of the row above, as in the R package. The R package assigns the type ``;``
to an utterance without a symbol; here this is an error unless ``unclassified`` sets the type.

References
----------
The package at https://github.com/rezonators/segsimflex, version 0.1.3.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from caesura.errors import SegmentationError
from caesura.formats.column_names import ALIASES, RESERVED, ROLE_OF_NAME, normalize
from caesura.formats.columns import parse_table
from caesura.formats.format import RAW, Format, Reading, Writing
from caesura.formats.header import sample_rows
from caesura.formats.marks import MARK, OTHER, ZERO, kind_of_cell
from caesura.formats.symbols import CASE_STUDY, OPTIONS, Streams, Symbols
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, texts_of
from caesura.model.segmentation import Segmentation
from caesura.options import Option, flag, text

_SPEAKER_ABOVE = ("", "NA")
_DELIMITERS = ("\t", ",", ";")

_Row = tuple[int, str, str]  # line, speaker, utterance


def _read(reading: Reading) -> Corpus:
    symbols = Symbols.from_options(reading.options, reading.types, CASE_STUDY)
    scale = symbols.scale(reading.types)
    for (item, coder), rows in _rows(reading).items():
        with reading.item(rows[0][0], f"item {item!r}, coder {coder!r}: "):
            reading.add(item, coder, _dialogue(reading, rows, symbols, scale))
    return reading.corpus()


def _rows(reading: Reading) -> dict[tuple[str, str], list[_Row]]:
    options = reading.options
    delimiter = _delimiter(reading.text, options)
    table = parse_table(reading, delimiter)
    header = [name.strip() for name in next(table, (1, []))[1]]
    speaker = _require_column(reading, header, options["speaker"])
    utterance = _require_column(reading, header, options["utterance"])
    item_column, default_item = _name_column(reading, header, "item")
    coder_column, default_coder = _name_column(reading, header, "coder")
    reading.roles |= {header[speaker]: "speaker", header[utterance]: "text with boundary symbols"}
    unused = [name for name in header if name and name not in reading.roles]
    reading.ignored += [f"{name[:40]} (not needed)" for name in unused[:20]]
    rows: dict[tuple[str, str], list[_Row]] = {}
    for line, row in table:
        if len(row) != len(header):
            hint = "; a cell with a comma in it must be quoted" if len(row) > len(header) and delimiter == "," else ""
            raise reading.error(line, f"a row must have {len(header)} cells like the header; got {len(row)}{hint}")
        item = default_item if item_column is None else row[item_column].strip()
        coder = default_coder if coder_column is None else row[coder_column].strip()
        rows.setdefault((item, coder), []).append((line, row[speaker].strip(), row[utterance]))
    return rows


def _delimiter(table: str, options: Mapping[str, Any]) -> str:
    """Return the delimiter that yields both required columns, or else the largest number of columns."""

    def columns(delimiter: str) -> tuple[bool, int]:
        header = _header(table, delimiter)
        return {options["speaker"].lower(), options["utterance"].lower()} <= header, len(header)

    return max(_DELIMITERS, key=columns)


def _header(table: str, delimiter: str) -> set[str]:
    try:
        rows = csv.reader(io.StringIO(table[:100_000], newline=""), delimiter=delimiter)
        return {name.strip().lower() for name in next((row for row in rows if row), [])}
    except csv.Error:
        return set()


def _find_columns(header: list[str], *names: str) -> list[int]:
    lower = [name.strip().lower() for name in names]
    return [i for i, name in enumerate(header) if name.lower() in lower]


def _require_column(reading: Reading, header: list[str], name: str) -> int:
    columns = _find_columns(header, name)
    if len(columns) > 1:
        raise reading.error(1, f"expected one column {name}; got {', '.join(header[i] for i in columns)}")
    if not columns:
        names = ", ".join(map(repr, header))[:200] or "none"
        raise reading.error(1, f"expected a column {name!r} in the header; got {names}")
    return columns[0]


def _name_column(reading: Reading, header: list[str], kind: str) -> tuple[int | None, str]:
    """Return the column with the item or coder (None if there is none), and the name to use without a column."""
    column_name, name = reading.options[f"{kind}_column"], reading.options[kind]
    if column_name:
        column: int | None = _require_column(reading, header, column_name)
    else:
        columns = _find_columns(header, kind) or _find_columns(header, *ALIASES[kind])
        if len(columns) > 1:
            matches = ", ".join(header[i] for i in columns)
            raise reading.error(1, f"several columns may be the {kind}: {matches}; choose one with {kind}_column=")
        column = columns[0] if columns else None
    if column is not None and name is not None:
        raise reading.error(1, f"the column {header[column]!r} names the {kind}; it cannot be {name!r} too")
    if column is not None:
        reading.roles[header[column]] = kind
    return column, name or reading.stem


def _dialogue(reading: Reading, rows: list[_Row], symbols: Symbols, scale: tuple[str, ...]) -> Dialogue:
    streams = Streams()
    speaker = ""
    for line, cell, utterance in rows:
        if cell not in _SPEAKER_ABOVE:
            speaker = cell
        elif not speaker:
            raise reading.error(line, f"the first row must name a speaker; got {cell!r}")
        with reading.at_line(line):
            streams.add(speaker, *symbols.split(utterance.split()))
    return Dialogue(streams.segmentations(scale))


def _write(writing: Writing) -> str:
    corpus, options = writing.corpus, writing.options
    if len(corpus.coders) != 1:
        raise writing.error(f"this format stores one coder; choose one of {', '.join(corpus.coders)}")
    (coder,) = corpus.coders
    dialogues: dict[str, Dialogue] = {}
    for item in corpus.item_names:
        annotation = corpus[item, coder]
        if not isinstance(annotation, Dialogue):
            raise writing.error("expected a dialogue; this has no streams", item)
        dialogues[item] = annotation
    streams = [stream for dialogue in dialogues.values() for stream in texts_of(dialogue).values()]
    scales = dict.fromkeys(segmentation.types for segmentation in streams)
    if len(scales) != 1:
        types = " and ".join(map(str, scales))
        raise writing.error(f"all segmentations must declare the same types; got {types}")
    symbols = Symbols.from_options(options, next(iter(scales)), {})
    has_items = corpus.item_names != (options["item"] or writing.stem,)
    has_coder = coder != (options["coder"] or writing.stem)
    rows = [[*["Item"] * has_items, *["Coder"] * has_coder, options["speaker"], options["utterance"]]]
    for item, dialogue in dialogues.items():
        names = [*[item] * has_items, *[coder] * has_coder]
        for name in names:
            if name != name.strip():
                raise writing.error(f"name {name!r}: a name in this format cannot begin or end with a space")
        rows += [[*names, stream, utterance] for stream, utterance in _utterances(writing, item, dialogue, symbols)]
    return writing.table_text(rows)


def _utterances(writing: Writing, item: str, dialogue: Dialogue, symbols: Symbols) -> Iterator[tuple[str, str]]:
    for stream, segmentation in texts_of(dialogue).items():
        place = f"item {item!r}, stream {stream!r}: "
        if stream in _SPEAKER_ABOVE or stream != stream.strip():
            raise writing.error(f"{place}this format cannot represent this speaker name")
        yield from ((stream, utterance) for utterance in _segments(writing, segmentation, symbols, place))


def _segments(writing: Writing, segmentation: Segmentation, symbols: Symbols, place: str) -> list[str]:
    units = _check_writable(writing, segmentation, place)
    symbol_of = {kind: symbol for symbol, kind in reversed(list(symbols.types.items()))}
    result = []
    start = 0
    for position, kind in segmentation.boundaries:
        words = list(units[start:position])
        if kind not in symbol_of and kind != symbols.unclassified:
            raise writing.error(f"{place}type {kind!r} has no symbol; there are {symbols.symbol_list}")
        tokens = words if kind == symbols.unclassified else [*words, symbol_of[kind]]
        utterance = " ".join(tokens)
        try:
            same = symbols.split(tokens) == (words, kind)
        except SegmentationError:
            same = False
        if not same:
            raise writing.error(f"{place}{utterance[-80:]!r} would be read differently")
        result.append(utterance)
        start = position
    return result


def _check_writable(writing: Writing, segmentation: Segmentation, place: str) -> tuple[str, ...]:
    units = segmentation.units
    if units is None:
        raise writing.error(f"{place}this format needs the text of the units")
    if segmentation.labels is not None:
        raise writing.error(f"{place}this format cannot store segment labels")
    if not segmentation.exclusive:
        raise writing.error(f"{place}this format stores one type per position; got several")
    if segmentation.length not in segmentation.positions[-1:]:
        raise writing.error(f"{place}every utterance ends in a boundary; there is none after the last unit")
    for i, unit in enumerate(units, 1):
        if unit.split() != [unit]:
            raise writing.error(f"{place}a unit must be one token without spaces; unit {i} is {unit!r}")
    return units


def _looks_like(table: str) -> bool:
    """Return whether the columns are those of the R package, and no other column contains marks or labels."""
    for delimiter in _DELIMITERS:
        if {"speaker", "utterance"} <= _header(table, delimiter):
            return not _has_annotations(sample_rows(table, delimiter))
    return False


def _has_annotations(rows: list[list[str]]) -> bool:
    """Return whether a column is called like marks or labels, or all its cells are marks."""
    header, *body = rows or [[]]
    for i, name in enumerate(header):
        role = ROLE_OF_NAME.get(normalize(name))
        kinds = {kind_of_cell(row[i]) for row in body if i < len(row)}
        marked = bool(kinds & {MARK, ZERO}) and OTHER not in kinds
        if role in ("mark", "label") or (role is None and normalize(name) not in RESERVED and marked):
            return True
    return False


FORMAT = Format(
    name="segsimflex",
    other_suffixes=(".csv", ".tsv", ".txt"),
    description="table of segments: Speaker, and Utterance with a boundary symbol at the end",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        *OPTIONS,
        RAW,
        Option("attached", True, flag, "whether a symbol may be attached to the last word"),
        Option("speaker", "Speaker", text, "column that names the speaker"),
        Option("utterance", "Utterance", text, "column with the tokens"),
        Option(
            "item_column", None, text, "column that names the item (default: item, doc, docId, ..., if there is one)"
        ),
        Option(
            "coder_column", None, text, "column that names the coder (default: coder, annotator, ..., if there is one)"
        ),
    ),
    part="column",
    hint="--reading item_column=NAME",
)
