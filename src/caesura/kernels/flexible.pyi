from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT: int
PARDIST: int
SEGSIMFLEX: int

def score(
    a_pos: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_off: NDArray[np.int64],
    prices: tuple[Any, ...],
    method: int,
    out: NDArray[np.float64],
    mate: NDArray[np.int64] | None = None,
) -> None: ...
