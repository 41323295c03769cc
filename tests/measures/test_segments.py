"""Measures of segments: figures, other programs, definitions, and laws on both axes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, Undefined
from oracle import segments as oracle
from support.oracles import read_oracle

UNITS = read_oracle("units.jsonl")[1:]
PYANNOTE = read_oracle("pyannote.jsonl")[1:]
SEGMENTS = ("purity_coverage", "covering", "alignment_index", "rand_index", "adjusted_rand_index")
CLASSES = ("pairwise_f", "v_measure", "nce")
masses = cz.Segmentation.from_masses

# reference, hypothesis: purity, coverage, covering (and back), A, rand, ari, pairwise F, V
FIGURES = [
    ((2, 3, 6), (5, 6), "9/11 1 43/55 9/11 2/3 49/55 .7755 .8636 .8183"),
    ((2, 3, 6), (2, 2, 7), "10/11 10/11 64/77 28/33 53/63 47/55 .6936 .8095 .7716"),
    ((2, 3, 6), (2, 3, 3, 3), "1 8/11 8/11 8/11 3/4 46/55 .5926 .6897 .8403"),
    ((2, 3, 6), (1, 1, 1, 2, 6), "1 9/11 9/11 26/33 3/5 52/55 .8747 .9143 .8691"),
    ((8, 2, 1), (2, 8, 1), "9/11 9/11 63/110 63/110 21/40 31/55 .1247 .5862 .4616"),
    ((5,), (1, 1, 1, 1, 1), "1 1/5 1/5 1/5 1/5 0 0 0 0"),
]


@pytest.mark.parametrize(("reference", "hypothesis", "figures"), FIGURES)
def test_figures(reference, hypothesis, figures):
    a, b = masses(reference), masses(hypothesis)
    both = cz.purity_coverage(a, b).parts
    values = [both["purity"], both["coverage"], cz.covering(a, b), cz.covering(a, b, direction="hypothesis")]
    values += [cz.alignment_index(a, b), cz.rand_index(a, b), cz.adjusted_rand_index(a, b)]
    values += [measure(a, b, over="segments") for measure in (cz.pairwise_f, cz.v_measure)]
    for value, text in zip(map(float, values), figures.split(), strict=True):
        if text.startswith("."):
            assert f"{value:.4f}".lstrip("0") == text
        else:
            assert value == pytest.approx(float(Fraction(text)), abs=1e-15)


def over_segments(a, b) -> dict[str, list[float]]:
    """Return what the oracle files contain, for two annotations on any axis."""
    both = cz.purity_coverage(a, b)
    rows = {
        "purity": [both.parts["purity"]],
        "coverage": [both.parts["coverage"]],
        "covering": [cz.covering(a, b).value],
        "A": [cz.alignment_index(a, b).value],
        "rand": [cz.rand_index(a, b).value],
        "ari": [cz.adjusted_rand_index(a, b).value],
    }
    for name, measure in (("pairwise", cz.pairwise_f), ("v", cz.v_measure), ("nce", cz.nce)):
        score = measure(a, b, over="segments")
        ends = ("precision", "recall") if name == "pairwise" else ("over", "under")
        rows[name] = [*(score.parts[end] for end in ends), score.value]
    return rows


def expected_numbers(value) -> list[float]:
    return [float(Fraction(x)) if isinstance(x, str) else x for x in (value if isinstance(value, list) else [value])]


@pytest.mark.parametrize("case", UNITS, ids=lambda case: str(case["id"]))
def test_units_oracle(case):
    a, b = masses(case["ref"]), masses(case["hyp"])
    right = case["right"]
    for name, values in over_segments(a, b).items():
        assert values == pytest.approx(expected_numbers(right[name]), abs=1e-9), name
    assert cz.purity_coverage(a, b).value == pytest.approx(right["purity_coverage_f"], abs=1e-9)
    assert cz.covering(b, a).value == pytest.approx(right["covering_back"], abs=1e-9)
    assert [cz.alignment_index(a, b, ties="all").value] == pytest.approx(expected_numbers(right["A_ties_all"]))
    reverse = cz.alignment_index(a.reversed(), b.reversed())
    assert [reverse.value] == pytest.approx(expected_numbers(right["A_reversed"]))
    in_time = over_segments(*(cz.Segmentation.from_times(x.inner, duration=x.length) for x in (a, b)))
    for name, value in right["continuous"].items():
        assert in_time[name] == pytest.approx(expected_numbers(value), abs=1e-9), name


@pytest.mark.parametrize("case", [c for c in PYANNOTE if c["kind"] == "partition"], ids=lambda case: str(case["id"]))
def test_partitions_in_seconds(case):
    a, b = (cz.Segmentation.from_times(x[1:-1], begin=x[0], duration=x[-1]) for x in (case["ref"], case["hyp"]))
    right = case["right"] | case["right"]["frame_free"]
    for name, values in over_segments(a, b).items():
        assert values == pytest.approx(expected_numbers(right[name]), abs=1e-9), name


LABELLED = [c for c in PYANNOTE if c["kind"] == "labelled with gaps"]


@pytest.mark.parametrize("case", LABELLED, ids=lambda case: str(case["id"]))
def test_labels_with_gaps_as_in_pyannote(case):
    a, b = (cz.Tier(rows) for rows in (case["ref"], case["hyp"]))
    score = cz.purity_coverage(a, b, fill=case["peer"]["gap_tolerance"], compat="pyannote")
    for name in ("purity", "coverage"):
        assert score.parts[name] == pytest.approx(case["peer"][name], abs=1e-9)
        assert score.parts[name] == pytest.approx(case["right"][name], abs=1e-9)
    assert score.value == pytest.approx(case["peer"]["f"], abs=1e-9)


MIR_EVAL = read_oracle("mir_eval.jsonl")[1:]
KEYS = [
    ("Pairwise Precision", "pairwise_f", "precision"),
    ("Pairwise Recall", "pairwise_f", "recall"),
    ("Pairwise F-measure", "pairwise_f", "f"),
    ("Rand Index", "rand_index", None),
    ("Adjusted Rand Index", "adjusted_rand_index", None),
    ("NCE Over", "nce", "over"),
    ("NCE Under", "nce", "under"),
    ("NCE F-measure", "nce", None),
    ("V Precision", "v_measure", "over"),
    ("V Recall", "v_measure", "under"),
    ("V-measure", "v_measure", None),
    ("Ref-to-est deviation", "boundary_deviation", "ref_to_est"),
    ("Est-to-ref deviation", "boundary_deviation", "est_to_ref"),
    *(
        (f"{key}@{w}", f"boundary_f(tolerance={w})", part)
        for w in ("0.5", "3.0")
        for key, part in (("Precision", "precision"), ("Recall", "recall"), ("F-measure", "f"))
    ),
]


@pytest.mark.parametrize("case", MIR_EVAL, ids=lambda case: str(case["id"]))
def test_mir_eval_oracle(case):
    """Every number that mir_eval.segment.evaluate prints, except mutual information; and the values without frames."""
    a, b = (
        cz.Tier(
            [(*row, label) for row, label in zip(case[side], case[f"{side}_labels"], strict=True)],
            begin=case[side][0][0],
        )
        for side in ("ref", "est")
    )
    for key, measure, part in KEYS:
        score = cz.parse(measure).replace(compat="mir_eval").score(a, b)
        value = score.value if part is None else score.parts[part]
        assert value == pytest.approx(case["peer"]["evaluate"][key], abs=1e-9, nan_ok=True), key
    for name, measure in (
        ("pairwise", "pairwise_f"),
        ("rand", "rand_index"),
        ("ari", "adjusted_rand_index"),
        ("nce", "nce"),
        ("v", "v_measure"),
    ):
        score = cz.parse(f"{measure}(over=labels, extent=from_zero)").score(a, b)
        ends = ("precision", "recall") if name == "pairwise" else ("over", "under") if name in ("nce", "v") else ()
        values = [*(score.parts[end] for end in ends), score.value]
        assert values == pytest.approx(expected_numbers(case["right"]["frame_free"][name]), abs=1e-9)


@st.composite
def sides(draw: st.DrawFn, *, last: int = 12) -> tuple[list[int], list[str]]:
    cuts = sorted(draw(st.sets(st.integers(1, last - 1), max_size=last - 1)))
    return [0, *cuts, last], draw(st.lists(st.sampled_from("ABC"), min_size=len(cuts) + 1, max_size=len(cuts) + 1))


def annotations(places: list[int], labels: list[str], step: float) -> tuple[cz.Segmentation, cz.Tier]:
    return masses(np.diff(places), labels=labels), tier_of(places, labels, step)


def tier_of(places: list[int], labels: list[str], step: float) -> cz.Tier:
    return cz.Tier([(p * step, q * step, label) for p, q, label in zip(places[:-1], places[1:], labels, strict=True)])


@given(sides(), sides(), st.sampled_from([1, 0.1, 0.7, 60]))
def test_values_by_definition(first, second, step):
    (a_units, a_time), (b_units, b_time) = annotations(*first, step), annotations(*second, step)
    for over in ("segments", "labels"):
        a, b = (
            oracle.segments_of([Fraction(p) for p in places], labels if over == "labels" else None)
            for places, labels in (first, second)
        )
        for x, y in ((a_units, b_units), (a_time, b_time)):
            check_overlaps(x, y, a, b)
            check_entropies(x, y, a, b, over)
        both, rows, columns, alike, every = oracle.rand_over_units(a, b)
        assert cz.rand_index(a_units, b_units, over=over).parts == {"agreeing": alike, "all": every}
        expected = {"joined": both, "reference": rows, "hypothesis": columns}
        assert cz.pairwise_f(a_units, b_units, over=over).parts == expected
        ari = cz.adjusted_rand_index(a_units, b_units, over=over).value
        assert ari == pytest.approx(oracle.adjusted_rand(both, rows, columns, every), abs=1e-9)
        both, rows, columns, every = oracle.squares(a, b)
        ari = cz.adjusted_rand_index(a_time, b_time, over=over).value
        assert ari == pytest.approx(oracle.adjusted_rand(both, rows, columns, every), abs=1e-9)
        rand = cz.rand_index(a_time, b_time, over=over).value
        assert rand == pytest.approx(float((every - rows - columns + 2 * both) / every), abs=1e-9)
        assert cz.pairwise_f(a_time, b_time, over=over).precision() == pytest.approx(float(both / columns), abs=1e-9)


LONG = 2_000_000_000


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, LONG - 1], [LONG - 1, 1]),
        ([1, LONG - 1], [2, LONG - 2]),
        ([LONG - 3, 3], [LONG - 3, 1, 1, 1]),
        ([LONG // 2, LONG // 2], [LONG // 2 + 1, LONG // 2 - 1]),
        ([5, LONG - 1_000_005, 1_000_000], [7, LONG - 1_000_006, 999_999]),
        ([LONG], [LONG - 1, 1]),
    ],
)
def test_adjusted_rand_of_a_long_text_by_definition(first, second):
    """Pairs of units in whole numbers of any size: differences of numbers above 2^53 lose digits as floats."""
    a, b = (oracle.segments_of([Fraction(p) for p in np.cumsum([0, *side]).tolist()]) for side in (first, second))
    shared = [int(size) for size in oracle.common(a, b).values()]
    both, rows, columns = (sum(size * (size - 1) // 2 for size in sizes) for sizes in (shared, first, second))
    expected = oracle.adjusted_rand(both, rows, columns, LONG * (LONG - 1) // 2)
    assert cz.adjusted_rand_index(masses(first), masses(second)).value == pytest.approx(expected, rel=1e-14, abs=1e-15)
    labels = [[str(i) for i in range(len(side))] for side in (first, second)]
    tiers = [
        tier_of([0, *np.cumsum(side).tolist()], names, 1) for side, names in zip((first, second), labels, strict=True)
    ]
    both, rows, columns, every = oracle.squares(a, b)
    expected = oracle.adjusted_rand(both, rows, columns, every)
    for over in ("segments", "labels"):
        value = cz.adjusted_rand_index(*tiers, over=over).value
        assert value == pytest.approx(expected, rel=1e-14, abs=1e-15)


def check_overlaps(x, y, a, b):
    parts = cz.purity_coverage(x, y).parts
    assert parts["coverage"] == pytest.approx(float(oracle.coverage(a, b)), abs=1e-9)
    assert parts["purity"] == pytest.approx(float(oracle.coverage(b, a)), abs=1e-9)
    assert cz.covering(x, y).value == pytest.approx(float(oracle.covering(a, b)), abs=1e-9)
    for ties in ("left", "all"):
        expected = float(oracle.alignment_index(a, b, ties_all=ties == "all"))
        assert cz.alignment_index(x, y, ties=ties).value == pytest.approx(expected, abs=1e-9)


def check_entropies(x, y, a, b, over):
    b_given_a, of_b, a_given_b, of_a = oracle.entropies(a, b)
    v = cz.v_measure(x, y, over=over).parts
    assert v["over"] == pytest.approx(1 - b_given_a / of_b if of_b else 1, abs=1e-9)
    assert v["under"] == pytest.approx(1 - a_given_b / of_a if of_a else 1, abs=1e-9)
    parts = cz.nce(x, y, over=over).parts
    for name, conditional, side in (("over", b_given_a, b), ("under", a_given_b, a)):
        classes = len(oracle.by_class(side))
        assert parts[name] == pytest.approx(1 - conditional / np.log2(classes) if classes > 1 else 1, abs=1e-9)


def tiers(*listed: list[tuple[float, float, str]], end: float) -> list[cz.Tier]:
    return [cz.Tier(rows, end=end) for rows in listed]


@st.composite
def tier_pairs(draw: st.DrawFn) -> tuple[cz.Tier, cz.Tier]:
    """Two tiers with gaps over the same 20 seconds, some of whose edges coincide up to rounding."""
    pair = []
    for _ in range(2):
        cuts = sorted(draw(st.sets(st.integers(0, 200), min_size=2, max_size=9)))
        labels = draw(st.lists(st.sampled_from(["A", "B", "", "C"]), min_size=len(cuts) - 1, max_size=len(cuts) - 1))
        noise = draw(st.sampled_from([0, 1e-10]))
        times = [0.1 * cut + noise * (0 < cut < 200) for cut in cuts]
        rows = [(p, q, x) for p, q, x in zip(times[:-1], times[1:], labels, strict=True) if x]
        pair.append(cz.Tier(rows or [(1, 2, "A")], end=20.0 if times[-1] <= 20 else times[-1]))
    return pair[0], pair[1]


def changed(tier: cz.Tier, change) -> cz.Tier:
    rows = sorted((min(change(s), change(e)), max(change(s), change(e)), x) for s, e, x in tier.intervals)
    ends = sorted(map(change, (tier.begin, tier.end)))
    return cz.Tier(rows, begin=ends[0], end=ends[1])


ALL = [*map(cz.parse, (*SEGMENTS, *CLASSES)), *(cz.parse(f"{name}(over=segments)") for name in CLASSES)]
ALL += [cz.parse("covering(direction=mean)"), cz.parse("alignment_index(ties=all)")]


@given(tier_pairs())
def test_laws_in_seconds(pair):
    a, b = pair
    for measure in ALL:
        value = measure.score(a, b).value
        assert measure.score(a, a).value == 1, measure
        if measure.symmetric:
            assert measure.score(b, a).value == pytest.approx(value, abs=1e-8), measure
        if measure.reversible:
            backwards = [changed(side, lambda t: 20.0 - t) for side in pair]
            assert measure.score(*backwards).value == pytest.approx(value, abs=1e-7), measure
        scaled = [changed(side, lambda t: 3 * t + 5) for side in pair]
        assert measure.score(*scaled).value == pytest.approx(value, abs=1e-7), measure


@given(st.lists(tier_pairs(), min_size=1, max_size=4))
def test_totals_are_finished_from_sums(documents):
    for measure in ALL:
        scores = cz.score_many(documents, measure)
        single = [measure.score(*pair) for pair in documents]
        assert scores.values.tolist() == [score.value for score in single]
        parts = np.array([[sum(score.parts[name] for score in single) for name in measure.part_names(())]])
        assert scores.total.value == pytest.approx(float(measure.finish(parts, ())[0]), abs=1e-12)


def test_only_the_axis_of_pairs_differs():
    a, b = masses([2, 3, 6]), masses([2, 2, 7])
    timed = [cz.Segmentation.from_times(x.inner, duration=11) for x in (a, b)]
    for measure in ("purity_coverage", "covering", "alignment_index", "v_measure(over=segments)", "nce(over=segments)"):
        over_units, in_time = cz.parse(measure).score(a, b), cz.parse(measure).score(*timed)
        assert over_units.value == pytest.approx(in_time.value, abs=1e-15)
        assert "|axis:units|" in over_units.signature
        assert "|axis:time|" in in_time.signature


def test_gaps():
    # a |AAAA|    |BBBB|    b |xx|xx|xxxx|  |
    a, b = tiers([(0, 4, "A"), (8, 12, "B")], [(0, 2, "x"), (2, 4, "y"), (4, 8, "x")], end=12)
    assert cz.purity_coverage(a, b).parts == {"covered": 10, "pure": 12, "total": 12}
    assert cz.purity_coverage(a, b, gaps="ignore").parts == {"covered": 2, "pure": 4, "total": 4}
    c = cz.Tier([(5, 6, "z")], end=12)
    with pytest.raises(Undefined, match="no time has a label on both sides"):
        cz.covering(a, c, gaps="ignore")


def test_extents():
    a, b = cz.Tier([(0, 4, "A"), (4, 10, "B")]), cz.Tier([(2, 5, "A"), (5, 12, "B")], begin=2)
    with pytest.raises(MismatchError, match="the same extent; got reference 0-10 s, hypothesis 2-12 s; set extent to"):
        cz.covering(a, b)
    assert cz.rand_index(a, b, extent="intersection").parts["all"] == 64
    assert cz.rand_index(a, b, extent="union").parts["all"] == 144
    score = cz.rand_index(a, b, extent="reference")
    assert score.parts["all"] == 100
    assert score.params["extent_change"] == 2
    with pytest.raises(MismatchError, match="have no time in common"):
        cz.covering(a, cz.Tier([(20, 30, "A")], begin=20), extent="intersection")


def test_an_unknown_end_is_refused_also_if_extents_may_differ():
    known, unknown = cz.Tier([(0, 4, "A")], end=10), cz.Tier([(0, 4, "A"), (4, 9, "B")], open_end=True)
    with pytest.raises(MismatchError, match="the length of the recording is not known"):
        cz.rand_index(known, unknown, extent="union")


def test_levels_of_a_hierarchy():
    songs = []
    for cut in (30, 33):
        fine = [(0, 9, 2, "a"), (9, cut, 2, "b"), (cut, 90, 2, "c")]
        songs.append(cz.Hierarchy.from_times([(0, cut, 1, "A"), (cut, 90, 1, "B"), *fine]))
    with pytest.raises(MismatchError, match="the hierarchy has the levels 1, 2; choose one with level=1"):
        cz.v_measure(*songs)
    with pytest.raises(MismatchError, match="has no level 3; its levels are 1, 2"):
        cz.v_measure(*songs, level=3)
    tiers_of_level = [cz.Tier([(0, cut, "A"), (cut, 90, "B")]) for cut in (30, 33)]
    assert cz.v_measure(*songs, level=1).value == cz.v_measure(*tiers_of_level).value
    assert cz.covering(*songs, level=2).value > cz.covering(*songs, level=1).value - 1


TEXT, SECONDS = masses([2, 3]), cz.Segmentation.from_times([2], duration=5)


@pytest.mark.parametrize(
    ("measure", "a", "b", "message"),
    [
        ("covering", TEXT, SECONDS, "reference has units, hypothesis has seconds"),
        ("covering", TEXT, masses([4]), "both sides must have the same units; reference has 5, hypothesis has 4"),
        ("pairwise_f", TEXT, TEXT, "reference: pairwise_f needs labels of segments; use over='segments'"),
        ("covering", [2, 3], TEXT, "expected a Segmentation, a Tier or a level of a Hierarchy; got list"),
        ("covering", {"Ann": TEXT, "Bo": TEXT}, TEXT, "hypothesis: expected a mapping from streams"),
    ],
)
def test_bad_input(measure, a, b, message):
    with pytest.raises(MismatchError, match=message):
        getattr(cz, measure)(a, b)


def test_other_bad_input():
    with pytest.raises(OptionError, match="over must be one of 'segments', 'labels'; got 'words'"):
        cz.rand_index(TEXT, TEXT, over="words")
    scores = cz.score_many([(TEXT, TEXT), (SECONDS, SECONDS)], "covering")
    assert str(scores.errors[1]) == "all pairs must be on the same axis; some are in units and some in seconds"
    with pytest.raises(cz.errors.TierError, match="overlap; put intervals that may overlap into one stream each"):
        cz.Tier([(0, 2, "A"), (1, 3, "B")])


def test_identical_annotations_with_one_label():
    """mir_eval gives 0 for them, because their entropy is 0."""
    song = cz.Tier([(0, 10, "A")])
    assert cz.v_measure(song, song).value == cz.nce(song, song).value == 1


@given(st.lists(st.tuples(st.floats(0.1, 5), st.sampled_from("ABCD"), st.sampled_from("XYZ")), min_size=1, max_size=12))
def test_time_without_gaps_has_the_same_classes_when_gaps_are_ignored(parts):
    ends = np.cumsum([length for length, _, _ in parts]).tolist()
    starts = [0.0, *ends[:-1]]
    first, second = (
        cz.Tier([(s, e, part[side]) for s, e, part in zip(starts, ends, parts, strict=True)]) for side in (1, 2)
    )
    for name in ("pairwise_f", "v_measure", "nce", "rand_index(over=labels)", "adjusted_rand_index(over=segments)"):
        measure = cz.parse(name)
        assert dict(measure.score(first, second).parts) == dict(
            measure.replace(gaps="ignore").score(first, second).parts
        )
