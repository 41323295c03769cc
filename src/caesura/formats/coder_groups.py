"""Groups of coders: a CSV file with the columns ``coder`` and ``group``."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from caesura.errors import FormatError
from caesura.formats.content import decode, load

_COLUMNS = ("coder", "group")


def read_groups(path: str | PathLike[str]) -> dict[str, tuple[str, ...]]:
    file = Path(fspath(path))
    lines = decode(file, load(file)).splitlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter)
    places = _places_of_columns(file, next(reader, []))
    groups: dict[str, dict[str, None]] = {}  # the keys of the inner dict are an ordered set of coders
    for row in reader:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        coder, group = (cells[place] if place < len(cells) else "" for place in places)
        if not coder or not group:
            raise FormatError(file, reader.line_num, "expected a coder and a group; a cell is empty or missing")
        groups.setdefault(group, {})[coder] = None
    return {name: tuple(coders) for name, coders in groups.items()}


def _places_of_columns(file: Path, header: Iterable[str]) -> list[int]:
    names = [cell.strip().lower() for cell in header]
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        columns = ", ".join(names) or "none"
        raise FormatError(file, 1, f"expected the columns coder and group; there is no {missing[0]!r}, only: {columns}")
    return [names.index(name) for name in _COLUMNS]
