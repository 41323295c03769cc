"""A gold standard and the experiment with all of them, as tables."""

from __future__ import annotations

from caesura.gold.experiment import Spread, Unification
from caesura.gold.result import Candidate, Dropped, Gold
from caesura.report.table import Cell, Table

__all__ = ["gold_table", "unification_table"]


def gold_table(gold: Gold) -> Table:
    """Every distinct span, by start, the larger first: who drew it, and why it is not in the gold if it is not."""
    every: list[Candidate] = [*gold.kept, *gold.dropped]
    every.sort(key=lambda one: (one.start, -one.end, one.span.level))
    rows = []
    for one in every:
        dropped = isinstance(one, Dropped)
        rows.append(
            (_place(gold, one), ", ".join(map(str, one.levels)), ", ".join(one.labels) or None, ", ".join(one.coders),
             one.weight, "dropped" if dropped else "kept", one.reason if isinstance(one, Dropped) else None,
             ", ".join(one.against) or None if isinstance(one, Dropped) else None)
        )  # fmt: skip
    columns = ("span", "level", "label", "coders", "weight", "gold", "why", "against")
    shown = [
        i for i in range(len(columns)) if columns[i] not in ("label", "why", "against") or any(row[i] for row in rows)
    ]
    optima = "" if gold.optima is None else f", {gold.optima} optim{'um' if gold.optima == 1 else 'a'}"
    return Table(
        tuple(columns[i] for i in shown),
        tuple(tuple(row[i] for i in shown) for row in rows),
        title=f"{gold.method}, {gold.level}: {len(gold.kept)} of {len(every)} spans kept{optima}",
        notes=(*gold.notes, gold.signature),
    )


def _place(gold: Gold, one: Candidate) -> str:
    if gold.edges is None:
        return f"{one.start}-{one.end}"
    return f"{gold.edges[one.start - 1]:.2f}-{gold.edges[one.end]:.2f} s"


def unification_table(found: Unification) -> Table:
    """A row a method, as in Table 1 of Carbone et al.: mean and deviation of each figure over annotations."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for row in found.rows:
        figures = {
            "kappa": row.kappa,
            "recall": row.recall,
            "precision": row.precision,
            "non-crossing": row.non_crossing,
        }
        cells: list[Cell] = [row.name]
        for name, spread in figures.items():
            cells += _cells(spread)
            if spread.left_out:
                notes.append(
                    f"{row.name}: {name} is undefined for {spread.left_out} of {row.annotations} annotations, left out"
                )
        rows.append((*cells, row.spans, row.annotations))
        for count, said in (
            (row.empty, "the gold is empty"),
            (row.conflicting, "the gold has spans that cross"),
            (row.tied, "the gold is one of several that are as good"),
        ):
            if count:
                notes.append(f"{row.name}: {said} for {count} of {len(found.items)} items")
        notes += [f"{row.name}: item {item!r} left out: {why}" for item, why in row.dropped.items()]
    if any(not row.itself for row in found.rows):
        notes.append("BestAnnotator-self: without the annotation that is itself the gold")
    if found.emptied:
        notes.append(f"spans that became empty when times were merged, and were dropped: {found.emptied}")
    notes += [f"item {item!r} left out: {why}" for item, why in found.dropped.items()]
    columns = ("method", "kappa", "sd", "recall", "sd", "precision", "sd", "non-crossing", "sd", "spans", "annotations")
    title = f"Golds against the annotations they are made from, {len(found.items)} items"
    return Table(columns, tuple(rows), title=title, notes=(*notes, found.signature), digits=3)


def _cells(spread: Spread) -> tuple[Cell, Cell]:
    return ("undefined", None) if spread.mean is None else (spread.mean, spread.deviation)
