"""Rank tests that show whether several systems differ, and which pairs of systems differ.

============================== ============================= ======================================================
test                           observations                  comparison of pairs
============================== ============================= ======================================================
:func:`friedman`               every system on every block   Wilcoxon, Nemenyi, McDonald & Thompson
:func:`blocked_kruskal_wallis` every system on every block   largest difference of mean ranks
:func:`kruskal_wallis`         independent groups            Siegel & Castellan (1988): Dunn with Bonferroni
============================== ============================= ======================================================

All tests are corrected for ties, because many documents get the same score, most often 0 or 1. The p-values of pairs
are already corrected for the number of pairs and need no Holm correction.

The systems of a comparison segment the same items, so their values are not independent groups. The first two tests
exchange the systems inside each block, which is valid if equal systems are equally likely to get each of the block's
values. The third test assumes that all values are independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, permutations
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError, Undefined
from caesura.model.index import bincount, searchsorted
from caesura.model.result import Result
from caesura.options import choice, fraction, whole
from caesura.options import seed as check_seed
from caesura.statistics.arrays import Floats, matrix, vector
from caesura.statistics.paired import DRAWS, is_borderline, monte_carlo_error

Ints = NDArray[np.int64]

MAX_PERMUTED_BLOCKS = 20  # most blocks whose ranks are permuted; with more, asymptotic distributions are accurate
_MAX_ADDITIONS = 20_000_000  # of probabilities, for the exact distribution of rank sums
_MAX_ARRANGED = 6  # systems of the exact distribution: 6! = 720 arrangements per block
_BLOCK = 1 << 14  # random permutations at once
_REACH, _STEP = 9.0, 0.1  # the normal density beyond 9 is below 1e-18; the trapezoid rule with this step errs by 1e-13


@dataclass(frozen=True, eq=False)
class RankTest(Result):
    """A test of whether all systems are equal, with a test of each pair.

    Attributes
    ----------
    statistic : float
        Chi-square distributed with ``df`` degrees of freedom for many observations, if all systems are equal.
    df : int
        Degrees of freedom.
    p : float
        p-value of the test.
    mean_ranks : numpy.ndarray
        Mean rank of each system; the largest values have the largest ranks.
    sizes : numpy.ndarray
        Number of observations per system.
    pairs : numpy.ndarray
        Systems by systems: p-value of each pair, corrected for the number of pairs; 1 on the diagonal.
    critical : numpy.ndarray
        Systems by systems: smallest difference of mean ranks that is significant at ``alpha``; infinite if no difference
        can be significant; 0 on the diagonal.
    alpha : float
        Significance level.
    incomplete : int
        Number of blocks excluded because a value was missing.
    method : str
        ``"exact"``: over all permutations. ``"draws"``: over random permutations. ``"asymptotic"``: from the limiting
        distributions.
    draws : int
        Number of random permutations; 0 if there are none.
    """

    statistic: float
    df: int
    p: float
    mean_ranks: Floats = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    pairs: Floats = field(repr=False)
    critical: Floats = field(repr=False)
    alpha: float
    incomplete: int = 0
    method: str = "asymptotic"
    draws: int = 0

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether each pair of systems differs at ``alpha``, as a matrix."""
        return self.pairs <= self.alpha

    def is_borderline(self, u: int | None = None, v: int | None = None) -> bool:
        """Return whether a p-value from random permutations is within three standard errors of ``alpha``.

        Parameters
        ----------
        u, v : int, optional
            Two systems (default: the test of all systems).

        Returns
        -------
        bool
            Whether other permutations might lead to the opposite decision.
        """
        p = self.p if u is None or v is None else float(self.pairs[u, v])
        return self.draws > 0 and is_borderline(p, monte_carlo_error(p, self.draws), self.alpha)


