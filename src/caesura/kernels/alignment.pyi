import numpy as np
from numpy.typing import NDArray

def cheapest_alignment(
    N: int,  # noqa: N803 - the symbol of the paper
    begin: NDArray[np.int64],
    members: NDArray[np.int32],
    reduced: NDArray[np.int64],
    category: NDArray[np.int64],
    twin: NDArray[np.int32],
    limit: int,
    beam: int,
    max_work: int,
) -> tuple[NDArray[np.int64] | None, int, bool, bool]: ...
