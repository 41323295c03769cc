"""Multiple comparisons: corrected p-values, compact letters, wins and losses; the alternative annotator test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError, Undefined
from caesura.model.index import argsort
from caesura.model.result import Result
from caesura.options import choice, fraction, non_negative, number
from caesura.statistics.arrays import Floats, equal_matrices, matrix, p_matrix, p_values, vector
from caesura.statistics.ranks import mean_ranks

_MAX_GROUPS = 1000  # many more groups than letters: the search ends, because there is no display

# The alternative annotator test.
MIN_CODERS = 3
MIN_T_TEST_ITEMS = 30
MAX_EXACT_ITEMS = 1000
_NUISANCE_POINTS = 101  # proportions of ties over which the exact p is maximized
_CONFIDENCE_TAIL = 1e-3  # probability that the true proportion of ties is not among them
_EQUAL = 1e-12  # similarities are means of a few fractions; they count as equal if they differ by less than this


@dataclass(frozen=True, eq=False)
class Wins(Result):
    """Number of items on which one system beats another, as tables of systems x systems.

    Attributes
    ----------
    wins : numpy.ndarray
        Number of items on which the row's system has a higher value than the column's system.
    ties : numpy.ndarray
        Number of items on which both values are equal.
    losses : numpy.ndarray
        Number of items on which the row's system has a lower value than the column's system.
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p-values.

    Parameters
    ----------
    p : array_like
        p-values of m comparisons.

    Returns
    -------
    numpy.ndarray
        Adjusted p-values, in the same order.

    Notes
    -----
    The probability of at least one false positive among all m comparisons stays below alpha. The smallest p is multiplied
    by m, the next by m - 1, and so on. No adjusted value may be smaller than the one before it or exceed 1. The correction
    is valid for any dependence between the comparisons.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = p_values("p", p)
    order = argsort(raw, kind="stable")
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1)))
    return adjusted


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Return p-values adjusted for the false discovery rate, by Benjamini & Yekutieli.

    Parameters
    ----------
    p : array_like
        p-values of m comparisons.

    Returns
    -------
    numpy.ndarray
        Adjusted p-values, in the same order.

    Notes
    -----
    The expected proportion of false positives among all positives stays below q. With m comparisons, p_(i) becomes the
    minimum of p_(j) (m / j) (1 + 1/2 + ... + 1/m) over j >= i, at most 1. The correction is valid for any dependence between
    the comparisons.

    References
    ----------
    Benjamini, Y., & Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under dependency.
    Annals of Statistics 29, theorem 1.3.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    raw = p_values("p", p)
    m = len(raw)
    largest_first = argsort(raw, kind="stable")[::-1]
    steps = np.arange(m, 0, -1)
    factor = m * float((1 / steps).sum())
    adjusted = np.empty_like(raw)
    adjusted[largest_first] = np.minimum(1.0, np.minimum.accumulate(raw[largest_first] * factor / steps))
    return adjusted


