"""Checks of constructor arguments: ``checks.count(length)`` returns a valid number or raises an error."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from math import isfinite, nan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InputError, SegmentationError
from caesura.model.value import MAX_UNITS, Floats, Ints, Numbers, Texts

# Whole numbers above this limit may not fit a machine word after sums.
MAX_NUMBER = 2**62


def whole_number(value: object) -> int | None:
    if type(value) is int:  # most values; the tests below take longer
        return value
    try:
        return None if isinstance(value, (bool, np.bool_)) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def finite_number(value: object) -> float | None:
    if type(value) is float:  # most values; the tests below take longer
        return value if isfinite(value) else None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def as_list(values: Any, name: str, content: str = "", error: type[InputError] = SegmentationError) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise error(f"{name}: expected a sequence{content}; got {values!r:.80}") from None


def rows(
    values: Any, name: str, form: str, error: type[InputError], number: Callable[[Any], float | None], expected: str
) -> list[list[Any]]:
    """Return rows of a form such as ``(start, end[, label])``: numbers in front are checked, missing entries are None."""
    fields, fewest = re.findall(r"\w+", form), form.partition("[")[0].count(",") + 1
    checked = []
    for i, row in enumerate(as_list(values, name, f" of {form}", error)):
        is_row = type(row) is tuple or (isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str))
        if not is_row or not fewest <= len(row) <= len(fields):
            raise error(f"{name}[{i}]: expected {form}; got {row!r:.80}")
        entries = [*row, *[None] * (len(fields) - len(row))]
        for k in range(1 if fields[0] == "time" else 2):
            entries[k] = number(row[k])
            if entries[k] is None:
                raise error(f"{name}[{i}]: {fields[k]} must be {expected}; got {row[k]!r:.80}")
        checked.append(entries)
    return checked


def flag(value: object, name: str, error: type[InputError] = SegmentationError) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{name}: expected True or False; got {value!r:.80}")
    return bool(value)


def whole_numbers(values: Numbers, name: str, error: type[InputError] = SegmentationError) -> Ints:
    if isinstance(values, str):
        raise error(f"{name}: expected a sequence of whole numbers; got the string {values!r}")
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        if values.dtype.kind == "u" and values.max(initial=0) > MAX_NUMBER:
            raise error(f"{name}: number too large; got {values.max()}")
        return values.astype(np.int64)
    entries = as_list(values, name, " of whole numbers", error)
    if set(map(type, entries)) == {int} and -MAX_NUMBER < min(entries) <= max(entries) < MAX_NUMBER:
        return np.array(entries, np.int64)
    return np.array([_whole_entry(entry, name, i, error) for i, entry in enumerate(entries)], np.int64)


def _whole_entry(entry: object, name: str, i: int, error: type[InputError]) -> int:
    plain = entry.item() if isinstance(entry, np.generic) else entry
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    number = whole_number(plain)
    if number is None:
        raise error(f"{name}[{i}]: expected a whole number; got {plain!r}")
    if not -MAX_NUMBER < number < MAX_NUMBER:
        raise error(f"{name}[{i}]: number too large; got {number}")
    return number


def finite_numbers(
    values: Any, name: str, error: type[InputError] = SegmentationError, expected: str = "a finite number"
) -> Floats:
    if isinstance(values, str):
        raise error(f"{name}: expected a sequence of numbers; got the string {values!r:.80}")
    entries = numbers = values
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iuf":
        entries = numbers = as_list(values, name, " of numbers", error)
        if set(map(type, entries)) - {float}:
            numbers = [nan if (number := finite_number(entry)) is None else number for entry in entries]
    column = np.array(numbers, np.float64)
    if (i := first_true(~np.isfinite(column))) is not None:
        entry = entries[i].item() if isinstance(entries[i], np.generic) else entries[i]
        raise error(f"{name}[{i}]: expected {expected}; got {entry!r:.80}")
    return column


def first_true(mask: NDArray[np.bool_]) -> int | None:
    return int(mask.argmax()) if mask.any() else None


def count(
    number: object, name: str = "length", noun: str = "units", error: type[InputError] = SegmentationError
) -> int:
    whole = whole_number(number)
    if whole is None or not 1 <= whole <= MAX_UNITS:
        actual = repr(number) if whole is None else whole
        raise error(f"{name}: the number of {noun} must be a whole number from 1 to {MAX_UNITS}; got {actual}")
    return whole


def strings(values: Sequence[object], name: str, error: type[InputError] = SegmentationError) -> None:
    if set(map(type, values)) - {str}:  # fast for long texts; a subclass of str is allowed
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise error(f"{name}[{i}]: expected a string; got {value!r:.80}")


def unit_texts(
    units: Texts | None,
    length: int,
    error: type[InputError] = SegmentationError,
    name: str = "units",
    content: str = "",
) -> tuple[str, ...] | None:
    if units is None:
        return None
    texts = units if isinstance(units, tuple) else tuple(as_list(units, name, content, error))
    if len(texts) != length:
        raise error(f"{name}: expected one string per unit; got {len(texts)} for {length} units")
    strings(texts, name, error)
    return texts


def type_name(value: object, place: str, error: type[CaesuraError] = SegmentationError) -> str:
    if (isinstance(value, str) and value) or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
        return str(value)
    raise error(f"{place}: a type must be a name that is not empty; got {value!r}")
