"""``score``: rates by type, the confusion matrix and presets."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import OptionConflictError, OptionError
from caesura.measures.registry import parse
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.views.results import confusion_table, scoring_view, type_table

TYPES = ["scene", "act"]
REFERENCE = cz.Segmentation.from_sets(
    [{"scene"}, set(), {"scene"}, set(), {"scene"}, set(), {"act"}, set()], types=TYPES
)
HYPOTHESIS = cz.Segmentation.from_sets(
    [{"scene"}, set(), set(), {"scene"}, {"act"}, set(), {"act"}, set()], types=TYPES
)
TYPED = cz.Corpus({"play": {"ann": REFERENCE, "bo": HYPOTHESIS}, "again": {"ann": HYPOTHESIS, "bo": HYPOTHESIS}})
PLAIN = cz.Corpus(
    {"text": {"ann": cz.Segmentation.from_masses([2, 3, 6]), "bo": cz.Segmentation.from_masses([2, 2, 7])}}
)


def test_confusion_of_all_items():
    pairs = [(REFERENCE, HYPOTHESIS), (HYPOTHESIS, HYPOTHESIS)]
    result = score_corpora(TYPED)
    assert result.confusion == cz.score_many(pairs, "boundary_confusion").total
    assert result.to_dict()["confusion"]["matrix"] == result.confusion.matrix.tolist()
    assert score_corpora(TYPED, options=ScoreOptions(measures=(parse("B(n_t=3)"),))).confusion.measure["n_t"] == 3


def test_tables_equal_the_matrix():
    confusion = score_corpora(TYPED).confusion
    matrix = confusion_table(confusion)
    assert matrix.columns == ("hypothesis", "scene", "act", "none")
    assert [list(row[1:]) for row in matrix.rows] == confusion.matrix.tolist()
    types = type_table(confusion)
    by_type = {row[0]: dict(zip(types.columns, row, strict=True)) for row in types.rows}
    for i, name in enumerate(confusion.types):
        assert by_type[name]["correct"] == matrix.rows[i][1 + i]
        assert by_type[name]["precision"] == pytest.approx(matrix.rows[i][1 + i] / by_type[name]["hypothesis"])
        assert by_type[name]["recall"] == pytest.approx(matrix.rows[i][1 + i] / by_type[name]["reference"])
    assert by_type["all"]["F"] == pytest.approx(confusion.value)


def test_tables_of_typed_data_only():
    names = [section.name for section in scoring_view(score_corpora(TYPED)).sections]
    assert "types" in names
    assert "confusion" in names
    assert score_corpora(PLAIN).confusion is None
    assert "types" not in [section.name for section in scoring_view(score_corpora(PLAIN)).sections]


def test_types_without_an_order():
    """S_f does not use an order of types, and neither does the matrix beside it: every substitution costs a half."""
    marks = (["", "x", "", "z", "", "y"], ["", "z", "", "x", "", "y"])
    corpus = cz.Corpus({"talk": {c: {"F": cz.Segmentation.from_marks(m)} for c, m in zip("ab", marks, strict=True)}})
    confusion = score_corpora(corpus).confusion
    assert confusion.types == ("x", "y", "z")
    assert confusion.matrix.tolist() == [[0, 0, 0.5, 0], [0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0, 0, 3]]


def test_preset_in_the_measures_that_have_it():
    result = score_corpora(PLAIN, options=ScoreOptions(compat="nltk"))
    assert [score.measure for score in result.totals] == [parse("WD(compat=nltk)"), parse("Pk(compat=nltk)")]
    mixed = score_corpora(PLAIN, options=ScoreOptions(measures=(parse("B"), parse("Pk")), compat="nltk"))
    assert [score.measure for score in mixed.totals] == [parse("B"), parse("Pk(compat=nltk)")]


def test_unknown_preset():
    with pytest.raises(OptionError, match="there is no preset 'nlkt'; did you mean 'nltk'"):
        ScoreOptions(compat="nlkt")
    assert ScoreOptions(compat="NLTK").compat == "nltk"


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (["B", "F1"], "--compat nltk: none of these measures has this preset; it exists for Pk, WD"),
        (
            ["pk(compat='fournier2012')"],
            "--compat nltk: pk(compat='fournier2012') already has a preset; remove one of them",
        ),
    ],
)
def test_preset_that_no_measure_has(measures, message):
    with pytest.raises(OptionConflictError) as caught:
        score_corpora(PLAIN, options=ScoreOptions(measures=tuple(map(parse, measures)), compat="nltk"))
    assert str(caught.value) == message