def letters(p: ArrayLike, means: ArrayLike, *, alpha: float = 0.05, higher_is_better: bool = True) -> tuple[str, ...]:
    """Return the compact letter display: two systems share a letter if and only if they do not differ at alpha.

    Parameters
    ----------
    p : array_like, systems x systems
        p-values of all pairs, corrected for their number.
    means : array_like
        One mean per system. They determine the order of the letters: the best system has an ``a``.
    alpha : float, default 0.05
        Significance level.
    higher_is_better : bool, default True
        Whether the largest mean is the best.

    Returns
    -------
    tuple of str
        Letters of each system, in the order of ``means``.

    Raises
    ------
    OptionError
        If there are more groups than letters (52: ``a`` to ``z``, then ``A`` to ``Z``).

    Notes
    -----
    The groups start as one group of all systems. For each pair of systems that differ, every group with both of them is
    replaced by two copies, each without one of the two (insert). Groups that are part of another group are removed (absorb).
    Every remaining group gets a letter.

    References
    ----------
    Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
    Computational and Graphical Statistics 13.

    Examples
    --------
    >>> p = [[1, 0.20, 0.01], [0.20, 1, 0.30], [0.01, 0.30, 1]]
    >>> letters(p, [0.5, 0.6, 0.7])
    ('b', 'ab', 'a')
    """
    table, order_by = p_matrix("p", p), vector("means", means)
    alpha = fraction("alpha", alpha)
    if len(order_by) != len(table):
        raise OptionError(f"means: must have one mean for each of {len(table)} systems; got {len(order_by)}")
    best_first = argsort(-order_by if higher_is_better else order_by, kind="stable")
    differ = (table <= alpha)[np.ix_(best_first, best_first)]
    groups = {frozenset(range(len(differ)))}
    for i, j in np.argwhere(np.triu(differ, 1)).tolist():
        both = {group for group in groups if i in group and j in group}
        groups -= both
        halves = {group - {place} for group in both for place in (i, j)}
        groups |= {half for half in halves if not any(half < other for other in groups | halves)}
        if len(groups) > _MAX_GROUPS:
            break
    if len(groups) > len(ascii_letters):
        raise OptionError(f"p: {len(table)} systems need more letters than the alphabet has; compare fewer systems")
    by_system = [""] * len(table)
    for letter, group in zip(ascii_letters, sorted(map(sorted, groups)), strict=False):
        for place in group:
            by_system[best_first[place]] += letter
    return tuple(by_system)


def wins(values: ArrayLike, *, tolerance: float = 1e-12) -> Wins:
    """Count the items on which each system is above, equal to or below each other system.

    Parameters
    ----------
    values : array_like, items x systems
        Values. An item counts for a pair of systems if neither value is missing (NaN).
    tolerance : float, default 1e-12
        Values that differ by at most this much count as a tie.

    Returns
    -------
    Wins
        Three tables of systems by systems.

    Examples
    --------
    >>> result = wins([[0.9, 0.5], [0.7, 0.7], [0.2, 0.6], [0.8, 0.1]])
    >>> int(result.wins[0, 1]), int(result.ties[0, 1]), int(result.losses[0, 1])
    (2, 1, 1)
    """
    table = matrix("values", values, "items", "systems", missing=True)
    tolerance = non_negative()("tolerance", tolerance)
    # A missing value (NaN) is neither above, below nor equal to any value.
    difference = table[:, :, None] - table[:, None, :]
    above = np.count_nonzero(difference > tolerance, axis=0)
    equal = np.count_nonzero(np.abs(difference) <= tolerance, axis=0)
    np.fill_diagonal(equal, 0)
    return Wins(above, equal, above.T.copy())


@dataclass(frozen=True, slots=True)
class CoderTest:
    """Comparison of the program with one coder, by their similarity to the remaining coders.

    Attributes
    ----------
    items : int
        Number of items compared.
    mean_difference : float
        Mean of d: -1 if the program is closer on every item, 1 if the coder is closer on every item.
    test : str
        ``"exact"``, or ``"t"`` if there are more than 1,000 items. In the published version ``"t"``, ``"wilcoxon"``, or
        ``"constant"`` if d is the same on every item.
    p : float
        p-value of the test.
    adjusted : float
        p after the correction of Benjamini & Yekutieli.
    rejected : bool
        Whether the null hypothesis for this coder is rejected, so that the program beats the coder.
    advantage : float
        Proportion of items on which the program is at least as close as the coder.
    """

    items: int
    mean_difference: float
    test: str
    p: float
    adjusted: float
    rejected: bool
    advantage: float


@dataclass(frozen=True, slots=True)
class AlternativeTest(Result):
    """Result of :func:`alternative_annotator`: whether a program may replace a coder.

    Attributes
    ----------
    coders : tuple of CoderTest
        One test per coder.
    winning_rate : float
        Proportion of coders that the program beats.
    passed : bool
        Whether the winning rate is .5 or more.
    advantage : float
        Mean over coders of the proportion of items on which the program is at least as close as the coder.
    epsilon : float
        Margin in favour of the program, because a coder costs more.
    q : float
        False discovery rate of the correction.
    """

    frame_field = "coders"

    coders: tuple[CoderTest, ...]
    winning_rate: float
    passed: bool
    advantage: float
    epsilon: float
    q: float


