"""What all commands print: examples of the help, widths of terminals, tables as files, and the same bytes every time."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from caesura.cli import main, output
from caesura.cli.program import COMMANDS
from caesura.views.answer import Answer
from caesura.views.table import Table, clean, text_width
from caesura.views.text_table import table_text

DATA = Path(__file__).parents[2] / "examples" / "data"
# Commands whose result depends on nothing but the files, with most of their options
COMMAND_LINES = (
    "info people.json",
    "info talk.csv",
    "score reference.bits hypothesis.bits --operations",
    "score people.json --reference ann --hypothesis bo",
    "score annotators.json --reference ann --hypothesis bo",
    "score talk.csv",
    "agree people.json --clusters --cochran --heat --coders --pairs",
    "agree readers.json -c multi_pi -c multi_kappa -c alpha -c bias",
    "agree annotators.json",
    "agree talk.csv",
    "disagreements people.json",
    "disagreements talk.csv",
    "disagreements annotators.json",
    "pairwise people.json",
    "pairwise people.json -m Pk -m S --ordered",
    "gold people.json --kept --dropped",
    "gold people.json --method majority",
    "gold annotators.json",
    "judge people.json --system mine.json --system theirs.json --list-errors",
    "judge people.json --system cy",
    "unify annotators.json",
    "unify annotators.json --evaluate",
    "trees gold.ptb parser.ptb --by-sentence --labels",
    "trees gold.ptb parser.ptb --versus parser.ptb",
    "evaluate documents.jsonl",
    "measures",
    "formats",
)


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in DATA.rglob("*"):
        if path.is_file():
            target = tmp_path / path.relative_to(DATA)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


def run(line: str, *more: str) -> Result:
    return CliRunner().invoke(main, [*shlex.split(line), *more])


def answer_of(line: str, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Return the answer that a command prints."""
    answers: list[Answer] = []
    monkeypatch.setattr(output, "print_answer", lambda answer, _: answers.append(answer))
    result = run(line)
    assert result.exit_code == 0, result.output
    return answers[0]


def examples() -> Iterator[tuple[str, str]]:
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        block = re.search(r"\x08\n\s*Examples?:\n((?:\s+caesura .*\n?)+)", command.help or "")
        for line in block[1].strip().splitlines() if block else ():
            yield name, line.strip()


def test_every_command_has_an_example() -> None:
    assert {name for name, _ in examples()} == set(COMMANDS)


@pytest.mark.parametrize(
    ("name", "line"),
    [pytest.param(*example, marks=[pytest.mark.slow] * ("reproduce --all" in example[1])) for example in examples()],
    ids=str,
)
def test_examples_of_the_help(name: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A server that listens until Ctrl-C has tests of its own; here it ends at once.
    monkeypatch.setattr("caesura.server.run.serve", lambda workbench, **_: None)
    assert line.startswith(f"caesura {name}")
    result = run(line.removeprefix("caesura "))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_and_cuts_nothing(name: str) -> None:
    text = run(name, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in re.sub(r"[A-Z],?\.\.\.|\[ARGS\]\.\.\.", "", text)


def test_the_list_of_commands_cuts_nothing() -> None:
    text = " ".join(run("--help").stdout.split())
    for entry in COMMANDS.values():
        assert entry.summary in text
        assert entry.group in text


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_the_answer_comes_first(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answer_of(line, monkeypatch)
    assert re.fullmatch(r"(?s)\S.*\w.*[.:!?]", answer.text.strip())
    assert answer.sections
    assert isinstance(answer.sections[0].build(), Table)
    names = [section.name for section in answer.sections]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_no_table_loses_a_column_or_a_digit(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in answer_of(line, monkeypatch).tables().values():
        for width in (80, 60, 20):
            for grid in table.grids:
                text = table_text(grid, width)
                words = set(text.split())
                cells = [cell for row in (grid.columns, *grid.text_rows) for cell in row]
                assert {word for cell in cells for word in clean(cell).split()} - words == set()
                for row in text.splitlines():
                    assert text_width(row) <= width or len(row.split()) <= 2, row


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_files_of_all_tables_are_rectangular(line: str, tmp_path: Path) -> None:
    if line.startswith(("unify", "gold", "disagreements")):  # their --output is a file
        texts = [run(line, "--csv").stdout]
    else:
        result = run(line, "--output", "tables")
        assert result.exit_code == 0, result.output
        paths = sorted((tmp_path / "tables").iterdir())
        assert paths
        texts = [path.read_text(encoding="utf8") for path in paths]
    for text in texts:
        rows = list(csv.reader(io.StringIO(text)))
        assert len({len(row) for row in rows}) == 1
        assert len(set(rows[0])) == len(rows[0])


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_csv_is_one_table_for_pandas(line: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(io.StringIO(run(line, "--csv").stdout), keep_default_na=False)
    assert len(frame) > 0
    assert not any(str(name).startswith("Unnamed") for name in frame.columns)


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_the_same_command_prints_the_same_bytes(line: str) -> None:
    first, second = (run(line, "--details") for _ in range(2))
    assert first.stdout_bytes == second.stdout_bytes
    assert first.stderr_bytes == second.stderr_bytes
    assert run(line, "--json").stdout_bytes == run(line, "--json").stdout_bytes


def test_an_unknown_table_names_those_there_are() -> None:
    result = run("agree people.json", "--table", "coder")
    assert result.exit_code == 2
    assert "there is no table 'coder'; the tables are items, coefficients, coders, pairs" in result.stderr


def test_latex_and_markdown_print_one_table() -> None:
    latex = run("agree people.json", "--table", "pairs", "--latex").stdout
    assert latex.count(r"\begin{tabular}") == 1
    assert run("agree people.json", "--table", "pairs", "--markdown").stdout.count("\n|---") == 1


def test_folder_of_tables_in_latex(tmp_path: Path) -> None:
    result = run("agree people.json", "--output", "out", "--latex")
    assert result.stdout.startswith("Three coders agree")
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".tex"}


def test_a_folder_that_cannot_be_written() -> None:
    Path("taken").write_text("")
    result = run("agree people.json", "--output", "taken/deep")
    assert result.exit_code == 2
    assert "--output" in result.stderr


def test_a_terminal_of_20_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    result = run("agree people.json", "--details")
    assert result.exit_code == 0
    assert "pi(B) 0.6239" in result.stdout
