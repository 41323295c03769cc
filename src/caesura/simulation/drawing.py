"""Where chance comes from: a seed, or a generator that goes on from where it is."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from caesura.errors import OptionError

__all__ = ["Seed", "generator"]

Seed: TypeAlias = "int | np.random.Generator"  # as text: numpy.random is slow to import


def generator(seed: object) -> np.random.Generator:
    """The one that was given, or a new one from a whole number."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise OptionError(f"seed must be a whole number of at least 0 or a numpy.random.Generator; got {seed!r}")
    return np.random.default_rng(int(seed))
