"""Rhetorical structure: EDUs, nuclei with their satellites, and spans of two or more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import caesura as cz
from caesura import Hierarchy, Segmentation
from caesura.errors import CaesuraWarning, FormatError

pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")

HEADER = (
    "<header><relations><rel name='cause' type='rst'/><rel name='list' type='multinuc'/>"
    "<rel name='restatement' type='rst'/><rel name='restatement' type='multinuc'/></relations></header>"
)


def write_file(tmp_path: Path, body: str, name: str = "t.rs3", header: str = HEADER) -> Path:
    path = tmp_path / name
    path.write_text(f"<rst>{header}<body>\n{body}\n</body></rst>", encoding="utf-8")
    return path


def spans(path: Path, **options: object) -> list[tuple[int, int, int, str | None]]:
    corpus = cz.read(path, **options)
    (hierarchy,) = (corpus[key] for key in corpus)
    assert isinstance(hierarchy, Hierarchy)
    return [tuple(span) for span in hierarchy.spans]


def test_a_satellite_before_its_nucleus(tmp_path: Path) -> None:
    #  |---- 5 ----|        span over 4, with the satellite 1
    #  1 |--- 4 ---|        list of 2 and 3
    #    2    3
    body = """<segment id="1" parent="4" relname="cause">Because  it
    rained</segment>
    <segment id="2" parent="4" relname="list">we read</segment><segment id="3" parent="4" relname="list">and slept</segment>
    <group id="4" type="multinuc" parent="5" relname="span"/><group id="5" type="span"/>"""
    path = write_file(tmp_path, body)
    assert spans(path) == [(1, 3, 1, None), (2, 3, 2, None)]
    hierarchy = cz.read(path)["t", "t"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.units == ("Because it rained", "we read", "and slept")


def test_the_label_is_the_relation_of_the_outermost(tmp_path: Path) -> None:
    #  |------- 9 -------|   list of 7 and 8
    #  |-- 7 --| |-- 8 --|   spans: 1 with satellite 2, 3 with satellite 4
    body = """<segment id="1" parent="7" relname="span">A</segment><segment id="2" parent="1" relname="cause">B</segment>
    <segment id="3" parent="8" relname="span">C</segment><segment id="4" parent="3" relname="cause">D</segment>
    <group id="7" type="span" parent="9" relname="list"/><group id="8" type="span" parent="9" relname="list"/>
    <group id="9" type="multinuc"/>"""
    assert spans(write_file(tmp_path, body)) == [(1, 4, 1, None), (1, 2, 2, "list"), (3, 4, 2, "list")]


def test_a_satellite_inside_the_group_to_which_it_is_attached(tmp_path: Path) -> None:
    body = """<segment id="1" parent="4" relname="list">A</segment><segment id="2" parent="4" relname="cause">B</segment>
    <segment id="3" parent="4" relname="list">C</segment><group id="4" type="multinuc"/>"""
    assert spans(write_file(tmp_path, body)) == [(1, 3, 1, None)]  # A and C without B have a gap


def test_a_relation_of_both_kinds_is_multinuclear_under_a_multinuclear_group(tmp_path: Path) -> None:
    body = """<segment id="1" parent="4" relname="restatement">A</segment>
    <segment id="2" parent="4" relname="restatement">B</segment><group id="4" type="multinuc"/>
    <segment id="3" parent="5" relname="span">C</segment><segment id="6" parent="3" relname="restatement">D</segment>
    <group id="5" type="span"/>"""
    assert spans(write_file(tmp_path, body)) == [(1, 2, 1, None), (3, 4, 1, None)]  # two trees in one file


def test_repair_leaves_out_yields_with_a_gap(tmp_path: Path) -> None:
    body = """<segment id="1" parent="4" relname="list">A</segment><segment id="2">B</segment>
    <segment id="3" parent="4" relname="list">C</segment><group id="4" type="multinuc"/>"""
    with pytest.warns(CaesuraWarning, match="the yield of node '4', 1-3, has gaps and was excluded"):
        assert spans(write_file(tmp_path, body), repair=True) == []


def test_edus_as_segments(tmp_path: Path) -> None:
    body = '<segment id="1">we read</segment><segment id="2">and slept well</segment>'
    hierarchy = cz.read(write_file(tmp_path, body), as_="segments")["t", "t"]
    assert hierarchy == Segmentation.from_masses([2, 3], units=["we", "read", "and", "slept", "well"])


def test_folders_of_files_with_the_same_name_are_coders(tmp_path: Path) -> None:
    body = '<segment id="1" parent="3" relname="list">A</segment><segment id="2" parent="3" relname="list">B</segment>'
    for coder in ("ann", "bo"):
        (tmp_path / coder).mkdir()
        for item in ("x", "y"):
            write_file(tmp_path / coder, body + '<group id="3" type="multinuc"/>', f"{item}.rs3")
    corpus = cz.read_coders(sorted(tmp_path.glob("*/*.rs3")))
    assert (corpus.item_names, corpus.coders) == (("x", "y"), ("ann", "bo"))
    assert corpus["y", "bo"] == Hierarchy(2, [(1, 2)], units=["A", "B"])
    corpus = cz.read_coders([tmp_path / "ann/x.rs3", tmp_path / "bo/y.rs3"])
    assert (corpus.item_names, corpus.coders) == (("1",), ("x", "y"))  # as ever: the files are coders of one item


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = (
        f'<?xml version="1.0" encoding="{declared}"?>\n<rst><header/><body><segment id="1">été</segment></body></rst>'
    )
    (tmp_path / "t.rs3").write_bytes(text.encode(encoding))
    hierarchy = cz.read(tmp_path / "t.rs3")["t", "t"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.units == ("été",)


def test_unknown_encoding(tmp_path: Path) -> None:
    (tmp_path / "t.rs3").write_bytes(b'<?xml version="1.0" encoding="utf-7"?><rst/>')
    with pytest.raises(FormatError, match="expected text in UTF-8; the document declares utf-7"):
        cz.read(tmp_path / "t.rs3")


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for doctype in (
        f'<!DOCTYPE rst [<!ENTITY x SYSTEM "{tmp_path}/secret">]>',
        '<!DOCTYPE rst SYSTEM "http://localhost/x">',
    ):
        text = f'{doctype}<rst><header/><body><segment id="1">&x;</segment></body></rst>'
        (tmp_path / "t.rs3").write_text(text)
        with pytest.raises(FormatError, match="entities are not expanded"):
            cz.read(tmp_path / "t.rs3")


def test_excessive_nesting_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not valid XML: Excessive depth"):
        cz.read(write_file(tmp_path, "<segment id='1'>" + "<a>" * 5000 + "</a>" * 5000 + "</segment>"))


def test_a_chain_of_groups_needs_no_recursion(tmp_path: Path) -> None:
    groups = "".join(f'<group id="g{i}" type="span" parent="g{i + 1}" relname="span"/>' for i in range(20_000))
    body = f"""<segment id="1" parent="0" relname="list">A</segment><segment id="2" parent="0" relname="list">B</segment>
    <group id="0" type="multinuc" parent="g0" relname="span"/>{groups}<group id="g20000" type="span"/>"""
    assert spans(write_file(tmp_path, body)) == [(1, 2, 1, None)]


def test_without_lxml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path, '<segment id="1">A</segment>')
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(FormatError, match=r"reading this needs lxml; run pip install 'caesura\[xml\]'"):
        cz.read(path)


def test_a_relation_without_a_parent_is_reported(tmp_path: Path) -> None:
    body = """<segment id="1" relname="cause">A</segment><segment id="2" parent="3" relname="span">B</segment>
    <segment id="4" parent="2" relname="cause">C</segment><group id="3" type="span"/>"""
    warning = r"nodes with a relation and no parent read as roots: 1 \(first in 1 'cause'\)"
    with pytest.warns(CaesuraWarning, match=warning):
        assert spans(write_file(tmp_path, body)) == [(2, 3, 1, None)]
