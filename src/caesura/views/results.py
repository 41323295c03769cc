"""Tables of scores, and the boundaries of both sides with what happened to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from caesura.evaluation.result import Evaluation
from caesura.measures.operations import OperationsTable
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.tasks.score import ItemScore, Scoring
from caesura.views.alignment import LEGEND, draw_text, edit_table
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
            "unpaired": row.unpaired,
            "moved": row.transposition,
            "moved, different type": row.transposition_with_substitution,
        }
        for row in operations
    ]
    return Table.from_records(records, digits=3)


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
        blocks.append(replace(operations_view(entry.table), title=title))
    if edits:
        drawings = list(_drawings(scoring, width))
        blocks += [*drawings, LEGEND] if drawings else [NO_ALIGNMENT]
    return blocks


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
