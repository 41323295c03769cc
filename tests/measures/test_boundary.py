"""S and B: published figures, rules of the edit distance, segeval, laws. See also test_boundary_exhaustive.py."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from oracle import boundary as oracle
from support.edits import COSTS, cost, explained, rules_and_options
from support.examples import examples
from support.strategies import Pair, TypedPair, pairs, typed, typed_pairs

masses = cz.Segmentation.from_masses
positions = cz.Segmentation.from_positions


# Figures. Fournier 2013: m = |··|···|······|, see test_window.py for the drawings.


@pytest.mark.parametrize(
    ("hypothesis", "s", "b"),
    [
        ([5, 6], 0.9, 0.5),  # Figure 5: false negative
        ([2, 2, 7], 0.95, 0.75),  # Figure 6: near miss; S printed unweighted, see below
        ([2, 3, 3, 3], 0.9, 0.6667),  # Figure 7: false positive
        ([1, 1, 1, 2, 6], 0.8, 0.5),  # Figure 8: cluster of false positives
    ],
    ids=["figure 5", "figure 6", "figure 7", "figure 8"],
)
@pytest.mark.parametrize("compat", [None, "fournier2013"])
def test_figures_of_2013(hypothesis, s, b, compat):
    """Section 4; the specification's table, which has S of Figure 6 as 0.95 with weighted transpositions."""
    m, a = masses([2, 3, 6]), masses(hypothesis)
    assert round(cz.segmentation_similarity(m, a, compat=compat).value, 4) == s
    assert round(cz.boundary_similarity(m, a, compat=compat).value, 4) == b


@pytest.mark.parametrize(
    ("a", "b", "printed"),
    [
        ([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2], 0.6923),  # section 3.3: 9/13, on Figure 3
        ([14], [1] * 14, 0),  # section 4.1, Figure 6
        ([6, 8], [7, 7], 0.9231),  # section 4.1, Figure 8
        ([2, 3, 6], [2, 2, 7], 0.9),  # Figure 6 of 2013, without weights
    ],
)
def test_figures_of_2012(a, b, printed):
    for options in ({"compat": "fournier2012"}, {"transposition": "unit"}):
        assert round(cz.segmentation_similarity(masses(a), masses(b), **options).value, 4) == printed


def test_figures_3_and_7_of_2012_edit_by_edit():
    """Section 3.2: "an edit distance of 4 PBs: 1 transposition PB and 3 substitution PBs" (additions, since 2013).

    s1  |·|··|··|···|···|·|··|
    s2  |·|··|·|··|······|··|

    Of Figure 7, .8461 is printed, which is 11/13 = 0.84615... cut off; two full misses are needed, so no preset.
    """
    score = cz.segmentation_similarity(masses([1, 2, 2, 3, 3, 1, 2]), masses([1, 2, 1, 2, 6, 2]), compat="fournier2012")
    assert (cost(score), score.parts["transpositions"], score.parts["additions"]) == (4, 1, 3)
    for compat in (None, "fournier2012"):
        score = cz.segmentation_similarity(masses([1, 2, 2, 2, 4, 2, 1]), masses([1, 2, 8, 2, 1]), compat=compat)
        assert score.value == pytest.approx(11 / 13)
        assert int(score.value * 10_000) == 8461


def test_figure_1_of_2013():
    """A near miss, a match, two full misses; footnote 9: "if n_t > 2, then they would be considered a T".

    s1  |··|····|····|····|
    s2  |···|···|······|··|
    """
    a, b = masses([2, 4, 4, 4]), masses([3, 3, 6, 2])
    score = cz.boundary_similarity(a, b)
    expected = [("transposition", 2, 3), ("match", 6, 6), ("deletion", 10, None), ("insertion", None, 12)]
    assert [(e.kind, e.a_position, e.b_position) for e in score.edits] == expected
    wider = cz.boundary_similarity(a, b, n_t=3)
    expected = [("transposition", 2, 3), ("match", 6, 6), ("transposition", 10, 12)]
    assert [(e.kind, e.a_position, e.b_position) for e in wider.edits] == expected


# Rules of the edit distance


