"""Tables that say how many coders marked each place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError, OptionError
from support.files import file_writer, refusal

UNITS = "item,unit,text,count,n\nx,1,a .,0,7\nx,2,b .,4,7\nx,3,c .,1,7\ny,1,d .,3,3\ny,2,e .,0,3\n"
put = file_writer("t.csv")


def test_units(tmp_path: Path) -> None:
    """Counts are of boundaries after the unit; the last count of an item is the end of the text."""
    path = put(tmp_path, UNITS)
    expected = {"x": cz.Marks([0, 4], 7, units=["a .", "b .", "c ."]), "y": cz.Marks([3], 3, units=["d .", "e ."])}
    assert cz.read_marks(path) == expected
    assert cz.read_marks(put(tmp_path, UNITS.replace(",", "\t"), "t.tsv")) == expected
    before = {"x": cz.Marks([4, 1], 7, units=["a .", "b .", "c ."]), "y": cz.Marks([0], 3, units=["d .", "e ."])}
    assert cz.read_marks(path, marks="start") == before
    assert cz.read_marks(path, 9)["y"].coders == 9
    assert cz.fuzzy_success(expected["x"], cz.Segmentation.from_masses([2, 1])).value > 0


def test_positions(tmp_path: Path) -> None:
    path = put(tmp_path, "position,votes\n1,0\n2,4\n3,1\n", "story.csv")
    assert cz.read_marks(path, coders=5) == {"story": cz.Marks([0, 4, 1], 5)}
    assert cz.read_marks(path, coders=5, rows="units") == {"story": cz.Marks([0, 4], 5)}


def test_data_frames(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"doc": ["x"] * 3, "position": [1, 2, 3], "n_marked": [2, 0, 5], "n_coders": [5, 5, 5]})
    assert cz.read_marks(frame) == {"x": cz.Marks([2, 0, 5], 5)}
    with pytest.raises(FormatError, match="column 'n_marked' says how many coders"):
        cz.read(frame)
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    assert cz.read_marks(tmp_path / "t.parquet") == {"x": cz.Marks([2, 0, 5], 5)}


def test_read_asks_how_many_coders_make_a_boundary(tmp_path: Path) -> None:
    path = put(tmp_path, UNITS)
    with pytest.raises(AmbiguousFileError, match="says how many coders marked each place, and not who") as caught:
        cz.read(path)
    assert [options for _, options in caught.value.choices] == [{"at_least": 4}, {"at_least": 7}, {"at_least": 1}]
    corpus = cz.read(path, at_least=3)
    expected = {("x", "at least 3 of 7"): [2], ("y", "at least 3 of 3"): [1]}
    assert {key: list(value.positions) for key, value in corpus.items()} == expected
    assert corpus["x", "at least 3 of 7"].units == ("a .", "b .", "c .")
    assert corpus.reading.roles["count"] == "number of coders who marked a boundary"
    # Counts of 0 and 1 look like marks.
    with pytest.raises(AmbiguousFileError, match="column 'votes' says how many"):
        cz.read(put(tmp_path, "unit,votes,n,comment\n1,0,7,one\n2,1,7,two\n3,0,7,three\n4,1,7,\n5,0,7,\n"))


def test_read_counts_of_an_unknown_number_of_coders(tmp_path: Path) -> None:
    path = put(tmp_path, "unit,votes\n1,0\n2,4\n3,1\n")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    assert [options for _, options in caught.value.choices] == [{"at_least": 3}, {"at_least": 1}]
    assert list(cz.read(path, at_least=1)["t", "at least 1"].positions) == [2]
    assert list(cz.read(path, at_least=1, rows="positions")["t", "at least 1"].positions) == [2, 3]
    assert list(cz.read(path, at_least=1, marks="start")["t", "at least 1"].positions) == [1, 2]


def test_other_tables_are_not_counts(tmp_path: Path) -> None:
    table = "unit,ann,bo,count,n\n1,0,1,12,3\n2,1,0,4,3\n3,0,1,7,3\n4,1,0,7,3\n"
    assert cz.read(put(tmp_path, table)).coders == ("ann", "bo")
    votes = put(tmp_path, "unit,votes\n1,0\n2,1\n3,0\n4,1\n5,0\n")
    assert cz.read(votes, fields="coders=votes").coders == ("votes",)


COUNTS = "count, counts, votes, n_marked, n_marks"
NUMBER = "the number of coders is missing; set coders=NUMBER, or add a column coders, n, n_coders"
NO_GAPS = "rows must be numbered without gaps"
FROM_0 = "expected a number of coders from 0"
BAD: dict[str, tuple[str, dict[str, Any], int | None, str]] = {
    "no counts": ("unit,ann\n1,0\n", {}, 1, f"expected a column called {COUNTS}; the columns are 'unit', 'ann'"),
    "no coders": ("unit,count\n1,3\n2,4\n", {}, 2, NUMBER),
    "text": ("unit,count,n\n1,3,7\n2,?,7\n", {}, 3, "column 'count' must contain whole numbers; got '?'"),
    "coders differ": ("unit,count,n\n1,3,7\n2,4,6\n", {}, 3, "an item must have one number of coders; got 6 after 7"),
    "too many": ("position,count\n1,3\n2,8\n", {"coders": 7}, 2, f"counts[1]: {FROM_0} to 7; got 8"),
    "gap": ("doc,unit,count,n\nx,1,3,7\nx,3,4,7\n", {}, 3, f"item 'x': {NO_GAPS}; got 3 after 1"),
    "first": ("doc,position,count,n\nx,0,3,7\nx,1,4,7\n", {}, 2, "item 'x': rows must be numbered from 1; got 0 first"),
    "no rows": ("unit,count\n", {}, 1, "the table has no rows"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, options, line, message = BAD[name]
    error = refusal(cz.read_marks, put(tmp_path, content), **options)
    assert (error.line, error.problem) == (line, message)


def test_rows_of_unknown_kind(tmp_path: Path) -> None:
    path = put(tmp_path, "doc,count,n\nx,3,7\nx,4,7\n")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read_marks(path)
    assert [options for _, options in caught.value.choices] == [{"rows": "units"}, {"rows": "positions"}]
    assert cz.read_marks(path, rows="positions")["x"].length == 3
    for options in ({"coders": 0}, {"rows": "lines"}, {"marks": "both"}):
        with pytest.raises(OptionError):
            cz.read_marks(path, **options)
