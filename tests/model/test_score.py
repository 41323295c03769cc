"""Scores: the value, its parts, and the signature that reproduces it."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from hypothesis import given

import caesura as cz
from caesura.model.result import Parts, f_measure, ratio
from support.strategies import NAMES, TypedPair, corpora, defined, inputs_for, typed_pairs

masses = cz.Segmentation.from_masses
REFERENCE, HYPOTHESIS = masses([2, 3, 6]), masses([2, 2, 7])
ALL = sorted(cz.measures())


def score_of(name: str, a: cz.Segmentation = REFERENCE, b: cz.Segmentation = HYPOTHESIS, **options) -> cz.Score:
    kind = cz.measures()[name]
    return kind(**options).score(*inputs_for(kind, a, b))


def preset_score(name: str, preset: str) -> cz.Score:
    """Return a score under a preset; presets for recordings compare boundaries in seconds."""
    measure = cz.measures()[name](compat=preset)
    if preset.startswith("chunkseg"):
        times = cz.Segmentation.from_times
        return measure.score(times([12.0, 31.0], duration=60.0), times([13.0, 40.0], duration=60.0))
    if preset == "disrpt-2025":  # an empty unit before the first token, as --reading first=yes adds it
        units = ["", *"abcdefghij"]
        cut = cz.Segmentation.from_positions
        return measure.score(cut(11, [1, 5], units=units), cut(11, [1, 4], units=units))
    return measure.score(*inputs_for(type(measure), REFERENCE, HYPOTHESIS))


@pytest.mark.parametrize("name", ALL)
def test_a_score_is_a_number_and_a_value(name):
    """Scores are pickled, because partial results from many machines are added up in one process."""
    score, again = score_of(name), score_of(name)
    assert isinstance(score, cz.Score)
    assert isinstance(score.value, float)
    assert (float(score), score.documents) == (score.value, 1)
    assert getattr(cz, name)(*inputs_for(cz.measures()[name], REFERENCE, HYPOTHESIS)) == score == again
    assert hash(score) == hash(again)
    assert score != score_of(name, REFERENCE, masses([1] * 11))
    assert score != score.value
    pickled = pickle.loads(pickle.dumps(score))
    assert (pickled, dict(pickled.params)) == (score, dict(score.params))
    if name != "generalized_hamming":  # costs add up
        assert (pickled + score).value == pytest.approx(score.value)
    with pytest.raises(AttributeError):
        score.value = 1.0
    for mapping in (score.parts, score.params):
        with pytest.raises(TypeError):
            mapping["errors"] = 1


@pytest.mark.parametrize("name", ALL)
def test_params_and_signature_contain_every_option(name):
    score = score_of(name)
    kind = cz.measures()[name]
    words = score.signature.split("|")
    assert words[0] == name
    assert words[-1] == f"caesura:{cz.__version__}"
    for option in kind.options:
        if option.omitted_at_default:
            continue
        assert option.name in score.params
        assert any(word.startswith(f"{option.name}:") for word in words), option.name
    for name_of_param in score.params:
        assert any(word.startswith(f"{name_of_param}:") for word in words), name_of_param
    assert "\n" not in score.signature


@pytest.mark.parametrize("name", ALL)
def test_signature_names_the_preset_and_its_options(name):
    kind, plain_signature = cz.measures()[name], score_of(name).signature
    for preset, values in kind.presets.items():
        signature = preset_score(name, preset).signature
        words = signature.split("|")
        assert signature != plain_signature
        assert f"compat:{preset}" in words
        options = {option.name: option for option in kind.options}
        for option, value in values.items():
            if options[option].omitted_at_default and options[option].default == value:
                continue
            plain = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
            assert {f"{option}:{plain}", f"{option}:{plain!r}"} & set(words)


def test_content_of_a_signature():
    """It has the resolved options: the k that was used, the ordered types and the number of documents."""
    words = cz.pk(REFERENCE, HYPOTHESIS).signature.split("|")
    assert {"window:2", "window_from:auto", "padded:no", "extent:same"} <= set(words)
    assert "window:3" in cz.pk(REFERENCE, HYPOTHESIS, window=3).signature.split("|")
    assert "n_t:3" in cz.boundary_similarity(REFERENCE, HYPOTHESIS, n_t=3).signature.split("|")
    assert "wt:0.25" in cz.boundary_similarity(REFERENCE, HYPOTHESIS, wt=0.25).signature.split("|")
    typed = cz.Segmentation.from_sets([{"scene"}, set()], types=["scene", "act"])
    assert "types:scene<act" in cz.segmentation_similarity(typed, typed).signature.split("|")
    assert "documents:2" in (cz.crisp(REFERENCE, HYPOTHESIS) + cz.crisp(HYPOTHESIS, HYPOTHESIS)).signature.split("|")


def test_a_type_cannot_break_the_signature():
    strange = cz.Segmentation.from_sets([{"a|b"}, {"c\nd"}], types=["a|b", "c\nd"])
    signature = cz.boundary_similarity(strange, strange).signature
    assert len(signature.split("|")) == len(cz.boundary_similarity(REFERENCE, HYPOTHESIS).signature.split("|"))
    assert "\n" not in signature


@pytest.mark.parametrize("name", ALL)
def test_as_dict_is_json(name):
    score = score_of(name)
    plain = json.loads(json.dumps(score.to_dict(), allow_nan=False))
    assert {"measure", "value", "parts", "params", "signature"} <= plain.keys()
    assert cz.parse(plain["measure"]) == score.measure
    assert plain["value"] == score.value
    assert plain["parts"] == dict(score.parts)
    assert plain["params"] == json.loads(json.dumps(dict(score.params)))  # where tuples are lists
    assert plain["signature"] == score.signature


@given(typed_pairs(max_units=6))
def test_as_dict_is_json_for_any_types(pair: TypedPair):
    for name in ALL:
        if name == "flexible_similarity":  # of exclusive types
            continue
        if not defined(cz.measures()[name], *inputs_for(cz.measures()[name], *pair.segmentations)):
            continue
        score = score_of(name, *pair.segmentations)
        assert json.loads(json.dumps(score.to_dict(), allow_nan=False))["value"] == score.value


@pytest.mark.parametrize("name", ["boundary_f", "win_pr"])
def test_precision_and_recall_of_boundaries(name):
    """Reference 2, 5; hypothesis 2, 4, 7.

    r  |··|···|······|
    h  |··|··|···|····|
    """
    options = {"tolerance": 1} if name == "boundary_f" else {"window": 1}
    score = score_of(name, REFERENCE, masses([2, 2, 3, 4]), **options)
    hits = 2 if name == "boundary_f" else 1  # 4 is within 1 of 5
    assert score.parts["precision"] == score.precision() == hits / 3
    assert score.parts["recall"] == score.recall() == hits / 2
    assert score.parts["f"] == score.f() == pytest.approx(2 * hits / 5)
    assert score.value == pytest.approx(2 * hits / 5)
    assert "precision" not in list(score.parts)  # it does not add up
    assert score.to_dict()["figures"]["precision"] == hits / 3


def test_precision_of_a_measure_without_one():
    for name in ("pk", "window_diff", "unit_error", "boundary_similarity", "segmentation_similarity"):
        score = score_of(name)
        for call in (score.precision, score.recall, score.f):
            with pytest.raises(AttributeError, match=f"{name} has no (precision|recall)"):
                call()
        with pytest.raises(KeyError):
            score.parts["precision"]


def test_edits_exist_for_measures_that_align():
    assert score_of("pk").edits is None
    assert score_of("unit_error").edits is None
    for name in ("boundary_f", "segmentation_similarity", "boundary_similarity", "boundary_confusion"):
        score = score_of(name)
        assert all(isinstance(edit, cz.Edit) for edit in score.edits)
        assert score.edits is score.edits
    assert (score_of("boundary_f") + score_of("boundary_f")).edits is None


def test_edit():
    moved = cz.Edit("transposition", 5, 3, "x", "x", 0.5)
    assert (moved.position, moved.distance) == (3, 2)
    gone = cz.Edit("deletion", 5, None, "x", None, 1.0)
    assert (gone.position, gone.distance, gone.stream) == (5, 0, None)
    with pytest.raises(AttributeError):
        gone.cost = 2.0


@pytest.mark.parametrize("name", ALL)
def test_parts_are_whole_numbers_if_possible(name):
    for part, count in score_of(name).parts.items():
        # fractions of windows, segments and triples, weighted costs, rewards by distance, and chance
        fractions = ("win_pr", "unit_error", "flexible_similarity", "fuzzy_success", "t_measure", "l_measure")
        fractions += ("boundary_deviation", "covering", "alignment_index", "adjusted_rand_index", "v_measure", "nce")
        if name not in fractions and part != "chance":
            assert isinstance(count, int), part


def test_parts_are_a_mapping():
    parts = Parts({"hits": 2, "all": 3}, {"share": 2 / 3})
    assert dict(parts) == {"hits": 2, "all": 3}
    assert (len(parts), list(parts), parts["share"]) == (2, ["hits", "all"], 2 / 3)
    assert parts == Parts({"hits": 2, "all": 3})
    assert hash(parts) == hash(Parts({"hits": 2, "all": 3}))
    assert parts != Parts({"hits": 2, "all": 4})
    assert repr(parts) == "{'hits': 2, 'all': 3}"
    assert dict(parts.figures) == {"share": 2 / 3}
    with pytest.raises(TypeError):
        parts.figures["share"] = 1


@pytest.mark.parametrize("name", ALL)
def test_sums(name):
    first, second = score_of(name), score_of(name, HYPOTHESIS, masses([5, 6]))
    both = first + second
    assert dict(both.parts) == pytest.approx({k: first.parts[k] + second.parts[k] for k in first.parts})
    assert both.documents == 2
    assert both.measure == first.measure
    assert sum([first, second]) == both
    assert sum([first]) == first
    assert first + 0 == first == 0 + first
    assert type(both) is type(first)


@given(corpora())
def test_sums_do_not_depend_on_the_order(documents):
    for name in ALL:
        kind = cz.measures()[name]
        if not all(defined(kind, *inputs_for(kind, *first.segmentations)) for first in documents):
            continue
        scores = [score_of(name, *first.segmentations) for first in documents]
        forward, backward = sum(scores), sum(scores[::-1])
        assert forward.value == pytest.approx(backward.value, abs=1e-12)
        assert dict(forward.parts) == pytest.approx(dict(backward.parts), abs=1e-9)
        assert forward.documents == backward.documents == len(documents)


def test_the_signature_of_a_sum_does_not_depend_on_brackets():
    """Windows of 2, 3 and 5 positions are 2 to 5, in whatever order they are added."""
    first, second, third = (cz.pk(masses([n]), masses([n])) for n in (4, 6, 10))
    assert [s.params["window"] for s in (first, second, third)] == [2, 3, 5]
    left, right = (first + second) + third, first + (second + third)
    pooled = cz.score_many([(masses([n]), masses([n])) for n in (4, 6, 10)], "pk").total
    assert left.signature == right.signature == pooled.signature
    assert left == right == pooled


def test_scores_that_cannot_be_added():
    first = score_of("pk")
    for different in (score_of("window_diff"), score_of("pk", window=3), score_of("pk", compat="nltk")):
        message = f"got {first.signature} and {different.signature}"
        with pytest.raises(cz.errors.OptionError, match=re.escape(message)):
            first + different
    typed = cz.Segmentation.from_sets([{"x"}], types=["x", "y"])
    with pytest.raises(cz.errors.OptionError, match="over the same types"):
        score_of("boundary_similarity") + score_of("boundary_similarity", typed, typed)
    for stranger in (1, "0", None, 0.5):
        with pytest.raises(TypeError):
            first + stranger


def test_the_sum_of_no_scores():
    with pytest.raises(cz.errors.OptionError, match=r"^a total needs at least one score; got none$"):
        cz.parse("pk").total([])


def test_a_sum_in_fractions_is_exact_to_the_last_bit():
    """Ten times 0.1 of a boundary is exactly one boundary."""
    a, b = cz.Segmentation.from_positions(40, [10]), cz.Segmentation.from_positions(40, [11])
    scores = [cz.win_pr(a, b, window=10) for _ in range(10)]
    assert scores[0].parts["fp"] == 0.1
    assert sum(scores[1:], scores[0]).parts["fp"] == pytest.approx(1, abs=1e-15)
    assert scores[0].measure.total(scores).parts["fp"] == 1


def test_repr():
    assert repr(score_of("pk")) == "Score(0.222222, pk, parts={'errors': 2, 'windows': 9})"
    assert repr(score_of("boundary_f", tolerance=1)).startswith("Score(1, boundary_f(tolerance=1), parts={'matches': 2")


@pytest.mark.parametrize(
    ("part", "whole", "boundaries", "expected"), [(1, 2, 3, 0.5), (0, 2, 2, 0), (0, 0, 0, 1), (0, 0, 3, 0)]
)
def test_ratio(part, whole, boundaries, expected):
    assert ratio(part, whole, boundaries) == expected


@pytest.mark.parametrize(
    ("precision", "recall", "beta", "expected"),
    [
        (0.5, 0.5, 1, 0.5),
        (1, 0, 1, 0),
        (0, 0, 1, 0),
        (0.5, 1, 2, 2.5 / 3),
        (0.5, 1, 0.5, 0.625 / 1.125),
        (0.3, 0.9, 0, 0.3),
    ],
)
def test_f_measure(precision, recall, beta, expected):
    """F-beta = (1 + beta^2) P R / (beta^2 P + R) (van Rijsbergen 1979)."""
    assert f_measure(precision, recall, beta) == pytest.approx(expected)


def test_names_of_parts_by_type():
    typed = cz.Segmentation.from_sets([{"comma"}, {"line"}], types=NAMES[:2])
    parts = cz.boundary_confusion(typed, typed).parts
    assert (parts["matches[comma]"], parts["hypothesis[line]"], parts["substitutions[comma>line]"]) == (1, 1, 0)
