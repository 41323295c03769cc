import numpy as np
from numpy.typing import NDArray

def cut_at_end(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    off: NDArray[np.int64],
    c: NDArray[np.int64],
    d: NDArray[np.int64],
    c_off: NDArray[np.int64],
    stack: NDArray[np.int64],
    cut: NDArray[np.int64],
) -> None: ...
