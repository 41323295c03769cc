"""Time measures of boundaries and segments in seconds: long tiers, many short ones, and other programs on a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
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
    yield _against_peers(rng)


def _against_peers(rng: np.random.Generator) -> Table:
    """Compare a recording of ten minutes: one call, and one of a thousand recordings in ``score_many``."""
    song, system = tier(rng, 40, 600.0), tier(rng, 40, 600.0)
    many = [(tier(rng, 40, 600.0), tier(rng, 40, 600.0)) for _ in range(1_000)]
    rows: list[tuple[str | float | None, ...]] = []
    for text, name, peer in (*_mir_eval(song, system), *_pyannote(song, system)):
        measure = cz.parse(text)
        own = shortest_time(lambda m=measure: m.score(song, system)) * 1e6  # type: ignore[misc]
        of_many = shortest_time(lambda m=measure: cz.score_many(many, m, workers=1))  # type: ignore[misc]
        of_many *= 1e6 / len(many)
        other = None if peer is None else shortest_time(peer, min_runs=2) * 1e6
        ratios = (None, None) if other is None else (other / own, other / of_many)
        rows.append((text, name, other, own, of_many, *ratios))
    columns = ("10 minutes", "peer", "peer, µs", "one call, µs", "of 1,000, µs", "ratio of one call", "ratio of 1,000")
    return Table(columns, tuple(rows), title="A recording (goal: 1,000 times)", digits=1)


Peer = tuple[str, str, Callable[[], object] | None]
"""A measure, the name of the other program, and its call; None if it is not installed."""


def _mir_eval(song: cz.Tier, system: cz.Tier) -> Iterator[Peer]:
    from mir_eval import segment

    intervals = [np.array([row[:2] for row in side.intervals]) for side in (song, system)]
    labels = [[row.label for row in side.intervals] for side in (song, system)]
    arguments = (intervals[0], labels[0], intervals[1], labels[1])
    names = {"pairwise_f": "pairwise", "v_measure": "vmeasure", "nce": "nce", "rand_index(over=labels)": "rand_index"}
    for text, name in names.items():
        yield text, f"mir_eval.{name}", partial(getattr(segment, name), *arguments)


def _pyannote(song: cz.Tier, system: cz.Tier) -> Iterator[Peer]:
    try:
        core, metrics = import_module("pyannote.core"), import_module("pyannote.metrics.segmentation")
    except ImportError:  # it is not among the requirements, because it needs much else
        yield "purity_coverage", "none: pip install pyannote.metrics", None
        return
    sides = []
    for side in (song, system):
        annotation = core.Annotation()
        for i, row in enumerate(side.intervals):
            annotation[core.Segment(row.start, row.end), i] = row.label
        sides.append(annotation)
    yield "purity_coverage", "pyannote.metrics", partial(metrics.SegmentationPurityCoverageFMeasure(), *sides)
