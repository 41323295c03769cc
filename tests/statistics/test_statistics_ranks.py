"""Kruskal-Wallis and Friedman with their comparisons of pairs: published examples, live peers, laws."""

from __future__ import annotations

import math
import re
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from caesura.errors import OptionError, Undefined
from caesura.statistics import blocked_kruskal_wallis, friedman, kruskal_wallis
from caesura.statistics.ranks import chi_square_tail, mean_ranks, normal_tail, range_quantile, range_tail

# Hollander & Wolfe (1999), Nonparametric statistical methods, 2nd edition, Table 7.1: seconds from home plate to second base,
# 22 players who round first base in three ways (round out, narrow angle, wide angle).
ROUNDING_FIRST_BASE = np.array(
    [
        [5.40, 5.50, 5.55],
        [5.85, 5.70, 5.75],
        [5.20, 5.60, 5.50],
        [5.55, 5.50, 5.40],
        [5.90, 5.85, 5.70],
        [5.45, 5.55, 5.60],
        [5.40, 5.40, 5.35],
        [5.45, 5.50, 5.35],
        [5.25, 5.15, 5.00],
        [5.85, 5.80, 5.70],
        [5.25, 5.20, 5.10],
        [5.65, 5.55, 5.45],
        [5.60, 5.35, 5.45],
        [5.05, 5.00, 4.95],
        [5.50, 5.50, 5.40],
        [5.45, 5.55, 5.50],
        [5.55, 5.55, 5.35],
        [5.45, 5.50, 5.55],
        [5.50, 5.45, 5.25],
        [5.65, 5.60, 5.40],
        [5.70, 5.65, 5.55],
        [6.30, 6.30, 6.25],
    ]
)

# The example of kruskalmc in the R package pgirmess, which computes the comparison of pairs of Siegel & Castellan (1988),
# Nonparametric statistics for the behavioral sciences, pages 213-214. 0.44 occurs twice and 0.80 three times.
KRUSKALMC = [
    [0.44, 0.44, 0.54, 0.32, 0.21, 0.28],
    [0.70, 0.77, 0.48, 0.64, 0.71, 0.75],
    [0.80, 0.76, 0.34, 0.80, 0.73, 0.80],
]

# R's data set ChickWeight (Crowder & Hand 1990, example 5.3): weight of 50 chicks at birth, by diet.
CHICKS_AT_BIRTH = [
    [42, 40, 43, 42, 41, 41, 41, 42, 42, 41, 43, 41, 41, 41, 41, 41, 42, 39, 43, 41],
    [40, 41, 43, 42, 40, 42, 39, 39, 39, 42],
    [42, 41, 39, 41, 41, 39, 41, 41, 42, 41],
    [42, 42, 42, 42, 41, 40, 41, 39, 40, 41],
]

# Hollander & Wolfe (1973), page 116: mucociliary efficiency; the example of R's kruskal.test.
MUCOCILIARY = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]

# R's data set InsectSprays (Beall 1942).
INSECT_SPRAYS = [
    [10, 7, 20, 14, 14, 12, 10, 23, 17, 20, 14, 13],
    [11, 17, 21, 11, 16, 14, 17, 17, 19, 21, 7, 13],
    [0, 1, 7, 2, 3, 1, 2, 1, 3, 0, 1, 4],
    [3, 5, 12, 6, 4, 3, 5, 5, 5, 5, 2, 4],
    [3, 5, 3, 5, 3, 6, 1, 1, 3, 2, 6, 4],
    [11, 9, 15, 22, 15, 16, 13, 10, 26, 26, 24, 13],
]


# Published examples of Friedman's test


