"""Numbers printed in the papers of Fournier and Inkpen that need more than one pair.

Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT. Table 2.
Fournier, C. (2013). Evaluating text segmentation. Master's thesis, University of Ottawa. Table 5.3b.
"""

from __future__ import annotations

import statistics
from itertools import combinations, permutations

import pytest

import caesura as cz

# Table 2 of 2012: mean and standard deviation of 1-WD over all ordered pairs of coders ("permuted, and with window size
# recalculated for each pair", footnote 9), for the chapters of The Moonstone in segeval.
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
