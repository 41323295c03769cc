"""Tables of every coder against every coder."""

from __future__ import annotations

import math
from typing import Any

from caesura.agreement.pairwise import Pairwise, PairwiseRow
from caesura.agreement.placed import Placed
from caesura.measures.registry import short_signature
from caesura.tasks.pairwise import PairwiseStudy
from caesura.views.answer import Answer, Section
from caesura.views.answers.coders import pairs_words, pairwise_answer
from caesura.views.table import Cell, Table

# Number of coders up to which the main table is a matrix.
MAX_MATRIX = 8
# Number of pairs that a terminal shows if they are the main table.
MAX_PAIRS = 20


def pairwise_view(study: PairwiseStudy) -> Answer:
    first, placed = study.pairwise[0], study.placed
    is_matrix = len(study.pairwise) == 1 and 2 < len(first.coders) <= MAX_MATRIX
    matrix = [Section("matrix", lambda: matrix_table(first))] if is_matrix else []
    pairs = Section("pairs", lambda: pairs_table(study, limit=None if is_matrix else MAX_PAIRS))
    counts = [] if placed is None else [Section("counts", lambda: counts_table(placed))]
    items = Section("items", lambda: items_table(study))
    return Answer(pairwise_answer(study), (*matrix, pairs, items, *counts))


def matrix_table(table: Pairwise) -> Table:
    corner = "coder" if table.measure.symmetric else "reference"
    matrix = table.matrix.tolist()
    rows: list[tuple[Cell, ...]] = []
    for i, coder in enumerate(table.coders):
        cells = [None if i == j or math.isnan(value) else value for j, value in enumerate(matrix[i])]
        rows.append((coder, *cells))
    return Table((corner, *table.coders), tuple(rows), title=table.measure.label, notes=_misses_notes(table))


def pairs_table(study: PairwiseStudy, *, limit: int | None = None) -> Table:
    """Return one row per pair of coders, one column per measure."""
    first = study.pairwise[0]
    names = ("reference", "hypothesis") if any(table.ordered for table in study.pairwise) else ("coder 1", "coder 2")
    rows = [(table.measure.label, _rows_by_pair(table)) for table in study.pairwise]
    pairs = dict.fromkeys(row.coders for row in study.rows)
    if limit is not None and len(pairs) > limit:
        pairs = dict.fromkeys(row.coders for row in reversed(first.ranked)) | pairs
    records: list[dict[str, Any]] = []
    for pair in pairs:
        records.append(dict(zip(names, pair, strict=True)))
        records[-1] |= {label: by_pair[pair].value for label, by_pair in rows if pair in by_pair}
        if row := rows[0][1].get(pair):
            records[-1] |= {"full misses": row.full_misses, "near misses": row.near_misses, "items": len(row.items)}
    table = Table.from_records(records, notes=tuple(map(short_signature, study.pairwise)), limit=limit)
    return table.without_empty_columns(("full misses", "near misses"))


def _rows_by_pair(table: Pairwise) -> dict[tuple[str, str], PairwiseRow]:
    """Return (reference, hypothesis) -> row; both directions of a symmetric measure have the same row."""
    rows = {row.coders: row for row in table.rows}
    if table.measure.symmetric and not table.ordered:
        rows |= {(b, a): row for (a, b), row in rows.items()}
    return rows


def items_table(study: PairwiseStudy) -> Table:
    """Return one row per item: its size, mean and deviation over pairs, and misses."""
    records: dict[str, dict[str, Any]] = {}
    for table in study.pairwise:
        for row in table.items:
            size = {"item": row.item, "coders": row.coders, "units": row.units, "boundaries": row.boundaries}
            record = records.setdefault(row.item, size | {"per coder": row.boundaries_per_coder})
            record |= {table.measure.label: row.mean, f"{table.measure.label} ±": row.deviation}
    for row in study.pairwise[0].items:
        records[row.item] |= {"full": row.full_misses, "near": row.near_misses}
    notes = ("±: standard deviation over pairs, all with the same weight", *_misses_notes(study.pairwise[0]))
    items = Table.from_records(records.values(), notes=notes)
    return items.without_empty_columns(("boundaries", "per coder", "full", "near"))


def counts_table(placed: Placed) -> Table:
    records = [
        {"coder": row.coder, "items": row.items, "units": row.units, "boundaries": row.boundaries}
        | {"per item": row.per_item, "per position": row.per_unit}
        for row in placed.rows
    ]
    return Table.from_records(records, digits=3)


def _misses_notes(table: Pairwise) -> tuple[str, ...]:
    """Return a note with the sums of full and near misses, and the measure that counts them."""
    if table.aligned_by is None:
        return ()
    by = "" if table.aligned_by == table.measure else f", counted by {table.aligned_by.label}"
    return (f"misses of {pairs_words(table)}: {table.full_misses} full, {table.near_misses} near{by}",)
