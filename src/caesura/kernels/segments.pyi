import numpy as np
from numpy.typing import NDArray

def pair_within(
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    tolerance: int,
    mate: NDArray[np.int64],
) -> None: ...
def count_within_pair(r: bytes, h: bytes, tolerance: int) -> tuple[int, int, int]: ...
def unit_overlap(
    length: NDArray[np.int64],
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
