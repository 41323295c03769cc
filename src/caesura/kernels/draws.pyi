from typing import Any

import numpy as np
from numpy.typing import NDArray

def draw(
    joint: NDArray[np.float64],
    lengths: NDArray[np.int64],
    prices: tuple[Any, ...],
    method: int,
    seed: int,
    first: int,
    out: NDArray[np.float64],
) -> None: ...
