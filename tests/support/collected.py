"""Documents for tests: collections in any number of Parquet files, and random rows with or without types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import caesura as cz

SCALE = ("scene", "act", "book")
Row = dict[str, Any]


def documents(number: int, *, units: int = 40, seed: int = 1) -> list[tuple[list[int], list[int]]]:
    """Return positions of reference and hypothesis, some of which differ."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(number):
        reference = np.flatnonzero(rng.random(units - 1) < 0.15) + 1
        moved = np.minimum(reference + (rng.random(len(reference)) < 0.3), units - 1)
        hypothesis = np.unique(moved[rng.random(len(moved)) < 0.8])
        rows.append((reference.tolist(), hypothesis.tolist()))
    return rows


def pairs(rows: list[tuple[list[int], list[int]]], units: int = 40) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    """Return the same documents as segmentations."""
    return [tuple(cz.Segmentation.from_positions(units, positions) for positions in row) for row in rows]  # type: ignore[misc]


def write(path: Path, rows: list[tuple[list[int], list[int]]], *, first: int = 0, units: int = 40) -> None:
    """Write one file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pa.list_(pa.int64())
    columns = {
        "item": pa.array([f"d{first + i:05}" for i in range(len(rows))]),
        "length": pa.array([units] * len(rows), pa.int64()),
        "reference": pa.array([reference for reference, _ in rows], kind),
        "hypothesis": pa.array([hypothesis for _, hypothesis in rows], kind),
    }
    pq.write_table(pa.table(columns), path, write_page_checksum=True)


def collection(folder: Path, files: int, rows: int, *, units: int = 40) -> list[tuple[list[int], list[int]]]:
    """Write a folder of files. Return it and all documents."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = documents(files * rows, units=units)
    for i in range(files):
        write(folder / f"{i:03}.parquet", whole[i * rows : (i + 1) * rows], first=i * rows, units=units)
    return whole


@st.composite
def sound(draw: st.DrawFn, typed: bool) -> Row:
    """Draw a document. It may have several types at one position, a mark at the end, one unit, or no boundary."""
    length = draw(st.integers(1, 9))
    row: Row = {"length": length}
    for side in ("reference", "hypothesis"):
        if not typed:
            row[side] = sorted(draw(st.sets(st.integers(1, length - 1)))) if length > 1 else []
            continue
        at = draw(st.dictionaries(st.integers(1, length), st.lists(st.sampled_from(SCALE), min_size=1, unique=True)))
        cells = [(position, name) for position, names in sorted(at.items()) for name in names]
        row[side] = [position for position, _ in cells]
        row[f"{side}_types"] = [name for _, name in cells]
    return row


def segmentation(row: Row, side: str, declared: bool) -> cz.Segmentation:
    if f"{side}_types" not in row:
        return cz.Segmentation.from_positions(row["length"], row[side])
    at: dict[int, list[str]] = {}
    for position, name in zip(row[side], row[f"{side}_types"], strict=True):
        at.setdefault(position, []).append(name)
    types = SCALE if declared else None
    return cz.Segmentation.from_positions(row["length"], list(at), marks=list(at.values()), types=types)


def pair_of(row: Row, declared: bool) -> tuple[cz.Segmentation, cz.Segmentation]:
    return segmentation(row, "reference", declared), segmentation(row, "hypothesis", declared)
