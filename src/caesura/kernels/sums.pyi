import numpy as np
from numpy.typing import NDArray

def add(counts: NDArray[np.float64], whole: NDArray[np.int64], part: NDArray[np.int64]) -> int: ...
