"""Figures of the experiments with trees of Shi, Gimpel & Livescu (2024)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caesura.errors import OptionError
from caesura.model.display import count_of
from caesura.options import choice
from caesura.simulation.trees import Correlation, LengthRow, PerturbationCurve
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    MARKERS,
    check_type,
    check_width,
    new_figure,
    title_height,
    wrap_label,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINE_STYLES = ("-", "--", ":", "-.")


def perturbation(
    curve: PerturbationCurve, *, level: str = "sentences", width: float = COLUMN_WIDTH, title: str | None = None
) -> Figure:
    """Draw how the score falls with delta: one line per kind of perturbation, with the deviation over repeats (Figure 5).

    Parameters
    ----------
    curve : PerturbationCurve
        Scores, from :func:`caesura.simulation.trees.perturbation_curve`.
    level : {"sentences", "corpus"}
        Level of the scores.
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
    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import perturbation_curve
    >>> spoken = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> figure = perturbation(perturbation_curve([spoken], deltas=[0, 1], repeats=2, seed=1))
    >>> [box.get_label() for box in figure.axes[0].containers]
    ['noise', 'insert', 'delete']
    """
    check_type(curve, PerturbationCurve, "perturbation_curve")
    corpus = choice("sentences", "corpus")("level", level) == "corpus"
    kinds = list(dict.fromkeys(point.kind for point in curve.points))
    with new_figure(check_width(width), 0.7 * width + 0.2, title) as figure:
        axes = figure.add_subplot()
        for i, kind in enumerate(kinds):
            points = sorted(curve.of_kind(kind), key=lambda point: point.delta)
            axes.errorbar(
                [point.delta for point in points],
                [point.corpus if corpus else point.mean for point in points],
                yerr=[point.corpus_deviation if corpus else point.deviation for point in points],
                label=kind,
                color=COLOURS[i],
                marker=MARKERS[i],
                linestyle=_LINE_STYLES[i % len(_LINE_STYLES)],
                capsize=2,
                markersize=3.5,
            )
        axes.set_xlabel("delta")
        axes.set_ylabel(wrap_label(f"{curve.measure.label}, {level}", 0.7 * width))
        axes.set_ylim(bottom=0, top=1.02)
        figure.legend(loc="outside upper right", ncols=3)
    return figure


def by_length(rows: Sequence[LengthRow], *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the scores of all sentences up to a length, at the level of sentences and of the corpus (Figure 6).

    Parameters
    ----------
    rows : sequence of LengthRow
        Scores, from :func:`caesura.simulation.trees.by_length`.
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
    >>> figure = by_length([LengthRow(1, 1, 1.0, 1.0), LengthRow(2, 2, 0.9444, 0.9231)])
    >>> figure.axes[0].lines[1].get_ydata().tolist()
    [1.0, 0.9231]
    """
    listed = [check_type(row, LengthRow, "by_length") for row in rows]
    points = [(row.length, row.mean, row.corpus) for row in listed if row.mean is not None and row.corpus is not None]
    if not points:
        raise OptionError("at least one sentence is needed; these rows have none")
    lengths, means, corpora = zip(*points, strict=True)
    with new_figure(check_width(width), 0.65 * width + 0.3, title) as figure:
        axes = figure.add_subplot()
        for i, (label, values) in enumerate((("sentence level", means), ("corpus level", corpora))):
            axes.plot(
                lengths,
                values,
                label=label,
                color=COLOURS[(0, 5)[i]],
                linestyle=_LINE_STYLES[i],
                marker=MARKERS[i],
                markersize=3,
                markevery=max(1, len(lengths) // 20),
            )
        axes.set_xlabel("words at most")
        axes.set_ylabel("Struct-IoU")
        figure.legend(loc="outside upper right", ncols=2)
    return figure


def correlation(result: Correlation, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw Struct-IoU against PARSEVAL F1: one dot per sample, with Spearman's rho (Figures 3 and 7).

    Parameters
    ----------
    result : Correlation
        Both scores of all samples, from :func:`caesura.simulation.trees.correlation`.
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
    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import correlation as correlate
    >>> gold = [Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    >>> predicted = [Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    >>> figure = correlation(correlate(gold, predicted, size=1, seed=1))
    >>> figure.axes[0].lines[0].get_xdata().round(3).tolist()
    [1.0, 0.667, 0.667, 0.667]
    """
    check_type(result, Correlation, "correlation")
    with new_figure(check_width(width), 0.8 * width + title_height(title), title) as figure:
        axes = figure.add_subplot()
        axes.plot(
            result.f1,
            result.struct_iou,
            linestyle="none",
            marker="o",
            color=COLOURS[0],
            alpha=0.6,
            markersize=3.5,
            markeredgewidth=0,
        )
        axes.set_xlabel("PARSEVAL F1")
        axes.set_ylabel("Struct-IoU")
        axes.set_title(
            f"ρ = {result.rho:.3f}, p = {result.p:.2g}; {len(result.f1)} samples of {count_of(result.size, 'sentence')}",
            loc="right",
            fontsize=FONT_SIZE - 1,
        )
    return figure
