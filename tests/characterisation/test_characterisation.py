"""Every recorded command and read gives what version 0.2 gave: rows to 1e-12, exit codes, names of errors."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

import pytest

import caesura as cz
from caesura.agreement.families import COEFFICIENTS
from caesura.agreement.nominal import PercentAgreement, TextbookChance
from caesura.cli.program import COMMANDS

from .cases import laid_out, load, run_command, run_read
from .rows import difference, envelope_rows, same

# The cases are dealt out to a fixed number of tests, so that two cores share them.
BLOCKS = 24


@cache
def recorded(name: str) -> dict[str, Any]:
    return load(name)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_commands_say_what_they_said(block: int) -> None:
    data, failures = recorded("commands"), []
    for case in data["cases"][block::BLOCKS]:
        with laid_out(data["folders"][case["folder"]]):
            now = run_command(shlex.split(case["command"]))
        if problem := _difference(case, now, ("exit", "error")):
            failures.append(f"in the folder {case['folder']!r}: caesura {case['command']}\n{problem}")
    assert not failures, "\n\n".join([f"{len(failures)} commands changed", *failures[:5]])


@pytest.mark.parametrize("block", range(BLOCKS))
def test_files_are_read_as_they_were(block: int) -> None:
    failures = []
    for case in recorded("reads")["cases"][block::BLOCKS]:
        with laid_out(case["files"]) as folder:
            now = run_read(case, folder)
        if problem := _difference(case, now, ("error", "kind", "excluded")):
            failures.append(f"read {case['path']} with {case['options']}\n{problem}\n{case['files']}"[:2000])
    assert not failures, "\n\n".join([f"{len(failures)} reads changed", *failures[:5]])


def _difference(case: dict[str, Any], now: dict[str, Any], words: tuple[str, ...]) -> str:
    for word in words:
        if case[word] != now[word]:
            return f"{word}: expected {case[word]!r}, got {now[word]!r}"
    return difference(case["rows"], now["rows"]) or difference(case.get("drawn", []), now.get("drawn", []))


def test_the_set_has_a_result_of_every_command_measure_and_coefficient() -> None:
    cases = recorded("commands")["cases"]
    passed = [shlex.split(case["command"]) for case in cases if case["exit"] == 0]
    assert len(passed) >= 400
    assert sum(case["error"] != "" for case in cases) >= 30
    assert {words[0] for words in passed} == {*COMMANDS} - {"open", "demo", "report"}
    newer = {*TextbookChance.coefficients, *PercentAgreement.coefficients}  # version 0.2 did not have them
    assert {*cz.measures(), *COEFFICIENTS} - newer <= {word for words in passed for word in words}


def test_numbers_must_agree_to_twelve_digits() -> None:
    assert same([1.0, "a", None], [1.0 + 1e-13, "a", None])
    assert not same([1.0], [1.0 + 1e-11])
    assert not same(0.0, 1e-11)
    assert difference([["a", 1]], [["a", 1], ["b", 2]]) != ""


def test_rows_of_an_envelope() -> None:
    envelope = {
        "results": {"scores": [{"measure": "B", "item": "x", "value": 0.5, "parts": {"matches": 2}, "note": "words"}]},
        "data": "f0",
        "signature": "B|n_t:2|caesura:0.2.0",
        "excluded": [{"item": "y", "coder": None, "reason": "words"}],
        "reading": [],
    }
    assert [row for row in envelope_rows(envelope) if row[3] in ("scores.value", "scores.parts.matches")] == [
        ["B", "x", "", "scores.value", 0.5],
        ["B", "x", "", "scores.parts.matches", 2],
    ]
    assert ["", "", "", "signature", "B|n_t:2"] in envelope_rows(envelope)
    assert ["", "y", "", "excluded", True] in envelope_rows(envelope)
    assert not any("words" in row for row in envelope_rows(envelope))
