"""Scoring many pairs at once: the same numbers for any number of workers, and every bad pair is listed."""

from __future__ import annotations

import math
import pickle
import random
import warnings

import numpy as np
import pytest
from hypothesis import given

import caesura as cz
from caesura.errors import CaesuraWarning, MismatchError, OptionError
from support import strategies
from support.compared import compared
from support.corpora import ALIGN_HINT
from support.examples import examples
from support.strategies import TypedPair, corpora, inputs_for, segmentation, typed, typed_corpora

masses = cz.Segmentation.from_masses
ALL = sorted(cz.measures())
VARIED = [
    *ALL,
    "pk(padded=True)",
    "window_diff(window=1)",
    "window_diff(compat='segeval-2.0.11', padded=True)",
    "pk(compat='nltk')",
    "win_pr(window=1)",
    "crisp(tolerance=2)",
    "boundary_similarity(n_t=4)",
    "boundary_similarity(n_t=3, alignment='greedy')",
    "segmentation_similarity(n_t=5, transposition='te')",
    "segmentation_similarity(n_t=3, wt=0.3, ws=0.2)",
    "boundary_confusion(n_t=4, compat='fournier2013')",
    "fuzzy_success(chain_strength=2, alpha=1.5, p_max=0.5)",
]


def defined(text: str, pairs: list[tuple]) -> list[tuple]:
    """Those pairs that the measure has a value for, as hierarchies for a measure of those."""
    measure = cz.parse(text)
    inputs = [inputs_for(measure, *pair) for pair in pairs]
    return [pair for pair in inputs if strategies.defined(measure, *pair)]


def random_pairs(
    number: int, seed: int = 0, longest: int = 40, types: tuple[str, ...] = (), exclusive: bool = False
) -> list[tuple]:
    rng = random.Random(seed)
    pairs = []
    for _ in range(number):
        length, density = rng.randint(2, longest), rng.choice([0, 0.1, 0.4, 1])
        kinds = range(max(1, len(types)))
        sides = [frozenset((p, t) for p in range(1, length) for t in kinds if rng.random() < density) for _ in range(2)]
        if exclusive:
            sides = [frozenset(dict(side).items()) for side in sides]
        if types:
            pairs.append(tuple(typed(length, types, side) for side in sides))
        else:
            pairs.append(tuple(segmentation(length, frozenset(p for p, _ in side)) for side in sides))
    return pairs


@pytest.mark.parametrize("types", [(), ("x", "y", "z")], ids=["plain", "typed"])
@pytest.mark.parametrize("text", VARIED)
def test_batch_equals_single_scores_with_any_number_of_workers(text, types):
    measure = cz.parse(text)
    pairs = defined(text, random_pairs(60, types=types, exclusive=compared(measure) == "streams"))
    single = [measure.score(*pair) for pair in pairs]
    for workers in (None, 1, 2, 5):
        scores = cz.score_many(pairs, text, workers=workers)
        assert not scores.errors
        assert len(scores) == len(pairs)
        assert scores.values.tolist() == [score.value for score in single]
        rows = [dict(zip(scores.part_names, row, strict=True)) for row in scores.counts.tolist()]
        # Parts by label are those of all labels of the batch, also of labels that a text lacks.
        for row, score in zip(rows, single, strict=True):
            assert {name: part for name, part in row.items() if part or name in score.parts} == dict(score.parts)
        assert scores.scored.tolist() == list(range(len(pairs)))
        for i, score in enumerate(single):
            assert all(scores[i].params[name] == score.params[name] for name in scores.resolved)
    assert scores.measure == measure


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_fewer_documents_than_chunks(number, workers):
    candidates = random_pairs(number, seed=number)
    for name in ALL:
        pairs = defined(name, candidates)
        scores = cz.score_many(pairs, name, workers=workers)
        assert scores.values.tolist() == [cz.parse(name).score(*pair).value for pair in pairs]


@pytest.mark.slow
def test_one_long_document_among_short_ones():
    """Pieces are cut by work, so that one may hold a single document and the next a hundred."""
    rng = random.Random(3)
    long = tuple(segmentation(20_000, frozenset(rng.sample(range(1, 20_000), 9000))) for _ in range(2))
    candidates = [*random_pairs(100), long, *random_pairs(100, seed=1)]
    for name in ALL:
        if name in ("t_measure", "l_measure"):  # quadratic: a long one takes seconds
            continue
        pairs = defined(name, candidates)
        alone, five = (cz.score_many(pairs, name, workers=n) for n in (1, 5))
        assert alone.values.tolist() == five.values.tolist()
        assert alone.counts.tolist() == five.counts.tolist()


