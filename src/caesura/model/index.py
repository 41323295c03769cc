"""The functions of numpy that take or give index arrays, with whole numbers of 64 bits on every machine.

numpy counts, sorts and searches in its index type, ``np.intp``. In WebAssembly and on 32-bit Linux this type has 32 bits: numpy
then refuses counts of 64 bits, and its results do not fit the kernels, which read 64 bits. The functions below convert both
ways. On every other machine nothing needs converting, and most names stand for numpy's own functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
Index = NDArray[np.int64]
Row = np.ndarray[tuple[int], np.dtype[np.int64]]
Side = Literal["left", "right"]
SortKind = Literal["quicksort", "mergesort", "heapsort", "stable"]

_IS_WIDE = np.dtype(np.intp) == np.int64


def argsort(a: NDArray[Any], /, axis: int = -1, kind: SortKind | None = None) -> Index:
    """Return the places of the values in ascending order."""
    return np.argsort(a, axis, kind).astype(np.int64)


def lexsort(keys: Sequence[NDArray[Any]] | NDArray[Any], /) -> Index:
    """Return the places of the rows in ascending order; the last key counts most."""
    return np.lexsort(keys).astype(np.int64)


def nonzero(a: NDArray[Any], /) -> tuple[Row, ...]:
    """Return the places of all values that are not zero, one array per axis."""
    return tuple(places.astype(np.int64) for places in np.nonzero(a))


def flatnonzero(a: NDArray[Any], /) -> Row:
    """Return the places of all values that are not zero, counted through all axes."""
    return nonzero(a.ravel())[0]


@overload
def searchsorted(a: NDArray[Any], v: float | np.generic, /, side: Side = ...) -> np.int64: ...
@overload
def searchsorted(a: NDArray[Any], v: NDArray[Any] | Sequence[Any], /, side: Side = ...) -> Index: ...
def searchsorted(a: NDArray[Any], v: Any, /, side: Side = "left") -> np.int64 | Index:
    """Return where values would go into a sorted array."""
    places: Index = np.searchsorted(a, v, side).astype(np.int64)
    return places


@overload
def repeat(a: NDArray[Scalar], repeats: ArrayLike, /, axis: int | None = ...) -> NDArray[Scalar]: ...
@overload
def repeat(a: ArrayLike, repeats: ArrayLike, /, axis: int | None = ...) -> NDArray[Any]: ...
def repeat(a: ArrayLike, repeats: ArrayLike, /, axis: int | None = None) -> NDArray[Any]:
    """Return every value as often as its count says."""
    return np.repeat(a, _to_intp(repeats), axis)


@overload
def bincount(x: NDArray[Any] | Sequence[int], /, weights: None = ..., minlength: int = ...) -> Row: ...
@overload
def bincount(
    x: NDArray[Any] | Sequence[int], /, weights: NDArray[Any] | Sequence[float], minlength: int = ...
) -> NDArray[np.float64]: ...
@overload
def bincount(
    x: NDArray[Any] | Sequence[int], /, weights: NDArray[Any] | None, minlength: int = ...
) -> Index | NDArray[np.float64]: ...
def bincount(
    x: NDArray[Any] | Sequence[int], /, weights: Any = None, minlength: int = 0
) -> Index | NDArray[np.float64]:
    """Return how often each number from 0 up occurs, or the sum of its weights."""
    counts = np.bincount(x if _IS_WIDE else _to_intp(x), weights, minlength)
    if weights is not None:
        return counts if len(x) else np.zeros(minlength)  # numpy gives whole numbers if x is empty
    return counts if _IS_WIDE else counts.astype(np.int64)


def reduceat(
    ufunc: np.ufunc, values: NDArray[Any], starts: Index, axis: int = 0, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """Return one sum, maximum or other reduction of the values from each start up to the next."""
    if _IS_WIDE:
        return ufunc.reduceat(values, starts, axis, dtype)
    if dtype is None and ufunc is np.add and values.dtype.kind in "bi":
        dtype = np.int64  # numpy would add up in the index type
    return ufunc.reduceat(values, _to_intp(starts), axis, dtype)


def _to_intp(numbers: ArrayLike) -> NDArray[np.intp]:
    """Return whole numbers in numpy's index type. Larger ones than it has cannot be the size of an array."""
    array = np.asarray(numbers)
    if not array.size:
        return array.astype(np.intp)
    if array.dtype.kind in "iu" and array.max() > np.iinfo(np.intp).max:
        raise MemoryError(f"an array of {array.max()} values is too large for a machine with indexes of 32 bits")
    return array.astype(np.intp, casting="same_kind", copy=False)


EMPTY = np.empty(0, np.int64)


def join_arrays(arrays: Sequence[Index]) -> Index:
    """Return the entries of many short arrays; this is five times faster than ``np.concatenate``."""
    return np.frombuffer(b"".join(arrays), np.int64)  # type: ignore[arg-type]  # arrays are buffers


def offsets(sizes: Sequence[int] | Index) -> Index:
    """Return the start of each part, followed by the end of the last one."""
    off = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=off[1:])
    return off


if _IS_WIDE and not TYPE_CHECKING:  # for small arrays, the methods take a third of the time of the functions
    argsort = np.ndarray.argsort
    nonzero = np.ndarray.nonzero
    searchsorted = np.ndarray.searchsorted
    lexsort = np.lexsort
    repeat = np.repeat
