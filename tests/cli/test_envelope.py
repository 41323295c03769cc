"""All commands print JSON in the same envelope, also with excluded items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from support.commands import invoke
from support.envelope import envelope_of, excluded_of, results_of

DATA = Path(__file__).parents[2] / "examples" / "data"

GOOD_AND_BAD = {"items": {"good": {"a": [2, 3, 1], "b": [1, 4, 1]}, "bad": {"a": [2, 0], "b": [1, 1]}}}
SPANS = "item,coder,start,end\ngood,a,1,4\ngood,a,1,2\ngood,b,1,4\nbad,a,1,4\nbad,b,4,1\n"
DOCUMENTS = (
    '{"item": "x", "length": 5, "reference": [2], "hypothesis": [3]}\n'
    '{"item": "y", "length": 5, "reference": [9], "hypothesis": [3]}\n'
)


def run(line: str) -> Result:
    return invoke(f"{line} --json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "masses.json").write_text(json.dumps(GOOD_AND_BAD))
    (tmp_path / "spans.csv").write_text(SPANS)
    (tmp_path / "documents.jsonl").write_text(DOCUMENTS)
    (tmp_path / "gold.ptb").write_text("(S (NP (NN a)) (VP (VB b)))\n(S (NN c\n")
    (tmp_path / "parser.ptb").write_text("(S (NN a) (VP (VB b)))\n(S (NN c))\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "score masses.json",
        "agree masses.json --clusters --cochran --heat",
        "judge masses.json --system b --errors",
        "unify spans.csv",
        "unify spans.csv --evaluate",
        "evaluate documents.jsonl",
        "info masses.json",
        "trees gold.ptb parser.ptb --layout lines",
    ],
)
def test_exclusions_are_in_the_envelope(arguments: str, folder: Path) -> None:
    result = run(arguments)
    assert result.exit_code == 1, result.output
    data = envelope_of(result)
    assert data["command"] == arguments.split()[0]
    assert data["excluded"]
    assert set(data["excluded"][0]) >= {"item", "coder", "reason"}
    assert data["results"]


@pytest.mark.parametrize(
    "command",
    [
        "score reference.bits hypothesis.bits",
        "agree readers.json",
        "judge people.json --system mine.json",
        "unify annotators.json",
        "trees gold.ptb parser.ptb",
        "evaluate documents.jsonl",
        "info talk.csv",
        "measures",
        "formats",
    ],
)
def test_envelope_without_exclusions(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    result = run(command)
    assert result.exit_code == 0, result.output
    data = envelope_of(result)
    assert data["excluded"] == []
    assert data["version"]
    assert data["results"]


def test_reading_describes_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    (reading,) = envelope_of(run("agree readers.json"))["reading"]
    assert reading["files"] == ["readers.json"]
    assert (reading["format"], reading["kind"], reading["coders"]) == ("masses-json", "linear", ["1", "2", "3", "4"])
    assert set(reading["items"]) == set(reading["boundaries"])


def test_unify_evaluate_lists_unreadable_files(folder: Path) -> None:
    result = run("unify spans.csv --evaluate")
    assert any("start must be before end" in line for line in excluded_of(result))
    assert results_of(result)["evaluation"]["rows"]


def test_undefined_numbers_are_null_with_a_reason(folder: Path) -> None:
    Path("blank.json").write_text('{"items": {"x": {"a": [5], "b": [5]}}}')
    (entry,) = results_of(run("agree blank.json -m boundary_similarity"))["agreement"]
    assert entry["value"] is None
    assert "no coder placed a boundary" in entry["reason"]
