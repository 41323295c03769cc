"""The former base classes of measures on an axis, until all families have moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError, OptionError
from caesura.measures.axis import AXIS_WORDS, seconds_on_units, with_units_of_axis
from caesura.measures.batch import Batch, Comparison, Packed
from caesura.measures.edges import EdgeBatch, Packing, gather_tiers, pack_axis
from caesura.measures.old_base import Measure
from caesura.model.edges import SAME_PLACE
from caesura.model.value import Floats


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


def amounts(name: str, value: float | str, batch: EdgeBatch) -> Floats:
    """Return a tolerance in the unit of the axis, for each document."""
    if not isinstance(value, str):
        return np.full(len(batch), float(value))
    if value.endswith("%"):
        return (batch.end - batch.begin) * float(value[:-1]) / 100
    if not batch.timed and len(batch):  # an empty batch, of which no pair could be compared, has no axis
        raise OptionError(seconds_on_units(name, value))
    return np.full(len(batch), float(value[:-1]))
