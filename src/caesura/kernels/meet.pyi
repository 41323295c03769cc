import numpy as np
from numpy.typing import NDArray

def cut(
    point: NDArray[np.float64],
    document: NDArray[np.int64],
    order: NDArray[np.int64],
    weight: NDArray[np.float64],
    place: NDArray[np.int64],
    atom_off: NDArray[np.int64],
) -> int: ...
def sizes(
    atom_off: NDArray[np.int64],
    a_level: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_level: NDArray[np.int64],
    b_off: NDArray[np.int64],
) -> tuple[int, int, int]: ...
def triples(
    weight: NDArray[np.float64],
    length: NDArray[np.int64],
    atom_off: NDArray[np.int64],
    own: NDArray[np.int64],
    a_lo: NDArray[np.int64],
    a_hi: NDArray[np.int64],
    a_level: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_off: NDArray[np.int64],
    b_lo: NDArray[np.int64],
    b_hi: NDArray[np.int64],
    b_level: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_off: NDArray[np.int64],
    meet: NDArray[np.int64],
    table: NDArray[np.int64],
    column: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
