"""Tables: one set of columns and rows, printed on a terminal or written as CSV, LaTeX or Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from caesura.formats.content import as_text_cell, table_text, texts_of
from caesura.model.result import Score
from caesura.model.value import Displayed

if TYPE_CHECKING:
    from caesura.model.hierarchy import Hierarchy

Cell = str | int | float | None

# Where the rows are that a table as text leaves out.
ALL_ROWS = "--json, --csv and --output have all rows"


@dataclass(frozen=True)
class Table(Displayed):
    """Named columns, rows of text and numbers, and notes below them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]  # None for an empty cell
    title: str = ""
    notes: tuple[str, ...] = ()
    digits: int = 4
    group: int = 0  # number of leading columns that are left blank if they repeat the row above
    split_groups: bool = False  # whether a terminal shows each group of rows as a table of its own
    p_values: tuple[str, ...] = ()  # columns in which tiny numbers are shown as 1.2e-08 instead of 0.0000
    limit: int | None = None  # number of rows that a terminal shows of a main table (default: all)

    @classmethod
    def from_records(
        cls, records: Iterable[Mapping[str, Any]], *, columns: Sequence[str] | None = None, **look: Any
    ) -> Table:
        listed = list(records)
        names = tuple(columns or dict.fromkeys(name for record in listed for name in record))
        return cls(names, tuple(tuple(record.get(name) for name in names) for record in listed), **look)

    def _text(self, cell: Cell, p_value: bool) -> str:
        if cell is None:
            return ""
        if not isinstance(cell, float):
            return str(cell)
        return f"{cell:.1e}" if p_value and 0 < abs(cell) < 0.1**self.digits else f"{cell:.{self.digits}f}"

    @property
    def grids(self) -> list[Table]:
        """Tables to show one below the other: one, or one per group, without empty columns."""
        if not self.split_groups:
            return [self.without_empty_columns()]
        groups = []
        for leading, rows in groupby(self.rows, key=lambda row: row[: self.group]):
            title = f"{self.title}: {', '.join(self._text(cell, False) for cell in leading)}"
            remaining = tuple(row[self.group :] for row in rows)
            groups.append(replace(self, columns=self.columns[self.group :], rows=remaining, title=title, group=0))
        return [grid.without_empty_columns() for grid in groups]

    @property
    def text_rows(self) -> list[list[str]]:
        p_value = [name in self.p_values for name in self.columns]
        return [[self._text(cell, tiny) for cell, tiny in zip(row, p_value, strict=True)] for row in self.rows]

    @cached_property
    def numeric_columns(self) -> list[bool]:
        return [all(isinstance(row[i], int | float | None) for row in self.rows) for i in range(len(self.columns))]

    def without_empty_columns(self, candidates: Iterable[str] | None = None) -> Table:
        """Return the table without columns that are empty in every row."""
        if not self.rows:
            return self
        droppable = set(self.columns if candidates is None else candidates)
        indices = [
            i
            for i, name in enumerate(self.columns)
            if name not in droppable or any(row[i] not in (None, "") for row in self.rows)
        ]
        rows = tuple(tuple(row[i] for i in indices) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in indices), rows=rows)

    def renamed(self, names: Mapping[str, str]) -> Table:
        return replace(self, columns=tuple(names.get(name, name) for name in self.columns))

    def csv(self, *, raw: bool = False) -> str:
        """Return the table as comma-separated values with full precision, without notes."""
        # Text that a spreadsheet would run as a formula gets an apostrophe before it, so that it is shown as text.
        rows = [self.columns, *self.rows]  # an empty cell is written for None
        texts = texts_of(rows)
        changed: dict[Cell, Cell] = (
            {} if raw else {text: safe for text in texts if (safe := as_text_cell(text)) != text}
        )
        if not changed:
            return table_text(rows, ",", texts)
        return table_text([[changed.get(cell, cell) for cell in row] for row in rows], ",")

    def latex(self) -> str:
        """Return the table as a LaTeX booktabs ``tabular``, with the notes as comments."""
        alignment = "".join("r" if numeric else "l" for numeric in self.numeric_columns)
        lines = [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            _latex_row(self.columns),
            r"\midrule",
            *map(_latex_row, self.text_rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {clean(note)}" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        """Return the table as a Markdown pipe table, with its title above and its notes below."""
        lines = [
            *([f"**{_markdown(self.title)}**", ""] if self.title else []),
            _markdown_row(self.columns),
            "|" + "|".join("--:" if numeric else "---" for numeric in self.numeric_columns) + "|",
            *map(_markdown_row, self.text_rows),
        ]
        if self.notes:
            lines += ["", "  \n".join(_markdown(note) for note in self.notes)]
        return "\n".join(lines) + "\n"


# A table, or text that only a terminal shows.
Block = Table | str


# -- cells and notes ------------------------------------------------------------------------------------------------


def cells(row: object, *columns: str) -> dict[str, Any]:
    """Return the cells of a row that are attributes of an object with the names of the columns."""
    return {column: getattr(row, column.replace(" ", "_")) for column in columns}


def interval_cells(interval: tuple[float, float] | None) -> dict[str, Any]:
    return dict(zip(("low", "high"), interval or (None, None), strict=True))


def or_undefined(value: float | None) -> Cell:
    return "undefined" if value is None else value


def span_text(hierarchy: Hierarchy, start: int, end: int) -> str:
    """Return first and last unit of a span, or its times if the units have times."""
    edges = hierarchy.edges
    return f"{start}-{end}" if edges is None else f"{edges[start - 1]:.2f}-{edges[end]:.2f} s"


def extra_figures(scores: Iterable[Score]) -> list[str]:
    """Return the names of all figures of the scores, such as precision and recall, without ``f``."""
    # If a measure has an F, its value is that F, so a table would show the same number twice.
    return [name for name in dict.fromkeys(name for score in scores for name in score.figures) if name != "f"]


# -- text -----------------------------------------------------------------------------------------------------------

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\n": " ", "\r": " "}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def latex_text(text: str) -> str:
    return "".join(_LATEX.get(c, clean(c)) for c in text)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_markdown, cells)) + " |"


def _markdown(text: str) -> str:
    """Escape everything that could start a tag, a link or a second cell."""
    return re.sub(r"([\\`*_{}\[\]<>|~#&$])", r"\\\1", clean(text))


_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


def clean(text: str) -> str:
    """Return text that is safe to print, with control characters replaced by a visible one."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _JOINERS or unicodedata.category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def text_width(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 or c in _JOINERS for c in text)


def pad(text: str, width: int) -> str:
    """Return the text filled with blanks to ``width`` terminal columns."""
    return text + " " * (width - text_width(text))


def shorten(text: str, width: int) -> str:
    """Return the text, shortened to ``width`` terminal columns with an ellipsis if it is longer."""
    if text_width(text) <= width:
        return text
    end = sum(total < width for total in accumulate(map(text_width, text)))
    return text[:end] + "…"
