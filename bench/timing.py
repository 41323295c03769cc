"""How long things take."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(run: Callable[[], object], *, seconds: float = 1.0, least: int = 5) -> float:
    """The shortest of at least ``least`` runs, repeated for about ``seconds``."""
    shortest = float("inf")
    end = time.perf_counter() + seconds
    runs = 0
    while runs < least or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
        runs += 1
    return shortest