@examples(60)
@given(corpora())
def test_total_is_computed_from_summed_parts(documents):
    candidates = [document.segmentations for document in documents]
    for text in VARIED:
        pairs = defined(text, candidates)
        if "window=" in text or not pairs:
            continue  # a given window does not fit every text
        scores = cz.score_many(pairs, text)
        single = [cz.parse(text).score(*pair) for pair in pairs]
        for name in scores.part_names:
            assert scores.total.parts[name] == pytest.approx(math.fsum(s.parts.get(name, 0) for s in single), abs=1e-9)
        assert scores.total.value == pytest.approx(sum(single).value, abs=1e-12)
        assert scores.total.documents == len(pairs)
        row = np.array([[math.fsum(column) for column in scores.counts.T.tolist()]])
        assert scores.total.value == scores.measure.finish(row, scores.types)[0]


@examples(60)
@given(typed_corpora())
def test_total_of_typed_documents(documents: list[TypedPair]):
    pairs = [document.segmentations for document in documents]
    for text in ("boundary_similarity(n_t=3)", "segmentation_similarity", "boundary_confusion"):
        scores = cz.score_many(pairs, text, workers=2)
        assert scores.types == documents[0].types
        assert scores.total.value == pytest.approx(sum(scores[i] for i in range(len(pairs))).value, abs=1e-12)


GOOD = (masses([2, 3, 6]), masses([5, 6]))
PAIRS = [
    GOOD,
    (masses([2, 3, 6]), masses([5, 5])),
    (masses([1, 1], units=["to", "be"]), masses([1, 1], units=["to", "do"])),
    (masses([3]), "001"),
    ([1, 2], masses([3])),
    5,
    (masses([3]), masses([3]), masses([3])),
    None,
    GOOD,
]


EXPECTED = "a Segmentation, a Tier or a level of a Hierarchy"


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(
    ("name", "a", "b"),
    [("pk", "reference", "hypothesis"), ("crisp", "reference", "hypothesis"), ("boundary_similarity", "a", "b")],
)
def test_invalid_pairs_are_listed_and_the_rest_are_scored(name, a, b, workers):
    scores = cz.score_many(PAIRS, name, workers=workers)
    assert {place: str(problem) for place, problem in scores.errors.items()} == {
        1: f"both sides must have the same units; {a} has 11, {b} has 10",
        2: f"unit 2 differs: {a} has 'be', {b} has 'do'" + ALIGN_HINT,
        3: f"{b}: expected {EXPECTED}; got str",
        4: f"{a}: expected {EXPECTED}; got list; use Segmentation.from_masses([1, 2]) (lengths of segments), "
        "Segmentation.from_positions(N, [1, 2]) (boundaries in a text of N units), Segmentation.from_labels([1, 2]) "
        "(the segment of each unit)",
        5: "expected a pair of annotations; got int",
        6: "expected a pair of annotations; got tuple",
        7: "expected a pair of annotations; got NoneType",
    }
    assert all(isinstance(problem, MismatchError) for problem in scores.errors.values())
    assert len(scores) == len(PAIRS)
    assert scores.scored.tolist() == [0, 8]
    value = cz.parse(name).score(*GOOD).value
    assert scores.values[[0, 8]].tolist() == [value, value]
    assert np.isnan(scores.values[1:8]).all()
    assert not scores.counts[1:8].any()
    assert scores.total.documents == 2
    assert scores.total.value == pytest.approx(value)
    assert scores[8].value == value
    with pytest.raises(MismatchError, match="both sides must have the same units"):
        scores[1]


def test_single_pair_raises_the_error_listed_by_the_batch():
    for place in (1, 2, 3, 4):
        with pytest.raises(MismatchError) as caught:
            cz.pk(*PAIRS[place])
        assert str(caught.value) == str(cz.score_many(PAIRS, "pk").errors[place])


def test_window_too_wide_for_some_items():
    pairs = [(masses([n]), masses([n])) for n in (9, 3, 1, 8)]
    scores = cz.score_many(pairs, "pk(window=4)")
    assert {place: str(problem) for place, problem in scores.errors.items()} == {
        1: "window must lie in 1..2 for a text of 3 units; got 4",
        2: "window must not be set for a text of one unit, which has no inner position; got 4",
    }
    assert all(isinstance(problem, OptionError) for problem in scores.errors.values())
    assert scores.total.parts["windows"] == 5 + 4
    assert scores.values[[0, 3]].tolist() == [0, 0]


