"""Dots between thousands in positions, times and lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from support.files import file_writer

HEADER = "item,coder,start,end,label\n"
PLAIN = HEADER + "x,ann,0,900,A\nx,ann,900,2100,B\nx,bo,0,1100,A\nx,bo,1100,2100,B\n"
GROUPED = HEADER + "x,ann,0,900,A\nx,ann,900,2100,B\nx,bo,0,1.100,A\nx,bo,1.100,2.100,B\n"
write = file_writer("a.csv")


def test_one_coder_writes_thousands(tmp_path: Path) -> None:
    expected = cz.read(write(tmp_path, PLAIN))
    path = write(tmp_path, GROUPED)
    with pytest.raises(AmbiguousFileError, match=r"column 'end' has 1\.100 \(line 4\) beside 2100") as caught:
        cz.read(path)
    assert [options for _, options in caught.value.choices] == [{"thousands": True}, {"thousands": False}]
    corpus = cz.read(path, thousands=True)
    assert corpus == expected
    assert "dots in start separate thousands" in str(corpus.reading)
    assert cz.read(path, thousands=False)["x", "bo"].ends.tolist() == [1.1, 2.1]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "item;coder;time\nx;ann;900\nx;ann;1,100\nx;bo;950\nx;bo;1100\n",  # a decimal comma, or thousands
        "item,coder,time\nx,ann,250\nx,ann,900\nx,ann,1.100\nx,bo,800\nx,bo,1.250\n",  # falls only as decimals
        "item,coder,onset,duration\nx,ann,0,1.100\nx,ann,1100,500\nx,bo,0,1100\nx,bo,1100,250\n",
        "item,coder,start,end,length\nx,ann,0,900,1.100\ny,bo,0,950,1200\n",
    ],
)
def test_plausible_thousands(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(AmbiguousFileError, match="thousands"):
        cz.read(path)
    fixed = write(tmp_path, text.replace("1,100", "1100").replace("1.100", "1100").replace("1.250", "1250"), "b.csv")
    first, second = cz.read(path, thousands=True), cz.read(fixed)
    assert [*first.values()] == [*second.values()]


@pytest.mark.parametrize(
    "times",
    [
        ("0.512", "1.100", "1000", "1200.5"),  # milliseconds as decimals
        ("1.100", "2.350", "12.125", "999"),  # in order as decimals
        ("1.1", "900", "1100", "1200"),
        ("100", "900", "1100", "1200"),
    ],
)
def test_decimals(times: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path, "item,coder,time\n" + "".join(f"x,ann,{time}\n" for time in times))
    assert [point.time for point in cz.read(path)["x", "ann"].points] == [*map(float, times)]  # type: ignore[union-attr]


@pytest.mark.parametrize("cell", ['"1,100"', "1 100", "1\xa0100", "1'100"])
def test_other_separators_are_errors(cell: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.csv:3"):
        cz.read(write(tmp_path, f"item,coder,time\nx,ann,900\nx,ann,{cell}\nx,bo,1100\nx,bo,800\n"))