def alternative_annotator(
    system: ArrayLike, coders: ArrayLike, *, epsilon: float = 0.2, q: float = 0.05, test: str = "exact"
) -> AlternativeTest:
    """Test whether a program is as close to the coders as they are to each other.

    Parameters
    ----------
    system : array_like, coders x items
        S_f: ``system[j, i]`` is the mean similarity, on item i, of the program to all coders except j. NaN if coder j, or
        all other coders, did not annotate the item.
    coders : array_like, coders x items
        S_h: the corresponding similarity of coder j to all other coders.
    epsilon : float, default 0.2
        Margin in favour of the program, because a coder costs more: .2 for experts, .15 for skilled coders, .1 for crowds.
    q : float, default 0.05
        False discovery rate.
    test : {"exact", "published"}, default "exact"
        The exact test, or the test of the paper.

    Returns
    -------
    AlternativeTest
        Winning rate, advantage and one test per coder.

    Raises
    ------
    Undefined
        If there are fewer than three coders, or if a coder has fewer than two items. With two coders, each coder would be
        compared with a single coder and not with a consensus.

    Notes
    -----
    On each item ::

        d = [S_h >= S_f] - [S_f >= S_h]

    is 1 if the coder is closer, -1 if the program is closer, and 0 if they are equal. Similarities within 1e-12 are equal.
    The null hypothesis is that the coder is better by at least the margin: mean d >= ε. The alternative is mean d < ε.

    The exact test compares D = Σ d with its distribution for mean d = ε. That distribution depends on the proportion z of
    items with d = 0, so p is the largest P(D <= observed) over all z in a .999 confidence interval of that proportion,
    plus .001 (Berger & Boos 1994). With more than 1,000 items the t-test is used.

    The published test is a t-test if there are at least 30 items, and otherwise Wilcoxon's signed-rank test of d - ε (exact,
    with ties). If d is the same on all items, p is 0 if d is below ε, and 1 otherwise. It does not keep its level,
    because d is not distributed symmetrically around ε. If mean d = ε = .2, it rejects at .05 in 24 % of cases with 20
    items and no ties, and in 24, 38, 12 and 7 % of cases with 6, 20, 30 and 100 items if z = .79.

    The p-values are corrected by Benjamini & Yekutieli at ``q``. The winning rate is the proportion of coders whose null
    hypothesis is rejected. The program passes if it is at least .5. The advantage is the mean over coders of the proportion
    of items with S_f >= S_h; it is used to rank programs. The authors recommend ε = .2 and at least 30 items.

    References
    ----------
    - Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test for LLM-as-a-judge. ACL, section 3.
    - Berger, R. L., & Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter. JASA 89.

    Examples
    --------
    >>> close, far = [[0.8, 0.9, 0.7, 0.8, 0.9, 0.6]] * 3, [[0.7, 0.8, 0.7, 0.6, 0.8, 0.5]] * 3
    >>> result = alternative_annotator(close, far)
    >>> result.passed, result.winning_rate, result.advantage, round(result.coders[0].p, 4)
    (True, 1.0, 1.0, 0.0061)
    >>> alternative_annotator(far, close).passed
    False
    """
    tables = {"system": system, "coders": coders}
    S_f, S_h = equal_matrices(tables, "coders", "items", missing=True)  # noqa: N806 - the paper's symbols
    differences = [difference[~np.isnan(difference)] for difference in S_h - S_f]
    return annotator_tests(differences, epsilon, fraction("q", q), test)


