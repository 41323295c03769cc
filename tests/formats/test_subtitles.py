"""Subtitles: every cue is read or the file is refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.cli import main
from caesura.errors import FormatError
from support.corpora import round_trip_or_refuse
from support.examples import examples
from support.files import file_writer, refusal

write_file = file_writer("film.srt")


SRT = """1
00:00:00,500 --> 00:00:07,000
<i>In Xanadu</i> did
{\\an8}Kubla <font color="#fff">Khan</font>

7
0:00:07.000 --> 00:00:11,890  X1:40 X2:600 Y1:20 Y2:50
a <3 & stately
"""

VTT = """WEBVTT - a poem
Kind: captions

NOTE
nobody reads this

STYLE
::cue { color: red }

REGION
id:fred

first
00:00.500 --> 01:00:07.000 align:start position:0%
<v.loud Ann>In Xanadu</v> did
<00:00:01.000><c.red>Kubla</c> <lang en>Khan</lang>

NOTE between cues

00:07.000 --> 00:11.890
R&amp;D &lt;i&gt; Q&A&nbsp;x
"""


def test_lines_and_cues_of_srt(tmp_path: Path) -> None:
    # In Xanadu did / Kubla Khan // a <3 & stately //
    segmentation = cz.read(write_file(tmp_path, SRT, "t.srt"))["t", "t"]
    assert segmentation.units == ("In", "Xanadu", "did", "Kubla", "Khan", "a", "<3", "&", "stately")
    assert segmentation.boundaries == ((3, "line"), (5, "block"), (9, "block"))
    assert segmentation.types == ("line", "block")
    assert cz.read(write_file(tmp_path, SRT, "t.txt"))["t", "t"] == segmentation


def test_lines_and_cues_of_vtt(tmp_path: Path) -> None:
    segmentation = cz.read(write_file(tmp_path, VTT, "t.vtt"))["t", "t"]
    assert segmentation.units == ("In", "Xanadu", "did", "Kubla", "Khan", "R&D", "<i>", "Q&A", "x")
    assert segmentation.boundaries == ((3, "line"), (5, "block"), (9, "block"))
    for content in ("\ufeff" + VTT, VTT.replace("\n", "\r\n"), VTT.replace("\n", "\r"), VTT.replace("\n\n", "\n\n\n")):
        assert cz.read(write_file(tmp_path, content, "t.vtt"))["t", "t"] == segmentation


CUE = "00:00:01,000 --> 00:00:02,000\n"
TIMES = "a cue must have times like 00:00:01,000 --> 00:00:02,000; got "
VTT_CUE = CUE.replace(",", ".")
VTT_TIMES = "a cue must have times like 00:01.000 --> 00:02.000; got "
TAG = "a tag must be like <i> or <v Name>, and any other < is &lt;"
NO_ARROW = "must not contain -->; put a blank line"
BAD = {
    "number.srt": (f"{CUE}a\n", 1, "a cue must begin with its number; got '00:00:01,000 --> 00:00:02,000'"),
    "inside.srt": (f"1\n{CUE}a\n\nb\n", 5, "a cue must begin with its number; got 'b'"),
    "rising.srt": (f"2\n{CUE}a\n\n2\n{CUE}a\n", 5, "the numbers of cues must increase; got 2 after 2"),
    "alone.srt": (f"1\n{CUE}a\n\n2\n", 5, f"{TIMES}''"),
    "minute.srt": ("1\n00:61:01,000 --> 00:62:02,000\na\n", 2, f"{TIMES}'00:61:01,000 --> 00:62:02,000'"),
    "arrow.srt": ("1\n00:00:01,000 -> 00:00:02,000\na\n", 2, f"{TIMES}'00:00:01,000 -> 00:00:02,000'"),
    "digits.srt": ("1\n00:00:01,0٣0 --> 00:00:02,000\na\n", 2, f"{TIMES}'00:00:01,0٣0 --> 00:00:02,000'"),
    "back.srt": (
        "1\n00:00:03,000 --> 00:00:02,000\na\n",
        2,
        "a cue must not end before it starts; got '00:00:03,000 --> 00:00:02,000'",
    ),
    "silent.srt": (f"1\n{CUE}\n2\n{CUE}b\n", 2, "a cue must have a text; got none"),
    "tags.srt": (f"1\n{CUE}a\n<i> </i>\n", 4, "a line must have a word; got '<i> </i>'"),
    "lost.srt": (
        f"1\n{CUE}a\n2\n{CUE}b\n",
        5,
        f"the text of a cue {NO_ARROW} before the next cue; got '{CUE.strip()}'",
    ),
    "sbv.sbv": (
        "0:00:00.378,0:00:11.378\na\n",
        1,
        "subtitles must be .srt or .vtt; these are YouTube's .sbv; save them as .srt or .vtt",
    ),
    "head.vtt": (f"{VTT_CUE}a\n", 1, "the file must begin with WEBVTT; got '00:00:01.000 --> 00:00:02.000'"),
    "webvttx.vtt": (f"WEBVTTX\n\n{VTT_CUE}a\n", 1, "the file must begin with WEBVTT; got 'WEBVTTX'"),
    "header.vtt": (f"WEBVTT\n{VTT_CUE}a\n", 2, f"the header {NO_ARROW} before the first cue; got '{VTT_CUE.strip()}'"),
    "comma.vtt": (f"WEBVTT\n\n{CUE}a\n", 3, f"{VTT_TIMES}'00:00:01,000 --> 00:00:02,000'"),
    "setting.vtt": ("WEBVTT\n\n00:01.000 --> 00:02.000 bold\na\n", 3, f"{VTT_TIMES}'00:01.000 --> 00:02.000 bold'"),
    "untimed.vtt": ("WEBVTT\n\nhello\nworld\n", 4, f"{VTT_TIMES}'world'"),
    "note.vtt": (f"WEBVTT\n\nNOTE x\n{VTT_CUE}a\n", 4, f"NOTE {NO_ARROW} after it; got '{VTT_CUE.strip()}'"),
    "style.vtt": (f"WEBVTT\n\n{VTT_CUE}a\n\nSTYLE\nx\n", 6, "STYLE must be before the first cue; got it after a cue"),
    "open.vtt": (f"WEBVTT\n\n{VTT_CUE}a\nb <i c\n", 5, f"{TAG}; got '<i c'"),
    "none.vtt": ("WEBVTT\n\nNOTE a\n", None, "expected at least one cue; got none"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, line, message = BAD[name]
    error = refusal(cz.read, write_file(tmp_path, content, name))
    assert (error.line, error.problem) == (line, message)


@pytest.mark.parametrize("unit", ["<font ", "{\\", "<", "</", "&", "<a", "\t", "<00:", "{\\}", "1:"])
@pytest.mark.parametrize("head", ["t.srt", "t.vtt"])
def test_a_long_line_does_not_hang(unit: str, head: str, tmp_path: Path) -> None:
    start = "1\n" + CUE if head == "t.srt" else "WEBVTT\n\n" + VTT_CUE
    for content in (start + "x" + unit * 100_000, start.rstrip("\n") + " " + unit * 100_000, unit * 100_000):
        with suppress(FormatError):
            cz.read(write_file(tmp_path, content, head))


# -- writing ----------------------------------------------------------------------------------------------------------


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
    hard = st.sampled_from(["-->", "<i>", "<font", "x>", "{\\an8}", "&amp;", "NOTE", "1", "Ἀλφ", "河床", "<", "\ufeff"])
    units = draw(st.lists(texts | hard, min_size=1, max_size=8))
    marks = draw(st.lists(st.sampled_from(["", "line", "block"]), min_size=len(units) - 1, max_size=len(units) - 1))
    return cz.Corpus({"t": {"t": cz.Segmentation.from_marks([*marks, "block"], types=["line", "block"], units=units)}})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("subtitles")


@examples(100)
@given(corpus=corpora(), name=st.sampled_from(["t.srt", "t.vtt"]))
def test_round_trip_or_error(corpus: cz.Corpus, name: str, folder: Path) -> None:
    units = corpus["t", "t"].units
    # Any text without white space. For .srt, which has no escapes, also without brackets and arrows.
    sure = all(unit.split() == [unit] and (name == "t.vtt" or not {*"<>{}"} & {*unit}) for unit in units)
    round_trip_or_refuse(corpus, folder / name, sure=sure)


def test_one_second_per_word(tmp_path: Path) -> None:
    segmentation = cz.Segmentation.from_marks(
        ["", "line", "block", "block"], types=["line", "block"], units=["a", "b", "c", "d"]
    )
    corpus = cz.Corpus({"t": {"t": segmentation}})
    cz.write(corpus, tmp_path / "t.srt")
    expected = "1\n00:00:00,000 --> 00:00:03,000\na b\nc\n\n2\n00:00:03,000 --> 00:00:04,000\nd\n\n"
    assert (tmp_path / "t.srt").read_text() == expected
    cz.write(corpus, tmp_path / "t.vtt")
    expected = "WEBVTT\n\n00:00:00.000 --> 00:00:03.000\na b\nc\n\n00:00:03.000 --> 00:00:04.000\nd\n\n"
    assert (tmp_path / "t.vtt").read_text() == expected


def marked(*marks: str, types: tuple[str, ...] = ("line", "block"), units: list[str] | None = None) -> cz.Segmentation:
    return cz.Segmentation.from_marks(marks, types=types, units=units or ["x"] * len(marks))


REFUSED = {
    "other types": (marked("a", types=("a",)), "the types must be 'line' and 'block', in this order; got 'a'"),
    "other order": (marked("line", types=("block", "line")), "in this order; got 'block', 'line'"),
    "open end": (marked("line", ""), "must end in a boundary of type 'block'; these do not"),
    "line end": (marked("line", "line"), "must end in a boundary of type 'block'; these do not"),
    "both": (
        cz.Segmentation.from_positions(1, [1], marks=[["line", "block"]], types=["line", "block"], units=["x"]),
        "this format stores one type per position; got several",
    ),
    "space": (marked("block", units=["a b"]), "unit 1, 'a b', would be read as 'a'"),
    "tag": (marked("", "block", units=["a", "<i>"]), "unit 2, '<i>', would be read as nothing"),
    "joined tag": (marked("", "", "block", units=["<font", "x>", "a"]), "unit 1, '<font', would be read as"),
    "arrow": (marked("block", units=["-->"]), "cannot store the text: the text of a cue must not contain -->"),
    "no text": (cz.Segmentation.from_masses([2]), "this format needs the text of the units"),
    "surrogate": (marked("block", units=["\ud800"]), "text in UTF-8 cannot contain half a surrogate pair"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_corpora_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    segmentation, message = REFUSED[name]
    with pytest.raises(FormatError, match=message):
        cz.write(cz.Corpus({"t": {"t": segmentation}}), tmp_path / "t.srt")
    assert not (tmp_path / "t.srt").exists()


def test_convert_names_the_item_after_the_file(tmp_path: Path) -> None:
    cz.write(cz.Corpus({"poem": {"ann": marked("", "block")}}), tmp_path / "in.csv")
    done = CliRunner().invoke(main, ["convert", str(tmp_path / "in.csv"), str(tmp_path / "out.vtt")])
    assert done.exit_code == 0, done.output
    assert "item 'poem' is called 'out'" in done.output
    assert cz.read(tmp_path / "out.vtt") == cz.Corpus({"out": {"out": marked("", "block")}})


# -- times ------------------------------------------------------------------------------------------------------------

CUES = "1\n00:00:01,000 --> 00:00:02,500\nGood night\nmoon\n\n2\n00:01:00,000 --> 01:00:00,250\nGood night\n"


@pytest.mark.parametrize("name", ["film.srt", "film.vtt"])
def test_cues_as_segments_in_seconds(tmp_path: Path, name: str) -> None:
    content = CUES if name.endswith("srt") else "WEBVTT\n\n" + CUES.replace(",", ".")
    path = write_file(tmp_path, content, name)
    tier = cz.read(path, units="times")["film", "film"]
    assert isinstance(tier, cz.Tier)
    assert [tuple(row) for row in tier.intervals] == [(1.0, 2.5, "Good night moon"), (60.0, 3600.25, "Good night")]
    assert (tier.begin, tier.end) == (0.0, 3600.25)
    assert cz.read(path, units="times", duration=4000)["film", "film"].end == 4000
    assert isinstance(cz.read(path)["film", "film"], cz.Segmentation)


def test_cues_must_not_overlap(tmp_path: Path) -> None:
    path = write_file(tmp_path, CUES.replace("00:01:00,000", "00:00:02,000"), "film.srt")
    message = r"film.srt:7: .*intervals must follow each other; 'Good night' starts at 2 s"
    with pytest.raises(FormatError, match=message):
        cz.read(path, units="times")


def test_score_of_cues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a |1-----2.5|      |60...   inner boundaries 1, 2.5, 60; b has 1, 3.2, 60: two of three within half a second
    monkeypatch.chdir(tmp_path)
    write_file(tmp_path, CUES, "a.srt")
    write_file(tmp_path, CUES.replace("02,500", "03,200"), "b.srt")
    result = CliRunner().invoke(main, ["score", "a.srt", "b.srt", "--reading", "units=times", "-m", "F1@0.5s"])
    assert result.exit_code == 0, result.output
    assert "F1@0.5s = .67 (precision .67, recall .67)" in result.stdout
    words = CliRunner().invoke(main, ["score", "a.srt", "b.srt"])
    assert "--reading units=times makes cues segments in seconds" in words.stderr
    assert "B = 1.00" in words.stdout
