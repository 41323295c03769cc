"""Find the header of a table: some programs and people write titles and settings above it.

A line above the header is left out only if the header below it contains a known name of a column, such as ``sentence``, and
has more cells with content. Otherwise the option ``skip`` says how many lines are above the header.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from caesura.formats.column_names import RESERVED, normalize
from caesura.formats.content import NUMBER

# Characters between cells.
DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50
_MAX_TITLES = 20  # rows above the header
_TITLE_CELLS = 2  # cells with content in a row above the header, such as "Coder" and "Ann"
_PIECE_SIZE = 2**20  # characters
_DECLARATION = re.compile(r"\ufeff?sep=([,;|\t])[\t,;|\" ]*(?:\r\n|\n|\r)", re.IGNORECASE)


def declared_delimiter(text: str) -> tuple[str | None, int]:
    """Return the delimiter that the line ``sep=;`` declares, which Excel writes and reads, and the length of this line."""
    match = _DECLARATION.match(text)
    return (None, 0) if match is None else (match[1], match.end())


def find_delimiter(text: str) -> str:
    """Return the delimiter that divides the header and the first rows into the same number of cells."""
    declared, _ = declared_delimiter(text)
    if declared is not None:
        return declared
    widths = {delimiter: [len(row) for row in sample_rows(text, delimiter)] for delimiter in DELIMITERS}
    fits = _fits(widths, lambda lengths: lengths[0])
    if not fits or max(fits.values())[0] < 0.5:
        # Titles above the header have other widths than the rows.
        by_rows = _fits(widths, lambda lengths: Counter(lengths).most_common(1)[0][0])
        fits = {delimiter: fit for delimiter, fit in by_rows.items() if fit[0] >= 0.5} or fits
    return max(fits, key=lambda delimiter: fits[delimiter], default=",")


def _fits(
    widths: Mapping[str, Sequence[int]], expected: Callable[[Sequence[int]], int]
) -> dict[str, tuple[float, int]]:
    """Return the delimiters that give several cells: the proportion of rows with the expected width, and this width."""
    fits = {}
    for delimiter, lengths in widths.items():
        width = expected(lengths) if lengths else 0
        if width > 1:
            fits[delimiter] = (lengths.count(width) / len(lengths), width)
    return fits


def sample_rows(text: str, delimiter: str) -> list[list[str]]:
    sample = text[: text.find("\n", _PIECE_SIZE) + 1 or len(text)] if len(text) > _PIECE_SIZE else text
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        return [row for row in islice(rows, _SAMPLE_ROWS) if row]
    except csv.Error:
        return []


def rows_above_header(rows: Sequence[Sequence[str]]) -> int:
    filled = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    if not filled or len(filled[0]) > _TITLE_CELLS or _has_names(filled[0], least=2):
        return 0
    for i, cells in enumerate(filled[: _MAX_TITLES + 1]):
        if len(cells) > max(1, len(filled[0])) and _has_names(cells, least=1):
            widest = max(map(len, filled[:i]), default=0)
            return i if widest <= min(_TITLE_CELLS, len(cells) - 1) else 0
        if len(cells) > _TITLE_CELLS:
            return 0
    return 0


def _has_names(cells: Sequence[str], *, least: int) -> bool:
    known = sum(normalize(cell) in RESERVED for cell in cells)
    return known >= least and not any(NUMBER.fullmatch(cell) for cell in cells)
