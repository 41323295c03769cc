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
def gather(
    a_packed: list[bytes], b_packed: list[bytes], needs_extent: bool, needs_labels: bool, all_points: bool
) -> tuple[Floats, Floats, Floats, Ints, Ints, Ints, Flags, Floats, Ints, Ints, Ints, Flags] | None: ...
def same_places(
    a_pos: NDArray[np.float64], a_off: NDArray[np.int64], b_pos: NDArray[np.float64], b_off: NDArray[np.int64]
) -> None: ...
