"""Tails of distributions and ranks against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caesura.statistics.distributions import (
    chi_square_tail,
    mean_ranks,
    normal_quantile,
    normal_tail,
    range_quantile,
    range_tail,
)


@given(st.floats(-30, 30))
def test_normal(z):
    assert normal_tail(z) == pytest.approx(stats.norm.sf(z), rel=1e-12)


@given(st.floats(1e-6, 1 - 1e-6))
def test_normal_quantile(tail):
    assert normal_quantile(tail) == pytest.approx(stats.norm.isf(tail), abs=1e-9)


@given(st.floats(0, 500), st.integers(1, 60))
def test_chi_square(x, df):
    assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("q", [0, 1e-9, 0.3, 1, 2.77, 4, 6])
def test_range(q, k):
    assert range_tail(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("tail", [0.001, 0.05, 0.5])
def test_range_quantile(tail, k):
    assert range_quantile(tail, k) == pytest.approx(stats.studentized_range.isf(tail, k, np.inf), abs=1e-8)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=6))
def test_ranks(rows):
    values = np.array(rows, float)
    assert mean_ranks(values).tolist() == stats.rankdata(values, axis=1).tolist()
    assert mean_ranks(values.ravel()).tolist() == stats.rankdata(values).tolist()
