"""Time hierarchy measures: compare t and l with mir_eval, and measure how the time of all measures grows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Table

FRAMES = 1000
Levels = list[list[tuple[int, int, str]]]


def simulate_levels(units: int, cuts: tuple[int, ...], seed: int) -> Levels:
    """Return random segments of 0..units per level; each level adds boundaries to those of the level above."""
    rng = np.random.default_rng(seed)
    edges = {0, units}
    levels = []
    for additions in cuts:
        edges |= set(rng.integers(1, units, additions).tolist())
        times = sorted(edges)
        labels = rng.choice(list("abcdef"), len(times) - 1).tolist()
        levels.append(list(zip(times[:-1], times[1:], labels, strict=True)))
    return levels


def hierarchy(units: int, levels: Levels) -> cz.Hierarchy:
    spans = [(start + 1, end, k, label) for k, level in enumerate(levels, 1) for start, end, label in level]
    return cz.Hierarchy(units, spans)


def against_mir_eval() -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mir_eval import hierarchy as mir_eval

    rows: list[tuple[str, str, float, float, float, float]] = []
    texts = {
        "8 + 24 boundaries, as in a song": (8, 24),
        "20 + 100 boundaries": (20, 100),
        "80 + 280 + 520 boundaries, 994 spans (goal: 500 times)": (80, 280, 520),
    }
    for description, cuts in texts.items():
        sides = [simulate_levels(FRAMES, cuts, seed) for seed in (1, 2)]
        a, b = (hierarchy(FRAMES, side) for side in sides)
        x, y = ([np.array([s[:2] for s in level], float) for level in side] for side in sides)
        x_labels, y_labels = ([[s[2] for s in level] for level in side] for side in sides)
        calls: dict[str, Callable[[], Any]] = {
            "t_measure": partial(mir_eval.tmeasure, x, y, transitive=True, window=None, frame_size=1),
            "l_measure": partial(mir_eval.lmeasure, x, x_labels, y, y_labels, frame_size=1),
        }
        for name, call in calls.items():
            measure = cz.parse(name)
            peer_time, caesura_time = shortest_time(call, min_runs=2), shortest_time(partial(measure.score, a, b))
            difference = abs(call()[2] - measure.score(a, b).value)
            rows.append((name, description, caesura_time * 1e3, peer_time * 1e3, peer_time / caesura_time, difference))
    return Table(
        ("measure", f"{FRAMES:,} units", "caesura, ms", "mir_eval, ms", "ratio", "difference"),
        tuple(rows),
        title="Hierarchies: comparison with mir_eval",
        digits=3,
    )


def growth() -> Table:
    names = ("hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure")
    rows = []
    for units, cuts in ((1000, (50, 300)), (10_000, (500, 3000)), (100_000, (5000, 30_000))):
        a, b = (hierarchy(units, simulate_levels(units, cuts, seed)) for seed in (1, 2))
        times: list[float | None] = []
        for name in names:
            measure = cz.parse(name)
            times.append(shortest_time(partial(measure.score, a, b), min_runs=2) * 1e3)
        rows.append((f"{units:,} units, {len(a):,} spans", *times))
    return Table(("ms", *names), tuple(rows), title="Hierarchies: growth with the text", digits=2)


def tables() -> Iterator[Table]:
    yield against_mir_eval()
    yield growth()
