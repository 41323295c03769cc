"""Spans of doccano and Prodigy in lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Corpus, Hierarchy, Segmentation, Spans
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect
from support.commands import invoke
from support.everyday import expected
from support.files import refusal
from support.shared_data import DataFolder

TEXT = "Ms. Haag plays 😀 Élianti"
DOCCANO = {"id": 1, "text": TEXT, "label": [[0, 8, "PER"], [17, 24, "WORK"]]}
PRODIGY = {
    "text": TEXT,
    "_input_hash": 44,
    "spans": [{"start": 0, "end": 8, "label": "PER", "token_start": 0}],
    "answer": "accept",
    "_annotator_id": "ner-ann",
}
TOKENS = [{"start": 0, "end": 3, "text": "Ms."}, {"start": 4, "end": 8}, {"start": 9, "end": 24}]


def write_lines(tmp_path: Path, *records: Any, name: str = "ann.jsonl") -> Path:
    path = tmp_path / name
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def spans_of(corpus: Corpus, item: str, coder: str) -> list[list[Any]]:
    """Spans from 0, end excluded."""
    annotation = corpus[item, coder]
    if isinstance(annotation, Hierarchy):
        return [[span.start - 1, span.end, span.label] for span in annotation.spans]
    assert isinstance(annotation, Spans)
    return [list(span) for span in annotation]


def notes_of(corpus: Corpus) -> tuple[str, ...]:
    return corpus.reading.notes


# -- doccano ----------------------------------------------------------------------------------------------------------


def test_the_everyday_files_of_doccano(shared: DataFolder) -> None:
    entry = expected(shared, "doccano/admin.jsonl")
    corpus = cz.read(shared / "data/everyday/doccano")
    assert list(corpus.coders) == entry["coders"]
    assert {item: corpus[item, "admin"].length for item in corpus.item_names} == entry["items"]
    for coder, items in entry["spans_0_based_half_open"].items():
        assert {item: spans_of(corpus, item, coder) for item in items} == items


def test_offsets_count_characters(tmp_path: Path) -> None:
    corpus = cz.read(write_lines(tmp_path, DOCCANO))
    assert spans_of(corpus, "1", "ann") == [[0, 8, "PER"], [17, 24, "WORK"]]
    assert corpus["1", "ann"] == Spans([(0, 8, "PER"), (17, 24, "WORK")], text=TEXT)
    hierarchy = cz.read(write_lines(tmp_path, DOCCANO), as_="hierarchy")["1", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.units == tuple(TEXT)
    assert corpus.reading.roles == {"id": "item", "label": "spans"}
    assert notes_of(corpus) == ("positions are characters, counted from 0, the end excluded",)
    notes = notes_of(cz.read(write_lines(tmp_path, DOCCANO), as_="hierarchy"))
    assert notes == ("every character is a unit (tokens=words splits the text into words)",)


@pytest.mark.parametrize("field", ["label", "labels", "entities"])
def test_fields_of_doccano(tmp_path: Path, field: str) -> None:
    spans: list[Any] = DOCCANO["label"]  # type: ignore[assignment]
    if field == "entities":
        spans = [{"id": 3, "start_offset": a, "end_offset": b, "label": label} for a, b, label in spans]
    record = {"id": "x", "data": TEXT, field: spans, "relations": [], "Comments": []}
    path = write_lines(tmp_path, {**record, "id": "y", field: []}, record, {**record, "id": 3, field: None})
    assert detect(path).name == "doccano"
    corpus = cz.read(path)
    assert corpus.item_names == ("y", "x", "3")
    assert [spans_of(corpus, item, "ann") for item in corpus.item_names] == [[], [[0, 8, "PER"], [17, 24, "WORK"]], []]
    del record["id"]
    assert cz.read(write_lines(tmp_path, record)).item_names == ("1",)


def test_units_and_segments(tmp_path: Path) -> None:
    path = write_lines(tmp_path, {**DOCCANO, "label": [[0, 8, "PER"], [18, 24, "WORK"]]})
    with pytest.warns(CaesuraWarning, match="span edges inside a token moved to the edge of the token: 1"):
        corpus = cz.read(path, tokens="words")
    assert spans_of(corpus, "1", "ann") == [[0, 3, "PER"], [5, 6, "WORK"]]
    with pytest.raises(FormatError, match=r":1: .*label\[1\] 'WORK' must begin and end between tokens"):
        cz.read(path, tokens="words", edges="error")
    segments = cz.read(path, as_="segments")["1", "ann"]
    assert isinstance(segments, Segmentation)
    assert segments.boundaries == ((8, "PER"), (18, "begin"), (24, "WORK"))


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"label": [[0, 99, "A"]]}, "label[0]: offsets must increase and lie in 0-24, the text; got 0-99"),
        ({"label": [[3, 2, "A"]]}, "label[0]: offsets must increase and lie in 0-24, the text; got 3-2"),
        ({"label": [[0, "2", "A"]]}, "label[0]: end must be a whole number; got '2'"),
        ({"label": [[0, 2, 7]]}, "label[0]: label must be a string; got 7"),
        ({"label": ["good"]}, "label[0] must be a span, [start, end, label]; got 'good'; labels of texts are not read"),
        ({"text": ""}, "text must be a text that is not empty; got ''"),
        ({"id": [1]}, "id must be a number or a name; got a list"),
        ({"id": 1}, "item '1' has coder 'ann' twice"),
        ("[1]", "expected an object with a text and spans; got a list"),
        ("{", "not valid JSON: Expecting property name enclosed in double quotes at column 2"),
    ],
)
def test_errors_of_single_lines(tmp_path: Path, record: Any, problem: str) -> None:
    bad = record if isinstance(record, str) else {**DOCCANO, "id": 2, **record}
    path = write_lines(tmp_path, DOCCANO, bad, {**DOCCANO, "id": 3})
    assert str(refusal(cz.read, path)).startswith(f"{path}:2: {problem}")
    excluded: list[FormatError] = []
    assert cz.read(path, excluded=excluded).item_names == ("1", "3")
    assert len(excluded) == 1


def test_crossing_spans_are_kept_or_repaired(tmp_path: Path) -> None:
    path = write_lines(tmp_path, {**DOCCANO, "label": [[0, 8, "A"], [4, 14, "B"]]})
    assert spans_of(cz.read(path), "1", "ann") == [[0, 8, "A"], [4, 14, "B"]]
    with pytest.raises(FormatError, match=r"label\[0\] 'A' over tokens 1-8 and label\[1\] 'B' over tokens 5-14 cross"):
        cz.read(path, as_="hierarchy")
    with pytest.warns(CaesuraWarning, match="spans left out because they do not nest: 1"):
        assert len(spans_of(cz.read(path, repair=True), "1", "ann")) == 1


def test_missing_spans(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=":2: a line must have spans in one of label, labels, entities; got none"):
        cz.read(write_lines(tmp_path, DOCCANO, {"id": 2, "text": "x"}))


# -- Prodigy ----------------------------------------------------------------------------------------------------------


def test_the_everyday_file_of_prodigy(shared: DataFolder) -> None:
    entry = expected(shared, "prodigy.jsonl")
    path = shared / "data/everyday/prodigy.jsonl"
    corpus = cz.read(path)
    assert (len(corpus.item_names), list(corpus.coders)) == (entry["items"], entry["coders"])
    assert spans_of(corpus, "4415", "ner-ann") == [[0, 1, "ORG"], [4, 6, "PER"]]
    assert corpus["4415", "ner-bo"].length == 7
    assert notes_of(corpus) == (
        "positions are tokens, counted from 0, the end excluded",
        "2 lines left out because of the answer: 1 reject, 1 ignore",
    )
    characters = cz.read(path, tokens="characters", as_="hierarchy")  # without white space
    assert spans_of(characters, "4415", "ner-ann") == [[0, 2, "ORG"], [20, 34, "PER"]]
    characters = cz.read(path, tokens="characters")
    for coder, spans in entry["spans_0_based_half_open"].items():
        for item, listed in zip(corpus.item_names, spans, strict=True):
            assert ((item, coder) in corpus) == (listed is not None)
            assert listed is None or len(spans_of(corpus, item, coder)) == len(listed)
            assert listed is None or spans_of(characters, item, coder) == listed


def test_names_in_prodigy(tmp_path: Path) -> None:
    session = {key: value for key, value in PRODIGY.items() if key != "_annotator_id"} | {"_session_id": "s1"}
    plain = {"text": "other", "spans": [], "answer": "accept"}
    corpus = cz.read(write_lines(tmp_path, PRODIGY, session, plain, {**plain, "text": "third"}))
    assert list(corpus) == [("44", "ner-ann"), ("44", "s1"), ("1", "ann"), ("2", "ann")]
    assert "lines without _input_hash are the same item if their texts are equal" in notes_of(corpus)
    assert spans_of(corpus, "44", "s1") == [[0, 8, "PER"]]
    expected = {"_annotator_id": "coder", "_session_id": "coder", "_input_hash": "item", "spans": "spans"}
    assert corpus.reading.roles == expected


def test_tokens_are_units(tmp_path: Path) -> None:
    corpus = cz.read(write_lines(tmp_path, {**PRODIGY, "tokens": TOKENS}))
    assert spans_of(corpus, "44", "ner-ann") == [[0, 2, "PER"]]
    spans = corpus["44", "ner-ann"]
    assert isinstance(spans, Spans)
    assert spans.units == ("Ms.", "Haag", "plays 😀 Élianti")
    inside = {**PRODIGY, "tokens": TOKENS, "spans": [{"start": 9, "end": 14, "label": "V"}]}
    with pytest.warns(CaesuraWarning, match="span edges inside a token moved to the edge of the token: 1"):
        assert spans_of(cz.read(write_lines(tmp_path, inside)), "44", "ner-ann") == [[2, 3, "V"]]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"answer": "maybe"}, "answer must be one of accept, reject, ignore; got 'maybe'"),
        ({"spans": [{"start": 0}]}, "spans[0]: end must be a whole number; got None"),
        (
            {"spans": [{"start": 0, "end": 2, "text": "X"}]},
            "spans[0] must repeat the text at its offsets 0-2; got 'X' for",
        ),
        ({"spans": [3]}, "spans[0]: expected a span with start, end and label; got 3"),
        ({"tokens": [{"start": 0, "end": 30}]}, "tokens[0]: offsets must increase and lie in 0-24, the text; got 0-30"),
        ({"tokens": [*TOKENS, TOKENS[0]]}, "tokens must not overlap; 'Ms.' begins inside the token before it"),
        ({"tokens": []}, "expected a text of at least one token; got none"),
        ({"_annotator_id": {}}, "_annotator_id must be a number or a name; got an object"),
    ],
)
def test_errors_in_prodigy(tmp_path: Path, record: dict[str, Any], problem: str) -> None:
    path = write_lines(tmp_path, PRODIGY, {**PRODIGY, "_input_hash": 45, **record})
    assert str(refusal(cz.read, path)).startswith(f"{path}:2: {problem}")


def test_no_spans_in_prodigy(tmp_path: Path) -> None:
    record = {key: value for key, value in PRODIGY.items() if key != "spans"}
    with pytest.raises(FormatError, match="expected spans; no accepted line has the field spans"):
        cz.read(write_lines(tmp_path, record))
    corpus = cz.read(write_lines(tmp_path, PRODIGY, {**record, "_input_hash": 3}))
    assert spans_of(corpus, "3", "ner-ann") == []


# -- detection --------------------------------------------------------------------------------------------------------


def test_detection(tmp_path: Path, shared: DataFolder) -> None:
    for name in ("a.jsonl", "a.ndjson", "a.json"):
        assert detect(write_lines(tmp_path, DOCCANO, name=name)).name == "doccano"
        assert detect(write_lines(tmp_path, PRODIGY, name=name)).name == "prodigy"
    assert detect(write_lines(tmp_path, {**DOCCANO, "label": []})).name == "doccano"
    for record in (
        {"id": 1, "text": "a b", "label": ["good"]},
        {"id": 1, "text": "a b", "labels": [0, 1]},
        {"id": 1, "sentences": ["a"], "labels": []},
        {"length": 4, "reference": [], "hypothesis": []},
        {"id": 1, "text": "x", "label": [[0.5, 1, "A"]]},
    ):
        assert detect(write_lines(tmp_path, record)).name not in ("doccano", "prodigy")
    for name in ("chunkseg.jsonl", "sentences_labels.jsonl"):
        assert detect(shared / "data/everyday" / name).name not in ("doccano", "prodigy")


def test_declined_answers_do_not_make_the_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Item 2 has one accepted annotation, because the file itself rejects the other one: nothing is wrong with the input."""
    monkeypatch.chdir(tmp_path)
    rows = [(1, "ann", "accept"), (1, "bo", "accept"), (2, "ann", "accept"), (2, "bo", "reject"), (3, "ann", "accept")]
    records = [
        {"text": "Ann saw Bo.", "_input_hash": item, "_annotator_id": coder, "answer": answer}
        | {"spans": [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 10, "label": "PER"}]}
        for item, coder, answer in rows
    ]
    lines = [json.dumps(record) for record in records]
    Path("some.jsonl").write_text("\n".join(lines[:4]))
    result = invoke(["agree", "some.jsonl", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["excluded"]) == (0, [])
    assert "1 item with one accepted annotation not compared: 2" in result.stderr
    Path("all.jsonl").write_text("\n".join(lines))
    result = invoke(["agree", "all.jsonl", "--json"])
    assert result.exit_code == 1
    assert [entry["item"] for entry in json.loads(result.stdout)["excluded"]] == ["3"]


def test_numbers_instead_of_labels_are_refused(tmp_path: Path) -> None:
    """The first form of doccano, which also looks like a recipe of JSON files."""
    entry = {"label": 1, "start_offset": 0, "end_offset": 8, "user": 1}
    path = write_lines(tmp_path, {"id": 1, "text": TEXT, "annotations": [entry], "meta": {}})
    with pytest.raises(FormatError, match=r"ann\.jsonl:1: annotations with offsets have numbers instead of labels"):
        cz.read(path)
