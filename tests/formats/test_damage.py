"""Damaged files that once gave a wrong number without a word: they are refused, or a warning names the damage."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from support.commands import invoke
from support.files import refusal
from support.fuzzing import CHAT, RS3, SAMPLES, TEXTGRID

WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n\n\n#Text=Ms. Haag plays\n"
    "1-1\t0-3\tMs.\tPER[1]\t\n1-2\t4-8\tHaag\tPER[1]\t\n1-3\t9-14\tplays\t_\t\n"
)
RTTM = "SPEAKER a 1 2.5 1.5 <NA> <NA> ann <NA> <NA>\nSPEAKER a 1 4.0 1.5 <NA> <NA> bo <NA> <NA>\n"
BORIS = SAMPLES["boris"].text
SRT = "1\n00:00:01,000 --> 00:00:02,000\nGood night\n\n2\n00:00:03,000 --> 00:00:04,000\nmoon\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nGood night\n\n00:03.000 --> 00:04.000\nmoon\n"


def conllu_rows(*numbers: str) -> str:
    return "".join("\t".join([number, "w", *("_" * 8)]) + "\n" for number in numbers)


REFUSED = {
    "an underscore, which Python reads as 20": ("a.tsv", None, "Coder\tMasses\nann\t2_0\t3\n", "mass 1: expected"),
    "a header again": ("a.tsv", None, "Coder\t1\t2\nann\t2\t3\nCoder\t1\t2\nbo\t5\n", "the header must occur once"),
    "bit strings in two columns": ("a.bits", None, "x\t0100\t0010\n", "more tabs"),
    "half a separator": ("a.ref", None, "==========\none\n=====\ntwo\n==========\n", "a separator must be =========="),
    "a section whose level is no number": (
        "a.wiki",
        "wiki-sections",
        "========,1,preface.\nOne.\n========,²,Title.\nTwo.\n",
        "a section must begin like",
    ),
    "two transcripts in one file": ("a.cha", None, CHAT + CHAT, "were files joined"),
    "a misplaced empty node": ("a.conllu", "conllu", conllu_rows("1", "2.5", "3"), "an empty node here must be"),
    "a range that begins elsewhere": ("a.conllu", "conllu", conllu_rows("1", "3-4", "2"), "a range must begin with"),
    "a segment outside the body": (
        "a.rs3",
        None,
        RS3.replace("<body>", "", 1).replace("</segment>\n", "</segment>\n<body>", 1),
        "directly in <body>",
    ),
    "an empty parent": ("a.rs3", None, RS3.replace('parent="4"', 'parent=""', 1), "the parent must have an id"),
    "a blank inside a time": ("a.rttm", None, RTTM.replace("2.5", "2 .5"), "a line has the fields"),
    "an open bracket after a label": ("a.tsv", "webanno-tsv", WEBANNO.replace("PER[1]", "PER[", 1), "must be like"),
    "a full-width number of a span": ("a.tsv", "webanno-tsv", WEBANNO.replace("PER[1]", "PER[１]", 1), "must be like"),
    "a decimal comma": ("a.csv", "boris", BORIS.replace("0.000", "0,5.000", 1), "cells like the header"),
    "two subtitle files in one": ("a.vtt", None, VTT + VTT, "were two files joined"),
}


@pytest.mark.parametrize("damage", REFUSED)
def test_a_damaged_file_is_refused(damage: str, tmp_path: Path) -> None:
    name, format, text, problem = REFUSED[damage]
    if format == "boris":
        assert text != BORIS
    if name.endswith(".cha"):
        pytest.importorskip("rustling", reason="needs caesura[talkbank]")
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    error = refusal(cz.read, path, format)
    assert problem in str(error)


WARNED = {
    "a byte order mark": ("a.bits", None, "x\t0100\n\ufeffy\t0010\n", "line 2: a byte order mark inside the file"),
    "Ctrl-Z at the end": ("a.txt", "segment-lines", "one two\nthree\n\x1a", "line 3: the character Ctrl-Z"),
    "a control character before a number": ("a.csv", None, "a,b,\x1f1,2\n", "line 1: the control character 1F"),
    "a missing token": (
        "a.tsv",
        "webanno-tsv",
        WEBANNO.replace("1-2\t4-8\tHaag\tPER[1]\t\n", ""),
        "token numbers that are missing: 1 (first in 1-3)",
    ),
    "tokens that are not the text": (
        "a.tsv",
        "webanno-tsv",
        WEBANNO.replace("\tHaag\t", "\tHague\t"),
        "sentences whose tokens are not the text of the line #Text=: 1 (first in sentence 1)",
    ),
    "a cue that begins before the cue above it": (
        "a.srt",
        None,
        SRT.replace("00:00:03,000", "00:00:00,500"),
        "cues that begin before the cue above them, kept in the order of the file: 1 (first in line 6)",
    ),
    "a cue twice": (
        "a.vtt",
        None,
        f"{VTT}\n00:03.000 --> 00:04.000\nmoon\n",
        "cues with the times of the cue above them, both kept: 1 (first in line 9)",
    ),
    "a tier that is longer than its file": (
        "a.TextGrid",
        None,
        TEXTGRID.replace("xmax = 3", "xmax = 2", 1),
        "but the file from 0 to 2 s",
    ),
}


@pytest.mark.parametrize("damage", WARNED)
def test_a_damaged_file_causes_a_warning(damage: str, tmp_path: Path) -> None:
    name, format, text, problem = WARNED[damage]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with cz.collect_warnings() as messages:
        cz.read(path, format)
    assert any(problem in message for message in messages), messages


def test_sound_files_cause_no_warning(tmp_path: Path) -> None:
    for name, text in (("a.srt", SRT), ("a.vtt", VTT), ("a.TextGrid", TEXTGRID)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        cz.read(tmp_path / name)  # a warning would be an error
    (tmp_path / "a.tsv").write_text(WEBANNO, encoding="utf-8")
    cz.read(tmp_path / "a.tsv", "webanno-tsv")


def test_a_gap_between_segments_is_noted(tmp_path: Path) -> None:
    (tmp_path / "a.lab").write_text("0.0 0.5 A\n4.5 9.0 B\n", encoding="utf-8")
    assert "1 gap between segments (first from 0.5 to 4.5 s)" in cz.read(tmp_path / "a.lab").reading.notes


def test_trees_with_the_line_ends_of_old_computers(tmp_path: Path) -> None:
    text = "(S (NP a) (VP b))\n(S (NP c) (VP d))\n"
    (tmp_path / "a.ptb").write_bytes(text.encode())
    expected = cz.read(tmp_path / "a.ptb")
    for end in (b"\r", b"\r\n"):
        (tmp_path / "a.ptb").write_bytes(text.encode().replace(b"\n", end))
        assert cz.read(tmp_path / "a.ptb") == expected


def test_names_that_look_alike_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '{"items": {"o1": {"ann": [2, 3]}, "o１": {"ann": [3, 2], "an\u200bn": [5]}}}', "utf-8"
    )
    with cz.collect_warnings():
        warnings = " ".join(cz.read(tmp_path / "a.json").reading.warnings)
    assert "items whose names look alike" in warnings
    assert "coders whose names look alike" in warnings


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.bits", "x\t0100\ny\t001", "the last line has no line end"),
        ("a.csv", "item,coder,start,end\nx,ann,0,4\nx,bo,0,4", "the last line has no line end"),
        ("a.tsv", "Coder\t1\nann\t2\t3\nbo\t3\t2", "the last line has no line end"),
        ("a.ref", "==========\none\ntwo\n==========\nthree\n", "begins with ========== and does not end with it"),
    ],
)
def test_a_file_that_may_be_cut_off_is_noted(name: str, text: str, note: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert note in str(cz.read(tmp_path / name).reading)
    (tmp_path / name).write_text(text + ("==========\n" if name == "a.ref" else "\n"), encoding="utf-8")
    assert note not in str(cz.read(tmp_path / name).reading)


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
    error = refusal(cz.read, path)
    assert message in str(error)
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
