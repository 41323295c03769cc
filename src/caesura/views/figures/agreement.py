"""Figures about coders among themselves."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.clusters import Clustering
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.errors import OptionError
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN,
    SIZE,
    dark,
    drawing,
    few,
    lines,
    name,
    needed,
    room_for,
    whole_numbers,
    wide_enough,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

__all__ = ["boundaries_per_coder", "boundary_heat", "dendrogram", "pairwise"]

Floats = NDArray[np.float64]

MOST_CODERS = 200
MOST_LINES = 300


def pairwise(found: Pairwise, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """The matrix of coders as a heat map, with the value in each cell: rows are references, columns hypotheses.

    Bright is alike, also where the measure counts errors. Pairs that were not scored stay blank. Where cells are too small for
    their values, those are left out; a greater ``width`` brings them back.

    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = pairwise(cz.pairwise(stargazer(), "boundary_similarity(n_t=2)"))
    >>> float(figure.axes[0].images[0].get_array()[2, 6])
    0.75
    """
    needed(found, Pairwise, "pairwise")
    coders = few(found.coders, MOST_CODERS, "coders")
    labels = [name(coder, 16) for coder in coders]
    room = wide_enough(width) - room_for(labels) - 1.0
    values = found.matrix
    low, high = float(np.nanmin(values, initial=0)), float(np.nanmax(values, initial=1))
    with drawing(width, max(room, 1.0) + min(room_for(labels), 1.5) + 0.6 + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        axes.set_title(lines(found.measure.label, room + 0.5), loc="left")
        better = found.measure.higher_is_better
        image = axes.imshow(
            np.ma.masked_invalid(values), cmap="viridis" if better else "viridis_r", vmin=low, vmax=high
        )
        axes.set_xticks(range(len(coders)), labels, rotation=90 if max(map(len, labels)) > 2 else 0)
        axes.set_yticks(range(len(coders)), labels)
        axes.set_xlabel("hypothesis" if found.ordered or not found.measure.symmetric else "coder")
        axes.set_ylabel("reference" if found.ordered or not found.measure.symmetric else "coder")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        _values_in_cells(axes, image, values, room * 72 / len(coders))
        bar = figure.colorbar(image, ax=axes, shrink=0.8)
        bar.outline.set_visible(False)
    return figure


def _values_in_cells(axes: Axes, image: AxesImage, values: Floats, points: float) -> None:
    """In black or white, whichever is read better; nowhere if a cell of so many points has no room."""
    size = min(SIZE - 1, points / 2)
    if size < 3:
        return
    colours = image.to_rgba(values)
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        value = float(values[row, column])
        ink = "white" if dark(colours[row, column]) else "black"
        axes.text(column, row, _short(value), ha="center", va="center", color=ink, fontsize=size)


def _short(value: float) -> str:
    """Two decimals, and no nought before them."""
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.1f}"


def boundary_heat(found: Heat | Sequence[Heat], *, width: float = COLUMN, title: str | None = None) -> Figure:
    """How many coders put a boundary at each position: a strip an item, or stream (Figure 11 of Fournier & Inkpen 2012).

    Long texts go on in a further line, which begins with the position it starts at. Where all items have as many coders, colour
    is their number, and else their share.

    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = boundary_heat(cz.boundary_heat(stargazer()))
    >>> figure.axes[0].images[0].get_array()[0].tolist()[:6]
    [0.0, 6.0, 3.0, 0.0, 5.0, 0.0]
    """
    listed = [found] if isinstance(found, Heat) else list(found)
    for one in listed:
        needed(one, Heat, "boundary_heat")
    if not any(one.counts for one in listed):
        raise OptionError("at least one position is needed; these texts have none between their units")
    per_line = min(max(len(one.counts) for one in listed), max(20, int(36 * wide_enough(width))))
    same = len({one.coders for one in listed}) == 1
    strips: list[Sequence[float]] = []
    labels: list[str] = []
    for one in listed:
        counts = one.counts if same else [n / one.coders for n in one.counts]
        shown = name(one.item if one.stream is None else f"{one.item}, {one.stream}")
        for first in range(0, max(len(counts), 1), per_line):
            strips.append(counts[first : first + per_line])
            labels.append(f"{first + 1}" if first else shown)
    if len(strips) > MOST_LINES:
        raise OptionError(f"a figure has room for {MOST_LINES} lines; got {len(strips)}. Select fewer items")
    values = np.full((len(strips), per_line), np.nan)
    for row, strip in enumerate(strips):
        values[row, : len(strip)] = strip
    with drawing(width, 0.95 + 0.17 * max(len(strips), 2) + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        most = listed[0].coders if same else 1
        image = axes.imshow(
            np.ma.masked_invalid(values),
            cmap="viridis",
            vmin=0,
            vmax=most,
            aspect="auto",
            interpolation="nearest",
            extent=(0.5, per_line + 0.5, len(strips) - 0.5, -0.5),
        )
        axes.set_yticks(range(len(strips)), labels)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("position")
        whole_numbers(axes.xaxis)
        bar = figure.colorbar(image, ax=axes, location="top", aspect=24, fraction=0.2, pad=0.02, shrink=0.6)
        bar.set_label("coders who placed a boundary" if same else "share of coders who placed a boundary")
        bar.outline.set_visible(False)
        if same:
            whole_numbers(bar.ax.xaxis)
    return figure


def dendrogram(found: Clustering, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """Who segments like whom: coders joined at their distance, with the coefficient inside each cluster beside its joint.

    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = dendrogram(cz.cluster_coders(stargazer()))
    >>> [one.get_text() for one in figure.axes[0].texts][:2]
    ['.69', '.64']
    """
    needed(found, Clustering, "cluster_coders")
    leaves = few(found.leaves, MOST_CODERS, "coders")
    at: dict[tuple[str, ...], tuple[float, float]] = {(leaf,): (0.0, float(i)) for i, leaf in enumerate(leaves)}
    with drawing(wide_enough(width), 0.7 + 0.24 * len(leaves) + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        for one in found.clusters:
            (x0, y0), (x1, y1) = (at[half] for half in one.halves)
            axes.plot([x0, one.height, one.height, x1], [y0, y0, y1, y1], color=COLOURS[0], solid_joinstyle="miter")
            at[one.coders] = (one.height, (y0 + y1) / 2)
        for one in found.clusters:
            x, y = at[one.coders]
            said = "undefined" if one.value is None else _short(one.value)
            axes.annotate(
                said,
                (x, y),
                xytext=(2.5, 0),
                textcoords="offset points",
                va="center",
                fontsize=SIZE - 1.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
                zorder=3,
            )
        top = max(one.height for one in found.clusters) or 1.0
        axes.set_xlim(0, top * (1.3 if found.clusters[-1].value is None else 1.14))
        axes.set_ylim(len(leaves) - 0.5, -0.5)
        axes.set_yticks(range(len(leaves)), [name(leaf) for leaf in leaves])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(lines(f"distance, 1 − {found.measure.label}", width), loc="right")
        axes.set_title(f"{found.coefficient} inside each cluster", loc="right", fontsize=SIZE - 1)
    return figure


def boundaries_per_coder(found: Placed, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """Boundaries per potential boundary, a bar a coder, with mean and one standard deviation (Figure 11 of Fournier 2013).

    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = boundaries_per_coder(cz.boundaries_placed(stargazer()))
    >>> [float(bar.get_height()) for bar in figure.axes[0].patches[:3]]
    [0.3, 0.25, 0.5]
    """
    needed(found, Placed, "boundaries_placed")
    few(found.rows, MOST_CODERS, "coders")
    values = [row.per_unit for row in found.rows]
    labels = [name(row.coder) for row in found.rows]
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    turned = max(map(len, labels)) * len(labels) > 12 * wide_enough(width)
    with drawing(width, 1.9 + (min(room_for(labels), 1.5) if turned else 0), title) as figure:
        axes = figure.add_subplot()
        axes.bar(range(len(values)), values, width=0.7, color=COLOURS[4], edgecolor="black", linewidth=0.5)
        axes.axhline(mean, color="black", label="mean")
        for sign, said in ((1, "mean ± SD"), (-1, None)):
            axes.axhline(mean + sign * deviation, color="black", linewidth=0.8, linestyle="--", label=said)
        axes.set_xticks(range(len(values)), labels, rotation=90 if turned else 0)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("coder")
        axes.set_ylabel("boundaries per position")
        figure.legend(loc="outside upper right", ncols=2)
    return figure
