"""Large tables: pyarrow and the standard library parse the same, and many items are built as single ones are."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import columns as table_columns
from caesura.formats.columns import parse_delimited
from caesura.formats.format import Reading
from support.examples import examples

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")

PIECES = st.text(st.sampled_from('a,;\t"\n\r é1'), max_size=8)
CELLS = st.sampled_from(["", "a", "1", "0.0", "NA", "null", "2020-01-01", "x y", " a ", "é", "'", "#", "\\", "1,5"])
QUOTED = st.sampled_from(['""', '"a"', '"a, b"', '"a ""b"""', '"a\nb"', '"a\r\nb"', '"a" ', ' "a"', 'a"b', '"a"b', '"'])


def parsed(text: str, delimiter: str, block_size: int, *, arrow: bool) -> Any:
    """Return the content of a table, or the error."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table_columns, "MIN_ARROW_SIZE", 0 if arrow else 2**40)
        patched.setattr(table_columns, "ARROW_BLOCK_SIZE", block_size)
        try:
            table = parse_delimited(Reading("a.csv", text), delimiter=delimiter)
        except FormatError as error:
            return str(error)
    columns = {name: (column.values, column.codes.tolist()) for name, column in table.columns.items()}
    return columns, table.lines.tolist(), table.ignored, table.notes


def assert_same(text: str, delimiter: str, size: int) -> None:
    """Check that both parsers give the same table or an error; of several errors, they may report different ones."""
    actual, expected = (parsed(text, delimiter, size, arrow=arrow) for arrow in (True, False))
    assert actual == expected or (isinstance(actual, str) and isinstance(expected, str))


@given(
    st.lists(st.tuples(CELLS | QUOTED, CELLS, CELLS), max_size=8), st.sampled_from(["\r\n", "\n"]), st.integers(0, 60)
)
@examples(150)
def test_pyarrow_and_the_standard_library_parse_the_same_cells(rows: list[Any], end: str, size: int) -> None:
    for delimiter in (",", "\t"):
        text = end.join(delimiter.join(row) for row in [("p", "q", "r"), *rows])
        assert_same(text, delimiter, size)


@given(PIECES, st.lists(PIECES, max_size=6), st.integers(0, 30))
@examples(150)
def test_pyarrow_and_the_standard_library_parse_the_same_text(first: str, rows: list[str], size: int) -> None:
    text = "\n".join(["p,q", first, *rows])
    assert_same(text, ",", size)


def test_pyarrow_parses_plain_and_quoted_cells_and_leaves_the_rest() -> None:
    assert table_columns.parse_block('a,"b, ""c"""\n,1\n', ",", 2) is not None
    for text in ("a,b\n\nc,d\n", 'a,"b\nc"\n', "a\n", 'a,"b"c\n', "a,b\rc,d\n", f"a,{'b' * csv.field_size_limit()}c\n"):
        assert table_columns.parse_block(text, ",", 2) is None


@given(
    st.lists(st.lists(st.sampled_from(["0", "1", "", "NA"]), min_size=1, max_size=4), min_size=1, max_size=6),
    st.booleans(),
)
@examples(150)
def test_items_are_built_as_on_their_own(items: list[list[str]], shuffled: bool) -> None:
    """A table of many items gives the same segmentations and errors as a table per item."""
    rows = [(f"i{i}", f"t{n}", cell, "01"[n % 2]) for i, cells in enumerate(items) for n, cell in enumerate(cells)]
    if shuffled:  # items alternate, the units of each stay in order
        rows.sort(key=lambda row: int(row[1][1:]))
    rows += [("x", "a", "0", "1"), ("x", "b", "1", "0"), ("x", "c", "0", "0")]  # the column writes 0
    out = io.StringIO()
    csv.writer(out).writerows([("item", "text", "ann", "bo"), *rows])
    excluded: list[FormatError] = []
    corpus = _read(out.getvalue(), excluded)
    problems = {error.problem.split(",")[0] for error in excluded}
    for i, cells in enumerate(items):
        states = set(cells)
        inner = set(cells[:-1])
        if states == {"NA"} or states == {""}:
            assert (f"i{i}", "ann") not in corpus
        elif "NA" in states or ("" in inner and "0" in states):
            assert (f"i{i}", "ann") not in corpus
            assert f"item 'i{i}'" in problems
        else:
            positions = [n for n, cell in enumerate(cells[:-1], 1) if cell == "1"]
            units = [f"t{n}" for n in range(len(cells))]
            expected = cz.Segmentation.from_positions(len(cells), positions, units=units)
            assert corpus[f"i{i}", "ann"] == expected
            assert hash(corpus[f"i{i}", "ann"]) == hash(expected)
            assert not corpus[f"i{i}", "ann"].inner.flags.writeable


def _read(text: str, excluded: list[FormatError]) -> cz.Corpus:
    from caesura.formats import formats
    from caesura.formats.table import read_table

    reading = Reading("a.csv", text, None, excluded, formats()["table-csv"].resolve({"fields": "coders=ann+bo"}))
    return read_table(reading, parse_delimited(reading, delimiter=","))


def test_valid_positions_give_the_same_segmentation() -> None:
    positions = np.array([2, 3])
    for units in (None, ("a", "b", "c", "d")):
        segmentation = cz.Segmentation.from_valid_entries(4, positions, units=units)
        assert segmentation == cz.Segmentation.from_positions(4, [2, 3], units=units)
    positions[0] = 1
    assert segmentation.positions.tolist() == [2, 3]
