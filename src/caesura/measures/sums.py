"""Sums of counts that do not depend on the order, because counts are added as integer multiples of 2^-106."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import sums as kernel

_UNIT = 2**106  # numbers from 2^-53 up are multiples of 2^-106: two digits of 53 bits
_BLOCK_ROWS = 2**16  # rows whose whole parts, of up to 46 bits, add up within 63 bits
_LARGE = 2**46


def exact_sums(counts: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the sum of each column in units of 2^-106; each number is rounded to this unit.

    Parameters
    ----------
    counts : numpy.ndarray
        One row per document, one column per count.

    Returns
    -------
    tuple of int
        One sum per column.
    """
    total = [0] * counts.shape[1]
    for start in range(0, len(counts), _BLOCK_ROWS):
        rows = counts[start : start + _BLOCK_ROWS]
        digits = np.zeros((counts.shape[1], 3), np.int64)
        if kernel.add(rows, digits) < _LARGE:
            sums = [(a << 106) + (b << 53) + c for a, b, c in digits.tolist()]
        else:
            sums = [sum(map(_to_units, column)) for column in rows.T.tolist()]
        total = list(map(add, total, sums))
    return tuple(total)


def exact_sum(numbers: Iterable[float]) -> float:
    """Return the sum of numbers, each rounded to a multiple of 2^-106; the order does not matter.

    Parameters
    ----------
    numbers : iterable of float
        Numbers to add.

    Returns
    -------
    float
        The sum.
    """
    return as_float(sum(map(_to_units, numbers)))


def as_float(units: int) -> float:
    """Return the float nearest to a number of units of 2^-106.

    Parameters
    ----------
    units : int
        A sum of :func:`exact_sums`.

    Returns
    -------
    float
        The number.
    """
    return units / _UNIT


def _to_units(number: float) -> int:
    """Return the nearest number of units; halves are rounded to even, as in the kernel."""
    numerator, denominator = number.as_integer_ratio()
    whole, rest = divmod(numerator * _UNIT, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))
