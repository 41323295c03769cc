r"""WebAnno TSV 3, of WebAnno and INCEpTION: a row a token, columns for the features of layers.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Ms. Haag plays Elianti.
    1-1	0-3	Ms.	*[1]|*[2]	PER[1]|PERpart[2]
    1-2	4-8	Haag	*[1]	PER[1]
    1-3	9-14	plays	_	_
    1-3.1	9-13	play	*	OTH

The units are the token rows; ``#Text`` lines are not read, and neither are headers that are none of the format's. In a
column, ``_`` is no span and ``*`` a span without a value. Spans on several rows have the same number in brackets, stacked ones
have ``|`` between them. A row such as ``1-3.1`` is a part of its token: a span on both the token and a part of it is on that
part. Offsets count UTF-16 units; those of tokens say nothing that the rows do not say, those of parts are taken from where
their token begins. Reserved characters have a backslash before them: ``\ [ ] | _ -> ; *``, and tab and line breaks are ``\t``,
``\n`` and ``\r``.

Which layer of spans (``#T_SP``) is read is said by ``layer``, its name or the last part of it. Without that it is the first
that somebody drew, with a warning that names the others: parts of speech, lemmas and the like are none. The label is the
feature ``value`` if there is one, else the first; ``feature`` names another. Chains, relations and slots are not read.

A file is one coder and one item, named by the file. What becomes of spans and how to choose them: see ``standoff``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from caesura.errors import HierarchyError
from caesura.formats.format import Format, Reading
from caesura.formats.standoff import LAYER, OPTIONS, Drawn, Standoff, Tokens, Utf16, choose
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option, text

__all__ = ["FORMAT"]

_BEGINS = "#FORMAT=WebAnno TSV"
_VERSION = re.compile(r"#FORMAT=WebAnno TSV 3(?:\.[0-9]+)?\s*")
_LAYER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_ROW = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(\.[0-9]{1,9})?")
_OFFSETS = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_SLOT = "ROLE_"
_ESCAPED = re.compile(r"\\(->|[\\\[\]|_;*tnr])")
_MEANT = {"t": "\t", "n": "\n", "r": "\r"}
_STACKED = re.compile(r"((?:\\.|[^\\|])*)(\||\Z)")
_NUMBERED = re.compile(r"((?:\\.|[^\\])*)\[([0-9]{1,18})\]")


@dataclass(frozen=True)
class _Layer:
    """A layer of spans, and in which columns it stands."""

    name: str
    features: tuple[str, ...]
    first: int

    def own(self) -> list[int]:
        """The features that are no slots, where roles and targets stand in two cells for several."""
        slots = {i + k for i, name in enumerate(self.features) if name.startswith(_SLOT) for k in (0, 1)}
        return [i for i in range(len(self.features)) if i not in slots]

    def columns(self) -> list[int]:
        """Those that say where its spans are."""
        return [self.first + i for i in self.own() or [0]]

    def label(self, asked: str | None) -> int | None:
        """The column of the label."""
        named = {self.features[i]: self.first + i for i in self.own()}
        if asked is not None and asked not in named:
            raise HierarchyError(f"layer {self.name} has no feature {asked!r}; there are {', '.join(named) or 'none'}")
        return named.get(asked or "value", next(iter(named.values()), None))


@dataclass
class _Span:
    """One span, row by row."""

    line: int
    label: str | None = None
    parts: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Token -> which of its characters; none means all of them."""


def read(reading: Reading) -> Corpus:
    """The tokens, and what one coder drew over them."""
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    file = _File(reading)
    file.header()
    standoff = Standoff(reading)
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        there = [layer.name for layer in file.layers]
        names = choose(there, reading.options["layer"], standoff.left_out)
        if there and not names:
            raise HierarchyError(f"there is no layer but of tokens, name one by layer=: {', '.join(there)}")
        file.body([layer for layer in file.layers if layer.name in names])
        tokens = Tokens.listed(file.words)
        standoff.add(item, coder, tokens, list(file.drawn(tokens)))
    standoff.warn()
    return reading.corpus()


