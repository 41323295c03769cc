"""A collection of any size: documents of 100 units with a reference and a hypothesis, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

UNITS = 100
ROWS = 250_000
"""Documents in a file."""
GROUP = 2**16

Ints = NDArray[np.int64]
Side = tuple[Ints, Ints]


def documents(number: int, seed: int) -> tuple[Side, Side]:
    """Positions and offsets of both sides. One unit in ten ends a segment; the hypothesis finds most of them, one in six of
    those a unit late, and adds one in fifty."""
    rng = np.random.default_rng(seed)
    reference = rng.random((number, UNITS - 1), np.float32) < 0.1
    luck = rng.random((number, UNITS - 1), np.float32)
    hypothesis = reference & (luck < 0.7)
    hypothesis[:, 1:] |= (reference & (luck >= 0.7) & (luck < 0.85))[:, :-1]
    hypothesis |= rng.random((number, UNITS - 1), np.float32) < 0.02
    return _flat(reference), _flat(hypothesis)


def _flat(marked: NDArray[np.bool_]) -> Side:
    positions = np.flatnonzero(marked) % (UNITS - 1) + 1
    offsets = np.concatenate([[0], np.cumsum(marked.sum(axis=1))])
    return positions.astype(np.int64), offsets.astype(np.int64)


def write(folder: Path, number: int, seed: int = 1) -> None:
    """A Parquet data set in this folder; what is there already stays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for part, first in enumerate(range(0, number, ROWS)):
        path = folder / f"{part:04}.parquet"
        if path.exists():
            continue
        rows = min(ROWS, number - first)
        sides = [
            pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(positions))
            for positions, offsets in documents(rows, seed * 1000 + part)
        ]
        items = pa.array([f"d{i:08}" for i in range(first, first + rows)])
        length = pa.array(np.full(rows, UNITS, np.int64))
        table = pa.table({"item": items, "length": length, "reference": sides[0], "hypothesis": sides[1]})
        beside = path.with_suffix(".writing")
        pq.write_table(table, beside, row_group_size=GROUP, write_page_checksum=True)
        beside.rename(path)
