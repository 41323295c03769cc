"""brat: .ann and the .txt beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import FormatError, OptionError
from caesura.formats import detect

TEXT = "Sony made Eagle and the Phone\nin 😀 Japan"
EVERYTHING = """T1\tOrganization 0 4\tSony
T2\tMake 5 9\tmade
E1\tMake:T2 Agent:T1
R1\tMakes Arg1:T1 Arg2:T2
*\tEquiv T1 T2
A1\tNegation E1
M1\tSpeculation E1
N1\tReference T1 Wikipedia:534366\tSony

#1\tAnnotatorNotes T1\ta note with 1 2
T3\tPlace 30 40\tin 😀 Japan
"""


STRICT: dict[str, Any] = {"tokens": "whitespace", "edges": "error", "as_": "hierarchy"}


def write_file(tmp_path: Path, lines: str, text: str = TEXT, name: str = "t") -> Path:
    (tmp_path / f"{name}.txt").write_bytes(text.encode())
    (tmp_path / f"{name}.ann").write_bytes(lines.encode())
    return tmp_path / f"{name}.ann"


def test_lines_of_t_are_spans(tmp_path: Path) -> None:
    path = write_file(tmp_path, EVERYTHING)
    assert detect(path).name == "brat"
    expected = Hierarchy(9, [(1, 1, 1, "Organization"), (2, 2, 1, "Make"), (7, 9, 1, "Place")], units=TEXT.split())
    assert cz.read(path, **STRICT)["t", "t"] == expected
    assert cz.read(path, item="x", coder="ann", **STRICT).coders == ("ann",)
    expected = cz.read(path, **STRICT)["t", "t"]
    assert cz.read(write_file(tmp_path, EVERYTHING.replace("\n", "\r\n")), **STRICT)["t", "t"] == expected


def test_offsets_are_characters_not_units_of_utf_16(tmp_path: Path) -> None:
    assert cz.read(write_file(tmp_path, "T1\tPlace 35 40\tJapan\n"), **STRICT)["t", "t"].flat == {(9, 9)}  # type: ignore[union-attr]
    with pytest.raises(FormatError, match=r":1: T1: offsets must increase and lie in 0-40, the text; got 36-41"):
        cz.read(write_file(tmp_path, "T1\tPlace 36 41\tJapan\n"), **STRICT)


def test_the_text_column_has_spaces_for_line_breaks(tmp_path: Path) -> None:
    for covered in ("Phone in", "Phone\tin"):
        hierarchy = cz.read(write_file(tmp_path, f"T1\tX 24 32\t{covered}\n"), **STRICT)["t", "t"]
        assert isinstance(hierarchy, Hierarchy)
        assert hierarchy.flat == {(6, 7)}


@pytest.mark.parametrize("nothing", ["", "\n", " \n\n"])
def test_an_empty_file_is_a_text_without_spans(tmp_path: Path, nothing: str) -> None:
    path = write_file(tmp_path, nothing)
    assert cz.read(path, **STRICT)["t", "t"] == Hierarchy(9, [], units=TEXT.split())
    path.rename(tmp_path / "t.dat")
    assert cz.read(tmp_path / "t.dat", "brat", **STRICT)["t", "t"] == Hierarchy(9, [], units=TEXT.split())
    with pytest.raises(FormatError, match=r"t\.dat:1: the file is empty"):
        cz.read(tmp_path / "t.dat", **STRICT)
    with pytest.raises(FormatError, match=r"t\.dat:1: the file is empty"):
        cz.read(tmp_path / "t.dat", "masses-json", **STRICT)


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("T1\tA 0 4\tSony\nT1\tA 5 9\tmade", 2, "an id must be unique; got 'T1' again"),
        ("T1 A 0 4 Sony", 1, "a line is T1, a tab, a label with start and end .*; got 'T1 A 0 4 Sony'"),
        ("T1\tA 0 4", 1, "a line is T1"),
        ("T1\tA 0\tSony", 1, "a line is T1"),
        ("T1\tA 0 4;\tSony", 1, "a line is T1"),
        ("T1\tA -1 4\tSony", 1, "a line is T1"),
        ("T1\tA 0 99999999999999999999\tSony", 1, "a line is T1"),
        ("E1\nT1\tA 0 4\tSony", 1, "a line is T1.*; got 'E1'"),
        ("\nhello world", 2, "a line is T1.*or begins with one of E R \\* A M N #; got 'hello world'"),
        ("T1\tA 4 0\tSony", 1, "T1: offsets must increase and lie in 0-40, the text; got 4-0"),
        ("T1\tA 0 4\tSonyx", 1, "T1 must repeat the text at its offsets, 'Sony'; got 'Sonyx'; is this the right text?"),
        ("T1\tA 0 4;10 15\tSony made", 1, "T1 must repeat the text at its offsets, 'Sony Eagle'; got 'Sony made'"),
    ],
)
def test_invalid_lines(tmp_path: Path, lines: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        cz.read(write_file(tmp_path, lines), discontinuous="hull", **STRICT)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_a_missing_text_is_an_error(tmp_path: Path) -> None:
    path = write_file(tmp_path, EVERYTHING)
    (tmp_path / "t.txt").rename(tmp_path / "other.txt")
    with pytest.raises(FormatError, match=r"the text file .*t\.txt does not exist; set it"):
        cz.read(path, **STRICT)
    assert len(cz.read(path, text=tmp_path / "other.txt", **STRICT)["t", "t"]) == 3  # type: ignore[arg-type]
    (tmp_path / "other.txt").write_text("")
    with pytest.raises(FormatError, match=r"other\.txt:1: the file is empty"):
        cz.read(path, text=tmp_path / "other.txt", **STRICT)
    with pytest.raises(OptionError, match="text must be a path; got 3"):
        cz.read(path, text=3, **STRICT)


def test_folders_are_coders(tmp_path: Path) -> None:
    for coder, lines in (("ann", EVERYTHING), ("bo", "")):
        (tmp_path / coder).mkdir()
        for item in ("x", "y"):
            write_file(tmp_path / coder, lines, name=item)
    corpus = cz.read_coders(sorted(tmp_path.glob("*/*.ann")))
    assert (corpus.item_names, corpus.coders) == (("x", "y"), ("ann", "bo"))
    assert [len(corpus["y", coder]) for coder in corpus.coders] == [3, 0]  # type: ignore[arg-type]


def test_errors_are_collected_on_request(tmp_path: Path) -> None:
    excluded: list[FormatError] = []
    assert len(cz.read(write_file(tmp_path, "T1\tA 0 3\tSon\n"), excluded=excluded, **STRICT)) == 0
    assert [problem.line for problem in excluded] == [1]


def write_coder(folder: Path, *lines: str) -> None:
    folder.mkdir(parents=True)
    (folder / "t.ann").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def test_a_text_above_the_folders_of_coders(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    write_coder(tmp_path / "ann", "T1\tPlace 0 4\tSony")
    write_coder(tmp_path / "bo", "T1\tPlace 10 15\tEagle")
    corpus = cz.read(tmp_path)  # a warning about the text would be an error
    assert [corpus["t", coder].spans for coder in ("ann", "bo")] == [((0, 4, "Place"),), ((10, 15, "Place"),)]
    assert "texts are in the folder above" in corpus.reading.notes
    (tmp_path / "bo" / "t.txt").write_text("a different text", encoding="utf-8")  # the text beside the file comes first
    with pytest.raises(FormatError, match="is this the right text"):
        cz.read(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_offsets_that_count_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.txt").write_text("Rome, 2 May", encoding=encoding)
    write_coder(tmp_path / "ann", "T1\tLOC 1 5\tRome", "T2\tTIME 7 12\t2 May")
    write_coder(tmp_path / "bo", "T1\tLOC 0 4\tRome", "T2\tTIME 6 11\t2 May")
    corpus = cz.read(tmp_path)
    assert corpus["t", "ann"] == corpus["t", "bo"]
    assert corpus["t", "ann"].spans == ((0, 4, "LOC"), (6, 11, "TIME"))
    assert "offsets count the byte order mark of the text; they are read without it" in corpus.reading.notes
    write_coder(tmp_path / "cy", "T1\tLOC 1 5\tRome", "T2\tTIME 6 11\t2 May")  # neither fits both spans
    with pytest.raises(FormatError, match=r"cy/t\.ann:1: T1 must repeat the text at its offsets, 'ome,'; got 'Rome'"):
        cz.read(tmp_path)


def test_the_name_of_a_coder_does_not_depend_on_the_others(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    write_coder(tmp_path / "ann", "T1\tPlace 0 4;10 15\tSony Eagle")  # discontinuous
    write_coder(tmp_path / "bo", "T1\tPlace 0 4\tSony")
    excluded: list[FormatError] = []
    assert set(cz.read(tmp_path, excluded=excluded)) == {("t", "bo")}
    assert len(excluded) == 1
