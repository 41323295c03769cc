"""Labels over time: the oracle files, the definition on a grid, corpora, streams, and bad input."""

from __future__ import annotations

import contextlib
from itertools import combinations, groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from oracle import label_share as oracle
from support.oracles import read_oracle

KAPPA = read_oracle("time_kappa.jsonl")[1:]
NEAR = read_oracle("time_kappa_tolerance.jsonl")[1:]


def tiers(case) -> list[cz.Tier]:
    return [cz.Tier(intervals, end=case["duration"]) for intervals in case["coders"]]


def one_item(annotations) -> cz.Corpus:
    return cz.Corpus({"item": {f"coder {i}": annotation for i, annotation in enumerate(annotations)}})


@pytest.mark.parametrize(("gaps", "key"), [("segment", "gaps=category"), ("ignore", "gaps=ignore")])
@pytest.mark.parametrize("case", KAPPA, ids=lambda case: str(case["id"]))
def test_time_kappa_oracle(case, gaps, key):
    right, coders = case["right"][key], tiers(case)
    for coefficient in ("kappa", "pi"):
        measure = cz.parse(f"label_share(gaps={gaps})")
        if right is None or right[coefficient] == "undefined":
            with pytest.raises((cz.errors.Undefined, cz.errors.OptionError)):
                cz.agreement(one_item(coders), measure, coefficient=coefficient)
            continue
        result = cz.agreement(one_item(coders), measure, coefficient=coefficient)
        assert result.value == pytest.approx(right[coefficient], abs=1e-9)
        assert result.observed == pytest.approx(right["observed"], abs=1e-9)
        assert result.expected == pytest.approx(right[f"expected_{coefficient}"], abs=1e-9)
        if len(coders) == 2:
            score = cz.label_share(*coders, coefficient=coefficient, gaps=gaps)
            assert score.value == pytest.approx(right[coefficient], abs=1e-9)
            assert cz.label_share(*coders, gaps=gaps).value == pytest.approx(right["observed"], abs=1e-9)


@pytest.mark.parametrize("case", NEAR, ids=lambda case: str(case["id"]))
def test_tolerance_oracle(case):
    right, (a, b) = case["right"], tiers(case)
    measure = cz.parse(f"time_kappa(tolerance='{case['tolerance']}s')")
    if right["value"] == "undefined":
        with pytest.raises(cz.errors.Undefined):
            measure.score(a, b)
        with pytest.raises(cz.errors.Undefined):
            cz.agreement(one_item([a, b]), measure)
        return
    score = measure.score(a, b)
    assert score.value == pytest.approx(right["value"], abs=1e-9)
    assert score.parts["kappa_reference_base"] == pytest.approx(right["first as base"][0], abs=1e-9)
    assert score.parts["kappa_hypothesis_base"] == pytest.approx(right["second as base"][0], abs=1e-9)
    assert cz.agreement(one_item([a, b]), measure).value == pytest.approx(right["value"], abs=1e-9)


def tier_of(grid: oracle.Grid, step: float = 0.25) -> cz.Tier:
    """The labels of equal steps as intervals; equal neighbours are one interval."""
    intervals, place = [], 0
    for label, steps in groupby(grid):
        start, place = place, place + len(list(steps))
        if label is not None:
            intervals.append((start * step, place * step, label))
    return cz.Tier(intervals, end=len(grid) * step)


def text_of(grid: oracle.Grid) -> cz.Segmentation:
    return cz.Segmentation.from_labels(["" if label is None else label for label in grid])


labels = st.sampled_from([None, "A", "B", "C"])


@st.composite
def grids(draw: st.DrawFn, *, coders: int) -> list[oracle.Grid]:
    n = draw(st.integers(1, 12))
    return [draw(st.lists(labels, min_size=n, max_size=n)) for _ in range(coders)]


@given(st.integers(2, 4).flatmap(lambda n: grids(coders=n)), st.booleans())
def test_agreement_by_definition(coders, ignore_gaps):
    expected = oracle.coefficients(coders, ignore_gaps=ignore_gaps)
    measure = cz.parse(f"label_share(gaps={'ignore' if ignore_gaps else 'segment'})")
    for name in ("kappa", "pi"):
        for convert in (tier_of, text_of):
            corpus = one_item(map(convert, coders))
            if convert is text_of and any(set(coder) == {None} for coder in coders):
                continue  # a text whose labels are all empty
            if ignore_gaps and not all_share_time(coders):
                # Pairs that label no time together are left out and listed; without a pair, the value is undefined.
                with contextlib.suppress(cz.errors.Undefined, cz.errors.OptionError):
                    assert cz.agreement(corpus, measure, coefficient=name).excluded
            elif expected[name] is None:
                with pytest.raises((cz.errors.Undefined, cz.errors.OptionError)):
                    cz.agreement(corpus, measure, coefficient=name)
            else:
                assert cz.agreement(corpus, measure, coefficient=name).value == pytest.approx(float(expected[name]))


