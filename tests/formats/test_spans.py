"""Spans as JSON and as tables: reading, writing and round trips."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Hierarchy, Segmentation, Spans
from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.formats import detect
from support.examples import examples
from support.files import file_writer

# ann |-----------|   bo |-----------|
#     |---|-------|          |-------|
#     In Xanadu did Kubla Khan decree
POEM = {
    "items": {
        "poem": {
            "length": 6,
            "units": ["In", "Xanadu", "did", "Kubla", "Khan", "decree"],
            "coders": {"ann": [[1, 6, 1, "S"], [1, 2, 2], [3, 6, 2]], "bo": [[1, 6], [3, 6]]},
        }
    }
}
SONG = {
    "unit": "seconds",
    "items": {"song": {"duration": 10, "coders": {"ann": [[0, 9.5, 1, "A"], [0, 4.25, 2, "a"], [4.25, 9.5, 2, "b"]]}}},
}
write_file = file_writer("t.json")


# -- JSON -------------------------------------------------------------------------------------------------------------


def test_units(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, POEM))
    ann, bo = corpus["poem", "ann"], corpus["poem", "bo"]
    assert isinstance(ann, Hierarchy)
    assert isinstance(bo, Hierarchy)
    assert [tuple(span) for span in ann.spans] == [(1, 6, 1, "S"), (1, 2, 2, None), (3, 6, 2, None)]
    assert ann.units == ("In", "Xanadu", "did", "Kubla", "Khan", "decree")
    assert bo.full == {(1, 6, 1), (3, 6, 2)}  # derived


def test_times(tmp_path: Path) -> None:
    hierarchy = cz.read(write_file(tmp_path, SONG))["song", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0.0, 4.25, 9.5, 10.0)
    assert hierarchy.full == {(1, 2, 1), (1, 1, 2), (2, 2, 2)}


def test_coders_with_different_continua(tmp_path: Path) -> None:
    data = {"items": {"t": {"coders": {"a": {"length": 3, "spans": [[1, 3]]}, "b": {"length": 4, "spans": []}}}}}
    corpus = cz.read(write_file(tmp_path, data))
    assert corpus["t", "a"] == Hierarchy(3, [(1, 3)])
    assert corpus["t", "b"] == Hierarchy(4, [])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (POEM, "spans-json"),
        (SONG, "spans-json"),
        ({"items": {"poem": {"ann": [2, 3]}}}, "masses-json"),
        ({"items": {"coders": {"ann": [2, 3]}}}, "masses-json"),  # an item of that name
        ({"items": {"poem": {"coders": [2, 3]}}}, "masses-json"),  # a coder of that name
        ({"items": {"poem": {"length": 3, "coders": []}}}, "spans-json"),
        ({"items": {}, "tracks": {}}, "masses-json"),
    ],
)
def test_masses_are_not_read_as_spans(tmp_path: Path, data: object, name: str) -> None:
    assert detect(write_file(tmp_path, data)).name == name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": 7}, "units: expected one string per unit; got 6 for 7 units"),
        ({"length": 0}, "length must be from 1 to"),
        ({"length": 10**30}, "length must be from 1 to .* got 1000"),
        ({"length": 10**300}, "length must be from 1 to .* got a very large number"),
        ({"length": 6.0}, "length must be a whole number; got 6.0"),
        ({"duration": 6}, "duration is for spans in seconds; these are in units"),
        ({"units": "In Xanadu"}, "units: expected a list of strings; got 'In Xanadu'"),
        ({"units": [1]}, r"units\[0\]: expected a string; got 1"),
        ({"coders": []}, r'expected .*"coders": .*; got a list'),
        ({"coders": {"a": {"length": 6}}}, r"expected \[\[start, end, level, label\]\]; got None"),
        ({"coders": {"a": [[1]]}}, r"spans\[0\]: a span is \[start, end, level, label\]"),
        ({"coders": {"a": [7]}}, r"spans\[0\]: a span is .* got 7"),
        ({"coders": {"a": [[1, 2, 1, "x", 0]]}}, r"spans\[0\]: .* got 5 values"),
        ({"coders": {"a": [[True, 2]]}}, r"spans\[0\]: start must be a whole number; got True"),
        ({"coders": {"a": [[1, 2, 0]]}}, r"spans\[0\]: level must be from 1"),
        ({"coders": {"a": [[1, 2, 1, 5]]}}, r"spans\[0\]: label must be a string; got 5"),
        ({"coders": {"a": [[1, 2, 1], [1, 2]]}}, r"spans\[1\]: either all spans must have a level or none"),
        ({"extent": 0}, "extent must be from 1"),
    ],
)
def test_invalid_files(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write_file(tmp_path, {"items": {"poem": {**POEM["items"]["poem"], **change}}})
    with pytest.raises(FormatError, match=message):
        cz.read(path, "spans-json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duration": -1}, "duration must be a time in seconds from 0 to 1e.12; got -1"),
        ({"duration": 10**400}, "duration must be a time .* got a very large number"),
        ({"edges": [0]}, "edges: expected two or more times; got 1"),
        ({"edges": [0, 4.25, 10]}, "a span must begin and end at one of the edges; got 9.5"),
        ({"edges": [0, 9.5, 4.25, 10]}, r"edges\[2\]: times must ascend; got 4.25 after 9.5"),
        ({"edges": [0, 4.25, 9.5, 11]}, "the last edge must be the duration, 10.0; got 11.0"),
        ({"length": 3}, "length is for spans in units; these are in seconds"),
        ({"coders": {"a": [[-1, 3]]}}, r"spans\[0\]: start must be a time in seconds from 0 to 1e.12; got -1"),
        ({"coders": {"a": [[1e999, 3]]}}, r"spans\[0\]: start must be a time in seconds from 0 to 1e.12; got inf"),
    ],
)
def test_invalid_spans_in_time(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write_file(tmp_path, {**SONG, "items": {"song": {**SONG["items"]["song"], **change}}})  # type: ignore[index, dict-item]
    with pytest.raises(FormatError, match=message):
        cz.read(path)


def test_spans_of_zero_length_are_left_out_and_counted(tmp_path: Path) -> None:
    data = {"unit": "seconds", "items": {"song": {"coders": {"ann": [[0, 0], [0, 5], [5, 5]]}}}}
    message = r"spans of zero length left out: 2 in 1 annotation \(first in item 'song', coder 'ann'\)"
    with pytest.warns(CaesuraWarning, match=message):
        hierarchy = cz.read(write_file(tmp_path, data))["song", "ann"]
    assert hierarchy == Hierarchy.from_times([(0, 5)])


def test_beyond_the_end(tmp_path: Path) -> None:
    data = {
        "unit": "seconds",
        "items": {"s": {"duration": 10, "coders": {"a": [[0, 12, 1], [11, 12, 2]], "b": [[0, 10, 1]]}}},
    }
    path = write_file(tmp_path, data)
    with pytest.warns(CaesuraWarning, match="item 's': extended from 10 s to 12 s, where its annotations end"):
        extended = cz.read(path, beyond="extend")
    assert [extended["s", coder].edges for coder in "ab"] == [(0, 11, 12), (0, 10, 12)]  # type: ignore[union-attr]
    with pytest.warns(CaesuraWarning, match=r"item 's': 2 span\(s\) were clipped or excluded at its end, 10 s"):
        clipped = cz.read(path, beyond="clip")
    assert clipped["s", "a"] == clipped["s", "b"] == Hierarchy.from_times([(0, 10)])
    with pytest.raises(OptionError, match="beyond must be one of 'error', 'extend', 'clip'; got 'no'"):
        cz.read(path, beyond="no")


def test_repair_warns(tmp_path: Path) -> None:
    data = {"items": {"t": {"length": 8, "coders": {"a": [[1, 8, 1], [2, 5, 2], [4, 6, 2]]}}}}
    with pytest.warns(CaesuraWarning, match="spans left out because they do not nest: 1 "):
        hierarchy = cz.read(write_file(tmp_path, data), repair=True)["t", "a"]
    assert hierarchy == Hierarchy(8, [(1, 8, 1), (2, 5, 2)])


def test_snap_against_rounding(tmp_path: Path) -> None:
    # 0-5.0001 and 5-9 cross because of rounding
    data = {"unit": "seconds", "items": {"s": {"duration": 9, "coders": {"a": [[0, 5.0001, 1], [5, 8.9999, 1]]}}}}
    with pytest.raises(FormatError, match="cross"):
        cz.read(write_file(tmp_path, data))
    hierarchy = cz.read(write_file(tmp_path, data), snap=0.001)["s", "a"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0, 5, 8.9999, 9)
    assert hierarchy.full == {(1, 1, 1), (2, 2, 1)}


# -- tables -----------------------------------------------------------------------------------------------------------


def test_a_table(tmp_path: Path) -> None:
    rows = "item,coder,start,end,level,label,length\npoem,ann,1,6,1,S,8\npoem,ann,1,2,2,,\npoem,bo,3,6,1,,\n"
    corpus = cz.read(write_file(tmp_path, rows, "t.csv"))
    assert corpus["poem", "ann"] == Hierarchy(8, [(1, 6, 1, "S"), (1, 2, 2)])
    assert corpus["poem", "bo"] == Hierarchy(8, [(3, 6, 1)])  # the item's length


def test_length_is_the_largest_end_by_default(tmp_path: Path) -> None:
    path = write_file(tmp_path, "coder\tstart\tend\nann\t1\t4\nbo\t2\t6\n", "poem.tsv")
    assert cz.read(path)["poem", "ann"] == Spans([(1, 4)])  # half-open offsets, because there is no level
    assert cz.read(path, spans="inclusive")["poem", "ann"] == Spans([(0, 4)])
    assert cz.read(path, length=9)["poem", "ann"] == Spans([(1, 4)], length=9)
    assert cz.read(path, as_="hierarchy")["poem", "ann"] == Hierarchy(6, [(2, 4)])
    assert cz.read(path, spans="inclusive", as_="hierarchy")["poem", "ann"] == Hierarchy(6, [(1, 4)])
    assert cz.read(path, length=9, as_="hierarchy")["poem", "ann"] == Hierarchy(9, [(2, 4)])


def test_times_are_named_not_guessed(tmp_path: Path) -> None:
    rows = "item;annotator;start_time;end_time\ns;a;0;12\ns;a;0;4.5\ns;b;0;12\n"
    path = write_file(tmp_path, rows, "t.csv")
    assert cz.read(path)["s", "a"] == Spans([(0, 12), (0, 4.5)], seconds=True)
    assert cz.read(path, as_="hierarchy")["s", "a"] == Hierarchy.from_times([(0, 12), (0, 4.5)])
    whole = write_file(tmp_path, "item,coder,start,end\ns,a,1,12\n", "u.csv")
    assert cz.read(whole)["s", "a"] == Spans([(1, 12)])
    assert cz.read(whole, unit="seconds")["s", "a"] == Spans([(1, 12)], seconds=True)
    assert cz.read(whole, unit="seconds", as_="hierarchy")["s", "a"] == Hierarchy.from_times([(1, 12)])
    with pytest.raises(FormatError, match="start_time and end_time are seconds; unit cannot be units"):
        cz.read(tmp_path / "t.csv", unit="units")


def test_a_coder_without_spans(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, "item,coder,start,end\nt,a,1,5\nt,b,,\n", "t.csv"))
    assert corpus["t", "b"] == Spans([])
    corpus = cz.read(tmp_path / "t.csv", as_="hierarchy")
    assert corpus["t", "b"] == Hierarchy(5, [])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("item,coder,start\nt,a,1\n", "expected columns start and end .*; got item, coder, start"),
        ("start,end,start_time,end_time\n1,2,1,2\n", "two columns may be the start: start and start_time"),
        ("start,end,start\n1,2,1\n", "two columns have the name 'start': columns 1 and 3"),
        ("coder,annotator,start,end\na,a,1,2\n", "two columns may be the coder: coder and annotator"),
        ("start,end\n1,\n", r":2: .*: end must be a whole number; got ''"),
        ("start,end,level\n0,2,1\n", ":2: .*: start must be from 1"),
        ("start,end\n3,2\n", ":2: .*: start must be before end; got 3 and 2"),
        ("start,end\n1,99999999999999999999999\n", ":2: .*: end must be a whole number; got '9999"),
        ("start,end,level\n1,2,one\n", ":2: .*: level must be a whole number; got 'one'"),
        ("start_time,end_time\n0,1e999\n", ":2: .*: end must be a time in seconds from 0 to 1e.12; got inf"),
        ("start_time,end_time,length\n0,1,3\n", "length is for spans in units; these are in seconds"),
        ("start_time,end_time,edges\n0,1,3\n", "edges must be a JSON list; got '3'"),
        ("start,end,units\n1,2,[1]\n", r"units\[0\]: expected a string; got 1"),
        ('start,end\n1,"2\n', "not a valid table"),
    ],
)
def test_invalid_tables(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        cz.read(write_file(tmp_path, rows, "t.csv"), "spans-csv")


def test_invalid_tables_of_hierarchies(tmp_path: Path) -> None:
    for rows, message in (
        ("start,end\n2,2\n", ":2: .*: start must be before end; got 2 and 2"),
        ("coder,start,end\na,,\n", "without spans, the column length must give the number of units"),
        ("start,end,level\n2,2,1\n", "spans with levels are a hierarchy; remove as_=spans"),
    ):
        kind = "spans" if "level" in rows else "hierarchy"
        with pytest.raises(FormatError, match=message):
            cz.read(write_file(tmp_path, rows, "t.csv"), "spans-csv", as_=kind)
    path = write_file(tmp_path, "start,end,label\n2,2,here\n0,0,there\n", "t.csv")
    assert cz.read(path)["t", "t"] == Spans([(0, 0, "there"), (2, 2, "here")])


# -- round trips ------------------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
LABELS = st.none() | NAMES


@st.composite
def hierarchies(draw: st.DrawFn, timed: bool) -> Hierarchy:
    length = draw(st.integers(1, 7))
    spans = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(1, length))
        spans.append((start, draw(st.integers(start, length)), draw(st.integers(1, 4)), draw(LABELS)))
    extent = draw(st.none() | st.integers(1, 100))
    if not timed:
        units = draw(st.none() | st.lists(st.text(max_size=4), min_size=length, max_size=length))
        return Hierarchy(length, spans, units=units, extent=extent, repair=True)
    edges = draw(st.lists(st.floats(0, 1e6), min_size=length + 1, max_size=length + 1, unique=True))
    return Hierarchy(length, spans, edges=sorted(edges), extent=extent, repair=True)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    timed = draw(st.booleans())
    cells = st.dictionaries(
        NAMES, st.dictionaries(NAMES, hierarchies(timed), min_size=1, max_size=3), min_size=1, max_size=3
    )
    return Corpus(draw(cells))


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpora(), st.sampled_from(["json", "csv", "tsv"]))
@examples(90)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"round.{suffix}"
    if suffix != "json" and any(
        len(names) > 1 and not all(map(str.strip, names)) for names in (corpus.item_names, corpus.coders)
    ):
        with pytest.raises(FormatError, match="a blank name beside others"):
            cz.write(corpus, path)
        return
    names = {*corpus.item_names, *corpus.coders, *(span.label or "" for h in corpus.values() for span in h.spans)}
    if suffix != "json" and any(name != name.strip() for name in names):
        with pytest.raises(FormatError, match="a table cannot contain spaces around"):
            cz.write(corpus, path)
        return
    cz.write(corpus, path)
    assert cz.read(path) == corpus


@pytest.mark.parametrize(
    "corpus",
    [
        Corpus({"x": {"a": Hierarchy(4, [(1, 2)])}, " ": {"a": Hierarchy(4, [(3, 4)])}}),
        Corpus({"": {"a": Hierarchy(4, [(1, 2)])}, "x": {"a": Hierarchy(4, [(3, 4)])}}),
        Corpus({"x": {"": Spans([(0, 2)], length=4), "b": Spans([(2, 4)], length=4)}}),
    ],
)
def test_a_blank_name_beside_others_is_not_written(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(FormatError, match=r"a table cannot contain a blank name beside others; write spans as \.json"):
        cz.write(corpus, tmp_path / "a.csv")
    cz.write(corpus, tmp_path / "a.json")
    assert cz.read(tmp_path / "a.json") == corpus


def test_text_and_time_in_one_file(tmp_path: Path) -> None:
    corpus = Corpus(
        {"t": {"a": Hierarchy(3, [(1, 3)]), "b": Hierarchy.from_times([(0, 2.5)])}, "u": {"a": Hierarchy(4, [(2, 3)])}}
    )
    cz.write(corpus, tmp_path / "t.json")
    assert cz.read(tmp_path / "t.json") == corpus
    with pytest.raises(FormatError, match=r"in units or in seconds; these are in both; write spans as \.json"):
        cz.write(corpus, tmp_path / "t.csv")


def test_common_units_of_several_coders_read_back(tmp_path: Path) -> None:
    songs = {"a": Hierarchy.from_times([(0, 10), (0, 5)]), "b": Hierarchy.from_times([(0, 10.2), (3, 5.25)])}
    merged, _ = cz.common_units(songs)
    for name in ("t.json", "t.csv"):
        cz.write(Corpus({"s": merged}), tmp_path / name)
        assert cz.read(tmp_path / name) == Corpus({"s": merged})


def test_layout_of_a_written_file(tmp_path: Path) -> None:
    cz.write(cz.read(write_file(tmp_path, POEM)), tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == (
        '{\n  "items": {\n    "poem": {\n      "length": 6,\n'
        '      "units": ["In", "Xanadu", "did", "Kubla", "Khan", "decree"],\n      "coders": {\n'
        '        "ann": [[1, 6, 1, "S"], [1, 2, 2], [3, 6, 2]],\n        "bo": [[1, 6, 1], [3, 6, 2]]\n'
        "      }\n    }\n  }\n}\n"
    )
    cz.write(Corpus({"p": {"a": Hierarchy(6, [(1, 6, 1, "S"), (1, 2, 2)])}}), tmp_path / "out.csv")
    expected = "item,coder,start,end,level,label,length\np,a,1,6,1,S,6\np,a,1,2,2,,\n"
    assert (tmp_path / "out.csv").read_text() == expected


# -- segmentations and hierarchies in each other's files ----------------------------------------------------------------


def test_segments_are_spans_of_level_one(tmp_path: Path) -> None:
    corpus = Corpus({"p": {"a": Segmentation.from_masses([2, 3], labels=["x", "y"]), "b": Hierarchy(5, [(1, 5)])}})
    cz.write(corpus, tmp_path / "t.json")
    assert cz.read(tmp_path / "t.json")["p", "a"] == Hierarchy(5, [(1, 2, 1, "x"), (3, 5, 1, "y")])
    cz.write(corpus.select(coders=["a"]), tmp_path / "t.csv", "spans-csv")
    assert cz.read(tmp_path / "t.csv")["p", "a"] == Hierarchy(5, [(1, 2, 1, "x"), (3, 5, 1, "y")])


@pytest.mark.parametrize("name", ["spans-json", "spans-csv"])
def test_types_and_streams_cannot_be_written(tmp_path: Path, name: str) -> None:
    typed = Segmentation.from_marks(["", ",", "."])
    with pytest.raises(FormatError, match=r"spans cannot have boundary types; write a \.csv table"):
        cz.write(Corpus({"p": {"a": typed}}), tmp_path / "t.x", name)
    with pytest.raises(FormatError, match=r"spans cannot have streams; write a \.csv table"):
        cz.write(Corpus({"p": {"a": {"F": typed}}}), tmp_path / "t.x", name)
    assert not (tmp_path / "t.x").exists()


@pytest.mark.parametrize("name", ["masses-json", "masses-tsv", "bits", "table-csv", "table-tsv", "segsimflex"])
def test_other_formats_reject_a_hierarchy(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.out"
    with pytest.raises(FormatError, match="cannot store a Hierarchy; it can be written as spans-json"):
        cz.write(Corpus({"p": {"a": Hierarchy(4, [(1, 4)])}}), path, name)
    assert not path.exists()


@pytest.mark.parametrize("name", ["rs3", "lab", "salami"])
def test_format_without_a_writer(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="can be read but not written"):
        cz.write(Corpus({"p": {"a": Hierarchy(4, [(1, 4)])}}), tmp_path / "t.x", name)


def test_an_empty_label_cannot_be_written_to_a_table(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a table cannot contain an empty label"):
        cz.write(Corpus({"p": {"a": Hierarchy(4, [(1, 4, 1, "")])}}), tmp_path / "t.csv")


def test_no_times_before_zero(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a time must be from 0 up; got -1\.0"):
        cz.write(Corpus({"p": {"a": Hierarchy.from_times([(-1, 4)])}}), tmp_path / "t.json")


# -- hostile files ----------------------------------------------------------------------------------------------------


def test_excessive_nesting_is_an_error(tmp_path: Path) -> None:
    deep = '{"items": {"t": {"length": 3, "coders": {"a": ' + "[" * 200_000 + "]" * 200_000 + "}}}}"
    with pytest.raises(FormatError, match="nested too deeply"):
        cz.read(write_file(tmp_path, deep))


def test_time_is_linear_in_the_number_of_spans(tmp_path: Path) -> None:
    """A quadratic reader would take hours."""
    n = 30_000
    spans = [[1, n]] + [[i, i + 9] for i in range(1, n, 10)] + [[i, i + 1] for i in range(1, n, 2)]
    deep = [[i, 2 * n - i] for i in range(1, n // 2)]
    began = time.process_time()
    corpus = cz.read(
        write_file(tmp_path, json.dumps({"items": {"t": {"length": 2 * n, "coders": {"a": spans, "b": deep}}}}))
    )
    assert len(corpus["t", "a"]) == len(spans)
    assert time.process_time() - began < 20


def test_time_is_linear_in_the_number_of_invalid_items(tmp_path: Path) -> None:
    data = {"items": {f"i{i}": {"length": 2, "coders": {"a": [[2, 1]]}} for i in range(20_000)}}
    excluded: list[FormatError] = []
    began = time.process_time()
    cz.read(write_file(tmp_path, data), excluded=excluded)
    assert len(excluded) == 20_000
    assert time.process_time() - began < 10


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["length", "coders", "spans", "units", "edus", "upper", "a"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(["items", "tracks", "songs", "doc"]),
)
def test_any_text_is_read_or_rejected(tmp_path_factory: pytest.TempPathFactory, data: Any, key: str) -> None:
    path = tmp_path_factory.getbasetemp() / "whatever.json"
    path.write_text(json.dumps({key: {"t": data}}))
    excluded: list[FormatError] = []
    try:
        cz.read(path, "spans-json", excluded=excluded)
    except FormatError as problem:
        excluded.append(problem)
    assert all(str(problem).startswith(str(path)) for problem in excluded)


# -- tables of pygamma ------------------------------------------------------------------------------------------------


def test_a_table_without_a_header_as_pygamma_writes_it(tmp_path: Path) -> None:
    #        0    2    4    6
    # Alex   |    |-x--|    |
    # Bo     |-y--|-x-------|
    path = tmp_path / "talk.csv"
    path.write_text("Alex,x,2,4\nBo,y,0,2\nBo,x,2,6.5\n")
    corpus = cz.read(path)
    assert corpus.coders == ("Alex", "Bo")
    assert corpus["talk", "Bo"] == Spans([(0, 2, "y"), (2, 6.5, "x")], seconds=True)
    assert cz.read(path, as_="hierarchy")["talk", "Bo"] == Hierarchy.from_times([(0, 2, 1, "y"), (2, 6.5, 1, "x")])
    path.write_text("Alex,x,2,4\nBo,y,0,\n")
    with pytest.raises(FormatError, match="the first row must contain the names of the columns; got Alex, x, 2, 4"):
        cz.read(path)


def test_a_table_without_a_header_and_with_a_row_of_zero_length(tmp_path: Path) -> None:
    path = tmp_path / "talk.csv"
    path.write_text("Alex,x,2,4\nBo,y,3,3\nBo,x,2,6.5\n")
    with pytest.warns(CaesuraWarning, match=r"spans of zero length left out: 1 \(first in item 'talk', coder 'Bo'\)"):
        corpus = cz.read(path, as_="hierarchy")
    assert corpus.coders == ("Alex", "Bo")
    assert [span.label for span in corpus["talk", "Bo"]] == ["x"]  # type: ignore[union-attr]
    assert cz.read(path)["talk", "Bo"] == Spans([(3, 3, "y"), (2, 6.5, "x")], seconds=True)


BAD_FILES = Path(__file__).parent / "bad"

BAD_MESSAGES = {
    "crossing.json": r":7: item 'poem', coder 'bo': 2-5 on level 2 and 4-7 on level 2 cross; each coder's own",
    "outside.json": r":3: item 'poem', coder 'bo': spans\[0\]: a span must lie in 1\.\.8; got 1-9",
    "backwards.json": r":2: item 'poem', coder 'bo': spans\[1\]: start must not be after end; got 5 > 3",
    "levels.json": r":2: item 'poem', coder 'bo': 2-3 on level 1 lies inside 1-8 on level 2; an inner span must be deeper",
    "no_length.json": r":2: item 'poem', coder 'ann': expected the number of units, as length or as units",
    "nan.json": r":2: item 'song', coder 'ann': spans\[0\]: end must be a time in seconds from 0 to 1e.12; got nan",
    "beyond.json": r":3: item 'song', coder 'bo': spans\[1\]: a span must lie in 0-9\.5 s; got 4-12\.25; or read with",
    "damaged.json": r":3: not valid JSON: Expecting ',' delimiter at column 3",
    "unit.json": r":2: item 'song', coder 'ann': unit must be one of units, seconds; got 'minutes'",
    "backwards.csv": r":3: item 'poem', coder 'bo': start must not be after end; got 5 > 3",
    "decimal.csv": r":3: item 'poem', coder 'ann': end must be a whole number; got '4\.5'; for times name the columns",
    "outside.csv": r":3: item 'poem', coder 'ann': a span must lie in 1\.\.8; got 5-9",
    "short_row.csv": r":3: a row must have 4 cells like the header; got 3",
    "some_levels.csv": r":3: item 'poem', coder 'ann': all spans of a coder have a level, or none",
    "two_lengths.csv": r":3: item 'poem', coder 'ann': length must be the same in all rows; got '9' after '8'",
    "backwards.lab": r":2: start must not be after end; got 10\.0 > 5\.0",
    "word.lab": r":2: start must be a time in seconds from 0 to 1e.12; got 'ten'",
    "overlap.lab": r": item 'overlap', coder 'overlap': 0-10 s on level 1 and 9-20 s on level 1 cross",
    "endless_textfile1.txt": r": the last line must be End; there is none, so the last segments do not end",
    "falling_textfile1.txt": r":3: times must not decrease; got 4 after 5",
    "laughs.rs3": r":2: expected a plain document, entities are not expanded; got <!DOCTYPE",
    "undeclared_entity.rs3": r":2: not valid XML: Entity 'lol' not defined",
    "damaged.rs3": r":2: not valid XML: Opening and ending tag mismatch",
    "no_body.rs3": r":1: expected <rst> with a <body>; got <html>",
    "no_edu.rs3": r":3: expected at least one EDU \(<segment>\); got none",
    "circle.rs3": r":3: every node must be below a node without a parent; '2' is in a cycle",
    "orphan.rs3": r":3: the parent of '2' must be a node; got '9'",
    "twice.rs3": r":3: a segment must have a unique id; got '1'",
    "undeclared.rs3": r":3: a relation must be declared in the header, to tell nuclei from satellites; got 'cause'",
    "gap.rs3": r":5: the yield of node '4' must have no gap; it has 2 of the EDUs 1-3; or read with repair=True",
    "no_nucleus.rs3": r":3: a group must have a nucleus; '2' has none",
    "empty_edu.rs3": r":3: segment '2' must have a text; it is empty",
}


def test_every_bad_file_is_tested() -> None:
    assert set(BAD_MESSAGES) == {path.name for path in BAD_FILES.iterdir()}


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_the_message_names_the_place(name: str) -> None:
    if name.endswith(".rs3"):
        pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")
    with pytest.raises(FormatError, match=BAD_MESSAGES[name]) as caught:
        cz.read(BAD_FILES / name)
    assert str(caught.value).startswith(str(BAD_FILES / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["crossing.json", "outside.json", "backwards.json", "levels.json", "beyond.json"])
def test_the_other_coder_is_still_read(name: str) -> None:
    excluded: list[FormatError] = []
    corpus = cz.read(BAD_FILES / name, excluded=excluded)
    assert corpus.coders == ("ann",)
    assert len(excluded) == 1
