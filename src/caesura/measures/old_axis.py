"""The former base classes of measures on an axis, until all families have moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import classes as class_kernel
from caesura.measures.axis import AXIS_WORDS, seconds_on_units, with_units_of_axis
from caesura.measures.batch import Batch, Comparison, Packed
from caesura.measures.edges import Cells, EdgeBatch, Packing, find_cells, gather_tiers, pack_axis, segment_classes
from caesura.measures.old_base import Measure, PairCounts
from caesura.model.edges import SAME_PLACE
from caesura.model.index import flatnonzero
from caesura.model.tier import Tier
from caesura.model.value import Floats

_IN_SECONDS = MappingProxyType({"axis": "time"})


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


def amounts(name: str, value: float | str, batch: EdgeBatch) -> Floats:
    """Return a tolerance in the unit of the axis, for each document."""
    if not isinstance(value, str):
        return np.full(len(batch), float(value))
    if value.endswith("%"):
        return (batch.end - batch.begin) * float(value[:-1]) / 100
    if not batch.timed and len(batch):  # an empty batch, of which no pair could be compared, has no axis
        raise OptionError(seconds_on_units(name, value))
    return np.full(len(batch), float(value[:-1]))
