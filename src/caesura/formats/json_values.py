"""Values in JSON documents: the paths that lead to them, and what they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from caesura.errors import InputError
from caesura.formats.content import describe_value

# Text of a value in lower case -> whether it marks a boundary.
MARK_VALUES = {"0": False, "1": True, "-1": False, "true": True, "false": False}


@dataclass(frozen=True)
class Document:
    value: Any
    name: str  # key of the document in its object, or its number, counted from 1
    line: int | None = None  # line of the document in a file with one document per line


def select_documents(documents: Sequence[Document], path: str) -> Iterator[Document]:
    steps = path.replace("[]", ".[]").strip(".").split(".") if path else []
    for document in documents:
        yield from _walk(document, steps)


def _walk(document: Document, steps: Sequence[str]) -> Iterator[Document]:
    if not steps:
        yield document
        return
    step, *rest = steps
    for key, value in _step(document.value, step):
        yield from _walk(Document(value, document.name if key is None else key, document.line), rest)


def _step(value: Any, step: str) -> Iterator[tuple[str | None, Any]]:
    if step == "[]":
        if not isinstance(value, list):
            raise InputError(f"expected a list; got {describe_value(value)}")
        yield from zip(map(str, count(1)), value, strict=False)
    elif step == "*":
        if not isinstance(value, dict):
            raise InputError(f"expected an object; got {describe_value(value)}")
        yield from value.items()
    else:
        yield None, _member(value, step)


def _member(value: Any, name: str) -> Any:
    """Return a field of an object, or an entry of a list by its number."""
    if isinstance(value, dict) and name in value:
        return value[name]
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    raise InputError(f"expected a field {name!r}; got {describe_value(value)}")


def values_at(document: Document, path: str) -> Any:
    steps = path.replace("[]", ".[]").strip(".").split(".")
    values = [entry.value for entry in _walk(document, steps)]
    return values if "[]" in steps or "*" in steps else values[0]


def is_whole_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in value)


def are_marks(values: Iterable[object]) -> bool:
    return all(str(value).lower() in MARK_VALUES for value in values)


def is_nested_text(value: object) -> bool:
    """Return whether a value is a list of segments, each a list of the texts of its units."""
    return isinstance(value, list) and bool(value) and all(map(is_text_list, value))


def is_text_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)
