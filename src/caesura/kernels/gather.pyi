import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def survey(a_packed: list[bytes], b_packed: list[bytes]) -> tuple[Ints, Ints, Ints, int, int] | None: ...
def gather(packed: list[bytes], off: Ints) -> Ints: ...
