"""A text of N units and the boundaries somebody put into it."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.model.display import Displayed

UNTYPED = ("boundary",)
"""The types of a segmentation whose boundaries are all of one unnamed kind."""

MAX_UNITS = 2**31 - 1
_DRAWN = 60  # units that a repr still draws one by one
_LABELLED = 10**7  # units that can carry labels, one each: a short file may claim a text that fills the memory

Ints = NDArray[np.int64]


class Segmentation(Displayed):
    """N units, the sorted positions of boundaries, and for each a type or a set of types.

    Position i (1 <= i <= N-1) lies between unit i and unit i+1; position N is the end of the text, where only
    ``from_marks`` can put a boundary and only the flexible family looks. Types form an ordinal scale in the order in
    which they are declared. Two segmentations are equal if lengths, boundaries, types, units and labels are.

    >>> Segmentation.from_masses([2, 3, 6])
    Segmentation(11 units: ··|···|······)
    >>> Segmentation.from_masses([2, 3, 6]) == Segmentation.from_positions(11, [2, 5])
    True
    """

    __slots__ = (
        "_codes",
        "_hash",
        "boundary_positions",
        "inner",
        "labels",
        "length",
        "types",
        "types_declared",
        "units",
    )

    length: int
    """Number of units, N."""
    types: tuple[str, ...]
    """The kinds of boundary, in ordinal order."""
    types_declared: bool
    """Whether the types were given (True) or collected from what occurs (False)."""
    units: tuple[str, ...] | None
    """The text, a string a unit, where it is known."""
    labels: tuple[str, ...] | None
    """A segment label for each unit, where there are any."""
    inner: Ints
    """Positions 1..N-1 that carry a boundary, each once, rising. What window and crisp measures see."""
    # One entry a (position, type), sorted; codes index ``types``, and are empty if there is one type only.
    boundary_positions: Ints
    _codes: Ints
    _hash: int | None

    def __init__(
        self,
        length: int,
        positions: Ints,
        codes: Ints,
        types: tuple[str, ...],
        *,
        types_declared: bool = True,
        units: Iterable[str] | None = None,
        labels: tuple[str, ...] | None = None,
    ) -> None:
        """Use the ``from_...`` constructors: this one trusts the arrays it is given."""
        put = object.__setattr__
        put(self, "length", length)
        put(self, "types", types)
        put(self, "types_declared", types_declared)
        put(self, "units", _check_units(units, length))
        put(self, "labels", labels)
        positions.flags.writeable = False
        codes.flags.writeable = False
        put(self, "boundary_positions", positions)
        put(self, "_codes", codes)
        inner = np.unique(positions) if codes.size else positions
        if inner.size and inner[-1] == length:
            inner = inner[:-1]
        inner.flags.writeable = False
        put(self, "inner", inner)
        put(self, "_hash", None)

    # -- constructors ---------------------------------------------------------------------------------------------

    @classmethod
    def from_masses(
        cls,
        masses: Sequence[int] | NDArray[Any],
        *,
        units: Iterable[str] | None = None,
        labels: Iterable[str] | None = None,
    ) -> Segmentation:
        """Segment lengths: ``[2, 3, 6]`` is 11 units with boundaries at 2 and 5.

        ``labels`` has one string a segment, which every unit of the segment then carries. Unlike in ``from_labels``,
        neighbours may have the same.
        """
        array = _whole_numbers(masses, "masses")
        bad = np.flatnonzero((array < 1) | (array > MAX_UNITS))
        if bad.size:
            i = int(bad[0])
            raise SegmentationError(f"masses[{i}]: a mass must be a whole number from 1 to {MAX_UNITS}; got {array[i]}")
        if not array.size:
            raise SegmentationError("masses: a text has at least one segment; got none")
        ends = np.cumsum(array)
        length = _check_length(int(ends[-1]))
        names = None if labels is None else _spread(labels, array.tolist(), length)
        return cls(length, ends[:-1].copy(), _NO_CODES, UNTYPED, units=units, labels=names)

    @classmethod
    def from_positions(
        cls,
        length: int,
        positions: Sequence[int] | NDArray[Any],
        *,
        marks: Sequence[str | int | Collection[str | int]] | None = None,
        types: Iterable[str | int] | None = None,
        units: Iterable[str] | None = None,
    ) -> Segmentation:
        """Boundary positions, rising, each from 1 to N-1.

        ``marks`` gives each position a type or a set of types; position N may then be marked too.
        """
        length = _check_length(length)
        array = _whole_numbers(positions, "positions")
        if marks is None and types is not None:
            raise SegmentationError("types: they need marks, one for each position; got none")
        last = length if marks is not None else length - 1
        bad = np.flatnonzero((array < 1) | (array > last))
        if bad.size:
            i = int(bad[0])
            if last < 1:
                raise SegmentationError(f"positions[{i}]: a text of one unit has no inner position; got {array[i]}")
            raise SegmentationError(
                f"positions[{i}]: a position must lie in 1..{last} for {length} units; got {array[i]}"
            )
        bad = np.flatnonzero(np.diff(array) <= 0)
        if bad.size:
            i = int(bad[0]) + 1
            if array[i] == array[i - 1]:
                raise SegmentationError(f"positions[{i}]: a position may be given only once; got {array[i]} again")
            raise SegmentationError(f"positions[{i}]: positions must rise; got {array[i]} after {array[i - 1]}")
        if marks is None:
            return cls(length, array, _NO_CODES, UNTYPED, units=units)
        marks = _entries(marks, "marks")
        if len(marks) != len(array):
            raise SegmentationError(
                f"marks: one mark a position is needed; got {len(marks)} for {len(array)} positions"
            )
        sets = [tuple(m) if isinstance(m, (tuple, list, set, frozenset)) else (m,) for m in marks]
        if () in sets:
            raise SegmentationError(f"marks[{sets.index(())}]: a position needs a type; got none")
        return cls._typed(length, array.tolist(), sets, types, units, "marks")

    @classmethod
    def from_bits(cls, bits: str | Sequence[Any] | NDArray[Any], *, units: Iterable[str] | None = None) -> Segmentation:
        """One mark per inner position, N-1 of them: ``"0100"`` is five units with a boundary after the second."""
        if isinstance(bits, str):
            codes = np.frombuffer(bits.encode("utf-32-le", "surrogatepass"), np.uint32)
            bad = np.flatnonzero((codes != 48) & (codes != 49))
            if bad.size:
                i = int(bad[0])
                raise SegmentationError(f"bits[{i}]: a bit must be 0 or 1; got {bits[i]!r}")
            ones = codes == 49
        else:
            bits = _entries(bits, "bits")
            for i, bit in enumerate(bits):
                if not isinstance(bit, (int, float, str, np.generic)) or bit not in (0, 1, "0", "1"):
                    raise SegmentationError(f"bits[{i}]: a bit must be 0 or 1; got {bit!r}")
            ones = np.fromiter((bit in (1, "1") for bit in bits), bool, len(bits))
        positions = np.flatnonzero(ones).astype(np.int64) + 1
        return cls(_check_length(len(bits) + 1), positions, _NO_CODES, UNTYPED, units=units)

    @classmethod
    def from_marks(
        cls,
        marks: Sequence[str | int | None],
        *,
        types: Iterable[str | int] | None = None,
        units: Iterable[str] | None = None,
    ) -> Segmentation:
        """One mark per unit, the end of the text included: the type of the boundary after it, or "" or None."""
        if isinstance(marks, str):
            raise SegmentationError("marks: a sequence with one mark a unit is needed; got one string")
        marks = _entries(marks, "marks")
        length = _check_length(len(marks))
        at = [i for i, mark in enumerate(marks) if mark is not None and not (isinstance(mark, str) and mark == "")]
        sets: list[tuple[str | int]] = [(marks[i],) for i in at]
        return cls._typed(length, [i + 1 for i in at], sets, types, units, "marks", at)

    @classmethod
    def from_sets(
        cls,
        sets: Sequence[Collection[str | int]],
        types: Iterable[str | int] | None = None,
        *,
        units: Iterable[str] | None = None,
    ) -> Segmentation:
        """One set of types per inner position, N-1 of them."""
        sets = _entries(sets, "sets")
        length = _check_length(len(sets) + 1)
        for i, one in enumerate(sets):
            if isinstance(one, str) and one:
                raise SegmentationError(f"sets[{i}]: a set of types is needed; got the string {one!r}")
            if one is not None and not isinstance(one, Collection):
                raise SegmentationError(f"sets[{i}]: a set of types is needed; got {one!r}")
        at = [i for i, one in enumerate(sets) if one is not None and len(one)]
        return cls._typed(length, [i + 1 for i in at], [tuple(sets[i]) for i in at], types, units, "sets", at)

    @classmethod
    def from_labels(cls, labels: Sequence[Any], *, units: Iterable[str] | None = None) -> Segmentation:
        """A segment label per unit: a boundary stands wherever the label changes. The labels are kept."""
        labels = _entries(labels, "labels")
        length = _check_length(len(labels))
        for i, label in enumerate(labels):
            if isinstance(label, (float, np.floating)) and math.isnan(label):
                raise SegmentationError(f"labels[{i}]: a label must equal itself; got {label!r}")
        names = tuple(str(label) for label in labels)
        changes = [i for i in range(1, length) if labels[i] != labels[i - 1]]
        return cls(length, np.array(changes, np.int64), _NO_CODES, UNTYPED, units=units, labels=names)

    @classmethod
    def _typed(
        cls,
        length: int,
        positions: list[int],
        sets: Sequence[Collection[str | int]],
        types: Iterable[str | int] | None,
        units: Iterable[str] | None,
        what: str,
        places: list[int] | None = None,
    ) -> Segmentation:
        def place(i: int) -> str:
            return f"{what}[{i if places is None else places[i]}]"

        named = [
            [mark if type(mark) is str and mark else _name(mark, place(i)) for mark in one]
            for i, one in enumerate(sets)
        ]
        scale = check_types(types) if types is not None else _collect(named)
        code = {name: i for i, name in enumerate(scale)}
        at: list[int] = []
        codes: list[int] = []
        for i, (position, names) in enumerate(zip(positions, named, strict=True)):
            try:
                mine = [code[name] for name in names]
            except KeyError as unknown:
                known = ", ".join(map(repr, scale))
                raise SegmentationError(
                    f"{place(i)}: type {unknown.args[0]!r} is not declared; declared are {known}"
                ) from None
            if len(mine) == 1:
                codes.append(mine[0])
                at.append(position)
                continue
            if len(set(mine)) < len(mine):
                raise SegmentationError(f"{place(i)}: a type may stand only once at a position; got {sets[i]!r}")
            codes.extend(sorted(mine))
            at.extend([position] * len(mine))
        coded = np.array(codes, np.int64) if len(scale) > 1 else _NO_CODES
        return cls(length, np.array(at, np.int64), coded, scale, types_declared=types is not None, units=units)

    # -- what it holds --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.length

    @property
    def positions(self) -> Ints:
        """Positions that carry a boundary, each once, rising; position N among them only if it was marked."""
        return self.boundary_positions if not self._codes.size else np.unique(self.boundary_positions)

    @property
    def boundaries(self) -> tuple[tuple[int, str], ...]:
        """Every (position, type), sorted by position and then by the order of the types."""
        return tuple(
            zip(self.boundary_positions.tolist(), map(self.types.__getitem__, self.codes.tolist()), strict=True)
        )

    @property
    def codes(self) -> Ints:
        """For each entry of ``boundaries``, the place of its type on the scale."""
        return self._codes if self._codes.size else np.zeros(self.boundary_positions.size, np.int64)

    @property
    def masses(self) -> tuple[int, ...]:
        """Segment lengths; they add up to N."""
        return tuple(np.diff(self.inner, prepend=0, append=self.length).tolist())

    @property
    def exclusive(self) -> bool:
        """Whether no position carries two types."""
        return self.boundary_positions.size == self.positions.size

    def bits(self) -> str:
        """One character per inner position, ``"1"`` where a boundary stands."""
        marks = bytearray(b"0" * (self.length - 1))
        for position in self.inner.tolist():
            marks[position - 1] = 49
        return marks.decode("ascii")

    def sets(self) -> tuple[frozenset[str], ...]:
        """The set of types after each unit, the end of the text included."""
        marks: list[set[str]] = [set() for _ in range(self.length)]
        for position, name in self.boundaries:
            marks[position - 1].add(name)
        return tuple(frozenset(one) for one in marks)

    # -- variations -----------------------------------------------------------------------------------------------

    def reversed(self) -> Segmentation:
        """The text read backwards. A mark at the end of the text has no counterpart and is left out."""
        inside = self.boundary_positions < self.length
        codes = self._codes[inside][::-1] if self._codes.size else _NO_CODES
        positions = (self.length - self.boundary_positions[inside])[::-1]
        if codes.size:
            order = np.lexsort((codes, positions))
            positions, codes = positions[order], codes[order]
        return Segmentation(
            self.length,
            np.ascontiguousarray(positions),
            np.ascontiguousarray(codes),
            self.types,
            types_declared=self.types_declared,
            units=None if self.units is None else self.units[::-1],
            labels=None if self.labels is None else self.labels[::-1],
        )

    def with_types(self, types: Iterable[str | int], *, types_declared: bool = True) -> Segmentation:
        """The same boundaries over another scale, which must hold every type that occurs.

        ``declared=False``: the scale is what several texts have in common, and nobody said in which order.
        """
        scale = check_types(types)
        place = {name: i for i, name in enumerate(scale)}
        codes = np.array([place.get(name, -1) for name in self.types], np.int64)[self.codes]
        lost = np.flatnonzero(codes < 0)
        if lost.size:
            position, name = self.boundaries[lost[0]]
            i = int(np.searchsorted(self.positions, position))
            known = ", ".join(map(repr, scale))
            raise SegmentationError(f"boundaries[{i}]: type {name!r} is not declared; declared are {known}")
        order = np.lexsort((codes, self.boundary_positions))
        return Segmentation(
            self.length,
            self.boundary_positions[order],
            codes[order] if len(scale) > 1 else _NO_CODES,
            scale,
            types_declared=types_declared,
            units=self.units,
            labels=self.labels,
        )

    def without_labels(self) -> Segmentation:
        """The same without segment labels, which most formats cannot hold."""
        return (
            self
            if self.labels is None
            else Segmentation(
                self.length,
                self.boundary_positions,
                self._codes,
                self.types,
                types_declared=self.types_declared,
                units=self.units,
            )
        )

    # -- value semantics ------------------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:
        return (
            self.length,
            self.types,
            self.boundary_positions.tobytes(),
            self._codes.tobytes(),
            self.units,
            self.labels,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return self is other or (self.length == other.length and self._key() == other._key())

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Segmentation is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Segmentation is immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (
            self.length,
            self.boundary_positions.copy(),
            self._codes.copy(),
            self.types,
            self.types_declared,
            self.units,
            self.labels,
        )

    def __repr__(self) -> str:
        head = f"Segmentation({self.length} unit{'s' if self.length > 1 else ''}"
        if self.length <= _DRAWN:
            return f"{head}: {self.draw()})"
        masses = self.masses
        shown = "|".join(map(str, masses[:6])) + ("|…" if len(masses) > 6 else "")
        kinds = "" if self.types == UNTYPED else f", types {' < '.join(self.types[:6])}"
        return f"{head}, {len(masses)} segments: {shown}{kinds})"

    def draw(self) -> str:
        """A dot a unit, and what stands after it: ``|`` for a plain boundary, else the types.

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
        plain = all(len(name) == 1 for name in self.types)
        drawn = []
        for unit in range(1, self.length + 1):
            drawn.append("·")
            if unit in at:
                names = at[unit]
                drawn.append(names[0] if plain and len(names) == 1 else "{" + "+".join(names) + "}")
        return "".join(drawn)


