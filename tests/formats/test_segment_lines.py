"""Text with one segment per line and words as units."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Segmentation
from caesura.errors import FormatError
from caesura.formats import detect
from support.corpora import round_trip_or_refuse
from support.examples import examples
from support.files import file_writer

TEXT = "  Good night , moon ,\r\n because it is late .\r\n\r\nYes .\r\n"
write_file = file_writer("a.edus")


def test_lines_are_segments(tmp_path: Path) -> None:
    path = write_file(tmp_path, TEXT)
    assert detect(path).name == "segment-lines"
    corpus = cz.read(path)
    assert list(corpus) == [("a", "a")]
    segmentation = corpus["a", "a"]
    assert isinstance(segmentation, Segmentation)
    assert segmentation == Segmentation.from_masses([5, 5, 2], units=TEXT.split())
    assert corpus.reading.notes == ("each line is a segment, and its words are the units",)
    assert corpus.reading.ignored == ("1 blank line (not a segment)",)
    assert cz.read(write_file(tmp_path, TEXT, "a.txt"), "segment-lines", item="x", coder="y")["x", "y"] == segmentation


def test_coders_in_folders(tmp_path: Path) -> None:
    for coder in ("ann", "bo"):
        (tmp_path / coder).mkdir()
        write_file(tmp_path / coder, TEXT, "wsj_1.edus")
        write_file(tmp_path / coder, TEXT, "wsj_2.edus")
    corpus = cz.read(tmp_path)
    assert (corpus.item_names, corpus.coders) == (("wsj_1", "wsj_2"), ("ann", "bo"))


def test_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.edus"
    with pytest.raises(FormatError, match="the file is empty"):
        cz.read(write_file(tmp_path, " \n\n"))
    with pytest.raises(FormatError, match="cannot store boundary types"):
        cz.write(Corpus({"a": {"a": Segmentation.from_marks([".", ""], units=["x", "y"])}}), path)
    with pytest.raises(FormatError, match="needs the text of the units"):
        cz.write(Corpus({"a": {"a": Segmentation.from_masses([1, 2])}}), path)


@examples(50)
@given(st.lists(st.lists(st.sampled_from(["a", "é", ".", "a b", ""]), min_size=1), min_size=1, max_size=5))
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, segments: list[list[str]]) -> None:
    units = [word for words in segments for word in words]
    corpus = Corpus({"a": {"a": Segmentation.from_masses([*map(len, segments)], units=units)}})
    path = tmp_path_factory.mktemp("trip") / "a.edus"
    round_trip_or_refuse(corpus, path, sure="a b" not in units and "" not in units)
