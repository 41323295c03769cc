"""Nothing vanishes or appears in silence: links, empty files and rows, numbers of units, and similar names."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, FormatError, OptionError
from support.files import text_reader

ROWS = "item,unit,ann,bo\nx,1,0,0\nx,2,1,0\nx,3,0,0\n"
read_text = text_reader("a.csv")
DOCUMENT = '{"item": "x", "length": 5, "reference": [2], "hypothesis": [2]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path


def messages_of(path: Path) -> str:
    with cz.collect_warnings() as messages:
        corpus = cz.read(path)
    return "\n".join([*messages, *corpus.reading.warnings])


def test_links_that_lead_nowhere(folder: Path) -> None:
    (folder / "b.csv").symlink_to(folder / "nowhere.csv")
    assert "1 file is a link that leads to no file and is left out: b.csv" in messages_of(folder)


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_empty_and_blank_files(folder: Path, content: str) -> None:
    # Annotations may be missing: a file with the suffix of the others is no stray file.
    (folder / "b.csv").write_text(content)
    with pytest.raises(FormatError, match=r"b\.csv:1: the file is empty"):
        cz.read(folder)
    excluded: list[FormatError] = []
    assert cz.read(folder, excluded=excluded).coders == ("ann", "bo")
    assert [Path(error.path).name for error in excluded] == ["b.csv"]


def test_stray_files(folder: Path) -> None:
    (folder / "notes.json").write_text("{}")
    assert "1 file is not in the format of most files (tables) and left out: notes.json" in messages_of(folder)


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_files_without_documents(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.jsonl").write_text(DOCUMENT)
    (tmp_path / "b.jsonl").write_text(content)
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    with cz.collect_warnings() as messages:
        cz.evaluate(tmp_path, "B")
    told = "\n".join(messages)
    assert "1 file without any document" in told
    assert "b.jsonl" in told
    assert "1 file is a link that leads to no file and is left out: c.jsonl" in told


def test_rows_of_empty_cells(tmp_path: Path) -> None:
    assert "2 empty rows left out" in str(read_text(tmp_path, ROWS + ",,,\n,,,\n").reading)


def test_names_that_differ_only_by_case_or_blanks(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"items": {"x": {"ann": [2, 3], "Ann": [3, 2]}, "y  1": {"ann": [5]}, "Y 1": {"ann": [4, 1]}}}')
    told = messages_of(path)
    assert "coders whose names look alike or differ only by case are kept apart: 'ann' and 'Ann'" in told
    assert "items whose names look alike or differ only by case are kept apart: 'y  1' and 'Y 1'" in told


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("T1", "T1", "t1", "T2"), "'T1' and 't1'"),
        (("T1", "T1", "T\u200b2", "T2"), r"'T\u200b2' and 'T2'"),
        (("caf\xe9", "caf\xe9", "cafe\u0301", "b"), r"'caf\xe9' and 'cafe\u0301'"),
    ],
)
def test_labels_that_look_alike(labels: tuple[str, ...], names: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"x,{number},{label},{labels[-1]}" for number, label in enumerate([*labels, *labels[:2], *labels[:2]], 1)]
    path.write_text("\n".join(["item,unit,ann,bo", *rows]) + "\n")
    told = messages_of(path)
    assert f"labels whose names look alike or differ only by case are kept apart: {names}" in told


def test_types_that_look_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    marks = {"ann": ["", "act", "", ""], "bo": ["", "Act", "", ""]}
    corpus = {coder: cz.Segmentation.from_marks(own, types=["act", "Act"]) for coder, own in marks.items()}
    cz.write(cz.Corpus({"x": corpus}), path)
    assert "boundary types and categories whose names look alike or differ only by case" in messages_of(path)


@pytest.mark.parametrize("time", ["1:75", "0:72:00", "1:60", "0:00:60.5"])
def test_impossible_times(time: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"a\.csv:2: end must be a time such as 1:05 or 0:01:05\.5; got '{time}'"):
        read_text(tmp_path, f"item,coder,start,end,label\nx,ann,0:05,{time},A\nx,bo,0:05,2:15,A\n")


def test_many_minutes_without_hours_are_possible(tmp_path: Path) -> None:
    corpus = read_text(tmp_path, "item,coder,start,end,label\nx,ann,0:05,72:15,A\nx,bo,0:05,72:15,A\n")
    assert [float(end) for end in corpus["x", "ann"].ends] == [72 * 60 + 15]  # type: ignore[union-attr]


def evaluated(path: Path) -> tuple[float, list[str]]:
    with cz.collect_warnings() as messages:
        return cz.evaluate(path, "B")["B"].value, messages


def test_documents_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(DOCUMENT + DOCUMENT.replace("[2]", "[3]") + DOCUMENT.replace('"x"', '"y"'))
    assert evaluated(path) == (1.0, ["several documents have the same name, and each of them counts: x"])


def test_copied_files(tmp_path: Path) -> None:
    for name, item in (("a.jsonl", "x"), ("b.jsonl", "y"), ("copy.jsonl", "x")):
        (tmp_path / name).write_text(DOCUMENT.replace('"x"', f'"{item}"'))
    files = f"{tmp_path / 'a.jsonl'}, {tmp_path / 'copy.jsonl'}"
    assert evaluated(tmp_path) == (1.0, [f"the same documents are in {files}, and each of them counts"])


@pytest.mark.parametrize("name", ["part-00001.parquet", "extra.parquet", "folder"])
def test_score_files_of_nobody(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(DOCUMENT)
    options = {"checkpoint": tmp_path / "kept", "scores": str(tmp_path / "scores")}
    cz.evaluate(tmp_path / "a.jsonl", "B", **options)
    (tmp_path / "scores" / name).mkdir()
    with pytest.raises(OptionError, match=rf"contains {name}, which the earlier run did not write; remove it"):
        cz.evaluate(tmp_path / "a.jsonl", "B", **options)


@pytest.mark.parametrize(
    ("marked", "inverted"),
    [
        ({*range(1, 20)} - {4, 9, 15}, True),  # its zeros are the boundaries of ann and bo, who mark few of 20 units
        ({*range(1, 20)} - {1, 7, 13}, False),  # more boundaries than the others, and all of theirs
        ({4, 9, 10, 15}, False),  # few boundaries
        ({*range(5, 20)}, False),  # as many of the boundaries of the others as of the other positions
    ],
)
def test_marks_that_look_inverted(marked: set[int], inverted: bool, tmp_path: Path) -> None:
    coders = ({4, 9, 15}, {4, 10, 15}, marked)
    rows = [f"x,{unit},{','.join(str(int(unit in own)) for own in coders)}\n" for unit in range(1, 21)]
    (tmp_path / "a.csv").write_text("item,unit,ann,bo,cy\n" + "".join(rows))
    messages = messages_of(tmp_path / "a.csv")
    message = "coder 'cy' marks more than half of the positions, but rarely where the others do"
    assert (message in messages, "swapped" in messages) == (inverted, inverted)


def test_one_of_many_inverted_streams(tmp_path: Path) -> None:
    marked = [{4, 9, 15}, {4, 10, 15}, {*range(1, 20)} - {4, 9, 15}]
    streams = [{name: cz.Segmentation.from_positions(20, sorted(own)) for name in "AB"} for own in marked]
    corpus = cz.Corpus(
        {"x": {coder: cz.Dialogue(own) for coder, own in zip(("ann", "bo", "cy"), streams, strict=True)}}
    )
    cz.write(corpus, tmp_path / "a.csv")
    told = messages_of(tmp_path / "a.csv")
    assert "coder 'cy' marks more than half" in told
    assert "'ann' marks" not in told


NUMBERS = "item,unit,ann,bo\nx,1,{},1\nx,2,{},1\nx,3,{},1\nx,4,{},2\nx,5,{},2\n"


def test_equal_numbers_of_segments(tmp_path: Path) -> None:
    corpus = read_text(tmp_path, NUMBERS.format("1.0", "1", "2", "2.00", "20"), fields={"coders": ["ann", "bo"]})
    assert corpus["x", "ann"].masses == (2, 2, 1)  # type: ignore[union-attr]


@pytest.mark.parametrize("cells", ["11224", "11221", "33112"])
def test_a_coder_whose_numbers_jump_or_fall_is_not_lost(cells: str, tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match=r"column ann: .* not clear whether this is a coder") as caught:
        read_text(tmp_path, NUMBERS.format(*cells))
    (_, without), (_, with_ann) = caught.value.choices
    assert read_text(tmp_path, NUMBERS.format(*cells), **without).coders == ("bo",)
    corpus = read_text(tmp_path, NUMBERS.format(*cells), **with_ann)
    assert corpus["x", "ann"].masses == (2, 2, 1)  # type: ignore[union-attr]


LABELS_IN_MERGED_CELLS = "item,unit,ann,bo\nx,1,A,A\nx,2,,\nx,3,,\nx,4,B,\nx,5,,B\nx,6,,\n"


def test_labels_in_merged_cells_may_be_boundaries_before_or_after(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match="a word may be at the first or at the last unit of a segment"):
        read_text(tmp_path, LABELS_IN_MERGED_CELLS)
    before = read_text(tmp_path, LABELS_IN_MERGED_CELLS, marks="start")
    assert [before["x", coder].masses for coder in ("ann", "bo")] == [(3, 3), (4, 2)]  # type: ignore[union-attr]
    after = read_text(tmp_path, LABELS_IN_MERGED_CELLS, marks="end")
    assert [after["x", coder].masses for coder in ("ann", "bo")] == [(1, 3, 2), (1, 4, 1)]  # type: ignore[union-attr]


def test_types_after_the_first_unit_are_written_and_read(tmp_path: Path) -> None:
    rows = {"ann": ["A", "", "", "B", ""], "bo": ["A", "", "B", "", ""]}
    corpus = cz.Corpus({"x": {coder: cz.Segmentation.from_marks(row) for coder, row in rows.items()}})
    cz.write(corpus, tmp_path / "b.csv")
    assert cz.read(tmp_path / "b.csv") == corpus


SECONDS = "item,coder,start,end,label\nx,ann,0,4.5,A\nx,ann,4.5,9.25,B\nx,bo,0,5.5,A\nx,bo,5.5,9.25,B\n"


def test_repeated_spans(tmp_path: Path) -> None:
    read_text(tmp_path, SECONDS + "x,bo,5.5,9.25,B\nx,bo,5.5,9.25,C\n")
    message = "spans occur again with the same positions and category: 1 of bo; each of them"
    assert message in messages_of(tmp_path / "a.csv")
    read_text(tmp_path, SECONDS)
    assert messages_of(tmp_path / "a.csv") == ""


@pytest.mark.parametrize(
    "text",
    [
        SECONDS.replace("5.5,9.25", "5500,9250").replace("0,5.5", "0,5500"),
        "item,coder,time\nx,ann,1.5\nx,ann,4.0\nx,bo,1400\nx,bo,4100\n",
        "item,coder,time\nx,ann,1.5\nx,ann,4.0\nx,cy,4.5\nx,bo,1400\nx,bo,4100\ny,ann,3.5\ny,bo,3600\n",
    ],
)
def test_seconds_and_milliseconds(text: str, tmp_path: Path) -> None:
    read_text(tmp_path, text)
    assert "times of 'bo' are about 1000 times as large as those of other coders" in messages_of(tmp_path / "a.csv")


def test_a_number_among_times(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.csv:3: time must be a time such as 1:05 or 0:01:05\.5; got '90'"):
        read_text(tmp_path, "item,coder,time\nx,ann,0:01\nx,ann,90\nx,bo,1:30\n")
    assert len(read_text(tmp_path, "item,coder,start,end\nx,ann,0,1:30\nx,bo,0:00,1:31\n")) == 2


def test_a_file_joined_with_its_copy(tmp_path: Path) -> None:
    rows = "x,It rained.,0,0\nx,She left.,1,0\nx,He stayed.,0,1\nx,It ended.,0,0\n"
    with cz.collect_warnings() as messages:
        read_text(tmp_path, "doc,sentence,ann,bo\n" + 2 * rows)
    assert any("a.csv:6: the rows from here on repeat all rows above" in message for message in messages)
    read_text(tmp_path, "doc,sentence,ann,bo\n" + rows)  # a warning would be an error


REFUSED = {
    "item": ("item,text,ann,bo\n,a b,0,0\nx,c d,1,0\nx,e f,0,1\n", r"a\.csv:2: the item is missing in column item"),
    "coder": ("item,coder,time\nx,ann,1.5\nx,,4.0\nx,bo,1.4\n", r"a\.csv:3: the coder is missing in column coder"),
    "number": (ROWS + ",,1,1\n", r"a\.csv:5: the number of the unit is missing in column unit"),
    "order": ("item,unit,ann,bo\nx,3.0,0,0\nx,1.0,1,1\nx,2.0,0,1\n", "units must be numbered in order; got 1 after 3"),
    "end": ("item,coder,start,end,duration\nx,ann,0.5,5.5,3.5\nx,bo,0.5,2.5,3.5\n", r"5\.5"),
    "label": (
        "item,unit,ann,bo\nx,1,A,A\nx,2,A,A\nx,3,,A\nx,4,B,B\nx,5,B,B\nx,6,B,B\n",
        r"a\.csv:4: .*coder 'ann': every unit must have a label",
    ),
}


@pytest.mark.parametrize("missing", REFUSED)
def test_missing_cells(missing: str, tmp_path: Path) -> None:
    text, problem = REFUSED[missing]
    with pytest.raises(FormatError, match=problem):
        read_text(tmp_path, text)


def test_units_without_a_number(tmp_path: Path) -> None:
    corpus = read_text(tmp_path, "item,unit,ann,bo\nx,1,0,0\nx,2,1,0\nx,4,0,1\nx,5a,1,0\nx,6,0,0\n")
    assert "'5a' in unit (line 5) is no whole number, so that the order of units is not checked" in str(corpus.reading)


def test_items_without_any_annotation(tmp_path: Path) -> None:
    rows = "x,It rained.,0,0\nx,She left.,1,0\nx,He stayed.,0,1\n"
    corpus = read_text(tmp_path, f"doc,sentence,ann,bo\n{rows}y,It ended.,,\ny,Or not.,,\n")
    assert corpus.item_names == ("x",)
    assert "1 item without any annotation left out: 'y'" in str(corpus.reading)
    assert "without any annotation" not in str(read_text(tmp_path, f"doc,sentence,ann,bo\n{rows}").reading)
