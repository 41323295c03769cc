"""Tables of units that are written as Excel workbooks."""

from __future__ import annotations

import re
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Segmentation
from caesura.errors import FormatError, LimitError

openpyxl = pytest.importorskip("openpyxl")

WORDS = ["=1+1", "x", "007", "", "NA", "שלום", "1"]


def test_a_workbook_is_read_as_it_was_written(tmp_path: Path) -> None:
    units = {"a b": WORDS, "c": list("abcd")}
    corpus = Corpus(
        {
            item: {
                coder: Segmentation.from_positions(len(words), [cut], units=words)
                for coder, cut in (("ann", 1), ("bo", 2))
            }
            for item, words in units.items()
        }
    )
    cz.write(corpus, tmp_path / "t.xlsx")
    assert cz.read(tmp_path / "t.xlsx") == corpus
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [cell.value for cell in sheet[1]] == ["item", "unit", "text", "ann", "bo"]
    assert [cell.value for cell in sheet[2]] == ["a b", "1", "=1+1", 1, 0]
    assert sheet["C2"].data_type == "s"  # a text, not a formula


def test_types_and_missing_coders_are_written(tmp_path: Path) -> None:
    rows = {"ann": ["", ",", "", "1"], "bo": ["", "[x", "", ""]}
    scale = ["1", ",", "[x"]
    texts = {coder: Segmentation.from_marks(row, types=scale, units=WORDS[:4]) for coder, row in rows.items()}
    corpus = Corpus({"a": texts, "b": {"bo": texts["bo"]}})
    cz.write(corpus, tmp_path / "t.xlsx")
    assert cz.read(tmp_path / "t.xlsx") == corpus


@pytest.mark.parametrize("word", ["a\rb", "\x01", "_x0041_", "x" * 40_000])
def test_what_a_sheet_cannot_store_is_an_error(tmp_path: Path, word: str) -> None:
    corpus = Corpus({"a": {"ann": Segmentation.from_positions(2, [1], units=["x", word])}})
    with pytest.raises(FormatError, match="a sheet cannot store this cell"):
        cz.write(corpus, tmp_path / "t.xlsx")
    assert not (tmp_path / "t.xlsx").exists()


def test_columns_have_the_letters_of_a_spreadsheet(tmp_path: Path) -> None:
    coders = {f"c{i}": Segmentation.from_masses([1, 1]) for i in range(800)}
    cz.write(Corpus({"x": coders}), tmp_path / "t.xlsx")
    assert cz.read(tmp_path / "t.xlsx") == Corpus({"x": coders})
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [sheet[place].value for place in ("A1", "B1", "C1", "Z1", "AA1", "AB1", "ZZ1", "AAA1")] == [
        "item", "unit", "c0", "c23", "c24", "c25", "c699", "c700",
    ]  # fmt: skip


def test_a_sheet_has_a_limit_of_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.formats.unit_table._MAX_SHEET_COLUMNS", 3)
    corpus = Corpus({"x": {coder: Segmentation.from_masses([1, 1]) for coder in "ab"}})
    with pytest.raises(FormatError, match="a sheet has at most 3 columns; this table has 4"):
        cz.write(corpus, tmp_path / "t.xlsx")


def test_a_short_file_does_not_become_a_very_long_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = '{"items": {"x": {"a": [900, 100], "b": [100, 900]}}}'
    (tmp_path / "a.json").write_text(content)
    (tmp_path / "long.json").write_text(content + " " * 250)
    corpus = cz.read(tmp_path / "a.json")
    monkeypatch.setattr("caesura.limits.MAX_CELLS", 3000)
    for suffix in (".csv", ".parquet", ".xlsx"):
        with pytest.raises(LimitError, match="cells of a table of 1,000 units: 4,000, more than 3,000; choose items"):
            cz.write(corpus, tmp_path / f"t{suffix}")
    cz.write(corpus.with_source(None), tmp_path / "t.csv")  # not from a file
    corpus = cz.read(tmp_path / "long.json")  # 250 bytes may become 4,000 cells
    cz.write(corpus, tmp_path / "t.csv")


