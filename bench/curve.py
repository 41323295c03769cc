"""Time boundary curves: 100,000 scored positions, with tolerances from 0 to far beyond the usual."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Table

UNITS = 100_000
TOLERANCES = (0, 1, 2, 10, 100)


def tables() -> Iterator[Table]:
    rng = np.random.default_rng(0)
    scores = cz.BoundaryScores(rng.random(UNITS - 1))
    falling = cz.BoundaryScores(np.linspace(1, 0, UNITS - 1))  # marks enter from left to right
    rows = []
    for boundaries in (1_000, 10_000, 50_000):
        positions = np.sort(rng.choice(np.arange(1, UNITS), boundaries, replace=False))
        reference = cz.Segmentation.from_positions(UNITS, positions)
        for tolerance in TOLERANCES:
            times = [_time(reference, side, tolerance) for side in (scores, falling)]
            rows.append((boundaries, tolerance, *(seconds * 1e3 for seconds in times)))
    columns = ("reference boundaries", "tolerance", "random scores, ms", "falling scores, ms")
    yield Table(columns, tuple(rows), title="Curve over 100,000 scored positions (goal: 2 s)", digits=1)


def _time(reference: cz.Segmentation, scores: cz.BoundaryScores, tolerance: int) -> float:
    return shortest_time(
        lambda: cz.boundary_curve(reference, scores, tolerance=tolerance).average_precision, min_runs=3
    )
