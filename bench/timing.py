"""Measure the time of a call."""

from __future__ import annotations

import time
from collections.abc import Callable


def shortest_time(call: Callable[[], object], *, seconds: float = 1.0, min_runs: int = 5) -> float:
    """Return the shortest time of at least ``min_runs`` calls, repeated for about ``seconds``."""
    shortest = float("inf")
    end = time.perf_counter() + seconds
    runs = 0
    while runs < min_runs or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
        runs += 1
    return shortest
