import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def fill(
    lengths: Ints, masses: Ints, sums: Ints, drawn: Ints, positions: Ints, off: Ints, text: int, used: int
) -> tuple[int, int]: ...
