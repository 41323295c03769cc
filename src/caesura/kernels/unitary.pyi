import numpy as np
from numpy.typing import NDArray

QUANTUM: int

def enumerate_tuples(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    category: NDArray[np.int32],
    annotator: NDArray[np.int32],
    offset: NDArray[np.int64],
    n: int,
    alpha: float,
    beta: float,
    distance: NDArray[np.float64],
    max_tuples: int,
    tuples_per_unit: int,
    max_steps: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int64],
]: ...
def split_samples(
    offset: NDArray[np.int64], begin: NDArray[np.int64], members: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def raise_prices(
    N: int,  # noqa: N803 - the symbol of the paper
    units: NDArray[np.int64],
    begin: NDArray[np.int64],
    members: NDArray[np.int32],
    cost: NDArray[np.int64],
    rounds: int,
    known: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def pair_terms(
    begin: NDArray[np.int64],
    members: NDArray[np.int32],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    category: NDArray[np.int32],
    n: int,
    alpha: float,
    beta: float,
    distance: NDArray[np.float64],
) -> tuple[
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
