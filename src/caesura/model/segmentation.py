"""Linear segmentations: a text of N units and the boundaries that a coder put into it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.limits import MAX_CELLS
from caesura.model import checks
from caesura.model.annotation import (
    HAS_LABELS,
    HAS_NO_TYPES,
    HAS_UNITS,
    HEADER,
    SHAPE_BIT,
    Annotation,
    Axis,
    Range,
    Shape,
    pack_places,
)
from caesura.model.checks import NO_CODES, UNTYPED, Types, check_types, constructors_for, sort_types
from caesura.model.index import flatnonzero, lexsort, searchsorted
from caesura.model.tier import Tier
from caesura.model.value import MAX_UNITS, Displayed, Ints, Numbers, Texts, count_of, read_only

__all__ = ["MAX_DRAWN_UNITS", "UNTYPED", "Segmentation", "check_types", "constructors_for", "sort_types"]

# Texts up to this length are drawn unit by unit in a ``repr``.
MAX_DRAWN_UNITS = 60
_TRUE = np.array([True])
# The slots from which the others follow, in the order of ``Segmentation._fill``.
_STATE = ("length", "boundary_positions", "_codes", "types", "types_declared", "units", "labels")


class Segmentation(Annotation, Displayed):
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

    __slots__ = (*_STATE, "inner", "packed")

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
        scale, n = check_types(types), checks.count(length)
        array, kinds = checks.entries(positions, codes, scale, n)
        labels = checks.unit_texts(labels, n, name="labels", content=" of strings")
        declared = checks.flag(types_declared, "types_declared")
        self._fill(n, array, kinds, scale, declared, checks.unit_texts(units, n), labels)

    @classmethod
    def from_valid_entries(
        cls, length: int, positions: Ints, codes: Ints = NO_CODES, types: tuple[str, ...] = UNTYPED, **options: Any
    ) -> Self:
        """Return the segmentation for arguments of the class that are known to be valid; nothing is checked.

        Readers of large files use this method. :meth:`from_positions` is safe.

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
        self._fill(length, positions, codes, types, **options)
        return self

    @classmethod
    def _at(cls, length: int, positions: Ints, units: Texts | None, labels: tuple[str, ...] | None = None) -> Self:
        self = cls.__new__(cls)
        n = checks.count(length)
        self._fill(n, positions, NO_CODES, UNTYPED, True, checks.unit_texts(units, n), labels)
        return self

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
        """
        array = checks.whole_numbers(masses, "masses")
        if not array.size:
            raise SegmentationError("masses: a text has at least one segment; got none")
        if not 1 <= array.min() <= array.max() <= MAX_UNITS:
            i = int(((array < 1) | (array > MAX_UNITS)).argmax())
            raise SegmentationError(f"masses[{i}]: a mass must be a whole number from 1 to {MAX_UNITS}; got {array[i]}")
        ends = array.cumsum()
        if labels is None:
            return cls._at(int(ends[-1]), ends[:-1], units)
        names, length = checks.as_list(labels, "labels"), checks.count(ends[-1])
        if len(names) != len(array):
            raise SegmentationError(
                f"labels: expected one label per segment; got {len(names)} for {len(array)} segments"
            )
        checks.strings(names, "labels")
        if length > MAX_CELLS:
            raise SegmentationError(f"labels: a text with labels has at most {MAX_CELLS} units; got {length}")
        unit_labels = tuple(name for name, mass in zip(names, array.tolist(), strict=True) for _ in range(mass))
        return cls._at(length, ends[:-1], units, unit_labels)

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
        checks.positions(array, length, length if marks is not None else length - 1)
        if marks is None:
            return cls._at(length, array, units)
        listed = checks.as_list(marks, "marks")
        if len(listed) != len(array):
            raise SegmentationError(f"marks: expected one per position; got {len(listed)} for {len(array)} positions")
        sets = [tuple(mark) if isinstance(mark, (tuple, list, set, frozenset)) else (mark,) for mark in listed]
        if () in sets:
            raise SegmentationError(f"marks[{sets.index(())}]: a position needs a type; got none")
        entries = checks.typed_entries(array.tolist(), sets, types, "marks[{}]".format)
        return cls._typed(length, entries, types, units)

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
        flags = checks.flags(bits, "bits")
        return cls._at(len(flags) + 1, flatnonzero(flags) + 1, units)

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
        flags = checks.flags(starts, "starts")
        return cls._at(len(flags), flatnonzero(flags[1:]) + 1, units)

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
        flags = checks.flags(ends, "ends")
        return cls._at(len(flags), flatnonzero(flags[:-1]) + 1, units)

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
        if types is None and any(mark is not None for mark in marks):
            numbers = (int, float, np.number, np.bool_)
            if all(mark is None or (isinstance(mark, numbers) and mark in (0, 1)) for mark in marks):
                return cls.from_ends([0 if mark is None else mark for mark in marks], units=units)
        length = checks.count(len(marks))
        at = [i for i, mark in enumerate(marks) if not (mark is None or (isinstance(mark, str) and mark == ""))]
        sets: list[tuple[str | int]] = [(marks[i],) for i in at]
        entries = checks.typed_entries([i + 1 for i in at], sets, types, lambda i: f"marks[{at[i]}]")
        return cls._typed(length, entries, types, units)

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
        listed = [() if names is None else names for names in checks.as_list(sets, "sets")]
        for i, names in enumerate(listed):
            if not isinstance(names, Collection) or (isinstance(names, str) and names):
                raise SegmentationError(f"sets[{i}]: expected a set of types; got {names!r}")
        at = [i for i, names in enumerate(listed) if len(names)]
        occupied, length = [tuple(listed[i]) for i in at], checks.count(len(listed) + 1)
        entries = checks.typed_entries([i + 1 for i in at], occupied, types, lambda i: f"sets[{at[i]}]")
        return cls._typed(length, entries, types, units)

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
        for i, label in enumerate(labels):
            if label != label:
                raise SegmentationError(
                    f"labels[{i}]: a label must not be NaN; use an empty string for a missing label"
                )
        changes = [i for i in range(1, len(labels)) if labels[i] != labels[i - 1]]
        return cls._at(len(labels), np.array(changes, np.int64), units, tuple(map(str, labels)))

    @classmethod
    def _typed(
        cls, length: int, entries: tuple[Ints, Ints, tuple[str, ...]], types: Types | None, units: Texts | None
    ) -> Segmentation:
        texts = checks.unit_texts(units, length)
        return cls.from_valid_entries(length, *entries, types_declared=types is not None, units=texts)

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
        return self._with_boundaries(positions, codes, **texts)

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
            raise SegmentationError(f"boundaries[{i}]: {checks.not_declared(self.boundaries[i][1], scale)}")
        return self._with_boundaries(self.boundary_positions, codes, types=scale, types_declared=types_declared)

    def _with_boundaries(self, positions: Ints, codes: Ints, **slots: Any) -> Self:
        """Return the segmentation with different boundaries, which may be in any order."""
        if not (positions[1:] > positions[:-1]).all():
            order = lexsort((codes, positions))
            positions, codes = positions[order], codes[order]
        return self._with(boundary_positions=positions, _codes=codes, **slots)

    def without_labels(self) -> Segmentation:
        """Return the same segmentation without segment labels, which most formats cannot store.

        Returns
        -------
        Segmentation
        """
        return self if self.labels is None else self._with(labels=None)

    def _fill(  # type: ignore[override]  # with positional arguments, because thousands of segmentations are created
        self,
        length: int,
        boundary_positions: Ints,
        _codes: Ints,
        types: tuple[str, ...],
        types_declared: bool = True,
        units: tuple[str, ...] | None = None,
        labels: tuple[str, ...] | None = None,
    ) -> None:
        places, traits = boundary_positions, 0
        if places.size and places.item(-1) == length:
            places = places[: int(searchsorted(places, length))]
        if len(types) > 1:
            places = _distinct(places)
        else:
            _codes = NO_CODES
        if types is UNTYPED or types == UNTYPED:
            types, traits = UNTYPED, HAS_NO_TYPES
            # A text without boundaries and types has no information about types: all such texts are equal.
            types_declared = types_declared or not boundary_positions.size
        if units is not None:
            traits |= HAS_UNITS
        if labels is not None:
            traits |= HAS_LABELS | Shape.PARTITION << SHAPE_BIT
        packed = HEADER.pack(0, length, traits, len(places)) + pack_places(places)
        inner = np.frombuffer(packed, np.int64, -1, HEADER.size)
        _set_length(self, length)
        _set_positions(self, inner if len(inner) == len(boundary_positions) else read_only(boundary_positions))
        _set_codes(self, _codes if _codes is NO_CODES else read_only(_codes))
        _set_types(self, types)
        _set_declared(self, types_declared)
        _set_units(self, units)
        _set_labels(self, labels)
        _set_inner(self, inner)
        _set_packed(self, packed)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _STATE}

    @property
    def axis(self) -> Axis:
        return Axis(0, self.length, tokens=self.units)

    @property
    def texts(self) -> Mapping[str, Segmentation]:
        return {"": self}

    def _cut(self, axis: Axis) -> Segmentation:
        length = checks.count(axis.end)
        kept = self.boundary_positions < length
        labels = None if self.labels is None else (*self.labels, *[""] * length)[:length]
        slots = {"length": length, "units": axis.tokens, "labels": labels}
        return self._with_boundaries(self.boundary_positions[kept], self.codes[kept], **slots)

    @property
    def ranges(self) -> list[Range]:
        labels, ends = self.labels, [0, *self.inner.tolist(), self.length]
        return [(start, end, None if labels is None else labels[start], 1) for start, end in pairwise(ends)]

    @property
    def shape(self) -> Shape:
        return Shape.MARKS if self.labels is None else Shape.PARTITION

    def __len__(self) -> int:
        return self.length

    @property
    def positions(self) -> Ints:
        """Positions that have a boundary, each once, in ascending order. N is included only if it was marked."""
        return self.boundary_positions if not self._codes.size else _distinct(self.boundary_positions)

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

    def _key(self) -> tuple[Any, ...]:  # faster than the general key
        boundaries = self.boundary_positions.tobytes(), self._codes.tobytes()
        return self.length, boundaries, self.types, self.types_declared, self.units, self.labels

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
        >>> from caesura import Segmentation
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


# A dictionary of slots for each segmentation takes longer than these functions.
_set_length, _set_positions, _set_codes, _set_types, _set_declared, _set_units, _set_labels, _set_inner, _set_packed = (
    getattr(Segmentation, name).__set__ for name in Segmentation.__slots__
)


def _distinct(positions: Ints) -> Ints:
    """Return each position once; they are in ascending order."""
    is_new = positions[1:] != positions[:-1]
    return positions if is_new.all() else positions[np.concatenate([_TRUE, is_new])]
