"""Tables: one set of columns and rows, printed on a terminal or written as CSV, LaTeX or Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any

from caesura.formats.content import as_text_cell, table_text, texts_of
from caesura.model.result import Score
from caesura.model.value import Displayed

Cell = str | int | float | None

ALL_ROWS = "--json, --csv and --output have all rows"
"""Where the rows are that a table as text leaves out."""


@dataclass(frozen=True)
class Table(Displayed):
    """Named columns, rows of text and numbers, and notes below them.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuples
        Cells: text, numbers, or None for an empty cell.
    title : str, optional
        Line above the table.
    notes : tuple of str, optional
        Lines below the table.
    digits : int, default 4
        Decimals of floating-point numbers.
    group : int, default 0
        Number of leading columns that are left blank if they repeat the row above.
    split_groups : bool, default False
        Whether a terminal shows each group of rows as a table of its own.
    p_values : tuple of str, optional
        Columns of p-values: tiny numbers are shown as 1.2e-08 instead of 0.0000.
    limit : int, optional
        Number of rows that a terminal shows of a main table (default: all).
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    digits: int = 4
    group: int = 0
    split_groups: bool = False
    p_values: tuple[str, ...] = ()
    limit: int | None = None

    @classmethod
    def from_records(
        cls, records: Iterable[Mapping[str, Any]], *, columns: Sequence[str] | None = None, **look: Any
    ) -> Table:
        """Return a table of records, each a mapping from column name to cell.

        Parameters
        ----------
        records : iterable of mappings
            One record per row. A column that a record lacks is empty in its row.
        columns : sequence of str, optional
            Names of the columns (default: the names in the records, in the order in which they first occur).
        **look : object
            Title, notes and the other parameters of :class:`Table`.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> Table.from_records([{"coder": "ann", "B": 0.5}, {"coder": "bo"}]).rows
        (('ann', 0.5), ('bo', None))
        """
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
        return [grid.without_empty_columns() for grid in (self._groups() if self.split_groups else [self])]

    @property
    def text_rows(self) -> list[list[str]]:
        """Rows with numbers as text."""
        p_value = [name in self.p_values for name in self.columns]
        return [[self._text(cell, tiny) for cell, tiny in zip(row, p_value, strict=True)] for row in self.rows]

    @cached_property
    def numeric_columns(self) -> list[bool]:
        """For each column, whether it contains only numbers."""
        return [all(isinstance(row[i], int | float | None) for row in self.rows) for i in range(len(self.columns))]

    def without_empty_columns(self, candidates: Iterable[str] | None = None) -> Table:
        """Return the table without columns that are empty in every row.

        Parameters
        ----------
        candidates : iterable of str, optional
            The only columns to drop if they are empty (default: all columns).

        Returns
        -------
        Table
            The table itself if it has no rows.
        """
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
        """Return the table with different names of columns.

        Parameters
        ----------
        names : mapping of str to str
            Old name -> new name; other columns keep their names.

        Returns
        -------
        Table
            The same rows below the new names.
        """
        return replace(self, columns=tuple(names.get(name, name) for name in self.columns))

    def _groups(self) -> list[Table]:
        """Return one table per group of rows, with the leading cells of the group in its title."""
        groups = []
        for leading, rows in groupby(self.rows, key=lambda row: row[: self.group]):
            title = f"{self.title}: {', '.join(self._text(cell, False) for cell in leading)}"
            remaining = tuple(row[self.group :] for row in rows)
            groups.append(replace(self, columns=self.columns[self.group :], rows=remaining, title=title, group=0))
        return groups

    def csv(self, *, raw: bool = False) -> str:
        """Return the table as comma-separated values with full precision, without notes.

        Text that a spreadsheet would run as a formula gets an apostrophe before it, so that it is shown as text.

        Parameters
        ----------
        raw : bool, default False
            Whether such text stays as it is.

        Returns
        -------
        str
            One line per row, below the names of the columns.
        """
        rows = [self.columns, *self.rows]  # an empty cell is written for None
        texts = texts_of(rows)
        changed: dict[Cell, Cell] = (
            {} if raw else {text: safe for text in texts if (safe := as_text_cell(text)) != text}
        )
        if not changed:
            return table_text(rows, ",", texts)
        return table_text([[changed.get(cell, cell) for cell in row] for row in rows], ",")

    def latex(self) -> str:
        """Return the table as a LaTeX booktabs ``tabular``, with the notes as comments.

        Returns
        -------
        str
            The environment.
        """
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
        """Return the table as a Markdown pipe table, with its title above and its notes below.

        Returns
        -------
        str
            The table; everything that Markdown would interpret is escaped.

        Examples
        --------
        >>> print(Table(("coder", "B"), (("a|b", 0.5),), notes=("n_t:2",)).markdown(), end="")
        | coder | B |
        |---|--:|
        | a\\|b | 0.5000 |
        <BLANKLINE>
        n\\_t:2
        """
        lines = [
            *([f"**{_markdown(self.title)}**", ""] if self.title else []),
            _markdown_row(self.columns),
            "|" + "|".join("--:" if numeric else "---" for numeric in self.numeric_columns) + "|",
            *map(_markdown_row, self.text_rows),
        ]
        if self.notes:
            lines += ["", "  \n".join(_markdown(note) for note in self.notes)]
        return "\n".join(lines) + "\n"


