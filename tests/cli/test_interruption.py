"""Ctrl-C ends every command soon, with exit code 130 and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import caesura as cz
from support.corpora import random_corpus

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")

PROMPTLY = 2.0  # seconds


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.json"
    cz.write(random_corpus(1, items=4000, coders="abcdefgh"), path)
    return path


def interrupt(arguments: list[str], folder: Path, *, after: float, ready: bytes = b"") -> tuple[int, float, str]:
    """Return exit code, time to the end, and messages of a command that gets Ctrl-C some time after it is ready."""
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline() if ready else b""
        assert line.startswith(ready)
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, messages = process.communicate()
    return process.returncode, time.monotonic() - began, messages.decode()


@pytest.mark.parametrize("after", [0.0, 0.5])
@pytest.mark.parametrize(
    "command",
    [
        "agree",
        "judge --system h",
        "gold -o gold.json",
        "plan",
        "report -o page.html",
        "disagreements -o tables",
        "convert",
        "evaluate --reference a --hypothesis b --checkpoint kept",
    ],
)
def test_a_command_ends_promptly(command: str, after: float, corpus: Path, tmp_path: Path) -> None:
    name, *options = command.split()
    files = [str(corpus), "out.csv"] if name == "convert" else [str(corpus)]
    ready = b"" if name == "evaluate" else b"read "
    after += 1.0 if name == "evaluate" else 0.0  # it reads while it computes
    code, seconds, messages = interrupt(["-m", "caesura", name, *files, *options], tmp_path, after=after, ready=ready)
    assert "Traceback" not in messages
    if code == 0:  # it was faster
        return
    assert code == 130
    assert seconds < PROMPTLY
    assert messages.count("caesura: stopped") == 1
    assert os.listdir(tmp_path) in ([], ["kept"])


COMPUTES = """
import hashlib, sys
import caesura.cli, caesura.__main__
from caesura.files import new_file

def main(**_):
    with new_file("out"):
        print("begins", file=sys.stderr, flush=True)
        hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # minutes in one call

caesura.cli.main = main
caesura.__main__.run()
"""


def test_one_long_call_does_not_delay_the_end(tmp_path: Path) -> None:
    code, seconds, messages = interrupt(["-c", COMPUTES], tmp_path, after=0.2, ready=b"begins")
    assert (code, messages) == (130, "caesura: stopped\n")
    assert seconds < PROMPTLY
    assert os.listdir(tmp_path) == []
