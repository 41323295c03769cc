"""What the two sides of a pair must be, and the one place that compares it with what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.model.annotation import (
    HAS_COUNTS,
    HAS_END_POINTS,
    HAS_LABELS,
    HAS_NO_TYPES,
    HAS_SCORES,
    HAS_UNITS,
    IN_SECONDS,
    IS_TREE,
    OPEN_END,
    SHAPE_BIT,
    Shape,
)
from caesura.model.batch import Batch, NoAnnotationError
from caesura.model.dialogue import kind_name
from caesura.model.index import flatnonzero
from caesura.model.segmentation import constructors_for
from caesura.model.text_difference import alignment_hint

# What a measure expects, for messages.
NOUNS = {
    Shape.MARKS: "a Segmentation",
    Shape.PARTITION: "a Segmentation, a Tier or a level of a Hierarchy",
    Shape.NESTED: "a Hierarchy",
    Shape.LAYERED: "a Hierarchy",
    Shape.FREE: "Spans or a Hierarchy",
}
# Why intervals are no hierarchy.
CROSSING = {
    Shape.LAYERED: "the spans do not nest; use t_measure or l_measure, or leave out spans with repair=True",
    Shape.FREE: "the spans cross, so they are no hierarchy; use span_f, or gamma with caesura agree",
}
# Message for measures that need the extent of a recording whose length is not known.
UNKNOWN_END = (
    "the length of the recording is not known, and the last boundary is not its end; give the lengths of the items with "
    "lengths=FILE (--reading lengths=FILE), or use a measure that does not need them, such as boundary_f(tolerance='0.5s')"
)


class Needs(NamedTuple):
    """What both sides must be. A shape includes all shapes before it."""

    shape: Shape = Shape.PARTITION
    least: Shape = Shape.MARKS  # the simplest shape that has a value
    units: bool = False  # whether places must be units, because the measure counts them
    labels: str = ""  # why segments must have labels, and what to use without them; empty if they need none
    extent: bool = True  # whether the value depends on the extent of the item
    texts: bool = True  # whether both sides must have the same units
    streams: bool = True  # whether a dialogue is scored stream by stream
    counts: bool = False  # whether the first side may be the marks of several coders
    scores: bool = False  # whether the second side may be boundary scores, whose extent is that of the first side
    tree: bool = False  # whether both sides must be trees; other measures of nested intervals compare no trees
    axis: str = "batch"  # what must be on one axis: all pairs of a "batch", both sides of a "pair", or nothing ("any")
    noun: str = ""  # what is expected, if it is not the usual word for the shape
    hint: str = ""  # why seconds cannot be compared, and what to use instead

    def expected(self, value: object, side: str, *, first: bool) -> MismatchError:
        """Return the error for a value that is no annotation, or has a shape that the measure cannot compare."""
        if isinstance(value, Mapping) and not self.streams:
            count = f"{len(value)} speaker{'s' * (len(value) != 1)}"
            problem = (
                f"this measure cannot score a dialogue; got {count}; use boundary_similarity or flexible_similarity"
            )
            return MismatchError(f"{side}: {problem}")
        if value is None and self.tree:
            return MismatchError(f"{side}: there is no tree")
        noun = self.noun or NOUNS[Shape.MARKS if self.units and self.shape < Shape.NESTED else self.shape]
        got = kind_name(value) if self.units else type(value).__name__
        if self.counts and first:
            return MismatchError(f"{side}: expected Marks or {noun}; got {got}")
        return MismatchError(f"{side}: expected {noun}; got {got}{constructors_for(value)}")

    def explain(self, error: CaesuraError, sides: tuple[str, str]) -> CaesuraError:
        """Return the error with what the measure expects, if a side was no annotation."""
        if not isinstance(error, NoAnnotationError):
            return error
        expected = self.expected(error.value, error.side, first=error.side == sides[0])
        return expected if error.stream is None else MismatchError(f"stream {error.stream!r}: {expected}")

    def problems(self, batch: Batch, name: str, sides: tuple[str, str]) -> dict[int, CaesuraError]:
        """Return the rows of a batch that cannot be compared, with the reason."""
        table, a, b = batch.table, batch.first, batch.second
        problems: dict[int, CaesuraError] = {}

        def refuse(wrong: NDArray[np.bool_], reason: Any) -> None:
            for row in flatnonzero(wrong).tolist() if wrong.any() else ():
                if row not in problems and (error := reason(row)) is not None:
                    problems[row] = error if isinstance(error, CaesuraError) else MismatchError(error)

        def annotations(row: int) -> tuple[Any, Any]:
            return table.annotations[a[row]], table.annotations[b[row]]

        if not self.streams and batch.names is not None:
            message = "this measure cannot score a dialogue; use boundary_similarity or flexible_similarity"
            refuse(np.array([stream is not None for stream in batch.names], bool), lambda row: message)
        for k, side in enumerate((a, b)):
            unfit = (table.shape[side] > self.shape) | (table.shape[side] < self.least)
            if self.units:
                unfit |= table.has(IN_SECONDS)[side]
            if not (self.counts and k == 0):
                unfit |= table.has(HAS_COUNTS)[side]
            if not (self.scores and k == 1):
                unfit |= table.has(HAS_SCORES)[side]
            if self.shape >= Shape.NESTED:
                unfit |= table.has(IS_TREE)[side] != self.tree
            refuse(unfit, lambda row, k=k: self._unfit(annotations(row)[k], name, sides[k], first=k == 0))
        seconds = table.has(IN_SECONDS)
        if self.axis != "any":
            refuse(seconds[a] != seconds[b], lambda row: self._different_axes(bool(seconds[b[row]]), sides))
        if len(a) and self.axis == "batch":
            message = "all pairs must be on the same axis; some are in units and some in seconds"
            compared = [row for row in range(len(a)) if row not in problems] if problems else [0]
            refuse(seconds[a] != (seconds[a[compared[0]]] if compared else False), lambda row: message)
        has_extents = ~table.has(HAS_SCORES)[b]
        in_units = ~seconds[a] & has_extents
        if self.texts:
            length, is_open = table.end - table.begin, table.has(OPEN_END)  # spans may be open in units too
            differ = in_units & (length[a] != length[b])
            if is_open.any():
                differ &= ~(is_open[a] | is_open[b])
            refuse(differ, lambda row: different_units(*annotations(row), sides))
            if table.annotations:
                words = table.has(HAS_UNITS) & (table.shape < Shape.FREE)
                refuse(in_units & words[a] & words[b] & (a != b), lambda row: different_units(*annotations(row), sides))
        if self.extent and table.seconds:
            refuse(table.has(OPEN_END)[a] | table.has(OPEN_END)[b], lambda row: UNKNOWN_END)
            refuse(~same_extents(batch) & has_extents, lambda row: _different_extents(batch, row, sides))
        if self.labels:
            for k, side in enumerate((a, b)):
                refuse(~table.has(HAS_LABELS)[side], lambda row, k=k: f"{sides[k]}: {name} {self.labels}")
        return problems

    def _unfit(self, annotation: Any, name: str, side: str, *, first: bool) -> MismatchError:
        if self.hint and IN_SECONDS & _traits(annotation):
            return MismatchError(f"{name} {self.hint}")
        shape = Shape(_traits(annotation) >> SHAPE_BIT)
        if self.least >= Shape.NESTED and shape > self.shape and not self.tree:
            return MismatchError(f"{side}: {CROSSING[shape]}")
        return self.expected(annotation, side, first=first)

    def _different_axes(self, in_units_first: bool, sides: tuple[str, str]) -> str:
        in_units, in_seconds = sides if in_units_first else sides[::-1]
        if self.least >= Shape.NESTED:
            return f"both sides must have times, or neither; {in_seconds} has times, {in_units} has none"
        return (
            f"both sides must be on the same axis; {in_units} has units, {in_seconds} has seconds; "
            "convert both to units with over_units"
        )

    def accepts_plain(self, a_traits: int, b_traits: int, *, typed: bool = False) -> bool:
        """Return whether two annotations with these traits and the same extent certainly can be compared."""
        both = a_traits | b_traits
        return (
            self.least == Shape.MARKS
            and not both & (OPEN_END | HAS_END_POINTS | HAS_COUNTS | HAS_SCORES)
            and not both >> SHAPE_BIT + 1  # boundaries or segments
            and (typed or bool(a_traits & b_traits & HAS_NO_TYPES))
            and not (self.units and both & IN_SECONDS)
            and not ((a_traits ^ b_traits) & IN_SECONDS)
            and (not self.labels or bool(a_traits & b_traits & HAS_LABELS))
        )


def _traits(annotation: Any) -> int:
    return int(np.frombuffer(annotation.packed, np.int64, 1, 16)[0])


def same_extents(batch: Batch) -> NDArray[np.bool_]:
    """Return the rows whose sides have the same extent; times that differ by one tick are the same."""
    table, a, b = batch.table, batch.first, batch.second
    begin, end = table.begin[a] - table.begin[b], table.end[a] - table.end[b]
    return np.asarray((np.abs(begin) <= 1) & (np.abs(end) <= 1), bool)


def _different_extents(batch: Batch, row: int, sides: tuple[str, str]) -> str:
    table = batch.table
    extents = [
        f"{side} {table.begin[k] / table.ticks:.10g}-{table.end[k] / table.ticks:.10g} s"
        for side, k in zip(sides, (batch.first[row], batch.second[row]), strict=True)
    ]
    got = ", ".join(extents)
    return f"both sides must have the same extent; got {got}; set extent to 'reference', 'intersection' or 'union'"


def different_units(a: Any, b: Any, sides: tuple[str, str]) -> str | None:
    """Return how the units of two annotations differ; None if they do not."""
    if a.length != b.length:
        message = f"both sides must have the same units; {sides[0]} has {a.length:.15g}, {sides[1]} has {b.length:.15g}"
        return message + alignment_hint(a.units, b.units)
    if a.units is None or b.units is None or a.units is b.units or a.units == b.units:
        return None
    i = next(i for i, (x, y) in enumerate(zip(a.units, b.units, strict=True)) if x != y)
    message = f"unit {i + 1} differs: {sides[0]} has {a.units[i]!r}, {sides[1]} has {b.units[i]!r}"
    return message + alignment_hint(a.units, b.units)
