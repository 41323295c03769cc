"""Discourse structure: GCDT and GUM."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura import Hierarchy
from caesura.cli import main
from caesura.errors import FormatError
from support.raw_files import check_conllu_of_gum, check_ptb, check_webanno

pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")

ENTITIES = {"person", "place", "organization", "object", "event", "time", "abstract", "substance", "animal", "plant"}


def test_gcdt(shared: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Two Chinese documents, two annotators."""
    folder = shared / "data/discourse/gcdt"
    published = cz.read(shared / "data/discourse/gcdt_spans.json")
    with subtests.test("the published list of spans"):
        assert published.item_names == ("gcdt_bio_dvorak", "gcdt_news_simplified")
        hierarchy = published["gcdt_news_simplified", "A1"]
        assert isinstance(hierarchy, Hierarchy)
        assert hierarchy.length == 185
        # [0, 3, "S", "organization-heading"] and [1, 3, "N", "span"]; no [0, 1]
        expected = [(1, 185, 1, None), (1, 3, 2, "organization-heading"), (2, 3, 3, None)]
        assert [tuple(span) for span in hierarchy.spans[:3]] == expected
        assert min(span.end - span.start for span in hierarchy.spans) == 1
    with subtests.test("the .rs3 files give the same hierarchies and labels"):
        assert cz.read_coders(sorted(folder.glob("*/*.rs3"))) == published
    with subtests.test("the folder is read as coders and items"):
        assert cz.read(folder) == published
        assert cz.read(folder, pattern="{coder}/{item}.rs3") == published
    with subtests.test("the command unifies two annotators"):
        files = [str(folder / coder / "gcdt_news_simplified.rs3") for coder in ("A1", "A2")]
        result = CliRunner().invoke(main, ["unify", *files, "-o", str(tmp_path / "gold.json")])
        assert result.exit_code == 0, result.output
        gold = cz.read(tmp_path / "gold.json")["gcdt_news_simplified", "gold"]
        assert isinstance(gold, Hierarchy)
        assert gold.length == 185
        assert gold.units is not None


def test_gum(shared: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Ten documents with 1,148 EDUs in several formats, and earlier versions of seven."""
    trees = sorted((shared / "data/gum/rs4").glob("*.rs4"))
    with subtests.test("EDUs"):
        lengths = [hierarchy.length for path in trees for hierarchy in cz.read(path).of_item(path.stem).values()]
        assert (len(lengths), sum(lengths)) == (10, 1148)
    paths = sorted((shared / "data/gum/rst_lisp_nary").glob("*.dis"))
    assert len(paths) == 10
    for path in paths:
        with subtests.test("the brackets and the XML have the same spans and labels", document=path.stem):
            xml = cz.read(shared / f"data/gum/rs4/{path.stem}.rs4")
            assert cz.read(path)[path.stem, path.stem] == xml[path.stem, path.stem]
    with subtests.test("an early version of an interview has a group with a gap"):
        check_versions(shared / "data/discourse/gum_rst_versions")
    for path in trees:
        with subtests.test("sentences and EDUs in CoNLL-U", document=path.stem):
            edus = check_conllu_of_gum(shared / f"data/gum/conllu/{path.stem}.conllu", tmp_path)
            assert edus == path.read_text().count("<segment ")
    for path in sorted((shared / "data/gum/const").glob("*.ptb")):
        with subtests.test("constituents over several lines", document=path.stem):
            assert None not in check_ptb(path)
    for name in ("enfant", "higuchi", "jerome"):
        with subtests.test("entities in WebAnno TSV", document=name):
            # In these files no two spans have the same label and the same tokens.
            hierarchy = check_webanno(shared / f"data/formats/webanno_tsv/GUM_bio_{name}.tsv", 3)
            assert {span.label for span in hierarchy.spans} <= ENTITIES


def check_versions(folder: Path) -> None:
    gaps = []
    with cz.collect_warnings() as messages:
        for path in sorted(folder.iterdir()):
            try:
                cz.read(path)
            except FormatError as problem:
                gaps.append(str(problem))
    # The roots <group id="114"> and <group id="99"> of these files have relname="antithesis".
    strays = [str(message) for message in messages]
    assert len(strays) == 2
    for name, stray in zip(("cyclone", "athens"), strays, strict=True):
        assert name in stray
        assert "nodes with a relation and no parent read as roots: 1" in stray
    assert len(gaps) == 1
    assert gaps[0].endswith(
        "GUM_interview_daly.first_2016-01-18.rs3:129: the yield of node '102' must have no gap; it has 4 of the EDUs "
        "27-32; or read with repair=True, which excludes such spans"
    )
