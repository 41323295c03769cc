"""Cells: the stretches between all boundaries of both sides. Each lies in one segment of either side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import cells as kernel
from caesura.model.columns import Batch
from caesura.model.index import repeat
from caesura.model.value import Floats, Ints


class Cells(NamedTuple):
    """Cells between all boundaries of both sides, in order; see ``kernels/cells.pyx``."""

    width: Floats  # length of each cell in ticks
    # Number of the segment of either side that contains the cell, counted over all pairs.
    a_seg: Ints
    b_seg: Ints
    off: Ints  # first cell of each pair, followed by the number of all cells

    @property
    def document(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), np.diff(self.off))

    def keep(self, wanted: NDArray[np.bool_]) -> Cells:
        off = np.concatenate([[0], np.cumsum(wanted)])[self.off]
        return Cells(self.width[wanted], self.a_seg[wanted], self.b_seg[wanted], off)


def find_cells(batch: Batch) -> Cells:
    """Return the cells of every pair."""
    return batch.shared("cells", lambda: _sweep(batch))


def _sweep(batch: Batch) -> Cells:
    a, b = batch.sides()
    size = len(a.place) + len(b.place) + batch.pairs
    width, a_seg, b_seg = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    off = np.empty(batch.pairs + 1, np.int64)
    begin, end = batch.begin.astype(np.float64), (batch.begin + batch.length).astype(np.float64)
    edges = a.place.astype(np.float64), a.off, b.place.astype(np.float64), b.off
    n = kernel.sweep(begin, end, *edges, width, a_seg, b_seg, off)
    return Cells(width[:n], a_seg[:n], b_seg[:n], off)
