import numpy as np
from numpy.typing import NDArray

ORDERED: int
MATCHING: int
GREEDY: int
LINEAR: int

class Gains:
    def __init__(self, gain_t: NDArray[np.int64], gain_s: NDArray[np.int64], method: int) -> None: ...

def align(
    a_pos: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_off: NDArray[np.int64],
    gains: Gains,
    mate: NDArray[np.int64],
) -> None: ...
def count(
    a_pos: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_off: NDArray[np.int64],
    gains: Gains,
    out: NDArray[np.float64],
) -> None: ...
def tally(
    a_pos: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_off: NDArray[np.int64],
    mate: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def confuse(
    r_pos: NDArray[np.int64],
    r_code: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_code: NDArray[np.int64],
    h_off: NDArray[np.int64],
    mate: NDArray[np.int64],
    types: int,
    out: NDArray[np.float64],
) -> None: ...
