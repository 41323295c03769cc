"""Figure of a gold standard made from several hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import MismatchError, OptionError
from caesura.gold.result import Gold
from caesura.model.hierarchy import Hierarchy, Span
from caesura.views.figures.canvas import (
    COLOURS,
    FONT_SIZE,
    check_count,
    check_type,
    check_width,
    integer_ticks,
    label_text,
    new_figure,
    title_height,
)
from caesura.views.table import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULT_WIDTH = 5.0
MAX_SPANS = 2000
MAX_ROWS = 200


class _Bar(NamedTuple):
    start: int
    end: int
    level: int
    label: str | None
    in_gold: bool


class _Panel(NamedTuple):
    """The bars of the gold standard or of one coder, each with its row."""

    name: str
    bars: list[tuple[int, _Bar]]

    @property
    def rows(self) -> int:
        return max((row for row, _ in self.bars), default=0) + 1


def _bar(span: Span, in_gold: bool) -> _Bar:
    return _Bar(span.start, span.end, span.level, span.label, in_gold)


def gold(
    gold: Gold,
    hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None = None,
    *,
    width: float = DEFAULT_WIDTH,
    title: str | None = None,
) -> Figure:
    """Draw a gold standard as nested bars, the widest on top, with the spans that are not in it below, grey and hatched.

    Parameters
    ----------
    gold : Gold
        The gold standard, from :func:`caesura.unify`.
    hierarchies : mapping of coder to Hierarchy, or iterable of Hierarchy, optional
        The hierarchies it was made from, over the same units. Each gets a panel in which spans of the gold standard are
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
    check_type(gold, Gold, "unify")
    panels = _panels(gold, hierarchies)
    check_count(sum(len(panel.bars) for panel in panels), MAX_SPANS, "spans")
    check_count(sum(panel.rows for panel in panels), MAX_ROWS, "rows of spans")
    gold_rows = {(bar.start, bar.end): row for row, bar in panels[0].bars}
    edges = gold.hierarchy.edges or range(1, gold.hierarchy.length + 2)
    points = 0.85 * check_width(width) * 72 / (edges[-1] - edges[0])
    height = 0.5 + sum(0.19 * panel.rows + 0.12 for panel in panels) + title_height(title)
    with new_figure(width, height, title) as figure:
        ratios = [panel.rows + 0.4 for panel in panels]
        grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=ratios)[:, 0]
        for axes, panel in zip(grid, panels, strict=True):
            _draw_panel(axes, panel, edges, points, gold_rows)
        _draw_axis(grid[-1], gold, edges)
    return figure


def _panels(gold: Gold, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None) -> list[_Panel]:
    """Return the gold standard, and the panels below it: the dropped spans, or one per coder."""
    gold_bars = [_bar(candidate.span, True) for candidate in gold.included]
    panels = [("gold", gold_bars)]
    if hierarchies is None:
        if gold.dropped:
            panels.append(("dropped", [_bar(candidate.span, False) for candidate in gold.dropped]))
    else:
        full = gold.level == "full"
        gold_spans = {(bar.start, bar.end, bar.level if full else 0) for bar in gold_bars}
        for coder, hierarchy in _by_coder(gold, hierarchies).items():
            bars = [
                _bar(span, (span.start, span.end, span.level if full else 0) in gold_spans) for span in hierarchy.spans
            ]
            panels.append((str(coder), bars))
    return [_Panel(name, _with_rows(bars)) for name, bars in panels]


def _by_coder(gold: Gold, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy]) -> Mapping[str, Hierarchy]:
    """Return coder -> hierarchy, checked to be over the units of the gold standard."""
    if not isinstance(hierarchies, Mapping):
        listed = list(hierarchies)
        if len(listed) != len(gold.coders):
            raise OptionError(
                f"one hierarchy per coder of the gold standard is needed, {len(gold.coders)}; got {len(listed)}"
            )
        hierarchies = dict(zip(gold.coders, listed, strict=True))
    for coder, hierarchy in hierarchies.items():
        check_type(hierarchy, Hierarchy, "Hierarchy or read")
        if hierarchy.length != gold.hierarchy.length:
            raise MismatchError(
                f"coder {coder!r}: the gold standard has {gold.hierarchy.length} units, this hierarchy {hierarchy.length}; "
                "common_units puts hierarchies over the same units"
            )
    return hierarchies


def _with_rows(bars: Sequence[_Bar]) -> list[tuple[int, _Bar]]:
    """Return each bar with its row: its level, or the next free row, because spans of several coders may cross."""
    last_unit: list[int] = []  # of each row
    placed = []
    depths = {level: depth for depth, level in enumerate(sorted({bar.level for bar in bars}))}
    for bar in sorted(bars, key=lambda bar: (bar.start, -bar.end, bar.level)):
        row = depths[bar.level]
        while row < len(last_unit) and last_unit[row] >= bar.start:
            row += 1
        last_unit += [0] * (row + 1 - len(last_unit))
        last_unit[row] = bar.end
        placed.append((row, bar))
    return placed


def _draw_panel(
    axes: Axes, panel: _Panel, edges: Sequence[float], points: float, gold_rows: dict[tuple[int, int], int]
) -> None:
    """Draw bars, and their labels if they fit; ``points`` is the width of one unit of the axis.

    A span has the colour of its row in the gold standard in every panel.
    """
    half = 0.5 if isinstance(edges, range) else 0.0  # unit 1 extends from 0.5 to 1.5
    for row, bar in panel.bars:
        x0, x1 = edges[bar.start - 1] - half, edges[bar.end] - half
        colour, hatch = (COLOURS[gold_rows[bar.start, bar.end] % 5], "") if bar.in_gold else ("#E2E2E2", "////")
        axes.barh(
            row,
            x1 - x0,
            left=x0,
            height=0.8,
            color=colour,
            hatch=hatch,
            edgecolor="black" if bar.in_gold else "#9A9A9A",
            linewidth=0.5,
            alpha=0.75 if bar.in_gold else 1,
        )
        characters = int((x1 - x0) * points / (0.6 * (FONT_SIZE - 1.5)))
        if bar.label and characters > min(2, text_width(bar.label)):
            axes.text(
                (x0 + x1) / 2,
                row,
                label_text(bar.label, characters),
                ha="center",
                va="center",
                fontsize=FONT_SIZE - 1.5,
                color="black" if bar.in_gold else "#555555",
                clip_on=True,
            )
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.set_ylim(panel.rows - 0.4, -0.6)
    axes.set_ylabel(label_text(panel.name, 20), rotation=0, ha="right", va="center")


def _draw_axis(axes: Axes, gold: Gold, edges: Sequence[float]) -> None:
    """Draw the axis of units or seconds below the last panel."""
    axes.spines["bottom"].set_visible(True)
    axes.tick_params(axis="x", bottom=True, labelbottom=True)
    if gold.hierarchy.edges is None:
        axes.set_xlim(0.5, gold.hierarchy.length + 0.5)
        integer_ticks(axes.xaxis)
    else:
        axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel("unit" if gold.hierarchy.edges is None else "seconds")