_NO_CODES = np.empty(0, np.int64)


def check_types(types: Iterable[str | int]) -> tuple[str, ...]:
    """A scale of types: names that are not empty and not repeated."""
    if isinstance(types, str):
        raise SegmentationError(f"types: a sequence of names is needed; got the string {types!r}")
    scale = tuple(_name(name, f"types[{i}]") for i, name in enumerate(_entries(types, "types")))
    if not scale:
        raise SegmentationError("types: at least one type must be declared; got none")
    for i, name in enumerate(scale):
        if name in scale[:i]:
            raise SegmentationError(f"types[{i}]: a type may be declared only once; got {name!r} again")
    return scale


def _name(mark: object, place: str) -> str:
    if isinstance(mark, str) and mark:
        return str(mark)
    if isinstance(mark, (int, np.integer)) and not isinstance(mark, bool):
        return str(mark)
    raise SegmentationError(f"{place}: a type must be a name that is not empty; got {mark!r}")


def _collect(named: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The types that occur."""
    return sort_types({name for names in named for name in names}) or UNTYPED


def sort_types(names: Iterable[str]) -> tuple[str, ...]:
    """Where nobody declared an order: numbers in theirs, then names in the alphabet's."""
    return tuple(sorted(names, key=lambda n: (0, int(n), n) if _NUMBER.fullmatch(n) else (1, 0, n)))


_NUMBER = re.compile("-?[0-9]{1,18}")


def _check_length(length: object) -> int:
    try:
        if isinstance(length, bool):
            raise TypeError
        number = operator.index(length)  # type: ignore[arg-type]
    except TypeError:
        raise SegmentationError(f"length: the number of units must be a whole number; got {length!r}") from None
    if not 1 <= number <= MAX_UNITS:
        raise SegmentationError(f"length: a text has 1 to {MAX_UNITS} units; got {number}")
    return number


def _check_units(units: Iterable[str] | None, length: int) -> tuple[str, ...] | None:
    if units is None:
        return None
    text = units if isinstance(units, tuple) else tuple(_entries(units, "units"))  # coders share the text of an item
    if len(text) != length:
        raise SegmentationError(f"units: one string a unit is needed; got {len(text)} for {length} units")
    if set(map(type, text)) == {str}:
        return text
    for i, unit in enumerate(text):
        if not isinstance(unit, str):
            raise SegmentationError(f"units[{i}]: a unit must be a string; got {unit!r}")
    return text


def _spread(labels: Iterable[str], masses: list[int], length: int) -> tuple[str, ...]:
    """The label of each segment, on every unit of it."""
    names = _entries(labels, "labels")
    if len(names) != len(masses):
        raise SegmentationError(f"labels: one label a segment is needed; got {len(names)} for {len(masses)} segments")
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise SegmentationError(f"labels[{i}]: a label must be a string; got {name!r}")
    if length > _LABELLED:
        raise SegmentationError(f"labels: a text with labels has at most {_LABELLED} units; got {length}")
    return tuple(name for name, mass in zip(names, masses, strict=True) for _ in range(mass))


def _entries(values: Any, what: str, of: str = "") -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise SegmentationError(f"{what}: a sequence{of} is needed; got {values!r}") from None


def _whole_numbers(values: Sequence[int] | NDArray[Any], what: str) -> Ints:
    """A fresh int64 array, or an error that names the first entry that is no whole number."""
    if isinstance(values, str):
        raise SegmentationError(f"{what}: a sequence of whole numbers is needed; got the string {values!r}")
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        if values.dtype.kind == "u" and values.size and int(values.max()) > 2**62:
            raise SegmentationError(f"{what}: a number this large cannot be; got {values.max()}")
        return values.astype(np.int64)
    entries = _entries(values, what, " of whole numbers")
    out = np.empty(len(entries), np.int64)
    for i, value in enumerate(entries):
        if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == int(value):
            value = int(value)
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool) or not isinstance(value, int):
            raise SegmentationError(f"{what}[{i}]: a whole number is needed; got {value!r}")
        if not -(2**62) < value < 2**62:
            raise SegmentationError(f"{what}[{i}]: a number this large cannot be; got {value}")
        out[i] = value
    return out


def _restore(
    length: int,
    positions: Ints,
    codes: Ints,
    types: tuple[str, ...],
    types_declared: bool,
    units: tuple[str, ...] | None,
    labels: tuple[str, ...] | None,
) -> Segmentation:
    return Segmentation(length, positions, codes, types, types_declared=types_declared, units=units, labels=labels)
