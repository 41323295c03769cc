"""Time the best alignment and gamma of spans, and compare with pygamma-agreement if it is installed.

pygamma-agreement brings a solver under the GPL, so it is no dependency of the tests. To compare, install it beside caesura in
an environment of its own: ``pip install pygamma-agreement``. Its sample files are in ``../shared/data/unitizing`` or in its
repository under ``tests/data``; without them, random continua of the same sizes take their place.
"""

from __future__ import annotations

import csv
import resource
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.agreement.gamma_alignment import continuum_of
from caesura.agreement.unitary import Dissimilarity, UnitTable, best_alignments
from caesura.agreement.unitized import UnitizedItem
from caesura.agreement.unitizing import Plan
from caesura.agreement.unitizing_scores import score_items
from caesura.engines import use_engine
from caesura.views.table import Table

FILES = Path(__file__).parents[2] / "shared" / "data" / "unitizing"
SIZES = {"3by100": (3, 100), "2by1000": (2, 1000), "3by500": (3, 500), "5by100": (5, 100), "6 x 100": (6, 100)}
PEERS = ("3by100", "2by1000")  # pygamma-agreement takes minutes to hours for the others
Units = dict[str, list[tuple[float, float, str]]]


def simulate(annotators: int, units: int, seed: int = 0) -> Units:
    """Return annotators who miss a tenth of the units, move the others and confuse a tenth of the categories."""
    rng = np.random.default_rng(seed)
    gaps, lengths = rng.integers(2, 12, units), rng.integers(4, 20, units)
    ends = np.cumsum(gaps + lengths)
    kinds = rng.integers(0, 4, units)
    result: Units = {}
    for k in range(annotators):
        moved = rng.integers(-2, 3, (units, 2))
        confused = np.where(rng.random(units) < 0.1, rng.integers(0, 4, units), kinds)
        rows = zip(ends - lengths + moved[:, 0], ends + 3 + moved[:, 1], confused, rng.random(units) < 0.9, strict=True)
        result[f"annotator_{k}"] = [(float(s), float(e), f"c{kind}") for s, e, kind, kept in rows if kept]
    return result


def overlapping(annotators: int = 3, units: int = 80, length: int = 240, longest: int = 14, seed: int = 0) -> Units:
    """Return random units that overlap heavily."""
    rng = np.random.default_rng(seed)
    return {
        f"annotator_{k}": [
            (float(start), float(start + size), f"c{kind}")
            for start, size, kind in zip(
                rng.integers(0, length, units),
                rng.integers(1, longest + 1, units),
                rng.integers(0, 3, units),
                strict=True,
            )
        ]
        for k in range(annotators)
    }


def load(name: str) -> Units:
    """Return the units of a sample file of pygamma-agreement, or simulated ones."""
    path = FILES / f"{name}.csv"
    if not path.exists():
        return simulate(*SIZES[name])
    units: Units = {}
    with path.open(encoding="utf-8") as file:
        for annotator, category, start, end in csv.reader(file):
            units.setdefault(annotator, []).append((float(start), float(end), category))
    return units


def table_of(units: Units) -> tuple[UnitTable, Dissimilarity]:
    spans = {name: cz.Spans(rows) for name, rows in units.items()}
    categories = sorted({str(name) for value in spans.values() for name in value.categories})
    item = UnitizedItem("item", spans, (0.0, 1.0), True)
    return continuum_of(item, Plan((*categories,), 0).codes).table(), Dissimilarity(
        3.0, 1.0, 1.0 - np.eye(len(categories))
    )


def gamma_of(corpus: cz.Corpus) -> float:
    """Return gamma without the tables of pairs and coders, at a precision of 2 %."""
    coefficient = cz.Gamma(alpha=3.0)
    with use_engine("threads", workers=1) as engine:
        scored = score_items(corpus, coefficient, seed=0, engine=engine, tables=False)
    return float(scored.total().values[0])


def tables() -> Iterator[Table]:
    rows: list[tuple[Any, ...]] = []
    for name in SIZES:
        units = load(name)
        corpus = cz.Corpus({"item": {coder: cz.Spans(spans) for coder, spans in units.items()}})
        table, how = table_of(units)
        alignment = best_alignments(table, how)
        align = shortest_time(partial(best_alignments, table, how), min_runs=5)
        gamma = shortest_time(partial(gamma_of, corpus), min_runs=3 if len(table) < 550 else 1)
        peer, disorder = pygamma_time(units) if name in PEERS else (None, None)
        ratio = None if peer is None else peer / align
        difference = None if disorder is None else abs(disorder - alignment.cost[0] * table.annotators / len(table))
        rows.append((name, len(table), align * 1e3, peer and peer * 1e3, ratio, difference, gamma, alignment.proved[0]))
    columns = ("continuum", "units", "align, ms", "pygamma, ms", "ratio", "difference", "gamma at 2 %, s", "proved")
    yield Table(columns, tuple(rows), title="Best alignment and gamma, alpha 3, one core", digits=2)
    yield _overlap_table()


def _overlap_table() -> Table:
    rows = []
    for seed in range(5):
        table, _ = table_of(overlapping(seed=seed))
        how = Dissimilarity(1.0, 1.0, 1.0 - np.eye(3))
        result = best_alignments(table, how)
        rows.append(
            (
                seed,
                shortest_time(partial(best_alignments, table, how), min_runs=1) * 1e3,
                result.proved[0],
                result.cost[0],
            )
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    title = f"Heavy overlap, 3 x 80 units of length 1 to 14 in 240; peak memory of this process {peak:.0f} MB"
    return Table(("seed", "align, ms", "proved", "cost"), tuple(rows), title=title, digits=3)


def pygamma_time(units: Units) -> tuple[float | None, float | None]:
    """Return time and disorder of pygamma-agreement's exact alignment; None without it."""
    try:
        from pyannote.core import Segment  # type: ignore[import-not-found,unused-ignore]
        from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None, None
    continuum = Continuum()
    for annotator, rows in units.items():
        for start, end, category in rows:
            continuum.add(annotator, Segment(start, end), category)
    dissimilarity = CombinedCategoricalDissimilarity(alpha=3, beta=1, delta_empty=1.0)
    run = partial(continuum.get_best_alignment, dissimilarity)
    disorder = run().disorder  # also compiles it
    return shortest_time(run, min_runs=3), float(disorder)
