"""Linear algebra with the same bits on every machine.

``@`` and ``numpy.linalg`` call a library (BLAS, LAPACK) whose order of additions depends on its version, the processor and
the number of threads. Here sums have a fixed order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.products import largest_whole, multiply
from caesura.model.index import flatnonzero

Floats = NDArray[np.float64]

_MAX_EXACT = 2.0**53
_MAX_SWEEPS = 60
_SMALL = 1e-30  # relative to the trace: an element that no rotation needs to remove


def product(a: Any, b: Any) -> Any:
    """Return the matrix product of two arrays, as ``a @ b``, with sums in a fixed order."""
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
    smaller, larger = (a, b) if a.size < b.size else (b, a)
    largest = largest_whole(smaller.ravel()) * a.shape[-1]
    return bool(largest < _MAX_EXACT and largest * largest_whole(larger.ravel()) < _MAX_EXACT)


def pseudo_inverses(matrices: Floats, rcond: float) -> Floats:
    """Return the pseudo-inverses of small symmetric matrices, by Jacobi's rotations in a fixed order."""
    a = np.array(matrices, np.float64)
    k = a.shape[-1]
    v = np.zeros_like(a)
    v[:, range(k), range(k)] = 1.0
    active = np.arange(len(a))
    for _ in range(_MAX_SWEEPS):
        turned = np.zeros(len(a), bool)
        for p in range(k):
            for q in range(p + 1, k):
                turned[_rotate(a, v, active, p, q)] = True
        active = flatnonzero(turned)
        if not active.size:
            break
    values = np.diagonal(a, axis1=1, axis2=2)
    limit = rcond * np.abs(values).max(axis=1, initial=0.0)
    result = np.zeros_like(a)
    for j in range(k):
        chosen = flatnonzero(np.abs(values[:, j]) > limit)
        vector = v[chosen, :, j]
        result[chosen] += vector[:, :, None] * vector[:, None, :] / values[chosen, j, None, None]
    return result


def _rotate(a: Floats, v: Floats, active: NDArray[np.int64], p: int, q: int) -> NDArray[np.int64]:
    """Turn columns and rows p and q of the active matrices so that the element between them becomes 0."""
    # Matrices where it already is are left alone; the indices of the others are returned.
    between, size = a[active, p, q], np.abs(a[active, p, p]) + np.abs(a[active, q, q])
    chosen: NDArray[np.int64] = active[~((np.abs(between) <= _SMALL * size) | (between == 0))]
    if not chosen.size:
        return chosen
    theta = (a[chosen, q, q] - a[chosen, p, p]) / (2 * a[chosen, p, q])
    steep = np.abs(theta) < 1e150
    bounded = np.where(steep, theta, 1.0)
    t = np.where(
        steep,
        np.where(bounded >= 0, 1.0, -1.0) / (np.abs(bounded) + np.sqrt(bounded * bounded + 1)),
        0.5 / np.where(steep, 1.0, theta),
    )
    c = (1 / np.sqrt(t * t + 1))[:, None]
    s = t[:, None] * c
    for matrix in (a, v):  # columns p and q
        x, y = matrix[chosen, :, p], matrix[chosen, :, q]
        matrix[chosen, :, p], matrix[chosen, :, q] = c * x - s * y, s * x + c * y
    x, y = a[chosen, p], a[chosen, q]  # rows p and q
    a[chosen, p], a[chosen, q] = c * x - s * y, s * x + c * y
    a[chosen, p, q] = a[chosen, q, p] = 0.0
    return chosen
