"""How many coders marked each place of a text: several segmentations laid on top of each other."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentationError
from caesura.model.segmentation import (
    _DRAWN,
    MAX_UNITS,
    Ints,
    Segmentation,
    _check_length,
    _check_units,
    _entries,
    _whole_numbers,
)


class Marks:
    """For each inner position of a text of N units, how many of the ``coders`` put a boundary there.

    ``counts`` has N-1 entries, whole numbers from 0 to ``coders``. Only marked positions are kept, so that a long text
    with few marks is small.

    >>> Marks([0, 0, 4, 0, 3, 1], 7)
    Marks(7 coders, 7 units: ···4··3·1·)
    >>> Marks.of([Segmentation.from_masses([2, 3]), Segmentation.from_masses([2, 2, 1])])
    Marks(2 coders, 5 units: ··2··1·)
    """

    __slots__ = ("_hash", "coders", "length", "position_counts", "positions", "units")

    length: int
    """Number of units, N."""
    coders: int
    """How many coders there were, S."""
    positions: Ints
    """Positions that somebody marked, rising."""
    position_counts: Ints
    """How many coders marked each of ``positions``."""
    units: tuple[str, ...] | None
    """The text, a string a unit, where it is known."""
    _hash: int | None

    def __init__(
        self, counts: Sequence[int] | NDArray[Any], coders: int, *, units: Iterable[str] | None = None
    ) -> None:
        most = _check_coders(coders)
        array = _whole_numbers(counts, "counts")
        bad = np.flatnonzero((array < 0) | (array > most))
        if bad.size:
            i = int(bad[0])
            raise SegmentationError(
                f"counts[{i}]: position {i + 1} can be marked by 0 to {most} coders; got {array[i]}"
            )
        length = _check_length(len(array) + 1)
        places = np.flatnonzero(array)
        self._put(length, most, places + 1, array[places], _check_units(units, length))

    def _put(
        self, length: int, coders: int, positions: Ints, position_counts: Ints, units: tuple[str, ...] | None
    ) -> None:
        put = object.__setattr__
        put(self, "length", length)
        put(self, "coders", coders)
        for name, array in (("positions", positions), ("position_counts", position_counts)):
            array.flags.writeable = False
            put(self, name, array)
        put(self, "units", units)
        put(self, "_hash", None)

    @classmethod
    def of(cls, segmentations: Iterable[Segmentation]) -> Marks:
        """The marks of several coders on one text. Types and the end of the text are not looked at."""
        listed = _entries(segmentations, "segmentations")
        for i, one in enumerate(listed):
            if not isinstance(one, Segmentation):
                raise SegmentationError(f"segmentations[{i}]: a Segmentation is needed; got {type(one).__name__}")
            if one.length != listed[0].length:
                raise SegmentationError(
                    f"segmentations[{i}]: all must be of one text; got {one.length} units after {listed[0].length}"
                )
        if not listed:
            raise SegmentationError("segmentations: at least one is needed; got none")
        places = np.concatenate([one.inner for one in listed])
        positions, position_counts = np.unique(places, return_counts=True)
        made = cls.__new__(cls)
        made._put(listed[0].length, len(listed), positions, position_counts.astype(np.int64), _common_units(listed))
        return made

    def __len__(self) -> int:
        return self.length

    @property
    def counts(self) -> Ints:
        """One entry for each of the N-1 inner positions."""
        out = np.zeros(self.length - 1, np.int64)
        out[self.positions - 1] = self.position_counts
        return out

    @property
    def max_count(self) -> int:
        """The largest count."""
        return int(self.position_counts.max(initial=0))

    # -- value semantics ------------------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:
        return (self.length, self.coders, self.positions.tobytes(), self.position_counts.tobytes(), self.units)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Marks):
            return NotImplemented
        return self is other or self._key() == other._key()

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Marks are immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Marks are immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.length, self.coders, self.positions.copy(), self.position_counts.copy(), self.units)

    def __repr__(self) -> str:
        head = f"Marks({_several(self.coders, 'coder')}, {_several(self.length, 'unit')}"
        if self.length <= _DRAWN:
            return f"{head}: {self.draw()})"
        return f"{head}, {_several(self.positions.size, 'marked position')}, highest {self.max_count})"

    def draw(self) -> str:
        """A dot a unit, and after it the number of coders who put a boundary there.

        >>> Marks([0, 12, 1, 0], 12).draw()
        '··12·1··'
        """
        drawn = ["·"] * self.length
        for position, height in zip(self.positions.tolist(), self.position_counts.tolist(), strict=True):
            drawn[position - 1] += str(height)
        return "".join(drawn)


def _several(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _check_coders(coders: object) -> int:
    try:
        if isinstance(coders, bool):
            raise TypeError
        number = operator.index(coders)  # type: ignore[arg-type]
    except TypeError:
        raise SegmentationError(f"coders: how many there were must be a whole number; got {coders!r}") from None
    if not 1 <= number <= MAX_UNITS:
        raise SegmentationError(f"coders: there must be 1 to {MAX_UNITS}; got {number}")
    return number


def _common_units(segmentations: list[Segmentation]) -> tuple[str, ...] | None:
    """The text of those that carry it, which must be one."""
    known: tuple[str, ...] | None = None
    for i, one in enumerate(segmentations):
        if known is None or one.units is None or one.units is known:
            known = known or one.units
            continue
        for unit, (mine, other) in enumerate(zip(one.units, known, strict=True), 1):
            if mine != other:
                raise SegmentationError(
                    f"segmentations[{i}]: all must be of one text; unit {unit} is {mine!r}, before it was {other!r}"
                )
    return known


def _restore(length: int, coders: int, positions: Ints, position_counts: Ints, units: tuple[str, ...] | None) -> Marks:
    made = Marks.__new__(Marks)
    made._put(length, coders, positions, position_counts, units)
    return made
