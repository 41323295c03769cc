import numpy as np
from numpy.typing import NDArray

def nearest(
    from_pos: NDArray[np.int64],
    from_off: NDArray[np.int64],
    to_pos: NDArray[np.int64],
    to_off: NDArray[np.int64],
    distance: NDArray[np.float64],
) -> None: ...
def medians(values: NDArray[np.float64], off: NDArray[np.int64], out: NDArray[np.float64]) -> None: ...
def edit_costs(
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    insertion: NDArray[np.float64],
    deletion: NDArray[np.float64],
    shift: float,
    row: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def windows(
    length: NDArray[np.float64],
    begin: NDArray[np.float64],
    k: NDArray[np.float64],
    r_pos: NDArray[np.float64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.float64],
    h_off: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
