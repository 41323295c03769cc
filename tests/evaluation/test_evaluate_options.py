"""``evaluate`` chooses measures, honours settings files, and gives the same numbers as ``score``."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, OptionError
from caesura.formats import read_settings
from support.commands import invoke

SETTINGS = """
symbols = {"/" = "minor", "//" = "major"}
normalize = "positions"
transposition = 0.25

[similarity]
types = ["minor", "major"]
matrix = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
"""

#   ann   a b / c // d e //
#   bo    a / b c // d // e /
TABLE = """Item,Annotator,Speaker,Utterance
t,ann,F,a b /
t,ann,F,c //
t,ann,F,d e //
t,bo,F,a /
t,bo,F,b c //
t,bo,F,d //
t,bo,F,e /
"""


def scored(*arguments: object) -> dict[str, dict[str, Any]]:
    """Return measure -> total score that ``caesura score`` prints as JSON."""
    result = invoke(["score", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    rows = data.get("scores") or data["results"]
    rows = rows["scores"] if isinstance(rows, dict) else rows
    return {row["measure"]: row for row in rows if row.get("item") is None}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(SETTINGS)
    (tmp_path / "talk.csv").write_text(TABLE)
    return tmp_path


def test_symbols_and_costs_of_settings(study: Path) -> None:
    coders = {"reference": "ann", "hypothesis": "bo"}
    with_path = cz.evaluate(study / "talk.csv", "flexible_similarity", settings=study / "study.toml", **coders)
    with_object = cz.evaluate(
        study / "talk.csv", "flexible_similarity", settings=read_settings(study / "study.toml"), **coders
    )
    settings = read_settings(study / "study.toml")
    corpus = cz.read(study / "talk.csv", **settings.reading_options("segsimflex"))
    expected = cz.flexible_similarity(corpus["t", "ann"], corpus["t", "bo"], **settings.measure_options())
    for result in (with_path, with_object):
        assert result["flexible_similarity"].value == expected.value
        assert result["flexible_similarity"].parts == expected.parts
    without = cz.evaluate(study / "talk.csv", "flexible_similarity", symbols=["/", "//"], **coders)
    assert without["flexible_similarity"].value != expected.value


def test_settings_on_the_command_line(study: Path) -> None:
    arguments = ["talk.csv", "--settings", "study.toml", "--reference", "ann", "--hypothesis", "bo"]
    arguments[0], arguments[2] = str(study / "talk.csv"), str(study / "study.toml")
    result = invoke(["evaluate", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    expected = cz.evaluate(
        study / "talk.csv", settings=study / "study.toml", reference="ann", hypothesis="bo"
    ).to_dict()
    assert json.dumps(expected["scores"]["flexible_similarity"]["value"]) in result.stdout


def test_options_of_the_call_take_precedence_over_settings(study: Path) -> None:
    coders = {"reference": "ann", "hypothesis": "bo"}
    named = cz.evaluate(
        study / "talk.csv",
        "flexible_similarity",
        settings=study / "study.toml",
        symbols={"/": "major", "//": "minor"},
        **coders,
    )
    plain = cz.evaluate(study / "talk.csv", "flexible_similarity", settings=study / "study.toml", **coders)
    assert named["flexible_similarity"].value == plain["flexible_similarity"].value  # the matrix is symmetric
    (study / "types.csv").write_text("unit,reference,hypothesis\n1,minor,major\n2,,\n")
    result = cz.evaluate(study / "types.csv", "boundary_similarity(n_t=2)", settings=study / "study.toml")
    assert result["boundary_similarity"].parts["substitutions"] == 1
    turned = cz.evaluate(
        study / "types.csv", "boundary_similarity(n_t=2)", settings=study / "study.toml", types=["major", "minor"]
    )
    assert turned["boundary_similarity"].value == result["boundary_similarity"].value


def songs(number: int = 5) -> cz.Corpus:
    """Two coders with two levels. Some of their times differ by less than half a second."""
    rng = np.random.default_rng(3)
    items = {}
    for i in range(number):
        times = np.sort(rng.choice(np.arange(4, 200), 7, replace=False)).astype(float)
        coders = {}
        for coder in ("ann", "bo"):
            edges = [0.0, *(times + rng.choice([0, 0.2, 0.4, 3.0], 7)), 220.0]
            edges = sorted(edges)
            fine = [(a, b, 2, str(k % 3)) for k, (a, b) in enumerate(itertools.pairwise(edges)) if b > a]
            coarse = [(edges[0], edges[4], 1, "A"), (edges[4], edges[-1], 1, "B")]
            coders[coder] = cz.Hierarchy.from_times([*coarse, *fine])
        items[f"song {i}"] = coders
    return cz.Corpus(items)


HIERARCHY_MEASURES = ["hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure"]


def test_hierarchies_in_time_give_the_same_numbers_as_score(tmp_path: Path) -> None:
    cz.write(songs(), tmp_path / "songs.json")
    expected = scored(tmp_path / "songs.json")
    assert list(expected) == HIERARCHY_MEASURES
    for source in (tmp_path / "songs.json", songs()):
        for measures in (None, HIERARCHY_MEASURES):
            result = cz.evaluate(source, measures, reference="ann", hypothesis="bo")
            assert (list(result), result.excluded) == (HIERARCHY_MEASURES, ())
            assert {name: score.value for name, score in result.items()} == {
                name: row["value"] for name, row in expected.items()
            }
            assert {name: score.to_dict()["parts"] for name, score in result.items()} == {
                name: row["parts"] for name, row in expected.items()
            }


def test_spans_that_are_too_short_are_counted_once() -> None:
    ann = cz.Hierarchy.from_times([(0, 10), (0, 5), (5, 5.25)])
    bo = cz.Hierarchy.from_times([(0, 10), (0, 5.25)])
    with pytest.warns(CaesuraWarning, match="^3 spans are shorter .* of 0.5 s and were dropped$") as caught:
        result = cz.evaluate([(ann, bo)] * 3, ["hierarchy_kappa", "non_crossing", "t_measure"])
    assert len(caught) == 1
    assert result.documents == 3


def test_times_beside_texts_are_excluded_and_listed() -> None:
    timed = cz.Hierarchy.from_times([(0, 10), (0, 5)])
    text = cz.Hierarchy(10, [(1, 10), (1, 5)])
    result = cz.evaluate([(timed, timed), (timed, text)], "hierarchy_kappa")
    assert [entry.item for entry in result.excluded] == ["2"]


CUT = cz.Segmentation.from_masses
TREE = "(S (NP (DT the) (NN man)) (VP (VBD ate)))"
KINDS: dict[str, tuple[Callable[[], Iterable[Any]], list[str]]] = {
    "linear": (
        lambda: [(CUT([2, 3]), CUT([3, 2]))],
        ["boundary_similarity", "segmentation_similarity", "window_diff", "pk"],
    ),
    "dialogue": (
        lambda: [({"F": CUT([2, 3])}, {"F": CUT([3, 2])})],
        ["flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')"],
    ),
    "unlabelled hierarchy": (
        lambda: [(cz.Hierarchy(8, [(1, 8), (1, 2)]), cz.Hierarchy(8, [(1, 8), (1, 4)]))],
        HIERARCHY_MEASURES[:-1],
    ),
    "trees": (lambda: [(cz.Tree.from_brackets(TREE),) * 2], ["struct_iou", "parseval"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_default_measures(kind: str) -> None:
    documents, names = KINDS[kind]
    for source in (documents(), iter(documents())):
        result = cz.evaluate(source)
        assert (list(result), result.documents) == (names, 1)


def test_default_measures_if_the_first_documents_are_wrong() -> None:
    pairs = [(7, 8), KINDS["dialogue"][0]()[0]]  # type: ignore[index]
    result = cz.evaluate(pairs, "flexible_similarity")
    assert result.documents == 2
    assert [entry.item for entry in result.excluded] == ["1"]


def test_options_of_the_engine_are_not_options_of_reading() -> None:
    with pytest.raises(OptionError, match=r"workers belongs to the engine; use engine=open_engine\(..., workers=2\)"):
        cz.evaluate([], "pk", workers=2)


def test_to_frame_and_to_dict() -> None:
    result = cz.evaluate([(CUT([2, 3]), CUT([3, 2])), (CUT([2]), 7)], ["pk", "window_diff"])
    data = result.to_dict()
    assert (data["documents"], data["partial"], list(data["scores"])) == (2, True, ["pk", "window_diff"])
    expected = [("2", None, "pk"), ("2", None, "window_diff")]
    assert [(entry["item"], entry["coder"], entry["measure"]) for entry in data["excluded"]] == expected
    json.dumps(data)
    pytest.importorskip("pandas")
    frame = result.to_frame()
    assert frame["value"].tolist() == [score.value for score in result.values()]
    assert result.signature.startswith("evaluate|pk|window_diff|documents:2|data:")