def all_share_time(coders) -> bool:
    """Whether some time is labelled by all coders."""
    return any(None not in step for step in zip(*coders, strict=True))


@given(grids(coders=2), st.integers(0, 4))
def test_tolerance_by_definition(coders, steps):
    a, b = coders
    kappas = [oracle.near_kappa(a, b, steps), oracle.near_kappa(b, a, steps)]
    measure = cz.parse(f"time_kappa(tolerance='{steps * 0.25}s')")
    if None in kappas:
        with pytest.raises(cz.errors.Undefined):
            measure.score(tier_of(a), tier_of(b))
    else:
        value = measure.score(tier_of(a), tier_of(b)).value
        assert value == pytest.approx(float(sum(kappas) / 2))
        assert measure.score(tier_of(b), tier_of(a)).value == pytest.approx(value)


@given(st.lists(grids(coders=2), min_size=1, max_size=4))
def test_items_are_summed_with_shared_labels(items):
    """A corpus equals the recording in which its items follow each other."""
    corpus = cz.Corpus({str(i): {"a": tier_of(a), "b": tier_of(b)} for i, (a, b) in enumerate(items)})
    a, b = ([label for pair in items for label in pair[side]] for side in (0, 1))
    expected = oracle.coefficients([a, b])
    for name in ("kappa", "pi"):
        if expected[name] is None:
            with pytest.raises(cz.errors.Undefined):
                cz.agreement(corpus, "label_share", coefficient=name, interval=None)
        else:
            result = cz.agreement(corpus, "label_share", coefficient=name, interval=None)
            assert result.value == pytest.approx(float(expected[name]))


def test_streams_are_added():
    """The example of a mother and an infant: lengths of both streams are summed before kappa is computed."""
    ann = cz.Dialogue(
        {"infant": cz.Tier([(0, 6, "play"), (6, 10, "cry")]), "mother": cz.Tier([(2, 5, "hold")], end=10)}
    )
    bo = cz.Dialogue({"infant": cz.Tier([(0, 7, "play"), (7, 10, "cry")]), "mother": cz.Tier([(2, 6, "hold")], end=10)})
    # agreed 9 + 9 of 20; play 6, 7; cry 4, 3; hold 3, 4; none 7, 6
    expected = (6 * 7 + 4 * 3 + 3 * 4 + 7 * 6) / 400
    value = (18 / 20 - expected) / (1 - expected)
    assert cz.agreement(one_item([ann, bo]), "time_kappa").value == pytest.approx(value)
    assert cz.score_many([(ann, bo)], "time_kappa").values[0] == pytest.approx(value)


def test_coders_who_miss_items():
    """pi counts each coder and item once; kappa averages the pairs that share an item."""
    a, b, c = (cz.Tier([(0, x, "A"), (x, 10, "B")]) for x in (4, 5, 6))
    corpus = cz.Corpus({"1": {"a": a, "b": b}, "2": {"a": a, "b": b, "c": c}})
    observed = (9 + 9 + 8 + 9) / 40
    pooled = (4 * 2 + 5 * 2 + 6) / 50
    pi = pooled**2 + (1 - pooled) ** 2
    kappa = (0.5 + 0.48 + 0.5) / 3
    for name, expected in (("pi", pi), ("kappa", kappa)):
        result = cz.agreement(corpus, "label_share", coefficient=name, interval=None)
        assert result.observed == pytest.approx(observed)
        assert result.expected == pytest.approx(expected)


