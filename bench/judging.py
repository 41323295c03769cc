"""Judging: five systems against six coders, under the default measures, with all bounds and tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.simulation import near_misses, pseudo_coders
from caesura.views.table import Table

MASSES = (5, 8, 10, 12, 20)
CODERS = 6
SYSTEMS = 5


def entrants(items: int, units: int, seed: int = 1) -> tuple[cz.Corpus, dict[str, dict[str, cz.Segmentation]]]:
    """Coders who err, and systems that err more and more."""
    people = pseudo_coders([units] * items, MASSES, coders=CODERS + SYSTEMS, near=0.1, miss=0.2, seed=seed)
    rng = np.random.default_rng(seed)
    systems: dict[str, dict[str, cz.Segmentation]] = {}
    for k in range(SYSTEMS):
        mine = people.of_coder(f"coder {CODERS + 1 + k}")
        systems[f"system {k + 1}"] = {
            item: near_misses(one, k / 10, seed=rng) for item, one in mine.items() if isinstance(one, cz.Segmentation)
        }
    return people.select(coders=people.coders[:CODERS]), systems


def tables() -> Iterator[Table]:
    rows: list[tuple[str, float, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
        for items, units, goal in ((10, 100, ""), (100, 500, "a few")):
            people, systems = entrants(items, units)
            seconds = best(lambda p=people, s=systems: cz.judge(p, s, seed=1), least=2)  # type: ignore[misc]
            rows.append((f"{items} items of {units} units, five measures", seconds, goal))
        found = cz.judge(people, systems, measures="boundary_similarity", interval=None, bounds=False, seed=1)
        rows.append(("every mistake of five systems on these", best(lambda: _mistakes(found), least=2), ""))
    title = f"{SYSTEMS} systems against {CODERS} coders, bounds and tests included"
    yield Table(("judge", "s", "goal, s"), tuple(rows), title=title, digits=2)


def _mistakes(found: cz.Judgement) -> None:
    found.__dict__.pop("mistakes", None)  # it is kept once made
    assert len(found.mistakes) == SYSTEMS
