"""A dendrogram in characters."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.agreement.clusters import Clustering
from caesura.views.table import clean, pad, text_width

Coders = tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """Row and column of every cluster, single coders included, and the column of the joint to the right of each."""

    row: dict[Coders, int]
    column: dict[Coders, int]
    next_joint: dict[Coders, int]


def draw_dendrogram(clustering: Clustering, *, width: int = 60) -> str:
    """Return a dendrogram: coders on the left, joints at their distance, coefficients behind the joints if they fit.

    Parameters
    ----------
    clustering : Clustering
        Clusters of coders, from :func:`~caesura.cluster_coders`.
    width : int, default 60
        Characters between the coders and the last joint.

    Returns
    -------
    str
        The drawing, two lines per coder.

    Notes
    -----
    Three coders look like this::

        ann ───┐
               ├ .71 ──┐
        bo  ───┘       ├
        cy  ───────────┘
    """
    layout = _layout(clustering, width)
    label_width = max(len(_label(cluster.value)) for cluster in clustering.clusters) + 2
    columns = max(layout.column.values()) + label_width
    canvas = [[" "] * columns for _ in range(2 * len(clustering.leaves) - 1)]
    for cluster in clustering.clusters:
        _draw_joint(canvas, layout, cluster.halves, layout.column[cluster.coders])
    for cluster in clustering.clusters:
        _draw_label(canvas, layout, cluster.coders, _label(cluster.value))
    names = [clean(name) for name in clustering.leaves]
    margin = max(map(text_width, names)) + 1
    labels = [pad(names[i // 2], margin) if i % 2 == 0 else " " * margin for i in range(len(canvas))]
    return "\n".join((label + "".join(line)).rstrip() for label, line in zip(labels, canvas, strict=True))


def _layout(clustering: Clustering, width: int) -> _Layout:
    top = max(cluster.height for cluster in clustering.clusters) or 1.0
    row: dict[Coders, int] = {(name,): 2 * i for i, name in enumerate(clustering.leaves)}
    column: dict[Coders, int] = {(name,): -1 for name in clustering.leaves}
    next_joint: dict[Coders, int] = {}
    for cluster in clustering.clusters:
        row[cluster.coders] = sum(row[half] for half in cluster.halves) // 2
        column[cluster.coders] = max(
            round(cluster.height / top * width), *(column[half] + 1 for half in cluster.halves)
        )
        next_joint |= dict.fromkeys(cluster.halves, column[cluster.coders])
    return _Layout(row, column, next_joint)


def _draw_joint(canvas: list[list[str]], layout: _Layout, halves: tuple[Coders, ...], x: int) -> None:
    """Draw the lines from two halves to their joint, and the joint between them."""
    for half in halves:
        for column in range(layout.column[half] + 1, x):
            canvas[layout.row[half]][column] = "─"
    upper, lower = sorted(layout.row[half] for half in halves)
    for y in range(upper + 1, lower):
        canvas[y][x] = "│"
    canvas[upper][x], canvas[lower][x] = "┐", "┘"


def _draw_label(canvas: list[list[str]], layout: _Layout, coders: Coders, label: str) -> None:
    """Draw the branch to the right of a joint, with the coefficient if the next joint leaves space for it."""
    x, y = layout.column[coders], layout.row[coders]
    canvas[y][x] = "├"
    if x + len(label) + 1 < layout.next_joint.get(coders, len(canvas[0])):
        canvas[y][x + 1 : x + 1 + len(label)] = label


def _label(value: float | None) -> str:
    if value is None:
        return " undefined "
    short = f"{value:.2f}"
    return f" {short.replace('0.', '.', 1) if short.lstrip('-').startswith('0.') else short} "
