"""Output to a full device or a closed pipe ends with one line and exit code 1."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError, ResourceError, own_errors
from support.commands import invoke

DATA = Path(__file__).parents[2] / "examples" / "data"
COMMANDS = [
    ["--help"],
    ["--version"],
    ["measures"],
    ["agree", "--help"],
    ["score", str(DATA / "reference.bits"), str(DATA / "hypothesis.bits"), "--quiet"],
    ["info", str(DATA / "ann.csv"), "--quiet", "--json"],
]


def cases() -> Iterator[Any]:
    """Every command with every output; by default, every command with one output and every output with one command."""
    for number, command in enumerate(COMMANDS):
        for output in ("full", "pipe", "closed"):
            marks = [pytest.mark.slow] if number and output != "full" else []
            yield pytest.param(command, output, marks=marks, id=f"{output}-{' '.join(command)}")


@pytest.mark.parametrize(("command", "output"), list(cases()))
def test_one_line(command: list[str], output: str) -> None:
    program = [sys.executable, "-m", "caesura", *command]
    if output == "pipe":
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open("/dev/full", os.O_WRONLY)
    if output == "closed":
        program = ["sh", "-c", 'exec "$@" >&-', "sh", *program]
    try:
        result = subprocess.run(program, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writer)
    reason = {
        "full": "No space left on device",
        "pipe": "the program that reads it has ended",
        "closed": "it is closed",
    }
    assert (result.returncode, result.stderr) == (1, f"caesura: the output cannot be written: {reason[output]}\n")


def test_messages_that_cannot_be_written() -> None:
    with open("/dev/full", "wb") as full:
        for command in (["nothing"], ["measures"]):
            run = subprocess.run([sys.executable, "-m", "caesura", *command], stdout=full, stderr=full, check=False)
            assert run.returncode == 1


@pytest.mark.parametrize("error", [MemoryError, OverflowError, RecursionError])
def test_errors_of_python_become_errors_of_the_package(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ResourceError, match=r"^item 'a': ") as caught, own_errors("command"), own_errors("item 'a'"):
        raise error
    assert isinstance(caught.value, CaesuraError)

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("caesura.cli.listing.print_result", fail)
    result = invoke(["measures"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("caesura: this command: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["gold", "{file}", "-o", "{file}"],
        ["report", "{file}", "-o", "{file}"],
        ["convert", "{file}", "{file}"],
        ["unify", "{file}", "-o", "{file}"],
        ["agree", "{file}", "--output", "{folder}"],
    ],
)
def test_an_input_is_never_overwritten(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    content = "item,text,ann,bo\nx,a,0,1\nx,b,1,0\nx,c,0,0\n"
    path.write_text(content)
    if command[0] == "unify":
        path = tmp_path / "items.json"
        content = '{"items": {"x": {"length": 4, "coders": {"ann": [[1, 2, 1]], "bo": [[1, 2, 1], [3, 4, 1]]}}}}'
        path.write_text(content)
    result = invoke([word.format(file=path, folder=tmp_path) for word in command])
    assert result.exit_code == 2, result.output
    assert f"{path} is an input; choose another name for the output" in " ".join(result.stderr.split())
    assert path.read_text() == content
