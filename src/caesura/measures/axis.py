"""The base classes of measures on an axis of units or seconds, and the grammar of their tolerances.

Measures of segments cut both sides at all boundaries of both. Each cell lies in one segment of either side, so every measure
is a sum over at most as many cells as there are boundaries; there is no grid.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import classes as class_kernel
from caesura.measures.base import Measure, PairCounts
from caesura.measures.batch import Batch, Comparison, Packed
from caesura.measures.edges import (
    EXTENTS,
    Cells,
    EdgeBatch,
    Packing,
    find_cells,
    gather_tiers,
    pack_axis,
    segment_classes,
)
from caesura.model.edges import SAME_PLACE
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero
from caesura.model.result import signature_value
from caesura.model.segmentation import Segmentation
from caesura.model.signature import option_text
from caesura.model.tier import Tier
from caesura.model.value import Floats
from caesura.options import Option, choice, non_negative, optional, positive, whole

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
AXIS_OPTIONS = (GAPS, EXTENT, LEVEL)  # options of all measures of segments
# Ends of the extent that the option ``ends`` adds to the boundaries of both sides.
END_PLACES = {"none": (), "start": ("begin",), "end": ("end",), "both": ("begin", "end"), "marked": ()}
_IN_SECONDS = MappingProxyType({"axis": "time"})

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


def amounts(name: str, value: float | str, batch: EdgeBatch) -> Floats:
    """Return a tolerance in the unit of the axis, for each document."""
    if not isinstance(value, str):
        return np.full(len(batch), float(value))
    if value.endswith("%"):
        return (batch.end - batch.begin) * float(value[:-1]) / 100
    if not batch.timed and len(batch):  # an empty batch, of which no pair could be compared, has no axis
        raise OptionError(seconds_on_units(name, value))
    return np.full(len(batch), float(value[:-1]))


def seconds_on_units(name: str, value: str) -> str:
    return f"{name}={value!r} is in seconds, but the texts have units; write a number of positions, such as {name}=2"


class AxisMeasure(Measure):
    """Base class of measures that compare two segmentations over units, or two annotations in seconds."""

    kinds = ("hierarchy", "timed", "linear", "dialogue")
    view = "edges"
    needs_common_units = False
    resolved_words = AXIS_WORDS
    amount_options: ClassVar[tuple[str, ...]] = ()  # options in the unit of the axis

    @property
    def packing(self) -> Packing:
        return Packing(self["level"], self["extent"])

    def to_batch(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        return pack_axis(pairs, self.sides, self.packing)

    def pack(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        if not self.needs_pairs and (batch := gather_tiers(pairs, self._packing)) is not None:
            return self._with_checks(batch, np.arange(len(pairs)), {})
        return super().pack(pairs)

    @cached_property
    def _packing(self) -> Packing:
        return self.packing

    def count_tiers(self, a: Tier, b: Tier) -> Sequence[float] | None:
        """Return the counts of two tiers; None if they must become a batch."""
        # A batch of one document costs more than comparing two short recordings. A measure that is called in loops defines this
        # method with the same kernel as ``compute``.
        return None

    @cached_property
    def _counts_tiers(self) -> bool:
        is_defined = type(self).count_tiers is not AxisMeasure.count_tiers
        return is_defined and self["extent"] == "same" and not self.needs_pairs and not self.is_averaged

    def _count_plain(self, a: Any, b: Any) -> PairCounts | None:
        is_plain = self._counts_tiers and type(a) is Tier and type(b) is Tier
        counts = self.count_tiers(a, b) if is_plain else None
        if counts is None:
            return None
        return [int(x) if x.is_integer() else x for x in map(float, counts)], _IN_SECONDS

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        return check_amounts(self, batch)

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        return with_units_of_axis(super().signature(params, types, documents), params, self.amount_options)


def compares_seconds(measure: Measure) -> bool:
    """Return whether a measure compares tiers in seconds rather than over common units."""
    if "timed" not in measure.kinds or measure.view == "edges":
        return "timed" in measure.kinds
    values = [measure.settings.get(name) for name in ("tolerance", "window", "n_t")]
    if measure.settings.get("chunk") is not None:
        return True
    return any(isinstance(value, float) or (isinstance(value, str) and value[-1:] in ("s", "%")) for value in values)


def in_seconds(measure: Measure) -> Measure:
    """Return a measure whose numbers in the unit of the axis are written in seconds, so that its name says the unit."""
    names = ("tolerance", "window")
    values = {name: measure.settings[name] for name in names if name in measure.settings}
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float) and value}
    if measure.compat is not None or not numbers:
        return measure
    return measure.replace(**{name: amount(name, f"{value!r}s") for name, value in numbers.items()})


def check_amounts(measure: Measure, batch: Batch) -> dict[int, CaesuraError]:
    """Return an error for every document if an option is in seconds and the axis is not."""
    if isinstance(batch, EdgeBatch) and batch.timed:
        return {}
    for name in getattr(measure, "amount_options", ()):
        value = measure[name]
        if isinstance(value, str) and value.endswith("s"):
            error = OptionError(seconds_on_units(name, value))
            return dict.fromkeys(range(len(batch)), error)
    return {}


def with_units_of_axis(line: str, params: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a signature in which numbers of seconds are written with their unit."""
    for name in names if params.get("axis") == "time" else ():
        value = params.get(name)
        if isinstance(value, (int, float)):
            for text in (option_text(value), signature_value(value)):
                line = line.replace(f"|{name}:{text}|", f"|{name}:{option_text(f'{value}s')}|")
    return line


def within(tolerance: Floats, *, timed: bool, strict: bool) -> Floats:
    """Return the largest distance within a tolerance; in time, distances that differ by rounding are equal."""
    if not timed:
        return tolerance
    return tolerance - SAME_PLACE if strict else tolerance + SAME_PLACE


class SegmentMeasure(AxisMeasure):
    min_parallel = 500_000  # the sweep takes a few nanoseconds per boundary

    def counted_cells(self, batch: EdgeBatch) -> Cells:
        """Return the cells that count: all, or those that have a label on both sides."""
        cells = find_cells(batch)
        if self["gaps"] == "segment":
            return cells
        a, b = segment_classes(batch, "a")[cells.a_seg], segment_classes(batch, "b")[cells.b_seg]
        return cells.keep((a > 0) & (b > 0))

    @property
    def packing(self) -> Packing:
        return super().packing._replace(needs_labels=self["gaps"] == "ignore")

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        assert isinstance(batch, EdgeBatch)
        if self["gaps"] == "segment":
            return {}
        empty = flatnonzero(np.diff(self.counted_cells(batch).off) == 0)
        return {int(d): Undefined("no time has a label on both sides; use gaps='segment'") for d in empty}

    def resolved(self, batch: EdgeBatch) -> dict[str, NDArray[Any]]:
        return batch.resolved(extent=self["extent"] != "same")


def f_of_ratios(counts: Floats, columns: tuple[int, int, int, int], beta: float, *, empty: float = 0.0) -> Floats:
    """Return F_beta of the precision and recall in each row of counts; 0 if both are 0."""
    values = np.empty(len(counts))
    class_kernel.f_of_ratios(np.asarray(counts, np.float64), columns, empty, float(beta) ** 2, values)
    return values
