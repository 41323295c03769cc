"""Tables of units that are written as Excel workbooks."""

from __future__ import annotations

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
    (tmp_path / "a.json").write_text('{"items": {"x": {"a": [900, 100], "b": [100, 900]}}}')
    corpus = cz.read(tmp_path / "a.json")
    monkeypatch.setattr("caesura.formats.unit_table.MAX_WRITTEN_CELLS", 3000)
    for suffix in (".csv", ".parquet", ".xlsx"):
        with pytest.raises(LimitError, match="cells of a table of 1,000 units: 4,000, more than 3,000; choose items"):
            cz.write(corpus, tmp_path / f"t{suffix}")
    cz.write(corpus.with_source(None), tmp_path / "t.csv")  # not from a file
    monkeypatch.setattr("caesura.formats.unit_table.WRITTEN_CELLS_PER_BYTE", 100)
    cz.write(corpus, tmp_path / "t.csv")
