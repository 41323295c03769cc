"""What the formats of spans have in common: rows of strangers into a hierarchy, and what had to be left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from caesura.errors import FormatError, HierarchyError, OptionError
from caesura.formats.format import Reading, describe_value, warn
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import MAX_UNITS, UNTYPED, Segmentation
from caesura.options import Option, flag

__all__ = [
    "BEYOND",
    "DURATION",
    "REPAIR",
    "SNAP",
    "UNITS",
    "Frame",
    "LeftOut",
    "Row",
    "add_timed",
    "beyond_of",
    "check_edges",
    "check_row",
    "check_time",
    "check_whole",
    "choice",
    "frame_of",
    "hierarchy",
    "last_end",
    "rows_of",
    "spans_of",
    "within",
]

UNITS = ("units", "seconds")
_BEYOND = ("error", "extend", "clip")


class Row(NamedTuple):
    """A span as a file has it: in units, both ends included and from 1, or in seconds."""

    start: Any
    end: Any
    level: int | None = None
    label: str | None = None


@dataclass(frozen=True)
class Frame:
    """What the spans of one coder lie in. ``edges`` where they are more than the times of the spans."""

    seconds: bool = False
    length: int | None = None
    units: tuple[str, ...] | None = None
    duration: float | None = None
    edges: tuple[float, ...] | None = None
    extent: int | None = None


@dataclass
class LeftOut:
    """What a reader did not keep as it came: said once, when the file has been read."""

    path: str
    empty: int = 0
    first_empty: str = ""
    repaired: int = 0
    in_annotations: int = 0
    said: list[str] = field(default_factory=list)

    def warn(self) -> None:
        """One warning for each kind of thing, at the line that called ``cz.read``."""
        if self.empty:
            were = "1 span of no length was" if self.empty == 1 else f"{self.empty} spans of no length were"
            self.said.insert(0, f"{were} left out, the first in {self.first_empty}")
        if self.repaired:
            were = "1 span was" if self.repaired == 1 else f"{self.repaired} spans were"
            self.said.append(f"{were} left out to repair {self.in_annotations} annotation(s) that did not nest")
        for one in self.said:
            warn(f"{self.path}: {one}")
        self.said.clear()


# -- rows of strangers ------------------------------------------------------------------------------------------------


def check_whole(place: str, value: object, least: int = 1) -> int:
    """A whole number that a kernel can hold."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise HierarchyError(f"{place} must be a whole number; got {describe_value(value)}")
    if not least <= value <= MAX_UNITS:
        raise HierarchyError(f"{place} must be from {least} to {MAX_UNITS}; got {describe_value(value)}")
    return value