# {1, 2} against {2, 3} and against {3, 4}
#
#   a  |·|·|···        greedy takes 2-3 first, and 1-4 are too far apart
#   b  |···|·|·
@pytest.mark.parametrize(
    ("other", "options", "distance", "edits"),
    [
        # Matching boundaries are never reinterpreted, though two transpositions would cost 1.
        ([2, 3], {"n_t": 2}, 2, [(1, None), (2, 2), (None, 3)]),
        # A transposition may span a match: 1 goes with 3 over the agreed 2.
        ([2, 3], {"n_t": 3}, 2 / 3, [(1, 3), (2, 2)]),
        # The distance is the true minimum, which greedy pairs miss.
        ([3, 4], {"n_t": 3}, 4 / 3, [(1, 3), (2, 4)]),
        ([3, 4], {"n_t": 3, "alignment": "greedy"}, 7 / 3, [(1, None), (2, 3), (None, 4)]),
    ],
)
def test_rules_of_the_edit_distance(other, options, distance, edits):
    score = cz.boundary_similarity(positions(5, [1, 2]), positions(5, other), **options)
    assert cost(score) == pytest.approx(distance)
    assert [(e.a_position, e.b_position) for e in score.edits] == edits
    assert score.value == pytest.approx(1 - distance / len(edits))


def test_minimum_cost_is_not_maximum_b():
    """n_t = 10, {1, 11} against {10, 20}: cost 1.8 gives B = .1, where a costlier pairing would give .3."""
    a, b = positions(21, [1, 11]), positions(21, [10, 20])
    score = cz.boundary_similarity(a, b, n_t=10)
    assert cost(score) == pytest.approx(1.8)
    assert score.value == pytest.approx(0.1)
    costlier = oracle._explanation(
        frozenset({(1, 0), (11, 0)}), frozenset({(10, 0), (20, 0)}), (((10, 0), (11, 0)),), Fraction(21, 10)
    )
    assert costlier.b() == Fraction(3, 10)


def test_te_may_nest():
    """Equation 3 of 2012 costs 1, 1.5, 1.75, ...: far and near together are cheaper than two in between.

    a  |·|·|···        1-4 and 2-3: 1.75 + 1; 1-3 and 2-4: 1.5 + 1.5; 2-3 alone: 1 + 2
    b  |···|·|·
    """
    score = cz.segmentation_similarity(positions(5, [1, 2]), positions(5, [3, 4]), n_t=4, transposition="te")
    assert [(e.a_position, e.b_position, e.cost) for e in score.edits] == [(1, 4, 1.75), (2, 3, 1.0)]
    assert score.value == 1 - 2.75 / 4
    assert score.parts["te"] == 0.25 + 1


def test_te_grows_from_one_to_two():
    """Section 4.1 of 2012: "slowly increase the error from b = 1 PB to b = 2 PBs"."""
    costs = []
    for d in range(1, 5):
        score = cz.segmentation_similarity(positions(25, [5]), positions(25, [5 + d]), n_t=5, transposition="te")
        costs.append(cost(score))
    assert costs == [1, 1.5, 1.75, 1.875]
    far = cz.segmentation_similarity(positions(25, [5]), positions(25, [10]), n_t=5, transposition="te")
    assert cost(far) == 2
    assert [e.kind for e in far.edits] == ["deletion", "insertion"]


def test_printed_denominators():
    """Equation 5 divides by n_t - 1, equation 6 by max - min: the dearest transposition and substitution cost 1."""
    moved = cz.boundary_similarity(positions(9, [2]), positions(9, [5]), n_t=4, transposition="printed")
    assert cost(moved) == 1
    assert cost(cz.boundary_similarity(positions(9, [2]), positions(9, [4]), n_t=4, transposition="printed")) == 2 / 3
    x, y = (typed(3, ("a", "b", "c"), frozenset({(1, t)})) for t in (0, 2))
    assert cost(cz.boundary_similarity(x, y, substitution="printed")) == 1
    assert cost(cz.boundary_similarity(x, y)) == 2 / 3
    assert cost(cz.boundary_similarity(x, y, substitution="unit")) == 1


