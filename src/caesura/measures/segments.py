"""The base class of measures of segments, which compare how two annotations overlap, in units or seconds.

Both sides are cut at all boundaries of both. Each cell lies in one segment of either side, so every measure is a sum over at
most as many cells as there are boundaries; there is no grid.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, Undefined
from caesura.kernels import classes as class_kernel
from caesura.measures.axis import EXTENT, LEVEL, AxisMeasure
from caesura.measures.batch import Batch
from caesura.measures.edges import Cells, EdgeBatch, Packing, find_cells, segment_classes
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, positive

# An annotation on an axis: units, seconds, or a level of a hierarchy.
Side = Segmentation | Tier | Hierarchy
# Option for time without a label.
GAPS = Option("gaps", "segment", choice("segment", "ignore"), "whether time without a label is a segment or is ignored")
# Option for the weight of recall in F.
BETA = Option("beta", 1, positive, "weight of recall (coverage, under) against precision (purity, over) in F")
# Options of all measures of segments.
AXIS_OPTIONS = (GAPS, EXTENT, LEVEL)


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
        empty = np.flatnonzero(np.diff(self.counted_cells(batch).off) == 0)
        return {int(d): Undefined("no time has a label on both sides; use gaps='segment'") for d in empty}

    def resolved(self, batch: EdgeBatch) -> dict[str, NDArray[Any]]:
        return batch.resolved(extent=self["extent"] != "same")


def sum_by_document(values: Floats, document: Ints, documents: int) -> Floats:
    return np.asarray(np.bincount(document, values, documents), np.float64)


def f_of_ratios(counts: Floats, columns: tuple[int, int, int, int], beta: float, *, empty: float = 0.0) -> Floats:
    """Return F_beta of the precision and recall in each row of counts; 0 if both are 0."""
    values = np.empty(len(counts))
    class_kernel.f_of_ratios(np.asarray(counts, np.float64), columns, empty, float(beta) ** 2, values)
    return values
