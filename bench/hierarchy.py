"""Unifying hierarchies: long texts, spans that nest in each coder, and spans that cross at will."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Cell, Table

UNITS = 10_000
CODERS = 5
SPANS = (1_500, 3_000, 6_000)


def grown(shared: dict[tuple[int, int], int], rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """A hierarchy, the largest spans first: each is cut in two, in seven of ten cases where another coder cut it too."""
    waiting = deque([(1, UNITS)])
    while waiting:
        start, end = waiting.popleft()
        yield start, end
        if end > start:
            own = int(rng.integers(start, end))
            cut = shared.setdefault((start, end), own) if rng.random() < 0.7 else own
            waiting += [(start, cut), (cut + 1, end)]


def hierarchies(distinct: int, seed: int = 1) -> dict[str, cz.Hierarchy]:
    """Coders who agree in part, with so many distinct spans in all."""
    shared: dict[tuple[int, int], int] = {}
    growing = [grown(shared, np.random.default_rng([seed, coder])) for coder in range(CODERS)]
    drawn: list[list[tuple[int, int]]] = [[] for _ in range(CODERS)]
    every: set[tuple[int, int]] = set()
    coder = 0
    while len(every) < distinct:
        span = next(growing[coder])
        drawn[coder].append(span)
        every.add(span)
        coder = (coder + 1) % CODERS
    return {f"coder {i}": cz.Hierarchy(UNITS, spans) for i, spans in enumerate(drawn, 1)}


def at_will(number: int, seed: int = 1) -> list[cz.Hierarchy]:
    """Distinct spans between any two units, each by a coder of its own."""
    rng = np.random.default_rng(seed)
    found: set[tuple[int, int]] = set()
    while len(found) < number:
        low, high = sorted(rng.integers(1, UNITS + 1, 2).tolist())
        found.add((low, high))
    return [cz.Hierarchy(UNITS, [span]) for span in sorted(found)]


def tables() -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for name, make, goal in ((f"{CODERS} coders, nested", hierarchies, 100), ("crossing at will", at_will, 500)):
        before: float | None = None
        for number in SPANS:
            coders = make(number)
            seconds = best(lambda given=coders: cz.unify(given))  # type: ignore[misc]
            gold = cz.unify(coders)
            ratio = None if before is None else seconds / before
            aim = goal if number == 3_000 else None
            rows.append((name, number, seconds * 1e3, aim, ratio, len(gold.included), _size(gold.optima or 0)))
            before = seconds
    columns = ("conflict-free union", "distinct spans", "ms", "goal, ms", "times the row above", "kept", "optima")
    title = f"Hierarchies over {UNITS:,} units; twice the spans may take 5 times as long"
    yield Table(columns, tuple(rows), title=title, digits=2)


def _size(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"about 10^{len(str(number)) - 1}"
