"""The content of a segmentation: the number of units, the boundaries with their types, and texts and labels of units.

Below the class are the checks of the arguments from which a segmentation is created, and the scales of boundary types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.limits import MAX_LABELLED_UNITS
from caesura.model import checks
from caesura.model.annotation import HAS_LABELS, HAS_NO_TYPES, HAS_UNITS, HEADER, Shape, pack_header
from caesura.model.index import searchsorted
from caesura.model.value import Displayed, Ints, Texts, Value, count_of, frozen_array, read_only

# Texts up to this length are drawn unit by unit in a ``repr``.
MAX_DRAWN_UNITS = 60

# Boundary types, before they are checked.
Types = Iterable[str | int]
# Types of a segmentation whose boundaries are all of one unnamed type.
UNTYPED = ("boundary",)
# Codes of boundaries that are all of one type.
NO_CODES = frozen_array(())
_NUMBER = re.compile("-?[0-9]{1,18}")


class Boundaries(Value, Displayed):
    """Base class of ``Segmentation``, with its content but without its constructors."""

    # See there for the attributes. ``from_valid_entries`` and ``from_valid_positions`` create objects from valid arrays.

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

    @classmethod
    def from_valid_entries(
        cls, length: int, positions: Ints, codes: Ints, types: tuple[str, ...], **options: Any
    ) -> Self:
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

    @classmethod
    def from_valid_positions(cls, length: int, positions: Ints, units: tuple[str, ...] | None = None) -> Self:
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
        traits = HAS_NO_TYPES if units is None else HAS_NO_TYPES | HAS_UNITS
        packed = (
            pack_header(0, length, traits, Shape.MARKS, len(positions))
            + positions.astype(np.int64, "C", copy=False).tobytes()
        )
        inner = np.frombuffer(packed, np.int64, -1, HEADER.size)
        self = cls.__new__(cls)
        _set_length(self, length)
        _set_inner(self, inner)
        _set_positions(self, inner)
        _set_packed(self, packed)
        _set_units(self, units)
        _set_codes(self, NO_CODES)
        _set_types(self, UNTYPED)
        _set_declared(self, True)
        _set_labels(self, None)
        _set_hash(self, None)
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
        codes = codes if len(types) > 1 else NO_CODES
        types = UNTYPED if types == UNTYPED else types
        units = checks.unit_texts(units, length)
        packed = _pack(
            length,
            positions,
            codes,
            has_types=types is not UNTYPED,
            has_units=units is not None,
            has_labels=labels is not None,
        )
        inner = np.frombuffer(packed, np.int64, -1, HEADER.size)
        # Thousands of segmentations are created; a dictionary of slots for each takes longer than the slots.
        _set_length(self, length)
        _set_inner(self, inner)
        _set_positions(self, inner if inner.size == positions.size else read_only(positions))
        _set_packed(self, packed)
        _set_units(self, units)
        _set_codes(self, read_only(codes))
        _set_types(self, types)
        # A text without boundaries and types has no information about types: all such texts are equal.
        _set_declared(self, types_declared or (types is UNTYPED and not positions.size))
        _set_labels(self, labels)
        _set_hash(self, None)

    @classmethod
    def _complete(cls, slots: dict[str, Any]) -> dict[str, Any]:
        """Return the slots with ``inner`` and ``packed``, which follow from the others."""
        positions = slots["boundary_positions"]
        types = UNTYPED if slots["types"] == UNTYPED else slots["types"]
        flags = {"has_types": types is not UNTYPED, "has_units": slots["units"] is not None}
        flags["has_labels"] = slots["labels"] is not None
        packed = _pack(slots["length"], positions, slots["_codes"], **flags)
        inner = np.frombuffer(packed, np.int64, -1, HEADER.size)
        slots |= {"boundary_positions": inner} if inner.size == positions.size else {}
        return slots | {"inner": inner, "packed": packed, "types": types}

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _STATE}

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


_STATE = tuple(name for name in Boundaries.__slots__ if name not in ("inner", "packed"))


def _setter(name: str) -> Callable[[Boundaries, Any], None]:
    setter: Callable[[Boundaries, Any], None] = getattr(Boundaries, name).__set__
    return setter


_set_length, _set_units, _set_labels = _setter("length"), _setter("units"), _setter("labels")
_set_positions, _set_inner, _set_packed = _setter("boundary_positions"), _setter("inner"), _setter("packed")
_set_codes, _set_types, _set_declared = _setter("_codes"), _setter("types"), _setter("types_declared")
_set_hash = _setter("_hash")


def _distinct(positions: Ints) -> Ints:
    """Return each position once; they are in ascending order."""
    is_new = positions[1:] != positions[:-1]
    return positions if is_new.all() else positions[np.concatenate([_TRUE, is_new])]


_TRUE = np.array([True])


def _pack(length: int, positions: Ints, codes: Ints, *, has_types: bool, has_units: bool, has_labels: bool) -> bytes:
    if positions.size and positions[-1] == length:
        positions = positions[: int(searchsorted(positions, length))]
    if codes.size:
        positions = _distinct(positions)
    traits = HAS_NO_TYPES * (not has_types) | HAS_UNITS * has_units | HAS_LABELS * has_labels
    shape = Shape.PARTITION if has_labels else Shape.MARKS
    return pack_header(0, length, traits, shape, len(positions)) + positions.astype(np.int64, "C", copy=False).tobytes()


_BITS = {0: 0, 1: 1, "0": 0, "1": 1}


def check_positions(array: Ints, length: int, last: int) -> None:
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
    names = checks.as_list(labels, "labels")
    if len(names) != len(masses):
        raise SegmentationError(f"labels: expected one label per segment; got {len(names)} for {len(masses)} segments")
    checks.strings(names, "labels")
    if length > MAX_LABELLED_UNITS:
        raise SegmentationError(f"labels: a text with labels has at most {MAX_LABELLED_UNITS} units; got {length}")
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
        scale = tuple(_type_name(name, f"types[{i}]") for i, name in enumerate(checks.as_list(types, "types")))
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


def _type_name(mark: object, place: str) -> str:
    if (isinstance(mark, str) and mark) or (isinstance(mark, (int, np.integer)) and not isinstance(mark, bool)):
        return str(mark)
    raise SegmentationError(f"{place}: a type must be a name that is not empty; got {mark!r}")


def type_names(marks: Collection[str | int], place: Callable[[int], str], i: int) -> list[str]:
    return [mark if type(mark) is str and mark else _type_name(mark, place(i)) for mark in marks]


def encode_sets(
    positions: list[int], sets: list[list[str]], code_of: dict[str, int], place: Callable[[int], str]
) -> tuple[list[int], list[int]]:
    at: list[int] = []
    codes: list[int] = []
    for i, (position, names) in enumerate(zip(positions, sets, strict=True)):
        unknown = next((name for name in names if name not in code_of), None)
        if unknown is not None:
            raise SegmentationError(f"{place(i)}: {not_declared(unknown, code_of)}")
        codes_here = sorted({code_of[name] for name in names})
        if len(codes_here) < len(names):
            raise SegmentationError(f"{place(i)}: a type may occur only once at a position; got {tuple(names)!r}")
        at += [position] * len(codes_here)
        codes += codes_here
    return at, codes


def not_declared(name: str, scale: Iterable[str]) -> str:
    return f"type {name!r} is not declared; the declared types are {', '.join(map(repr, scale))}"


def check_set(names: object, i: int) -> Collection[str | int]:
    if names is None:
        return ()
    if not isinstance(names, Collection) or (isinstance(names, str) and names):
        raise SegmentationError(f"sets[{i}]: expected a set of types; got {names!r}")
    return names
