"""Simulated segmentations have the documented shapes and frequencies.

Frequencies must be within three standard deviations of the binomial, with fixed seeds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
import caesura.simulation as sim
from caesura.errors import LimitError, OptionError
from caesura.papers import experiments
from caesura.simulation import segmentations
from support.binomial import is_likely

S, B = "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"


def segmentation(drawing: str) -> cz.Segmentation:
    return cz.Segmentation.from_masses([len(segment) for segment in drawing.split("|")])


seeds = st.integers(0, 2**32)
probabilities = st.floats(0, 1)
masses = st.lists(st.integers(1, 9), min_size=1, max_size=20)
references = masses.map(cz.Segmentation.from_masses)


@given(st.integers(1, 200), masses, seeds)
def test_random_segmentation_consists_of_the_given_masses(units, given_masses, seed):
    lengths = sim.random_segmentation(units, given_masses, seed=seed).masses
    assert sum(lengths) == units
    assert set(lengths[:-1]) <= set(given_masses)
    assert lengths[-1] <= max(given_masses)


def test_random_segmentation_draws_each_mass_as_often_as_it_occurs():
    lengths = sim.random_segmentation(100_000, [2, 5, 5, 5, 9], seed=1).masses[:-1]
    for mass, p in ((2, 0.2), (5, 0.6), (9, 0.2)):
        assert is_likely(lengths.count(mass), len(lengths), p)


def test_random_segmentation_fills_the_text_even_if_the_first_draw_falls_short():
    """With one long segment among many short ones, the mean predicts the needed number badly."""
    texts = [sim.random_segmentation(5000, [1] * 2000 + [100_000], seed=seed) for seed in range(50)]
    assert {text.length for text in texts} == {5000}
    assert max(len(text.masses) for text in texts) > 2000


@pytest.mark.parametrize(
    ("mean_mass", "expected"),
    [
        (1, "·|·|·|·|·|·|·"),
        (0.3, "·|·|·|·|·|·|·"),
        (1.49, "·|·|·|·|·|·|·"),
        (1.5, "··|··|··|·"),
        (2.5, "···|···|·"),
        (Fraction(7, 2), "····|···"),
        (6.9, "·······"),
        (1e6, "·······"),
    ],
)
def test_regular_segmentation_rounds_half_up(mean_mass, expected):
    assert sim.regular_segmentation(7, mean_mass) == segmentation(expected)


@pytest.mark.parametrize("units", [1, 2, 9])
def test_none_and_all(units):
    assert sim.no_boundaries(units).masses == (units,)
    assert sim.all_boundaries(units).masses == (1,) * units


def test_uniform_segments_are_uniform_and_include_both_ends():
    lengths = sim.uniform_segments(10_000, 3, 7, seed=2).masses
    assert len(lengths) == 10_000
    assert set(lengths) == {3, 4, 5, 6, 7}
    for mass in range(3, 8):
        assert is_likely(lengths.count(mass), 10_000, 1 / 5)


@given(references, probabilities, seeds)
def test_misses_only_remove_boundaries(reference, p, seed):
    hypothesis = sim.misses(reference, p, seed=seed)
    assert hypothesis.length == reference.length
    assert set(hypothesis.inner) <= set(reference.inner)


@given(references, probabilities, seeds, st.integers(0, 3))
def test_false_alarms_add_at_most_one_per_segment(reference, p, seed, margin):
    hypothesis = sim.false_alarms(reference, p, seed=seed, margin=margin)
    assert hypothesis.length == reference.length
    assert set(reference.inner) <= set(hypothesis.inner)
    ends = [0, *reference.inner.tolist(), reference.length]
    for start, end in pairwise(ends):
        inside = [p for p in hypothesis.inner.tolist() if start < p < end]
        assert len(inside) <= 1
        assert all(p <= end - 1 - margin for p in inside)


@given(references, probabilities, seeds, st.integers(1, 12))
def test_near_misses_keep_the_number_and_the_distance(reference, p, seed, distance):
    hypothesis = sim.near_misses(reference, p, seed=seed, distance=distance)
    assert (hypothesis.length, len(hypothesis.inner)) == (reference.length, len(reference.inner))
    for position in set(hypothesis.inner.tolist()) - set(reference.inner.tolist()):
        assert {position - distance, position + distance} & set(reference.inner.tolist())


@given(references, seeds)
def test_probabilities_of_0_and_1(reference, seed):
    for error in (sim.misses, sim.false_alarms, sim.near_misses):
        assert error(reference, 0, seed=seed) == reference
    assert sim.misses(reference, 1, seed=seed) == sim.no_boundaries(reference.length)
    split = sum(mass > 1 for mass in reference.masses)
    assert len(sim.false_alarms(reference, 1, seed=seed).inner) == len(reference.inner) + split


def test_frequency_of_misses():
    reference = sim.regular_segmentation(50_000, 5)
    remaining = len(sim.misses(reference, 0.3, seed=3).inner)
    assert is_likely(remaining, len(reference.inner), 0.7)


def test_frequency_and_place_of_false_alarms():
    reference = sim.regular_segmentation(50_000, 5)  # 10,000 segments with 4 inner positions each
    added = np.setdiff1d(sim.false_alarms(reference, 0.3, seed=4).inner, reference.inner)
    assert is_likely(added.size, 10_000, 0.3)
    for place in (1, 2, 3, 4):
        assert is_likely(int((added % 5 == place).sum()), added.size, 1 / 4)


def test_a_margin_keeps_false_alarms_off_the_last_positions():
    reference = sim.regular_segmentation(50_000, 5)
    added = np.setdiff1d(sim.false_alarms(reference, 1, seed=5, margin=1).inner, reference.inner)
    assert added.size == 10_000
    for place in (1, 2, 3):
        assert is_likely(int((added % 5 == place).sum()), 10_000, 1 / 3)


def test_frequency_and_direction_of_near_misses():
    reference = sim.regular_segmentation(50_000, 5)
    hypothesis = sim.near_misses(reference, 0.3, seed=6)
    n = len(reference.inner)
    offsets = hypothesis.inner - reference.inner
    assert set(offsets.tolist()) == {-1, 0, 1}
    assert is_likely(int((offsets == 0).sum()), n, 0.7)
    assert is_likely(int((offsets == 1).sum()), n, 0.15)


def test_near_misses_that_would_collide_stay():
    # reference ···|··|···     towards each other: both stay
    outcomes = [sim.near_misses(segmentation("···|··|···"), 1, seed=seed).draw() for seed in range(400)]
    for outcome in ("··|··|····", "··|····|··", "····|··|··", "···|··|···"):
        assert is_likely(outcomes.count(outcome), 400, 1 / 4)


@pytest.mark.parametrize("drawing", ["·", "·|·", "·|·|·|·"])
def test_near_misses_without_room_stay(drawing):
    for seed in range(10):
        assert sim.near_misses(segmentation(drawing), 1, seed=seed) == segmentation(drawing)


def test_shifts():
    # reference  ···|··|····
    assert sim.shifts(segmentation("···|··|····"), 3) == segmentation("······|··|·")
    assert sim.shifts(segmentation("···|··|····"), -2) == segmentation("·|··|······")
    assert sim.shifts(segmentation("···|··|····"), 0) == segmentation("···|··|····")
    assert sim.shifts(sim.no_boundaries(3), 99) == sim.no_boundaries(3)


def test_the_text_is_preserved():
    reference = cz.Segmentation.from_masses([2, 2], units=["a", "rose", "is", "a"])
    for hypothesis in (
        sim.misses(reference, 0.5, seed=1),
        sim.false_alarms(reference, 0.5, seed=1),
        sim.near_misses(reference, 0.5, seed=1),
        sim.shifts(reference, 1),
    ):
        assert hypothesis.units == reference.units


REFERENCE = cz.Segmentation.from_masses([5] * 40)
RANDOM_FUNCTIONS = {
    "random_segmentation": lambda seed: sim.random_segmentation(200, [2, 3, 9], seed=seed),
    "uniform_segments": lambda seed: sim.uniform_segments(40, 2, 9, seed=seed),
    "misses": lambda seed: sim.misses(REFERENCE, 0.5, seed=seed),
    "false_alarms": lambda seed: sim.false_alarms(REFERENCE, 0.5, seed=seed),
    "near_misses": lambda seed: sim.near_misses(REFERENCE, 0.5, seed=seed),
    "table_1": lambda seed: experiments.table_1(seed=seed, trials=2, hypotheses=3, segments=20),
    "pseudo_coders": lambda seed: sim.pseudo_coders([90, 60], [2, 3, 9], coders=3, near=0.3, miss=0.3, seed=seed),
    "random_coders": lambda seed: sim.random_coders([90, 60], [2, 3, 9], coders=3, seed=seed),
}


@pytest.mark.parametrize("name", RANDOM_FUNCTIONS)
def test_the_result_depends_only_on_the_seed(name):
    draw = RANDOM_FUNCTIONS[name]
    assert draw(7) == draw(7) == draw(np.int64(7)) == draw(np.random.default_rng(7))
    assert draw(7) != draw(8)
    rng = np.random.default_rng(7)  # a generator is advanced
    first, second = draw(rng), draw(rng)
    assert draw(7) == first != second


def test_two_draws_from_one_generator_are_independent():
    """Both keep a quarter of 10,000 boundaries."""
    rng, reference = np.random.default_rng(11), sim.regular_segmentation(50_000, 5)
    first, second = (set(sim.misses(reference, 0.5, seed=rng).inner.tolist()) for _ in range(2))
    assert is_likely(len(first & second), len(reference.inner), 1 / 4)


def test_the_global_state_of_numpy_is_unchanged():
    np.random.seed(1)
    expected = np.random.random()
    np.random.seed(1)
    sim.random_segmentation(100, [3, 4], seed=5)
    assert np.random.random() == expected


# Figure 5 of Fournier & Inkpen (2012), as far as the text describes it

WD_2012, S_2012 = "window_diff(compat='fournier2012')", "segmentation_similarity(compat='fournier2012')"


def test_figure_5a():
    """ "S reacts to increasing full misses linearly"; "premature report of maximal error (at 7 FP)", k = 25."""
    pairs = experiments.figure_5a()
    assert len(pairs) == 99  # "[0, 98] FPs"
    for n, (reference, hypothesis) in enumerate(pairs):
        assert (reference.length, len(reference.inner), len(hypothesis.inner)) == (100, 1, n + 1)
        assert reference.inner[0] == hypothesis.inner[0]
        assert max(hypothesis.masses) - min(hypothesis.masses) <= 1
    assert cz.score_many(pairs, S_2012).values == pytest.approx([1 - n / 99 for n in range(99)])
    errors = cz.score_many(pairs, WD_2012)
    assert set(errors.resolved["window"].tolist()) == {25}
    assert errors.values[0] == 0
    assert np.all(np.diff(errors.values[:8]) > 0)
    assert np.flatnonzero(errors.values == 1).tolist() == list(range(7, 99))


def test_figure_5b():
    """Costs of 1 up to n PBs and 2 beyond; a scaled cost that grows; a forgiven near miss; and 1-WD falls below all."""
    pairs = experiments.figure_5b()
    curves = {
        "n = 3": ("segmentation_similarity(n_t=3, transposition='unit')", [0, 1, 1] + [2] * 8),
        "n = 5, scale": ("segmentation_similarity(n_t=5, transposition='te')", [0, 1, 1.5, 1.75, 1.875] + [2] * 6),
        "n = 5, w_trp = 0": ("segmentation_similarity(n_t=5, w_trp=0)", [0] * 5 + [2] * 6),
    }
    drop = 1 - cz.score_many(pairs, WD_2012).values
    assert drop == pytest.approx([1 - 2 * d / 76 for d in range(11)])
    assert drop.min() > 0.7  # the axis of the figure
    for measure, costs in curves.values():
        similarity = cz.score_many(pairs, measure).values
        assert similarity == pytest.approx([1 - cost / 99 for cost in costs])
        assert np.all(similarity[1:] > drop[1:])  # "These configurations are all preferable to the drop of 1-WD."


def test_figure_5c():
    """S approaches 1; "1-WD will eventually indicate 0.68"."""
    pairs = experiments.figure_5c()
    m = np.array([reference.length for reference, _ in pairs])
    assert m.tolist() == list(range(4, 101))  # "4 <= m <= 100"
    assert cz.score_many(pairs, S_2012).values == pytest.approx(1 - 1 / (m - 1))
    errors = cz.score_many(pairs, WD_2012)
    assert round(1 - errors.values[-1], 2) == 0.68
    # The window grows with the text: k / m stays at a quarter, except for rounding.
    assert np.all(np.abs(errors.resolved["window"] - m / 4) <= 1)


# Table 1 (the printed numbers are in golden/test_fournier_table1.py)


def test_cells_of_table_1_by_hand():
    """Without randomness: all boundaries are missed, or every segment of 2 units has a false alarm at its only position."""
    table = experiments.table_1(
        seed=1, trials=2, hypotheses=3, segments=10, miss=1, false_alarm=1, ranges=[(2, 2)], measures=S_2012
    )
    means = {cell.scenario: cell.mean for cell in table}
    # 20 units, 19 positions: 9 missed, 10 added; or every one of 9 moved and one added
    assert means == pytest.approx({"misses": 1 - 9 / 19, "false alarms": 1 - 10 / 19, "both": 1 - 10 / 19})
    assert [cell.deviation for cell in table] + [cell.standard_error for cell in table] == pytest.approx([0] * 6)
    cell = {
        "scenario": "misses",
        "low": 2,
        "high": 2,
        "measure": "segmentation_similarity(n_t=2, compat='fournier2012')",
    }
    zero = {"deviation": pytest.approx(0), "standard_error": pytest.approx(0)}
    assert table[0].to_dict() == {**cell, "mean": pytest.approx(10 / 19), **zero}


def test_table_1_accepts_any_suitable_measure():
    table = experiments.table_1(
        seed=1, trials=2, hypotheses=2, segments=5, measures=[B, cz.parse("pk")], ranges=[(3, 4)]
    )
    assert [cell.measure.name for cell in table] == ["boundary_similarity", "pk"] * 3
    with pytest.raises(OptionError, match="window must lie in"):
        experiments.table_1(seed=1, trials=2, hypotheses=2, segments=2, measures="pk(window=50)", ranges=[(3, 4)])


def test_options_override_the_preset_of_table_1():
    small = {"seed": 1, "trials": 2, "hypotheses": 2, "segments": 5}
    preset = experiments.table_1(**small, compat="fournier2012")
    assert {(cell.low, cell.high) for cell in preset} == {(20, 30), (15, 35), (10, 40), (5, 44)}
    ranges = ((20, 30), (15, 35), (10, 40), (5, 44))
    assert experiments.table_1(**small, ranges=ranges, margin=1) == preset
    overridden = experiments.table_1(**small, ranges=ranges, margin=0, compat="fournier2012")
    assert overridden == experiments.table_1(**small, ranges=ranges)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=3), masses, probabilities, probabilities, seeds, st.booleans())
def test_pseudo_coders_are_a_corpus_of_valid_segmentations(units, given_masses, near, miss, seed, omissions_only):
    corpus = sim.pseudo_coders(
        units, given_masses, coders=2, near=near, miss=miss, seed=seed, omissions_only=omissions_only
    )
    assert corpus.coders == ("coder 1", "coder 2")
    assert [corpus[item, "coder 1"].length for item in corpus.item_names] == units
    for cell in corpus:
        assert cz.Segmentation.from_positions(corpus[cell].length, corpus[cell].inner) == corpus[cell]


def coded(**rates: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the hidden segmentation of 10,000 segments, and those of one coder."""
    hidden = sim.random_segmentation(50_000, [5], seed=1)
    corpus = sim.pseudo_coders(50_000, [5], coders=1, seed=1, **{"near": 0, "miss": 0, **rates})
    return hidden.inner, corpus["item 1", "coder 1"].inner


