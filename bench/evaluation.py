"""Score ten million documents by four measures in one pass on every engine, and compare with the bare kernels.

The environment variable ``CAESURA_DOCUMENTS`` sets a different number of documents. The collection is written once, to the
folder ``CAESURA_COLLECTION`` or to the folder for temporary files.
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
from bench.timing import shortest_time
from caesura.engines import open_engine
from caesura.evaluation.result import Evaluation
from caesura.formats.documents_parquet import BATCH_SIZE
from caesura.kernels import boundary, window
from caesura.measures.registry import parse
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries
from caesura.views.table import Table

MEASURES = ("segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)", "pk", "window_diff")
DOCUMENTS = int(os.environ.get("CAESURA_DOCUMENTS", "10_000_000"))
CORES = 2
RUNS = 3


def write_collection() -> Path:
    default = Path(tempfile.gettempdir()) / f"caesura-bench-{DOCUMENTS}"
    folder = Path(os.environ.get("CAESURA_COLLECTION") or default)
    collection.write(folder, DOCUMENTS)
    return folder


def tables() -> Iterator[Table]:
    folder = write_collection()
    shared_runs, separate_runs = bare_kernels()
    memory = peak_memory(folder)
    evaluations = {}
    for name in ("threads", "processes", "dask"):
        with open_engine(name, CORES) as engine:
            runs = [cz.evaluate(folder, MEASURES, engine=engine) for _ in range(RUNS + 1)]  # the first warms up
        evaluations[name] = min(runs[1:], key=lambda run: run.seconds)
    on_threads = evaluations["threads"]
    millions = {name: run.documents / run.seconds / 1e6 for name, run in evaluations.items()}
    rows: list[tuple[str, float | None, str]] = [
        ("threads, million documents per second", millions["threads"], "1"),
        ("peak memory, MB", memory, "1000"),
        ("bare kernels, one run for S and B, one for Pk and WindowDiff, million per second", shared_runs, ""),
        ("  threads / bare kernels", millions["threads"] / shared_runs, "0.6"),
        ("bare kernels, one run per measure, million per second", separate_runs, ""),
        ("  threads / bare kernels", millions["threads"] / separate_runs, "0.6"),
        ("processes, million documents per second", millions["processes"], ""),
        ("Dask, million documents per second", millions["dask"], ""),
        ("  Dask / processes", millions["dask"] / millions["processes"], "0.7"),
        ("results that differ", float(sum(dict(run) != dict(on_threads) for run in evaluations.values())), "0"),
    ]
    documents = f"{on_threads.documents:,} documents of {collection.UNITS} units"
    title = f"{documents}, S, B, Pk and WindowDiff in one pass, {CORES} cores"
    yield Table(("quantity", "value", "goal"), tuple(rows), title=title, digits=2)
    yield _cost_table(evaluations)


def _cost_table(evaluations: dict[str, Evaluation]) -> Table:
    """Return the seconds of one core per million documents that each kind of work takes."""
    rows: list[tuple[str | float, ...]] = []
    for name, run in evaluations.items():
        scale = 1e6 / run.documents
        work = run.work
        waiting = CORES * run.seconds - work.reading - work.computing - work.merging
        rows.append((name, *(scale * seconds for seconds in (work.reading, work.computing, work.merging, waiting))))
    columns = ("engine", "reading, s", "computing, s", "merging, s", "waiting and sending, s")
    return Table(columns, tuple(rows), title="Seconds of one core per million documents", digits=4)


def bare_kernels() -> tuple[float, float]:
    """Return million documents per second on arrays in memory, in batches of the same size, on as many threads.

    The first number is for S and B from one alignment and Pk and WindowDiff from one sweep. The second is for four separate
    runs.
    """
    batches = [_batch(seed) for seed in range(2 * CORES)]

    def throughput(kernels: tuple[Callable[[Batch], object], ...]) -> float:
        def work(batch: Batch) -> None:
            for kernel in kernels:
                kernel(batch)

        with ThreadPoolExecutor(CORES) as pool:
            seconds = shortest_time(lambda: list(pool.map(work, batches * 4)), seconds=3)
        return 4 * sum(map(len, batches)) / seconds / 1e6

    return throughput((_align, _sweep)), throughput((_align, _align, _sweep, _sweep))


def _batch(seed: int) -> Batch:
    a, b = (Boundaries(place, EMPTY, off) for place, off in collection.documents(BATCH_SIZE, seed))
    return Batch.of_sides(np.full(BATCH_SIZE, collection.UNITS), a, b)


_GAINS = parse(MEASURES[0]).gains(("boundary",), 1)  # type: ignore[attr-defined]
_RULE = parse("pk").rule  # type: ignore[attr-defined]


def _align(batch: Batch) -> None:
    (a, _, a_off), (b, _, b_off) = batch.sides()
    boundary.count(a, EMPTY, a_off, b, EMPTY, b_off, _GAINS, np.empty((len(batch), 8)))


def _sweep(batch: Batch) -> None:
    (a, _, a_off), (b, _, b_off) = batch.sides()
    n = len(batch)
    out, k, origin = np.empty((n, 6)), np.empty(n, np.int64), np.empty(n, np.uint8)
    window.sweep(batch.length, a, a_off, b, b_off, _RULE, out, k, origin)


def peak_memory(folder: Path) -> float:
    """Return the peak memory of a separate process in megabytes. (ru_maxrss would include its parent's memory at the fork.)"""
    code = (
        "import re, sys, caesura as cz; cz.evaluate(sys.argv[1], sys.argv[2:], engine=cz.open_engine(workers=2)); "
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read()).group(1))"
    )
    command = [sys.executable, "-c", code, str(folder), *MEASURES]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(process.stdout) / 1024
