"""Plain data: dictionaries, lists, strings, numbers, booleans and None, which results become for JSON text and data frames.

No class writes its own JSON. A dataclass becomes a dictionary of its fields. A class can change that with

- ``json_properties``, names of properties that are added to the fields;
- ``json_if_set``, names of properties that are added unless they are None;
- ``__json__``, a method that returns what is converted in place of the object.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

from caesura.errors import OptionError

_LEVELS = 3  # of a value whose entries have lines of their own: such as envelope, results and rows
_CHARACTERS = 2**20  # characters of a piece of text

_line = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False)
_short_line = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))
_SAME = frozenset((str, int, bool, type(None)))  # types that are plain data as they are


def to_plain(value: Any) -> Any:
    """Return a value as plain data. NaN becomes None and infinity ``"inf"``, because JSON has no such numbers."""
    value = opened(value)
    if type(value) is dict:
        return {name: entry if type(entry) in _SAME else to_plain(entry) for name, entry in value.items()}
    if type(value) is list and not _SAME.issuperset(map(type, value)):
        return [to_plain(entry) for entry in value]
    return value


def opened(value: Any) -> Any:
    """Return what ``value`` becomes in JSON: a dictionary or a list whose entries are not yet plain data, or plain data."""
    return _opener(type(value))(value)  # type: ignore[arg-type]  # mypy: a class is hashable


@cache
def _opener(kind: type) -> Callable[[Any], Any]:
    # An object with named entries becomes a dictionary, any other collection a list, and other objects become text.
    if kind is type(None) or issubclass(kind, (str, int)):
        return lambda value: value
    if issubclass(kind, float):
        return lambda value: value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if hasattr(kind, "__json__"):
        convert: Callable[[Any], Any] = kind.__json__
        return lambda value: opened(convert(value))
    if hasattr(kind, "tolist"):  # numpy arrays and numbers
        return lambda value: opened(value.tolist())
    if is_dataclass(kind):
        return entries_of
    if hasattr(kind, "_asdict"):  # a named tuple
        return lambda value: value._asdict()
    if issubclass(kind, Mapping):
        return lambda value: {key if type(key) is str else key_text(key): entry for key, entry in value.items()}
    if issubclass(kind, Set):
        return lambda value: sorted(map(to_plain, value))
    return list if issubclass(kind, Iterable) else str


def json_entries(value: Any) -> dict[str, Any]:
    """Return the names and values of the JSON object that a result becomes, not yet as plain data."""
    return dict(value.__json__()) if hasattr(type(value), "__json__") else entries_of(value)


def entries_of(value: Any) -> dict[str, Any]:
    """Return the fields and properties of a dataclass that are part of its JSON, not yet as plain data."""
    kind: Any = type(value)
    entries = {name: getattr(value, name) for name in _shown_names(kind)}
    for name in getattr(kind, "json_if_set", ()):
        if (entry := getattr(value, name)) is not None:
            entries[name] = entry
    return entries


@cache
def _shown_names(kind: type) -> tuple[str, ...]:
    shown = [
        entry.name for entry in fields(kind) if entry.metadata.get("json", True) and not entry.name.startswith("_")
    ]
    return tuple(dict.fromkeys((*shown, *getattr(kind, "json_properties", ()))))


def key_text(key: object) -> str:
    """Return the key of a mapping as the name in a JSON object; a tuple has bars between its entries, such as ``"Ann|Bo"``."""
    return key if isinstance(key, str) else "|".join(map(str, key)) if isinstance(key, tuple) else str(key)


def to_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows, which need not have every column, as a data frame of pandas, or of polars if only that is installed."""
    columns = dict.fromkeys(column for row in rows for column in row)
    data = {column: [row.get(column) for row in rows] for column in columns}
    for name in ("pandas", "polars"):
        try:
            library: Any = import_module(name)
        except ImportError:
            continue
        return library.DataFrame(data) if name == "pandas" else library.DataFrame(data, strict=False)
    raise OptionError("to_frame needs pandas or polars; install one of them, such as with `pip install pandas`")


def flatten(plain: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested plain data as one row of a table: column -> text, number, truth value or None.

    Entries of mappings have columns such as ``parts.matches``; an interval has two columns, ``low`` and ``high``; other lists
    become one text, and lists of lists or mappings are left out.

    >>> flatten({"coders": ["Ann", "Bo"], "score": {"value": 0.5}, "interval": [0.4, 0.6]})
    {'coders': 'Ann, Bo', 'score.value': 0.5, 'interval.low': 0.4, 'interval.high': 0.6}
    """
    row: dict[str, Any] = {}
    for name, value in plain.items():
        column = f"{prefix}{name}"
        if isinstance(value, Mapping):
            row |= flatten(value, f"{column}.")
        elif not isinstance(value, list):
            row[column] = value
        elif name == "interval" and len(value) == 2:
            row |= {f"{column}.low": value[0], f"{column}.high": value[1]}
        elif not any(isinstance(entry, (list, dict)) for entry in value):
            row[column] = ", ".join("" if entry is None else str(entry) for entry in value)
    return row


def to_json(value: Any) -> str:
    """Return the plain form of a value as one line of JSON."""
    return _short_line.encode(to_plain(value))


def json_pieces(value: Any) -> Iterator[str]:
    """Yield JSON text in pieces of about a million characters, so that a large table is never in memory as a whole."""
    texts: list[str] = []
    size = 0
    for text in _texts(value, _LEVELS, "\n"):
        texts.append(text)
        size += len(text)
        if size >= _CHARACTERS:
            yield "".join(texts)
            texts, size = [], 0
    yield "".join(texts)


def canonical_json(value: Any) -> bytes:
    """Return plain data as one line of ASCII in which the order of names does not count, for checksums and journals."""
    return json.dumps(value, sort_keys=True).encode("ascii")


def _texts(value: Any, levels: int, margin: str) -> Iterator[str]:
    """Yield the pieces of a value after a margin: a line break and blanks. Entries are converted when it is their turn."""
    value = opened(value)
    if not levels or not value or not isinstance(value, (dict, list)):
        yield _line.encode(to_plain(value))
        return
    inner = margin + "  "
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    names = (f"{_line.encode(name)}: " for name in value) if isinstance(value, dict) else (("",) * len(value))
    for name, entry in zip(names, value.values() if isinstance(value, dict) else value, strict=True):
        yield opening + inner + name
        yield from _texts(entry, levels - 1, inner)
        opening = ","
    yield margin + closing
