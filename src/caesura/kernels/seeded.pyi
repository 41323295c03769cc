import numpy as np
from numpy.typing import NDArray

def uniforms(entropy: NDArray[np.uint32], first: int, last: int, count: int) -> NDArray[np.float64]: ...
