"""Data frames in files of R."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError
from caesura.formats import detect
from support.fuzzing import r_frame

pd = pytest.importorskip("pandas")
rdata = pytest.importorskip("rdata", reason="rdata is not installed: pip install caesura[r]")

EXPECTED = cz.Corpus(
    {
        "x": {
            "ann": cz.Segmentation.from_masses([2, 1], units=["a b .", "c .", "d ."]),
            "bo": cz.Segmentation.from_masses([1, 2], units=["a b .", "c .", "d ."]),
        },
        "y": {coder: cz.Segmentation.from_masses([1, 1], units=["e .", "f ."]) for coder in ("ann", "bo")},
    }
)


def write_rda(path: Path, **objects: Any) -> Path:
    rdata.write_rda(path, objects)
    return path


def test_a_data_frame(tmp_path: Path) -> None:
    """Factors become their labels, truth values and numbers are marks."""
    path = tmp_path / "t.rds"
    for options in ({}, *({"compression": name} for name in ("bzip2", "xz", None)), {"file_format": "ascii"}):
        rdata.write_rds(path, r_frame(), **options)
        corpus = cz.read(path)
        assert corpus == EXPECTED
        assert dict(corpus.reading.roles) == {"doc": "item", "sentence": "text", "ann": "1/0 marks", "bo": "1/0 marks"}
    assert cz.read(path, fields={"coders": "bo"}).coders == ("bo",)
    rdata.write_rds(tmp_path / "t.bin", r_frame())
    assert detect(tmp_path / "t.bin").name == "table-r"


def test_several_objects(tmp_path: Path) -> None:
    path = write_rda(tmp_path / "t.RData", one=r_frame(), number=3.0)
    corpus = cz.read(path)
    assert corpus == EXPECTED
    assert (corpus.reading.notes, corpus.reading.ignored) == (("data frame one",), ("number (not a data frame)",))
    path = write_rda(tmp_path / "t.rda", one=r_frame(), more={"two": r_frame()[["doc", "sentence", "bo"]]})
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    assert caught.value.problem == "the file contains 2 data frames"
    assert caught.value.choices == (
        ("one, with the columns doc, sentence, ann, bo", {"object": "one"}),
        ("more$two, with the columns doc, sentence, bo", {"object": "more$two"}),
    )
    assert cz.read(path, object="one") == EXPECTED
    assert cz.read(path, object="more$two").coders == ("bo",)
    with pytest.raises(FormatError, match=r"no data frame has the name 'x'; the data frames are one, more\$two"):
        cz.read(path, object="x")


def test_a_file_that_r_wrote() -> None:
    corpus = cz.read(rdata.TESTDATA_PATH / "test_dataframe.rda")
    assert dict(corpus.reading.roles) == {"class": "segment labels"}
    assert next(iter(corpus.values())).masses == (1, 2)  # a | b b


def test_row_names(tmp_path: Path) -> None:
    rdata.write_rds(tmp_path / "t.rds", r_frame().set_axis(pd.Index([*"pqrst"], dtype=object)))
    corpus = cz.read(tmp_path / "t.rds")
    assert corpus == EXPECTED
    assert corpus.reading.ignored == ("row names (not needed)",)


def test_compact_vectors(tmp_path: Path) -> None:
    """R stores 1:1000 in a few bytes, so that a small file may claim a vector of any size."""

    def pairs(*values: bytes) -> bytes:
        return b"".join(struct.pack(">i", 2) + value for value in values) + struct.pack(">i", 254)

    def symbol(name: bytes) -> bytes:
        return struct.pack(">iii", 1, 9 | 64 << 12, len(name)) + name

    for length, message in (
        (1000, "expected a data frame; got none"),
        (10**9, "may have 67108864 elements; this has 10"),
    ):
        integer = struct.pack(">iii", 13, 1, 13)
        info = pairs(symbol(b"compact_intseq"), symbol(b"base"), integer)
        state = struct.pack(">iiddd", 14, 3, length, 1, 1)
        data = b"X\n" + struct.pack(">iii", 3, 0x40000, 0x30500) + struct.pack(">i", 5) + b"UTF-8"
        (tmp_path / "t.rds").write_bytes(data + struct.pack(">i", 238) + info + state + struct.pack(">i", 254))
        with pytest.raises(FormatError, match=message):
            cz.read(tmp_path / "t.rds")


BAD = {
    "no frame": (lambda path: rdata.write_rds(path, {"a": 1.0}), "expected a data frame; got none"),
    "text": (lambda path: path.write_text("item,ann\n"), r"expected a file of R .* begins with b'item,ann\\n'"),
    "gzip": (lambda path: path.write_bytes(gzip.compress(b"X\n" * 100)[:-12]), "the compressed file is damaged"),
    "damaged bzip2": (lambda path: path.write_bytes(bz2.compress(b"X\n" * 100)[:-9]), "the compressed file is damaged"),
    "damaged xz": (lambda path: path.write_bytes(lzma.compress(b"X\n")[:-20]), "the compressed file is damaged"),
    "damaged": (lambda path: path.write_bytes(b"X\n\0\0\0\3"), "not a valid file of R"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    make, message = BAD[name]
    make(tmp_path / "t.rds")
    with pytest.raises(FormatError, match=message):
        cz.read(tmp_path / "t.rds")


def test_a_file_that_grows_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.rds").write_bytes(gzip.compress(b"X\n" + bytes(2**20)))
    monkeypatch.setattr("caesura.formats.r_data._MAX_BYTES", 2**18)
    with pytest.raises(FormatError, match="expected at most 262144 bytes without compression; this has more"):
        cz.read(tmp_path / "t.rds")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rdata.write_rds(tmp_path / "t.rds", r_frame())
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(FormatError, match=r"reading this needs rdata; run pip install 'caesura\[r\]'"):
        cz.read(tmp_path / "t.rds")
