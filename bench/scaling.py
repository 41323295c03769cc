"""How far workers help: time on up to 1,000 of them, simulated from parts that are measured here.

A partition costs a worker its reading and computing, and the driver a merge with its record in the checkpoint; a task, of one
or several partitions, costs the scheduler its sending and its result. Workers wait for the scheduler, which does one thing at a
time; so does the driver.
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
from caesura.evaluation import partitions_per_task
from caesura.views.table import Table

WORKERS = (1, 2, 4, 10, 30, 100, 300, 1000)
MILLIONS = (100, 1_000, 10_000)


@dataclass(frozen=True)
class Costs:
    """Seconds for one partition of ``collection.ROWS`` documents."""

    reading: float
    computing: float
    task: float
    merging: float


def tables() -> Iterator[Table]:
    costs = measured()
    per = 1e6 / collection.ROWS
    rows = (
        ("reading", costs.reading * per, "a worker"),
        ("computing", costs.computing * per, "a worker"),
        ("sending a task and its result", costs.task * per, "the scheduler"),
        ("merging, and the record in a checkpoint", costs.merging * per, "the driver"),
    )
    title = f"Measured: seconds for a million documents, in partitions of {collection.ROWS:,}"
    yield Table(("what", "s", "who"), rows, title=title, digits=4)
    yield curve(costs)


def curve(costs: Costs) -> Table:
    """Seconds for so many documents on so many workers, and what share of the workers' time is work."""
    columns = ["workers"]
    for millions in MILLIONS:
        columns += [f"{millions:,} million, s", "busy"]
    rows = []
    for workers in WORKERS:
        row: list[float] = [workers]
        for millions in MILLIONS:
            partitions = millions * 1_000_000 // collection.ROWS
            seconds = simulated(costs, partitions, workers)
            row += [seconds, partitions * (costs.reading + costs.computing) / workers / seconds]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), title="Simulated from these", digits=2)


def simulated(costs: Costs, partitions: int, workers: int) -> float:
    """When the last result is merged. A task holds as many partitions as ``evaluate`` would send together."""
    free = [0.0] * workers  # when each worker is free
    scheduler = driver = 0.0
    step = partitions_per_task(partitions, workers)
    for first in range(0, partitions, step):
        number = min(step, partitions - first)
        scheduler = max(scheduler, heapq.heappop(free)) + costs.task
        done = scheduler + number * (costs.reading + costs.computing)
        heapq.heappush(free, done)
        driver = max(driver, done) + number * costs.merging
    return max(driver, *free)


def measured() -> Costs:
    with tempfile.TemporaryDirectory() as made, open_engine("dask", CORES) as engine:
        where = Path(made) / "data"
        collection.write(where, 8 * collection.ROWS)
        runs = [cz.evaluate(where, MEASURES, engine=engine, checkpoint=Path(made) / f"run{i}") for i in range(4)]
        start = time.perf_counter()
        tasks = sum(1 for _ in engine.run(abs, range(2000)))
        task = (time.perf_counter() - start) / tasks
    shares = [one.work for one in runs[1:]]
    return Costs(
        min(one.reading for one in shares) / 8,
        min(one.computing for one in shares) / 8,
        task,
        min(one.merging for one in shares) / 8,
    )
