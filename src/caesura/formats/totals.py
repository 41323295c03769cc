"""Rows below a table that are no units: totals and means, which spreadsheets and people add.

A table with numbers of units shows such a row by its missing number. Without numbers, a row is suspicious if it is at the end
and its only word is ``Total``, ``Mean`` or another of ``_WORDS``. The option ``totals`` says whether it is a unit.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError
from caesura.formats.column_names import ROLE_OF_NAME, normalize
from caesura.formats.columns import Column, Table
from caesura.formats.format import Reading
from caesura.formats.marks import ABSENT, OTHER, kind_of_cell
from caesura.formats.roles import is_prose
from caesura.options import Option, choice, optional

TOTALS = Option(
    "totals", None, optional(choice("keep", "ignore")), "whether a last row called Total or Mean is kept or left out"
)
_WORDS = re.compile(
    r"(?:grand[ _-]|sub[ _-]?)?totals?|sums?|means?|averages?|avg|medians?|overall|std"
    r"|gesamt(?:summe|zahl|ergebnis)?|insgesamt|summe|mittel(?:wert)?|durchschnitt|total(?:e|es|en|i)?|somme|moyenne|suma|media"
    r"|promedio|totaal|gemiddelde",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[<>=~Øø]?\s*+[+-]?[0-9][0-9.,' \xa0]*+%?")
_MAX_ROWS = 5  # totals, means and deviations below each other


def check_totals(reading: Reading, table: Table) -> None:
    wish = reading.options.get("totals")
    rows = [] if wish == "keep" else _total_rows(table)
    if not rows:
        return
    words = [word for _, word in rows]
    lines = [int(table.lines[row]) for row, _ in rows]
    if wish is None:
        problem = f"the last row (line {lines[-1]}) says {words[-1]!r}: it may be a total and no unit"
        if "totals" not in reading.options:
            raise reading.error(lines[-1], f"{problem}; remove the row, or rename it")
        choices: list[tuple[str, dict[str, Any]]] = [
            ("a total, which is left out", {"totals": "ignore"}),
            ("a row like the others", {"totals": "keep"}),
        ]
        raise AmbiguousFileError(reading.path, problem, choices)
    kept = np.ones(len(table), bool)
    kept[[row for row, _ in rows]] = False
    for name, column in table.columns.items():
        table.columns[name] = Column.of(name, [column.values[code] for code in column.codes[kept].tolist()])
    table.lines = table.lines[kept]
    reading.ignored += [f"line {line} ({word})" for line, word in zip(lines, words, strict=True)]


def is_word_for_total(cell: str) -> bool:
    """Return whether a cell is a word such as Total, Mean or Gesamt."""
    return _WORDS.fullmatch(cell.strip().rstrip(" :.")) is not None


def _total_rows(table: Table) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    for row in range(len(table) - 1, max(len(table) - 1 - _MAX_ROWS, 1), -1):
        word = _word_for_total(table, row)
        if word is None:
            break
        rows.append((row, word))
    return rows[::-1]


def _word_for_total(table: Table, row: int) -> str | None:
    """Return the only word in a row if it is one for a total; None if the row is like the others."""
    words = []
    for column in table.columns.values():
        cell = column.stripped[column.codes[row]]
        role = ROLE_OF_NAME.get(normalize(column.name))
        if role == "unit" and re.fullmatch(r"[0-9]+(\.0*)?", cell):
            return None  # the row is numbered
        if cell and kind_of_cell(cell) in (OTHER, ABSENT) and not _NUMBER.fullmatch(cell):
            words.append((column, role, cell))
    if len(words) != 1:
        return None
    column, role, cell = words[0]
    if column.counts[column.codes[row]] > 1 or not is_word_for_total(cell):
        return None
    return None if role == "text" and cell.islower() and not is_prose(column) else cell  # a token may be "total"
