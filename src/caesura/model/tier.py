"""Tiers: labelled intervals and points in time that one coder marked in a recording."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import TierError
from caesura.model import checks
from caesura.model.annotation import (
    SAME_PLACE,
    Annotation,
    Axis,
    Divided,
    Edges,
    Range,
    Shape,
    cut_rows,
    edges_of_intervals,
    edges_of_points,
)
from caesura.model.checks import UNTYPED
from caesura.model.value import MAX_SECONDS, Displayed, Floats, count_of


class Interval(NamedTuple):
    """A labelled interval of time.

    Parameters
    ----------
    start, end : float
        Times in seconds.
    label : str
        Label given by the coder.
    """

    start: float
    end: float
    label: str

    def __str__(self) -> str:
        return f"{self.start:.10g}-{self.end:.10g} s {self.label[:40]!r}"


class Point(NamedTuple):
    """A labelled point in time.

    Parameters
    ----------
    time : float
        Time in seconds.
    label : str
        Label given by the coder; may be empty.
    """

    time: float
    label: str

    def __str__(self) -> str:
        return f"{self.time:.10g} s {self.label[:40]!r}"


class Tier(Divided, Displayed):
    """Labelled intervals, points or both of one coder, in seconds, within a recording.

    Parameters
    ----------
    intervals : iterable of (start, end, label)
        Intervals that are sorted and do not overlap. Each has a positive length and a label. Gaps are allowed.
    begin : float, default 0
        Beginning of the recording.
    end : float, optional
        End of the recording (default: end of the last interval, point or word).
    points : iterable of (time, label), optional
        Points in order. Two points of a tier without intervals must not have the same time.
    words : iterable of (start, end, label), optional
        Intervals of the spoken words, if they are known.
    open_end : bool, default False
        Whether the length of the recording is not known, so that ``end`` is only the last time that is. Measures that need
        the extent refuse such a tier.

    Attributes
    ----------
    edges : Edges
        Extent and boundaries in seconds, as measures use them.
    packed : bytes
        The header of :mod:`caesura.model.annotation`, boundaries in ticks and numbers of labels, as kernels read them.

    Raises
    ------
    TierError
        If a time is invalid, intervals overlap, points are not sorted, or an entry lies outside the recording.

    Notes
    -----
    Measures of segments and of boundaries in seconds compare tiers directly, such as :func:`~caesura.boundary_f` and
    :func:`~caesura.purity_coverage`. Other measures need units; :func:`~caesura.over_units` converts the tiers of an item to
    segmentations over common units. If a tier has intervals and points, the intervals are its segmentation, and the
    points are additional data, such as short events during an interval.

    Examples
    --------
    >>> Tier([(0.5, 1.25, "A"), (1.25, 2, "B")], end=3)
    Tier(2 intervals from 0 to 3 s: A B)
    >>> Tier(points=[(0.5, "H*"), (1.5, "L%")], end=3).points[1].time
    1.5
    >>> Tier([(0, 3, "play")], points=[(2, "smile")])
    Tier(1 interval and 1 point from 0 to 3 s: play smile)
    """

    __slots__ = ("begin", "end", "intervals", "open_end", "points", "words")

    intervals: tuple[Interval, ...]
    begin: float
    end: float
    points: tuple[Point, ...] | None
    words: tuple[Interval, ...] | None
    open_end: bool

    def __init__(
        self,
        intervals: Iterable[Sequence[Any]] = (),
        begin: float = 0.0,
        end: float | None = None,
        points: Iterable[Sequence[Any]] | None = None,
        words: Iterable[Sequence[Any]] | None = None,
        open_end: bool = False,
    ) -> None:
        listed: dict[str, tuple[Any, ...] | None] = {"intervals": _check_rows("intervals", intervals)}
        for name, rows in (("points", points), ("words", words)):
            listed[name] = None if rows is None else _check_rows(name, rows, may_coincide=bool(listed["intervals"]))
        if end is None:
            end = max((rows[-1][-2] for rows in listed.values() if rows), default=begin)
        first, last = _time(begin), _time(end)
        if first is None or last is None:
            name, value = ("begin", begin) if first is None else ("end", end)
            raise TierError(f"{name} must be {_TIME}; got {value!r:.80}")
        if not first < last:
            raise TierError(f"end: a recording must end after it begins; got {first:.10g}-{last:.10g} s")
        for name, rows in listed.items():
            for i, row in ((0, rows[0]), (len(rows) - 1, rows[-1])) if rows else ():
                if row[0] < first or row[-2] > last:
                    raise TierError(f"{name}[{i}] must lie in {first:.10g}-{last:.10g} s; got {row}")
        self._fill(**listed, begin=first, end=last, open_end=bool(open_end))

    @classmethod
    def from_times(cls, times: Floats, labels: Sequence[str] | None, *, begin: float, end: float) -> Tier:
        """Return a tier that boundaries divide without gaps; only the order of the times is checked.

        Simulations use this method.

        Parameters
        ----------
        times : numpy.ndarray
            Inner boundaries in ascending order.
        labels : sequence of str or None
            Valid labels of all segments; None for boundaries without labels, which are points.
        begin, end : float
            Beginning and end of the recording.

        Returns
        -------
        Tier
            The same as that of the class.
        """
        ends = [begin, *times.tolist(), end]
        intervals = () if labels is None else tuple(map(Interval, ends[:-1], ends[1:], labels))
        points = tuple(Point(time, "") for time in ends[1:-1]) if labels is None else None
        if not begin < end or not (np.diff(ends) > 2 * SAME_PLACE).all():
            return cls(intervals, begin, end, points)
        tier = cls._trusted(intervals=intervals, points=points, words=None, begin=begin, end=end, open_end=False)
        if labels is not None:
            numbers = {label: number for number, label in enumerate(dict.fromkeys(labels), 1)}
            codes = np.array([numbers[label] for label in labels], np.int64)
            tier.__dict__["edges"] = Edges(begin, end, times, codes, tuple(numbers))
        return tier

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]  # computed on demand
        """Boundaries in seconds, and the labels between them as numbers."""
        if self.intervals or self.points is None:
            edges = edges_of_intervals(self.intervals, self.begin, self.end)
        else:
            edges = edges_of_points([point.time for point in self.points], self.begin, self.end)
        return edges._replace(open_end=self.open_end)

    def __json__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("intervals", "begin", "end", "points", "words")}

    @property
    def axis(self) -> Axis:
        return Axis(self.begin, self.end, True, known=not self.open_end)

    @property
    def tiers(self) -> Mapping[str, Tier]:
        return {"": self}

    def _cut(self, axis: Axis) -> Tier:
        points = None if self.points is None else [row for row in self.points if axis.begin <= row.time <= axis.end]
        words = None if self.words is None else cut_rows(self.words, axis)
        return Tier(cut_rows(self.intervals, axis), *axis.extent, points, words, not axis.known)

    def _over_units(self, axis: Axis) -> Annotation:
        from caesura.model.segmentation import Segmentation

        # All ends first, then the starts at positions without an end.
        ending: dict[int, Interval | Point] = {}
        for row in self.rows:
            at = axis.place(row[-2])
            if at == 0:
                raise TierError(f"{row} lies before the first unit; boundaries are not possible there")
            if at in ending:
                raise TierError(
                    f"two ends must not fall on the same position; {ending[at]} and {row} both end at {at}; "
                    "join them, or use finer units"
                )
            ending[at] = row
        marks = {axis.place(interval.start): UNTYPED[0] for interval in self.intervals}
        marks |= {at: row.label if row.label.strip() else UNTYPED[0] for at, row in ending.items()}
        marks.pop(0, None)
        names = [marks[position] for position in sorted(marks)]
        return Segmentation.from_positions(int(axis.end), sorted(marks), marks=names, units=axis.tokens)

    @property
    def shape(self) -> Shape:
        return Shape.PARTITION if self.intervals else Shape.MARKS

    @property
    def ranges(self) -> list[Range]:
        return [(row[0], row[-2], row.label, 1) for row in self.rows]

    @property
    def rows(self) -> tuple[Interval, ...] | tuple[Point, ...]:
        """The segmentation of the recording: the intervals, or the points if there are no intervals."""
        return self.intervals or self.points or ()

    def __repr__(self) -> str:
        numbers = [count_of(len(self.intervals), "interval")] if self.intervals or self.points is None else []
        numbers += [] if self.points is None else [count_of(len(self.points), "point")]
        listed_labels = [row.label for row in self.intervals] + [point.label for point in self.points or ()]
        labels = [*filter(None, listed_labels)]
        listed = " ".join(label[:20] for label in labels[:8]) + (" …" if len(labels) > 8 else "")
        return f"Tier({' and '.join(numbers)} from {self.begin:g} to {self.end:g} s{': ' if labels else ''}{listed})"

    def with_words(self, words: Iterable[Sequence[Any]] | None) -> Tier:
        """Return the same tier with different words.

        Parameters
        ----------
        words : iterable of (start, end, label) or None
            Intervals of the spoken words.

        Returns
        -------
        Tier
        """
        return Tier(self.intervals, self.begin, self.end, self.points, words, self.open_end)


def _time(value: object) -> float | None:
    time = checks.finite_number(value)
    return None if time is None or abs(time) > MAX_SECONDS else time


_TIME = f"a time in seconds, at most {MAX_SECONDS:g}"


def _check_rows(name: str, values: Iterable[Sequence[Any]], *, may_coincide: bool = False) -> tuple[Any, ...]:
    """Return intervals, words or points; intervals must have labels and follow each other."""
    if name == "points":
        points = [Point(*row) for row in checks.rows(values, name, "(time, label)", TierError, _time, _TIME)]
        for i, point in enumerate(points):
            last = points[i - 1].time if i else -math.inf
            if not isinstance(point.label, str):
                raise TierError(f"{name}[{i}]: label must be a string; got {point.label!r}")
            if point.time < last or (point.time == last and not may_coincide):
                raise TierError(f"{name}[{i}]: points must ascend; got {point} after {points[i - 1]}")
        return tuple(points)
    intervals = [Interval(*row) for row in checks.rows(values, name, "(start, end, label)", TierError, _time, _TIME)]
    for i, (start, end, label) in enumerate(intervals):
        here, before = intervals[i], intervals[i - 1] if i else None
        if not isinstance(label, str):
            raise TierError(f"{name}[{i}]: label must be a string; got {label!r}")
        if start >= end:
            raise TierError(f"{name}[{i}]: end must be > start; got {end:.10g} <= {start:.10g}")
        if not label.strip():
            raise TierError(f"{name}[{i}]: an interval must have a label; leave out intervals without one, here {here}")
        if before is not None and start < before.end:
            problem = "are not sorted"
            if end > before.start:
                problem = "overlap; put intervals that may overlap into one stream each"
            raise TierError(f"{name}[{i}]: intervals must follow each other; {before} and {here} {problem}")
    return tuple(intervals)
