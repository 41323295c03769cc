"""JSON text. All JSON output of the program is created here, by the json module."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from caesura.model.plain import opened, to_plain

_LEVELS = 3  # of a value whose entries have lines of their own: such as envelope, results and rows
_CHARACTERS = 2**20  # characters of a piece of text

_line = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False)
_short_line = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))


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
