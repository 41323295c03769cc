"""Distances between categories, for gamma: a matrix, or a file with a matrix."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import OptionError
from caesura.formats.content import decode, load, parse_json
from caesura.model.value import Floats
from caesura.options import Check

_FORMS = '{"categories": [...], "matrix": [[...]]}, {category: {category: distance}}, or a path to a CSV or JSON file'


class CategoryDistances(NamedTuple):
    """Distances from 0 to 1 between categories."""

    names: tuple[str, ...]  # the categories
    rows: tuple[tuple[float, ...], ...]  # the matrix, symmetric with zeros on the diagonal

    def matrix(self, categories: Sequence[str | None]) -> Floats:
        for category in categories:
            if category not in self.names:
                known = ", ".join(map(repr, self.names[:20]))
                raise OptionError(
                    f"categories: there are spans of category {category!r}, but the matrix has only {known}"
                )
        places = [self.names.index(str(category)) for category in categories]
        return np.array(self.rows, float).reshape(len(self.names), -1)[np.ix_(places, places)]


def check_categories(name: str, value: Any) -> CategoryDistances:
    if isinstance(value, (str, PathLike)):
        path = Path(fspath(value))
        return check_categories(f"{name} ({path})", _read(path, name))
    if isinstance(value, Mapping) and set(value) == {"categories", "matrix"}:
        return _check_matrix(name, value["categories"], value["matrix"])
    if isinstance(value, Mapping) and value and all(isinstance(row, Mapping) for row in value.values()):
        return _check_rows(name, value)
    if isinstance(value, tuple) and len(value) == 2:
        return _check_matrix(name, *value)
    raise OptionError(f"{name} must be {_FORMS}; got {type(value).__name__}")


_described: Check = check_categories
_described.value_type, _described.choices = str, ()  # type: ignore[attr-defined]


def _check_rows(name: str, rows: Mapping[Any, Mapping[Any, Any]]) -> CategoryDistances:
    names = list(rows)
    for row in names:
        missing = [column for column in names if column not in rows[row]]
        extra = [column for column in rows[row] if column not in rows]
        if missing or extra:
            column = (missing or extra)[0]
            there, absent = ("row", "column") if missing else ("column", "row")
            raise OptionError(f"{name}[{row!r}]: there is a {there} {column!r} but no {absent} {column!r}")
    return _check_matrix(name, names, [[rows[row][column] for column in names] for row in names])


def _check_matrix(name: str, categories: Any, matrix: Any) -> CategoryDistances:
    names = tuple(str(category) for category in categories)
    if len(set(names)) < len(names):
        raise OptionError(f"{name}: a category occurs twice in {', '.join(map(repr, names))}")
    rows = [list(row) if isinstance(row, Iterable) and not isinstance(row, str) else [] for row in matrix]
    if len(rows) != len(names) or any(len(row) != len(names) for row in rows):
        sizes = " and ".join(map(str, sorted({len(rows), *(len(row) for row in rows)})))
        raise OptionError(f"{name}: expected {len(names)} rows of {len(names)} numbers, one per category; got {sizes}")
    checked = tuple(
        tuple(_number(name, names, i, j, value) for j, value in enumerate(row)) for i, row in enumerate(rows)
    )
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            if checked[i][j] != checked[j][i]:
                values = f"{checked[j][i]:g} and {checked[i][j]:g}"
                raise OptionError(
                    f"{name}: the distance of {second!r} and {first!r} must be the same both ways; got {values}"
                )
    return CategoryDistances(names, checked)


def _number(name: str, names: Sequence[str], i: int, j: int, value: Any) -> float:
    place = f"{name}[{names[i]!r}][{names[j]!r}]"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1:
        raise OptionError(f"{place}: a distance must be a number from 0 to 1; got {value!r}")
    if i == j and number != 0:
        raise OptionError(f"{place}: the distance of a category from itself must be 0; got {value!r}")
    return number


def _read(path: Path, name: str) -> Any:
    """Return the content of a JSON file, or the rows of a CSV file by name."""
    text = decode(path, load(path, may_be_empty=True))
    if path.suffix.lower() == ".json":
        return parse_json(str(path), text, name)
    lines = [line for line in csv.reader(text.splitlines()) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise OptionError(f"{name} ({path}): expected a first line with categories and one line per category")
    columns = [cell.strip() for cell in lines[0][1:]]
    for line in lines[1:]:
        if len(line) != len(columns) + 1:
            raise OptionError(
                f"{name} ({path}): the row {line[0]!r} must have {len(columns)} distances; got {len(line) - 1}"
            )
    return {line[0].strip(): dict(zip(columns, line[1:], strict=True)) for line in lines[1:]}
