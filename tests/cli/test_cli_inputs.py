"""Every command that takes a corpus takes several files, a folder, a glob, and one folder per coder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from support.commands import run_command
from support.envelope import results_of

DATA = Path(__file__).parents[2] / "examples" / "data"
Run = Callable[..., Result]

COMMANDS = {
    "info": (),
    "score": ("--reference", "ann", "--hypothesis", "bo"),
    "agree": (),
    "disagreements": (),
    "pairwise": (),
    "judge": ("--system", "cy"),
    "gold": (),
    "report": ("-o", "page.html"),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for coder in ("ann", "bo", "cy"):
        for folder in ("tables", f"folders/{coder}"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(DATA / f"{coder}.csv", folder)
    for side in ("gold", "parser"):
        Path(side).mkdir()
        for number in (1, 2):
            shutil.copy(DATA / f"{side}.ptb", f"{side}/{number}.ptb")
    Path("documents").mkdir()
    for number in (1, 2):
        shutil.copy(DATA / "documents.jsonl", f"documents/{number}.jsonl")
    shutil.copytree(DATA / "ann", "ann")
    shutil.copytree(DATA / "bo", "bo")
    return run_command


FILES = [f"tables/{coder}.csv" for coder in ("ann", "bo", "cy")]
FOLDERS = [f"folders/{coder}" for coder in ("ann", "bo", "cy")]
INPUTS = {
    "files": FILES,
    "folder": ["tables"],
    "glob": ["tables/*.csv"],
    "folders": FOLDERS,
    "mixed": ["tables/a*", *FILES[1:]],
}


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[pytest.mark.slow] * (name == "report")) for name in COMMANDS]
)
def test_every_input_gives_the_same(run: Run, command: str) -> None:
    outputs = set()
    for name, paths in INPUTS.items():
        if command == "score" and len(paths) > 1:
            continue  # two sides
        result = run(command, *paths, *COMMANDS[command])
        assert result.exit_code == 0, (command, name, result.output)
        outputs.add(result.stdout.split("\n\n")[0] if command != "info" else result.stdout.split("\n\n")[1])
    assert len(outputs) == 1


@pytest.mark.parametrize("paths", INPUTS.values(), ids=list(INPUTS))
def test_convert_and_plot(run: Run, paths: list[str]) -> None:
    assert run("convert", *paths, "all.csv").exit_code == 0
    corpus = cz.read("all.csv")
    assert (corpus.coders, corpus.item_names) == (("ann", "bo", "cy"), ("harbour", "orchard"))
    assert run("plot pairwise", *paths).exit_code == 0


def test_one_folder_per_coder(run: Run) -> None:
    """The files have the same names and name no coder, so that the folders are the coders."""
    for command in ("info", "agree", "unify", "gold", "pairwise"):
        assert run(command, "ann", "bo").exit_code == 0, command
    assert run("convert ann bo both.json").exit_code == 0
    assert cz.read("both.json").coders == ("ann", "bo")


def test_folders_below_folders(run: Run) -> None:
    for coder in ("ann", "bo"):
        Path(f"deep/{coder}/monday").mkdir(parents=True)
        shutil.copy(f"{coder}/talk.rs3", f"deep/{coder}/monday")
    result = run("pairwise deep/ann deep/bo --json")
    assert result.exit_code == 0
    assert results_of(result)["pairwise"][0]["coders"] == ["ann", "bo"]


def test_one_file_per_folder_is_one_item(run: Run) -> None:
    """Two folders with one file each, whose names differ: the same item by two coders."""
    Path("ann/talk.rs3").rename("ann/first.rs3")
    result = run("pairwise ann bo --json")
    assert result.exit_code == 0
    (row,) = results_of(result)["pairwise"][0]["rows"]
    assert row["coders"] == ["ann", "bo"]


def test_same_coder_in_two_folders(run: Run) -> None:
    for folder in ("x", "y"):
        Path(folder).mkdir()
        shutil.copy(DATA / "people.json", folder)
    result = run("agree x y")
    assert result.exit_code == 1
    assert "y: item 'harbour' of coder 'ann' is in another folder too; read the folder above them" in result.stderr


def test_trees(run: Run) -> None:
    for paths in (("gold", "parser"), ("gold/*.ptb", "parser/*.ptb"), ("gold", "parser/*.ptb")):
        result = run("trees", *paths)
        assert result.exit_code == 0
        assert "over 4 sentences" in " ".join(result.stdout.split())
    result = run("trees gold parser --gold-times x.ctm")
    assert result.exit_code == 1
    assert "gold: times belong to one file of trees; this is 2 files" in result.stderr
    assert run("plot by_length gold parser").exit_code == 0


def test_evaluate(run: Run) -> None:
    for paths in (["documents"], ["documents/*.jsonl"], ["documents/1.jsonl", "documents/2.jsonl"]):
        result = run("evaluate", *paths, "--json")
        assert result.exit_code == 0
        assert results_of(result)["documents"] == 6
    assert run("evaluate documents/1.jsonl documents/3.jsonl").exit_code == 1
    result = run("evaluate", *FILES[:2], "--reference", "ann", "--hypothesis", "bo", "--json")
    assert results_of(result)["documents"] == 2
