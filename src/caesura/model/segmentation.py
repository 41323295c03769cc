"""Linear segmentations: a text of N units and the boundaries that a coder put into it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.model import checks
from caesura.model.boundaries import (
    MAX_DRAWN_UNITS,
    NO_CODES,
    UNTYPED,
    Boundaries,
    Types,
    are_flags,
    as_flags,
    check_entries,
    check_positions,
    check_set,
    check_types,
    constructors_for,
    encode_sets,
    labels_of_units,
    not_declared,
    sort_types,
    type_names,
)
from caesura.model.index import flatnonzero, lexsort
from caesura.model.tier import Tier
from caesura.model.value import MAX_UNITS, Ints, Numbers, Texts, frozen_array

__all__ = ["MAX_DRAWN_UNITS", "UNTYPED", "Segmentation", "check_types", "constructors_for", "sort_types"]


class Segmentation(Boundaries):
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
        The header of :mod:`caesura.model.annotation` and ``inner``, as 64-bit integers. Kernels read it without asking the
        object; ``inner`` is a view of it.

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

    __slots__ = ()

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
        kinds = checks.whole_numbers(codes, "codes") if len(scale) > 1 else NO_CODES
        check_entries(n, array, kinds, scale)
        if labels is not None:
            labels = checks.unit_labels(labels, n)
        declared = checks.flag(types_declared, "types_declared")
        self._set(n, array, kinds, scale, types_declared=declared, units=units, labels=labels)

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
        if not array.size:
            raise SegmentationError("masses: a text has at least one segment; got none")
        if not 1 <= array.min() <= array.max() <= MAX_UNITS:
            i = int(((array < 1) | (array > MAX_UNITS)).argmax())
            raise SegmentationError(f"masses[{i}]: a mass must be a whole number from 1 to {MAX_UNITS}; got {array[i]}")
        ends = array.cumsum()
        length = checks.count(int(ends[-1]))
        if labels is None:
            return cls.from_valid_positions(length, ends[:-1], checks.unit_texts(units, length))
        unit_labels = labels_of_units(labels, array.tolist(), length)
        return cls.from_valid_entries(length, ends[:-1], NO_CODES, UNTYPED, units=units, labels=unit_labels)

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
        check_positions(array, length, length if marks is not None else length - 1)
        if marks is None:
            return cls.from_valid_positions(length, array, checks.unit_texts(units, length))
        listed = checks.as_list(marks, "marks")
        if len(listed) != len(array):
            raise SegmentationError(f"marks: expected one per position; got {len(listed)} for {len(array)} positions")
        sets = [tuple(mark) if isinstance(mark, (tuple, list, set, frozenset)) else (mark,) for mark in listed]
        if () in sets:
            raise SegmentationError(f"marks[{sets.index(())}]: a position needs a type; got none")
        return cls._from_types(length, array.tolist(), sets, types, units, "marks[{}]".format)

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
        flags = as_flags(bits, "bits")
        return cls.from_valid_entries(
            checks.count(len(flags) + 1), flatnonzero(flags) + 1, NO_CODES, UNTYPED, units=units
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
        flags = as_flags(starts, "starts")
        return cls.from_valid_entries(
            checks.count(len(flags)), flatnonzero(flags[1:]) + 1, NO_CODES, UNTYPED, units=units
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
        flags = as_flags(ends, "ends")
        return cls.from_valid_entries(
            checks.count(len(flags)), flatnonzero(flags[:-1]) + 1, NO_CODES, UNTYPED, units=units
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
        if types is None and are_flags(marks):
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
        sets = [check_set(names, i) for i, names in enumerate(checks.as_list(sets, "sets"))]
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
        return cls.from_valid_entries(length, np.array(changes, np.int64), NO_CODES, UNTYPED, units=units, labels=texts)

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
        named = [type_names(marks, place, i) for i, marks in enumerate(sets)]
        scale = check_types(types) if types is not None else sort_types(set(chain.from_iterable(named))) or UNTYPED
        code_of = {name: code for code, name in enumerate(scale)}
        at, codes = positions, [code_of.get(name, -1) for names in named for name in names]
        if -1 in codes or len(codes) > len(positions):
            at, codes = encode_sets(positions, named, code_of, place)
        return cls.from_valid_entries(
            length, frozen_array(at), frozen_array(codes), scale, types_declared=types is not None, units=units
        )

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
        if scale is self.types and types_declared == self.types_declared:
            return self
        place = {name: i for i, name in enumerate(scale)}
        places = [place.get(name, -1) for name in self.types]
        codes = np.array(places, np.int64)[self.codes]
        if -1 in places and (i := checks.first_true(codes < 0)) is not None:
            raise SegmentationError(f"boundaries[{i}]: {not_declared(self.boundaries[i][1], scale)}")
        texts = {"units": self.units, "labels": self.labels}
        return self._with_boundaries(self.boundary_positions, codes, scale, types_declared=types_declared, **texts)

    def _with_boundaries(self, positions: Ints, codes: Ints, types: tuple[str, ...], **slots: Any) -> Segmentation:
        """Return a segmentation of the same length with boundaries in any order."""
        if not (positions[1:] > positions[:-1]).all():
            order = lexsort((codes, positions))
            positions, codes = positions[order], codes[order]
        return Segmentation.from_valid_entries(self.length, positions, codes, types, **slots)

    def without_labels(self) -> Segmentation:
        """Return the same segmentation without segment labels, which most formats cannot store.

        Returns
        -------
        Segmentation
        """
        return self if self.labels is None else self._with(labels=None)
