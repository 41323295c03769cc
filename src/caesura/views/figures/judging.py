"""Figures that compare systems with human coders, and figures of edits by boundary type."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.agreement.pairwise import Pairwise
from caesura.errors import OptionError
from caesura.judging.result import Judgement, SegmenterScore
from caesura.measures.base import Measure
from caesura.measures.fuzzy import FuzzyScore, MarkBatch, MarkCluster
from caesura.measures.operations import OperationsTable
from caesura.model.result import Score
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    GREY,
    HATCHES,
    MARKERS,
    check_count,
    check_type,
    check_width,
    integer_ticks,
    label_text,
    new_axes,
    new_figure,
    title_height,
    wrap_label,
    write_beside,
)
from caesura.views.judgement import rows_by_measure, segmenter_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS = 60


def systems(
    judgement: Judgement, measure: str | Measure | None = None, *, width: float = COLUMN_WIDTH, title: str | None = None
) -> Figure:
    """Draw the value of each system with its interval, best first, beside the human bound.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders, from :func:`caesura.judge`.
    measure : str or Measure, optional
        The only measure to show (default: one panel per measure of the judgement).
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
    This is Figure 10 of Fournier (2013). The dashed line is the human bound, the band its interval. Baselines that
    ignore the text (random, regular, none, all) are below the systems, as hollow marks.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> people = stargazer()
    >>> seventh = {"reader 7": {"stargazer": people["stargazer", "7"]}}
    >>> six = people.select(coders="123456")
    >>> figure = systems(cz.judge(six, seventh, measures="boundary_similarity", interval=None, seed=1))
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['reader 7', '(random)', '(regular)', '(none)', '(all)']
    """
    panels = _rows_under(check_type(judgement, Judgement, "judge"), measure)
    check_count(max(map(len, panels)), MAX_SYSTEMS, "systems")
    heights = [0.55 + 0.19 * len(rows) for rows in panels]
    with new_figure(check_width(width), sum(heights) + 0.3, title) as figure:
        grid = figure.subplots(len(panels), squeeze=False, height_ratios=heights)
        for axes, rows in zip(grid[:, 0], panels, strict=True):
            _draw_panel(axes, rows, width)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower right", ncols=2)
    return figure


def _rows_under(judgement: Judgement, measure: str | Measure | None) -> list[list[SegmenterScore]]:
    """Return the rows of the judgement, one list per requested measure."""
    groups = rows_by_measure(judgement)
    matching = [rows for rows in groups if measure is None or _is(rows[0].measure, measure)]
    if not matching:
        names = ", ".join(repr(rows[0].measure) for rows in groups)
        raise OptionError(f"no measure {measure!r} in this judgement; choose from {names}")
    return matching


def _is(measure: Measure, requested: str | Measure) -> bool:
    return requested in (measure, repr(measure), measure.name)


def _draw_panel(axes: Axes, rows: list[SegmenterScore], width: float) -> None:
    measure = rows[0].measure
    human = next((row for row in rows if row.bound and row.segmenter == "human"), None)
    listed = [row for row in rows if row is not human]
    for y, row in enumerate(listed):
        _draw_value(axes, y, row)
    if human is not None:
        if human.interval is not None:
            axes.axvspan(*human.interval, color=COLOURS[1], alpha=0.25, linewidth=0, label="human, interval")
        axes.axvline(human.value, color=COLOURS[5], linestyle="--", label="human", zorder=1)
    axes.set_yticks(range(len(listed)), [label_text(segmenter_name(row)) for row in listed])
    axes.set_ylim(len(listed) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.4)
    axes.set_axisbelow(True)
    label = measure.label + ("" if measure.higher_is_better else " (lower is better)")
    axes.set_xlabel(wrap_label(label, width), loc="right")


def _draw_value(axes: Axes, y: int, row: SegmenterScore) -> None:
    """Draw a value and its interval."""
    errors = None
    if row.interval is not None:
        low, high = row.interval
        # A percentile interval need not contain the value.
        errors = [[max(row.value - low, 0)], [max(high - row.value, 0)]]
    colour = GREY if row.bound else COLOURS[0]
    axes.errorbar(
        row.value,
        y,
        xerr=errors,
        color=colour,
        marker="o" if row.bound else "s",
        markerfacecolor="white" if row.bound else colour,
        linestyle="none",
        capsize=2,
        elinewidth=1,
    )


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
        A judgement, of which the rows under ``measure`` are shown; or pairs of coders under a measure with precision and
        recall, of which each coder's mark is the mean over the pairs with that coder as hypothesis; or any scores that
        have both, by name.
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
    check_count(len(points), MAX_SYSTEMS, "marks")
    columns = 2 if all(len(point.label) <= 20 for point in points) else 1
    legend_height = 0.16 * -(-len(points) // columns)
    with new_axes(check_width(width), 0.85 * width + legend_height + 0.1, title) as (figure, axes):
        _draw_equal_f(axes)
        for i, point in enumerate(points):
            colour = GREY if point.bound else COLOURS[i % len(COLOURS)]
            axes.plot(
                point.recall,
                point.precision,
                linestyle="none",
                marker=MARKERS[i % len(MARKERS)],
                color=colour,
                markeredgecolor=colour if point.bound else "black",
                markeredgewidth=0.5,
                clip_on=False,
                markerfacecolor="white" if point.bound else colour,
                label=point.label,
                zorder=3,
            )
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="recall", ylabel="precision")
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Point(NamedTuple):
    label: str
    precision: float
    recall: float
    bound: bool


def _point(name: str, precision: float, recall: float, bound: bool = False) -> _Point:
    label = label_text(name)
    # A legend omits labels that begin with an underscore.
    return _Point(f" {label}" if label.startswith("_") else label, precision, recall, bound)


def _points(scores: Judgement | Pairwise | Mapping[str, Score], measure: str | Measure) -> list[_Point]:
    if isinstance(scores, Judgement):
        rows = chain.from_iterable(_rows_under(scores, measure))
        return [_point(segmenter_name(row), *_precision_and_recall(row.score), row.bound) for row in rows]
    if isinstance(scores, Pairwise):
        _precision_and_recall(scores.rows[0].score)  # raises an error if the measure has no precision and recall
        return [_point(coder, *means) for coder, means in scores.precision_and_recall().items()]
    if not isinstance(scores, Mapping) or not scores or not all(isinstance(s, Score) for s in scores.values()):
        raise OptionError(f"expected a Judgement, a Pairwise or a mapping name -> Score; got {type(scores).__name__}")
    return [_point(str(name), *_precision_and_recall(score)) for name, score in scores.items()]


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
        style = {"ha": "right", "color": "#777777", "fontsize": FONT_SIZE - 2.5, "bbox": box}
        write_beside(axes, f"F = .{tenths}", (1, f / (2 - f)), (-2, 1), **style)


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
    check_type(score, FuzzyScore, "fuzzy_success")
    if score.clusters is None or score.boundaries is None:
        raise OptionError("expected the score of one document; this one is of several. Draw one figure per document")
    batch = score.source
    assert isinstance(batch, MarkBatch)
    counts = dict(zip(batch.a_pos.tolist(), batch.a_code.tolist(), strict=True))
    top = max([*counts.values(), score.params["minimal_peak"]])
    with new_axes(check_width(width), 2.2 + title_height(title), title) as (figure, axes):
        _draw_clusters(axes, score.clusters)
        _draw_marks(axes, score, counts)
        _draw_best_places(axes, score.clusters, counts)
        _draw_boundaries(axes, score, 1.12 * top)
        axes.set(xlim=(0.4, int(batch.length[0]) - 0.4), ylim=(0, 1.2 * top))
        integer_ticks(axes.xaxis)
        integer_ticks(axes.yaxis)
        axes.set(xlabel="position", ylabel=f"coders, of {int(batch.coders[0])}")
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
    This is Figure 6 of Lai & Li (2023). If there are more than seven types, all substitutions are one part of the bar. The
    number of boundaries is written at the end of the bar.

    Examples
    --------
    >>> import caesura as cz
    >>> a = cz.Segmentation.from_marks(["", ",", "", "", ".", "."])
    >>> b = cz.Segmentation.from_marks(["", "", ",", "", "?", "."])
    >>> figure = operations(cz.operations_table(cz.flexible_similarity(a, b)))
    >>> [(bars.get_label(), [round(float(bar.get_width()), 2) for bar in bars]) for bars in figure.axes[0].containers[:2]]
    [('match', [0.0, 0.67, 0.0]), ('as .', [0.0, 0.0, 1.0])]
    """
    check_type(table, OperationsTable, "operations_table")
    if not len(table):
        raise OptionError("expected at least one boundary; there is none")
    check_count(len(table), MAX_TYPES, "types")
    parts = [part for part in _parts(table) if any(part.values)]
    columns = 2 if max(len(part.label) for part in parts) <= 22 else 1
    height = 0.55 + 0.26 * len(table) + 0.17 * -(-len(parts) // columns)
    with new_axes(check_width(width), height + title_height(title), title) as (figure, axes):
        _draw_bars(axes, parts)
        for y, row in enumerate(table):
            write_beside(axes, f"{row.boundaries}", (1, y), (3, 0), va="center", fontsize=FONT_SIZE - 1.5)
        axes.set_yticks(range(len(table)), [label_text(row.type) for row in table])
        axes.set(xlim=(0, 1), ylim=(len(table) - 0.5, -0.5), xlabel="proportion of boundaries")
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Part(NamedTuple):
    """The part that one operation has in the bar of each type."""

    label: str
    values: list[float]
    colour: str
    hatch: str


def _parts(table: OperationsTable) -> list[_Part]:
    """Return the operations, each with a colour; substitutions share three colours and differ by hatch."""
    return [
        _Part("match", [row.match for row in table], COLOURS[0], ""),
        *_substitutions(table),
        _Part("unpaired", [row.unpaired for row in table], "white", ""),
        _Part("moved", [row.transposition for row in table], COLOURS[1], ""),
        _Part("moved, different type", [row.transposition_with_substitution for row in table], COLOURS[1], "xxxx"),
    ]


def _substitutions(table: OperationsTable) -> list[_Part]:
    if len(table) > _MAX_SUBSTITUTES + 1:
        values = [sum(row.substitution.values()) for row in table]
        return [_Part("different type", values, COLOURS[2], HATCHES[1])]
    return [
        _Part(
            f"as {label_text(name)}",
            [row.substitution.get(name, 0.0) for row in table],
            COLOURS[2 + i % 3],
            HATCHES[1 + i],
        )
        for i, name in enumerate(table.types)
    ]


def _draw_bars(axes: Axes, parts: list[_Part]) -> None:
    starts = [0.0] * len(parts[0].values)
    for part in parts:
        axes.barh(
            range(len(starts)),
            part.values,
            left=starts,
            height=0.72,
            label=part.label,
            color=part.colour,
            hatch=part.hatch,
            edgecolor="black",
            linewidth=0.4,
        )
        starts = [start + value for start, value in zip(starts, part.values, strict=True)]
