"""A heat map in characters: a bar a position."""

from __future__ import annotations

from caesura.agreement.heat import HeatMap
from caesura.model.marks import Marks
from caesura.report.alignment import clean

__all__ = ["draw_heat"]

_BARS = " ▁▂▃▄▅▆▇█"


def draw_heat(found: HeatMap, *, width: int = 100) -> str:
    """For each item a row of bars, as high as the share of coders who marked the position, wrapped at ``width``."""
    lines = []
    for item in found:
        one = found[item]
        lines.append(f"{clean(item)}: {one.coders} coders, {one.length} units; a full bar is all of them")
        lines += _rows(one, max(10, width - 8))
    return "\n".join(lines)


def _rows(one: Marks, width: int) -> list[str]:
    counts = one.counts.tolist()
    # From one coder up there is a bar to see, and only all of them fill it.
    bars = "".join(_BARS[0 if n == 0 else 1 + (n - 1) * 7 // max(1, one.coders - 1)] for n in counts)
    rows = []
    for start in range(0, len(bars), width):
        part = bars[start : start + width]
        if part.strip():
            rows.append(f"{start + 1:>7} {part.rstrip()}")
    return rows or ["        nobody placed a boundary"]
