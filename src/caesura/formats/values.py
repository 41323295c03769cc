"""Check values from files that other programs wrote: every value may be missing, of another type or too large.

Names of tiers, layers, labels and fields are chosen by pattern and listed in messages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats.format import NUMBER, describe_value
from caesura.model.value import MAX_UNITS


def check_whole(place: str, value: object, minimum: int = 1) -> int:
    """Return a whole number that a kernel can hold.

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
        If the value is not a whole number, too small or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise HierarchyError(f"{place} must be a whole number; got {describe_value(value)}")
    if not minimum <= value <= MAX_UNITS:
        raise HierarchyError(f"{place} must be from {minimum} to {MAX_UNITS}; got {describe_value(value)}")
    return value


def check_time(place: str, value: object) -> float:
    """Return a time in seconds, a finite number from 0 up.

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
        If the value is not such a number.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            time = float(value)
        except OverflowError:
            time = math.inf
        if 0 <= time < math.inf:
            return time
    raise HierarchyError(f"{place} must be a time in seconds from 0 up; got {describe_value(value)}")


def parse_number(cell: str) -> float | str:
    """Return the decimal number in a cell, or the cell itself if it holds none.

    Parameters
    ----------
    cell : str
        Text of the cell.

    Returns
    -------
    float or str
        The number; else the first 40 characters of the cell, for the message of a check.
    """
    cell = cell.strip()
    return float(cell) if len(cell) < 400 and NUMBER.fullmatch(cell) else cell[:40]


def check_object(expected: str, value: object, place: str = "") -> dict[str, Any]:
    """Return a JSON object.

    Parameters
    ----------
    expected : str
        What the object looks like, for the error message.
    value : object
        Value as the file has it.
    place : str, optional
        Where the value is, for the error message.

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
    """Return a JSON list.

    Parameters
    ----------
    expected : str
        What the list looks like, for the error message.
    value : object
        Value as the file has it.
    place : str, optional
        Where the value is, for the error message.

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
    """Return a string or None.

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
        If the value is neither.
    """
    if value is not None and not isinstance(value, str):
        raise HierarchyError(f"{place} must be a string; got {describe_value(value)}")
    return value


def check_strings(place: str, value: object) -> tuple[str, ...]:
    """Return a list of at least one string as a tuple.

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
        If the value is not such a list.
    """
    strings = check_list("a list of strings", value, place)
    for i, entry in enumerate(strings):
        if not isinstance(entry, str):
            raise HierarchyError(f"{place}[{i}]: expected a string; got {describe_value(entry)}")
    if not strings:
        raise HierarchyError(f"{place}: expected at least one; got none")
    return tuple(strings)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name equals one of the patterns or matches it as in a shell.

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
    """Return names for a message: the first 20, at most 80 characters of each, or ``none``.

    Parameters
    ----------
    names : iterable of str
        Names from a file.

    Returns
    -------
    str
        Quoted names with commas between them.

    Examples
    --------
    >>> list_names(["word", "IU"]), list_names([])
    ("'word', 'IU'", 'none')
    """
    return ", ".join(repr(name[:80]) for name in islice(names, 20)) or "none"
