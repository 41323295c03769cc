"""Every option of a command, with a value that is not its default, changes what is printed or written, or is refused."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import caesura
from caesura.cli import main
from caesura.cli.program import COMMANDS

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"

SAME_RESULT = {"--engine", "--workers", "--scheduler", "--checkpoint", "--quiet", "--port", "--no-browser", "--strict"}
"""Options that must not change a result: where it is computed, what is said on the way, and whether to stop early."""
TEXTS = ["--types", "--align", "--align-all", "--ignore-text", "--words", "--labels", "--settings"]
READING = ["--format", "--pattern", "--fields", "--recipe", "--encoding", "--tier", "--reading", *TEXTS]
OUTPUT = ["--output", "--json", "--csv", "--markdown", "--latex", "--table", "--raw", "--details", "--data"]
"""Options of reading and output, which all commands share and which have tests of their own."""
PAGES = {"info", "verify", "open", "plot", "report", "reproduce", "demo"}
"""Commands that make pictures, pages or long tables, or have one option; their options have tests of their own."""

SCORE = "score people.json --reference ann --hypothesis bo"
TALK = "agree talk.csv --settings matrix.toml -c kappa"
JUDGE = "judge people.json --system mine.json --system theirs.json"
TREES = "trees gold.ptb parser.ptb"
COMMANDS_AND_OPTIONS: dict[str, str] = {
    SCORE: (
        "--measure pk | --hierarchy-level 1 | --items | --compat nltk | --average items | --references best | "
        "--edits | --operations | --chance | --seed 3 | --only"
    ),
    f"{SCORE} --compat nltk -m WD": "--only",
    f"{SCORE} -m hausdorff --chance": "--seed 3",
    "score people.json --hypothesis bo": "--reference-coder cy",
    "score people.json --reference ann": "--hypothesis cy",
    "agree people.json": (
        "--measure pk | --coefficient multi_kappa | --hierarchy-level 1 | --clusters | --cochran | "
        "--label-similarity | --heat | --group a=ann+bo | --groups nothing.csv | --interval none | --level 0.8 | "
        "--replicates 99 | --seed 5 | --chance placement | --compat fournier2013 | --coders | --pairs | "
        "--categories"
    ),
    TALK: "--draws 500 | --tolerance 0.05",
    "agree talk.csv --settings asymmetric.toml -c kappa": "--symmetric-mean",
    f"{TALK} --draws 500": "--no-variates",
    "disagreements people.json": "--measure S | --coefficient gamma | --against ann | --limit 1",
    "disagreements people.json --limit 1": "--all | --item stargazer",
    "pairwise people.json -m boundary_f": "--measure pk | --ordered | --item stargazer",
    "gold people.json": (
        "--method majority | --n-t 3 | --ignore-types | --threshold 1 | --alpha 0.2 | --level full | "
        "--weights size | --min-support 2 | --tolerance 0.1 | --kept | --dropped | --item stargazer | --repair"
    ),
    "similarity talk.csv": "--smoothing 0.5",
    "similarity talk.csv --smoothing 0.5": "--write experts.toml",
    "plan people.json": "--measure pk | --items 20 | --coders 5 | --power 0.6 | --seed 3",
    JUDGE: (
        "--measure S | --hierarchy-level 1 | --interval none | --level 0.8 | --replicates 99 | --draws 50 | "
        "--bounds 20 | --alpha 0.2 | --epsilon 0.1 | --seed 3 | --only | --gold majority | --crisp | --errors | "
        "--list-errors"
    ),
    "judge people.json --system mine.json": "--system theirs.json",
    "curve scores.csv": (
        "--tolerance 1 | --min-distance 3 | --threshold-from development.csv | --threshold 0.3 | "
        "--reference ann | --system mine | --item nothing | --level 0.8 | --compat nothing | --plot curve.svg | "
        "--width 3 | --title A"
    ),
    "reactions -m B": "--measure pk | --seed 3",
    TREES: (
        "--gold-times nothing.ctm | --predicted-times nothing.ctm | --versus parser.ptb | "
        "--versus-times nothing.ctm | --snap 0.5 | --zero-length widen | --param nothing.prm | --unlabelled | "
        "--flexible-terminals | --threshold 0.5 | --compat struct-iou | --seed 3 | --by-sentence"
    ),
    f"{TREES} --by-sentence": "--sentence 1",
    "trees lines.ptb lines.ptb": "--layout brackets",
    "trees functions.ptb parser.ptb": "--strip-functions",
    "unify annotators.json": (
        "--method majority | --level full | --threshold 1 | --weights size | --min-support 2 | --why | "
        "--evaluate | --item nothing"
    ),
    "unify crossing.json": "--repair",
    "unify songs.json --repair": "--tolerance 30",
    "evaluate documents.jsonl -m B": (
        "--measure pk | --reference hypothesis | --hypothesis reference | --scores scores | --only"
    ),
    "convert people.json out.csv": (
        "--to table-tsv | --coder ann | --item stargazer | --reference ann | --hypothesis bo"
    ),
    "convert labels.json out.json": "--drop-labels",
    "convert formula.json out.csv": "--raw",
}
"""Command -> options, each of which must have an effect."""
CASES = [(command, option) for command, options in COMMANDS_AND_OPTIONS.items() for option in options.split(" | ")]


FILES = {
    "crossing.json": '{"items": {"x": {"length": 6, "coders": {"ann": [[1, 4], [3, 6]], "bo": [[1, 4]]}}}}',
    "labels.json": '{"items": {"x": {"ann": [2, 3]}}, "segment_labels": {"x": {"ann": ["a", "b"]}}}',
    "formula.json": '{"items": {"=x": {"ann": [2, 3]}}}',
    "functions.ptb": "(S (NP-SBJ (DT the)\n (NN man)) (VP (VBD ate)))\n(S (NP-SBJ (DT the) (NN man)) (VP (VBD ate)))\n",
    "asymmetric.toml": """symbols = [".", ",", "?", "--"]
