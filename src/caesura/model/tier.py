"""What one coder marked along a recording: intervals with a start, an end and a label, or points in time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import TierError


class Interval(NamedTuple):
    """From ``start`` to ``end``, in seconds, and what the coder called it."""

    start: float
    end: float
    label: str

    def __str__(self) -> str:
        return f"{self.start:.10g}-{self.end:.10g} s {self.label[:40]!r}"


class Point(NamedTuple):
    """A moment in seconds, and what the coder called it; the label may be empty."""

    time: float
    label: str

    def __str__(self) -> str:
        return f"{self.time:.10g} s {self.label[:40]!r}"


@dataclass(frozen=True, slots=True)
class Tier:
    """Labelled intervals of one coder, in seconds, between the begin and the end of the recording.

    ``intervals`` are ``(start, end, label)``: sorted, apart from each other and with a length. They need not fill the
    recording, and what has no label is no interval: leave it out. A point tier has ``points``, ``(time, label)``, in place
    of intervals. ``words``, where they are known, are the intervals of the words that were spoken.

    A tier has times and no units, so no measure takes it: :func:`~caesura.over_units` lays the tiers of an item over
    common units and makes segmentations of them.

    >>> Tier([(0.5, 1.25, "A"), (1.25, 2, "B")], end=3)
    Tier(2 intervals from 0 to 3 s: A B)
    >>> Tier(points=[(0.5, "H*"), (1.5, "L%")], end=3).points[1].time
    1.5
    """

    intervals: tuple[Interval, ...] = ()
    begin: float = 0.0
    end: float = math.nan
    """Of the recording; where it is not given, of the last interval, point or word."""
    points: tuple[Point, ...] | None = None
    words: tuple[Interval, ...] | None = None

    def __init__(
        self,
        intervals: Iterable[Sequence[Any]] = (),
        begin: float = 0.0,
        end: float | None = None,
        points: Iterable[Sequence[Any]] | None = None,
        words: Iterable[Sequence[Any]] | None = None,
    ) -> None:
        marked = _intervals(intervals, "intervals")
        at = None if points is None else _points(points)
        spoken = None if words is None else _intervals(words, "words")
        if marked and at is not None:
            raise TierError(f"points: a tier has intervals or points; got {len(marked)} interval(s) too")
        first = _time(begin, "begin")
        ends = [row[-1].end for row in (marked, spoken) if row] + [row.time for row in (at or ())[-1:]]
        last = max(ends, default=first) if end is None else _time(end, "end")
        if not first < last:
            raise TierError(f"end: a recording must end after it begins; got {first:.10g}-{last:.10g} s")
        held: dict[str, Sequence[Interval | Point]] = {"intervals": marked, "points": at or (), "words": spoken or ()}
        for what, rows in held.items():
            for i in (0, len(rows) - 1) if rows else ():
                if rows[i][0] < first or rows[i][-2] > last:
                    raise TierError(f"{what}[{i}] must lie in {first:.10g}-{last:.10g} s; got {rows[i]}")
        put = object.__setattr__
        put(self, "intervals", marked)
        put(self, "begin", first)
        put(self, "end", last)
        put(self, "points", at)
        put(self, "words", spoken)

    def __repr__(self) -> str:
        rows: Sequence[Interval | Point] = self.intervals if self.points is None else self.points
        what = "interval" if self.points is None else "point"
        number = f"{len(rows)} {what}{'' if len(rows) == 1 else 's'}"
        shown = " ".join(row.label[:20] for row in rows[:8]) + (" …" if len(rows) > 8 else "")
        return f"Tier({number} from {self.begin:g} to {self.end:g} s{': ' if rows else ''}{shown})"

    def with_words(self, words: Iterable[Sequence[Any]] | None) -> Tier:
        """The same tier over these words."""
        return Tier(self.intervals, self.begin, self.end, self.points, words)


def _time(value: object, place: str, i: int | None = None, name: str = "") -> float:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        try:
            time = float(value)
        except OverflowError:
            time = math.inf
        if math.isfinite(time):
            return time
    raise TierError(f"{place if i is None else f'{place}[{i}]: {name}'} must be a time in seconds; got {value!r}")


def _check(row: object, size: int, place: str, i: int, form: str) -> None:
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != size:
        raise TierError(f"{place}[{i}]: it must be {form}; got {row!r}")
    if not isinstance(row[-1], str):
        raise TierError(f"{place}[{i}]: label must be a string; got {row[-1]!r}")


def _intervals(rows: Iterable[Sequence[Any]], what: str) -> tuple[Interval, ...]:
    found: list[Interval] = []
    for i, row in enumerate(rows):
        _check(row, 3, what, i, "(start, end, label)")
        one = Interval(_time(row[0], what, i, "start"), _time(row[1], what, i, "end"), row[2])
        if one.start >= one.end:
            raise TierError(f"{what}[{i}]: end must be > start; got {one.end:.10g} <= {one.start:.10g}")
        if not one.label.strip():
            raise TierError(f"{what}[{i}]: an interval must have a label; leave out what has none, here {one}")
        if found and one.start < found[-1].end:
            said = "overlap" if one.end > found[-1].start else "do not rise"
            raise TierError(f"{what}[{i}]: intervals must follow each other; {found[-1]} and {one} {said}")
        found.append(one)
    return tuple(found)


def _points(rows: Iterable[Sequence[Any]]) -> tuple[Point, ...]:
    found: list[Point] = []
    for i, row in enumerate(rows):
        _check(row, 2, "points", i, "(time, label)")
        one = Point(_time(row[0], "points", i, "time"), row[1])
        if found and one.time <= found[-1].time:
            raise TierError(f"points[{i}]: points must rise; got {one} after {found[-1]}")
        found.append(one)
    return tuple(found)
