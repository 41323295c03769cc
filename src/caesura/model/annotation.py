"""What all annotations have in common: an axis, a shape, and a header that kernels read without asking the object.

What one coder marked in one stream of one item is intervals on an axis; a boundary is an interval of length 0. Every shape
includes the ones before it::

    MARKS       |   .      ,   .  |     boundaries and nothing else, perhaps with types: segmentations, points
    PARTITION   |--A---|--B--| |-C|     intervals that do not overlap: labelled segments, tiers
    NESTED      intervals inside each other, levels by depth: hierarchies, trees
    LAYERED     every level is a partition, but the levels may cross: music, two independent tiers
    FREE        anything: spans

The streams of a dialogue are separate annotations: each has a length and tokens of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from struct import Struct
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import MismatchError
from caesura.model.value import Floats, Ints, Value

# Whole ticks per second. Places in seconds are compared in ticks, so equal places are equal numbers and sums are exact.
TICKS = 10**9
# Bits of the third number of ``packed``; the shape is above them.
# With ``HAS_CODES``, the inner places are followed by the number of the label of each segment.
# Boundaries may have numbers: of the coders who marked them, or scores of a program.
(
    HAS_NO_TYPES,
    HAS_UNITS,
    IN_SECONDS,
    OPEN_END,
    HAS_END_POINTS,
    HAS_LABELS,
    HAS_CODES,
    IS_TREE,
    HAS_COUNTS,
    HAS_SCORES,
) = (1 << bit for bit in range(10))
SHAPE_BIT = 10
HEADER = Struct("=qqqq")
_LIMIT = 2**62  # larger places do not fit the header


# Start, end, label and level of a segment or span.
Range = tuple[float, float, str | None, int]


class Shape(IntEnum):
    MARKS, PARTITION, NESTED, LAYERED, FREE = range(5)


class Axis(str):
    """What places count, ``"units"`` or ``"seconds"``: an axis equals this word. It also has an extent and its units."""

    __slots__ = ("begin", "end", "known", "place", "seconds", "times", "tokens")

    begin: float
    end: float
    seconds: bool
    tokens: Sequence[str] | None  # text of each unit
    times: Sequence[Any] | Floats | None  # times of N units: N + 1 edges, or N pairs of begin and end
    known: bool  # whether begin and end are those of the item, not those of the marks
    place: Callable[[float], int]  # position of a time, on units that have times

    def __new__(
        cls,
        begin: float,
        end: float,
        seconds: bool = False,
        tokens: Sequence[str] | None = None,
        times: Sequence[Any] | Floats | None = None,
        known: bool = True,
        place: Callable[[float], int] | None = None,
    ) -> Self:
        self = str.__new__(cls, "seconds" if seconds else "units")
        self.begin, self.end, self.seconds, self.tokens, self.times, self.known = (
            begin,
            end,
            seconds,
            tokens,
            times,
            known,
        )
        if place is not None:
            self.place = place
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:  # for copies and pickles
        return self.begin, self.end, self.seconds, self.tokens, self.times, self.known

    @property
    def extent(self) -> tuple[float, float]:
        return self.begin, self.end

    @property
    def ticks(self) -> tuple[int, int]:
        """Begin and end in whole ticks."""
        begin, end = self.begin, self.end
        if self.seconds:
            begin, end = round(begin * TICKS), round(end * TICKS)
        if begin > -_LIMIT and end < _LIMIT:
            return int(begin), int(end)
        return int(min(max(begin, -_LIMIT), _LIMIT)), int(min(max(end, -_LIMIT), _LIMIT))


class Annotation(Value):
    """Base class of what one coder marked in one stream of one item."""

    __slots__ = ("_packed",)

    _packed: bytes

    @property
    def axis(self) -> Axis:
        """What places count, from where to where, and the units with their texts and times."""
        raise NotImplementedError

    @property
    def shape(self) -> Shape:
        """The first shape of which the annotation is one."""
        return Shape.MARKS

    @cached_property
    def packed(self) -> bytes:
        """The header of :mod:`caesura.model.annotation`, which kernels read without asking the object."""
        try:
            return self._packed
        except AttributeError:
            object.__setattr__(self, "_packed", self._pack(len(self)))  # type: ignore[arg-type]
        return self._packed

    @property
    def ranges(self) -> list[Range]:
        """Start, end, label and level of each segment or span on the axis; a point ends where it starts."""
        raise NotImplementedError

    @property
    def texts(self) -> Mapping[str, Any]:
        """Stream -> segmentation; empty if the annotation is neither a segmentation nor a dialogue of segmentations."""
        return {}

    @property
    def tiers(self) -> Mapping[str, Any]:
        """Stream -> tier; empty if the annotation is neither a tier nor a dialogue of tiers."""
        return {}

    def on(self, axis: Axis) -> Annotation:
        """Return the annotation on another axis: a different extent, or units instead of seconds.

        What lies outside the extent is cut off or lost.

        Parameters
        ----------
        axis : Axis
            The axis, such as one that ``common_axis`` chose.

        Returns
        -------
        Annotation
            An annotation of the same item; a tier becomes a segmentation over units.

        Raises
        ------
        MismatchError
            If places cannot be converted.
        """
        own = self.axis
        if own.seconds == axis.seconds:
            return self if own.extent == axis.extent else self._cut(axis)
        if own.seconds and hasattr(axis, "place"):
            return self._over_units(axis)
        raise MismatchError(
            f"places in {own} cannot be converted to {axis}, because the times of the units are not known"
        )

    def _cut(self, axis: Axis) -> Annotation:
        raise MismatchError(f"a {type(self).__name__} cannot have a different extent")

    def _over_units(self, axis: Axis) -> Annotation:
        raise MismatchError(f"a {type(self).__name__} cannot be converted to units")

    def _pack(self, rows: int, more_traits: int = 0) -> bytes:
        axis = self.axis
        traits = more_traits | self.shape << SHAPE_BIT | HAS_NO_TYPES
        if axis.tokens is not None:
            traits |= HAS_UNITS
        if axis.seconds:
            traits |= IN_SECONDS
        if not axis.known:
            traits |= OPEN_END
        return HEADER.pack(*axis.ticks, traits, rows)


def cut_rows(rows: Iterable[Sequence[Any]], axis: Axis) -> list[tuple[Any, ...]]:
    """Return rows (start, end, ...) within an extent: those outside are lost, and so are those that become empty."""
    begin, end = axis.extent
    inside = (row for row in rows if (row[0] < end and row[1] > begin) or begin <= row[0] == row[1] <= end)
    return [(max(row[0], begin), min(row[1], end), *row[2:]) for row in inside]


def to_ticks(seconds: ArrayLike) -> Ints:
    """Return times in whole nanoseconds."""
    return np.rint(np.asarray(seconds, np.float64) * TICKS).astype(np.int64)


def pack_places(places: Ints) -> bytes:
    """Return the rest of ``packed``: the inner places in ticks."""
    return places.astype(np.int64, "C", copy=False).tobytes()
