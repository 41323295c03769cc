"""The pages in docs/ are run, on the data they speak of."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def test_case_study(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared / "oracles")  # where nccu.jsonl is
    failed, attempted = doctest.testfile(str(DOCS / "flexible.md"), module_relative=False)
    assert (failed, attempted > 20) == (0, True)


def test_simulation() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "simulation.md"), module_relative=False)
    assert (failed, attempted > 20) == (0, True)


def test_fuzzy() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "fuzzy.md"), module_relative=False)
    assert (failed, attempted > 10) == (0, True)


def test_hierarchy() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "hierarchy.md"), module_relative=False)
    assert (failed, attempted > 30) == (0, True)
