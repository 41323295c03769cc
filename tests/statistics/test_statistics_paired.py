"""Two systems on the same items: against exhaustive search, laws, edge cases, and the level under the null."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, Undefined
from caesura.statistics import bootstrap, is_borderline, monte_carlo_error, paired_bootstrap, randomisation
from oracle.randomise import randomisation as exhaustive


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def shared(sums):
    """Return the ratio of found to all, or 1 if there is nothing to find."""
    return np.where(sums[:, 1] > 0, sums[:, 0] / np.maximum(sums[:, 1], 1), 1.0)


@st.composite
def two_systems(draw, least=1, most=8):
    wholes = st.integers(1, 9)
    items = draw(st.integers(least, most))

    def side():
        return [
            (draw(st.integers(0, whole)), whole) for whole in draw(st.lists(wholes, min_size=items, max_size=items))
        ]

    return side(), side()


@given(two_systems())
def test_all_swaps_against_exhaustive_search(systems):
    a, b = systems
    result = randomisation(a, b, ratio)
    assert result.exact
    assert (result.items, result.draws) == (len(a), 2 ** len(a))
    assert result.p == float(exhaustive(a, b))
    assert result.difference == pytest.approx(ratio(np.sum(a, axis=0)[None])[0] - ratio(np.sum(b, axis=0)[None])[0])


def test_random_swaps_approximate_all_swaps():
    rng = np.random.default_rng(5)
    a = np.column_stack([rng.integers(3, 9, 12), np.full(12, 10)])
    b = np.column_stack([rng.integers(2, 8, 12), np.full(12, 10)])
    every, sampled = randomisation(a, b, ratio), randomisation(a, b, ratio, draws=20_000, seed=3, exact=False)
    assert (every.exact, sampled.exact, sampled.draws) == (True, False, 20_000)
    assert (every.p_error, sampled.p_error) == (0, math.sqrt(sampled.p * (1 - sampled.p) / 20_000))
    assert 0.02 < every.p < 0.5
    assert sampled.p == pytest.approx(every.p, abs=4 * sampled.p_error)


def test_random_swaps_count_the_observed_assignment():
    """Two of the 2^30 swaps of 30 identical differences are as large. None of 99 random swaps is, so p is 1 / 100, not 0."""
    a, b = [[9, 10]] * 30, [[1, 10]] * 30
    assert randomisation(a, b, ratio, draws=99, seed=1).p == 0.01


def test_all_swaps_of_twenty_items_against_sums_of_integers():
    """All 2^20 sign flips of twenty integers, counted by the sums that can be reached."""
    rng = np.random.default_rng(20)
    d = rng.integers(-9, 12, 20)
    d[d == 0] = 4
    ways = {0: 1}
    for x in d.tolist():
        ways = {
            total: ways.get(total - x, 0) + ways.get(total + x, 0) for total in {t + s for t in ways for s in (-x, x)}
        }
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(d.sum()))
    result = randomisation(np.c_[10 + d, np.full(20, 30)], np.c_[np.full(20, 10), np.full(20, 30)], ratio)
    assert (result.exact, result.draws, result.p) == (True, 2**20, extreme / 2**20)


def test_items_without_a_difference_do_not_count_for_the_number_of_swaps():
    """18 items with a difference and 500 without: exact. The p-value is that of the 18 items in a sum that contains all."""
    rng = np.random.default_rng(18)
    a, b = rng.integers(1, 9, (2, 18, 2)) + np.array([0, 9])
    same = rng.integers(1, 9, (500, 2)) + np.array([0, 9])
    result = randomisation(np.vstack([a, same]), np.vstack([b, same]), ratio)
    constant = same.sum(axis=0)
    alone = randomisation(a, b, lambda sums: ratio(sums + constant))
    assert (result.exact, result.items, result.p) == (True, 518, alone.p)


def test_the_seed_changes_only_random_swaps():
    rng = np.random.default_rng(2)
    few, many = rng.integers(1, 9, (2, 20, 2)) + np.array([0, 9]), rng.integers(1, 9, (2, 21, 2)) + np.array([0, 9])
    assert randomisation(*few, ratio, seed=0) == randomisation(*few, ratio, seed=1)
    first, second = randomisation(*many, ratio, seed=0), randomisation(*many, ratio, seed=1)
    assert (first.exact, first.draws) == (False, 100_000)
    assert first.p != second.p
    assert first == randomisation(*many, ratio)


def test_the_sum_of_zeros_stays_zero():
    """A part that is 0 for one system and a fraction for the other: with all items swapped, its sum is exactly 0."""
    sums = []

    def finish(rows):
        sums.append(rows[:, 0].min())
        return rows[:, 0] / rows[:, 1]

    a = np.c_[np.array([0.1, 0.2, 0.3, 0.7, 1.1]), np.ones(5)]
    randomisation(a, a * [0, 1], finish)
    assert min(sums) == 0


def test_borderline():
    """Three standard errors of p = .05 from 100,000 draws are .0021."""
    assert is_borderline(0.0479, monte_carlo_error(0.0479, 100_000), 0.05) is False
    assert is_borderline(0.0481, monte_carlo_error(0.0481, 100_000), 0.05) is True
    assert is_borderline(0.0519, monte_carlo_error(0.0519, 100_000), 0.05) is True
    assert is_borderline(0.05, 0, 0.05) is False


def test_too_many_items_for_all_swaps():
    with pytest.raises(OptionError, match=r"exact: 2\^31 assignments are too many"):
        randomisation([[9, 10]] * 31, [[1, 10]] * 31, ratio, exact=True)


def test_at_least_six_items_are_needed_for_significance():
    for n in (1, 5, 6, 9):
        assert randomisation([[9, 10]] * n, [[1, 10]] * n, ratio).p == 2.0 ** (1 - n)


@given(two_systems(least=2))
def test_paired_tests_do_not_depend_on_the_order_of_systems(systems):
    a, b = systems
    assert randomisation(a, b, ratio).p == randomisation(b, a, ratio).p
    forward, backward = (paired_bootstrap(x, y, ratio, replicates=200, seed=1) for x, y in ((a, b), (b, a)))
    assert forward.p == backward.p
    assert (forward.difference, forward.low, forward.high) == pytest.approx(
        (-backward.difference, -backward.high, -backward.low)
    )


@given(two_systems(least=2), st.integers(2, 5))
def test_paired_tests_are_invariant_to_scale_and_shift(systems, factor):
    a, b = (np.array(side, float) for side in systems)
    plain = randomisation(a, b, ratio)
    assert randomisation(factor * a, factor * b, ratio).p == plain.p
    assert randomisation(a, b, lambda sums: ratio(sums) + 3).p == plain.p
    straight = paired_bootstrap(a, b, ratio, replicates=99, seed=2)
    moved = paired_bootstrap(a, b, lambda sums: factor * ratio(sums) - 1, replicates=99, seed=2)
    assert moved.p == straight.p
    assert moved.standard_error == pytest.approx(factor * straight.standard_error, abs=1e-9)


def test_the_standard_error_of_a_mean_is_that_of_textbooks():
    """For scores of equal weight, the standard error is that of the paired t-test."""
    rng = np.random.default_rng(1)
    x, y = rng.random(12), rng.random(12)
    result = paired_bootstrap(np.c_[x, np.ones(12)], np.c_[y, np.ones(12)], ratio, replicates=99)
    assert result.difference == pytest.approx((x - y).mean())
    assert result.standard_error == pytest.approx((x - y).std(ddof=1) / math.sqrt(12))


def test_the_interval_of_a_mean_against_every_resample():
    """All 3^3 resamples of three differences, with t* by hand. 3 of them have no spread, so t* is infinite."""
    d = np.array([0.1, 0.2, 0.6])
    theta, s = d.mean(), d.std(ddof=1) / math.sqrt(3)
    t = []
    for i, j, k in np.ndindex(3, 3, 3):
        sample = d[[i, j, k]]
        error = sample.std(ddof=1) / math.sqrt(3)
        t.append(math.inf if i == j == k else abs(sample.mean() - theta) / error)
    share = np.mean(np.array(t) >= theta / s - 1e-12)
    result = paired_bootstrap(np.c_[d, np.ones(3)], np.c_[np.zeros(3), np.ones(3)], ratio, replicates=40_000, seed=1)
    assert result.p == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 40_000))
    assert (result.low, result.high) == (-math.inf, math.inf)


@given(two_systems(least=2, most=12), st.sampled_from([0.5, 0.8, 0.95]))
def test_p_and_interval_agree(systems, level):
    result = paired_bootstrap(*systems, ratio, replicates=199, level=level, seed=4)
    assert 0 < result.p <= 1
    assert result.low <= result.difference <= result.high
    excludes_zero = result.low > 1e-12 or result.high < -1e-12
    assert excludes_zero or result.p > 1 - level
    if not result.from_randomisation:
        assert (result.p <= 1 - level + 1e-12) == excludes_zero


@given(two_systems(least=2, most=12))
def test_the_bootstrap_is_never_more_certain_than_randomisation(systems):
    result, swapped = paired_bootstrap(*systems, ratio, replicates=199, seed=4), randomisation(*systems, ratio)
    assert result.p >= swapped.p
    assert result == paired_bootstrap(*systems, ratio, replicates=199, seed=4, randomised=swapped)
    if result.from_randomisation and result.standard_error:
        assert (result.p, result.p_error) == (swapped.p, 0)


def test_level_with_texts_of_very_different_size():
    """A few large texts decide. Without randomisation, the studentised bootstrap rejects in 7 to 9 % of cases."""
    rng = np.random.default_rng(8)
    rejected = 0
    for trial in range(400):
        size = np.exp(rng.normal(3, 1.5, 8)).astype(int) + 2
        ease = rng.beta(2, 2, 8)
        a, b = (np.c_[rng.binomial(size, ease), size] for _ in range(2))
        rejected += paired_bootstrap(a, b, ratio, replicates=199, seed=trial).p <= 0.05
    assert rejected <= 0.065 * 400


def test_identical_systems():
    parts = [[1, 4], [2, 3], [0, 5]]
    result = paired_bootstrap(parts, parts, ratio)
    assert (result.difference, result.standard_error, result.p, result.low, result.high) == (0, 0, 1, 0, 0)
    assert randomisation(parts, parts, ratio).p == 1


@pytest.mark.parametrize("n", [2, 3, 5, 6, 8, 20])
def test_the_same_difference_on_every_item(n):
    """Without spread, only randomisation decides. It cannot with fewer than 6 items."""
    result = paired_bootstrap([[7, 10]] * n, [[4, 10]] * n, ratio, replicates=9999, seed=1)
    assert result.difference == pytest.approx(0.3)
    assert result.standard_error == 0
    assert result.p == 2.0 ** (1 - n)
    unbounded = (-math.inf, math.inf)
    assert (result.low, result.high) == (unbounded if n < 6 else (result.difference, result.difference))


def test_items_without_weight_do_not_make_a_difference_significant():
    """Two texts have the same difference and eight are empty, so every second swap is as large."""
    a, b = [[2, 2]] * 2 + [[0, 0]] * 8, [[1, 2]] * 2 + [[0, 0]] * 8
    assert paired_bootstrap(a, b, shared, seed=1).p == randomisation(a, b, shared).p == 0.5


def test_only_one_item_differs():
    a, b = [[9, 10]] + [[5, 10]] * 9, [[1, 10]] + [[5, 10]] * 9
    assert randomisation(a, b, ratio).p == 1
    assert paired_bootstrap(a, b, ratio, seed=1).p > 0.3


def test_signed_parts():
    """Parts may be negative. Their sum may be 0 although no item is 0."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(15, 1))
    x -= x.mean()
    result = paired_bootstrap(x, np.zeros((15, 1)), lambda sums: sums[:, 0], replicates=99, seed=1)
    assert result.difference == pytest.approx(0, abs=1e-12)
    assert result.standard_error == pytest.approx(x.std(ddof=1) * math.sqrt(15))


