import numpy as np
from numpy.typing import NDArray

def transpositions(
    p_a: NDArray[np.float64],
    p_b: NDArray[np.float64],
    positions: NDArray[np.int64],
    weights: NDArray[np.float64],
    after: NDArray[np.float64],
    after_positions: NDArray[np.float64],
    group: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def rewards(
    successor: NDArray[np.int32],
    reward: NDArray[np.float64],
    probability: NDArray[np.float64],
    positions: NDArray[np.int64],
    tolerance: float,
    out: NDArray[np.float64],
) -> None: ...
