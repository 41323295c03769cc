import numpy as np
from numpy.typing import NDArray

def multiply(a: NDArray[np.float64], b: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
