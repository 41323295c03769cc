"""Groups of coders: a CSV file with the columns ``coder`` and ``group``."""

from __future__ import annotations

import csv
from os import PathLike, fspath
from pathlib import Path

from caesura.errors import FormatError
from caesura.formats.content import decode, load

_COLUMNS = ("coder", "group")


def read_groups(path: str | PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Read groups of coders.

    Parameters
    ----------
    path : str or path
        A CSV file, separated by commas, semicolons or tabs, with the columns ``coder`` and ``group``.

    Returns
    -------
    dict
        Name of each group -> its coders, in the order of the file.

    Raises
    ------
    FormatError
        If a column or a cell is missing.
    """
    file = Path(fspath(path))
    lines = decode(file, load(file)).splitlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter)
    header = [cell.strip().lower() for cell in next(reader, [])]
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        columns = ", ".join(header) or "none"
        raise FormatError(file, 1, f"expected the columns coder and group; there is no {missing[0]!r}, only: {columns}")
    coder_column, group_column = (header.index(name) for name in _COLUMNS)
    groups: dict[str, list[str]] = {}
    for row in reader:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) <= max(coder_column, group_column) or not (cells[coder_column] and cells[group_column]):
            raise FormatError(file, reader.line_num, "expected a coder and a group; a cell is empty or missing")
        members = groups.setdefault(cells[group_column], [])
        if cells[coder_column] not in members:
            members.append(cells[coder_column])
    return {name: tuple(members) for name, members in groups.items()}
