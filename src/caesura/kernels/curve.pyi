import numpy as np
from numpy.typing import NDArray

def add_marks(
    r_pos: NDArray[np.float64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.float64],
    h_off: NDArray[np.int64],
    order: NDArray[np.int64],
    tolerance: NDArray[np.float64],
    gain: NDArray[np.uint8],
) -> None: ...
def keep_peaks(
    h_pos: NDArray[np.float64], h_off: NDArray[np.int64], order: NDArray[np.int64], distance: NDArray[np.float64]
) -> None: ...
