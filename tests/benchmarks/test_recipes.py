"""Recipes of benchmarks: which there are, how they register themselves, and what they convert."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import caesura as cz
import caesura.benchmarks
from caesura.errors import MismatchError, OptionError
from caesura.measures.curve import CURVE
from caesura.measures.recipes import recipe_of, recipes
from caesura.measures.registry import measure_of

masses, times = cz.Segmentation.from_masses, cz.Segmentation.from_times
SUPERDIALSEG = {"pk", "window_diff", "boundary_f", "segmentation_score"}
CHUNKSEG = {"pk", "window_diff", "boundary_similarity", "generalized_hamming", "boundary_f"}
EVALSUBTITLE = {"boundary_f", "pk", "window_diff", "segmentation_similarity", "boundary_similarity", "sigma"}
MIR_EVAL = {"boundary_deviation", "rand_index", "adjusted_rand_index", "pairwise_f", "v_measure", "nce"}
# Every recipe, and its measures; each of them says which mistakes of the program its number repeats.
RECIPES = {
    "chunkseg": CHUNKSEG,
    "chunkseg-collar": {"boundary_f"},
    "disrpt-2025": {"boundary_f"},
    "evalsubtitle": EVALSUBTITLE,
    "gebd": {"boundary_f"},
    "mir_eval": {"boundary_f", *MIR_EVAL},
    "pyannote": {"boundary_f", "purity_coverage"},
    "ruptures": {"boundary_f"},
    "superdialseg": SUPERDIALSEG,
    "tcpd": {"boundary_f", "covering"},
    "wtpsplit": {"boundary_f", CURVE},
}


def test_every_recipe_names_the_mistakes_of_its_numbers() -> None:
    assert {name: {*recipe.measures} for name, recipe in recipes().items()} == RECIPES
    for name, recipe in recipes().items():
        assert recipe.name == name
        assert recipe.title
        assert {*recipe.mistakes} == {*recipe.measures}
        assert all(recipe.mistakes.values())
        assert bool(recipe.conversion) == (recipe.prepare is not None)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_a_preset_of_its_measures(name: str) -> None:
    for measure, options in recipes()[name].measures.items():
        if measure != CURVE:
            preset = cz.measures()[measure](compat=name)
            assert {option: preset[option] for option in options} == dict(options)
            assert preset.recipe is recipes()[name]


def test_presets_that_only_set_options_are_no_recipes() -> None:
    assert {"fournier2012", "nltk", "segeval-2.0.11"} == {*cz.measures()["pk"].presets} - {*RECIPES}
    assert cz.parse("pk(compat=nltk)").recipe is None
    assert cz.parse("pk").recipe is None
    assert recipe_of("win_pr", "superdialseg") is None
    for measure in cz.measures().values():  # the options of a program are written in its recipe alone
        declared = [vars(base)["presets"].own for base in measure.__mro__ if "presets" in vars(base)]
        assert not {name for presets in declared for name in presets} & {*RECIPES}


@pytest.fixture
def added(tmp_path: Path) -> Iterator[None]:
    """Put the file that CONTRIBUTING prints among the benchmarks."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf8")
    block = re.search(r" {3}```python\n(.*?) {3}```", text[text.index("## Add a benchmark") :], re.DOTALL)
    assert block is not None
    (tmp_path / "mine.py").write_text(re.sub("^ {3}", "", block[1], flags=re.MULTILINE), encoding="utf8")
    caesura.benchmarks.__path__.append(str(tmp_path))
    caesura.benchmarks.register_all()
    yield
    caesura.benchmarks.__path__.pop()
    del sys.modules["caesura.benchmarks.mine"]
    del recipes()["mine"]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("added")
def test_a_file_among_the_benchmarks_registers_its_recipe() -> None:
    pairs = [(masses([2, 3, 6]), masses([2, 2, 7])), (masses([5, 6]), masses([5, 6]))]
    total = cz.score_many(pairs, "F1(compat=mine)").total
    assert total.measure.settings["tolerance"] == 2
    assert "|average:items|" in total.signature
    assert "|compat:mine|" in total.signature
    assert total.value == 1
    assert cz.pk(*pairs[0], compat="mine").measure["window"] == 3
    with pytest.raises(OptionError, match="window_diff has no preset"):
        cz.window_diff(*pairs[0], compat="mine")


def test_pairs_that_cannot_be_converted_are_listed_and_the_rest_are_scored() -> None:
    long, short = times([7, 20], duration=30), times([1], duration=5)
    scores = cz.score_many([(long, long), (short, short)], "Pk(compat=chunkseg)")
    assert list(scores.errors) == [1]
    assert "a recording of 5 s has no chunk of 6 s" in str(scores.errors[1])
    assert scores.total.value == 0

    with_token, without = (cz.Segmentation.from_positions(3, [1], units=[first, "b", "c"]) for first in ("", "a"))
    scores = cz.score_many([(without, without), (with_token, with_token)], "F1(compat=disrpt-2025)")
    assert list(scores.errors) == [0]
    assert "--reading first=yes" in str(scores.errors[0])


