"""Tables as text that fits a terminal: columns side by side if they fit, otherwise one paragraph per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from caesura.views.table import ALL_ROWS, Table, clean, pad, text_width

# Function of a text and the name of a style (``"bold"`` or ``"dim"``) that returns the styled text.
Style = Callable[[str, str], str]

# Blanks between two columns, and before the first.
GAP = "  "
# Smallest width of a column of sentences; a narrower one would be hard to read.
MIN_PROSE = 20
# Rows of a table that is printed as text; JSON, CSV, LaTeX and Markdown have all rows.
MAX_TEXT_ROWS = 1_000


def plain(text: str, style: str) -> str:
    """Return the text without a style, for files and pipes."""
    return text


def table_text(table: Table, width: int, style: Style = plain) -> str:
    """Return a table as text of at most ``width`` columns, without its empty columns."""
    limit = MAX_TEXT_ROWS if table.limit is None else min(table.limit, MAX_TEXT_ROWS)
    hidden = max(0, len(table.rows) - limit)
    complete = f"; {ALL_ROWS}" if limit == MAX_TEXT_ROWS else ""
    notes = [f"and {hidden:,} more{complete}"] * bool(hidden) + [*table.notes]
    if hidden:
        table = replace(table, rows=table.rows[:limit])
    grids = []
    for grid in table.grids:
        title = [style(line, "bold") for line in wrap(clean(grid.title), width)] if grid.title else []
        grids.append("\n".join([*title, *_grid_lines(grid, width, style)]))
    lines = [style(line, "dim") for note in notes for line in wrap(clean(note), width)]
    return "\n".join(["\n\n".join(grids), *lines])


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a text that is broken between words."""
    if text_width(text) <= width:
        return [text]
    words = text.split()
    lines = [text[: len(text) - len(text.lstrip())] + " ".join(words[:1])]
    for word in words[1:]:
        if text_width(f"{lines[-1]} {word}") > width:
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
    return lines


def _grid_lines(table: Table, width: int, style: Style) -> list[str]:
    names = [clean(name) for name in table.columns]
    texts = [[clean(text) for text in row] for row in table.text_rows]
    if not texts:
        return [f"{GAP}(none)"]
    numeric = table.numeric_columns
    widths = _widths(names, texts, numeric, width)
    if widths is None:
        return _paragraphs(table, names, texts, width, style)
    lines = [*_row_lines(names, widths, numeric), GAP + "─" * (sum(widths) + len(GAP) * (len(names) - 1))]
    for row, repeated in zip(texts, _repeated(table), strict=True):
        lines += _row_lines(["" if i < repeated else text for i, text in enumerate(row)], widths, numeric)
    return lines


def _widths(
    names: Sequence[str], texts: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> list[int] | None:
    """Return the width of every column, or None if the columns do not fit side by side."""
    # Columns of sentences share the width that the other columns leave.
    columns = list(zip(*texts, strict=True))
    natural = [max(map(text_width, (name, *column))) for name, column in zip(names, columns, strict=True)]
    available = width - len(GAP) * len(names)
    if sum(natural) <= available:
        return natural
    wide = [i for i, size in enumerate(natural) if size > MIN_PROSE and not numeric[i]]
    minimal = {  # of the columns that can be narrower without breaking a word
        i: max(MIN_PROSE, text_width(names[i]))
        for i in wide
        if all(text_width(word) <= MIN_PROSE for word in " ".join(columns[i]).split())
    }
    available -= sum(size for i, size in enumerate(natural) if i not in minimal)
    if not minimal or available < sum(minimal.values()):
        return None
    return _share_width(natural, minimal, available)


def _share_width(natural: list[int], minimal: dict[int, int], available: int) -> list[int]:
    """Return the widths after dividing what is available among the columns that can be narrower, narrow columns first."""
    widths = list(natural)
    for i in sorted(minimal, key=natural.__getitem__):
        share = max(minimal[i], available // sum(natural[k] >= natural[i] for k in minimal))
        del minimal[i]
        widths[i] = min(natural[i], share, available - sum(minimal.values()))
        available -= widths[i]
    return widths


def _repeated(table: Table) -> list[int]:
    """Return for each row how many of its leading cells repeat the row above and are left blank."""
    counts, previous = [], None
    for row in table.rows:
        same = 0
        while previous is not None and same < table.group and row[same] == previous[same]:
            same += 1
        counts.append(same)
        previous = row
    return counts


def _row_lines(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    wrapped = [wrap(text, size) for text, size in zip(row, widths, strict=True)]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        padded = [
            " " * (size - text_width(part)) + part if number else pad(part, size)
            for part, size, number in zip(parts, widths, numeric, strict=True)
        ]
        lines.append((GAP + GAP.join(padded)).rstrip())
    return lines


def _paragraphs(table: Table, names: list[str], texts: list[list[str]], width: int, style: Style) -> list[str]:
    """Return each row as a paragraph: name and value of its first cells, then those of every other cell."""
    leading = max(1, table.group)
    lines: list[str] = []
    for row in texts:
        heading = " · ".join(f"{name} {text}" for name, text in zip(names[:leading], row, strict=False))
        lines += [style(line, "bold") for line in wrap(heading, width, GAP)]
        line = ""
        for name, text in zip(names[leading:], row[leading:], strict=True):
            entry = f"{name} {text}" if text else ""
            if line and entry and text_width(f"{GAP}{line}   {entry}") > width:
                lines += wrap(GAP + line, width, GAP)
                line = ""
            line = "   ".join(filter(None, (line, entry)))
        lines += wrap(GAP + line, width, GAP) if line else []
    return lines
