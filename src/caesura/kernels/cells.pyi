import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

EVERY: int
BY_BOTH: int
BY_FIRST: int

class Pairs:
    size: int
    def __init__(
        self,
        begin: Ints,
        end: Ints,
        a_place: Ints,
        a_off: Ints,
        a_label: Ints,
        b_place: Ints,
        b_off: Ints,
        b_label: Ints,
        counted: int,
    ) -> None: ...

def counted_lengths(pairs: Pairs, out: Floats) -> None: ...
def label_lengths(pairs: Pairs, labels: int, out: Floats) -> None: ...
def overlaps(pairs: Pairs, choose: bool, all_ties: bool, near: float, out: Floats) -> None: ...
