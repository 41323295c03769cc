"""What the two sides of a pair must be, and the one place that compares it with what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
from caesura.model.columns import EMPTY, Table
from caesura.model.dialogue import kind_name
from caesura.model.index import flatnonzero
from caesura.model.projection import alignment_hint
from caesura.model.segmentation import constructors_for
from caesura.model.value import Ints

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


@dataclass(frozen=True)
class Needs:
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
        problems: dict[int, CaesuraError] = {}
        seconds: bool | None = None
        for row in self._suspects(batch).tolist():
            try:
                in_seconds = self._check_sides(batch, row, name, sides)
                if self.axis == "batch" and in_seconds != (seconds := in_seconds if seconds is None else seconds):
                    raise MismatchError("all pairs must be on the same axis; some are in units and some in seconds")
                self._check_extents(batch, row, name, sides)
            except CaesuraError as error:
                problems[row] = error
        return problems

    def _suspects(self, batch: Batch) -> Ints:
        """Return the rows that may not be comparable: all that are not, and a few others. This is fast for large batches."""
        table, a, b = batch.table, batch.first, batch.second
        every, some, lowest, highest = table.summary
        mixed = some & ~every & IN_SECONDS
        if (batch.names is not None and not self.streams) or (mixed and self.axis == "batch"):
            return np.arange(len(a))
        suspect: Any = False
        first, second, required = self._forbidden_first, self._forbidden_second, self._required
        if mixed or some & (first | second) or required & ~every or not self.least <= lowest <= highest <= self.shape:
            a_traits, b_traits = table.traits[a], table.traits[b]
            suspect = (a_traits & first) | (b_traits & second) | (required & ~(a_traits & b_traits))
            suspect = (suspect | (a_traits ^ b_traits) & mixed) != 0
            for traits in (a_traits, b_traits):
                suspect |= (traits >> SHAPE_BIT < self.least) | (traits >> SHAPE_BIT > self.shape)
        if some & IN_SECONDS and self.extent:
            suspect |= ~same_extents(batch)
        if self.texts and not every & IN_SECONDS:
            length = table.end - table.begin
            suspect |= length[a] != length[b]
            if some & HAS_UNITS:
                units = [getattr(annotation, "units", None) for annotation in table.annotations]
                rows = zip(a.tolist(), b.tolist(), strict=True)
                suspect |= np.array([units[first] is not units[second] for first, second in rows], bool)
        return flatnonzero(suspect) if suspect is not False else EMPTY

    @cached_property
    def _forbidden_first(self) -> int:
        """Traits that the first side must not have, or that must be looked at."""
        traits = HAS_SCORES | IN_SECONDS * self.units | OPEN_END * self.extent | HAS_COUNTS * (not self.counts)
        return traits | IS_TREE * (self.shape >= Shape.NESTED and not self.tree)

    @cached_property
    def _forbidden_second(self) -> int:
        return self._forbidden_first & ~(HAS_SCORES * self.scores) | HAS_COUNTS

    @cached_property
    def _required(self) -> int:
        return IS_TREE * self.tree | HAS_LABELS * bool(self.labels)

    def _check_sides(self, batch: Batch, row: int, name: str, sides: tuple[str, str]) -> bool:
        """Raise an error if a side is not what is needed, or the axes differ; return whether places are in seconds."""
        table, rows = batch.table, (int(batch.first[row]), int(batch.second[row]))
        if batch.names is not None and batch.names[row] is not None and not self.streams:
            raise MismatchError("this measure cannot score a dialogue; use boundary_similarity or flexible_similarity")
        a, b = (int(table.traits[k]) for k in rows)
        for k, traits, forbidden in ((0, a, self._forbidden_first), (1, b, self._forbidden_second)):
            if (
                not self.least <= traits >> SHAPE_BIT <= self.shape
                or traits & forbidden & ~OPEN_END
                or ~traits & self._required & IS_TREE
            ):
                shape = Shape(traits >> SHAPE_BIT)
                if self.hint and traits & IN_SECONDS:
                    raise MismatchError(f"{name} {self.hint}")
                if self.least >= Shape.NESTED and shape > self.shape and not self.tree:
                    raise MismatchError(f"{sides[k]}: {CROSSING[shape]}")
                raise self.expected(table.annotations[rows[k]], sides[k], first=k == 0)
        if (a ^ b) & IN_SECONDS and self.axis != "any":
            in_units, in_seconds = sides if b & IN_SECONDS else sides[::-1]
            if self.least >= Shape.NESTED:
                problem = f"both sides must have times, or neither; {in_seconds} has times, {in_units} has none"
                raise MismatchError(problem)
            hint = "convert both to units with over_units"
            if b & HAS_SCORES:
                scores_in_units = "give each score its time with BoundaryScores.from_pairs"
                hint = f"give {in_units} in seconds, too" if b & IN_SECONDS else scores_in_units
            problem = f"both sides must be on the same axis; {in_units} has units, {in_seconds} has seconds; {hint}"
            raise MismatchError(problem)
        return bool(a & IN_SECONDS)

    def _check_extents(self, batch: Batch, row: int, name: str, sides: tuple[str, str]) -> None:
        """Raise an error if the two sides differ in what must be equal, or lack labels."""
        table, rows = batch.table, (int(batch.first[row]), int(batch.second[row]))
        a, b = (int(table.traits[k]) for k in rows)
        if self.texts and not (a & IN_SECONDS or b & HAS_SCORES):
            length, other = (int(table.end[k] - table.begin[k]) for k in rows)
            words = a & b & HAS_UNITS and (a | b) >> SHAPE_BIT < Shape.FREE
            if (length != other and not (a | b) & OPEN_END) or (words and rows[0] != rows[1]):
                problem = different_units(table.annotations[rows[0]], table.annotations[rows[1]], sides)
                if problem is not None:
                    raise MismatchError(problem)
        if self.extent and table.seconds:
            if (a | b) & OPEN_END:
                raise MismatchError(UNKNOWN_END)
            if not b & HAS_SCORES and not _have_same_extent(table, *rows):
                ends = [
                    (side, table.begin[k] / table.ticks, table.end[k] / table.ticks)
                    for side, k in zip(sides, rows, strict=True)
                ]
                got = ", ".join(f"{side} {begin:.10g}-{end:.10g} s" for side, begin, end in ends)
                hint = "set extent to 'reference', 'intersection' or 'union'"
                raise MismatchError(f"both sides must have the same extent; got {got}; {hint}")
        for side, traits in zip(sides, (a, b), strict=True) if self.labels else ():
            if not traits & HAS_LABELS:
                raise MismatchError(f"{side}: {name} {self.labels}")

    def plain(self, *, typed: bool) -> tuple[int, int]:
        """Return the traits that two plain annotations of one extent must not have, and those that they must have."""
        if self.least != Shape.MARKS:
            return 0, -1
        return self._forbidden_first | _NOT_PLAIN, self._required | HAS_NO_TYPES * (not typed)


# Among them the bits of all shapes that are neither boundaries nor segments.
_NOT_PLAIN = OPEN_END | HAS_END_POINTS | HAS_COUNTS | HAS_SCORES | -1 << SHAPE_BIT + 1


def seconds_on_units(name: str, value: str) -> str:
    return f"{name}={value!r} is in seconds, but the texts have units; write a number of positions, such as {name}=2"


def same_extents(batch: Batch) -> NDArray[np.bool_]:
    """Return the rows whose sides have the same extent; times that differ by one tick are the same."""
    return np.asarray(_have_same_extent(batch.table, batch.first, batch.second), bool)


def _have_same_extent(table: Table, a: Any, b: Any) -> Any:
    return (np.abs(table.begin[a] - table.begin[b]) <= 1) & (np.abs(table.end[a] - table.end[b]) <= 1)


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
