"""Judge five systems against six coders by the default measures, with all bounds and tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.simulation import near_misses, pseudo_coders
from caesura.views.table import Table

MASSES = (5, 8, 10, 12, 20)
CODERS = 6
SYSTEMS = 5


def simulate_systems(items: int, units: int, seed: int = 1) -> tuple[cz.Corpus, dict[str, dict[str, cz.Segmentation]]]:
    """Return coders with errors, and systems with more and more errors."""
    people = pseudo_coders([units] * items, MASSES, coders=CODERS + SYSTEMS, near=0.1, miss=0.2, seed=seed)
    rng = np.random.default_rng(seed)
    systems: dict[str, dict[str, cz.Segmentation]] = {}
    for k in range(SYSTEMS):
        annotations = people.of_coder(f"coder {CODERS + 1 + k}")
        systems[f"system {k + 1}"] = {
            item: near_misses(annotation, k / 10, seed=rng)
            for item, annotation in annotations.items()
            if isinstance(annotation, cz.Segmentation)
        }
    return people.select(coders=people.coders[:CODERS]), systems


def tables() -> Iterator[Table]:
    rows: list[tuple[str, float, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
        for items, units, goal in ((10, 100, ""), (100, 500, "a few")):
            people, systems = simulate_systems(items, units)
            seconds = shortest_time(lambda p=people, s=systems: cz.judge(p, s, seed=1), min_runs=2)  # type: ignore[misc]
            rows.append((f"{items} items of {units} units, five measures", seconds, goal))
        judgement = cz.judge(people, systems, measures="boundary_similarity", interval=None, bounds=False, seed=1)
        rows.append(
            (
                "all mistakes of the five systems on them",
                shortest_time(lambda: _compute_mistakes(judgement), min_runs=2),
                "",
            )
        )
    title = f"{SYSTEMS} systems against {CODERS} coders, bounds and tests included"
    yield Table(("judge", "s", "goal, s"), tuple(rows), title=title, digits=2)


def _compute_mistakes(judgement: cz.Judgement) -> None:
    judgement.__dict__.pop("mistakes", None)  # a cached property
    assert len(judgement.mistakes) == SYSTEMS