def check_time(place: str, value: object) -> float:
    """A time in seconds from 0 up."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            time = float(value)
        except OverflowError:
            time = math.inf
        if 0 <= time < math.inf:
            return time
    raise HierarchyError(f"{place} must be a time in seconds from 0 up; got {describe_value(value)}")


def check_edges(given: Sequence[object]) -> tuple[float, ...]:
    """Two or more times that rise."""
    edges = tuple(check_time(f"edges[{i}]", time) for i, time in enumerate(given))
    if len(edges) < 2:
        raise HierarchyError(f"edges: two or more times are needed; got {len(edges)}")
    for i in range(1, len(edges)):
        if edges[i] <= edges[i - 1]:
            raise HierarchyError(f"edges[{i}]: times must rise; got {edges[i]:.10g} after {edges[i - 1]:.10g}")
    return edges


def check_row(i: int, row: object, seconds: bool) -> Row:
    """``[start, end]``, with a level, with a level and a label."""
    if not isinstance(row, (list, tuple)) or not 2 <= len(row) <= 4:
        came = f"{len(row)} values" if isinstance(row, (list, tuple)) else describe_value(row)
        raise HierarchyError(f"spans[{i}]: a span is [start, end, level, label], the last two optional; got {came}")
    start, end, level, label = (*row, None, None)[:4]
    place = f"spans[{i}]: "
    if seconds:
        start, end = check_time(place + "start", start), check_time(place + "end", end)
    else:
        start, end = check_whole(place + "start", start), check_whole(place + "end", end)
    if start > end:
        raise HierarchyError(f"{place}start must not be after end; got {start} > {end}")
    if level is not None:
        check_whole(place + "level", level)
    if label is not None and not isinstance(label, str):
        raise HierarchyError(f"{place}label must be a string; got {describe_value(label)}")
    return Row(start, end, level, label)


def hierarchy(
    rows: Sequence[Row], frame: Frame, *, place: str, options: Mapping[str, Any], left_out: LeftOut
) -> Hierarchy:
    """The hierarchy of rows that were checked. In time, spans of no length are left out and counted."""
    repair = options["repair"]
    if frame.seconds:
        rows = _snapped(rows, frame, options["snap"])
        lasting = [row for row in rows if row.start < row.end]
        edges = _edges(lasting, frame)
        at = {time: i for i, time in enumerate(edges)}
        for row in lasting:
            for time in (row.start, row.end):
                if time not in at:
                    raise HierarchyError(f"a span must begin and end at one of the edges; got {time!r}")
        spans = [(at[row.start] + 1, at[row.end], row.level, row.label) for row in lasting]
        made = Hierarchy(len(edges) - 1, spans, edges=edges, extent=frame.extent, repair=repair)
        if len(lasting) < len(rows):
            left_out.empty += len(rows) - len(lasting)
            left_out.first_empty = left_out.first_empty or place
    else:
        spans = list(rows)
        length = len(frame.units) if frame.length is None and frame.units is not None else frame.length
        if length is None:
            raise HierarchyError("how many units there are must be said, by length or by units; got neither")
        made = Hierarchy(length, spans, units=frame.units, extent=frame.extent, repair=repair)
    if repair:
        lost = len(set(spans)) - len(made.spans)
        left_out.repaired += lost
        left_out.in_annotations += lost > 0
    return made


def _snapped(rows: Sequence[Row], frame: Frame, snap: float) -> Sequence[Row]:
    """Times of one coder that lie within ``snap`` of the first of a group are that one."""
    if not snap:
        return rows
    fixed = frame.edges or (() if frame.duration is None else (0.0, frame.duration))
    first: dict[float, float] = {}
    before = -math.inf
    for time in sorted({*fixed, *(time for row in rows for time in row[:2])}):
        if time > before + snap or time in fixed:
            before = time
        first[time] = before
    return [row._replace(start=first[row.start], end=first[row.end]) for row in rows]


def _edges(rows: Sequence[Row], frame: Frame) -> tuple[float, ...]:
    if frame.edges is not None:
        if frame.duration is not None and frame.duration != frame.edges[-1]:
            raise HierarchyError(f"the last edge must be the duration, {frame.duration!r}; got {frame.edges[-1]!r}")
        return frame.edges
    times = {time for row in rows for time in row[:2]}
    if frame.duration is not None:
        times |= {0.0, frame.duration}
    if len(times) < 2:
        raise HierarchyError("at least one span that lasts, or a duration, is needed; got none")
    return tuple(sorted(times))


def last_end(rows: Sequence[Row]) -> float:
    """When the last span ends; 0 without spans."""
    return max((row.end for row in rows), default=0.0)


def within(
    rows: Sequence[Row], duration: float | None, *, beyond: str, until: float, item: str, left_out: LeftOut
) -> tuple[list[Row], float | None]:
    """Rows and duration, when annotations go on after the end of what was annotated.

    ``until`` is where the last coder of the item ends: who extends, extends for all.
    """
    if duration is None or until <= duration:
        return list(rows), duration
    if beyond == "extend":
        said = f"item {item!r}: extended from {duration:.10g} s to {until:.10g} s, where its annotations end"
        if said not in left_out.said:
            left_out.said.append(said)
        return list(rows), until
    if beyond == "error":
        for i, row in enumerate(rows):
            if row.end > duration:
                raise HierarchyError(
                    f"spans[{i}]: a span must lie in 0-{duration:.10g} s; got {row.start:.10g}-{row.end:.10g}; or read "
                    "with beyond='extend' or beyond='clip'"
                )
        return list(rows), duration
    inside = [row._replace(end=min(row.end, duration)) for row in rows if row.start < duration or row.end <= duration]
    cut = sum(row.end > duration for row in rows)
    if cut:
        left_out.said.append(f"item {item!r}: {cut} span(s) were clipped or left out at its end, {duration:.10g} s")
    return inside, duration


def add_timed(
    reading: Reading,
    rows: Sequence[Row],
    item: str,
    coder: str,
    *,
    duration: float | None,
    until: float,
    left_out: LeftOut,
) -> None:
    """The hierarchy in time of one coder into the corpus; ``until`` is where the last coder of the item ends."""
    place = f"item {item!r}, coder {coder!r}"
    with reading.item(None, f"{place}: "):
        inside, ends = within(
            rows, duration, beyond=beyond_of(reading.options), until=until, item=item, left_out=left_out
        )
        frame = Frame(seconds=True, duration=ends)
        reading.add(item, coder, hierarchy(inside, frame, place=place, options=reading.options, left_out=left_out))


# -- what a coder made, as spans --------------------------------------------------------------------------------------


def spans_of(one: Annotation, path: str, item: str, coder: str) -> Hierarchy:
    """A hierarchy as it is; the segments of a segmentation as spans of level 1."""
    if isinstance(one, Hierarchy):
        return one
    place = f"item {item!r}, coder {coder!r}"
    if not isinstance(one, Segmentation):
        raise FormatError(path, None, f"{place}: spans cannot hold streams; write a .csv table of units")
    if one.types != UNTYPED:
        raise FormatError(path, None, f"{place}: spans cannot hold boundary types; write a .csv table of units")
    ends = [*one.inner.tolist(), one.length]
    starts = [1, *(end + 1 for end in ends[:-1])]
    labels = [None] * len(ends) if one.labels is None else [one.labels[start - 1] for start in starts]
    rows = [(*span, 1, label) for *span, label in zip(starts, ends, labels, strict=True)]
    return Hierarchy(one.length, rows, units=one.units)


def frame_of(one: Hierarchy, path: str, place: str) -> Frame:
    """What has to be written beside the spans, and no more than that, so that they read back the same."""
    extent = None if one.extent == one.length else one.extent
    if one.edges is None:
        return Frame(length=one.length, units=one.units, extent=extent)
    if one.edges[0] < 0:
        raise FormatError(path, None, f"{place}: a time must be from 0 up; got {one.edges[0]!r}")
    if one.units is not None:
        raise FormatError(path, None, f"{place}: spans in time cannot hold the text of units; leave it out first")
    times = {time for span in one.spans for time in (one.edges[span.start - 1], one.edges[span.end])}
    if times == set(one.edges):
        return Frame(seconds=True, extent=extent)
    if times | {0.0, one.edges[-1]} == set(one.edges):
        return Frame(seconds=True, duration=one.edges[-1], extent=extent)
    return Frame(seconds=True, edges=one.edges, extent=extent)


def rows_of(one: Hierarchy) -> list[Row]:
    """The spans as a file has them."""
    if one.edges is None:
        return [Row(*span) for span in one.spans]
    return [Row(one.edges[s.start - 1], one.edges[s.end], s.level, s.label) for s in one.spans]


# -- options ----------------------------------------------------------------------------------------------------------


def choice(*known: str) -> Any:
    """One of a few words."""

    def check(name: str, value: Any) -> str:
        if value not in known:
            raise OptionError(f"{name} must be one of {', '.join(known)}; got {value!r}")
        return str(value)

    return check


def _seconds(name: str, value: Any) -> float:
    try:
        return check_time(name, value)
    except HierarchyError as problem:
        raise OptionError(str(problem)) from None


REPAIR = Option(
    "repair",
    False,
    flag,
    "whether annotations that do not nest lose spans until they do (the deeper level, the shorter, the later) or are errors",
)
SNAP = Option(
    "snap", 0.0, _seconds, "in time: a coder's times this near to each other are one, against the rounding of others"
)
DURATION = Option(
    "duration",
    None,
    _seconds,
    "how long the recording is, in seconds; by default as the file says, or until the last end",
)
BEYOND = Option(
    "beyond",
    None,
    choice(*_BEYOND),
    "annotations after the end: error, extend the item, or clip them; by default an error, in SPAM's files extend",
)


def beyond_of(options: Mapping[str, Any], default: str = "error") -> str:
    """What to do with annotations after the end of the item."""
    return options["beyond"] or default
