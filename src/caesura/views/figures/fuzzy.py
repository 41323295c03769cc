"""Figure of a system's boundaries among the marks of many coders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.errors import OptionError
from caesura.measures.fuzzy import FuzzyScore, MarkBatch, MarkCluster
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    check_type,
    check_width,
    integer_ticks,
    new_figure,
    title_height,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def clusters(score: FuzzyScore, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw how many coders marked each position, the clusters of marks, and the boundaries of the system.

    Parameters
    ----------
    score : FuzzyScore
        Score of one document, from :func:`caesura.fuzzy_success`.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Notes
    -----
    A bar is a marked position; it is filled if the position belongs to a cluster. A diamond is the position of a cluster
    with the highest reward for a boundary. The band is the range of a cluster. Above are the boundaries of the system:
    triangles inside clusters, crosses for phantoms. The dotted line is the minimal peak of a cluster.

    Examples
    --------
    >>> import caesura as cz
    >>> marks = cz.Marks([0, 4, 0, 0, 4, 1, 1, 0, 0, 0, 7, 1, 0], coders=7)
    >>> figure = clusters(cz.fuzzy_success(marks, cz.Segmentation.from_positions(14, [2, 6, 9])))
    >>> [line.get_xdata().tolist() for line in figure.axes[0].lines if line.get_label() == "phantom"]
    [[9.0]]
    """
    check_type(score, FuzzyScore, "fuzzy_success")
    if score.clusters is None or score.boundaries is None:
        raise OptionError("the score of one document is needed; this one is of several. Draw one figure per document")
    batch = score.source
    assert isinstance(batch, MarkBatch)
    counts = dict(zip(batch.a_pos.tolist(), batch.a_code.tolist(), strict=True))
    top = max([*counts.values(), score.params["minimal_peak"]])
    with new_figure(check_width(width), 2.2 + title_height(title), title) as figure:
        axes = figure.add_subplot()
        _draw_clusters(axes, score.clusters)
        _draw_marks(axes, score, counts)
        _draw_best_places(axes, score.clusters, counts)
        _draw_boundaries(axes, score, 1.12 * top)
        axes.set_xlim(0.4, int(batch.length[0]) - 0.4)
        axes.set_ylim(0, 1.2 * top)
        integer_ticks(axes.xaxis)
        integer_ticks(axes.yaxis)
        axes.set_xlabel("position")
        axes.set_ylabel(f"coders, of {int(batch.coders[0])}")
        figure.legend(loc="outside lower center", ncols=2 if width < 5 else 4)
    return figure


def _draw_marks(axes: Axes, score: FuzzyScore, counts: dict[int, int]) -> None:
    """Draw the marks of the coders as bars, and the minimal peak."""
    clustered = {position for cluster in score.clusters or () for position in cluster.positions}
    for inside, colour, label in ((True, COLOURS[0], "marked, in a cluster"), (False, "white", "marked, in none")):
        bars = {position: number for position, number in counts.items() if (position in clustered) == inside}
        if bars:
            axes.bar(
                list(bars), list(bars.values()), width=0.8, color=colour, edgecolor="black", linewidth=0.5, label=label
            )
    axes.axhline(score.params["minimal_peak"], color="black", linewidth=0.8, linestyle=":", label="minimal peak")


def _draw_clusters(axes: Axes, clusters: tuple[MarkCluster, ...]) -> None:
    """Draw the range of each cluster as a band."""
    for i, cluster in enumerate(clusters):
        label = "_" if i else "cluster"
        axes.axvspan(cluster.low - 0.5, cluster.up + 0.5, color=COLOURS[4], alpha=0.3, linewidth=0, label=label)


def _draw_best_places(axes: Axes, clusters: tuple[MarkCluster, ...], counts: dict[int, int]) -> None:
    axes.plot(
        [float(cluster.best) for cluster in clusters],
        [counts.get(cluster.best, 0) for cluster in clusters],
        linestyle="none",
        marker="D",
        color="white",
        markeredgecolor="black",
        markersize=4,
        label="best place",
    )


def _draw_boundaries(axes: Axes, score: FuzzyScore, height: float) -> None:
    """Draw the boundaries of the system: those in clusters, and phantoms."""
    assert score.boundaries is not None
    for phantom, marker, colour, label in ((False, "v", COLOURS[2], "boundary"), (True, "X", COLOURS[5], "phantom")):
        positions = [
            float(boundary.position) for boundary in score.boundaries if (boundary.cluster == "phantom") == phantom
        ]
        if positions:
            axes.vlines(positions, 0, height, color=colour, linewidth=0.8, zorder=1)
            axes.plot(
                positions,
                [height] * len(positions),
                linestyle="none",
                marker=marker,
                color=colour,
                markeredgecolor="black",
                markeredgewidth=0.4,
                markersize=6,
                label=label,
                clip_on=False,
            )
