"""Tags of tokens in columns: every scheme gives the same spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Hierarchy, Segmentation, Spans
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect, formats
from support.corpora import round_trip_or_refuse
from support.everyday import expected
from support.examples import examples
from support.files import file_writer
from support.shared_data import DataFolder

write_file = file_writer("ner.bio")


def columns(tags: str) -> str:
    """One token per tag; | ends a sentence."""
    return "".join("\n" if tag == "|" else f"w{i} x {tag}\n" for i, tag in enumerate(tags.split()))


def spans_of(corpus: Corpus, item: str = "ner") -> list[tuple[int, int, str | None]]:
    """Spans from 1, end included."""
    annotation = corpus[item, "ner"]
    assert isinstance(annotation, Spans)
    return [(int(span.start) + 1, int(span.end), span.category) for span in annotation]


def notes_of(corpus: Corpus) -> tuple[str, ...]:
    return corpus.reading.notes


def test_the_everyday_file(shared: DataFolder) -> None:
    entry = expected(shared, "conll2003.bio")
    path = shared / "data/everyday/conll2003.bio"
    corpus = cz.read(path)
    assert {item: corpus[item, "conll2003"].length for item in corpus.item_names} == entry["items"]
    for item, spans in entry["spans_1_based_inclusive"].items():
        annotation = corpus[item, "conll2003"]
        assert isinstance(annotation, Spans)
        assert [[span.start + 1, span.end, span.category] for span in annotation] == spans
    assert corpus.reading.roles == {"1": "words", "4": "tags of spans"}
    assert corpus.reading.ignored == ("tags in column 3 (layer=3 reads column 3)", "column 2 (not needed)")
    assert notes_of(corpus)[1] == "the scheme of the tags is IOB2"
    chunks = cz.read(path, layer=3)["2", "conll2003"]
    assert isinstance(chunks, Spans)
    assert [(span.start, span.end, span.category) for span in chunks.spans] == [(0, 2, "NP")]
    sentences = cz.read(path, spans="sentences")
    assert sentences["1", "conll2003"].inner.tolist() == [9]
    assert notes_of(sentences) == ("the ends of 3 sentences are the boundaries",)


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("B-A I-A B-A O B-B | B-B", "IOB2"),
        ("I-A I-A B-A O I-B | I-B", "IOB1"),
        ("B-A E-A S-A O S-B | S-B", "BIOES"),
        ("B-A L-A U-A O U-B | U-B", "BILOU"),
    ],
)
def test_schemes(tmp_path: Path, tags: str, scheme: str) -> None:
    corpus = cz.read(write_file(tmp_path, columns(tags)))
    assert spans_of(corpus) == [(1, 2, "A"), (3, 3, "A"), (5, 5, "B"), (6, 6, "B")]
    assert f"the scheme of the tags is {scheme}" in notes_of(corpus)


def test_longer_spans(tmp_path: Path) -> None:
    for tags, scheme in [("B-A M-A E-A S-A", "BMES"), ("B-A I-A E-A S-A", "BIOES"), ("B-A I-A L-A U-A", "BILOU")]:
        corpus = cz.read(write_file(tmp_path, columns(tags)))
        assert spans_of(corpus) == [(1, 3, "A"), (4, 4, "A")]
        assert f"the scheme of the tags is {scheme}" in notes_of(corpus)
    assert spans_of(cz.read(write_file(tmp_path, columns("B I O")))) == [(1, 2, None)]


@pytest.mark.parametrize(
    ("tags", "number", "first", "spans"),
    [
        ("B-A O I-A I-B", 2, "I-A in line 3", [(1, 1, "A"), (3, 3, "A"), (4, 4, "B")]),
        ("B-A | I-A", 1, "I-A in line 3", [(1, 1, "A"), (2, 2, "A")]),
        ("B-A I-A O S-A E-A", 2, "I-A in line 2", [(1, 2, "A"), (4, 4, "A"), (5, 5, "A")]),
    ],
)
def test_irregular_tags(
    tmp_path: Path, tags: str, number: int, first: str, spans: list[tuple[int, int, str | None]]
) -> None:
    with pytest.warns(CaesuraWarning, match=rf"tags that do not fit into the scheme .*: {number}.*first in {first}"):
        assert spans_of(cz.read(write_file(tmp_path, columns(tags)))) == spans
    with pytest.warns(CaesuraWarning, match="the scheme a mixture"):
        corpus = cz.read(write_file(tmp_path, columns("B-A L-A O I-A E-A")))
    assert "the scheme of the tags is a mixture" in notes_of(corpus)


def test_documents(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a B-A\n-DOCSTART- O\n\nb O\nc B-B\n-DOCSTART- O\nd O\n")
    corpus = cz.read(path)
    assert (corpus.item_names, corpus.coders) == (("1", "2", "3"), ("ner",))
    assert spans_of(corpus, "2") == [(2, 2, "B")]
    assert spans_of(corpus, "3") == []
    assert "the tokens before the first -DOCSTART- are the item '1'" in notes_of(corpus)
    empty = write_file(tmp_path, "-DOCSTART- O\n\n-DOCSTART- O\nd B-A\n")
    with pytest.raises(FormatError, match=":1: a document must have a token; '1' has none"):
        cz.read(empty)
    excluded: list[FormatError] = []
    assert cz.read(empty, excluded=excluded).item_names == ("2",)


def test_comments(tmp_path: Path) -> None:
    text = "# id 12\tdomain=x\n# more words in this line\na _ _ B-A\n# _ _ O\n\n# id 13\tdomain=x\n# _ _ B-B\n"
    path = write_file(tmp_path, text, "ner.conll")
    assert detect(path).name == "bio"
    corpus = cz.read(path)
    annotation = corpus["ner", "ner"]
    assert isinstance(annotation, Spans)
    assert annotation.units == ("a", "#", "#")
    assert spans_of(corpus) == [(1, 1, "A"), (3, 3, "B")]
    assert "3 comment lines (not a token)" in corpus.reading.ignored
    with pytest.raises(FormatError, match=":4: each line must have 4 columns like the first; got 2"):
        cz.read(write_file(tmp_path, text.replace("# _ _ O", "# x"), "ner.conll"), "bio")


def test_options(tmp_path: Path) -> None:
    path = write_file(tmp_path, "1\tNew York\tB-A\n2\tis\tO\n3\tbig\tB-B\n")
    corpus = cz.read(path, token=2)
    annotation = corpus["ner", "ner"]
    assert isinstance(annotation, Spans)
    assert annotation.units == ("New York", "is", "big")
    assert spans_of(cz.read(path, token=2, labels=["B"])) == [(3, 3, "B")]
    segments = cz.read(path, token=2, as_="segments")["ner", "ner"]
    assert isinstance(segments, Segmentation)
    assert segments.boundaries == ((1, "A"), (2, "begin"), (3, "B"))


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("a B-A\nb O x\n", {}, ":2: each line must have 2 columns like the first; got 3"),
        ("a B-A\nb x\n", {}, ":2: column 2 must contain tags such as O, B-PER and I-PER; got 'x'; choose the column"),
        ("a\n", {}, ":1: a line must have a token in column 1 and a tag in another column; got 1 column"),
        ("a O\n", {"layer": 3}, ":1: a line must have a token in column 1 and a tag in another column; got 2 columns"),
        ("a O\n", {"layer": 1}, ":1: a line must have a token in column 1 and a tag in another column; got 2 columns"),
        ("a\tB-A\n\tO\n", {}, ":2: a token must not be empty"),
        ("-DOCSTART- O\n", {}, "expected at least one token; got none"),
    ],
)
def test_errors(tmp_path: Path, text: str, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        cz.read(write_file(tmp_path, text), **options)


def test_other_formats_are_not_taken(tmp_path: Path, shared: DataFolder) -> None:
    text = columns("B-A O")
    for name in ("a.bio", "a.conll", "a.txt", "a.tsv", "a"):
        assert detect(write_file(tmp_path, text, name)).name == "bio"
    assert detect(write_file(tmp_path, columns("B-A O") * 40_000, "a.txt")).name == "bio"
    for name in ("disrpt/eng.made.demo_test.tok", "disrpt_conn/eng.made.conn_test.tok"):
        path = shared / "data/everyday" / name
        assert detect(path).name == "conllu"
        for suffix in (".conll", ".txt", ".tsv"):
            assert detect(write_file(tmp_path, path.read_text(), f"a{suffix}")).name == "conllu"
    for text in ("0.5\tB\n1.0\tEnd\n", "a O\nb O\n", "a B-A\nb x\n"):
        assert not formats()["bio"].looks_like(text)
    assert detect(write_file(tmp_path, "0.0 1.0 B-A\n", "a.lab")).name == "lab"
    assert detect(write_file(tmp_path, "0.0\t1.0\tB-A\n", "a.txt")).name == "audacity"


SPANS = st.lists(st.sampled_from(["O", "A", "B", "AA", "x y"]), min_size=1, max_size=5)


@examples(60)
@given(st.lists(SPANS, min_size=1, max_size=3), st.sampled_from(["a", "-DOCSTART-", "é.", "a b", ""]))
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, items: list[list[str]], word: str) -> None:
    annotations: dict[str, dict[str, Spans]] = {}
    for i, labels in enumerate(items, 1):
        rows = [(2 * j, 2 * j + 2, label) for j, label in enumerate(labels) if label != "O"]
        annotations[str(i)] = {"ner": Spans(rows, units=[word, "b"] * len(labels))}
    path = tmp_path_factory.mktemp("trip") / "ner.bio"
    sure = word in ("a", "é.", "a b") and not any("x y" in labels for labels in items)
    round_trip_or_refuse(Corpus(annotations), path, "bio", sure=sure)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "ner.bio"
    nested = Hierarchy(3, [(1, 3, 1, "A"), (1, 2, 2, "B")], units=["a", "b", "c"])
    with pytest.raises(FormatError, match="stores spans with labels that do not overlap"):
        cz.write(Corpus({"ner": {"ner": nested}}), path)
    with pytest.raises(FormatError, match="stores spans over tokens; there are none"):
        cz.write(Corpus({"ner": {"ner": Hierarchy(3, [(1, 2, 1, "A")])}}), path)
    flat = Corpus({"ner": {"ner": Hierarchy(3, [(1, 2, 1, "A")], units=["a", "b", "c"])}})
    cz.write(flat, path)
    assert path.read_text() == "a\tB-A\nb\tI-A\nc\tO\n"
    assert cz.read(path, as_="hierarchy") == flat
    spans = Corpus({"ner": {"ner": Spans([(0, 2, "A")], units=["a", "b", "c"])}})
    assert cz.read(path) == spans
    cz.write(spans, path)
    assert path.read_text() == "a\tB-A\nb\tI-A\nc\tO\n"
    with pytest.raises(FormatError, match="stores spans with labels that do not overlap"):
        cz.write(Corpus({"ner": {"ner": Spans([(0, 2, "A"), (1, 3, "A")], units=["a", "b", "c"])}}), path)
