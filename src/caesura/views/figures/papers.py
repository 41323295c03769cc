"""Figures of papers, redrawn from our numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.papers.entry import Curves, Picture
from caesura.views.figures import agreement, judging, trees
from caesura.views.figures.canvas import COLOURS, COLUMN_WIDTH, MARKERS, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_MARKS = 15
_MODULES = (agreement, judging, trees)


def display(figure: Curves | Picture, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the figure of a display."""
    if isinstance(figure, Curves):
        return curves(figure, width=width, title=title)
    draw = next(getattr(module, figure.kind) for module in _MODULES if hasattr(module, figure.kind))
    drawn: Figure = draw(*figure.arguments, width=width, title=title)
    return drawn


def curves(lines: Curves, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw lines with a legend; marks tell them apart without colour."""
    with new_axes(width, width * 0.7, title) as (figure, axes):
        for i, (name, (x, y)) in enumerate(lines.lines.items()):
            step = max(1, len(x) // _MAX_MARKS)
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            axes.plot(x, y, color=colour, marker=marker, markevery=step, label=name)
        axes.set_xlabel(lines.x_label)
        axes.set_ylabel(lines.y_label)
        axes.legend()
        return figure
