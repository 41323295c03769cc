"""Fuzzy success: a long text of short clusters, and of one that never ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Table

CODERS = 7


def islands(positions: int, longest: int, seed: int = 1) -> tuple[cz.Marks, cz.Segmentation]:
    """Clusters of up to ``longest`` positions with a gap of two between them; every other position has a boundary."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, CODERS + 1, positions)
    at = np.cumsum(rng.integers(1, longest + 1, positions) + 2)
    at = at[at < positions]
    counts[at] = counts[at - 1] = 0
    return cz.Marks(counts, CODERS), cz.Segmentation.from_positions(positions + 1, np.arange(1, positions + 1, 2))


def ocean(positions: int) -> tuple[cz.Marks, cz.Segmentation]:
    """Everybody marked everything, and so did the program."""
    full = cz.Segmentation.from_positions(positions + 1, np.arange(1, positions + 1))
    return cz.Marks.of([full]), full


def tables() -> Iterator[Table]:
    rows: list[tuple[str, float, str]] = []
    for positions in (100_000, 1_000_000):
        for longest in (10, 50):
            marks, program = islands(positions, longest)
            seconds = best(lambda m=marks, p=program: cz.fuzzy_success(m, p))  # type: ignore[misc]
            said = f"{positions:,} positions, clusters of up to {longest}"
            rows.append((said, seconds * 1e3, "500" if positions == 1_000_000 else ""))
    marks, program = islands(1_000_000, 50)
    rows.append(("the same, alpha=1.5", best(lambda: cz.fuzzy_success(marks, program, alpha=1.5)) * 1e3, "500"))
    for positions in (100_000, 1_000_000):
        whole, full = ocean(positions)
        seconds = best(lambda m=whole, p=full: cz.fuzzy_success(m, p), least=2)  # type: ignore[misc]
        rows.append((f"{positions:,} positions in one cluster", seconds * 1e3, ""))
    yield Table(("fuzzy success", "ms", "goal, ms"), tuple(rows), title="Marks of several coders", digits=2)
