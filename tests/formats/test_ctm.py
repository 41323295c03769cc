"""Times of words, one line per word."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Segmentation, Tier
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats.ctm import word_times
from support.files import file_writer

CTM = """;; by hand
talk1 1 0.10 0.20 good 0.98
talk1 1 0.30 0.45 night

talk2 A 1.5 .25 ə́
talk1 1 1.00 1e-1 moon -0.5
"""
write_file = file_writer("asr.ctm")


def test_recordings_are_items(tmp_path: Path) -> None:
    tier = Tier([(0.1, 0.3, "good"), (0.3, 0.75, "night"), (1.0, 1.1, "moon")])
    two = Tier([(1.5, 1.75, "ə́")])
    assert cz.read(write_file(tmp_path, CTM), units="times") == Corpus({"talk1": {"asr": tier}, "talk2": {"asr": two}})
    assert cz.read(write_file(tmp_path, CTM.replace("\n", "\r\n")), units="times", coder="x").coders == ("x",)
    assert cz.read(write_file(tmp_path, CTM, "noname"), format="ctm", units="times").coders == ("noname",)
    assert cz.read(write_file(tmp_path, CTM, "words.out"), units="times").item_names == (
        "talk1",
        "talk2",
    )  # by its content


def test_the_sum_of_decimals_is_exact(tmp_path: Path) -> None:
    """0.1 + 0.2 must equal 0.3, because the next word starts there."""
    words, moved = word_times(write_file(tmp_path, CTM))
    assert words["talk1"] == [("good", 0.1, 0.3), ("night", 0.3, 0.75), ("moon", 1.0, 1.1)]
    assert (words["talk2"], moved) == ([("ə́", 1.5, 1.75)], 0)
    assert 0.1 + 0.2 != 0.3
    many = "".join(f"t 1 {i / 100:.2f} 0.01 w{i}\n" for i in range(500))
    rows = word_times(write_file(tmp_path, many))[0]["t"]
    assert all(a[2] == b[1] for a, b in itertools.pairwise(rows))


def test_channels_are_separate_items(tmp_path: Path) -> None:
    path = write_file(tmp_path, "t A 0 1 a\nt B 0.5 1 b\nt A 1 1 c\n")
    assert word_times(path)[0] == {"t/A": [("a", 0, 1), ("c", 1, 2)], "t/B": [("b", 0.5, 1.5)]}
    with pytest.raises(FormatError, match=r":3: recordings must differ in name; got 't/A' again"):
        word_times(write_file(tmp_path, "t A 0 1 a\nt B 0 1 b\nt/A 1 0 1 c\n"))


def test_overlaps(tmp_path: Path) -> None:
    path = write_file(tmp_path, "t 1 0 0.50004 a\nt 1 0.5 0.5 b\n")
    words, moved = word_times(path)
    assert (words["t"][0][2], words["t"][1][1], moved) == (0.50002, 0.50002, 1)
    with pytest.warns(CaesuraWarning, match="1 edge between neighbours differed by 0.0001 s or less and moved"):
        cz.read(path, units="times")
    message = r"asr\.ctm:2: intervals must follow each other; 'b' starts at 0\.5 s, before 'a' ends at 0\.50004 s"
    for snap in (0, 1e-5):
        with pytest.raises(FormatError, match=message):
            word_times(path, snap=snap)
        with pytest.raises(FormatError, match=message):
            cz.read(path, units="times", snap=snap)
    with pytest.raises(FormatError, match=":2: an interval must be longer than snap, 1 s, to be moved by it"):
        word_times(write_file(tmp_path, "t 1 0.5 0.2 a\nt 1 0.1 0.2 b\n"), snap=1)


def test_two_aligners_share_their_units(tmp_path: Path) -> None:
    # one  |-- a --|-- b --|       0.50 and 0.52 are one boundary
    # two  |--- a ---|- b -|
    first = write_file(tmp_path, "t 1 0 0.50 a\nt 1 0.50 0.5 b\n", "one.ctm")
    two = write_file(tmp_path, "t 1 0 0.52 a\nt 1 0.52 0.48 b\n", "two.ctm")
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        corpus = cz.read_coders([first, two], units="union")
    both = Segmentation.from_positions(2, [1, 2], marks=["a", "b"], units=["0-0.5 s", "0.5-1 s"])
    assert corpus == Corpus({"t": dict.fromkeys(("one", "two"), both)})
    steps = cz.read_coders([first, two], units=0.01, labels="ignore")
    assert [list(s.masses) for s in steps.of_item("t").values()] == [[50, 50], [52, 48]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("t 1 0 1", "a line is recording, channel, start, duration, word and an optional confidence; got 4 columns"),
        ("t 1 0 1 a 0.5 x", "a line is recording, .* got 7 columns"),
        ("t 1 * * <ALT_BEGIN>", r"start must be a number below 1e\+09; got '\*'"),
        ("t 1 0 nan a", "duration must be a number below"),
        ("t 1 0 1e999 a", "duration must be a number below"),
        ("t 1 1_0 1 a", "start must be a number below"),
        (f"t 1 0 {'9' * 5000} a", "duration must be a number below"),
        ("t 1 0 1 a high", "confidence must be a number below .* got 'high'"),
        ("t 1 0 0.00 a", "'a' must start at 0 or later and have a duration; got start 0, duration 0.00"),
        ("t 1 -1 2 a", "'a' must start at 0 or later and have a duration; got start -1, duration 2"),
        ("t 1 5 1e-30 a", r"interval end must be > start; got 5 <= 5"),
    ],
)
def test_invalid_files(tmp_path: Path, line: str, message: str) -> None:
    path = write_file(tmp_path, f";; x\nt 1 0 0.5 b\n{line}\n")
    # Words of zero length are read. The tree decides whether to accept them.
    short = "0.00" in line or "1e-30" in line
    for read in (lambda path: cz.read(path, units="times"), *(() if short else (word_times,))):
        with pytest.raises(FormatError, match=rf"asr\.ctm:3: {message}"):
            read(path)


def test_a_file_without_words(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected at least one word; got none"):
        cz.read(write_file(tmp_path, ";; nothing\n"))
