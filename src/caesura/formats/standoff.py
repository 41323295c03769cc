"""Read stand-off annotation: a text and spans of its characters. The formats of annotation tools share this code.

The section on annotation tools in docs/formats.md says how spans become units, and what the options ``tokens``, ``as_``,
``edges``, ``discontinuous``, ``repair``, ``labels`` and ``begin`` do. Fragments of a span with only white space between them
are merged, because brat splits spans at the end of a line.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from caesura.errors import HierarchyError
from caesura.formats.format import Reading
from caesura.formats.spans import REPAIR, Continuum, SpanRow, build_hierarchy
from caesura.formats.values import list_names, matches
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.options import Option, choice, names, text

# Start and end offsets of a span, in characters from 0, end excluded. A discontinuous span has several pairs.
Fragments = tuple[tuple[int, int], ...]

TOKEN_PATTERNS = {"words": re.compile(r"\S+"), "whitespace": re.compile(r"\S+"), "characters": re.compile(r"\S")}
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class TextSpan(NamedTuple):
    name: str  # identifier of the span in the tool, for messages
    label: str | None
    fragments: Fragments
    line: int | None = None

    def __str__(self) -> str:
        return self.name if self.label is None else f"{self.name} {self.label[:40]!r}"


@dataclass(frozen=True)
class Tokens:
    units: tuple[str, ...]
    # Offset of the first character of each token, and the offset after its last character.
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    text: str | None = None  # the text; None if the file has only tokens
    from_file: bool = False  # whether the file contains the tokens

    def in_characters(self, method: str | None) -> bool:
        return self.text is not None and (method == "characters" or (method is None and not self.from_file))

    @classmethod
    def tokenize(cls, document: str, method: str | None) -> Tokens:
        method = method or "words"
        offsets = [match.span() for match in TOKEN_PATTERNS[method].finditer(document)]
        if method == "words":
            offsets = [part for pair in offsets for part in _split_punctuation(document, *pair)]
        return cls.from_offsets(document, offsets)

    @classmethod
    def from_offsets(cls, document: str, offsets: Sequence[tuple[int, int]]) -> Tokens:
        for i, (start, end) in enumerate(offsets):
            if start >= end:
                raise HierarchyError(f"token {i + 1} must have a character; it has none, at {start}")
            if i and start < offsets[i - 1][1]:
                word = document[start:end][:40]
                raise HierarchyError(f"tokens must not overlap; {word!r} begins inside the token before it")
        if not offsets:
            raise HierarchyError("expected a text of at least one token; got none")
        starts, ends = zip(*offsets, strict=True)
        return cls(tuple(document[start:end] for start, end in offsets), starts, ends, document)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Tokens:
        offsets = []
        start = 0
        for word in words:
            offsets.append((start, start + len(word)))
            start += len(word) + 1
        return replace(cls.from_offsets(" ".join(words), offsets), text=None, from_file=True)

    def covered(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self.ends, start), bisect_left(self.starts, end) - 1

    def merge_fragments(self, fragments: Fragments) -> list[tuple[int, int]]:
        """Sort the fragments, and merge neighbours if no token has a character between them."""
        merged: list[tuple[int, int]] = []
        for start, end in sorted(fragment for fragment in fragments if fragment[0] < fragment[1]):
            if merged:
                first, last = self.covered(merged[-1][1], start)
                if start <= merged[-1][1] or first > last:
                    merged[-1] = merged[-1][0], max(merged[-1][1], end)
                    continue
            merged.append((start, end))
        return merged


def _split_punctuation(document: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split punctuation from both ends of a word, one token per sign. Signs inside a word stay, as in ``L'Enfant``."""
    first, last = start, end
    while first < last and unicodedata.category(document[first])[0] in "PS":
        first += 1
    while last > first and unicodedata.category(document[last - 1])[0] in "PS":
        last -= 1
    signs = [(i, i + 1) for i in (*range(start, first), *range(last, end))]
    return sorted([*signs, (first, last)] if first < last else signs)


def check_fragments(fragments: Fragments, length: int) -> Fragments:
    for start, end in fragments:
        if not 0 <= start <= end <= length:
            raise HierarchyError(f"offsets must increase and lie in 0-{length}, the text; got {start}-{end}")
    return fragments


class Utf16Offsets:
    """Offsets in UTF-16 code units, as Java and browsers count: a character beyond U+FFFF counts twice."""

    def __init__(self, document: str) -> None:
        self.length = len(document)
        # Offsets, in code units, of the characters that take two code units.
        self._astral = [match.start() + i for i, match in enumerate(_ASTRAL.finditer(document))]

    def to_character(self, offset: int) -> int:
        preceding = bisect_left(self._astral, offset)
        if preceding and self._astral[preceding - 1] == offset - 1:
            raise HierarchyError(f"offsets lie between characters; {offset} is inside a character of two UTF-16 units")
        end = self.length + len(self._astral)
        if not 0 <= offset <= end:
            raise HierarchyError(f"an offset must lie in 0-{end}, the text in UTF-16 units; got {offset}")
        return offset - preceding

    def to_characters(self, fragments: Fragments) -> Fragments:
        converted = tuple((self.to_character(start), self.to_character(end)) for start, end in fragments)
        return check_fragments(converted, self.length)


