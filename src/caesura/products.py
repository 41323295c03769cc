"""Linear algebra with the same bits on every machine.

``@`` and ``numpy.linalg`` call a library (BLAS, LAPACK) whose order of additions depends on its version, the processor and
the number of threads. Here sums have a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.products import multiply

Floats = NDArray[np.float64]

_MAX_EXACT = 2.0**53
_MAX_SWEEPS = 60
_SMALL = 1e-30  # relative to the trace: an element that no rotation needs to remove


def product(a: Any, b: Any) -> Any:
    """Return the matrix product of two arrays, as ``a @ b``, with sums in a fixed order.

    Parameters
    ----------
    a, b : array_like
        Vectors or matrices.

    Returns
    -------
    ndarray or float
        The product. Whole numbers whose sums are exact in any order are multiplied by ``@``, which is faster.

    Examples
    --------
    >>> product([[0.5, 0.25]], [[2.0], [4.0]]).tolist()
    [[2.0]]
    >>> product([1.0, 2.0], [3.0, 0.1])
    3.2
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if _is_exact(a, b):
        exact = a @ b
        return float(exact) if exact.ndim == 0 else exact
    rows = np.ascontiguousarray(a if a.ndim == 2 else a[None, :])
    columns = np.ascontiguousarray(b if b.ndim == 2 else b[:, None])
    if rows.shape[1] != columns.shape[0]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit")
    out = np.zeros((rows.shape[0], columns.shape[1]))
    multiply(rows, columns, out)
    if a.ndim == 1 and b.ndim == 1:
        return float(out[0, 0])
    return out if a.ndim == b.ndim == 2 else out[0] if a.ndim == 1 else out[:, 0]


def _is_exact(a: Floats, b: Floats) -> bool:
    """Return whether all sums of the product are whole numbers below 2^53, which no order of additions changes."""
    if not a.size or not b.size:
        return True
    largest = float(np.abs(a).max()) * float(np.abs(b).max()) * a.shape[-1]
    return largest < _MAX_EXACT and bool((np.rint(a) == a).all()) and bool((np.rint(b) == b).all())


def pseudo_inverse(matrix: Sequence[Sequence[float]] | Floats, rcond: float) -> Floats:
    """Return the pseudo-inverse of a small symmetric matrix, by Jacobi's rotations in a fixed order.

    Parameters
    ----------
    matrix : array, k x k
        A symmetric matrix.
    rcond : float
        Directions whose eigenvalue is at most this fraction of the largest are ignored.

    Returns
    -------
    ndarray
        The pseudo-inverse, k x k.

    Examples
    --------
    >>> pseudo_inverse([[2.0, 0.0], [0.0, 0.0]], 1e-9).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    a = [[float(x) for x in row] for row in matrix]
    k = len(a)
    v = [[float(i == j) for j in range(k)] for i in range(k)]
    for _ in range(_MAX_SWEEPS):
        if not sum([_rotate(a, v, p, q) for p in range(k) for q in range(p + 1, k)]):
            break
    values, vectors = np.reshape(a, (k, k)).diagonal(), np.reshape(v, (k, k)).T
    limit = rcond * max(map(abs, values), default=0.0)
    result = np.zeros((k, k))
    for value, vector in zip(values, vectors, strict=True):
        if abs(value) > limit:
            result += np.outer(vector, vector) / value
    return result


def _rotate(a: list[list[float]], v: list[list[float]], p: int, q: int) -> bool:
    """Turn columns and rows p and q so that the element between them becomes 0; return False if it already is."""
    if abs(a[p][q]) <= _SMALL * (abs(a[p][p]) + abs(a[q][q])) or a[p][q] == 0:
        return False
    theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
    t = (
        (1.0 if theta >= 0 else -1.0) / (abs(theta) + math.sqrt(theta * theta + 1))
        if abs(theta) < 1e150
        else 0.5 / theta
    )
    c = 1 / math.sqrt(t * t + 1)
    s = t * c
    for row in (*a, *v):  # columns p and q
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    for i in range(len(a)):  # rows p and q
        a[p][i], a[q][i] = c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]
    a[p][q] = a[q][p] = 0.0
    return True
