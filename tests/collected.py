"""A collection in Parquet, for tests: random documents, with types or without, in as many files as wanted."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import caesura as cz


def documents(number: int, *, units: int = 40, seed: int = 1) -> list[tuple[list[int], list[int]]]:
    """Positions of reference and hypothesis, which differ here and there."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(number):
        reference = np.flatnonzero(rng.random(units - 1) < 0.15) + 1
        moved = np.minimum(reference + (rng.random(len(reference)) < 0.3), units - 1)
        hypothesis = np.unique(moved[rng.random(len(moved)) < 0.8])
        made.append((reference.tolist(), hypothesis.tolist()))
    return made


def pairs(given: list[tuple[list[int], list[int]]], units: int = 40) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    """The same as segmentations."""
    return [tuple(cz.Segmentation.from_positions(units, one) for one in both) for both in given]  # type: ignore[misc]


def write(path: Path, given: list[tuple[list[int], list[int]]], *, first: int = 0, units: int = 40) -> None:
    """One file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pa.list_(pa.int64())
    columns = {
        "item": pa.array([f"d{first + i:05}" for i in range(len(given))]),
        "length": pa.array([units] * len(given), pa.int64()),
        "reference": pa.array([one for one, _ in given], kind),
        "hypothesis": pa.array([other for _, other in given], kind),
    }
    pq.write_table(pa.table(columns), path, write_page_checksum=True)


def collection(folder: Path, files: int, rows: int, *, units: int = 40) -> list[tuple[list[int], list[int]]]:
    """A folder of files; all documents."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = documents(files * rows, units=units)
    for i in range(files):
        write(folder / f"{i:03}.parquet", whole[i * rows : (i + 1) * rows], first=i * rows, units=units)
    return whole
