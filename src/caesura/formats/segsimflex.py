"""The R package segsimflex's data frame as CSV or TSV: a row a segment, its speaker, its tokens, its boundary symbol.

    Turn,Speaker,Utterance
    1,F:,"well I think ,"
    2,M:,yes .
    1,F:,so we --

The symbol at the end of an utterance is the type of the boundary there: a token of its own, or the end of the last word
(``attached``). The other tokens, between white space, are the units; the rows of a speaker form a running text of their
own. A speaker that is empty or ``NA`` is that of the row above, as in the R package. The package gives an utterance
without a symbol the type ``;``; here that is an error unless ``unclassified`` names the type. Columns that are not asked
for, such as ``Turn``, are passed over.

Reference: the package at https://github.com/rezonators/segsimflex, version 0.1.3; seed 000, section 3.2.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, SegmentationError
from caesura.formats.format import Format, Reading, table_text
from caesura.formats.symbols import CASE_STUDY, OPTIONS, Symbols
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.segmentation import Segmentation
from caesura.options import Option, flag, text

_ABOVE = ("", "NA")
_DELIMITERS = ("\t", ",", ";")
_CODER = ("Coder", "Annotator")
_ITEM = ("Item",)

Row = tuple[int, str, str]


def read(reading: Reading) -> Corpus:
    """Every item and coder, each a dialogue."""
    options = reading.options
    symbols = Symbols.of(options, reading.types, CASE_STUDY)
    scale = symbols.scale(reading.types)
    delimiter = _delimiter(reading.text, options)
    rows = csv.reader(io.StringIO(reading.text, newline=""), delimiter=delimiter, strict=True)
    found: dict[tuple[str, str], list[Row]] = {}
    try:
        header = [name.strip() for name in next((row for row in rows if row), [])]
        speaker = _needed(reading, header, options["speaker"])
        utterance = _needed(reading, header, options["utterance"])
        item = _named_by(reading, header, "item", _ITEM)
        coder = _named_by(reading, header, "coder", _CODER)
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                way = (
                    "; a cell with a comma in it must be quoted" if len(row) > len(header) and delimiter == "," else ""
                )
                raise reading.error(
                    rows.line_num, f"a row must have {len(header)} cells like the header; got {len(row)}{way}"
                )
            name, who = (given if at is None else row[at].strip() for at, given in (item, coder))
            found.setdefault((name, who), []).append((rows.line_num, row[speaker].strip(), row[utterance]))
    except csv.Error as problem:
        raise reading.error(rows.line_num, f"not a valid table: {problem}") from None
    for (name, who), segments in found.items():
        with reading.item(segments[0][0], f"item {name!r}, coder {who!r}: "):
            reading.add(name, who, _dialogue(reading, segments, symbols, scale))
    return reading.corpus()


def _delimiter(table: str, options: Mapping[str, Any]) -> str:
    """The one that finds both columns in the header, else the one that finds most."""

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


def _column(reading: Reading, header: list[str], *names: str) -> int | None:
    """The column with one of these names; capitals do not matter."""
    lower = [name.strip().lower() for name in names]
    at = [i for i, name in enumerate(header) if name.lower() in lower]
    if len(at) > 1:
        raise reading.error(1, f"one column {' or '.join(names)} is needed; got {', '.join(header[i] for i in at)}")
    return at[0] if at else None


def _needed(reading: Reading, header: list[str], name: str) -> int:
    at = _column(reading, header, name)
    if at is None:
        there = ", ".join(map(repr, header))[:200] or "none"
        raise reading.error(1, f"a column {name!r} is needed in the header; got {there}")
    return at


def _named_by(reading: Reading, header: list[str], what: str, usual: tuple[str, ...]) -> tuple[int | None, str]:
    """The column that names the item or coder, or the name itself."""
    asked = reading.options[f"{what}_column"]
    at = _needed(reading, header, asked) if asked else _column(reading, header, *usual)
    given = reading.options[what]
    if at is not None and given is not None:
        raise reading.error(1, f"the column {header[at]!r} names the {what}; it cannot be {given!r} too")
    return at, given or reading.stem


def _dialogue(reading: Reading, rows: list[Row], symbols: Symbols, scale: tuple[str, ...]) -> Dialogue:
    units: dict[str, list[str]] = {}
    marks: dict[str, list[str]] = {}
    speaker = ""
    for line, named, utterance in rows:
        if named not in _ABOVE:
            speaker = named
        elif not speaker:
            raise reading.error(line, f"the first row must name a speaker; got {named!r}")
        try:
            words, kind = symbols.split(utterance.split())
        except SegmentationError as problem:
            raise reading.error(line, str(problem)) from None
        units.setdefault(speaker, []).extend(words)
        marks.setdefault(speaker, []).extend([""] * (len(words) - 1) + [kind])
    return Dialogue({one: Segmentation.from_marks(marks[one], types=scale, units=units[one]) for one in units})


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """One coder, speaker after speaker: the turns are not kept. A type is written as its symbol, a token of its own."""
    if len(corpus.coders) != 1:
        raise FormatError(path, None, f"the file of one coder is needed; choose one of {', '.join(corpus.coders)}")
    (coder,) = corpus.coders
    stem = Path(path).stem
    named = {"Item": corpus.item_names != (options["item"] or stem,), "Coder": coder != (options["coder"] or stem)}
    columns = [name for name, there in named.items() if there]
    rows: list[list[str]] = [[*columns, options["speaker"], options["utterance"]]]
    scales = dict.fromkeys(
        one.types for item in corpus.item_names for one in _streams(corpus, path, item, coder).values()
    )
    if len(scales) != 1:
        raise FormatError(
            path, None, f"all segmentations must declare the same types; got {' and '.join(map(str, scales))}"
        )
    symbols = Symbols.of(options, next(iter(scales)), {})
    for item in corpus.item_names:
        names = {"Item": item, "Coder": coder}
        for name in columns:
            if names[name] != names[name].strip():
                raise FormatError(path, None, f"{name} {names[name]!r}: a name in this format has no space around it")
        for stream, one in _streams(corpus, path, item, coder).items():
            place = f"item {item!r}, stream {stream!r}: "
            if stream in _ABOVE or stream != stream.strip():
                raise FormatError(path, None, f"{place}a speaker cannot be named so in this format")
            for utterance in _utterances(one, symbols, path, place):
                rows.append([*(names[name] for name in columns), stream, utterance])
    return table_text(rows, "\t" if path.lower().endswith(".tsv") else ",")


def _streams(corpus: Corpus, path: str, item: str, coder: str) -> Dialogue:
    one = corpus[item, coder]
    if not isinstance(one, Dialogue):
        raise FormatError(path, None, f"item {item!r}: a dialogue is needed; this has no streams")
    return one


def _utterances(one: Segmentation, symbols: Symbols, path: str, place: str) -> list[str]:
    if one.units is None:
        raise FormatError(path, None, f"{place}this format needs the text of the units")
    if one.labels is not None:
        raise FormatError(path, None, f"{place}this format cannot hold segment labels")
    if not one.exclusive:
        raise FormatError(path, None, f"{place}this format holds one type at a position; got several")
    if one.length not in one.positions[-1:]:
        raise FormatError(path, None, f"{place}every utterance ends in a boundary; there is none after the last unit")
    for i, unit in enumerate(one.units, 1):
        if unit.split() != [unit]:
            raise FormatError(path, None, f"{place}a unit must be one token without spaces; unit {i} is {unit!r}")
    symbol_of = {kind: symbol for symbol, kind in reversed(list(symbols.types.items()))}
    out = []
    start = 0
    for position, kind in one.boundaries:
        words = list(one.units[start:position])
        if kind not in symbol_of and kind != symbols.unclassified:
            raise FormatError(path, None, f"{place}type {kind!r} has no symbol; there are {symbols.known}")
        tokens = words if kind == symbols.unclassified else [*words, symbol_of[kind]]
        try:
            same = symbols.split(tokens) == (words, kind)
        except SegmentationError:
            same = False
        if not same:
            raise FormatError(
                path, None, f"{place}{' '.join(tokens)[-80:]!r} would be read otherwise than it was meant"
            )
        out.append(" ".join(tokens))
        start = position
    return out


def _looks_like(table: str) -> bool:
    return any({"speaker", "utterance"} <= _header(table, delimiter) for delimiter in _DELIMITERS)


FORMAT = Format(
    name="segsimflex",
    suffixes=(),
    other_suffixes=(".csv", ".tsv", ".txt"),
    description="a table of segments: Speaker, and Utterance with its boundary symbol at the end",
    read=read,
    looks_like=_looks_like,
    write=write,
    options=(
        *OPTIONS,
        Option("attached", True, flag, "whether a symbol may also be the end of the last word"),
        Option("speaker", "Speaker", text, "the column that names the speaker"),
        Option("utterance", "Utterance", text, "the column with the tokens"),
        Option("item_column", None, text, "the column that names the item; by default Item, if there is one"),
        Option("coder_column", None, text, "the column that names the coder; by default Coder or Annotator"),
    ),
)