class _File:
    """Lines on their way into words and spans."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.lines = [line.rstrip("\r") for line in reading.text.split("\n")]
        self.layers: list[_Layer] = []
        self.width = 3
        self.words: list[str] = []
        self.spans: dict[tuple[str, object], _Span] = {}

    def header(self) -> None:
        """The layers and their columns."""
        if not _VERSION.fullmatch(self.lines[0]):
            raise self.reading.error(1, f"the first line must be {_BEGINS} 3.x; got {self.lines[0][:60]!r}")
        for number, line in enumerate(self.lines, 1):
            found = _LAYER.fullmatch(line)
            if found is None:
                continue
            name, *features = found.group(2).strip().split("|")
            if not name or any(layer.name == name for layer in self.layers):
                raise self.reading.error(number, f"a layer must have a name of its own; got {name[:60]!r}")
            named = tuple(one for one in features if one)
            if found.group(1) == "SP":
                self.layers.append(_Layer(name, named, self.width))
            self.width += max(1, len(named))

    def body(self, layers: Sequence[_Layer]) -> None:
        """Words, and the spans of these layers."""
        labels = {layer.name: layer.label(self.reading.options["feature"]) for layer in layers}
        before, began = (0, 0), 0
        for number, line in enumerate(self.lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells, here, is_part, (start, end) = self.row(number, line)
            part = None
            if is_part:
                if here != before:
                    raise self.reading.error(
                        number, f"a part must follow its token, {here[0]}-{here[1]}; got {cells[0]}"
                    )
                part = self.part(number, cells, start - began, end - began)
            else:
                if here <= before:
                    raise self.reading.error(number, f"rows must rise; got {cells[0]} after {before[0]}-{before[1]}")
                before, began = here, start
                self.words.append(_unescaped(cells[2]))
            for layer in layers:
                self.take(layer, labels[layer.name], number, cells, part)
        if not self.words:
            raise HierarchyError("at least one token, a row such as 1-1, is needed; got none")

    def row(self, number: int, line: str) -> tuple[list[str], tuple[int, int], bool, tuple[int, int]]:
        """The cells; sentence and token; whether it is a part of the token; from where to where it goes."""
        cells = line.split("\t")
        place = _ROW.fullmatch(cells[0])
        between = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
        if place is None or between is None:
            raise self.reading.error(
                number, f"a row is sentence-token, a tab, start-end, a tab and the token; got {line[:60]!r}"
            )
        if len(cells) == self.width + 1 and not cells[-1]:  # WebAnno itself ends rows in a tab
            cells.pop()
        if len(cells) != self.width:
            raise self.reading.error(
                number, f"a row must have {self.width} columns, as the header says; got {len(cells)}"
            )
        sentence, token, part = place.groups()
        start, end = between.groups()
        return cells, (int(sentence), int(token)), part is not None, (int(start), int(end))

    def part(self, number: int, cells: Sequence[str], start: int, end: int) -> tuple[int, int]:
        """Which characters of the last word a part is."""
        word, said = self.words[-1], _unescaped(cells[2])
        try:
            ((first, last),) = Utf16(word).parts(((start, end),))
        except HierarchyError as problem:
            raise self.reading.error(number, f"{cells[0]}, counted from the start of its token: {problem}") from None
        if word[first:last] != said or not said:
            raise self.reading.error(
                number, f"{cells[0]} must repeat what its token has there, {word[first:last]!r}; got {said[:60]!r}"
            )
        return first, last

    def take(
        self, layer: _Layer, label: int | None, number: int, cells: Sequence[str], part: tuple[int, int] | None
    ) -> None:
        """The spans of a layer on one row; the columns of one span have the same number, or the same place."""
        for column in layer.columns():
            for i, (value, name) in enumerate(self.values(number, cells[column])):
                key = (layer.name, (number, i) if name is None else name)
                span = self.spans.setdefault(key, _Span(number))
                token = len(self.words) - 1
                if part is None:
                    span.parts.setdefault(token, [])
                else:
                    span.parts.setdefault(token, []).append(part)
                if column == label and value is not None:
                    before, span.label = span.label, value
                    if before is not None and before != value:
                        raise self.reading.error(
                            number,
                            f"a span must have one label on all its rows; got {value[:40]!r} after {before[:40]!r} for "
                            f"{layer.name}[{name}]",
                        )

    def values(self, number: int, cell: str) -> Iterator[tuple[str | None, str | None]]:
        """Each value of a cell with its number."""
        if cell == "_":
            return
        at = 0
        while True:
            found = _STACKED.match(cell, at)
            if found is None or not found.group(1):
                raise self.reading.error(number, f"a cell is _, or values with | between them; got {cell[:60]!r}")
            one = found.group(1)
            numbered = _NUMBERED.fullmatch(one)
            value, name = (numbered.group(1), numbered.group(2)) if numbered else (one, None)
            if value != "_":
                yield (None if value in ("*", "") else _unescaped(value)), name
            if not found.group(2):
                return
            at = found.end()

    def drawn(self, tokens: Tokens) -> Iterator[Drawn]:
        """The spans in characters of the words as they stand beside each other."""
        for (layer, name), span in self.spans.items():
            parts = []
            for token, inside in span.parts.items():
                start = tokens.starts[token]
                parts += [(start + a, start + b) for a, b in inside] or [(start, tokens.ends[token])]
            short = layer.rpartition(".")[2]
            yield Drawn(f"{short}[{name}]" if isinstance(name, str) else short, span.label, tuple(parts), span.line)


def _unescaped(cell: str) -> str:
    return _ESCAPED.sub(lambda found: _MEANT.get(found.group(1), found.group(1)), cell)


FORMAT = Format(
    name="webanno-tsv",
    suffixes=(),
    other_suffixes=(".tsv", ".txt"),
    description="WebAnno TSV 3: a row a token, layers of spans in columns",
    read=read,
    looks_like=lambda lines: lines.startswith(_BEGINS),
    options=(
        ITEM,
        CODER,
        LAYER,
        Option("feature", None, text, "the feature that is the label; by default value, else the first"),
        *OPTIONS,
    ),
    annotation_types=(Hierarchy, Segmentation),
)
