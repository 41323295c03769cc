"""Alternative annotator test of whether a program may replace a coder (Calderon, Reichart & Dror 2025)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import Undefined
from caesura.model.result import Result
from caesura.options import choice, fraction, number
from caesura.statistics.arrays import Floats, equal_matrices
from caesura.statistics.multiple import benjamini_yekutieli
from caesura.statistics.ranks import mean_ranks

MIN_CODERS = 3
MIN_T_TEST_ITEMS = 30
MAX_EXACT_ITEMS = 1000
_NUISANCE_POINTS = 101  # proportions of ties over which the exact p is maximized
_CONFIDENCE_TAIL = 1e-3  # probability that the true proportion of ties is not among them
_EQUAL = 1e-12  # similarities are means of a few fractions; they count as equal if they differ by less than this


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
    if len(S_f) < MIN_CODERS:
        raise Undefined(f"the alternative annotator test needs at least {MIN_CODERS} coders; got {len(S_f)}")
    epsilon, q = number(0, 1, below=True)("epsilon", epsilon), fraction("q", q)
    run = _exact_test if choice("exact", "published")("test", test) == "exact" else _published_test
    differences = []
    for j, difference in enumerate(S_h - S_f):
        present = difference[~np.isnan(difference)]
        if len(present) < 2:
            raise Undefined(
                f"coder {j}: expected at least 2 items shared with others; got {len(present)}; remove this coder"
            )
        differences.append(np.sign(np.where(np.abs(present) <= _EQUAL, 0.0, present)))
    tests = [run(d, epsilon) for d in differences]
    adjusted = benjamini_yekutieli([p for _, p in tests]).tolist()
    rows = tuple(
        CoderTest(len(d), float(d.mean()), test, p, adjusted_p, adjusted_p <= q, float((d <= 0).mean()))
        for d, (test, p), adjusted_p in zip(differences, tests, adjusted, strict=True)
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