def annotator_tests(
    differences: Sequence[Floats], epsilon: float, q: float = 0.05, test: str = "exact"
) -> AlternativeTest:
    """Return :func:`alternative_annotator` from S_h - S_f of each coder on the items that the coder annotated."""
    if len(differences) < MIN_CODERS:
        raise Undefined(f"the alternative annotator test needs at least {MIN_CODERS} coders; got {len(differences)}")
    epsilon = number(0, 1, below=True)("epsilon", epsilon)
    run = _exact_test if choice("exact", "published")("test", test) == "exact" else _published_test
    for j, difference in enumerate(differences):
        if len(difference) < 2:
            raise Undefined(
                f"coder {j}: expected at least 2 items shared with others; got {len(difference)}; remove this coder"
            )
    signs = [np.sign(np.where(np.abs(difference) <= _EQUAL, 0.0, difference)) for difference in differences]
    tests = [run(d, epsilon) for d in signs]
    adjusted = benjamini_yekutieli([p for _, p in tests]).tolist()
    rows = tuple(
        CoderTest(len(d), float(d.mean()), test, p, adjusted_p, adjusted_p <= q, float((d <= 0).mean()))
        for d, (test, p), adjusted_p in zip(signs, tests, adjusted, strict=True)
    )
    rate = sum(row.rejected for row in rows) / len(rows)
    advantage = sum(row.advantage for row in rows) / len(rows)
    return AlternativeTest(rows, rate, rate >= 0.5, advantage, epsilon, q)


def _exact_test(d: Floats, epsilon: float) -> tuple[str, float]:
    """Return name and p-value of the exact test of mean d >= epsilon against mean d < epsilon."""
    n = len(d)
    if n > MAX_EXACT_ITEMS:
        return "t", _t_test(d, epsilon)
    zeros = int((d == 0).sum())
    z, ties = _tie_distribution(n, epsilon)
    plausible = np.minimum(ties[:, zeros:].sum(axis=1), ties[:, : zeros + 1].sum(axis=1)) >= _CONFIDENCE_TAIL / 2
    z = z[plausible]
    if not z.size:
        return "exact", _CONFIDENCE_TAIL
    lower = _sum_distribution((1 - z - epsilon) / 2, z, (1 - z + epsilon) / 2, n)
    p = float(lower[:, : n + int(d.sum()) + 1].sum(axis=1).max())
    return "exact", min(1.0, max(p, 0.0) + _CONFIDENCE_TAIL)


@lru_cache(8)  # most coders have the same number of items
def _tie_distribution(n: int, epsilon: float) -> tuple[Floats, Floats]:
    """Return proportions of ties, and for each the distribution of the number of ties among n items."""
    z = np.linspace(0, 1 - epsilon, _NUISANCE_POINTS)
    return z, _sum_distribution(np.zeros_like(z), 1 - z, z, n)[:, n:]


def _sum_distribution(minus: Floats, zero: Floats, plus: Floats, n: int) -> Floats:
    """Return the distribution of the sum of n values -1, 0 and 1, from -n to n, one row per set of probabilities."""
    frequency = np.exp(-2j * np.pi * np.arange(2 * n + 1) / (2 * n + 1))
    transform = minus[:, None] / frequency + zero[:, None] + plus[:, None] * frequency
    # The inverse transform has the sum s at place s, and negative sums at the end.
    return np.roll(np.fft.ifft(transform**n, axis=1).real, n, axis=1)


def _published_test(d: Floats, epsilon: float) -> tuple[str, float]:
    """Return name and p-value of the test of mean d >= epsilon in the paper."""
    if (d == d[0]).all():
        return "constant", 0.0 if d[0] < epsilon else 1.0
    if len(d) >= MIN_T_TEST_ITEMS:
        return "t", _t_test(d, epsilon)
    return "wilcoxon", _signed_rank(d - epsilon)


def _t_test(d: Floats, epsilon: float) -> float:
    """Return the p-value of the t-test of mean d >= epsilon; with one value only, 0 or 1."""
    from scipy.special import stdtr  # slow to import

    error = float(d.std(ddof=1)) / math.sqrt(len(d))
    distance = float(d.mean()) - epsilon
    return float(stdtr(len(d) - 1, distance / error)) if error else float(distance >= 0)


def _signed_rank(x: Floats) -> float:
    """Return P(W+ <= observed W+) under random signs of x: exact, with ties, and without zeros."""
    # The exact distribution in scipy assumes ranks without ties, but d has only three values.
    x = x[x != 0]
    doubled = np.rint(2 * mean_ranks(np.abs(x).round(12))).astype(np.int64)  # mean ranks may be multiples of one half
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    rank_sum = int(doubled[x > 0].sum())
    return float(ways[: rank_sum + 1].sum() / ways.sum())