Block = Table | str
"""A table, or text that only a terminal shows."""


# -- cells and notes ------------------------------------------------------------------------------------------------


def cells(row: object, *columns: str) -> dict[str, Any]:
    """Return the cells of a row that are attributes of an object with the names of the columns.

    Parameters
    ----------
    row : object
        The object that the row describes.
    *columns : str
        Names of columns; a blank in a name is an underscore in the attribute.

    Returns
    -------
    dict of str to str, int, float or None
        Column -> cell.

    Examples
    --------
    >>> cells(Table(("a", "b"), ((1, 2),)), "title", "split groups")
    {'title': '', 'split groups': False}
    """
    return {column: getattr(row, column.replace(" ", "_")) for column in columns}


def interval_cells(interval: tuple[float, float] | None) -> dict[str, Any]:
    """Return the ends of an interval as the cells ``low`` and ``high``.

    Parameters
    ----------
    interval : tuple of float, optional
        The interval; None if there is none.

    Returns
    -------
    dict of str to float or None
        Column -> cell.
    """
    return dict(zip(("low", "high"), interval or (None, None), strict=True))


def or_undefined(value: float | None) -> Cell:
    """Return the value, or the word "undefined" for None.

    Parameters
    ----------
    value : float or None
        The value.

    Returns
    -------
    float or str
        The cell.
    """
    return "undefined" if value is None else value


def extra_figures(scores: Iterable[Score]) -> list[str]:
    """Return the names of all figures of the scores, such as precision and recall, without ``f``.

    If a measure has an F, its value is that F, so a table would show the same number twice.

    Parameters
    ----------
    scores : iterable of Score
        The scores.

    Returns
    -------
    list of str
        Names in the order in which they first occur.
    """
    return [name for name in dict.fromkeys(name for score in scores for name in score.figures) if name != "f"]


# -- text -----------------------------------------------------------------------------------------------------------

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\n": " ", "\r": " "}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def latex_text(text: str) -> str:
    """Return text with everything escaped that LaTeX would interpret.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text for LaTeX.
    """
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
    """Return text that is safe to print, with control characters replaced by a visible one.

    Parameters
    ----------
    text : str
        Text from a file or a user.

    Returns
    -------
    str
        The text.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _JOINERS or unicodedata.category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def text_width(text: str) -> int:
    """Return the number of terminal columns that the text takes.

    Parameters
    ----------
    text : str
        The text; East Asian characters take two columns, combining ones none.

    Returns
    -------
    int
        Number of columns.
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 or c in _JOINERS for c in text)


def pad(text: str, width: int) -> str:
    """Return the text filled with blanks to ``width`` terminal columns.

    Parameters
    ----------
    text : str
        The text.
    width : int
        Number of columns.

    Returns
    -------
    str
        The text with blanks.
    """
    return text + " " * (width - text_width(text))


def shorten(text: str, width: int) -> str:
    """Return the text, shortened to ``width`` terminal columns with an ellipsis if it is longer.

    Parameters
    ----------
    text : str
        The text.
    width : int
        Number of columns.

    Returns
    -------
    str
        The text.
    """
    if text_width(text) <= width:
        return text
    end = sum(total < width for total in accumulate(map(text_width, text)))
    return text[:end] + "…"
