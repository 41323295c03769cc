"""A gold standard made from several hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import MismatchError, OptionError
from caesura.gold.result import Gold
from caesura.model.hierarchy import Hierarchy, Span
from caesura.views.figures.canvas import COLOURS, SIZE, drawing, few, name, needed, whole_numbers, wide_enough
from caesura.views.table import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gold"]

WIDTH = 5.0
MOST_SPANS = 2000
MOST_LANES = 200


class _Bar(NamedTuple):
    start: int
    end: int
    level: int
    label: str | None
    kept: bool


def _bar(span: Span, kept: bool) -> _Bar:
    return _Bar(span.start, span.end, span.level, span.label, kept)


def gold(
    gold: Gold,
    hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None = None,
    *,
    width: float = WIDTH,
    title: str | None = None,
) -> Figure:
    """The gold as nested bars, the widest on top, and below it what was drawn but is not in it, grey and hatched.

    With the ``hierarchies`` that it was made from, over the same units, each coder has a panel of their own, in which spans of
    the gold are coloured and the others grey (Figures 1 to 5 of Carbone et al. 2004). Where units have times, the axis has.

    >>> import caesura as cz
    >>> drawn = {"a": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6)]), "b": cz.Hierarchy(8, [(1, 8), (1, 4), (5, 8)])}
    >>> figure = gold(cz.unify(drawn, method="consensus"), drawn)
    >>> [axes.get_ylabel() for axes in figure.axes], [len(axes.patches) for axes in figure.axes]
    (['gold', 'a', 'b'], [1, 3, 3])
    """
    needed(gold, Gold, "unify")
    panels = _panels(gold, hierarchies)
    few([bar for _, bars in panels for bar in bars], MOST_SPANS, "spans")
    laned = [_lanes(bars) for _, bars in panels]
    lanes = [max((lane for lane, _ in placed), default=0) + 1 for placed in laned]
    few(range(sum(lanes)), MOST_LANES, "rows of spans")
    rows = {(bar.start, bar.end): lane for lane, bar in laned[0]}
    edges = gold.hierarchy.edges or range(1, gold.hierarchy.length + 2)
    with drawing(
        wide_enough(width), 0.5 + sum(0.19 * n + 0.12 for n in lanes) + (0.2 if title else 0), title
    ) as figure:
        grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=[n + 0.4 for n in lanes])[:, 0]
        points = 0.85 * width * 72 / (edges[-1] - edges[0])
        for axes, (said, _), placed, n in zip(grid, panels, laned, lanes, strict=True):
            _panel(axes, placed, edges, points, rows)
            axes.set_ylim(n - 0.4, -0.6)
            axes.set_ylabel(name(said, 20), rotation=0, ha="right", va="center")
        grid[-1].spines["bottom"].set_visible(True)
        grid[-1].tick_params(axis="x", bottom=True, labelbottom=True)
        if gold.hierarchy.edges is None:
            grid[-1].set_xlim(0.5, gold.hierarchy.length + 0.5)
            whole_numbers(grid[-1].xaxis)
        else:
            grid[-1].set_xlim(edges[0], edges[-1])
        grid[-1].set_xlabel("unit" if gold.hierarchy.edges is None else "seconds")
    return figure


def _panels(
    gold: Gold, hierarchies: Mapping[str, Hierarchy] | Iterable[Hierarchy] | None
) -> list[tuple[str, list[_Bar]]]:
    """The gold, and what is shown below it."""
    kept = [_bar(one.span, True) for one in gold.included]
    panels = [("gold", kept)]
    if hierarchies is None:
        if gold.dropped:
            panels.append(("dropped", [_bar(one.span, False) for one in gold.dropped]))
        return panels
    if not isinstance(hierarchies, Mapping):
        listed = list(hierarchies)
        if len(listed) != len(gold.coders):
            raise OptionError(f"a hierarchy a coder of the gold is needed, {len(gold.coders)}; got {len(listed)}")
        hierarchies = dict(zip(gold.coders, listed, strict=True))
    full = gold.level == "full"
    inside = {(bar.start, bar.end, bar.level if full else 0) for bar in kept}
    for coder, one in hierarchies.items():
        needed(one, Hierarchy, "Hierarchy or read")
        if one.length != gold.hierarchy.length:
            raise MismatchError(
                f"coder {coder!r}: the gold has {gold.hierarchy.length} units, this hierarchy {one.length}; "
                "common_units puts hierarchies over the same"
            )
        drawn = [_bar(span, (span.start, span.end, span.level if full else 0) in inside) for span in one.spans]
        panels.append((str(coder), drawn))
    return panels


def _lanes(bars: Sequence[_Bar]) -> list[tuple[int, _Bar]]:
    """The row of each: its level, or the first below that has room, since spans of several coders may cross."""
    taken: list[int] = []  # the last unit in each row
    placed = []
    depths = {level: place for place, level in enumerate(sorted({bar.level for bar in bars}))}
    for bar in sorted(bars, key=lambda bar: (bar.start, -bar.end, bar.level)):
        lane = depths[bar.level]
        while lane < len(taken) and taken[lane] >= bar.start:
            lane += 1
        taken += [0] * (lane + 1 - len(taken))
        taken[lane] = bar.end
        placed.append((lane, bar))
    return placed


def _panel(
    axes: Axes, placed: list[tuple[int, _Bar]], edges: Sequence[float], points: float, rows: dict[tuple[int, int], int]
) -> None:
    """Bars, and their labels where these have room; ``points`` is how wide one unit of the axis is.

    A span has the colour of its row in the gold, wherever it stands.
    """
    half = 0.5 if isinstance(edges, range) else 0.0  # unit 1 stands from 0.5 to 1.5
    for lane, bar in placed:
        left, right = edges[bar.start - 1] - half, edges[bar.end] - half
        colour, hatch = (COLOURS[rows[bar.start, bar.end] % 5], "") if bar.kept else ("#E2E2E2", "////")
        edge = "black" if bar.kept else "#9A9A9A"
        axes.barh(
            lane,
            right - left,
            left=left,
            height=0.8,
            color=colour,
            hatch=hatch,
            edgecolor=edge,
            linewidth=0.5,
            alpha=0.75 if bar.kept else 1,
        )
        room = int((right - left) * points / (0.6 * (SIZE - 1.5)))
        if bar.label and room > min(2, text_width(bar.label)):
            axes.text(
                (left + right) / 2,
                lane,
                name(bar.label, room),
                ha="center",
                va="center",
                fontsize=SIZE - 1.5,
                color="black" if bar.kept else "#555555",
                clip_on=True,
            )
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
