"""Tab-delimited text that ELAN exports, with and without one column per tier."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import detect
from caesura.model.tier import Tier
from support.files import text_reader

INTERVALS = {"IU_ann": [(0.5, 3.0, "so we went"), (3.0, 4.5, "home")], "IU_bo": [(0.5, 4.5, "so we went home")]}


def clock(time: float) -> str:
    return f"00:{int(time) // 60:02d}:{time % 60:06.3f}"


FORMATS = {"clock": clock, "seconds": lambda time: f"{time:.3f}", "ms": lambda time: str(round(time * 1000))}


def export(formats: tuple[str, ...], duration: bool = True) -> str:
    lines = []
    for tier, rows in INTERVALS.items():
        for start, end, label in rows:
            times = [start, end, end - start] if duration else [start, end]
            cells = [FORMATS[name](time) for time in times for name in formats]
            lines.append("\t".join([tier, "", *cells, label]) + "\n")
    return "".join(lines)


COLUMNS = """Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tDuration - hh:mm:ss.ms\tIU_ann\tIU_bo
00:00:00.500\t00:00:03.000\t00:00:02.500\tso we went\t
00:00:00.500\t00:00:04.500\t00:00:04.000\t\tso we went home
00:00:03.000\t00:00:04.500\t00:00:01.500\thome\t
"""
read = text_reader("talk.txt")


def check(corpus: cz.Corpus) -> None:
    for coder, rows in INTERVALS.items():
        tier = corpus["talk", coder]
        assert isinstance(tier, Tier)
        assert [tuple(interval) for interval in tier.intervals] == rows


@pytest.mark.parametrize(
    ("formats", "duration"),
    [
        (("clock",), True),
        (("clock",), False),
        (("seconds",), True),
        (("seconds",), False),
        (("ms",), True),
        (("clock", "seconds"), True),
        (("clock", "seconds"), False),
        (("clock", "seconds", "ms"), True),
    ],
)
def test_lines_without_header(tmp_path: Path, formats: tuple[str, ...], duration: bool) -> None:
    corpus = read(tmp_path, export(formats, duration))
    assert detect(tmp_path / "talk.txt").name == "elan-text"
    check(corpus)


def test_one_column_per_tier(tmp_path: Path) -> None:
    check(read(tmp_path, COLUMNS))
    check(read(tmp_path, COLUMNS, "talk.csv"))


def test_one_tier(tmp_path: Path) -> None:
    corpus = read(tmp_path, export(("clock",)), tiers=["IU_bo"])
    assert corpus.coders == ("IU_bo",)


def test_two_numbers_may_be_anything(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        read(tmp_path, "doc\tann\t0\t24\tclaim\ndoc\tann\t30\t55\tclaim\n")


def test_times_that_do_not_agree_are_not_elan(tmp_path: Path) -> None:
    text = export(("clock", "seconds")).replace("3.000\t00:00:02.500", "3.500\t00:00:02.500")
    path = tmp_path / "talk.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match="the times of all lines must agree"):
        cz.read(path, format="elan-text")
    with pytest.raises(FormatError):
        cz.read(path)


def test_word_times_are_not_elan(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("talk\t1\t0.100\t0.300\tgood\ntalk\t1\t0.500\t0.200\tnight\n")
    assert detect(path).name == "ctm"


def test_an_export_is_never_word_times(tmp_path: Path) -> None:
    corpus = read(tmp_path, export(("seconds",)))
    assert corpus.item_names == ("talk",)
