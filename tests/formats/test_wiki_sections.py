"""Articles of Wiki-727K: sentences in lines, sections with levels."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.formats import detect
from support.files import file_writer, refusal

ARTICLE = """========,1,preface.
A quarter is a part of a city.
It has a name.
========,2,History.
The first quarters were streets.
***LIST***.
========,3,Antiquity.
========,2,Law, and order.
***LIST***.
A quarter has a council.
========,3,Elections.
The share is ***formula***.
========,3,Sources.
"""
put = file_writer("1234567")


def test_sections(tmp_path: Path) -> None:
    # preface: 2 | History: 2 | Law: 2 (Antiquity has no sentence) | Elections: 1
    path = put(tmp_path, ARTICLE)
    assert detect(path).name == "wiki-sections"
    corpus = cz.read(path)
    article = corpus["1234567", "reference"]
    assert article.boundaries == ((2, "2"), (4, "2"), (6, "3"))
    assert (article.length, article.units[3], article.units[6]) == (7, "***LIST***.", "The share is ***formula***.")
    expected = ("2 sections without a sentence of its own", "2 lines ***LIST*** are units (lists=drop leaves them out)")
    assert corpus.reading.notes == expected
    assert corpus.reading.ignored == ("titles of sections (not needed)",)
    assert cz.read(put(tmp_path, ARTICLE.replace("\n", "\r\n\r\n"), "a.txt"))["a", "reference"] == article


def test_options(tmp_path: Path) -> None:
    path = put(tmp_path, ARTICLE)
    assert cz.read(path, levels=2)["1234567", "reference"].boundaries == ((2, "2"), (4, "2"))
    assert cz.read(path, lists="drop")["1234567", "reference"].boundaries == ((2, "2"), (3, "2"), (4, "3"))
    article = cz.read(path, preface="drop", item="i", coder="c", types=["3", "2"])["i", "c"]
    assert (article.length, article.boundaries, article.types) == (5, ((2, "2"), (4, "3")), ("3", "2"))


def test_folders_of_articles(tmp_path: Path) -> None:
    """Each file is an item, not a coder, and other files without a suffix are not articles."""
    put(tmp_path, ARTICLE, "test/1/10")
    put(tmp_path, ARTICLE, "test/1/11")
    put(tmp_path, ARTICLE, "test/2/12")
    corpus = cz.read(tmp_path / "test")
    assert (corpus.item_names, corpus.coders) == (("10", "11", "12"), ("reference",))
    put(tmp_path, "All rights reserved.\n", "test/LICENSE")
    with pytest.warns(cz.errors.CaesuraWarning, match="LICENSE"):
        assert cz.read(tmp_path / "test") == corpus


BAD = {
    "no section": ("A sentence.\n", 1, "expected lines such as ========,1,preface. between sections; got none"),
    "no sentence": ("========,1,preface.\n", 1, "expected at least one sentence; got sections only"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, line, message = BAD[name]
    error = refusal(cz.read, put(tmp_path, content), "wiki-sections")
    assert (error.line, error.problem) == (line, message)


def test_choi_is_not_an_article(tmp_path: Path) -> None:
    assert detect(put(tmp_path, "==========\na\n==========\n", "a.txt")).name == "choi"
