"""WebAnno TSV 3: token rows, numbers in brackets, stacks, parts of tokens, escapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect
from support.files import refusal

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"


def write_file(
    tmp_path: Path, *rows: str, layers: tuple[str, ...] = (f"#T_SP={NER}|value",), name: str = "t.tsv"
) -> Path:
    """Write rows in which a space stands for a tab."""
    head = "\n".join(["#FORMAT=WebAnno TSV 3.3", *layers, "", "", "#Note=whatever"])
    (tmp_path / name).write_text(head + "\n" + "\n".join(row.replace(" ", "\t") for row in rows), encoding="utf-8")
    return tmp_path / name


def read_annotation(path: Path, **options: Any) -> Any:
    return cz.read(path, **{"as_": "hierarchy"} | options)[path.stem, path.stem]


def spans(path: Path, **options: Any) -> set[tuple[int, int, str | None]]:
    return {(span.start, span.end, span.label) for span in read_annotation(path, **options).spans}


def test_numbers_join_rows_and_bars_separate_spans(tmp_path: Path) -> None:
    path = write_file(
        tmp_path, "1-1 0-3 Ms. PER[1]|PERpart[2]", "1-2 4-8 Haag PER[1]", "1-3 9-14 plays _", "1-4 15-22 Elianti WORK"
    )
    assert detect(path).name == "webanno-tsv"
    words = ["Ms.", "Haag", "plays", "Elianti"]
    expected = Hierarchy(4, [(1, 2, 1, "PER"), (1, 1, 2, "PERpart"), (4, 4, 1, "WORK")], units=words)
    assert read_annotation(path) == expected
    assert read_annotation(path, as_="segments").boundaries == ((1, "PERpart"), (2, "PER"), (3, "begin"), (4, "WORK"))


def test_neighbours_without_a_number_are_separate_spans(tmp_path: Path) -> None:
    assert spans(write_file(tmp_path, "1-1 0-1 a X", "1-2 2-3 b X")) == {(1, 1, "X"), (2, 2, "X")}
    assert spans(write_file(tmp_path, "1-1 0-1 a X|Y", "2-1 2-3 b *")) == {(1, 1, "X"), (1, 1, "Y"), (2, 2, None)}


def test_a_span_over_two_sentences(tmp_path: Path) -> None:
    assert spans(write_file(tmp_path, "1-1 0-1 a _", "1-2 2-3 b X[7]", "2-1 0-1 c X[7]")) == {(2, 3, "X")}


def test_features_of_one_span_are_columns(tmp_path: Path) -> None:
    layers = ("#T_SP=webanno.custom.R|entity|status", "#T_RL=webanno.custom.C|type|BT_webanno.custom.R")
    rows = ("1-1 0-1 a person[1] new[1] coref 1-3[2_1] ", "1-2 2-3 b person[1] new[1] _ _", "1-3 4-5 c _ old[2] _ _ ")
    path = write_file(tmp_path, *rows, layers=layers)
    assert spans(path) == {(1, 2, "person"), (3, 3, None)}
    assert spans(path, feature="status") == {(1, 2, "new"), (3, 3, "old")}
    message = r"layer webanno\.custom\.R has no feature 'x'; its features are 'entity', 'status'"
    with pytest.raises(FormatError, match=message):
        read_annotation(path, feature="x")


def test_choice_of_the_layer(tmp_path: Path) -> None:
    rows = ("1-1 0-1 a NN X Y", "1-2 2-3 b VV X _")
    layers = (f"#T_SP={POS}|PosValue", "#T_SP=webanno.custom.A|v")
    assert spans(write_file(tmp_path, "1-1 0-1 a NN X", layers=layers)) == {
        (1, 1, "X")
    }  # part-of-speech tags are not annotated manually
    path = write_file(tmp_path, *rows, layers=(*layers, "#T_SP=webanno.custom.B|v"))
    with pytest.warns(
        CaesuraWarning,
        match=r"only the first, webanno\.custom\.A, was read; choose other layers with layer=: 'webanno\.custom\.B'",
    ):
        assert spans(path) == {(1, 1, "X"), (2, 2, "X")}
    assert spans(path, layer="B") == {(1, 1, "Y")}
    assert spans(path, layer="webanno.custom.A") == {(1, 1, "X"), (2, 2, "X")}
    assert spans(path, layer=["POS", "B"]) == {(1, 1, "NN"), (2, 2, "VV"), (1, 1, "Y")}
    message = r"no span layer matches 'C'; the layers are 'de.*POS', 'webanno.custom.A', 'webanno"
    with pytest.raises(FormatError, match=message):
        read_annotation(path, layer="C")
    with pytest.raises(FormatError, match=r"all layers describe tokens; choose one with layer=: 'de.*POS"):
        read_annotation(write_file(tmp_path, "1-1 0-1 a NN", layers=layers[:1]))


def test_a_file_without_layers(tmp_path: Path) -> None:
    expected = Hierarchy(2, [], units=["a", "b"])
    assert read_annotation(write_file(tmp_path, "1-1 0-1 a", "1-2 2-3 b ", layers=())) == expected


def test_a_layer_without_features_has_a_column(tmp_path: Path) -> None:
    layers = ("#T_SP=webanno.custom.A|", f"#T_SP={POS}|PosValue")
    assert spans(write_file(tmp_path, "1-1 0-1 a *[1] NN", "1-2 2-3 b *[1] NN", layers=layers)) == {(1, 2, None)}
    annotation = read_annotation(tmp_path / "t.tsv", as_="segments")
    assert annotation.types == ("boundary",)


def test_slots_and_chains_are_not_read(tmp_path: Path) -> None:
    layers = (
        "#T_SP=webanno.custom.F|ROLE_webanno.custom.F:Roles_webanno.custom.FRolesLink|uima.tcas.Annotation|FE",
        "#T_CH=webanno.custom.Coref|referenceType|referenceRelation",
    )
    rows = ("1-1 0-1 a seller;goods 1-2;1-3[4] sale pr[1] coref->1-1", "1-2 2-3 b _ _ _ pr[1] *->1-2")
    assert spans(write_file(tmp_path, *rows, layers=layers)) == {(1, 1, "sale")}
    with pytest.raises(FormatError, match=r"layer webanno\.custom\.F has no feature 'ROLE_.*'; its features are 'FE'$"):
        read_annotation(tmp_path / "t.tsv", feature="ROLE_webanno.custom.F:Roles_webanno.custom.FRolesLink")
    with pytest.raises(FormatError, match=r"no span layer matches 'Coref'; the layers are 'webanno.custom.F'"):
        read_annotation(tmp_path / "t.tsv", layer="Coref")


def test_escapes(tmp_path: Path) -> None:
    r"""Every reserved character of the user guide: \ [ ] | _ -> ; tab, line break and *."""
    reserved = {rf"\{sign}": sign for sign in ("\\", *"[]|_", "->", ";", "*")} | {r"\t": "\t", r"\n": "\n", r"\r": "\r"}
    rows = [f"1-{i} {2 * i}-{2 * i + 1} x{cell} {cell}[{i}]" for i, cell in enumerate(reserved, 1)]
    annotation = read_annotation(write_file(tmp_path, *rows))
    assert [unit[1:] for unit in annotation.units] == list(reserved.values())
    assert [span.label for span in annotation.spans] == list(reserved.values())
    stacked = write_file(tmp_path, r"1-1 0-1 a x\|y|\[1\]\\|\*")
    assert spans(stacked) == {(1, 1, "x|y"), (1, 1, "[1]\\"), (1, 1, "*")}


def test_parts_of_tokens(tmp_path: Path) -> None:
    path = write_file(tmp_path, "1-1 0-5 plays _", "1-1.1 0-4 play V", "1-2 6-10 well _")
    error = refusal(read_annotation, path, edges="error")
    assert error.line == 7
    assert str(error).endswith(
        "NamedEntity 'V' must begin and end between tokens; it ends inside token 1, 'plays'; or read with edges='token', "
        "which widens it"
    )
    with pytest.warns(CaesuraWarning, match="span edges inside a token moved to the edge of the token: 1 "):
        assert spans(path, edges="token") == {(1, 1, "V")}


def test_parts_that_cover_the_whole_token(tmp_path: Path) -> None:
    # pl|ays well: the span is on the second part and on the next token
    path = write_file(tmp_path, "1-1 10-15 plays _", "1-1.1 12-15 ays X[1]", "1-2 16-20 well X[1]")
    with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 1 "):
        assert spans(path, edges="token") == {(1, 2, "X")}
    both = write_file(tmp_path, "1-1 10-15 plays _", "1-1.1 10-12 pl X[1]", "1-1.2 12-15 ays X[1]")
    assert spans(both) == {(1, 1, "X")}


def test_parts_count_units_of_utf_16(tmp_path: Path) -> None:
    path = write_file(tmp_path, "1-1 7-12 a😀b😀 _", "1-1.1 8-11 😀b X")
    with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 2 "):
        assert spans(path, edges="token") == {(1, 1, "X")}
    message = r":7: 1-1\.1, counted from the start of its token: .* 2 is inside a character of two"
    with pytest.raises(FormatError, match=message):
        read_annotation(write_file(tmp_path, "1-1 7-12 a😀b😀 _", "1-1.1 9-11 b X"))


def test_a_gap(tmp_path: Path) -> None:
    path = write_file(tmp_path, "1-1 0-1 a X[1]", "1-2 2-3 b _", "1-3 4-5 c X[1]")
    message = r":6: .*NamedEntity\[1\] 'X' must have no gap; token 2, 'b', lies between its"
    with pytest.raises(FormatError, match=message):
        read_annotation(path)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["1-1 0-1 a"], 6, "a row must have 4 columns like the header; got 3"),
        (["1-1 0-1 a X Y"], 6, "a row must have 4 columns like the header; got 5"),
        (["1-1 a X"], 6, "a row must be sentence-token, start-end, token; got '1-1"),
        (["hello"], 6, "a row must be sentence-token"),
        (["1-1 0-1 a _", "1-1 2-3 b _"], 7, "rows must ascend; got 1-1 after 1-1"),
        (["1-1 0-1 a _", "1-2.1 2-3 b _"], 7, r"a part must follow its token; got 1-2\.1"),
        (["1-1 0-2 ab _", "1-1.1 0-1 b X"], 7, r"1-1\.1 must repeat the characters of its token, 'a'; got 'b'"),
        (["1-1 0-2 ab _", "1-1.1 1-3 b X"], 7, r"1-1\.1, counted from .* an offset must lie in 0-2, .*; got 3"),
        (["1-1 5-7 ab _", "1-1.1 0-1 a X"], 7, r"1-1\.1, counted from .*; got -5"),
        (
            ["1-1 0-1 a X[1]", "1-2 2-3 b Y[1]"],
            7,
            r"one label on all its rows; got 'Y' after 'X' for .*NamedEntity\[1\]",
        ),
        (["1-1 0-1 a X||Y"], 6, r"a cell is _, or values with \| between them; got 'X\|\|Y'"),
        (["1-1 0-1 a X\\"], 6, r"a cell is _, or values with \| between them"),
        ([], None, r"expected at least one token \(a row such as 1-1\); got none"),
    ],
)
def test_invalid_rows(tmp_path: Path, rows: list[str], line: int | None, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_annotation(write_file(tmp_path, *rows))
    assert caught.value.line == line


@pytest.mark.parametrize("layers", [("#T_SP=|value",), ("#T_SP=a.B|value", "#T_SP=a.B|kind")])
def test_invalid_layers(tmp_path: Path, layers: tuple[str, ...]) -> None:
    with pytest.raises(FormatError, match=r":\d: a layer must have a unique name; got '(a\.B)?'"):
        read_annotation(write_file(tmp_path, "1-1 0-1 a _", layers=layers))


def test_different_versions(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("#FORMAT=WebAnno TSV 2.0\n")
    message = r":1: the first line must be #FORMAT=WebAnno TSV 3\.x; got '#FORMAT=WebAnno TSV 2"
    with pytest.raises(FormatError, match=message):
        cz.read(tmp_path / "t.tsv")


def test_other_tables_keep_their_format(tmp_path: Path) -> None:
    for content, name in (
        ("Coder\tMasses\n1\t2\t3\n", "masses-tsv"),
        ("unit\tann\n1\t0\n", "table-tsv"),
        ("start\tend\n1\t2\n", "table-tsv"),
        ("#T_SP=x\tann\n", "table-tsv"),
    ):
        (tmp_path / "t.tsv").write_text(content)
        assert detect(tmp_path / "t.tsv").name == name


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """The export of a project of INCEpTION: two texts, two coders, the texts before annotation, and the curated texts."""
    words = {"doc1.txt": ("Haag", "plays"), "doc2.txt": ("Bob", "sleeps")}
    places = {"ann": "annotation", "bo": "annotation", "INITIAL_CAS": "annotation", "CURATION_USER": "curation"}
    labels = {"ann": ("PER", "_"), "bo": ("PER", "ACT"), "INITIAL_CAS": ("_", "_"), "CURATION_USER": ("PER", "_")}
    for document, (first, second) in words.items():
        for name, place in places.items():
            folder = tmp_path / place / document
            folder.mkdir(parents=True, exist_ok=True)
            rows = (f"1-1 0-4 {first} {labels[name][0]}", f"1-2 5-11 {second} {labels[name][1]}")
            write_file(folder, *rows, name=f"{name}.tsv")
    return tmp_path


def test_the_texts_before_annotation_are_no_coder(export: Path) -> None:
    corpus = cz.read(export / "annotation")
    assert set(corpus) == {("doc1.txt", "ann"), ("doc1.txt", "bo"), ("doc2.txt", "ann"), ("doc2.txt", "bo")}
    assert corpus.reading.ignored == ("2 files INITIAL_CAS.tsv (the text before annotation, not a coder)",)
    pattern = cz.read(export / "annotation", pattern="{item}/{coder}.tsv")
    assert pattern.coders == ("ann", "bo")


def test_the_curated_texts_are_no_coder(export: Path) -> None:
    corpus = cz.read(export)
    assert corpus.coders == ("ann", "bo")
    assert corpus.item_names == ("annotation/doc1.txt", "annotation/doc2.txt")
    assert corpus.reading.ignored[1].startswith("2 files CURATION_USER.tsv (the curated text, not a coder; read its")
    curated = cz.read(export / "curation")
    assert set(curated) == {("doc1.txt", "CURATION_USER"), ("doc2.txt", "CURATION_USER")}
    assert curated["doc1.txt", "CURATION_USER"] == cz.read(export / "annotation")["doc1.txt", "ann"]
