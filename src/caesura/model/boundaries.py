"""Checks of the arguments from which a segmentation is created, and the scales of boundary types."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.limits import MAX_CELLS
from caesura.model import checks
from caesura.model.index import lexsort, repeat
from caesura.model.value import Ints, frozen_array

# Boundary types, before they are checked.
Types = Iterable[str | int]
# Types of a segmentation whose boundaries are all of one unnamed type.
UNTYPED = ("boundary",)
# Codes of boundaries that are all of one type.
NO_CODES = frozen_array(())
_NUMBER = re.compile("-?[0-9]{1,18}")
_BITS = {0: 0, 1: 1, "0": 0, "1": 1}


def check_positions(array: Ints, length: int, last: int) -> None:
    if (i := checks.first_true((array < 1) | (array > last))) is not None:
        if last < 1:
            raise SegmentationError(f"positions[{i}]: a text of one unit has no inner position; got {array[i]}")
        raise SegmentationError(f"positions[{i}]: a position must lie in 1..{last} for {length} units; got {array[i]}")
    if (i := checks.first_true(array[1:] <= array[:-1])) is not None:
        before, here = array[i : i + 2]
        if here == before:
            raise SegmentationError(f"positions[{i + 1}]: a position may occur only once; got {here} again")
        raise SegmentationError(f"positions[{i + 1}]: positions must ascend; got {here} after {before}")


def check_entries(length: int, positions: Ints, codes: Ints, types: tuple[str, ...]) -> None:
    if len(types) == 1:
        check_positions(positions, length, length)
        return
    if len(codes) != len(positions):
        raise SegmentationError(f"codes: expected one per position; got {len(codes)} for {len(positions)} positions")
    if (i := checks.first_true((codes < 0) | (codes >= len(types)))) is not None:
        raise SegmentationError(f"codes[{i}]: a code must lie in 0..{len(types) - 1}; got {codes[i]}")
    check_positions(np.unique(positions), length, length)
    steps = np.diff(positions)
    if (i := checks.first_true((steps < 0) | ((steps == 0) & (np.diff(codes) <= 0)))) is not None:
        here, before = ((int(positions[j]), types[codes[j]]) for j in (i + 1, i))
        raise SegmentationError(f"positions[{i + 1}]: positions and types must ascend; got {here} after {before}")


def labels_of_units(labels: Iterable[str], masses: list[int], length: int) -> tuple[str, ...]:
    names = checks.as_list(labels, "labels")
    if len(names) != len(masses):
        raise SegmentationError(f"labels: expected one label per segment; got {len(names)} for {len(masses)} segments")
    checks.strings(names, "labels")
    if length > MAX_CELLS:  # a short file can declare a long text
        raise SegmentationError(f"labels: a text with labels has at most {MAX_CELLS} units; got {length}")
    return tuple(name for name, mass in zip(names, masses, strict=True) for _ in range(mass))


def as_flags(values: str | Sequence[Any] | NDArray[Any], name: str) -> NDArray[np.bool_]:
    if isinstance(values, str):  # fast for long strings
        flags: NDArray[np.int32] = np.frombuffer(values.encode("utf-32-le", "surrogatepass"), np.int32) - ord("0")
    else:
        values = checks.as_list(values, name)
        numbers = [_BITS.get(bit, -1) if isinstance(bit, (int, float, str, np.generic)) else -1 for bit in values]
        flags = np.array(numbers, np.int32)
    if (i := checks.first_true((flags != 0) & (flags != 1))) is not None:
        raise SegmentationError(f"{name}[{i}]: expected 0 or 1; got {values[i]!r}")
    return flags.astype(bool)


def are_flags(marks: Iterable[object]) -> bool:
    """Return whether marks are 0, 1, booleans and None, and not only None."""
    filled = [mark for mark in marks if mark is not None]
    return bool(filled) and all(
        isinstance(mark, (int, float, np.number, np.bool_)) and mark in (0, 1) for mark in filled
    )


def constructors_for(value: object) -> str:
    """Return the constructors that turn a list into a segmentation, with the list filled in, for error messages."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return ""
    entries = value.tolist() if isinstance(value, np.ndarray) else list(value)
    shown = repr(entries if len(entries) <= 12 else [*entries[:10]])[:80]
    shown = shown if len(entries) <= 12 else f"{shown[:-1]}, ...]"
    if entries and all(isinstance(entry, (int, np.integer, bool, np.bool_)) for entry in entries):
        if all(entry in (0, 1) for entry in entries):
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
    else:
        forms = {f"from_labels({shown})": "a label per unit", f"from_marks({shown})": "a boundary type per unit"}
    return "; use " + ", ".join(f"Segmentation.{form} ({meaning})" for form, meaning in forms.items())


def check_types(types: Types) -> tuple[str, ...]:
    if isinstance(types, str):
        raise SegmentationError(f"types: expected a sequence of names; got the string {types!r}")
    if type(types) is tuple and set(map(type, types)) == {str} and all(types):
        scale = types  # texts that share a scale have the same object, which is fast to compare
    else:
        scale = tuple(checks.type_name(name, f"types[{i}]") for i, name in enumerate(checks.as_list(types, "types")))
    if not scale:
        raise SegmentationError("types: at least one type must be declared; got none")
    seen: set[str] = set()
    for i, name in enumerate(scale):
        if name in seen:
            raise SegmentationError(f"types[{i}]: a type may be declared only once; got {name!r} again")
        seen.add(name)
    return scale


def sort_types(names: Iterable[str]) -> tuple[str, ...]:
    """Sort types without a declared order: numbers first, in numeric order, then names in alphabetical order."""
    return tuple(sorted(names, key=lambda name: (0, int(name), name) if _NUMBER.fullmatch(name) else (1, 0, name)))


def type_names(marks: Collection[str | int], place: Callable[[int], str], i: int) -> list[str]:
    return [mark if type(mark) is str and mark else checks.type_name(mark, place(i)) for mark in marks]


def encode_sets(
    positions: list[int], sets: list[list[str]], scale: tuple[str, ...], place: Callable[[int], str]
) -> tuple[Ints, Ints]:
    """Return the position and the code of each type, in order; ``place`` names a set in error messages."""
    code_of = {name: code for code, name in enumerate(scale)}
    listed = [code_of.get(name, -1) for names in sets for name in names]
    at, codes = frozen_array(positions), frozen_array(listed)
    if len(listed) > len(positions) or -1 in listed:
        rows = repeat(np.arange(len(sets)), [*map(len, sets)])
        if -1 in listed:
            i = rows[listed.index(-1)]
            unknown = next(name for name in sets[i] if name not in code_of)
            raise SegmentationError(f"{place(i)}: {not_declared(unknown, scale)}")
        order = lexsort((codes, rows))
        rows, codes = rows[order], codes[order]
        if (k := checks.first_true((rows[1:] == rows[:-1]) & (codes[1:] == codes[:-1]))) is not None:
            names = tuple(sets[rows[k]])
            raise SegmentationError(f"{place(rows[k])}: a type may occur only once at a position; got {names!r}")
        at = at[rows]
    return at, codes


def not_declared(name: str, scale: Iterable[str]) -> str:
    return f"type {name!r} is not declared; the declared types are {', '.join(map(repr, scale))}"


def check_set(names: object, i: int) -> Collection[str | int]:
    if names is None:
        return ()
    if not isinstance(names, Collection) or (isinstance(names, str) and names):
        raise SegmentationError(f"sets[{i}]: expected a set of types; got {names!r}")
    return names
