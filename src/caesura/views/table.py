"""One table, shown in several ways: on a terminal, as CSV, as LaTeX, as Markdown."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from caesura.model.display import Displayed

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Table", "clean", "cut", "pad", "text_width"]

Cell = str | int | float | None


@dataclass(frozen=True)
class Table(Displayed):
    """Named columns, rows of text and numbers, and notes that belong under them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    digits: int = 4
    group: int = 0
    """How many of the first columns are left blank where they repeat the row above."""
    apart: bool = False
    """Whether a terminal shows rows that are alike in those columns as a table of their own."""
    tiny: tuple[str, ...] = ()
    """Columns, such as p-values, in which what would be shown as 0 is shown as 1.2e-08."""

    def _shown(self, row: Sequence[Cell]) -> list[str]:
        return [self._text(cell, name in self.tiny) for name, cell in zip(self.columns, row, strict=True)]

    def _text(self, cell: Cell, tiny: bool) -> str:
        if cell is None:
            return ""
        if not isinstance(cell, float):
            return str(cell)
        return f"{cell:.1e}" if tiny and 0 < abs(cell) < 0.1**self.digits else f"{cell:.{self.digits}f}"

    def _numeric(self, column: int) -> bool:
        return all(isinstance(row[column], (int, float)) or row[column] is None for row in self.rows)

    def print(self, console: Console) -> None:
        """On a terminal or into a file, without colour there. Columns with nothing in them are left out."""
        from rich.text import Text

        for i, block in enumerate(self.grids):
            if i:
                console.print()
            block._print_grid(console)
        for note in self.notes:
            console.print(Text(clean(note), style="dim"), soft_wrap=True)

    @property
    def grids(self) -> list[Table]:
        """What is shown under a title each: the blocks, where rows are shown apart, without columns that are empty."""
        return [one._filled() for one in (self._blocks() if self.apart else [self])]

    @property
    def lines(self) -> list[list[str]]:
        """The rows as text."""
        return [self._shown(row) for row in self.rows]

    @property
    def numbers(self) -> list[bool]:
        """Which columns hold numbers only."""
        return [self._numeric(i) for i in range(len(self.columns))]

    def _filled(self) -> Table:
        kept = [i for i in range(len(self.columns)) if any(row[i] is not None for row in self.rows)]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in kept), rows=rows) if self.rows else self

    def _blocks(self) -> list[Table]:
        """A table for each run of rows that are alike in the first columns, which go into the title."""
        starts = [i for i, row in enumerate(self.rows) if not i or row[: self.group] != self.rows[i - 1][: self.group]]
        out = []
        for first, last in zip(starts, [*starts[1:], len(self.rows)], strict=True):
            names = self._shown(self.rows[first])[: self.group]
            rows = tuple(row[self.group :] for row in self.rows[first:last])
            title = f"{self.title}: {', '.join(names)}"
            out.append(Table(self.columns[self.group :], rows, title=title, digits=self.digits, tiny=self.tiny))
        return out

    def _print_grid(self, console: Console) -> None:
        from rich import box
        from rich.table import Table as Grid
        from rich.text import Text

        if self.title:
            console.print(Text(clean(self.title), style="bold"), soft_wrap=True)
        grid = Grid(box=box.SIMPLE_HEAD)
        for i in range(len(self.columns)):
            # A number in two lines would be read as two numbers; text gives way.
            justify: Literal["left", "right"] = "right" if self._numeric(i) else "left"
            grid.add_column(Text(clean(self.columns[i])), justify=justify, overflow="fold", no_wrap=self._numeric(i))
        previous: tuple[Cell, ...] = ()
        for row in self.rows:
            cells = [Text(clean(cell)) for cell in self._shown(row)]
            for i in range(self.group):
                if row[: i + 1] == previous[: i + 1]:
                    cells[i] = Text("")
            previous = row
            grid.add_row(*cells)
        console.print(grid)

    def csv(self) -> str:
        """Full precision, comma-separated. Notes are left out."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(self.columns)
        rows.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        return out.getvalue()

    def latex(self) -> str:
        """A booktabs tabular; notes as comments."""
        aligned = "".join("r" if self._numeric(i) else "l" for i in range(len(self.columns)))
        lines = [
            rf"\begin{{tabular}}{{{aligned}}}",
            r"\toprule",
            _latex_row(self.columns),
            r"\midrule",
            *(_latex_row(self._shown(row)) for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {clean(note)}" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        """A pipe table, its title above and notes under it.

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
            "|" + "|".join("--:" if number else "---" for number in self.numbers) + "|",
            *map(_markdown_row, self.lines),
        ]
        if self.notes:
            lines += ["", "  \n".join(_markdown(note) for note in self.notes)]
        return "\n".join(lines) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\n": " ",
    "\r": " ",
}


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join("".join(_LATEX.get(c, clean(c)) for c in cell) for cell in cells) + r" \\"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_markdown, cells)) + " |"


def _markdown(text: str) -> str:
    """Nothing in a name may start a tag, a link or a second cell."""
    return re.sub(r"([\\`*_{}\[\]<>|~#&$])", r"\\\1", clean(text))


_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


def clean(text: str) -> str:
    """Text from a stranger, safe to print: control characters become visible, all that writing needs stays."""
    return "".join(
        c if c.isprintable() or c in _JOINERS or unicodedata.category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def text_width(text: str) -> int:
    """How many columns of a terminal it takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 or c in _JOINERS for c in text)


def pad(text: str, width: int) -> str:
    """Filled up with blanks."""
    return text + " " * (width - text_width(text))


def cut(text: str, width: int) -> str:
    """As much as fits, and a dot for the rest."""
    if text_width(text) <= width:
        return text
    room = width - 1
    for at, character in enumerate(text):
        room -= text_width(character)
        if room < 0:
            return text[:at] + "…"
    return text
