"""CoNLL-U, and the .tok of the DISRPT shared tasks: a line a token, ten columns, segments in the last.

    # newdoc_id = poem
    1	In	_	_	_	_	_	_	_	BeginSeg=Yes
    2	Xanadu	_	_	_	_	_	_	_	_
    3	did	_	_	_	_	_	_	_	BeginSeg=Yes

The tokens with a whole number as their id are the units; ranges such as ``1-2`` and empty nodes such as ``1.1`` are passed
over with all they say, as DISRPT's own scorer does. A boundary stands before a token whose last column has the key and
value ``BeginSeg=Yes`` or ``Seg=B-seg``, except at the start of a document, where DISRPT marks the first token too. Keys
count as a whole: ``MSeg`` is morphology. ``Seg`` with connectives (``B-conn``) marks no segments and is an error.

``boundaries="sentences"`` takes sentence ends instead; by default, ``"auto"``, that is done where neither key stands in
the file. Documents begin at ``# newdoc id = x``, ``# newdoc_id = x`` or ``# newdoc = x`` and are the items; without an id
they are called 1, 2, 3 ..., and a file without documents is one item, named by the file. The coder is named by the file
or by ``coder``.

What is written has ``BeginSeg=Yes`` and a document as one run of tokens: where its sentences ended is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, lines_of
from caesura.formats.one_text import check_round_trip, only_coder, require_text
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, choice

__all__ = ["FORMAT"]

_COLUMNS = 10
_NEWDOC = re.compile(r"#\s*newdoc(?:[\s_]id)?\s*(?:=(.*))?")
_WORD = re.compile("[1-9][0-9]{0,8}")
_OTHER = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9}|\.[0-9]{1,9})")
_BEGINS = {"BeginSeg": ("Yes",), "Seg": ("B-seg",)}
_GOES_ON = {"BeginSeg": ("No",), "Seg": ("I-seg", "O")}


@dataclass
class _Document:
    """The tokens of a document, and what may begin at each."""

    name: str
    line: int
    forms: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    misc: list[str] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    """The tokens that begin a sentence."""


def read(reading: Reading) -> Corpus:
    """Every document, an item each."""
    coder = reading.options["coder"] or reading.stem
    documents = _documents(reading)
    if not documents:
        raise reading.error(None, "at least one token is needed; got none")
    way = reading.options["boundaries"]
    if way == "auto":
        marked = any(key in _BEGINS for one in documents for misc in {*one.misc} for key, _ in _pairs(misc))
        way = "segments" if marked else "sentences"
    for one in documents:
        with reading.item(one.line, f"item {one.name!r}: "):
            begins = one.sentences if way == "sentences" else _segments(reading, one)
            inner = [i for i in begins if i]
            reading.add(one.name, coder, Segmentation.from_positions(len(one.forms), inner, units=one.forms))
    return reading.corpus()


def _documents(reading: Reading) -> list[_Document]:
    whole = _Document(reading.options["item"] or reading.stem, 1)
    documents: list[_Document] = []
    named: set[str] = set()
    now, expected = whole, 1
    for number, line in enumerate(lines_of(reading.text), 1):
        if not line.strip():
            expected = 1
            continue
        if line.startswith("#"):
            found = _NEWDOC.fullmatch(line.rstrip())
            if found:
                name = (found.group(1) or "").strip() or str(len(documents) + 1)
                if name in named:
                    raise reading.error(number, f"a document may stand only once; got {name[:60]!r} again")
                named.add(name)
                now, expected = _Document(name, number), 1
                documents.append(now)
            continue
        cells = line.split("\t")
        if len(cells) != _COLUMNS:
            raise reading.error(number, f"a token must have {_COLUMNS} columns with tabs between; got {len(cells)}")
        if _OTHER.fullmatch(cells[0]):
            continue
        if not _WORD.fullmatch(cells[0]) or int(cells[0]) != expected:
            raise reading.error(
                number, f"tokens of a sentence must be numbered 1, 2, 3 ...; got {cells[0][:40]!r} for {expected}"
            )
        if not cells[1]:
            raise reading.error(number, "a token must have a form in column 2; it is empty")
        if expected == 1:
            now.sentences.append(len(now.forms))
        expected += 1
        now.forms.append(cells[1])
        now.lines.append(number)
        now.misc.append(cells[-1])
    if whole.forms and documents:
        raise reading.error(
            whole.lines[0], f"every token must belong to a document; the first begins at line {documents[0].line}"
        )
    for one in documents:
        if not one.forms:
            raise reading.error(one.line, f"a document must hold at least one token; {one.name[:60]!r} has none")
    return documents or ([whole] if whole.forms else [])


def _segments(reading: Reading, document: _Document) -> list[int]:
    """The tokens that begin a segment."""
    found = []
    for i, misc in enumerate(document.misc):
        for key, value in _pairs(misc):
            if key not in _BEGINS:
                continue
            if value in _BEGINS[key]:
                found.append(i)
                break
            if value not in _GOES_ON[key]:
                known = ", ".join((*_BEGINS[key], *_GOES_ON[key]))
                raise reading.error(
                    document.lines[i],
                    f"{key} must be one of {known}; got {value[:40]!r}; or read with boundaries='sentences'",
                )
    return found


def _pairs(misc: str) -> list[tuple[str, str]]:
    """Keys with their values."""
    return [(key, value) for key, _, value in (one.partition("=") for one in misc.split("|"))]


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """One coder; all items, each a document."""
    coder = only_coder(corpus, path, options)
    id_ = "newdoc_id" if path.lower().endswith(".tok") else "newdoc id"
    out = []
    for item in corpus.item_names:
        one, units = require_text(corpus, path, item, coder)
        if one.types != UNTYPED:
            raise FormatError(path, None, f"item {item!r}: this format cannot hold boundary types; write a .csv table")
        begins = {0, *one.inner.tolist()}
        blank = "\t_" * (_COLUMNS - 3)
        out.append(f"# {id_} = {item}\n")
        out += [f"{i + 1}\t{unit}{blank}\t{'BeginSeg=Yes' if i in begins else '_'}\n" for i, unit in enumerate(units)]
        out.append("\n")
    return check_round_trip("".join(out), read, corpus, path, {**options, "boundaries": "segments"})


def _looks_like(text: str) -> bool:
    """Whether the first line that is no comment is a token."""
    first = next((line for line in lines_of(text[:200_000]) if line.strip() and not line.startswith("#")), "")
    return first.count("\t") == _COLUMNS - 1 and first[0].isdecimal()


FORMAT = Format(
    name="conllu",
    suffixes=(".conllu", ".tok"),
    other_suffixes=(".txt", ".tsv"),
    description="CoNLL-U and DISRPT's .tok: a line a token, BeginSeg=Yes or Seg=B-seg where a segment begins",
    read=read,
    looks_like=_looks_like,
    write=write,
    options=(
        ITEM,
        CODER,
        Option(
            "boundaries",
            "auto",
            choice("auto", "segments", "sentences"),
            "whether segments or sentences; auto is segments where the file marks any",
        ),
    ),
    names_from_file=("coder",),
)
