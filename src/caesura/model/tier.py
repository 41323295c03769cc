"""Tiers: labelled intervals and points in time that one coder marked in a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import TierError
from caesura.limits import MAX_SECONDS
from caesura.model import checks
from caesura.model.annotation import HAS_CODES, HAS_END_POINTS, HAS_LABELS, Annotation, Axis, Shape, cut_rows, to_ticks
from caesura.model.boundaries import UNTYPED
from caesura.model.edges import SAME_PLACE, Edges, edges_of_intervals, edges_of_points
from caesura.model.value import Displayed, Floats, count_of


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


class Tier(Annotation, Displayed):
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

    __slots__ = ("begin", "edges", "end", "intervals", "open_end", "packed", "points", "words")

    intervals: tuple[Interval, ...]
    begin: float
    end: float
    points: tuple[Point, ...] | None
    words: tuple[Interval, ...] | None
    open_end: bool
    edges: Edges
    packed: bytes

    def __init__(
        self,
        intervals: Iterable[Sequence[Any]] = (),
        begin: float = 0.0,
        end: float | None = None,
        points: Iterable[Sequence[Any]] | None = None,
        words: Iterable[Sequence[Any]] | None = None,
        open_end: bool = False,
    ) -> None:
        segments = _check_intervals(intervals, "intervals")
        marks = None if points is None else _check_points(points, may_coincide=bool(segments))
        spoken = None if words is None else _check_intervals(words, "words")
        first = _check_time(begin, "begin")
        last_time = max((rows[-1][-2] for rows in (segments, marks, spoken) if rows), default=first)
        last = last_time if end is None else _check_time(end, "end")
        if not first < last:
            raise TierError(f"end: a recording must end after it begins; got {first:.10g}-{last:.10g} s")
        listed: dict[str, Sequence[Any] | None] = {"intervals": segments, "points": marks, "words": spoken}
        for name, rows in listed.items():
            for i, row in ((0, rows[0]), (len(rows) - 1, rows[-1])) if rows else ():
                if row[0] < first or row[-2] > last:
                    raise TierError(f"{name}[{i}] must lie in {first:.10g}-{last:.10g} s; got {row}")
        self._fill(intervals=segments, points=marks, words=spoken, begin=first, end=last, open_end=bool(open_end))

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
        is_far = len(times) == 0 or bool((np.diff(np.array(ends)) > 2 * SAME_PLACE).all())
        if not is_far or not begin < end:
            if labels is None:
                return cls(points=[(time, "") for time in ends[1:-1]], begin=begin, end=end)
            return cls(zip(ends[:-1], ends[1:], labels, strict=True), begin=begin, end=end)
        intervals: tuple[Interval, ...] = ()
        points: tuple[Point, ...] | None = None
        if labels is None:
            points = tuple(Point(time, "") for time in ends[1:-1])
            edges = edges_of_points(ends[1:-1], begin, end)
        else:
            intervals = tuple(map(Interval, ends[:-1], ends[1:], labels))
            numbers = {label: number for number, label in enumerate(dict.fromkeys(labels), 1)}
            edges = Edges(begin, end, times, np.array([numbers[label] for label in labels], np.int64), tuple(numbers))
        rows: dict[str, Any] = {"intervals": intervals, "points": points, "words": None, "edges": edges}
        return cls._trusted(**rows, begin=begin, end=end, open_end=False)

    def _complete(self) -> None:
        edges: Edges | None = getattr(self, "edges", None)
        if edges is None:
            if self.intervals or self.points is None:
                edges = edges_of_intervals(self.intervals, self.begin, self.end)
            else:
                edges = edges_of_points([point.time for point in self.points], self.begin, self.end)
            edges = edges._replace(open_end=self.open_end)
            object.__setattr__(self, "edges", edges)
        traits = HAS_LABELS * edges.is_labelled | HAS_END_POINTS * (edges.points is not None)
        traits |= HAS_CODES * (edges.codes.size > 0)
        places = to_ticks(edges.inner).tobytes() + edges.codes.astype(np.int64).tobytes()
        object.__setattr__(self, "packed", self._pack(len(edges.inner), traits) + places)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("intervals", "begin", "end", "points", "words", "open_end")}

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
        marks: dict[int, str] = {}
        ending: dict[int, Interval | Point] = {}
        for row in self.rows:
            at = axis.place(row[-2])
            if at == 0:
                raise TierError(f"{row} lies before the first unit; boundaries are not possible there")
            if at in marks:
                raise TierError(
                    f"two ends must not fall on the same position; {ending[at]} and {row} both end at {at}; "
                    "join them, or use finer units"
                )
            marks[at], ending[at] = row.label if row.label.strip() else UNTYPED[0], row
        for interval in self.intervals:
            if at := axis.place(interval.start):
                marks.setdefault(at, UNTYPED[0])
        positions = sorted(marks)
        names = [marks[position] for position in positions]
        return Segmentation.from_positions(int(axis.end), positions, marks=names, units=axis.tokens)

    @property
    def shape(self) -> Shape:
        return Shape.PARTITION if self.intervals else Shape.MARKS

    @property
    def rows(self) -> tuple[Interval, ...] | tuple[Point, ...]:
        """The segmentation of the recording: the intervals, or the points if there are no intervals."""
        return self.intervals or self.points or ()

    def __repr__(self) -> str:
        numbers = [count_of(len(self.intervals), "interval")] if self.intervals or self.points is None else []
        numbers += [] if self.points is None else [count_of(len(self.points), "point")]
        number = " and ".join(numbers)
        labels = [row.label for row in self.intervals] + [point.label for point in self.points or ()]
        labels = [label for label in labels if label]
        listed = " ".join(label[:20] for label in labels[:8]) + (" …" if len(labels) > 8 else "")
        return f"Tier({number} from {self.begin:g} to {self.end:g} s{': ' if labels else ''}{listed})"

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


def _check_time(value: object, place: str) -> float:
    time = checks.finite_number(value)
    if time is None:
        raise TierError(f"{place} must be a time in seconds; got {value!r}")
    if abs(time) > MAX_SECONDS:
        raise TierError(f"{place} must be at most {MAX_SECONDS:g} s; got {time:g}")
    return time


def _check_row(row: object, place: str, *names: str) -> list[Any]:
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(names):
        raise TierError(f"{place}: it must be ({', '.join(names)}); got {row!r}")
    if not isinstance(row[-1], str):
        raise TierError(f"{place}: label must be a string; got {row[-1]!r}")
    times = [_check_time(time, f"{place}: {name}") for time, name in zip(row[:-1], names[:-1], strict=True)]
    return [*times, row[-1]]


def _check_intervals(rows: Iterable[Sequence[Any]], name: str) -> tuple[Interval, ...]:
    intervals: list[Interval] = []
    for i, row in enumerate(checks.as_list(rows, name, " of (start, end, label)", TierError)):
        place = f"{name}[{i}]"
        interval = Interval(*_check_row(row, place, "start", "end", "label"))
        if interval.start >= interval.end:
            raise TierError(f"{place}: end must be > start; got {interval.end:.10g} <= {interval.start:.10g}")
        if not interval.label.strip():
            raise TierError(f"{place}: an interval must have a label; leave out intervals without one, here {interval}")
        if intervals and interval.start < intervals[-1].end:
            problem = "overlap" if interval.end > intervals[-1].start else "are not sorted"
            streams = "; put intervals that may overlap into one stream each" if problem == "overlap" else ""
            message = f"{place}: intervals must follow each other; {intervals[-1]} and {interval} {problem}"
            raise TierError(message + streams)
        intervals.append(interval)
    return tuple(intervals)


def _check_points(rows: Iterable[Sequence[Any]], *, may_coincide: bool) -> tuple[Point, ...]:
    points: list[Point] = []
    for i, row in enumerate(checks.as_list(rows, "points", " of (time, label)", TierError)):
        place = f"points[{i}]"
        point = Point(*_check_row(row, place, "time", "label"))
        if points and (point.time < points[-1].time or (point.time == points[-1].time and not may_coincide)):
            raise TierError(f"{place}: points must ascend; got {point} after {points[-1]}")
        points.append(point)
    return tuple(points)
