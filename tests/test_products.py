"""Products and pseudo-inverses against exact fractions and numpy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernels.products import largest_whole
from caesura.products import product, pseudo_inverses


def in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Multiply matrices by definition, one addition after the other, each rounded once."""
    out = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += float(a[i, k]) * float(b[k, j])
            out[i, j] = total
    return out


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 30), st.integers(1, 5))
def test_products_are_sums_in_order(seed: int, n: int, m: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, m)) * 10.0 ** rng.integers(-8, 8, (n, m)), rng.normal(size=(m, p))
    assert product(a, b).tolist() == in_order(a, b).tolist()
    assert product(a[0], b).tolist() == in_order(a[:1], b)[0].tolist()
    assert product(a, b[:, 0]).tolist() == in_order(a, b[:, :1])[:, 0].tolist()
    assert product(a[0], b[:, 0]) == in_order(a[:1], b[:, :1])[0, 0]
    assert product(a.T, np.asfortranarray(a)).tolist() == in_order(a.T, a).tolist()


def test_whole_numbers_are_exact() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-1000, 1000, (7, 400)), rng.integers(0, 10**6, (400, 3))
    assert product(a, b).tolist() == [[float(sum(map(int, row * column))) for column in b.T] for row in a]
    with pytest.raises(ValueError, match="do not fit"):
        product(np.full((2, 3), 0.5), np.full((2, 3), 0.5))


@given(st.integers(0, 2**32), st.integers(1, 7), st.integers(0, 3))
def test_pseudo_inverse(seed: int, k: int, dependent: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(40, k))
    columns = np.concatenate([columns, columns[:, :dependent] * 2], axis=1)
    normal = columns.T @ columns
    size = np.sqrt(np.diag(normal))
    normal = normal / np.outer(size, size)
    expected = np.linalg.pinv(normal, rcond=1e-9, hermitian=True)
    assert pseudo_inverses(normal[None], 1e-9)[0] == pytest.approx(
        expected, rel=1e-9, abs=1e-9 * np.abs(expected).max()
    )


def test_pseudo_inverse_of_special_matrices() -> None:
    assert pseudo_inverses(np.zeros((1, 2, 2)), 1e-9).tolist() == [[[0.0, 0.0], [0.0, 0.0]]]
    hilbert = [[Fraction(1, i + j + 1) for j in range(3)] for i in range(3)]
    inverse = [[9, -36, 30], [-36, 192, -180], [30, -180, 180]]  # the inverse of Hilbert's matrix has whole numbers
    assert pseudo_inverses(np.array([hilbert], float), 1e-9)[0] == pytest.approx(np.array(inverse), rel=1e-11)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], 0.0),
        ([0.0, -3.0, 2.0], 3.0),
        ([1.0, 0.5], np.inf),
        ([np.nan], np.inf),
        ([-np.inf, 1.0], np.inf),
        ([2.0**60, 1.0], 2.0**60),
        ([2.0**51 + 0.5], np.inf),
        ([2.0**60, 1.5], np.inf),
    ],
)
def test_largest_whole_number(values: list[float], expected: float) -> None:
    assert largest_whole(np.array(values, float)) == expected
