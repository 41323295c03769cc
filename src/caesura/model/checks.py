"""Checks of constructor arguments: ``checks.count(length)`` returns a valid number or raises an error.

The second half checks what segmentations are made of: positions, flags, and scales of boundary types.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from math import isfinite, nan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InputError, SegmentationError
from caesura.model.index import lexsort, repeat
from caesura.model.value import MAX_UNITS, Floats, Ints, Numbers, Texts, frozen_array

# Boundary types, before they are checked.
Types = Iterable[str | int]
# Types of a segmentation whose boundaries are all of one unnamed type.
UNTYPED = ("boundary",)
# Codes of boundaries that are all of one type.
NO_CODES = frozen_array(())
# Whole numbers above this limit may not fit a machine word after sums.
MAX_NUMBER = 2**62
_NUMBER = re.compile("-?[0-9]{1,18}")
_BITS = {0: 0, 1: 1, "0": 0, "1": 1}


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
    if set(map(type, entries)) != {int}:
        for i, entry in enumerate(entries):
            plain = entry.item() if isinstance(entry, np.generic) else entry
            entries[i] = whole_number(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)
            if entries[i] is None:
                raise error(f"{name}[{i}]: expected a whole number; got {plain!r}")
    if entries and not -MAX_NUMBER < min(entries) <= max(entries) < MAX_NUMBER:
        i = next(i for i, entry in enumerate(entries) if not -MAX_NUMBER < entry < MAX_NUMBER)
        raise error(f"{name}[{i}]: number too large; got {entries[i]}")
    return np.array(entries, np.int64)


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


# -- segmentations: positions, flags and scales of types --------------------------------------------------------------


def positions(array: Ints, length: int, last: int) -> None:
    if (i := first_true((array < 1) | (array > last))) is not None:
        if last < 1:
            raise SegmentationError(f"positions[{i}]: a text of one unit has no inner position; got {array[i]}")
        raise SegmentationError(f"positions[{i}]: a position must lie in 1..{last} for {length} units; got {array[i]}")
    if (i := first_true(array[1:] <= array[:-1])) is not None:
        before, here = array[i : i + 2]
        if here == before:
            raise SegmentationError(f"positions[{i + 1}]: a position may occur only once; got {here} again")
        raise SegmentationError(f"positions[{i + 1}]: positions must ascend; got {here} after {before}")


def entries(places: Numbers, codes: Numbers, scale: tuple[str, ...], length: int) -> tuple[Ints, Ints]:
    """Return positions and codes, one entry per (position, type); there are no codes if there is only one type."""
    at = whole_numbers(places, "positions")
    if len(scale) == 1:
        positions(at, length, length)
        return at, NO_CODES
    kinds = whole_numbers(codes, "codes")
    if len(kinds) != len(at):
        raise SegmentationError(f"codes: expected one per position; got {len(kinds)} for {len(at)} positions")
    if (i := first_true((kinds < 0) | (kinds >= len(scale)))) is not None:
        raise SegmentationError(f"codes[{i}]: a code must lie in 0..{len(scale) - 1}; got {kinds[i]}")
    positions(np.unique(at), length, length)
    steps = np.diff(at)
    if (i := first_true((steps < 0) | ((steps == 0) & (np.diff(kinds) <= 0)))) is not None:
        here, before = ((int(at[j]), scale[kinds[j]]) for j in (i + 1, i))
        raise SegmentationError(f"positions[{i + 1}]: positions and types must ascend; got {here} after {before}")
    return at, kinds


def flags(values: str | Sequence[Any] | NDArray[Any], name: str) -> NDArray[np.bool_]:
    if isinstance(values, str):  # fast for long strings
        bits: NDArray[np.int32] = np.frombuffer(values.encode("utf-32-le", "surrogatepass"), np.int32) - ord("0")
    else:
        values = as_list(values, name)
        numbers = [_BITS.get(bit, -1) if isinstance(bit, (int, float, str, np.generic)) else -1 for bit in values]
        bits = np.array(numbers, np.int32)
    if (i := first_true((bits != 0) & (bits != 1))) is not None:
        raise SegmentationError(f"{name}[{i}]: expected 0 or 1; got {values[i]!r}")
    return bits.astype(bool)


def constructors_for(value: object) -> str:
    """Return the constructors that turn a list into a segmentation, with the list filled in, for error messages."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return ""
    entries = value.tolist() if isinstance(value, np.ndarray) else list(value)
    shown = repr(entries if len(entries) <= 12 else [*entries[:10]])[:80]
    shown = shown if len(entries) <= 12 else f"{shown[:-1]}, ...]"
    if not entries or not all(isinstance(entry, (int, np.integer, bool, np.bool_)) for entry in entries):
        forms = {f"from_labels({shown})": "a label per unit", f"from_marks({shown})": "a boundary type per unit"}
    elif all(entry in (0, 1) for entry in entries):
        forms = {
            f"from_starts({shown})": "a segment begins with this unit",
            f"from_ends({shown})": "a segment ends after this unit",
            f"from_bits({shown})": "a boundary between two units",
        }
    else:
        forms = {
            f"from_masses({shown})": "lengths of segments",
            f"from_positions(N, {shown})": "boundaries in a text of N units",
            f"from_labels({shown})": "the segment of each unit",
        }
    return "; use " + ", ".join(f"Segmentation.{form} ({meaning})" for form, meaning in forms.items())