def single_line(covered: str) -> str:
    """Replace line breaks and tabs by spaces, as tools do when they copy a text into one line."""
    return re.sub(r"[\n\r\t]", " ", covered)


def read_document(reading: Reading, parse: Callable[[], tuple[Tokens, Sequence[TextSpan]]]) -> Corpus:
    return reading.read_one(lambda: to_annotation(reading, reading.item_name, reading.coder_name, *parse()))


def kind_of_annotation(reading: Reading) -> str:
    return str(reading.options["as_"] or ("hierarchy" if reading.options.get("repair") else "spans"))


def to_annotation(
    reading: Reading, item: str, coder: str, tokens: Tokens, spans: Sequence[TextSpan]
) -> Spans | Hierarchy | Segmentation:
    """Return the spans of one coder as spans, a hierarchy or a segmentation, depending on the option ``as_``."""
    converter = _SpanConverter(reading, f"item {item!r}, coder {coder!r}", tokens)
    kind = kind_of_annotation(reading)
    if kind == "spans":
        return converter.spans(spans)
    rows: list[SpanRow] = []
    row_names: list[str] = []
    for span in converter.with_labels(spans):
        span_rows = converter.rows(span)
        rows += span_rows
        row_names += [str(span)] * len(span_rows)
    if not reading.options["repair"]:
        _refuse_crossing(rows, row_names)
    hierarchy = build_hierarchy(reading, item, coder, rows, Continuum(units=tokens.units))
    if kind == "hierarchy":
        return hierarchy
    return segment_at_edges(hierarchy, reading.options["begin"], reading.types)


