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
from caesura.limits import MAX_SECONDS
from caesura.model.value import MAX_UNITS

_MAX_LINE_SEARCHES = 100


def check_whole(place: str, value: object, minimum: int = 1) -> int:
    """Check that a value is a whole number in the range of the kernels, and return it.

    Parameters
    ----------
    place : str
        Name of the value, for the error message.
    value : object
        Value as the file has it.
    minimum : int, default 1
        Smallest number allowed.

    Returns
    -------
    int
        The value.

    Raises
    ------
    HierarchyError
        If the value is not a whole number, or is too small or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise HierarchyError(f"{place} must be a whole number; got {describe_value(value)}")
    if not minimum <= value <= MAX_UNITS:
        raise HierarchyError(f"{place} must be from {minimum} to {MAX_UNITS}; got {describe_value(value)}")
    return value


def check_time(place: str, value: object) -> float:
    """Check that a value is a time in seconds (finite and not negative), and return it.

    Parameters
    ----------
    place : str
        Name of the value, for the error message.
    value : object
        Value as the file has it.

    Returns
    -------
    float
        The time.

    Raises
    ------
    HierarchyError
        If the value is not a number, is negative or is not finite.
    """
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
    """Return the decimal number in a cell, or the text of the cell if it is not a number.

    Parameters
    ----------
    cell : str
        Text of the cell.

    Returns
    -------
    float or str
        The number, or the first 40 characters of the cell for an error message.
    """
    cell = cell.strip()
    return float(cell) if len(cell) < 400 and NUMBER.fullmatch(cell) else cell[:40]


def check_object(expected: str, value: object, place: str = "") -> dict[str, Any]:
    """Check that a value is a JSON object, and return it.

    Parameters
    ----------
    expected : str
        Form of the object, for the error message.
    value : object
        Value as the file has it.
    place : str, optional
        Place of the value, for the error message.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    HierarchyError
        If the value is not an object.
    """
    if not isinstance(value, dict):
        raise HierarchyError(f"{place and f'{place}: '}expected {expected}; got {describe_value(value)}")
    return value


def check_list(expected: str, value: object, place: str = "") -> list[Any]:
    """Check that a value is a JSON list, and return it.

    Parameters
    ----------
    expected : str
        Form of the list, for the error message.
    value : object
        Value as the file has it.
    place : str, optional
        Place of the value, for the error message.

    Returns
    -------
    list
        The list.

    Raises
    ------
    HierarchyError
        If the value is not a list.
    """
    if not isinstance(value, list):
        raise HierarchyError(f"{place and f'{place}: '}expected {expected}; got {describe_value(value)}")
    return value


def check_label(place: str, value: object) -> str | None:
    """Check that a value is a string or None, and return it.

    Parameters
    ----------
    place : str
        Name of the value, for the error message.
    value : object
        Value as the file has it.

    Returns
    -------
    str or None
        The value.

    Raises
    ------
    HierarchyError
        If the value is neither a string nor None.
    """
    if value is not None and not isinstance(value, str):
        raise HierarchyError(f"{place} must be a string; got {describe_value(value)}")
    return value


def check_strings(place: str, value: object) -> tuple[str, ...]:
    """Check that a value is a list of one or more strings, and return it as a tuple.

    Parameters
    ----------
    place : str
        Name of the list, for the error message.
    value : object
        Value as the file has it.

    Returns
    -------
    tuple of str
        The strings.

    Raises
    ------
    HierarchyError
        If the value is not a list, is empty or contains a value that is not a string.
    """
    strings = check_list("a list of strings", value, place)
    for i, entry in enumerate(strings):
        if not isinstance(entry, str):
            raise HierarchyError(f"{place}[{i}]: expected a string; got {describe_value(entry)}")
    if not strings:
        raise HierarchyError(f"{place}: expected at least one; got none")
    return tuple(strings)


@contextmanager
def json_entry(reading: Reading, place: str, *keys: str) -> Iterator[None]:
    """Collect or raise an error that occurs inside the ``with`` block, with the line of an entry of a JSON file.

    Parameters
    ----------
    reading : Reading
        File that is being read.
    place : str
        Prefix of the message, such as ``"item 'a': "``.
    *keys : str
        Keys of the entry, starting with the outermost. Empty keys are ignored.

    Yields
    ------
    None
        Control to the block.
    """
    try:
        yield
    except CaesuraError as error:
        # To save time, only the first errors look up their line.
        search = len(reading.excluded or ()) < _MAX_LINE_SEARCHES
        with reading.item(reading.line_of_key(*filter(None, keys)) if search else None, place):
            raise error from None


def import_extra(reading: Reading, module: str, package: str, extra: str) -> Any:
    """Import a module of an optional dependency.

    Parameters
    ----------
    reading : Reading
        File that is being read, for the error message.
    module : str
        Name of the module.
    package : str
        Name of the package that contains it.
    extra : str
        Optional dependency group of this project that installs the package.

    Returns
    -------
    module
        The module.

    Raises
    ------
    FormatError
        If the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise reading.error(None, f"reading this needs {package}; run pip install 'caesura[{extra}]'") from None


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name equals one of the patterns or matches it as a shell wildcard.

    Parameters
    ----------
    name : str
        Name of a tier, layer or label.
    patterns : iterable of str
        Names, or patterns such as ``"PER*"``.

    Returns
    -------
    bool
        Whether one of the patterns matches.

    Examples
    --------
    >>> matches("IU [ann]", ["IU [ann]"]), matches("IU bo", ["IU *"]), matches("word", ["IU *"])
    (True, True, False)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def list_names(names: Iterable[str]) -> str:
    """Return the first 20 names as text for a message, each cut to 80 characters, or ``none``.

    Parameters
    ----------
    names : iterable of str
        Names from a file.

    Returns
    -------
    str
        Quoted names, separated by commas.

    Examples
    --------
    >>> list_names(["word", "IU"]), list_names([])
    ("'word', 'IU'", 'none')
    """
    return ", ".join(repr(name[:80]) for name in islice(names, 20)) or "none"