def test_pseudo_coders_who_make_no_error_agree():
    hidden, placed = coded()
    assert placed.tolist() == hidden.tolist()


def test_pseudo_coders_move_boundaries():
    hidden, placed = coded(near=0.2)
    assert set((placed - hidden).tolist()) == {-1, 0, 1}
    assert is_likely(int((placed != hidden).sum()), hidden.size, 0.2)


def test_pseudo_coders_omit_and_add_boundaries():
    hidden, placed = coded(miss=0.4)
    omitted, added = np.setdiff1d(hidden, placed).size, np.setdiff1d(placed, hidden)
    assert is_likely(omitted, hidden.size, 0.2)
    assert is_likely(added.size, hidden.size, 0.2)
    assert is_likely(omitted + added.size, hidden.size, 0.4)
    for place in (1, 2, 3, 4):  # anywhere
        assert is_likely(int((added % 5 == place).sum()), added.size, 1 / 4)


def test_pseudo_coders_who_only_omit_boundaries():
    hidden, placed = coded(miss=0.4, omissions_only=True)
    assert not np.setdiff1d(placed, hidden).size
    assert is_likely(placed.size, hidden.size, 0.6)


def test_pseudo_coders_add_nothing_if_no_position_is_free():
    corpus = sim.pseudo_coders(200, [1], coders=1, near=1, miss=1, seed=1)
    assert is_likely(len(corpus["item 1", "coder 1"].inner), 199, 0.5)


