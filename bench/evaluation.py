"""A collection of ten million documents: four measures in one pass, against the bare kernels, on every engine.

``CAESURA_DOCUMENTS`` asks for another number. The collection is written once, to a folder for temporary files, or to
``CAESURA_COLLECTION``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import caesura as cz
from bench import collection
from bench.timing import best
from caesura.engines import open_engine
from caesura.evaluation import Evaluation
from caesura.formats.documents_parquet import BATCH_SIZE
from caesura.kernels import boundary, window
from caesura.measures.batch import EMPTY, Batch
from caesura.measures.registry import parse
from caesura.views.table import Table

MEASURES = ("segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)", "pk", "window_diff")
DOCUMENTS = int(os.environ.get("CAESURA_DOCUMENTS", "10_000_000"))
CORES = 2
RUNS = 3


def folder() -> Path:
    given = os.environ.get("CAESURA_COLLECTION")
    made = Path(given) if given else Path(tempfile.gettempdir()) / f"caesura-bench-{DOCUMENTS}"
    collection.write(made, DOCUMENTS)
    return made


def tables() -> Iterator[Table]:
    where = folder()
    shared, apart = bare_kernels()
    memory = peak_memory(where)
    found = {}
    for name in ("threads", "processes", "dask"):
        with open_engine(name, CORES) as engine:
            runs = [cz.evaluate(where, MEASURES, engine=engine) for _ in range(RUNS + 1)]  # the first warms up
        found[name] = min(runs[1:], key=lambda one: one.seconds)
    first = found["threads"]
    million = {name: one.documents / one.seconds / 1e6 for name, one in found.items()}
    rows: list[tuple[str, float | None, str]] = [
        ("threads, million documents a second", million["threads"], "1"),
        ("peak memory, MB", memory, "1000"),
        ("bare kernels, one run for S and B, one for Pk and WindowDiff, million a second", shared, ""),
        ("  share of it", million["threads"] / shared, "0.6"),
        ("bare kernels, a run for each measure, million a second", apart, ""),
        ("  share of it", million["threads"] / apart, "0.6"),
        ("processes, million documents a second", million["processes"], ""),
        ("Dask, million documents a second", million["dask"], ""),
        ("  share of processes", million["dask"] / million["processes"], "0.7"),
        ("results that differ", float(sum(dict(one) != dict(first) for one in found.values())), "0"),
    ]
    title = (
        f"{first.documents:,} documents of {collection.UNITS} units, S, B, Pk and WindowDiff in one pass, {CORES} cores"
    )
    yield Table(("what", "figure", "goal"), tuple(rows), title=title, digits=2)
    yield _shares(found)


def _shares(found: dict[str, Evaluation]) -> Table:
    """Where the time goes: seconds of one core for a million documents."""
    rows = []
    for name, one in found.items():
        per = 1e6 / one.documents
        spent = one.work.reading + one.work.computing
        rest = CORES * one.seconds - spent - one.work.merging
        rows.append((name, one.work.reading * per, one.work.computing * per, one.work.merging * per, rest * per))
    columns = ("engine", "reading, s", "computing, s", "merging, s", "waiting and sending, s")
    return Table(columns, tuple(rows), title="Seconds of one core for a million documents", digits=4)


def bare_kernels() -> tuple[float, float]:
    """Million documents a second on arrays that are in memory, in batches of the same size, on as many threads: S and B from
    one alignment and Pk and WindowDiff from one sweep, and each of the four by itself."""
    batches = [_batch(seed) for seed in range(2 * CORES)]

    def through(kernels: tuple[Callable[[Batch], object], ...]) -> float:
        def work(batch: Batch) -> None:
            for kernel in kernels:
                kernel(batch)

        with ThreadPoolExecutor(CORES) as pool:
            seconds = best(lambda: list(pool.map(work, batches * 4)), seconds=3)
        return 4 * sum(map(len, batches)) / seconds / 1e6

    return through((_align, _sweep)), through((_align, _align, _sweep, _sweep))


def _batch(seed: int) -> Batch:
    (a, a_off), (b, b_off) = collection.documents(BATCH_SIZE, seed)
    return Batch(np.full(BATCH_SIZE, collection.UNITS), a, EMPTY, a_off, b, EMPTY, b_off)


_GAIN_T, _GAIN_S = parse(MEASURES[0]).costs(("boundary",)).gains  # type: ignore[attr-defined]


def _align(b: Batch) -> None:
    mate = np.full(len(b.a_pos), -1)
    counts = np.empty((len(b), 8))
    boundary.align(b.a_pos, EMPTY, b.a_off, b.b_pos, EMPTY, b.b_off, _GAIN_T, _GAIN_S, boundary.ORDERED, mate)
    boundary.tally(b.a_pos, EMPTY, b.a_off, b.b_pos, EMPTY, b.b_off, mate, counts)


def _sweep(b: Batch) -> None:
    k = np.maximum((b.length + b.a_count + 1) // (2 * b.a_count + 2), 2)
    window.sweep(b.a_pos, b.a_off, b.b_pos, b.b_off, k, np.ones_like(k), b.length - k, np.empty((len(b), 6)))


def peak_memory(where: Path) -> float:
    """Megabytes of a process that does nothing else. (ru_maxrss would count what its parent had when it was forked.)"""
    code = (
        "import re, sys, caesura as cz; cz.evaluate(sys.argv[1], sys.argv[2:], engine=cz.open_engine(workers=2)); "
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read()).group(1))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(where), *MEASURES], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024
