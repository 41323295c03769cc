import numpy as np
from numpy.typing import NDArray

SEGMENTS: int
POSITIONS: int
MARKS: int

class Rule:
    def __init__(
        self,
        width: int,
        minimum: int,
        mean: int,
        *,
        half_even: bool,
        clamp: bool,
        in_units: bool,
        padded: bool,
        more_windows: bool,
    ) -> None: ...

def sweep(
    length: NDArray[np.int64],
    r_pos: NDArray[np.int64],
    r_off: NDArray[np.int64],
    h_pos: NDArray[np.int64],
    h_off: NDArray[np.int64],
    rule: Rule,
    out: NDArray[np.float64],
    k: NDArray[np.int64],
    origin: NDArray[np.uint8],
) -> None: ...