@dataclass(frozen=True)
class _SpanConverter:
    reading: Reading
    place: str
    tokens: Tokens

    def with_labels(self, spans: Sequence[TextSpan]) -> Sequence[TextSpan]:
        patterns = self.reading.options["labels"]
        if patterns is None:
            return spans
        selected = [span for span in spans if matches(span.label or "", patterns)]
        if spans and not selected:
            labels = sorted({span.label for span in spans if span.label is not None})
            problem = f"none of {len(spans)} span(s) has a label like {', '.join(map(repr, patterns))}"
            self.reading.log.add(f"{self.place}: {problem}; the labels are {list_names(labels)}")
        return selected

    def spans(self, spans: Sequence[TextSpan]) -> Spans:
        """Return the spans as they are, in characters, or in tokens if the file or the user wants tokens."""
        chosen = self.with_labels(spans)
        if not self.tokens.in_characters(self.reading.options.get("tokens")):
            self.reading.notes.append("positions are tokens, counted from 0, the end excluded")
            rows = [(row.start - 1, row.end, row.label) for span in chosen for row in self.rows(span)]
            return Spans(rows, units=self.tokens.units)
        self.reading.notes.append("positions are characters, counted from 0, the end excluded")
        located = [(*pair, span.label) for span in chosen for pair in self.fragments(span) or span.fragments[:1]]
        return Spans(located, text=self.tokens.text)

    def fragments(self, span: TextSpan) -> list[tuple[int, int]]:
        """Return the characters of a span: one pair, several if the option ``discontinuous`` allows it, or none."""
        fragments = self.tokens.merge_fragments(span.fragments)
        return self.resolve_gaps(span, fragments) if len(fragments) > 1 else fragments

    def rows(self, span: TextSpan) -> list[SpanRow]:
        """Convert a span to tokens. The result has one row, one row per fragment, or no row."""
        fragments = self.fragments(span)
        rows = []
        for start, end in fragments:
            first, last = self.tokens.covered(start, end)
            if first <= last:
                if self.tokens.starts[first] < start:
                    self.widen(span, first, "begins")
                if self.tokens.ends[last] > end:
                    self.widen(span, last, "ends")
                rows.append(SpanRow(first + 1, last + 1, None, span.label))
        if not rows:
            self.count("spans that cover no token left out", span)
        return rows

    def resolve_gaps(self, span: TextSpan, fragments: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the fragments to read of a discontinuous span, depending on the option ``discontinuous``."""
        method = self.reading.options["discontinuous"]
        if method == "error":
            gap, _ = self.tokens.covered(fragments[0][1], fragments[1][0])
            problem = f"token {gap + 1}, {self.tokens.units[gap][:40]!r}, lies between its fragments"
            hint = "or read with discontinuous='hull' or discontinuous='fragments'"
            raise self.reading.error(span.line, f"{self.place}: {span} must have no gap; {problem}; {hint}")
        if method == "hull":
            self.count("discontinuous spans read as one span from first to last token", span)
            return [(fragments[0][0], fragments[-1][1])]
        self.count("discontinuous spans read as one span per fragment", span)
        return fragments

    def widen(self, span: TextSpan, token: int, verb: str) -> None:
        """Count an edge inside a token, or raise an error if the option ``edges`` is ``"error"``."""
        if self.reading.options["edges"] == "error":
            finer = ", or with tokens='characters'" if "tokens" in self.reading.options else ""
            problem = f"it {verb} inside token {token + 1}, {self.tokens.units[token][:40]!r}"
            hint = f"or read with edges='token', which widens it{finer}"
            expected = f"{self.place}: {span} must begin and end between tokens"
            raise self.reading.error(span.line, f"{expected}; {problem}; {hint}")
        self.count("span edges inside a token moved to the edge of the token", span)

    def count(self, change: str, span: TextSpan) -> None:
        self.reading.log.count(change, f"{span} of {self.place}")


def _refuse_crossing(rows: Sequence[SpanRow], row_names: Sequence[str]) -> None:
    enclosing: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: (rows[i].start, -rows[i].end)):
        while enclosing and rows[enclosing[-1]].end < rows[i].start:
            enclosing.pop()
        if enclosing and rows[enclosing[-1]].end < rows[i].end:
            pair = (f"{row_names[j]} over tokens {rows[j].start}-{rows[j].end}" for j in (enclosing[-1], i))
            hint = "or read with repair=True, which excludes such spans"
            raise HierarchyError(f"{' and '.join(pair)} cross; each coder's own spans must nest; {hint}")
        enclosing.append(i)


def segment_at_edges(hierarchy: Hierarchy, begin: str, types: tuple[str, ...] | None) -> Segmentation:
    """Return a segmentation with a boundary at both edges of every span."""
    spans, length, units = hierarchy.spans, hierarchy.length, hierarchy.units
    ends: dict[int, set[str]] = {}
    for span in spans:
        ends.setdefault(span.end, set()).add(span.label or UNTYPED[0])
    positions = sorted({span.start - 1 for span in spans} - {0} | ends.keys())
    if types is None and not any(span.label for span in spans):
        return Segmentation.from_positions(length, sorted({*positions} - {length}), units=units)
    marks = [ends.get(position, {begin}) for position in positions]
    return Segmentation.from_positions(length, positions, marks=marks, types=types, units=units)


# Layers of DKPro and WebAnno that annotate each token, each sentence or the whole text.
_AUTOMATIC_LAYERS = re.compile(r"dkpro\.core\.api\.(?:lexmorph|segmentation|metadata)\.|clarin\.webanno\.api\.type\.")


def choose_layers(reading: Reading, layers: Sequence[str]) -> list[str]:
    patterns = reading.options["layer"]
    if patterns is None:
        manual = [layer for layer in layers if not _AUTOMATIC_LAYERS.search(layer)]
        if len(manual) > 1:
            change = f"the file has several span layers; only the first, {manual[0]}, was read"
            reading.log.add(f"{change}; choose other layers with layer=: {list_names(manual[1:])}")
        return manual[:1]
    selected = [layer for layer in layers if matches(layer, patterns) or matches(layer.rpartition(".")[2], patterns)]
    if not selected:
        raise HierarchyError(f"no span layer matches {list_names(patterns)}; the layers are {list_names(layers)}")
    return selected


def choose_feature(layer: str, features: Iterable[str], requested: str | None) -> str | None:
    """Return the feature that contains the label: the requested feature, or else ``value``, or else the first."""
    available = list(features)
    if requested is not None and requested not in available:
        raise HierarchyError(f"layer {layer} has no feature {requested!r}; its features are {list_names(available)}")
    return requested or ("value" if "value" in available else next(iter(available), None))


# Types of annotations between which the option ``as_`` chooses.
ANNOTATION_TYPES = (Spans, Hierarchy, Segmentation)
# Options of the formats with layers.
LAYER_OPTIONS = (
    Option("layer", None, names, "names or patterns of layers (default: the first manually annotated layer)"),
    Option("feature", None, text, "feature that is the label (default: value, or the first if there is none)"),
)
# Options of all formats.
OPTIONS = (
    Option(
        "as_",
        None,
        choice("spans", "hierarchy", "segments"),
        "read spans, a hierarchy over tokens, or a segmentation at the edges of spans (default: spans)",
    ),
    Option("begin", "begin", text, "for segmentations: type of a boundary at which spans only begin"),
    Option("labels", None, names, "labels to read, a pattern or a list of patterns (default: all)"),
    Option("edges", "token", choice("token", "error"), "edge inside a token: widen the span to the token, or an error"),
    Option("discontinuous", "error", choice("error", "hull", "fragments"), "how to read a span with a gap"),
    REPAIR,
)
TOKENS = Option(
    "tokens", None, choice(*TOKEN_PATTERNS), "units (default: tokens of the file, or characters; words in a hierarchy)"
)
# Options of the formats that may have no tokens.
TOKEN_OPTIONS = (TOKENS, *OPTIONS)