@pytest.mark.parametrize("coefficient", ["kappa", "pi"])
def test_agreement_of_each_pair_is_that_of_two_coders_alone(coefficient):
    """Four coders, who label two of three texts or all of them."""
    texts = {
        "first": {"ann": "AABBC", "bo": "AABCC", "cy": "ABBBB", "di": "CCCCA"},
        "second": {"ann": "ABAB", "bo": "ABBB", "di": "AAAB"},
        "third": {"bo": "BBC", "cy": "BCC", "ann": "CCC"},
    }
    corpus = cz.Corpus(
        {item: {coder: text_of(list(text)) for coder, text in row.items()} for item, row in texts.items()}
    )
    result = cz.agreement(corpus, "label_share", coefficient=coefficient, interval=None)
    assert len(result.pairs) == 6
    for pair in result.pairs:
        alone = cz.agreement(corpus.select(coders=pair.coders), "label_share", coefficient=coefficient, interval=None)
        assert pair.value == pytest.approx(alone.value, abs=1e-12)
    mean = cz.agreement(corpus, "label_share", coefficient="kappa", interval=None).expected
    rates = {}
    for coder in ("ann", "bo", "cy", "di"):
        units = "".join(row[coder] for row in texts.values() if coder in row)
        rates[coder] = {label: units.count(label) / len(units) for label in "ABC"}
    products = [sum(rates[x][label] * rates[y][label] for label in "ABC") for x, y in combinations(rates, 2)]
    assert mean == pytest.approx(sum(products) / 6, abs=1e-12)


def test_parts_and_signature():
    a, b = cz.Tier([(0, 6, "play"), (6, 9, "cry")], end=10), cz.Tier([(0, 7, "play"), (7, 10, "cry")])
    score = cz.label_share(a, b)
    reference = {"reference_unlabelled": 1, "reference[cry]": 3, "reference[play]": 6}
    hypothesis = {"hypothesis_unlabelled": 0, "hypothesis[cry]": 3, "hypothesis[play]": 7}
    assert dict(score.parts) == {"length": 10, "agreed": 8, **reference, **hypothesis}
    assert "axis:time" in score.signature
    assert "tolerance:'2s'" in cz.label_share(a, b, tolerance="2s").signature
    assert cz.parse(repr(cz.parse("time_kappa(tolerance='2s')"))) == cz.parse("time_kappa(tolerance='2s')")
    total = cz.parse("label_share").total([score, cz.label_share(b, b)])
    assert total.value == pytest.approx(0.9)


def test_one_label_cut_in_two_is_no_disagreement():
    whole, halves = cz.Tier([(0, 10, "A")]), cz.Tier([(0, 5, "A"), (5, 10, "A")])
    assert cz.label_share(whole, halves).value == 1


LABELLED, TEXT = cz.Tier([(0, 10, "A")]), cz.Segmentation.from_labels(list("AAB"))
LEVELS = cz.Hierarchy.from_times([(0, 10, 1, "A"), (0, 5, 2, "B"), (5, 10, 2, "C")])
EARLY, LATE = cz.Tier([(0, 5, "A")], end=10), cz.Tier([(5, 10, "A")])
POINTS, MASSES = cz.Tier(points=[(2, "x")], end=10), cz.Segmentation.from_masses([1, 2])


@pytest.mark.parametrize(
    ("a", "b", "options", "error", "message"),
    [
        (LABELLED, POINTS, {}, "MismatchError", "hypothesis: label_share compares labels, and the segments"),
        (MASSES, TEXT, {}, "MismatchError", "reference: label_share compares labels"),
        (TEXT, TEXT, {"tolerance": "1s"}, "OptionError", "is in seconds, but the texts have units"),
        (LABELLED, LABELLED, {"tolerance": 1, "coefficient": "pi"}, "OptionError", "kappa only"),
        (LABELLED, LABELLED, {"coefficient": "kappa"}, "Undefined", "chance agreement is 1"),
        (EARLY, LATE, {"gaps": "ignore"}, "Undefined", "no time has a label on both sides"),
        (LEVELS, LEVELS, {}, "MismatchError", "the hierarchy has the levels 1, 2; choose one"),
    ],
)
def test_bad_input(a, b, options, error, message):
    with pytest.raises(getattr(cz.errors, error), match=message):
        cz.label_share(a, b, **options)


def test_other_bad_input():
    with pytest.raises(cz.errors.OptionError, match="tolerance compares two coders"):
        cz.agreement(one_item([cz.Tier([(0, x, "A")], end=9) for x in (4, 5, 6)]), "time_kappa(tolerance=1)")
    with pytest.raises(cz.errors.TierError, match="stream"):
        cz.Tier([(0, 5, "A"), (4, 10, "B")])
    assert cz.label_share(LEVELS, LEVELS, level=2).value == 1
