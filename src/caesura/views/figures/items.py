"""Figures of single items: coders as rows and segments as blocks, and values per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caesura.agreement.pairwise import Pairwise
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.views.figures import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Largest number of rows of one figure.
MAX_ROWS = 200
# Largest number of boundaries in one figure.
MAX_BOUNDARIES = 15_000
_SHADES = ("#D9D9D9", "#F2F2F2")


def segments(corpus: Corpus, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the segments of every coder: one row per coder, one block per segment.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, tiers in seconds, or dialogues of them; each item, or each speaker, has axes of its own.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure. Boundaries that coders share form straight lines; types have colours and letters in a legend.

    Raises
    ------
    OptionError
        If there is nothing to draw, or too much for one figure.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> figure = segments(stargazer())
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()][:3]
    ['1', '2', '3']
    """
    panels = _panels(canvas.check_type(corpus, Corpus, "segments"))
    canvas.check_width(width)
    rows = sum(map(len, panels.values()))
    if not rows:
        raise OptionError("expected at least one segmentation; the corpus has none")
    _check_rows(rows)
    boundaries = sum(len(row.boundaries) for texts in panels.values() for row in texts.values())
    canvas.check_count(boundaries, MAX_BOUNDARIES, "boundaries")
    colours = _colours_of_types(row for texts in panels.values() for row in texts.values())
    heights = [max(len(texts), 1) for texts in panels.values()]
    with canvas.new_figure(width, 0.45 + 0.17 * rows + 0.38 * len(panels), title) as figure:
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
        for i, (name, texts) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[i])
            _draw_rows(axes, texts, colours)
            if len(panels) > 1:
                axes.set_title(canvas.wrap_label(name, width * 0.8), loc="left")
            if i == len(panels) - 1:
                axes.set_xlabel("seconds" if any(row.timed for row in texts.values()) else "unit")
        if colours:
            handles = [axes.plot([], [], color=colour, label=name)[0] for name, colour in colours.items()]
            figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return figure


def _check_rows(rows: int) -> None:
    if rows > MAX_ROWS:
        raise OptionError(f"the figure would have {rows} rows, and {MAX_ROWS} is the limit; choose items with --item")


class _Row(NamedTuple):
    """One coder's segments: the ends of the axis, and the places of boundaries with their types."""

    begin: float
    end: float
    boundaries: tuple[tuple[float, str], ...]
    timed: bool


def _row(text: object) -> _Row | None:
    """Return the segments of a segmentation or tier; None for other annotations."""
    if isinstance(text, Segmentation):
        inner = tuple((float(place), kind) for place, kind in text.boundaries if place < text.length)
        return _Row(0.0, float(text.length), inner, False)
    if isinstance(text, Tier):
        edges = text.edges
        return _Row(edges.begin, edges.end, tuple((float(place), "") for place in edges.inner), True)
    return None


def _colours_of_types(rows: Iterable[_Row]) -> dict[str, str]:
    """Return a colour for every boundary type; none if there is only one type."""
    types = list(dict.fromkeys(kind for row in rows for _, kind in row.boundaries))
    if len(types) < 2:
        return {}
    return {name: canvas.COLOURS[i % len(canvas.COLOURS)] for i, name in enumerate(types)}


def _panels(corpus: Corpus) -> dict[str, dict[str, _Row]]:
    panels: dict[str, dict[str, _Row]] = {}
    for (item, coder), annotation in corpus.items():
        streams = annotation if isinstance(annotation, Mapping) else {"": annotation}
        for stream, text in streams.items():
            row = _row(text)
            if row is not None:
                panels.setdefault(f"{item}: {stream}" if stream else item, {})[coder] = row
    return panels


def _draw_rows(axes: Axes, rows: Mapping[str, _Row], colours: Mapping[str, str]) -> None:
    for place, row in enumerate(rows.values()):
        edges = [row.begin, *dict.fromkeys(at for at, _ in row.boundaries), row.end]
        bars = [(start, end - start) for start, end in pairwise(edges)]
        axes.broken_barh(bars, (place - 0.4, 0.8), facecolors=[_SHADES[i % 2] for i in range(len(bars))])
        for at, kind in row.boundaries:
            colour = colours.get(kind, "black")
            axes.plot([at, at], [place - 0.4, place + 0.4], color=colour, linewidth=1, solid_capstyle="butt")
    axes.set_xlim(min(row.begin for row in rows.values()), max(row.end for row in rows.values()))
    canvas.label_rows(axes, list(rows))
    if not any(row.timed for row in rows.values()):
        canvas.integer_ticks(axes.xaxis)


def items(tables: Sequence[Pairwise], *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the value of every item under one or several measures, the mean over pairs of coders.

    Parameters
    ----------
    tables : sequence of Pairwise
        One result of :func:`caesura.pairwise` per measure, over the same items.
    width : float, default 3.3
        Width in inches.
    title : str, optional
        Title above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure: items from the lowest to the highest value of the first measure, with the deviation over pairs as bars.

    Examples
    --------
    >>> import caesura as cz
    >>> from caesura.data import stargazer
    >>> figure = items([cz.pairwise(stargazer(), "boundary_similarity")])
    >>> figure.axes[0].get_xlabel()
    'mean over pairs of coders'
    """
    if not isinstance(tables, Sequence) or not tables:
        raise OptionError(f"items: expected one or several results of cz.pairwise; got {tables!r}")
    first = canvas.check_type(tables[0], Pairwise, "items")
    canvas.check_width(width)
    order = sorted(range(len(first.items)), key=lambda i: first.items[i].mean)
    names = [first.items[i].item for i in order]
    _check_rows(len(names))
    with canvas.new_axes(width, 0.8 + 0.17 * max(len(names), 2) + 0.15 * len(tables), title) as (figure, axes):
        for number, table in enumerate(tables):
            rows = {row.item: row for row in table.items}
            shown = [(place, rows[name]) for place, name in enumerate(names) if name in rows]
            offset = (number - (len(tables) - 1) / 2) * 0.2
            axes.errorbar(
                [row.mean for _, row in shown],
                [place + offset for place, _ in shown],
                xerr=[row.deviation for _, row in shown],
                fmt=canvas.MARKERS[number % len(canvas.MARKERS)],
                color=canvas.COLOURS[number % len(canvas.COLOURS)],
                markersize=3.5,
                elinewidth=0.6,
                label=table.measure.label,
            )
        canvas.label_rows(axes, names)
        axes.set_xlabel("mean over pairs of coders")
        figure.legend(loc="outside lower center", ncols=min(len(tables), 4))
    return figure
