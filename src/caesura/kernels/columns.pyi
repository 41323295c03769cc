import numpy as np
from numpy.typing import NDArray

def check(
    length: NDArray[np.int64],
    pos: NDArray[np.int64],
    off: NDArray[np.int64],
    code: NDArray[np.int64],
    max_length: int,
    out: NDArray[np.uint8],
) -> tuple[bool, bool]: ...
