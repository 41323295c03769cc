"""Spans with categories: from annotation tools, tables and JSON, with gaps, overlaps and duplicates, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError
from support.examples import examples

TEXT = "Ms. Haag 😀 plays Élianti"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# -- annotation tools ---------------------------------------------------------------------------------------------------


def test_brat_in_characters(tmp_path: Path) -> None:
    """Spans that cross, nest and occur twice stay as they are; offsets count code points."""
    write(tmp_path / "t.txt", TEXT)
    lines = "T1\tPER 0 8\tMs. Haag\nT2\tX 4 10\tHaag 😀\nT3\tPER 0 8\tMs. Haag\nT4\tV 11 16\tplays\n"
    path = write(tmp_path / "t.ann", lines)
    expected = [(0, 8, "PER"), (0, 8, "PER"), (4, 10, "X"), (11, 16, "V")]
    corpus = cz.read(path)
    assert corpus["t", "t"] == cz.Spans(expected, text=TEXT)
    assert corpus.kind == "spans"
    report = corpus.reading
    assert (report.kind, report.items, report.boundaries) == ("spans", {"t": 24}, {"t": {"t": 4}})
    assert report.types == ("PER", "V", "X")
    assert "24 characters" in str(report)
    tokens = cz.read(path, tokens="whitespace")["t", "t"]
    assert tokens == cz.Spans([(0, 2, "PER"), (0, 2, "PER"), (1, 3, "X"), (3, 4, "V")], units=TEXT.split())
    with pytest.raises(FormatError, match="'PER' over tokens 1-2 and T2 'X' over tokens 2-3 cross"):
        cz.read(path, tokens="whitespace", as_="hierarchy")
    assert cz.read(path, labels="PER")["t", "t"] == cz.Spans(expected[:2], text=TEXT)


def test_discontinuous_spans_in_characters(tmp_path: Path) -> None:
    write(tmp_path / "t.txt", TEXT)
    path = write(tmp_path / "t.ann", "T1\tPER 0 3;11 16\tMs. plays\n")
    with pytest.raises(FormatError, match="T1 'PER' must have no gap"):
        cz.read(path)
    expected = cz.Spans([(0, 3, "PER"), (11, 16, "PER")], text=TEXT)
    with pytest.warns(CaesuraWarning, match="discontinuous spans read as one span per fragment"):
        assert cz.read(path, discontinuous="fragments")["t", "t"] == expected
    with pytest.warns(CaesuraWarning, match="read as one span from first to last"):
        assert cz.read(path, discontinuous="hull")["t", "t"] == cz.Spans([(0, 16, "PER")], text=TEXT)


def test_webanno_in_tokens(tmp_path: Path) -> None:
    layer = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
    rows = ["1-1 0-3 Ms. PER[1]|X[2]", "1-2 4-8 Haag PER[1]|X[2]|Y[3]", "1-3 9-14 plays Y[3]"]
    head = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={layer}|value\n\n\n#Text=Ms. Haag plays\n"
    path = write(tmp_path / "t.tsv", head + "\n".join(row.replace(" ", "\t") for row in rows))
    expected = cz.Spans([(0, 2, "PER"), (0, 2, "X"), (1, 3, "Y")], units=["Ms.", "Haag", "plays"])
    assert cz.read(path)["t", "t"] == expected


def test_regions_of_label_studio_that_overlap(tmp_path: Path) -> None:
    def region(start: float, end: float, label: str) -> dict[str, Any]:
        return {"type": "labels", "original_length": 9.0, "value": {"start": start, "end": end, "labels": [label]}}

    results = [region(0.5, 3.0, "A"), region(2.0, 5.0, "B")]
    task = {"id": 7, "data": {"audio": "x.wav"}, "annotations": [{"completed_by": 1, "result": results}]}
    path = write(tmp_path / "export.json", json.dumps([task]))
    assert cz.read(path)["7", "1"] == cz.Spans([(0.5, 3, "A"), (2, 5, "B")], seconds=True, length=9)
    results[1]["value"]["start"] = 3.0
    write(path, json.dumps([task]))
    assert cz.read(path)["7", "1"] == cz.Tier([(0.5, 3, "A"), (3, 5, "B")], end=9)


# -- tables and JSON ----------------------------------------------------------------------------------------------------


def test_json(tmp_path: Path) -> None:
    content = """{"items": {"letter": {"text": "Ms. Haag plays", "coders": {"ann": [[4, 8, "PER"], [0, 8, "X"]], "bo": []}}}}"""
    corpus = cz.read(write(tmp_path / "a.json", content.replace('{"items"', '{"kind": "spans", "items"')))
    assert corpus["letter", "ann"] == cz.Spans([(0, 8, "X"), (4, 8, "PER")], text="Ms. Haag plays")
    assert corpus["letter", "bo"] == cz.Spans([], text="Ms. Haag plays")
    category = cz.read(write(tmp_path / "b.json", content.replace(', "bo": []', "")))
    assert category["letter", "ann"] == corpus["letter", "ann"]
    seconds = '{"kind": "spans", "unit": "seconds", "items": {"x": {"duration": 9.5, "coders": {"a": [[0.5, 2]]}}}}'
    assert cz.read(write(tmp_path / "c.json", seconds))["x", "a"] == cz.Spans([(0.5, 2)], seconds=True, length=9.5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[[4, 3, "a"]]', r"item 'x', coder 'a': spans\[0\]: end must not be before start; got 4-3 'a'"),
        ('[[4, 12, "a"]]', r"spans\[0\]: a span must lie in 0-10; got 4-12 'a'"),
        ('[[4, "5", "a"]]', r"spans\[0\]: end must be a finite number; got '5'"),
        ("[[4, 5, 1]]", r"spans\[0\]: category must be a string; got 1"),
        ("[[4]]", r"spans\[0\]: a span is \[start, end, category\]"),
    ],
)
def test_invalid_json(tmp_path: Path, content: str, message: str) -> None:
    items = f'{{"x": {{"length": 10, "coders": {{"a": {content}, "b": [[0, 1, "c"]]}}}}}}'
    path = write(tmp_path / "t.json", f'{{"kind": "spans", "items": {items}}}')
    with pytest.raises(FormatError, match=message):
        cz.read(path)
    excluded: list[FormatError] = []
    assert list(cz.read(path, excluded=excluded)) == [("x", "b")]
    assert len(excluded) == 1


def test_one_bad_item_of_ten(tmp_path: Path) -> None:
    rows = [f"{item},{coder},{start},{start + 4},a" for item in range(10) for coder, start in (("ann", 1), ("bo", 2))]
    rows[7] = "3,bo,9,2,a"
    path = write(tmp_path / "t.csv", "\n".join(["item,coder,start,end,label", *rows]))
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    expected = [f"{path}:9: item '3', coder 'bo': start must be before end; got 9 and 2"]
    assert [str(error) for error in excluded] == expected
    result = cz.agreement(corpus, coefficient="u_alpha", interval=None)
    assert len(result.items) == 9
    assert [entry.item for entry in result.excluded] == ["3"]


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    """Return spans in characters, tokens, units of unknown length, or seconds."""
    axis = draw(st.sampled_from(["text", "tokens", "units", "length", "seconds", "duration"]))
    options: dict[str, Any] = {"text": {"text": "abcdefghi"}, "tokens": {"units": tuple("abcdefghi")}}.get(axis, {})
    options |= {
        "length": {"length": 9},
        "duration": {"length": 9.25, "seconds": True},
        "seconds": {"seconds": True},
    }.get(axis, {})
    steps = 0.25 if options.get("seconds") else 1
    rows = st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 4), st.none() | NAMES).map(
            lambda row: (row[0] * steps, (row[0] + row[1]) * steps, row[2])
        ),
        max_size=5,
    )
    items = draw(st.dictionaries(NAMES, st.dictionaries(NAMES, rows, min_size=1, max_size=3), min_size=1, max_size=3))
    return cz.Corpus({item: {c: cz.Spans(listed, **options) for c, listed in by.items()} for item, by in items.items()})


@examples(80)
@given(corpora())
def test_round_trips_of_json(tmp_path_factory: pytest.TempPathFactory, corpus: cz.Corpus) -> None:
    path = tmp_path_factory.mktemp("trip") / "t.json"
    cz.write(corpus, path, "spans-json")
    assert cz.read(path) == corpus


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@examples(80)
@given(corpora())
@pytest.mark.filterwarnings("ignore:.*the table does not contain the text")
def test_round_trips_of_tables(tmp_path_factory: pytest.TempPathFactory, corpus: cz.Corpus) -> None:
    path = tmp_path_factory.mktemp("trip") / "t.csv"
    cz.write(corpus, path, "spans-csv")
    again = cz.read(path, "spans-csv")
    assert set(again) == set(corpus)
    for key, spans in corpus.items():
        assert isinstance(spans, cz.Spans)
        options = {"seconds": spans.axis == "seconds", "bounds": spans.bounds, "units": spans.units}
        if spans.units is not None:
            del options["bounds"]
        assert again[key] == cz.Spans(spans, **options)


def test_data_frames() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    corpus = cz.Corpus(
        {
            "x": {"ann": cz.Spans([(0, 4, "a"), (2, 6)], length=9), "bo": cz.Spans([], length=9)},
            "y": {"bo": cz.Spans([(1, 2)], length=5)},
        }
    )
    frame = corpus.to_frame()
    assert list(frame.columns) == ["item", "coder", "start", "end", "label", "length"]
    assert len(frame) == 4
    assert cz.read(frame) == corpus


def test_what_tables_cannot_contain(tmp_path: Path) -> None:
    for spans, message in (
        (cz.Spans([(-2, 1)]), "cannot contain the position -2"),
        (cz.Spans([(0.5, 1)]), r"cannot contain the position 0\.5"),
        (cz.Spans([(3, 4)], bounds=(2, 9)), "a table counts from 0"),
        (cz.Spans([(3, 4, "")]), "cannot contain an empty label"),
    ):
        with pytest.raises(FormatError, match=message):
            cz.write(cz.Corpus({"x": {"a": spans}}), tmp_path / "t.csv", "spans-csv")
        cz.write(cz.Corpus({"x": {"a": spans}}), tmp_path / "t.json", "spans-json")
        assert cz.read(tmp_path / "t.json")["x", "a"] == spans
