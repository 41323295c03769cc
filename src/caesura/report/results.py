"""Scores and agreement as tables, and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from caesura.agreement.result import Agreement
from caesura.measures.base import Measure
from caesura.model.score import Score
from caesura.operations import OperationsTable
from caesura.report.table import Cell, Table

__all__ = ["agreement_tables", "operations", "score_json", "score_table"]

Scored = tuple[str | None, Score]
"""An item and its score; None is all items together."""


def score_table(rows: Sequence[Scored], *, by_item: bool, problems: int = 0) -> Table:
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
    if problems:
        notes.append(f"{problems} problem(s), listed on standard error")
    return Table(tuple(columns), tuple(body), notes=tuple(notes), group=0)


def score_json(rows: Sequence[Scored], *, edits: bool) -> list[dict[str, Any]]:
    """Everything about every score; the edits of items if asked for."""
    listed = []
    for item, one in rows:
        entry = {"item": item} | one.as_dict()
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


def agreement_tables(found: Sequence[tuple[str, Measure, Agreement | str]]) -> list[Table]:
    """Coefficient by coefficient, before it the pairs of coders if there are several.

    In place of a result may stand the reason why the coefficient is undefined.
    """
    rows: list[tuple[Cell, ...]] = []
    pairs: list[tuple[Cell, ...]] = []
    notes: dict[str, None] = {}
    for name, measure, one in found:
        over = "S_f" if measure["normalize"] == "positions" else "S_f^B"
        if isinstance(one, str):
            rows.append((name, over, "undefined", None, None, None, one))
            continue
        rows.append((name, over, one.value, one.standard_error, one.observed, one.expected, one.method))
        notes[one.signature] = None
        for row in one.pairs if len(one.pairs) > 1 else ():
            value = "undefined" if row.value is None else row.value
            pairs.append((name, over, " - ".join(row.name), value, row.observed, row.expected, row.items))
    columns = ("coefficient", "over", "value", "error", "observed", "expected", "chance")
    tables = [Table(columns, tuple(rows), notes=tuple(notes), digits=6)]
    if pairs:
        head = ("coefficient", "over", "coders", "value", "observed", "expected", "items")
        tables.insert(0, Table(head, tuple(pairs), title="Pairs of coders", group=0))
    return tables
