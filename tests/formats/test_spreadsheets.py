"""No spreadsheet runs a cell of a file that caesura writes, and caesura reads the same corpus again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.cli import main
from caesura.formats.content import protect_cell, unprotect_cell

UNITS = ["=1+1", "-", "--", "'tis", "'=x", "''", "@me", "+5", "-5", "-LRB-", "\tx", "a", "'"]
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")


def linear() -> cz.Corpus:
    sides = {"=ann": [3, 10], "bo": [5, 8]}
    return cz.Corpus({"@item": {coder: cz.Segmentation.from_masses(m, units=UNITS) for coder, m in sides.items()}})


def without_units() -> cz.Corpus:
    first = {"-x": cz.Segmentation.from_masses([1, 2]), "'=y": cz.Segmentation.from_masses([2, 1])}
    return cz.Corpus({"+1": first, "b": {"-x": cz.Segmentation.from_masses([3])}})


def spans() -> cz.Corpus:
    return cz.Corpus({"-i": {"=a": cz.Spans([(0, 2, "@label"), (1, 3, "=B1")], length=5), "b": cz.Spans([], length=5)}})


def dialogue() -> cz.Corpus:
    text = cz.Segmentation.from_marks(["", "|", "", "|"], types=["|"], units=["=a", "-b", "c", "@d"])
    return cz.Corpus({"a": {"a": cz.Dialogue({"=S": text})}})


CASES = [
    ("a.csv", None, linear),
    ("a.tsv", "table-tsv", linear),
    ("m.tsv", "masses-tsv", without_units),
    ("m.csv", None, without_units),
    ("s.csv", None, spans),
]


def cells(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",") for cell in row]


@pytest.mark.parametrize(("name", "format", "corpus"), CASES, ids=[name for name, *_ in CASES])
def test_files_have_no_formulas_and_are_read_again(
    name: str, format: str | None, corpus: object, tmp_path: Path
) -> None:
    expected, path = corpus(), tmp_path / name  # type: ignore[operator]
    with cz.collect_warnings() as messages:
        cz.write(expected, path, format)
    assert len(messages) == 1
    assert "got an apostrophe" in messages[0]
    for cell in cells(path):
        assert not cell.startswith(DANGEROUS) or cell in ("-", "-5")
    with cz.collect_warnings() as messages:
        result = cz.read(path, format)
    assert result == expected
    assert any("raw=true keeps it" in note for note in result.reading.notes)


@pytest.mark.parametrize(("name", "format", "corpus"), CASES, ids=[name for name, *_ in CASES])
def test_raw_files_have_the_cells_as_they_are(name: str, format: str | None, corpus: object, tmp_path: Path) -> None:
    expected, path = corpus(), tmp_path / name  # type: ignore[operator]
    cz.write(expected, path, format, raw=True)
    assert any(cell.startswith(("=", "+1", "-x")) for cell in cells(path))
    with cz.collect_warnings():
        assert cz.read(path, format, raw=True) == expected


def test_segsimflex(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with cz.collect_warnings() as messages:
        cz.write(dialogue(), path, "segsimflex")
    assert "got an apostrophe" in messages[0]
    assert all(not cell.startswith(DANGEROUS) for cell in cells(path))
    assert cz.read(path, "segsimflex", types=["|"]) == dialogue()


def test_a_sheet_has_text_and_no_formula(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs caesura[excel]")
    path = tmp_path / "a.xlsx"
    units = [unit for unit in UNITS if unit != "\tx"]
    corpus = cz.Corpus({"=i": {coder: cz.Segmentation.from_masses([3, 9], units=units) for coder in ("=a", "b")}})
    cz.write(corpus, path)
    kinds = {cell.data_type for row in openpyxl.load_workbook(path).active.iter_rows() for cell in row}
    assert "f" not in kinds
    assert cz.read(path) == corpus


def test_convert_marks_formulas_unless_told_otherwise(tmp_path: Path) -> None:
    source = tmp_path / "a.parquet"
    pytest.importorskip("pyarrow", reason="needs caesura[parquet]")
    cz.write(linear(), source)
    plain, raw = tmp_path / "plain.csv", tmp_path / "raw.csv"
    result = CliRunner().invoke(main, ["convert", str(source), str(plain)])
    assert result.exit_code == 0
    assert "--raw" in result.stderr
    assert "'=1+1" in cells(plain)
    assert CliRunner().invoke(main, ["convert", str(source), str(raw), "--raw"]).exit_code == 0
    assert "=1+1" in cells(raw)
    refused = CliRunner().invoke(main, ["convert", str(plain), str(tmp_path / "b.xlsx"), "--raw"])
    assert refused.exit_code != 0
    assert "raw" in refused.stderr


@given(st.text(alphabet="'=+-@\t\x00 a5.e", max_size=8))
def test_protection_can_be_undone(cell: str) -> None:
    protected = protect_cell(cell)
    assert unprotect_cell(protected) == cell
    assert not protected.startswith(DANGEROUS) or protected == "-" or float(protected) <= 0
    assert protected in (cell, f"'{cell}")
