"""Time measures of boundaries and segments in seconds: long tiers, many short ones, and mir_eval on a song."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Table

MEASURES = (
    "F1@0.5s",
    "boundary_deviation",
    "hausdorff",
    "generalized_hamming",
    "pk(window=2s)",
    "window_diff(window=2s)",
    "purity_coverage",
    "covering",
    "alignment_index",
    "rand_index",
    "adjusted_rand_index",
    "pairwise_f",
    "v_measure",
    "nce",
)


def tier(rng: np.random.Generator, boundaries: int, seconds: float) -> cz.Tier:
    """Return a tier with labels that repeat and boundaries at random times."""
    cuts = np.unique(np.round(rng.uniform(0, seconds, boundaries), 4))
    times = [0.0, *cuts[(cuts > 0) & (cuts < seconds)].tolist(), seconds]
    return cz.Tier([(s, e, "ABCDEFGH"[i % 8]) for i, (s, e) in enumerate(pairwise(times))])


def tables() -> Iterator[Table]:
    rng = np.random.default_rng(0)
    a, b = tier(rng, 100_000, 3e5), tier(rng, 100_000, 3e5)
    pairs = [(tier(rng, 50, 600.0), tier(rng, 50, 600.0)) for _ in range(10_000)]
    rows = []
    for text in MEASURES:
        measure = cz.parse(text)
        one = shortest_time(lambda m=measure: m.score(a, b))  # type: ignore[misc]
        many = shortest_time(lambda m=measure: cz.score_many(pairs, m), min_runs=3)  # type: ignore[misc]
        rows.append((text, one * 1e3, many * 1e3))
    columns = ("measure", "two tiers of 100,000 boundaries, ms", "10,000 pairs of 50 boundaries, ms")
    yield Table(columns, tuple(rows), title="Seconds (goals: 50 ms, generalized Hamming 1 s; 200 ms)", digits=1)
    yield _against_mir_eval(rng)


def _against_mir_eval(rng: np.random.Generator) -> Table:
    from mir_eval import segment

    song, system = tier(rng, 40, 600.0), tier(rng, 40, 600.0)
    intervals = [np.array([row[:2] for row in side.intervals]) for side in (song, system)]
    labels = [[row.label for row in side.intervals] for side in (song, system)]
    arguments = (intervals[0], labels[0], intervals[1], labels[1])
    rows = []
    for text, peer in (("pairwise_f", segment.pairwise), ("v_measure", segment.vmeasure), ("nce", segment.nce)):
        measure = cz.parse(text)
        own = shortest_time(lambda m=measure: m.score(song, system))  # type: ignore[misc]
        other = shortest_time(lambda f=peer: f(*arguments), min_runs=2)  # type: ignore[misc]
        rows.append((text, own * 1e3, other * 1e3, other / own))
    return Table(("10 minutes", "caesura, ms", "mir_eval, ms", "ratio"), tuple(rows), title="A song", digits=2)
