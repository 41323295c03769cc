import numpy as np
from numpy.typing import NDArray

def pair_within(
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    tolerance: NDArray[np.int64],
    mate: NDArray[np.int64],
) -> None: ...
def unit_overlap(
    length: NDArray[np.int64],
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