def test_random_coders_are_independent():
    corpus = sim.random_coders(60_000, [2, 4], coders=2, seed=3)
    first, second = (set(corpus["item 1", coder].inner.tolist()) for coder in corpus.coders)
    # Masses 2 and 4 make all positions even. A position has a boundary with probability 1/3, and both have one with 1/9.
    assert all(position % 2 == 0 for position in first | second)
    p = len(first) / 30_000 * len(second) / 30_000
    assert len(first & second) == pytest.approx(30_000 * p, rel=0.03)


# The trends of Figure 9 of Fournier (2013), under the natural interpretation

NEAR = 0.0921  # the paper's "constant natural level"


@pytest.fixture(scope="module")
def moonstone(segeval) -> list[int]:
    """Return the lengths of the coders' segments in eight chapters of The Moonstone."""
    samples = segeval.data.samples
    chapters = {**samples.KAZANTSEVA2012_G2, **samples.KAZANTSEVA2012_G5}.values()
    return [mass for coders in chapters for masses in coders.values() for mass in masses]


def multi_pi(corpus: cz.Corpus, measure: str) -> float:
    return cz.agreement(corpus, measure=measure, interval=None).value


def pi_by_misses(moonstone, coders, misses, **options):
    """Return (S-based, B-based) pi* for each P(miss)."""
    units = [100] * 20
    corpora = [sim.pseudo_coders(units, moonstone, coders=coders, near=NEAR, miss=p, seed=9, **options) for p in misses]
    return tuple([multi_pi(corpus, measure) for corpus in corpora] for measure in (S, B))


