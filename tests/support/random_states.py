"""Initial states of the random generators in the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def state(seed: int) -> NDArray[np.uint64]:
    """Four words for ``FlexibleSimilarity.draw``."""
    return np.random.SeedSequence(seed).generate_state(4, np.uint64)
