"""Time the simulation experiments of the papers."""

from __future__ import annotations

from collections.abc import Iterator

from bench.timing import shortest_time
from caesura import simulation
from caesura.papers.ambiguity import ambiguity
from caesura.papers.experiments import table_1
from caesura.views.table import Table


def tables() -> Iterator[Table]:
    masses = [2, 3, 4, 4, 5, 6, 8, 12, 16]
    rows: list[tuple[str, float, str]] = [
        (
            "Table 1 of 2012: 10 trials x 100 hypotheses x 12 cells",
            shortest_time(lambda: table_1(seed=1), min_runs=2),
            "30",
        ),
        (
            "one random segmentation of 1,000,000 units",
            shortest_time(lambda: simulation.random_segmentation(1_000_000, masses, seed=1)),
            "",
        ),
        (
            "10 pseudo-coders of 20 items of 1,000 units",
            shortest_time(lambda: simulation.pseudo_coders([1000] * 20, masses, coders=10, near=0.1, miss=0.4, seed=1)),
            "",
        ),
        (
            "Table 1 of 2024: 1,430 parses against each other and 100 random trees",
            shortest_time(lambda: ambiguity(8, seed=1), min_runs=1),
            "60",
        ),
    ]
    yield Table(("simulation", "s", "goal, s"), tuple(rows), title="Simulation", digits=3)