@pytest.mark.parametrize("coders", [2, 5, 10])
def test_misses_lower_agreement_based_on_b_and_hardly_on_s(moonstone, coders):
    by_s, by_b = pi_by_misses(moonstone, coders, [0, 0.2, 0.4, 0.6, 0.8])
    assert by_b[0] - by_b[-1] > 0.4
    assert by_b == sorted(by_b, reverse=True)
    assert min(by_s) > 0.75


@pytest.mark.parametrize("coders", [2, 5, 10])
def test_many_omissions_raise_agreement_based_on_s(moonstone, coders):
    by_s, by_b = pi_by_misses(moonstone, coders, [0.6, 0.7, 0.8, 0.9], omissions_only=True)
    assert by_s == sorted(by_s)
    assert by_s[-1] - by_s[0] > 0.02
    assert by_b == sorted(by_b, reverse=True)


def test_random_coders_agree_little_based_on_b_and_much_on_s(moonstone):
    everyone = sim.random_coders([100] * 20, moonstone, coders=10, seed=2)
    for n in range(2, 11):
        corpus = everyone.select(coders=everyone.coders[:n])
        assert multi_pi(corpus, S) == pytest.approx(0.78, abs=0.02)
        assert multi_pi(corpus, B) == pytest.approx(0.14, abs=0.03)


