import numpy as np
from numpy.typing import NDArray

def pair_rows(
    columns: int, begin: NDArray[np.int64], column: NDArray[np.int32], cost: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
