"""Annotations as rows of blocks over one axis of units or seconds: a small drawing for notebooks, without script."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.views.table import clean, shorten

WIDTH = 640
NAME_WIDTH = 110
ROW_HEIGHT = 18
LEVEL_HEIGHT = 13
# Bars of a drawing; a drawing of more would make a notebook slow.
MAX_BARS = 3000
_LABEL_SIZE = 6  # pixels per character

# Start, end, level (from 1) and label.
Bar = tuple[float, float, int, str]


@dataclass(frozen=True)
class Row:
    name: str
    bars: tuple[Bar, ...]
    extent: tuple[float, float]  # beginning and end of the text or recording
    in_seconds: bool = False  # whether places are seconds, not units

    @property
    def depth(self) -> int:
        return max((level for _, _, level, _ in self.bars), default=1)

    @property
    def height(self) -> float:
        return ROW_HEIGHT if self.depth == 1 else LEVEL_HEIGHT * min(self.depth, 12) + 4


def rows_of(annotations: Mapping[str, Annotation]) -> list[Row]:
    """Return the rows of the annotations of an item: one per coder, or one per speaker and coder."""
    streams: dict[str, list[Row]] = {}
    for coder, annotation in annotations.items():
        if isinstance(annotation, Dialogue):
            for stream, text in annotation.items():
                name = f"{stream} · {coder}" if coder else stream
                streams.setdefault(stream, []).append(_row(name, text))
        elif isinstance(annotation, Segmentation | Hierarchy | Tier | Spans):
            streams.setdefault("", []).append(_row(coder, annotation))
    return [row for rows in streams.values() for row in rows]


def _row(name: str, annotation: Segmentation | Hierarchy | Tier | Spans) -> Row:
    if isinstance(annotation, Segmentation):
        return Row(name, tuple(_segments(annotation)), (0, annotation.length))
    if isinstance(annotation, Spans):
        return Row(name, tuple(_lanes(annotation)), annotation.extent, annotation.axis == "seconds")
    bars = tuple((start, end, level, label or "") for start, end, label, level in annotation.ranges)
    return Row(name, bars, annotation.axis.extent, annotation.axis.seconds)


def _segments(segmentation: Segmentation) -> Iterable[Bar]:
    """Yield the segments; the type of a boundary labels the segment that it ends."""
    types: dict[int, list[str]] = {}
    for position, name in segmentation.boundaries:
        types.setdefault(position, []).extend([] if name in UNTYPED else [name])
    for start, end in pairwise(accumulate(segmentation.masses, initial=0)):
        yield (start, end, 1, "+".join(types.get(end, ())))


def _lanes(spans: Spans) -> Iterable[Bar]:
    """Yield the spans, each on the first level on which it overlaps no earlier one."""
    ends: list[float] = []
    for span in spans.spans:
        lane = next((i for i, end in enumerate(ends) if end <= span.start), len(ends))
        ends[lane : lane + 1] = [span.end]
        yield (span.start, span.end, lane + 1, span.category or "")


def timeline_svg(rows: Sequence[Row]) -> str:
    rows = [row for row in rows if row.in_seconds == rows[0].in_seconds]
    if not rows or sum(len(row.bars) for row in rows) > MAX_BARS:
        return ""
    begin, end = min(row.extent[0] for row in rows), max(row.extent[1] for row in rows)
    left = NAME_WIDTH if any(row.name for row in rows) else 0
    scale = (WIDTH - left) / max(end - begin, 1e-9)
    tops = list(accumulate((row.height for row in rows), initial=0.0))
    parts = [part for row, top in zip(rows, tops, strict=False) for part in _draw_row(row, top, left, begin, scale)]
    unit = " s" if rows[0].in_seconds else ""
    y = tops[-1] + 12
    parts.append(f'<text x="{left}" y="{y:g}">{begin:g}{unit}</text>')
    parts.append(f'<text x="{WIDTH}" y="{y:g}" text-anchor="end">{end:g}{unit}</text>')
    names = ", ".join(row.name for row in rows if row.name)
    label = html.escape(clean(f"segments of {names}" if names else "segments"))  # for a screen reader
    style = f'style="max-width:100%;width:{WIDTH}px" font-family="sans-serif" font-size="11" fill="currentColor"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 4:g}" role="img" aria-label="{label}" {style}>'
        f"{''.join(parts)}</svg>"
    )


def _draw_row(row: Row, top: float, left: float, begin: float, scale: float) -> Iterable[str]:
    """Yield the name of a row, its bars and the lines between them."""
    # left: where the axis begins, in pixels; begin: where the text or recording begins; scale: pixels per unit or second
    height = (row.height - 4) / row.depth
    if row.name:
        yield f'<text x="0" y="{top + 13:g}">{html.escape(shorten(clean(row.name), 16))}</text>'
    counts: dict[int, int] = {}
    for start, end, level, label in row.bars:
        counts[level] = counts.get(level, 0) + 1
        x, width = left + (start - begin) * scale, (end - start) * scale
        y = top + 2 + (level - 1) * height
        if width:
            opacity = 0.12 if counts[level] % 2 else 0.26
            box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height - 1, 1):.1f}"'
            yield f'<rect {box} fill-opacity="{opacity}"/>'
        if start > begin:
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y:.1f}" y2="{y + height - 1:.1f}" stroke="currentColor"/>'
        characters = int((width - 4) // _LABEL_SIZE)
        if label and height >= 9 and characters >= min(len(label), 3):
            text = html.escape(shorten(clean(label), max(characters, 1)))
            yield f'<text x="{x + 3:.1f}" y="{y + height / 2 + 3.5:.1f}" font-size="10">{text}</text>'
