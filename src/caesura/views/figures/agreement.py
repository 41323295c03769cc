"""Figures about coders: pairs, boundaries by position, dendrogram, boundaries per coder, gold standard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.clusters import Clustering
from caesura.agreement.families import coefficient_label
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.errors import MismatchError, OptionError
from caesura.gold.unify import UnifiedHierarchy
from caesura.model.hierarchy import Hierarchy, Span
from caesura.tasks.figures import MAX_FIGURE_CODERS
from caesura.views.figures import canvas
from caesura.views.table import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Floats = NDArray[np.float64]

MAX_LINES = 300
MAX_TICKS = 12
# Coders of a heat map with a value in each cell.
MAX_VALUES = 25
# Coders of a scale with one field per number of coders; above, the scale is continuous.
MAX_FIELDS = 60
# Names on each axis of a heat map; of more coders, every second, third ... has its name there.
MAX_NAMES = 80


def pairwise(pairs: Pairwise, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
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
    canvas.check_type(pairs, Pairwise, "pairwise")
    canvas.check_count(len(pairs.coders), MAX_FIGURE_CODERS, "coders")
    labels = [canvas.label_text(coder, 16) for coder in pairs.coders]
    matrix_width = canvas.check_width(width) - canvas.label_inches(labels) - 1.0
    height = max(matrix_width, 1.0) + min(canvas.label_inches(labels), 1.5) + 0.6
    colours = "viridis" if pairs.measure.higher_is_better else "viridis_r"
    low, high = np.nanmin(pairs.matrix, initial=0), np.nanmax(pairs.matrix, initial=1)
    directed = pairs.ordered or not pairs.measure.symmetric
    with canvas.new_axes(width, height, title) as (figure, axes):
        axes.set_title(canvas.wrap_label(pairs.measure.label, matrix_width + 0.5), loc="left")
        image = axes.imshow(np.ma.masked_invalid(pairs.matrix), cmap=colours, vmin=low, vmax=high)
        named = slice(None, None, -(-len(labels) // MAX_NAMES))
        axes.set_xticks(range(len(labels))[named], labels[named], rotation=90 if max(map(len, labels)) > 2 else 0)
        axes.set_yticks(range(len(labels))[named], labels[named])
        axes.set(xlabel="hypothesis" if directed else "coder", ylabel="reference" if directed else "coder")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        _values_in_cells(axes, image, pairs.matrix, matrix_width * 72 / len(labels))
        figure.colorbar(image, ax=axes, shrink=0.8).outline.set_visible(False)
    return figure


def _values_in_cells(axes: Axes, image: AxesImage, values: Floats, points: float) -> None:
    """Write the values in black or white, whichever is easier to read, if cells of ``points`` have space for them."""
    size = min(canvas.FONT_SIZE - 1, points / 2)
    if size < 3 or len(values) > MAX_VALUES:
        return
    colours = image.to_rgba(values)
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        ink = "white" if canvas.is_dark(colours[row, column]) else "black"
        canvas.write_centred(axes, _short(float(values[row, column])), (column, row), size, color=ink)


def _short(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.1f}"


def boundary_heat(
    strips: Heat | Sequence[Heat], *, width: float = canvas.COLUMN_WIDTH, title: str | None = None
) -> Figure:
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
    listed = [
        canvas.check_type(strip, Heat, "boundary_heat") for strip in ([strips] if isinstance(strips, Heat) else strips)
    ]
    if not any(strip.counts for strip in listed):
        raise OptionError("expected at least one position; these texts have none between their units")
    same_coders = len({strip.coders for strip in listed}) == 1
    values, labels = _heat_lines(listed, same_coders, canvas.check_width(width))
    extent = (0.5, values.shape[1] + 0.5, len(labels) - 0.5, -0.5)
    top = listed[0].coders
    with canvas.new_axes(width, 1.1 + 0.17 * max(len(labels), 2), title) as (figure, axes):
        scale = _heat_scale(top if same_coders else 1, in_fields=same_coders and top <= MAX_FIELDS)
        image = axes.imshow(np.ma.masked_invalid(values), aspect="auto", extent=extent, **scale)
        canvas.label_rows(axes, labels)
        axes.set_xlabel("position")
        canvas.integer_ticks(axes.xaxis)
        pad = min(0.25, 0.6 / max(len(labels), 2))  # about a tenth of an inch, whatever the number of lines
        bar = figure.colorbar(image, ax=axes, location="top", aspect=24, fraction=0.2, pad=pad, shrink=0.6)
        bar.set_label("coders who placed a boundary" if same_coders else "proportion of coders who placed a boundary")
        bar.outline.set_visible(False)
        if same_coders and top <= MAX_FIELDS:
            # One field per number of coders; the number stands in the middle of its field.
            step = -(-(top + 1) // MAX_TICKS)
            bar.set_ticks(range(0, top + 1, step))
            bar.ax.tick_params(length=0)
    return figure


def _heat_scale(coders: int, *, in_fields: bool) -> dict[str, Any]:
    """Return colours and limits: one colour per number of coders, or a continuous scale up to this number."""
    if not in_fields:
        return {"vmin": 0, "vmax": coders}
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm

    return {
        "cmap": colormaps["viridis"].resampled(coders + 1),
        "norm": BoundaryNorm(np.arange(coders + 2) - 0.5, coders + 1),
    }


def _heat_lines(strips: list[Heat], same_coders: bool, width: float) -> tuple[Floats, list[str]]:
    """Return one row of values per line, NaN after its end, and the label of each line."""
    per_line = min(max(len(strip.counts) for strip in strips), max(20, int(36 * width)))
    rows: list[Floats] = []
    labels: list[str] = []
    for strip in strips:
        counts = np.array(strip.counts) / (1 if same_coders else strip.coders)
        name = canvas.label_text(strip.item if strip.stream is None else f"{strip.item}, {strip.stream}")
        labels += [name, *(f"{start + 1}" for start in range(per_line, len(counts), per_line))]
        padding = -len(counts) % per_line if len(counts) else per_line
        rows.append(np.pad(counts, (0, padding), constant_values=np.nan).reshape(-1, per_line))
    canvas.check_count(len(labels), MAX_LINES, "lines")
    return np.vstack(rows), labels


def dendrogram(clustering: Clustering, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
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
    canvas.check_type(clustering, Clustering, "cluster_coders")
    leaves = clustering.leaves
    canvas.check_count(len(leaves), MAX_FIGURE_CODERS, "coders")
    with canvas.new_axes(canvas.check_width(width), 0.7 + 0.24 * len(leaves), title) as (figure, axes):
        _draw_joints(axes, clustering)
        top = max(cluster.height for cluster in clustering.clusters) or 1.0
        axes.set_xlim(0, top * (1.3 if clustering.clusters[-1].value is None else 1.14))
        canvas.label_rows(axes, [canvas.label_text(leaf) for leaf in leaves])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(canvas.wrap_label(f"distance, 1 − {clustering.measure.label}", width), loc="right")
        name = coefficient_label(clustering.coefficient)
        axes.set_title(f"{name} inside each cluster", loc="right", fontsize=canvas.FONT_SIZE - 1)
    return figure


def _draw_joints(axes: Axes, clustering: Clustering) -> None:
    points: dict[tuple[str, ...], tuple[float, float]] = {
        (leaf,): (0.0, float(i)) for i, leaf in enumerate(clustering.leaves)
    }
    for cluster in clustering.clusters:
        (x0, y0), (x1, y1) = (points[half] for half in cluster.halves)
        x = cluster.height
        axes.plot([x0, x, x, x1], [y0, y0, y1, y1], color=canvas.COLOURS[0], solid_joinstyle="miter")
        points[cluster.coders] = (x, (y0 + y1) / 2)
    for cluster in clustering.clusters:
        text = "undefined" if cluster.value is None else _short(cluster.value)
        # Above the branch that leads to the next joint, so that the number covers no line.
        style = {"va": "bottom", "fontsize": canvas.FONT_SIZE - 1.5}
        canvas.write_beside(axes, text, points[cluster.coders], (2, 1), **style)


def boundaries_per_coder(placed: Placed, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
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
    canvas.check_type(placed, Placed, "boundaries_placed")
    canvas.check_count(len(placed.rows), MAX_FIGURE_CODERS, "coders")
    values = [row.per_unit for row in placed.rows]
    labels = [canvas.label_text(row.coder) for row in placed.rows]
    mean, deviation = placed.mean_density, placed.density_deviation
    vertical = max(map(len, labels)) * len(labels) > 12 * canvas.check_width(width)
    height = 2.0 + (min(canvas.label_inches(labels), 1.5) if vertical else 0)
    with canvas.new_axes(width, height, title) as (figure, axes):
        axes.bar(range(len(values)), values, width=0.7, color=canvas.COLOURS[4], edgecolor="black", linewidth=0.5)
        axes.axhline(mean, color="black", label="mean")
        for sign, label in ((1, "mean ± SD"), (-1, None)):
            axes.axhline(mean + sign * deviation, color="black", linewidth=0.8, linestyle="--", label=label)
        axes.set_xticks(range(len(values)), labels, rotation=90 if vertical else 0)
        axes.set(xlim=(-0.6, len(values) - 0.4), ylim=(0, None), xlabel="coder", ylabel="boundaries per position")
        figure.legend(loc="outside lower right", ncols=2)
    return figure


# -- a gold standard made from several hierarchies -------------------------------------------------------------------

DEFAULT_WIDTH = 5.0
MAX_SPANS = 2000
MAX_ROWS = 200


class _Panel(NamedTuple):
    """The spans of the gold standard or of one coder, each with its row, and the number of rows."""

    name: str
    bars: list[tuple[int, Span]]
    rows: int


def gold(
    gold: UnifiedHierarchy,
    hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None = None,
    *,
    width: float = DEFAULT_WIDTH,
    title: str | None = None,
) -> Figure:
    """Draw a gold standard as nested bars, the widest on top, with the spans that are not in it below, grey and hatched.

    Parameters
    ----------
    gold : UnifiedHierarchy
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
    canvas.check_type(gold, UnifiedHierarchy, "unify")
    panels = _panels(gold, hierarchies)
    canvas.check_count(sum(len(panel.bars) for panel in panels), MAX_SPANS, "spans")
    rows = [panel.rows for panel in panels]
    canvas.check_count(sum(rows), MAX_ROWS, "rows of spans")
    colours = {_key(gold, span): canvas.COLOURS[row % 5] for row, span in panels[0].bars}
    # Unit 1 extends from 0.5 to 1.5.
    edges = gold.hierarchy.edges or [unit + 0.5 for unit in range(gold.hierarchy.length + 1)]
    points = 0.85 * canvas.check_width(width) * 72 / (edges[-1] - edges[0])
    with canvas.new_figure(width, 0.5 + 0.19 * sum(rows) + 0.12 * len(panels), title) as figure:
        ratios = (np.array(rows) + 0.4).tolist()
        grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=ratios)[:, 0]
        for axes, panel in zip(grid, panels, strict=True):
            for row, span in panel.bars:
                _draw_span(axes, row, span, edges, points, colours.get(_key(gold, span)))
            axes.set_yticks([])
            axes.spines[["left", "bottom"]].set_visible(False)
            axes.tick_params(axis="x", bottom=False, labelbottom=False)
            axes.set_ylim(panel.rows - 0.4, -0.6)
            axes.set_ylabel(canvas.label_text(panel.name, 20), rotation=0, ha="right", va="center")
        axes.spines["bottom"].set_visible(True)
        axes.tick_params(axis="x", bottom=True, labelbottom=True)
        axes.set(xlim=(edges[0], edges[-1]), xlabel="unit" if gold.hierarchy.edges is None else "seconds")
        if gold.hierarchy.edges is None:
            canvas.integer_ticks(axes.xaxis)
    return figure


