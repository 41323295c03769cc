import numpy as np
from numpy.typing import NDArray

from caesura.kernels.cells import Pairs

def class_sums(pairs: Pairs, by_label: bool, entropies: bool, out: NDArray[np.float64]) -> None: ...
def f_of_ratios(
    counts: NDArray[np.float64],
    columns: tuple[int, int, int, int],
    empty: float,
    weight: float,
    out: NDArray[np.float64],
) -> None: ...
def f_of_entropies(counts: NDArray[np.float64], empty: float, weight: float, out: NDArray[np.float64]) -> None: ...