def test_rounding_first_base():
    """Rank sums and conclusion of Hollander & Wolfe, section 7.3; statistic and p as R's friedman.test prints them."""
    result = friedman(ROUNDING_FIRST_BASE, method="asymptotic")
    assert (result.mean_ranks * 22).tolist() == [53, 47, 32]
    assert round(result.statistic, 3) == 11.143
    assert round(result.p, 6) == 0.003805
    assert (result.df, result.incomplete, result.sizes.tolist()) == (2, 0, [22, 22, 22])
    assert result.significant.tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def test_rounding_first_base_pairs():
    """The comparison of pairs, as the R package coin prints it (tests/Examples/coin-Ex.Rout.save, example of SymmetryTests).

    coin conditions on the ties as we do, and integrates a normal distribution by drawing, to 0.001.
    """
    pairs = friedman(ROUNDING_FIRST_BASE, method="asymptotic").pairs
    assert pairs[0, 1] == pytest.approx(0.623924061, abs=1e-4)
    assert pairs[2, 1] == pytest.approx(0.053791966, abs=1e-4)
    assert pairs[2, 0] == pytest.approx(0.003398076, abs=1e-4)


def test_rounding_first_base_without_the_correction_for_ties():
    """Four players tie: scikit-posthocs, which does not correct, finds larger p-values for all pairs."""
    ours = friedman(ROUNDING_FIRST_BASE, method="asymptotic").pairs
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(ROUNDING_FIRST_BASE)
    upper = np.triu_indices(3, 1)
    assert (ours[upper] < theirs.to_numpy()[upper] - 1e-4).all()


# Published examples of the Kruskal-Wallis test


def test_the_critical_difference_of_siegel_and_castellan():
    """Worked through by hand: rank sums, their critical difference (without ties) and ours, which pairs differ."""
    result = kruskal_wallis(KRUSKALMC)
    assert (result.mean_ranks * 6).tolist() == [25, 65, 81]
    untied = stats.norm.isf(0.05 / 6) * math.sqrt(18 * 19 / 12 * (1 / 6 + 1 / 6))
    assert result.critical[0, 1] == pytest.approx(untied * math.sqrt(1 - (6 + 24) / (18**3 - 18)))
    apart = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    assert ((apart >= untied) & ~np.eye(3, dtype=bool)).tolist() == result.significant.tolist()
    assert result.significant.tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def test_chicks_at_birth():
    """p, differences and critical differences that R and kruskalmc print in a course text (biostats, chapter 07-anova).

    Its critical differences are Siegel & Castellan's without ties, so ours are smaller by the correction of the variance.
    """
    result = kruskal_wallis(CHICKS_AT_BIRTH)
    apart = [abs(result.mean_ranks[i] - result.mean_ranks[j]) for i, j in combinations(range(4), 2)]
    assert apart == pytest.approx([6.95, 6.90, 4.15, 0.05, 2.80, 2.75])
    assert round(result.p, 3) == 0.475
    ties = np.unique(np.concatenate(CHICKS_AT_BIRTH), return_counts=True)[1]
    correction = math.sqrt(1 - (ties**3 - ties).sum() / (50**3 - 50))
    critical = [result.critical[i, j] / correction for i, j in combinations(range(4), 2)]
    assert critical == pytest.approx([14.89506] * 3 + [17.19933] * 3, abs=5e-6)
    assert not result.significant.any()


def test_r_examples():
    """What R prints for the examples of kruskal.test and for InsectSprays."""
    assert round(kruskal_wallis(MUCOCILIARY).statistic, 5) == 0.77143
    assert round(kruskal_wallis(MUCOCILIARY).p, 2) == 0.68
    assert round(kruskal_wallis(INSECT_SPRAYS).statistic, 3) == 54.691
    assert f"{kruskal_wallis(INSECT_SPRAYS).p:.3e}" == "1.511e-10"


scores = st.integers(0, 6).map(float)


@given(st.lists(st.lists(scores, min_size=1, max_size=7), min_size=2, max_size=5))
def test_kruskal_against_scipy_and_scikit_posthocs(groups):
    assume(len({x for group in groups for x in group}) > 1)
    result = kruskal_wallis(groups)
    H, p = stats.kruskal(*groups)  # noqa: N806
    assert (result.statistic, result.p) == pytest.approx((H, p), abs=1e-10)
    longest = max(map(len, groups))
    padded = [[*group, *[math.nan] * (longest - len(group))] for group in groups]
    dunn = scikit_posthocs.posthoc_dunn(padded, p_adjust="bonferroni").to_numpy()
    assert result.pairs == pytest.approx(dunn, abs=1e-10)
    apart = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    beyond = (apart >= result.critical) & ~np.eye(len(groups), dtype=bool)
    at_border = np.isclose(apart, result.critical)
    assert (beyond == result.significant)[~at_border].all()


tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(scores, min_size=k, max_size=k), min_size=1, max_size=8).map(np.array)
)


@given(tables)
def test_friedman_against_scipy(table):
    assume(table.shape[1] > 2 and (table != table[:, :1]).any())
    result = friedman(table, method="asymptotic")
    Q, p = stats.friedmanchisquare(*table.T)  # noqa: N806
    assert (result.statistic, result.p) == pytest.approx((Q, p), abs=1e-10)


def test_friedman_pairs_without_ties_against_scikit_posthocs():
    """Sachs (1997), page 675, the example of PMCMR's posthoc.friedman.nemenyi.test."""
    table = np.array(
        [
            [3.88, 5.64, 5.76, 4.25, 5.91, 4.33],
            [30.58, 30.14, 16.92, 23.19, 26.74, 10.91],
            [25.24, 33.52, 25.45, 18.85, 20.45, 26.67],
            [4.44, 7.94, 4.04, 4.4, 4.23, 4.36],
            [29.41, 30.72, 32.92, 28.23, 23.35, 12],
            [38.87, 33.12, 39.15, 28.06, 38.23, 26.65],
        ]
    ).T
    result = friedman(table, method="asymptotic")
    assert result.pairs == pytest.approx(scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy(), abs=1e-9)
    apart = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    assert ((apart >= result.critical) & ~np.eye(6, dtype=bool)).tolist() == result.significant.tolist()
    assert result.significant.any()


def test_two_systems_are_the_sign_test():
    table = [[1, 2]] * 9 + [[2, 1]] * 2 + [[1, 1]] * 5
    result = friedman(table)
    assert result.statistic == pytest.approx((9 - 2) ** 2 / 11)
    assert result.pairs[0, 1] == pytest.approx(result.p) == pytest.approx(stats.binomtest(2, 11).pvalue)
    limit = friedman(table, method="asymptotic")
    assert limit.pairs[0, 1] == pytest.approx(limit.p) == pytest.approx(2 * stats.norm.sf(7 / math.sqrt(11)))


def all_permutations(ranks):
    """Return the statistic and the range of rank sums for every combination of permutations within the blocks."""
    columns = [list(permutations(block)) for block in ranks.tolist()]
    sums = np.array([np.sum(rows, axis=0) for rows in product(*columns)])
    return ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1), np.ptp(sums, axis=1)


small_tables = st.sampled_from([(2, 7), (3, 4), (4, 2)]).flatmap(
    lambda shape: st.integers(1, shape[1]).flatmap(
        lambda n: st.lists(st.lists(scores, min_size=shape[0], max_size=shape[0]), min_size=n, max_size=n).map(np.array)
    )
)


@given(small_tables, st.sampled_from([friedman, blocked_kruskal_wallis]))
def test_exact_p_values_against_all_permutations(table, test):
    ranks = stats.rankdata(table, axis=1) if test is friedman else stats.rankdata(table).reshape(table.shape)
    squares, ranges = all_permutations(ranks)
    sums = ranks.sum(axis=0)
    result = test(table)
    assert (result.method, result.draws) == ("exact", 0)
    observed = ((sums - sums.mean()) ** 2).sum()
    assert result.p == pytest.approx((squares >= observed - 1e-9).mean(), abs=1e-12)
    for u, v in combinations(range(len(sums)), 2):
        assert result.pairs[u, v] == pytest.approx((ranges >= abs(sums[u] - sums[v]) - 1e-9).mean(), abs=1e-12)
        apart = abs(result.mean_ranks[u] - result.mean_ranks[v])
        assert (apart >= result.critical[u, v] - 1e-9) == bool(result.significant[u, v])


