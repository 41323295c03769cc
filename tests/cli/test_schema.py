"""The JSON of every command follows the schema that ships with the package."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from caesura.cli import main
from caesura.cli.program import COMMANDS
from caesura.data import output_schema
from support.commands import invoke

jsonschema = pytest.importorskip("jsonschema")

DATA = Path(__file__).parents[2] / "examples" / "data"
VALIDATOR = jsonschema.Draft202012Validator(output_schema())


def with_json() -> list[str]:
    """Return the commands that have the option --json."""
    commands = {name: main.get_command(click.Context(main), name) for name in COMMANDS}
    return [name for name, command in commands.items() if command and any("--json" in o.opts for o in command.params)]


MORE = [
    "info talk.csv",
    "info gold.ptb",
    "score talk.csv",
    "score annotators.json --reference ann --hypothesis bo",
    "score reference.bits hypothesis.bits --operations --edits",
    "score gold.ptb parser.ptb",
    "agree people.json --clusters --cochran --heat --label-similarity",
    "agree talk.csv -c kappa -c pi",
    "agree people.json --group first=ann,bo --group second=cy --clusters",
    "agree talk.csv -m B -m S --chance placement",
    "score reference.bits hypothesis.bits --chance -m B -m Pk -m fuzzy_success",
    "agree annotators.json",
    "agree readers.json -c alpha -c bias -c multi_kappa",
    "disagreements annotators.json",
    "pairwise people.json -m Pk -m S --ordered",
    "judge people.json --system cy --interval none --no-bounds",
    "curve scores.csv --tolerance 1 --threshold-from development.csv",
    "curve scores.csv --compat wtpsplit --reference bo",
    "gold people.json --method majority",
    "gold annotators.json",
    "unify annotators.json --evaluate",
]


def errors_of(document: Any) -> list[str]:
    return [f"{list(error.path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in DATA.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example(name: str) -> list[str]:
    command = main.get_command(click.Context(main), name)
    lines = (command.help or "").splitlines()
    line = next((line for line in lines if line.strip().startswith(f"caesura {name}")), f"caesura {name}")
    return shlex.split(line.strip())[1:]


def test_the_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(output_schema())


@pytest.mark.parametrize("name", with_json())
def test_examples_of_the_help(name: str) -> None:
    document = json.loads(invoke([*example(name), "--json"]).stdout)
    assert errors_of(document) == []
    assert document["command"] == name


@pytest.mark.parametrize("line", MORE)
def test_more_commands(line: str) -> None:
    result = invoke([*line.split(), "--json"])
    assert errors_of(json.loads(result.stdout)) == [], result.stderr


BAD = {
    "masses.json": json.dumps({"items": {"x": {"a": [2, 3, 1], "b": [1, 4, 1]}, "y": {"a": [2, 0], "b": [1, 1]}}}),
    "empty.json": json.dumps({"items": {"x": {"a": [5], "b": [5]}}}),
    "documents.jsonl": '{"item": "x", "length": 5, "reference": [2], "hypothesis": [3]}\n'
    '{"item": "y", "length": 5, "reference": [9], "hypothesis": [3]}\n',
}


@pytest.mark.parametrize(
    "line",
    [
        "score masses.json",
        "agree masses.json --clusters",
        "agree empty.json",
        "pairwise masses.json",
        "disagreements masses.json",
        "gold masses.json",
        "judge masses.json --system b",
        "evaluate documents.jsonl",
        "info masses.json",
    ],
)
def test_excluded_items_and_undefined_numbers(line: str, folder: Path) -> None:
    for name, text in BAD.items():
        (folder / name).write_text(text)
    result = invoke([*line.split(), "--json"])
    document = json.loads(result.stdout)
    assert errors_of(document) == []
    if "masses" in line or "documents" in line:
        assert document["excluded"], line
    else:
        assert all(entry["value"] is None and entry["reason"] for entry in document["results"]["agreement"])


def test_undefined_rows_have_a_reason(folder: Path) -> None:
    masses = {"items": {"x": {"a": [2, 3], "b": [3, 2]}, "y": {"a": [5], "b": [5]}}}
    (folder / "one.json").write_text(json.dumps(masses))
    document = json.loads(invoke("agree one.json --json").stdout)
    assert errors_of(document) == []
    row = document["results"]["agreement"][0]["items"][1]
    assert (row["value"], row["reason"]) == (None, "no coder placed a boundary")
    row.pop("reason")
    assert errors_of(document)


def test_the_schema_rejects_other_objects() -> None:
    document = json.loads(invoke("agree people.json --json").stdout)
    for change in (
        {"data": "short"},
        {"excluded": [{"item": None}]},
        {"more": 1},
        {"results": {"agreement": [{"coefficient": "pi", "measure": None, "value": None}], "placed": {}}},
        {"results": {"agreement": [{**document["results"]["agreement"][0], "value": "0.5"}], "placed": {}}},
    ):
        assert errors_of({**document, **change}), change
    document.pop("signature")
    assert errors_of(document)
