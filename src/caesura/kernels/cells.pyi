import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

def gather(
    a_packed: list[bytes], b_packed: list[bytes], needs_extent: bool, needs_labels: bool, all_points: bool
) -> tuple[Floats, Floats, Floats, Ints, Ints, Ints, Flags, Floats, Ints, Ints, Ints, Flags] | None: ...
def same_places(
    a_pos: NDArray[np.float64], a_off: NDArray[np.int64], b_pos: NDArray[np.float64], b_off: NDArray[np.int64]
) -> None: ...
def sweep(
    begin: NDArray[np.float64],
    end: NDArray[np.float64],
    a_pos: NDArray[np.float64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.float64],
    b_off: NDArray[np.int64],
    width: NDArray[np.float64],
    a_seg: NDArray[np.int64],
    b_seg: NDArray[np.int64],
    cell_off: NDArray[np.int64],
) -> int: ...
def lengths(width: NDArray[np.float64], segment: NDArray[np.int64], length: NDArray[np.float64]) -> None: ...
def overlaps(
    width: NDArray[np.float64],
    cell_off: NDArray[np.int64],
    segment: NDArray[np.int64],
    length: NDArray[np.float64],
    other: NDArray[np.int64],
    other_length: NDArray[np.float64],
    choose: bool,
    ties_all: bool,
    chosen: NDArray[np.uint8],
    out: NDArray[np.float64],
) -> None: ...
def overlaps_of_pair(a_packed: bytes, b_packed: bytes) -> tuple[float, ...] | None: ...
def overlaps_of_batch(
    begin: NDArray[np.float64],
    end: NDArray[np.float64],
    a_pos: NDArray[np.float64],
    a_off: NDArray[np.int64],
    b_pos: NDArray[np.float64],
    b_off: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def chosen_pairs(
    width: NDArray[np.float64],
    cell_off: NDArray[np.int64],
    a_seg: NDArray[np.int64],
    a_length: NDArray[np.float64],
    b_seg: NDArray[np.int64],
    b_length: NDArray[np.float64],
    chosen: NDArray[np.uint8],
    out: NDArray[np.float64],
) -> None: ...
