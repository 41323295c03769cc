import numpy as np
from numpy.typing import NDArray

class Frontier:
    fits: bool
    def __init__(
        self,
        gain: NDArray[np.int64],
        move: NDArray[np.int64],
        alone: NDArray[np.int64],
        side: NDArray[np.int64],
        kind: NDArray[np.int64],
        max_length: int,
        mirror: bool,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def successor(self) -> NDArray[np.int32]: ...
    @property
    def cost(self) -> NDArray[np.float64]: ...
    @property
    def potential(self) -> NDArray[np.float64]: ...
    def expand(self, which: NDArray[np.int64], max_states: int) -> None: ...

def increments(
    successor: NDArray[np.int32],
    reward: NDArray[np.float64],
    probability: NDArray[np.float64],
    shared: float,
    max_length: int,
    tolerance: float,
) -> NDArray[np.float64]: ...
def visits(
    successor: NDArray[np.int32], probability: NDArray[np.float64], shared: float, max_length: int, tolerance: float
) -> NDArray[np.float64]: ...
