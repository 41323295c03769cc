import numpy as np
from numpy.typing import NDArray

def class_sums(
    width: NDArray[np.float64],
    a_seg: NDArray[np.int64],
    b_seg: NDArray[np.int64],
    off: NDArray[np.int64],
    a_class: NDArray[np.int64],
    b_class: NDArray[np.int64],
    entropies: bool,
    table: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    out: NDArray[np.float64],
) -> int: ...
def class_sums_of_pair(
    a_packed: bytes, b_packed: bytes, entropies: bool, max_table: int
) -> tuple[float, ...] | None: ...
def class_sums_of_batch(
    begin: NDArray[np.float64],
    end: NDArray[np.float64],
    a_pos: NDArray[np.float64],
    a_off: NDArray[np.int64],
    a_code: NDArray[np.int64],
    a_last: NDArray[np.int64],
    b_pos: NDArray[np.float64],
    b_off: NDArray[np.int64],
    b_code: NDArray[np.int64],
    b_last: NDArray[np.int64],
    entropies: bool,
    max_table: int,
    out: NDArray[np.float64],
) -> bool: ...
def products_in_groups(
    length: NDArray[np.float64],
    group: NDArray[np.int64],
    document: NDArray[np.int64],
    before: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def f_of_ratios(
    counts: NDArray[np.float64],
    columns: tuple[int, int, int, int],
    empty: float,
    weight: float,
    out: NDArray[np.float64],
) -> None: ...
def f_of_entropies(counts: NDArray[np.float64], empty: float, weight: float, out: NDArray[np.float64]) -> None: ...
