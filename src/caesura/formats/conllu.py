"""CoNLL-U, and the .tok files of the DISRPT shared tasks: one token per line, ten columns, segments in the last one::

    # newdoc_id = poem
    1	In	_	_	_	_	_	_	_	BeginSeg=Yes
    2	Xanadu	_	_	_	_	_	_	_	_
    3	did	_	_	_	_	_	_	_	BeginSeg=Yes

The units are the tokens whose id is a whole number. Ranges such as ``1-2`` and empty nodes such as ``1.1`` are skipped, as
in the scorer of DISRPT. There is a boundary before each token whose last column has the key and value ``BeginSeg=Yes`` or
``Seg=B-seg``. The first token of a document is an exception: DISRPT marks it, but there is no boundary before it. Keys
must match completely, because ``MSeg`` is a key for morphology. ``Seg`` for connectives (``B-conn``) does not mark segments
and is an error.

With ``boundaries="sentences"``, sentence ends are the boundaries. The default, ``"auto"``, uses sentence ends if neither
key occurs in the file. The items are the documents, which begin with ``# newdoc id = x``, ``# newdoc_id = x`` or
``# newdoc = x``. Documents without an id are called 1, 2, 3 .... A file without such lines is one item with the name of the
file. The name of the coder is the option ``coder`` or else the name of the file.

The writer marks segments with ``BeginSeg=Yes`` and writes each document as one block of tokens, because a segmentation
contains no sentence ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing, lines_of
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice

_COLUMNS = 10
_NEWDOC = re.compile(r"#\s*newdoc(?:[\s_]id)?\s*(?:=(.*))?")
_TOKEN_ID = re.compile("[1-9][0-9]{0,8}")
_SKIPPED_ID = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9}|\.[0-9]{1,9})")
_BEGINS = {"BeginSeg": ("Yes",), "Seg": ("B-seg",)}
_CONTINUES = {"BeginSeg": ("No",), "Seg": ("I-seg", "O")}


class _Token(NamedTuple):
    """A token with the number of its line, its number in the sentence, and its last column."""

    line: int
    number: int
    form: str
    misc: str


class _ConlluDocument(NamedTuple):
    """The tokens of a document."""

    name: str
    line: int
    tokens: list[_Token]


def _read(reading: Reading) -> Corpus:
    """Return one item per document."""
    documents = _documents(reading)
    by_sentences = _takes_sentences(reading, documents)
    for document in documents:
        with reading.item(document.line, f"item {document.name!r}: "):
            begins = [token.number == 1 if by_sentences else _begins(reading, token) for token in document.tokens]
            inner = [i for i, begin in enumerate(begins) if begin and i]
            forms = [token.form for token in document.tokens]
            reading.add(document.name, reading.coder_name, Segmentation.from_positions(len(forms), inner, units=forms))
    return reading.corpus()


def _takes_sentences(reading: Reading, documents: list[_ConlluDocument]) -> bool:
    """Return whether sentence ends are the boundaries."""
    if reading.options["boundaries"] != "auto":
        return bool(reading.options["boundaries"] == "sentences")
    cells = {token.misc for document in documents for token in document.tokens}
    return not any(key in _BEGINS for misc in cells for key, _ in _pairs(misc))


def _documents(reading: Reading) -> list[_ConlluDocument]:
    """Return the documents of a file, or the whole file as one document if no document is marked."""
    untitled = document = _ConlluDocument(reading.item_name, 1, [])
    documents: dict[str, _ConlluDocument] = {}
    expected = 1
    for number, line in enumerate(lines_of(reading.text), 1):
        if not line.strip():
            expected = 1
        elif not line.startswith("#"):
            token = _token(reading, number, line, expected)
            if token is not None:
                document.tokens.append(token)
                expected += 1
        elif match := _NEWDOC.fullmatch(line.rstrip()):
            name = (match.group(1) or "").strip() or str(len(documents) + 1)
            if name in documents:
                raise reading.error(number, f"the id of a document must be unique; got {name[:60]!r} again")
            documents[name] = document = _ConlluDocument(name, number, [])
            expected = 1
    _check_documents(reading, untitled, list(documents.values()))
    return list(documents.values()) or [untitled]


def _check_documents(reading: Reading, untitled: _ConlluDocument, documents: list[_ConlluDocument]) -> None:
    if not untitled.tokens and not documents:
        raise reading.error(None, "expected at least one token; got none")
    if untitled.tokens and documents:
        problem = f"a token must belong to a document; the first begins at line {documents[0].line}"
        raise reading.error(untitled.tokens[0].line, problem)
    for document in documents:
        if not document.tokens:
            raise reading.error(document.line, f"a document must have a token; {document.name[:60]!r} has none")


def _token(reading: Reading, number: int, line: str, expected: int) -> _Token | None:
    """Return the token in a line, or None if the line is skipped."""
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise reading.error(number, f"a token must have {_COLUMNS} columns with tabs between; got {len(cells)}")
    token, form, misc = cells[0], cells[1], cells[-1]
    if _SKIPPED_ID.fullmatch(token):
        return None
    if not _TOKEN_ID.fullmatch(token) or int(token) != expected:
        raise reading.error(number, f"tokens must be numbered 1, 2, 3 ...; got {token[:40]!r} for {expected}")
    if not form:
        raise reading.error(number, "a token must have a form in column 2; it is empty")
    return _Token(number, expected, form, misc)


def _begins(reading: Reading, token: _Token) -> bool:
    """Return whether a token begins a segment."""
    for key, value in _pairs(token.misc):
        if key in _BEGINS and value in _BEGINS[key]:
            return True
        if key in _BEGINS and value not in _CONTINUES[key]:
            allowed = ", ".join((*_BEGINS[key], *_CONTINUES[key]))
            problem = f"{key} must be one of {allowed}; got {value[:40]!r}"
            raise reading.error(token.line, f"{problem}; or read with boundaries='sentences'")
    return False


def _pairs(misc: str) -> list[tuple[str, str]]:
    """Return the (key, value) pairs of the last column."""
    return [(key, value) for key, _, value in (pair.partition("=") for pair in misc.split("|"))]


def _write(writing: Writing) -> str:
    """Return the text of one coder, one document per item."""
    coder = writing.only_coder()
    id_key = "newdoc_id" if writing.path.lower().endswith(".tok") else "newdoc id"
    blank = "\t_" * (_COLUMNS - 3)
    lines = []
    for item in writing.corpus.item_names:
        segmentation, units = writing.text(item, coder)
        starts = {0, *segmentation.inner.tolist()}
        lines.append(f"# {id_key} = {item}\n")
        lines += [f"{i + 1}\t{unit}{blank}\t{'BeginSeg=Yes' if i in starts else '_'}\n" for i, unit in enumerate(units)]
        lines.append("\n")
    return writing.check_round_trip("".join(lines), _read, boundaries="segments")


def _looks_like(text: str) -> bool:
    """Return whether the first line that is not a comment is a token."""
    first = next((line for line in lines_of(text[:200_000]) if line.strip() and not line.startswith("#")), "")
    return first.count("\t") == _COLUMNS - 1 and first[0].isdecimal()


FORMAT = Format(
    name="conllu",
    suffixes=(".conllu", ".tok"),
    other_suffixes=(".txt", ".tsv"),
    description="CoNLL-U and DISRPT's .tok: one line per token, BeginSeg=Yes or Seg=B-seg where a segment begins",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        *NAME_OPTIONS,
        Option("boundaries", "auto", choice("auto", "segments", "sentences"), "auto: segments if any are marked"),
    ),
    names_from_file=("coder",),
)
