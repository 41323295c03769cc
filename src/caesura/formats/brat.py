"""The .ann files of brat; the text is in a .txt file of the same name::

    T1	Organization 0 4	Sony
    T2	Product 10 15;24 29	Eagle Phone
    R1	Makes Arg1:T1 Arg2:T2

brat replaces line breaks in the text of a span by spaces. Some programs count a byte order mark at the beginning of the text;
such offsets are converted if the texts of all spans show it.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from caesura.errors import FormatError, HierarchyError
from caesura.formats import standoff
from caesura.formats.content import decode, load
from caesura.formats.format import NAME_OPTIONS, Format, Reading
from caesura.formats.standoff import TextSpan, Tokens, single_line
from caesura.model.corpus import Corpus
from caesura.options import Option, path

_SPAN = re.compile(r"(T\S+)\t(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)\t(.*)")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SKIPPED = re.compile(r"(?:[ERAMN]\S+|#\S*|\*)\t\S.*")


def _read(reading: Reading) -> Corpus:
    document, has_mark = _document(reading)
    method = reading.options["tokens"]
    return standoff.read_document(
        reading, lambda: (Tokens.tokenize(document, method), _located_spans(reading, document, has_mark))
    )


def _document(reading: Reading) -> tuple[str, bool]:
    """Return the text that the offsets refer to, and whether its file begins with a byte order mark."""
    text_path = reading.options["text"] or _text_path(reading)
    if not Path(text_path).exists():
        raise reading.error(None, f"the text file {text_path} does not exist; set it with text=")
    data = load(text_path)
    return decode(text_path, data), data.startswith(_MARKS)


def _text_path(reading: Reading) -> str:
    """Return the text beside the file, or else the one in the folder above, with a note."""
    beside = Path(reading.path).with_suffix(".txt")
    above = beside.absolute().parent.parent / beside.name
    if beside.exists() or not above.exists():
        return str(beside)
    reading.notes.append("texts are in the folder above")
    return str(above)


def _located_spans(reading: Reading, document: str, has_mark: bool) -> list[TextSpan]:
    """Return the spans; if only offsets that count the byte order mark fit their texts, without the mark."""
    try:
        return _spans(reading, document)
    except (FormatError, HierarchyError):
        if not has_mark:
            raise
        try:
            spans = _spans(reading, f"\ufeff{document}")
        except (FormatError, HierarchyError):
            spans = []
        if not spans or any(start == 0 for span in spans for start, _ in span.fragments):
            raise
    reading.notes.append("offsets count the byte order mark of the text; they are read without it")
    return [span._replace(fragments=tuple((start - 1, end - 1) for start, end in span.fragments)) for span in spans]


def _spans(reading: Reading, document: str) -> list[TextSpan]:
    spans: dict[str, TextSpan] = {}
    for number, line in enumerate(reading.text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip() or _SKIPPED.fullmatch(line):
            continue
        span = _span(reading, number, line, document)
        if span.name in spans:
            raise reading.error(number, f"an id must be unique; got {span.name[:40]!r} again")
        spans[span.name] = span
    return list(spans.values())


def _span(reading: Reading, number: int, line: str, document: str) -> TextSpan:
    match = _SPAN.fullmatch(line)
    if match is None:
        span = "T1, a tab, a label with start and end (several with ; between), a tab and the text"
        raise reading.error(number, f"a line is {span}, or begins with one of E R * A M N #; got {line[:60]!r}")
    name, label, offsets, covered = match.groups()
    pairs = (pair.split(" ") for pair in offsets.split(";"))
    with reading.at_line(number, f"{name[:40]}: "):
        fragments = standoff.check_fragments(tuple((int(start), int(end)) for start, end in pairs), len(document))
    expected = single_line(" ".join(document[start:end] for start, end in fragments))
    if expected != single_line(covered):
        problem = f"{name[:40]} must repeat the text at its offsets, {expected[:60]!r}; got {covered[:60]!r}"
        raise reading.error(number, f"{problem}; is this the right text?")
    return TextSpan(name, label, fragments, number)


FORMAT = Format(
    name="brat",
    suffixes=(".ann",),
    description="spans of brat: an .ann file and the text in a .txt file of the same name",
    read=_read,
    looks_like=lambda text: _SPAN.match(text.lstrip()) is not None,
    options=(
        *NAME_OPTIONS,
        Option(
            "text", None, path, "file with the text (default: .txt file of the same name, here or in the folder above)"
        ),
        *standoff.TOKEN_OPTIONS,
    ),
    may_be_empty=True,
    companions=(".txt", "../{stem}.txt"),
    annotation_types=standoff.ANNOTATION_TYPES,
)
