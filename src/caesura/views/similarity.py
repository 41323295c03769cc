"""Tables of the similarity of boundary types."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.agreement.experts import ExpertSimilarity
from caesura.views.answer import Answer, Section
from caesura.views.answers.coders import similarity_answer
from caesura.views.table import Table, cells


def similarity_view(result: ExpertSimilarity, target: str | None = None) -> Answer:
    counted = "by the types of the first expert (rows) and of the second (columns)"
    if len(result.coders) > 2:
        counted = "of all pairs of experts, in both directions"
    pairs = [cells(row, "first", "second", "similarity", "confusions") for row in result.similarities]
    sections = (
        Section("similarity", _matrix("Similarity of types; none is no boundary", result.types, result.matrix)),
        Section("counts", _matrix(f"Positions {counted}", result.types, result.counts)),
        Section("pairs", Table.from_records(pairs)),
    )
    more = () if target is not None else ("--write FILE.toml for a settings file",)
    return Answer(similarity_answer(result, target), sections, more)


def _matrix(title: str, types: Sequence[str], rows: Sequence[Sequence[float]]) -> Table:
    names = (*types, "none")
    table_rows: list[tuple[str | float, ...]] = [(name, *row) for name, row in zip(names, rows, strict=True)]
    return Table(("type", *names), tuple(table_rows), title=title, digits=3)
