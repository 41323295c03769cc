"""Scores as tables, and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from caesura.evaluation.result import Evaluation
from caesura.measures.operations import OperationsTable
from caesura.model.score import Score
from caesura.views.table import Table

__all__ = ["evaluation_table", "operations", "score_json", "score_table"]

Scored = tuple[str | None, Score]
"""An item and its score; None is all items together."""


def score_table(rows: Sequence[Scored], *, by_item: bool, excluded: int = 0) -> Table:
    """A row a score, with further figures such as precision and recall; the signatures of totals as notes."""
    figures = [one.figures for _, one in rows]
    names = [name for name in dict.fromkeys(name for each in figures for name in each) if name != "f"]
    columns = ["measure", *(["item"] if by_item else []), "value", *names, "items"]
    body = [
        (
            one.measure.label,
            *(["all" if item is None else item] if by_item else []),
            one.value,
            *(each.get(name) for name in names),
            one.documents,
        )
        for (item, one), each in zip(rows, figures, strict=True)
    ]
    notes = [one.signature for item, one in rows if item is None]
    if excluded:
        notes.append(f"{excluded} problem(s), listed on standard error")
    return Table(tuple(columns), tuple(body), notes=tuple(notes), group=1)


def evaluation_table(found: Evaluation) -> Table:
    """A row a measure, over all documents of a collection."""
    table = score_table([(None, one) for one in found.scores.values()], by_item=False)
    columns = tuple("documents" if name == "items" else name for name in table.columns)
    notes = table.notes
    if found.partial:
        notes = ("partial: what could not be read or scored is missing", *notes)
    return replace(table, columns=columns, notes=notes)


def score_json(rows: Sequence[Scored], *, edits: bool) -> list[dict[str, Any]]:
    """Everything about every score; the edits of items if asked for."""
    listed = []
    for item, one in rows:
        entry = {"item": item} | one.to_dict()
        if edits and item is not None and one.edits is not None:
            entry["edits"] = [asdict(edit) for edit in one.edits]
        listed.append(entry)
    return listed


def operations(found: OperationsTable) -> Table:
    """What became of the boundaries of each type, in shares."""
    names = [row.type for row in found]
    columns = ("type", "boundaries", "match", *(f"as {name}" for name in names), "alone", "moved", "moved, other type")
    rows = [
        (
            row.type,
            row.boundaries,
            row.match,
            *(row.substitution.get(name) for name in names),
            row.alone,
            row.transposition,
            row.transposition_with_substitution,
        )
        for row in found
    ]
    return Table(columns, tuple(rows), digits=3)
