import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def fill(
    random: NDArray[np.uint64],
    lengths: Ints,
    masses: Ints,
    sums: Ints,
    rate: float,
    inner: int,
    ends: int,
    positions: Ints,
    chosen: Ints,
    last: Ints,
    off: Ints,
    text: int,
    used: int,
    half: int,
) -> tuple[int, int, int]: ...
