"""One table, shown in several ways: on a terminal, as CSV, as LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Table"]

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Named columns, rows of text and numbers, and notes that belong under them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    digits: int = 4
    group: int = 0
    """How many of the first columns are left blank where they repeat the row above."""

    def _shown(self, cell: Cell) -> str:
        if cell is None:
            return ""
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def _numeric(self, column: int) -> bool:
        return all(isinstance(row[column], (int, float)) or row[column] is None for row in self.rows)

    def print(self, console: Console) -> None:
        """On a terminal or into a file, without colour there."""
        from rich import box
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(title=self.title or None, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        for i, name in enumerate(self.columns):
            grid.add_column(Text(name), justify="right" if self._numeric(i) else "left", overflow="fold")
        previous: tuple[Cell, ...] = ()
        for row in self.rows:
            cells = [Text(self._shown(cell)) for cell in row]
            for i in range(self.group):
                if row[: i + 1] == previous[: i + 1]:
                    cells[i] = Text("")
            previous = row
            grid.add_row(*cells)
        console.print(grid)
        for note in self.notes:
            console.print(Text(note, style="dim"), soft_wrap=True)

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
            *(_latex_row([self._shown(cell) for cell in row]) for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {note}" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " ", "\r": " ",
}  # fmt: skip


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join("".join(_LATEX.get(c, c) for c in cell) for cell in cells) + r" \\"
