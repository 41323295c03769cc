"""Read a large table and many documents, and compare with pandas and with the JSON parser of the standard library."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import caesura as cz
from bench import collection
from bench.timing import shortest_time
from caesura.formats import documents_json
from caesura.views.table import Table

ITEMS, UNITS, DOCUMENTS = 20_000, 25, 100_000


def write_table(path: Path) -> None:
    marks = np.random.default_rng(1).random((ITEMS * UNITS, 3)) < 0.1
    rows = (
        (f"d{i // UNITS}", i % UNITS + 1, f"text {i % 9973}", *cells)
        for i, cells in enumerate(marks.astype(int).tolist())
    )
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("item", "unit", "text", "ann", "bo", "cy"), *rows])


def write_documents(path: Path) -> None:
    (a, a_off), (b, b_off) = collection.documents(DOCUMENTS, 1)
    with path.open("w") as file:
        for d in range(DOCUMENTS):
            sides = {
                "reference": a[a_off[d] : a_off[d + 1]].tolist(),
                "hypothesis": b[b_off[d] : b_off[d + 1]].tolist(),
            }
            file.write(json.dumps({"item": f"d{d:08}", "length": collection.UNITS, **sides}) + "\n")


def tables() -> Iterator[Table]:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        table, documents = Path(folder) / "a.csv", Path(folder) / "a.jsonl"
        write_table(table)
        write_documents(documents)

        def read_documents() -> int:
            parts = documents_json.partitions([str(documents)], folder)
            return sum(len(chunk) for part in parts for chunk in part.chunks())

        def load_lines() -> int:
            with documents.open() as file:
                return sum(len(json.loads(line)["reference"]) for line in file)

        cases: tuple[tuple[str, int, Callable[[], object], str, Callable[[], object]], ...] = (
            ("table, rows", ITEMS * UNITS, lambda: cz.read(table), "pandas", lambda: _with_pandas(pd, table)),
            ("JSON lines, documents", DOCUMENTS, read_documents, "json.loads", load_lines),
        )
        rows = []
        for name, number, ours, peer, theirs in cases:
            seconds, other = (shortest_time(call, min_runs=3, seconds=0) for call in (ours, theirs))
            rows.append((name, 1e6 * seconds / number, peer, 1e6 * other / number, other / seconds))
    columns = ("content", "caesura, µs", "other", "other, µs", "ratio")
    yield Table(columns, tuple(rows), title="Reading, per row or document", digits=2)


def _with_pandas(pd: object, path: Path) -> int:
    """Return the number of items of a table, each with its texts and the positions of the marks of each coder."""
    frame = pd.read_csv(path)  # type: ignore[attr-defined]
    items = {}
    for item, group in frame.groupby("item", sort=False):
        positions = [np.flatnonzero(group[coder].to_numpy()) + 1 for coder in ("ann", "bo", "cy")]
        items[item] = (group["text"].tolist(), positions)
    return len(items)