def kruskal_wallis(groups: Sequence[ArrayLike], *, alpha: float = 0.05) -> RankTest:
    """Compute the Kruskal-Wallis test of independent groups, with Siegel & Castellan's comparison of all pairs.

    Parameters
    ----------
    groups : sequence of array_like
        Values of each group, as at least two groups of any size. All values must be independent; for systems that share
        their items, use :func:`blocked_kruskal_wallis`.
    alpha : float, default 0.05
        Significance level of the comparisons.

    Returns
    -------
    RankTest
        The test and the comparison of pairs.

    Notes
    -----
    N values of k groups are ranked together; ties share their mean rank. The statistic H, corrected for ties, is that of
    ``scipy.stats.kruskal``. Groups u and v differ if their mean ranks are far enough apart::

        |R_u - R_v| >= z(α / (k(k-1))) sqrt(V (1/n_u + 1/n_v)),   V = N(N+1)/12 - Σ (t³ - t) / (12(N-1))

    where z(x) cuts off x of the normal distribution on one side, and t runs over the sizes of the ties. Siegel & Castellan
    print V without the second term. With this term the comparison is Dunn's test with Bonferroni's correction. ``pairs``
    contains the corresponding p-values: k(k-1) times one tail of z, at most 1. If all N values are equal, H = 0 and
    every p = 1.

    References
    ----------
    - Siegel, S., & Castellan, N. J. (1988). Nonparametric statistics for the behavioral sciences. McGraw-Hill, pages 213-214.
    - Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics 6.

    Examples
    --------
    >>> result = kruskal_wallis([[1, 2, 2, 4], [3, 5, 5, 6], [6, 7, 8, 9]])
    >>> f"H = {result.statistic:.3f}, p = {result.p:.3f}, 1 and 3: p = {result.pairs[0, 2]:.3f}"
    'H = 9.047, p = 0.011, 1 and 3: p = 0.008'
    """
    alpha = fraction("alpha", alpha)
    if len(groups) < 2:
        raise OptionError(f"groups: a comparison needs at least 2 groups; got {len(groups)}")
    samples = [vector(f"groups[{i}]", group) for i, group in enumerate(groups)]
    k = len(samples)
    sizes = np.array([len(sample) for sample in samples])
    pooled = np.concatenate(samples)
    N = len(pooled)  # noqa: N806 - the literature's symbols here and below
    ranks = mean_ranks(pooled)
    means = np.array([part.mean() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
    ties = np.unique(pooled, return_counts=True)[1].astype(np.float64)
    V = N * (N + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (N - 1)) if len(ties) > 1 else 0.0  # noqa: N806
    H = float((sizes * (means - (N + 1) / 2) ** 2).sum()) / V if V else 0.0  # noqa: N806
    error = np.sqrt(V * (1 / sizes[:, None] + 1 / sizes[None, :]))
    z = np.abs(means[:, None] - means[None, :]) / np.where(error > 0, error, 1.0)
    pairs = np.minimum(1.0, k * (k - 1) * np.vectorize(normal_tail, otypes=[float])(z))
    critical = -NormalDist().inv_cdf(alpha / (k * (k - 1))) * error
    np.fill_diagonal(pairs, 1.0)
    np.fill_diagonal(critical, 0.0)
    return RankTest(H, k - 1, chi_square_tail(H, k - 1), means, sizes, pairs, critical, alpha)


def blocked_kruskal_wallis(
    blocks: ArrayLike, *, alpha: float = 0.05, method: str = "auto", draws: int = DRAWS, seed: int | None = 0
) -> RankTest:
    """Compute the Kruskal-Wallis statistic of systems that share their items, with p-values from permutations within items.

    Parameters
    ----------
    blocks : array_like, blocks x systems
        One row per block (an item). A block with a missing value (NaN) is excluded and counted in ``.incomplete``.
    alpha : float, default 0.05
        Significance level of the comparisons.
    method : {"auto", "exact", "draws", "asymptotic"}, default "auto"
        How to compute p-values; see :func:`friedman`.
    draws : int, default 100000
        Number of random permutations, if they are needed.
    seed : int or None, default 0
        Random seed; None chooses a random one.

    Returns
    -------
    RankTest
        The test and the comparison of pairs.

    Raises
    ------
    Undefined
        If no block is complete.

    Notes
    -----
    All values are ranked together, and the statistic is H of :func:`kruskal_wallis`. That test takes the systems for
    independent samples. If all systems segment the same items, easy items give all of them high ranks, and the chi-square
    distribution of H is wrong: equal systems differ too seldom. Here the p-value is the proportion of permutations within
    blocks whose H is at least as large. It keeps its level under any dependence of the blocks' values on the block, and it
    finds differences that the independent test hides. Two systems differ if the largest difference of two rank sums is
    seldom as large under such permutations.

    Compared with :func:`friedman`, a large difference on an item counts more than a small one.

    References
    ----------
    - Kruskal, W. H., & Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. JASA 47.
    - Conover, W. J., & Iman, R. L. (1981). Rank transformations as a bridge between parametric and nonparametric
      statistics. The American Statistician 35 (ranks over all blocks).

    Examples
    --------
    >>> result = blocked_kruskal_wallis([[0.9, 0.7], [0.8, 0.75], [0.7, 0.6], [0.95, 0.5], [0.6, 0.5], [0.5, 0.1]])
    >>> f"H = {result.statistic:.3f}, p = {result.p:.5f}, {result.method}"
    'H = 2.619, p = 0.03125, exact'
    """
    table, incomplete = _complete_blocks(blocks)
    n, k = table.shape
    ranks = mean_ranks(table.ravel()).reshape(n, k)
    total = n * k
    variance = float(((ranks - (total + 1) / 2) ** 2).sum()) / (total - 1)
    sums = ranks.sum(axis=0)
    H = float(((sums - n * (total + 1) / 2) ** 2).sum()) / (n * variance) if variance else 0.0  # noqa: N806
    return _permuted(ranks, H, alpha, incomplete, method, draws, seed)


def friedman(
    blocks: ArrayLike, *, alpha: float = 0.05, method: str = "auto", draws: int = DRAWS, seed: int | None = 0
) -> RankTest:
    """Compute Friedman's test, with the Wilcoxon-Nemenyi-McDonald-Thompson comparison of all pairs.

    Parameters
    ----------
    blocks : array_like, blocks x systems
        One row per block (an item). A block with a missing value (NaN) is excluded and counted in ``.incomplete``. Blocks
        must be independent: several coders of one item are one block with the mean over the coders.
    alpha : float, default 0.05
        Significance level of the comparisons.
    method : {"auto", "exact", "draws", "asymptotic"}, default "auto"
        How to compute p-values: over all permutations within blocks, over ``draws`` random ones, or from the limiting
        distributions. ``"auto"`` is exact if that takes at most 20 million additions. Otherwise permutations are drawn if
        the systems differ on at most 20 blocks, and the limiting distributions are used if they differ on more.
    draws : int, default 100000
        Number of random permutations, if they are needed.
    seed : int or None, default 0
        Random seed; None chooses a random one.

    Returns
    -------
    RankTest
        The test and the comparison of pairs.

    Raises
    ------
    Undefined
        If no block is complete.

    Notes
    -----
    Systems are ranked inside each block; ties share their mean rank. With n blocks, k systems, rank sums R_j and s²_i the
    variance of the ranks in block i (divided by k - 1; k(k+1)/12 without ties) ::

        Q = Σ_j (R_j - n(k+1)/2)² / Σ_i s²_i,   q = |R_u - R_v| / sqrt(Σ_i s²_i)

    ``scipy.stats.friedmanchisquare`` gives the same Q for three or more systems. p is the probability of a Q at least as
    large if the ranks of every block are permuted at random, and the p-value of a pair is the probability that the largest
    difference of two rank sums is at least as large as that of the pair (Hollander & Wolfe, section 7.3). For many blocks,
    Q is chi-square distributed with k - 1 degrees of freedom, and the largest q is distributed as the range of k independent
    standard normal values. Hollander & Wolfe use k(k+1)/12 for every s²_i, which does not correct for ties.

    Two systems are allowed. The test is then the sign test, and :func:`~caesura.statistics.randomisation` has more power. If
    all systems are tied in every block, Q = 0 and every p = 1.

    References
    ----------
    Hollander, M., & Wolfe, D. A. (1999). Nonparametric statistical methods. Wiley, sections 7.1 and 7.3.

    Examples
    --------
    >>> result = friedman([[0.9, 0.7, 0.4], [0.8, 0.8, 0.5], [0.7, 0.6, 0.6], [0.9, 0.5, 0.2], [0.6, 0.5, 0.1]])
    >>> f"Q = {result.statistic:.3f}, p = {result.p:.4f}, 1 and 3: p = {result.pairs[0, 2]:.4f}, {result.method}"
    'Q = 9.000, p = 0.0031, 1 and 3: p = 0.0031, exact'
    """
    table, incomplete = _complete_blocks(blocks)
    n, k = table.shape
    ranks = mean_ranks(table)
    variance = float(((ranks - (k + 1) / 2) ** 2).sum()) / (k - 1)
    Q = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()) / variance if variance else 0.0  # noqa: N806
    return _permuted(ranks, Q, alpha, incomplete, method, draws, seed)


def _complete_blocks(blocks: ArrayLike) -> tuple[Floats, int]:
    """Return the blocks without missing values, and the number of the others."""
    table = matrix("blocks", blocks, "blocks", "systems", missing=True)
    if table.shape[1] < 2:
        raise OptionError(f"blocks: a comparison needs at least 2 systems, one column each; got {table.shape[1]}")
    complete = table[~np.isnan(table).any(axis=1)]
    incomplete = len(table) - len(complete)
    if not len(complete):
        raise Undefined(f"no block is complete: each of the {incomplete} blocks lacks the value of a system")
    return complete, incomplete


def _permuted(
    ranks: Floats, statistic: float, alpha: float, incomplete: int, method: str, draws: int, seed: int | None
) -> RankTest:
    """Return the test of all systems and of each pair, from the rank sums under permutations within blocks."""
    alpha, draws = fraction("alpha", alpha), whole(1)("draws", draws)
    method = choice("auto", "exact", "draws", "asymptotic")("method", method)
    rng = np.random.default_rng(check_seed("seed", seed))
    n, k = ranks.shape
    # Ranks are multiples of one half; the scores are whole numbers with sum 0 in each block. Blocks in which all systems are
    # tied stay the same under permutations and are left out.
    doubled = np.rint(2 * ranks).astype(np.int64)
    scores = k * doubled - doubled.sum(axis=1, keepdims=True)
    divisor = max(1, int(np.gcd.reduce(scores, axis=None)))
    scores = scores[(scores != 0).any(axis=1)] // divisor
    if method == "auto":
        width = 2 * float(np.abs(scores).max(axis=1, initial=0).sum()) + 1
        if k <= _MAX_ARRANGED and len(scores) * math.factorial(k) * width ** (k - 1) / k <= _MAX_ADDITIONS:
            method = "exact"
        else:
            method = "draws" if len(scores) <= MAX_PERMUTED_BLOCKS else "asymptotic"
    if method == "asymptotic":
        p, pairs, distance = _limiting_test(scores, alpha)
    elif method == "exact":
        p, pairs, distance = _permutation_test(scores, alpha, *_exact_sums(scores))
    else:
        p, pairs, distance = _permutation_test(scores, alpha, *_drawn_sums(scores, draws, rng))
    np.fill_diagonal(pairs, 1.0)
    critical = np.full((k, k), distance * (divisor / (2 * k)) / n)
    np.fill_diagonal(critical, 0.0)
    means, sizes, drawn = ranks.mean(axis=0), np.full(k, n), draws if method == "draws" else 0
    return RankTest(statistic, k - 1, p, means, sizes, pairs, critical, alpha, incomplete, method, drawn)


def _limiting_test(scores: Ints, alpha: float) -> tuple[float, Floats, float]:
    """Return p, the p-value of each pair, and the smallest significant distance of two sums, for many blocks."""
    sums, k = scores.sum(axis=0), scores.shape[1]
    pairs = np.ones((k, k))
    error = math.sqrt(float(scores.var(axis=1, ddof=1).sum()))
    if not error:
        return 1.0, pairs, 0.0
    for u, v in combinations(range(k), 2):
        pairs[u, v] = pairs[v, u] = range_tail(abs(float(sums[u] - sums[v])) / error, k)
    p = chi_square_tail(float((sums.astype(np.float64) ** 2).sum()) / error**2, k - 1)
    return p, pairs, range_quantile(alpha, k) * error


def _permutation_test(
    scores: Ints, alpha: float, permuted: Ints, probability: Floats, observed: float = 0.0
) -> tuple[float, Floats, float]:
    """Return the same from the rows of permuted sums; ``observed`` is added to every probability."""
    sums = scores.sum(axis=0)
    squares, square_tails = _tails((permuted * permuted).sum(axis=1), probability, observed)
    ranges, range_tails = _tails(permuted.max(axis=1) - permuted.min(axis=1), probability, observed)
    p = float(square_tails[searchsorted(squares, (sums * sums).sum())])
    pairs = range_tails[searchsorted(ranges, np.abs(sums[:, None] - sums[None, :]))]
    significant = ranges[range_tails[:-1] <= alpha]
    return p, pairs, float(significant[0]) if len(significant) else math.inf


def _tails(values: Ints, probability: Floats, observed: float) -> tuple[Ints, Floats]:
    """Return the distinct values, and for each the probability of a value at least as large; beyond them ``observed``."""
    distinct, inverse = np.unique(values, return_inverse=True)
    each = bincount(inverse, probability, minlength=len(distinct))
    tails = np.append(np.cumsum(each[::-1])[::-1], 0.0) + observed
    return distinct, np.minimum(tails, 1.0)


def _exact_sums(scores: Ints) -> tuple[Ints, Floats]:
    """Return all rank sums that occur if every block is permuted independently, and their probabilities."""
    # The array has one dimension for the sum of each system except the last one, whose sum follows from the others.
    k = scores.shape[1]
    distribution, reach = np.ones((1,) * (k - 1)), 0
    for block in scores.tolist():
        width, old = max(map(abs, block)), distribution
        reach += width
        distribution = np.zeros((2 * reach + 1,) * (k - 1))
        arrangements = Counter(arrangement[:-1] for arrangement in permutations(block))
        for places, count in arrangements.items():
            shifted = tuple(slice(width + x, width + x + size) for x, size in zip(places, old.shape, strict=True))
            distribution[shifted] += count / math.factorial(k) * old
    reached = np.argwhere(distribution > 0) - reach
    return np.column_stack([reached, -reached.sum(axis=1)]), distribution[distribution > 0]


def _drawn_sums(scores: Ints, draws: int, rng: np.random.Generator) -> tuple[Ints, Floats, float]:
    """Return the rank sums of random permutations, and their probabilities: the observed ranks count as one more."""
    sums = np.zeros((draws, scores.shape[1]), np.int64)
    for start in range(0, draws, _BLOCK):
        rows = sums[start : start + _BLOCK]
        for block in scores:
            rows += rng.permuted(np.tile(block, (len(rows), 1)), axis=1)
    return sums, np.full(draws, 1 / (1 + draws)), 1 / (1 + draws)


# scipy.stats has the following distributions and ranks too, but takes half a second to import. The tests compare both.


def normal_tail(z: float) -> float:
    """Return P(Z >= z) of the standard normal distribution."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def chi_square_tail(x: float, df: int) -> float:
    """Return P(X >= x) of the chi-square distribution."""
    # For a whole number of degrees of freedom the tail is a finite sum (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5).
    if x == 0:
        return 1.0
    half = x / 2
    total, power = (math.erfc(math.sqrt(half)), -0.5) if df % 2 else (0.0, -1.0)
    while (power := power + 1) < df / 2 - 0.25:
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return min(1.0, total)


def range_tail(q: float, k: int) -> float:
    """Return P(range >= q) for the range of k independent standard normal values."""
    # P(range < q) = k ∫ φ(x) [Φ(x) - Φ(x - q)]^(k-1) dx, where x is the largest value. Because k ∫ φ(x) Φ(x)^(k-1) dx = 1, the
    # tail is k ∫ φ(x) {Φ(x)^(k-1) - [Φ(x) - Φ(x - q)]^(k-1)} dx, in which small tails keep their digits. The trapezoid rule
    # computes it.
    if q <= 0:
        return 1.0
    x, density, upper = _grid()
    lower = _normal_cdf(x - q)
    with np.errstate(divide="ignore"):  # for a tiny q, both are 1 at the largest points
        gap = -np.expm1((k - 1) * np.log1p(-lower / upper))
    return float(min(1.0, k * _STEP * (density * upper ** (k - 1) * gap).sum()))


def range_quantile(tail: float, k: int) -> float:
    """Return the q that the range of k independent standard normal values exceeds with probability ``tail``."""
    low, high = 0.0, 2 * _REACH
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, k) > tail else (low, middle)
    return (low + high) / 2


def mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values from 1 up; equal values share the mean of their ranks."""
    if values.ndim > 1:
        smaller = (values[:, None, :] < values[:, :, None]).sum(axis=2)
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
        ranks: Floats = smaller + (equal + 1) / 2
        return ranks
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


@cache
def _grid() -> tuple[Floats, Floats, Floats]:
    """Return the points of the quadrature, and density and distribution of the standard normal at these points."""
    x = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
    return x, np.exp(-x * x / 2) / math.sqrt(2 * math.pi), _normal_cdf(x)


def _normal_cdf(x: Floats) -> Floats:
    from scipy.special import ndtr  # slow to import

    return np.asarray(ndtr(x))
