"""XMI of INCEpTION: written by dkpro-cassis, or by hand if cassis cannot write it."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect
from support.files import refusal

cassis = pytest.importorskip("cassis", reason="dkpro-cassis is not installed: pip install caesura[inception]")

TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
SEGMENT = "webanno.custom.Segment"
RELATION = "webanno.custom.Arc"
TEXT = "Ms. Haag 😀 plays 😀 Elianti."
WORDS = ["Ms.", "Haag", "😀", "plays", "😀", "Elianti", "."]

Spans = Sequence[tuple[int, int, str | None]]


STRICT: dict[str, Any] = {"as_": "hierarchy", "edges": "error"}


def write_file(
    tmp_path: Path, spans: Spans, *, text: str = TEXT, words: Sequence[str] = WORDS, name: str = "t.xmi"
) -> Path:
    """Write spans with offsets in characters. cassis converts them to UTF-16."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        types = cassis.TypeSystem()
        token, sentence, segment, arc = (types.create_type(name) for name in (TOKEN, SENTENCE, SEGMENT, RELATION))
        for kind in ("kind", "value", "type"):
            types.create_feature(segment, kind, "uima.cas.String")
        types.create_feature(arc, "Governor", segment)
        types.create_feature(arc, "Dependent", segment)
        cas = cassis.Cas(types)
        cas.sofa_string, cas.sofa_mime = text, "text/plain"
        at = 0
        for word in words:
            at = text.index(word, at)
            cas.add(token(begin=at, end=at + len(word)))
            at += len(word)
        cas.add(sentence(begin=0, end=len(text)))
        for start, end, value in spans:
            annotation = segment(begin=start, end=end, value=value, kind="k", type_=f"{start}")
            cas.add(annotation)
            cas.add(arc(begin=start, end=end, Governor=annotation, Dependent=annotation))
        cas.to_xmi(tmp_path / name)
        types.to_xml(tmp_path / "TypeSystem.xml")
    return tmp_path / name


def read_annotation(path: Path, **options: Any) -> Any:
    return cz.read(path, **STRICT | options)["t", "t"]


def changed(path: Path, pattern: str, by: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert re.search(pattern, text)
    path.write_text(re.sub(pattern, by, text, count=1), encoding="utf-8")
    return path


def test_spans_over_the_tokens_of_the_file(tmp_path: Path) -> None:
    # Ms. Haag 😀 plays 😀 Elianti .
    # |------------------------|      S
    # |-- PER --|         |WORK|
    path = write_file(tmp_path, [(0, 26, "S"), (0, 8, "PER"), (19, 26, "WORK")])
    assert detect(path).name == "xmi"
    assert read_annotation(path) == Hierarchy(7, [(1, 6, 1, "S"), (1, 2, 2, "PER"), (6, 6, 2, "WORK")], units=WORDS)
    assert read_annotation(path, as_="segments").boundaries == ((2, "PER"), (5, "begin"), (6, "S"), (6, "WORK"))
    assert "sofaString" in path.read_text(encoding="utf-8")
    assert 'begin="21" end="28"' in path.read_text(encoding="utf-8")  # two faces before


def test_token_methods(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    assert read_annotation(path, tokens="whitespace").units == tuple(TEXT.split())
    assert read_annotation(path, tokens="characters").flat == {(1, 7)}
    expected = tuple(TEXT.split())
    assert read_annotation(write_file(tmp_path, [(0, 8, "PER")], words=[]), tokens="whitespace").units == expected


def test_labels_by_feature(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, None), (9, 10, "")])
    assert [span.label for span in read_annotation(path).spans] == [None, None]
    assert [span.label for span in read_annotation(path, feature="kind").spans] == ["k", "k"]
    assert [span.label for span in read_annotation(path, feature="type").spans] == ["0", "9"]
    message = r"webanno\.custom\.Segment has no feature 'x'; its features are 'kind', 'value', 'type'"
    with pytest.raises(FormatError, match=message):
        read_annotation(path, feature="x")


def test_choice_of_the_layer(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    assert read_annotation(path, layer="Sentence").flat == {(1, 7)}
    assert read_annotation(path, layer="webanno.custom.*").flat == {(1, 2)}
    with pytest.raises(FormatError, match=r"no span layer matches 'Arc'; the layers are .*Token', .*Segment"):
        read_annotation(path, layer="Arc")
    assert read_annotation(write_file(tmp_path, [])) == Hierarchy(
        7, [], units=WORDS
    )  # tokens and a sentence: nobody drew anything


def test_spans_that_do_not_fit_are_named_with_their_line(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, "A"), (4, 6, "B")])
    path.write_text(path.read_text(encoding="utf-8").replace("><", ">\n<"), encoding="utf-8")
    line = next(n for n, row in enumerate(path.read_text(encoding="utf-8").split("\n"), 1) if 'value="B"' in row)
    with pytest.raises(FormatError, match=r"Segment \d+ 'B' must begin and end between tokens; it ends inside token 2"):
        read_annotation(path)
    assert refusal(read_annotation, path).line == line
    with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 1 "):
        assert read_annotation(path, edges="token").flat == {(1, 2), (2, 2)}


