"""Rank tests that show whether several systems differ, and which pairs of systems differ.

========================= =================================== =======================================================
test                      observations                        comparison of pairs
========================= =================================== =======================================================
:func:`kruskal_wallis`    independent groups of any size      Siegel & Castellan (1988), which is Dunn with Bonferroni
:func:`friedman`          every system on every block         Wilcoxon, Nemenyi, McDonald & Thompson
========================= =================================== =======================================================

Both tests are corrected for ties, because many documents get the same score, most often 0 or 1. The p-values of pairs
are already corrected for the number of pairs and need no Holm correction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError, Undefined
from caesura.model.result import Result
from caesura.options import fraction
from caesura.statistics.arrays import Floats, matrix, vector


@dataclass(frozen=True, eq=False)
class RankTest(Result):
    """A test of whether all systems are equal, with a test of each pair.

    Attributes
    ----------
    statistic : float
        Chi-square distributed with ``df`` degrees of freedom if all systems are equal.
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
        Systems by systems: smallest difference of mean ranks that is significant at ``alpha``; 0 on the diagonal.
    alpha : float
        Significance level.
    incomplete : int
        Number of blocks excluded because a value was missing.
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

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether each pair of systems differs at ``alpha``, as a matrix."""
        return self.pairs <= self.alpha


def kruskal_wallis(groups: Sequence[ArrayLike], *, alpha: float = 0.05) -> RankTest:
    """Compute the Kruskal-Wallis test, with Siegel & Castellan's comparison of all pairs.

    Parameters
    ----------
    groups : sequence of array_like
        Values of each system, as at least two groups of any size.
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
    from scipy.stats import chi2, norm, rankdata

    k = len(samples)
    sizes = np.array([len(sample) for sample in samples])
    pooled = np.concatenate(samples)
    N = len(pooled)  # noqa: N806 - the literature's symbols here and below
    ranks = rankdata(pooled)
    mean_ranks = np.array([part.mean() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
    ties = np.unique(pooled, return_counts=True)[1].astype(np.float64)
    V = N * (N + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (N - 1)) if len(ties) > 1 else 0.0  # noqa: N806
    H = float((sizes * (mean_ranks - (N + 1) / 2) ** 2).sum()) / V if V else 0.0  # noqa: N806
    error = np.sqrt(V * (1 / sizes[:, None] + 1 / sizes[None, :]))
    pairs = np.minimum(1.0, k * (k - 1) * norm.sf(_standardized(mean_ranks, error)))
    critical = float(norm.isf(alpha / (k * (k - 1)))) * error
    np.fill_diagonal(pairs, 1.0)
    np.fill_diagonal(critical, 0.0)
    return RankTest(H, k - 1, float(chi2.sf(H, k - 1)), mean_ranks, sizes, pairs, critical, alpha)


def friedman(blocks: ArrayLike, *, alpha: float = 0.05) -> RankTest:
    """Compute Friedman's test, with the Wilcoxon-Nemenyi-McDonald-Thompson comparison of all pairs.

    Parameters
    ----------
    blocks : array_like, blocks x systems
        One row per block (an item, or one coder's view of an item). A block with a missing value (NaN) is excluded and
        counted in ``.incomplete``.
    alpha : float, default 0.05
        Significance level of the comparisons.

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

    Q is chi-square distributed with k - 1 degrees of freedom; ``scipy.stats.friedmanchisquare`` gives the same value for
    three or more systems. q is distributed as the range of k independent standard normal values. Hollander & Wolfe use
    k(k+1)/12 for every s²_i, which does not correct for ties.

    Two systems are allowed. The test is then the normal approximation of the sign test, and
    :func:`~caesura.statistics.randomisation` has more power. If all systems are tied in every block, Q = 0 and every p = 1.

    References
    ----------
    Hollander, M., & Wolfe, D. A. (1999). Nonparametric statistical methods. Wiley, sections 7.1 and 7.3.

    Examples
    --------
    >>> result = friedman([[0.9, 0.7, 0.4], [0.8, 0.8, 0.5], [0.7, 0.6, 0.6], [0.9, 0.5, 0.2], [0.6, 0.5, 0.1]])
    >>> f"Q = {result.statistic:.3f}, p = {result.p:.3f}, 1 and 3: p = {result.pairs[0, 2]:.3f}"
    'Q = 9.000, p = 0.011, 1 and 3: p = 0.008'
    """
    alpha = fraction("alpha", alpha)
    table = matrix("blocks", blocks, "blocks", "systems", missing=True)
    k = table.shape[1]
    if k < 2:
        raise OptionError(f"blocks: a comparison needs at least 2 systems, one column each; got {k}")
    complete = table[~np.isnan(table).any(axis=1)]
    n, incomplete = len(complete), len(table) - len(complete)
    if not n:
        raise Undefined(f"no block is complete: each of the {incomplete} blocks lacks the value of a system")
    from scipy.stats import chi2, rankdata, studentized_range

    ranks = rankdata(complete, axis=1)
    sums = ranks.sum(axis=0)
    variance = float(((ranks - (k + 1) / 2) ** 2).sum()) / (k - 1)
    Q = float(((sums - n * (k + 1) / 2) ** 2).sum()) / variance if variance else 0.0  # noqa: N806
    error = np.full((k, k), math.sqrt(variance))
    ranges = _standardized(sums, error)
    upper = np.triu_indices(k, 1)
    pairs = np.ones((k, k))
    pairs[upper] = studentized_range.sf(ranges[upper], k, np.inf)
    pairs = np.minimum(pairs, pairs.T)
    critical = float(studentized_range.isf(alpha, k, np.inf)) * error / n
    np.fill_diagonal(critical, 0.0)
    return RankTest(Q, k - 1, float(chi2.sf(Q, k - 1)), sums / n, np.full(k, n), pairs, critical, alpha, incomplete)


def _standardized(ranks: Floats, error: Floats) -> Floats:
    """Return rank differences divided by their standard error; 0 if the error is 0, because the ranks are then equal."""
    distance = np.abs(ranks[:, None] - ranks[None, :])
    return np.divide(distance, error, out=np.zeros_like(distance), where=error > 0)
