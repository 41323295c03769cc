"""What ``caesura score`` prints: scores, operations, and the boundaries of both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.views.alignment import LEGEND, draw_text, edit_table
from caesura.views.results import operations_view, score_table
from caesura.views.table import Table

if TYPE_CHECKING:
    from caesura.tasks.score import Scoring

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