def test_scale_is_the_declared_one():
    """|T|, max and min are over declared types, not over those that occur in the pair."""
    a_boundaries, b_boundaries = frozenset({(1, 0)}), frozenset({(1, 1)})
    for number in (2, 3, 5):
        types = ("a", "b", "c", "d", "e")[:number]
        a, b = typed(4, types, a_boundaries), typed(4, types, b_boundaries)
        assert cz.boundary_similarity(a, b).value == pytest.approx(1 - 1 / number)
        assert cz.segmentation_similarity(a, b).value == pytest.approx(1 - 1 / number / (3 * number))
        twice = cz.segmentation_similarity(a, b, divisor="types_squared")
        assert twice.value == pytest.approx(1 - 1 / number / (3 * number * number))


@given(typed_pairs(max_units=8), st.integers(1, 5))
def test_costs_of_edits_add_up_to_the_distance(pair: TypedPair, n_t):
    s, b = (f(*pair.segmentations, n_t=n_t) for f in (cz.segmentation_similarity, cz.boundary_similarity))
    assert s.edits == b.edits
    assert s.value == pytest.approx(1 - cost(s) / max(1, (pair.length - 1) * len(pair.types)))
    assert b.value == pytest.approx(1 - cost(b) / max(1, len(b.edits)))
    for edit in s.edits:
        if edit.kind == "transposition":
            assert edit.cost == pytest.approx(edit.distance / n_t)
            assert 1 <= edit.distance < n_t
        assert edit.position == min(p for p in (edit.a_position, edit.b_position) if p is not None)


@given(typed_pairs(max_units=8), st.integers(1, 5))
def test_edits_account_for_every_boundary_once(pair: TypedPair, n_t):
    score = cz.boundary_similarity(*pair.segmentations, n_t=n_t)
    code = {name: i for i, name in enumerate(score.types)}
    a = [(e.a_position, code[e.a_type]) for e in score.edits if e.a_position is not None]
    b = [(e.b_position, code[e.b_type]) for e in score.edits if e.b_position is not None]
    assert sorted(a) == sorted(pair.a)
    assert sorted(b) == sorted(pair.b)
    places = [e.position for e in score.edits]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("boundary_similarity", {"n_t": 0}, "n_t must be a whole number of at least 1; got 0"),
        ("boundary_similarity", {"n_t": 10**7}, "n_t must be a whole number of at most 1000000; got 10000000"),
        ("boundary_similarity", {"n_t": 2.0}, "n_t must be a whole number; got 2.0"),
        ("boundary_similarity", {"wt": 1.5}, "wt must be a number from 0 to 1; got 1.5"),
        ("boundary_similarity", {"wt": -0.1}, "wt must be a number from 0 to 1; got -0.1"),
        ("boundary_similarity", {"ws": float("nan")}, "ws must be a number; got nan"),
        ("boundary_similarity", {"ws": "0"}, "ws must be a number; got '0'"),
        ("boundary_similarity", {"ws": True}, "ws must be a number; got True"),
        ("boundary_similarity", {"transposition": "te"}, "transposition must be one of 'scaled', 'printed', 'unit'"),
        ("segmentation_similarity", {"transposition": "linear"}, "transposition must be one of 'scaled', 'printed'"),
        ("segmentation_similarity", {"transposition": "te", "n_t": 41}, "n_t must be at most 40 with transposition"),
        ("boundary_similarity", {"transposition": "unit", "wt": 0.1}, "wt has no effect with transposition='unit'"),
        ("segmentation_similarity", {"transposition": "te", "wt": 0.1}, "wt has no effect with transposition='te'"),
        ("boundary_confusion", {"substitution": "unit", "ws": 0.1}, "ws has no effect with substitution='unit'"),
        ("boundary_similarity", {"n_t": 5, "wt": 0.3}, "at most 1, but costs up to 1.1 at n_t=5"),
        ("segmentation_similarity", {"compat": "nltk"}, "segmentation_similarity has no preset 'nltk'"),
    ],
)
def test_invalid_options(measure, options, message):
    text = masses([2, 3])
    with pytest.raises(OptionError, match=re.escape(message)):
        getattr(cz, measure)(text, text, **options)


