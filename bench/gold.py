"""The exact median segmentation: n_t = 2 for any number of coders, and larger n_t."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.gold.median import find_median
from caesura.model.value import Ints
from caesura.views.table import Table

CASES = (
    (10, 10_000, 2, 0.05, "1"),
    (10, 10_000, 2, 0.2, "1"),
    (10, 10_000, 2, 0.5, "1"),
    (100, 10_000, 2, 0.2, ""),
    (3, 1_000, 3, 0.2, ""),
    (7, 300, 3, 0.2, ""),
    (3, 300, 4, 0.2, ""),
)
"""Coders, positions, n_t, share of marked positions, and the goal in seconds."""


def random_marks(coders: int, positions: int, density: float, seed: int = 0) -> list[Ints]:
    """Return the marked positions of coders who mark at random, the case with the most ties."""
    rng = np.random.default_rng(seed)
    return [np.flatnonzero(rng.random(positions) < density) + 1 for _ in range(coders)]


def tables() -> Iterator[Table]:
    rows: list[tuple[int, int, int, float, float, str]] = []
    for coders, positions, n_t, density, goal in CASES:
        marks = random_marks(coders, positions, density)
        seconds = shortest_time(lambda m=marks, p=positions, n=n_t: find_median(m, p, n), min_runs=2)  # type: ignore[misc]
        rows.append((coders, positions, n_t, density, seconds, goal))
    columns = ("coders", "positions", "n_t", "marked", "s", "goal, s")
    yield Table(columns, tuple(rows), title="Median segmentation of random coders", digits=3)
    texts = {
        str(i): cz.Segmentation.from_positions(10_001, at.tolist())
        for i, at in enumerate(random_marks(10, 10_000, 0.2))
    }
    corpus = cz.Corpus({"text": texts})
    result = ("gold with the origin of every boundary", shortest_time(lambda: cz.gold(corpus), min_runs=2), "1")
    yield Table(("10 coders, 10,000 positions", "s", "goal, s"), (result,), digits=3)
