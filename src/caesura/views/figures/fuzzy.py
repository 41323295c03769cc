"""A program's boundaries among the marks of many coders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.errors import OptionError
from caesura.measures.fuzzy import FuzzyScore, MarkBatch
from caesura.views.figures.canvas import COLOURS, COLUMN, drawing, needed, whole_numbers, wide_enough

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["clusters"]


def clusters(score: FuzzyScore, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """What fuzzy success sees: how many coders marked each position, the clusters, and the program's boundaries.

    A bar is a marked position, filled where it belongs to a cluster, and a diamond on it the place of a cluster where one
    boundary is rewarded most. The band is the reach of a cluster. Above stand the program's boundaries: triangles inside
    clusters, crosses where they are phantoms. The dotted line is the peak that a cluster must have.

    >>> import caesura as cz
    >>> marks = cz.Marks([0, 4, 0, 0, 4, 1, 1, 0, 0, 0, 7, 1, 0], coders=7)
    >>> figure = clusters(cz.fuzzy_success(marks, cz.Segmentation.from_positions(14, [2, 6, 9])))
    >>> [line.get_xdata().tolist() for line in figure.axes[0].lines if line.get_label() == "phantom"]
    [[9.0]]
    """
    needed(score, FuzzyScore, "fuzzy_success")
    if score.clusters is None or score.boundaries is None:
        raise OptionError("the score of one document is needed; this one is of several. Ask each of them")
    batch = score.source
    assert isinstance(batch, MarkBatch)
    counts = dict(zip(batch.a_pos.tolist(), batch.a_code.tolist(), strict=True))
    inside = {position for one in score.clusters for position in one.positions}
    coders = int(batch.coders[0])
    top = max([*counts.values(), score.params["minimal_peak"]])
    with drawing(wide_enough(width), 2.2 + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        for i, one in enumerate(score.clusters):
            axes.axvspan(
                one.low - 0.5, one.up + 0.5, color=COLOURS[4], alpha=0.3, linewidth=0, label="_" if i else "cluster"
            )
        for where, colour, said in ((True, COLOURS[0], "marked, in a cluster"), (False, "white", "marked, in none")):
            chosen = {position: n for position, n in counts.items() if (position in inside) == where}
            if chosen:
                axes.bar(
                    list(chosen),
                    list(chosen.values()),
                    width=0.8,
                    color=colour,
                    edgecolor="black",
                    linewidth=0.5,
                    label=said,
                )
        axes.axhline(score.params["minimal_peak"], color="black", linewidth=0.8, linestyle=":", label="minimal peak")
        axes.plot(
            [float(one.best) for one in score.clusters],
            [counts.get(one.best, 0) for one in score.clusters],
            linestyle="none",
            marker="D",
            color="white",
            markeredgecolor="black",
            markersize=4,
            label="best place",
        )
        height = 1.12 * top
        for phantom, marker, colour, said in ((False, "v", COLOURS[2], "boundary"), (True, "X", COLOURS[5], "phantom")):
            at = [float(one.position) for one in score.boundaries if (one.cluster == "phantom") == phantom]
            if at:
                axes.vlines(at, 0, height, color=colour, linewidth=0.8, zorder=1)
                axes.plot(
                    at,
                    [height] * len(at),
                    linestyle="none",
                    marker=marker,
                    color=colour,
                    markeredgecolor="black",
                    markeredgewidth=0.4,
                    markersize=6,
                    label=said,
                    clip_on=False,
                )
        axes.set_xlim(0.4, int(batch.length[0]) - 0.4)
        axes.set_ylim(0, 1.2 * top)
        whole_numbers(axes.xaxis)
        whole_numbers(axes.yaxis)
        axes.set_xlabel("position")
        axes.set_ylabel(f"coders, of {coders}")
        figure.legend(loc="outside lower center", ncols=2 if width < 5 else 4)
    return figure
