"""Numbers printed in the papers of Fournier and Inkpen that need more than one pair.

Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT. Tables 1 and 2.
Fournier, C. (2013). Evaluating text segmentation. Master's thesis, University of Ottawa. Table 5.3b.
"""

from __future__ import annotations

import statistics
from itertools import combinations, permutations

import numpy as np
import pytest

import caesura as cz

# Table 1 of 2012, after Pevzner & Hearst (2002): 1,000 segments with sizes drawn evenly from a range with mean 25; each
# segment loses its end with p = 0.5 (FN), gets a boundary somewhere inside with p = 0.5 (FP), or both may happen. Mean
# and standard deviation of WindowDiff and S over 10 trials of 100 hypotheses.
TABLE_1 = {
    ("FN", 20, 30): (0.2340, 0.0113, 0.9801, 0.0006),
    ("FN", 15, 35): (0.2292, 0.0104, 0.9801, 0.0006),
    ("FN", 10, 40): (0.2297, 0.0105, 0.9799, 0.0007),
    ("FN", 5, 45): (0.2206, 0.0079, 0.9796, 0.0007),
    ("FP", 20, 30): (0.2265, 0.0114, 0.9800, 0.0006),
    ("FP", 15, 35): (0.2265, 0.0111, 0.9800, 0.0006),
    ("FP", 10, 40): (0.2256, 0.0102, 0.9800, 0.0006),
    ("FP", 5, 45): (0.2184, 0.0069, 0.9796, 0.0007),
    ("FP and FN", 20, 30): (0.3635, 0.0126, 0.9605, 0.0009),
    ("FP and FN", 15, 35): (0.3599, 0.0117, 0.9603, 0.0009),
    ("FP and FN", 10, 40): (0.3516, 0.0110, 0.9606, 0.0010),
    ("FP and FN", 5, 45): (0.3254, 0.0087, 0.9598, 0.0011),
}


def simulate(rng, scenario, low, high, trials, hypotheses):
    pairs = []
    for _ in range(trials):
        sizes = rng.integers(low, high, 1000, endpoint=True)
        ends = np.cumsum(sizes)
        length, positions = int(ends[-1]), ends[:-1]
        reference = cz.Segmentation.from_positions(length, positions)
        for _ in range(hypotheses):
            placed = positions
            if "FN" in scenario:
                placed = positions[rng.random(999) >= 0.5]
            if "FP" in scenario:
                inside = ends - rng.integers(1, sizes)
                placed = np.union1d(placed, inside[rng.random(1000) < 0.5])
            pairs.append((reference, cz.Segmentation.from_positions(length, placed)))
    return pairs


@pytest.mark.parametrize("case", TABLE_1, ids=lambda case: "{} ({},{})".format(*case))
def test_table_1_of_2012(case):
    """Within sampling error.

    Half the mean segment is 12.5 give or take a little, so k is 12 in one trial and 13 in the next, and WindowDiff jumps
    by 0.02 between them: the printed mean of 10 trials has a standard error of about 0.003. S hardly varies. In the
    third scenario a lost boundary may by chance have a false one beside it, a near miss, and the paper does not say how
    near the end of a segment it may stand, which is worth up to 0.001.
    """
    wd, wd_deviation, s, s_deviation = TABLE_1[case]
    pairs = simulate(np.random.default_rng(2012), *case, trials=40, hypotheses=10)
    ours = cz.score_many(pairs, "window_diff(compat='fournier2012')").values
    assert ours.mean() == pytest.approx(wd, abs=0.010)
    assert ours.std() == pytest.approx(wd_deviation, abs=0.004)
    ours = cz.score_many(pairs, "segmentation_similarity(compat='fournier2012')").values
    assert ours.mean() == pytest.approx(s, abs=0.0015 if case[0] == "FP and FN" else 0.0006)
    assert ours.std() == pytest.approx(s_deviation, abs=0.0002)


# Table 2 of 2012: mean and standard deviation of 1-WD over all ordered pairs of coders ("permuted, and with window size
# recalculated for each pair", footnote 9), for the chapters of The Moonstone that segeval carries.
TABLE_2 = {
    "ch1": (0.6641, 0.1307, 4, 13),
    "ch2": (0.7619, 0.1743, 6, 15),
    "ch3": (0.6732, 0.1559, 4, 38),
    "ch4": (0.6019, 0.2245, 4, 46),
    "ch5": (0.6965, 0.1106, 6, 42),
    "ch8": (0.7505, 0.0911, 6, 39),
    "ch10": (0.7729, 0.0770, 6, 83),
    "ch11": (0.6189, 0.1294, 4, 111),
}


@pytest.mark.parametrize("chapter", TABLE_2)
def test_table_2_of_2012(segeval, chapter):
    samples = segeval.data.samples
    codings = {**samples.KAZANTSEVA2012_G2, **samples.KAZANTSEVA2012_G5}[chapter]
    coders = [cz.Segmentation.from_masses(masses) for masses in codings.values()]
    mean, deviation, number, mass = TABLE_2[chapter]
    assert (len(coders), coders[0].length) == (number, mass)
    values = [1 - cz.window_diff(a, b, compat="fournier2012").value for a, b in permutations(coders, 2)]
    assert round(statistics.mean(values), 4) == mean
    assert round(statistics.pstdev(values), 4) == deviation


def test_table_5_3b_of_the_thesis(segeval):
    """Stargazer, 7 coders, 21 pairs: 72 full misses, 28 near misses, 125 matches.

    The program of that time counted the beginning and the end of the text as matches, so 2 * 21 of the 125 are no
    boundaries of ours.
    """
    codings = segeval.data.samples.HEARST_1997_STARGAZER["stargazer"]
    coders = [cz.Segmentation.from_masses(masses) for masses in codings.values()]
    pairs = list(combinations(coders, 2))
    total = cz.score_many(pairs, "boundary_similarity(n_t=2)").total
    assert len(pairs) == 21
    assert (total.parts["additions"], total.parts["transpositions"]) == (72, 28)
    assert total.parts["matches"] == 125 - 2 * 21
