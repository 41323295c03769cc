r"""WebAnno TSV 3 files of WebAnno and INCEpTION: one row per token, one column per feature of a layer::

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Ms. Haag plays Elianti.
    1-1	0-3	Ms.	*[1]|*[2]	PER[1]|PERpart[2]
    1-2	4-8	Haag	*[1]	PER[1]
    1-3	9-14	plays	_	_
    1-3.1	9-13	play	*	OTH

``#Text`` lines are only compared with the tokens, and unknown header lines are ignored. In a cell, ``_`` means that there is
no span, and ``*`` means a span without a value. A span over several rows has the same number in brackets in each row. Stacked
spans are separated by ``|``. A row such as ``1-3.1`` is a part of its token; if a span covers both a token and a part of it,
only the part counts. Offsets count UTF-16 code units. Offsets of tokens are used only as the start from which the offsets of
their parts are counted. The reserved characters ``\ [ ] | _ -> ; *`` are escaped with a backslash; tabs and line breaks are
written as ``\t``, ``\n`` and ``\r``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura.errors import HierarchyError
from caesura.formats import standoff
from caesura.formats.format import NAME_OPTIONS, Format, Reading
from caesura.formats.standoff import TextSpan, Tokens
from caesura.formats.values import list_names
from caesura.model.corpus import Corpus

_MAGIC = "#FORMAT=WebAnno TSV"
_VERSION = re.compile(r"#FORMAT=WebAnno TSV 3(?:\.[0-9]+)?\s*")
_LAYER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_ROW = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(\.[0-9]{1,9})?")
_OFFSETS = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_TEXT = "#Text="
_SLOT = "ROLE_"
_ESCAPED = re.compile(r"\\(->|[\\\[\]|_;*tnr])")
_CONTROL_CHARACTERS = {"t": "\t", "n": "\n", "r": "\r"}
_VALUE = r"(?:\\.|[^\\|])+"
_STACKED = re.compile(rf"{_VALUE}(?:\|{_VALUE})*")
_BRACKET = re.compile(r"[\[\]]")
_NUMBERED = re.compile(r"((?:\\.|[^\\])*)\[([0-9]{1,18})\]")


class _TsvLayer(NamedTuple):
    """Span layer with the columns from which positions are read, and the column of each feature."""

    name: str
    columns: list[int]
    features: dict[str, int]


@dataclass
class _TsvSpan:
    """Span that is collected row by row. ``parts`` lists the covered parts of each token; empty means all of it."""

    line: int
    label: str | None = None
    parts: dict[int, list[tuple[int, int]]] = field(default_factory=dict)


class _TsvRow(NamedTuple):
    """Row of the file. ``position`` is the sentence and the token number; ``is_part`` marks a part of a token."""

    line: int
    cells: list[str]
    position: tuple[int, int]
    is_part: bool
    start: int
    end: int


def _read(reading: Reading) -> Corpus:
    parser = _TsvParser(reading)
    parser.parse_header()

    def parse() -> tuple[Tokens, list[TextSpan]]:
        available = [layer.name for layer in parser.layers]
        chosen = standoff.choose_layers(reading, available)
        if available and not chosen:
            raise HierarchyError(f"all layers describe tokens; choose one with layer=: {list_names(available)}")
        parser.parse_rows([layer for layer in parser.layers if layer.name in chosen])
        tokens = Tokens.from_words(parser.words)
        return tokens, list(parser.text_spans(tokens))

    return standoff.read_document(reading, parse)


class _Sentence:
    """The text and the tokens of a sentence, to find rows that are missing or in the wrong place."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text: list[str] = []
        self.tokens: list[str] = []
        self.first = ""

    def add_header(self, line: str) -> None:
        """Add a line that is no row; the text of a sentence precedes its rows."""
        if self.tokens:
            self.finish()
        if line.startswith(_TEXT):
            self.text.append(_unescape(line.removeprefix(_TEXT)))

    def add_token(self, row: _TsvRow, before: tuple[int, int]) -> None:
        """Add a token; tokens of a sentence are numbered from 1."""
        sentence, token = row.position
        expected = before[1] + 1 if sentence == before[0] else 1
        self.first = self.first or f"sentence {sentence}"
        if token != expected:
            self.reading.log.count("token numbers that are missing", row.cells[0], max(token - expected, 1))
        self.tokens.append(_unescape(row.cells[2]))

    def finish(self) -> None:
        # Some programs write "#Text==", tokens in lower case, or a backslash before quotation marks.
        text, tokens = (
            "".join("".join(parts).split()).replace("\\", "").casefold() for parts in (self.text, self.tokens)
        )
        if self.text and tokens not in (text, text.removeprefix("=")):
            self.reading.log.count("sentences whose tokens are not the text of the line #Text=", self.first)
        self.text, self.tokens, self.first = [], [], ""


