"""The figure of boundary scores: quality against threshold, and against density beside human coders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caesura.tasks.curve import CurveRow, CurveStudy
from caesura.views.curve import threshold_text
from caesura.views.figures import canvas
from caesura.views.figures.canvas import COLUMN_WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Number of curves that colours and marks can tell apart.
MAX_CURVES = 7
# Number of coders whose density is a line.
MAX_LINES = 10
_STYLES = ("-", "--", ":", "-.")
_PANEL_HEIGHT = 1.9  # inches
_DENSITIES = 5  # the axis ends at this many times the largest density of a coder or of a chosen threshold


def curves(study: CurveStudy, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw precision, recall and F against the threshold, and F against the density of the marks."""
    canvas.check_type(study, CurveStudy, "score_thresholds")
    canvas.check_count(len(study.curves), MAX_CURVES, "curves")
    with canvas.new_figure(canvas.check_width(width), 2 * _PANEL_HEIGHT, title) as figure:
        above, below = figure.subplots(2)
        if len(study.curves) == 1:
            _draw_ratios(above, study.curves[0])
        for i, row in enumerate(study.curves):
            if len(study.curves) > 1:
                _draw_f(above, row, i, row.curve.thresholds, labelled=False)
            _draw_f(below, row, i, row.curve.density, labelled=len(study.curves) == 1)
        _draw_densities(below, study)
        above.set_xlabel("threshold", loc="right")
        below.set_xlabel(f"marks per {'minute' if study.axis == 'time' else 'unit'}", loc="right")
        for axes in (above, below):
            axes.set_ylim(-0.03, 1.05)
            axes.grid(axis="y", color="#DDDDDD", linewidth=0.4)
            axes.set_axisbelow(True)
        above.set_ylabel("P, R, F" if len(study.curves) == 1 else "F")
        below.set_ylabel("F")
        below.set_xlim(0, _last_density(study))
        above.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3 if len(study.curves) == 1 else 2)
    return figure


def _last_density(study: CurveStudy) -> float | None:
    """Return the end of the axis of densities; None: that of the curves."""
    points = [row.curve.applied or row.curve.best for row in study.curves]
    largest = max([*(entry.density for entry in study.densities), *(point.density for point in points)], default=0.0)
    last = max((float(row.curve.density.max(initial=0)) for row in study.curves), default=0.0)
    return min(_DENSITIES * largest, 1.02 * last) or None


def _draw_ratios(axes: Axes, row: CurveRow) -> None:
    curve = row.curve
    for i, (name, values) in enumerate((("precision", curve.precision), ("recall", curve.recall), ("F", curve.f))):
        # Values hold from one threshold down to the next.
        colour, style = canvas.COLOURS[(5, 2, 0)[i]], ("--", ":", "-")[i]
        axes.step(curve.thresholds, values, where="post", color=colour, linestyle=style, label=name)
    _draw_choice(axes, row, canvas.COLOURS[0], against_threshold=True, labelled=False)


def _draw_f(axes: Axes, row: CurveRow, i: int, places: Any, *, labelled: bool) -> None:
    by_threshold = places is row.curve.thresholds
    label = canvas.label_text(f"{row.system} / {row.reference}")
    style: dict[str, Any] = {"color": canvas.COLOURS[i], "linestyle": _STYLES[i % len(_STYLES)], "label": label}
    if by_threshold:
        axes.step(places, row.curve.f, where="post", **style)
    else:
        axes.plot(places, row.curve.f, **style)
    _draw_choice(axes, row, canvas.COLOURS[i], against_threshold=by_threshold, labelled=labelled)


def _draw_choice(axes: Axes, row: CurveRow, colour: str, *, against_threshold: bool, labelled: bool) -> None:
    """Mark the threshold that was applied, or the best one; write it beside the mark if there is only one curve."""
    point = row.curve.best if row.curve.applied is None else row.curve.applied
    if point.threshold is None:
        return
    place = point.threshold if against_threshold else point.density
    canvas.draw_marks(axes, place, point.f, "o", colour, markerfacecolor="white", zorder=3)
    if labelled:
        canvas.write_beside(axes, threshold_text(point), (place, point.f), (5, 5), fontsize=canvas.FONT_SIZE - 1)


def _draw_densities(axes: Axes, study: CurveStudy) -> None:
    """Draw a line at the density of each coder, with the name above it."""
    lines = study.densities[:MAX_LINES]
    for entry in lines:
        axes.axvline(entry.density, color=canvas.GREY, linestyle="--", linewidth=0.8, zorder=1)
    names = axes.secondary_xaxis("top")
    labels = [canvas.label_text(entry.coder, 16) for entry in lines]
    names.set_xticks([entry.density for entry in lines], labels, rotation=45, ha="left", va="bottom", color="#555555")
    names.tick_params(length=0, pad=1)
    names.spines["top"].set_visible(False)
