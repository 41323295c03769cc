import numpy as np
from numpy.typing import NDArray

def cheapest_alignment(
    offset: NDArray[np.int64],
    begin: NDArray[np.int64],
    members: NDArray[np.int32],
    reduced: NDArray[np.int64],
    category: NDArray[np.int64],
    twin: NDArray[np.int32],
    limit: NDArray[np.int64],
    beam: int,
    max_states: int,
    max_work: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.int64],
]: ...