def test_real_difference_is_detected():
    rng = np.random.default_rng(3)
    size = rng.integers(5, 30, 30)
    a, b = (np.column_stack([rng.binomial(size, share), size]) for share in (0.8, 0.6))
    for result in (paired_bootstrap(a, b, ratio, seed=1), randomisation(a, b, ratio, seed=1)):
        assert result.difference > 0.1
        assert result.p < 0.001


def test_the_same_seed_gives_the_same_numbers():
    rng = np.random.default_rng(1)
    a, b = (np.column_stack([rng.integers(0, 9, 40), np.full(40, 9)]) for _ in range(2))
    for test in (paired_bootstrap, randomisation):
        assert test(a, b, ratio, seed=7) == test(a, b, ratio, seed=7)
        assert test(a, b, ratio, seed=7) != test(a, b, ratio, seed=8)


@pytest.mark.parametrize(
    "name", ["boundary_similarity", "segmentation_similarity", "boundary_confusion", "window_diff", "pk"]
)
def test_parts_of_a_measure(name):
    """Integers and fractions, texts without a boundary, a system that finds nothing: every sum has a value."""
    rng = np.random.default_rng(6)
    empty = cz.Segmentation.from_masses([12])
    gold = [cz.Segmentation.from_masses(masses) for masses in ([3, 4, 5], [6, 6], [2, 2, 8], [1, 5, 6], [4, 8], [7, 5])]
    near = [cz.Segmentation.from_masses(rng.permutation(segmentation.masses)) for segmentation in gold]
    measure = cz.parse(name)
    scores = [cz.score_many(zip([*gold, empty], side, strict=True), measure) for side in ([*near, empty], [empty] * 7)]

    def finish(sums):
        return measure.finish(sums, scores[0].types)

    a, b = (system_scores.counts for system_scores in scores)
    result, swapped = paired_bootstrap(a, b, finish, seed=1), randomisation(a, b, finish)
    assert result.difference == pytest.approx(scores[0].total.value - scores[1].total.value)
    assert result.difference == pytest.approx(swapped.difference)
    assert result.standard_error > 0
    assert 0 < result.p <= 1