def _key(gold: UnifiedHierarchy, span: Span) -> tuple[int, int, int]:
    """Return the part of a span on which coders must agree."""
    return (span.start, span.end, span.level if gold.level == "full" else 0)


def _panels(gold: UnifiedHierarchy, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None) -> list[_Panel]:
    """Return the gold standard, and the panels below it: the dropped spans, or one per coder."""
    panels = [_panel("gold", [candidate.span for candidate in gold.included])]
    if hierarchies is None:
        dropped = [candidate.span for candidate in gold.dropped]
        return [*panels, _panel("dropped", dropped)] if dropped else panels
    if not isinstance(hierarchies, Mapping):
        listed = list(hierarchies)
        if len(listed) != len(gold.coders):
            raise OptionError(f"expected one hierarchy per coder, {len(gold.coders)}; got {len(listed)}")
        hierarchies = dict(zip(gold.coders, listed, strict=True))
    for coder, hierarchy in hierarchies.items():
        canvas.check_type(hierarchy, Hierarchy, "Hierarchy or read")
        if hierarchy.length != gold.hierarchy.length:
            raise MismatchError(
                f"coder {coder!r}: the gold standard has {gold.hierarchy.length} units, this hierarchy {hierarchy.length}; "
                "convert the hierarchies to the same units with common_units"
            )
        panels.append(_panel(str(coder), hierarchy.spans))
    return panels


