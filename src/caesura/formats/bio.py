"""Spans as tags of tokens, in columns, as in the shared tasks of CoNLL: ``Blackburn NNP I-NP I-PER``.

The tags decide which scheme is used: IOB1, IOB2, BIOES, BILOU or BMES. A tag that does not fit into its scheme begins a new
span, as in conlleval.

References
----------
Tjong Kim Sang, E. F., & De Meulder, F. (2003). Introduction to the CoNLL-2003 shared task. CoNLL.

Ramshaw, L. A., & Marcus, M. P. (1995). Text chunking using transformation-based learning. Workshop on Very Large Corpora.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from caesura.errors import AmbiguousFileError, OptionError
from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.formats.spans import SpanRow
from caesura.formats.standoff import ANNOTATION_TYPES, OPTIONS, kind_of_annotation, segment_at_edges
from caesura.formats.values import matches
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans, to_spans
from caesura.model.value import count_of
from caesura.options import Option, choice, optional, text, whole

_DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLUM])(?:-(\S+))?")
_TYPED_TAG = re.compile(r"O|[BIESLUM]-\S+")
_SCHEMES = (("BIOES", frozenset("BIESO")), ("BILOU", frozenset("BILUO")), ("BMES", frozenset("BMESO")))
_ENDS_OF_SPANS = [name for name, _ in _SCHEMES]  # schemes that mark the last token of a span
_MAX_COLUMN = 1000
_MAX_LINES = 1000  # that are examined to recognise the format


class _Line(NamedTuple):
    number: int
    cells: list[str]
    is_comment: bool
    begins_sentence: bool


class _Tag(NamedTuple):
    """Prefix and label of a tag; the prefix of a token outside of all spans is O."""

    prefix: str
    label: str | None
    line: int

    def continues(self, previous: _Tag) -> bool:
        """Return whether the token belongs to the same span as the token before it."""
        return self.prefix in "IELM" and previous.prefix in "BIM" and self.label == previous.label


@dataclass
class _Document:
    """Tokens of a document with their tags, and the positions at which sentences begin."""

    name: str
    line: int
    units: list[str] = field(default_factory=list)
    tags: list[_Tag] = field(default_factory=list)
    sentence_starts: list[int] = field(default_factory=list)

    def sentences(self) -> Iterator[tuple[int, int]]:
        yield from pairwise((*self.sentence_starts, len(self.units)))


def _read(reading: Reading) -> Corpus:
    rows = [line.cells for line in _lines(lines_of(reading.text)) if not line.is_comment and line.cells[0] != _DOCUMENT]
    options = {**reading.options, "token": reading.options["token"] or _token_column(rows)}
    if options["layers"] is None:
        _check_layers(reading, rows)
        reading.options = options
        return _read_layer(reading)
    numbers = [number.strip() for number in options["layers"].split("+")]
    if not all(number.isdecimal() and 0 < int(number) < _MAX_COLUMN for number in numbers):
        raise OptionError(f"layers must be numbers of columns such as 2+3; got {options['layers'][:40]!r}")
    for number in numbers:
        reading.options = {**options, "layer": int(number), "coder": f"column {number}"}
        _read_layer(reading)
    reading.ignored = [entry for entry in reading.ignored if not entry.startswith("tags in column")]
    return reading.corpus()


def _token_column(rows: Sequence[Sequence[str]]) -> int:
    """Return 2 if the first column numbers the tokens of a sentence, and there are more columns than a token and a tag."""
    numbered = all(row[0].isdecimal() for row in rows) and any(row[0] == "2" for row in rows)
    return 2 if rows and numbered and min(map(len, rows)) > 2 else 1


def _check_layers(reading: Reading, rows: Sequence[Sequence[str]]) -> None:
    """Raise an error if two columns contain tags with the same labels: they may be two coders."""
    if reading.options["layer"] is not None or reading.options["spans"] != "tags" or len({*map(len, rows)}) != 1:
        return
    labels: dict[int, set[str]] = {}  # of the tags in each column that contains only tags, counted from 1
    for i in range(1, len(rows[0])):
        tags = {row[i] for row in rows}
        if all(map(_TYPED_TAG.fullmatch, tags)) and tags != {"O"}:
            labels[i + 1] = {tag[2:] for tag in tags if tag != "O"}
    last = labels.get(len(rows[0]), set())
    same = [i for i, names in labels.items() if names & last]
    if len(same) > 1:
        listed = [str(i) for i in same]
        choices: list[tuple[str, dict[str, Any]]] = [("one coder per column", {"layers": "+".join(listed)})]
        choices += [(f"only the tags in column {i}", {"layer": i}) for i in same]
        problem = f"columns {' and '.join(listed)} contain tags with the same labels: they may be several coders"
        raise AmbiguousFileError(reading.path, problem, choices)


def _read_layer(reading: Reading) -> Corpus:
    documents = _documents(reading)
    sentences = sum(len(document.sentence_starts) for document in documents)
    if reading.options["spans"] == "sentences":
        reading.notes.append(f"the ends of {count_of(sentences, 'sentence')} are the boundaries")
    else:
        reading.notes.append(f"{count_of(sentences, 'sentence')} (spans=sentences makes their ends the boundaries)")
        scheme = _scheme(documents)
        reading.notes.append(f"the scheme of the tags is {scheme}")
    for document in documents:
        with reading.item(document.line, f"item {document.name!r}: "):
            if not document.units:
                raise reading.error(document.line, f"a document must have a token; {document.name[:60]!r} has none")
            if reading.options["spans"] == "sentences":
                starts = document.sentence_starts[1:]
                annotation = Segmentation.from_positions(len(document.units), starts, units=document.units)
                reading.add(document.name, reading.coder_name, annotation)
            else:
                reading.add(document.name, reading.coder_name, _spans(reading, document, scheme))
    return reading.corpus()


def _documents(reading: Reading) -> list[_Document]:
    documents: list[_Document] = []
    columns = comments = 0
    for line in _lines(lines_of(reading.text)):
        if line.cells[0] == _DOCUMENT:
            documents.append(_Document(str(len(documents) + 1), line.number))
        elif line.is_comment:
            comments += 1
        else:
            columns = columns or _check_columns(reading, line)
            if len(line.cells) != columns:
                problem = f"each line must have {columns} columns like the first; got {len(line.cells)}"
                raise reading.error(line.number, problem)
            if not documents:
                documents.append(_Document(reading.item_name, 1))
            _add_token(reading, documents[-1], line)
    if comments:
        reading.ignored.append(f"{count_of(comments, 'comment line')} (not a token)")
    if not columns:
        raise reading.error(None, "expected at least one token; got none")
    if len(documents) > 1 and documents[0].name != "1":
        documents[0].name = "1"
        reading.notes.append("the tokens before the first -DOCSTART- are the item '1'")
    return documents


def _lines(lines: Sequence[str]) -> Iterator[_Line]:
    # A line before the first token of a sentence is a comment if it begins with # and has not as many columns as tokens have.
    tokens = (line for line in lines if line.strip() and not line.startswith(("#", _DOCUMENT)))
    columns = len(_cells(next(tokens, "")))
    begins_sentence = True
    for number, line in enumerate(lines, 1):
        if line.strip():
            cells = _cells(line)
            is_comment = begins_sentence and line.startswith("#") and len(cells) != columns
            yield _Line(number, cells, is_comment, begins_sentence)
            begins_sentence = is_comment or cells[0] == _DOCUMENT
        else:
            begins_sentence = True


def _cells(line: str) -> list[str]:
    """Return the cells of a line. With tabs, a cell may be empty or contain spaces."""
    return [cell.strip() for cell in line.rstrip().split("\t")] if "\t" in line else line.split()


def _check_columns(reading: Reading, line: _Line) -> int:
    """Return the number of columns; record which columns are used, and which of the others have tags too."""
    cells = line.cells
    columns, layer, token = len(cells), reading.options["layer"] or len(cells), reading.options["token"]
    if columns < 2 or max(layer, token) > columns or layer == token:
        problem = f"a line must have a token in column {token} and a tag in another column"
        raise reading.error(line.number, f"{problem}; got {count_of(columns, 'column')}; choose with layer= and token=")
    reading.roles[str(token)] = "words"
    if reading.options["spans"] == "tags":
        reading.roles[str(layer)] = "tags of spans"
    unused = {str(i): cell for i, cell in enumerate(cells, 1) if str(i) not in reading.roles}
    tagged = [i for i, cell in unused.items() if _TYPED_TAG.fullmatch(cell)]
    plain = [i for i in unused if i not in tagged]
    if tagged:
        reading.ignored.append(f"tags in column {', '.join(tagged)} (layer={tagged[0]} reads column {tagged[0]})")
    if plain:
        reading.ignored.append(f"column {', '.join(plain)} (not needed)")
    return columns


def _add_token(reading: Reading, document: _Document, line: _Line) -> None:
    number, cells = line.number, line.cells
    layer = reading.options["layer"] or len(cells)
    token, tag = cells[reading.options["token"] - 1], cells[layer - 1]
    match = _TAG.fullmatch(tag)
    if not token:
        raise reading.error(number, "a token must not be empty")
    if match is None and reading.options["spans"] == "tags":
        hint = "choose the column of the tags with layer=, or read sentences with spans=sentences"
        raise reading.error(
            number, f"column {layer} must contain tags such as O, B-PER and I-PER; got {tag[:40]!r}; {hint}"
        )
    if line.begins_sentence:
        document.sentence_starts.append(len(document.units))
    document.units.append(token)
    document.tags.append(_Tag((match and match.group(1)) or "O", match and match.group(2), number))


def _scheme(documents: Sequence[_Document]) -> str:
    prefixes = {tag.prefix for document in documents for tag in document.tags}
    if prefixes <= frozenset("BIO"):
        return "IOB1" if _is_iob1(documents) else "IOB2"
    return next((name for name, allowed in _SCHEMES if prefixes <= allowed), "a mixture")


def _is_iob1(documents: Sequence[_Document]) -> bool:
    """Return whether some spans begin with I, and B only separates two spans with the same label."""
    begins_with_i = False
    for document in documents:
        for start, end in document.sentences():
            previous = _Tag("O", None, 0)
            for tag in document.tags[start:end]:
                follows_span = previous.prefix != "O" and previous.label == tag.label
                if tag.prefix == "B" and not follows_span:
                    return False
                begins_with_i = begins_with_i or (tag.prefix == "I" and not follows_span)
                previous = tag
    return begins_with_i


def _spans(reading: Reading, document: _Document, scheme: str) -> Spans | Hierarchy | Segmentation:
    rows: list[SpanRow] = []
    for start, end in document.sentences():
        rows += _sentence_spans(reading, document, scheme, start, end)
    patterns = reading.options["labels"]
    if patterns is not None:
        rows = [row for row in rows if matches(row.label or "", patterns)]
    kind = kind_of_annotation(reading)
    if kind == "spans":
        return Spans([(row.start - 1, row.end, row.label) for row in rows], units=document.units)
    hierarchy = Hierarchy(len(document.units), rows, units=document.units)
    if kind == "hierarchy":
        return hierarchy
    return segment_at_edges(hierarchy, reading.options["begin"], reading.types)


def _sentence_spans(reading: Reading, document: _Document, scheme: str, start: int, end: int) -> Iterator[SpanRow]:
    first = start
    previous = _Tag("O", None, 0)
    must_end = scheme in _ENDS_OF_SPANS
    for i, tag in enumerate([*document.tags[start:end], _Tag("O", None, 0)], start):
        if not tag.continues(previous):
            if previous.prefix != "O":
                yield SpanRow(first + 1, i, None, previous.label)
                if must_end and previous.prefix not in "ESLU":
                    _count_irregular(reading, document, scheme, previous)
            if tag.prefix not in "OBSU" and scheme != "IOB1":
                _count_irregular(reading, document, scheme, tag)
            first = i
        previous = tag


def _count_irregular(reading: Reading, document: _Document, scheme: str, tag: _Tag) -> None:
    name = tag.prefix if tag.label is None else f"{tag.prefix}-{tag.label[:40]}"
    place = f"{name} in line {tag.line}, item {document.name!r}"
    reading.log.count(f"tags that do not fit into the scheme {scheme}; a new span begins there or a span ends", place)


def spans_of_tags(
    reading: Reading, cells: Sequence[str], lines: Sequence[int], units: Sequence[str] | None, place: str
) -> Spans:
    """Return the spans in a column of a table."""
    document = _Document(place, lines[0], list(units or [""] * len(cells)), sentence_starts=[0])
    for cell, line in zip(cells, lines, strict=True):
        match = _TAG.fullmatch(cell)
        if match is None:
            raise reading.error(line, f"{place}: expected a tag such as O, B-PER and I-PER; got {cell[:40]!r}")
        document.tags.append(_Tag(match.group(1) or "O", match.group(2), line))
    rows = list(_sentence_spans(reading, document, _scheme([document]), 0, len(cells)))
    spans = [(row.start - 1, row.end, row.label) for row in rows]
    return Spans(spans, length=len(cells), units=units)


def _write(writing: Writing) -> str:
    """Return two columns, tokens and IOB2 tags, with one block per item."""
    coder, items = writing.only_coder(), writing.corpus.item_names
    blocks = [_block(writing, item, coder) for item in items]
    head = "" if items == (writing.options["item"] or writing.stem,) else f"{_DOCUMENT}\tO\n\n"
    kind = "hierarchy" if writing.corpus.holds(Hierarchy) else "spans"
    return writing.check_round_trip(
        "\n".join(head + block for block in blocks), _read, layer=None, layers=None, token=1, as_=kind
    )


def _block(writing: Writing, item: str, coder: str) -> str:
    annotation = writing.corpus[item, coder]
    spans = to_spans(annotation) if isinstance(annotation, Hierarchy) else annotation
    if not isinstance(spans, Spans) or spans.units is None:
        raise writing.error("this format stores spans over tokens; there are none", item, coder)
    tags = ["O"] * len(spans.units)
    for span in spans:
        first, last = int(span.start), int(span.end)
        if {*tags[first:last]} != {"O"} or span.category is None:
            raise writing.error("this format stores spans with labels that do not overlap", item, coder)
        tags[first:last] = [f"B-{span.category}", *[f"I-{span.category}"] * (last - first - 1)]
    return "".join(f"{unit}\t{tag}\n" for unit, tag in zip(spans.units, tags, strict=True))


def _looks_like(text: str) -> bool:
    lines = lines_of(text[: _MAX_LINES * 200])[:_MAX_LINES]
    if len(text) > _MAX_LINES * 200:
        lines = lines[:-1]  # the last line may be cut
    rows = [line.cells for line in _lines(lines) if not line.is_comment and line.cells[0] != _DOCUMENT]
    widths, tags = {len(row) for row in rows}, {row[-1] for row in rows}
    return len(widths) == 1 and min(widths) > 1 and tags != {"O"} and all(map(_TYPED_TAG.fullmatch, tags))


FORMAT = Format(
    name="bio",
    suffixes=(".bio", ".iob", ".iob2"),
    other_suffixes=(".conll", ".bioes", ".ner", ".txt", ".tsv"),
    description="tokens in lines with tags such as B-PER, I-PER and O in a column",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        *NAME_OPTIONS,
        Option("layer", None, optional(whole(1)), "column of the tags, from 1 (default: the last column)"),
        Option("layers", None, optional(text), "columns of the tags of several coders, such as 2+3"),
        Option(
            "token", None, optional(whole(1)), "column of the tokens, from 1 (default: the first one without numbers)"
        ),
        Option("spans", "tags", choice("tags", "sentences"), "read the tags, or the ends of sentences as boundaries"),
        *(option for option in OPTIONS if option.name in ("as_", "begin", "labels")),
    ),
    annotation_types=ANNOTATION_TYPES,
    names_from_file=("coder",),
    part="column",
    hint="--reading layer=N",
)
