"""Time the unification of hierarchies over long texts, with nested spans and with random spans."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.views.table import Cell, Table

UNITS = 10_000
CODERS = 5
SPANS = (1_500, 3_000, 6_000)


def grow_hierarchy(shared_cuts: dict[tuple[int, int], int], rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Yield the spans of a hierarchy from the top. Each is split in two; 70 % of the splits are shared by the coders."""
    queue = deque([(1, UNITS)])
    while queue:
        start, end = queue.popleft()
        yield start, end
        if end > start:
            random_cut = int(rng.integers(start, end))
            cut = shared_cuts.setdefault((start, end), random_cut) if rng.random() < 0.7 else random_cut
            queue += [(start, cut), (cut + 1, end)]


def hierarchies(distinct: int, seed: int = 1) -> dict[str, cz.Hierarchy]:
    """Return coders who partly agree, with this number of distinct spans."""
    shared_cuts: dict[tuple[int, int], int] = {}
    growing = [grow_hierarchy(shared_cuts, np.random.default_rng([seed, coder])) for coder in range(CODERS)]
    spans_by_coder: list[list[tuple[int, int]]] = [[] for _ in range(CODERS)]
    distinct_spans: set[tuple[int, int]] = set()
    coder = 0
    while len(distinct_spans) < distinct:
        span = next(growing[coder])
        spans_by_coder[coder].append(span)
        distinct_spans.add(span)
        coder = (coder + 1) % CODERS
    return {f"coder {i}": cz.Hierarchy(UNITS, spans) for i, spans in enumerate(spans_by_coder, 1)}


def random_spans(number: int, seed: int = 1) -> list[cz.Hierarchy]:
    """Return distinct random spans, one per coder."""
    rng = np.random.default_rng(seed)
    spans: set[tuple[int, int]] = set()
    while len(spans) < number:
        low, high = sorted(rng.integers(1, UNITS + 1, 2).tolist())
        spans.add((low, high))
    return [cz.Hierarchy(UNITS, [span]) for span in sorted(spans)]


def tables() -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for name, simulate, goal in ((f"{CODERS} coders, nested", hierarchies, 100), ("random spans", random_spans, 500)):
        previous: float | None = None
        for number in SPANS:
            coders = simulate(number)
            seconds = shortest_time(lambda c=coders: cz.unify(c))  # type: ignore[misc]
            gold = cz.unify(coders)
            ratio = None if previous is None else seconds / previous
            row_goal = goal if number == 3_000 else None
            optima = _format_count(gold.optima or 0)
            rows.append((name, number, seconds * 1e3, row_goal, ratio, len(gold.included), optima))
            previous = seconds
    columns = ("conflict-free union", "distinct spans", "ms", "goal, ms", "times the row above", "included", "optima")
    title = f"Hierarchies over {UNITS:,} units (goal: twice the spans within 5 times)"
    yield Table(columns, tuple(rows), title=title, digits=2)


def _format_count(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"about 10^{len(str(number)) - 1}"