CODERS = {"units": 10, "masses": [2], "coders": 2, "near": 0, "miss": 0, "seed": 1}
TABLE = {"seed": 1, "trials": 2, "hypotheses": 2, "segments": 3}
PLAIN = cz.Segmentation.from_masses([2, 3])
TYPED = cz.Segmentation.from_positions(3, [1], marks=["act"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sim.random_segmentation(0, [2], seed=1), "units must be a whole number of at least 1; got 0"),
        (lambda: sim.random_segmentation(2.5, [2], seed=1), "units must be a whole number; got 2.5"),
        (
            lambda: sim.random_segmentation(10**10, [2], seed=1),
            "units must be a whole number of at most 2147483647; got",
        ),
        (lambda: sim.random_segmentation(5, [], seed=1), "masses: expected at least one segment length to draw from"),
        (lambda: sim.random_segmentation(5, 3, seed=1), "masses must be a sequence of segment lengths; got 3"),
        (lambda: sim.random_segmentation(5, [2, 0], seed=1), r"masses\[1\] must be a whole number of at least 1"),
        (lambda: sim.random_segmentation(5, "23", seed=1), r"masses\[0\] must be a whole number; got '2'"),
        (lambda: sim.random_segmentation(5, [2], seed=-1), "seed must be a whole number of at least 0"),
        (lambda: sim.random_segmentation(5, [2], seed=True), "seed must be .*; got True"),
        (lambda: sim.random_segmentation(5, [2], seed=1.0), "seed must be .*; got 1.0"),
        (lambda: sim.regular_segmentation(5, 0), "mean_mass must be a number above 0; got 0"),
        (lambda: sim.regular_segmentation(5, math.nan), "mean_mass must be a number; got nan"),
        (lambda: sim.regular_segmentation(True, 2), "units must be a whole number; got True"),
        (lambda: sim.no_boundaries(0), "units must be"),
        (lambda: sim.all_boundaries(-1), "units must be"),
        (lambda: sim.uniform_segments(0, 2, 3, seed=1), "segments must be a whole number of at least 1; got 0"),
        (lambda: sim.uniform_segments(1, 0, 3, seed=1), "low must be a whole number of at least 1; got 0"),
        (lambda: sim.uniform_segments(1, 4, 3, seed=1), "high must be at least low; got low=4 and high=3"),
        (lambda: sim.misses(PLAIN, 1.5, seed=1), "p must be a number from 0 to 1; got 1.5"),
        (lambda: sim.misses(PLAIN, math.nan, seed=1), "p must be a number; got nan"),
        (lambda: sim.misses(PLAIN, "half", seed=1), "p must be a number; got 'half'"),
        (lambda: sim.misses([2, 3], 0.5, seed=1), "reference: expected a Segmentation; got list"),
        (lambda: sim.misses(TYPED, 0.5, seed=1), "reference: boundaries must have no named types; got 'act'"),
        (lambda: sim.false_alarms(PLAIN, -0.1, seed=1), "p must be a number from 0 to 1; got -0.1"),
        (lambda: sim.false_alarms(PLAIN, 0.5, seed=1, margin=-1), "margin must be a whole number of at least 0"),
        (lambda: sim.near_misses(PLAIN, 0.5, seed=1, distance=0), "distance must be a whole number of at least 1"),
        (lambda: sim.near_misses(PLAIN, 2, seed=1), "p must be a number from 0 to 1; got 2"),
        (lambda: sim.shifts(PLAIN, 3), r"distance must keep every boundary in 1\.\.4; 3 moves the boundary at 2 to 5"),
        (lambda: sim.shifts(PLAIN, -2), r"every boundary in 1\.\.4; -2 moves the boundary at 2 to 0"),
        (lambda: sim.shifts(PLAIN, 0.5), "distance must be a whole number; got 0.5"),
        (lambda: experiments.figure_5a(1), "units must be a whole number of at least 2; got 1"),
        (lambda: experiments.figure_5b(20, 10), "max_distance must be a whole number of at most 9; got 10"),
        (lambda: experiments.figure_5c(3), "max_units must be a whole number of at least 4; got 3"),
        (lambda: experiments.table_1(**TABLE | {"trials": 1}), "trials must be a whole number of at least 2; got 1"),
        (lambda: experiments.table_1(**TABLE | {"hypotheses": 0}), "hypotheses must be a whole number of at least 1"),
        (lambda: experiments.table_1(**TABLE, miss=2), "miss must be a number from 0 to 1; got 2"),
        (lambda: experiments.table_1(**TABLE, false_alarm=-1), "false_alarm must be a number from 0 to 1; got -1"),
        (lambda: experiments.table_1(**TABLE, compat="fournier2013"), "compat must be one of 'fournier2012'"),
        (lambda: experiments.table_1(**TABLE, ranges=[5]), r"ranges must be pairs \(low, high\) of segment lengths"),
        (lambda: experiments.table_1(**TABLE, ranges=[]), "ranges: expected at least one pair"),
        (lambda: experiments.table_1(**TABLE, ranges=[(9, 3)]), "high must be at least low; got low=9 and high=3"),
        (lambda: experiments.table_1(**TABLE, margin=-1), "margin must be a whole number of at least 0; got -1"),
        (lambda: experiments.table_1(**TABLE, measures=[]), "measures: expected at least one; got none"),
        (lambda: sim.pseudo_coders(**CODERS | {"near": 1.1}), "near must be a number from 0 to 1; got 1.1"),
        (lambda: sim.pseudo_coders(**CODERS | {"miss": -1}), "miss must be a number from 0 to 1; got -1"),
        (lambda: sim.pseudo_coders(**CODERS | {"coders": 0}), "coders must be a whole number of at least 1; got 0"),
        (lambda: sim.pseudo_coders(**CODERS | {"units": []}), "units: expected at least one item; got none"),
        (lambda: sim.pseudo_coders(**CODERS | {"units": [5, 0]}), r"units\[1\] must be a whole number of at least 1"),
        (lambda: sim.pseudo_coders(**CODERS | {"units": "12"}), "units must be a whole number; got '12'"),
        (lambda: sim.pseudo_coders(**CODERS, omissions_only=1), "omissions_only must be True or False; got 1"),
        (lambda: sim.random_coders(10, [], coders=2, seed=1), "masses: expected at least one segment length"),
        (lambda: sim.random_coders(10, [2], coders=2, seed="x"), "seed must be .*; got 'x'"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises(OptionError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: experiments.figure_5a(10_000), "units"),
        (lambda: experiments.figure_5b(10**6, 200_000), "max_distance"),
        (lambda: experiments.figure_5c(10**5), "max_units"),
        (lambda: experiments.table_1(**TABLE | {"trials": 10**8}), "trials and hypotheses"),
        (lambda: sim.pseudo_coders(**CODERS | {"coders": 10**8}), "units and coders"),
        (lambda: sim.pseudo_coders(**CODERS | {"units": [1] * 10**5}), "units and coders"),
        (lambda: experiments.table_1(**TABLE | {"hypotheses": 10**5}), "segments and hypotheses"),
    ],
)
def test_what_needs_too_much_memory_is_refused(call, names, monkeypatch):
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 10**9)
    with pytest.raises(
        LimitError, match=f"^{names}: .* units to simulate: .* more than half of 1.0 GB; simulate fewer"
    ):
        call()


