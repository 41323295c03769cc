"""Sums of counts that do not depend on the order: whole multiples of 2^-106, added as integers."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import sums as kernel

_UNIT = 2**106  # of two digits of 53 bits: what numbers from 2^-53 up are multiples of
_AT_ONCE = 2**16  # rows whose whole parts, of up to 46 bits, add up within 63
_LARGE = 2**46


def exact_sums(counts: NDArray[np.float64]) -> tuple[int, ...]:
    """The sum of each column, in units of 2^-106; what is finer is rounded, number by number."""
    total = [0] * counts.shape[1]
    for start in range(0, len(counts), _AT_ONCE):
        rows = counts[start : start + _AT_ONCE]
        sums = np.zeros((counts.shape[1], 3), np.int64)
        if kernel.add(rows, sums) < _LARGE:
            found = [(a << 106) + (b << 53) + c for a, b, c in sums.tolist()]
        else:
            found = [sum(map(_units, column)) for column in rows.T.tolist()]
        total = list(map(add, total, found))
    return tuple(total)


def exact_sum(numbers: Iterable[float]) -> float:
    """The sum of some numbers, each rounded to a multiple of 2^-106: the same in any order."""
    return as_float(sum(map(_units, numbers)))


def as_float(units: int) -> float:
    """The nearest float."""
    return units / _UNIT


def _units(number: float) -> int:
    over, under = number.as_integer_ratio()
    return _nearest(over * _UNIT, under)


def _nearest(over: int, under: int) -> int:
    """The whole number nearest to over / under, as the kernel rounds."""
    whole, rest = divmod(over, under)
    return whole + (2 * rest > under or (2 * rest == under and whole % 2 == 1))
