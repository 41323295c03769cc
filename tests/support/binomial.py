"""Frequencies of random events."""

from __future__ import annotations

import math


def is_likely(count: int, n: int, p: float) -> bool:
    """Return whether a count is within three standard deviations of the binomial distribution."""
    return abs(count - n * p) <= 3 * math.sqrt(n * p * (1 - p))