[similarity]
types = [".", ",", "?", "--"]
matrix = [[1, 0.5, 0, 0, 0], [0.2, 1, 0, 0, 0.25], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0.25, 0, 0, 1]]
""",
    "lines.ptb": "(S (A a) (B b)) (S (A a) (B b))\n",
}
"""Files for options that matter only with some data."""


def outcome(folder: Path, *arguments: str) -> tuple[int, str, str, dict[str, bytes]]:
    """Return the exit code, what is printed, and the files that are written."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    before = {*FILES, *(path.name for path in EXAMPLES.rglob("*"))}
    written = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in before
    }
    return result.exit_code, result.stdout, result.stderr, written


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option"), CASES, ids=[f"{command.split()[0]} {option}" for command, option in CASES]
)
def test_an_option_has_an_effect_or_is_refused(
    command: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = []
    for place, arguments in enumerate(([], option.split())):
        for form in ([], ["--json"]):
            folder = tmp_path / f"{place}{len(form)}"
            shutil.copytree(EXAMPLES, folder)
            for name, text in FILES.items():
                (folder / name).write_text(text, encoding="utf-8")
            monkeypatch.chdir(folder)
            outcomes.append(outcome(folder, *command.split(), *arguments, *form))
    plain, plain_json, changed, changed_json = outcomes
    if changed[0] in (1, 2) and changed[0] != plain[0]:
        assert "caesura: " in changed[2] or "Error: " in changed[2]
        return
    assert (plain[1], plain[3]) != (changed[1], changed[3]) or plain_json[1] != changed_json[1], changed[2]


def test_all_options_are_tested() -> None:
    context = click.Context(main)
    tested: dict[str, set[str]] = {}
    for command, option in CASES:
        tested.setdefault(command.split()[0], set()).add(option.split()[0])
    for name in set(COMMANDS) - PAGES:
        entry = main.get_command(context, name)
        flags = [parameter.opts for parameter in entry.params if isinstance(parameter, click.Option)]
        known = {*tested.get(name, ()), *SAME_RESULT, *READING, *OUTPUT, "--help"}
        missing = [opts[-1] for opts in flags if not known & set(opts)]
        assert missing == [], name


DATA = Path(__file__).parents[2] / "examples" / "data"
PEOPLE = str(DATA / "people.json")


def options_of_commands() -> list[tuple[str, str]]:
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
    """Return all names that are an attribute, a name in a selection of options_of_commands, or an argument that is passed on."""
    source = "\n".join(path.read_text() for path in Path(caesura.__file__).parent.rglob("*.py"))
    uses = (r"[.](\w+)\b", r"[\"'](\w+)[\"']", r"\((\w+)[,)]", r"[ =](\w+)[,)]")
    return frozenset(name for use in uses for name in re.findall(use, source))


@pytest.mark.parametrize("name", sorted({name for _, name in options_of_commands()}))
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
