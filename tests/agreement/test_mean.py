"""The mean over pairs of coders, in seconds and over units, and its chance by random placement on the axis."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.mean import random_copies, random_subsets

MEASURES_IN_SECONDS = [
    "F1@1s",
    "F1@5%",
    "boundary_deviation",
    "hausdorff(ends=both)",
    "generalized_hamming",
    "pk(window=2s)",
    "window_diff(window=2s)",
    "purity_coverage",
    "B(n_t=1s)",
    "covering",
    "alignment_index",
    "rand_index",
    "adjusted_rand_index",
    "pairwise_f",
    "v_measure",
    "nce",
]


def tier(*ends: float, end: float = 30.0) -> cz.Tier:
    """Intervals between times, with the labels A, B, A, ..."""
    places = [0.0, *ends, end]
    return cz.Tier([(a, b, "AB"[i % 2]) for i, (a, b) in enumerate(pairwise(places))])


def points(*times: float, end: float = 60.0) -> cz.Tier:
    return cz.Tier(points=[(time, "") for time in times], end=end)


CODERS = {"ann": tier(5, 12, 20), "bo": tier(5.5, 12, 21), "cy": tier(4, 20)}
CORPUS = cz.Corpus({"one": CODERS, "two": {"ann": tier(10), "bo": tier(9), "cy": tier(11, 15)}})


@pytest.mark.filterwarnings("ignore:an interval from")
@pytest.mark.parametrize("name", MEASURES_IN_SECONDS)
def test_mean_over_pairs(name):
    measure = cz.parse(name)
    result = cz.agreement(CORPUS, measure)
    pairs = (combinations if measure.symmetric else permutations)(["ann", "bo", "cy"], 2)
    values = [
        measure.total([measure.score(CORPUS[item, a], CORPUS[item, b]) for item in ("one", "two")]).value
        for a, b in pairs
    ]
    assert result.coefficient == "mean"
    assert result.value == result.observed == pytest.approx(np.mean(values))
    assert result.expected is None
    assert result.method == "not corrected for chance"
    assert result.interval is not None
    assert sorted(row.value for row in result.pairs) == pytest.approx(sorted(values))
    assert cz.pairwise(CORPUS, measure, ordered=not measure.symmetric).mean == pytest.approx(result.value)


@pytest.mark.filterwarnings("ignore:an interval from")
@pytest.mark.parametrize("name", MEASURES_IN_SECONDS)
def test_placement_is_reproducible_and_leaves_room(name):
    measure = cz.parse(name)
    first, second = (cz.agreement(CORPUS, measure, chance=cz.Placement(draws=200)) for _ in range(2))
    reordered = cz.Corpus({item: dict(reversed(CORPUS.of_item(item).items())) for item in ("two", "one")})
    third = cz.agreement(reordered, measure, chance=cz.Placement(draws=200), seed=0)
    assert first.value == second.value
    if measure.symmetric:
        assert first.value == pytest.approx(third.value, abs=1e-12)
    assert cz.agreement(CORPUS, measure, chance=cz.Placement(draws=200), seed=1).expected != first.expected
    assert first.value == pytest.approx((first.observed - first.expected) / (measure.best - first.expected))
    assert first.draws == 200
    assert "chance:placement|draws:200|seed:0" in first.signature


def test_expected_matches_of_two_points():
    """Two points in 60 s are within 1 s with probability 1 - (59/60)^2; F is then 1, else 0."""
    corpus = cz.Corpus({"item": {"a": points(10), "b": points(20)}})
    result = cz.agreement(corpus, "F1@1s", chance=cz.Placement(draws=40_000), interval=None)
    right = 1 - (59 / 60) ** 2
    assert result.observed == 0
    assert abs(result.expected - right) < 4 * math.sqrt(right * (1 - right) / 40_000)
    assert result.expected_error == pytest.approx(math.sqrt(right * (1 - right) / 40_000), rel=0.1)


def test_expected_distance_of_two_points():
    """The expected distance of two uniform points in 60 s is 20 s."""
    corpus = cz.Corpus({"item": {"a": points(10), "b": points(15)}})
    result = cz.agreement(corpus, "hausdorff", chance=cz.Placement(draws=20_000), interval=None)
    assert abs(result.expected - 20) < 4 * result.expected_error
    assert result.value == pytest.approx(1 - 5 / result.expected)


def test_expected_over_units():
    """One boundary each among 9 positions: equal with probability 1/9."""
    corpus = cz.Corpus({"item": {c: cz.Segmentation.from_masses([m, 10 - m]) for c, m in (("a", 3), ("b", 6))}})
    result = cz.agreement(corpus, "hausdorff", chance=cz.Placement(draws=20_000), interval=None)
    right = np.mean([abs(a - b) for a in range(9) for b in range(9)])
    assert abs(result.expected - right) < 4 * result.expected_error


def test_random_copies_keep_numbers_and_labels():
    measure = cz.parse("pairwise_f")
    batch, _, _ = measure.pack([(CODERS["ann"], CODERS["cy"])])
    copies = random_copies(batch, "places", 0, 50, np.random.default_rng(0))
    assert len(copies) == 50
    a, b = copies.sides()
    assert (set(a.count), set(b.count)) == ({3}, {2})
    assert copies.sides("segments")[0].label.reshape(50, 4).tolist() == [batch.sides("segments")[0].label.tolist()] * 50
    assert (np.diff(a.place.reshape(50, 3), axis=1) > 0).all()
    text = cz.Segmentation.from_marks(["", ",", ".", "", ",", ""])
    units, _, _ = cz.parse("B").pack([(text, text)])
    places = random_copies(units, "inner", 0, 100, np.random.default_rng(0)).sides("inner")[0].place
    assert places.min() >= 1
    assert places.max() <= text.length - 1
    assert len(np.unique(places)) == text.length - 1


def test_measures_over_units_without_chance_model():
    texts = {c: cz.Segmentation.from_masses(m) for c, m in (("a", [3, 4, 3]), ("b", [4, 3, 3]), ("c", [3, 7]))}
    corpus = cz.Corpus({"one": texts, "two": texts})
    for name in ("purity_coverage", "window_diff", "win_pr"):
        assert cz.agreement(corpus, name, interval=None).coefficient == "mean"
        assert cz.agreement(corpus, name, chance=cz.Placement(draws=200), interval=None).expected is not None
    assert cz.agreement(corpus, "B", interval=None).coefficient == "multi_pi"
    assert cz.agreement(corpus, "B", coefficient="mean", interval=None).value == pytest.approx(
        cz.pairwise(corpus, "B").mean
    )


def test_undefined_pairs_are_left_out():
    corpus = cz.Corpus({"item": {"a": points(10), "b": points(12), "c": points()}})
    result = cz.agreement(corpus, "hausdorff", interval=None)
    assert result.value == 2
    assert "2 of 3 pairs of coders are undefined" in result.excluded[0].reason


@pytest.mark.parametrize("measure", ["S", "flexible_similarity", "unit_error"])
def test_measures_of_positions_are_refused_in_seconds(measure):
    with pytest.raises(cz.errors.OptionError, match="counts positions between units, and annotations in seconds"):
        cz.agreement(CORPUS, measure)


@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa", "alpha", "bias"])
def test_published_coefficients_are_refused_in_seconds(coefficient):
    with pytest.raises(cz.errors.OptionError, match=f"{coefficient} counts positions .* chance='placement'"):
        cz.agreement(CORPUS, "F1@1s", coefficient=coefficient)


def test_other_bad_input():
    with pytest.raises(cz.errors.OptionError, match="pi is not defined over covering"):
        cz.agreement(CORPUS, "covering", coefficient="pi")
    with pytest.raises(cz.errors.OptionError, match="simulates nothing"):
        cz.agreement(CORPUS, "covering", chance="simulate")
    tree = cz.Hierarchy(4, [(1, 4), (1, 2)])
    with pytest.raises(cz.errors.OptionError, match="compares no boundaries"):
        cz.agreement(cz.Corpus({"x": {"a": tree, "b": tree}}), "hierarchy_overlap", chance="placement")


@pytest.mark.parametrize(
    ("size", "n", "draws"), [(60, 10, 50), (5, 5, 7), (1, 1, 3), (9, 0, 2), (300, 70, 3), (20_000, 5, 3)]
)
def test_subsets_are_those_of_numpy(size: int, n: int, draws: int) -> None:
    """Draws that are made together are the same as one after the other, and so are the draws after them."""
    together, alone = np.random.default_rng(3), np.random.default_rng(3)
    subsets = random_subsets(together, size, n, draws)
    assert subsets.tolist() == [alone.choice(size, n, replace=False, shuffle=False).tolist() for _ in range(draws)]
    assert together.random() == alone.random()


def test_pairs_are_drawn_independently_of_each_other():
    rng = np.random.default_rng(3)
    coders = {name: cz.Segmentation.from_times(np.sort(rng.uniform(1, 99, 12)), duration=100.0) for name in "abc"}
    corpus = cz.Corpus({"x": coders})

    def error(names: str) -> float:
        chosen = corpus.select(coders=list(names))
        return cz.agreement(
            chosen, "boundary_f(tolerance='1s')", chance=cz.Placement(draws=200), interval=None
        ).expected_error

    pairs = [error(names) for names in ("ab", "ac", "bc")]
    assert error("abc") == pytest.approx(math.sqrt(sum(one**2 for one in pairs)) / 3)