HEADER = ["doc", "sentence", "ann", "bo"]
ROWS = [["x", f"Sentence {i} is here.", int(i == 2), int(i in (2, 4))] for i in range(1, 7)]


def workbook(path: Path, rows: list[list[object]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    for row in [HEADER, *rows]:
        book.active.append(row)
    book.save(path)
    return book


def notes_of(corpus: Corpus) -> str:
    return "; ".join(corpus.reading.notes)


def test_hidden_and_filtered_rows_are_units(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = workbook(path, ROWS)
    expected = cz.read(path)
    book.active.auto_filter.ref = "A1:D7"
    book.active.auto_filter.add_filter_column(2, ["0"])
    for row in (3, 5):  # units 2 and 4
        book.active.row_dimensions[row].hidden = True
    book.save(path)
    corpus = cz.read(path)
    assert corpus == expected
    assert "2 hidden rows (first: row 3) read too (--reading hidden=skip changes this)" in notes_of(corpus)
    shown = cz.read(path, hidden="skip")
    assert shown["x", "ann"].length == 4
    assert "2 hidden rows (first: row 3) left out (--reading hidden=read changes this)" in notes_of(shown)


def test_hidden_columns_are_coders(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = workbook(path, ROWS)
    assert "hidden" not in notes_of(cz.read(path))
    book.active.column_dimensions["D"].hidden = True
    book.active.column_dimensions["H"].hidden = True  # empty
    book.save(path)
    corpus = cz.read(path)
    assert corpus.coders == ("ann", "bo")
    assert "1 hidden column (first: column 4) read too" in notes_of(corpus)
    assert cz.read(path, hidden="skip").coders == ("ann",)


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_left_out(tmp_path: Path, state: str) -> None:
    path = tmp_path / "t.xlsx"
    book = workbook(path, ROWS)
    expected = cz.read(path)
    copy = book.copy_worksheet(book.active)
    copy.title = "old"
    copy["C2"] = 1
    copy.sheet_state = state
    book.save(path)
    corpus = cz.read(path)
    assert corpus == expected
    assert "sheet old (hidden)" in corpus.reading.ignored
    assert cz.read(path, sheet="old") != expected


def test_only_hidden_sheets_have_content(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = workbook(path, ROWS)
    expected = cz.read(path)
    book.active.sheet_state = "hidden"
    book.create_sheet("shown")
    book.active = 1
    book.save(path)
    assert cz.read(path) == expected


@pytest.mark.parametrize(
    "cells",
    [{"A1": "unit", "XFD1048576": "x"}, {"A1": "unit", "A1048576": "x", "XFD1": "x"}, {"A1": "unit", "B2000000": "x"}],
)
def test_cells_far_from_each_other_are_refused_at_once(tmp_path: Path, cells: dict[str, str]) -> None:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place.replace("B2000000", "B2")] = value
    book.save(tmp_path / "far.xlsx")
    if "B2000000" in cells:
        move_cell(tmp_path / "far.xlsx", "2", "2000000")
    assert (tmp_path / "far.xlsx").stat().st_size < 10_000
    tracemalloc.start()
    with pytest.raises(
        FormatError, match=r"the cells of sheet 'Sheet' span .* rows .*; delete cells far from the table"
    ):
        cz.read(tmp_path / "far.xlsx")
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_sheet_that_claims_to_be_large_is_read(tmp_path: Path) -> None:
    """Excel declares the range that was ever formatted; only cells count."""
    workbook(tmp_path / "t.xlsx", ROWS)
    read = cz.read(tmp_path / "t.xlsx")
    rewrite(tmp_path / "t.xlsx", lambda xml: re.sub('dimension ref="[^"]*"', 'dimension ref="A1:XFD1048576"', xml))
    assert cz.read(tmp_path / "t.xlsx") == read


def move_cell(path: Path, row: str, to: str) -> None:
    rewrite(path, lambda xml: xml.replace(f'<row r="{row}"', f'<row r="{to}"').replace(f'r="B{row}"', f'r="B{to}"'))


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change the first sheet of a workbook."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    entries[sheet] = change(entries[sheet].decode()).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
