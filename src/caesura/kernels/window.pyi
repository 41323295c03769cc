import numpy as np
from numpy.typing import NDArray

def sweep(
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    width: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
