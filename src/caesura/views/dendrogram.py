"""A dendrogram in characters."""

from __future__ import annotations

from caesura.agreement.clusters import Clustering
from caesura.views.table import clean, pad, text_width

__all__ = ["draw_dendrogram"]


def draw_dendrogram(found: Clustering, *, width: int = 60) -> str:
    """Leaves on the left, joints at their distance, the coefficient inside a cluster behind its joint where it fits.

    ```
    ann ───┐
           ├ .71 ──┐
    bo  ───┘       ├
    cy  ───────────┘
    ```
    """
    names = [clean(name) for name in found.leaves]
    margin = max(map(text_width, names)) + 1
    top = max(one.height for one in found.clusters) or 1.0
    row: dict[tuple[str, ...], int] = {(name,): 2 * i for i, name in enumerate(found.leaves)}
    column: dict[tuple[str, ...], int] = {(name,): -1 for name in found.leaves}
    parent: dict[tuple[str, ...], int] = {}
    for one in found.clusters:
        row[one.coders] = sum(row[half] for half in one.halves) // 2
        column[one.coders] = max(round(one.height / top * width), *(column[half] + 1 for half in one.halves))
        parent |= dict.fromkeys(one.halves, column[one.coders])
    room = max(len(_label(one.value)) for one in found.clusters) + 2
    canvas = [[" "] * (max(column.values()) + room) for _ in range(2 * len(names) - 1)]
    for one in found.clusters:
        x, ends = column[one.coders], sorted(row[half] for half in one.halves)
        for half in one.halves:
            for at in range(column[half] + 1, x):
                canvas[row[half]][at] = "─"
        for y in range(ends[0] + 1, ends[1]):
            canvas[y][x] = "│"
        canvas[ends[0]][x], canvas[ends[1]][x] = "┐", "┘"
    for one in found.clusters:
        x, y = column[one.coders], row[one.coders]
        canvas[y][x] = "├"
        label = _label(one.value)
        if x + len(label) + 1 < parent.get(one.coders, len(canvas[0])):
            canvas[y][x + 1 : x + 1 + len(label)] = label
    labels = [pad(names[i // 2], margin) if i % 2 == 0 else " " * margin for i in range(len(canvas))]
    return "\n".join((label + "".join(line)).rstrip() for label, line in zip(labels, canvas, strict=True))


def _label(value: float | None) -> str:
    if value is None:
        return " undefined "
    short = f"{value:.2f}"
    return f" {short.replace('0.', '.', 1) if short.lstrip('-').startswith('0.') else short} "
