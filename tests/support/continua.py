"""Continua for tests of gamma: tables of units from dictionaries of annotators, and random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caesura.agreement.unitary import Alignments, Dissimilarity, UnitTable, best_alignments

Annotators = Mapping[str, Sequence[Sequence[Any]]]


def table_of(annotators: Annotators, categories: Sequence[Any]) -> UnitTable:
    rows = [(s, e, categories.index(c), a) for a, name in enumerate(sorted(annotators)) for s, e, c in annotators[name]]
    columns = np.array(rows, float).reshape(-1, 4)
    codes = columns[:, 2:].astype(np.int32)
    return UnitTable.build(columns[:, 0].copy(), columns[:, 1].copy(), codes[:, 0], codes[:, 1], len(annotators))


def categories_of(annotators: Annotators) -> list[Any]:
    return sorted({unit[2] for units in annotators.values() for unit in units}, key=repr)


def align(
    annotators: Annotators,
    alpha: float = 1,
    beta: float = 1,
    matrix: Any = None,
    categories: Any = None,
    **options: Any,
) -> Alignments:
    names = categories or categories_of(annotators)
    distance = 1.0 - np.eye(max(1, len(names))) if matrix is None else np.array(matrix, float)
    return best_alignments(table_of(annotators, names), Dissimilarity(float(alpha), float(beta), distance), **options)


def rows_of(alignment: Alignments, annotators: Annotators) -> set[tuple[int | None, ...]]:
    """One row per unitary alignment: for each annotator in order, the index of the unit, or None."""
    names = sorted(annotators)
    place = [(a, k) for a, name in enumerate(names) for k in range(len(annotators[name]))]
    rows = set()
    for members in alignment.of_sample():
        row: list[int | None] = [None] * len(names)
        for unit in members:
            a, k = place[int(alignment.table.index[unit])]
            row[a] = k
        rows.add(tuple(row))
    return rows


def overlapping(
    annotators: int, units: int, length: int, longest: int, seed: int
) -> dict[str, list[tuple[float, float, str]]]:
    """Random units of length 1 to ``longest``, which overlap if there are many."""
    rng = np.random.default_rng(seed)
    return {
        f"a{k:02}": sorted(
            (float(start), float(start + size), f"c{category}")
            for start, size, category in zip(
                rng.integers(0, length, units),
                rng.integers(1, longest + 1, units),
                rng.integers(0, 3, units),
                strict=True,
            )
        )
        for k in range(annotators)
    }
