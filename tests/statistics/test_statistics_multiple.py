"""Many comparisons: corrections against statsmodels, letters by exhaustive search, wins by counting."""

from __future__ import annotations

import math
import re
from itertools import combinations, product

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from caesura.errors import OptionError
from caesura.statistics import benjamini_yekutieli, holm, letters, wins
from support.examples import examples

p_lists = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=12)


@pytest.mark.slow
@examples(30)  # statsmodels takes a tenth of a second for Holm
@given(p_lists)
def test_corrections_against_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_yekutieli(p) == pytest.approx(multipletests(p, method="fdr_by")[1], abs=1e-12)


def test_holm_as_in_holm():
    """By hand: 4 x .005, 3 x .011, 2 x .02, and .03 may not fall below the .04 before it."""
    assert holm([0.02, 0.005, 0.03, 0.011]) == pytest.approx([0.04, 0.02, 0.04, 0.033])


@pytest.mark.parametrize("correct", [holm, benjamini_yekutieli])
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([], "p: must be a list of at least one number; got an array of shape (0,)"),
        ([0.1, 1.5], "p[1]: must be a p-value from 0 to 1; got 1.5"),
        ([-0.1], "p[0]: must be a p-value from 0 to 1; got -0.1"),
        ([0.1, math.nan], "p[1]: must be a finite number; got nan"),
        ([[0.1]], "p: must be a list of at least one number; got an array of shape (1, 1)"),
    ],
)
def test_invalid_p_values(correct, p, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        correct(p)


def graphs(k):
    """Yield every combination of differences between k systems, as a table of p-values."""
    pairs = list(combinations(range(k), 2))
    for differ in product([False, True], repeat=len(pairs)):
        p = np.ones((k, k))
        for (i, j), yes in zip(pairs, differ, strict=True):
            p[i, j] = p[j, i] = 0.01 if yes else 0.6
        yield p


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_letters_are_shared_only_without_a_difference(k):
    """All graphs of up to five systems, with means in a different order. No letter is superfluous."""
    means = [0.3, 0.5, 0.1, 0.4, 0.2][:k]
    for p in graphs(k):
        display = [set(word) for word in letters(p, means)]
        for i, j in combinations(range(k), 2):
            assert bool(display[i] & display[j]) == (p[i, j] > 0.05)
        holders = {letter: {i for i in range(k) if letter in display[i]} for letter in set().union(*display)}
        assert not any(x < y for x, y in product(holders.values(), repeat=2))
        assert sorted(holders) == [chr(ord("a") + i) for i in range(len(holders))]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_the_best_system_has_the_letter_a(higher_is_better):
    means = np.array([0.3, 0.5, 0.1, 0.4])
    for p in graphs(4):
        display = letters(p, means, higher_is_better=higher_is_better)
        assert "a" in display[means.argmax() if higher_is_better else means.argmin()]


def test_letters_do_not_depend_on_the_order_of_systems():
    p = [[1, 0.2, 0.01, 0.001], [0.2, 1, 0.3, 0.02], [0.01, 0.3, 1, 0.4], [0.001, 0.02, 0.4, 1]]
    means, order = [0.8, 0.7, 0.6, 0.5], [2, 0, 3, 1]
    display = letters(p, means)
    assert display == ("a", "ab", "bc", "c")
    reordered = letters(np.array(p)[np.ix_(order, order)], [means[i] for i in order])
    assert reordered == tuple(display[i] for i in order)


def test_p_equal_to_alpha_is_a_difference():
    assert letters([[1, 0.05], [0.05, 1]], [1, 0]) == ("a", "b")
    assert letters([[1, 0.05], [0.05, 1]], [1, 0], alpha=0.01) == ("a", "a")


@given(
    st.integers(1, 9).flatmap(
        lambda k: st.tuples(
            st.lists(st.booleans(), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2),
            st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=k, max_size=k),
        )
    )
)
def test_letters_against_scikit_posthocs(case):
    """The same groups, up to the order of the letters; and every largest group without a difference has a letter."""
    differ, means = case
    k = len(means)
    p = np.ones((k, k))
    p[np.triu_indices(k, 1)] = np.where(differ, 0.01, 0.6)
    p = np.minimum(p, p.T)
    display = letters(p, means)
    columns = {frozenset(i for i in range(k) if letter in display[i]) for letter in set("".join(display))}
    theirs = [set(word.replace(" ", "")) for word in scikit_posthocs.compact_letter_display(p)]
    assert columns == {frozenset(i for i in range(k) if x in theirs[i]) for x in set().union(*theirs)}
    alike = {
        frozenset(group)
        for size in range(1, k + 1)
        for group in combinations(range(k), size)
        if (p[np.ix_(group, group)] > 0.05).all()
    }
    assert columns == {group for group in alike if not any(group < larger for larger in alike)}


def test_more_groups_than_letters():
    k = 53
    p = np.where(np.eye(k, dtype=bool), 1, 0.001)
    with pytest.raises(OptionError, match="53 systems need more letters than the alphabet has; compare fewer systems"):
        letters(p, np.arange(k))


@pytest.mark.parametrize(
    ("p", "means", "message"),
    [
        ([[1, 0.5]], [1, 2], "p: must be a square table of p-values; got an array of shape (1, 2)"),
        ([[1, 0.5], [0.4, 1]], [1, 2], "p[0, 1]: must equal p[1, 0]; got 0.5 and 0.4"),
        ([[1, 2], [2, 1]], [1, 2], "p[0, 1]: must be a p-value from 0 to 1; got 2"),
        ([[1, math.nan], [math.nan, 1]], [1, 2], "p[0, 1]: must be a p-value from 0 to 1; got nan"),
        ([[1, 0.5], [0.5, 1]], [1], "means: must have one mean for each of 2 systems; got 1"),
    ],
)
def test_invalid_letters(p, means, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        letters(p, means)


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([0.0, 0.5, 1.0, math.nan]), min_size=k, max_size=k), min_size=1, max_size=8
        )
    )
)
def test_wins_by_counting(rows):
    result, k = wins(rows), len(rows[0])
    for i, j in product(range(k), repeat=2):
        both = [(row[i], row[j]) for row in rows if not (math.isnan(row[i]) or math.isnan(row[j]))]
        assert result.wins[i, j] == result.losses[j, i] == sum(x > y for x, y in both)
        assert result.ties[i, j] == (0 if i == j else sum(x == y for x, y in both))


def test_values_that_differ_by_rounding_are_a_tie():
    rows = [[0.1 + 0.2, 0.3]]
    assert wins(rows).ties[0, 1] == 1
    assert wins(rows, tolerance=0).wins[0, 1] == 1


@pytest.mark.parametrize("tolerance", [-1, math.nan, math.inf, "0", True])
def test_invalid_tolerance(tolerance):
    with pytest.raises(OptionError, match=rf"^tolerance must be a number.*; got {tolerance!r}$"):
        wins([[1, 2]], tolerance=tolerance)