def test_printed_tails_of_friedman():
    """Siegel (1956), Table N: exact tails for three systems on six blocks, and for four systems on four blocks."""
    three = np.array([[1, 2, 3]] * 5 + [[3, 1, 2]], float)
    assert (round(friedman(three).statistic, 2), round(friedman(three).p, 3)) == (7.0, 0.029)
    four = np.array([[1, 2, 3, 4]] * 3 + [[2, 1, 4, 3]], float)
    assert (round(friedman(four).statistic, 1), round(friedman(four).p, 4)) == (10.2, 0.0027)
    assert round(friedman(four[[0, 0, 0, 0]]).p, 6) == 0.000072


@pytest.mark.parametrize("test", [friedman, blocked_kruskal_wallis])
def test_random_permutations_approximate_all_permutations(test):
    table = np.random.default_rng(3).random((6, 3)) + np.array([0, 0.1, 0.4])
    every, drawn = test(table), test(table, method="draws", draws=20_000)
    assert (every.method, drawn.method, drawn.draws) == ("exact", "draws", 20_000)
    assert drawn.p == pytest.approx(every.p, abs=4 * math.sqrt(every.p / 20_000))
    assert drawn.pairs == pytest.approx(every.pairs, abs=0.015)
    assert test(table, method="draws", draws=500).p == test(table, method="draws", draws=500, seed=0).p


def test_a_rank_test_from_draws_near_the_level_is_borderline():
    table = np.random.default_rng(3).random((6, 3)) + np.array([0, 0.1, 0.4])
    p = friedman(table, method="draws", draws=1000).p
    assert friedman(table, method="draws", draws=1000, alpha=p * 1.01).is_borderline()
    assert not friedman(table, method="draws", draws=1000, alpha=0.9).is_borderline()
    assert not friedman(table, alpha=friedman(table).p).is_borderline()


def test_methods_by_size():
    rng = np.random.default_rng(1)
    expected = ["exact", "exact", "draws", "asymptotic"]
    assert [friedman(rng.random((n, k))).method for n, k in ((500, 2), (100, 3), (20, 5), (21, 5))] == expected
    tied = np.ones((100, 5))
    tied[:10] = rng.random((10, 5))
    assert friedman(tied).method == "draws"  # only 10 of 100 blocks differ


@pytest.mark.parametrize(("n", "k"), [(30, 4), (60, 3)])
@pytest.mark.parametrize("test", [friedman, blocked_kruskal_wallis])
def test_the_limit_for_many_blocks(test, n, k):
    table = np.random.default_rng(n).random((n, k)) + 0.12 * np.arange(k)
    limit, drawn = test(table, method="asymptotic"), test(table, method="draws", draws=20_000)
    assert limit.p == pytest.approx(drawn.p, abs=0.01)
    assert limit.pairs == pytest.approx(drawn.pairs, abs=0.04)  # the largest error is that of large p-values


def test_kruskal_wallis_of_shared_items_has_the_published_statistic():
    table = np.random.default_rng(1).integers(0, 6, (9, 3)).astype(float)
    assert blocked_kruskal_wallis(table).statistic == pytest.approx(stats.kruskal(*table.T).statistic)


def test_easy_and_hard_items_hide_differences_from_the_independent_test():
    """Each of eight items is easier than the one before, and the first system is always better by a little."""
    table = np.arange(8)[:, None] + np.array([[0.1, 0.0]])
    assert blocked_kruskal_wallis(table).p == 2 / 2**8
    assert kruskal_wallis(list(table.T)).p > 0.5


