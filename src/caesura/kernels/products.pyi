import numpy as np
from numpy.typing import NDArray

def multiply(a: NDArray[np.float64], b: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
def largest_whole(values: NDArray[np.float64]) -> float: ...
def mean_of_pairs(
    rates: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
