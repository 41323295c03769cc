"""Gold standards, item by item, and the experiment with all methods, as tables."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.gold.experiment import Spread, Unification
from caesura.gold.result import Candidate, Dropped, Gold
from caesura.views.table import Cell, Table

__all__ = ["gold_table", "span_table", "unification_table", "unified_table", "why_table"]

_FIGURES = ("kappa", "recall", "precision", "non-crossing")


def gold_table(gold: Gold) -> Table:
    """Every distinct span, by start, the larger first: who drew it, and why it is not in the gold if it is not."""
    every: list[Candidate] = [*gold.kept, *gold.dropped]
    every.sort(key=lambda one: (one.start, -one.end, one.span.level))
    rows = []
    for one in every:
        dropped = isinstance(one, Dropped)
        rows.append(
            (
                place(gold, one.start, one.end),
                ", ".join(map(str, one.levels)),
                ", ".join(one.labels) or None,
                *_drawn(one),
                "dropped" if dropped else "kept",
                one.reason if isinstance(one, Dropped) else None,
                ", ".join(one.against) or None if isinstance(one, Dropped) else None,
            )
        )
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


def unification_table(found: Unification) -> Table:
    """A row a method, as in Table 1 of Carbone et al.: mean and deviation of each figure over annotations."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for row in found.rows:
        figures = dict(zip(_FIGURES, (row.kappa, row.recall, row.precision, row.non_crossing), strict=True))
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
    columns = ("method", *(f"{name}{sd}" for name in _FIGURES for sd in ("", " sd")), "spans", "annotations")
    title = f"Golds against the annotations they are made from, {len(found.items)} items"
    return Table(columns, tuple(rows), title=title, notes=(*notes, found.signature), digits=3)


def _cells(spread: Spread) -> tuple[Cell, Cell]:
    return ("undefined", None) if spread.mean is None else (spread.mean, spread.deviation)


def unified_table(golds: Mapping[str, Gold]) -> Table:
    """A row an item: how much of what coders drew is in the gold."""
    rows = []
    notes: dict[str, None] = {}
    for item, gold in golds.items():
        drawn = len(gold.kept) + len(gold.dropped)
        rows.append((item, len(gold.coders), drawn, len(gold.kept), len(gold.dropped), gold.conflicts, gold.optima))
        notes |= dict.fromkeys(note if len(golds) == 1 else f"{item}: {note}" for note in gold.notes)
    columns = ("item", "coders", "spans drawn", "kept", "dropped", "pairs that cross", "optima")
    shown = len(columns) - all(gold.optima is None for gold in golds.values())
    first = next(iter(golds.values()))
    return Table(
        columns[:shown],
        tuple(row[:shown] for row in rows),
        title=f"{first.method}, {first.level}",
        notes=(*notes, *dict.fromkeys(gold.signature for gold in golds.values())),
    )


def span_table(golds: Mapping[str, Gold]) -> Table:
    """A row a span of the gold: who drew it."""
    rows = []
    for item, gold in golds.items():
        for one in gold.kept:
            rows.append((item, place(gold, one.start, one.end), one.span.level, one.span.label, *_drawn(one)))
    labels = any(row[3] is not None for row in rows)
    columns = ("item", "span", "level", "label", "drawn by", "weight")
    return Table(
        tuple(name for name in columns if labels or name != "label"),
        tuple(row if labels else (*row[:3], *row[4:]) for row in rows),
        group=1,
    )


def why_table(golds: Mapping[str, Gold]) -> Table:
    """A row a span that is not in the gold: who drew it, why it was dropped, and who drew what it crosses."""
    rows = []
    for item, gold in golds.items():
        for one in gold.dropped:
            crossed = "; ".join(f"{place(gold, c.start, c.end)} of {', '.join(c.coders)}" for c in one.conflicts)
            levels, labels = ", ".join(map(str, one.levels)), ", ".join(one.labels) or None
            rows.append(
                (item, place(gold, one.start, one.end), levels, labels, *_drawn(one), one.reason, crossed or None)
            )
    columns = ("item", "dropped", "level", "label", "drawn by", "weight", "why", "crosses")
    return Table(columns, tuple(rows), title="Spans that are not in the gold", group=1)


def place(gold: Gold, start: int, end: int) -> str:
    """A span by its units, or by its times."""
    if gold.edges is None:
        return f"{start}-{end}"
    return f"{gold.edges[start - 1]:.2f}-{gold.edges[end]:.2f} s"


def _drawn(one: Candidate) -> tuple[str, int]:
    return ", ".join(one.coders), one.weight