@pytest.mark.parametrize(
    ("begin", "end", "message"),
    [
        (
            "9",
            "10",
            r"t\.xmi:\d+: end of the annotation \d+: offsets lie between characters; 10 is inside a character of two",
        ),
        ("9", "99", r"end of the annotation \d+: an offset must lie in 0-29, the text in UTF-16 units; got 99"),
        ("-1", "11", r"begin of the annotation \d+: an offset must lie in 0-29, the text in UTF-16 units; got -1"),
        ("11", "9", r"Segment \d+: offsets must increase and lie in 0-27, the text; got 10-9"),
        ("x", "9", "expected an XMI that fits its type system; got ValueError: invalid literal"),
        ("9" * 5000, "9", "expected an XMI that fits its type system; got ValueError"),
    ],
)
def test_invalid_offsets(tmp_path: Path, begin: str, end: str, message: str) -> None:
    path = write_file(tmp_path, [(9, 10, "A")])
    changed(path, r'begin="9" end="11"([^>]*value="A")', rf'begin="{begin}" end="{end}"\1')
    with pytest.raises(FormatError, match=message):
        read_annotation(path)
    # cassis treats this sofa as the same.
    if end == "99":
        changed(path, r'sofa="1"( [^>]*value="A")', r'sofa="01"\1')
        with pytest.raises(FormatError, match=message):
            read_annotation(path)


def test_missing_begin_is_the_default_of_uima(tmp_path: Path) -> None:
    path = changed(write_file(tmp_path, [(0, 8, "A")]), r'begin="0"( end="8"[^>]*value="A")', r"\1")
    assert read_annotation(path).flat == {(1, 2)}


def test_duplicate_ids(tmp_path: Path) -> None:
    path = changed(write_file(tmp_path, [(9, 10, "A")]), r'members="(\d+) ', r'members="\1 \1 ')
    with pytest.raises(FormatError, match=r"a member must be listed once; got '.*' again"):
        read_annotation(path)
    path = changed(write_file(tmp_path, [(9, 10, "A")]), r'xmi:id="3"', 'xmi:id="2"')
    with pytest.raises(FormatError, match="an id must be unique; got '2' again"):
        read_annotation(path)


def test_a_missing_type_system_is_an_error(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    (tmp_path / "TypeSystem.xml").rename(tmp_path / "other.xml")
    with pytest.raises(FormatError, match=r"the type system .*TypeSystem\.xml does not exist; set it"):
        read_annotation(path)
    assert read_annotation(path, typesystem=tmp_path / "other.xml").flat == {(1, 2)}
    empty = '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types/></typeSystemDescription>'
    (tmp_path / "TypeSystem.xml").write_text(empty)
    with pytest.raises(FormatError, match="fits its type system; got TypeNotFoundError"):
        read_annotation(path)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("name", ["t.xmi", "TypeSystem.xml"])
@pytest.mark.parametrize(
    "head", [BOMB, '<!DOCTYPE x SYSTEM "http://localhost/x">', '<!DOCTYPE x [<!ENTITY a SYSTEM "t.xmi">]>']
)
def test_entities_are_neither_expanded_nor_read(tmp_path: Path, name: str, head: str) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    changed(tmp_path / name, r"\?>", f"?>{head}".replace("\\", r"\\"))
    with pytest.raises(FormatError, match=rf"{name}:\d: expected a plain document, entities are not expanded"):
        read_annotation(path)


@pytest.mark.parametrize("name", ["t.xmi", "TypeSystem.xml"])
def test_excessive_nesting_is_an_error(tmp_path: Path, name: str) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    (tmp_path / name).write_text("<xmi:XMI xmlns:xmi='http://www.omg.org/XMI'>" + "<a>" * 5000)
    with pytest.raises(FormatError, match=rf"{name}:\d: not valid XML: Excessive depth"):
        read_annotation(path)


def test_cyclic_and_endless_types(tmp_path: Path) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])

    def types(pairs: Sequence[tuple[str, str]]) -> None:
        listed = "".join(
            f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName></typeDescription>"
            for name, above in pairs
        )
        (tmp_path / "TypeSystem.xml").write_text(
            f'<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>{listed}</types>'
            "</typeSystemDescription>"
        )

    for pairs in (
        [("a.A", "a.B"), ("a.B", "a.A")],
        [(f"a.T{i}", f"a.T{i + 1}") for i in range(3000)],
        [("a.A", "no.Such")],
    ):
        types(pairs)
        with pytest.raises(FormatError, match="expected an XMI that fits its type system; got"):
            read_annotation(path)


@pytest.mark.parametrize(
    "body", ["", "<b><c><d/></c></b>", "<cas:View sofa='1' members='7'/>", "<cas:Sofa xmi:id='1'/>"]
)
def test_documents_without_a_text(tmp_path: Path, body: str) -> None:
    path = write_file(tmp_path, [])
    spaces = "xmlns:xmi='http://www.omg.org/XMI' xmlns:cas='http:///uima/cas.ecore'"
    path.write_text(f"<xmi:XMI {spaces}>{body}</xmi:XMI>")
    with pytest.raises(FormatError, match=r"expected one view with a text; got 0|fits its type system; got"):
        read_annotation(path)


def test_without_cassis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path, [(0, 8, "PER")])
    monkeypatch.setitem(sys.modules, "cassis", None)
    with pytest.raises(FormatError, match=r"reading this needs dkpro-cassis; run pip install 'caesura\[inception\]'"):
        read_annotation(path)
