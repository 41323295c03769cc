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
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import MismatchError
from caesura.model.index import EMPTY, searchsorted
from caesura.model.value import Floats, Ints, Value

# Whole ticks per second. Places in seconds are compared in ticks, so equal places are equal numbers and sums are exact.
TICKS = 10**9
# Bits of the third number of ``packed``; the shape is above them.
# With ``HAS_CODES``, the inner places are followed by the number of the label of each segment.
# Boundaries may have numbers: of the coders who marked them, or scores of a program.
HAS_NO_TYPES, HAS_UNITS, IN_SECONDS, OPEN_END, HAS_END_POINTS = (1 << bit for bit in range(5))
HAS_LABELS, HAS_CODES, IS_TREE, HAS_COUNTS, HAS_SCORES = (1 << bit for bit in range(5, 10))
SHAPE_BIT = 10
HEADER = Struct("=qqqq")
_LIMIT = 2**62  # larger places do not fit the header
# Two times that differ by at most this many seconds are the same place.
SAME_PLACE = 1e-9


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
        self.begin, self.end, self.seconds = begin, end, seconds
        self.tokens, self.times, self.known = tokens, times, known
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
        begin, end = ((round(place * TICKS) if self.seconds else place) for place in self.extent)
        return int(min(max(begin, -_LIMIT), _LIMIT)), int(min(max(end, -_LIMIT), _LIMIT))


class Annotation(Value):
    """Base class of what one coder marked in one stream of one item."""

    __slots__ = ()

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
        return self._pack(len(self))  # type: ignore[arg-type]

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


class Edges(NamedTuple):
    """Extent and inner boundaries of one annotation, and the class of each segment between them."""

    begin: float  # the extent: 0 and N for units, the beginning and the end of the recording for seconds
    end: float
    inner: NDArray[np.number]  # boundaries strictly inside the extent, in ascending order
    # One number per segment: 0 for a segment without label, otherwise 1 + the place of its label in ``labels``. Empty if no
    # segment has a label and all of them count as segments.
    codes: Ints = EMPTY
    labels: tuple[str, ...] = ()  # distinct labels, in the order of their first segment
    # All boundaries, if one of them is a point at an end of the extent. Such a point separates no segments, but it can agree
    # with a boundary of another annotation.
    points: Floats | None = None
    open_end: bool = False  # whether the end of the extent is not known and ``end`` is only the last boundary

    @property
    def is_labelled(self) -> bool:
        """Whether segments have labels; a coder who labelled no time at all has labels too, but uses none."""
        return bool(self.labels) or (self.codes.size > 0 and not self.codes.any())

    def fit(self, begin: float, end: float, padding: tuple[str, str] | None = None) -> Edges:
        """Return the edges on a different extent: boundaries outside it are cut off, missing time has no label."""
        labels = self.labels if padding is None else (*self.labels, *padding)
        first, last = (0, 0) if padding is None else (len(labels) - 1, len(labels))
        if self.begin >= end - SAME_PLACE or self.end <= begin + SAME_PLACE:
            return Edges(begin, end, np.empty(0), np.full(1, last), labels)
        codes = self.codes if self.codes.size else np.ones(len(self.inner) + 1, np.int64)
        low = int(searchsorted(self.inner, begin + SAME_PLACE, "right"))
        high = max(low, int(searchsorted(self.inner, end - SAME_PLACE)))
        inner, codes = self.inner[low:high], codes[low : high + 1]
        if self.begin > begin + SAME_PLACE:
            inner, codes = np.concatenate([[self.begin], inner]), np.concatenate([[first], codes])
        if self.end < end - SAME_PLACE:
            inner, codes = np.concatenate([inner, [self.end]]), np.concatenate([codes, [last]])
        return Edges(begin, end, inner, codes, labels)


class Divided(Annotation):
    """Base class of annotations whose edges divide the extent into segments."""

    __slots__ = ()
    edges: Edges

    @cached_property
    def packed(self) -> bytes:
        """The header of :mod:`caesura.model.annotation`, boundaries in ticks and numbers of labels, as kernels read them."""
        inner, codes = self.edges.inner, self.edges.codes
        traits = HAS_LABELS * self.edges.is_labelled | HAS_END_POINTS * (self.edges.points is not None)
        places = to_ticks(inner) if self.axis.seconds else inner.astype(np.int64)
        header = self._pack(len(inner), traits | HAS_CODES * (codes.size > 0))
        return header + pack_places(places) + pack_places(codes)


def tiers_of(annotation: object) -> Mapping[str, Any]:
    """Return stream -> tier; empty if the annotation is neither a tier nor a dialogue of tiers."""
    return getattr(annotation, "tiers", {})


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


def edges_of_intervals(intervals: Iterable[Sequence[Any]], begin: float, end: float) -> Edges:
    """Return the edges of sorted intervals; time between them is a segment without label."""
    ends: list[float] = []
    codes: list[int] = []
    numbers: dict[str, int] = {}
    place = begin
    for start, stop, label in intervals:
        if stop - place <= SAME_PLACE:
            continue
        if start - place > SAME_PLACE:
            ends.append(start)
            codes.append(0)
        place = stop
        ends.append(place)
        codes.append(0 if label is None else numbers.setdefault(label, len(numbers) + 1))
    if end - place > SAME_PLACE or not ends:
        ends.append(end)
        codes.append(0)
    return Edges(begin, end, np.array(ends[:-1], np.float64), np.array(codes, np.int64), tuple(numbers))


def edges_of_points(times: Sequence[float], begin: float, end: float) -> Edges:
    points = np.array(times, np.float64)
    if len(points) > 1:
        points = points[np.concatenate([[True], np.diff(points) > SAME_PLACE])]
    inner = points[(points > begin + SAME_PLACE) & (points < end - SAME_PLACE)]
    return Edges(begin, end, inner, points=points if len(points) > len(inner) else None)
