from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def group_units(
    start: Floats,
    end: Floats,
    category: NDArray[np.int32],
    annotator: NDArray[np.int32],
    n: int,
    alpha: float,
    beta: float,
    distance: Floats,
    orders: Iterable[NDArray[np.int64]],
    max_steps: int,
) -> tuple[NDArray[np.int32], int]: ...
