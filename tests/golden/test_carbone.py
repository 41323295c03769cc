"""Figures 1 to 6 of Carbone, Gal, Shieber & Grosz (2004), as far as the text says what is in them.

The drawings are not in the text of the paper: which segments coincide, contain and cross each other is, and unit numbers are
chosen to fit it.
"""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.gold.candidates import Candidate
from caesura.gold.unify import kappas_or_none

Hierarchy = cz.Hierarchy

# Figures 1, 3, 4 and 5
#
#               1   2   3   4   5   6   7   8
# annotation 1  |A------------------------------|
#               |B------|C--------------|D------|
#
# annotation 2  |E------------------------------|
#               |F--------------|G--------------|
#
# annotation 3  |H------------------------------|
#               |I------|J--------------|
FIGURE_1 = {
    "annotation 1": Hierarchy(8, [(1, 8, 1, "A"), (1, 2, 2, "B"), (3, 6, 2, "C"), (7, 8, 2, "D")]),
    "annotation 2": Hierarchy(8, [(1, 8, 1, "E"), (1, 4, 2, "F"), (5, 8, 2, "G")]),
    "annotation 3": Hierarchy(8, [(1, 8, 1, "H"), (1, 2, 2, "I"), (3, 6, 2, "J")]),
}

# Figure 2
#
#               1   2   3   4   5   6   7   8
# annotation 1  |A------------------------------|
#               |B------|C--------------|D------|
#
# annotation 2  |E------------------------------|
#               |F----------------------|G------|
#               |H------|I--------------|
#
# annotation 3  |J------------------------------|
#               |K------|L--------------|M------|
FIGURE_2 = {
    "annotation 1": Hierarchy(8, [(1, 8, 1, "A"), (1, 2, 2, "B"), (3, 6, 2, "C"), (7, 8, 2, "D")]),
    "annotation 2": Hierarchy(8, [(1, 8, 1, "E"), (1, 6, 2, "F"), (7, 8, 2, "G"), (1, 2, 3, "H"), (3, 6, 3, "I")]),
    "annotation 3": Hierarchy(8, [(1, 8, 1, "J"), (1, 2, 2, "K"), (3, 6, 2, "L"), (7, 8, 2, "M")]),
}

# Figure 6
#
#    1   2   3   4   5   6            1   2   3   4   5   6
#    |-----------------------|        |-----------------------|
#    |---------------|                        |---------------|
#    |-------|-------|-------|        |-------|-------|-------|
FIGURE_6 = (
    Hierarchy(6, [(1, 6), (1, 4), (1, 2), (3, 4), (5, 6)]),
    Hierarchy(6, [(1, 6), (3, 6), (1, 2), (3, 4), (5, 6)]),
)


def letters(candidates: tuple[Candidate, ...]) -> set[str]:
    """Return the letters of these spans."""
    return {label for candidate in candidates for label in candidate.labels}


def test_figure_1():
    """All annotators agree only on the largest segment (A, E and H). FlatCNS gives the same gold standard."""
    for level in ("full", "flat"):
        gold = cz.unify(FIGURE_1, method="consensus", level=level)
        assert letters(gold.included) == set("AEH")
        assert gold.hierarchy.full == {(1, 8, 1)}


def test_figure_2():
    """FullCNS has, aside from the largest, only D, G, M; FlatCNS in addition B, H, K and C, I, L."""
    full = cz.unify(FIGURE_2, method="consensus", level="full")
    assert letters(full.included) == set("AEJ") | set("DGM")
    flat = cz.unify(FIGURE_2, method="consensus", level="flat")
    assert letters(flat.included) == set("AEJ") | set("DGM") | set("BHK") | set("CIL")
    # The levels of two of three annotators.
    assert flat.hierarchy.full == {(1, 8, 1), (1, 2, 2), (3, 6, 2), (7, 8, 2)}


def test_figure_3():
    """FullMCNS contains the largest segment and the two of annotators 1 and 3: B and C, I and J. D is excluded."""
    gold = cz.unify(FIGURE_1, method="majority", level="full")
    assert letters(gold.included) == set("AEH") | set("BCIJ")
    assert letters(gold.dropped) == set("DFG")


def test_figure_4():
    """CFU excludes only F and G. It would be equally good to exclude C and J."""
    gold = cz.unify(FIGURE_1)
    assert letters(gold.dropped) == set("FG")
    assert (gold.optima, sum(candidate.weight for candidate in gold.included)) == (2, 8)
    assert [(letters(candidate.crossed_spans), candidate.crossed_coders) for candidate in gold.dropped] == [
        (set("CJ"), ("annotation 1", "annotation 3")),
        (set("CJ"), ("annotation 1", "annotation 3")),
    ]
    unique = cz.unify(FIGURE_1, weights="unique")
    assert letters(unique.dropped) == set("CJ")
    assert (unique.optima, len(unique.included)) == (1, 5)


def test_figure_5():
    """FullUNI contains every segment, with conflicts. H, I and J of annotation 3 match annotation 1."""
    gold = cz.unify(FIGURE_1, method="union", level="full")
    assert letters(gold.included) == set("ABCDEFGHIJ")
    assert (gold.dropped, gold.conflicts) == ((), 2)
    assert kappas_or_none([(FIGURE_1["annotation 1"], FIGURE_1["annotation 3"])]) == [1]


def test_kappa_by_hand():
    """Annotations 1 and 2: only A and E match. Three of eight units begin and three end a segment of 1, two and two of 2."""
    observed = 2 / 7
    chance = 4 / 7 * (3 / 8) ** 2 * (1 / 4 + 1 / 4 - 1 / 16) ** 2 + 3 / 7 * (1 / 4) ** 2 * (3 / 8 + 3 / 8 - 9 / 64) ** 2
    (kappa,) = kappas_or_none([(FIGURE_1["annotation 1"], FIGURE_1["annotation 2"])])
    assert kappa == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)


def test_figure_6():
    """The two hierarchies differ clearly, but kappa is 1."""
    a, b = FIGURE_6
    assert kappas_or_none([(a, b), (b, a)]) == [1, 1]
    assert a.flat != b.flat
    # Both begin and end segments at half of the units: P_c = 1/4 * (3/4)^2 = .140625, which has no effect because P_o = 1.
    # Compared with an empty hierarchy, both are 0.
    empty = Hierarchy(6, [])
    assert kappas_or_none([(a, empty), (empty, a), (empty, empty)]) == [0, 0, None]
