"""Text with <eol> and <eob>: the tags are boundary types, whatever the suffix of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import detect
from support.corpora import round_trip_or_refuse
from support.everyday import expected
from support.examples import examples
from support.files import file_writer
from support.shared_data import DataFolder

TEXT = "Good <eol> night moon <eob> good night <eob>\nstars\n"
write_file = file_writer("ref.fr")


def test_the_everyday_files(shared: DataFolder) -> None:
    folder = shared / "data/everyday"
    entry = expected(shared, "evalsub/ref.fr")
    corpus = cz.read(folder / "evalsub")
    assert {item: corpus[item, "ref"].length for item in corpus.item_names} == entry["items"]
    for item, coder in corpus:
        segmentation = corpus[item, coder]
        assert segmentation.types == ("eol", "eob")
        assert segmentation.inner.tolist() == entry["boundaries"][item][coder]
        assert [[*pair] for pair in segmentation.boundaries] == entry["boundaries_with_types"][item][coder]


@pytest.mark.parametrize("name", ["ref.fr", "ref.txt", "ref", "ref.hyp", "ref.xx"])
def test_the_tags_decide_not_the_suffix(tmp_path: Path, name: str) -> None:
    path = write_file(tmp_path, TEXT, name)
    assert detect(path).name == "subtitle-breaks"
    corpus = cz.read(path)
    assert (corpus.item_names, corpus.coders) == (("1", "2"), ("ref",))
    assert corpus["1", "ref"].units == ("Good", "night", "moon", "good", "night")
    assert corpus["1", "ref"].boundaries == ((1, "eol"), (3, "eob"), (5, "eob"))
    assert corpus["2", "ref"].boundaries == ()


def test_the_reading_report(tmp_path: Path) -> None:
    report = cz.read(write_file(tmp_path, TEXT)).reading
    assert report.roles == {"<eol>": "boundary type", "<eob>": "boundary type"}
    assert report.notes == ("each line is an item",)
    one = cz.read(write_file(tmp_path, TEXT.replace("<eol> ", "").replace(" <eob> g", "<eob> g"))).reading
    assert (one.roles, one.types) == ({"<eob>": "boundary type"}, ("eol", "eob"))
    assert one.notes[1] == "tags without a space before or after them were separated from the words"


def test_a_file_as_one_item(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, TEXT), items="file", coder="ann")
    assert list(corpus) == [("ref", "ann")]
    assert corpus["ref", "ann"].boundaries == ((1, "eol"), (3, "eob"), (5, "eob"))
    assert corpus["ref", "ann"].length == 6


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("good <eol> <eob>", "there must be a word before each tag; got <eob> after <eol>; remove it"),
        ("<eob> good", "there must be a word before each tag; got <eob>; remove it"),
        ("", "a line must have a word; it is empty"),
    ],
)
def test_errors_of_single_lines(tmp_path: Path, line: str, problem: str) -> None:
    path = write_file(tmp_path, f"good <eob>\n{line}\nnight <eob>\n")
    with pytest.raises(FormatError) as caught:
        cz.read(path)
    assert str(caught.value) == f"{path}:2: {problem}"
    excluded: list[FormatError] = []
    assert cz.read(path, excluded=excluded).item_names == ("1", "3")
    assert [str(error) for error in excluded] == [str(caught.value)]


def test_other_formats_are_not_detected_as_breaks(tmp_path: Path) -> None:
    assert detect(write_file(tmp_path, '[{"text": "a <eob> b", "x": 1}]', "a.json")).name != "subtitle-breaks"
    cue = "1\n00:00:01,000 --> 00:00:02,500\na <eob> b\n"
    assert detect(write_file(tmp_path, cue, "a.txt")).name == "srt"
    with pytest.raises(FormatError, match="not recognised"):
        detect(write_file(tmp_path, "<eol>", "a.xy"))


@examples(60)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(["a", "b.", "<eol>", "x<eob>", "é", "a b"]), st.sampled_from(["", "eol", "eob"])),
            min_size=1,
            max_size=6,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, lines: list[list[tuple[str, str]]]) -> None:
    path = tmp_path_factory.mktemp("trip") / "ref.fr"
    corpus = cz.Corpus(
        {
            str(i): {
                "ref": cz.Segmentation.from_marks(
                    [mark for _, mark in line], types=("eol", "eob"), units=[word for word, _ in line]
                )
            }
            for i, line in enumerate(lines, 1)
        }
    )
    round_trip_or_refuse(corpus, path, "subtitle-breaks", sure=False)


def test_corpora_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "ref.fr"
    corpus = cz.read(write_file(tmp_path, TEXT))
    cz.write(corpus, path, "subtitle-breaks")
    assert path.read_text() == TEXT
    with pytest.raises(FormatError, match="stores one item"):
        cz.write(corpus, path, "subtitle-breaks", items="file")
    with pytest.raises(FormatError, match="item '2': this format cannot store the name"):
        cz.write(corpus.select(items=["2"]), path, "subtitle-breaks")
    untyped = cz.Corpus({"1": {"ref": cz.Segmentation.from_masses([1, 1], units=["a", "b"])}})
    with pytest.raises(FormatError, match="the types must be 'eol' and 'eob', in this order; got 'boundary'"):
        cz.write(untyped, path, "subtitle-breaks")
    both = cz.Segmentation.from_positions(2, [1], marks=[["eol", "eob"]], types=("eol", "eob"), units=["a", "b"])
    with pytest.raises(FormatError, match="one type per position"):
        cz.write(cz.Corpus({"1": {"ref": both}}), path, "subtitle-breaks")
