import numpy as np
from numpy.typing import NDArray

def cluster(
    pos: NDArray[np.int64],
    h: NDArray[np.int64],
    off: NDArray[np.int64],
    chain_strength: int,
    minimal_peak: NDArray[np.int64],
    min_count: int,
    beta: float,
    bounds: NDArray[np.int64],
    moments: NDArray[np.float64],
    k_off: NDArray[np.int64],
) -> None: ...
def award(
    length: NDArray[np.int64],
    pos: NDArray[np.int64],
    h: NDArray[np.int64],
    q_pos: NDArray[np.int64],
    q_off: NDArray[np.int64],
    bounds: NDArray[np.int64],
    k_off: NDArray[np.int64],
    alpha: float,
    near_power: NDArray[np.float64],
    rate: NDArray[np.float64],
    coefficient: NDArray[np.float64],
    p_min: float,
    p_max: NDArray[np.float64],
    best: bool,
    edges: bool,
    cluster_of: NDArray[np.int64],
    gain: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
