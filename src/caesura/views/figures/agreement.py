"""Figures about coders: pairs, boundaries by position, dendrogram, boundaries per coder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.clusters import Clustering
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.errors import OptionError
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    check_count,
    check_type,
    check_width,
    integer_ticks,
    is_dark,
    label_inches,
    label_text,
    new_figure,
    title_height,
    wrap_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Floats = NDArray[np.float64]

MAX_CODERS = 200
MAX_LINES = 300


def pairwise(pairs: Pairwise, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the matrix of coders as a heat map with a value in each cell: rows are references, columns hypotheses.

    Parameters
    ----------
    pairs : Pairwise
        Scores of all pairs of coders, from :func:`caesura.pairwise`.
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
    Bright cells are similar, also if the measure is an error rate. Pairs that were not scored are blank. Values are
    omitted if cells are too small for them; increase ``width`` to see them.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = pairwise(cz.pairwise(stargazer(), "boundary_similarity(n_t=2)"))
    >>> float(figure.axes[0].images[0].get_array()[2, 6])
    0.75
    """
    check_type(pairs, Pairwise, "pairwise")
    check_count(len(pairs.coders), MAX_CODERS, "coders")
    labels = [label_text(coder, 16) for coder in pairs.coders]
    matrix_width = check_width(width) - label_inches(labels) - 1.0
    height = max(matrix_width, 1.0) + min(label_inches(labels), 1.5) + 0.6 + title_height(title)
    directed = pairs.ordered or not pairs.measure.symmetric
    with new_figure(width, height, title) as figure:
        axes = figure.add_subplot()
        axes.set_title(wrap_label(pairs.measure.label, matrix_width + 0.5), loc="left")
        image = axes.imshow(
            np.ma.masked_invalid(pairs.matrix),
            cmap="viridis" if pairs.measure.higher_is_better else "viridis_r",
            vmin=float(np.nanmin(pairs.matrix, initial=0)),
            vmax=float(np.nanmax(pairs.matrix, initial=1)),
        )
        axes.set_xticks(range(len(labels)), labels, rotation=90 if max(map(len, labels)) > 2 else 0)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_xlabel("hypothesis" if directed else "coder")
        axes.set_ylabel("reference" if directed else "coder")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        _values_in_cells(axes, image, pairs.matrix, matrix_width * 72 / len(labels))
        figure.colorbar(image, ax=axes, shrink=0.8).outline.set_visible(False)
    return figure


def _values_in_cells(axes: Axes, image: AxesImage, values: Floats, points: float) -> None:
    """Write the values in black or white, whichever is easier to read, if cells of ``points`` have space for them."""
    size = min(FONT_SIZE - 1, points / 2)
    if size < 3:
        return
    colours = image.to_rgba(values)
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        ink = "white" if is_dark(colours[row, column]) else "black"
        value = float(values[row, column])
        axes.text(column, row, _short(value), ha="center", va="center", color=ink, fontsize=size)


def _short(value: float) -> str:
    """Return two decimals without the zero before them."""
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.1f}"


