"""Label Studio: tasks, annotators, and offsets of two kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect
from caesura.model.tier import Tier

TEXT = "Ms. Haag 😀 plays Elianti"
#       0   4    9  11    17


STRICT: dict[str, Any] = {"tokens": "whitespace", "edges": "error", "as_": "hierarchy"}


def region(start: Any, end: Any, *labels: str, text: str | None = "", **more: Any) -> dict[str, Any]:
    value: dict[str, Any] = {"start": start, "end": end, "labels": list(labels)}
    if text is not None:
        value["text"] = text or TEXT[start:end]
    return {"id": "x", "type": "labels", "from_name": "label", "to_name": "text", "value": value, **more}


def labels(**value: Any) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": 0, "end": 3, **value}}


def task(*results: Any, by: Any = 1, data: Any = None, name: Any = 7, **more: Any) -> dict[str, Any]:
    annotation = {"id": 100, "completed_by": by, "result": list(results), **more}
    return {"id": name, "data": data or {"text": TEXT}, "annotations": [annotation]}


def write_file(tmp_path: Path, *tasks: Any) -> Path:
    (tmp_path / "export.json").write_text(json.dumps(list(tasks)), encoding="utf-8")
    return tmp_path / "export.json"


def spans(path: Path, coder: str = "1", **options: Any) -> set[tuple[int, int, str | None]]:
    annotation = cz.read(path, **STRICT | options)["7", coder]
    assert isinstance(annotation, Hierarchy)
    return {(span.start, span.end, span.label) for span in annotation.spans}


def test_tasks_are_items_and_annotators_coders(tmp_path: Path) -> None:
    first = task(region(0, 8, "PER"), region(17, 24, "WORK", "ART"))
    first["annotations"].append({"completed_by": {"id": 2, "email": "bo@x.org"}, "result": []})
    second = task(region(0, 3, "PER"), name=8, by={"id": 3})
    path = write_file(tmp_path, first, second, {"id": 9, "data": {"text": "nobody"}, "annotations": []})
    assert detect(path).name == "label-studio"
    corpus = cz.read(path, **STRICT)
    assert list(corpus) == [("7", "1"), ("7", "bo@x.org"), ("8", "3")]
    words = TEXT.split()
    assert corpus["7", "1"] == Hierarchy(5, [(1, 2, 1, "PER"), (5, 5, 1, "ART"), (5, 5, 1, "WORK")], units=words)
    assert corpus["7", "bo@x.org"] == Hierarchy(5, [], units=words)


def test_old_exports(tmp_path: Path) -> None:
    old = {
        "id": 7,
        "data": {"text": TEXT, "title": "x"},
        "completions": [{"id": 5, "result": [region(0, 8, "PER", source="$text")]}],
    }
    assert spans(write_file(tmp_path, old), "annotation 1") == {(1, 2, "PER")}
    (tmp_path / "one.json").write_text(json.dumps(old))  # a single task, as in a storage
    assert spans(tmp_path / "one.json", "annotation 1") == {(1, 2, "PER")}


def test_annotations_without_a_user_are_numbered_in_each_task(tmp_path: Path) -> None:
    tasks = [
        {"id": item, "data": {"text": TEXT}, "completions": [{"id": i, "result": [region(0, 8, "PER")]} for i in ids]}
        for item, ids in ((1, (1001, 1002)), (2, (2001, 2002)))
    ]
    corpus = cz.read(write_file(tmp_path, *tasks))
    assert [*corpus] == [(item, f"annotation {i}") for item in "12" for i in (1, 2)]
    assert "annotations without a user have their place in the task as coder" in str(corpus.reading)
    tasks[1]["completions"][1]["created_username"] = " bo@x.org, 2"
    assert [*cz.read(write_file(tmp_path, *tasks))][-1] == ("2", "bo@x.org, 2")
    minimal = [{"id": 1, "text": TEXT, "label": [], "annotation_id": i} for i in (5, 6)]
    assert [*cz.read(write_file(tmp_path, *minimal))] == [("1", "annotation 1"), ("1", "annotation 2")]


def test_several_controls_are_named(tmp_path: Path) -> None:
    results = [region(0, 8, "PER"), region(0, 8, "SUBJ") | {"from_name": "role"}]
    path = write_file(tmp_path, task(*results))
    corpus = cz.read(path)
    note = "the spans of several controls were read: label (1), role (1); choose one with --reading layer=NAME"
    assert note in str(corpus.reading)
    assert corpus["7", "1"].categories == ("PER", "SUBJ")
    role = cz.read(path, layer="role")
    assert role["7", "1"].categories == ("SUBJ",)
    assert "several controls were" not in str(role.reading)
    with pytest.raises(FormatError, match=r"no control matches 'roles'; the controls are label \(1\), role \(1\)"):
        cz.read(path, layer="roles")


def test_predictions_and_missing_labels_are_reported(tmp_path: Path) -> None:
    content = task(region(0, 8, "PER"), region(17, 24)) | {"predictions": [{"result": [region(0, 3, "A")]}]}
    corpus = cz.read(write_file(tmp_path, content))
    assert corpus["7", "1"].categories == ("PER", None)
    assert "ignored: predictions (1, made by models)" in str(corpus.reading)
    assert "1 span has no label" in str(corpus.reading)


def test_offsets_in_characters_or_in_utf_16(tmp_path: Path) -> None:
    # plays: characters 11-16, UTF-16 units 12-17
    assert spans(write_file(tmp_path, task(region(11, 16, "V")))) == {(4, 4, "V")}
    assert spans(write_file(tmp_path, task(region(12, 17, "V", text="plays")))) == {(4, 4, "V")}
    expected = {(1, 2, "PER"), (4, 4, "V")}
    assert spans(write_file(tmp_path, task(region(0, 8, "PER"), region(12, 17, "V", text="plays")))) == expected
    message = r"all count characters or all UTF-16 units; result\[1\] and result\[0\] disagree"
    with pytest.raises(FormatError, match=message):
        cz.read(write_file(tmp_path, task(region(11, 16, "V"), region(18, 25, "WORK", text="Elianti"))))


def test_ambiguous_offsets(tmp_path: Path) -> None:
    # 😀 a a: the second unit pair is the first or the second a
    data = {"text": "😀aa b"}
    path = write_file(tmp_path, task(region(2, 3, "A", text="a"), data=data))
    with pytest.raises(FormatError, match="choose offsets='characters' or offsets='utf-16'; both give"):
        cz.read(path, **STRICT)
    assert spans(path, tokens="characters", offsets="characters") == {(3, 3, "A")}
    assert spans(path, tokens="characters", offsets="utf-16") == {(2, 2, "A")}
    with pytest.raises(FormatError, match="choose offsets='characters'"):
        cz.read(write_file(tmp_path, task(region(11, 16, "V", text=None))))  # saved without the text
    assert spans(write_file(tmp_path, task(region(11, 16, "V", text=None))), offsets="characters") == {(4, 4, "V")}
    assert spans(write_file(tmp_path, task(region(4, 8, "PER", text=None)))) == {
        (2, 2, "PER")
    }  # before the face: no question


def test_offsets_that_fit_in_neither_unit(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"item '7', coder '1': result\[1\] must repeat the text at 4-8, 'Haag'; got"):
        cz.read(write_file(tmp_path, task(region(0, 3, "A"), region(4, 8, "PER", text="Hoag"))))
    with pytest.raises(FormatError, match=r"result\[0\] must repeat"):
        cz.read(write_file(tmp_path, task(region(0, 99, "PER", text="Ms."))))
    with pytest.raises(FormatError, match=r"result\[0\] must repeat"):  # 10 is inside the face
        cz.read(write_file(tmp_path, task(region(9, 10, "A", text="?"))), offsets="utf-16")


def test_which_field_is_the_text(tmp_path: Path) -> None:
    data = {"title": "x", "text": TEXT, "number": 3}
    path = write_file(tmp_path, task(region(0, 8, "PER"), data=data))
    assert spans(path) == spans(path, text="text") == {(1, 2, "PER")}
    assert "the text is in the field text of data" in str(cz.read(path).reading)
    with pytest.raises(FormatError, match="the text must be in the field 'body'; the fields are 'title', 'text'"):
        cz.read(path, text="body", **STRICT)
    assert spans(write_file(tmp_path, task(region(0, 8, "PER", source="$text"), data=data))) == {(1, 2, "PER")}
    with pytest.raises(FormatError, match="one field of data must be the text; choose it with text=; got none"):
        cz.read(write_file(tmp_path, task(region(0, 8, "PER"), data={"number": 3})))


def test_the_text_is_the_field_with_the_spans(tmp_path: Path) -> None:
    data = {"title": "x", "body": TEXT}
    found, empty = task(region(4, 8, "PER"), data=data), task(name=8, data=data)
    corpus = cz.read(write_file(tmp_path, found, empty))  # the second task has no spans, and the same fields
    assert corpus["7", "1"].text == corpus["8", "1"].text == TEXT
    assert "the text is in the field body of data" in str(corpus.reading)
    other = {"text": "A summary of the text.", "body": TEXT}  # the spans are not in the field text
    assert cz.read(write_file(tmp_path, task(region(4, 8, "PER"), data=other)))["7", "1"].text == TEXT
    for unclear in ({"a": TEXT, "b": TEXT}, {"a": "x", "b": "y"}):
        with pytest.raises(FormatError, match="one field of data must be the text; choose it with text=; got 'a', 'b'"):
            cz.read(write_file(tmp_path, task(region(4, 8, "PER"), data=unclear)))


def test_other_results_are_counted_and_named(tmp_path: Path) -> None:
    choice = {"type": "choices", "value": {"choices": ["good"]}}
    markup = {
        "type": "hypertextlabels",
        "value": {"start": "/p[1]/text()[1]", "end": "/p[1]/text()[1]", "hypertextlabels": ["A"]},
    }
    message = "not spans of text were skipped: 2 of type choices, 1 of type hypertextlabels"
    with pytest.warns(CaesuraWarning, match=message):
        assert spans(write_file(tmp_path, task(choice, region(0, 3, "A"), markup, choice))) == {(1, 1, "A")}
    with pytest.raises(FormatError, match="expected results of type labels; there are 1 of type hypertextlabels"):
        cz.read(write_file(tmp_path, task(markup)))


def test_cancelled_annotations(tmp_path: Path) -> None:
    path = write_file(tmp_path, task(region(0, 3, "A")), task(name=8, was_cancelled=True))
    with pytest.warns(CaesuraWarning, match=r"cancelled annotations not read: 1 ") as warnings:
        assert cz.read(path, **STRICT).item_names == ("7",)
    assert warnings[0].filename == __file__


def test_a_region_without_labels(tmp_path: Path) -> None:
    path = write_file(tmp_path, task(region(0, 8)))
    assert spans(path) == {(1, 2, None)}
    annotation = cz.read(path, **STRICT | {"as_": "segments"})["7", "1"]
    assert annotation == cz.Segmentation.from_masses([2, 3], units=TEXT.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (task(region("a", 8, "PER", text="x")), r"result\[0\]: start must be a whole number; got 'a'"),
        (task(region(-1, 8, "PER", text="x")), r"result\[0\]: start must be from 0 to"),
        (task({"type": "labels", "value": 3}), r"result\[0\]: expected a value with start, end and labels; got 3"),
        (task(labels(labels=[3])), r"labels\[0\]: expected a string; got 3"),
        (task(labels(labels="A")), r"labels: expected a list of strings; got 'A'"),
        (task(labels(text=3)), r"result\[0\]: text must be a string; got 3"),
        (task(3), r"result\[0\]: expected an object with a type; got 3"),
        (task(name=None), r"tasks\[0\]: id must be a whole number; got None"),
        (task(by=[2]), "completed_by must be a whole number; got"),
        (
            {"id": 7, "data": {"text": "a"}, "annotations": [3]},
            r'annotations\[0\]: expected an object with "result": \[...\]',
        ),
        (task(region(0, 4, "A"), region(2, 8, "B")), "ends inside|begins inside"),
    ],
)
def test_invalid_files(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        cz.read(write_file(tmp_path, content), **STRICT)
    assert "\n" not in str(caught.value)


def test_the_other_annotations_are_still_read(tmp_path: Path) -> None:
    excluded: list[FormatError] = []
    good = task(region(0, 3, "A"))
    good["annotations"].append({"completed_by": 2, "result": [region(0, 3, "A", text="no")]})
    good["annotations"].append({"completed_by": 1, "result": []})
    corpus = cz.read(write_file(tmp_path, good, 3, task(region(0, 3, "A"), name=8)), excluded=excluded)
    assert list(corpus) == [("7", "1"), ("8", "1")]
    expected = ["item '7', coder '2': r", "item '7' has coder '1'", "tasks[1]: expected an "]
    assert [problem.problem[:22] for problem in excluded] == expected


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"data": {"annotations": [2, 3]}}', "json"),
        ('{"items": {"data": {"annotations": [2, 3]}}}', "masses-json"),
        ('{"items": {"t": {"length": 3, "coders": {"annotations": [[1, 2]]}}}}', "spans-json"),
        ("[1, 2]", "json"),
        ('[{"id": 1, "data": {}, "annotations": []}]', "label-studio"),
    ],
)
def test_other_json_files_keep_their_format(tmp_path: Path, content: str, name: str) -> None:
    (tmp_path / "x.json").write_text(content)
    assert detect(tmp_path / "x.json").name == name


def test_files_that_are_not_an_export(tmp_path: Path) -> None:
    for content, message in (
        (
            '[{"text": "x", "label": [{"start": 0, "end": 1}]}]',
            r"expected tasks with .*; export as JSON, not as JSON-MIN",
        ),
        ("[" * 10**5, "nested too deeply"),
        ('{"id": 1', "not valid JSON"),
        ("3", "tasks with"),
    ):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(FormatError, match=message):
            cz.read(tmp_path / "x.json", "label-studio", **STRICT)


def test_regions_of_a_recording(tmp_path: Path) -> None:
    results = [
        region(5.25, 9.5, "B", text=None, original_length=60.0),
        region(0.5, 5.25, "A", text=None, original_length=60.0),
    ]
    tasks = task(*results, data={"audio": "/data/x.wav"})
    tasks["annotations"].append({"id": 101, "completed_by": 2, "result": []})
    corpus = cz.read(write_file(tmp_path, tasks))
    tier = corpus["7", "1"]
    assert isinstance(tier, Tier)
    assert [tuple(interval) for interval in tier.intervals] == [(0.5, 5.25, "A"), (5.25, 9.5, "B")]
    assert tier.end == 60.0
    assert corpus.kind == "timed"


def test_minimal_export(tmp_path: Path) -> None:
    value = {"start": 4, "end": 8, "text": "Haag", "labels": ["PER"]}
    common = {"text": TEXT, "id": 7, "created_at": "2024", "updated_at": "2024", "lead_time": 3.5}
    annotations = [{**common, "label": [value], "annotator": i, "annotation_id": 10 + i} for i in (1, 2)]
    path = write_file(tmp_path, *annotations)
    assert detect(path).name == "label-studio"
    assert spans(path) == spans(path, "2") != set()
