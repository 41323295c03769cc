"""Check array arguments of the tests: their shape and their entries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError

Floats = NDArray[np.float64]
Finish = Callable[[Floats], Floats]
"""Function from rows of summed parts to one value per row, such as ``Measure.finish``."""


def matrix(name: str, values: ArrayLike, rows: str, columns: str, *, missing: bool = False) -> Floats:
    """Check and return a table of finite numbers with at least one row and one column.

    Parameters
    ----------
    name : str
        Name of the argument, for the error message.
    values : array_like
        The table.
    rows, columns : str
        Names of the rows and columns, for the error message.
    missing : bool, default False
        Whether NaN is allowed for missing values.

    Returns
    -------
    numpy.ndarray
        The table as floats.

    Raises
    ------
    OptionError
        If the shape or an entry is wrong.
    """
    table = _floats(name, values)
    if table.ndim != 2 or 0 in table.shape:
        raise OptionError(f"{name}: must be a table of {rows} by {columns}; got an array of shape {table.shape}")
    _check_finite(name, table, missing)
    return table


def vector(name: str, values: ArrayLike) -> Floats:
    """Check and return a list of at least one finite number.

    Parameters
    ----------
    name : str
        Name of the argument, for the error message.
    values : array_like
        The numbers.

    Returns
    -------
    numpy.ndarray
        The numbers as floats.
    """
    numbers = _floats(name, values)
    if numbers.ndim != 1 or not numbers.size:
        raise OptionError(f"{name}: must be a list of at least one number; got an array of shape {numbers.shape}")
    _check_finite(name, numbers, missing=False)
    return numbers


def p_values(name: str, values: ArrayLike) -> Floats:
    """Check and return a list of p-values, numbers from 0 to 1.

    Parameters
    ----------
    name : str
        Name of the argument, for the error message.
    values : array_like
        The p-values.

    Returns
    -------
    numpy.ndarray
        The p-values as floats.
    """
    numbers = vector(name, values)
    _check_range(name, numbers)
    return numbers


def p_matrix(name: str, values: ArrayLike) -> Floats:
    """Check and return a symmetric table with the p-value of every pair.

    Parameters
    ----------
    name : str
        Name of the argument, for the error message.
    values : array_like
        A square table. Its diagonal is ignored.

    Returns
    -------
    numpy.ndarray
        A copy of the table, with 1 on the diagonal.
    """
    table = _floats(name, values).copy()
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise OptionError(f"{name}: must be a square table of p-values; got an array of shape {table.shape}")
    np.fill_diagonal(table, 1.0)
    _check_finite(name, table, missing=False)
    _check_range(name, table)
    if (uneven := np.argwhere(table != table.T)).size:
        i, j = uneven[0]
        raise OptionError(f"{name}[{i}, {j}]: must equal {name}[{j}, {i}]; got {table[i, j]:g} and {table[j, i]:g}")
    return table


def finished(finish: Finish, sums: Floats) -> Floats:
    """Return ``finish(sums)`` after checking that it has one finite number per row.

    Parameters
    ----------
    finish : callable
        Function from rows of summed parts to values.
    sums : numpy.ndarray
        Rows of summed parts.

    Returns
    -------
    numpy.ndarray
        One value per row.
    """
    values = np.asarray(finish(sums), np.float64)
    if values.shape != sums.shape[:1]:
        raise OptionError(
            f"finish: must turn {len(sums)} rows of summed parts into {len(sums)} values; got an array of shape "
            f"{values.shape}"
        )
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise OptionError(
            f"finish: must return a finite value for every sum of parts; got {values[row]} for {sums[row].tolist()}"
        )
    return values


def _floats(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: must be a regular array of numbers; got {type(values).__name__}") from None


def _check_finite(name: str, values: Floats, missing: bool) -> None:
    invalid = np.isinf(values) if missing else ~np.isfinite(values)
    if invalid.any():
        index = tuple(np.argwhere(invalid)[0].tolist())
        hint = " (NaN if there is no value)" if missing else ""
        raise OptionError(f"{name}[{', '.join(map(str, index))}]: must be a finite number{hint}; got {values[index]}")


def _check_range(name: str, values: Floats) -> None:
    invalid = (values < 0) | (values > 1)
    if invalid.any():
        index = tuple(np.argwhere(invalid)[0].tolist())
        raise OptionError(f"{name}[{', '.join(map(str, index))}]: must be a p-value from 0 to 1; got {values[index]:g}")
