"""Labels of segments: the definition written out as a loop, and small cases."""

from __future__ import annotations

import json
import pickle
import random
import re
from fractions import Fraction
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, OptionError, Undefined
from support.excluded import reasons

Labels = dict[str, dict[str, list[str]]]
"""Item -> coder -> a label for each unit."""


def labelled(labels: Labels) -> cz.Corpus:
    return cz.Corpus(
        {
            item: {coder: cz.Segmentation.from_labels(unit_labels) for coder, unit_labels in by_coder.items()}
            for item, by_coder in labels.items()
        }
    )


@st.composite
def labellings(draw: st.DrawFn) -> Labels:
    """Coders missing here and there, labels missing here and there."""
    label = st.lists(st.sampled_from("ABC"), max_size=3).map("/".join)
    out: Labels = {}
    for item in "xyz"[: draw(st.integers(1, 3))]:
        length = draw(st.integers(1, 6))
        coders = draw(st.lists(st.sampled_from(["Ann", "Bo", "Cy", "Di"]), min_size=1, unique=True))
        out[item] = {coder: draw(st.lists(label, min_size=length, max_size=length)) for coder in coders}
    return out


def compared(labels: Labels, *coders: str) -> list[Fraction]:
    """Every similarity there is, for all pairs of coders or for one."""
    result = []
    for by_coder in labels.values():
        for a, b in combinations(by_coder, 2):
            if coders and {a, b} != set(coders):
                continue
            for label_a, label_b in zip(by_coder[a], by_coder[b], strict=True):
                left, right = ({label for label in text.split("/") if label} for text in (label_a, label_b))
                if left | right:
                    result.append(Fraction(len(left & right), len(left | right)))
    return result


@given(labels=labellings())
def test_value_is_the_mean_over_all_comparisons(labels: Labels) -> None:
    values = compared(labels)
    if all(len(by_coder) < 2 for by_coder in labels.values()):
        with pytest.raises(OptionError, match="no item has labels from two coders: item 'x': labelled by "):
            cz.label_agreement(labelled(labels))
        return
    if not values:
        with pytest.raises(Undefined, match=r"^no coder gave any unit a label, so their similarity is 0/0$"):
            cz.label_agreement(labelled(labels))
        return
    result = cz.label_agreement(labelled(labels))
    assert result.value == float(result) == pytest.approx(float(sum(values) / len(values)))
    assert result.deviation == pytest.approx(pstdev(map(float, values)), abs=1e-12)
    assert result.comparisons == len(values)
    for row in result.pairs:
        similarities = compared(labels, *row.coders)
        assert row.comparisons == len(similarities)
        assert row.value == (pytest.approx(fmean(map(float, similarities))) if similarities else None)
        assert row.deviation == (pytest.approx(pstdev(map(float, similarities)), abs=1e-12) if similarities else None)
    shared = {pair for by_coder in labels.values() for pair in combinations(sorted(by_coder), 2)}
    assert {row.coders for row in result.pairs} == shared
    shared = {item: by_coder for item, by_coder in labels.items() if len(by_coder) > 1}
    assert [row.item for row in result.items] == list(shared)
    for row in result.items:
        item = row.item
        similarities = compared({item: labels[item]})
        assert row.value == (pytest.approx(fmean(map(float, similarities))) if similarities else None)
        for unit, mean in enumerate(result.units[item]):
            unit_similarities = compared(
                {item: {coder: [unit_labels[unit]] for coder, unit_labels in labels[item].items()}}
            )
            assert mean == (pytest.approx(fmean(map(float, unit_similarities))) if unit_similarities else None)
    possible = sum(len(unit_labels) * (len(by) - 1) for by in shared.values() for unit_labels in by.values()) // 2
    assert result.empty == possible - len(values)


@given(labels=labellings(), seed=st.integers(0, 100))
def test_order_does_not_matter(labels: Labels, seed: int) -> None:
    try:
        result = cz.label_agreement(labelled(labels))
    except CaesuraError:
        return
    rng = random.Random(seed)
    shuffled = {
        item: {coder: labels[item][coder] for coder in rng.sample(list(labels[item]), len(labels[item]))}
        for item in rng.sample(list(labels), len(labels))
    }
    again = cz.label_agreement(labelled(shuffled))
    expected = (result.value, result.deviation, result.pairs, result.units)
    assert (again.value, again.deviation, again.pairs, again.units) == expected


