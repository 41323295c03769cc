import numpy as np
from numpy.typing import NDArray

def class_sums(
    width: NDArray[np.float64],
    a_seg: NDArray[np.int64],
    b_seg: NDArray[np.int64],
    off: NDArray[np.int64],
    a_class: NDArray[np.int64],
    b_class: NDArray[np.int64],
    table: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    out: NDArray[np.float64],
) -> int: ...
