import numpy as np
from numpy.typing import NDArray

def align(
    a_parent: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_span: NDArray[np.float64],
    a_off: NDArray[np.int64],
    b_parent: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_span: NDArray[np.float64],
    b_off: NDArray[np.int64],
    flexible: bool,
    threshold: float,
    max_cells: int,
    max_steps: float,
    gain: NDArray[np.float64],
    steps: NDArray[np.float64],
    partner: NDArray[np.int64] | None,
) -> None: ...