def boundary_heat(strips: Heat | Sequence[Heat], *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw how many coders placed a boundary at each position: one strip per item or stream.

    Parameters
    ----------
    strips : Heat or sequence of Heat
        Counts per position, from :func:`caesura.boundary_heat`.
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
    This is Figure 11 of Fournier & Inkpen (2012). Long texts continue on another line, labelled with its first position.
    Colour is the number of coders, or the proportion of coders if items have different numbers of them.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = boundary_heat(cz.boundary_heat(stargazer()))
    >>> figure.axes[0].images[0].get_array()[0].tolist()[:6]
    [0.0, 6.0, 3.0, 0.0, 5.0, 0.0]
    """
    listed = [check_type(strip, Heat, "boundary_heat") for strip in ([strips] if isinstance(strips, Heat) else strips)]
    if not any(strip.counts for strip in listed):
        raise OptionError("at least one position is needed; these texts have none between their units")
    same_coders = len({strip.coders for strip in listed}) == 1
    lines = _heat_lines(listed, same_coders, check_width(width))
    with new_figure(width, 0.95 + 0.17 * max(len(lines.labels), 2) + title_height(title), title) as figure:
        axes = figure.add_subplot()
        image = axes.imshow(
            np.ma.masked_invalid(lines.values),
            cmap="viridis",
            vmin=0,
            vmax=listed[0].coders if same_coders else 1,
            aspect="auto",
            interpolation="nearest",
            extent=(0.5, lines.values.shape[1] + 0.5, len(lines.labels) - 0.5, -0.5),
        )
        axes.set_yticks(range(len(lines.labels)), lines.labels)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("position")
        integer_ticks(axes.xaxis)
        bar = figure.colorbar(image, ax=axes, location="top", aspect=24, fraction=0.2, pad=0.02, shrink=0.6)
        bar.set_label("coders who placed a boundary" if same_coders else "proportion of coders who placed a boundary")
        bar.outline.set_visible(False)
        if same_coders:
            integer_ticks(bar.ax.xaxis)
    return figure


class _HeatLines(NamedTuple):
    """One row of values per line, NaN behind its end, and the label of each line."""

    values: Floats
    labels: list[str]


def _heat_lines(strips: list[Heat], same_coders: bool, width: float) -> _HeatLines:
    per_line = min(max(len(strip.counts) for strip in strips), max(20, int(36 * width)))
    rows: list[Sequence[float]] = []
    labels: list[str] = []
    for strip in strips:
        counts = strip.counts if same_coders else [number / strip.coders for number in strip.counts]
        name = label_text(strip.item if strip.stream is None else f"{strip.item}, {strip.stream}")
        for start in range(0, max(len(counts), 1), per_line):
            rows.append(counts[start : start + per_line])
            labels.append(f"{start + 1}" if start else name)
    check_count(len(rows), MAX_LINES, "lines")
    values = np.full((len(rows), per_line), np.nan)
    for i, row in enumerate(rows):
        values[i, : len(row)] = row
    return _HeatLines(values, labels)


def dendrogram(clustering: Clustering, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw who segments like whom: coders joined at their distance, with the coefficient inside each cluster.

    Parameters
    ----------
    clustering : Clustering
        Clusters of coders, from :func:`caesura.cluster_coders`.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = dendrogram(cz.cluster_coders(stargazer()))
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['.69', '.64']
    """
    check_type(clustering, Clustering, "cluster_coders")
    leaves = clustering.leaves
    check_count(len(leaves), MAX_CODERS, "coders")
    with new_figure(check_width(width), 0.7 + 0.24 * len(leaves) + title_height(title), title) as figure:
        axes = figure.add_subplot()
        _draw_joints(axes, clustering)
        top = max(cluster.height for cluster in clustering.clusters) or 1.0
        axes.set_xlim(0, top * (1.3 if clustering.clusters[-1].value is None else 1.14))
        axes.set_ylim(len(leaves) - 0.5, -0.5)
        axes.set_yticks(range(len(leaves)), [label_text(leaf) for leaf in leaves])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(wrap_label(f"distance, 1 − {clustering.measure.label}", width), loc="right")
        axes.set_title(f"{clustering.coefficient} inside each cluster", loc="right", fontsize=FONT_SIZE - 1)
    return figure


def _draw_joints(axes: Axes, clustering: Clustering) -> None:
    """Draw a bracket per cluster, and its coefficient beside it."""
    points: dict[tuple[str, ...], tuple[float, float]] = {
        (leaf,): (0.0, float(i)) for i, leaf in enumerate(clustering.leaves)
    }
    for cluster in clustering.clusters:
        (x0, y0), (x1, y1) = (points[half] for half in cluster.halves)
        x = cluster.height
        axes.plot([x0, x, x, x1], [y0, y0, y1, y1], color=COLOURS[0], solid_joinstyle="miter")
        points[cluster.coders] = (x, (y0 + y1) / 2)
    for cluster in clustering.clusters:
        axes.annotate(
            "undefined" if cluster.value is None else _short(cluster.value),
            points[cluster.coders],
            xytext=(2.5, 0),
            textcoords="offset points",
            va="center",
            fontsize=FONT_SIZE - 1.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            zorder=3,
        )


def boundaries_per_coder(placed: Placed, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw boundaries per position, one bar per coder, with mean and one standard deviation.

    Parameters
    ----------
    placed : Placed
        Boundaries of each coder, from :func:`caesura.boundaries_placed`.
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
    This is Figure 11 of Fournier (2013).

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = boundaries_per_coder(cz.boundaries_placed(stargazer()))
    >>> [float(bar.get_height()) for bar in figure.axes[0].patches[:3]]
    [0.3, 0.25, 0.5]
    """
    check_type(placed, Placed, "boundaries_placed")
    check_count(len(placed.rows), MAX_CODERS, "coders")
    values = [row.per_unit for row in placed.rows]
    labels = [label_text(row.coder) for row in placed.rows]
    mean, deviation = placed.mean_density, placed.density_deviation
    vertical = max(map(len, labels)) * len(labels) > 12 * check_width(width)
    with new_figure(width, 1.9 + (min(label_inches(labels), 1.5) if vertical else 0), title) as figure:
        axes = figure.add_subplot()
        axes.bar(range(len(values)), values, width=0.7, color=COLOURS[4], edgecolor="black", linewidth=0.5)
        axes.axhline(mean, color="black", label="mean")
        for sign, label in ((1, "mean ± SD"), (-1, None)):
            axes.axhline(mean + sign * deviation, color="black", linewidth=0.8, linestyle="--", label=label)
        axes.set_xticks(range(len(values)), labels, rotation=90 if vertical else 0)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("coder")
        axes.set_ylabel("boundaries per position")
        figure.legend(loc="outside upper right", ncols=2)
    return figure
