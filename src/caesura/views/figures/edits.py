"""Figure of the edits between two segmentations, by boundary type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import OptionError
from caesura.measures.operations import OperationsTable
from caesura.views.figures.canvas import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    HATCHES,
    check_count,
    check_type,
    check_width,
    label_text,
    new_figure,
    title_height,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_TYPES = 60
_MAX_SUBSTITUTES = 6  # different types with a pattern of their own


def operations(table: OperationsTable, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw what became of the boundaries of each type: one bar per type, whose parts add up to 1.

    Parameters
    ----------
    table : OperationsTable
        Edits added up by type, from :func:`caesura.operations_table`.
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
        raise OptionError("at least one boundary is needed; there is none")
    check_count(len(table), MAX_TYPES, "types")
    parts = [part for part in _parts(table) if any(part.values)]
    columns = 2 if max(len(part.label) for part in parts) <= 22 else 1
    height = 0.55 + 0.26 * len(table) + 0.17 * -(-len(parts) // columns)
    with new_figure(check_width(width), height + title_height(title), title) as figure:
        axes = figure.add_subplot()
        _draw_bars(axes, parts)
        for y, row in enumerate(table):
            axes.annotate(
                f"{row.boundaries}",
                (1, y),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=FONT_SIZE - 1.5,
            )
        axes.set_yticks(range(len(table)), [label_text(row.type) for row in table])
        axes.set_ylim(len(table) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("proportion of boundaries")
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