@pytest.mark.parametrize("measure", [cz.boundary_similarity, cz.boundary_confusion])
@pytest.mark.parametrize(
    ("number", "options", "message"),
    [
        (2, {"ws": 1}, "ws is too large: .* but costs up to 1.5 with 2 types"),
        (2, {"ws": 0.51}, "ws is too large: .* but costs up to 1.01 with 2 types"),
        (4, {"ws": 0.5}, "ws is too large: .* but costs up to 1.25 with 4 types"),
        (2, {"ws": 0.1, "substitution": "printed"}, "ws is too large: .* but costs up to 1.1 with 2 types"),
    ],
)
def test_substitution_cost_is_at_most_one(measure, number, options, message):
    """Equation 4 of 2013 is a mean correctness, from 0 to 1, so ws + (|T|-1)/|T| must not exceed 1.

    Two types, one apart, ws = 1: a substitution would cost 1.5 and B would be -0.5.
    """
    a, b = (typed(2, ("w", "x", "y", "z")[:number], frozenset({(1, t)})) for t in (0, 1))
    with pytest.raises(OptionError, match=message):
        measure(a, b, **options)
    # S has no such bound: two boundaries may cost up to 2.
    assert 0 <= cz.segmentation_similarity(a, b, **options).value <= 1


@pytest.mark.parametrize("ws", [0.25, 0.5])
def test_largest_valid_constant(ws):
    """Two types: 0.5 + 0.5 is the most a substitution may cost."""
    a, b = (typed(2, ("x", "y"), frozenset({(1, t)})) for t in (0, 1))
    assert cz.boundary_similarity(a, b, ws=ws).value == 0.5 - ws


def test_weights_with_many_digits_are_rejected_on_overflow():
    a, b = positions(4001, range(1, 4000, 2)), positions(4001, range(2, 4001, 2))
    with pytest.raises(OptionError, match=r"^the weights of edits have too many digits in a text with 2000 boundaries"):
        cz.segmentation_similarity(a, b, wt=0.12345678901234)
    # te at n_t = 40 counts in parts of 2^-38, which do not fit; the error names n_t, because no weight was set
    a, b = positions(6001, range(1, 6000, 2)), positions(6001, range(2, 6001, 2))
    with pytest.raises(OptionError, match=r"^n_t is too large for transposition='te' in a text with 3000 boundaries"):
        cz.segmentation_similarity(a, b, n_t=40, transposition="te")


@pytest.mark.parametrize("units", [1, 2, 11])
def test_neither_side_has_a_boundary(units):
    """S = B = 1; parts of B are all zero, so that micro-averages ignore it, and S counts its positions."""
    text = masses([units])
    b, s = cz.boundary_similarity(text, text), cz.segmentation_similarity(text, text)
    nothing = dict.fromkeys(["additions", "transpositions", "span", "substitutions", "distance", "matches"], 0)
    assert (b.value, s.value) == (1, 1)
    assert dict(b.parts) == nothing
    assert dict(s.parts) == nothing | {"positions": units - 1}
    assert b.edits == s.edits == ()
    empty = typed(units, ("x", "y", "z"), frozenset())
    assert dict(cz.segmentation_similarity(empty, empty).parts) == nothing | {"positions": (units - 1) * 3}
    assert cz.segmentation_similarity(empty, empty).value == cz.boundary_similarity(empty, empty).value == 1


def test_micro_averages():
    """B ignores an empty document, S counts it."""
    full, empty = (masses([2, 3, 6]), masses([5, 6])), (masses([11]), masses([11]))
    assert (cz.boundary_similarity(*full) + cz.boundary_similarity(*empty)).value == 0.5
    assert (cz.segmentation_similarity(*full) + cz.segmentation_similarity(*empty)).value == 1 - 1 / 20


@pytest.mark.parametrize("n_t", [1, 2, 5])
def test_one_empty_side(n_t):
    divided, undivided = masses([2, 3, 6]), masses([11])
    for a, b, kind in ((divided, undivided, "deletion"), (undivided, divided, "insertion")):
        score = cz.boundary_similarity(a, b, n_t=n_t)
        assert (score.value, score.parts["additions"]) == (0, 2)
        assert [e.kind for e in score.edits] == [kind, kind]
        assert cz.segmentation_similarity(a, b, n_t=n_t).value == 1 - 2 / 10


