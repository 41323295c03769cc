import numpy as np
from numpy.typing import NDArray

def common_spans(
    a_start: NDArray[np.int64],
    a_end: NDArray[np.int64],
    a_label: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_start: NDArray[np.int64],
    b_end: NDArray[np.int64],
    b_label: NDArray[np.int64],
    b_off: NDArray[np.int64],
    counts: NDArray[np.float64],
) -> None: ...
def common_tokens(
    a_start: NDArray[np.int64],
    a_end: NDArray[np.int64],
    a_label: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_start: NDArray[np.int64],
    b_end: NDArray[np.int64],
    b_label: NDArray[np.int64],
    b_off: NDArray[np.int64],
    seen: NDArray[np.int64],
    last: NDArray[np.int64],
    counts: NDArray[np.float64],
) -> None: ...