def test_the_mark_after_the_last_utterance_counts_in_every_stream() -> None:
    reference, hypothesis = (cz.Segmentation.from_marks(marks) for marks in (["", "x", "", "x"], ["", "x", "", ""]))
    score = cz.boundary_f(reference, hypothesis, compat="superdialseg")
    assert (score.precision(), score.recall()) == (1, 0.5)
    dialogues = [cz.Dialogue({"A": text, "B": reference}) for text in (reference, hypothesis)]
    score = cz.boundary_f(*dialogues, compat="superdialseg")
    assert (score.precision(), score.recall()) == (1, 0.75)


def test_each_reference_is_converted() -> None:
    a, b, system = (times(list(places), duration=60) for places in ((12.5, 30), (13, 40), (12.7, 31)))
    each = cz.boundary_f([a, b], system, compat="chunkseg", references="each")
    assert each.value == pytest.approx((1 + 0.5) / 2)


def test_a_recipe_needs_the_annotations() -> None:
    assert cz.parse("pk(compat=superdialseg)").needs_pairs
    assert not cz.parse("pk(compat=nltk)").needs_pairs
    assert not cz.parse("F1(compat='chunkseg-collar')").needs_pairs


# Signatures that version 0.2 printed.
BEFORE = {
    "pk(compat=superdialseg)": "pk|window:2|padded:no|width:positions|rounding:half_even|mean:positions|minimum:2|clamp:no"
    "|padding:inner|last_position:yes|extent:same|level:auto|average:items|window_from:auto|compat:superdialseg|auto:window"
    "|caesura:0.2.0",
    "segmentation_score(compat=superdialseg)": "segmentation_score|conventions:superdialseg|last_position:yes|average:items"
    "|window:2|window_from:auto|compat:superdialseg|caesura:0.2.0",
    "segmentation_score": "segmentation_score|conventions:plain|window:2|window_from:auto|caesura:0.2.0",
    "boundary_f(compat=chunkseg)": "boundary_f|tolerance:0|beta:1|ends:none|strict:no|matching:maximum|empty:zero|chunk:6"
    "|extent:same|level:auto|average:items_pr|axis:units|compat:chunkseg|caesura:0.2.0",
    "generalized_hamming(compat=chunkseg)": "generalized_hamming|insertion:2|deletion:2|shift:1|costs:auto|normalize:none"
    "|chunk:6|extent:same|level:auto|average:items|axis:units|compat:chunkseg|caesura:0.2.0",
    "boundary_f(compat='disrpt-2025')": "boundary_f|tolerance:0|beta:1|ends:none|strict:no|matching:maximum|empty:one"
    "|first_token:yes|extent:same|level:auto|axis:units|compat:disrpt-2025|caesura:0.2.0",
}
PK, SCORE, _, F1, _, _ = BEFORE.values()


@pytest.mark.parametrize("measure", BEFORE)
def test_signatures_of_version_0_2_name_the_recipe(measure: str) -> None:
    assert measure_of(BEFORE[measure]) == cz.parse(measure)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (F1.replace("chunk:6", "chunk:5"), "chunk:5, an option of version 0.2 that only compat=chunkseg has"),
        (PK.replace("|compat:superdialseg", ""), "last_position:yes, an option of version 0.2"),
        (SCORE.replace("conventions:superdialseg", "conventions:plain"), "conventions:plain, an option"),
        (
            SCORE.replace("|last_position:yes", "").replace("|compat:superdialseg", ""),
            "conventions:superdialseg, an option",
        ),
    ],
)
def test_former_options_without_their_recipe_are_an_error(text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        measure_of(text)


def test_texts_with_different_words_are_no_pair_of_superdialseg() -> None:
    """The position after the last utterance is added to texts that can be compared, whose lengths a message names."""
    with pytest.raises(MismatchError, match="reference has 5, hypothesis has 4"):
        cz.pk(masses([2, 3]), masses([2, 2]), compat="superdialseg")


def test_a_pair_that_cannot_be_compared_does_not_spoil_the_others() -> None:
    text, recording, spans = masses([2, 3]), times([7, 20], duration=30), cz.Spans([(1, 2, "x")], length=5)
    for measure in ("boundary_f(compat=superdialseg)", "pk(compat=superdialseg)"):
        scores = cz.score_many([(text, text), (text, recording), (spans, text)], measure)
        assert list(scores.errors) == [1, 2]
        assert scores.values[0] == cz.parse(measure).score(text, text).value


def test_processes_convert_too() -> None:
    pairs = [(masses([2, 3, 6]), masses([2, 2, 7]))] * 4
    for measure in ("pk(compat=superdialseg)", "boundary_f(compat=superdialseg)"):
        alone = cz.score_many(pairs, measure)
        assert cz.score_many(pairs, measure, engine="processes", workers=2).values.tolist() == alone.values.tolist()


def test_the_plain_number_of_a_recipe() -> None:
    assert cz.parse("pk(compat=chunkseg)").plain() == cz.parse("pk")
    plain = cz.parse("boundary_f(compat=chunkseg)").plain()
    assert plain == cz.parse("boundary_f(compat=chunkseg, empty=one, average=micro)")
    assert plain.plain() == plain
