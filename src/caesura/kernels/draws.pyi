from typing import Any

import numpy as np
from numpy.typing import NDArray

def draw(
    joint: NDArray[np.float64],
    lengths: NDArray[np.int64],
    prices: tuple[Any, ...],
    method: int,
    state: NDArray[np.uint64],
    out: NDArray[np.float64],
) -> None: ...
