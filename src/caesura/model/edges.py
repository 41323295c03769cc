"""Edges: the boundaries of one annotation on an axis of units or seconds, as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.model.annotation import HAS_CODES, HAS_END_POINTS, HAS_LABELS, TICKS, Annotation, pack_places
from caesura.model.index import searchsorted
from caesura.model.value import Floats, Ints

# Two times that differ by at most this many seconds are the same place.
SAME_PLACE = 1e-9

NO_CODES = np.empty(0, np.int64)


class Edges(NamedTuple):
    """Extent and inner boundaries of one annotation, and the class of each segment between them."""

    begin: float  # the extent: 0 and N for units, the beginning and the end of the recording for seconds
    end: float
    inner: NDArray[np.number]  # boundaries strictly inside the extent, in ascending order
    # One number per segment: 0 for a segment without label, otherwise 1 + the place of its label in ``labels``. Empty if no
    # segment has a label and all of them count as segments.
    codes: Ints = NO_CODES
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
        places = np.rint(inner * (TICKS if self.axis.seconds else 1)).astype(np.int64)
        header = self._pack(len(inner), traits | HAS_CODES * (codes.size > 0))
        return header + pack_places(places) + pack_places(codes)


def edges_of_intervals(intervals: Iterable[Sequence[object]], begin: float, end: float) -> Edges:
    """Return the edges of sorted intervals; time between them is a segment without label."""
    ends: list[float] = []
    codes: list[int] = []
    numbers: dict[str, int] = {}
    place = begin
    for start, stop, label in intervals:
        if stop - place <= SAME_PLACE:  # type: ignore[operator]
            continue
        if start - place > SAME_PLACE:  # type: ignore[operator]
            ends.append(start)  # type: ignore[arg-type]
            codes.append(0)
        place = stop  # type: ignore[assignment]
        ends.append(place)
        codes.append(0 if label is None else numbers.setdefault(label, len(numbers) + 1))  # type: ignore[arg-type]
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
