"""Control characters in names never reach a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from caesura.cli import main

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
HOSTILE = "\x1b[31m\x07\x9b2J"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["agree", "pairwise", "disagreements", "gold", "convert"])
def test_commands_in_a_terminal(command: str, tmp_path: Path) -> None:
    coders = {f"ann{HOSTILE}": [2, 3], f"bo{HOSTILE}": [3, 2]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"items": {f"x{HOSTILE}": coders, "y": coders}}))
    target = [str(tmp_path / "b.json")] if command == "convert" else []
    process, terminal = pty.fork()
    if not process:
        os.execv(sys.executable, [sys.executable, "-m", "caesura", command, str(path), *target])
    printed = b""
    while True:
        try:
            block = os.read(terminal, 2**16)
        except OSError:  # the end on Linux
            break
        if not block:
            break
        printed += block
    os.waitpid(process, 0)
    os.close(terminal)
    assert b"ann" in printed
    assert b"\x07" not in printed
    assert b"\x1b[31m" not in printed
    assert b"\xc2\x9b" not in printed


def test_carriage_returns_and_directions_of_names(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    coders = {"ann\r": [2, 3], "bo": [3, 2]}
    path.write_text(json.dumps({"items": {"x\u202e": coders, "y\r": coders}}))
    drawn = CliRunner().invoke(main, ["score", str(path), "--edits"])
    assert drawn.exit_code == 0
    assert "\u202e" not in drawn.output
    table = CliRunner().invoke(main, ["pairwise", str(path), "--csv"]).stdout
    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert any("ann\r" in cell for row in rows for cell in row)


def test_edits_of_times_are_listed_and_not_drawn(tmp_path: Path) -> None:
    for name, time in (("a", 1.5), ("b", 1.75)):
        (tmp_path / f"{name}.lab").write_text(f"0 {time} A\n{time} 3 B\n")
    words = ["score", str(tmp_path / "a.lab"), str(tmp_path / "b.lab")]
    drawn = CliRunner().invoke(main, [*words, "--edits", "-m", "boundary_f"])
    assert drawn.exception is None or isinstance(drawn.exception, SystemExit)
    assert "Only texts with units are drawn" in drawn.stdout