def test_all_is_complete():
    modules = {f"{sim.__name__}.{name}" for name in ("segmentations", "span_coders")}
    defined = {name for name, value in vars(sim).items() if getattr(value, "__module__", None) in modules}
    assert set(sim.__all__) == defined | {"trees"}
    assert sorted(sim.__all__, key=lambda name: (not name.isupper(), name.islower(), name)) == sim.__all__
    assert cz.simulation is sim


def test_segments_are_drawn_as_by_choice():
    source = np.random.default_rng(1)
    for trial in range(200):
        length = int(source.integers(1, 60))
        masses = source.integers(1, 40, int(source.integers(1, 12)))
        rng, ends = np.random.default_rng(trial), [0]
        while ends[-1] < length:
            rest = length - ends[-1]
            ends += (ends[-1] + np.cumsum(rng.choice(masses, int(rest / np.minimum(masses, rest).mean()) + 8))).tolist()
        again = np.random.default_rng(trial)
        positions = segmentations.fill_with_segments(length, segmentations.SegmentLengths(masses), again)
        assert positions.tolist() == [end for end in ends[1:] if end < length]
        assert again.random() == rng.random()


def test_boundaries_move_to_free_positions_that_no_other_boundary_reaches():
    source = np.random.default_rng(2)
    for trial in range(200):
        length, distance = int(source.integers(2, 30)), int(source.integers(1, 4))
        positions = np.flatnonzero(source.random(length - 1) < 0.4) + 1
        rng = np.random.default_rng(trial)
        moving = rng.random(positions.size) < 0.7
        target = positions + np.where(rng.random(positions.size) < 0.5, -distance, distance)
        moving &= (target >= 1) & (target < length) & ~np.isin(target, positions)
        reached = target[moving].tolist()
        expected = [
            t if moves and reached.count(t) == 1 else p
            for p, t, moves in zip(positions.tolist(), target.tolist(), moving.tolist(), strict=True)
        ]
        moved = segmentations.move_boundaries(positions, length, 0.7, distance, np.random.default_rng(trial))
        assert moved.tolist() == expected
