"""Checks of the arguments from which a segmentation is created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.limits import MAX_LABELLED_UNITS
from caesura.model import checks
from caesura.model.value import Ints

_BITS = {0: 0, 1: 1, "0": 0, "1": 1}


def check_positions(array: Ints, length: int, last: int) -> None:
    """Raise an error unless the positions ascend and lie in the text.

    Parameters
    ----------
    array : ndarray of int64
        The positions.
    length : int
        Number of units.
    last : int
        The largest position.

    Raises
    ------
    SegmentationError
        If a position is not allowed; the message names it.
    """
    if (i := checks.first_true((array < 1) | (array > last))) is not None:
        if last < 1:
            raise SegmentationError(f"positions[{i}]: a text of one unit has no inner position; got {array[i]}")
        raise SegmentationError(f"positions[{i}]: a position must lie in 1..{last} for {length} units; got {array[i]}")
    if (i := checks.first_true(np.diff(array) <= 0)) is not None:
        before, here = array[i : i + 2]
        if here == before:
            raise SegmentationError(f"positions[{i + 1}]: a position may occur only once; got {here} again")
        raise SegmentationError(f"positions[{i + 1}]: positions must ascend; got {here} after {before}")


def check_entries(length: int, positions: Ints, codes: Ints, types: tuple[str, ...]) -> None:
    """Raise an error unless positions and codes fit the text and its types, and ascend.

    Parameters
    ----------
    length : int
        Number of units.
    positions, codes : ndarray of int64
        Position and type of each boundary.
    types : tuple of str
        Boundary types.

    Raises
    ------
    SegmentationError
        If an entry is not allowed; the message names it.
    """
    if len(types) == 1:
        check_positions(positions, length, length)
        return
    if len(codes) != len(positions):
        raise SegmentationError(f"codes: expected one per position; got {len(codes)} for {len(positions)} positions")
    if (i := checks.first_true((codes < 0) | (codes >= len(types)))) is not None:
        raise SegmentationError(f"codes[{i}]: a code must lie in 0..{len(types) - 1}; got {codes[i]}")
    if (i := checks.first_true((positions < 1) | (positions > length))) is not None:
        problem = f"a position must lie in 1..{length} for {length} units; got {positions[i]}"
        raise SegmentationError(f"positions[{i}]: {problem}")
    steps = np.diff(positions)
    if (i := checks.first_true((steps < 0) | ((steps == 0) & (np.diff(codes) <= 0)))) is not None:
        here, before = ((int(positions[j]), types[codes[j]]) for j in (i + 1, i))
        raise SegmentationError(f"positions[{i + 1}]: positions and types must ascend; got {here} after {before}")


def labels_of_units(labels: Iterable[str], masses: list[int], length: int) -> tuple[str, ...]:
    """Return the label of each unit.

    Parameters
    ----------
    labels : iterable of str
        Label of each segment.
    masses : list of int
        Units of each segment.
    length : int
        Number of units.

    Returns
    -------
    tuple of str

    Raises
    ------
    SegmentationError
        If there is not one label per segment, or the text is too long for labels.
    """
    names = checks.as_list(labels, "labels")
    if len(names) != len(masses):
        raise SegmentationError(f"labels: expected one label per segment; got {len(names)} for {len(masses)} segments")
    checks.strings(names, "labels")
    if length > MAX_LABELLED_UNITS:
        raise SegmentationError(f"labels: a text with labels has at most {MAX_LABELLED_UNITS} units; got {length}")
    return tuple(name for name, mass in zip(names, masses, strict=True) for _ in range(mass))


def as_flags(values: str | Sequence[Any] | NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Convert 0 and 1 to booleans.

    Parameters
    ----------
    values : str, sequence or ndarray
        Numbers, booleans or characters.
    name : str
        Name of the argument, for the error message.

    Returns
    -------
    ndarray of bool

    Raises
    ------
    SegmentationError
        If an entry is neither 0 nor 1.
    """
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
    """Return whether marks are 0, 1, booleans and None, and not only None.

    Parameters
    ----------
    marks : iterable of object
        The marks.

    Returns
    -------
    bool
    """
    filled = [mark for mark in marks if mark is not None]
    return bool(filled) and all(
        isinstance(mark, (int, float, np.number, np.bool_)) and mark in (0, 1) for mark in filled
    )


def constructors_for(value: object) -> str:
    """Return the constructors that turn a list into a segmentation, with the list filled in, for error messages.

    Parameters
    ----------
    value : object
        Any value. The text is empty unless it is a list, a tuple or an array.

    Returns
    -------
    str
        A text such as ``"; use Segmentation.from_bits([0, 1]) for ..."``.
    """
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
