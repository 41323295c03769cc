"""Tables that cannot be read: each gives one clear error, and nothing is lost in silence."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from support.commands import invoke

TEXT_FILES: dict[str, tuple[str | bytes, str]] = {
    "binary.csv": (b"\x89PNG\r\n\x1a\n\0\0\0", "is this a binary file, or text in another encoding"),
    "empty.csv": ("", "the file is empty"),
    "header.csv": ("item,unit,ann,bo\n", "the table has no rows"),
    "twins.csv": ("item,ann,ann\na,0,1\n", "two columns have the name 'ann': columns 2 and 3; rename one of them"),
    "long.csv": ("item,text,ann\na," + "x" * 10_000_000 + ",1\n", "not a valid table: a cell has more than 131072"),
    "ragged.csv": ("item,ann\na,0\na,1,1\n", ":3: a row must have 2 cells like the header; got 3"),
    "unnamed.csv": ("item,,ann\na,7,1\na,8,0\n", "column 2 must have a name in the header"),
}


@pytest.mark.parametrize("name", TEXT_FILES)
def test_a_damaged_text_is_one_error(name: str, tmp_path: Path) -> None:
    content, message = TEXT_FILES[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError) as caught:
        cz.read(path)
    assert message in str(caught.value)
    result = invoke(["agree", str(path)])
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    """Every column with marks is a coder, however many there are; more than the limit is an error."""
    header = ["unit", *(f"c{i}" for i in range(10_000))]
    rows = [[str(unit), *("01"[(unit + i) % 2] for i in range(10_000))] for unit in range(1, 5)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(",".join(row) for row in [header, *rows]))
    assert len(cz.read(path).coders) == 10_000
    path.write_text(",".join(f"c{i}" for i in range(30_000)) + "\n" + ",".join(["0"] * 30_000) + "\n")
    with pytest.raises(FormatError, match="a table may have 20000 columns"):
        cz.read(path)


def workbook(rows: list[list[Any]], path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_formulas_have_their_stored_values(tmp_path: Path) -> None:
    """A program that never computed a formula stored no value; the cell is then empty."""
    path = workbook([["text", "ann"], ["a", "=1-1"], ["b", 1], ["c", 0]], tmp_path / "t.xlsx")
    stored = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(stored, "w") as target:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename.endswith("sheet1.xml"):
                data = data.replace(b"<f>1-1</f><v />", b"<f>1-1</f><v>0</v>").replace(
                    b"<f>1-1</f><v></v>", b"<f>1-1</f><v>0</v>"
                )
                assert b"<v>0</v>" in data
            target.writestr(entry, data)
    path.write_bytes(stored.getvalue())
    corpus = cz.read(path)
    assert corpus["t", "ann"] == cz.Segmentation.from_bits("01", units=["a", "b", "c"])
    assert any("formulas" in note for note in corpus.reading.notes)


def test_a_protected_workbook(tmp_path: Path) -> None:
    path = tmp_path / "secret.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    pytest.importorskip("openpyxl")
    with pytest.raises(FormatError, match="protected by a password"):
        cz.read(path)


def test_a_workbook_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    path = workbook([["text", "ann"], ["a", 1], ["b", 0]], tmp_path / "bomb.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/more.xml", "w") as more:
        for _ in range(300):
            more.write(b" " * 2**20)
    assert path.stat().st_size < 2**20
    with pytest.raises(FormatError, match="a workbook may unpack to 256 MB; this unpacks to 300 MB"):
        cz.read(path)


def test_sheets_with_content_are_not_guessed(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("second")):
        for row in (["text", "ann"], ["a", 1], ["b", 0], ["c", 0]):
            sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(tmp_path / "two.xlsx")
    coders, items, *sheets = (options for _, options in caught.value.choices)
    assert cz.read(tmp_path / "two.xlsx", **coders).coders == ("Sheet", "second")
    assert cz.read(tmp_path / "two.xlsx", marks="end", **items).item_names == ("Sheet", "second")
    for options in sheets:
        assert cz.read(tmp_path / "two.xlsx", **options)["two", "ann"].masses == (1, 2)


def test_a_frame_with_several_levels() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"item": ["a", "a"], "unit": [1, 2], "ann": [1, 0]})
    for several in (frame.set_index(["item", "unit"]), pandas.concat({"x": frame}, axis=1)):
        with pytest.raises(FormatError, match=r"got a MultiIndex; call reset_index\(\) first"):
            cz.read(several)


def test_an_empty_coder_beside_coders_of_different_shapes(tmp_path: Path) -> None:
    """Marks in A and labels in B cannot both be right, whatever the empty column C is."""
    path = tmp_path / "shapes.csv"
    path.write_text("text,A,B,C\na,0,intro,\nb,1,intro,\nc,0,main,\nd,0,main,\n")
    with pytest.raises(AmbiguousFileError, match="the columns fit different shapes") as caught:
        cz.read(path, fields="coders=A+B+C")
    expected = [{"fields": {"coders": ["A"]}}, {"fields": {"coders": ["B"]}}]
    assert [options for _, options in caught.value.choices] == expected
