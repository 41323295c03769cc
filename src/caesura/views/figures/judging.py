"""Figures about programs beside people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.agreement.pairwise import Pairwise
from caesura.errors import OptionError
from caesura.judging.result import Judged, Judgement
from caesura.measures.base import Measure
from caesura.model.score import Score
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    MARKERS,
    SIZE,
    drawing,
    few,
    lines,
    name,
    needed,
    wide_enough,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["precision_recall", "systems"]

MOST_ROWS = 60


def systems(
    found: Judgement, measure: str | Measure | None = None, *, width: float = COLUMN, title: str | None = None
) -> Figure:
    """The value of each system with its interval, best first, beside what people reach (Figure 10 of Fournier 2013).

    A panel for each measure of the judgement, or for ``measure`` alone. The dashed line is the human bound, the band its
    interval; what knows nothing of the text (random, regular, none, all) stands below the systems, hollow.

    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> people = stargazer()
    >>> seventh = {"reader 7": {"stargazer": people["stargazer", "7"]}}
    >>> found = cz.judge(people.select(coders="123456"), seventh, measures="boundary_similarity", interval=None, seed=1)
    >>> figure = systems(found)
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['reader 7', '(random)', '(regular)', '(none)', '(all)']
    """
    needed(found, Judgement, "judge")
    made: dict[Measure, list[Judged]] = {}
    for row in found.rows:
        if measure is None or measure in (row.measure, repr(row.measure), row.measure.name):
            made.setdefault(row.measure, []).append(row)
    if not made:
        there = ", ".join(dict.fromkeys(repr(row.measure) for row in found.rows))
        raise OptionError(f"no measure {measure!r} in this judgement; there are {there}")
    panels = [_best_first(rows) for rows in made.values()]
    most = max(map(len, panels))
    few(range(most), MOST_ROWS, "systems")
    heights = [0.55 + 0.19 * len(rows) for rows in panels]
    with drawing(wide_enough(width), sum(heights) + 0.3, title) as figure:
        grid = figure.subplots(len(panels), squeeze=False, height_ratios=heights)
        for axes, rows in zip(grid[:, 0], panels, strict=True):
            _panel(axes, rows, width)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower right", ncols=2)
    return figure


def _best_first(rows: list[Judged]) -> list[Judged]:
    up = rows[0].measure.higher_is_better
    entered = sorted((row for row in rows if not row.bound), key=lambda row: -row.value if up else row.value)
    return [*entered, *(row for row in rows if row.bound)]


def _panel(axes: Axes, rows: list[Judged], width: float) -> None:
    measure = rows[0].measure
    human = next((row for row in rows if row.bound and row.segmenter == "human"), None)
    shown = [row for row in rows if row is not human]
    for y, row in enumerate(shown):
        low, high = row.interval or (row.value, row.value)
        # A percentile interval need not hold the value.
        spread = [[max(row.value - low, 0)], [max(high - row.value, 0)]]
        colour = GREY if row.bound else COLOURS[0]
        axes.errorbar(
            row.value,
            y,
            xerr=spread if row.interval else None,
            color=colour,
            marker="o" if row.bound else "s",
            markerfacecolor="white" if row.bound else colour,
            linestyle="none",
            capsize=2,
            elinewidth=1,
        )
    if human is not None:
        if human.interval is not None:
            axes.axvspan(*human.interval, color=COLOURS[1], alpha=0.25, linewidth=0, label="human, interval")
        axes.axvline(human.value, color=COLOURS[5], linestyle="--", label="human", zorder=1)
    axes.set_yticks(range(len(shown)), [name(f"({row.segmenter})" if row.bound else row.segmenter) for row in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.4)
    axes.set_axisbelow(True)
    said = measure.label + ("" if measure.higher_is_better else " (lower is better)")
    axes.set_xlabel(lines(said, width), loc="right")


def precision_recall(
    found: Judgement | Pairwise | Mapping[str, Score],
    measure: str | Measure = "boundary_confusion",
    *,
    width: float = COLUMN,
    title: str | None = None,
) -> Figure:
    """Precision against recall, a mark a system or coder, over lines of equal F (Figure 12 of Fournier 2013).

    ``found`` is a judgement, of which the rows under ``measure`` are shown, systems and bounds; or pairs of coders under a
    measure that has precision and recall, of which a coder's mark is the mean over the pairs with that coder as
    hypothesis; or any scores that have both, by name.

    >>> import caesura as cz
    >>> a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 3, 3, 3])
    >>> figure = precision_recall({"fine": cz.boundary_confusion(a, b), "coarse": cz.boundary_confusion(b, a)})
    >>> [tuple(round(float(line.get_data()[i][0]), 3) for i in (0, 1)) for line in figure.axes[0].lines[-2:]]
    [(1.0, 0.667), (0.667, 1.0)]
    """
    points = _points(found, measure)
    few(points, MOST_ROWS, "marks")
    columns = 2 if all(len(point.name) <= 20 for point in points) else 1
    legend = 0.16 * -(-len(points) // columns)
    with drawing(wide_enough(width), 0.85 * width + legend + 0.1, title) as figure:
        axes = figure.add_subplot()
        _equal_f(axes)
        for i, (said, precision, recall, bound) in enumerate(points):
            colour = GREY if bound else COLOURS[i % len(COLOURS)]
            axes.plot(
                recall,
                precision,
                linestyle="none",
                marker=MARKERS[i % len(MARKERS)],
                color=colour,
                markeredgecolor=colour if bound else "black",
                markeredgewidth=0.5,
                clip_on=False,
                markerfacecolor="white" if bound else colour,
                label=said,
                zorder=3,
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        axes.set_xlabel("recall")
        axes.set_ylabel("precision")
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Point(NamedTuple):
    name: str
    precision: float
    recall: float
    bound: bool


def _point(said: str, precision: float, recall: float, bound: bool = False) -> _Point:
    shown = name(said)
    # A legend leaves out what begins with an underscore.
    return _Point(f" {shown}" if shown.startswith("_") else shown, precision, recall, bound)


def _points(found: Judgement | Pairwise | Mapping[str, Score], measure: str | Measure) -> list[_Point]:
    if isinstance(found, Judgement):
        rows = [row for row in found.rows if measure in (row.measure, repr(row.measure), row.measure.name)]
        if not rows:
            there = ", ".join(dict.fromkeys(repr(row.measure) for row in found.rows))
            raise OptionError(f"no measure {measure!r} in this judgement; there are {there}")
        return [
            _point(f"({row.segmenter})" if row.bound else row.segmenter, *_both(row.score), row.bound)
            for row in _best_first(rows)
        ]
    if isinstance(found, Pairwise):
        by_coder: dict[str, list[tuple[float, float]]] = {}
        for pair in found.rows:
            precision, recall = _both(pair.score)
            by_coder.setdefault(pair.coders[1], []).append((precision, recall))
            if not found.ordered:  # seen from the other side they change places
                by_coder.setdefault(pair.coders[0], []).append((recall, precision))
        means = {coder: np.mean(by_coder[coder], axis=0).tolist() for coder in found.coders if coder in by_coder}
        return [_point(coder, *both) for coder, both in means.items()]
    if not isinstance(found, Mapping) or not found or not all(isinstance(one, Score) for one in found.values()):
        raise OptionError(f"a Judgement, a Pairwise or a mapping name -> Score is needed; got {type(found).__name__}")
    return [_point(str(said), *_both(score)) for said, score in found.items()]


def _both(score: Score) -> tuple[float, float]:
    figures = score.figures
    if "precision" not in figures or "recall" not in figures:
        raise OptionError(
            f"a measure with precision and recall is needed, such as boundary_confusion; {score.measure.name} has none"
        )
    return figures["precision"], figures["recall"]


def _equal_f(axes: Axes) -> None:
    """precision = F recall / (2 recall - F), where that is at most 1."""
    for tenths in (2, 4, 6, 8):
        f = tenths / 10
        recall = np.linspace(f / (2 - f), 1, 100)
        axes.plot(recall, f * recall / (2 * recall - f), color="#BBBBBB", linewidth=0.6, label="_")
        axes.annotate(
            f"F = .{tenths}",
            (1, f / (2 - f)),
            xytext=(-2, 1),
            textcoords="offset points",
            ha="right",
            color="#777777",
            fontsize=SIZE - 2.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
        )
