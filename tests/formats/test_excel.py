"""Tables of units that are written as Excel workbooks."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Segmentation
from caesura.errors import FormatError

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
