"""Conversion of Arrow columns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from caesura.formats.arrow import to_int64

pa = pytest.importorskip("pyarrow")


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
