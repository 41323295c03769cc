"""Boundary edit distance against all pairings, and against slower algorithms for larger texts."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import caesura as cz
from oracle import boundary as oracle
from oracle.boundary import Rules
from support.edits import COSTS, cost, explained, near, rules_and_options
from support.examples import examples
from support.strategies import Pair, TypedPair, pairs, segmentation, typed, typed_pairs

positions = cz.Segmentation.from_positions


# Every pair of subsets of up to 7 positions


def subsets(length: int) -> list[frozenset[int]]:
    return [frozenset(p for p in range(1, length) if bits >> p & 1) for bits in range(0, 2**length, 2)]


@cache
def remaining(a_only: frozenset[int], b_only: frozenset[int], rules: Rules) -> oracle.Explanation:
    """Of the boundaries that do not match: the same for all pairs that differ in their matches alone."""
    return oracle.explain({(p, 0) for p in a_only}, {(p, 0) for p in b_only}, rules)


def check_every_pair(length: int, rules: Rules, name: str, options: dict) -> None:
    sides = subsets(length)
    segmentations = {side: segmentation(length, side) for side in sides}
    measure = cz.measures()[name](n_t=rules.n_t, **options)
    table = cz.score_many([(segmentations[a], segmentations[b]) for a, b in product(sides, repeat=2)], measure)
    assert not table.errors
    names = table.part_names
    for (a, b), counts, value in zip(
        product(sides, repeat=2), table.counts.tolist(), table.values.tolist(), strict=True
    ):
        expected = remaining(a - b, b - a, rules)
        parts = expected.parts() | {"matches": len(a & b)}
        actual = dict(zip(names, counts, strict=True))
        assert {key: actual[key] for key in parts} == parts, (rules, sorted(a), sorted(b))
        if name == "segmentation_similarity":
            exact = expected.s(length, rules)
        else:
            pairs_in_all = expected.edits + len(a & b)
            exact = 1 - expected.cost / pairs_in_all if pairs_in_all else Fraction(1)
        assert near(value, exact), (rules, sorted(a), sorted(b))
        score = measure.score(segmentations[a], segmentations[b])
        matches = {(p, 0) for p in a & b}
        assert explained(score) == (matches, expected.pairs, expected.a_alone, expected.b_alone), (rules, a, b)
        assert near(cost(score), expected.cost), (rules, sorted(a), sorted(b))


@pytest.mark.parametrize("n_t", [3, *(pytest.param(n_t, marks=pytest.mark.slow) for n_t in (1, 2, 4, 5))])
def test_every_pair_of_up_to_seven_positions(n_t):
    """16,384 pairs: counts, value and the list of edits against a search over all pairings."""
    check_every_pair(8, Rules(n_t=n_t), "boundary_similarity", {})


@pytest.mark.parametrize("n_t", [pytest.param(2, marks=pytest.mark.slow), 3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("transposition", ["printed", "unit", "te"])
def test_every_pair_of_up_to_six_positions_with_different_costs(n_t, transposition):
    rules = Rules(n_t=n_t, transposition=transposition)
    check_every_pair(7, rules, "segmentation_similarity", {"transposition": transposition})


@pytest.mark.slow
@pytest.mark.parametrize(("n_t", "wt"), [(3, "0.1"), (4, "0.5"), (5, "1")])
def test_every_pair_of_up_to_six_positions_with_a_constant(n_t, wt):
    """A weight is meant as it is written: a tenth, not the nearest binary fraction, so that ties are ties."""
    check_every_pair(7, Rules(n_t=n_t, wt=Fraction(wt)), "segmentation_similarity", {"wt": float(wt)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_t", "transposition", "w_trp"),
    [
        (3, "scaled", "0"),
        (4, "scaled", "0.3"),
        pytest.param(5, "unit", "0", marks=pytest.mark.slow),
        pytest.param(3, "unit", "0.5", marks=pytest.mark.slow),
        (4, "te", "0"),
        pytest.param(5, "te", "0.7", marks=pytest.mark.slow),
    ],
)
def test_every_pair_of_up_to_six_positions_with_a_weight(n_t, transposition, w_trp):
    """With a weight, transpositions over more positions are cheaper than two additions, so other pairs are the minimum."""
    rules = Rules(n_t=n_t, transposition=transposition, w_trp=Fraction(w_trp))
    options = {"transposition": transposition, "w_trp": float(w_trp)}
    check_every_pair(7, rules, "segmentation_similarity", options)


@pytest.mark.slow
@pytest.mark.parametrize("w_trp", ["0", "0.25"])
def test_every_pair_of_up_to_six_positions_with_a_weight_under_b(w_trp):
    check_every_pair(7, Rules(n_t=3, w_trp=Fraction(w_trp)), "boundary_similarity", {"w_trp": float(w_trp)})


# Several types, every small pair


@cache
def remaining_typed(a_only: frozenset, b_only: frozenset, rules: Rules) -> oracle.Explanation:
    return oracle.explain(a_only, b_only, rules)


def every_difference(length: int, number: int):
    """All pairs of disjoint sets of cells: each cell on a, on b or on neither."""
    cells = list(product(range(1, length), range(number)))
    for places in product((None, 0, 1), repeat=len(cells)):
        yield tuple(frozenset(c for c, where in zip(cells, places, strict=True) if where == side) for side in (0, 1))


WEIGHTS = [("0", "1"), ("1", "0"), ("0.2", "0.9"), ("0", "0")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("w_trp", "w_sub"),
    [pair if pair == ("0.2", "0.9") else pytest.param(*pair, marks=pytest.mark.slow) for pair in WEIGHTS],
)
def test_every_typed_difference_with_weights(w_trp, w_sub):
    """Weights decide whether a substitution or a transposition explains two boundaries."""
    rules = Rules(3, 2, w_trp=Fraction(w_trp), w_sub=Fraction(w_sub))
    measure = cz.parse(f"segmentation_similarity(n_t=3, w_trp={w_trp}, w_sub={w_sub})")
    check_every_typed_difference(measure, rules, 5, 2)


TYPED_CASES = [
    (5, 2, n_t, transposition, substitution)
    for n_t, transposition, substitution in [
        (2, "scaled", "scaled"),
        (3, "scaled", "scaled"),
        (4, "scaled", "scaled"),
        (3, "printed", "printed"),
        (4, "unit", "unit"),
        (4, "te", "scaled"),
    ]
] + [(3, 4, 2, "scaled", "scaled"), (3, 4, 2, "printed", "printed")]
QUICK_CASES = [(5, 2, 3, "scaled", "scaled"), (3, 4, 2, "printed", "printed")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "number", "n_t", "transposition", "substitution"),
    [case if case in QUICK_CASES else pytest.param(*case, marks=pytest.mark.slow) for case in TYPED_CASES],
)
def test_every_typed_difference(length, number, n_t, transposition, substitution):
    """6,561 ways in which two sides can differ over 8 cells: list of edits, counts, S against exhaustive search."""
    rules = Rules(n_t, number, transposition, substitution)
    measure = cz.parse(
        f"segmentation_similarity(n_t={n_t}, transposition={transposition!r}, substitution={substitution!r})"
    )
    check_every_typed_difference(measure, rules, length, number)


def check_every_typed_difference(measure, rules: Rules, length: int, number: int) -> None:
    types = ("w", "x", "y", "z")[:number]
    segmentations = cache(lambda side: typed(length, types, side))
    for a, b in every_difference(length, number):
        expected = remaining_typed(a, b, rules)
        score = measure.score(segmentations(a), segmentations(b))
        assert explained(score) == (set(), expected.pairs, expected.a_alone, expected.b_alone), (sorted(a), sorted(b))
        assert near(cost(score), expected.cost)
        assert {key: score.parts[key] for key in expected.parts()} == expected.parts()
        assert near(score.value, expected.s(length, rules))


@pytest.mark.parametrize("n_t", [2, 4])
def test_every_typed_difference_among_matches(n_t):
    """What both sides have in every cell left over changes nothing else."""
    length, number, types = 5, 2, ("x", "y")
    cells = frozenset(product(range(1, length), range(number)))
    segmentations = cache(lambda side: typed(length, types, side))
    differences = list(every_difference(length, number))
    measure = cz.parse(f"segmentation_similarity(n_t={n_t})")
    bare = cz.score_many([(segmentations(a), segmentations(b)) for a, b in differences], measure)
    full = cz.score_many([(segmentations(cells - b), segmentations(cells - a)) for a, b in differences], measure)
    matches = bare.part_names.index("matches")
    assert full.counts[:, matches].tolist() == [len(cells - a - b) for a, b in differences]
    full.counts[:, matches] = 0
    assert full.counts.tolist() == bare.counts.tolist()
    assert full.values.tolist() == bare.values.tolist()


# Several types, random


def agrees_with(expected: oracle.Explanation, pair: TypedPair, rules: Rules, options: dict) -> None:
    score = cz.segmentation_similarity(*pair.segmentations, **options)
    assert near(cost(score), expected.cost)
    assert explained(score) == (expected.matches, expected.pairs, expected.a_alone, expected.b_alone)
    assert {key: score.parts[key] for key in expected.parts()} == expected.parts()
    assert score.parts["positions"] == (pair.length - 1) * rules.types
    assert score.value == pytest.approx(float(expected.s(pair.length, rules)), abs=1e-12)


@examples(360)
@given(typed_pairs(max_units=6, max_boundaries=7), st.integers(1, 6), COSTS)
def test_random_typed_pairs_by_exhaustive_search(pair: TypedPair, n_t, costs):
    rules, options = rules_and_options(n_t, len(pair.types), costs)
    agrees_with(oracle.explain(pair.a, pair.b, rules), pair, rules, options)


@examples(90)
@given(typed_pairs(max_types=3, max_units=14, max_boundaries=14), st.integers(1, 16), COSTS)
def test_larger_typed_pairs_by_augmenting_paths(pair: TypedPair, n_t, costs):
    rules, options = rules_and_options(n_t, len(pair.types), costs)
    agrees_with(oracle.explain_large(pair.a, pair.b, rules), pair, rules, options)


@examples(90)
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
    a, b = (frozenset(c for c in product(range(1, length), range(number)) if rng.random() < density) for _ in range(2))
    transposition = rng.choice(["scaled", "unit", "te" if n_t <= 40 else "printed"])
    rules = Rules(n_t, number, transposition)
    score = cz.segmentation_similarity(
        typed(length, types, a), typed(length, types, b), n_t=n_t, transposition=transposition
    )
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


def test_odd_positions_against_even_positions():
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


def test_two_distant_blocks():
    """1..n against n+1..2n: every pairing that is complete has the same span, n * n, and none may cost more than 2."""
    n = 300
    a, b = positions(2 * n + 1, range(1, n + 1)), positions(2 * n + 1, range(n + 1, 2 * n + 1))
    score = cz.boundary_similarity(a, b, n_t=2 * n)
    assert (score.parts["transpositions"], score.parts["span"]) == (n, n * n)
    assert [(e.a_position, e.b_position) for e in score.edits] == [(i, n + i) for i in range(1, n + 1)]
    assert score.value == pytest.approx(0.5)
