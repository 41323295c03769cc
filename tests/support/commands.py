"""Run commands of the program without the line about reading, so that a test sees only the messages it expects."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.testing import CliRunner, Result

from caesura.cli import main


def invoke(arguments: Sequence[str]) -> Result:
    """Run a command with ``--quiet``, if it has this option."""
    name, *rest = arguments
    command = main.get_command(click.Context(main), name)
    if command is not None and any(option.name == "quiet" for option in command.params):
        rest = ["--quiet", *rest]
    return CliRunner().invoke(main, [name, *rest])
