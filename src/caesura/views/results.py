"""Tables of scores, and scores as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from caesura.evaluation.result import Evaluation
from caesura.measures.operations import OperationsTable
from caesura.model.result import to_plain
from caesura.model.score import Score
from caesura.views.table import Table, extra_figures

ItemScore = tuple[str | None, Score]
"""An item and its score; None stands for all items together."""


def score_table(scores: Sequence[ItemScore], *, by_item: bool, excluded: int = 0) -> Table:
    """Return one row per score, with further figures such as precision and recall.

    Parameters
    ----------
    scores : sequence of (str or None, Score)
        Items and their scores; None stands for all items together.
    by_item : bool
        Whether the table has a column with the item.
    excluded : int, default 0
        Number of problems, for a note.

    Returns
    -------
    Table
        The signatures of the totals are its notes.
    """
    names = extra_figures(score for _, score in scores)
    records = [
        {
            "measure": score.measure.label,
            **({"item": "all" if item is None else item} if by_item else {}),
            "value": score.value,
            **{name: score.figures.get(name) for name in names},
            "items": score.documents,
        }
        for item, score in scores
    ]
    columns = ["measure", *(["item"] if by_item else []), "value", *names, "items"]
    notes = [score.signature for item, score in scores if item is None]
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
    table = score_table([(None, score) for score in evaluation.scores.values()], by_item=False)
    columns = tuple("documents" if name == "items" else name for name in table.columns)
    partial = ("partial: documents that could not be read or scored are missing",) if evaluation.partial else ()
    return replace(table, columns=columns, notes=(*partial, *table.notes))


def score_json(scores: Sequence[ItemScore], *, edits: bool) -> list[dict[str, Any]]:
    """Return the scores as plain data.

    Parameters
    ----------
    scores : sequence of (str or None, Score)
        Items and their scores; None stands for all items together.
    edits : bool
        Whether to list the edits of every item.

    Returns
    -------
    list of dict
        One entry per score.
    """
    entries = []
    for item, score in scores:
        entry = {"item": item} | score.to_dict()
        if edits and item is not None and score.edits is not None:
            entry["edits"] = to_plain(score.edits)
        entries.append(entry)
    return entries


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
