"""Files for tests of commands, and a function that runs a command beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from support.commands import run_command
from support.corpora import TALK

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    # ref ··|····|·····   ···|···
    # hyp ··|···|······   ···|···
    Path("folder").mkdir()
    Path("ref.bits").write_text("0100010000\n00100\n")
    Path("hyp.bits").write_text("0100100000\n00100\n")
    cz.write(stargazer(), "readers.json")
    return run_command


@pytest.fixture
def talk(run: Run) -> Run:
    Path("talk.csv").write_text(TALK)
    Path("matrix.toml").write_text('normalize = "positions"\n[similarity]\npairs = [["?", ".", 0.75]]\n')
    return run


@pytest.fixture
def many(run: Run) -> Run:
    """Three items of three readers. Item "bad" has one coder; the coders of "odd" have different texts."""
    many = {
        "x": {"ann": [2, 2, 2], "bo": [2, 3, 1], "cy": [5, 1]},
        "y": {"ann": [1, 3], "bo": [1, 3], "cy": [2, 2]},
        "z": {"ann": [4, 4], "bo": [4, 4], "cy": [4, 4]},
    }
    bad = {"x": {"ann": [2, 2, 2], "bo": [2, 3, 1]}, "bad": {"ann": [2, 2]}, "odd": {"ann": [2, 2], "bo": [2, 3]}}
    Path("many.json").write_text(json.dumps({"items": many}))
    Path("bad.json").write_text(json.dumps({"items": bad}))
    return run


LABELLED = {
    "items": {"poem": {"ann": [2, 2], "bo": [3, 1]}},
    "segment_labels": {"poem": {"ann": ["Scenery", "Sound/Person"], "bo": ["Scenery", "Sound"]}},
}


@pytest.fixture
def labelled(run: Run) -> Run:
    Path("labelled.json").write_text(json.dumps(LABELLED))
    return run
