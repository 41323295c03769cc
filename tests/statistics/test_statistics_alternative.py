"""The alternative annotator test: its direction, each of its tests, and invalid input."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caesura.errors import MismatchError, OptionError, Undefined
from caesura.statistics import alternative_annotator, benjamini_yekutieli
from caesura.statistics.multiple import _signed_rank


def similarities(rng, items, coders, noise, program_noise):
    """Return S_f and S_h of coders and a program that observe the truth of each item with noise. Similarity is 1 - distance.

    If ``program_noise`` is None, the program guesses.
    """
    truth = rng.random(items)
    people = truth + rng.normal(0, noise, (coders, items))
    program = rng.random(items) if program_noise is None else truth + rng.normal(0, program_noise, items)
    S_f, S_h = np.empty((coders, items)), np.empty((coders, items))  # noqa: N806
    for j in range(coders):
        remaining = np.delete(people, j, axis=0)
        S_f[j] = 1 - np.abs(program - remaining).mean(axis=0)
        S_h[j] = 1 - np.abs(people[j] - remaining).mean(axis=0)
    return S_f, S_h


@pytest.mark.parametrize("items", [60, 200])
def test_an_informed_program_passes_and_a_blind_one_fails(items):
    rng = np.random.default_rng(items)
    good = alternative_annotator(*similarities(rng, items, 4, 0.1, 0.05))
    blind = alternative_annotator(*similarities(rng, items, 4, 0.1, None))
    assert (good.passed, good.winning_rate) == (True, 1.0)
    assert (blind.passed, blind.winning_rate) == (False, 0.0)
    assert good.advantage > 0.6 > 0.3 > blind.advantage


def test_a_program_equal_to_the_best_coder_passes():
    """It ties with the best coder on all 60 items: the coder is not better by .2. It is closer than the others on most."""
    rng = np.random.default_rng(1)
    S_f, S_h = similarities(rng, 60, 4, 0.1, 0.02)  # noqa: N806
    S_f[0] = S_h[0]
    result = alternative_annotator(S_f, S_h)
    assert (result.coders[0].test, result.coders[0].p, result.coders[0].advantage) == ("exact", 0.001, 1)
    assert result.passed
    assert all(row.rejected for row in result.coders)


def test_a_slightly_worse_program_passes_only_if_coders_are_expensive():
    """Closer on 47 of 100 items, farther on 53: mean d = .06, above 0 and below .3."""
    S_h = np.tile(np.repeat([1.0, 0.0], [53, 47]), (3, 1))  # noqa: N806
    assert alternative_annotator(1 - S_h, S_h, epsilon=0.3).passed
    assert not alternative_annotator(1 - S_h, S_h, epsilon=0).passed
    assert alternative_annotator(S_h, 1 - S_h, epsilon=0.2).coders[0].mean_difference == pytest.approx(-0.06)


def test_advantage_and_difference_count_ties_on_both_sides():
    """Closer on 1 item, tied on 2, farther on 3."""
    S_f, S_h = [[2, 1, 1, 0, 0, 0]] * 3, [[1, 1, 1, 1, 1, 1]] * 3  # noqa: N806
    (row, *_) = alternative_annotator(S_f, S_h).coders
    assert (row.advantage, row.mean_difference) == pytest.approx((3 / 6, (3 - 1) / 6))


def test_similarities_that_differ_by_rounding_are_ties():
    S_f, S_h = [[0.1 + 0.2] * 4] * 3, [[0.3] * 4] * 3  # noqa: N806
    assert alternative_annotator(S_f, S_h).coders[0].mean_difference == 0


def test_the_t_test_is_used_from_thirty_items():
    rng = np.random.default_rng(4)
    S_f, S_h = similarities(rng, 30, 3, 0.1, 0.1)  # noqa: N806
    result = alternative_annotator(S_f, S_h, epsilon=0.15, test="published")
    p = []
    for j, row in enumerate(result.coders):
        d = (S_h[j] >= S_f[j]).astype(float) - (S_f[j] >= S_h[j])
        p.append(stats.ttest_1samp(d, 0.15, alternative="less").pvalue)
        assert (row.test, row.items) == ("t", 30)
    assert [row.p for row in result.coders] == pytest.approx(p)
    assert [row.adjusted for row in result.coders] == pytest.approx(benjamini_yekutieli(p))
    assert [row.rejected for row in result.coders] == [x <= 0.05 for x in benjamini_yekutieli(p)]
    assert result.winning_rate == np.mean([row.rejected for row in result.coders])
    fewer = alternative_annotator(S_f[:, :29], S_h[:, :29], epsilon=0.15, test="published")
    assert {row.test for row in fewer.coders} == {"wilcoxon"}


def sum_distribution(n, probabilities):
    """Return sum -> probability for n values -1, 0 and 1, by repeated addition."""
    ways = {0: 1.0}
    for _ in range(n):
        steps = [
            (total + x, p * q) for total, p in ways.items() for x, q in zip((-1, 0, 1), probabilities, strict=True)
        ]
        ways = {total: sum(p for other, p in steps if other == total) for total in {total for total, _ in steps}}
    return ways


@pytest.mark.parametrize("d", [[-1] * 6, [-1, -1, -1, -1, 0, 1], [0] * 5, [1, 1, -1], [-1] * 9 + [0] * 3])
def test_the_exact_test_by_definition(d):
    """The largest tail over all proportions of ties in their .999 confidence interval, plus .001."""
    n, epsilon, zeros = len(d), 0.2, d.count(0)
    tails = []
    for z in np.linspace(0, 1 - epsilon, 101):
        ties = stats.binom(n, z)
        if min(ties.cdf(zeros), ties.sf(zeros - 1)) >= 0.0005:
            ways = sum_distribution(n, ((1 - z - epsilon) / 2, z, (1 - z + epsilon) / 2))
            tails.append(sum(p for total, p in ways.items() if total <= sum(d)))
    S_h = np.tile(np.array(d, float), (3, 1))  # noqa: N806
    row = alternative_annotator(np.zeros_like(S_h), S_h, epsilon=epsilon).coders[0]
    assert (row.test, row.p) == ("exact", pytest.approx(max(tails) + 0.001))


def test_the_t_test_is_used_for_more_than_a_thousand_items():
    rng = np.random.default_rng(1)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.35, 0.2, 0.45], size=(3, 1001))
    result = alternative_annotator(np.zeros_like(d), d)
    exact = alternative_annotator(np.zeros_like(d[:, :1000]), d[:, :1000])
    assert (result.coders[0].test, exact.coders[0].test) == ("t", "exact")
    assert result.coders[0].p == pytest.approx(stats.ttest_1samp(d[0], 0.2, alternative="less").pvalue)
    assert exact.coders[0].p == pytest.approx(result.coders[0].p, abs=0.03)


@pytest.mark.parametrize("ties", [0, 0.6])
@pytest.mark.parametrize("items", [6, 20, pytest.param(100, marks=pytest.mark.slow)])
def test_level_if_a_coder_is_better_by_the_margin(items, ties):
    """2,000 coders who are better than the program by exactly epsilon. The published test fails this for 20 items."""
    rng = np.random.default_rng(items)
    d = rng.choice([-1.0, 0.0, 1.0], p=[(0.8 - ties) / 2, ties, (1.2 - ties) / 2], size=(2000, items))
    rates = {
        test: np.mean([row.p <= 0.05 for row in alternative_annotator(np.zeros_like(d), d, test=test).coders])
        for test in ("exact", "published")
    }
    assert rates["exact"] <= 0.065
    assert rates["published"] > 0.065 or items != 20


@given(st.lists(st.sampled_from([-1.2, -0.2, 0.8, 0.0]), min_size=1, max_size=9))
def test_signed_ranks_against_all_signs(x):
    x = np.array(x)
    nonzero = x[x != 0]
    ranks = stats.rankdata(np.abs(nonzero))
    rank_sum = ranks[nonzero > 0].sum()
    sums = (
        [ranks[list(signs)].sum() for signs in product([False, True], repeat=len(nonzero))] if len(nonzero) else [0.0]
    )
    assert _signed_rank(x) == pytest.approx(np.mean(np.array(sums) <= rank_sum + 1e-9))


def test_signed_ranks_without_ties_against_scipy():
    x = np.array([0.4, -1.1, 2.3, -0.2, -3.5, -1.9, 0.7, -2.8])
    assert _signed_rank(x) == pytest.approx(stats.wilcoxon(x, alternative="less", method="exact").pvalue)


@pytest.mark.parametrize(("d", "epsilon", "p"), [(-1, 0.2, 0), (0, 0.2, 0), (0, 0, 1), (1, 0.2, 1)])
def test_the_same_on_every_item(d, epsilon, p):
    S_h = np.full((3, 5), 0.5)  # noqa: N806
    result = alternative_annotator(S_h - 0.1 * d, S_h, epsilon=epsilon, test="published")
    assert [(row.test, row.p, row.rejected) for row in result.coders] == [("constant", p, p == 0)] * 3


def test_winning_against_half_of_the_coders_is_enough():
    S_h = np.full((4, 8), 0.5)  # noqa: N806
    S_f = S_h + np.array([[0.1], [0.1], [-0.1], [-0.1]])  # noqa: N806
    result = alternative_annotator(S_f, S_h)
    assert (result.winning_rate, result.passed, result.advantage) == (0.5, True, 0.5)
    S_f[1] = 0.4
    assert not alternative_annotator(S_f, S_h).passed


@given(st.randoms(use_true_random=False), st.integers(2, 40))
def test_laws(random, items):
    """The order of coders and items and any monotone change of similarity do not change the test. NaN means missing."""
    rng = np.random.default_rng(items)
    S_f, S_h = similarities(rng, items, 4, 0.2, 0.2)  # noqa: N806
    result = alternative_annotator(S_f, S_h)
    people, places = list(range(4)), list(range(items))
    random.shuffle(people)
    random.shuffle(places)
    moved = alternative_annotator(np.exp(S_f[people][:, places]), np.exp(S_h[people][:, places]))
    for row, j in zip(moved.coders, people, strict=True):
        before = result.coders[j]
        assert (row.items, row.test, row.rejected) == (before.items, before.test, before.rejected)
        assert (row.mean_difference, row.p, row.adjusted, row.advantage) == pytest.approx(
            (before.mean_difference, before.p, before.adjusted, before.advantage)
        )
    gap = np.full((4, 1), math.nan)
    assert alternative_annotator(np.hstack([S_f, gap]), np.hstack([S_h, S_h[:, :1]])) == result


GOOD = np.full((3, 4), 0.5)


@pytest.mark.parametrize(
    ("system", "coders", "options", "kind", "message"),
    [
        (GOOD[:2], GOOD[:2], {}, Undefined, "the alternative annotator test needs at least 3 coders; got 2"),
        (GOOD, GOOD[:, :3], {}, MismatchError, "system and coders must have the same coders and items"),
        (GOOD[:, :1], GOOD[:, :1], {}, Undefined, "coder 0: expected at least 2 items shared with others; got 1"),
        (GOOD * math.inf, GOOD, {}, OptionError, "system[0, 0]: must be a finite number (NaN if there is no value)"),
        (GOOD[0], GOOD, {}, OptionError, "system: must be a table of coders by items; got an array of shape (4,)"),
        (GOOD, GOOD, {"epsilon": -0.1}, OptionError, "epsilon must be a number from 0 to below 1; got -0.1"),
        (GOOD, GOOD, {"epsilon": 1}, OptionError, "epsilon must be a number from 0 to below 1; got 1"),
        (GOOD, GOOD, {"q": 0}, OptionError, "q must be a number between 0 and 1; got 0"),
    ],
)
def test_invalid_input(system, coders, options, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        alternative_annotator(system, coders, **options)
