import numpy as np
from numpy.typing import NDArray

def add(counts: NDArray[np.float64], sums: NDArray[np.int64]) -> int: ...
