"""The campaign in three minutes, and that it notices what it looks for."""

from __future__ import annotations

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
def test_three_minutes_without_a_failure() -> None:
    # The last inputs and the start of processes add to the two minutes. A fast machine tries the same inputs as others.
    command = [sys.executable, "-m", "tests.campaign", "--minutes", "2", "--inputs", "20000"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.mark.parametrize("name", attacks())
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
    entry = Attack("trial", run, 1.0, 0.2, 50, None)  # type: ignore[arg-type]
    outcome = try_input(entry, Case(0, random.Random(0), tmp_path))
    assert problem in outcome.problem
    assert bool(outcome.problem) == bool(problem)
