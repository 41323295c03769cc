"""Tables with lines above the header, empty rows and columns, row names of R, and compressed files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from caesura.formats import content as content_module
from caesura.formats.header import find_delimiter, rows_above_header
from support.files import text_reader

TABLE = """doc,sentence,anna,ben
a,One.,0,0
a,Two.,1,0
a,Three.,0,1
a,Four.,0,0
"""
SEMICOLONS = TABLE.replace(",", ";")
read = text_reader("t.csv")


def notes(corpus: cz.Corpus) -> str:
    return "; ".join(corpus.source.notes)


def check(corpus: cz.Corpus) -> None:
    assert {key: tuple(value.positions) for key, value in corpus.items()} == {("a", "anna"): (2,), ("a", "ben"): (3,)}


@pytest.mark.parametrize(
    "above",
    [
        "Annotation study 2024\n",
        "Annotation study 2024\n\n",
        "Annotation study 2024,,,\nexported 12.3.2024,,,\n,,,\n",
        "Project,News\nRound,2\n",
        '"A title, with a comma"\n',
    ],
)
def test_titles_above_the_header(tmp_path: Path, above: str) -> None:
    corpus = read(tmp_path, above + TABLE)
    check(corpus)
    assert f"the header is in line {above.count(chr(10)) + 1}; line" in notes(corpus)


@pytest.mark.parametrize("above", ["Auswertung\n", "Auswertung, zweite Runde\n", "Auswertung;;;\n\n"])
def test_titles_above_semicolons(tmp_path: Path, above: str) -> None:
    check(read(tmp_path, above + SEMICOLONS))


def test_line_that_declares_the_delimiter(tmp_path: Path) -> None:
    check(read(tmp_path, "sep=;\r\n" + SEMICOLONS))
    assert find_delimiter("sep=|\na|b,c\n") == "|"


def test_error_names_the_line_below_a_title(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"t\.csv:6: column 'ben': .*got '\?'"):
        read(tmp_path, "Annotation study\n" + TABLE.replace("Three.,0,1", "Three.,0,1\na,Three.,0,?"))


@pytest.mark.parametrize("text", ["text\nHello, world\nYes, no\n", "a\nb,c\nd,e\n"])
def test_rows_without_known_names_are_no_header(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=r"a row must have 1 cells like the header; got 2; .*--reading skip=LINES"):
        read(tmp_path, text)


def test_first_row_with_names_is_the_header() -> None:
    assert rows_above_header([["text", "label"], ["item", "x", "text"]]) == 0
    assert rows_above_header([["ann", "bo"], ["0", "1"]]) == 0
    assert rows_above_header([["Title"], ["text", "1"]]) == 0


def test_lines_above_the_header_by_option(tmp_path: Path) -> None:
    text = "Annotation, study\nof news\nsatz_nr;A;B\ns1;0;0\ns2;1;0\ns3;0;1\ns4;0;0\n"
    corpus = read(tmp_path, text, skip=2)
    assert [tuple(corpus["t", coder].positions) for coder in "AB"] == [(2,), (3,)]
    with pytest.raises(FormatError, match=r"no column|no rows"):
        read(tmp_path, text, skip=99)


def test_empty_rows_and_columns_at_the_end(tmp_path: Path) -> None:
    text = "".join(line + ",,\n" for line in TABLE.splitlines()) + ",,,,,\n,,,,,\n"
    corpus = read(tmp_path, text)
    check(corpus)
    assert "2 empty rows left out" in notes(corpus)
    text = TABLE.splitlines()[0] + "\n" + "".join(line + ",,\n" for line in TABLE.splitlines()[1:])
    check(read(tmp_path, text))  # only the rows have empty cells at the end


def test_an_empty_row_may_be_a_unit(tmp_path: Path) -> None:
    corpus = read(tmp_path, "anna,ben\n,\nx,\n,\n,x\n,\n")
    assert [tuple(corpus["t", coder].positions) for coder in ("anna", "ben")] == [(2,), (4,)]
    assert corpus["t", "anna"].length == 5
    corpus = read(tmp_path, "anna,ben\n,\nx,x\n,\n,\n")
    assert (corpus["t", "anna"].length, tuple(corpus["t", "anna"].positions)) == (4, (2,))


def test_row_names_of_r(tmp_path: Path) -> None:
    lines = TABLE.replace(",", "\t").splitlines()
    text = "\n".join([lines[0], *(f"{i}\t{line}" for i, line in enumerate(lines[1:], 1))])
    check(read(tmp_path, text, "t.tsv"))


def excel(tmp_path: Path, rows: list[list[Any]]) -> cz.Corpus:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    return cz.read(path)


def test_titles_and_empty_rows_of_a_workbook(tmp_path: Path) -> None:
    rows: list[list[Any]] = [line.split(",") for line in TABLE.splitlines()]
    corpus = excel(tmp_path, [["Annotation of news"], [], *rows[:3], [], *rows[3:], [None, "", None]])
    check(corpus)
    assert "the header is in line 3; lines 1 to 2 are left out" in notes(corpus)
    assert "1 empty row left out" in notes(corpus)


def test_empty_rows_of_a_workbook_are_never_lost(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"t\.xlsx:2: the row is empty, and no column is filled in all rows"):
        excel(tmp_path, [["anna", "ben"], [None, None], ["x", None], [None, None], [None, "x"]])


def test_one_sheet_per_coder(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Anna"
    for sheet, marks in ((book.active, (0, 1, 0)), (book.create_sheet("Ben"), (1, 0, 0))):
        sheet.append(["doc", "sentence", "boundary"])
        for word, mark in zip("xyz", marks, strict=True):
            sheet.append(["a", word, mark])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(AmbiguousFileError, match="2 sheets") as error:
        cz.read(tmp_path / "t.xlsx")
    assert [options for _, options in error.value.choices][:2] == [{"sheets": "coder"}, {"sheets": "item"}]
    corpus = cz.read(tmp_path / "t.xlsx", sheets="coder")
    assert {key: tuple(value.positions) for key, value in corpus.items()} == {("a", "Anna"): (2,), ("a", "Ben"): (1,)}
    assert "each sheet is one coder: Anna, Ben" in notes(corpus)


def test_formulas_without_stored_values(tmp_path: Path) -> None:
    message = r"t\.xlsx:2: column 3 has a formula without a stored value; open the workbook"
    with pytest.raises(FormatError, match=message):
        excel(tmp_path, [["text", "anna", "ben"], ["a", 0, "=B2"], ["b", 1, "=B3"], ["c", 0, "=B4"]])


def test_many_coders_give_few_warnings(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(300)]
    rows = [["text", *names], *([f"w{k}", *("01"[(i + k) % 7 == 0] for i in range(300))] for k in range(4))]
    corpus = read(tmp_path, "".join(",".join(row) + "\n" for row in rows))
    assert len(corpus.coders) == 300
    assert len(corpus.reading.warnings) <= 3
    number = sum(i % 7 in (1, 2, 3, 4) for i in range(300))
    message = f"{number} coders have no boundary: 'c1', 'c2', 'c3' and {number - 3} more;"
    assert corpus.reading.warnings[0].startswith(message)


def test_compressed_files(tmp_path: Path) -> None:
    for name, text in (("t.csv.gz", TABLE), ("t.tsv.gz", TABLE.replace(",", "\t"))):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        check(cz.read(tmp_path / name))
    documents = [{"dial_id": "a", "utterances": ["x", "y", "z"], "segments": [1, 2]}]
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(lines[:20].encode()) + gzip.compress(lines[20:].encode()))
    assert tuple(cz.read(tmp_path / "d.jsonl.gz")["a", "d"].positions) == (1,)


def test_folder_of_compressed_files(tmp_path: Path) -> None:
    for coder, marks in (("anna", "010"), ("ben", "100")):
        folder = tmp_path / "study" / coder
        folder.mkdir(parents=True)
        rows = "".join(f"{word},{mark}\n" for word, mark in zip(("one", "two", "three"), marks, strict=True))
        (folder / "talk.csv.gz").write_bytes(gzip.compress(f"text,boundary\n{rows}".encode()))
    corpus = cz.read(tmp_path / "study")
    expected = {("talk", "anna"): (2,), ("talk", "ben"): (1,)}
    assert {key: tuple(value.positions) for key, value in corpus.items()} == expected


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: b"no gzip", lambda data: data[:20] + b"x" * 30]
)
def test_damaged_compressed_file(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(damage(gzip.compress(TABLE.encode())))
    with pytest.raises(FormatError, match="not a valid gzip file"):
        cz.read(path)


def test_compressed_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_module, "MAX_UNPACKED", 1000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"x" * 1001))
    with pytest.raises(FormatError, match="may unpack to 0 MB; this unpacks to more; unpack it first: gunzip -k"):
        cz.read(path)
