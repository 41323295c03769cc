import numpy as np
from numpy.typing import NDArray

def section_overlaps(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    code: NDArray[np.int64],
    line: NDArray[np.int64],
    pairs: NDArray[np.int64],
    value: NDArray[np.float64],
    metric: int,
    out: NDArray[np.float64],
) -> None: ...
def unit_differences(
    a_start: NDArray[np.int64], a_end: NDArray[np.int64], b_start: NDArray[np.int64], b_end: NDArray[np.int64]
) -> float: ...
