"""Two segmentations one below the other, with a sign for every edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caesura.model.score import Edit
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.views.table import Cell, Table, clean, pad, text_width

LEGEND = "= match   - only in the first   + only in the second   > moved from   < moved to   ~ different type"

_SIGN = {"match": "=", "deletion": "-", "insertion": "+", "substitution": "~"}


@dataclass(frozen=True)
class _Column:
    """The texts of the three lines at one place."""

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
    """Return the drawing of a text or, stream by stream, of a dialogue.

    Parameters
    ----------
    a, b : Segmentation or mapping of stream to Segmentation
        The two sides, over the same units.
    edits : sequence of Edit
        The edits between them.
    sides : tuple of str, default ("REF", "HYP")
        Names of the two sides.
    width : int, default 78
        Characters per line.

    Returns
    -------
    str
        Three lines, or more if the text is long.
    """
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
    """Return three lines: the first side, the second side, and a sign below every boundary of either.

    Parameters
    ----------
    a, b : Segmentation
        The two sides, over the same units.
    edits : sequence of Edit
        The edits between them.
    sides : tuple of str, default ("REF", "HYP")
        Names of the two sides.
    width : int, default 78
        Characters per line; longer texts continue in three more lines.

    Returns
    -------
    str
        The lines.

    Examples
    --------
    >>> from caesura import boundary_similarity
    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> print(draw(a, b, boundary_similarity(a, b).edits))
    REF  ··|·· ·|······
    HYP  ··|··|· ······
           =  < >
    """
    label_width = max(map(text_width, sides))
    line_width = max(20, width - label_width - 2)
    lines: list[str] = []
    line: list[_Column] = []
    occupied = 0
    for column in _columns(a, b, edits):
        if line and occupied + column.width > line_width:
            lines += _three_lines(line, sides, label_width)
            line, occupied = [], 0
        line.append(column)
        occupied += column.width
    lines += _three_lines(line, sides, label_width)
    return "\n".join(lines).rstrip("\n")


def _three_lines(columns: Sequence[_Column], sides: tuple[str, str], label_width: int) -> list[str]:
    texts = (
        (sides[0], [column.first for column in columns]),
        (sides[1], [column.second for column in columns]),
        ("", [column.sign for column in columns]),
    )
    rows = [
        pad(label, label_width)
        + "  "
        + "".join(pad(cell, column.width) for cell, column in zip(cells, columns, strict=True))
        for label, cells in texts
    ]
    return [*(row.rstrip() for row in rows), ""]


def _columns(a: Segmentation, b: Segmentation, edits: Sequence[Edit]) -> Iterator[_Column]:
    signs = _signs(edits)
    first, second = _marks(a), _marks(b)
    units = a.units if a.units is not None else b.units
    space = "" if units is None else " "
    end = 0
    for position in sorted({*signs, a.length}):
        for unit in range(end, position):
            text = "·" if units is None else clean(units[unit])
            yield _Column(text, text, "")
            if units is not None and unit + 1 < position:
                yield _Column(" ", " ", "")
        if position in signs:
            yield _Column(
                space + first.get(position, "") + space,
                space + second.get(position, "") + space,
                space + signs[position],
            )
        end = position


def _signs(edits: Sequence[Edit]) -> dict[int, str]:
    """Return position -> the signs of the edits there; a move has one at each end."""
    signs: dict[int, str] = {}
    for edit in edits:
        if edit.kind in _SIGN:
            ends = [(edit.position, _SIGN[edit.kind])]
        else:
            ends = [(edit.a_position or 0, ">"), (edit.b_position or 0, "<")]
        for position, sign in ends:
            signs[position] = signs.get(position, "") + sign
    return signs


def _marks(segmentation: Segmentation) -> dict[int, str]:
    """Return position -> a bar, or the types in braces."""
    if segmentation.types == UNTYPED:
        return dict.fromkeys(segmentation.inner.tolist(), "|")
    marks: dict[int, list[str]] = {}
    for position, name in segmentation.boundaries:
        marks.setdefault(position, []).append(name)
    return {position: "{" + "+".join(map(clean, names)) + "}" for position, names in marks.items()}


def edit_table(edits: Sequence[Edit], sides: tuple[str, str]) -> Table:
    """Return one row per edit: a boundary, or a pair of boundaries.

    Parameters
    ----------
    edits : sequence of Edit
        The edits between two sides.
    sides : tuple of str
        Names of the two sides.

    Returns
    -------
    Table
        Positions, types and cost; a column for streams only if there are some.
    """
    first, second = sides
    typed = any(name not in (None, *UNTYPED) for edit in edits for name in (edit.a_type, edit.b_type))
    streams = any(edit.stream is not None for edit in edits)
    columns = [
        *(["stream"] if streams else []),
        "edit",
        first,
        second,
        *([f"{first} type", f"{second} type"] if typed else []),
        "cost",
    ]
    rows: list[tuple[Cell, ...]] = [
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