def test_position_n_is_ignored():
    a = cz.Segmentation.from_marks(["", ",", "", "."], types=[",", "."])
    b = cz.Segmentation.from_marks(["", ",", "", ""], types=[",", "."])
    assert cz.boundary_similarity(a, b).value == 1
    assert cz.segmentation_similarity(a, b).parts["positions"] == 3 * 2
    assert len(cz.boundary_similarity(a, b).edits) == 1


def sets(side: frozenset[int], length: int) -> tuple[frozenset[int], ...]:
    """Masses crash segeval at a text without boundaries; sets of types, number 1, do not until it looks for types."""
    return tuple(frozenset({1} if p in side else ()) for p in range(1, length))


@examples(240)
@given(pairs(min_units=2, max_units=30), st.integers(1, 9))
def test_segeval_greedy(segeval, pair: Pair, n_t):
    """S and B of segeval 2.0.11 at any n_t, wherever there is a boundary at all (without one it crashes)."""
    assume(pair.a or pair.b)
    a, b = pair.segmentations
    theirs = {"n_t": n_t, "boundary_format": segeval.BoundaryFormat.sets}
    ours = {"n_t": n_t, "compat": "segeval-2.0.11"}
    left, right = sets(pair.a, pair.length), sets(pair.b, pair.length)
    for measure, segeval_measure in (
        (cz.segmentation_similarity, segeval.segmentation_similarity),
        (cz.boundary_similarity, segeval.boundary_similarity),
    ):
        assert measure(a, b, **ours).value == pytest.approx(float(segeval_measure(left, right, **theirs)), abs=1e-14)
    score = cz.boundary_similarity(a, b, **ours)
    expected = oracle.explain_greedily(*pair.cells, n_t)
    assert explained(score) == (expected.matches, expected.pairs, expected.a_alone, expected.b_alone)
    assert score.value == pytest.approx(float(expected.b()))


@given(pairs(min_units=2, max_units=30))
def test_segeval_equals_the_minimum_for_n_t_two(segeval, pair: Pair):
    """At n_t = 2 greedy from the left is optimal, so that the defaults agree with segeval."""
    assume(pair.a or pair.b)
    a, b = pair.segmentations
    for measure, segeval_measure in (
        (cz.segmentation_similarity, segeval.segmentation_similarity),
        (cz.boundary_similarity, segeval.boundary_similarity),
    ):
        theirs = segeval_measure(list(a.masses), list(b.masses), n_t=2)
        assert measure(a, b).value == pytest.approx(float(theirs), abs=1e-14)


@given(pairs(min_units=2, max_units=30), st.integers(1, 9))
def test_minimum_is_never_above_greedy(pair: Pair, n_t):
    a, b = pair.segmentations
    exact, greedy = (cz.segmentation_similarity(a, b, n_t=n_t, alignment=how) for how in ("exact", "greedy"))
    assert cost(exact) <= cost(greedy) + 1e-12


def test_greedy_changes_when_the_text_is_reversed():
    """What the minimum was made for. At n_t = 3 greedy takes 1-2 in one direction, 2-3 in the other.

    a  |··|···|·       forward 1-2 and 3-5, cost 1/3 + 2/3; backward 3-2, and 5 and 1 stay alone, cost 1/3 + 2
    b  |·|··|···
    """
    a, b = positions(6, [2, 5]), positions(6, [1, 3])
    forward = cz.boundary_similarity(a, b, n_t=3, alignment="greedy")
    backward = cz.boundary_similarity(a.reversed(), b.reversed(), n_t=3, alignment="greedy")
    assert (cost(forward), cost(backward)) == pytest.approx((1, 7 / 3))
    assert forward.value == pytest.approx(1 / 2)
    assert backward.value == pytest.approx(1 - 7 / 9)
    assert cost(cz.boundary_similarity(a.reversed(), b.reversed(), n_t=3)) == pytest.approx(1)


