"""Tables of scores, and scores as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caesura.evaluation.result import Evaluation
from caesura.measures.operations import OperationsTable
from caesura.tasks.score import ItemScore
from caesura.views.table import Table, extra_figures


def score_table(scores: Sequence[ItemScore], *, by_item: bool, excluded: int = 0) -> Table:
    """Return one row per score, with further figures such as precision and recall.

    Parameters
    ----------
    scores : sequence of ItemScore
        Items and their scores; the item None stands for all items together.
    by_item : bool
        Whether the table has a column with the item.
    excluded : int, default 0
        Number of problems, for a note.

    Returns
    -------
    Table
        The signatures of the totals are its notes.
    """
    names = extra_figures(entry.score for entry in scores)
    records = [
        {
            "measure": entry.score.measure.label,
            "item": "all" if entry.item is None else entry.item,
            "value": entry.score.value,
            **{name: entry.score.figures.get(name) for name in names},
            "items": entry.score.documents,
        }
        for entry in scores
    ]
    columns = ["measure", *(["item"] if by_item else []), "value", *names, "items"]
    notes = [entry.score.signature for entry in scores if entry.item is None]
    if excluded:
        notes.append(f"{excluded} problem(s), listed on standard error")
    return Table.from_records(records, columns=columns, notes=tuple(notes), group=1)


def evaluation_table(evaluation: Evaluation) -> Table:
    """Return one row per measure, over all documents of a collection.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of the collection.

    Returns
    -------
    Table
        The signatures are its notes.
    """
    table = score_table([ItemScore(None, score) for score in evaluation.scores.values()], by_item=False)
    columns = tuple("documents" if name == "items" else name for name in table.columns)
    partial = ("partial: documents that could not be read or scored are missing",) if evaluation.partial else ()
    return replace(table, columns=columns, notes=(*partial, *table.notes))


def operations_view(operations: OperationsTable) -> Table:
    """Return one row per boundary type: the proportions of its boundaries that were matched, substituted, moved.

    Parameters
    ----------
    operations : OperationsTable
        Edits added up by type, from :func:`~caesura.operations_table`.

    Returns
    -------
    Table
        Proportions of each row add up to 1.
    """
    names = [row.type for row in operations]
    records = [
        {
            "type": row.type,
            "boundaries": row.boundaries,
            "match": row.match,
            **{f"as {name}": row.substitution.get(name) for name in names},
            "alone": row.alone,
            "moved": row.transposition,
            "moved, different type": row.transposition_with_substitution,
        }
        for row in operations
    ]
    return Table.from_records(records, digits=3)