def test_incompatible_types():
    """The first declared scale is the scale; a pair that declares another, or has another type, is an error."""

    def both(sets, **types):
        segmentation = cz.Segmentation.from_sets(sets, **types)
        return segmentation, segmentation

    pairs = [both([{"x"}], types=["x", "y"]), both([{"x"}], types=["y", "x"]), both([{"z"}]), both([{"y"}])]
    scores = cz.score_many(pairs, "boundary_similarity")
    assert scores.types == ("x", "y")
    assert {place: str(problem) for place, problem in scores.errors.items()} == {
        1: "both sides must declare the same types in the same order; a has y, x, elsewhere x, y",
        2: "a: type 'z' at position 1 is not declared; the declared types are x, y",
    }
    assert scores.values[[0, 3]].tolist() == [1, 1]


@pytest.mark.parametrize("name", ["segmentation_similarity", "boundary_similarity"])
def test_different_scale_is_an_error_on_either_side(name):
    """A scale was declared, so it counts, boundaries or not: S divides by the number of declared types.

    a  ··· over x, y       b  ·x·z· over x, y, z
    """
    empty = cz.Segmentation.from_sets([set(), set()], types=["x", "y"])
    full = cz.Segmentation.from_sets([{"x"}, {"z"}], types=["x", "y", "z"])
    for pair in ((empty, full), (full, empty)):
        with pytest.raises(MismatchError, match="both sides must declare the same types in the same order"):
            getattr(cz, name)(*pair)


def test_undeclared_types_cause_a_warning():
    """Of three or more the order decides what a substitution costs."""
    a, b = cz.Segmentation.from_sets([{"x"}, {"y"}]), cz.Segmentation.from_sets([{"x"}, {"z"}])
    with pytest.warns(CaesuraWarning) as caught:
        score = cz.boundary_similarity(a, b)
    assert str(caught[0].message).startswith("the order of the types was not declared; x < y < z is assumed")
    assert caught[0].filename == __file__
    assert score.types == ("x", "y", "z")
    assert score.value == pytest.approx(1 - 1 / 3 / 2)