@given(tables, st.randoms(use_true_random=False))
def test_friedman_laws(table, random):
    """The order of blocks and systems and any monotone change within a block do not change the test."""
    result = friedman(table, method="asymptotic")
    systems, blocks = list(range(table.shape[1])), list(range(len(table)))
    random.shuffle(systems)
    random.shuffle(blocks)
    moved = friedman(np.exp(table[blocks][:, systems]) + np.arange(len(table))[:, None], method="asymptotic")
    assert (moved.statistic, moved.p) == pytest.approx((result.statistic, result.p))
    assert moved.pairs == pytest.approx(result.pairs[np.ix_(systems, systems)])
    assert (result.pairs == result.pairs.T).all()
    assert (result.pairs.diagonal() == 1).all()


@given(st.lists(st.lists(scores, min_size=1, max_size=5), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_kruskal_laws(groups, random):
    result = kruskal_wallis(groups)
    order = list(range(len(groups)))
    random.shuffle(order)
    moved = kruskal_wallis([[2**x - 9 for x in groups[i]] for i in order])
    assert (moved.statistic, moved.p) == pytest.approx((result.statistic, result.p))
    assert moved.pairs == pytest.approx(result.pairs[np.ix_(order, order)])


def test_no_difference():
    for result in (kruskal_wallis([[3, 3], [3], [3, 3, 3]]), friedman([[1, 1, 1], [4, 4, 4]])):
        assert (result.statistic, result.p) == (0, 1)
        assert (result.pairs == 1).all()
        assert not result.significant.any()


def test_incomplete_blocks_are_excluded_and_counted():
    table = np.vstack([ROUNDING_FIRST_BASE, [[5.0, math.nan, 5.1], [math.nan] * 3]])
    result, complete = friedman(table), friedman(ROUNDING_FIRST_BASE)
    assert (result.incomplete, result.sizes.tolist()) == (2, [22, 22, 22])
    assert (result.statistic, result.pairs.tolist()) == (complete.statistic, complete.pairs.tolist())


@pytest.mark.parametrize(
    ("run", "kind", "message"),
    [
        (lambda: kruskal_wallis([[1, 2]]), OptionError, "groups: a comparison needs at least 2 groups; got 1"),
        (lambda: kruskal_wallis([[1, 2], []]), OptionError, "groups[1]: must be a list of at least one number"),
        (lambda: kruskal_wallis([[1, 2], [1, math.nan]]), OptionError, "groups[1][1]: must be a finite number"),
        (lambda: kruskal_wallis([[1], [2]], alpha=5), OptionError, "alpha must be a number between 0 and 1; got 5"),
        (lambda: friedman([1, 2]), OptionError, "blocks: must be a table of blocks by systems"),
        (lambda: friedman([[1], [2]]), OptionError, "blocks: a comparison needs at least 2 systems, one column each"),
        (lambda: friedman([[1, math.inf]]), OptionError, "blocks[0, 1]: must be a finite number (NaN if there is no"),
        (lambda: friedman([[1, math.nan], [math.nan, 2]]), Undefined, "no block is complete: each of the 2 blocks"),
        (lambda: friedman([[1, 2]], method="quick"), OptionError, "method must be"),
        (lambda: blocked_kruskal_wallis([[1, math.nan]]), Undefined, "no block is complete"),
        (lambda: friedman([[1, 2]], alpha=0), OptionError, "alpha must be a number between 0 and 1; got 0"),
    ],
)
def test_invalid_input(run, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        run()


@given(st.floats(-30, 30))
def test_normal(z):
    assert normal_tail(z) == pytest.approx(stats.norm.sf(z), rel=1e-12)


@given(st.floats(0, 500), st.integers(1, 60))
def test_chi_square(x, df):
    assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("q", [0, 1e-9, 0.3, 1, 2.77, 4, 6])
def test_range_tail(q, k):
    assert range_tail(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("tail", [0.001, 0.05, 0.5])
def test_range_quantile(tail, k):
    assert range_quantile(tail, k) == pytest.approx(stats.studentized_range.isf(tail, k, np.inf), abs=1e-8)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=6))
def test_mean_ranks(rows):
    values = np.array(rows, float)
    assert mean_ranks(values).tolist() == stats.rankdata(values, axis=1).tolist()
    assert mean_ranks(values.ravel()).tolist() == stats.rankdata(values).tolist()
