"""Scores as tables, and boundaries side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from caesura.measures.operations import OperationsTable
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.views.alignment import LEGEND, draw_text, edit_table
from caesura.views.table import Table

if TYPE_CHECKING:
    from caesura.evaluation.result import Evaluation
    from caesura.tasks.score import ItemScore, Scoring

NO_ALIGNMENT = "None of these measures aligns boundaries; boundary_similarity does."


def scoring_blocks(
    scoring: Scoring, *, by_item: bool = False, edits: bool = False, width: int = 100
) -> list[Table | str]:
    """Return what ``caesura score`` prints.

    Parameters
    ----------
    scoring : Scoring
        The scores.
    by_item : bool, default False
        Whether the table has one row per item.
    edits : bool, default False
        Whether to show the boundaries of both sides with what happened to them.
    width : int, default 100
        Characters per line of the boundaries.

    Returns
    -------
    list of Table or str
        The table of scores, tables of operations, and drawings.
    """
    rows = [entry for entry in scoring.scores if by_item or entry.item is None]
    blocks: list[Table | str] = [score_table(rows, by_item=by_item, excluded=len(scoring.excluded))]
    for entry in scoring.operations:
        title = f"{entry.measure.label}: what happened to the boundaries of each type, both sides together"
        blocks.append(replace(operations_table(entry.table), title=title))
    if edits:
        drawings = list(_drawings(scoring, width))
        blocks += [*drawings, LEGEND] if drawings else [NO_ALIGNMENT]
    return blocks


def score_table(rows: Sequence[ItemScore], *, by_item: bool = False, excluded: int = 0) -> Table:
    """Return scores as a table, with figures such as precision and recall; signatures of totals are notes.

    Parameters
    ----------
    rows : sequence of ItemScore
        The scores.
    by_item : bool, default False
        Whether there is a column with the item.
    excluded : int, default 0
        Number of excluded items, for a note.

    Returns
    -------
    Table
        One row per score.
    """
    figures = [entry.score.figures for entry in rows]
    names = [name for name in dict.fromkeys(name for entry in figures for name in entry) if name != "f"]
    columns = ["measure", *(["item"] if by_item else []), "value", *names, "items"]
    body = [
        (
            entry.score.measure.label,
            *(["all" if entry.item is None else entry.item] if by_item else []),
            entry.score.value,
            *(values.get(name) for name in names),
            entry.score.documents,
        )
        for entry, values in zip(rows, figures, strict=True)
    ]
    notes = [entry.score.signature for entry in rows if entry.item is None]
    if excluded:
        notes.append(f"{excluded} excluded; standard error lists the reasons")
    return Table(tuple(columns), tuple(body), notes=tuple(notes), group=1)


def evaluation_table(evaluation: Evaluation) -> Table:
    """Return the scores of a collection as a table.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation.

    Returns
    -------
    Table
        One row per measure, over all documents.
    """
    from caesura.tasks.score import ItemScore

    table = score_table([ItemScore(None, score) for score in evaluation.scores.values()])
    columns = tuple("documents" if name == "items" else name for name in table.columns)
    partial = ("partial: documents or partitions were excluded",) if evaluation.partial else ()
    return replace(table, columns=columns, notes=(*partial, *table.notes))


def operations_table(operations: OperationsTable) -> Table:
    """Return what happened to the boundaries of each type as fractions.

    Parameters
    ----------
    operations : OperationsTable
        The operations.

    Returns
    -------
    Table
        One row per boundary type.
    """
    names = [row.type for row in operations]
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
        for row in operations
    ]
    return Table(columns, tuple(rows), digits=3)


def _drawings(scoring: Scoring, width: int) -> Iterator[Table | str]:
    for entry in scoring.scores:
        if entry.item is None or entry.score.edits is None:
            continue
        yield _drawing(entry.item, entry.score, scoring, width)
        yield edit_table(entry.score.edits, ("reference", "hypothesis"))


def _drawing(item: str, score: Score, scoring: Scoring, width: int) -> str:
    reference, hypothesis = scoring.pairs[item]
    # A measure that aligns boundaries scores neither hierarchies nor trees.
    assert not isinstance(reference, (Hierarchy, Tree))
    assert not isinstance(hypothesis, (Hierarchy, Tree))
    picture = draw_text(reference, hypothesis, score.edits or (), width=width)
    return f"{item}: {score.measure.label} = {score.value:.4f}\n{picture}"
