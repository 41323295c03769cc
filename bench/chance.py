"""Time a million draws of simulated chance for a long conversation, and check the standard error against repeated runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.flexible import conversation
from caesura.engines import open_engine
from caesura.views.table import Table

MANY_DRAWS, FEW_DRAWS, RUNS = 1_000_000, 10_000, 20


def _simulate(corpus: cz.Corpus, draws: int, seed: int, *, variates: bool) -> cz.Agreement:
    chance = cz.Simulate(draws=draws, variates=variates)
    with open_engine("threads", 2) as engine:
        return cz.agreement(corpus, "flexible_similarity", chance=chance, interval=None, seed=seed, engine=engine)


def tables() -> Iterator[Table]:
    corpus = conversation()
    start = time.perf_counter()
    million = _simulate(corpus, MANY_DRAWS, 1, variates=False)
    seconds = time.perf_counter() - start
    exact = cz.agreement(corpus, measure="flexible_similarity", interval=None, chance="exact").expected or 0.0
    error = f"{((million.expected or 0.0) - exact) / million.expected_error:.2f}"
    row = (
        f"{MANY_DRAWS:,} draws, no variates, 2 threads",
        f"{seconds:.1f}",
        "300",
        million.expected,
        million.expected_error,
        exact,
        error,
    )
    columns = (
        "chance S_f, 4,000 units",
        "s",
        "goal, s",
        "expected",
        "standard error",
        "exact",
        "error, in standard errors",
    )
    yield Table(columns, (row,), title="Simulated chance", digits=7)
    yield _deviation_table(corpus, million.expected_error)


def _deviation_table(corpus: cz.Corpus, million_error: float) -> Table:
    """Compare the reported standard error of a million draws with the one that the deviation of smaller runs implies."""
    rows = []
    for variates in (False, True):
        runs = [_simulate(corpus, FEW_DRAWS, seed, variates=variates) for seed in range(2, RUNS + 2)]
        deviation = float(np.std([run.expected or 0.0 for run in runs], ddof=1))
        reported = float(np.mean([run.expected_error for run in runs]))
        implied = deviation / math.sqrt(MANY_DRAWS / FEW_DRAWS)
        ratio = f"{deviation / reported:.2f}"
        rows.append((runs[0].method, deviation, reported, ratio, implied, "" if variates else million_error))
    columns = ("method", "deviation", "standard error", "ratio", "implied for a million", "reported for a million")
    return Table(columns, tuple(rows), title=f"{RUNS} runs of {FEW_DRAWS:,} draws with different seeds", digits=7)
