"""Every option of every command has an effect, or is refused."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import caesura
from caesura.cli import main
from caesura.cli.program import COMMANDS

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
PEOPLE = str(EXAMPLES / "people.json")


def options() -> list[tuple[str, str]]:
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in COMMANDS}
    return [
        (name, parameter.name or "")
        for name, command in commands.items()
        if command is not None
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name != "help"
    ]


@cache
def used_names() -> frozenset[str]:
    """Return all names that are an attribute, a name in a selection of options, or an argument that is passed on."""
    source = "\n".join(path.read_text() for path in Path(caesura.__file__).parent.rglob("*.py"))
    uses = (r"[.](\w+)\b", r"[\"'](\w+)[\"']", r"\((\w+)[,)]", r"[ =](\w+)[,)]")
    return frozenset(name for use in uses for name in re.findall(use, source))


@pytest.mark.parametrize("name", sorted({name for _, name in options()}))
def test_the_program_uses_every_option(name: str) -> None:
    assert name in used_names()


PAIR = ("score", PEOPLE, "--reference", "ann", "--hypothesis", "bo")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([*PAIR, "--seed", "3"], "--seed has no effect without --chance"),
        ([*PAIR, "--only"], "--only has no effect without a preset"),
        (["evaluate", PEOPLE, "-m", "B", "--only"], "--only has no effect without a preset"),
        (["curve", "scores.csv", "--title", "A"], "--title has no effect without --plot"),
        (["curve", "scores.csv", "--width", "3"], "--width has no effect without --plot"),
        (["reproduce", "--all", "fournier2013-stargazer"], "--all computes everything"),
        (["reactions", "--types", "a,b"], "--types has no effect without FILE"),
        ([*PAIR, "--references", "best"], "--references needs"),
    ],
)
def test_options_without_effect_are_refused(arguments: list[str], problem: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    assert problem in result.stderr


def test_options_with_effect_are_accepted() -> None:
    assert CliRunner().invoke(main, [*PAIR, "--chance", "--seed", "3"]).exit_code == 0
    assert CliRunner().invoke(main, [*PAIR, "--compat", "nltk", "-m", "WD", "--only"]).exit_code == 0
