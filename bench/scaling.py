"""Simulate the time of an evaluation on up to 1,000 workers, from costs that are measured here.

A worker reads and computes a partition. The driver merges it and records it in the checkpoint. A task has one or several
partitions; the scheduler sends it and receives its result. The scheduler and the driver do one thing at a time, and workers
wait for the scheduler.
"""

from __future__ import annotations

import heapq
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import caesura as cz
from bench import collection
from bench.evaluation import CORES, MEASURES
from caesura.engines import open_engine
from caesura.evaluation.run import partitions_per_task
from caesura.views.table import Table

WORKERS = (1, 2, 4, 10, 30, 100, 300, 1000)
MILLIONS = (100, 1_000, 10_000)


@dataclass(frozen=True)
class Costs:
    """Seconds per partition of ``collection.ROWS`` documents."""

    reading: float
    computing: float
    task: float
    merging: float


def tables() -> Iterator[Table]:
    costs = measure_costs()
    scale = 1e6 / collection.ROWS
    rows = (
        ("reading", costs.reading * scale, "a worker"),
        ("computing", costs.computing * scale, "a worker"),
        ("sending a task and its result", costs.task * scale, "the scheduler"),
        ("merging, and recording in a checkpoint", costs.merging * scale, "the driver"),
    )
    title = f"Measured: seconds per million documents, in partitions of {collection.ROWS:,}"
    yield Table(("work", "s", "by"), rows, title=title, digits=4)
    yield scaling_table(costs)


def scaling_table(costs: Costs) -> Table:
    """Return seconds per number of documents and workers, and the proportion of time in which workers work."""
    columns = ["workers"]
    for millions in MILLIONS:
        columns += [f"{millions:,} million, s", "busy"]
    rows = []
    for workers in WORKERS:
        row: list[float] = [workers]
        for millions in MILLIONS:
            partitions = millions * 1_000_000 // collection.ROWS
            seconds = simulate(costs, partitions, workers)
            row += [seconds, partitions * (costs.reading + costs.computing) / workers / seconds]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), title="Simulated with these costs", digits=2)


def simulate(costs: Costs, partitions: int, workers: int) -> float:
    """Return the time when the last result is merged. Tasks have as many partitions as ``evaluate`` would send together."""
    free_times = [0.0] * workers  # when each worker is free
    scheduler = driver = 0.0
    step = partitions_per_task(partitions, workers)
    for first in range(0, partitions, step):
        number = min(step, partitions - first)
        scheduler = max(scheduler, heapq.heappop(free_times)) + costs.task
        finished = scheduler + number * (costs.reading + costs.computing)
        heapq.heappush(free_times, finished)
        driver = max(driver, finished) + number * costs.merging
    return max(driver, *free_times)


def measure_costs() -> Costs:
    with tempfile.TemporaryDirectory() as name, open_engine("dask", CORES) as engine:
        folder = Path(name)
        collection.write(folder / "data", 8 * collection.ROWS)
        runs = [cz.evaluate(folder / "data", MEASURES, engine=engine, checkpoint=folder / f"run{i}") for i in range(4)]
        start = time.perf_counter()
        tasks = sum(1 for _ in engine.run(abs, range(2000)))
        task = (time.perf_counter() - start) / tasks
    works = [run.work for run in runs[1:]]  # the first run warms up
    return Costs(
        min(work.reading for work in works) / 8,
        min(work.computing for work in works) / 8,
        task,
        min(work.merging for work in works) / 8,
    )
