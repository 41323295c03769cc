"""The experiments with trees of Shi, Gimpel & Livescu (2024)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caesura.errors import OptionError
from caesura.options import choice
from caesura.simulation.trees import Correlation, LengthRow, PerturbationCurve
from caesura.views.figures.canvas import COLOURS, COLUMN, MARKERS, SIZE, drawing, lines, needed, wide_enough

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["by_length", "correlation", "perturbation"]

_LINES = ("-", "--", ":", "-.")


def perturbation(
    curve: PerturbationCurve, *, level: str = "sentences", width: float = COLUMN, title: str | None = None
) -> Figure:
    """How far the score falls with delta, a line a kind, with the deviation over repeats (Figure 5).

    ``level`` is that of ``sentences`` or of the ``corpus``.

    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import perturbation_curve
    >>> spoken = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> figure = perturbation(perturbation_curve([spoken], deltas=[0, 1], repeats=2, seed=1))
    >>> [box.get_label() for box in figure.axes[0].containers]
    ['noise', 'insert', 'delete']
    """
    needed(curve, PerturbationCurve, "perturbation_curve")
    choice("sentences", "corpus")("level", level)
    kinds = list(dict.fromkeys(point.kind for point in curve.points))
    with drawing(wide_enough(width), 0.7 * width + 0.2, title) as figure:
        axes = figure.add_subplot()
        for i, kind in enumerate(kinds):
            points = sorted(curve.of(kind), key=lambda point: point.delta)
            corpus = level == "corpus"
            axes.errorbar(
                [point.delta for point in points],
                [point.corpus if corpus else point.mean for point in points],
                yerr=[point.corpus_deviation if corpus else point.deviation for point in points],
                label=kind,
                color=COLOURS[i],
                marker=MARKERS[i],
                linestyle=_LINES[i % len(_LINES)],
                capsize=2,
                markersize=3.5,
            )
        axes.set_xlabel("delta")
        axes.set_ylabel(lines(f"{curve.measure.label}, {level}", 0.7 * width))
        axes.set_ylim(bottom=0, top=1.02)
        figure.legend(loc="outside upper right", ncols=3)
    return figure


def by_length(rows: Sequence[LengthRow], *, width: float = COLUMN, title: str | None = None) -> Figure:
    """What the level of sentences and that of the corpus say of all sentences up to a length (Figure 6).

    >>> figure = by_length([LengthRow(1, 1, 1.0, 1.0), LengthRow(2, 2, 0.9444, 0.9231)])
    >>> figure.axes[0].lines[1].get_ydata().tolist()
    [1.0, 0.9231]
    """
    listed = [needed(row, LengthRow, "by_length") for row in rows]
    shown = [(row.length, row.mean, row.corpus) for row in listed if row.mean is not None and row.corpus is not None]
    if not shown:
        raise OptionError("at least one sentence is needed; these rows have none")
    lengths, means, corpora = zip(*shown, strict=True)
    with drawing(wide_enough(width), 0.65 * width + 0.3, title) as figure:
        axes = figure.add_subplot()
        for i, (said, values) in enumerate((("sentence level", means), ("corpus level", corpora))):
            axes.plot(
                lengths,
                values,
                label=said,
                color=COLOURS[(0, 5)[i]],
                linestyle=_LINES[i],
                marker=MARKERS[i],
                markersize=3,
                markevery=max(1, len(lengths) // 20),
            )
        axes.set_xlabel("words at most")
        axes.set_ylabel("Struct-IoU")
        figure.legend(loc="outside upper right", ncols=2)
    return figure


def correlation(found: Correlation, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """Struct-IoU against PARSEVAL F1, a dot a sample, with Spearman's rho (Figures 3 and 7).

    >>> from caesura.model.tree import Tree
    >>> from caesura.simulation.trees import correlation as correlate
    >>> gold = [Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    >>> predicted = [Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    >>> figure = correlation(correlate(gold, predicted, size=1, seed=1))
    >>> figure.axes[0].lines[0].get_xdata().round(3).tolist()
    [1.0, 0.667, 0.667, 0.667]
    """
    needed(found, Correlation, "correlation")
    with drawing(wide_enough(width), 0.8 * width + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        axes.plot(
            found.f1,
            found.struct_iou,
            linestyle="none",
            marker="o",
            color=COLOURS[0],
            alpha=0.6,
            markersize=3.5,
            markeredgewidth=0,
        )
        axes.set_xlabel("PARSEVAL F1")
        axes.set_ylabel("Struct-IoU")
        sentences = "sentence" if found.size == 1 else "sentences"
        axes.set_title(
            f"ρ = {found.rho:.3f}, p = {found.p:.2g}; {len(found.f1)} samples of {found.size} {sentences}",
            loc="right",
            fontsize=SIZE - 1,
        )
    return figure
