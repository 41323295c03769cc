"""CoNLL-U and DISRPT's .tok: tokens with whole numbers, segments by exact keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import AmbiguousFileError, CaesuraWarning, FormatError, OptionError
from support.corpora import round_trip_or_refuse
from support.everyday import expected
from support.examples import examples
from support.files import file_writer, refusal
from support.shared_data import DataFolder


def row(id_: object, form: str, misc: str = "_") -> str:
    return "\t".join([str(id_), form, *"_______", misc]) + "\n"


write_file = file_writer("t.conllu")


TOK = (
    "# newdoc_id = a\n"
    + row(1, "In", "BeginSeg=Yes")
    + row(2, "Xanadu", "MSeg=Xan-adu|MBeginSeg=Yes")
    + row(3, "did", "SpaceAfter=No|BeginSeg=Yes")
    + "\n# newdoc_id = b\n"
    + row(1, "Kubla", "BeginSeg=Yes")
    + row(2, "Khan")
)


def test_tok(tmp_path: Path) -> None:
    # a: In Xanadu | did    b: Kubla Khan
    corpus = cz.read(write_file(tmp_path, TOK, "t.tok"))
    assert corpus.item_names == ("a", "b")
    assert (corpus["a", "t"].masses, corpus["a", "t"].units) == ((2, 1), ("In", "Xanadu", "did"))
    assert corpus["b", "t"].masses == (2,)
    newer = TOK.replace("newdoc_id", "newdoc id").replace("BeginSeg=Yes", "Seg=B-seg").replace("\t_\n", "\tSeg=O\n")
    assert cz.read(write_file(tmp_path, newer)) == corpus
    assert cz.read(write_file(tmp_path, TOK.replace("\n", "\r\n"))) == corpus
    assert cz.read(write_file(tmp_path, TOK.replace("newdoc_id", "newdoc"))) == corpus
    assert cz.read(write_file(tmp_path, TOK.replace("# newdoc_id", "# sent_id = 1\n#newdoc_id"))) == corpus
    assert cz.read(write_file(tmp_path, TOK.replace("newdoc_id = b", "newdocument = b"))).item_names == ("a",)


SENTENCES = (
    "# sent_id = 1\n"
    + row("1-2", "du", "Seg=B-seg")
    + row(1, "de")
    + row(2, "le")
    + row("2.1", "empty", "BeginSeg=yes")
    + "\n\n"
    + row(1, "pain", "MSeg=pain")
)


def test_ranges_and_empty_nodes_are_not_units(tmp_path: Path) -> None:
    # de le | pain
    path = write_file(tmp_path, SENTENCES)
    message = r"marks on empty nodes and ranges, .* left out: 2 \(first in line 2, 1-2 Seg=B-seg\)"
    with pytest.warns(CaesuraWarning, match=message):
        segmentation = cz.read(path, boundaries="sentences")["t", "t"]
    assert (segmentation.units, segmentation.masses) == (("de", "le", "pain"), (2, 1))


def test_a_file_without_marks_is_an_error(tmp_path: Path) -> None:
    path = write_file(tmp_path, row(1, "a", "MSeg=a|SpaceAfter=No") + row(2, "b", "Entity=x"))
    keys = "the keys are Entity, MSeg, SpaceAfter; read the ends of sentences with boundaries='sentences', or name"
    for options, marks in (
        ({}, "BeginSeg=Yes or Seg=B-seg or Conn=B-conn or Seg=B-Conn"),
        ({"boundaries": "segments"}, "BeginSeg=Yes or Seg=B-seg"),
        ({"boundaries": "connectives"}, "Conn=B-conn or Seg=B-Conn"),
    ):
        assert str(refusal(cz.read, path, **options)).endswith(
            f"no token is marked with {marks} in its last column; {keys} the key that begins segments with key=NAME"
        )
    with pytest.raises(FormatError, match="it has no keys; read the ends"):
        cz.read(write_file(tmp_path, row(1, "a")))


def test_another_key(tmp_path: Path) -> None:
    path = write_file(tmp_path, row(1, "a", "Discourse=x") + row(2, "b") + row(3, "c", "X=y|Discourse=z"))
    corpus = cz.read(path, key="Discourse")
    assert corpus["t", "t"].masses == (2, 1)
    assert dict(corpus.reading.roles) == {"FORM": "words", "Discourse": "beginnings of segments"}
    message = r"no token has the key 'Disc' in its last column; the keys are Discourse, X$"
    with pytest.raises(FormatError, match=message):
        cz.read(path, key="Disc")
    with pytest.raises(OptionError, match="cannot be combined with boundaries='sentences'"):
        cz.read(path, key="Discourse", boundaries="sentences")


def test_sentences_or_segments(tmp_path: Path) -> None:
    # sentences: a b | c      segments: a | b c
    path = write_file(tmp_path, row(1, "a", "BeginSeg=Yes") + row(2, "b", "BeginSeg=Yes") + "\n" + row(1, "c"))
    assert cz.read(path)["t", "t"].masses == (1, 2)
    assert cz.read(path, boundaries="sentences")["t", "t"].masses == (2, 1)


def test_documents_without_a_name_are_numbered(tmp_path: Path) -> None:
    path = write_file(
        tmp_path, "# newdoc\n" + row(1, "a") + "\n# newdoc id = x\n" + row(1, "b") + "\n# newdoc\n" + row(1, "c")
    )
    assert cz.read(path, boundaries="sentences").item_names == ("1", "x", "3")


OR_READ = "or read with boundaries='sentences'"
BAD = {
    "columns": (row(1, "a") + "2\tb\t_\n", 2, "a token must have 10 columns with tabs between; got 3"),
    "spaces": ("1 a _ _ _ _ _ _ _ _\n", 1, "a token must have 10 columns with tabs between; got 1"),
    "gap": (row(1, "a") + row(3, "b"), 2, "tokens must be numbered 1, 2, 3 ...; got '3' for 2"),
    "no blank line": (row(1, "a") + row(1, "b"), 2, "tokens must be numbered 1, 2, 3 ...; got '1' for 2"),
    "letter": (row("x", "a"), 1, "tokens must be numbered 1, 2, 3 ...; got 'x' for 1"),
    "arabic": (row("١", "a"), 1, "tokens must be numbered 1, 2, 3 ...; got '١' for 1"),
    "zero": (row("0", "a"), 1, "tokens must be numbered 1, 2, 3 ...; got '0' for 1"),
    "no form": (row(1, ""), 1, "a token must have a form in column 2; it is empty"),
    "twice": (
        "# newdoc id = a\n" + row(1, "x") + "\n# newdoc id = a\n" + row(1, "x"),
        4,
        "the id of a document must be unique; got 'a' again",
    ),
    "before": (
        row(1, "x") + "\n# newdoc id = a\n" + row(1, "x"),
        1,
        "a token must belong to a document; the first begins at line 3",
    ),
    "empty document": (
        "# newdoc id = a\n# newdoc id = b\n" + row(1, "x"),
        1,
        "a document must have a token; 'a' has none",
    ),
    "no token": ("# sent_id = 1\n", None, "expected at least one token; got none"),
    "unknown": (
        row(1, "a", "Seg=B-seg") + row(2, "b", "Seg=B-edu"),
        2,
        "Seg must be one of b-seg, i-seg, o; got 'B-edu'; or read with boundaries='sentences'",
    ),
    "connective": (row(1, "a", "Conn=B-but"), 1, "Conn must be one of b-conn, i-conn, o, _; got 'B-but'; " + OR_READ),
    "maybe": (row(1, "a", "BeginSeg=Maybe"), 1, "BeginSeg must be one of yes, no; got 'Maybe'; " + OR_READ),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, line, message = BAD[name]
    error = refusal(cz.read, write_file(tmp_path, content))
    assert (error.line, error.problem) == (line, message)


def test_good_documents_are_read_and_bad_ones_listed(tmp_path: Path) -> None:
    path = write_file(
        tmp_path, TOK.replace("Kubla\t_\t_\t_\t_\t_\t_\t_\tBeginSeg=Yes", "Kubla\t_\t_\t_\t_\t_\t_\t_\tSeg=B-edu")
    )
    excluded: list[FormatError] = []
    assert cz.read(path, excluded=excluded).item_names == ("a",)
    assert [error.line for error in excluded] == [7]


# -- connectives ------------------------------------------------------------------------------------------------------


def test_the_everyday_files(shared: DataFolder) -> None:
    folder = shared / "data/everyday"
    name = "disrpt_conn/eng.made.conn_test.tok"
    corpus = cz.read(folder / name)
    wanted = expected(shared, name)
    for item, spans in wanted["spans_1_based_inclusive"].items():
        hierarchy = corpus[item, "eng.made.conn_test"]
        assert [(span.start, span.end, span.label) for span in hierarchy.spans] == [*map(tuple, spans)]
        assert hierarchy.length == wanted["items"][item]
    assert dict(corpus.reading.roles) == {"FORM": "words", "Conn": "connectives"}
    name = "disrpt/eng.made.demo_test.tok"
    corpus, wanted = cz.read(folder / name), expected(shared, name)
    assert {item: corpus[item, "eng.made.demo_test"].length for item in corpus.item_names} == wanted["items"]
    for item, positions in wanted["boundaries"].items():
        assert corpus[item, "eng.made.demo_test"].inner.tolist() == positions
    assert dict(corpus.reading.roles) == {"FORM": "words", "Seg": "beginnings of segments"}


def tokens(*miscs: str) -> str:
    return "".join(row(i, f"w{i}", misc) for i, misc in enumerate(miscs, 1))


@pytest.mark.parametrize("begin", ["Seg=B-Conn", "Seg=B-conn", "Conn=B-conn", "Conn=B-CONN"])
def test_connectives(begin: str, tmp_path: Path) -> None:
    inside = begin.replace("B-", "I-")
    corpus = cz.read(write_file(tmp_path, tokens(begin, "_", "X=y|" + begin, inside, begin, "_")))
    assert [span[:2] for span in corpus["t", "t"].spans] == [(1, 1), (3, 4), (5, 5)]
    assert {span[2:] for span in corpus["t", "t"].spans} == {(1, "conn")}


@pytest.mark.parametrize(("stray", "number", "spans"), [("ignore", 2, []), ("span", 1, [(2, 3)])])
def test_a_connective_that_does_not_begin_is_counted(tmp_path: Path, stray: str, number: int, spans: list) -> None:
    message = rf"marks I-conn that follow no connective; .*: {number} \(first in line 2, item 't'\)"
    with pytest.warns(CaesuraWarning, match=message):
        corpus = cz.read(
            write_file(tmp_path, tokens("Conn=O", "Conn=I-conn", "Conn=I-conn")), boundaries="connectives", stray=stray
        )
    assert [span[:2] for span in corpus["t", "t"].spans] == spans


def test_segments_in_any_case(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, tokens("Seg=B-Seg", "Seg=O", "Seg=B-seg", "Seg=I-Seg", "Seg=B-SEG")))
    assert corpus["t", "t"].masses == (2, 2, 1)


def test_both_kinds(tmp_path: Path) -> None:
    path = write_file(tmp_path, tokens("Seg=B-seg|Conn=O", "Seg=O|Conn=B-conn", "Seg=B-seg|Conn=O"))
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    expected = [{"boundaries": "segments"}, {"boundaries": "connectives"}]
    assert [options for _, options in caught.value.choices] == expected
    assert "has Seg=b-seg, Seg=o, Conn=b-conn, Conn=o, which may be segments or connectives" in str(caught.value)
    assert cz.read(path, boundaries="segments")["t", "t"].masses == (2, 1)
    assert [span[:2] for span in cz.read(path, boundaries="connectives")["t", "t"].spans] == [(2, 2)]
    mixed = write_file(tmp_path, tokens("Seg=B-seg", "Seg=B-Conn", "Seg=B-seg"))
    assert cz.read(mixed, boundaries="segments")["t", "t"].masses == (2, 1)


def test_no_mark_begins(tmp_path: Path) -> None:
    path = write_file(tmp_path, tokens("Seg=O", "Seg=O"))
    with pytest.raises(AmbiguousFileError, match="Seg=o, which may be segments or connectives"):
        cz.read(path)
    assert cz.read(path, boundaries="segments")["t", "t"].masses == (2,)
    assert cz.read(path, boundaries="connectives")["t", "t"].spans == ()
    assert cz.read(write_file(tmp_path, tokens("Conn=O", "Conn=_")))["t", "t"].spans == ()


# -- writing ----------------------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    items = {}
    for item in draw(st.lists(texts | st.sampled_from(["a b", "= x", "#"]), min_size=1, max_size=3, unique=True)):
        masses = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        units = draw(st.lists(texts | st.just("a b"), min_size=sum(masses), max_size=sum(masses)))
        items[item] = {"t": cz.Segmentation.from_masses(masses, units=units)}
    return cz.Corpus(items)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conllu")


@examples(100)
@given(corpus=corpora(), name=st.sampled_from(["t.tok", "t.conllu"]))
def test_round_trip_or_error(corpus: cz.Corpus, name: str, folder: Path) -> None:
    forms = [unit for key in corpus for unit in corpus[key].units]
    sure = all(form and not {*"\t\n\r"} & {*form} for form in forms) and all(
        item.strip() == item != "" and not {*"\n\r"} & {*item} for item in corpus.item_names
    )
    round_trip_or_refuse(corpus, folder / name, sure=sure)


def test_written_files_follow_disrpt(tmp_path: Path) -> None:
    corpus = cz.Corpus({"a": {"t": cz.Segmentation.from_masses([2, 1], units=["In", "Xanadu", "did"])}})
    cz.write(corpus, tmp_path / "t.tok")
    assert (tmp_path / "t.tok").read_text() == (
        "# newdoc_id = a\n" + row(1, "In", "BeginSeg=Yes") + row(2, "Xanadu") + row(3, "did", "BeginSeg=Yes") + "\n"
    )
    cz.write(corpus, tmp_path / "t.conllu")
    assert (tmp_path / "t.conllu").read_text().startswith("# newdoc id = a\n1\tIn\t")


REFUSED = {
    "typed": (cz.Segmentation.from_marks(["a", ""], units="xy"), "cannot store boundary types; write a .csv table"),
    "end": (cz.Segmentation.from_marks(["", "boundary"], units="xy"), "its boundaries would be read differently"),
    "tab": (cz.Segmentation.from_masses([1], units=["a\tb"]), "a token must have 10 columns with tabs between; got 11"),
    "no text": (cz.Segmentation.from_masses([1]), "this format needs the text of the units"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_corpora_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    segmentation, message = REFUSED[name]
    with pytest.raises(FormatError, match=message):
        cz.write(cz.Corpus({"i": {"t": segmentation}}), tmp_path / "t.tok")
    assert not (tmp_path / "t.tok").exists()


@examples(60)
@given(lengths=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=2))
def test_connectives_round_trip(lengths: list[list[int]], folder: Path) -> None:
    items = {}
    for i, gaps in enumerate(lengths):  # a word, a connective of some words, a word ...
        spans, at = [], 0
        for size in gaps:
            spans += [(at + 2, at + 1 + size, 1, "conn")] if size else []
            at += 1 + size
        items[f"d{i}"] = {"t": cz.Hierarchy(at + 1, spans, units=["w"] * (at + 1))}
    round_trip_or_refuse(cz.Corpus(items), folder / "t.tok", sure=True)


def test_spans_that_are_no_connectives(tmp_path: Path) -> None:
    for spans in ([(1, 1, 1, "x")], [(1, 2, 1, "conn"), (1, 1, 2, "conn")]):
        with pytest.raises(FormatError, match="this format stores connectives: spans with the label conn"):
            cz.write(cz.Corpus({"i": {"t": cz.Hierarchy(2, spans, units="ab")}}), tmp_path / "t.tok")
    with pytest.raises(FormatError, match="needs the text of the units"):
        cz.write(cz.Corpus({"i": {"t": cz.Hierarchy(2, [])}}), tmp_path / "t.tok")


def test_a_name_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="item ' x': this format cannot store the name"):
        cz.write(cz.Corpus({" x": {"t": cz.Segmentation.from_masses([1], units="a")}}), tmp_path / "t.tok")
