"""Figures of spans: the best alignment of the spans of several coders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from caesura.agreement.gamma_alignment import ItemAlignment
from caesura.errors import OptionError
from caesura.model.spans import MarkedSpan
from caesura.views.figures import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LINES = 60
# Categories with a look of their own; if there are more, all but the most frequent ones share one.
MAX_CATEGORIES = 12
_UNITS_PER_INCH = 4
_BAR = 0.62  # height of a row's bars


def alignment(result: ItemAlignment, *, width: float = canvas.COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw the best alignment of one item: one row of spans per coder, with lines between aligned spans.

    Parameters
    ----------
    result : ItemAlignment
        The alignment, from ``agreement(...).alignment[item]`` or :func:`caesura.best_span_alignment`.
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
    Colour and hatch are the category; if there are more than twelve, all but the most frequent eleven are light grey. Spans
    that stand alone have a dashed frame. Long items continue on further lines. The spans of one coder that overlap share the
    height of the row.

    Examples
    --------
    >>> import caesura as cz
    >>> a, b = cz.Spans([(0, 4, "x"), (6, 9, "y"), (11, 15, "x")]), cz.Spans([(0, 5, "x"), (6, 9, "x"), (20, 22, "y")])
    >>> corpus = cz.Corpus({"t": {"a": a, "b": b}})
    >>> figure = alignment(cz.best_span_alignment(corpus)["t"])
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['a', 'b']
    """
    canvas.check_type(result, ItemAlignment, "agreement")
    spans = [span for unitary in result.unitary for span in unitary.units if span is not None]
    if not spans:
        raise OptionError("expected at least one span; nobody marked anything")
    low, high = min(span.start for span in spans), max(span.end for span in spans)
    columns = max(sum(unitary.units[k] is not None for unitary in result.unitary) for k in range(len(result.coders)))
    lines = max(1, math.ceil(columns / (_UNITS_PER_INCH * canvas.check_width(width))))
    canvas.check_count(lines, MAX_LINES, "lines")
    length = (high - low) / lines or 1.0
    rows = len(result.coders)
    with canvas.new_axes(width, 0.75 + lines * (rows + 0.8) * 0.24, title) as (figure, axes):
        looks = _looks(spans)
        places = [_places([unitary.units[k] for unitary in result.unitary]) for k in range(rows)]
        for line in range(lines):
            _draw_line(axes, result, looks, places, (low + line * length, length), line * (rows + 0.8))
        axes.set_xlim(0, length)
        axes.set_ylim(lines * (rows + 0.8) - 0.8, -0.6)
        axes.set_yticks([line * (rows + 0.8) + k for line in range(lines) for k in range(rows)])
        axes.set_yticklabels([canvas.label_text(coder) for _ in range(lines) for coder in result.coders])
        axes.set_xlabel("position" if lines == 1 else f"position in the line ({length:.4g} per line)")
        _add_legend(axes, looks)
    return figure


_Look = tuple[str, str]  # colour and hatch
_OTHER: _Look = ("#D9D9D9", "")


def _looks(spans: Sequence[MarkedSpan]) -> dict[str | None, _Look]:
    """Return how the spans of each category look, in the order of the names."""
    counts = Counter(span.category for span in spans)
    names = sorted(counts, key=lambda name: (name is None, name or ""))
    shown = names
    if len(names) > MAX_CATEGORIES:
        shown = sorted(sorted(names, key=lambda name: -counts[name])[: MAX_CATEGORIES - 1], key=names.index)
    looks = {
        name: (canvas.COLOURS[k % len(canvas.COLOURS)], canvas.HATCHES[k % len(canvas.HATCHES)])
        for k, name in enumerate(shown)
    }
    return {name: looks.get(name, _OTHER) for name in names}


def _draw_line(
    axes: Axes,
    result: ItemAlignment,
    looks: Mapping[str | None, _Look],
    places: _Places,
    part: tuple[float, float],
    top: float,
) -> None:
    """Draw the spans that begin in one part of the item, and the lines between them."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    links = []
    for unitary, where in zip(result.unitary, zip(*places, strict=True), strict=True):
        alone = sum(span is not None for span in unitary.units) == 1
        middles = []
        for k, (span, place) in enumerate(zip(unitary.units, where, strict=True)):
            if span is None or not span.start < part[0] + part[1] or span.end < part[0]:
                continue
            lane, lanes = place
            height = _BAR / lanes
            y = top + k - _BAR / 2 + height * (lane + 0.5)
            colour, hatch = looks[span.category]
            bar = Rectangle(
                (span.start - part[0], y - height * 0.46),
                max(span.end - span.start, part[1] / 400),
                height * 0.92,
                facecolor=colour,
                hatch=hatch,
                edgecolor="black",
                linewidth=0.5,
                linestyle="--" if alone else "-",
                alpha=0.55 if alone else 1.0,
            )
            axes.add_artist(bar)  # which, unlike add_patch, does not compute new limits
            middles.append(((span.start + span.end) / 2 - part[0], y, height / 2))
        links += [
            ((x, y + half), (next_x, next_y - next_half))
            for (x, y, half), (next_x, next_y, next_half) in pairwise(middles)
        ]
    axes.add_collection(LineCollection(links, colors=canvas.GREY, linewidths=0.9, capstyle="projecting", zorder=0))


_Places = Sequence[Sequence[tuple[int, int]]]  # lane and number of lanes of each span, by coder


def _places(spans: Sequence[MarkedSpan | None]) -> list[tuple[int, int]]:
    """Return for each span of a coder its lane and the number of lanes, so that overlapping spans do not hide each other."""
    ends: list[float] = []
    lane = {}
    listed = [(span, i) for i, span in enumerate(spans) if span is not None]
    for span, i in sorted(listed, key=lambda entry: entry[0]):
        free = next((k for k, end in enumerate(ends) if end <= span.start), len(ends))
        ends[free : free + 1] = [span.end]
        lane[i] = free
    return [(lane.get(i, 0), max(len(ends), 1)) for i in range(len(spans))]


def _add_legend(axes: Axes, looks: Mapping[str | None, _Look]) -> None:
    if len(looks) < 2:
        return
    from matplotlib.patches import Patch

    own = {name: look for name, look in looks.items() if look != _OTHER}
    entries = [("no category" if name is None else canvas.label_text(name), look) for name, look in own.items()]
    if len(own) < len(looks):
        entries.append((f"{len(looks) - len(own):,} other categories", _OTHER))
    patches = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="black", linewidth=0.5, label=label)
        for label, (colour, hatch) in entries
    ]
    axes.legend(
        handles=patches, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(patches), 4), frameon=False
    )
