"""Figures that compare systems with human coders, and figures of edits by boundary type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.agreement.pairwise import Pairwise
from caesura.errors import OptionError
from caesura.judging.judge import Judgement, SegmenterScore
from caesura.measures.base import Measure
from caesura.measures.fuzzy import BoundaryCredit, FuzzyScore, MarkCluster
from caesura.measures.operations import OperationsTable
from caesura.measures.registry import is_called
from caesura.model.result import Score
from caesura.views.figures import canvas
from caesura.views.figures.canvas import COLUMN_WIDTH, PAGE_WIDTH
from caesura.views.judgement import rows_by_measure, segmenter_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS = 60
_PANEL_WIDTH = 2.4  # inches that a panel with names of systems needs


def systems(
    judgement: Judgement, measure: str | Measure | None = None, *, width: float | None = None, title: str | None = None
) -> Figure:
    """Draw the value of each system with its interval, best first, beside the human bound.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders, from :func:`caesura.judge`.
    measure : str or Measure, optional
        The only measure to show (default: one panel per measure of the judgement).
    width : float, optional
        Width in inches (default: 3.3, a column; 6.8, a page, for several panels).
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Notes
    -----
    This is Figure 10 of Fournier (2013). The dashed line is the human bound, the band its interval. Baselines that
    ignore the text (random, placement, regular, none, all) are below the systems, as hollow marks.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> readers = stargazer()
    >>> seventh = {"reader 7": {"stargazer": readers["stargazer", "7"]}}
    >>> six = readers.select(coders="123456")
    >>> figure = systems(cz.judge(six, seventh, measures="boundary_similarity", interval=None, seed=1))
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['reader 7', '(random)', '(placement)', '(regular)', '(none)', '(all)']
    """
    panels = _rows_under(canvas.check_type(judgement, Judgement, "judge"), measure)
    canvas.check_count(max(map(len, panels)), MAX_SYSTEMS, "systems")
    inches = canvas.check_width(width or (COLUMN_WIDTH if len(panels) == 1 else PAGE_WIDTH))
    columns = min(len(panels), max(1, int(inches / _PANEL_WIDTH)))
    lines = -(-len(panels) // columns)
    height = 0.55 + 0.19 * max(map(len, panels))
    with canvas.new_figure(inches, height * lines + 0.3, title) as figure:
        grid = figure.subplots(lines, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.remove()
        for axes, rows in zip(grid.flat, panels, strict=False):
            _draw_panel(axes, rows, inches / columns)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower right", ncols=2)
    return figure


def _rows_under(judgement: Judgement, measure: str | Measure | None) -> list[list[SegmenterScore]]:
    """Return the rows of the judgement, one list per requested measure."""
    groups = rows_by_measure(judgement)
    matching = [
        rows
        for rows in groups
        if measure in (None, rows[0].measure) or (isinstance(measure, str) and is_called(rows[0].measure, measure))
    ]
    if not matching:
        names = ", ".join(repr(rows[0].measure) for rows in groups)
        raise OptionError(f"no measure {measure!r} in this judgement; choose from {names}")
    return matching


def _draw_panel(axes: Axes, rows: list[SegmenterScore], width: float) -> None:
    measure = rows[0].measure
    human = {row.segmenter: row for row in rows if row.bound}.get("human")
    listed = [row for row in rows if row is not human]
    for y, row in enumerate(listed):
        _draw_value(axes, y, row)
    if human is not None:
        if human.interval is not None:
            axes.axvspan(*human.interval, color=canvas.COLOURS[1], alpha=0.25, linewidth=0, label="human, interval")
        axes.axvline(human.value, color=canvas.COLOURS[5], linestyle="--", label="human", zorder=1)
    canvas.label_rows(axes, [canvas.label_text(segmenter_name(row)) for row in listed])
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.4)
    axes.set_axisbelow(True)
    label = measure.label + ("" if measure.higher_is_better else " (lower is better)")
    axes.set_xlabel(canvas.wrap_label(label, width), loc="right")


def _draw_value(axes: Axes, y: int, row: SegmenterScore) -> None:
    errors = None
    if row.interval is not None:
        low, high = row.interval
        # A percentile interval need not contain the value.
        errors = [[max(row.value - low, 0)], [max(high - row.value, 0)]]
    marker, colour, face = ("o", canvas.GREY, "white") if row.bound else ("s", canvas.COLOURS[0], canvas.COLOURS[0])
    style: dict[str, Any] = {"marker": marker, "color": colour, "markerfacecolor": face, "linestyle": "none"}
    axes.errorbar(row.value, y, xerr=errors, capsize=2, elinewidth=1, **style)


def precision_recall(
    scores: Judgement | Pairwise | Mapping[str, Score],
    measure: str | Measure = "boundary_confusion",
    *,
    width: float = COLUMN_WIDTH,
    title: str | None = None,
) -> Figure:
    """Draw precision against recall, one mark per system or coder, over lines of equal F.

    Parameters
    ----------
    scores : Judgement, Pairwise or mapping of name to Score
        A judgement: the figure shows its rows under ``measure``. Or pairs of coders under a measure with precision and
        recall: the mark of a coder is the mean over the pairs with that coder as hypothesis. Or any scores with precision
        and recall, by name.
    measure : str or Measure, default "boundary_confusion"
        Measure of the rows of a judgement.
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
    This is Figure 12 of Fournier (2013).

    Examples
    --------
    >>> import caesura as cz
    >>> a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 3, 3, 3])
    >>> figure = precision_recall({"fine": cz.boundary_confusion(a, b), "coarse": cz.boundary_confusion(b, a)})
    >>> [tuple(round(float(line.get_data()[i][0]), 3) for i in (0, 1)) for line in figure.axes[0].lines[-2:]]
    [(1.0, 0.667), (0.667, 1.0)]
    """
    points = _points(scores, measure)
    canvas.check_count(len(points), MAX_SYSTEMS, "marks")
    columns = 2 if all(len(point.label) <= 20 for point in points) else 1
    legend_height = 0.16 * -(-len(points) // columns)
    with canvas.new_axes(canvas.check_width(width), 0.85 * width + legend_height + 0.1, title) as (figure, axes):
        _draw_equal_f(axes)
        for i, point in enumerate(points):
            marker, colour = canvas.MARKERS[i % len(canvas.MARKERS)], canvas.COLOURS[i % len(canvas.COLOURS)]
            face, edge = ("white", canvas.GREY) if point.bound else (colour, "black")
            style = {"markeredgewidth": 0.5, "clip_on": False, "label": point.label, "zorder": 3}
            canvas.draw_marks(axes, point.recall, point.precision, marker, face, markeredgecolor=edge, **style)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="recall", ylabel="precision")
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Point(NamedTuple):
    name: str
    precision: float
    recall: float
    bound: bool = False

    @property
    def label(self) -> str:
        label = canvas.label_text(self.name)
        # A legend omits labels that begin with an underscore.
        return f" {label}" if label.startswith("_") else label


def _points(scores: Judgement | Pairwise | Mapping[str, Score], measure: str | Measure) -> list[_Point]:
    if isinstance(scores, Judgement):
        rows = chain.from_iterable(_rows_under(scores, measure))
        return [_Point(segmenter_name(row), *_precision_and_recall(row.score), row.bound) for row in rows]
    if isinstance(scores, Pairwise):
        _precision_and_recall(scores.rows[0].score)  # raises an error if the measure has no precision and recall
        return [_Point(coder, *means) for coder, means in scores.precision_and_recall().items()]
    if not isinstance(scores, Mapping) or not scores or not all(isinstance(s, Score) for s in scores.values()):
        raise OptionError(f"expected a Judgement, a Pairwise or a mapping name -> Score; got {type(scores).__name__}")
    return [_Point(str(name), *_precision_and_recall(score)) for name, score in scores.items()]


def _precision_and_recall(score: Score) -> tuple[float, float]:
    figures = score.figures
    if "precision" not in figures or "recall" not in figures:
        raise OptionError(
            f"expected a measure with precision and recall, such as boundary_confusion; {score.measure.name} has none"
        )
    return figures["precision"], figures["recall"]


def _draw_equal_f(axes: Axes) -> None:
    """Draw the lines ``precision = F recall / (2 recall - F)``, as far as precision is at most 1."""
    for tenths in (2, 4, 6, 8):
        f = tenths / 10
        recall = np.linspace(f / (2 - f), 1, 100)
        axes.plot(recall, f * recall / (2 * recall - f), color="#BBBBBB", linewidth=0.6, label="_")
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.3}
        style = {"ha": "right", "color": "#777777", "fontsize": canvas.FONT_SIZE - 2.5, "bbox": box}
        canvas.write_beside(axes, f"F = .{tenths}", (1, f / (2 - f)), (-2, 1), **style)


# -- a system's boundaries among the marks of many coders ------------------------------------------------------------


def clusters(score: FuzzyScore, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the number of coders who marked each position, the clusters of marks, and the boundaries of the system.

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
    canvas.check_type(score, FuzzyScore, "fuzzy_success")
    mark_clusters, boundaries = score.clusters, score.boundaries
    if mark_clusters is None or boundaries is None:
        raise OptionError("expected the score of one document; got the score of several. Draw one figure per document")
    counts = score.counts or {}
    top = max([*counts.values(), score.params["minimal_peak"]])
    with canvas.new_axes(canvas.check_width(width), 2.2, title) as (figure, axes):
        _draw_clusters(axes, mark_clusters, counts)
        axes.axhline(score.params["minimal_peak"], color="black", linewidth=0.8, linestyle=":", label="minimal peak")
        best = [float(cluster.best) for cluster in mark_clusters]
        style = {"markeredgecolor": "black", "markersize": 4, "label": "best place"}
        canvas.draw_marks(axes, best, [counts.get(cluster.best, 0) for cluster in mark_clusters], "D", "white", **style)
        _draw_boundaries(axes, boundaries, 1.12 * top)
        axes.set(xlim=(0.4, int(score.source.length[0]) - 0.4), ylim=(0, 1.2 * top))
        axes.set(xlabel="position", ylabel=f"coders, of {score.params['coders']}")
        for axis in (axes.xaxis, axes.yaxis):
            canvas.integer_ticks(axis)
        figure.legend(loc="outside lower center", ncols=2 if width < 5 else 4)
    return figure


def _draw_clusters(axes: Axes, clusters: tuple[MarkCluster, ...], counts: dict[int, int]) -> None:
    bands = [(cluster.low - 0.5, cluster.up + 0.5, 1.0) for cluster in clusters]
    style: dict[str, Any] = {"color": canvas.COLOURS[4], "alpha": 0.3, "linewidth": 0, "label": "cluster"}
    _draw_boxes(axes, bands, transform=axes.get_xaxis_transform(), **style)
    clustered = {position for cluster in clusters for position in cluster.positions}
    kinds = ((True, canvas.COLOURS[0], "marked, in a cluster"), (False, "white", "marked, in none"))
    for inside, colour, label in kinds:
        bars = [(at - 0.4, at + 0.4, float(number)) for at, number in counts.items() if (at in clustered) == inside]
        _draw_boxes(axes, bars, facecolor=colour, edgecolor="black", linewidth=0.5, label=label)


def _draw_boxes(axes: Axes, boxes: list[tuple[float, float, float]], **style: Any) -> None:
    """Draw boxes from left to right and from 0 to a height; thousands of them at once are much faster than one by one."""
    from matplotlib.collections import PolyCollection

    if boxes:
        corners = [[(left, 0), (left, top), (right, top), (right, 0)] for left, right, top in boxes]
        axes.add_collection(PolyCollection(corners, zorder=1, **style), autolim=False)


def _draw_boundaries(axes: Axes, boundaries: tuple[BoundaryCredit, ...], height: float) -> None:
    kinds = ((False, "v", canvas.COLOURS[2], "boundary"), (True, "X", canvas.COLOURS[5], "phantom"))
    for phantom, marker, colour, label in kinds:
        positions = [float(entry.position) for entry in boundaries if (entry.cluster == "phantom") == phantom]
        if positions:
            axes.vlines(positions, 0, height, color=colour, linewidth=0.8, zorder=1)
            style = {"markeredgecolor": "black", "markeredgewidth": 0.4, "markersize": 6, "clip_on": False}
            canvas.draw_marks(axes, positions, [height] * len(positions), marker, colour, label=label, **style)


# -- edits by boundary type ------------------------------------------------------------------------------------------

MAX_TYPES = 60
_MAX_SUBSTITUTES = 6  # different types with a pattern of their own


def operations(table: OperationsTable, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the operations on the boundaries of each type: one bar per type, whose parts add up to 1.

    Parameters
    ----------
    table : OperationsTable
        Number of edits by type, from :func:`caesura.operations_table`.
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
    This is Figure 6 of Lai, Li & Zhang (2023). If there are more than seven types, all substitutions are one part of the bar.
    The number of boundaries is written at the end of the bar.

    Examples
    --------
    >>> import caesura as cz
    >>> a = cz.Segmentation.from_marks(["", ",", "", "", ".", "."])
    >>> b = cz.Segmentation.from_marks(["", "", ",", "", "?", "."])
    >>> figure = operations(cz.operations_table(cz.flexible_similarity(a, b)))
    >>> [(bars.get_label(), [round(float(bar.get_width()), 2) for bar in bars]) for bars in figure.axes[0].containers[:2]]
    [('match', [0.0, 0.67, 0.0]), ('as .', [0.0, 0.0, 1.0])]
    """
    canvas.check_type(table, OperationsTable, "operations_table")
    if not len(table):
        raise OptionError("expected at least one boundary; there is none")
    canvas.check_count(len(table), MAX_TYPES, "types")
    parts = [part for part in _parts(table) if any(part.values)]
    columns = 2 if max(len(part.label) for part in parts) <= 22 else 1
    height = 0.55 + 0.26 * len(table) + 0.17 * -(-len(parts) // columns)
    with canvas.new_axes(canvas.check_width(width), height, title) as (figure, axes):
        starts = np.zeros(len(table))
        for part in parts:
            style: dict[str, Any] = {"color": part.colour, "hatch": part.hatch, "edgecolor": "black", "linewidth": 0.4}
            axes.barh(range(len(table)), part.values, left=starts, height=0.72, label=part.label, **style)
            starts = starts + part.values
        for y, row in enumerate(table):
            canvas.write_beside(axes, f"{row.boundaries}", (1, y), (3, 0), va="center", fontsize=canvas.FONT_SIZE - 1.5)
        canvas.label_rows(axes, [canvas.label_text(row.type) for row in table])
        axes.set(xlim=(0, 1), xlabel="proportion of boundaries")
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Part(NamedTuple):
    label: str
    values: list[float]
    colour: str
    hatch: str = ""


def _parts(table: OperationsTable) -> Iterator[_Part]:
    """Yield the operations, each with a colour; substitutions share three colours and differ by hatch."""
    yield _Part("match", [row.match for row in table], canvas.COLOURS[0])
    if len(table) > _MAX_SUBSTITUTES + 1:
        values = [sum(row.substitution.values()) for row in table]
        yield _Part("different type", values, canvas.COLOURS[2], canvas.HATCHES[1])
    else:
        for i, name in enumerate(table.types):
            values = [row.substitution.get(name, 0.0) for row in table]
            yield _Part(f"as {canvas.label_text(name)}", values, canvas.COLOURS[2 + i % 3], canvas.HATCHES[1 + i])
    yield _Part("unpaired", [row.unpaired for row in table], "white")
    yield _Part("moved", [row.transposition for row in table], canvas.COLOURS[1])
    values = [row.transposition_with_substitution for row in table]
    yield _Part("moved, different type", values, canvas.COLOURS[1], "xxxx")
