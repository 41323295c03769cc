"""S, B and the confusion matrix: published figures, every small pair by exhaustive search, segeval, laws."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import InputError, OptionError
from caesura.measures.boundary import BoundaryConfusion
from oracle import boundary as oracle
from oracle.boundary import Rules
from strategies import Pair, TypedPair, pairs, segmentation, typed, typed_pairs

masses = cz.Segmentation.from_masses
positions = cz.Segmentation.from_positions


def cost(score: cz.Score) -> float:
    """The edit distance, as the sum of what the edits say they cost."""
    return sum(edit.cost for edit in score.edits)


def explained(score: cz.Score) -> tuple[set, tuple, set, set]:
    """The edits of a score as the oracle writes them: matches, pairs as (leftmost, other), and what stands alone."""
    code = {name: i for i, name in enumerate(score.types)}
    matches, found, a_alone, b_alone = set(), [], set(), set()
    for edit in score.edits:
        a = None if edit.a_position is None else (edit.a_position, code[edit.a_type])
        b = None if edit.b_position is None else (edit.b_position, code[edit.b_type])
        match edit.kind:
            case "match":
                assert a == b
                matches.add(a)
            case "deletion":
                assert b is None
                a_alone.add(a)
            case "insertion":
                assert a is None
                b_alone.add(b)
            case "transposition" | "substitution" as kind:
                assert (kind == "transposition") == (a[1] == b[1])
                found.append((min(a, b), max(a, b)))
            case kind:
                pytest.fail(f"an edit of an unknown kind: {kind}")
    return matches, tuple(found), a_alone, b_alone


def near(x: float, y: Fraction | float) -> bool:
    """Equal but for the last bits. (pytest.approx says it better, and takes half of an exhaustive test to say it.)"""
    return abs(x - float(y)) < 1e-12


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


def test_figure_6_of_2013_without_weights():
    """S = 0.9 as printed there."""
    assert cz.segmentation_similarity(masses([2, 3, 6]), masses([2, 2, 7]), compat="fournier2012").value == 0.9
    assert cz.segmentation_similarity(masses([2, 3, 6]), masses([2, 2, 7]), transposition="unit").value == 0.9


@pytest.mark.parametrize(
    ("a", "b", "printed"),
    [
        ([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2], 0.6923),  # section 3.3: 9/13, on Figure 3
        ([14], [1] * 14, 0),  # section 4.1, Figure 6
        ([6, 8], [7, 7], 0.9231),  # section 4.1, Figure 8
    ],
    ids=["figure 3", "figure 6", "figure 8"],
)
def test_figures_of_2012(a, b, printed):
    assert round(cz.segmentation_similarity(masses(a), masses(b), compat="fournier2012").value, 4) == printed


def test_figure_7_of_2012():
    """Printed 0.8461, which is 11/13 = 0.84615... cut off and not rounded; two full misses, so no preset is needed."""
    for compat in (None, "fournier2012"):
        score = cz.segmentation_similarity(masses([1, 2, 2, 2, 4, 2, 1]), masses([1, 2, 8, 2, 1]), compat=compat)
        assert score.value == pytest.approx(11 / 13)
        assert int(score.value * 10_000) == 8461


def test_figure_3_of_2012_edit_by_edit():
    """Section 3.2: "an edit distance of 4 PBs: 1 transposition PB and 3 substitution PBs" (additions, since 2013).

    s1  |·|··|··|···|···|·|··|
    s2  |·|··|·|··|······|··|
    """
    score = cz.segmentation_similarity(masses([1, 2, 2, 3, 3, 1, 2]), masses([1, 2, 1, 2, 6, 2]), compat="fournier2012")
    assert cost(score) == 4
    assert (score.parts["transpositions"], score.parts["additions"]) == (1, 3)


def test_figure_1_of_2013():
    """A near miss, a match, two full misses; footnote 9: "if n_t > 2, then they would be considered a T".

    s1  |··|····|····|····|
    s2  |···|···|······|··|
    """
    a, b = masses([2, 4, 4, 4]), masses([3, 3, 6, 2])
    score = cz.boundary_similarity(a, b)
    assert [(e.kind, e.a_position, e.b_position) for e in score.edits] == [
        ("transposition", 2, 3),
        ("match", 6, 6),
        ("deletion", 10, None),
        ("insertion", None, 12),
    ]
    wider = cz.boundary_similarity(a, b, n_t=3)
    assert [(e.kind, e.a_position, e.b_position) for e in wider.edits] == [
        ("transposition", 2, 3),
        ("match", 6, 6),
        ("transposition", 10, 12),
    ]


# The rulings of spec/linear.md


def test_the_minimum_is_a_true_minimum():
    """n_t = 3, {1, 2} against {3, 4}: greedy 7/3, minimum 4/3.

    a  |·|·|···        greedy takes 2-3 first, and 1-4 are too far apart
    b  |···|·|·
    """
    a, b = positions(5, [1, 2]), positions(5, [3, 4])
    exact, greedy = cz.boundary_similarity(a, b, n_t=3), cz.boundary_similarity(a, b, n_t=3, alignment="greedy")
    assert cost(exact) == pytest.approx(4 / 3)
    assert cost(greedy) == pytest.approx(7 / 3)
    assert [(e.a_position, e.b_position) for e in exact.edits] == [(1, 3), (2, 4)]
    assert exact.value == pytest.approx(1 - 4 / 3 / 2)
    assert greedy.value == pytest.approx(1 - 7 / 3 / 3)


def test_agreeing_on_a_boundary_is_never_reinterpreted():
    """{1, 2} against {2, 3} at n_t = 2 costs 2, though two transpositions would cost 1."""
    score = cz.boundary_similarity(positions(4, [1, 2]), positions(4, [2, 3]))
    assert cost(score) == 2
    assert [e.kind for e in score.edits] == ["deletion", "match", "insertion"]


def test_a_transposition_may_pass_over_a_match():
    """{1, 2} against {2, 3} at n_t = 3: 1 goes with 3 over the agreed 2."""
    score = cz.boundary_similarity(positions(4, [1, 2]), positions(4, [2, 3]), n_t=3)
    assert [(e.kind, e.a_position, e.b_position) for e in score.edits] == [("transposition", 1, 3), ("match", 2, 2)]
    assert cost(score) == pytest.approx(2 / 3)


def test_minimum_cost_is_not_maximum_b():
    """n_t = 10, {1, 11} against {10, 20}: cost 1.8 gives B = .1, where a costlier pairing would give .3."""
    a, b = positions(21, [1, 11]), positions(21, [10, 20])
    score = cz.boundary_similarity(a, b, n_t=10)
    assert cost(score) == pytest.approx(1.8)
    assert score.value == pytest.approx(0.1)
    costlier = oracle._explanation(
        frozenset({(1, 0), (11, 0)}),
        frozenset({(10, 0), (20, 0)}),
        (((10, 0), (11, 0)),),
        Fraction(21, 10),
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
    found = []
    for d in range(1, 5):
        score = cz.segmentation_similarity(positions(25, [5]), positions(25, [5 + d]), n_t=5, transposition="te")
        found.append(cost(score))
    assert found == [1, 1.5, 1.75, 1.875]
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


def test_the_scale_is_what_was_declared():
    """|T|, max and min are over declared types, not over those that occur in the pair."""
    one, other = frozenset({(1, 0)}), frozenset({(1, 1)})
    for number in (2, 3, 5):
        types = ("a", "b", "c", "d", "e")[:number]
        a, b = typed(4, types, one), typed(4, types, other)
        assert cz.boundary_similarity(a, b).value == pytest.approx(1 - 1 / number)
        assert cz.segmentation_similarity(a, b).value == pytest.approx(1 - 1 / number / (3 * number))
        twice = cz.segmentation_similarity(a, b, divisor="types_squared")
        assert twice.value == pytest.approx(1 - 1 / number / (3 * number * number))


# Every pair of subsets of up to 7 positions


def subsets(length: int) -> list[frozenset[int]]:
    return [frozenset(p for p in range(1, length) if bits >> p & 1) for bits in range(0, 2**length, 2)]


@cache
def remaining(a_only: frozenset[int], b_only: frozenset[int], rules: Rules) -> oracle.Explanation:
    """Of the boundaries that do not match: the same for all pairs that differ in their matches alone."""
    return oracle.explain({(p, 0) for p in a_only}, {(p, 0) for p in b_only}, rules)


def check_every_pair(length: int, rules: Rules, name: str, options: dict) -> None:
    sides = subsets(length)
    made = {side: segmentation(length, side) for side in sides}
    measure = cz.measures()[name](n_t=rules.n_t, **options)
    table = cz.score_many([(made[a], made[b]) for a, b in product(sides, repeat=2)], measure)
    assert not table.errors
    names = table.part_names
    for (a, b), counts, value in zip(product(sides, repeat=2), table.counts.tolist(), table.values.tolist(), strict=True):
        expected = remaining(a - b, b - a, rules)
        parts = expected.parts() | {"matches": len(a & b)}
        found = dict(zip(names, counts, strict=True))
        assert {key: found[key] for key in parts} == parts, (rules, sorted(a), sorted(b))
        if name == "segmentation_similarity":
            exact = expected.s(length, rules)
        else:
            pairs_in_all = expected.edits + len(a & b)
            exact = 1 - expected.cost / pairs_in_all if pairs_in_all else Fraction(1)
        assert near(value, exact), (rules, sorted(a), sorted(b))
        score = measure.score(made[a], made[b])
        matches = {(p, 0) for p in a & b}
        assert explained(score) == (matches, expected.pairs, expected.a_alone, expected.b_alone), (rules, a, b)
        assert near(cost(score), expected.cost), (rules, sorted(a), sorted(b))


@pytest.mark.parametrize("n_t", range(1, 6))
def test_every_pair_of_up_to_seven_positions(n_t):
    """16,384 pairs: counts, value and the list of edits against a search over all pairings."""
    check_every_pair(8, Rules(n_t=n_t), "boundary_similarity", {})


@pytest.mark.parametrize("n_t", [2, 3, 5])
@pytest.mark.parametrize("transposition", ["printed", "unit", "te"])
def test_every_pair_of_up_to_six_positions_at_other_costs(n_t, transposition):
    rules = Rules(n_t=n_t, transposition=transposition)
    check_every_pair(7, rules, "segmentation_similarity", {"transposition": transposition})


@pytest.mark.parametrize(("n_t", "wt"), [(3, "0.1"), (4, "0.5"), (5, "1")])
def test_every_pair_of_up_to_six_positions_with_a_constant(n_t, wt):
    """A weight is meant as it is written: a tenth, not the nearest binary fraction, so that ties are ties."""
    check_every_pair(7, Rules(n_t=n_t, wt=Fraction(wt)), "segmentation_similarity", {"wt": float(wt)})


# Several types, every small pair


@cache
def remaining_typed(a_only: frozenset, b_only: frozenset, rules: Rules) -> oracle.Explanation:
    return oracle.explain(a_only, b_only, rules)


def every_difference(length: int, number: int):
    """All pairs of disjoint sets of cells: each cell on a, on b or on neither."""
    cells = list(product(range(1, length), range(number)))
    for places in product((None, 0, 1), repeat=len(cells)):
        yield tuple(frozenset(c for c, where in zip(cells, places, strict=True) if where == side) for side in (0, 1))


TYPED_CASES = [
    (5, 2, n_t, transposition, substitution)
    for n_t, transposition, substitution in [
        (1, "scaled", "scaled"),
        (2, "scaled", "scaled"),
        (3, "scaled", "scaled"),
        (4, "scaled", "scaled"),
        (3, "printed", "printed"),
        (4, "unit", "unit"),
        (4, "te", "scaled"),
    ]
] + [(3, 4, 2, "scaled", "scaled"), (3, 4, 2, "printed", "printed"), (3, 4, 1, "scaled", "scaled")]


@pytest.mark.parametrize(("length", "number", "n_t", "transposition", "substitution"), TYPED_CASES)
def test_every_typed_difference(length, number, n_t, transposition, substitution):
    """6,561 ways in which two sides can differ over 8 cells: list of edits, counts, S against exhaustive search."""
    types = ("w", "x", "y", "z")[:number]
    rules = Rules(n_t, number, transposition, substitution)
    measure = cz.parse(
        f"segmentation_similarity(n_t={n_t}, transposition={transposition!r}, substitution={substitution!r})"
    )
    made = cache(lambda side: typed(length, types, side))
    for a, b in every_difference(length, number):
        expected = remaining_typed(a, b, rules)
        score = measure.score(made(a), made(b))
        assert explained(score) == (set(), expected.pairs, expected.a_alone, expected.b_alone), (sorted(a), sorted(b))
        assert near(cost(score), expected.cost)
        assert {key: score.parts[key] for key in expected.parts()} == expected.parts()
        assert near(score.value, expected.s(length, rules))


@pytest.mark.parametrize("n_t", [2, 4])
def test_every_typed_difference_among_matches(n_t):
    """What both sides have in every cell left over changes nothing else."""
    length, number, types = 5, 2, ("x", "y")
    cells = frozenset(product(range(1, length), range(number)))
    made = cache(lambda side: typed(length, types, side))
    differences = list(every_difference(length, number))
    measure = cz.parse(f"segmentation_similarity(n_t={n_t})")
    bare = cz.score_many([(made(a), made(b)) for a, b in differences], measure)
    full = cz.score_many([(made(cells - b), made(cells - a)) for a, b in differences], measure)
    matches = bare.part_names.index("matches")
    assert full.counts[:, matches].tolist() == [len(cells - a - b) for a, b in differences]
    full.counts[:, matches] = 0
    assert full.counts.tolist() == bare.counts.tolist()
    assert full.values.tolist() == bare.values.tolist()


# Several types, random


COSTS = st.sampled_from(
    [
        ("scaled", "scaled", "0", "0"),
        ("printed", "scaled", "0", "0"),
        ("unit", "unit", "0", "0"),
        ("te", "scaled", "0", "0"),
        ("te", "unit", "0", "0"),
        ("scaled", "printed", "0", "0"),
        ("scaled", "scaled", "0.3", "0.1"),
        ("printed", "printed", "0.25", "0.7"),
        ("scaled", "scaled", "1", "1"),
        ("printed", "printed", "1", "1"),
    ]
)


def rules_and_options(n_t: int, number: int, costs: tuple[str, str, str, str]) -> tuple[Rules, dict]:
    transposition, substitution, wt, ws = costs
    options = {
        "n_t": n_t,
        "transposition": transposition,
        "substitution": substitution,
        "wt": float(wt),
        "ws": float(ws),
    }
    if number == 1 and substitution == "printed":
        substitution = "scaled"  # there is nothing to substitute, and nothing to divide by
    return Rules(n_t, number, transposition, substitution, Fraction(wt), Fraction(ws)), options


def agrees_with(expected: oracle.Explanation, pair: TypedPair, rules: Rules, options: dict) -> None:
    score = cz.segmentation_similarity(*pair.segmentations, **options)
    assert near(cost(score), expected.cost)
    assert explained(score) == (expected.matches, expected.pairs, expected.a_alone, expected.b_alone)
    assert {key: score.parts[key] for key in expected.parts()} == expected.parts()
    assert score.parts["positions"] == (pair.length - 1) * rules.types
    assert score.value == pytest.approx(float(expected.s(pair.length, rules)), abs=1e-12)


@settings(max_examples=600)
@given(typed_pairs(max_units=6, max_boundaries=7), st.integers(1, 6), COSTS)
def test_random_typed_pairs_by_exhaustive_search(pair: TypedPair, n_t, costs):
    rules, options = rules_and_options(n_t, len(pair.types), costs)
    agrees_with(oracle.explain(pair.a, pair.b, rules), pair, rules, options)


@settings(max_examples=150)
@given(typed_pairs(max_types=3, max_units=14, max_boundaries=14), st.integers(1, 16), COSTS)
def test_larger_typed_pairs_by_augmenting_paths(pair: TypedPair, n_t, costs):
    rules, options = rules_and_options(n_t, len(pair.types), costs)
    agrees_with(oracle.explain_large(pair.a, pair.b, rules), pair, rules, options)


@settings(max_examples=150)
@given(pairs(max_units=40, max_boundaries=16), st.integers(1, 45), COSTS)
def test_larger_single_type_pairs_by_augmenting_paths(pair: Pair, n_t, costs):
    assume(n_t <= 40 or costs[0] != "te")
    rules, options = rules_and_options(n_t, 1, costs)
    a, b = pair.segmentations
    score = cz.segmentation_similarity(a, b, **options)
    expected = oracle.explain_large(*pair.cells, rules)
    assert explained(score) == (expected.matches, expected.pairs, expected.a_alone, expected.b_alone)
    assert cost(score) == pytest.approx(float(expected.cost))
    assert score.value == pytest.approx(float(expected.s(pair.length, rules)))


@given(typed_pairs(max_types=3, max_units=6, max_boundaries=6), st.integers(1, 5))
def test_the_two_oracles_agree(pair: TypedPair, n_t):
    """The fast oracle is only as good as the obvious one."""
    for transposition in ("scaled", "unit", "te"):
        rules = Rules(n_t, len(pair.types), transposition)
        slow = oracle.explain(pair.a, pair.b, rules)
        assert oracle.explain_large(pair.a, pair.b, rules) == slow
        assert oracle.least_cost(pair.a, pair.b, rules) == (slow.cost, slow.edits)


@pytest.mark.parametrize("seed", range(12))
def test_large_random_texts(seed):
    """Stretches with dozens of boundaries of several types: least cost and fewest edits, by augmenting paths."""
    rng = random.Random(seed)
    number, n_t = rng.randint(1, 4), rng.choice([2, 3, 5, 9, 60])
    length, density = rng.choice([(12, 0.9), (20, 0.5), (40, 0.3), (80, 0.1)])
    types = ("w", "x", "y", "z")[:number]
    a, b = (
        frozenset(c for c in product(range(1, length), range(number)) if rng.random() < density) for _ in range(2)
    )
    transposition = rng.choice(["scaled", "unit", "te" if n_t <= 40 else "printed"])
    rules = Rules(n_t, number, transposition)
    score = cz.segmentation_similarity(typed(length, types, a), typed(length, types, b), n_t=n_t, transposition=transposition)
    least, edits = oracle.least_cost(a, b, rules)
    assert cost(score) == pytest.approx(float(least))
    assert sum(e.kind != "match" for e in score.edits) == edits
    assert score.parts["matches"] == len(a & b)
    assert score.value == pytest.approx(float(1 - least / ((length - 1) * number)))


@pytest.mark.parametrize("n_t", [1, 2, 3, 7, 50, 400])
def test_single_type_against_the_table_of_every_prefix(n_t):
    """Texts of 300 units; the classical alignment table over prefixes, whole, in fractions."""
    rng = random.Random(n_t)
    for density in (0.1, 0.5, 0.9):
        a, b = ({p for p in range(1, 300) if rng.random() < density} for _ in range(2))
        left, right = sorted(a - b), sorted(b - a)
        row = [(Fraction(j), j) for j in range(len(right) + 1)]
        for i, x in enumerate(left, 1):
            new = [(Fraction(i), i)]
            for j, y in enumerate(right, 1):
                options = [(row[j][0] + 1, row[j][1] + 1), (new[j - 1][0] + 1, new[j - 1][1] + 1)]
                if abs(x - y) < n_t:
                    options.append((row[j - 1][0] + Fraction(abs(x - y), n_t), row[j - 1][1] + 1))
                new.append(min(options))
            row = new
        least, edits = row[-1]
        score = cz.boundary_similarity(segmentation(300, a), segmentation(300, b), n_t=n_t)
        assert cost(score) == pytest.approx(float(least))
        assert score.value == pytest.approx(float(1 - least / (edits + len(a & b))))


@pytest.mark.parametrize("n_t", [1, 2, 3, 40, 10**6])
@pytest.mark.parametrize("length", [1, 2, 3, 50])
def test_extreme_texts(length, n_t):
    """One unit, n_t beyond the text, everything a boundary, nothing a boundary, the same twice."""
    none, full = segmentation(length, frozenset()), segmentation(length, frozenset(range(1, length)))
    for a, b, expected_s, expected_b in (
        (none, none, 1, 1),
        (full, full, 1, 1),
        (full, none, 1 if length == 1 else 0, 1 if length == 1 else 0),
        (none, full, 1 if length == 1 else 0, 1 if length == 1 else 0),
    ):
        assert cz.segmentation_similarity(a, b, n_t=n_t).value == expected_s
        assert cz.boundary_similarity(a, b, n_t=n_t).value == expected_b


def test_every_second_position_against_the_others():
    """1, 3, 5, ... against 2, 4, 6, ...: all pair up with a neighbour, at any n_t.

    a  |·|··|··|··|··      2k positions: k pairs one apart
    b  |··|··|··|··|·
    """
    n = 2000
    odd, even = positions(2 * n + 1, range(1, 2 * n, 2)), positions(2 * n + 1, range(2, 2 * n + 1, 2))
    for n_t in (2, 3, 100, 5000):
        score = cz.boundary_similarity(odd, even, n_t=n_t)
        assert dict(score.parts) == {
            "additions": 0,
            "transpositions": n,
            "span": n,
            "substitutions": 0,
            "distance": 0,
            "matches": 0,
        }
        assert score.value == pytest.approx(1 - 1 / n_t)


def test_two_far_blocks():
    """1..n against n+1..2n: every pairing that is complete has the same span, n * n, and none may cost more than 2."""
    n = 300
    a, b = positions(2 * n + 1, range(1, n + 1)), positions(2 * n + 1, range(n + 1, 2 * n + 1))
    score = cz.boundary_similarity(a, b, n_t=2 * n)
    assert (score.parts["transpositions"], score.parts["span"]) == (n, n * n)
    assert [(e.a_position, e.b_position) for e in score.edits] == [(i, n + i) for i in range(1, n + 1)]
    assert score.value == pytest.approx(0.5)


# Costs and options


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
        ("boundary_similarity", {"wt": 1.5}, "wt must lie between 0 and 1; got 1.5"),
        ("boundary_similarity", {"wt": -0.1}, "wt must lie between 0 and 1; got -0.1"),
        ("boundary_similarity", {"ws": float("nan")}, "ws must lie between 0 and 1; got nan"),
        ("boundary_similarity", {"ws": "0"}, "ws must be a number; got '0'"),
        ("boundary_similarity", {"ws": True}, "ws must be a number; got True"),
        (
            "boundary_similarity",
            {"transposition": "te"},
            "transposition must be one of 'scaled', 'printed', 'unit'; got 'te'",
        ),
        (
            "segmentation_similarity",
            {"transposition": "linear"},
            "transposition must be one of 'scaled', 'printed', 'unit', 'te'; got 'linear'",
        ),
        (
            "segmentation_similarity",
            {"transposition": "te", "n_t": 41},
            "n_t must be at most 40 with transposition='te'; got 41",
        ),
        (
            "boundary_similarity",
            {"transposition": "unit", "wt": 0.1},
            "wt has no place in transposition='unit'; leave one of them out",
        ),
        (
            "segmentation_similarity",
            {"transposition": "te", "wt": 0.1},
            "wt has no place in transposition='te'; leave one of them out",
        ),
        (
            "boundary_confusion",
            {"substitution": "unit", "ws": 0.1},
            "ws has no place in substitution='unit'; leave one of them out",
        ),
        (
            "boundary_similarity",
            {"n_t": 5, "wt": 0.3},
            "wt must leave transpositions at a cost of at most 1; 1.1 at n_t=5",
        ),
        (
            "boundary_similarity",
            {"substitution": "printed", "ws": 0.1},
            "ws must leave substitutions at a cost of at most 1; substitution='printed' alone costs 1",
        ),
        ("segmentation_similarity", {"compat": "nltk"}, None),
    ],
)
def test_bad_options(measure, options, message):
    text = masses([2, 3])
    with pytest.raises(OptionError) as caught:
        getattr(cz, measure)(text, text, **options)
    if message is None:
        message = "segmentation_similarity has no preset 'nltk'; it has fournier2012, fournier2013, segeval-2.0.11"
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["boundary_similarity", "boundary_confusion"])
def test_a_substitution_may_not_cost_more_than_one(name):
    """Equation 4 of 2013 is a mean correctness, from 0 to 1: ws + x/|T| must not exceed 1, and an error says so.

    Two types, one apart, ws = 1: a substitution would cost 1.5 and B would be -0.5.
    """
    a, b = (typed(2, ("x", "y"), frozenset({(1, t)})) for t in (0, 1))
    try:
        score = getattr(cz, name)(a, b, ws=1)
    except InputError:
        return
    assert 0 <= score.value <= 1
    if name == "boundary_confusion":
        assert score.matrix.min() >= 0


@pytest.mark.parametrize("ws", [0.25, 0.5])
def test_a_constant_that_fits(ws):
    """Two types: 0.5 + 0.5 is the most a substitution may cost."""
    a, b = (typed(2, ("x", "y"), frozenset({(1, t)})) for t in (0, 1))
    assert cz.boundary_similarity(a, b, ws=ws).value == 0.5 - ws


def test_weights_of_many_digits_are_refused_where_they_would_overflow():
    a, b = positions(4001, range(1, 4000, 2)), positions(4001, range(2, 4001, 2))
    with pytest.raises(OptionError) as caught:
        cz.segmentation_similarity(a, b, wt=0.12345678901234)
    assert str(caught.value) == "wt and ws need too many digits for a text with 2000 boundaries; round them"


def test_an_error_about_digits_names_what_has_them():
    """2^38 parts of te at n_t = 40 do not fit a text of 3,000 boundaries; no weight was given, and none can be rounded."""
    a, b = positions(6001, range(1, 6000, 2)), positions(6001, range(2, 6001, 2))
    with pytest.raises(OptionError) as caught:
        cz.segmentation_similarity(a, b, n_t=40, transposition="te")
    assert "wt and ws" not in str(caught.value)


# Numbers that must always exist


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
def test_one_side_is_empty(n_t):
    some, none = masses([2, 3, 6]), masses([11])
    for a, b, kind in ((some, none, "deletion"), (none, some, "insertion")):
        score = cz.boundary_similarity(a, b, n_t=n_t)
        assert (score.value, score.parts["additions"]) == (0, 2)
        assert [e.kind for e in score.edits] == [kind, kind]
        assert cz.segmentation_similarity(a, b, n_t=n_t).value == 1 - 2 / 10


def test_position_n_is_not_looked_at():
    a = cz.Segmentation.from_marks(["", ",", "", "."], types=[",", "."])
    b = cz.Segmentation.from_marks(["", ",", "", ""], types=[",", "."])
    assert cz.boundary_similarity(a, b).value == 1
    assert cz.segmentation_similarity(a, b).parts["positions"] == 3 * 2
    assert len(cz.boundary_similarity(a, b).edits) == 1


# segeval, live


def sets(side: frozenset[int], length: int) -> tuple[frozenset[int], ...]:
    """Masses crash segeval at a text without boundaries; sets of types, number 1, do not until it looks for types."""
    return tuple(frozenset({1} if p in side else ()) for p in range(1, length))


@settings(max_examples=400)
@given(pairs(min_units=2, max_units=30), st.integers(1, 9))
def test_segeval_greedy(segeval, pair: Pair, n_t):
    """S and B of segeval 2.0.11 at any n_t, wherever there is a boundary at all (without one it crashes)."""
    assume(pair.a or pair.b)
    a, b = pair.segmentations
    theirs = {"n_t": n_t, "boundary_format": segeval.BoundaryFormat.sets}
    ours = {"n_t": n_t, "compat": "segeval-2.0.11"}
    left, right = sets(pair.a, pair.length), sets(pair.b, pair.length)
    for measure, other in (
        (cz.segmentation_similarity, segeval.segmentation_similarity),
        (cz.boundary_similarity, segeval.boundary_similarity),
    ):
        assert measure(a, b, **ours).value == pytest.approx(float(other(left, right, **theirs)), abs=1e-14)
    score = cz.boundary_similarity(a, b, **ours)
    expected = oracle.explain_greedily(*pair.cells, n_t)
    assert explained(score) == (expected.matches, expected.pairs, expected.a_alone, expected.b_alone)
    assert score.value == pytest.approx(float(expected.b()))


@given(pairs(min_units=2, max_units=30))
def test_segeval_at_two_has_the_minimum(segeval, pair: Pair):
    """At n_t = 2 greedy from the left is optimal, so that the defaults agree with segeval."""
    assume(pair.a or pair.b)
    a, b = pair.segmentations
    for measure, other in (
        (cz.segmentation_similarity, segeval.segmentation_similarity),
        (cz.boundary_similarity, segeval.boundary_similarity),
    ):
        theirs = other(list(a.masses), list(b.masses), n_t=2)
        assert measure(a, b).value == pytest.approx(float(theirs), abs=1e-14)


@given(pairs(min_units=2, max_units=30), st.integers(1, 9))
def test_the_minimum_is_never_above_greedy(pair: Pair, n_t):
    a, b = pair.segmentations
    exact, greedy = (cz.segmentation_similarity(a, b, n_t=n_t, alignment=how) for how in ("exact", "greedy"))
    assert cost(exact) <= cost(greedy) + 1e-12


def test_the_minimum_is_below_greedy_somewhere():
    """Otherwise the line above would say nothing: 7/3 against 4/3, see the rulings."""
    a, b = positions(5, [1, 2]), positions(5, [3, 4])
    costs = [cost(cz.segmentation_similarity(a, b, n_t=3, alignment=how)) for how in ("exact", "greedy")]
    assert costs == pytest.approx([4 / 3, 7 / 3])


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
    a, b = typed(2, types, frozenset((1, t) for t in range(7))), typed(2, types, frozenset((1, t) for t in range(7, 14)))
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


# Laws


def mirrored(edit: cz.Edit) -> cz.Edit:
    kind = {"deletion": "insertion", "insertion": "deletion"}.get(edit.kind, edit.kind)
    return cz.Edit(kind, edit.b_position, edit.a_position, edit.b_type, edit.a_type, edit.cost)


@settings(max_examples=400)
@given(typed_pairs(max_units=10), st.integers(1, 6), COSTS)
def test_edits_are_the_same_with_the_sides_swapped(pair: TypedPair, n_t, costs):
    _, options = rules_and_options(n_t, len(pair.types), costs)
    forward = cz.segmentation_similarity(*pair.segmentations, **options)
    backward = cz.segmentation_similarity(*pair.swapped.segmentations, **options)
    assert tuple(map(mirrored, forward.edits)) == backward.edits
    assert forward.parts == backward.parts
    assert forward.value == backward.value


@settings(max_examples=400)
@given(typed_pairs(max_units=10), st.integers(1, 6), COSTS)
def test_reversal_of_text_and_scale_changes_nothing(pair: TypedPair, n_t, costs):
    """The list of edits may change, and with it the share of transpositions and substitutions; cost and number may not."""
    _, options = rules_and_options(n_t, len(pair.types), costs)
    forward = cz.segmentation_similarity(*pair.segmentations, **options)
    others = [
        [one.reversed() for one in pair.segmentations],
        pair.scale_reversed.segmentations,
        [one.reversed() for one in pair.scale_reversed.segmentations],
    ]
    for a, b in others:
        other = cz.segmentation_similarity(a, b, **options)
        assert other.value == pytest.approx(forward.value, abs=1e-14)
        assert len(other.edits) == len(forward.edits)
        if options["transposition"] == "scaled" and not options["wt"] and not options["ws"]:
            again, b_score = (cz.boundary_similarity(*sides, n_t=n_t) for sides in ((a, b), pair.segmentations))
            assert again.value == pytest.approx(b_score.value, abs=1e-14)


@settings(max_examples=400)
@given(typed_pairs(min_units=2, max_units=10), st.integers(1, 6), st.data())
def test_a_boundary_added_to_both_sides_never_lowers_b(pair: TypedPair, n_t, data):
    free = sorted(set(product(range(1, pair.length), range(len(pair.types)))) - pair.a - pair.b)
    assume(free)
    cell = data.draw(st.sampled_from(free))
    more = TypedPair(pair.length, pair.types, pair.a | {cell}, pair.b | {cell})
    before, after = (cz.boundary_similarity(*p.segmentations, n_t=n_t) for p in (pair, more))
    assert after.value >= before.value
    assert after.parts["matches"] == before.parts["matches"] + 1


@given(st.lists(typed_pairs(min_types=2, max_types=2, max_units=8), min_size=2, max_size=4))
def test_documents_laid_end_to_end(documents: list[TypedPair]):
    """At n_t = 2 nothing can be moved across a boundary that both sides have in every type, between two documents.

    The text laid end to end has |T| matches more for each seam, and everything else adds up.
    """
    types = documents[0].types
    a, b, start = set(), set(), 0
    for i, one in enumerate(documents):
        if i:
            seam = {(start, t) for t in range(len(types))}
            a |= seam
            b |= seam
        a |= {(start + p, t) for p, t in one.a}
        b |= {(start + p, t) for p, t in one.b}
        start += one.length
    whole = cz.boundary_similarity(typed(start, types, frozenset(a)), typed(start, types, frozenset(b)))
    summed = sum(cz.boundary_similarity(*one.segmentations) for one in documents)
    seams = (len(documents) - 1) * len(types)
    assert dict(whole.parts) == dict(summed.parts) | {"matches": summed.parts["matches"] + seams}
    pairs_in_all = len(whole.edits)
    if pairs_in_all > seams:
        assert (1 - whole.value) * pairs_in_all == pytest.approx((1 - summed.value) * (pairs_in_all - seams))


@given(st.lists(pairs(max_units=8), min_size=2, max_size=4))
def test_documents_of_one_type_laid_end_to_end(documents: list[Pair]):
    """With one type, and the boundary at the seam the only extra match."""
    a, b, start = set(), set(), 0
    for i, one in enumerate(documents):
        if i:
            a.add(start)
            b.add(start)
        a |= {start + p for p in one.a}
        b |= {start + p for p in one.b}
        start += one.length
    whole = cz.boundary_similarity(positions(start, sorted(a)), positions(start, sorted(b)))
    summed = sum(cz.boundary_similarity(*one.segmentations) for one in documents)
    assert dict(whole.parts) == dict(summed.parts) | {"matches": summed.parts["matches"] + len(documents) - 1}


# The confusion matrix


@settings(max_examples=400)
@given(typed_pairs(max_types=3, max_units=7, max_boundaries=7), st.integers(1, 5), st.sampled_from(["scaled", "printed"]))
def test_confusion_matrix(pair: TypedPair, n_t, transposition):
    rules = Rules(n_t, len(pair.types), transposition)
    score = cz.boundary_confusion(*pair.segmentations, n_t=n_t, transposition=transposition)
    expected = oracle.confusion(oracle.explain(pair.a, pair.b, rules), pair.a, rules)
    assert score.matrix.tolist() == [pytest.approx([float(x) for x in row], abs=1e-14) for row in expected]
    both = len(pair.a) + len(pair.b)
    correct = sum(expected[t][t] for t in range(rules.types))
    assert score.value == pytest.approx(float(2 * correct / both) if both else 1)

    def share(part, whole, other):
        return float(part / whole) if whole else float(not other)

    for t, name in enumerate(pair.types):
        actual, predicted = (sum(kind == t for _, kind in side) for side in (pair.a, pair.b))
        precision, recall = share(expected[t][t], predicted, actual), share(expected[t][t], actual, predicted)
        assert score.precision(name) == pytest.approx(precision)
        assert score.recall(name) == pytest.approx(recall)
        for beta in (0.5, 1, 2):
            weighted = beta**2 * precision + recall
            f = (1 + beta**2) * precision * recall / weighted if weighted else 0
            assert score.f(name, beta=beta) == pytest.approx(f)
    assert score.precision() == pytest.approx(share(correct, len(pair.b), len(pair.a)))
    assert score.recall() == pytest.approx(share(correct, len(pair.a), len(pair.b)))
    assert score.f() == pytest.approx(score.value)


def test_a_pair_adds_its_correctness_and_not_its_cost():
    """Equation 7 of 2013 credits a near miss with w; 1 - w is meant. One boundary nine positions off at n_t = 10.

    r  |·|··············|
    h  |··········|·····|
    """
    reference, hypothesis = positions(16, [1]), positions(16, [10])
    score = cz.boundary_confusion(reference, hypothesis, n_t=10)
    assert score.matrix.tolist() == [[pytest.approx(0.1), 0], [0, 0]]
    assert score.precision() == score.recall() == pytest.approx(0.1)


def test_the_same_under_fournier_2013_has_precision_one():
    """spec/linear.md: "a single boundary nine positions off at n_t = 10 then has precision 1"."""
    score = cz.boundary_confusion(positions(16, [1]), positions(16, [10]), n_t=10, compat="fournier2013")
    assert score.precision() == score.recall() == score.value == 1


def human() -> tuple[cz.Segmentation, cz.Segmentation]:
    """A text with 444 matches, one near miss, 204 boundaries only predicted and 153 only actual, all far apart."""
    places = range(5, 10**5, 5)
    kinds = ["both"] * 444 + ["near"] + ["predicted"] * 204 + ["actual"] * 153
    random.Random(2013).shuffle(kinds)
    actual, predicted = [], []
    for place, kind in zip(places, kinds, strict=False):
        if kind != "predicted":
            actual.append(place)
        if kind != "actual":
            predicted.append(place + (kind == "near"))
    return positions(10**5, actual), positions(10**5, predicted)


def test_table_2_of_2013():
    """Row "Human": TP 444.5, FP 204, FN 153 gives B-precision 0.6854 and B-recall 0.7439."""
    score = cz.boundary_confusion(*human(), compat="fournier2013")
    assert score.matrix.tolist() == [[444.5, 204], [153, 0]]
    assert round(score.precision(), 4) == 0.6854
    assert round(score.recall(), 4) == 0.7439
    harmonic = 2 * 444.5 / (2 * 444.5 + 204 + 153)
    assert score.value == pytest.approx(harmonic)
    assert score.f() == pytest.approx(harmonic)


def test_table_2_of_2013_by_boundaries():
    """The same text by the ruling: the half that the near miss loses counts against both."""
    score = cz.boundary_confusion(*human())
    assert score.precision() == pytest.approx(444.5 / (445 + 204))
    assert score.recall() == pytest.approx(444.5 / (445 + 153))


# Two types. s: scene, a: act
#
#   reference   |·s··s··s··a···|
#   hypothesis  |·s···s·a··a···|
SCENES = (
    cz.Segmentation.from_sets(
        [{"scene"}, set(), {"scene"}, set(), {"scene"}, set(), {"act"}, set(), set()], types=["scene", "act"]
    ),
    cz.Segmentation.from_sets(
        [{"scene"}, set(), set(), {"scene"}, {"act"}, set(), {"act"}, set(), set()], types=["scene", "act"]
    ),
)


def test_micro_and_macro():
    """scene: a match, a near miss (1/2), one taken for an act (1/2); act: a match.

    Cells: scene-scene 1.5, act-act 1, act-scene 0.5. Scene: 2 predicted, 3 actual. Act: 2 predicted, 1 actual.
    """
    score = cz.boundary_confusion(*SCENES)
    assert score.matrix.tolist() == [[1.5, 0, 0], [0.5, 1, 0], [0, 0, 0]]
    assert (score.precision("scene"), score.recall("scene")) == (0.75, 0.5)
    assert (score.precision("act"), score.recall("act")) == (0.5, 1)
    assert score.f("scene") == pytest.approx(0.6)
    assert score.f("act") == pytest.approx(2 / 3)
    assert score.precision() == score.recall() == score.f() == score.value == 2.5 / 4
    assert score.precision(average="macro") == 0.625
    assert score.recall(average="macro") == 0.75
    assert score.f(average="macro") == pytest.approx((0.6 + 2 / 3) / 2)
    assert score.f("act", beta=2) == pytest.approx(5 * 0.5 * 1 / (4 * 0.5 + 1))
    assert score.f("act", beta=0.5) == pytest.approx(1.25 * 0.5 * 1 / (0.25 * 0.5 + 1))
    assert score.f(average="macro", beta=2) == pytest.approx((score.f("scene", beta=2) + score.f("act", beta=2)) / 2)


def test_swapping_the_sides_of_a_confusion_matrix_turns_it_over():
    forward, backward = cz.boundary_confusion(*SCENES), cz.boundary_confusion(*SCENES[::-1])
    assert forward.matrix.tolist() == backward.matrix.T.tolist()
    assert forward.precision("act") == backward.recall("act")


def test_confusion_matrices_add_up():
    one, other = cz.boundary_confusion(*SCENES), cz.boundary_confusion(SCENES[0], SCENES[0])
    both = one + other
    assert both.matrix.tolist() == (one.matrix + other.matrix).tolist()
    assert both.documents == 2
    assert both.precision("scene") == pytest.approx((1.5 + 3) / (2 + 3))


def test_the_value_from_counts_is_that_of_the_text():
    """``make`` is what totals are made with: the same row of counts, the same score."""
    score = cz.boundary_confusion(*SCENES)
    table = cz.score_many([SCENES], "boundary_confusion")
    again = BoundaryConfusion().make(table.counts[0], ("scene", "act"), {})
    assert (again.value, again.matrix.tolist()) == (score.value, score.matrix.tolist())
    assert again.parts == score.parts


@pytest.mark.parametrize("compat", [None, "fournier2013"])
def test_zero_denominators(compat):
    """Both sides empty: 1; one side empty: 0; F = 0 when both are 0."""
    some, none = masses([2, 3, 6]), masses([11])
    nothing = cz.boundary_confusion(none, none, compat=compat)
    assert (nothing.value, nothing.precision(), nothing.recall(), nothing.f()) == (1, 1, 1, 1)
    assert (nothing.precision(average="macro"), nothing.f(average="macro")) == (1, 1)
    for a, b in ((some, none), (none, some)):
        score = cz.boundary_confusion(a, b, compat=compat)
        assert (score.value, score.precision(), score.recall(), score.f()) == (0, 0, 0, 0)
        assert score.f(average="macro") == 0


def test_zero_denominators_of_one_type():
    a, b = (typed(4, ("x", "y", "z"), frozenset({(2, t)})) for t in (0, 1))
    score = cz.boundary_confusion(a, b)
    assert (score.precision("x"), score.recall("x")) == (0, 0)  # nothing predicted as x, one was
    assert (score.precision("y"), score.recall("y")) == (0, 0)
    assert (score.precision("z"), score.recall("z"), score.f("z")) == (1, 1, 1)  # on neither side
    assert score.precision(average="macro") == 0  # over x and y, which occur


@pytest.mark.parametrize(
    ("options", "sides"),
    [
        # all boundaries substituted: nothing correct, and no addition either
        ({"compat": "fournier2013"}, [typed(2, ("x", "y"), frozenset({(1, t)})) for t in (0, 1)]),
        # a near miss that costs 1
        ({"denominator": "errors", "transposition": "unit"}, [masses([2, 3]), masses([3, 2])]),
    ],
    ids=["substitution", "transposition"],
)
def test_nothing_correct_among_boundaries_is_never_perfect(options, sides):
    """Neither side is empty, so 0/0 is not 1; and F, precision and recall must tell one story."""
    score = cz.boundary_confusion(*sides, **options)
    assert score.value == 0
    assert score.f() == score.value
    assert (score.precision(), score.recall()) == (0, 0)


def test_a_type_that_does_not_exist():
    score = cz.boundary_confusion(*SCENES)
    for call in (score.precision, score.recall, score.f):
        with pytest.raises(OptionError) as caught:
            call("chapter")
        assert str(caught.value) == "no boundary type 'chapter'; there are scene, act"
        with pytest.raises(OptionError) as caught:
            call(average="weighted")
        assert str(caught.value) == "average must be 'micro' or 'macro'; got 'weighted'"


def test_types_with_brackets_and_arrows_in_their_names():
    """Counts are named after types; two counts may never share a name.

    reference   |·c·b>c·c·|
    hypothesis  |·a>b·a·a>b·|
    """
    types = ["a", "b>c", "a>b", "c"]
    reference = cz.Segmentation.from_sets([{"c"}, {"b>c"}, {"c"}], types=types)
    hypothesis = cz.Segmentation.from_sets([{"a>b"}, {"a"}, {"a>b"}], types=types)
    score = cz.boundary_confusion(reference, hypothesis, n_t=1)
    # Neighbours on a scale of four: each substitution costs 1/4.
    expected = [[0] * 5 for _ in range(5)]
    expected[2][3], expected[0][1] = 1.5, 0.75
    assert score.matrix.tolist() == expected


def test_confusion_as_dict():
    shown = cz.boundary_confusion(*SCENES).as_dict()
    assert shown["types"] == ["scene", "act", None]
    assert shown["matrix"] == [[1.5, 0, 0], [0.5, 1, 0], [0, 0, 0]]
