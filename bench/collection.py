"""Write a random collection of any size: documents of 100 units with a reference and a hypothesis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

UNITS = 100
ROWS = 250_000  # documents per file
ROW_GROUP_SIZE = 2**16

Ints = NDArray[np.int64]
Side = tuple[Ints, Ints]


def documents(number: int, seed: int) -> tuple[Side, Side]:
    """Return positions and offsets of both sides.

    One unit in ten ends a segment. The hypothesis has most of these boundaries, one in six of them one unit late, and adds one
    per fifty units.
    """
    rng = np.random.default_rng(seed)
    reference = rng.random((number, UNITS - 1), np.float32) < 0.1
    chance = rng.random((number, UNITS - 1), np.float32)
    hypothesis = reference & (chance < 0.7)
    hypothesis[:, 1:] |= (reference & (chance >= 0.7) & (chance < 0.85))[:, :-1]
    hypothesis |= rng.random((number, UNITS - 1), np.float32) < 0.02
    return _flatten(reference), _flatten(hypothesis)


def _flatten(marks: NDArray[np.bool_]) -> Side:
    positions = np.flatnonzero(marks) % (UNITS - 1) + 1
    offsets = np.concatenate([[0], np.cumsum(marks.sum(axis=1))])
    return positions.astype(np.int64), offsets.astype(np.int64)


def write(folder: Path, number: int, seed: int = 1) -> None:
    """Write a Parquet data set to a folder; files that already exist are kept."""
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
        unfinished = path.with_suffix(".writing")
        pq.write_table(table, unfinished, row_group_size=ROW_GROUP_SIZE, write_page_checksum=True)
        unfinished.rename(path)
