"""The numbers in the prose of the README are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

import caesura as cz
from caesura.cli import main

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
README = " ".join(TEXT.split())


def test_simplest_table_is_read_and_has_a_near_miss(tmp_path: Path) -> None:
    block = re.search(r"```text\n(doc,.*?)```", TEXT, re.DOTALL)
    (tmp_path / "mine.csv").write_text(block[1], encoding="utf-8")
    corpus = cz.read(tmp_path / "mine.csv")
    assert [corpus["town", coder].inner.tolist() for coder in corpus.coders] == [[2], [3]]


def test_readme_counts_the_displays_that_reproduce_lists() -> None:
    answer = " ".join(CliRunner().invoke(main, ["reproduce"]).stdout.split())
    displays, reproduced, preset, refuted, not_free = _numbers(
        r"(\d+) tables and figures of \d+ papers: (\d+) reproduced, (\d+) reproduced under a preset, (\d+) refuted, (\d+) not free",
        answer,
    )
    pattern = (
        r"recomputes (\d+) tables and figures .* (\d+) are reproduced \((\d+) of them under a preset\), "
        r"(\d+) are refuted with the reason, and (\d+) need data"
    )
    assert _numbers(pattern, README) == [displays, reproduced + preset, preset, refuted, not_free]


def _numbers(pattern: str, text: str) -> list[int]:
    match = re.search(pattern, text)
    assert match is not None, text[:500]
    return [int(group) for group in match.groups()]
