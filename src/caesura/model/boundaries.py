"""The content of a segmentation: the number of units, the boundaries with their types, and texts and labels of units."""

from __future__ import annotations

from struct import Struct
from typing import Any, Self

import numpy as np

from caesura.model import checks
from caesura.model.boundary_types import UNTYPED
from caesura.model.value import Displayed, Ints, Texts, Value, count_of, frozen_array

MAX_DRAWN_UNITS = 60
"""Texts up to this length are drawn unit by unit in a ``repr``."""

NO_CODES = frozen_array(())
"""Codes of boundaries that are all of one type."""
HAS_NO_TYPES, HAS_UNITS = 1, 2
"""Bits of the second number of ``Segmentation.packed``."""
_UNTYPED_SLOTS = (("_codes", NO_CODES), ("types", UNTYPED), ("types_declared", True), ("labels", None), ("_hash", None))
_header = Struct("=qq")


class Boundaries(Value, Displayed):
    """Base class of :class:`~caesura.Segmentation`, with its content but without its constructors.

    See there for the attributes. ``from_valid_entries`` and ``from_valid_positions`` create objects from valid arrays.
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
        packed = _pack(length, positions, has_types=False, has_units=units is not None)
        inner = np.frombuffer(packed, np.int64, offset=_header.size)
        self = cls.__new__(cls)
        for name, value in zip(_OWN_SLOTS, (length, inner, inner, packed, units), strict=True):
            object.__setattr__(self, name, value)
        for name, value in _UNTYPED_SLOTS:
            object.__setattr__(self, name, value)
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
_OWN_SLOTS = ("length", "boundary_positions", "inner", "packed", "units")


def _pack(length: int, inner: Ints, *, has_types: bool, has_units: bool) -> bytes:
    """Return the header and the inner positions; see ``Segmentation.packed``."""
    header = _header.pack(length, HAS_NO_TYPES * (not has_types) | HAS_UNITS * has_units)
    return b"".join((header, np.ascontiguousarray(inner, np.int64).data))  # join copies the positions once
