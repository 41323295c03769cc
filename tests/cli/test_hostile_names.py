"""Control characters in names never reach a terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
HOSTILE = "\x1b[31m\x07\x9b2J"


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
