"""Two segmentations under each other, with what happened to every boundary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from caesura.model.score import Edit
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.views.table import Table, clean, pad, text_width

__all__ = ["LEGEND", "draw", "draw_text", "edit_table"]

LEGEND = "= match   - only in the first   + only in the second   > moved from   < moved to   ~ other type"

_SIGN = {"match": "=", "deletion": "-", "insertion": "+", "substitution": "~"}


@dataclass
class _Column:
    """What stands in the three lines at one place."""

    first: str
    second: str
    sign: str

    @property
    def width(self) -> int:
        return max(text_width(self.first), text_width(self.second), len(self.sign))


def draw_text(
    a: Segmentation | Mapping[str, Segmentation],
    b: Segmentation | Mapping[str, Segmentation],
    edits: Sequence[Edit],
    *,
    sides: tuple[str, str] = ("REF", "HYP"),
    width: int = 78,
) -> str:
    """A text or, stream by stream, a dialogue."""
    if isinstance(a, Segmentation) and isinstance(b, Segmentation):
        return draw(a, b, edits, sides=sides, width=width)
    assert isinstance(a, Mapping)
    assert isinstance(b, Mapping)
    return "\n\n".join(
        f"{clean(stream)}\n"
        + draw(a[stream], b[stream], [e for e in edits if e.stream == stream], sides=sides, width=width)
        for stream in a
    )


def draw(
    a: Segmentation, b: Segmentation, edits: Sequence[Edit], *, sides: tuple[str, str] = ("REF", "HYP"), width: int = 78
) -> str:
    """Three lines: the first side, the second, and a sign under every boundary of either.

    >>> from caesura import boundary_similarity
    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> print(draw(a, b, boundary_similarity(a, b).edits))
    REF  ··|·· ·|······
    HYP  ··|··|· ······
           =  < >
    """
    label = max(map(text_width, sides))
    room = max(20, width - label - 2)
    lines: list[str] = []
    line: list[_Column] = []
    used = 0
    for column in _columns(a, b, edits):
        if line and used + column.width > room:
            lines += _three(line, sides, label)
            line, used = [], 0
        line.append(column)
        used += column.width
    lines += _three(line, sides, label)
    return "\n".join(lines).rstrip("\n")


def _three(line: Iterable[_Column], sides: tuple[str, str], label: int) -> list[str]:
    line = list(line)
    rows = [
        pad(name, label) + "  " + "".join(pad(text, column.width) for column, text in cells)
        for name, cells in (
            (sides[0], [(c, c.first) for c in line]),
            (sides[1], [(c, c.second) for c in line]),
            ("", [(c, c.sign) for c in line]),
        )
    ]
    return [*(row.rstrip() for row in rows), ""]


def _columns(a: Segmentation, b: Segmentation, edits: Sequence[Edit]) -> Iterable[_Column]:
    signs: dict[int, list[str]] = {}
    for edit in edits:
        if edit.kind in _SIGN:
            signs.setdefault(edit.position, []).append(_SIGN[edit.kind])
        else:
            signs.setdefault(edit.a_position or 0, []).append(">")
            signs.setdefault(edit.b_position or 0, []).append("<")
    first, second = _marks(a), _marks(b)
    text = a.units if a.units is not None else b.units
    end = 0
    for position in sorted({*signs, a.length}):
        for unit in range(end, position):
            shown = "·" if text is None else clean(text[unit])
            yield _Column(shown, shown, "")
            if text is not None and unit + 1 < position:
                yield _Column(" ", " ", "")
        if position in signs:
            space = " " if text is not None else ""
            yield _Column(
                space + first.get(position, "") + space,
                space + second.get(position, "") + space,
                space + "".join(signs[position]),
            )
        end = position


def _marks(one: Segmentation) -> dict[int, str]:
    if one.types == UNTYPED:
        return dict.fromkeys(one.inner.tolist(), "|")
    marks: dict[int, list[str]] = {}
    for position, name in one.boundaries:
        marks.setdefault(position, []).append(name)
    return {position: "{" + "+".join(map(clean, names)) + "}" for position, names in marks.items()}


def edit_table(edits: Sequence[Edit], sides: tuple[str, str]) -> Table:
    """A row for every boundary, or pair of them."""
    typed = any(name not in (None, *UNTYPED) for edit in edits for name in (edit.a_type, edit.b_type))
    streams = any(edit.stream is not None for edit in edits)
    columns = [
        *(["stream"] if streams else []),
        "what happened",
        sides[0],
        sides[1],
        *([f"{sides[0]} type", f"{sides[1]} type"] if typed else []),
        "cost",
    ]
    rows = [
        (
            *([edit.stream] if streams else ()),
            edit.kind,
            edit.a_position,
            edit.b_position,
            *((edit.a_type, edit.b_type) if typed else ()),
            float(edit.cost),
        )
        for edit in edits
    ]
    return Table(tuple(columns), tuple(rows))
