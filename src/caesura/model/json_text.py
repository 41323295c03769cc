"""JSON text. All JSON output of the program is created here.

Results can have hundreds of thousands of rows of the same class. Therefore values are encoded by column: all rows are
taken apart, each field of all rows is encoded in a few calls of compiled functions, and the texts are put together with one
template. Large tables are encoded in blocks, so that neither their plain form nor their text is in memory as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import is_dataclass
from functools import cache, lru_cache
from itertools import chain, islice, repeat
from json.encoder import encode_basestring
from operator import attrgetter, is_
from typing import Any

from caesura.model.plain import entries_of, key_text, names_if_set, shown_names, to_plain

_ROWS = 1000  # rows that are encoded together
_FEW = 30  # entries that are encoded one after the other, because each of them may be large
_CHARACTERS = 2**20  # characters of a piece of text
_SPECIAL = {"nan": "null", "inf": '"inf"', "-inf": '"-inf"'}  # numbers that JSON does not have
_ATOMS = (str, int, float, type(None))
_NAMES = frozenset((str,))
_Texts = list[str]


def to_json(value: Any, *, indent: int | None = 2) -> str:
    if indent is None:
        return _one_line.encode(to_plain(value))
    return "".join(_pieces(value, "\n", " " * indent))


_one_line = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))


def json_pieces(value: Any, *, indent: int = 2) -> Iterator[str]:
    """Yield the text of ``to_json`` in pieces of about a million characters."""
    texts: _Texts = []
    size = 0
    for text in _pieces(value, "\n", " " * indent):
        texts.append(text)
        size += len(text)
        if size >= _CHARACTERS:
            yield "".join(texts)
            texts, size = [], 0
    yield "".join(texts)


def canonical_json(value: Any) -> bytes:
    """Return plain data as one line of ASCII in which the order of names does not count, for checksums and journals."""
    return json.dumps(value, sort_keys=True).encode("ascii")


def _pieces(value: Any, margin: str, indent: str) -> Iterator[str]:
    # The margin is the line break with the spaces before the value's last line.
    while not isinstance(value, _ATOMS) and hasattr(type(value), "__json__"):
        value = value.__json__()
    kind: Any = type(value)
    form = _form(kind)
    if form is _objects:
        yield from _object_pieces(entries_of(value), margin, indent)
    elif form is _mappings:
        yield from _object_pieces(value, margin, indent)
    elif form is _lists:
        yield from _list_pieces(value if isinstance(value, Sequence) else list(value), margin, indent)
    else:
        yield from form([value], margin, indent)


def _object_pieces(entries: Mapping[Any, Any], margin: str, indent: str) -> Iterator[str]:
    if not entries:
        yield "{}"
        return
    inner = margin + indent
    separator = "{" + inner
    remaining = iter(_with_names(entries).items())
    if len(entries) <= _FEW:
        for name, value in remaining:
            yield f"{separator}{_name(name)}: "
            yield from _pieces(value, inner, indent)
            separator = "," + inner
    else:
        while block := list(islice(remaining, _ROWS)):
            texts = _encode([value for _, value in block], inner, indent)
            lines = [f"{encode_basestring(name)}: {text}" for (name, _), text in zip(block, texts, strict=True)]
            yield separator + ("," + inner).join(lines)
            separator = "," + inner
    yield margin + "}"


def _list_pieces(entries: Sequence[Any], margin: str, indent: str) -> Iterator[str]:
    if not len(entries):
        yield "[]"
        return
    inner = margin + indent
    separator = "[" + inner
    if len(entries) <= _FEW:
        for entry in entries:
            yield separator
            yield from _pieces(entry, inner, indent)
            separator = "," + inner
    else:
        remaining = iter(entries)
        while block := list(islice(remaining, _ROWS)):
            yield separator + ("," + inner).join(_encode(block, inner, indent))
            separator = "," + inner
    yield margin + "]"


def _with_names(entries: Mapping[Any, Any]) -> Mapping[str, Any]:
    if _NAMES.issuperset(map(type, entries)):
        return entries
    return {key_text(key): value for key, value in entries.items()}


def _encode(values: Sequence[Any], margin: str, indent: str) -> _Texts:
    kinds: set[Any] = set(map(type, values))
    if len(kinds) == 1:
        return _form(kinds.pop())(values, margin, indent)
    texts = [""] * len(values)
    for kind in kinds:
        places = [place for place, value in enumerate(values) if type(value) is kind]
        encoded = _form(kind)([values[place] for place in places], margin, indent)
        for place, text in zip(places, encoded, strict=True):
            texts[place] = text
    return texts


@cache
def _form(kind: type) -> Callable[[Sequence[Any], str, str], _Texts]:
    if kind is type(None):
        return lambda values, *_: ["null"] * len(values)
    if issubclass(kind, str):
        return lambda values, *_: list(map(encode_basestring, values))
    if kind is bool:
        return lambda values, *_: ["true" if value else "false" for value in values]
    if issubclass(kind, int):
        return lambda values, *_: list(map(int.__repr__, values))
    if issubclass(kind, float):
        return lambda values, *_: _floats(values)
    if hasattr(kind, "__json__"):
        convert: Callable[[Any], Any] = kind.__json__
        return lambda values, margin, indent: _encode(list(map(convert, values)), margin, indent)
    if hasattr(kind, "tolist"):
        return lambda values, margin, indent: _encode([value.tolist() for value in values], margin, indent)
    if is_dataclass(kind):
        return _objects
    if hasattr(kind, "_asdict"):
        return lambda values, margin, indent: _mappings([value._asdict() for value in values], margin, indent)
    if issubclass(kind, Mapping):
        return _mappings
    if issubclass(kind, Set):
        return lambda values, margin, indent: _lists([sorted(map(to_plain, value)) for value in values], margin, indent)
    if issubclass(kind, Iterable):
        return _lists
    return lambda values, *_: [encode_basestring(str(value)) for value in values]


def _floats(values: Sequence[float]) -> _Texts:
    texts = list(map(float.__repr__, values))
    return texts if _SPECIAL.keys().isdisjoint(texts) else [_SPECIAL.get(text, text) for text in texts]


def _objects(values: Sequence[Any], margin: str, indent: str) -> _Texts:
    kind: Any = type(values[0])
    for name in names_if_set(kind):
        if any(entry is not None for entry in map(attrgetter(name), values)):
            return _mappings([entries_of(value) for value in values], margin, indent)
    names = shown_names(kind)
    return _rows(names, [list(map(attrgetter(name), values)) for name in names], len(values), margin, indent)


def _mappings(values: Sequence[Mapping[Any, Any]], margin: str, indent: str) -> _Texts:
    values = [_with_names(value) for value in values]
    shapes = set(map(tuple, values))
    if len(shapes) == 1:
        columns = list(map(list, zip(*(value.values() for value in values), strict=True)))
        return _rows(shapes.pop(), columns, len(values), margin, indent)
    inner = margin + indent
    entries = _encode([entry for value in values for entry in value.values()], inner, indent)
    names = map(_name, chain.from_iterable(values))
    lines = map("%s: %s".__mod__, zip(names, entries, strict=True))
    return _grouped(lines, map(len, values), "{", "}", margin, inner)


def _rows(names: tuple[str, ...], columns: Sequence[list[Any]], number: int, margin: str, indent: str) -> _Texts:
    if not names:
        return ["{}"] * number
    texts = [_column(column, margin + indent, indent) for column in columns]
    return list(map(_template(names, margin, indent).__mod__, zip(*texts, strict=True)))


def _column(values: list[Any], margin: str, indent: str) -> _Texts:
    """Return the texts of one field of many rows; what all rows share is encoded once."""
    if all(map(is_, values, repeat(values[0]))):
        return _encode(values[:1], margin, indent) * len(values)
    return _encode(values, margin, indent)


@lru_cache(1000)
def _template(names: tuple[str, ...], margin: str, indent: str) -> str:
    lines = (f"{margin}{indent}{_name(name)}: ".replace("%", "%%") + "%s" for name in names)
    return "{" + ",".join(lines) + margin + "}"


@lru_cache(1000)
def _name(name: str) -> str:
    return encode_basestring(name)


def _lists(values: Sequence[Iterable[Any]], margin: str, indent: str) -> _Texts:
    lists = [value if isinstance(value, (list, tuple)) else list(value) for value in values]
    inner = margin + indent
    entries = list(chain.from_iterable(lists))
    texts = iter(_encode(entries, inner, indent) if entries else ())
    lengths = set(map(len, lists))
    if len(lengths) == 1 and 0 < (length := lengths.pop()) < 5:
        template = f"[{inner}{(',' + inner).join(['%s'] * length)}{margin}]"
        return list(map(template.__mod__, zip(*[texts] * length, strict=True)))
    return _grouped(texts, map(len, lists), "[", "]", margin, inner)


def _grouped(entries: Iterator[str], lengths: Iterable[int], start: str, end: str, margin: str, inner: str) -> _Texts:
    """Return collections of the next entries, as many as each length says."""
    separator = "," + inner
    return [
        f"{start}{inner}{separator.join(islice(entries, length))}{margin}{end}" if length else start + end
        for length in lengths
    ]
