import numpy as np
from numpy.typing import NDArray

def conflict_free(
    c: NDArray[np.int64],
    w: NDArray[np.int64],
    end: NDArray[np.int64],
    at: NDArray[np.int64],
    before: NDArray[np.int64],
    outer: NDArray[np.int64],
    modulus: int,
    selected: NDArray[np.int64] | None,
) -> tuple[int, int, float]: ...
