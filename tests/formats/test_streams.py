"""Tables of units with a column ``stream``: round trips of dialogues."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import check_same_tokens
from caesura.formats.column_names import RESERVED, normalize
from support.files import file_writer, refusal

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
names = st.text(characters, min_size=1, max_size=6)
coders = names.filter(lambda n: n == n.strip() and normalize(n) not in RESERVED)


@st.composite
def dialogues(draw: st.DrawFn) -> cz.Corpus:
    """Draw corpora with or without types, text and streams; coders and streams may be missing."""
    types = draw(st.none() | st.lists(names, min_size=1, max_size=3, unique=True))
    text = draw(st.booleans())
    who = draw(st.lists(coders, min_size=1, max_size=3, unique=True))

    def segmentation(length: int, units: list[str] | None) -> cz.Segmentation:
        if types is None:
            return cz.Segmentation.from_bits(draw(st.text("01", min_size=length - 1, max_size=length - 1)), units=units)
        sets = draw(st.lists(st.lists(st.sampled_from(types), unique=True), min_size=length, max_size=length))
        marks = {i: m for i, m in enumerate(sets, 1) if m}
        return cz.Segmentation.from_positions(length, list(marks), marks=list(marks.values()), types=types, units=units)

    items: dict[str, dict[str, object]] = {}
    # A blank name below another would belong to the item above it, so that it is not written; see below.
    for item in draw(st.lists(names.filter(str.strip), min_size=1, max_size=3, unique=True)):
        present = draw(st.lists(st.sampled_from(who), min_size=1, unique=True))
        streams = draw(st.lists(names, max_size=3, unique=True))
        texts = {}
        for stream in streams or [""]:
            length = draw(st.integers(1, 5))
            words = st.lists(names | st.just(""), min_size=length, max_size=length)
            texts[stream] = (length, draw(words) if text else None)
        items[item] = {}
        for coder in who:
            if coder in present and streams:
                mine = draw(st.lists(st.sampled_from(streams), min_size=1, unique=True))
                items[item][coder] = {stream: segmentation(*texts[stream]) for stream in mine}
            elif coder in present:
                items[item][coder] = segmentation(*texts[""])
    return cz.Corpus(items)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=dialogues(), name=st.sampled_from([("c.csv", "table-csv"), ("c.tsv", "table-tsv")]))
def test_round_trip(corpus: cz.Corpus, name: tuple[str, str], folder: Path) -> None:
    cz.write(corpus, folder / name[0], name[1])
    assert cz.read(folder / name[0], name[1]) == corpus


@pytest.mark.parametrize("items", [("x", "\r"), (" ", "x")])
def test_a_blank_item_beside_others_is_not_written(tmp_path: Path, items: tuple[str, str]) -> None:
    streams = {"A": cz.Segmentation.from_masses([1, 2]), "B": cz.Segmentation.from_masses([2])}
    corpus = cz.Corpus({item: {"ann": streams} for item in items})
    with pytest.raises(FormatError, match="this corpus would be read differently from a table"):
        cz.write(corpus, tmp_path / "c.csv")
    assert not (tmp_path / "c.csv").exists()


write_file = file_writer("t.csv")


TABLE = """item,stream,unit,text,ann,bo
chat,F,1,well,",",
chat,M,1,yes,,
chat,M,2,yes,.,.
chat,F,2,oh,,
chat,F,3,no,.,?
chat,M,3,no,,
chat,M,4,no,,?
"""


def test_by_hand(tmp_path: Path) -> None:
    # F  well , oh no .      M  yes yes . no no
    corpus = cz.read(write_file(tmp_path, TABLE))
    ann = corpus["chat", "ann"]
    assert isinstance(ann, cz.Dialogue)
    assert list(ann) == ["F", "M"]
    assert ann["F"].units == ("well", "oh", "no")
    assert ann["F"].boundaries == ((1, ","), (3, "."))
    assert ann["M"].boundaries == ((2, "."),)
    assert corpus["chat", "bo"]["F"].boundaries == ((3, "?"),)
    assert {segmentation.types for segmentation in ann.values()} == {(",", ".", "?")}


def test_units_are_numbered_within_the_item_or_within_the_stream(tmp_path: Path) -> None:
    by_stream = cz.read(write_file(tmp_path, TABLE))
    header, *rows = TABLE.splitlines()
    numbered = [",".join([*row.split(",")[:2], str(i), *row.split(",", 3)[3:]]) for i, row in enumerate(rows, 1)]
    by_item = cz.read(write_file(tmp_path, "\n".join([header, *numbered]) + "\n"))
    assert by_stream == by_item


def test_a_table_of_dialogues_and_texts(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, "item,stream,ann\nchat,F,1\nchat,M,0\nchat,F,0\npoem,,1\npoem,,0\n"))
    assert corpus["poem", "ann"] == cz.Segmentation.from_masses([1, 1])
    assert corpus["chat", "ann"] == {"F": cz.Segmentation.from_bits("1"), "M": cz.Segmentation.from_bits("")}


def test_a_coder_without_one_of_the_streams(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, "stream,ann,bo\nF,1,1\nF,0,0\nM,NA,0\n"))
    assert list(corpus["t", "ann"]) == ["F"]
    assert list(corpus["t", "bo"]) == ["F", "M"]


CELL = "correct the cell, declare boundary types with types, or leave the column out with fields"
UNDECLARED = f"column 'x': type 'b' is not declared; the declared types are 'a'; {CELL}"
BAD = [
    ("stream,unit,x\nF,1,\nM,1,\nF,3,\n", 4, "units must be numbered in order; got 3 after 1"),
    ("stream,x\nF,1\nF,0\n,1\n", 4, "item 't': a stream must be named in all rows or in none; got none here"),
    ("stream,x\nF,1\nM,1\nM,NA\n", 4, "item 't', coder 'x', stream 'M': NA must be in all cells or in none"),
    ("stream,unit\nF,1\n", 1, "expected one column per coder besides stream, unit; got none"),
    ('types,stream,x\n"[""a""]",F,a\n,M,b\n', 3, UNDECLARED),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_damage(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, text)
    assert str(refusal(cz.read, path)) == f"{path}:{line}: {message}"


def test_valid_items_are_read_and_invalid_items_excluded(tmp_path: Path) -> None:
    path = write_file(tmp_path, "item,stream,x,y\na,F,1,\na,,1,\nb,F,NA,1\nb,F,1,\n")
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    assert list(corpus) == [("b", "y")]
    assert [p.line for p in excluded] == [3, 4]


UNWRITABLE = [
    ({"a": {"": cz.Segmentation.from_bits("1")}}, "item 'i', coder 'a': a stream must have a name; got ''"),
    (
        {"a": {"F": cz.Segmentation.from_bits("1")}, "b": cz.Segmentation.from_bits("1")},
        "item 'i': all coders must have streams or none; b has none",
    ),
    (
        {"a": {"F": cz.Segmentation.from_bits("1")}, "b": {"F": cz.Segmentation.from_bits("")}},
        "item 'i': all coders must have the same number of units; got a 2, b 1",
    ),
]


@pytest.mark.parametrize(("by_coder", "message"), UNWRITABLE)
def test_corpora_that_cannot_be_written(by_coder: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    assert str(refusal(cz.write, cz.Corpus({"i": by_coder}), path)) == f"{path}: {message}"
    assert not path.exists()


@pytest.mark.parametrize("name", ["c.json", "c.bits"])
def test_streams_need_a_table(name: str, tmp_path: Path) -> None:
    corpus = cz.Corpus({"i": {"c": {"F": cz.Segmentation.from_bits("1")}}})
    message = r"item 'i', coder 'c': this format cannot store streams; write a \.csv table"
    with pytest.raises(FormatError, match=message):
        cz.write(corpus, tmp_path / name)


@given(text=st.text('01,\n"[]FNA', max_size=60))
def test_any_table_gives_a_corpus_or_our_error(text: str, folder: Path) -> None:
    path = folder / "any.csv"
    path.write_text("item,stream,unit,x\n" + text)
    with suppress(cz.errors.CaesuraError):
        assert isinstance(cz.read(path), cz.Corpus)


def test_coders_with_different_numbers_of_units(tmp_path: Path) -> None:
    """A table cannot contain them. The check of tokens names the item."""
    marks = {"long": ["", ",", "", "."], "short": ["", ",", "."]}
    items = {
        item: {coder: {"F": cz.Segmentation.from_marks(marks[kind], types=[".", ","])} for coder, kind in by.items()}
        for item, by in {"equal": {"ann": "long", "bo": "long"}, "unequal": {"ann": "long", "bo": "short"}}.items()
    }
    corpus = cz.Corpus(items)
    with pytest.raises(FormatError, match="item 'unequal': all coders must have the same number of units; got ann "):
        cz.write(corpus, tmp_path / "talk.csv")
    unequal = [str(problem) for problem in check_same_tokens(corpus)]
    assert [message.split(":")[0].split(",")[0] for message in unequal] == ["item 'unequal'"]
    equal = corpus.select(items=["equal"])
    cz.write(equal, tmp_path / "talk.csv")
    assert cz.read(tmp_path / "talk.csv") == equal
