"""The pages in docs/ are run, on the data they speak of."""

from __future__ import annotations

import doctest
import re
import warnings
from pathlib import Path

import pytest

from caesura.formats import formats

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


def run(text: str, name: str) -> tuple[int, bool]:
    failed, attempted = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0))
    return failed, attempted > 20


def test_agreement() -> None:
    """Up to the poem it needs no data but what ships with the package."""
    page = (DOCS / "agreement.md").read_text(encoding="utf-8")
    assert run(page.split("\n## A poem\n")[0], "agreement.md") == (0, True)


def test_agreement_on_a_poem(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared / "data" / "linear")  # where the poem is
    assert run((DOCS / "agreement.md").read_text(encoding="utf-8"), "agreement.md") == (0, True)


def test_judging() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "judging.md"), module_relative=False)
    assert (failed, attempted > 20) == (0, True)


def test_hierarchy() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "hierarchy.md"), module_relative=False)
    assert (failed, attempted > 30) == (0, True)


def test_parseval() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "parseval.md"), module_relative=False)
    assert (failed, attempted > 25) == (0, True)


def test_unify() -> None:
    page = (DOCS / "unify.md").read_text(encoding="utf-8").split("\n## On music\n")[0]
    failed, attempted = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(page, {}, "unify.md", None, 0))
    assert (failed, attempted > 6) == (0, True)


def test_unify_on_music(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared / "data" / "hierarchical_time")
    with warnings.catch_warnings():
        failed, attempted = doctest.testfile(str(DOCS / "unify.md"), module_relative=False)
    assert (failed, attempted > 10) == (0, True)


def test_struct_iou() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "struct_iou.md"), module_relative=False)
    assert (failed, attempted > 10) == (0, True)


def test_tree_experiments(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared / "data" / "trees")
    failed, attempted = doctest.testfile(str(DOCS / "tree_experiments.md"), module_relative=False)
    assert (failed, attempted > 25) == (0, True)


def test_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(str(DOCS / "formats.md"), module_relative=False)
    assert (failed, attempted > 30) == (0, True)


def test_every_format_has_a_section_with_its_options() -> None:
    page = (DOCS / "formats.md").read_text(encoding="utf-8").split("\n# Formats\n")[1]
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(formats())
    for name, one in formats().items():
        said = re.search(r"Options: ((?:`\w+`(?:, )?\s?)+)\.|No options\.", sections[name])
        assert said is not None, name
        assert re.findall(r"\w+", said[1] or "") == [option.name for option in one.options], name
        assert (f"caesura[{one.extra}]" in sections[name]) == bool(one.extra), name


def test_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install caesura[report]")
    monkeypatch.chdir(tmp_path)  # where its figures go
    failed, attempted = doctest.testfile(str(DOCS / "plots.md"), module_relative=False)
    assert (failed, attempted > 30) == (0, True)


def test_report() -> None:
    failed, attempted = doctest.testfile(str(DOCS / "report.md"), module_relative=False)
    assert (failed, attempted > 8) == (0, True)