def test_by_hand() -> None:
    #  Ann  A A|B/C C|
    #  Bo   A|B   B  |C       J: 1, 0, 1/2, 1
    ann = cz.Segmentation.from_masses([2, 1, 1], labels=["A", "B/C", "C"])
    bo = cz.Segmentation.from_masses([1, 2, 1], labels=["A", "B", "C"])
    result = cz.label_agreement(cz.Corpus({"x": {"Ann": ann, "Bo": bo}}))
    assert result.value == 0.625
    assert result.units == {"x": (1, 0, 0.5, 1)}
    # squares of 3/8, 5/8, 1/8, 3/8 from the mean
    assert result.deviation == pytest.approx(((9 + 25 + 1 + 9) / 64 / 4) ** 0.5)


def test_units_unlabelled_on_both_sides_are_not_compared() -> None:
    result = cz.label_agreement(labelled({"x": {"Ann": ["A", "", "", "A"], "Bo": ["A", "", "B", " / "]}}))
    assert result.units == {"x": (1, None, 0, 0)}
    assert (result.value, result.comparisons, result.empty) == (pytest.approx(1 / 3), 3, 1)


def test_separator() -> None:
    corpus = labelled({"x": {"Ann": ["A / B", "A+B"], "Bo": ["B/A/A", "B+A"]}})
    assert cz.label_agreement(corpus).units == {"x": (1, 0)}
    assert cz.label_agreement(corpus, separator="+").units == {"x": (0, 1)}
    assert cz.label_agreement(corpus, separator=None).units == {"x": (0, 0)}
    assert "separator:none" in cz.label_agreement(corpus, separator=None).signature


def test_unusable_items_are_listed() -> None:
    labelled = cz.Segmentation.from_labels
    plain = cz.Segmentation.from_masses([2])
    corpus = cz.Corpus(
        {
            "good": {"Ann": labelled("AB"), "Bo": labelled("AA"), "Cy": plain},
            "half": {"Bo": labelled("AB")},
            "bare": {"Ann": plain, "Bo": plain},
            "long": {"Ann": labelled("AB"), "Bo": labelled("ABA")},
            "talk": {"Ann": {"A": labelled("AB")}, "Bo": {"A": labelled("AB")}},
        }
    )
    result = cz.label_agreement(corpus)
    assert result.value == 0.5
    assert result.coders == ("Ann", "Bo")
    expected = [("good", "Cy"), ("bare", "Ann"), ("bare", "Bo")]
    assert [(entry.item, entry.coder) for entry in result.excluded if entry.coder] == expected
    assert reasons(result) == {
        "half": "labelled by Bo only",
        "bare": "not labelled by any coder",
        "long": "2 tokens for Ann and 3 for Bo",
        "talk": "it has streams, which are not supported here",
    }


def test_result_round_trip() -> None:
    result = cz.label_agreement(labelled({"x": {"Ann": ["A", "", "B"], "Bo": ["A", "", "C"]}}))
    assert result.to_dict() == {
        "value": 0.5,
        "deviation": 0.5,
        "comparisons": 2,
        "empty": 1,
        "coders": ["Ann", "Bo"],
        "pairs": [{"coders": ["Ann", "Bo"], "value": 0.5, "deviation": 0.5, "comparisons": 2}],
        "items": [{"item": "x", "value": 0.5, "deviation": 0.5, "comparisons": 2}],
        "units": {"x": [1.0, None, 0.0]},
        "separator": "/",
        "excluded": [],
        "signature": f"label_agreement|separator:/|coders:2|items:1|comparisons:2|caesura:{cz.__version__}",
    }
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
    assert pickle.loads(pickle.dumps(result)) == result


PLAIN = cz.Segmentation.from_masses([2])

BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([PLAIN, PLAIN], {}, "corpus: expected a Corpus; got list"),
    (cz.Corpus({}), {}, "no item has labels from two coders"),
    (
        cz.Corpus({"x": {"Ann": PLAIN, "Bo": PLAIN}}),
        {},
        "no item has labels from two coders: item 'x': not labelled by any coder",
    ),
    (cz.Corpus({}), {"separator": ""}, "separator must be a text that is not empty; got ''"),
    (cz.Corpus({}), {"separator": 7}, "separator must be a text that is not empty; got 7"),
]


@pytest.mark.parametrize(("corpus", "options", "message"), BAD, ids=[message for _, _, message in BAD])
def test_invalid_input(corpus: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        cz.label_agreement(corpus, **options)
