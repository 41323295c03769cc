"""Tails of the distributions that the tests need, and ranks.

These functions replace ``scipy.stats``, which takes half a second to import. The tests compare them with it.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from caesura.statistics.arrays import Floats

_NORMAL = NormalDist()
_REACH, _STEP = 9.0, 0.1  # the normal density beyond 9 is below 1e-18; the trapezoid rule with this step errs by 1e-13


def normal_tail(z: float) -> float:
    """Return P(Z >= z) of the standard normal distribution."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def normal_quantile(tail: float) -> float:
    """Return the z that a standard normal value exceeds with probability ``tail``."""
    return -_NORMAL.inv_cdf(tail)


def chi_square_tail(x: float, df: int) -> float:
    """Return P(X >= x) of the chi-square distribution."""
    # For a whole number of degrees of freedom the tail is a finite sum (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5).
    half = x / 2
    if df % 2:
        total, power = math.erfc(math.sqrt(half)), -0.5
    else:
        total, power = 0.0, -1.0
    while (power := power + 1) < df / 2 - 0.25:
        log_term = (
            power * math.log(half) - half - math.lgamma(power + 1) if half else (0.0 if power == 0 else -math.inf)
        )
        total += math.exp(log_term)
    return min(1.0, total)


def range_tail(q: float, k: int) -> float:
    """Return P(range >= q) for the range of k independent standard normal values."""
    # P(range < q) = k ∫ φ(x) [Φ(x) - Φ(x - q)]^(k-1) dx, where x is the largest value. Because k ∫ φ(x) Φ(x)^(k-1) dx = 1, the
    # tail is k ∫ φ(x) {Φ(x)^(k-1) - [Φ(x) - Φ(x - q)]^(k-1)} dx, in which small tails keep their digits. The trapezoid rule
    # computes it.
    if q <= 0:
        return 1.0
    x, density, upper = _grid()
    lower = _normal_cdf(x - q)
    with np.errstate(divide="ignore"):  # for a tiny q, both are 1 at the largest points
        gap = -np.expm1((k - 1) * np.log1p(-lower / upper))
    return float(min(1.0, k * _STEP * (density * upper ** (k - 1) * gap).sum()))


def range_quantile(tail: float, k: int) -> float:
    """Return the q that the range of k independent standard normal values exceeds with probability ``tail``."""
    low, high = 0.0, 2 * _REACH
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, k) > tail else (low, middle)
    return (low + high) / 2


def mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values from 1 up; equal values share the mean of their ranks."""
    if values.ndim > 1:
        smaller = (values[:, None, :] < values[:, :, None]).sum(axis=2)
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
        ranks: Floats = smaller + (equal + 1) / 2
        return ranks
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


@cache
def _grid() -> tuple[Floats, Floats, Floats]:
    """Return the points of the quadrature, and density and distribution of the standard normal at these points."""
    x = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
    return x, np.exp(-x * x / 2) / math.sqrt(2 * math.pi), _normal_cdf(x)


def _normal_cdf(x: Floats) -> Floats:
    return np.array([normal_tail(-value) for value in x.tolist()])
