"""Check the shape and the entries of array arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import MismatchError, OptionError
from caesura.model import checks

Floats = NDArray[np.float64]
# Function from rows of summed parts to one value per row, such as ``Measure.finish``.
Finish = Callable[[Floats], Floats]


def matrix(name: str, values: ArrayLike, rows: str, columns: str, *, missing: bool = False) -> Floats:
    """Check and return a table of finite numbers with at least one row and one column."""
    table = _floats(name, values)
    if table.ndim != 2 or 0 in table.shape:
        raise OptionError(f"{name}: must be a table of {rows} by {columns}; got an array of shape {table.shape}")
    expected = "a finite number (NaN if there is no value)" if missing else "a finite number"
    _check_entries(name, table, np.isfinite(table) | (missing & np.isnan(table)), expected)
    return table


def equal_matrices(tables: Mapping[str, ArrayLike], rows: str, columns: str, *, missing: bool = False) -> list[Floats]:
    """Check and return two tables of the same shape."""
    checked = [matrix(name, values, rows, columns, missing=missing) for name, values in tables.items()]
    if len({table.shape for table in checked}) > 1:
        shapes = " and ".join(f"{len(table)} by {table.shape[1]}" for table in checked)
        raise MismatchError(f"{' and '.join(tables)} must have the same {rows} and {columns}; got {shapes}")
    return checked


def vector(name: str, values: ArrayLike) -> Floats:
    numbers = _floats(name, values)
    if numbers.ndim != 1 or not numbers.size:
        raise OptionError(f"{name}: must be a list of at least one number; got an array of shape {numbers.shape}")
    _check_entries(name, numbers, np.isfinite(numbers), "a finite number")
    return numbers


def p_values(name: str, values: ArrayLike) -> Floats:
    numbers = vector(name, values)
    _check_entries(name, numbers, (numbers >= 0) & (numbers <= 1), "a p-value from 0 to 1")
    return numbers


def p_matrix(name: str, values: ArrayLike) -> Floats:
    """Check and return a symmetric table with the p-value of every pair."""
    table = _floats(name, values).copy()
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise OptionError(f"{name}: must be a square table of p-values; got an array of shape {table.shape}")
    np.fill_diagonal(table, 1.0)
    _check_entries(name, table, (table >= 0) & (table <= 1), "a p-value from 0 to 1")
    if (uneven := np.argwhere(table != table.T)).size:
        i, j = uneven[0]
        raise OptionError(f"{name}[{i}, {j}]: must equal {name}[{j}, {i}]; got {table[i, j]:g} and {table[j, i]:g}")
    return table


def checked_values(finish: Finish, sums: Floats) -> Floats:
    """Return ``finish(sums)`` after checking that it has one finite number per row."""
    values = np.asarray(finish(sums), np.float64)
    if values.shape != sums.shape[:1]:
        n, shape = len(sums), values.shape
        raise OptionError(f"finish: must turn {n} rows of summed parts into {n} values; got an array of shape {shape}")
    if (row := checks.first_true(~np.isfinite(values))) is not None:
        raise OptionError(f"finish: must return finite values; got {values[row]} for the sums {sums[row].tolist()}")
    return values


def _floats(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: must be a regular array of numbers; got {type(values).__name__}") from None


def _check_entries(name: str, values: Floats, valid: NDArray[np.bool_], expected: str) -> None:
    if not valid.all():
        index = np.argwhere(~valid)[0].tolist()
        raise OptionError(f"{name}{index}: must be {expected}; got {values[tuple(index)]:g}")
