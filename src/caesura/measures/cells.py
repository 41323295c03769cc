"""Pairs as kernels sweep over them, cell by cell: a cell is a stretch between two neighbouring boundaries of both sides."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from caesura.kernels import cells as kernel
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY
from caesura.model.value import Floats

# Which cells count, by the value of the option ``gaps``.
COUNTED = MappingProxyType({"segment": kernel.EVERY, "ignore": kernel.BY_BOTH, "reference": kernel.BY_FIRST})


def pairs_of(batch: Batch, gaps: str, labels: str | None = None) -> kernel.Pairs:
    """Return the boundaries of a batch with the labels of a column, and which of their cells count."""
    a, b = batch.sides()
    a_label = b_label = EMPTY
    if labels is not None or gaps != "segment":
        a_label, b_label = (side.label for side in batch.sides(labels or "segments"))
    sides = a.place, a.off, a_label, b.place, b.off, b_label
    return kernel.Pairs(batch.begin, batch.begin + batch.length, *sides, COUNTED[gaps])


def counted_lengths(batch: Batch, gaps: str) -> Floats:
    """Return the length in ticks of the cells of each pair that count."""
    lengths = np.empty(batch.pairs)
    kernel.counted_lengths(pairs_of(batch, gaps), lengths)
    return lengths
