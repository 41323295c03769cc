"""Measures on an axis of units or seconds: their options, the grammar of their tolerances, and how extents are made equal.

Places are whole ticks on both axes, so a measure has one definition for both.
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.kernels import cells as cell_kernel
from caesura.kernels import classes as class_kernel
from caesura.measures.base import Measure, declared
from caesura.measures.needs import same_extents, seconds_on_units
from caesura.model.annotation import OPEN_END, SAME_PLACE, Edges, Shape
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Partition, Table, at_level
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, non_negative, optional, positive, whole

# What to do if the two sides have different extents: refuse, or compare on one of these extents. ``from_zero`` is 0 to the end
# of the reference, as in mir_eval.
EXTENTS = ("same", "reference", "intersection", "union", "from_zero")
LEVEL = Option("level", None, optional(whole(1)), "level of a hierarchy to compare (needed if it has several)")
EXTENT = Option(
    "extent", "same", choice(*EXTENTS), "extent to compare if the two sides have different ones; by default an error"
)
# Words of the resolved option ``axis``.
AXIS_WORDS = MappingProxyType({"axis": np.array(["units", "time"])})
# An annotation on an axis: units, seconds, or a level of a hierarchy.
Side = Segmentation | Tier | Hierarchy
GAPS = Option("gaps", "segment", choice("segment", "ignore"), "whether time without a label is a segment or is ignored")
BETA = Option("beta", 1, positive, "weight of recall (coverage, under) against precision (purity, over) in F")
# Ends of the extent that the option ``ends`` adds to the boundaries of both sides.
END_PLACES = {"none": (), "start": ("begin",), "end": ("end",), "both": ("begin", "end"), "marked": ()}
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+) ?(s|ms|%)")


def amount(name: str, value: Any) -> float | str:
    """Check for a tolerance: a number in the unit of the axis, or a text such as ``"0.5s"``, ``"500ms"`` or ``"5%"``."""
    if not isinstance(value, str):
        return non_negative()(name, value)  # type: ignore[no-any-return]
    match = _AMOUNT.fullmatch(value.strip())
    if match is None:
        raise OptionError(f"{name} must be a number, or a text such as '0.5s', '500ms' or '5%'; got {value!r}")
    number, unit = float(match[1]), match[2]
    if not math.isfinite(number):
        raise OptionError(f"{name} must be finite; got {value!r}")
    if unit == "ms":
        number, unit = number / 1000, "s"
    return f"{int(number) if number.is_integer() else number!r}{unit}"


amount.value_type, amount.choices = str, ()  # type: ignore[attr-defined]  # for the command line


def amounts(name: str, value: float | str, batch: Batch) -> Floats:
    """Return an amount in ticks, for each pair; a number is in the unit of the axis."""
    if not isinstance(value, str):
        return np.full(batch.pairs, float(value) * batch.ticks)
    if value.endswith("%"):
        return batch.length * float(value[:-1]) / 100
    if not batch.seconds and batch.pairs:  # an empty batch, of which no pair could be compared, has no axis
        raise OptionError(seconds_on_units(name, value))
    return np.full(batch.pairs, float(value[:-1]) * batch.ticks)


class AxisMeasure(Measure):
    """Base class of measures that compare two segmentations over units, or two annotations in seconds."""

    kinds = ("hierarchy", "timed", "linear", "dialogue")
    needs_common_units = False
    resolved_words = AXIS_WORDS
    # Whether the options say if seconds or common units are compared: a number such as n_t=2 is one of positions.
    unit_by_options: ClassVar[bool] = False

    extent: str = declared(EXTENT, last=3)
    level: int | None = declared(LEVEL, last=3)

    @property
    def preparation(self) -> tuple[Any, ...]:
        return *super().preparation[:-2], self.extent, self.level

    @property
    def always_converts(self) -> bool:
        return self.extent == "from_zero"

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        batch, errors = on_level(batch, self.level, self.sides)
        if self.extent == "same" or not self.needs.extent or not batch.seconds:
            return batch, errors
        open_end = batch.table.has(OPEN_END)  # ``needs`` refuses an end that is not known
        different = ~same_extents(batch) if self.extent != "from_zero" else np.ones(batch.pairs, bool)
        different = flatnonzero(different & ~open_end[batch.first] & ~open_end[batch.second])
        return self._on_one_extent(batch, different, errors) if len(different) else (batch, errors)

    def _on_one_extent(
        self, batch: Batch, rows: Ints, errors: dict[int, CaesuraError]
    ) -> tuple[Batch, dict[int, CaesuraError]]:
        """Return the batch with both sides of some rows on the same extent."""
        table = batch.table
        annotations = [table.annotations[k] for k in (*batch.first.tolist(), *batch.second.tolist())]
        change = np.zeros(len(annotations))
        for row in rows.tolist():
            a, b = (annotations[k] for k in (row, row + batch.pairs))
            try:
                *fitted, moved = fit_extents(a.edges, b.edges, self.sides, self.extent)
            except (MismatchError, AttributeError) as error:  # ``needs`` refuses what has no edges
                if isinstance(error, MismatchError):
                    errors.setdefault(row, error)
                continue
            annotations[row], annotations[row + batch.pairs] = (Partition(edges, seconds=True) for edges in fitted)
            change[[row, row + batch.pairs]] = moved
        first = np.arange(batch.pairs)
        fitted_table = Table.of(annotations)
        fitted_table.change = change
        return batch.on(fitted_table, first, first + batch.pairs), errors

    def resolved(self, batch: Batch) -> dict[str, NDArray[Any]]:
        """Return the axis, and by how much an extent was changed, as resolved options."""
        resolved: dict[str, NDArray[Any]] = {"axis": np.full(batch.pairs, int(batch.seconds), np.uint8)}
        if self.extent == "same" or not self.needs.extent:
            return resolved
        return resolved | {"extent_change": batch.extent_change}


def on_level(batch: Batch, level: int | None, sides: tuple[str, str]) -> tuple[Batch, dict[int, CaesuraError]]:
    """Return the batch with hierarchies as one of their levels, and an error for each row without this level."""
    if not (batch.table.shape > Shape.PARTITION).any():
        return batch, {}
    table, problems = at_level(batch.table, level)
    errors: dict[int, CaesuraError] = {}
    for row in range(batch.pairs) if problems else ():
        for side, k in zip(sides, (int(batch.first[row]), int(batch.second[row])), strict=True):
            if k in problems:
                errors.setdefault(row, MismatchError(f"{side}: {problems[k]}"))
    return batch.on(table), errors


def fit_extents(a: Edges, b: Edges, sides: tuple[str, str], extent: str) -> tuple[Edges, Edges, float]:
    """Return both sides on the same extent, and by how much the extents differ."""
    change = max(abs(a.begin - b.begin), abs(a.end - b.end))
    if extent == "from_zero":
        padding = ("__T_MIN", "__T_MAX")
        return a.fit(0.0, a.end, padding), b.fit(0.0, a.end, padding), max(change, abs(a.begin))
    if extent == "reference":
        begin, end = a.begin, a.end
    elif extent == "union":
        begin, end = min(a.begin, b.begin), max(a.end, b.end)
    else:
        begin, end = max(a.begin, b.begin), min(a.end, b.end)
        if end - begin <= SAME_PLACE:
            raise MismatchError(f"{sides[0]} and {sides[1]} have no time in common; set extent to 'union'")
    return a.fit(begin, end), b.fit(begin, end), change


def compares_seconds(measure: Measure) -> bool:
    """Return whether a measure compares tiers in seconds rather than over common units."""
    if "timed" not in measure.kinds or not getattr(measure, "unit_by_options", False):
        return "timed" in measure.kinds
    if measure.recipe is not None and measure.recipe.seconds:
        return True
    values = [measure.settings.get(name) for name in ("tolerance", "window", "n_t")]
    return any(isinstance(value, float) or (isinstance(value, str) and value[-1:] in ("s", "%")) for value in values)


def in_seconds(measure: Measure) -> Measure:
    """Return a measure whose numbers in the unit of the axis are written in seconds, so that its name says the unit."""
    names = ("tolerance", "window")
    values = {name: measure.settings[name] for name in names if name in measure.settings}
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float) and value}
    if measure.compat is not None or not numbers:
        return measure
    return measure.replace(**{name: amount(name, f"{value!r}s") for name, value in numbers.items()})


# Kernels sweep over pairs cell by cell: a cell is a stretch between two neighbouring boundaries of both sides.
# Which cells count, by the value of the option ``gaps``.
COUNTED = MappingProxyType(
    {"segment": cell_kernel.EVERY, "ignore": cell_kernel.BY_BOTH, "reference": cell_kernel.BY_FIRST}
)


def pairs_of(batch: Batch, gaps: str, labels: str | None = None) -> cell_kernel.Pairs:
    """Return the boundaries of a batch with the labels of a column, and which of their cells count."""
    a, b = batch.sides()
    a_label = b_label = EMPTY
    if labels is not None or gaps != "segment":
        a_label, b_label = (side.label for side in batch.sides(labels or "segments"))
    sides = a.place, a.off, a_label, b.place, b.off, b_label
    return cell_kernel.Pairs(batch.begin, batch.begin + batch.length, *sides, COUNTED[gaps])


def counted_lengths(batch: Batch, gaps: str) -> Floats:
    """Return the length in ticks of the cells of each pair that count."""
    lengths = np.empty(batch.pairs)
    cell_kernel.counted_lengths(pairs_of(batch, gaps), lengths)
    return lengths


class SegmentMeasure(AxisMeasure):
    """Base class of measures that compare segments, which are sums over the cells between all boundaries of both sides."""

    min_parallel = 500_000  # the sweep is fast

    gaps: str = declared(GAPS, last=2)

    @property
    def counted(self) -> str:
        """Which cells count, as a value of ``gaps``."""
        return self.gaps

    @property
    def reason_without_cells(self) -> str:
        """Why no cell of a pair counts."""
        return "no time has a label on both sides; use gaps='segment'"

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        errors = super().check(batch)
        if self.counted != "segment":
            for row in flatnonzero(counted_lengths(batch, self.counted) == 0).tolist():
                errors.setdefault(row, Undefined(self.reason_without_cells))
        return errors


def f_of_ratios(counts: Floats, columns: tuple[int, int, int, int], beta: float, *, empty: float = 0.0) -> Floats:
    """Return F_beta of the precision and recall in each row of counts; 0 if both are 0."""
    values = np.empty(len(counts))
    class_kernel.f_of_ratios(np.asarray(counts, np.float64), columns, empty, float(beta) ** 2, values)
    return values