class _TsvParser:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.lines = [line.rstrip("\r") for line in reading.text.split("\n")]
        self.layers: list[_TsvLayer] = []
        self.width = 3
        self.words: list[str] = []
        self.spans: dict[tuple[str, object], _TsvSpan] = {}

    def parse_header(self) -> None:
        if not _VERSION.fullmatch(self.lines[0]):
            raise self.reading.error(1, f"the first line must be {_MAGIC} 3.x; got {self.lines[0][:60]!r}")
        names: set[str] = set()
        for number, line in enumerate(self.lines, 1):
            match = _LAYER.fullmatch(line)
            if match is None:
                continue
            name, *columns = match.group(2).strip().split("|")
            if not name or name in names:
                raise self.reading.error(number, f"a layer must have a unique name; got {name[:60]!r}")
            names.add(name)
            features = [feature for feature in columns if feature]
            if match.group(1) == "SP":
                self.layers.append(_layer(name, features, self.width))
            self.width += max(1, len(features))

    def parse_rows(self, layers: Sequence[_TsvLayer]) -> None:
        label_columns = {layer.name: self.label_column(layer) for layer in layers}
        position, token_start = (0, 0), 0
        sentence = _Sentence(self.reading)
        for number, line in enumerate(self.lines, 1):
            if not line.strip() or line.startswith("#"):
                sentence.add_header(line)
                continue
            row = self.parse_row(number, line)
            part = None
            if row.is_part:
                if row.position != position:
                    raise self.reading.error(number, f"a part must follow its token; got {row.cells[0]}")
                part = self.part_of_token(row, token_start)
            else:
                if row.position <= position:
                    before = "-".join(map(str, position))
                    raise self.reading.error(number, f"rows must ascend; got {row.cells[0]} after {before}")
                sentence.add_token(row, position)
                position, token_start = row.position, row.start
                self.words.append(_unescape(row.cells[2]))
            for layer in layers:
                self.add_spans(layer, label_columns[layer.name], row, part)
        sentence.finish()
        if not self.words:
            raise HierarchyError("expected at least one token (a row such as 1-1); got none")

    def label_column(self, layer: _TsvLayer) -> int | None:
        feature = standoff.choose_feature(layer.name, layer.features, self.reading.options["feature"])
        return None if feature is None else layer.features[feature]

    def parse_row(self, number: int, line: str) -> _TsvRow:
        cells = line.split("\t")
        place = _ROW.fullmatch(cells[0])
        offsets = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
        if place is None or offsets is None:
            raise self.reading.error(number, f"a row must be sentence-token, start-end, token; got {line[:60]!r}")
        if len(cells) == self.width + 1 and not cells[-1]:  # WebAnno writes a tab at the end of a row
            cells.pop()
        if len(cells) != self.width:
            raise self.reading.error(number, f"a row must have {self.width} columns like the header; got {len(cells)}")
        sentence, token, part = place.groups()
        start, end = map(int, offsets.groups())
        return _TsvRow(number, cells, (int(sentence), int(token)), part is not None, start, end)

    def part_of_token(self, row: _TsvRow, token_start: int) -> tuple[int, int]:
        """Return the start and end of a part as character offsets in the last word."""
        word, covered = self.words[-1], _unescape(row.cells[2])
        part = ((row.start - token_start, row.end - token_start),)
        with self.reading.at_line(row.line, f"{row.cells[0]}, counted from the start of its token: "):
            ((first, last),) = standoff.Utf16Offsets(word).to_characters(part)
        if word[first:last] != covered or not covered:
            expected = f"{row.cells[0]} must repeat the characters of its token, {word[first:last]!r}"
            raise self.reading.error(row.line, f"{expected}; got {covered[:60]!r}")
        return first, last

    def add_spans(self, layer: _TsvLayer, label_column: int | None, row: _TsvRow, part: tuple[int, int] | None) -> None:
        """Add the spans of a layer in one row. Cells with the same number, or else the same rank, are one span."""
        for column in layer.columns:
            for i, (value, name) in enumerate(self.split_cell(row.line, row.cells[column])):
                key = (layer.name, (row.line, i) if name is None else name)
                span = self.spans.setdefault(key, _TsvSpan(row.line))
                span.parts.setdefault(len(self.words) - 1, []).extend(() if part is None else (part,))
                if column != label_column or value is None:
                    continue
                if span.label is not None and span.label != value:
                    actual = f"got {value[:40]!r} after {span.label[:40]!r} for {layer.name}[{name}]"
                    raise self.reading.error(row.line, f"a span must have one label on all its rows; {actual}")
                span.label = value

    def split_cell(self, number: int, cell: str) -> Iterator[tuple[str | None, str | None]]:
        if cell == "_":
            return
        if not _STACKED.fullmatch(cell):
            raise self.reading.error(number, f"a cell is _, or values with | between them; got {cell[:60]!r}")
        for part in re.findall(_VALUE, cell):
            numbered = _NUMBERED.fullmatch(part)
            value, name = numbered.groups() if numbered else (part, None)
            if _BRACKET.search(re.sub(r"\\.", "", value)):
                raise self.reading.error(number, f"a number after a value must be like [1]; got {part[:60]!r}")
            if value != "_":
                yield (None if value in ("*", "") else _unescape(value)), name

    def text_spans(self, tokens: Tokens) -> Iterator[TextSpan]:
        for (layer, name), span in self.spans.items():
            fragments = []
            for token, parts in span.parts.items():
                start = tokens.starts[token]
                fragments += [(start + a, start + b) for a, b in parts] or [(start, tokens.ends[token])]
            full_name = layer.rpartition(".")[2] + (f"[{name}]" if isinstance(name, str) else "")
            yield TextSpan(full_name, span.label, tuple(fragments), span.line)


def _layer(name: str, features: Sequence[str], first: int) -> _TsvLayer:
    """Return a layer without its slots, which take two columns each."""
    slots = {i + k for i, feature in enumerate(features) if feature.startswith(_SLOT) for k in (0, 1)}
    pairs = [(feature, first + i) for i, feature in enumerate(features) if i not in slots]
    return _TsvLayer(name, [column for _, column in pairs] or [first], dict(pairs))


def _unescape(cell: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROL_CHARACTERS.get(match.group(1), match.group(1)), cell)


FORMAT = Format(
    name="webanno-tsv",
    other_suffixes=(".tsv", ".txt"),
    description="WebAnno TSV 3: one row per token, layers of spans in columns",
    read=_read,
    looks_like=lambda text: text.startswith(_MAGIC),
    options=(*NAME_OPTIONS, *standoff.LAYER_OPTIONS, *standoff.OPTIONS),
    annotation_types=standoff.ANNOTATION_TYPES,
)
