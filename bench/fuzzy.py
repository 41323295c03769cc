"""Time fuzzy success on long texts with short clusters and with a single cluster."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Table

CODERS = 7


def short_clusters(positions: int, max_width: int, seed: int = 1) -> tuple[cz.Marks, cz.Segmentation]:
    """Return clusters of up to ``max_width`` positions with gaps of two, and a program that marks every other position."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, CODERS + 1, positions)
    gaps = np.cumsum(rng.integers(1, max_width + 1, positions) + 2)
    gaps = gaps[gaps < positions]
    counts[gaps] = counts[gaps - 1] = 0
    return cz.Marks(counts, CODERS), cz.Segmentation.from_positions(positions + 1, np.arange(1, positions + 1, 2))


def one_cluster(positions: int) -> tuple[cz.Marks, cz.Segmentation]:
    """Return coders and a program that all mark every position."""
    full = cz.Segmentation.from_positions(positions + 1, np.arange(1, positions + 1))
    return cz.Marks.of([full]), full


def tables() -> Iterator[Table]:
    rows: list[tuple[str, float, str]] = []
    for positions in (100_000, 1_000_000):
        for max_width in (10, 50):
            marks, program = short_clusters(positions, max_width)
            seconds = shortest_time(lambda m=marks, p=program: cz.fuzzy_success(m, p))  # type: ignore[misc]
            description = f"{positions:,} positions, clusters of up to {max_width}"
            rows.append((description, seconds * 1e3, "500" if positions == 1_000_000 else ""))
    marks, program = short_clusters(1_000_000, 50)
    rows.append(
        ("the same, alpha=1.5", shortest_time(lambda: cz.fuzzy_success(marks, program, alpha=1.5)) * 1e3, "500")
    )
    for positions in (100_000, 1_000_000):
        marks, program = one_cluster(positions)
        seconds = shortest_time(lambda m=marks, p=program: cz.fuzzy_success(m, p), min_runs=2)  # type: ignore[misc]
        rows.append((f"{positions:,} positions in one cluster", seconds * 1e3, ""))
    yield Table(("fuzzy success", "ms", "goal, ms"), tuple(rows), title="Marks of several coders", digits=2)