def test_seven_types_at_one_position():
    """segeval tries (7!)^2 permutations and takes minutes. The least total distance is in order: 7 substitutions of 7.

    Types 0..6 against 7..13 of fourteen: every complete pairing has the total distance 49, a cost of 49/14.
    """
    types = tuple("abcdefghijklmn")
    a, b = (
        typed(2, types, frozenset((1, t) for t in range(7))),
        typed(2, types, frozenset((1, t) for t in range(7, 14))),
    )
    score = cz.boundary_similarity(a, b)
    assert (score.parts["substitutions"], score.parts["distance"], score.parts["additions"]) == (7, 49, 0)
    assert score.value == 0.5
    assert [(e.a_type, e.b_type) for e in score.edits] == [(types[t], types[t + 7]) for t in range(7)]
    assert cz.boundary_similarity(a, b, alignment="greedy").value == 0.5


def test_forty_types_at_one_position():
    """Even against odd: neighbours on the scale, one step each."""
    types = tuple(f"t{i}" for i in range(40))
    even, odd = (typed(3, types, frozenset((1, t) for t in range(r, 40, 2))) for r in (0, 1))
    for how in ("exact", "greedy"):
        score = cz.boundary_similarity(even, odd, alignment=how)
        assert (score.parts["substitutions"], score.parts["distance"]) == (20, 20)
        assert score.value == 1 - 1 / 40


def mirrored(edit: cz.Edit) -> cz.Edit:
    kind = {"deletion": "insertion", "insertion": "deletion"}.get(edit.kind, edit.kind)
    return cz.Edit(kind, edit.b_position, edit.a_position, edit.b_type, edit.a_type, edit.cost)


@examples(240)
@given(typed_pairs(max_units=10), st.integers(1, 6), COSTS)
def test_swapping_the_sides_keeps_the_edits(pair: TypedPair, n_t, costs):
    _, options = rules_and_options(n_t, len(pair.types), costs)
    forward = cz.segmentation_similarity(*pair.segmentations, **options)
    backward = cz.segmentation_similarity(*pair.swapped.segmentations, **options)
    assert tuple(map(mirrored, forward.edits)) == backward.edits
    assert forward.parts == backward.parts
    assert forward.value == backward.value


@examples(240)
@given(typed_pairs(max_units=10), st.integers(1, 6), COSTS)
def test_reversal_of_text_and_scale_changes_nothing(pair: TypedPair, n_t, costs):
    """The list of edits may change, and with it the share of transpositions and substitutions; cost and number may not."""
    _, options = rules_and_options(n_t, len(pair.types), costs)
    forward = cz.segmentation_similarity(*pair.segmentations, **options)
    variants = [
        [text.reversed() for text in pair.segmentations],
        pair.scale_reversed.segmentations,
        [text.reversed() for text in pair.scale_reversed.segmentations],
    ]
    for a, b in variants:
        score = cz.segmentation_similarity(a, b, **options)
        assert score.value == pytest.approx(forward.value, abs=1e-14)
        assert len(score.edits) == len(forward.edits)
        if options["transposition"] == "scaled" and not options["wt"] and not options["ws"]:
            again, b_score = (cz.boundary_similarity(*sides, n_t=n_t) for sides in ((a, b), pair.segmentations))
            assert again.value == pytest.approx(b_score.value, abs=1e-14)


@examples(240)
@given(typed_pairs(min_units=2, max_units=10), st.integers(1, 6), st.data())
def test_adding_a_boundary_to_both_sides_never_lowers_b(pair: TypedPair, n_t, data):
    free = sorted(set(product(range(1, pair.length), range(len(pair.types)))) - pair.a - pair.b)
    assume(free)
    cell = data.draw(st.sampled_from(free))
    more = TypedPair(pair.length, pair.types, pair.a | {cell}, pair.b | {cell})
    before, after = (cz.boundary_similarity(*p.segmentations, n_t=n_t) for p in (pair, more))
    assert after.value >= before.value
    assert after.parts["matches"] == before.parts["matches"] + 1