def type_name(value: object, place: str, error: type[CaesuraError] = SegmentationError) -> str:
    if (isinstance(value, str) and value) or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
        return str(value)
    raise error(f"{place}: a type must be a name that is not empty; got {value!r}")


def check_types(types: Types) -> tuple[str, ...]:
    if isinstance(types, str):
        raise SegmentationError(f"types: expected a sequence of names; got the string {types!r}")
    if type(types) is tuple and set(map(type, types)) == {str} and all(types):
        scale = types  # texts that share a scale have the same object, which is fast to compare
    else:
        scale = tuple(type_name(name, f"types[{i}]") for i, name in enumerate(as_list(types, "types")))
    if not scale:
        raise SegmentationError("types: at least one type must be declared; got none")
    if len(set(scale)) < len(scale):
        i, name = next((i, name) for i, name in enumerate(scale) if name in scale[:i])
        raise SegmentationError(f"types[{i}]: a type may be declared only once; got {name!r} again")
    return scale


def sort_types(names: Iterable[str]) -> tuple[str, ...]:
    """Sort types without a declared order: numbers first, in numeric order, then names in alphabetical order."""
    return tuple(sorted(names, key=lambda name: (0, int(name), name) if _NUMBER.fullmatch(name) else (1, 0, name)))


def typed_entries(
    places: list[int], sets: Sequence[Collection[str | int]], types: Types | None, place: Callable[[int], str]
) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Return positions, codes and scale for one set of types per position; ``place`` names a set in error messages."""
    named = [
        [mark if type(mark) is str and mark else type_name(mark, place(i)) for mark in marks]
        for i, marks in enumerate(sets)
    ]
    scale = check_types(types) if types is not None else sort_types(set(chain.from_iterable(named))) or UNTYPED
    code_of = {name: code for code, name in enumerate(scale)}
    listed = [code_of.get(name, -1) for names in named for name in names]
    at, codes = frozen_array(places), frozen_array(listed)
    if len(listed) > len(places) or -1 in listed:
        owner = repeat(np.arange(len(sets)), [*map(len, sets)])
        if -1 in listed:
            i = owner[listed.index(-1)]
            unknown = next(name for name in named[i] if name not in code_of)
            raise SegmentationError(f"{place(i)}: {not_declared(unknown, scale)}")
        order = lexsort((codes, owner))
        owner, codes = owner[order], codes[order]
        if (k := first_true((owner[1:] == owner[:-1]) & (codes[1:] == codes[:-1]))) is not None:
            names = tuple(named[owner[k]])
            raise SegmentationError(f"{place(owner[k])}: a type may occur only once at a position; got {names!r}")
        at = at[owner]
    return at, codes, scale


def not_declared(name: str, scale: Collection[str]) -> str:
    return f"type {name!r} is not declared; the declared types are {', '.join(map(repr, scale))}"
