"""Columns of tags such as B-PER in tables, and files of tags with several columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from support.files import text_reader

TWO = "EU B-ORG B-ORG\nrejects O O\nGerman B-MISC O\n\nPeter B-PER B-PER\nBlackburn I-PER I-PER\n"
read = text_reader("t.csv")


def spans(corpus: cz.Corpus, coder: str) -> list[tuple[int, int, str | None]]:
    """Spans from 1, end included."""
    annotation = corpus[corpus.item_names[0], coder]
    assert isinstance(annotation, cz.Spans)
    return [(int(span.start) + 1, int(span.end), span.category) for span in annotation]


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ","), ("t.tsv", "\t"), ("t.conll", "\t"), ("t.txt", "\t")])
def test_named_columns_are_coders(tmp_path: Path, name: str, separator: str) -> None:
    text = "token gold pred\n" + TWO
    corpus = read(tmp_path, text.replace(" ", separator), name)
    assert spans(corpus, "gold") == [(1, 1, "ORG"), (3, 3, "MISC"), (4, 5, "PER")]
    assert spans(corpus, "pred") == [(1, 1, "ORG"), (4, 5, "PER")]


def test_unnamed_columns_with_the_same_labels(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match="columns 2 and 3 contain tags with the same labels") as error:
        read(tmp_path, TWO, "t.conll")
    assert [options for _, options in error.value.choices] == [{"layers": "2+3"}, {"layer": 2}, {"layer": 3}]
    corpus = read(tmp_path, TWO, "t.conll", layers="2+3")
    assert corpus.coders == ("column 2", "column 3")
    assert spans(corpus, "column 2") == [(1, 1, "ORG"), (3, 3, "MISC"), (4, 5, "PER")]
    assert spans(read(tmp_path, TWO, "t.conll", layer=3), "t") == [(1, 1, "ORG"), (4, 5, "PER")]


def test_columns_with_different_labels_are_layers(tmp_path: Path) -> None:
    corpus = read(tmp_path, "EU B-NP B-ORG\nrejects B-VP O\n", "t.conll")
    assert spans(corpus, "t") == [(1, 1, "ORG")]
    with pytest.raises(AmbiguousFileError, match="tags of spans with different labels"):
        read(tmp_path, "token,chunk,ner\nEU,B-NP,B-ORG\nrejects,B-VP,O\n", "t.csv")


def test_numbered_tokens(tmp_path: Path) -> None:
    corpus = read(tmp_path, "1\tEU\tB-ORG\n2\trejects\tO\n\n1\tPeter\tB-PER\n", "t.iob")
    assert corpus["t", "t"].units == ("EU", "rejects", "Peter")


@pytest.mark.parametrize("tags", ["B-seg O O B-seg O", "B-edu I-edu I-edu B-edu I-edu", "B I I B I"])
@pytest.mark.parametrize("name", ["label", "anna"])
def test_tags_that_begin_segments(tmp_path: Path, tags: str, name: str) -> None:
    rows = "".join(f"w{i},{tag}\n" for i, tag in enumerate(tags.split()))
    corpus = read(tmp_path, f"token,{name}\n{rows}", "t.csv")
    (segmentation,) = corpus.values()
    assert list(segmentation.positions) == [3]
    assert "a tag B begins a segment" in str(corpus.reading)


def test_tags_in_a_long_table(tmp_path: Path) -> None:
    rows = "".join(
        f"{coder},{word},{tag}\n"
        for coder, tags in (("anna", "B-A I-A O"), ("ben", "B-A O O"))
        for word, tag in zip("xyz", tags.split(), strict=True)
    )
    corpus = read(tmp_path, f"annotator,token,label\n{rows}", "t.csv")
    assert spans(corpus, "anna") == [(1, 2, "A")]
    assert spans(corpus, "ben") == [(1, 1, "A")]


def test_relations_are_no_segments(tmp_path: Path) -> None:
    text = "doc\tunit1_toks\tunit2_toks\tunit1_txt\tlabel\nd\t1-2\t3-4\tThe cat\tcause\nd\t3-4\t5\tit ran\tcause\n"
    with pytest.raises(FormatError, match=r"a \.rels file of DISRPT contains relations, not segments"):
        read(tmp_path, text, "eng.rst.gum_dev.rels")
