"""Index arrays have 64 bits on every machine, also where numpy's index type has 32."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.model import index

VALUES = np.array([3.0, 0.0, 2.0, 0.0, 1.0])
NUMBERS = np.array([0, 2, 2, 1, 0])
GRID = np.array([[1, 0], [0, 1]])


def to_int32(numbers: Any) -> Any:
    """Convert as numpy does with indexes of 32 bits: an array of 64 bits is refused."""
    array = np.asarray(numbers)
    if isinstance(numbers, np.ndarray) and not np.can_cast(array.dtype, np.int32, "safe"):
        raise TypeError(f"Cannot cast array data from {array.dtype} to int32 according to the rule 'safe'")
    return array.astype(np.int32)


def narrow_bincount(x: Any, weights: Any = None, minlength: int = 0) -> NDArray[Any]:
    counts = np.bincount(to_int32(x), weights, minlength)
    return counts.astype(np.int32) if counts.dtype == np.int64 else counts


def narrow_add(values: Any, starts: Any, axis: int = 0, dtype: Any = None) -> NDArray[Any]:
    in_index_type = dtype is None and values.dtype.kind in "bi" and values.dtype != np.int64
    return np.add.reduceat(values, to_int32(starts), axis, np.int32 if in_index_type else dtype)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the module a second time, with a numpy whose index type has 32 bits."""
    numpy = ModuleType("numpy")
    vars(numpy).update(vars(np))
    functions: dict[str, Callable[..., Any]] = {
        "argsort": lambda a, axis=-1, kind=None: np.argsort(a, axis, kind).astype(np.int32),
        "lexsort": lambda keys: np.lexsort(keys).astype(np.int32),
        "nonzero": lambda a: tuple(places.astype(np.int32) for places in np.nonzero(a)),
        "searchsorted": lambda a, v, side="left": np.searchsorted(a, v, side).astype(np.int32),
        "repeat": lambda a, repeats, axis=None: np.repeat(a, to_int32(repeats), axis),
        "bincount": narrow_bincount,
    }
    add = SimpleNamespace(reduceat=narrow_add)
    vars(numpy).update(functions, intp=np.int32, add=add)
    monkeypatch.setitem(sys.modules, "numpy", numpy)
    spec = importlib.util.spec_from_file_location("narrow_index", index.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wide_numpy(name: str, *arguments: Any, **options: Any) -> Any:
    if name == "reduceat":
        return np.add.reduceat(*arguments, **options)
    return getattr(np, name)(*arguments, **options)


CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], type]] = [
    ("argsort", (VALUES,), {"kind": "stable"}, np.int64),
    ("argsort", (GRID,), {"axis": 0}, np.int64),
    ("lexsort", ((VALUES, NUMBERS),), {}, np.int64),
    ("lexsort", (GRID,), {}, np.int64),
    ("flatnonzero", (VALUES,), {}, np.int64),
    ("flatnonzero", (GRID,), {}, np.int64),
    ("flatnonzero", (GRID.T[:, :1] > 0,), {}, np.int64),
    ("searchsorted", (np.sort(VALUES), VALUES), {}, np.int64),
    ("searchsorted", (np.sort(VALUES), 2.0, "right"), {}, np.int64),
    ("searchsorted", (np.sort(NUMBERS), [0, 2]), {"side": "right"}, np.int64),
    ("repeat", (VALUES, NUMBERS), {}, np.float64),
    ("repeat", (VALUES, 2), {}, np.float64),
    ("repeat", (VALUES, NUMBERS.astype(np.int32)), {}, np.float64),
    ("repeat", (VALUES, VALUES > 0), {}, np.float64),
    ("repeat", (NUMBERS, NUMBERS), {}, np.int64),
    ("repeat", (GRID, np.array([2, 1])), {"axis": 1}, np.int64),
    ("repeat", (VALUES[:0], []), {}, np.float64),
    ("bincount", (NUMBERS,), {}, np.int64),
    ("bincount", (NUMBERS.astype(np.int32),), {"minlength": 5}, np.int64),
    ("bincount", ([0, 2],), {}, np.int64),
    ("bincount", (NUMBERS[:0],), {"minlength": 2}, np.int64),
    ("bincount", (NUMBERS, VALUES, 4), {}, np.float64),
    ("bincount", (NUMBERS,), {"weights": NUMBERS}, np.float64),
    ("bincount", (NUMBERS[:0], VALUES[:0], 3), {}, np.float64),
    ("reduceat", (VALUES, np.array([0, 3])), {}, np.float64),
    ("reduceat", (NUMBERS, np.array([0, 3])), {}, np.int64),
    ("reduceat", (VALUES > 0, np.array([0, 3])), {}, np.int64),
    ("reduceat", (VALUES > 0, np.array([0, 3])), {"dtype": np.int64}, np.int64),
    ("reduceat", (NUMBERS.astype(np.int32), np.array([0, 3])), {}, np.int64),
    ("reduceat", (GRID, np.array([0, 1])), {"axis": 1}, np.int64),
]


@pytest.mark.parametrize(("name", "arguments", "options", "dtype"), CASES)
def test_types_and_values_with_any_index_type(
    narrow: ModuleType, name: str, arguments: tuple[Any, ...], options: dict[str, Any], dtype: type
) -> None:
    expected = wide_numpy(name, *arguments, **options)
    for module, add in ((index, np.add), (narrow, sys.modules["numpy"].add)):
        function = getattr(module, name)
        actual = function(add, *arguments, **options) if name == "reduceat" else function(*arguments, **options)
        assert actual.dtype == dtype, module.__name__
        assert np.shape(actual) == np.shape(expected)
        assert np.array_equal(actual, expected)


def test_nonzero_gives_one_array_per_axis(narrow: ModuleType) -> None:
    for module in (index, narrow):
        rows, columns = module.nonzero(GRID)
        assert rows.dtype == columns.dtype == np.int64
        assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1])


def test_numpy_with_narrow_indexes_refuses_what_the_module_converts(narrow: ModuleType) -> None:
    numpy = sys.modules["numpy"]
    for call in (lambda: numpy.bincount(NUMBERS), lambda: numpy.repeat(VALUES, NUMBERS)):
        with pytest.raises(TypeError, match="Cannot cast"):
            call()
    assert numpy.nonzero(VALUES)[0].dtype == np.int32


def test_fractions_are_no_counts(narrow: ModuleType) -> None:
    for module in (index, narrow):
        with pytest.raises(TypeError, match="cast"):
            module.repeat(VALUES, VALUES)
        with pytest.raises(TypeError, match="cast"):
            module.bincount(VALUES)


def test_a_number_beyond_32_bits_is_refused_instead_of_cut_off(narrow: ModuleType) -> None:
    with pytest.raises(MemoryError, match="4294967297"):
        narrow.bincount(np.array([0, 2**32 + 1]))


def test_an_array_that_fits_is_not_copied(narrow: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = NUMBERS.astype(np.int32)
    monkeypatch.setattr(sys.modules["numpy"], "repeat", lambda a, repeats, axis: repeats)
    assert narrow.repeat(VALUES, counts) is counts


def test_wide_indexes_cost_nothing() -> None:
    if np.dtype(np.intp) != np.int64:
        pytest.skip("indexes have 32 bits here")
    for name in ("lexsort", "repeat"):
        assert getattr(index, name) is getattr(np, name)
    for name in ("argsort", "nonzero", "searchsorted"):
        assert getattr(index, name) is getattr(np.ndarray, name)
