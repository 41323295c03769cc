"""Figures about coders: pairs, boundaries by position, dendrogram, boundaries per coder, gold standard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.clusters import Clustering
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.errors import MismatchError, OptionError
from caesura.gold.result import Gold
from caesura.model.hierarchy import Hierarchy, Span
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
    new_axes,
    new_figure,
    title_height,
    wrap_label,
    write_beside,
)
from caesura.views.table import text_width

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
    Bright cells show similar coders, even if the measure is an error rate. Pairs that were not scored are blank. Values are
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
    with new_axes(width, height, title) as (figure, axes):
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
    """Draw the number of coders who placed a boundary at each position, one strip per item or stream.

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
        raise OptionError("expected at least one position; these texts have none between their units")
    same_coders = len({strip.coders for strip in listed}) == 1
    lines = _heat_lines(listed, same_coders, check_width(width))
    with new_axes(width, 0.95 + 0.17 * max(len(lines.labels), 2) + title_height(title), title) as (figure, axes):
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
    """Draw a dendrogram of coders, joined at their distance, with the coefficient inside each cluster.

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
    with new_axes(check_width(width), 0.7 + 0.24 * len(leaves) + title_height(title), title) as (figure, axes):
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
        text = "undefined" if cluster.value is None else _short(cluster.value)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        style = {"va": "center", "fontsize": FONT_SIZE - 1.5, "bbox": box, "zorder": 3}
        write_beside(axes, text, points[cluster.coders], (2.5, 0), **style)


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
    with new_axes(width, 1.9 + (min(label_inches(labels), 1.5) if vertical else 0), title) as (figure, axes):
        axes.bar(range(len(values)), values, width=0.7, color=COLOURS[4], edgecolor="black", linewidth=0.5)
        axes.axhline(mean, color="black", label="mean")
        for sign, label in ((1, "mean ± SD"), (-1, None)):
            axes.axhline(mean + sign * deviation, color="black", linewidth=0.8, linestyle="--", label=label)
        axes.set_xticks(range(len(values)), labels, rotation=90 if vertical else 0)
        axes.set(xlim=(-0.6, len(values) - 0.4), ylim=(0, None), xlabel="coder", ylabel="boundaries per position")
        figure.legend(loc="outside upper right", ncols=2)
    return figure


# -- a gold standard made from several hierarchies -------------------------------------------------------------------

DEFAULT_WIDTH = 5.0
MAX_SPANS = 2000
MAX_ROWS = 200


class _Bar(NamedTuple):
    start: int
    end: int
    level: int
    label: str | None
    in_gold: bool


class _Panel(NamedTuple):
    """The bars of the gold standard or of one coder, each with its row."""

    name: str
    bars: list[tuple[int, _Bar]]

    @property
    def rows(self) -> int:
        return max((row for row, _ in self.bars), default=0) + 1


def _bar(span: Span, in_gold: bool) -> _Bar:
    return _Bar(span.start, span.end, span.level, span.label, in_gold)


def gold(
    gold: Gold,
    hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None = None,
    *,
    width: float = DEFAULT_WIDTH,
    title: str | None = None,
) -> Figure:
    """Draw a gold standard as nested bars, the widest on top, with the spans that are not in it below, grey and hatched.

    Parameters
    ----------
    gold : Gold
        The gold standard, from :func:`caesura.unify`.
    hierarchies : mapping of coder to Hierarchy, or iterable of Hierarchy, optional
        The hierarchies from which it was made, over the same units. Each gets a panel in which spans of the gold standard are
        coloured and the others grey.
    width : float, default 5
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its axis is in seconds if units have times.

    Notes
    -----
    See Figures 1 to 5 of Carbone et al. (2004).

    Examples
    --------
    >>> import caesura as cz
    >>> coders = {"a": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6)]), "b": cz.Hierarchy(8, [(1, 8), (1, 4), (5, 8)])}
    >>> figure = gold(cz.unify(coders, method="consensus"), coders)
    >>> [axes.get_ylabel() for axes in figure.axes], [len(axes.patches) for axes in figure.axes]
    (['gold', 'a', 'b'], [1, 3, 3])
    """
    check_type(gold, Gold, "unify")
    panels = _panels(gold, hierarchies)
    check_count(sum(len(panel.bars) for panel in panels), MAX_SPANS, "spans")
    check_count(sum(panel.rows for panel in panels), MAX_ROWS, "rows of spans")
    gold_rows = {(bar.start, bar.end): row for row, bar in panels[0].bars}
    edges = gold.hierarchy.edges or range(1, gold.hierarchy.length + 2)
    points = 0.85 * check_width(width) * 72 / (edges[-1] - edges[0])
    height = 0.5 + sum(0.19 * panel.rows + 0.12 for panel in panels) + title_height(title)
    with new_figure(width, height, title) as figure:
        ratios = [panel.rows + 0.4 for panel in panels]
        grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=ratios)[:, 0]
        for axes, panel in zip(grid, panels, strict=True):
            _draw_panel(axes, panel, edges, points, gold_rows)
        _draw_axis(grid[-1], gold, edges)
    return figure


def _panels(gold: Gold, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None) -> list[_Panel]:
    """Return the gold standard, and the panels below it: the dropped spans, or one per coder."""
    gold_bars = [_bar(candidate.span, True) for candidate in gold.included]
    panels = [("gold", gold_bars)]
    if hierarchies is None:
        if gold.dropped:
            panels.append(("dropped", [_bar(candidate.span, False) for candidate in gold.dropped]))
    else:
        full = gold.level == "full"
        gold_spans = {(bar.start, bar.end, bar.level if full else 0) for bar in gold_bars}
        for coder, hierarchy in _by_coder(gold, hierarchies).items():
            bars = [
                _bar(span, (span.start, span.end, span.level if full else 0) in gold_spans) for span in hierarchy.spans
            ]
            panels.append((str(coder), bars))
    return [_Panel(name, _with_rows(bars)) for name, bars in panels]


def _by_coder(gold: Gold, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy]) -> Mapping[str, Hierarchy]:
    """Return coder -> hierarchy, checked to be over the units of the gold standard."""
    if not isinstance(hierarchies, Mapping):
        listed = list(hierarchies)
        if len(listed) != len(gold.coders):
            raise OptionError(
                f"expected one hierarchy per coder of the gold standard, {len(gold.coders)}; got {len(listed)}"
            )
        hierarchies = dict(zip(gold.coders, listed, strict=True))
    for coder, hierarchy in hierarchies.items():
        check_type(hierarchy, Hierarchy, "Hierarchy or read")
        if hierarchy.length != gold.hierarchy.length:
            raise MismatchError(
                f"coder {coder!r}: the gold standard has {gold.hierarchy.length} units, this hierarchy {hierarchy.length}; "
                "common_units puts hierarchies over the same units"
            )
    return hierarchies


def _with_rows(bars: Sequence[_Bar]) -> list[tuple[int, _Bar]]:
    """Return each bar with its row: its level, or the next free row, because spans of several coders may cross."""
    last_unit: list[int] = []  # of each row
    placed = []
    depths = {level: depth for depth, level in enumerate(sorted({bar.level for bar in bars}))}
    for bar in sorted(bars, key=lambda bar: (bar.start, -bar.end, bar.level)):
        row = depths[bar.level]
        while row < len(last_unit) and last_unit[row] >= bar.start:
            row += 1
        last_unit += [0] * (row + 1 - len(last_unit))
        last_unit[row] = bar.end
        placed.append((row, bar))
    return placed


def _draw_panel(
    axes: Axes, panel: _Panel, edges: Sequence[float], points: float, gold_rows: dict[tuple[int, int], int]
) -> None:
    """Draw bars, and their labels if they fit; ``points`` is the width of one unit of the axis.

    A span has the colour of its row in the gold standard in every panel.
    """
    half = 0.5 if isinstance(edges, range) else 0.0  # unit 1 extends from 0.5 to 1.5
    for row, bar in panel.bars:
        x0, x1 = edges[bar.start - 1] - half, edges[bar.end] - half
        colour, hatch = (COLOURS[gold_rows[bar.start, bar.end] % 5], "") if bar.in_gold else ("#E2E2E2", "////")
        axes.barh(
            row,
            x1 - x0,
            left=x0,
            height=0.8,
            color=colour,
            hatch=hatch,
            edgecolor="black" if bar.in_gold else "#9A9A9A",
            linewidth=0.5,
            alpha=0.75 if bar.in_gold else 1,
        )
        characters = int((x1 - x0) * points / (0.6 * (FONT_SIZE - 1.5)))
        if bar.label and characters > min(2, text_width(bar.label)):
            axes.text(
                (x0 + x1) / 2,
                row,
                label_text(bar.label, characters),
                ha="center",
                va="center",
                fontsize=FONT_SIZE - 1.5,
                color="black" if bar.in_gold else "#555555",
                clip_on=True,
            )
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.set_ylim(panel.rows - 0.4, -0.6)
    axes.set_ylabel(label_text(panel.name, 20), rotation=0, ha="right", va="center")


def _draw_axis(axes: Axes, gold: Gold, edges: Sequence[float]) -> None:
    """Draw the axis of units or seconds below the last panel."""
    axes.spines["bottom"].set_visible(True)
    axes.tick_params(axis="x", bottom=True, labelbottom=True)
    if gold.hierarchy.edges is None:
        axes.set_xlim(0.5, gold.hierarchy.length + 0.5)
        integer_ticks(axes.xaxis)
    else:
        axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel("unit" if gold.hierarchy.edges is None else "seconds")
