"""Rows of totals and means at the end of a table are neither units nor items."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from support.files import file_writer

UNITS = "sentence,ann,bo\nIt rained.,0,0\nShe left.,1,0\nHe stayed on.,0,1\nThe end came.,0,0\n"
ITEMS = "doc,ann,bo\na,0,0\na,1,0\na,0,0\nb,0,1\nb,1,0\nb,0,0\n"
SPANS = "item,start,end,label\na,0,4,X\na,4,9,Y\nb,0,3,X\n"
EVENTS = "item,coder,time\na,ann,1.5\na,bo,2.5\n"
write = file_writer("a.csv")


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (UNITS, "Total,1,1\n"),
        (UNITS, "Sum,1,0\n"),
        (UNITS, "Total:,1,1\nMean,0.25,0.25\n"),
        (ITEMS, "Gesamt,1,1\n"),
        (ITEMS, "Durchschnitt,,\n"),
        (ITEMS, "Grand Total,1,\n"),
        (SPANS, "Total,0,16,\n"),
        (EVENTS, "Moyenne,,2.0\n"),
        (EVENTS, ",Sum,4.0\n"),
    ],
)
def test_a_row_of_totals(text: str, row: str, tmp_path: Path) -> None:
    expected = cz.read(write(tmp_path, text))
    path = write(tmp_path, text + row)
    with pytest.raises(AmbiguousFileError, match="it may be a total and no unit") as caught:
        cz.read(path)
    assert [options for _, options in caught.value.choices] == [{"totals": "ignore"}, {"totals": "keep"}]
    corpus = cz.read(path, totals="ignore")
    assert corpus == expected
    assert f"({row.splitlines()[-1].strip(',').split(',')[0]})" in str(corpus.reading)


def test_a_row_that_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, UNITS + "Total,1,1\n")
    assert cz.read(path, totals="keep")["a", "ann"].length == 5


@pytest.mark.parametrize(
    "text",
    [
        "token,ann,bo\nthe,0,0\ngrand,1,0\ntotal,0,0\n",  # the last word of a text
        "doc,unit,ann,bo\na,1,0,0\na,2,1,0\na,3,0,0\nTotal,1,0,0\n",  # numbered
        "doc,ann,bo\na,0,0\na,1,0\na,0,1\nTotal,0,0\nTotal,1,0\n",  # an item of two units
        "item,coder,start,end\na,ann,0,4\na,bo,0,3\nTotal,ann,0,5\n",  # of a coder
        "sentence,ann,bo\nIt rained.,0,0\nMean people left.,1,0\nThe sum total,0,1\n",
    ],
)
def test_rows_like_the_others(text: str, tmp_path: Path) -> None:
    with cz.collect_warnings():
        corpus = cz.read(write(tmp_path, text))
    assert not any("line" in entry for entry in corpus.reading.ignored)


def test_totals_of_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "text,count,n\nIt rained,0,3\nShe left,2,3\nHe stayed,0,3\nTotal,2,3\n")
    with pytest.raises(FormatError, match=r"a\.csv:5: .*'Total': it may be a total and no unit; remove the row"):
        cz.read_marks(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Coder\t1\t2\nann\t2\t3\nTotal\t5\t5\n", r"a\.tsv:3: .*'Total' may be a total and no coder"),
        ("Item\tCoder\tm\nx\tann\t2\t3\nMean\t\t3\t2\n", r"a\.tsv:3: .*'Mean' may be a total and no coder"),
        ("Item\tCoder\tm\nx\tann\t2\t3\nx\t\t3\t2\n", r"a\.tsv:3: .*the name of the coder is missing"),
    ],
)
def test_totals_of_masses(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(FormatError, match=problem):
        cz.read(tmp_path / "a.tsv")
    corpus = cz.Corpus({"x": {"total": cz.Segmentation.from_masses([2, 3])}})
    with pytest.raises(FormatError, match="a coder cannot be named 'total'"):
        cz.write(corpus, tmp_path / "b.tsv", "masses-tsv")


def test_totals_of_spans_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "ann,A,1,2\nbo,A,1.5,2\nTotal,,2.5,4\n")
    with pytest.raises(AmbiguousFileError, match="'Total'"):
        cz.read(path)
    assert cz.read(path, totals="ignore").coders == ("ann", "bo")
