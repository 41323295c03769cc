"""JSON as people bring it: rows of a data frame, fields with other names, several coders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError

ROWS = [
    {"doc_id": doc, "sent_id": i, "sentence": f"Sentence {i}.", "ann": int(i == 1), "bo": i == 2, "n_words": 2 + i}
    for doc in ("a", "b")
    for i in range(4)
]
DOCUMENTS = [
    {"uid": f"d{i}", "sents": ["One.", "Two.", "Three.", "Four."], "gold": [2], "model": [1, 3], "meta": {"x": 1}}
    for i in range(2)
]


def write(tmp_path: Path, value: Any, name: str = "t.json") -> Path:
    path = tmp_path / name
    lines = name.endswith(".jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in value) if lines else json.dumps(value))
    return path


def columns(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {str(i): row[name] for i, row in enumerate(rows)} for name in rows[0]}


@pytest.mark.parametrize("form", ["lines", "list", "columns"])
def test_rows_of_a_data_frame(tmp_path: Path, form: str) -> None:
    name = "t.jsonl" if form == "lines" else "t.json"
    corpus = cz.read(write(tmp_path, columns(ROWS) if form == "columns" else ROWS, name))
    assert (corpus.item_names, corpus.coders) == (("a", "b"), ("ann", "bo"))
    assert corpus["a", "ann"].masses == (2, 2)
    assert corpus["b", "bo"].masses == (3, 1)
    assert "n_words (numbers that are not marks)" in corpus.reading.ignored
    assert cz.read(write(tmp_path, ROWS, name), fields={"coders": ["bo"]}).coders == ("bo",)


def test_an_error_in_a_row_names_its_line(tmp_path: Path) -> None:
    rows = [*ROWS[:7], {**ROWS[7], "ann": "?"}]
    with pytest.raises(FormatError, match=r"t\.jsonl:8: column 'ann'"):
        cz.read(write(tmp_path, rows, "t.jsonl"))


def test_marks_as_text_are_not_rows(tmp_path: Path) -> None:
    path = write(tmp_path, [{"id": "a", "bits": "0010"}, {"id": "b", "bits": "1000"}], "t.jsonl")
    assert cz.read(path, marks="end")["a", "t"].masses == (3, 1)


def test_fields_with_other_names(tmp_path: Path) -> None:
    path = write(tmp_path, DOCUMENTS, "t.jsonl")
    with pytest.raises(AmbiguousFileError, match="the fields are uid, sents, gold, model, meta") as error:
        cz.read(path)
    (_, options), (_, masses) = error.value.choices
    assert masses["fields"]["masses"] == "model"  # 1 + 3 is the number of units
    assert options == {"fields": {"units": "sents", "item": "uid", "positions": ["gold", "model"]}}
    corpus = cz.read(path, **options)
    assert corpus == cz.read(path, fields="units=sents,item=uid,positions=gold+model")
    assert (corpus.item_names, corpus.coders) == (("d0", "d1"), ("gold", "model"))
    assert corpus["d0", "model"].masses == (1, 2, 1)
    assert any(note.startswith("position i is the end of unit i") for note in corpus.reading.notes)
    starts = cz.read(path, positions="0-based", **options)
    assert starts["d0", "gold"].masses == (2, 2)


def test_masses_and_marks_with_other_names(tmp_path: Path) -> None:
    document = {"key": "a", "lines": ["x", "y", "z"], "sizes": [2, 1], "flags": [0, 1, 0]}
    with pytest.raises(AmbiguousFileError) as error:
        cz.read(write(tmp_path, document))
    expected = [{"units": "lines", "masses": "sizes"}, {"units": "lines", "marks": "flags"}]
    assert [options["fields"] for _, options in error.value.choices] == expected


def test_objects_inside_a_document_are_listed(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"turns \(objects with speaker, topic\)"):
        cz.read(write(tmp_path, {"id": "a", "turns": [{"speaker": "A", "topic": 1}]}))


def test_fields_that_look_like_the_boundaries_are_mentioned(tmp_path: Path) -> None:
    document = {"id": "a", "sentences": ["x", "y", "z"], "boundaries": [0, 1, 0], "system": [1, 0, 0]}
    corpus = cz.read(write(tmp_path, document), marks="end")
    assert any("--fields marks=boundaries+system" in note for note in corpus.reading.notes)
    both = cz.read(write(tmp_path, document), marks="end", fields="marks=boundaries+system")
    assert both.coders == ("boundaries", "system")


def test_dialogues_of_superdialseg_in_lines(tmp_path: Path) -> None:
    turns = [{"utterance": f"u{i}", "segmentation_label": int(i in (1, 3))} for i in range(4)]
    corpus = cz.read(write(tmp_path, [{"dial_id": "x", "doc_id": "q", "turns": turns}], "t.jsonl"))
    assert list(corpus["x", "t"].positions) == [2]
    assert "recipe superdialseg" in corpus.reading.notes


@pytest.mark.parametrize(
    ("labels", "positions", "place"),
    [(([0, 1, 0, 1], [0, 0, 0, 1]), ([2], []), "last"), (([1, 0, 1, 0], [1, 0, 0, 1]), ([2], [3]), "first")],
)
def test_documents_that_agree_about_the_place_of_marks(
    tmp_path: Path, labels: tuple[list[int], ...], positions: tuple[list[int], ...], place: str
) -> None:
    documents = [{"id": f"d{i}", "sentences": list("abcd"), "labels": marks} for i, marks in enumerate(labels)]
    corpus = cz.read(write(tmp_path, documents, "t.jsonl"))
    assert [list(corpus[f"d{i}", "t"].positions) for i in range(2)] == list(positions)
    assert f"a mark is at the {place} unit of a segment" in str(corpus.reading)


@pytest.mark.parametrize("labels", [([0, 1, 0, 1], [0, 1, 0, 0]), ([1, 0, 0, 1], [1, 1, 0, 1]), ([0, 1, 0, 1],)])
def test_documents_that_do_not_agree(tmp_path: Path, labels: tuple[list[int], ...]) -> None:
    documents = [{"id": f"d{i}", "sentences": list("abcd"), "labels": marks} for i, marks in enumerate(labels)]
    with pytest.raises(AmbiguousFileError, match="a 1 may be at the first or at the last unit"):
        cz.read(write(tmp_path, documents, "t.jsonl"))


def test_segments_as_lists_of_sentences(tmp_path: Path) -> None:
    corpus = cz.read(
        write(tmp_path, [{"id": "a", "segments": [["One.", "Two."], ["Three."]]}, {"id": "b", "segments": [["x"]]}])
    )
    assert list(corpus["a", "t"].positions) == [2]
    assert corpus["a", "t"].units == ("One.", "Two.", "Three.")
