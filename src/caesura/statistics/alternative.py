"""May this program take the place of a coder? The alternative annotator test (Calderon, Reichart & Dror 2025)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import MismatchError, OptionError, Undefined
from caesura.statistics.arrays import Floats, fraction, matrix
from caesura.statistics.multiple import benjamini_yekutieli

__all__ = ["AlternativeTest", "CoderTest", "alternative_annotator"]

FEWEST_CODERS = 3
T_TEST_FROM = 30
_SAME = 1e-12  # similarities are means of a few fractions: closer than this they are equal


@dataclass(frozen=True, slots=True)
class CoderTest:
    """The program against one coder, each compared with the remaining coders."""

    items: int
    mean_difference: float
    """Mean of d: from -1, the program is closer on every item, to 1, the coder is."""
    test: str
    """``t``, ``wilcoxon``, or ``constant`` where d is the same on every item."""
    p: float
    adjusted: float
    """p after Benjamini & Yekutieli."""
    rejected: bool
    """Whether the program beats this coder, epsilon allowed for."""
    advantage: float
    """Share of items on which the program is at least as close as the coder."""


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """Whether a program may stand in for a coder."""

    coders: tuple[CoderTest, ...]
    winning_rate: float
    """Share of coders that the program beats."""
    passed: bool
    """Whether the winning rate is .5 or more."""
    advantage: float
    """Mean over coders of the share of items on which the program is at least as close as the coder."""
    epsilon: float
    q: float


def alternative_annotator(
    system: ArrayLike, coders: ArrayLike, *, epsilon: float = 0.2, q: float = 0.05
) -> AlternativeTest:
    """The alternative annotator test: is the program as close to the coders as they are to each other?

    Each coder j in turn is left out. ``system[j, i]`` is the mean similarity on item i of the program to the coders
    other than j (S_f), ``coders[j, i]`` that of coder j to the same others (S_h); NaN where coder j, or everybody else,
    did not do the item. On each item

        d = [S_h >= S_f] - [S_f >= S_h]

    is 1 where the coder is closer, -1 where the program is and 0 where they are level. The null hypothesis is that the
    program is the worse one by more than it saves, mean d >= ε; ε is what a coder's work costs: .2 for experts, .15 for
    skilled coders, .1 for crowds. It is tested against mean d < ε, by a t-test from 30 items on and below that by
    Wilcoxon's signed-rank test of d - ε (exact, ties included). Where d is the same on all items, p is 0 if it is below
    ε and 1 if not.

    The p-values are corrected by Benjamini & Yekutieli at ``q``. The winning rate is the share of coders for whom the
    null hypothesis is rejected, and the program passes at .5. The advantage is the mean over coders of the share of
    items with S_f >= S_h, and serves to rank programs. Similarities within 1e-12 are equal.

    ``Undefined`` with fewer than three coders (left with one other, a coder is compared with that one's habits, not
    with a consensus), or if a coder has fewer than two items.

    Reference: Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL, section 3. There
    ε = .2 and 30 items at least are recommended.

    >>> close, far = [[0.8, 0.9, 0.7, 0.8, 0.9, 0.6]] * 3, [[0.7, 0.8, 0.7, 0.6, 0.8, 0.5]] * 3
    >>> found = alternative_annotator(close, far)
    >>> found.passed, found.winning_rate, found.advantage, round(found.coders[0].p, 4)
    (True, 1.0, 1.0, 0.0156)
    >>> alternative_annotator(far, close).passed
    False
    """
    S_f = matrix("system", system, "coders", "items", missing=True)  # noqa: N806 - the paper's symbols
    S_h = matrix("coders", coders, "coders", "items", missing=True)  # noqa: N806
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise OptionError(f"epsilon: must be a number from 0 up and below 1; got {epsilon!r}")
    fraction("q", q)
    if S_f.shape != S_h.shape:
        raise MismatchError(
            f"system and coders must have the same coders and items; got {S_f.shape[0]} by {S_f.shape[1]} and "
            f"{S_h.shape[0]} by {S_h.shape[1]}"
        )
    if len(S_f) < FEWEST_CODERS:
        raise Undefined(f"the alternative annotator test needs at least {FEWEST_CODERS} coders; got {len(S_f)}")
    ahead = [_ahead(j, S_h[j] - S_f[j]) for j in range(len(S_f))]
    tests = [_test(d, epsilon) for d in ahead]
    adjusted = benjamini_yekutieli([p for _, p in tests])
    made = tuple(
        CoderTest(
            items=len(d),
            mean_difference=float(d.mean()),
            test=test,
            p=p,
            adjusted=float(after),
            rejected=bool(after <= q),
            advantage=float((d <= 0).mean()),
        )
        for d, (test, p), after in zip(ahead, tests, adjusted, strict=True)
    )
    rate = sum(one.rejected for one in made) / len(made)
    advantage = sum(one.advantage for one in made) / len(made)
    return AlternativeTest(made, rate, rate >= 0.5, advantage, epsilon, q)


def _ahead(coder: int, ahead: Floats) -> Floats:
    """d of every item the coder has: the sign of S_h - S_f."""
    there = ahead[~np.isnan(ahead)]
    if len(there) < 2:
        raise Undefined(
            f"coder {coder}: must have at least 2 items with a similarity to others; got {len(there)}; leave this coder out"
        )
    return np.sign(np.where(np.abs(there) <= _SAME, 0.0, there))


def _test(d: Floats, epsilon: float) -> tuple[str, float]:
    """Name and p-value of the test of mean d >= epsilon against mean d < epsilon."""
    if (d == d[0]).all():
        return "constant", 0.0 if d[0] < epsilon else 1.0
    if len(d) >= T_TEST_FROM:
        from scipy.stats import ttest_1samp

        return "t", float(ttest_1samp(d, epsilon, alternative="less").pvalue)
    return "wilcoxon", _signed_rank(d - epsilon)


def _signed_rank(x: Floats) -> float:
    """P(W+ <= what was seen) if the signs of x were tossed: exact, with ties, and without the zeros.

    scipy's exact distribution is that of untied ranks, and d has three values only.
    """
    from scipy.stats import rankdata

    x = x[x != 0]
    doubled = np.rint(2 * rankdata(np.abs(x).round(12))).astype(np.int64)  # a mean rank may end in a half
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    seen = int(doubled[x > 0].sum())
    return float(ways[: seen + 1].sum() / ways.sum())
