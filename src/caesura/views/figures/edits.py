"""What became of boundaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import OptionError
from caesura.measures.operations import OperationsTable
from caesura.views.figures.canvas import COLOURS, COLUMN, HATCHES, SIZE, drawing, few, name, needed, wide_enough

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["operations"]

MOST_TYPES = 60
_TOLD_APART = 6  # other types that each have a pattern of their own


def operations(found: OperationsTable, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """What became of the boundaries of each type: a bar of shares a type, that add up to 1 (Figure 6 of Lai & Li 2023).

    Where there are more than seven types, substitutions by all others are one share. The number of boundaries stands at
    the end of the bar.

    >>> import caesura as cz
    >>> a = cz.Segmentation.from_marks(["", ",", "", "", ".", "."])
    >>> b = cz.Segmentation.from_marks(["", "", ",", "", "?", "."])
    >>> figure = operations(cz.operations_table(cz.flexible_similarity(a, b)))
    >>> [(bars.get_label(), [round(float(bar.get_width()), 2) for bar in bars]) for bars in figure.axes[0].containers[:2]]
    [('match', [0.0, 0.67, 0.0]), ('as .', [0.0, 0.0, 1.0])]
    """
    needed(found, OperationsTable, "operations_table")
    if not len(found):
        raise OptionError("at least one boundary is needed; there is none")
    few(found.rows, MOST_TYPES, "types")
    shares = _shares(found)
    columns = 2 if max(len(one.said) for one in shares) <= 22 else 1
    height = 0.55 + 0.26 * len(found) + 0.17 * -(-len(shares) // columns)
    with drawing(wide_enough(width), height + (0.2 if title else 0), title) as figure:
        axes = figure.add_subplot()
        left = [0.0] * len(found)
        for said, values, colour, hatch in shares:
            axes.barh(
                range(len(found)),
                values,
                left=left,
                height=0.72,
                label=said,
                color=colour,
                hatch=hatch,
                edgecolor="black",
                linewidth=0.4,
            )
            left = [a + b for a, b in zip(left, values, strict=True)]
        for y, row in enumerate(found):
            axes.annotate(
                f"{row.boundaries}", (1, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=SIZE - 1.5
            )
        axes.set_yticks(range(len(found)), [name(row.type) for row in found])
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("share of boundaries")
        figure.legend(loc="outside lower center", ncols=columns)
    return figure


class _Share(NamedTuple):
    said: str
    values: list[float]
    """One for each type."""
    colour: str
    hatch: str


def _shares(found: OperationsTable) -> list[_Share]:
    """What happened has a colour of its own; substitutions have a few between them, each with its hatch."""
    shares = [_Share("match", [row.match for row in found], COLOURS[0], "")]
    if len(found) <= _TOLD_APART + 1:
        for place, one in enumerate(found.types):
            values = [row.substitution.get(one, 0.0) for row in found]
            shares.append(_Share(f"as {name(one)}", values, COLOURS[2 + place % 3], HATCHES[1 + place]))
    else:
        shares.append(_Share("other type", [sum(row.substitution.values()) for row in found], COLOURS[2], HATCHES[1]))
    shares += [
        _Share("alone", [row.alone for row in found], "white", ""),
        _Share("moved", [row.transposition for row in found], COLOURS[1], ""),
        _Share("moved, other type", [row.transposition_with_substitution for row in found], COLOURS[1], "xxxx"),
    ]
    return [one for one in shares if any(one.values)]
