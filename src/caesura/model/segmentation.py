"""Linear segmentations: a text of N units and the boundaries that a coder put into it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.limits import MAX_LABELLED_UNITS
from caesura.model import checks
from caesura.model.tier import Tier
from caesura.model.value import MAX_UNITS, Displayed, Ints, Numbers, Texts, Value, count_of, frozen_array

Types = Iterable[str | int]
"""Boundary types, before they are checked."""

UNTYPED = ("boundary",)
"""Types of a segmentation whose boundaries are all of one unnamed type."""

MAX_DRAWN_UNITS = 60
"""Texts up to this length are drawn unit by unit in a ``repr``."""

_NO_CODES = frozen_array(())
_NUMBER = re.compile("-?[0-9]{1,18}")
_BITS = {0: 0, 1: 1, "0": 0, "1": 1}


_UNTYPED_SLOTS = (
    ("_codes", _NO_CODES),
    ("types", UNTYPED),
    ("types_declared", True),
    ("labels", None),
    ("_hash", None),
)

HAS_NO_TYPES, HAS_UNITS = 1, 2
"""Bits of the second number of ``Segmentation.packed``."""
_header = Struct("=qq")


class Segmentation(Value, Displayed):
    """A text of N units with sorted boundary positions, each of which has a type or a set of types.

    The constructors ``from_masses``, ``from_positions``, ``from_bits``, ``from_marks``, ``from_sets`` and ``from_labels`` are
    simpler to use. All of them check their arguments.

    Parameters
    ----------
    length : int
        Number of units, N.
    positions : ndarray of int64
        Position of each boundary, one entry per (position, type), sorted by position and then by type.
    codes : ndarray of int64
        Index into ``types`` for each entry of ``positions``; ignored if there is only one type.
    types : tuple of str
        Boundary types in ordinal order.
    types_declared : bool, default True
        Whether the types and their order were declared.
    units : iterable of str, optional
        Text of each unit.
    labels : tuple of str, optional
        Segment label of each unit.

    Raises
    ------
    SegmentationError
        If an argument is invalid or does not match the others; the message names it.

    Attributes
    ----------
    length : int
        Number of units, N.
    types : tuple of str
        Boundary types in ordinal order.
    types_declared : bool
        Whether the types were declared (True) or collected from the boundaries (False).
    units : tuple of str or None
        Text of each unit, if it is known.
    labels : tuple of str or None
        Segment label of each unit, if there are labels.
    inner : ndarray of int64
        Positions 1..N-1 that have a boundary, each once, in ascending order. Window measures and crisp measures use these.
    boundary_positions : ndarray of int64
        Position of each entry of ``boundaries``; a position with two types appears twice.
    packed : bytes
        N, two bits (whether all boundaries are of one unnamed type; whether the texts of the units are known), and ``inner``,
        as 64-bit integers. Kernels read it without asking the object; ``inner`` is a view of it.

    Notes
    -----
    Position i (1 <= i <= N-1) lies between unit i and unit i+1. Position N is the end of the text. Only ``from_marks``, and
    ``from_positions`` with marks, can put a boundary there, and only the flexible measures use it.

    Types form an ordinal scale in the order of their declaration. Two segmentations are equal if their lengths,
    boundaries, types, units and labels are equal and their types were either both declared or both collected. Measures
    treat declared types differently from collected types.

    Examples
    --------
    >>> Segmentation.from_masses([2, 3, 6])
    Segmentation(11 units: ··|···|······)
    >>> Segmentation.from_masses([2, 3, 6]) == Segmentation.from_positions(11, [2, 5])
    True
    """

    __slots__ = (
        "_codes",
        "boundary_positions",
        "inner",
        "labels",
        "length",
        "packed",
        "types",
        "types_declared",
        "units",
    )

    length: int
    types: tuple[str, ...]
    types_declared: bool
    units: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    inner: Ints
    boundary_positions: Ints
    packed: bytes
    _codes: Ints  # empty if there is only one type

    def __init__(
        self,
        length: int,
        positions: Ints,
        codes: Ints,
        types: tuple[str, ...],
        *,
        types_declared: bool = True,
        units: Texts | None = None,
        labels: tuple[str, ...] | None = None,
    ) -> None:
        scale = check_types(types)
        n, array = checks.count(length), checks.whole_numbers(positions, "positions")
        kinds = checks.whole_numbers(codes, "codes") if len(scale) > 1 else _NO_CODES
        _check_entries(n, array, kinds, scale)
        if labels is not None:
            labels = checks.unit_labels(labels, n)
        declared = checks.flag(types_declared, "types_declared")
        self._set(n, array, kinds, scale, types_declared=declared, units=units, labels=labels)

    @classmethod
    def from_valid_entries(
        cls, length: int, positions: Ints, codes: Ints, types: tuple[str, ...], **options: Any
    ) -> Segmentation:
        """Return the segmentation for arguments of the class that are known to be valid; only units are checked.

        Parameters
        ----------
        length, positions, codes, types
            See the class.
        **options
            ``types_declared``, ``units`` and ``labels``; see the class.

        Returns
        -------
        Segmentation
        """
        self = cls.__new__(cls)
        self._set(length, positions, codes, types, **options)
        return self

    def _set(
        self,
        length: int,
        positions: Ints,
        codes: Ints,
        types: tuple[str, ...],
        *,
        types_declared: bool = True,
        units: Texts | None = None,
        labels: tuple[str, ...] | None = None,
    ) -> None:
        codes = codes if len(types) > 1 else _NO_CODES
        # A text without boundaries and types has no information about types: all such texts are equal.
        declared = types_declared or (types == UNTYPED and not positions.size)
        texts = {"units": checks.unit_texts(units, length), "labels": labels}
        boundaries = {"boundary_positions": positions, "_codes": codes}
        self._fill(length=length, **boundaries, types=types, types_declared=declared, **texts)

    @classmethod
    def _complete(cls, slots: dict[str, Any]) -> dict[str, Any]:
        """Return the slots with ``inner`` and ``packed``, which follow from the others."""
        length, positions = slots["length"], slots["boundary_positions"]
        types = UNTYPED if slots["types"] == UNTYPED else slots["types"]
        inner = np.unique(positions) if slots["_codes"].size else positions
        inner = inner[:-1] if inner.size and inner[-1] == length else inner
        packed = _pack(length, inner, has_types=types is not UNTYPED, has_units=slots["units"] is not None)
        inner = np.frombuffer(packed, np.int64, offset=_header.size)
        slots |= {"boundary_positions": inner} if inner.size == positions.size else {}
        return slots | {"inner": inner, "packed": packed, "types": types}

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _STATE}

    # -- constructors ---------------------------------------------------------------------------------------------

    @classmethod
    def from_masses(cls, masses: Numbers, *, units: Texts | None = None, labels: Texts | None = None) -> Segmentation:
        """Return the segmentation with these segment lengths.

        Parameters
        ----------
        masses : sequence of int
            Number of units of each segment.
        units : iterable of str, optional
            Text of each unit.
        labels : iterable of str, optional
            Label of each segment; it applies to every unit of the segment. Unlike in ``from_labels``, neighbouring segments
            may have the same label.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If a mass is not a whole number of at least 1, or the number of units or labels does not match.

        Examples
        --------
        >>> Segmentation.from_masses([2, 3, 6]).positions.tolist()
        [2, 5]
        """
        array = checks.whole_numbers(masses, "masses")
        if (i := checks.first_true((array < 1) | (array > MAX_UNITS))) is not None:
            raise SegmentationError(f"masses[{i}]: a mass must be a whole number from 1 to {MAX_UNITS}; got {array[i]}")
        if not array.size:
            raise SegmentationError("masses: a text has at least one segment; got none")
        ends = np.cumsum(array)
        length = checks.count(int(ends[-1]))
        unit_labels = None if labels is None else _labels_of_units(labels, array.tolist(), length)
        return cls.from_valid_entries(length, ends[:-1], _NO_CODES, UNTYPED, units=units, labels=unit_labels)

    @classmethod
    def from_positions(
        cls,
        length: int,
        positions: Numbers,
        *,
        marks: Sequence[str | int | Collection[str | int]] | None = None,
        types: Types | None = None,
        units: Texts | None = None,
    ) -> Segmentation:
        """Return the segmentation with boundaries at these positions.

        Parameters
        ----------
        length : int
            Number of units, N.
        positions : sequence of int
            Boundary positions from 1 to N-1, in ascending order. With ``marks``, N (the end of the text) is also allowed.
        marks : sequence of str, int or collections of these, optional
            Type, or set of types, of each position.
        types : iterable of str or int, optional
            All boundary types in ordinal order (default: those that occur). Requires ``marks``.
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If a position lies outside the text, positions do not ascend, or marks, types or units do not match them.
        """
        length = checks.count(length)
        array = checks.whole_numbers(positions, "positions")
        if marks is None and types is not None:
            raise SegmentationError("types require marks, one for each position; got no marks")
        _check_positions(array, length, length if marks is not None else length - 1)
        if marks is None:
            return cls.from_valid_entries(length, array, _NO_CODES, UNTYPED, units=units)
        listed = checks.as_list(marks, "marks")
        if len(listed) != len(array):
            raise SegmentationError(f"marks: expected one per position; got {len(listed)} for {len(array)} positions")
        sets = [tuple(mark) if isinstance(mark, (tuple, list, set, frozenset)) else (mark,) for mark in listed]
        if () in sets:
            raise SegmentationError(f"marks[{sets.index(())}]: a position needs a type; got none")
        return cls._from_types(length, array.tolist(), sets, types, units, "marks[{}]".format)

    @classmethod
    def from_valid_positions(cls, length: int, positions: Ints, units: tuple[str, ...] | None = None) -> Segmentation:
        """Return the segmentation with boundaries at positions that are known to be valid; nothing is checked.

        Readers of large files use this method. :meth:`from_positions` is safe.

        Parameters
        ----------
        length : int
            Number of units, N.
        positions : ndarray of int64
            Boundary positions from 1 to N-1, in ascending order.
        units : tuple of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation
        """
        packed = _pack(length, positions, has_types=False, has_units=units is not None)
        inner = np.frombuffer(packed, np.int64, offset=_header.size)
        self = cls.__new__(cls)
        for name, value in zip(_OWN_SLOTS, (length, inner, inner, packed, units), strict=True):
            object.__setattr__(self, name, value)
        for name, value in _UNTYPED_SLOTS:
            object.__setattr__(self, name, value)
        return self

    @staticmethod
    def from_times(times: Sequence[float] | NDArray[Any], *, duration: float, begin: float = 0.0) -> Tier:
        """Return boundaries in seconds, for measures that compare times.

        Parameters
        ----------
        times : sequence of float
            Times of the boundaries in seconds, in ascending order.
        duration : float
            End of the recording in seconds.
        begin : float, default 0
            Beginning of the recording in seconds.

        Returns
        -------
        Tier
            A tier with one point per boundary. It has no units: measures that need units refuse it, and
            :func:`~caesura.over_units` converts it.

        Raises
        ------
        TierError
            If a time is invalid, lies outside the recording, or times do not ascend.

        Examples
        --------
        >>> Segmentation.from_times([12.0, 15.5], duration=60.0)
        Tier(2 points from 0 to 60 s)
        """
        values = times.tolist() if isinstance(times, np.ndarray) else times
        return Tier(points=[(time, "") for time in checks.as_list(values, "times")], begin=begin, end=duration)

    @classmethod
    def from_bits(cls, bits: str | Sequence[Any] | NDArray[Any], *, units: Texts | None = None) -> Segmentation:
        """Return the segmentation for N-1 bits, one per inner position.

        Parameters
        ----------
        bits : str or sequence
            0 and 1 as characters, numbers or booleans. ``"0100"`` means five units with a boundary after the second.
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If an entry is neither 0 nor 1.
        """
        flags = _flags(bits, "bits")
        return cls.from_valid_entries(
            checks.count(len(flags) + 1), np.flatnonzero(flags) + 1, _NO_CODES, UNTYPED, units=units
        )

    @classmethod
    def from_starts(cls, starts: Sequence[Any] | NDArray[Any], *, units: Texts | None = None) -> Segmentation:
        """Return the segmentation for N flags that tell whether a segment begins with the unit.

        Parameters
        ----------
        starts : sequence
            0 and 1 as numbers or booleans, one per unit. The first unit always begins a segment; its flag is ignored.
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If an entry is neither 0 nor 1, or there is none.

        Examples
        --------
        >>> Segmentation.from_starts([1, 0, 0, 1])
        Segmentation(4 units: ···|·)
        """
        flags = _flags(starts, "starts")
        return cls.from_valid_entries(
            checks.count(len(flags)), np.flatnonzero(flags[1:]) + 1, _NO_CODES, UNTYPED, units=units
        )

    @classmethod
    def from_ends(cls, ends: Sequence[Any] | NDArray[Any], *, units: Texts | None = None) -> Segmentation:
        """Return the segmentation for N flags that tell whether a segment ends after the unit.

        Parameters
        ----------
        ends : sequence
            0 and 1 as numbers or booleans, one per unit. A segment always ends after the last unit; its flag is ignored.
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If an entry is neither 0 nor 1, or there is none.

        Examples
        --------
        >>> Segmentation.from_ends([0, 0, 1, 1])
        Segmentation(4 units: ···|·)
        """
        flags = _flags(ends, "ends")
        return cls.from_valid_entries(
            checks.count(len(flags)), np.flatnonzero(flags[:-1]) + 1, _NO_CODES, UNTYPED, units=units
        )

    @classmethod
    def from_marks(
        cls, marks: Sequence[str | int | None], *, types: Types | None = None, units: Texts | None = None
    ) -> Segmentation:
        """Return the segmentation for N marks, one per unit, including the last unit.

        Parameters
        ----------
        marks : sequence of str, int, bool or None
            Type of the boundary after each unit; ``""`` or None for no boundary. If no types are declared and there are only
            0, 1, booleans and None, 1 is a boundary without a type and 0 is none; a 1 after the last unit is ignored.
        types : iterable of str or int, optional
            All boundary types in ordinal order (default: those that occur).
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If a mark is not a type, a type is not declared, or the number of units does not match.
        """
        if isinstance(marks, str):
            raise SegmentationError("marks: expected a sequence with one mark per unit; got one string")
        marks = checks.as_list(marks, "marks")
        if types is None and _are_flags(marks):
            return cls.from_ends([0 if mark is None else mark for mark in marks], units=units)
        length = checks.count(len(marks))
        at = [i for i, mark in enumerate(marks) if not (mark is None or (isinstance(mark, str) and mark == ""))]
        sets: list[tuple[str | int]] = [(marks[i],) for i in at]
        return cls._from_types(length, [i + 1 for i in at], sets, types, units, lambda i: f"marks[{at[i]}]")

    @classmethod
    def from_sets(
        cls, sets: Sequence[Collection[str | int]], types: Types | None = None, *, units: Texts | None = None
    ) -> Segmentation:
        """Return the segmentation for N-1 sets of types, one per inner position.

        Parameters
        ----------
        sets : sequence of collections of str or int
            Types of the boundaries at each inner position; an empty set or None for no boundary.
        types : iterable of str or int, optional
            All boundary types in ordinal order (default: those that occur).
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If an entry is not a set of types, a type is not declared, or the number of units does not match.
        """
        sets = [_check_set(names, i) for i, names in enumerate(checks.as_list(sets, "sets"))]
        length = checks.count(len(sets) + 1)
        at = [i for i, names in enumerate(sets) if len(names)]
        occupied = [tuple(sets[i]) for i in at]
        return cls._from_types(length, [i + 1 for i in at], occupied, types, units, lambda i: f"sets[{at[i]}]")

    @classmethod
    def from_labels(cls, labels: Sequence[Any], *, units: Texts | None = None) -> Segmentation:
        """Return the segmentation for N labels, one per unit, with a boundary at every change of label.

        Parameters
        ----------
        labels : sequence
            Segment label of each unit. Labels are stored as strings.
        units : iterable of str, optional
            Text of each unit.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If a label is NaN, or the number of units does not match.
        """
        labels = checks.as_list(labels, "labels")
        length = checks.count(len(labels))
        for i, label in enumerate(labels):
            if isinstance(label, (float, np.floating)) and math.isnan(label):
                raise SegmentationError(
                    f"labels[{i}]: a label must not be NaN; use an empty string for a missing label"
                )
        texts = tuple(str(label) for label in labels)
        changes = [i for i in range(1, length) if labels[i] != labels[i - 1]]
        return cls.from_valid_entries(
            length, np.array(changes, np.int64), _NO_CODES, UNTYPED, units=units, labels=texts
        )

    @classmethod
    def _from_types(
        cls,
        length: int,
        positions: list[int],
        sets: Sequence[Collection[str | int]],
        types: Types | None,
        units: Texts | None,
        place: Callable[[int], str],
    ) -> Segmentation:
        """Return the segmentation for one set of types per position; ``place`` names a set in error messages."""
        named = [_type_names(marks, place, i) for i, marks in enumerate(sets)]
        scale = check_types(types) if types is not None else sort_types(set(chain.from_iterable(named))) or UNTYPED
        code_of = {name: code for code, name in enumerate(scale)}
        at, codes = positions, [code_of.get(name, -1) for names in named for name in names]
        if -1 in codes or len(codes) > len(positions):
            at, codes = _encode_sets(positions, named, code_of, place)
        return cls.from_valid_entries(
            length, frozen_array(at), frozen_array(codes), scale, types_declared=types is not None, units=units
        )

    # -- content --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.length

    @property
    def positions(self) -> Ints:
        """Positions that have a boundary, each once, in ascending order. N is included only if it was marked."""
        return self.boundary_positions if not self._codes.size else np.unique(self.boundary_positions)

    @property
    def boundaries(self) -> tuple[tuple[int, str], ...]:
        """All (position, type) pairs, sorted by position and then by the order of the types."""
        names = map(self.types.__getitem__, self.codes.tolist())
        return tuple(zip(self.boundary_positions.tolist(), names, strict=True))

    @property
    def codes(self) -> Ints:
        """Index into ``types`` for each entry of ``boundaries``."""
        return self._codes if self._codes.size else np.zeros(self.boundary_positions.size, np.int64)

    @property
    def masses(self) -> tuple[int, ...]:
        """Segment lengths; they add up to N."""
        return tuple(np.diff(self.inner, prepend=0, append=self.length).tolist())

    @property
    def exclusive(self) -> bool:
        """Whether every position has at most one type."""
        return self.boundary_positions.size == self.positions.size

    def bits(self) -> str:
        """Return one character per inner position: ``"1"`` for a boundary, ``"0"`` for no boundary.

        Returns
        -------
        str
        """
        marks = np.full(self.length - 1, ord("0"), np.uint8)
        marks[self.inner - 1] = ord("1")
        return marks.tobytes().decode("ascii")

    def sets(self) -> tuple[frozenset[str], ...]:
        """Return the set of types after each unit, including the last unit.

        Returns
        -------
        tuple of frozenset of str
        """
        marks: list[set[str]] = [set() for _ in range(self.length)]
        for position, name in self.boundaries:
            marks[position - 1].add(name)
        return tuple(map(frozenset, marks))

    # -- variations -----------------------------------------------------------------------------------------------

    def reversed(self) -> Segmentation:
        """Return the segmentation of the text read backwards.

        Returns
        -------
        Segmentation
            The reversed segmentation. A mark at the end of the text has no counterpart and is left out.
        """
        inside = self.boundary_positions < self.length
        positions, codes = self.length - self.boundary_positions[inside], self.codes[inside]
        texts = {"units": self.units and self.units[::-1], "labels": self.labels and self.labels[::-1]}
        return self._with_boundaries(positions, codes, self.types, types_declared=self.types_declared, **texts)

    def with_types(self, types: Types, *, types_declared: bool = True) -> Segmentation:
        """Return the same boundaries with a different scale of types.

        Parameters
        ----------
        types : iterable of str or int
            The scale in ordinal order. It must contain every type that occurs.
        types_declared : bool, default True
            Whether the order of the types was declared; False if the types were collected from texts.

        Returns
        -------
        Segmentation

        Raises
        ------
        SegmentationError
            If a type that occurs is missing from the scale.
        """
        scale = check_types(types)
        place = {name: i for i, name in enumerate(scale)}
        codes = np.array([place.get(name, -1) for name in self.types], np.int64)[self.codes]
        if (i := checks.first_true(codes < 0)) is not None:
            raise SegmentationError(f"boundaries[{i}]: {_not_declared(self.boundaries[i][1], scale)}")
        texts = {"units": self.units, "labels": self.labels}
        return self._with_boundaries(self.boundary_positions, codes, scale, types_declared=types_declared, **texts)

    def _with_boundaries(self, positions: Ints, codes: Ints, types: tuple[str, ...], **slots: Any) -> Segmentation:
        """Return a segmentation of the same length with boundaries in any order."""
        order = np.lexsort((codes, positions))
        return Segmentation.from_valid_entries(self.length, positions[order], codes[order], types, **slots)

    def without_labels(self) -> Segmentation:
        """Return the same segmentation without segment labels, which most formats cannot store.

        Returns
        -------
        Segmentation
        """
        return self if self.labels is None else self._with(labels=None)

    # -- value ----------------------------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:  # faster than the general key
        boundaries = (self.boundary_positions.tobytes(), self._codes.tobytes())
        return (self.length, boundaries, self.types, self.types_declared, self.units, self.labels)

    def __repr__(self) -> str:
        head = f"Segmentation({count_of(self.length, 'unit')}"
        if self.length <= MAX_DRAWN_UNITS:
            return f"{head}: {self.draw()})"
        masses = self.masses
        first = "|".join(map(str, masses[:6])) + ("|…" if len(masses) > 6 else "")
        types = "" if self.types == UNTYPED else f", types {' < '.join(self.types[:6])}"
        return f"{head}, {len(masses)} segments: {first}{types})"

    def draw(self) -> str:
        """Draw the segmentation: one dot per unit, ``|`` for untyped boundaries, otherwise the types of each boundary.

        Returns
        -------
        str

        Examples
        --------
        >>> Segmentation.from_marks(["", ",", "", "", "."]).draw()
        '··,···.'
        >>> Segmentation.from_sets([set(), {"act", "scene"}, set()], types=["scene", "act"]).draw()
        '··{scene+act}··'
        """
        if self.types == UNTYPED:
            return "|".join("·" * mass for mass in self.masses)
        at: dict[int, list[str]] = {}
        for position, name in self.boundaries:
            at.setdefault(position, []).append(name)
        short = all(len(name) == 1 for name in self.types)
        cells = []
        for unit in range(1, self.length + 1):
            names = at.get(unit, [])
            mark = "".join(names) if short and len(names) < 2 else "{" + "+".join(names) + "}" if names else ""
            cells.append("·" + mark)
        return "".join(cells)


_STATE = tuple(name for name in Segmentation.__slots__ if name not in ("inner", "packed"))
_OWN_SLOTS = ("length", "boundary_positions", "inner", "packed", "units")


def _pack(length: int, inner: Ints, *, has_types: bool, has_units: bool) -> bytes:
    """Return the header and the inner positions; see ``Segmentation.packed``."""
    header = _header.pack(length, HAS_NO_TYPES * (not has_types) | HAS_UNITS * has_units)
    return b"".join((header, np.ascontiguousarray(inner, np.int64).data))  # join copies the positions once


# -- types ------------------------------------------------------------------------------------------------------------


def check_types(types: Types) -> tuple[str, ...]:
    """Check a scale of boundary types and return it.

    Parameters
    ----------
    types : iterable of str or int
        Types in ordinal order.

    Returns
    -------
    tuple of str

    Raises
    ------
    SegmentationError
        If there is no type, a type is empty, or a type occurs twice.
    """
    if isinstance(types, str):
        raise SegmentationError(f"types: expected a sequence of names; got the string {types!r}")
    scale = tuple(_type_name(name, f"types[{i}]") for i, name in enumerate(checks.as_list(types, "types")))
    if not scale:
        raise SegmentationError("types: at least one type must be declared; got none")
    for i, name in enumerate(scale):
        if name in scale[:i]:
            raise SegmentationError(f"types[{i}]: a type may be declared only once; got {name!r} again")
    return scale


def sort_types(names: Iterable[str]) -> tuple[str, ...]:
    """Sort types without a declared order: numbers first, in numeric order, then names in alphabetical order.

    Parameters
    ----------
    names : iterable of str
        The types that occur.

    Returns
    -------
    tuple of str
    """
    return tuple(sorted(names, key=lambda name: (0, int(name), name) if _NUMBER.fullmatch(name) else (1, 0, name)))


def _type_name(mark: object, place: str) -> str:
    if (isinstance(mark, str) and mark) or (isinstance(mark, (int, np.integer)) and not isinstance(mark, bool)):
        return str(mark)
    raise SegmentationError(f"{place}: a type must be a name that is not empty; got {mark!r}")


def _type_names(marks: Collection[str | int], place: Callable[[int], str], i: int) -> list[str]:
    """Return the names of types. ``place(i)`` is computed only for an error message."""
    return [mark if type(mark) is str and mark else _type_name(mark, place(i)) for mark in marks]


def _encode_sets(
    positions: list[int], sets: list[list[str]], code_of: dict[str, int], place: Callable[[int], str]
) -> tuple[list[int], list[int]]:
    """Return the position and the code of each boundary; raise an error if a type is unknown or repeated."""
    at: list[int] = []
    codes: list[int] = []
    for i, (position, names) in enumerate(zip(positions, sets, strict=True)):
        unknown = next((name for name in names if name not in code_of), None)
        if unknown is not None:
            raise SegmentationError(f"{place(i)}: {_not_declared(unknown, code_of)}")
        codes_here = sorted({code_of[name] for name in names})
        if len(codes_here) < len(names):
            raise SegmentationError(f"{place(i)}: a type may occur only once at a position; got {tuple(names)!r}")
        at += [position] * len(codes_here)
        codes += codes_here
    return at, codes


def _not_declared(name: str, scale: Iterable[str]) -> str:
    return f"type {name!r} is not declared; the declared types are {', '.join(map(repr, scale))}"


def _check_set(names: object, i: int) -> Collection[str | int]:
    """Return a set of types; None and an empty string are empty sets."""
    if names is None:
        return ()
    if not isinstance(names, Collection) or (isinstance(names, str) and names):
        raise SegmentationError(f"sets[{i}]: expected a set of types; got {names!r}")
    return names


# -- checks -----------------------------------------------------------------------------------------------------------


def _check_positions(array: Ints, length: int, last: int) -> None:
    """Raise an error unless the positions are ascending numbers from 1 to ``last``."""
    if (i := checks.first_true((array < 1) | (array > last))) is not None:
        if last < 1:
            raise SegmentationError(f"positions[{i}]: a text of one unit has no inner position; got {array[i]}")
        raise SegmentationError(f"positions[{i}]: a position must lie in 1..{last} for {length} units; got {array[i]}")
    if (i := checks.first_true(np.diff(array) <= 0)) is not None:
        before, here = array[i : i + 2]
        if here == before:
            raise SegmentationError(f"positions[{i + 1}]: a position may occur only once; got {here} again")
        raise SegmentationError(f"positions[{i + 1}]: positions must ascend; got {here} after {before}")


def _check_entries(length: int, positions: Ints, codes: Ints, types: tuple[str, ...]) -> None:
    """Raise an error unless positions and codes fit the text and its types, and ascend."""
    if len(types) == 1:
        _check_positions(positions, length, length)
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


def _labels_of_units(labels: Iterable[str], masses: list[int], length: int) -> tuple[str, ...]:
    """Return the label of each unit, given the label of each segment."""
    names = checks.as_list(labels, "labels")
    if len(names) != len(masses):
        raise SegmentationError(f"labels: expected one label per segment; got {len(names)} for {len(masses)} segments")
    checks.strings(names, "labels")
    if length > MAX_LABELLED_UNITS:
        raise SegmentationError(f"labels: a text with labels has at most {MAX_LABELLED_UNITS} units; got {length}")
    return tuple(name for name, mass in zip(names, masses, strict=True) for _ in range(mass))


def _flags(values: str | Sequence[Any] | NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Convert 0 and 1, given as numbers, booleans or characters, to booleans."""
    if isinstance(values, str):  # fast for long strings
        flags: NDArray[np.int32] = np.frombuffer(values.encode("utf-32-le", "surrogatepass"), np.int32) - ord("0")
    else:
        values = checks.as_list(values, name)
        numbers = [_BITS.get(bit, -1) if isinstance(bit, (int, float, str, np.generic)) else -1 for bit in values]
        flags = np.array(numbers, np.int32)
    if (i := checks.first_true((flags != 0) & (flags != 1))) is not None:
        raise SegmentationError(f"{name}[{i}]: expected 0 or 1; got {values[i]!r}")
    return flags.astype(bool)


def _are_flags(marks: Iterable[object]) -> bool:
    """Return whether marks are 0, 1, booleans and None, and not only None."""
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
