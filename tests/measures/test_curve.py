"""Boundary curves and average precision: other programs' figures, the slow definition, pooling, and invalid scores."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, ScoresError, Undefined
from oracle import curve as oracle
from support.oracles import read_oracle

CASES = read_oracle("scores.jsonl")[1:]
WTPSPLIT = 1e-6


def points(curve: cz.BoundaryCurve) -> list[oracle.Point]:
    return list(zip(curve.thresholds.tolist(), curve.matches.tolist(), curve.marked.tolist(), strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_of_the_oracle(case):
    reference = cz.Segmentation.from_positions(case["length"], case["reference"])
    curve = cz.boundary_curve(reference, case["scores"], tolerance=case["tolerance"])
    right = case["right"]
    assert points(curve) == [tuple(point) for point in right["points [threshold, matches, marked]"]]
    assert curve.best_threshold == (None if right["best_threshold"] == "none marked" else right["best_threshold"])
    assert curve.best_f == pytest.approx(right["best_f"], abs=1e-9)
    if right["average_precision"] == "undefined":
        assert curve.average_precision is None
        assert curve.reason == "the reference has no boundary"
        with pytest.raises(Undefined, match="reference without boundaries"):
            cz.average_precision(reference, case["scores"], tolerance=case["tolerance"])
    else:
        score = cz.average_precision(reference, case["scores"], tolerance=case["tolerance"])
        assert curve.average_precision == pytest.approx(right["average_precision"], abs=1e-9)
        assert score.value == pytest.approx(right["average_precision"], abs=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case.get("peer")], ids=lambda case: case["id"])
def test_scikit_learn_at_tolerance_0_and_the_threshold_of_wtpsplit(case):
    reference = cz.Segmentation.from_positions(case["length"], case["reference"])
    curve, peer = cz.boundary_curve(reference, case["scores"]), case["peer"]
    assert curve.average_precision == pytest.approx(peer["average_precision_at_0"], abs=1e-9)
    assert curve.thresholds[::-1].tolist() == peer["thresholds"]
    # scikit-learn adds a last point with precision 1 and recall 0, which has no threshold
    precision, recall = np.array(peer["precision"]), np.array(peer["recall"])
    assert curve.precision[::-1] == pytest.approx(precision[:-1], abs=1e-9)
    assert curve.recall[::-1] == pytest.approx(recall[:-1], abs=1e-9)
    f = 2 * precision * recall / (precision + recall + WTPSPLIT)
    preset = cz.boundary_curve(reference, case["scores"], compat="wtpsplit")
    assert preset.best_threshold == peer["thresholds"][int(np.argmax(f))]
    assert preset.plain_best == curve.best


def test_wtpsplit_takes_the_lowest_of_equal_thresholds_and_marks_everything_without_a_reference():
    reference = cz.Segmentation.from_positions(7, [2, 4])
    scores = [0.1, 0.9, 0.1, 0.3, 0.8, 0.7]  # F is 2/3 at .9 (1 of 1 mark) and at .3 (2 of 4 marks)
    assert cz.boundary_curve(reference, scores).best_threshold == 0.9
    assert cz.boundary_curve(reference, scores, compat="wtpsplit").best_threshold == 0.3
    empty = cz.Segmentation.from_positions(7, [])
    assert cz.boundary_curve(empty, scores).best_threshold is None
    assert cz.boundary_curve(empty, scores, compat="wtpsplit").best_threshold == 0.1


positions = st.sets(st.integers(1, 19), max_size=8)
scored = st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 0.5, 0.9, 1]) | st.floats(-3, 3), min_size=19, max_size=19)


@given(positions, scored, st.sampled_from([0, 1, 2, 4.5, 30]), st.sampled_from([0, 1, 2, 3.5, 8]))
def test_the_curve_is_a_maximum_matching_at_every_threshold(reference, scores, tolerance, distance):
    curve = cz.boundary_curve(
        cz.Segmentation.from_positions(20, sorted(reference)), scores, tolerance=tolerance, min_distance=distance
    )
    by_place = {place: score + 0.0 for place, score in enumerate(scores, 1)}
    expected = oracle.points(sorted(reference), by_place, tolerance, distance)
    assert points(curve) == expected
    assert np.all(np.diff(curve.recall) >= 0)
    threshold, f = oracle.best(expected, len(reference))
    assert (curve.best_threshold, curve.best_f) == (threshold, float(f))
    if reference:
        assert curve.average_precision == pytest.approx(float(oracle.average_precision(expected, len(reference))))


@given(st.lists(st.tuples(positions, scored), min_size=1, max_size=4), st.sampled_from([0, 1, 3]))
def test_texts_are_pooled_by_threshold(texts, tolerance):
    references = [cz.Segmentation.from_positions(20, sorted(reference)) for reference, _ in texts]
    curve = cz.boundary_curve(references, [scores for _, scores in texts], tolerance=tolerance)
    curves = [
        oracle.points(sorted(reference), {i: score + 0.0 for i, score in enumerate(scores, 1)}, tolerance)
        for reference, scores in texts
    ]
    assert points(curve) == oracle.pooled(curves)
    pairs = [(a, cz.BoundaryScores(scores)) for a, (_, scores) in zip(references, texts, strict=True) if a.inner.size]
    if pairs:
        measure = cz.parse(f"AP@{tolerance}")
        total = cz.score_many(pairs, measure).total
        pooled = cz.boundary_curve(*map(list, zip(*pairs, strict=True)), tolerance=tolerance)
        assert total.value == pytest.approx(pooled.average_precision)
        assert measure.total([measure.score(*pair) for pair in pairs]).value == total.value
        tally = cz.Tally(measure)
        for pair in pairs:
            tally.update(*pair)
        assert tally.compute().value == total.value


@given(positions, scored, st.sampled_from([0, 1, 2]))
def test_seconds_are_units_of_length_1(reference, scores, tolerance):
    units = cz.boundary_curve(cz.Segmentation.from_positions(20, sorted(reference)), scores, tolerance=tolerance)
    tier = cz.Segmentation.from_times(sorted(reference), duration=20)
    timed = cz.boundary_curve(tier, [(i, score) for i, score in enumerate(scores, 1)], tolerance=f"{tolerance}s")
    assert points(timed) == points(units)
    assert timed.density == pytest.approx(60 * units.density)


@given(positions, st.sets(st.integers(1, 19), max_size=8), st.sampled_from([0, 1, 2]))
def test_marks_without_scores_have_precision_times_recall(reference, hypothesis, tolerance):
    a, b = (cz.Segmentation.from_positions(20, sorted(side)) for side in (reference, hypothesis))
    if reference:
        f = cz.boundary_f(a, b, tolerance=tolerance)
        expected = f.precision() * f.recall()
        assert cz.average_precision(a, b, tolerance=tolerance).value == pytest.approx(expected)


def test_rounding_does_not_lose_a_pair():
    reference = cz.Segmentation.from_times([1.1, 3.732], duration=5)
    curve = cz.boundary_curve(reference, [(0.6, 0.9), (0.732, 0.1)], tolerance="0.5s")
    assert curve.matches.tolist() == [1, 1]
    assert cz.boundary_curve(reference, [(0.6, 0.9), (0.732, 0.1)], tolerance=3).matches.tolist() == [1, 2]


def test_a_threshold_is_chosen_on_one_corpus_and_applied_to_another():
    development = cz.boundary_curve(cz.Segmentation.from_positions(5, [2]), [0.1, 0.6, 0.2, 0.3])
    assert development.best_threshold == 0.6
    reference = cz.Segmentation.from_positions(5, [1, 4])
    curve = cz.boundary_curve(reference, [0.9, 0.7, 0.2, 0.5], threshold_from=development)
    assert curve.chosen == development.best
    assert (curve.applied.threshold, curve.applied.matches, curve.applied.marked) == (0.6, 1, 2)
    assert curve.applied.f == float(Fraction(2, 4))
    assert curve.best.f == float(Fraction(2 * 2, 5))  # too good: chosen on the same text
    fixed = cz.boundary_curve(reference, [0.9, 0.7, 0.2, 0.5], threshold_from=0.6)
    assert fixed.applied == curve.applied
    with pytest.raises(OptionError, match="same options"):
        cz.boundary_curve(reference, [0.9, 0.7, 0.2, 0.5], tolerance=1, threshold_from=development)
    with pytest.raises(OptionError, match="finite number; got nan"):
        cz.boundary_curve(reference, [0.9, 0.7, 0.2, 0.5], threshold_from=float("nan"))


def test_a_curve_without_scores_marks_nothing():
    assert cz.boundary_curve(cz.Segmentation.from_masses([1]), []).best.f == 1
    curve = cz.boundary_curve(cz.Segmentation.from_times([1], duration=2), cz.BoundaryScores([], []))
    assert (curve.average_precision, curve.best_threshold, curve.best_f) == (0, None, 0)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], r"5 units has 4 inner positions.*got 5; the end of the text is no inner position"),
        ([0.1, 0.2, 0.3], "needs 4 scores; got 3"),
        ([(0.5, 0.1)], "reference has units, scores has seconds"),
    ],
)
def test_scores_that_do_not_fit_the_text(scores, message):
    with pytest.raises(MismatchError, match=message):
        cz.boundary_curve(cz.Segmentation.from_positions(5, [2]), scores)
    with pytest.raises(MismatchError, match=message):
        cz.average_precision(cz.Segmentation.from_positions(5, [2]), scores)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, float("nan"), 0.3, 0.4], r"scores\[1\]: expected a finite number; got nan"),
        ([0.1, float("inf"), 0.3, 0.4], r"scores\[1\]: .*got inf"),
        (np.array([0.1, np.nan, 0.3, 0.4]), r"scores\[1\]: .*got nan"),
        ([0.1, None, 0.3, 0.4], r"scores\[1\]: .*got None"),
        ([0.1, "x", 0.3, 0.4], r"scores\[1\]: .*got 'x'"),
        ([(1, 0.5), (1, 0.7)], r"times\[1\]: times must ascend; 1 occurs twice"),
        ([(2, 0.5), (1, 0.7)], r"times\[1\]: times must ascend; 1 comes after 2"),
        ([(2, 0.5), (3, 0.7, 1)], r"scores\[1\]: expected \(time, score\)"),
        ([(2, 0.5), (float("nan"), 0.7)], r"scores\[1\]: time must be a time in seconds; got nan"),
    ],
)
def test_invalid_scores_are_named(scores, message):
    with pytest.raises(ScoresError, match=message):
        cz.boundary_curve(cz.Segmentation.from_positions(5, [2]), scores)


def test_times_outside_the_recording():
    reference = cz.Segmentation.from_times([1], duration=2)
    with pytest.raises(MismatchError, match=r"2\.5 s lies outside the extent of the reference, 0-2 s"):
        cz.boundary_curve(reference, [(1, 0.5), (2.5, 0.7)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": "0.5s"}, "is in seconds, but the texts have units"),
        ({"min_distance": "0.5s"}, "is in seconds, but the texts have units"),
        ({"tolerance": -1}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"compat": "sklearn"}, "boundary_curve has no preset 'sklearn'.*wtpsplit"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(OptionError, match=message):
        cz.boundary_curve(cz.Segmentation.from_positions(5, [2]), [0.1, 0.2, 0.3, 0.4], **options)


def test_an_error_names_the_item():
    reference = cz.Segmentation.from_positions(5, [2])
    with pytest.raises(MismatchError, match="item 'b': scores: a text of 5 units"):
        cz.boundary_curve({"a": reference, "b": reference}, {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4, 5]})


def test_values_are_immutable_and_compare_by_content():
    scores = cz.BoundaryScores([0.1, 0.9])
    assert scores == cz.BoundaryScores(np.array([0.1, 0.9]))
    assert scores != cz.BoundaryScores([0.1, 0.9], [1, 2])
    assert hash(scores) == hash(cz.BoundaryScores([0.1, 0.9]))
    with pytest.raises(AttributeError, match="immutable"):
        scores.scores = None


@pytest.mark.parametrize(("text", "tolerance"), [("ap", 0), ("AP@2", 2), ("AP@0.5s", "0.5s"), ("ap@5%", "5%")])
def test_names_that_people_type(text, tolerance):
    assert cz.parse(text) == cz.parse(f"average_precision(tolerance={tolerance!r})")
