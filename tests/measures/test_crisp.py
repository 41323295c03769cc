"""Crisp boundary precision and recall, R_FN and R_FP."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from oracle import crisp as oracle
from support.strategies import Pair, pairs, segmentation

masses = cz.Segmentation.from_masses
positions = cz.Segmentation.from_positions


def subsets(length: int) -> list[frozenset[int]]:
    return [frozenset(p for p in range(1, length) if bits >> p & 1) for bits in range(0, 2**length, 2)]


@pytest.mark.parametrize("tolerance", range(6))
def test_every_pair_of_up_to_five_positions(tolerance):
    """1,024 pairs against a search over all matchings."""
    sides = list(product(subsets(6), repeat=2))
    texts = {side: segmentation(6, side) for side in subsets(6)}
    scores = cz.score_many([(texts[r], texts[h]) for r, h in sides], f"crisp(tolerance={tolerance})")
    assert scores.part_names == ("matches", "reference", "hypothesis")
    for (r, h), counts, value in zip(sides, scores.counts.tolist(), scores.values.tolist(), strict=True):
        most = oracle.most_pairs(r, h, tolerance)
        assert counts == [most, len(r), len(h)], (sorted(r), sorted(h))
        assert value == pytest.approx(2 * most / (len(r) + len(h)) if r or h else 1)


@given(pairs(max_units=40, max_boundaries=6), st.integers(0, 12))
def test_maximum_matching(pair: Pair, tolerance):
    score = cz.crisp(*pair.segmentations, tolerance=tolerance)
    most = oracle.most_pairs(pair.a, pair.b, tolerance)
    assert dict(score.parts) == {"matches": most, "reference": len(pair.a), "hypothesis": len(pair.b)}


def test_greedy_nearest_matching_would_miss_a_pair():
    """Within 2, the nearest pair is 3-4, and 1 and 6 would then be too far apart.

    r  |·|···|·····|       1-3 and 4-6 are two pairs
    h  |···|···|···|
    """
    reference, hypothesis = positions(9, [1, 4]), positions(9, [3, 6])
    score = cz.crisp(reference, hypothesis, tolerance=2)
    assert score.parts["matches"] == 2
    expected = [("transposition", 1, 3), ("transposition", 4, 6)]
    assert [(e.kind, e.a_position, e.b_position) for e in score.edits] == expected


def test_distance_within_the_tolerance_does_not_matter():
    """All that is paired is free; what is left alone costs 1."""
    score = cz.crisp(positions(20, [3, 10, 15]), positions(20, [3, 12]), tolerance=2)
    expected = [("match", 3, 3, 0), ("transposition", 10, 12, 0), ("deletion", 15, None, 1)]
    assert [(e.kind, e.a_position, e.b_position, e.cost) for e in score.edits] == expected
    assert (score.precision(), score.recall()) == (1, pytest.approx(2 / 3))
    assert score.value == score.f() == pytest.approx(0.8)
    assert score.f(beta=2) == pytest.approx(5 * 1 * (2 / 3) / (4 * 1 + 2 / 3))


def test_zero_tolerance_is_set_overlap():
    reference, hypothesis = positions(10, [2, 3]), positions(10, [1, 2])
    score = cz.crisp(reference, hypothesis)
    assert dict(score.parts) == {"matches": 1, "reference": 2, "hypothesis": 2}
    assert score.value == 0.5


@given(pairs(max_units=30), st.integers(0, 40))
def test_larger_tolerance_never_has_fewer_matches(pair: Pair, tolerance):
    a, b = pair.segmentations
    assert (
        cz.crisp(a, b, tolerance=tolerance + 1).parts["matches"] >= cz.crisp(a, b, tolerance=tolerance).parts["matches"]
    )
    assert cz.crisp(a, b, tolerance=pair.length).parts["matches"] == min(len(pair.a), len(pair.b))


@given(pairs(max_units=30), st.integers(0, 5))
def test_edits_of_crisp_account_for_every_boundary_once(pair: Pair, tolerance):
    score = cz.crisp(*pair.segmentations, tolerance=tolerance)
    assert sorted(e.a_position for e in score.edits if e.a_position) == sorted(pair.a)
    assert sorted(e.b_position for e in score.edits if e.b_position) == sorted(pair.b)
    paired = [e for e in score.edits if e.kind in ("match", "transposition")]
    assert len(paired) == score.parts["matches"]
    assert all(e.distance <= tolerance for e in paired)
    assert all((e.kind == "match") == (e.distance == 0) for e in paired)


def test_crisp_without_boundaries():
    divided, undivided = masses([2, 3, 6]), masses([11])
    nothing = cz.crisp(undivided, undivided)
    assert dict(nothing.parts) == {"matches": 0, "reference": 0, "hypothesis": 0}
    assert (nothing.value, nothing.precision(), nothing.recall(), nothing.f()) == (1, 1, 1, 1)
    for reference, hypothesis in ((divided, undivided), (undivided, divided)):
        score = cz.crisp(reference, hypothesis, tolerance=5)
        assert (score.value, score.precision(), score.recall(), score.f()) == (0, 0, 0, 0)


def test_crisp_counts_positions_once_and_ignores_the_end():
    plain = positions(5, [2])
    double = cz.Segmentation.from_sets([set(), {"x", "y"}, set(), set()], types=["x", "y"])
    ended = cz.Segmentation.from_marks(["", ",", "", "", "."])
    for text in (double, ended):
        assert dict(cz.crisp(plain, text).parts) == {"matches": 1, "reference": 1, "hypothesis": 1}


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        (-1, "tolerance must be a number from 0 up; got -1"),
        (float("nan"), "tolerance must be a number; got nan"),
        ("0.5s", "tolerance='0.5s' is in seconds, but the texts have units"),
        ("two", "tolerance must be a number, or a text such as '0.5s', '500ms' or '5%'; got 'two'"),
        (float("inf"), "tolerance must be a number from 0 up; got inf"),
    ],
)
def test_invalid_tolerance(tolerance, message):
    text = masses([2, 3])
    with pytest.raises(OptionError) as caught:
        cz.crisp(text, text, tolerance=tolerance)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("length", range(1, 7))
def test_unit_error_of_every_pair_of_a_short_text(length):
    sides = list(product(subsets(length), repeat=2))
    texts = {side: segmentation(length, side) for side in subsets(length)}
    scores = cz.score_many([(texts[r], texts[h]) for r, h in sides], "unit_error")
    for (r, h), counts, value in zip(sides, scores.counts.tolist(), scores.values.tolist(), strict=True):
        fn, fp = oracle.unit_error(length, r, h)
        assert counts == pytest.approx([float(fn), float(fp), length], abs=1e-12), (sorted(r), sorted(h))
        assert value == pytest.approx(float(fn + fp) / (2 * length), abs=1e-12)


@given(pairs(max_units=40))
def test_unit_error_unit_by_unit(pair: Pair):
    score = cz.unit_error(*pair.segmentations)
    fn, fp = oracle.unit_error(pair.length, pair.a, pair.b)
    assert score.parts["units"] == pair.length
    assert score.parts["r_fn"] == pytest.approx(float(fn / pair.length), abs=1e-12)
    assert score.parts["r_fp"] == pytest.approx(float(fp / pair.length), abs=1e-12)
    swapped = cz.unit_error(*pair.swapped.segmentations)
    assert swapped.parts["r_fn"] == pytest.approx(score.parts["r_fp"], abs=1e-12)


def test_unit_error_by_hand():
    """Of each unit's segment, what share is missing, what share is too much?

    r  |··|··|      a b | c d      H(w) is everything, so nothing is missing and half of it does not belong
    h  |····|       a b c d
    """
    score = cz.unit_error(masses([2, 2]), masses([4]))
    assert (score.parts["fn"], score.parts["fp"], score.parts["units"]) == (0, 2, 4)
    assert (score.parts["r_fn"], score.parts["r_fp"], score.value) == (0, 0.5, 0.25)
    # |···|·| against |·|···|: a lacks b, c of three; b and c lack one of three and have one too many; d has two too many
    score = cz.unit_error(masses([3, 1]), masses([1, 3]))
    assert score.parts["fn"] == pytest.approx(2 / 3 + 1 / 3 + 1 / 3 + 0)
    assert score.parts["fp"] == pytest.approx(0 + 1 / 3 + 1 / 3 + 2 / 3)


def test_unit_error_of_extreme_segmentations():
    """Everything apart against everything together: nothing missing, all but one in N too much."""
    score = cz.unit_error(masses([1] * 10), masses([10]))
    assert (score.parts["r_fn"], score.parts["r_fp"]) == (0, pytest.approx(0.9))
    score = cz.unit_error(masses([1]), masses([1]))
    assert dict(score.parts) == {"fn": 0, "fp": 0, "units": 1}
    assert score.value == 0


def test_unit_error_of_a_long_text():
    """10^9 units in two halves against three unequal parts; the overlaps by hand."""
    half, n = 5 * 10**8, 10**9
    score = cz.unit_error(positions(n, [half]), positions(n, [n // 4, n - 1]))
    # overlaps: [0, n/4), [n/4, n/2), [n/2, n-1), [n-1, n)
    q = n // 4
    overlaps = [(q, half, q), (q, half, n - 1 - q), (half - 1, half, n - 1 - q), (1, half, 1)]
    assert score.parts["fn"] == pytest.approx(sum(o * (r - o) / r for o, r, _ in overlaps))
    assert score.parts["fp"] == pytest.approx(sum(o * (h - o) / h for o, _, h in overlaps))
