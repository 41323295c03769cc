"""Measures between two hierarchies: t and l against mir_eval on the same spans, and how all of them grow."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Table

FRAMES = 1000
Levels = list[list[tuple[int, int, str]]]


def annotation(units: int, cuts: tuple[int, ...], seed: int) -> Levels:
    """Segments of 0..units, each level with so many boundaries more than the one above."""
    rng = np.random.default_rng(seed)
    at = {0, units}
    levels = []
    for more in cuts:
        at |= set(rng.integers(1, units, more).tolist())
        ends = sorted(at)
        labels = rng.choice(list("abcdef"), len(ends) - 1).tolist()
        levels.append(list(zip(ends[:-1], ends[1:], labels, strict=True)))
    return levels


def hierarchy(units: int, levels: Levels) -> cz.Hierarchy:
    spans = [(start + 1, end, k, label) for k, level in enumerate(levels, 1) for start, end, label in level]
    return cz.Hierarchy(units, spans)


def against_mir_eval() -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mir_eval import hierarchy as peer

    rows: list[tuple[str, str, float, float, float, float]] = []
    for said, cuts in (("8 + 24 boundaries, as in a song", (8, 24)), ("20 + 100 boundaries", (20, 100))):
        sides = [annotation(FRAMES, cuts, seed) for seed in (1, 2)]
        a, b = (hierarchy(FRAMES, side) for side in sides)
        x, y = ([np.array([s[:2] for s in level], float) for level in side] for side in sides)
        x_labels, y_labels = ([[s[2] for s in level] for level in side] for side in sides)
        calls: dict[str, Callable[[], Any]] = {
            "t_measure": partial(peer.tmeasure, x, y, transitive=True, window=None, frame_size=1),
            "l_measure": partial(peer.lmeasure, x, x_labels, y, y_labels, frame_size=1),
        }
        for name, call in calls.items():
            measure = cz.parse(name)
            theirs, ours = best(call, least=2), best(partial(measure.score, a, b))
            away = abs(call()[2] - measure.score(a, b).value)
            rows.append((name, said, ours * 1e3, theirs * 1e3, theirs / ours, away))
    return Table(
        ("measure", f"{FRAMES:,} units", "ms", "mir_eval, ms", "ratio", "difference"),
        tuple(rows),
        title="Hierarchies against mir_eval",
        digits=3,
    )


def growth() -> Table:
    names = ("hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure")
    rows = []
    for units, cuts in ((1000, (50, 300)), (10_000, (500, 3000)), (100_000, (5000, 30_000))):
        a, b = (hierarchy(units, annotation(units, cuts, seed)) for seed in (1, 2))
        took: list[float | None] = []
        for name in names:
            measure = cz.parse(name)
            many = units > 10_000 and name in ("t_measure", "l_measure")  # quadratic in boundaries
            took.append(None if many else best(partial(measure.score, a, b), least=2) * 1e3)
        rows.append((f"{units:,} units, {len(a):,} spans", *took))
    return Table(("ms", *names), tuple(rows), title="Hierarchies, how it grows", digits=2)


def tables() -> Iterator[Table]:
    yield against_mir_eval()
    yield growth()
