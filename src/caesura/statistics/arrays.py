"""What the tests accept: arrays of the right shape, numbers in range, and a word about the place where they are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError

__all__ = ["Finish", "Floats", "fraction", "matrix", "p_matrix", "p_values", "values_of", "vector", "whole"]

Floats = NDArray[np.float64]
Finish = Callable[[Floats], Floats]
"""From rows of summed parts to one value a row, as ``Measure.finish`` does."""


def matrix(name: str, given: ArrayLike, rows: str, columns: str, *, missing: bool = False) -> Floats:
    """Two dimensions, something in both, every number finite; NaN only where it may stand for a missing value."""
    made = _floats(name, given)
    if made.ndim != 2 or 0 in made.shape:
        raise OptionError(f"{name}: must be a table of {rows} by {columns}; got an array of shape {made.shape}")
    _finite(name, made, missing)
    return made


def vector(name: str, given: ArrayLike) -> Floats:
    """One dimension, at least one number, every number finite."""
    made = _floats(name, given)
    if made.ndim != 1 or not made.size:
        raise OptionError(f"{name}: must be a list of at least one number; got an array of shape {made.shape}")
    _finite(name, made, missing=False)
    return made


def p_values(name: str, given: ArrayLike) -> Floats:
    """A list of numbers from 0 to 1."""
    made = vector(name, given)
    _within(name, made)
    return made


def p_matrix(name: str, given: ArrayLike) -> Floats:
    """A p-value for every pair: square, symmetric, from 0 to 1 off the diagonal. The diagonal comes back as 1."""
    made = _floats(name, given).copy()
    if made.ndim != 2 or made.shape[0] != made.shape[1] or not made.size:
        raise OptionError(f"{name}: must be a square table, a p-value a pair; got an array of shape {made.shape}")
    np.fill_diagonal(made, 1.0)
    _finite(name, made, missing=False)
    _within(name, made)
    if (uneven := np.argwhere(made != made.T)).size:
        i, j = uneven[0]
        raise OptionError(f"{name}[{i}, {j}]: must equal {name}[{j}, {i}]; got {made[i, j]:g} and {made[j, i]:g}")
    return made


def whole(name: str, given: int, least: int) -> int:
    """A whole number from ``least`` up."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise OptionError(f"{name}: must be a whole number of at least {least}; got {given!r}")
    return int(given)


def fraction(name: str, given: float) -> float:
    """A number between 0 and 1, the ends left out."""
    if isinstance(given, bool) or not isinstance(given, int | float | np.floating) or not 0 < given < 1:
        raise OptionError(f"{name}: must be a number between 0 and 1; got {given!r}")
    return float(given)


def values_of(finish: Finish, sums: Floats) -> Floats:
    """``finish(sums)``, held to one finite number a row."""
    made = np.asarray(finish(sums), np.float64)
    if made.shape != sums.shape[:1]:
        raise OptionError(
            f"finish: must turn {len(sums)} rows of summed parts into {len(sums)} values; got an array of shape "
            f"{made.shape}"
        )
    if not np.isfinite(made).all():
        row = int(np.flatnonzero(~np.isfinite(made))[0])
        raise OptionError(
            f"finish: must give every sum of parts a finite value; got {made[row]} for {sums[row].tolist()}"
        )
    return made


def _floats(name: str, given: ArrayLike) -> Floats:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: must be a regular array of numbers; got {type(given).__name__}") from None


def _finite(name: str, made: Floats, missing: bool) -> None:
    bad = np.isinf(made) if missing else ~np.isfinite(made)
    if bad.any():
        place = tuple(np.argwhere(bad)[0].tolist())
        hint = " (NaN where there is no value)" if missing else ""
        raise OptionError(f"{name}[{', '.join(map(str, place))}]: must be a finite number{hint}; got {made[place]}")


def _within(name: str, made: Floats) -> None:
    bad = (made < 0) | (made > 1)
    if bad.any():
        place = tuple(np.argwhere(bad)[0].tolist())
        raise OptionError(f"{name}[{', '.join(map(str, place))}]: must be a p-value from 0 to 1; got {made[place]:g}")
