"""Annotations of music: .lab files, and SALAMI's lists of start times."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import FormatError, OptionError

UPPER = "0.0 10.5 A\n10.5\t20 B part two\n"
LOWER = "# by hand\n\n0 5 a\n5 10.5 b\n10.5 20\n"


def test_one_level(tmp_path: Path) -> None:
    path = tmp_path / "song.lab"
    path.write_text(UPPER)
    assert cz.read(path)["song", "song"] == Hierarchy.from_times([(0, 10.5, 1, "A"), (10.5, 20, 1, "B part two")])
    hierarchy = cz.read(path, item="s", coder="ann", duration=30)["s", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0, 10.5, 20, 30)


def test_two_levels_from_two_files(tmp_path: Path) -> None:
    (tmp_path / "upper.lab").write_text(UPPER)
    (tmp_path / "lower.lab").write_text(LOWER)
    hierarchy = cz.read(tmp_path / "upper.lab", item="s", coder="ann", deeper=tmp_path / "lower.lab")["s", "ann"]
    assert hierarchy == Hierarchy.from_times(
        [(0, 10.5, 1, "A"), (10.5, 20, 1, "B part two"), (0, 5, 2, "a"), (5, 10.5, 2, "b"), (10.5, 20, 2)]
    )
    (tmp_path / "lower.lab").write_text("0 five a\n")
    with pytest.raises(FormatError, match=r"lower\.lab:1: end must be a time in seconds"):
        cz.read(tmp_path / "upper.lab", deeper=[tmp_path / "lower.lab"])
    with pytest.raises(OptionError, match="deeper must be a file or a list of files; got 3"):
        cz.read(tmp_path / "upper.lab", deeper=3)


def test_one_file_per_coder(tmp_path: Path) -> None:
    for coder in ("ann", "bo"):
        (tmp_path / f"song_{coder}.lab").write_text(UPPER)
    corpus = cz.read_coders({coder: tmp_path / f"song_{coder}.lab" for coder in ("ann", "bo")})
    assert (corpus.item_names, corpus.coders) == (("song",), ("ann", "bo"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0 1 A\n5\n", ":2: a line is start, end and label; got '5'"),
        ("0 1 A\n1 nan B\n", ":2: end must be a time in seconds from 0 to 1e.12; got 'nan'"),
        ("-1 1 A\n", ":1: start must be a time in seconds from 0 to 1e.12; got -1.0"),
        ("0 1e999 A\n", ":1: end must be a time in seconds from 0 to 1e.12; got inf"),
        (f"0 {'9' * 5000} A\n", ":1: end must be a time in seconds from 0 to 1e.12; got '999"),
        ("# nothing\n", "expected at least one span longer than 0 s, or a duration; got none"),
    ],
)
def test_invalid_files(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "t.lab").write_text(lines)
    with pytest.raises(FormatError, match=message):
        cz.read(tmp_path / "t.lab")


# upper |Silence|-- A --|-- B --|
# lower |Silence|-a-|-b-|-- c --|
SALAMI = "0.000\tSilence\n1.500\tA, a, Intro, (voice\n4.000\tb, voice)\n7.250\tB, c\n9.000\tEnd\n"


def test_a_segment_ends_where_the_next_of_its_level_begins(tmp_path: Path) -> None:
    (tmp_path / "17_textfile2.txt").write_text(SALAMI)
    corpus = cz.read(tmp_path / "17_textfile2.txt")
    assert corpus["17", "textfile2"] == Hierarchy.from_times(
        [
            (0, 1.5, 1, "Silence"),
            (1.5, 7.25, 1, "A"),
            (7.25, 9, 1, "B"),
            (0, 1.5, 2, "Silence"),
            (1.5, 4, 2, "a"),
            (4, 7.25, 2, "b"),
            (7.25, 9, 2, "c"),
        ]
    )
    (tmp_path / "17").mkdir()
    (tmp_path / "17" / "textfile2.txt").write_text(SALAMI)  # as SALAMI has it
    assert cz.read(tmp_path / "17" / "textfile2.txt") == corpus


def test_lines_after_the_end_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "1_textfile1.txt").write_text(SALAMI + "10.0\tC\n")
    with pytest.raises(FormatError, match=":6: End must be the last time, 9; got 10 after it"):
        cz.read(tmp_path / "1_textfile1.txt")
    (tmp_path / "1_textfile1.txt").write_text(SALAMI)
    corpus = cz.read(tmp_path / "1_textfile1.txt")
    (tmp_path / "1_textfile1.txt").write_text(SALAMI + "9.000\tSilence\n9.0\tend\n")
    ended = cz.read(tmp_path / "1_textfile1.txt")
    assert ended == corpus
    assert "2 lines after End (at the same time)" in ended.reading.ignored


def test_a_lower_segment_ends_where_an_upper_segment_begins(tmp_path: Path) -> None:
    """As in most files with Z, which has no small letter of its own."""
    (tmp_path / "7_textfile1.txt").write_text("0.0\tSilence\n1.0\tA, a, Intro\n4.0\tb\n7.5\tZ\n9.0\tB, c\n12.0\tEnd\n")
    corpus = cz.read(tmp_path / "7_textfile1.txt")
    upper = [(0, 1, 1, "Silence"), (1, 7.5, 1, "A"), (7.5, 9, 1, "Z"), (9, 12, 1, "B")]
    lower = [(0, 1, 2, "Silence"), (1, 4, 2, "a"), (4, 7.5, 2, "b"), (9, 12, 2, "c")]
    assert corpus["7", "textfile1"] == Hierarchy.from_times([*upper, *lower])
    expected = {"capital letters": "segments of level 1", "small letters": "segments of level 2"}
    assert dict(corpus.reading.roles) == expected
    assert corpus.reading.ignored == ("1 word such as Intro (functions and instruments)",)


PARSED = {
    "uppercase": ("0.0\tSilence\n0.5\tA\n4.0\tB'\n9.0\tEnd\n9.0\tSilence", ["Silence", "A", "B'"]),
    "lowercase": ("0.0\tSilence\n0.5\ta\n4.0\tb'\n9.0\tEnd", ["Silence", "a", "b'"]),
    "functions": ("0.0\tSilence\n0.5\tIntro\n4.0\tno_function\n9.0\tEnd", ["Silence", "Intro", "no_function"]),
}


@pytest.mark.parametrize("layer", PARSED)
def test_parsed_files_have_one_level(layer: str, tmp_path: Path) -> None:
    text, labels = PARSED[layer]
    path = tmp_path / "1001" / "parsed" / f"textfile2_{layer}.txt"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    times = [(0, 0.5), (0.5, 4), (4, 9)]
    expected = Hierarchy.from_times([(*time, 1, label) for time, label in zip(times, labels, strict=True)])
    assert cz.read(path)["1001", "textfile2"] == expected


def test_levels_that_do_not_nest(tmp_path: Path) -> None:
    (tmp_path / "upper.lab").write_text("0 10 A\n10 20 B\n")
    (tmp_path / "lower.lab").write_text("0 12 a\n12 20 b\n")
    with pytest.raises(FormatError, match="cross; each coder's own spans must nest"):
        cz.read(tmp_path / "upper.lab", deeper=tmp_path / "lower.lab")
    corpus = cz.read(tmp_path / "upper.lab", deeper=tmp_path / "lower.lab", nested=False)
    hierarchy = corpus["upper", "upper"]
    assert isinstance(hierarchy, Hierarchy)
    assert len(hierarchy) == 4
    assert "the levels do not nest; only t_measure and l_measure can compare them" in corpus.reading.notes[0]
    assert cz.t_measure(hierarchy, hierarchy).value == 1
