"""The boundary confusion matrix, B-precision, B-recall and B-F."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from caesura.measures.confusion import BoundaryConfusion
from oracle import boundary as oracle
from oracle.boundary import Rules
from support.examples import examples
from support.strategies import TypedPair, typed, typed_pairs

masses = cz.Segmentation.from_masses
positions = cz.Segmentation.from_positions


@examples(240)
@given(
    typed_pairs(max_types=3, max_units=7, max_boundaries=7), st.integers(1, 5), st.sampled_from(["scaled", "printed"])
)
def test_confusion_matrix(pair: TypedPair, n_t, transposition):
    rules = Rules(n_t, len(pair.types), transposition)
    score = cz.boundary_confusion(*pair.segmentations, n_t=n_t, transposition=transposition)
    expected = oracle.confusion(
        oracle.explain(pair.a, pair.b, rules), pair.a, pair.b, pair.segmentations[0].length, rules
    )
    assert score.matrix.tolist() == [pytest.approx([float(x) for x in row], abs=1e-14) for row in expected]
    both = len(pair.a) + len(pair.b)
    correct = sum(expected[t][t] for t in range(rules.types))
    assert score.value == pytest.approx(float(2 * correct / both) if both else 1)

    def rate(part, whole, other):
        return float(part / whole) if whole else float(not other)

    for t, name in enumerate(pair.types):
        actual, predicted = (sum(kind == t for _, kind in side) for side in (pair.a, pair.b))
        precision, recall = rate(expected[t][t], predicted, actual), rate(expected[t][t], actual, predicted)
        assert score.precision(name) == pytest.approx(precision)
        assert score.recall(name) == pytest.approx(recall)
        for beta in (0.5, 1, 2):
            weighted = beta**2 * precision + recall
            f = (1 + beta**2) * precision * recall / weighted if weighted else 0
            assert score.f(name, beta=beta) == pytest.approx(f)
    assert score.precision() == pytest.approx(rate(correct, len(pair.b), len(pair.a)))
    assert score.recall() == pytest.approx(rate(correct, len(pair.a), len(pair.b)))
    assert score.f() == pytest.approx(score.value)


def test_pair_adds_one_minus_its_cost():
    """Equation 7 of 2013 credits a near miss with w; 1 - w is meant. One boundary nine positions off at n_t = 10.

    r  |·|··············|
    h  |··········|·····|
    """
    reference, hypothesis = positions(16, [1]), positions(16, [10])
    score = cz.boundary_confusion(reference, hypothesis, n_t=10)
    assert score.matrix.tolist() == [[pytest.approx(0.1), 0], [0, 13]]
    assert score.precision() == score.recall() == pytest.approx(0.1)


def test_precision_is_one_under_fournier_2013():
    """A single boundary nine positions off at n_t = 10 has precision 1."""
    score = cz.boundary_confusion(positions(16, [1]), positions(16, [10]), n_t=10, compat="fournier2013")
    assert score.precision() == score.recall() == score.value == 1


def human() -> tuple[cz.Segmentation, cz.Segmentation]:
    """A text with 444 matches, one near miss, 204 boundaries only predicted and 153 only actual, all far apart."""
    places = range(5, 10**5, 5)
    kinds = ["both"] * 444 + ["near"] + ["predicted"] * 204 + ["actual"] * 153
    random.Random(2013).shuffle(kinds)
    actual, predicted = [], []
    for place, kind in zip(places, kinds, strict=False):
        if kind != "predicted":
            actual.append(place)
        if kind != "actual":
            predicted.append(place + (kind == "near"))
    return positions(10**5, actual), positions(10**5, predicted)


def test_table_2_of_2013():
    """Row "Human": TP 444.5, FP 204, FN 153 gives B-precision 0.6854 and B-recall 0.7439."""
    score = cz.boundary_confusion(*human(), compat="fournier2013")
    assert score.matrix.tolist() == [[444.5, 204], [153, 99_999 - (444 + 2 + 204 + 153)]]
    assert round(score.precision(), 4) == 0.6854
    assert round(score.recall(), 4) == 0.7439
    harmonic = 2 * 444.5 / (2 * 444.5 + 204 + 153)
    assert score.value == pytest.approx(harmonic)
    assert score.f() == pytest.approx(harmonic)


def test_table_2_of_2013_by_boundaries():
    """The same text by our definition: the half that the near miss loses counts against both."""
    score = cz.boundary_confusion(*human())
    assert score.precision() == pytest.approx(444.5 / (445 + 204))
    assert score.recall() == pytest.approx(444.5 / (445 + 153))


# Two types. s: scene, a: act
#
#   reference   |·s··s··s··a···|
#   hypothesis  |·s···s·a··a···|
SCENES = (
    cz.Segmentation.from_sets(
        [{"scene"}, set(), {"scene"}, set(), {"scene"}, set(), {"act"}, set(), set()], types=["scene", "act"]
    ),
    cz.Segmentation.from_sets(
        [{"scene"}, set(), set(), {"scene"}, {"act"}, set(), {"act"}, set(), set()], types=["scene", "act"]
    ),
)


def test_micro_and_macro():
    """scene: a match, a near miss (1/2), one taken for an act (1/2); act: a match.

    Cells: scene-scene 1.5, act-act 1, act-scene 0.5. Scene: 2 predicted, 3 actual. Act: 2 predicted, 1 actual.
    """
    score = cz.boundary_confusion(*SCENES)
    assert score.matrix.tolist() == [[1.5, 0, 0], [0.5, 1, 0], [0, 0, 4]]
    assert (score.precision("scene"), score.recall("scene")) == (0.75, 0.5)
    assert (score.precision("act"), score.recall("act")) == (0.5, 1)
    assert score.f("scene") == pytest.approx(0.6)
    assert score.f("act") == pytest.approx(2 / 3)
    assert score.precision() == score.recall() == score.f() == score.value == 2.5 / 4
    assert score.precision(average="macro") == 0.625
    assert score.recall(average="macro") == 0.75
    assert score.f(average="macro") == pytest.approx((0.6 + 2 / 3) / 2)
    assert score.f("act", beta=2) == pytest.approx(5 * 0.5 * 1 / (4 * 0.5 + 1))
    assert score.f("act", beta=0.5) == pytest.approx(1.25 * 0.5 * 1 / (0.25 * 0.5 + 1))
    assert score.f(average="macro", beta=2) == pytest.approx((score.f("scene", beta=2) + score.f("act", beta=2)) / 2)


def test_swapping_the_sides_transposes_the_confusion_matrix():
    forward, backward = cz.boundary_confusion(*SCENES), cz.boundary_confusion(*SCENES[::-1])
    assert forward.matrix.tolist() == backward.matrix.T.tolist()
    assert forward.precision("act") == backward.recall("act")


def test_confusion_matrices_add_up():
    first, second = cz.boundary_confusion(*SCENES), cz.boundary_confusion(SCENES[0], SCENES[0])
    both = first + second
    assert both.matrix.tolist() == (first.matrix + second.matrix).tolist()
    assert both.documents == 2
    assert both.precision("scene") == pytest.approx((1.5 + 3) / (2 + 3))


def test_value_from_counts_equals_value_from_text():
    """``make`` is what totals are made with: the same row of counts, the same score."""
    score = cz.boundary_confusion(*SCENES)
    table = cz.score_many([SCENES], "boundary_confusion")
    again = BoundaryConfusion().build_score(table.counts[0], ("scene", "act"), {})
    assert (again.value, again.matrix.tolist()) == (score.value, score.matrix.tolist())
    assert again.parts == score.parts


@pytest.mark.parametrize("compat", [None, "fournier2013"])
def test_zero_denominators(compat):
    """Both sides empty: 1; one side empty: 0; F = 0 when both are 0."""
    divided, undivided = masses([2, 3, 6]), masses([11])
    nothing = cz.boundary_confusion(undivided, undivided, compat=compat)
    assert (nothing.value, nothing.precision(), nothing.recall(), nothing.f()) == (1, 1, 1, 1)
    assert (nothing.precision(average="macro"), nothing.f(average="macro")) == (1, 1)
    for a, b in ((divided, undivided), (undivided, divided)):
        score = cz.boundary_confusion(a, b, compat=compat)
        assert (score.value, score.precision(), score.recall(), score.f()) == (0, 0, 0, 0)
        assert score.f(average="macro") == 0


def test_zero_denominators_of_one_type():
    a, b = (typed(4, ("x", "y", "z"), frozenset({(2, t)})) for t in (0, 1))
    score = cz.boundary_confusion(a, b)
    assert (score.precision("x"), score.recall("x")) == (0, 0)  # nothing predicted as x, one was
    assert (score.precision("y"), score.recall("y")) == (0, 0)
    assert (score.precision("z"), score.recall("z"), score.f("z")) == (1, 1, 1)  # on neither side
    assert score.precision(average="macro") == 0  # over x and y, which occur


@pytest.mark.parametrize(
    ("options", "sides"),
    [
        # all boundaries substituted: nothing correct, and no addition either
        ({"compat": "fournier2013"}, [typed(2, ("x", "y"), frozenset({(1, t)})) for t in (0, 1)]),
        # a near miss that costs 1
        ({"denominator": "errors", "transposition": "unit"}, [masses([2, 3]), masses([3, 2])]),
    ],
    ids=["substitution", "transposition"],
)
def test_score_without_correct_boundaries_is_never_perfect(options, sides):
    """Neither side is empty, so 0/0 is not 1; and F, precision and recall must tell one story."""
    score = cz.boundary_confusion(*sides, **options)
    assert score.value == 0
    assert score.f() == score.value
    assert (score.precision(), score.recall()) == (0, 0)


def test_unknown_type():
    score = cz.boundary_confusion(*SCENES)
    for call in (score.precision, score.recall, score.f):
        with pytest.raises(OptionError, match=r"^no boundary type 'chapter'; choose from scene, act$"):
            call("chapter")
        with pytest.raises(OptionError, match=r"^average must be 'micro' or 'macro'; got 'weighted'$"):
            call(average="weighted")


def test_types_with_brackets_and_arrows_in_their_names():
    """Counts are named after types; two counts may never share a name.

    reference   |·c·b>c·c·|
    hypothesis  |·a>b·a·a>b·|
    """
    types = ["a", "b>c", "a>b", "c"]
    reference = cz.Segmentation.from_sets([{"c"}, {"b>c"}, {"c"}], types=types)
    hypothesis = cz.Segmentation.from_sets([{"a>b"}, {"a"}, {"a>b"}], types=types)
    score = cz.boundary_confusion(reference, hypothesis, n_t=1)
    # Neighbours on a scale of four: each substitution costs 1/4.
    expected = [[0] * 5 for _ in range(5)]
    expected[2][3], expected[0][1] = 1.5, 0.75
    assert score.matrix.tolist() == expected


def test_confusion_as_dict():
    data = cz.boundary_confusion(*SCENES).to_dict()
    assert data["types"] == ["scene", "act", None]
    assert data["matrix"] == [[1.5, 0, 0], [0.5, 1, 0], [0, 0, 4]]


@given(typed_pairs(max_types=3, max_units=9, max_boundaries=9))
def test_rates_by_type_follow_from_the_matrix(pair: TypedPair):
    """The table of types equals the matrix: its diagonal over the boundaries of each side, with rows and columns complete."""
    score = cz.boundary_confusion(*pair.segmentations)
    matrix = score.matrix
    *by_type, overall = score.by_type
    assert [row.type for row in by_type] == list(score.types)
    for t, row in enumerate(by_type):
        assert row.correct == matrix[t, t]
        assert row.hypothesis == sum(kind == t for _, kind in pair.b)
        assert row.reference == sum(kind == t for _, kind in pair.a)
        if row.hypothesis:
            assert row.precision == pytest.approx(matrix[t, t] / row.hypothesis)
        if row.reference:
            assert row.recall == pytest.approx(matrix[t, t] / row.reference)
        expected = (score.precision(row.type), score.recall(row.type), score.f(row.type))
        assert (row.precision, row.recall, row.f) == expected
    assert overall.correct == pytest.approx(sum(row.correct for row in by_type))
    assert overall.hypothesis == len(pair.b)
    assert overall.reference == len(pair.a)
    assert overall.f == pytest.approx(score.value)
