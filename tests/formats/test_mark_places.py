"""Marks at the first or at the last unit of a segment, and tables of conversations with a column of speakers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError
from support.files import text_reader

STARTS = """doc,sentence,anna,ben
a,One.,1,1
a,Two.,0,0
a,Three.,1,0
a,Four.,0,0
b,Five.,1,1
b,Six.,0,1
b,Seven.,0,0
"""
TURNS = """dialogue,turn,speaker,utterance,anna,ben
d,1,A,Good morning to you.,0,0
d,2,B,I lost my card.,1,0
d,3,A,When was it used?,0,1
d,4,B,It was yesterday.,0,0
"""
read = text_reader("t.csv")


def positions(corpus: cz.Corpus) -> dict[tuple[str, str], tuple[int, ...]]:
    return {key: tuple(value.positions) for key, value in corpus.items()}


def choices(error: pytest.ExceptionInfo[AmbiguousFileError]) -> list[Any]:
    return [options for _, options in error.value.choices]


def test_every_text_begins_with_a_mark(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match="the first unit of every text is marked") as error:
        read(tmp_path, STARTS)
    assert choices(error) == [{"marks": "start"}, {"marks": "end"}]
    starts = read(tmp_path, STARTS, marks="start")
    assert positions(starts) == {("a", "anna"): (2,), ("a", "ben"): (), ("b", "anna"): (), ("b", "ben"): (1,)}
    ends = read(tmp_path, STARTS, marks="end")
    assert positions(ends) == {("a", "anna"): (1, 3), ("a", "ben"): (1,), ("b", "anna"): (1,), ("b", "ben"): (1, 2)}


@pytest.mark.parametrize("change", [("a,One.,1,1", "a,One.,1,0"), ("a,Four.,0,0", "a,Four.,0,1")])
def test_one_text_that_begins_or_ends_otherwise_decides(tmp_path: Path, change: tuple[str, str]) -> None:
    corpus = read(tmp_path, STARTS.replace(*change).replace("a,Three.,1,0", "a,Three.,1,1"))
    assert tuple(corpus["a", "anna"].positions) == (1, 3)


def test_one_text_is_not_enough(tmp_path: Path) -> None:
    corpus = read(tmp_path, "sentence,anna\nOne.,1\nTwo.,0\nThree.,1\nFour.,0\n")
    assert tuple(corpus["t", "anna"].positions) == (1, 3)
    assert any("--reading marks=start" in note for note in corpus.reading.notes)


def test_several_coders_of_one_text(tmp_path: Path) -> None:
    corpus = read(tmp_path, "sentence,anna,ben\nOne.,1,1\nTwo.,0,0\nThree.,1,0\nFour.,0,0\n")
    assert "--reading marks=start if it is at the first unit" in str(corpus.reading)
    assert tuple(corpus["t", "anna"].positions) == (1, 3)


@pytest.mark.parametrize("name", ["new_topic", "segment_start", "is_start", "topic shift", "NewSegment", "starts"])
def test_names_of_columns_with_starts(tmp_path: Path, name: str) -> None:
    rows = "a,anna,One.,0\na,anna,Two.,1\na,anna,Three.,0\na,ben,One.,0\na,ben,Two.,0\na,ben,Three.,1\n"
    corpus = read(tmp_path, f"doc,annotator,sentence,{name}\n{rows}")
    assert positions(corpus) == {("a", "anna"): (1,), ("a", "ben"): (2,)}
    assert f"a mark in {name} is at the first unit of a segment" in str(corpus.reading)
    assert tuple(read(tmp_path, f"doc,annotator,sentence,{name}\n{rows}", marks="end")["a", "anna"].positions) == (2,)


@pytest.mark.parametrize("name", ["Newman", "Beginner", "start_up"])
def test_names_of_coders_are_no_starts(tmp_path: Path, name: str) -> None:
    corpus = read(tmp_path, f"sentence,{name}\nOne.,0\nTwo.,1\nThree.,0\n")
    assert tuple(corpus["t", name].positions) == (2,)


def test_types_at_the_first_unit(tmp_path: Path) -> None:
    text = "sentence,anna\nOne.,act\nTwo.,\nThree.,scene\nFour.,\nFive.,act\nSix.,\n"
    assert read(tmp_path, text, marks="start")["t", "anna"].boundaries == ((2, "scene"), (4, "act"))
    assert read(tmp_path, text)["t", "anna"].boundaries == ((1, "act"), (3, "scene"), (5, "act"))


def test_a_table_that_could_be_misread_is_written_with_ends(tmp_path: Path) -> None:
    corpus = read(tmp_path, STARTS, marks="end")
    cz.write(corpus, tmp_path / "w.csv")
    assert positions(cz.read(tmp_path / "w.csv")) == positions(corpus)
    assert (tmp_path / "w.csv").read_text().splitlines()[4] == "a,4,Four.,1,1"


def test_turns_of_a_conversation_are_one_text(tmp_path: Path) -> None:
    corpus = read(tmp_path, TURNS)
    assert positions(corpus) == {("d", "anna"): (2,), ("d", "ben"): (3,)}
    assert "speaker (speaker of the unit)" in corpus.reading.ignored
    assert "the turns of all speakers are one text" in str(corpus.reading)
    streams = read(tmp_path, TURNS, fields="stream=speaker")["d", "anna"]
    assert {name: tuple(text.positions) for name, text in streams.items()} == {"A": (), "B": (1,)}


def test_conversation_of_words_is_ambiguous(tmp_path: Path) -> None:
    text = "speaker,token,anna,ben\nA,well,0,0\nA,yes,1,1\nB,no,0,0\nB,why,1,1\nA,so,0,0\nA,there,1,0\n"
    with pytest.raises(AmbiguousFileError, match="the rows may be one text") as error:
        read(tmp_path, text)
    assert choices(error) == [{"fields": {"ignore": "speaker"}}, {"fields": {"stream": "speaker"}}]
    assert tuple(read(tmp_path, text, fields="ignore=speaker")["t", "anna"].positions) == (2, 4)
    assert {*read(tmp_path, text, fields="stream=speaker")["t", "anna"]} == {"A", "B"}


def test_speakers_one_after_the_other_are_streams(tmp_path: Path) -> None:
    text = "speaker,token,anna\nA,well,0\nA,yes,1\nA,so,0\nB,no,0\nB,why,1\nB,then,0\n"
    corpus = read(tmp_path, text)
    assert {name: tuple(stream.positions) for name, stream in corpus["t", "anna"].items()} == {"A": (2,), "B": (2,)}
    assert "each speaker is a stream" in str(corpus.reading)


def test_one_speaker_is_no_stream(tmp_path: Path) -> None:
    corpus = read(
        tmp_path, "doc,speaker,sentence,anna\na,A,One.,0\na,A,Two.,1\na,A,Three.,0\nb,B,Four.,0\nb,B,Five.,1\n"
    )
    assert positions(corpus) == {("a", "anna"): (2,), ("b", "anna"): ()}


def test_speaker_of_segments_is_their_label(tmp_path: Path) -> None:
    corpus = read(tmp_path, "recording,speaker,start,end\nr,A,0,2.5\nr,B,2.5,4\nr,A,4,7.25\n")
    assert corpus.reading.roles["speaker"] == "label"
    assert [span.category for span in corpus["r", "t"].spans] == ["A", "B", "A"]


def test_a_mark_at_the_last_unit_of_some_texts_is_mentioned(tmp_path: Path) -> None:
    """It is no boundary, and it may be a sign that marks are at the first unit of a segment."""
    path = tmp_path / "t.csv"
    path.write_text("text,ann,bo\na,0,0\nb,1,1\nc,0,0\nd,0,1\n")
    assert "some texts have a mark at the last unit" in str(cz.read(path).reading)
    path.write_text("text,ann,bo\na,0,0\nb,1,1\nc,0,0\nd,1,1\n")
    assert "last unit" not in str(cz.read(path).reading)


def test_single_units_can_be_written_and_read(tmp_path: Path) -> None:
    """A 1 at every unit but the last may be read in two ways, but no one marks the first unit of such segments."""
    single = cz.Segmentation.from_positions(3, [1, 2])
    corpus = cz.Corpus({"x": {"ann": single}, "y": {"ann": single}})
    cz.write(corpus, tmp_path / "t.csv", "table-csv")
    assert cz.read(tmp_path / "t.csv", "table-csv") == corpus
