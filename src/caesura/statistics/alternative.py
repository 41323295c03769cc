"""Alternative annotator test of whether a program may replace a coder (Calderon, Reichart & Dror 2025)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import Undefined
from caesura.model.result import Result
from caesura.options import fraction, number
from caesura.statistics.arrays import Floats, equal_matrices
from caesura.statistics.multiple import benjamini_yekutieli

MIN_CODERS = 3
MIN_T_TEST_ITEMS = 30
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
        ``"t"``, ``"wilcoxon"``, or ``"constant"`` if d is the same on every item.
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
    system: ArrayLike, coders: ArrayLike, *, epsilon: float = 0.2, q: float = 0.05
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
    The null hypothesis is that the coder is better by at least the margin: mean d >= ε. The alternative is mean d < ε. It is
    tested by a t-test if there are at least 30 items, and otherwise by Wilcoxon's signed-rank test of d - ε (exact, with
    ties). If d is the same on all items, p is 0 if d is below ε, and 1 otherwise.

    The p-values are corrected by Benjamini & Yekutieli at ``q``. The winning rate is the proportion of coders whose null
    hypothesis is rejected. The program passes if it is at least .5. The advantage is the mean over coders of the proportion
    of items with S_f >= S_h; it is used to rank programs. The authors recommend ε = .2 and at least 30 items.

    References
    ----------
    Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test for LLM-as-a-judge. ACL, section 3.

    Examples
    --------
    >>> close, far = [[0.8, 0.9, 0.7, 0.8, 0.9, 0.6]] * 3, [[0.7, 0.8, 0.7, 0.6, 0.8, 0.5]] * 3
    >>> result = alternative_annotator(close, far)
    >>> result.passed, result.winning_rate, result.advantage, round(result.coders[0].p, 4)
    (True, 1.0, 1.0, 0.0156)
    >>> alternative_annotator(far, close).passed
    False
    """
    tables = {"system": system, "coders": coders}
    S_f, S_h = equal_matrices(tables, "coders", "items", missing=True)  # noqa: N806 - the paper's symbols
    if len(S_f) < MIN_CODERS:
        raise Undefined(f"the alternative annotator test needs at least {MIN_CODERS} coders; got {len(S_f)}")
    epsilon, q = number(0, 1, below=True)("epsilon", epsilon), fraction("q", q)
    differences = [_signs(j, S_h[j] - S_f[j]) for j in range(len(S_f))]
    tests = [_test(d, epsilon) for d in differences]
    adjusted = benjamini_yekutieli([p for _, p in tests]).tolist()
    rows = tuple(
        CoderTest(len(d), float(d.mean()), test, p, adjusted_p, adjusted_p <= q, float((d <= 0).mean()))
        for d, (test, p), adjusted_p in zip(differences, tests, adjusted, strict=True)
    )
    rate = sum(row.rejected for row in rows) / len(rows)
    advantage = sum(row.advantage for row in rows) / len(rows)
    return AlternativeTest(rows, rate, rate >= 0.5, advantage, epsilon, q)


def _signs(coder: int, difference: Floats) -> Floats:
    """Return d for every item of the coder: the sign of S_h - S_f."""
    present = difference[~np.isnan(difference)]
    if len(present) < 2:
        raise Undefined(
            f"coder {coder}: expected at least 2 items shared with others; got {len(present)}; remove this coder"
        )
    return np.sign(np.where(np.abs(present) <= _EQUAL, 0.0, present))


def _test(d: Floats, epsilon: float) -> tuple[str, float]:
    """Return name and p-value of the test of mean d >= epsilon against mean d < epsilon."""
    if (d == d[0]).all():
        return "constant", 0.0 if d[0] < epsilon else 1.0
    if len(d) >= MIN_T_TEST_ITEMS:
        from scipy.stats import ttest_1samp

        return "t", float(ttest_1samp(d, epsilon, alternative="less").pvalue)
    return "wilcoxon", _signed_rank(d - epsilon)


def _signed_rank(x: Floats) -> float:
    """Return P(W+ <= observed W+) under random signs of x: exact, with ties, and without zeros.

    The exact distribution in scipy assumes ranks without ties, but d has only three values.
    """
    from scipy.stats import rankdata

    x = x[x != 0]
    doubled = np.rint(2 * rankdata(np.abs(x).round(12))).astype(np.int64)  # mean ranks may be multiples of one half
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    rank_sum = int(doubled[x > 0].sum())
    return float(ways[: rank_sum + 1].sum() / ways.sum())