@pytest.mark.parametrize("number", [1, 2])
@given(st.data())
def test_concatenated_documents(number: int, data: st.DataObject):
    """At n_t = 2 nothing can be moved across a boundary that both sides have in every type, between two documents.

    The text laid end to end has |T| matches more for each seam, and everything else adds up.
    """
    kinds = typed_pairs(min_types=number, max_types=number, max_units=8)
    documents: list[TypedPair] = data.draw(st.lists(kinds, min_size=2, max_size=4))
    types = documents[0].types
    a, b, start = set(), set(), 0
    for i, document in enumerate(documents):
        if i:
            seam = {(start, t) for t in range(len(types))}
            a |= seam
            b |= seam
        a |= {(start + p, t) for p, t in document.a}
        b |= {(start + p, t) for p, t in document.b}
        start += document.length
    whole = cz.boundary_similarity(typed(start, types, frozenset(a)), typed(start, types, frozenset(b)))
    summed = sum(cz.boundary_similarity(*document.segmentations) for document in documents)
    seams = (len(documents) - 1) * len(types)
    assert dict(whole.parts) == dict(summed.parts) | {"matches": summed.parts["matches"] + seams}
    pairs_in_all = len(whole.edits)
    if pairs_in_all > seams:
        assert (1 - whole.value) * pairs_in_all == pytest.approx((1 - summed.value) * (pairs_in_all - seams))


def test_transposition_range_needing_too_much_memory_is_rejected():
    """20,000 boundaries against 20,000, all within reach of each other, are 400 million pairs."""
    a, b = (positions(40_002, range(first, 40_000, 2)) for first in (1, 2))
    with pytest.raises(OptionError, match=r"^n_t=100000 allows 399,980,000 pairs of boundaries"):
        cz.boundary_similarity(a, b, n_t=100_000)
    scores = cz.score_many([(a, b), (positions(9, [1]), positions(9, [2]))], "boundary_similarity(n_t=100000)")
    assert list(scores.errors) == [0]
    assert scores.values[1] == 1 - 1e-5


def test_powers_of_te_are_computed_only_for_te():
    """The kernel counts edits; what is beyond its six columns belongs to the caller.

    a  |··|·        one transposition over d = 2, one match
    b  ··||·
    """
    from caesura.kernels import boundary as kernel

    a, b, offsets = np.array([1, 4]), np.array([3, 4]), np.array([0, 2])
    none, out = np.empty(0, np.int64), np.full((1, 8), -7.0)
    kernel.tally(a, none, offsets, b, none, offsets, np.array([0, 1]), out)
    assert out.tolist() == [[0, 1, 2, 0, 0, 1, -7, -7]]
    assert "te" not in cz.segmentation_similarity(positions(6, [1, 4]), positions(6, [3, 4]), n_t=4).parts


def test_batch_te_sums_equal_the_sums_per_pair():
    pairs = [
        (positions(30, [1, 2, 9]), positions(30, [3, 4, 20])),
        (positions(30, []), positions(30, [3])),
        (positions(30, [5]), positions(30, [])),
        (positions(30, [5, 9]), positions(30, [5, 7])),
    ]
    measure = cz.parse("segmentation_similarity(n_t=5, transposition='te')")
    scores = cz.score_many(pairs, measure)
    assert scores.counts.tolist() == [[*measure.score(*pair).parts.values()] for pair in pairs]
    assert scores.counts[:, 6].tolist() == [1.25, 0, 0, 0.5]


def test_long_recordings_are_compared_in_microseconds() -> None:
    """Sums of costs must fit into 64 bits. The same recording a thousand times shorter fits in nanoseconds, and has the same B."""
    rng = np.random.default_rng(7)
    long, short = [], []
    for _ in range(2):
        seconds = np.unique(rng.integers(1, 10_000_000, 2_500))  # of 10^7 s
        long.append(cz.Segmentation.from_times(seconds.astype(float), duration=1e7))
        short.append(cz.Segmentation.from_times(seconds / 1000, duration=1e4))
    coarse = cz.boundary_similarity(*long, n_t="2000s")
    fine = cz.boundary_similarity(*short, n_t="2s")
    assert coarse.params["ticks"] == "1e-6s"
    assert "ticks" not in fine.params
    assert coarse.value == pytest.approx(fine.value, abs=1e-12)
    assert [edit.kind for edit in coarse.edits] == [edit.kind for edit in fine.edits]
    small = (cz.Segmentation.from_times([1.0], duration=5), cz.Segmentation.from_times([1.5], duration=5))
    scores = cz.score_many([small, tuple(long), small], "B(n_t=2000s)")
    assert scores.values.tolist() == [scores.values[0], coarse.value, scores.values[0]]
    assert scores.values[0] == cz.boundary_similarity(*small, n_t="2000s").value
