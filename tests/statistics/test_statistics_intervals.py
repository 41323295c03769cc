"""Confidence intervals for one value."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import OptionError, Undefined
from caesura.statistics import bootstrap, intervals, item_weights, mean_interval


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def test_weights_are_samples_with_replacement_in_bounded_blocks(monkeypatch):
    monkeypatch.setattr(intervals, "_CELLS", 250_000)
    items = 200
    blocks = list(item_weights(items, 3000, np.random.default_rng(1)))
    assert len(blocks) > 2
    assert max(block.size for block in blocks) <= 250_000
    weights = np.concatenate(blocks)
    assert weights.shape == (3000, items)
    assert (weights.sum(axis=1) == items).all()
    assert weights.var() == pytest.approx(1 - 1 / items, rel=0.01)  # of a multinomial count
    assert abs(weights.mean(axis=0) - 1).max() < 4.5 * math.sqrt(1 / 3000)


def test_percentiles_against_every_resample():
    """All 4^4 equally likely samples of four items."""
    parts = np.array([[8.0, 10], [5, 9], [9, 12], [3, 8]])
    every = np.array([ratio(parts[list(sample)].sum(axis=0)[None])[0] for sample in product(range(4), repeat=4)])
    result = bootstrap(parts, ratio, replicates=50_000, level=0.9, seed=1)
    assert result.value == 25 / 39
    for end, share in ((result.low, 0.05), (result.high, 0.95)):
        assert np.mean(every < end - 1e-9) <= share + 0.005
        assert np.mean(every <= end + 1e-9) >= share - 0.005


def test_identical_items_give_an_interval_of_zero_width():
    result = bootstrap([[1, 2]] * 30, ratio, replicates=50)
    assert (result.low, result.value, result.high) == (0.5, 0.5, 0.5)


def test_few_items_cause_a_warning():
    assert bootstrap([[1, 2], [1, 3]] * 10, ratio, replicates=9).caution is None
    few = bootstrap([[1, 2], [1, 3]] * 3, ratio, replicates=9).caution
    assert few == (
        "the interval is computed from 6 items; below 20 a percentile interval is too narrow "
        "(a level of .95 covers about .84 at 5 items, .92 at 20)"
    )


@pytest.mark.parametrize(
    ("parts", "options", "kind", "message"),
    [
        ([[1, 2]], {}, Undefined, "an interval over items needs at least 2 items; got 1"),
        ([[1, 2], [1, math.inf]], {}, OptionError, "parts[1, 1]: must be a finite number; got inf"),
        ([[1, 2], [1, 2]], {"replicates": 0}, OptionError, "replicates must be a whole number of at least 1; got 0"),
        ([[1, 2], [1, 2]], {"level": 95}, OptionError, "level must be a number between 0 and 1; got 95"),
    ],
)
def test_invalid_bootstrap(parts, options, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        bootstrap(parts, ratio, **options)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6)), min_size=1).filter(lambda x: sum(n for _, n in x)))
def test_counts_are_repetitions(pairs):
    values, counts = zip(*pairs, strict=True)
    short, long = mean_interval(values, counts), mean_interval(np.repeat(values, counts))
    assert short.n == long.n
    assert (short.mean, short.standard_error) == pytest.approx((long.mean, long.standard_error), abs=1e-12)
    spread = np.std(np.repeat(values, counts)) / math.sqrt(short.n)
    assert short.standard_error == pytest.approx(spread, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([],), OptionError, "values: must be a list of at least one number; got an array of shape (0,)"),
        (([1, 2], [1]), OptionError, "counts: must have one count for each of 2 values; got 1"),
        (([1, 2], [1, -1]), OptionError, "counts[1]: must be a whole number from 0 up; got -1"),
        (([1, 2], [0.5, 1]), OptionError, "counts[0]: must be a whole number from 0 up; got 0.5"),
        (([1, 2], [0, 0]), Undefined, "a mean needs at least one value; all counts are 0"),
        (([1, "x"],), OptionError, "values: must be a regular array of numbers; got list"),
    ],
)
def test_invalid_mean(arguments, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        mean_interval(*arguments)
