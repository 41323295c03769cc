"""Run commands of the program without the line about reading, so that a test sees only the messages it expects."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click
from click.testing import CliRunner, Result

from caesura.cli import main


def invoke(arguments: Sequence[str] | str) -> Result:
    """Run a command, given as words or as a line, with ``--quiet``, if it has this option."""
    name, *rest = shlex.split(arguments) if isinstance(arguments, str) else arguments
    command = main.get_command(click.Context(main), name)
    if command is not None and any(option.name == "quiet" for option in command.params):
        rest = ["--quiet", *rest]
    return CliRunner().invoke(main, [name, *rest])


def run_command(line: str, *words: str) -> Result:
    """Run a command, given as a line and more words; whatever it says, it does not crash."""
    result = invoke([*shlex.split(line), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result
