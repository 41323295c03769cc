"""Tables of units in Parquet, and limits of their size."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, FormatError
from caesura.formats.arrow import to_int64
from caesura.formats.parquet_pages import PageChecker
from support.examples import examples
from support.files import refusal

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
pq = pytest.importorskip("pyarrow.parquet")

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
columns = names.filter(lambda name: name == name.strip() and name not in ("item", "stream", "unit", "text", "types"))


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    types = draw(
        st.lists(names | st.sampled_from(["1", "NA", "[", ",", '"', "a\nb"]), min_size=1, max_size=3, unique=True)
    )
    who = draw(st.lists(columns, min_size=1, max_size=2, unique=True))
    text, streams = draw(st.booleans()), draw(st.booleans())
    items: dict[str, dict[str, cz.Segmentation | dict[str, cz.Segmentation]]] = {}
    for item in draw(st.lists(names, min_size=1, max_size=2, unique=True)):
        length = draw(st.integers(1, 5))
        units = draw(st.lists(names | st.just(""), min_size=length, max_size=length)) if text else None
        marked = st.lists(st.lists(st.sampled_from(types), unique=True), min_size=length, max_size=length)
        items[item] = {}
        for coder in who:
            marks = {i: mark for i, mark in enumerate(draw(marked), 1) if mark}
            segmentation = cz.Segmentation.from_positions(
                length, list(marks), marks=list(marks.values()), types=types, units=units
            )
            items[item][coder] = {"F": segmentation} if streams else segmentation
    return cz.Corpus(items)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parquet")


@examples(100)
@given(corpus=corpora())
def test_round_trip(corpus: cz.Corpus, folder: Path) -> None:
    cz.write(corpus, folder / "c.parquet")
    assert cz.read(folder / "c.parquet") == corpus
    cz.write(corpus, folder / "c.data", "table-parquet")  # known by its first bytes
    assert cz.read(folder / "c.data") == corpus


def put(folder: Path, data: dict[str, object], **options: object) -> Path:
    path = folder / "t.parquet"
    pq.write_table(pa.table(data), path, **options)
    return path


@pytest.mark.parametrize(
    "cells",
    [
        ["", "1", "", ""],
        [None, "1", None, None],
        [0, 1, 0, 1],
        [None, 1, None, None],
        [False, True, False, False],
        pa.array([0.0, 1.0, 0.0, None], pa.float64()),
        pa.array([None, "1", None, None]).dictionary_encode(),
        pa.array(["0", "1", "0", "0"], pa.large_string()),
    ],
)
def test_cells_of_data_frames(cells: object, tmp_path: Path) -> None:
    # ··|··
    path = put(tmp_path, {"unit": [1, 2, 3, 4], "text": ["a", "b", "c", "d"], "ann": cells, "bo": ["x", "", "", ""]})
    corpus = cz.read(path)
    assert corpus["t", "ann"].masses == (2, 2)
    assert corpus["t", "ann"].units == ("a", "b", "c", "d")
    assert corpus["t", "bo"].masses == (1, 3)


def test_same_corpus_as_from_csv(tmp_path: Path) -> None:
    rows = 70_000  # more than a batch
    item = [f"i{i // 7000}" for i in range(rows)]
    unit = [i % 7000 + 1 for i in range(rows)]
    text = [f"w{i % 91}" for i in range(rows)]
    marks = [",."[i % 2] if i % 13 == 0 else "" for i in range(rows)]
    path = put(tmp_path, {"item": item, "unit": unit, "text": text, "ann": marks}, row_group_size=20_000)
    lines = [f'{i},{u},{t},"{m}"' for i, u, t, m in zip(item, unit, text, marks, strict=True)]
    (tmp_path / "t.csv").write_text("item,unit,text,ann\n" + "\n".join(lines) + "\n")
    assert cz.read(path) == cz.read(tmp_path / "t.csv")


BAD = {
    "half": ({"x": [0.5, 1.0]}, 1, "no column contains marks, boundary types or labels; the columns are x (numbers"),
    "list": ({"x": [[["a"]], [["b"]]]}, 1, "the table has no columns"),
    "no coder": ({"unit": [1, 2]}, 1, "expected one column per coder besides unit; got none"),
    "order": ({"unit": [1, 3], "x": [1, 0]}, 2, "units must be numbered in order; got 3 after 1"),
    "partly": ({"x": ["NA", "1"]}, 1, "item 't', coder 'x': NA must be in all cells or in none"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    data, line, message = BAD[name]
    error = refusal(cz.read, put(tmp_path, data))
    assert error.line == line
    assert error.problem.startswith(message)


def test_a_file_that_is_not_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for content in (b"unit,ann\n1,1\n", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="not valid Parquet: "):
            cz.read(path)


def test_truncated_and_damaged_files(tmp_path: Path) -> None:
    rng = random.Random(7)
    path = tmp_path / "c.parquet"
    segmentation = cz.Segmentation.from_bits("010" * 30, units=[f"w{i}" for i in range(91)])
    cz.write(cz.Corpus({"i": {"ann": segmentation}}), path)
    whole = path.read_bytes()
    for cut in range(4, len(whole), len(whole) // 40):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            cz.read(path)
    for _ in range(150):
        changed = bytearray(whole)
        changed[rng.randrange(4, len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        with suppress(CaesuraError):
            cz.read(path)


def test_a_damaged_page_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    cz.write(cz.Corpus({"i": {"ann": cz.Segmentation.from_bits("0", units=["Xanadu", "Kubla"])}}), path)
    whole = path.read_bytes()
    at = whole.index(b"Xanadu")
    path.write_bytes(whole[:at] + b"Y" + whole[at + 1 :])
    with pytest.raises(FormatError, match=r"not valid Parquet: .*CRC"):
        cz.read(path)


@pytest.mark.parametrize(
    ("limit", "message"), [("declared_cells", "100 cells; this claims to have 400$"), ("unpacked_bytes", "100 bytes")]
)
def test_files_that_claim_to_be_too_large_are_rejected(
    limit: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, {"text": [str(i) for i in range(200)], "x": [0, 1] * 100})
    cz.read(path)
    monkeypatch.setattr(f"caesura.formats.columns.{limit}", lambda size: 100)
    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", None)
    with pytest.raises(FormatError, match=f"a table of at most {message}"):
        cz.read(path)


def test_a_long_word_in_every_row_is_stored_once(tmp_path: Path) -> None:
    # as plain text these words would take forty gigabytes
    word = "x" * 2**20
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 40_000, pa.int32()), [word])
    segmentation = cz.read(put(tmp_path, {"text": column, "ann": ["1"] + [""] * 39_999}))["t", "ann"]
    assert segmentation.masses == (1, 39_999)
    assert len({id(unit) for unit in segmentation.units}) == 1


def test_without_pyarrow(tmp_path: Path) -> None:
    path = put(tmp_path, {"x": ["1"]})
    code = f"import sys; sys.modules['pyarrow'] = None; import caesura; caesura.read({str(path)!r})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "reading this needs pyarrow; run pip install 'caesura[parquet]'" in process.stderr


def test_half_a_surrogate_pair_is_rejected(tmp_path: Path) -> None:
    corpus = cz.Corpus({"i": {"c": cz.Segmentation.from_masses([1], units=["\ud800"])}})
    for name in ("t.parquet", "t.csv"):
        with pytest.raises(FormatError, match="text in UTF-8 cannot contain half a surrogate pair"):
            cz.write(corpus, tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pages_of_other_programs_pass_the_check(
    version: str, compression: str, dictionary: bool, tmp_path: Path
) -> None:
    rows = 5000
    table = pa.table({"item": [f"x{i % 7}" for i in range(rows)], "ann": [i % 3 for i in range(rows)]})
    path = tmp_path / "a.parquet"
    options = {"compression": compression, "use_dictionary": dictionary, "data_page_version": version}
    pq.write_table(table, path, data_page_size=64, write_batch_size=16, row_group_size=900, **options)
    data = path.read_bytes()
    with pa.BufferReader(data) as source:
        checker = PageChecker("a.parquet", source, pq.ParquetFile(path))
        for group in range(6):
            checker.check(group)
    assert checker.pages > 12  # several pages per column


def test_a_page_that_claims_to_be_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"item": ["x", "x"], "ann": [0, 1]}), path, use_dictionary=False)
    data = bytearray(path.read_bytes())
    place = pq.read_metadata(path).row_group(0).column(1).data_page_offset
    # The header: field 1, type of page; field 2, size without compression, as a zigzag number of at most five bytes.
    assert data[place] == data[place + 2] == 0x15
    size = 2**31 - 1
    number = bytes([(size * 2 >> shift) & 127 | 128 for shift in (0, 7, 14, 21)]) + bytes([size * 2 >> 28])
    end = place + 3
    while data[end] & 128:
        end += 1
    damaged = bytes(data[: place + 3]) + number + bytes(data[end + 1 :])
    with pa.BufferReader(damaged) as source, pytest.raises(FormatError, match="one claims to have 2,147,483,647"):
        PageChecker("a.parquet", source, pq.ParquetFile(path)).check(0)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers_of_every_width(kind: str) -> None:
    column = pa.array([3, 0, 100, 7], getattr(pa, kind)())
    for part, expected in ((column, [3, 0, 100, 7]), (column.slice(1, 2), [0, 100]), (column.slice(4), [])):
        numbers = to_int64(part)
        assert numbers.dtype == np.int64
        assert numbers.tolist() == expected


def test_numbers_that_are_too_large_become_the_largest() -> None:
    assert to_int64(pa.array([2**64 - 1, 5], pa.uint64())).tolist() == [2**63 - 1, 5]


def test_negative_numbers_and_truth_values() -> None:
    assert to_int64(pa.array([-1, -128], pa.int8())).tolist() == [-1, -128]
    assert to_int64(pa.array([True, False])).tolist() == [1, 0]


def test_a_large_table_is_read_without_pandas(tmp_path: object) -> None:
    """To import pandas takes longer than to read a file of 1 MB."""
    path = f"{tmp_path}/marks.csv"
    with open(path, "w") as file:
        file.write("item,a,b\n" + "x,0,1\nx,1,0\nx,0,0\n" * 20_000)
    code = f"import sys, caesura; assert len(caesura.read({path!r})) == 2; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