def equal_systems(rng, items):
    """Return the boundary pairs of two equally good systems: matches, near misses and unpaired boundaries."""
    size, ease = rng.integers(4, 40, items), rng.normal(0, 0.8, items)

    def system():
        matches = rng.binomial(size, 1 / (1 + np.exp(-(ease + rng.normal(0, 0.6, items)))))
        near = rng.binomial(size - matches, 0.3)
        return np.column_stack([matches, near, size - matches - near + rng.poisson(3, items)]).astype(float)

    return system(), system()


def correctness(sums):
    return (sums[:, 0] + sums[:, 1] / 2) / sums.sum(axis=1)


@pytest.mark.parametrize("items", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_equal_systems_seldom_differ_significantly(items):
    """500 comparisons at 5 %; ``python -m bench level`` has 2,000. The plain bootstrap fails this test."""
    rng = np.random.default_rng(items)
    counts = {"studentised": 0, "randomisation": 0, "plain": 0}
    for trial in range(500):
        a, b = equal_systems(rng, items)
        counts["studentised"] += paired_bootstrap(a, b, correctness, replicates=399, seed=trial).p <= 0.05
        counts["randomisation"] += randomisation(a, b, correctness, draws=399, seed=trial).p <= 0.05
        both = bootstrap(
            np.hstack([a, b]),
            lambda sums: correctness(sums[:, :3]) - correctness(sums[:, 3:]),
            replicates=399,
            seed=trial,
        )
        counts["plain"] += both.low > 0 or both.high < 0
    assert counts["studentised"] <= 0.065 * 500
    assert counts["randomisation"] <= 0.065 * 500
    assert counts["plain"] > 0.065 * 500


GOOD = [[1, 2], [2, 3]]


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
@pytest.mark.parametrize(
    ("a", "b", "finish", "kind", "message"),
    [
        ([1, 2], GOOD, ratio, OptionError, "a: must be a table of items by parts; got an array of shape (2,)"),
        (GOOD, np.zeros((0, 2)), ratio, OptionError, "b: must be a table of items by parts"),
        ([[1, 2], [3]], GOOD, ratio, OptionError, "a: must be a regular array of numbers; got list"),
        ([[1, 2], [math.nan, 3]], GOOD, ratio, OptionError, "a[1, 0]: must be a finite number; got nan"),
        (GOOD, [*GOOD, [1, 1]], ratio, MismatchError, "a and b must have the same items and parts"),
        (GOOD, GOOD, lambda sums: sums, OptionError, "of summed parts into"),
        (GOOD, GOOD, lambda sums: sums[:, 0] * math.nan, OptionError, "got nan for the sums [3.0, 5.0]"),
    ],
)
def test_invalid_parts(test, a, b, finish, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        test(a, b, finish)


@pytest.mark.parametrize("value", [0, -1, 2.5, True, "9"])
def test_invalid_numbers_of_replicates(value):
    with pytest.raises(OptionError, match=rf"^draws must be a whole number.*; got {value!r}$"):
        randomisation(GOOD, GOOD, ratio, draws=value)
    with pytest.raises(OptionError, match=rf"^replicates must be a whole number.*; got {value!r}$"):
        paired_bootstrap(GOOD, GOOD, ratio, replicates=value)


@pytest.mark.parametrize("value", [0, 1, 95, -0.5, math.nan, "0.9", True])
def test_invalid_level(value):
    with pytest.raises(OptionError, match=rf"^level must be a number.*; got {value!r}$"):
        paired_bootstrap(GOOD, GOOD, ratio, level=value)


def test_one_item_is_not_enough():
    with pytest.raises(Undefined, match="a bootstrap over items needs at least 2 items; got 1"):
        paired_bootstrap([[1, 2]], [[2, 2]], ratio)
    assert randomisation([[1, 2]], [[2, 2]], ratio).p == 1
