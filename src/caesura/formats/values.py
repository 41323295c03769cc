"""Check values from files of other programs; a value may be missing, have the wrong type or be too large.

The module also matches names of tiers, layers, labels and fields to patterns, and lists names in messages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import islice
from typing import Any

from caesura.errors import CaesuraError, HierarchyError
from caesura.formats.content import NUMBER, describe_value
from caesura.formats.format import Reading
from caesura.model.value import MAX_SECONDS, MAX_UNITS

_MAX_LINE_SEARCHES = 100


def check_whole(place: str, value: object, minimum: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise HierarchyError(f"{place} must be a whole number; got {describe_value(value)}")
    if not minimum <= value <= MAX_UNITS:
        raise HierarchyError(f"{place} must be from {minimum} to {MAX_UNITS}; got {describe_value(value)}")
    return value


def check_time(place: str, value: object) -> float:
    """Check that a value is a time in seconds (finite and not negative), and return it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            time = float(value)
        except OverflowError:
            time = math.inf
        if 0 <= time <= MAX_SECONDS:
            return time
    expected = f"a time in seconds from 0 to {MAX_SECONDS:g}"
    raise HierarchyError(f"{place} must be {expected}; got {describe_value(value)}")


def parse_number(cell: str) -> float | str:
    """Return the decimal number in a cell, or the text of the cell if it is not a number."""
    cell = cell.strip()
    return float(cell) if len(cell) < 400 and NUMBER.fullmatch(cell) else cell[:40]


def check_object(expected: str, value: object, place: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise HierarchyError(f"{place and f'{place}: '}expected {expected}; got {describe_value(value)}")
    return value


def check_list(expected: str, value: object, place: str = "") -> list[Any]:
    if not isinstance(value, list):
        raise HierarchyError(f"{place and f'{place}: '}expected {expected}; got {describe_value(value)}")
    return value


def check_label(place: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise HierarchyError(f"{place} must be a string; got {describe_value(value)}")
    return value


def check_strings(place: str, value: object) -> tuple[str, ...]:
    strings = check_list("a list of strings", value, place)
    for i, entry in enumerate(strings):
        if not isinstance(entry, str):
            raise HierarchyError(f"{place}[{i}]: expected a string; got {describe_value(entry)}")
    if not strings:
        raise HierarchyError(f"{place}: expected at least one; got none")
    return tuple(strings)


@contextmanager
def json_entry(reading: Reading, place: str, *keys: str) -> Iterator[None]:
    """Collect or raise an error that occurs inside the ``with`` block, with the line of an entry of a JSON file."""
    try:
        yield
    except CaesuraError as error:
        # To save time, only the first errors look up their line.
        search = len(reading.excluded or ()) < _MAX_LINE_SEARCHES
        with reading.item(reading.line_of_key(*filter(None, keys)) if search else None, place):
            raise error from None


def import_extra(reading: Reading, module: str, package: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise reading.error(None, f"reading this needs {package}; run pip install 'caesura[{extra}]'") from None


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def list_names(names: Iterable[str]) -> str:
    """Return the first 20 names as text for a message, each cut to 80 characters, or ``none``."""
    return ", ".join(repr(name[:80]) for name in islice(names, 20)) or "none"
