"""Simulated chance of one long conversation: a million draws, and whether the standard error is what runs differ by."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.flexible import conversation
from caesura.engines import open_engine
from caesura.views.table import Table

MANY, SOME, RUNS = 1_000_000, 10_000, 20


def _drawn(corpus: cz.Corpus, draws: int, seed: int, *, variates: bool) -> cz.Agreement:
    chance = cz.Simulate(draws=draws, variates=variates)
    with open_engine("threads", 2) as engine:
        return cz.agreement(corpus, "flexible_similarity", chance=chance, interval=None, seed=seed, engine=engine)


def tables() -> Iterator[Table]:
    corpus = conversation()
    start = time.perf_counter()
    many = _drawn(corpus, MANY, 1, variates=False)
    seconds = time.perf_counter() - start
    exact = cz.agreement(corpus, measure="flexible_similarity", interval=None, chance="exact").expected
    off = f"{(many.expected - exact) / many.expected_error:.2f}"
    row = (
        f"{MANY:,} draws, no variates, 2 threads",
        f"{seconds:.1f}",
        "300",
        many.expected,
        many.expected_error,
        exact,
        off,
    )
    columns = ("chance S_f, 4,000 units", "s", "goal, s", "expected", "standard error", "exact", "off, in errors")
    yield Table(columns, (row,), title="Simulated chance", digits=7)
    yield _spread(corpus, many.expected_error)


def _spread(corpus: cz.Corpus, of_many: float) -> Table:
    """The error of a million draws that follows from the spread of smaller runs, beside the one it reports."""
    rows = []
    for variates in (False, True):
        runs = [_drawn(corpus, SOME, seed, variates=variates) for seed in range(2, RUNS + 2)]
        spread = float(np.std([one.expected for one in runs], ddof=1))
        told = float(np.mean([one.expected_error for one in runs]))
        implied = spread / math.sqrt(MANY / SOME)
        rows.append((runs[0].method, spread, told, f"{spread / told:.2f}", implied, "" if variates else of_many))
    columns = ("method", "spread", "standard error told", "ratio", "implied of a million", "told of a million")
    return Table(columns, tuple(rows), title=f"{RUNS} runs of {SOME:,} draws with other seeds", digits=7)
