import numpy as np
from numpy.typing import NDArray

def uniforms(entropy: NDArray[np.uint32], keys: NDArray[np.uint32], count: int) -> NDArray[np.float64]: ...
