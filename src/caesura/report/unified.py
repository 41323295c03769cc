"""Gold standards made from several annotations, item by item, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from caesura.report.table import Table

if TYPE_CHECKING:
    from caesura.gold.result import Candidate, Gold

__all__ = ["span_table", "unified_table", "why_table"]


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