def test_two_types_need_no_order():
    a, b = cz.Segmentation.from_sets([{"x"}, {"y"}]), cz.Segmentation.from_sets([{"x"}, {"x"}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cz.boundary_similarity(a, b).value == 0.75


def test_indexed_score_equals_the_table_entry():
    """Types that nobody declared are collected over all pairs; one pair looked at again must not forget the others."""
    sets = ([{"1"}, {"2"}], [{"2"}, {"2"}]), ([{"3"}, {"4"}], [{"3"}, {"4"}])
    pairs = [tuple(map(cz.Segmentation.from_sets, pair)) for pair in sets]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        scores = cz.score_many(pairs, "segmentation_similarity")
        assert scores.types == ("1", "2", "3", "4")
        assert scores.values[0] == pytest.approx(1 - 1 / 4 / (2 * 4))
        assert scores[0].value == scores.values[0]


def test_pickled_segmentations_score_the_same():
    """Fast paths may look at identity, results may not depend on it."""
    pairs = random_pairs(10, types=("x", "y", "z"))
    again = pickle.loads(pickle.dumps(pairs))
    for name in ALL:
        restored, original = ([inputs_for(cz.measures()[name], *pair) for pair in listed] for listed in (again, pairs))
        np.testing.assert_array_equal(cz.score_many(restored, name).values, cz.score_many(original, name).values)


@pytest.mark.parametrize("name", ALL)
def test_no_pairs(name):
    for nothing in ([], iter(())):
        scores = cz.score_many(nothing, name)
        assert (len(scores), scores.values.tolist(), scores.errors, scores.scored.tolist()) == (0, [], {}, [])
        with pytest.raises(OptionError, match=r"^there are no pairs to score$"):
            _ = scores.total


@pytest.mark.parametrize("name", ALL)
def test_only_invalid_pairs(name):
    scores = cz.score_many([(masses([1]), masses([2]))] * 3, name, workers=2)
    assert sorted(scores.errors) == [0, 1, 2]
    assert np.isnan(scores.values).all()
    with pytest.raises(OptionError, match=r"^none of 3 pairs could be scored$"):
        _ = scores.total


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_ten_thousand_documents(name):
    view = compared(cz.measures()[name])
    # Trees take long to make; some of them several times are as many documents.
    number, longest = 1600 if view == "trees" else 16_000, 8 if view in ("spans", "trees") else 25
    candidates = random_pairs(number, seed=4, longest=longest)
    pairs = (defined(name, candidates) * 10)[:10_000]
    scores = cz.score_many(pairs, name, workers=2)
    assert len(scores) == 10_000
    measure = cz.parse(name)
    rng = random.Random(5)
    for place in rng.sample(range(10_000), 300):
        assert scores.values[place] == measure.score(*pairs[place]).value
    assert scores.values.tolist() == cz.score_many(pairs, name).values.tolist()
    total = scores.total
    assert total.documents == 10_000
    names = measure.part_names(scores.types)
    columns = [math.fsum(column) for column in scores.counts.T.tolist()]
    assert dict(total.parts) == pytest.approx(dict(zip(names, columns, strict=True)))
    assert total.value == pytest.approx(float(measure.finish(np.array([columns]), scores.types)[0]))
    assert f"documents:{10_000}" in total.signature.split("|")


def test_params_of_a_total_describe_its_items():
    pairs = [(masses([n]), masses([n])) for n in (2, 8, 12)]
    params = cz.score_many(pairs, "pk").total.params
    assert params["window"] == "1..6"
    assert params["window_from"] == "auto/auto, clamped to the text"
    same = cz.score_many([pairs[1]] * 3, "pk").total.params
    assert (same["window"], same["window_from"]) == (4, "auto")


def test_invalid_arguments():
    with pytest.raises(OptionError, match=r"^workers must be a whole number of at least 1; got 0$"):
        cz.score_many([GOOD], "pk", workers=0)
    with pytest.raises(OptionError, match=r"^there is no measure 'pc'"):
        cz.score_many([GOOD], "pc")


def test_score_many_accepts_a_generator_and_a_measure_object():
    measure = cz.parse("crisp(tolerance=1)")
    scores = cz.score_many((GOOD for _ in range(3)), measure)
    assert scores.measure == measure
    assert scores.values.tolist() == [measure.score(*GOOD).value] * 3


@pytest.mark.parametrize("text", ["B(n_t=0.5s)", "F1@0.5s", "pk(window=2s)", "purity_coverage", "B", "span_f"])
def test_no_pairs_are_an_empty_batch_with_options_in_seconds_too(text: str) -> None:
    measure = cz.parse(text)
    batch, places, errors = measure.pack([])
    assert (len(batch), len(places), errors) == (0, 0, {})
    assert len(measure.count(batch).counts) == 0


@pytest.mark.parametrize(
    "measure", ["boundary_similarity(n_t=2)", "window_diff", "flexible_similarity(transposition=0.3)"]
)
def test_the_score_of_a_group_is_that_of_its_pairs(measure: str) -> None:
    """Counts of B are whole numbers, those of S_f are not, and the window of WD differs between pairs."""
    rng = random.Random(3)
    lengths = [rng.randrange(5, 40) for _ in range(12)]
    pairs = [[cz.Segmentation.from_bits("".join(rng.choices("001", k=n))) for _ in "ab"] for n in lengths]
    scores = cz.score_many([(a, b) for a, b in pairs], measure)
    group = np.array([0, 2, 1, 0, 0, 2, 2, 1, 0, 3, 1, 0])
    groups = scores.by_group(group, 4)
    for k in range(4):
        places = np.flatnonzero(group == k)
        expected, actual = scores.over(places), groups[k]
        assert (actual.value, dict(actual.parts)) == (groups.values[k], dict(expected.parts))
        assert actual.signature == expected.signature
        assert actual == expected


def test_the_document_of_a_score_is_found_when_it_is_needed() -> None:
    a, b = cz.Segmentation.from_masses([2, 3]), cz.Segmentation.from_masses([3, 2])
    score = cz.score_many([(a, a), (a, b)], "boundary_similarity(n_t=2)")[1]
    assert "source" not in vars(score)
    assert [(edit.kind, edit.a_position, edit.b_position) for edit in score.edits or ()] == [("transposition", 2, 3)]
    assert pickle.loads(pickle.dumps(score)).edits == score.edits
    assert cz.score_many([(a, b)], "window_diff")[0].source is None


@pytest.mark.parametrize("measure", ["boundary_similarity(n_t=2)", "flexible_similarity", "segmentation_similarity"])
def test_edits_of_many_pairs_are_those_of_each_pair(measure: str) -> None:
    """Edits are listed for many neighbours at once; pairs that cannot be scored are no neighbours."""
    rng = random.Random(5)
    marks = [[sorted(rng.sample(range(1, 9), rng.randrange(5))) for _ in range(2)] for _ in range(600)]
    pairs = [tuple(cz.Segmentation.from_positions(9, side) for side in pair) for pair in marks]
    pairs[3] = pairs[300] = (masses([2, 3]), masses([4]))
    scores = cz.score_many(pairs, measure)
    assert set(scores.errors) == {3, 300}
    for place in (599, 0, 2, 4, 255, 256, 257, 258, 259, 299, 301, 511, 512, 514, 1):
        assert scores[place].edits == cz.parse(measure).score(*pairs[place]).edits, place


def test_the_order_of_three_types_must_be_declared_for_one_text_too() -> None:
    text = cz.Segmentation.from_marks(["a", "", "b", "c", ""])
    with pytest.warns(cz.errors.CaesuraWarning, match="the order of the types was not declared"):
        cz.score_many([(text, text)], "boundary_similarity")