def _panel(name: str, spans: Iterable[Span]) -> _Panel:
    """Put each span into the row of its level, or into the next free row, because spans of several coders may cross."""
    ordered = sorted(spans, key=lambda span: (span.start, -span.end, span.level))
    depths = {level: depth for depth, level in enumerate(sorted({span.level for span in ordered}))}
    last_unit: list[int] = []  # of each row
    bars = []
    for span in ordered:
        row = depths[span.level]
        while row < len(last_unit) and last_unit[row] >= span.start:
            row += 1
        last_unit += [0] * (row + 1 - len(last_unit))
        last_unit[row] = span.end
        bars.append((row, span))
    return _Panel(name, bars, max(len(last_unit), 1))


def _draw_span(
    axes: Axes, row: int, span: Span, edges: Sequence[float], points: float, gold_colour: str | None
) -> None:
    """Draw a bar, and its label if it fits; ``points`` is the width of one unit of the axis."""
    # A span of the gold standard has the same colour in every panel; other spans are grey and hatched.
    x0, x1 = edges[span.start - 1], edges[span.end]
    style: dict[str, Any] = {"color": gold_colour, "edgecolor": "black", "alpha": 0.75}
    if gold_colour is None:
        style = {"color": "#E2E2E2", "edgecolor": "#9A9A9A", "hatch": "////"}
    axes.barh(row, x1 - x0, left=x0, height=0.8, linewidth=0.5, **style)
    size = canvas.FONT_SIZE - 1.5
    characters = int((x1 - x0) * points / (0.6 * size))
    if span.label and characters > min(2, text_width(span.label)):
        text = canvas.label_text(span.label, characters)
        ink = "#555555" if gold_colour is None else "black"
        canvas.write_centred(axes, text, ((x0 + x1) / 2, row), size, color=ink, clip_on=True)
