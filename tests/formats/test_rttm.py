"""Speech of speakers: start and duration."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Tier
from caesura.errors import FormatError
from caesura.formats import detect
from support.everyday import expected
from support.files import file_writer
from support.shared_data import DataFolder

RTTM = """;; by hand
SPKR-INFO call1 1 <NA> <NA> <NA> adult_male bo <NA> <NA>
SPEAKER call1 1 0.30 0.45 <NA> <NA> bo <NA> <NA>
SPEAKER call1 1 0.10 0.20 <NA> <NA> ann <NA> <NA>

NOSCORE call1 1 5 1 <NA> <NA> <NA> <NA>
NOSCORE call2 1 5 1 <NA> <NA> <NA> <NA>
SPEAKER call2 1 1 1 <NA> <NA> ann <NA>
"""
write_file = file_writer("ref.rttm")


def speech(*rows: tuple[float, float, str], item: str = "c", channel: str = "1") -> str:
    return "".join(f"SPEAKER {item} {channel} {row[0]} {row[1]} <NA> <NA> {row[2]} <NA> <NA>\n" for row in rows)


def test_recordings_are_items(tmp_path: Path) -> None:
    call1, call2 = Tier([(0.1, 0.3, "ann"), (0.3, 0.75, "bo")]), Tier([(1, 2, "ann")])
    corpus = cz.read(write_file(tmp_path, RTTM), units="times")
    assert corpus == Corpus({"call1": {"ref": call1}, "call2": {"ref": call2}})
    assert corpus.reading.ignored == ("1 SPKR-INFO line", "2 NOSCORE lines")
    assert corpus.reading.roles == {"recording": "item", "speaker": "labels"}
    expected = ("ends are start plus duration", "speakers are not boundary types (labels=types makes them types)")
    assert corpus.reading.notes == expected
    for name in ("ref.txt", "ref.out", "ref"):
        assert detect(write_file(tmp_path, RTTM.replace("\n", "\r\n"), name)).name == "rttm"
    expected = Tier([(1, 2, "ann")], end=9)
    assert cz.read(write_file(tmp_path, RTTM), units="times", duration=9)["call2", "ref"] == expected


def test_speakers_are_labels_and_not_types(tmp_path: Path) -> None:
    path = write_file(tmp_path, RTTM)
    assert cz.read(path, units=0.05)["call1", "ref"].inner.tolist() == [2, 6]
    assert cz.read(path, units=0.05)["call1", "ref"].types == ("boundary",)
    assert cz.read(path, units=0.05, labels="types")["call1", "ref"].boundaries[-1] == (15, "bo")


def test_the_everyday_files(shared: DataFolder) -> None:
    entry = expected(shared, "rttm/ref.rttm")
    folder = shared / "data/everyday/rttm"
    excluded: list[FormatError] = []
    corpus = cz.read(folder, units="times", excluded=excluded)
    assert [error.problem for error in excluded] == [
        "item 'call2': speakers must not overlap in one stream; 'A' and 'B' at 4-4.3 s; "
        "join all speakers into one stream of speech with --reading streams=ignore, or read spans with --reading as_=spans"
    ]
    assert excluded[0].line == 6
    for item, coder in [("call1", "ref"), ("call1", "hyp"), ("call2", "hyp")]:
        annotation = corpus[item, coder]
        assert isinstance(annotation, Tier)
        assert [[*row] for row in annotation.intervals] == entry["intervals"][coder][item]
    spans = cz.read(folder, as_="spans")
    for coder, by_item in entry["intervals"].items():
        for item, rows in by_item.items():
            annotation = spans[item, coder]
            assert isinstance(annotation, cz.Spans)
            assert [list(span) for span in annotation] == rows
    joined = cz.read(folder, units="times", streams="ignore")
    assert joined["call1", "ref"] == Tier([(0, 5.5, "speech"), (6, 7.25, "speech")])
    assert joined["call2", "ref"] == Tier([(0.3, 6, "speech")]) == joined["call2", "hyp"]
    assert "speakers are joined into one stream of speech" in joined.reading.notes


def test_channels_are_separate_items(tmp_path: Path) -> None:
    text = speech((0, 1, "a")) + speech((0.5, 1, "b"), channel="2") + speech((1, 1, "a"))
    corpus = cz.read(write_file(tmp_path, text), units="times")
    assert corpus.item_names == ("c/1", "c/2")
    assert "each channel is an item" in corpus.reading.notes
    with pytest.raises(FormatError, match=r":4: recordings must differ in name; got 'c/1' again"):
        cz.read(write_file(tmp_path, text + speech((0, 1, "a"), item="c/1")))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (speech((1, -2, "a")), "duration must be positive; got -2; the fifth field is not the end"),
        (speech((1, 0, "a")), "duration must be positive; got 0; the fifth field is not the end"),
        (speech((-1, 2, "a")), "start must not be negative; got -1"),
        (speech((1, 1, "a")).replace(" 1 1 1", " 1 x 1"), "start must be a number below 1e+09; got 'x'"),
        (speech((1, 3, "a"), (2, 1, "a")), "item 'c': speakers must not overlap in one stream; 'a' twice at 2-3 s; .*"),
    ],
)
def test_errors_of_single_recordings(tmp_path: Path, line: str, problem: str) -> None:
    path = write_file(tmp_path, line + speech((5, 1, "b")) + speech((5, 1, "b"), item="d"))
    with pytest.raises(FormatError, match=rf"ref.rttm:[12]: {problem.replace('+', '[+]')}$"):
        cz.read(path)
    excluded: list[FormatError] = []
    assert cz.read(path, units="times", excluded=excluded).item_names == ("d",)
    assert len(excluded) == 1


@pytest.mark.parametrize("line", ["SPEAKER c 1 0 1 <NA> <NA>", "speaker c 1 0 1 <NA> <NA> a", "c 1 0 1"])
def test_invalid_lines(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match=r"ref.rttm:2: a line has the fields SPEAKER, recording"):
        cz.read(write_file(tmp_path, speech((0, 1, "a")) + line))


def test_no_speaker(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected at least one line of type SPEAKER; got none"):
        cz.read(write_file(tmp_path, "NOSCORE call1 1 5 1 <NA> <NA> <NA> <NA>\n"))


# -- writing ------------------------------------------------------------------------------------------------------------


def test_tiers_and_spans_are_written(tmp_path: Path) -> None:
    tiers = Corpus(
        {"a": {"gold": Tier([(0.1, 0.3, "ann"), (0.3, 1.001, "bo")])}, "b/2": {"gold": Tier([(0, 1, "ann")])}}
    )
    cz.write(tiers, tmp_path / "gold.rttm")
    assert (tmp_path / "gold.rttm").read_text() == (
        "SPEAKER a 1 0.1 0.2 <NA> <NA> ann <NA> <NA>\n"
        "SPEAKER a 1 0.3 0.701 <NA> <NA> bo <NA> <NA>\n"
        "SPEAKER b/2 1 0.0 1.0 <NA> <NA> ann <NA> <NA>\n"
    )
    assert cz.read(tmp_path / "gold.rttm", units="times") == tiers
    spans = Corpus(
        {"a": {"gold": cz.Spans([(0.1, 0.3, "ann"), (0.2, 1e-5 + 1, "bo")], seconds=True, bounds=(0, 1e-5 + 1))}}
    )
    cz.write(spans, tmp_path / "gold.rttm")
    assert cz.read(tmp_path / "gold.rttm", as_="spans") == spans


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        (Tier([(0, 1, "two words")]), "a speaker must have a name without spaces; got 'two words'"),
        (Tier(points=[(1, "x")], end=2), "cannot store points; write a TextGrid"),
        (Tier([(0, 1, "x")], words=[(0, 1, "x")]), "cannot store words; write a TextGrid"),
        (Tier([], end=1), "cannot store a recording without speech"),
        (Tier([(-1, 1, "x")], begin=-1), "speech starts at 0 or later and has a duration; got -1-1"),
        (cz.Spans([(0, 1)], seconds=True), "a speaker must have a name; the span 0-1 has no category"),
        (cz.Spans([(1, 1, "x")], seconds=True), "speech starts at 0 or later and has a duration; got 1-1"),
        (cz.Spans([(0, 1, "x")]), "this format stores seconds; the spans count characters or tokens"),
    ],
)
def test_what_cannot_be_written_is_an_error(tmp_path: Path, annotation: Tier, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        cz.write(Corpus({"a": {"gold": annotation}}), tmp_path / "gold.rttm")
    assert not (tmp_path / "gold.rttm").exists()


def test_the_end_of_a_recording_is_not_stored(tmp_path: Path) -> None:
    corpus = Corpus({"a": {"gold": Tier([(0, 1, "x")], end=9)}})
    message = r"item 'a': the recording ends at 9 s, which this format does not store"
    with pytest.warns(cz.errors.CaesuraWarning, match=message):
        cz.write(corpus, tmp_path / "gold.rttm")
    assert cz.read(tmp_path / "gold.rttm", units="times", duration=9) == corpus
    with pytest.raises(FormatError, match="in this format the file names the coder"):
        cz.write(corpus, tmp_path / "other.rttm")
    with pytest.raises(FormatError, match="a recording must have a name without spaces"):
        cz.write(Corpus({"a b": {"gold": Tier([(0, 1, "x")])}}), tmp_path / "gold.rttm")
