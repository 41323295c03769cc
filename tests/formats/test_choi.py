"""Text with separators between segments: Choi's, other markers, blank lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError, OptionError
from support.corpora import round_trip_or_refuse
from support.examples import examples
from support.files import file_writer, refusal

SAMPLE = """==========
The river ran .
Through caverns .
==========
A damsel .
With a dulcimer .
In a vision .
==========
Five miles .
==========
"""
put = file_writer("t.txt")


def test_a_line_is_a_unit(tmp_path: Path) -> None:
    # river caverns | damsel dulcimer vision | miles
    segmentation = cz.read(put(tmp_path, SAMPLE))["t", "t"]
    assert segmentation.masses == (2, 3, 1)
    assert segmentation.units[2] == "A damsel ."
    assert cz.read(put(tmp_path, SAMPLE, "0.ref"))["0", "0"] == segmentation


def test_a_word_is_a_unit(tmp_path: Path) -> None:
    segmentation = cz.read(put(tmp_path, SAMPLE), unit="word")["t", "t"]
    segments = [part.split() for part in SAMPLE.split("==========\n") if part]
    assert segmentation.masses == tuple(len(part) for part in segments) == (7, 11, 3)
    assert segmentation.units == tuple(word for part in segments for word in part)


def test_outer_separators_and_layout_are_ignored(tmp_path: Path) -> None:
    bare = SAMPLE.removeprefix("==========\n").removesuffix("==========\n")
    for content in (
        bare,
        SAMPLE.replace("\n", "\r\n"),
        SAMPLE.replace("\n", "\r"),
        f"{SAMPLE} \n\n",
        SAMPLE.replace("\n", "  \n"),
        "\ufeff" + SAMPLE,
    ):
        assert cz.read(put(tmp_path, content), "choi")["t", "t"] == cz.read(put(tmp_path, SAMPLE), "choi")["t", "t"]


def test_blank_lines_separate(tmp_path: Path) -> None:
    path = put(tmp_path, "\none\ntwo words\n\n \nthree\n\n")
    segmentation = cz.read(path, "marked-text")["t", "t"]
    assert (segmentation.masses, segmentation.units) == ((2, 1), ("one", "two words", "three"))
    assert cz.read(path, "marked-text", unit="word")["t", "t"].masses == (3, 1)
    assert cz.read(path, "choi", marker="")["t", "t"] == segmentation


def test_another_marker_and_names(tmp_path: Path) -> None:
    path = put(tmp_path, "a\n***\nb\nc\n")
    assert cz.read(path, "marked-text", marker="***", item="poem", coder="ann")["poem", "ann"].masses == (1, 2)


@pytest.mark.parametrize("content", ["Plain text, with a comma.\n\nAnd more.\n", "= heading =\n=====\ntext\n"])
def test_plain_text_is_not_detected(content: str, tmp_path: Path) -> None:
    error = refusal(cz.read, put(tmp_path, content))
    hint = "marked-text for blank lines between segments, segment-lines for one segment per line, or one of "
    assert error.problem.startswith(f"the format was not recognised; choose it with format: {hint}")


MARK = "==========\n"
BAD = {
    "no separator": (
        "a\nb\n",
        {},
        1,
        "expected lines of ========== between segments; got none; name another separator with marker=, read blank lines "
        "as separators with marker='', or one segment per line with format='segment-lines'",
    ),
    "blank": (f"{MARK}a\n\nb\n{MARK}", {}, 3, "a line is empty; if blank lines separate segments, read with marker=''"),
    "nothing": ("==========\n", {}, 1, "expected at least one line; got separators only"),
    "no word": ("==========\n", {"unit": "word"}, 1, "expected at least one word; got separators only"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, options, line, message = BAD[name]
    error = refusal(cz.read, put(tmp_path, content), "choi", **options)
    assert (error.line, error.problem) == (line, message)


def test_empty_segments_are_left_out(tmp_path: Path) -> None:
    marker = "==========\n"
    for content, count, line in (
        (f"a\n{marker}{marker}b\nc\n", "1 empty segment", 3),
        (f"{marker}{marker}a\n{marker}{marker} {marker}b\nc\n{marker}", "3 empty segments", 2),
    ):
        corpus = cz.read(put(tmp_path, content, "1.ref"))
        assert corpus["1", "1"].masses == (1, 2)
        note = f"{count} between two lines of ========== left out (first before line {line})"
        assert corpus.reading.notes == (note,)


def test_a_text_without_separators(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected lines of ========== between segments; got none"):
        cz.read(put(tmp_path, "a\nb\n", "1.ref"))
    corpus = cz.read(put(tmp_path, "a\nb\n"), "marked-text")
    assert corpus["t", "t"].masses == (2,)
    assert corpus.reading.notes == ("no blank line: the whole text is one segment",)


@pytest.mark.parametrize("marker", [" x", "a\nb", 3])
def test_a_marker_is_a_line(marker: object, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="marker must be a line without white space around it"):
        cz.read(put(tmp_path, "a\n"), "choi", marker=marker)


# -- writing ----------------------------------------------------------------------------------------------------------

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
masses = st.lists(st.integers(1, 3), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("choi")


@examples(100)
@given(
    data=st.data(),
    sizes=masses,
    unit=st.sampled_from(["line", "word"]),
    marker=st.sampled_from(["==========", "", "#"]),
)
def test_round_trip_or_error(data: st.DataObject, sizes: list[int], unit: str, marker: str, folder: Path) -> None:
    text = st.text(characters, max_size=6) | st.sampled_from(["#", "==========", "Ἀλφ", "a b", "\ufeffa"])
    units = data.draw(st.lists(text, min_size=sum(sizes), max_size=sum(sizes)))
    corpus = cz.Corpus({"t": {"t": cz.Segmentation.from_masses(sizes, units=units)}})
    path = folder / "t.txt"
    options = {"unit": unit, "marker": marker}
    whole = all(
        unit.strip() == unit != "" and not {"\n", "\r"} & {*unit} and unit != marker and unit[0] != "\ufeff"
        for unit in units
    )
    tokens = whole and all(unit.split() == [unit] for unit in units)
    round_trip_or_refuse(corpus, path, "marked-text", sure=tokens if unit == "word" else whole, **options)


def test_content_of_written_files(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLE)
    corpus = cz.read(path)
    cz.write(corpus, path, "choi")
    assert path.read_text() == SAMPLE


REFUSED = {
    "typed": (cz.Segmentation.from_marks(["a", ""], units="xy"), "cannot store boundary types; write a .csv table"),
    "no text": (cz.Segmentation.from_masses([1]), "this format needs the text of the units"),
    "labels": (cz.Segmentation.from_labels("AB", units="xy"), "cannot store segment labels"),
    "marker": (
        cz.Segmentation.from_masses([1, 1], units=["a", "=========="]),
        "unit 2, '==========', would be read as nothing",
    ),
    "two lines": (cz.Segmentation.from_masses([1], units=["a\nb"]), r"unit 1, 'a\\nb', would be read as 'a'"),
    "stream": (cz.Dialogue({"F": cz.Segmentation.from_masses([1], units="x")}), "cannot store streams"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_segmentations_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    segmentation, message = REFUSED[name]
    with pytest.raises(FormatError, match=message):
        cz.write(cz.Corpus({"t": {"t": segmentation}}), tmp_path / "t.ref")
    assert not (tmp_path / "t.ref").exists()


def test_the_file_names_item_and_coder(tmp_path: Path) -> None:
    segmentation = cz.Segmentation.from_masses([1, 1], units="xy")
    corpus = cz.Corpus({"poem": {"ann": segmentation}})
    message = "the file names the item: 'poem' would be read as 't'; rename the file, or set item='poem'"
    with pytest.raises(FormatError, match=message):
        cz.write(corpus, tmp_path / "t.ref")
    cz.write(corpus, tmp_path / "t.ref", item="poem", coder="ann")
    assert cz.read(tmp_path / "t.ref", item="poem", coder="ann") == corpus
    with pytest.raises(FormatError, match="this format stores one coder; choose one of ann, bo"):
        cz.write(cz.Corpus({"t": {"ann": segmentation, "bo": segmentation}}), tmp_path / "t.ref")
