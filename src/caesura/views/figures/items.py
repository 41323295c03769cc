"""Figures of single items: coders as rows and segments as blocks, and values per item."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.agreement.pairwise import Pairwise
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import streams_of
from caesura.model.segmentation import Segmentation
from caesura.views.figures import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_ROWS = 200
"""Largest number of rows of one figure."""
_SHADES = ("#D9D9D9", "#F2F2F2")


def segments(corpus: Corpus, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the segments of every coder: one row per coder, one block per segment.

    Parameters
    ----------
    corpus : Corpus
        Segmentations or dialogues; each item, or each speaker of an item, has axes of its own.
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
    rows = sum(len(texts) for texts in panels.values())
    if not rows:
        raise OptionError("expected at least one segmentation; the corpus has none")
    if rows > MAX_ROWS:
        raise OptionError(f"the figure would have {rows} rows, and {MAX_ROWS} is the limit; choose items with --item")
    types = list(dict.fromkeys(name for texts in panels.values() for text in texts.values() for name in text.types))
    colours = {name: canvas.COLOURS[i % len(canvas.COLOURS)] for i, name in enumerate(types)} if len(types) > 1 else {}
    heights = [max(len(texts), 1) for texts in panels.values()]
    with canvas.new_figure(width, 0.45 + 0.17 * rows + 0.38 * len(panels), title) as figure:
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
        for i, (name, texts) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[i])
            _draw_rows(axes, texts, colours)
            if len(panels) > 1:
                axes.set_title(canvas.wrap_label(name, width * 0.8), loc="left")
            if i == len(panels) - 1:
                axes.set_xlabel("unit")
        if colours:
            handles = [axes.plot([], [], color=colour, label=name)[0] for name, colour in colours.items()]
            figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return figure


def _panels(corpus: Corpus) -> dict[str, Mapping[str, Segmentation]]:
    """Return the segmentations of every coder, by item and speaker."""
    panels: dict[str, dict[str, Segmentation]] = {}
    for (item, coder), annotation in corpus.items():
        for stream, text in streams_of(annotation).items():
            panels.setdefault(f"{item}: {stream}" if stream else item, {})[coder] = text
    return panels  # type: ignore[return-value]


def _draw_rows(axes: Axes, texts: Mapping[str, Segmentation], colours: Mapping[str, str]) -> None:
    length = max(text.length for text in texts.values())
    for row, text in enumerate(texts.values()):
        edges = [0, *text.inner, text.length]
        bars = [(start, end - start) for start, end in itertools.pairwise(edges)]
        axes.broken_barh(bars, (row - 0.4, 0.8), facecolors=[_SHADES[i % 2] for i in range(len(bars))])
        for position, kind in text.boundaries:
            if position < text.length:
                colour = colours.get(kind, "black")
                axes.plot(
                    [position, position], [row - 0.4, row + 0.4], color=colour, linewidth=1, solid_capstyle="butt"
                )
    axes.set_xlim(0, length)
    axes.set_ylim(len(texts) - 0.5, -0.5)
    canvas.label_rows(axes, list(texts))
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
    if len(names) > MAX_ROWS:
        raise OptionError(
            f"the figure would have {len(names)} rows, and {MAX_ROWS} is the limit; choose items with --item"
        )
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
        axes.set_ylim(len(names) - 0.5, -0.5)
        canvas.label_rows(axes, names)
        axes.set_xlabel("mean over pairs of coders")
        figure.legend(loc="outside lower center", ncols=min(len(tables), 4))
    return figure
