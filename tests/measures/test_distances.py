"""Measures of boundaries on an axis: figures, other programs, definitions, and laws on both axes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, Undefined
from oracle import distances as oracle
from support.examples import examples
from support.oracles import read_oracle

masses, times = cz.Segmentation.from_masses, cz.Segmentation.from_times
UNITS, PYANNOTE, CHUNKSEG, MIR_EVAL, WINDOWS = (
    read_oracle(f"{name}.jsonl")[1:] for name in ("units", "pyannote", "chunkseg", "mir_eval", "time_windows")
)
close = pytest.approx


def ratios(score: cz.Score) -> list[float]:
    return [score.precision(), score.recall(), score.value]


def hausdorff(a, b) -> float | str:
    try:
        return cz.hausdorff(a, b).value
    except Undefined:
        return "undefined"


@pytest.mark.parametrize(
    ("reference", "hypothesis", "distance", "cost"),
    [
        ((2, 3, 6), (5, 6), 3, 2),
        ((2, 3, 6), (2, 2, 7), 1, 1),
        ((2, 3, 6), (2, 3, 3, 3), 3, 2),
        ((2, 3, 6), (1, 1, 1, 2, 6), 1, 4),
        ((8, 2, 1), (2, 8, 1), 6, 4),
        ((5,), (1, 1, 1, 1, 1), "undefined", 8),
    ],
)
def test_figures(reference, hypothesis, distance, cost):
    a, b = masses(reference), masses(hypothesis)
    assert hausdorff(a, b) == distance
    assert cz.generalized_hamming(a, b).value == cost


@pytest.mark.parametrize("case", UNITS, ids=lambda case: str(case["id"]))
def test_units_oracle(case):
    a, b, right, peer = masses(case["ref"]), masses(case["hyp"]), case["right"], case["peer"]
    assert hausdorff(a, b) == right["hausdorff"]
    costs = {
        name: peer["nltk_ghd"][key] for name, key in (("insertion", "ins"), ("deletion", "del"), ("shift", "shift"))
    }
    assert cz.generalized_hamming(a, b, **costs).value == close(right["ghd"], abs=1e-9)
    score = cz.boundary_f(a, b, tolerance=right["tolerance"])
    assert score.parts["matches"] == right["matches"]
    assert ratios(score) == close(right["boundary_prf"], abs=1e-9)
    strict = cz.boundary_f(a, b, tolerance=right["margin"], strict=True)
    assert strict.parts["matches"] == right["matches_strict"]
    assert ratios(strict) == close(right["precision_recall_strict"], abs=1e-9)
    precision, recall, f = ratios(cz.boundary_f(a, b, tolerance=5, ends="start"))
    assert [f, precision, recall] == close(right["tcpd_f1_exact"], abs=1e-9)
    check_peers(a, b, right, peer)


def check_peers(a, b, right, peer):
    precision, recall, f = ratios(cz.boundary_f(a, b, compat="tcpd"))
    assert [f, precision, recall] == close(peer["tcpd"]["f1_margin5"], abs=1e-9)
    pyannote = cz.boundary_f(a, b, tolerance=peer["pyannote"]["tolerance"], compat="pyannote")
    assert ratios(pyannote)[:2] == close([peer["pyannote"]["precision"], peer["pyannote"]["recall"]], abs=1e-9)
    ruptures = peer["ruptures"]["precision_recall"]
    if isinstance(ruptures, list):  # else it crashes
        score = cz.boundary_f(a, b, tolerance=right["margin"], compat="ruptures")
        assert ratios(score)[:2] == close(ruptures, abs=1e-9)
    mean = peer["ruptures"]["meantime"]
    if isinstance(mean, float) and mean == mean:
        assert cz.boundary_deviation(a, b, statistic="mean").parts["est_to_ref"] == close(mean, abs=1e-9)


@pytest.mark.parametrize("case", [c for c in PYANNOTE if c["kind"] == "partition"], ids=lambda case: str(case["id"]))
def test_pyannote_oracle(case):
    a, b = (times(x[1:-1], begin=x[0], duration=x[-1]) for x in (case["ref"], case["hyp"]))
    score = cz.boundary_f(a, b, tolerance=case["tolerance"])
    assert list(score.parts.values()) == case["right"]["counts"]
    assert ratios(score) == close(case["right"]["prf"], abs=1e-9)
    peer = cz.boundary_f(a, b, tolerance=case["tolerance"], compat="pyannote")
    assert ratios(peer)[:2] == close([case["peer"]["precision"], case["peer"]["recall"]], abs=1e-9)
    distance = case["right"].get("hausdorff")
    assert hausdorff(a, b) == ("undefined" if distance is None else close(distance, abs=1e-9))


@pytest.mark.parametrize("case", CHUNKSEG, ids=lambda case: str(case["id"]))
def test_chunkseg_oracle(case):
    a, b = (times(case[side], duration=case["duration"]) for side in ("reference", "hypothesis"))
    score = cz.boundary_f(a, b, tolerance="3s")
    assert list(score.parts.values()) == case["right"]["counts"]
    assert ratios(score) == close(case["right"]["collar"], abs=1e-9)
    if "collar_f1" in case["peer"]:
        greedy = cz.boundary_f(a, b, tolerance="3s", matching="nearest")
        assert ratios(greedy) == close([case["peer"][f"collar_{x}"] for x in ("precision", "recall", "f1")], abs=1e-9)


@pytest.mark.parametrize("case", MIR_EVAL, ids=lambda case: str(case["id"]))
def test_mir_eval_oracle(case):
    """With and without the ends of the recordings, which are boundaries like others here: the sides have their own."""
    for trim in ("", " trim"):
        a, b = (points_of(case[side], trimmed=bool(trim)) for side in ("ref", "est"))
        for window in ("0.5", "3.0"):
            score = cz.boundary_f(a, b, tolerance=float(window))
            assert list(score.parts.values()) == case["right"][f"detection@{window}{trim} counts"]
            assert ratios(score) == close(case["right"][f"detection@{window}{trim}"], abs=1e-9)
            peer = cz.boundary_f(a, b, tolerance=float(window), ends="none", compat="mir_eval")
            assert ratios(peer) == close(case["peer"][f"detection@{window}{trim}"], abs=1e-9)
        expected = case["right"][f"deviation{trim}"]
        if isinstance(expected, list) and None not in expected:
            parts = cz.boundary_deviation(a, b).parts
            assert [parts["ref_to_est"], parts["est_to_ref"]] == close(expected, abs=1e-9)


def points_of(intervals: list[list[float]], *, trimmed: bool) -> cz.Tier:
    places = sorted({x for interval in intervals for x in interval})
    if trimmed:
        return times(places[1:-1], begin=places[0], duration=places[-1])
    return times(places, begin=places[0] - 1, duration=places[-1] + 1)


@pytest.mark.parametrize("case", WINDOWS, ids=lambda case: str(case["id"]))
def test_windows_oracle(case):
    a, b = (times(case[side], duration=case["duration"]) for side in ("ref", "hyp"))
    for name, measure in (("pk", cz.pk), ("window_diff", cz.window_diff)):
        score = measure(a, b)
        assert score.params["window"] == close(case["right"]["k_auto"], abs=1e-12)
        assert score.value == close(case["right"][name], abs=1e-9)
        k = case["right"]["given_k"]
        for window in (k, f"{k}s", f"{1000 * k}ms"):
            assert measure(a, b, window=window).value == close(case["right"][f"{name}_given"], abs=1e-9)


places = st.sets(st.integers(1, 19), max_size=4).map(sorted)


@examples(60)
@given(places, places, st.integers(0, 5), st.sampled_from([1, 0.1, 0.3]))
def test_values_by_definition(first, second, tolerance, step):
    a, b = ([Fraction(p) for p in side] for side in (first, second))
    units = [cz.Segmentation.from_positions(20, side) for side in (first, second)]
    seconds = [times([p * step for p in side], duration=20 * step) for side in (first, second)]
    for sides, scale in ((units, 1), (seconds, step)):
        matches = cz.boundary_f(*sides, tolerance=tolerance * scale).parts["matches"]
        assert matches == oracle.most_pairs(a, b, Fraction(tolerance))
        cost = cz.generalized_hamming(*sides, insertion=1.5 * scale, deletion=2.5 * scale).value
        assert cost == close(
            float(oracle.edit_cost(a, b, Fraction(3, 2), Fraction(5, 2), Fraction(1))) * scale, abs=1e-9
        )
        if a and b:
            to_b, to_a = oracle.nearest(a, b), oracle.nearest(b, a)
            assert cz.hausdorff(*sides).value == close(float(max(to_a + to_b)) * scale, abs=1e-9)
            parts = cz.boundary_deviation(*sides).parts
            assert parts["ref_to_est"] == close(float(oracle.median(to_b)) * scale, abs=1e-9)
            assert parts["est_to_ref"] == close(float(oracle.median(to_a)) * scale, abs=1e-9)
    k = Fraction(tolerance + 1)
    for measure, expected in zip((cz.pk, cz.window_diff), oracle.windows(a, b, Fraction(20), k), strict=True):
        assert measure(*seconds, window=float(k) * step).value == close(float(expected), abs=1e-9)
        # At whole times, the discrete measure over this grid is the same.
        assert measure(*units, window=tolerance + 1).value == close(float(expected), abs=1e-9)


tenths = st.sets(st.integers(1, 599), max_size=8).map(lambda x: [t / 10 for t in sorted(x)])
MEASURES = [
    "boundary_f(tolerance=0.5)",
    "boundary_f(tolerance='5%', ends=both)",
    "boundary_deviation(ends=both)",
    "boundary_deviation(ends=both, statistic=mean)",
    "hausdorff(ends=both)",
    "generalized_hamming(normalize=worst)",
    "pk",
    "window_diff",
]


@given(tenths, tenths)
def test_laws_in_seconds(first, second):
    a, b = times(first, duration=60), times(second, duration=60)
    backwards = [times([60 - t for t in reversed(side)], duration=60) for side in (first, second)]
    for text in MEASURES:
        measure = cz.parse(text)
        value = measure.score(a, b).value
        assert measure.score(a, a).value == measure.best, text
        assert measure.score(*backwards).value == close(value, abs=1e-7), text
        if measure.symmetric:
            assert measure.score(b, a).value == close(value, abs=1e-9), text


@given(tenths, tenths, st.sampled_from([0.5, 3, 60]))
def test_time_can_be_scaled_with_the_tolerance(first, second, factor):
    a, b = times(first, duration=60), times(second, duration=60)
    scaled = [times([t * factor for t in side], duration=60 * factor) for side in (first, second)]
    for tolerance in (0, 0.5, 3):
        plain, longer = cz.boundary_f(a, b, tolerance=tolerance), cz.boundary_f(*scaled, tolerance=tolerance * factor)
        assert plain.parts == longer.parts
    assert cz.pk(a, b, window=2).value == close(cz.pk(*scaled, window=2 * factor).value, abs=1e-7)
    assert cz.hausdorff(a, b, ends="both").value * factor == close(cz.hausdorff(*scaled, ends="both").value, abs=1e-7)


@given(tenths, tenths, st.sampled_from([0.5, 1, 3]))
def test_greedy_rules_never_find_more_pairs(first, second, tolerance):
    a, b = times(first, duration=60), times(second, duration=60)
    most = cz.boundary_f(a, b, tolerance=tolerance).parts["matches"]
    for matching in ("nearest", "in_order", "ruptures", "mir_eval"):
        assert cz.boundary_f(a, b, tolerance=tolerance, matching=matching).parts["matches"] <= most


@given(st.lists(st.tuples(tenths, tenths), min_size=1, max_size=4))
def test_totals_are_finished_from_sums(documents):
    pairs = [tuple(times(side, duration=60) for side in pair) for pair in documents]
    for text in MEASURES:
        scores = cz.score_many(pairs, text)
        assert scores.values.tolist() == [cz.parse(text).score(*pair).value for pair in pairs]
        assert scores.total.value == close(sum(cz.parse(text).score(*pair) for pair in pairs).value, abs=1e-12)


def test_a_greedy_search_loses_a_pair():
    # reference   |     12  15.5        hypothesis  | 10  13
    a, b = times([12, 15.5], duration=60), times([10, 13], duration=60)
    assert cz.boundary_f(a, b, tolerance="3s").value == 1
    assert [cz.boundary_f(a, b, tolerance=3, compat=x).value for x in ("pyannote",)] == [0.5]
    edits = cz.boundary_f(a, b, tolerance="3s").edits
    assert [(edit.a_position, edit.b_position) for edit in edits] == [(12.0, 10.0), (15.5, 13.0)]


def test_rounding_does_not_decide():
    assert 1.1 - 0.6 > 0.5
    assert cz.boundary_f(times([1.1], duration=2), times([0.6], duration=2), tolerance=0.5).value == 1
    assert cz.boundary_f(times([0.1 + 0.2], duration=2), times([0.3], duration=2)).value == 1


def test_signature_tells_the_axis_and_the_unit():
    a = times([12, 15.5], duration=60)
    signature = cz.boundary_f(a, a, tolerance=0.5).signature
    assert "|tolerance:'0.5s'|" in signature or "|tolerance:0.5s|" in signature
    assert "|axis:time|" in signature
    assert "|ends:none|" in signature
    assert "|matching:maximum|" in signature
    text = masses([2, 3])
    assert "|tolerance:1|" in cz.boundary_f(text, text, tolerance=1).signature


def test_per_cent_and_ends():
    a, b = times([10, 50], duration=100), times([14, 56], duration=100)
    assert cz.boundary_f(a, b, tolerance="5%").parts == {"matches": 1, "reference": 2, "hypothesis": 2}
    assert cz.boundary_f(a, b, tolerance="5%", ends="both").parts == {"matches": 3, "reference": 4, "hypothesis": 4}
    units = [cz.Segmentation.from_positions(100, x) for x in ([10, 50], [14, 56])]
    assert cz.boundary_f(*units, tolerance="5%").parts == {"matches": 1, "reference": 2, "hypothesis": 2}


def test_extent_matters_only_where_it_is_used():
    a, b = times([10, 20], duration=60), times([10, 20], duration=70)
    assert cz.boundary_f(a, b).value == 1
    assert cz.hausdorff(a, b).value == cz.boundary_deviation(a, b).value == cz.generalized_hamming(a, b).value == 0
    for call in (
        lambda: cz.boundary_f(a, b, tolerance="5%"),
        lambda: cz.boundary_f(a, b, ends="both"),
        lambda: cz.hausdorff(a, b, ends="end"),
        lambda: cz.pk(a, b),
    ):
        with pytest.raises(MismatchError, match="reference 0-60 s, hypothesis 0-70 s; set extent to 'reference', "):
            call()
    assert cz.pk(a, b, extent="intersection").value == 0


@pytest.mark.parametrize("empty", ["one", "zero", "side"])
def test_empty_sides(empty):
    none, some = times([], duration=60), times([5], duration=60)
    value = {"one": 1, "zero": 0, "side": 1}[empty]
    assert ratios(cz.boundary_f(none, none, empty=empty)) == [value] * 3
    side = 1 if empty == "side" else 0
    assert ratios(cz.boundary_f(some, none, empty=empty)) == [side, 0, 0]
    assert ratios(cz.boundary_f(none, some, empty=empty)) == [0, side, 0]


def test_undefined_distances():
    none, some = times([], duration=60), times([5], duration=60)
    for measure in (cz.hausdorff, cz.boundary_deviation):
        assert measure(none, none).value == 0
        with pytest.raises(Undefined, match="needs boundaries on both sides; only one side has any"):
            measure(none, some)
        assert measure(none, some, ends="both").value >= 0


def test_streams_are_added():
    tiers = {"Ann": cz.Tier([(0, 4, "x"), (4, 9, "y")]), "Bo": cz.Tier([(0, 5, "x"), (5, 9, "y")])}
    moved = {"Ann": cz.Tier([(0, 5, "x"), (5, 9, "y")]), "Bo": cz.Tier([(0, 5, "x"), (5, 9, "y")])}
    expected = {"matches": 1, "reference": 2, "hypothesis": 2}
    assert cz.parse("F1").score(cz.Dialogue(tiers), cz.Dialogue(moved)).parts == expected
    both = cz.parse("purity_coverage").score(cz.Dialogue(tiers), cz.Dialogue(moved))
    assert both.parts["total"] == 18


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": -1}, "tolerance must be a number from 0 up; got -1"),
        ({"tolerance": float("nan")}, "tolerance must be a number; got nan"),
        ({"tolerance": "1 h"}, "tolerance must be a number, or a text such as '0.5s', '500ms' or '5%'; got '1 h'"),
        ({"compat": "nltk"}, "boundary_f has no preset 'nltk'"),
        ({"ends": "left"}, "ends must be one of 'none', 'start', 'end', 'both', 'marked'; got 'left'"),
    ],
)
def test_invalid_options(options, message):
    a = times([5], duration=60)
    with pytest.raises(OptionError) as caught:
        cz.boundary_f(a, a, **options)
    assert str(caught.value).startswith(message)


def test_windows_in_seconds_refuse_options_of_units():
    a, b = times([5], duration=60), masses([2, 3])
    with pytest.raises(OptionError, match="pk: padded needs units"):
        cz.pk(a, a, padded=True)
    with pytest.raises(OptionError, match="window must be shorter than the recording of 60 s; got 60 s"):
        cz.pk(a, a, window=60)
    with pytest.raises(OptionError, match="window='5s' is in seconds, but the texts have units"):
        cz.pk(b, b, window="5s")
    with pytest.raises(MismatchError, match=r"expected a Segmentation; got Tier"):
        cz.win_pr(a, a)


def test_recordings_that_begin_at_different_times() -> None:
    """
    a  2 |---A---|---B---| 10      without an option refused; the union begins at 0
    b  0 |-A-|-----B-----| 10
    """
    a, b = cz.Tier([(2, 6, "A"), (6, 10, "B")], begin=2, end=10), cz.Tier([(0, 3, "A"), (3, 10, "B")], end=10)
    with pytest.raises(cz.errors.MismatchError, match="same extent; got reference 2-10 s, hypothesis 0-10 s"):
        cz.window_diff(a, b, window="1s")
    for order in ((a, b), (b, a)):
        score = cz.purity_coverage(*order, extent="union")
        assert score.params["extent_change"] == 2
        assert score.value == cz.purity_coverage(*order[::-1], extent="union").value
    # Union: a has the segments 0-2, 2-6 and 6-10. Coverage of a: 2 + 3 + 4 of 10 s; purity of b: 2 + 4 of 10 s.
    parts = cz.purity_coverage(a, b, extent="union").parts
    assert (parts["coverage"], parts["purity"]) == (pytest.approx(0.9), pytest.approx(0.6))


def test_a_strict_tolerance_between_two_positions() -> None:
    one, two = cz.Segmentation.from_positions(9, [3]), cz.Segmentation.from_positions(9, [4])
    values = [cz.boundary_f(one, two, tolerance=tolerance, strict=True).value for tolerance in (0.5, 1, 1.5)]
    assert values == [0, 0, 1]
