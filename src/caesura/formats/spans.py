"""Convert rows of spans to hierarchies; all span formats share this code.

A format parses its file into :class:`SpanRow` values and a :class:`Continuum`; :func:`add_spans` checks them, builds the
hierarchy and puts it into the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from caesura.errors import HierarchyError
from caesura.formats.content import describe_value
from caesura.formats.format import Reading, WarningLog, Writing
from caesura.formats.values import check_label, check_list, check_strings, check_time, check_whole
from caesura.model.dialogue import Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.options import Option, choice, flag, non_negative

UNITS = ("units", "seconds")
# Largest rounding error of a time in seconds: times that differ by ``snap`` in decimals may differ by more in binary.
ROUNDING = 1e-9


class SpanRow(NamedTuple):
    start: Any  # first and last unit, counted from 1; or times in seconds
    end: Any
    level: int | None = None  # level in the hierarchy; level 1 has the largest spans
    label: str | None = None


Rows = Sequence[SpanRow]


@dataclass(frozen=True)
class Continuum:
    """Text or recording that one coder annotated with spans."""

    seconds: bool = False  # whether spans are in seconds and not in units
    length: int | None = None
    units: tuple[str, ...] | None = None
    duration: float | None = None  # length of the recording in seconds
    # Times between units, if there are more of them than the times of the spans and the duration.
    edges: tuple[float, ...] | None = None
    extent: int | None = None  # number of positions for the chance model, if it differs from the number of units


def _check_edges(place: str, value: object) -> tuple[float, ...]:
    times = check_list("a list of times", value, place)
    edges = tuple(check_time(f"{place}[{i}]", time) for i, time in enumerate(times))
    if len(edges) < 2:
        raise HierarchyError(f"{place}: expected two or more times; got {len(edges)}")
    for i in range(1, len(edges)):
        if edges[i] <= edges[i - 1]:
            raise HierarchyError(f"{place}[{i}]: times must ascend; got {edges[i]:.10g} after {edges[i - 1]:.10g}")
    return edges


_CONTINUUM_CHECKS: dict[str, Callable[[str, object], Any]] = {
    "length": check_whole,
    "units": check_strings,
    "duration": check_time,
    "edges": _check_edges,
    "extent": check_whole,
}
CONTINUUM_FIELDS = tuple(_CONTINUUM_CHECKS)


def check_continuum(values: Mapping[str, object], seconds: bool) -> Continuum:
    for name in ("length", "units") if seconds else ("duration", "edges"):
        if values.get(name) is not None:
            raise HierarchyError(f"{name} is for spans in {UNITS[not seconds]}; these are in {UNITS[seconds]}")
    checks = _CONTINUUM_CHECKS.items()
    fields = {name: check(name, values[name]) for name, check in checks if values.get(name) is not None}
    return Continuum(seconds, **fields)


def check_row(place: str, row: object, seconds: bool) -> SpanRow:
    """Return a span from ``[start, end]``, ``[start, end, level]`` or ``[start, end, level, label]``."""
    if not isinstance(row, (list, tuple)) or not 2 <= len(row) <= 4:
        actual = f"{len(row)} values" if isinstance(row, (list, tuple)) else describe_value(row)
        raise HierarchyError(f"{place}: a span is [start, end, level, label], the last two optional; got {actual}")
    start, end, level, label = (*row, None, None)[:4]
    check = check_time if seconds else check_whole
    start, end = check(f"{place}: start", start), check(f"{place}: end", end)
    if start > end:
        raise HierarchyError(f"{place}: start must not be after end; got {start} > {end}")
    if level is not None:
        check_whole(f"{place}: level", level)
    return SpanRow(start, end, level, check_label(f"{place}: label", label))


def add_spans(
    reading: Reading, item: str, coder: str, rows: Rows, continuum: Continuum, *, last: float, beyond: str = "error"
) -> None:
    if continuum.seconds and continuum.edges is None:
        beyond = reading.options["beyond"] or beyond
        rows, duration = _fit_duration(rows, continuum.duration, beyond=beyond, last=last, item=item, log=reading.log)
        continuum = replace(continuum, duration=duration)
    reading.add(item, coder, build_hierarchy(reading, item, coder, rows, continuum))


def build_hierarchy(reading: Reading, item: str, coder: str, rows: Rows, continuum: Continuum) -> Hierarchy:
    """Build a hierarchy from checked spans. Spans in seconds that have zero length are excluded and counted."""
    hierarchy, used = _build(reading, rows, continuum)
    place, number = f"item {item!r}, coder {coder!r}", len(rows)
    if continuum.seconds:
        number = len(_lasting(reading, rows, continuum))
        reading.log.count("spans of zero length left out", place, len(rows) - number)
    if reading.options["repair"]:
        reading.log.count("spans left out because they do not nest", place, number - used)
    if not hierarchy.nested:
        reading.notes.append(f"{place}: the levels do not nest; only t_measure and l_measure can compare them")
    return hierarchy


def _build(reading: Reading, rows: Rows, continuum: Continuum) -> tuple[Hierarchy, int]:
    """Return the hierarchy, and the number of its spans, counting spans that occur twice."""
    # If spans in seconds are dropped, the rest is built again, so that the times of dropped spans are not edges of units.
    repair = reading.options["repair"]
    while True:
        lasting = _lasting(reading, rows, continuum)
        if continuum.seconds:
            edges = _edges([snapped for _, snapped in lasting], continuum)
            spans, length = _over_edges([snapped for _, snapped in lasting], edges), len(edges) - 1
        else:
            spans, edges, length = list(rows), None, _unit_count(continuum)
        hierarchy = _nested(length, spans, edges, continuum, repair=repair, nested=reading.options.get("nested", True))
        used = _are_in(hierarchy, spans)
        if edges is None or all(used) or not any(used):
            return hierarchy, sum(used)
        rows = [row for (row, _), is_used in zip(lasting, used, strict=True) if is_used]


def _are_in(hierarchy: Hierarchy, spans: Rows) -> list[bool]:
    kept = {(start, end, label) for start, end, _, label in hierarchy.spans}
    levels = {tuple(span) for span in hierarchy.spans}
    return [
        (span.start, span.end, span.label) in kept if span.level is None else tuple(span) in levels for span in spans
    ]


def _nested(
    length: int, spans: Rows, edges: tuple[float, ...] | None, continuum: Continuum, **options: bool
) -> Hierarchy:
    try:
        return Hierarchy(length, spans, units=continuum.units, edges=edges, extent=continuum.extent, **options)
    except HierarchyError as error:
        option = "; to exclude spans until the rest nest, use repair (--reading repair=yes)"
        raise HierarchyError(f"{error}{option if 'cross;' in str(error) else ''}") from None


def _lasting(reading: Reading, rows: Rows, continuum: Continuum) -> list[tuple[SpanRow, SpanRow]]:
    """Return each span that is longer than 0 s, as it is in the file and with its snapped times."""
    if not continuum.seconds:
        return [(row, row) for row in rows]
    snapped = _snap_times(rows, continuum, reading.options["snap"])
    return [(row, after) for row, after in zip(rows, snapped, strict=True) if after.start < after.end]


def _unit_count(continuum: Continuum) -> int:
    if continuum.length is not None:
        return continuum.length
    if continuum.units is not None:
        return len(continuum.units)
    raise HierarchyError("expected the number of units, as length or as units; got neither")


def _snap_times(rows: Rows, continuum: Continuum, snap: float) -> Rows:
    """Group the times of one coder: replace times at most ``snap`` after the first of a group by the first."""
    if not snap:
        return rows
    fixed = continuum.edges or (() if continuum.duration is None else (0.0, continuum.duration))
    first: dict[float, float] = {}
    anchor = -math.inf
    for time in sorted({*fixed, *(time for row in rows for time in row[:2])}):
        if time - anchor > snap + ROUNDING or time in fixed:
            anchor = time
        first[time] = anchor
    return [row._replace(start=first[row.start], end=first[row.end]) for row in rows]


def _edges(rows: Rows, continuum: Continuum) -> tuple[float, ...]:
    """Return the times between units, from the continuum or else from the spans and the duration."""
    edges, duration = continuum.edges, continuum.duration
    if edges is not None:
        if duration is not None and duration != edges[-1]:
            raise HierarchyError(f"the last edge must be the duration, {duration!r}; got {edges[-1]!r}")
        return edges
    times = {time for row in rows for time in row[:2]}
    if duration is not None:
        times |= {0.0, duration}
    if len(times) < 2:
        raise HierarchyError("expected at least one span longer than 0 s, or a duration; got none")
    return tuple(sorted(times))


def _over_edges(rows: Rows, edges: Sequence[float]) -> list[SpanRow]:
    positions = {time: i for i, time in enumerate(edges)}
    for row in rows:
        for time in row[:2]:
            if time not in positions:
                raise HierarchyError(f"a span must begin and end at one of the edges; got {time!r}")
    return [row._replace(start=positions[row.start] + 1, end=positions[row.end]) for row in rows]


def last_end(rows: Rows) -> float:
    return max((row.end for row in rows), default=0.0)


def _fit_duration(
    rows: Rows, duration: float | None, *, beyond: str, last: float, item: str, log: WarningLog
) -> tuple[Rows, float | None]:
    """Return the rows and the duration, adjusted if annotations continue after the end of the recording."""
    # ``last`` is the latest end of all coders of the item, so that all coders get the same extended duration.
    if duration is None or last <= duration:
        return rows, duration
    if beyond == "extend":
        log.add(f"item {item!r}: extended from {duration:.10g} s to {last:.10g} s, where its annotations end")
        return rows, last
    outside = [i for i, row in enumerate(rows) if row.end > duration]
    if not outside:
        return rows, duration
    if beyond == "error":
        row = rows[outside[0]]
        problem = f"a span must lie in 0-{duration:.10g} s; got {row.start:.10g}-{row.end:.10g}"
        raise HierarchyError(f"spans[{outside[0]}]: {problem}; or read with beyond='extend' or beyond='clip'")
    log.add(f"item {item!r}: {len(outside)} span(s) were clipped or excluded at its end, {duration:.10g} s")
    return _clip(rows, duration), duration


def _clip(rows: Rows, duration: float) -> Rows:
    inside = (row for row in rows if row.start < duration or row.end <= duration)
    return [row._replace(end=min(row.end, duration)) for row in inside]


def spans_of(writing: Writing) -> dict[tuple[str, str], tuple[Hierarchy, Continuum]]:
    spans = {}
    for item, coder in writing.corpus:
        hierarchy = _to_hierarchy(writing, item, coder)
        spans[item, coder] = hierarchy, _continuum_of(hierarchy, writing, item, coder)
    return spans


def _to_hierarchy(writing: Writing, item: str, coder: str) -> Hierarchy:
    annotation = writing.corpus[item, coder]
    if isinstance(annotation, Hierarchy):
        return annotation
    if isinstance(annotation, Spans):
        raise writing.error(
            "the other annotations are hierarchies; write spans and hierarchies to two files", item, coder
        )
    if not isinstance(annotation, Segmentation):
        raise writing.error("spans cannot have streams; write a .csv table of units", item, coder)
    if annotation.types != UNTYPED:
        raise writing.error("spans cannot have boundary types; write a .csv table of units", item, coder)
    rows = [(start + 1, end, 1, label) for start, end, label, _ in annotation.ranges]
    return Hierarchy(annotation.length, rows, units=annotation.units)


def _continuum_of(hierarchy: Hierarchy, writing: Writing, item: str, coder: str) -> Continuum:
    extent = None if hierarchy.extent == hierarchy.length else hierarchy.extent
    edges = hierarchy.edges
    if edges is None:
        return Continuum(length=hierarchy.length, units=hierarchy.units, extent=extent)
    if edges[0] < 0:
        raise writing.error(f"a time must be from 0 up; got {edges[0]!r}", item, coder)
    if hierarchy.units is not None:
        raise writing.error("spans in seconds cannot have units with text; remove the text first", item, coder)
    times = {time for row in span_rows(hierarchy) for time in row[:2]}
    if times == set(edges):
        return Continuum(seconds=True, extent=extent)
    if times | {0.0, edges[-1]} == set(edges):
        return Continuum(seconds=True, duration=edges[-1], extent=extent)
    return Continuum(seconds=True, edges=edges, extent=extent)


def span_rows(hierarchy: Hierarchy) -> list[SpanRow]:
    if hierarchy.edges is None:
        return [SpanRow(*span) for span in hierarchy.spans]
    return [SpanRow(start, end, level, label) for start, end, label, level in hierarchy.ranges]


# Types of annotations that span writers accept; for a dialogue they raise an error with a hint.
ANNOTATION_TYPES = (Hierarchy, Spans, Segmentation, Dialogue)
REPAIR = Option("repair", False, flag, "whether to exclude spans until the rest nest (default: raise an error)")
SNAP = Option("snap", 0.0, non_negative(), "equal times of a coder differ by at most this many seconds")
DURATION = Option("duration", None, non_negative(), "length in seconds (default: from the file, or the last end)")
BEYOND = Option("beyond", None, choice("error", "extend", "clip"), "spans after the end (default: error; SPAM: extend)")
NESTED = Option(
    "nested", True, flag, "whether spans must nest; false keeps levels that cross, for t_measure and l_measure"
)
# Options of all formats whose spans may be in seconds.
OPTIONS = (REPAIR, NESTED, SNAP, BEYOND)
