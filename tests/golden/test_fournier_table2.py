"""Table 2 of Fournier (2013), Evaluating text segmentation using boundary edit distance, ACL: the ± of B.

The table prints B with a ±, the number n of boundary pairs, and TP, FP and FN of the confusion matrix, for five segmenters.
Of the n pairs FP + FN have nothing on the other side; a match counts 1 into TP and a near miss one half (n_t = 2, where
all near misses are one position off). So matches + near misses = n - FP - FN and near misses = 2 (n - FP - FN - TP), and
all five rows come out as whole numbers. Mean and ± follow from those three counts: the ± is one standard error, although
the figure beside it (10b) speaks of 95 % intervals.
"""

from __future__ import annotations

import pytest

from caesura.statistics import mean_interval

#            B      ±      n     TP     FP   FN   matches and near misses
TABLE_2 = {
    "Random": (0.2640, 0.0129, 1057, 279.0, 420, 318, 239, 80),
    "Human": (0.5285, 0.0164, 841, 444.5, 204, 153, 405, 79),
    "BayesSeg": (0.3745, 0.0146, 964, 361.0, 327, 219, 304, 114),
    "APS": (0.2873, 0.0163, 738, 212.0, 101, 411, 198, 28),
    "MinCut": (0.2468, 0.0141, 871, 215.0, 234, 400, 193, 44),
}


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_mean_and_standard_error(segmenter):
    B, error, n, tp, fp, fn, matches, near = TABLE_2[segmenter]  # noqa: N806
    assert (near, matches) == (2 * (n - fp - fn - tp), n - fp - fn - near)
    found = mean_interval([1, 0.5, 0], [matches, near, fp + fn])
    assert found.n == n
    assert round(found.mean, 4) == B
    assert round(found.standard_error, 4) == error
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * found.standard_error, rel=1e-4)


def test_what_section_6_says_of_it():
    """BayesSeg lies between the bounds, intervals apart, as the text says.

    The text also says that B puts MinCut and APS below the random baseline; by the table APS is above it.
    """
    of = {name: mean_interval([1, 0.5, 0], [row[6], row[7], row[4] + row[5]]) for name, row in TABLE_2.items()}
    assert of["Random"].high < of["BayesSeg"].low < of["BayesSeg"].high < of["Human"].low
    assert of["MinCut"].mean < of["Random"].mean < of["APS"].mean
    assert of["APS"].low < of["Random"].high
