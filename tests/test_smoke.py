"""Run every command once on the example files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from caesura.cli import main

DATA = Path(__file__).parents[1] / "examples" / "data"

COMMANDS = [
    "score reference.bits hypothesis.bits",
    "score talk.csv --settings matrix.toml --operations",
    "agree readers.json --pairs --clusters",
    "judge people.json --system mine.json --system theirs.json --errors",
    "unify annotators.json --why",
    "unify songs.json --repair --evaluate",
    "trees gold.ptb parser.ptb --align",
    "evaluate documents.jsonl -m boundary_similarity -m pk",
    "info talk.csv",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_answers(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


@pytest.mark.parametrize("command", COMMANDS)
def test_json_parses(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    result = CliRunner().invoke(main, [*command.split(), "--json"])
    assert result.exit_code == 0, result.output
    assert isinstance(json.loads(result.stdout), dict)
