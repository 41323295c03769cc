"""CoNLL-U, and the .tok files of the DISRPT shared tasks: one token per line, ten columns, marks in the last one, MISC.

Keys must match completely, because ``MSeg`` is a key for morphology; the case of values does not matter. DISRPT marks the first
token of a document, but there is no boundary before it. Its scorer counts this mark (``first="yes"``) and, with the option
``-nb``, leaves out tokens with the id 1 (``first="drop"``). Ranges such as ``1-2`` and empty nodes such as ``1.1`` are skipped,
as in that scorer. Sentence ends are never taken without being asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from caesura.errors import AmbiguousFileError, FormatError, OptionError
from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.value import list_few
from caesura.options import Option, choice, optional, text

_COLUMNS = 10
_NEWDOC = re.compile(r"#\s*newdoc(?:[\s_]id)?\s*(?:=(.*))?")
_TOKEN_ID = re.compile("[1-9][0-9]{0,8}")
_SKIPPED_ID = re.compile(r"([0-9]{1,9})([-.])([0-9]{1,9})")
_CONNECTIVE = "conn"
_BEGIN, _INSIDE, _OUTSIDE = "B", "I", "O"
# Kind of marks -> key in MISC -> value in lower case -> its meaning.
_VALUES = {
    "segments": {
        "BeginSeg": {"yes": _BEGIN, "no": _OUTSIDE},
        "Seg": {"b-seg": _BEGIN, "i-seg": _INSIDE, "o": _OUTSIDE},
    },
    "connectives": {
        "Conn": {"b-conn": _BEGIN, "i-conn": _INSIDE, "o": _OUTSIDE, "_": _OUTSIDE},
        "Seg": {"b-conn": _BEGIN, "i-conn": _INSIDE, "o": _OUTSIDE},
    },
}
_EXPECTED = {"segments": "BeginSeg=Yes or Seg=B-seg", "connectives": "Conn=B-conn or Seg=B-Conn"}
_ROLES = {"segments": "beginnings of segments", "connectives": "connectives"}
_CHOICES = {"segments": "boundaries where segments begin", "connectives": "connectives as spans"}


class _Token(NamedTuple):
    line: int
    number: int
    form: str
    misc: str


class _ConlluDocument(NamedTuple):
    name: str
    line: int
    tokens: list[_Token]


def _read(reading: Reading) -> Corpus:
    documents = _documents(reading)
    kind = _kind(reading, documents)
    reading.roles["FORM"] = "words"
    for document in documents:
        with reading.item(document.line, f"item {document.name!r}: "):
            reading.add(document.name, reading.coder_name, _annotation(reading, document, kind))
    return reading.corpus()


def _annotation(reading: Reading, document: _ConlluDocument, kind: str) -> Annotation:
    if reading.options["first"] != "no":
        return _with_first(reading, document, kind)
    forms = [token.form for token in document.tokens]
    if kind == "sentences":
        starts = [i for i, token in enumerate(document.tokens) if token.number == 1]
    else:
        marks = [_mark(reading, token, kind) for token in document.tokens]
        if kind == "connectives":
            return Hierarchy(len(forms), _connectives(reading, document, marks), units=forms)
        starts = [i for i, mark in enumerate(marks) if mark == _BEGIN]
    return Segmentation.from_positions(len(forms), [i for i in starts if i], units=forms)


def _with_first(reading: Reading, document: _ConlluDocument, kind: str) -> Annotation:
    """Return a segmentation with an empty unit before the first token, so that its mark is a boundary."""
    first = reading.options["first"]
    if kind != "segments":
        raise OptionError(f"first={first!r} is for segments; these marks are {kind}")
    reading.notes.append(f"a mark at the first token counts (first={first})")
    tokens = [token for token in document.tokens if first == "yes" or token.number != 1]
    begins = [i for i, token in enumerate(tokens, 1) if _mark(reading, token, kind) == _BEGIN]
    return Segmentation.from_positions(len(tokens) + 1, begins, units=["", *(token.form for token in tokens)])


def _connectives(
    reading: Reading, document: _ConlluDocument, marks: list[str]
) -> Iterator[tuple[int, int, int, str | None]]:
    ignored = reading.options["stray"] == "ignore"
    change = "they are ignored" if ignored else "a connective begins there"
    first, previous = 0, _OUTSIDE
    for i, mark in enumerate([*marks, _OUTSIDE]):
        if mark == _INSIDE and previous != _OUTSIDE:
            continue
        if previous != _OUTSIDE:
            yield first + 1, i, 1, _CONNECTIVE
        if mark == _INSIDE:
            place = f"line {document.tokens[i].line}, item {document.name!r}"
            reading.log.count(f"marks I-conn that follow no connective; {change}", place)
        first, previous = i, _OUTSIDE if mark == _INSIDE and ignored else mark


def _kind(reading: Reading, documents: list[_ConlluDocument]) -> str:
    requested, key = reading.options["boundaries"], reading.options["key"]
    if key is not None and requested not in ("auto", "segments"):
        raise OptionError(f"key is for segments; it cannot be combined with boundaries={requested!r}")
    if requested == "sentences":
        reading.notes.append("the ends of sentences are the boundaries")
        return "sentences"
    cells = {token.misc for document in documents for token in document.tokens}
    values: dict[str, set[str]] = {}
    for name, value in (pair for cell in cells for pair in _pairs(cell)):
        values.setdefault(name, set()).add(value.lower())
    if key is not None:
        if key not in values:
            raise reading.error(None, f"no token has the key {key[:40]!r} in its last column; {_listed(values)}")
        reading.roles[key] = _ROLES["segments"]
        return "segments"
    kinds = [kind for kind in _kinds(values) if requested in ("auto", kind)]
    if len(kinds) != 1:
        raise _unclear(reading, values, kinds)
    (kind,) = kinds
    reading.roles |= dict.fromkeys((name for name in _VALUES[kind] if name in values), _ROLES[kind])
    return kind


def _kinds(values: Mapping[str, set[str]]) -> list[str]:
    """Return the kinds of marks that occur; a file in which ``Seg`` is always ``O`` may be of either kind."""
    shared = values.get("Seg", set())
    kinds = [kind for kind in _VALUES if _occurs(kind, values)]
    if not kinds and shared:
        return list(_VALUES) if shared == {"o"} else ["segments"]
    return kinds


def _occurs(kind: str, values: Mapping[str, set[str]]) -> bool:
    """Return whether a token has a key of this kind, or a value of ``Seg`` that only this kind has."""
    own_keys = _VALUES[kind].keys() - {"Seg"}
    own_values = _VALUES[kind]["Seg"].keys() - {"o"}
    return not own_keys.isdisjoint(values) or not own_values.isdisjoint(values.get("Seg", ()))


def _unclear(reading: Reading, values: Mapping[str, set[str]], kinds: list[str]) -> FormatError:
    """Return the error for a file with several kinds of marks, or with none."""
    if kinds:
        marks = [f"{name}={value}" for name in ("BeginSeg", "Seg", "Conn") for value in sorted(values.get(name, ()))]
        problem = f"the last column has {list_few(marks)}, which may be segments or connectives"
        return AmbiguousFileError(reading.path, problem, [(_CHOICES[kind], {"boundaries": kind}) for kind in kinds])
    requested = reading.options["boundaries"]
    expected = _EXPECTED.get(requested) or " or ".join(_EXPECTED.values())
    hint = "read the ends of sentences with boundaries='sentences', or name the key that begins segments with key=NAME"
    return reading.error(None, f"no token is marked with {expected} in its last column; {_listed(values)}; {hint}")


def _listed(names: Collection[str]) -> str:
    keys = sorted(name[:40] for name in names if name and name != "_")
    return f"the keys are {list_few(keys, 12)}" if keys else "it has no keys"


def _mark(reading: Reading, token: _Token, kind: str) -> str:
    key, result = reading.options["key"], _OUTSIDE
    for name, value in _pairs(token.misc):
        if key is not None:
            result = _BEGIN if name == key else result
        elif name in _VALUES[kind]:
            mark = _VALUES[kind][name].get(value.lower())
            others = [keys.get(name, {}) for other, keys in _VALUES.items() if other != kind]
            if mark is None and not any(value.lower() in values for values in others):
                problem = f"{name} must be one of {', '.join(_VALUES[kind][name])}; got {value[:40]!r}"
                raise reading.error(token.line, f"{problem}; or read with boundaries='sentences'")
            result = mark if mark in (_BEGIN, _INSIDE) and result != _BEGIN else result
    return result


def _documents(reading: Reading) -> list[_ConlluDocument]:
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
    if not documents:
        if not untitled.tokens:
            raise reading.error(None, "expected at least one token; got none")
        return [untitled]
    if untitled.tokens:
        first = next(iter(documents.values()))
        problem = f"a token must belong to a document; the first begins at line {first.line}"
        raise reading.error(untitled.tokens[0].line, problem)
    for document in documents.values():
        if not document.tokens:
            raise reading.error(document.line, f"a document must have a token; {document.name[:60]!r} has none")
    return list(documents.values())


def _token(reading: Reading, number: int, line: str, expected: int) -> _Token | None:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise reading.error(number, f"a token must have {_COLUMNS} columns with tabs between; got {len(cells)}")
    token, form, misc = cells[0], cells[1], cells[-1]
    if match := _SKIPPED_ID.fullmatch(token):
        _check_skipped(reading, number, match, expected)
        _report_skipped(reading, number, token, misc)
        return None
    if not _TOKEN_ID.fullmatch(token) or int(token) != expected:
        raise reading.error(number, f"tokens must be numbered 1, 2, 3 ...; got {token[:40]!r} for {expected}")
    if not form:
        raise reading.error(number, "a token must have a form in column 2; it is empty")
    return _Token(number, expected, form, misc)


def _check_skipped(reading: Reading, line: int, match: re.Match[str], expected: int) -> None:
    """Raise an error if a range does not begin with the next token, or an empty node does not follow its token."""
    first, sign, last = int(match[1]), match[2], int(match[3])
    if sign == "-" and (first != expected or last < first):
        raise reading.error(line, f"a range must begin with the next token, {expected}; got {match[0]}")
    if sign == "." and (first != expected - 1 or last < 1):
        raise reading.error(line, f"an empty node here must be {expected - 1}.1, {expected - 1}.2 ...; got {match[0]}")


def _report_skipped(reading: Reading, line: int, token: str, misc: str) -> None:
    for name, value in _pairs(misc):
        marks = [keys[name].get(value.lower()) for keys in _VALUES.values() if name in keys]
        if name == reading.options["key"] or _BEGIN in marks:
            change = "marks on empty nodes and ranges, which are not units, left out"
            reading.log.count(change, f"line {line}, {token} {name}={value[:40]}")


def _pairs(misc: str) -> list[tuple[str, str]]:
    return [(key, value) for key, _, value in (pair.partition("=") for pair in misc.split("|"))]


def _write(writing: Writing) -> str:
    coder = writing.only_coder()
    id_key = "newdoc_id" if writing.path.lower().endswith(".tok") else "newdoc id"
    blank = "\t_" * (_COLUMNS - 3)
    lines = []
    for item in writing.corpus.item_names:
        units, marks = _marks_of(writing, item, coder)
        lines.append(f"# {id_key} = {item}\n")
        lines += [f"{i}\t{unit}{blank}\t{mark}\n" for i, (unit, mark) in enumerate(zip(units, marks, strict=True), 1)]
        lines.append("\n")
    kind = "connectives" if writing.corpus.holds(Hierarchy) else "segments"
    return writing.check_round_trip("".join(lines), _read, boundaries=kind, key=None)


def _marks_of(writing: Writing, item: str, coder: str) -> tuple[tuple[str, ...], list[str]]:
    annotation = writing.corpus[item, coder]
    if not isinstance(annotation, Hierarchy):
        segmentation, units = writing.text(item, coder)
        starts = {0, *segmentation.inner.tolist()}
        return units, ["BeginSeg=Yes" if i in starts else "_" for i in range(len(units))]
    if annotation.units is None:
        raise writing.error("this format needs the text of the units; write spans JSON or CSV", item, coder)
    marks = ["Conn=O"] * annotation.length
    for start, end, _, label in annotation.spans:
        if label != _CONNECTIVE or {*marks[start - 1 : end]} != {"Conn=O"}:
            problem = f"this format stores connectives: spans with the label {_CONNECTIVE} that do not overlap"
            raise writing.error(f"{problem}; write spans JSON or CSV", item, coder)
        marks[start - 1 : end] = ["Conn=B-conn", *["Conn=I-conn"] * (end - start)]
    return annotation.units, marks


def _looks_like(text: str) -> bool:
    first = next((line for line in lines_of(text[:200_000]) if line.strip() and not line.startswith("#")), "")
    return first.count("\t") == _COLUMNS - 1 and first[0].isdecimal()


def _first(name: str, value: Any) -> str:
    """Check for the option ``first``; the command line turns yes and no into truth values."""
    return choice("no", "yes", "drop")(name, {True: "yes", False: "no"}[value] if isinstance(value, bool) else value)  # type: ignore[no-any-return]


_first.value_type, _first.choices = str, ("no", "yes", "drop")  # type: ignore[attr-defined]  # for the command line

FORMAT = Format(
    name="conllu",
    suffixes=(".conllu", ".tok"),
    other_suffixes=(".txt", ".tsv"),
    description="CoNLL-U and DISRPT's .tok: one line per token, BeginSeg=Yes, Seg=B-seg or Conn=B-conn where one begins",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        *NAME_OPTIONS,
        Option(
            "boundaries",
            "auto",
            choice("auto", "segments", "connectives", "sentences"),
            "marks of segments or of connectives, or the ends of sentences (auto: the marks that occur)",
        ),
        Option(
            "first",
            "no",
            _first,
            "whether a mark at the first token counts, by an empty unit before it; drop also leaves out tokens with the id 1",
        ),
        Option(
            "stray",
            "ignore",
            choice("ignore", "span"),
            "whether an I-conn that follows no connective is ignored or begins a span",
        ),
        Option("key", None, optional(text), "key of the last column that the first token of a segment has"),
    ),
    annotation_types=(Segmentation, Hierarchy),
    names_from_file=("coder",),
    part="column",
    hint="--reading boundaries=segments|connectives|sentences",
)
