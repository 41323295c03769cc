"""Nothing vanishes or appears in silence: links, empty files and rows, numbers of units, and similar names."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import FormatError

ROWS = "item,unit,ann,bo\nx,1,0,0\nx,2,1,0\nx,3,0,0\n"
DOCUMENT = '{"item": "x", "length": 5, "reference": [2], "hypothesis": [2]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path


def messages_of(path: Path) -> str:
    with cz.collect_warnings() as messages:
        corpus = cz.read(path)
    reading = corpus.reading
    assert reading is not None
    return "\n".join([*messages, *reading.warnings])


def test_links_that_lead_nowhere(folder: Path) -> None:
    (folder / "b.csv").symlink_to(folder / "nowhere.csv")
    assert "1 file is a link that leads to no file and is left out: b.csv" in messages_of(folder)


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_empty_and_blank_files(folder: Path, content: str) -> None:
    # Annotations may be missing: a file with the suffix of the others is no stray file.
    (folder / "b.csv").write_text(content)
    with pytest.raises(FormatError, match=r"b\.csv:1: the file is empty"):
        cz.read(folder)
    excluded: list[FormatError] = []
    assert cz.read(folder, excluded=excluded).coders == ("ann", "bo")
    assert [Path(error.path).name for error in excluded] == ["b.csv"]


def test_stray_files(folder: Path) -> None:
    (folder / "notes.json").write_text("{}")
    assert "1 file is not in the format of most files (tables) and left out: notes.json" in messages_of(folder)


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_files_without_documents(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.jsonl").write_text(DOCUMENT)
    (tmp_path / "b.jsonl").write_text(content)
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    with cz.collect_warnings() as messages:
        cz.evaluate(tmp_path, "B")
    told = "\n".join(messages)
    assert "1 file without any document" in told
    assert "b.jsonl" in told
    assert "1 file is a link that leads to no file and is left out: c.jsonl" in told


def test_rows_of_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(ROWS + ",,,\n,,,\n")
    assert "2 empty rows left out" in str(cz.read(path).reading)


def test_units_out_of_order(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,unit,ann,bo\nx,3.0,0,0\nx,1.0,1,1\nx,2.0,0,1\n")
    with pytest.raises(FormatError, match="units must be numbered in order; got 1 after 3"):
        cz.read(path)


def test_spans_beyond_the_duration(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,coder,start,end,duration\nx,ann,0.5,5.5,3.5\nx,bo,0.5,2.5,3.5\n")
    with pytest.raises(FormatError, match=r"5\.5"):
        cz.read(path)


def test_names_that_differ_only_by_case_or_blanks(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"items": {"x": {"ann": [2, 3], "Ann": [3, 2]}, "y  1": {"ann": [5]}, "Y 1": {"ann": [4, 1]}}}')
    told = messages_of(path)
    assert "coders whose names look alike or differ only by case are kept apart: 'ann' and 'Ann'" in told
    assert "items whose names look alike or differ only by case are kept apart: 'y  1' and 'Y 1'" in told
