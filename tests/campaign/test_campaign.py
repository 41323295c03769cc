"""The quick version of the campaign, and that it notices what it looks for."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from campaign.registry import Attack, Case, attacks
from campaign.structures import CHANGES
from campaign.worker import slowness, try_input
from support import fuzzing

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_quick_version_has_no_failure() -> None:
    # All machines try the same inputs; the limits of time grow with the slowness of the machine, and other tests run beside.
    command = [sys.executable, "-m", "tests.campaign", "--quick"]
    environment = os.environ | {"CAESURA_SLACK": "2"}
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stdout + process.stderr


def test_every_attack_is_in_the_quick_version() -> None:
    assert all(entry.quick > 0 for entry in attacks().values())


PROCESSES = ("full disks", "kills")  # attacks that start many processes


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in PROCESSES)) for name in attacks()]
)
def test_every_attack_can_run(name: str, tmp_path: Path) -> None:
    entry = attacks()[name]
    outcome = try_input(entry, Case(0, random.Random(0), tmp_path))
    assert outcome.problem == ""
    assert outcome.ended


@pytest.mark.parametrize("name", fuzzing.SAMPLES)
def test_every_format_has_changes_that_change_it(name: str) -> None:
    sample = fuzzing.SAMPLES[name]
    data = sample.files[sample.name]
    for change in CHANGES[name]:
        results = [change(random.Random(seed), data) for seed in range(20)]
        assert len(set(results)) > 5
        assert results == [change(random.Random(seed), data) for seed in range(20)] or name.startswith("table-")


def _spend() -> str:
    until = time.process_time() + 0.3 * slowness()
    while time.process_time() < until:
        pass
    return "corpus"


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (lambda case: [][1], "IndexError"),
        (lambda case: _spend(), " s"),
        (lambda case: str(len(b"x" * 90 * 2**20)), "MB"),
        (lambda case: "corpus", ""),
    ],
)
def test_failures_are_noticed(run: object, problem: str, tmp_path: Path) -> None:
    entry = Attack("trial", run, 1.0, 0.2 if problem == " s" else 10, 50, None)  # type: ignore[arg-type]
    outcome = try_input(entry, Case(0, random.Random(0), tmp_path))
    assert problem in outcome.problem
    assert bool(outcome.problem) == bool(problem)


@pytest.mark.parametrize(("name", "number"), [("round trips", 1348), ("changed structure", 1996)])
def test_inputs_that_once_failed(name: str, number: int, tmp_path: Path) -> None:
    # A lone surrogate in a workbook, and an error that repeated a cell of 5,000 characters.
    outcome = try_input(attacks()[name], Case(number, random.Random(f"0/{name}/{number}"), tmp_path))
    assert outcome.problem == ""
