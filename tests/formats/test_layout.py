"""Arrangement of files in folders: items and coders from paths and contents, and files in other formats."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import read_together
from support.commands import invoke

MARKER = "=========="
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "ru")


def sentences(name: str, number: int = 12) -> list[str]:
    """Return invented sentences, which differ between names."""
    rng = random.Random(name)
    return [" ".join("".join(rng.choices(SYLLABLES, k=3)) for _ in range(6)) for _ in range(number)]


def choi(path: Path, lines: list[str], cuts: set[int]) -> None:
    """Write a text with a marker after each of the lines in ``cuts``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = [MARKER]
    for i, line in enumerate(lines, 1):
        content += [line, MARKER] if i in cuts or i == len(lines) else [line]
    path.write_text("\n".join(content) + "\n")


def salami(path: Path, time: float = 30.5) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"0.000000000\tSilence\n0.5\tA, a, Intro, (voice\n14.2\tb\n{time}\tB, a\n238.4\tEnd\n")


CHOI = ("1/3-11/0", "1/3-11/1", "1/3-5/0", "2/3-11/0", "2/3-11/1", "2/3-5/0")


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two folders like those of Choi (2000), documents by coder, coders by document, and two systems."""
    for name in CHOI:
        choi(tmp_path / "ref" / f"{name}.ref", sentences(name), {4, 8})
        choi(tmp_path / "hyp" / f"{name}.txt", sentences(name), {4, 9})
    for document in ("d1", "d2", "d3"):
        for i, coder in enumerate(("ann", "bo")):
            choi(tmp_path / "by_coder" / coder / f"{document}.ref", sentences(document), {4, 7 + i})
            choi(tmp_path / "by_document" / document / f"{coder}.ref", sentences(document), {4, 7 + i})
            choi(tmp_path / "deep" / coder / "week1" / f"{document}.ref", sentences(document), {4, 7 + i})
        choi(tmp_path / "system" / f"{document}.ref", sentences(document), {3, 8})
        choi(tmp_path / "other" / f"{document}.ref", sentences(document), {8})
    return tmp_path


# -- names ------------------------------------------------------------------------------------------------------------


def test_items_in_nested_folders_have_the_names_of_their_paths(folders: Path) -> None:
    corpus = cz.read(folders / "ref")
    assert set(corpus) == {(name, "ref") for name in CHOI}
    assert corpus.reading.notes == ("each file is an item, named by its path, because the texts differ",)
    assert set(cz.read(folders / "ref" / "1")) == {("3-11/0", "1"), ("3-11/1", "1"), ("3-5/0", "1")}
    assert set(cz.read(folders / "ref" / "1" / "3-11")) == {("0", "3-11"), ("1", "3-11")}


@pytest.mark.parametrize(
    ("name", "note"), [("by_coder", "folders are coders"), ("by_document", "folders are items, and files are coders")]
)
def test_the_same_text_shows_which_part_of_the_path_is_the_coder(name: str, note: str, folders: Path) -> None:
    corpus = cz.read(folders / name)
    assert set(corpus) == {(document, coder) for document in ("d1", "d2", "d3") for coder in ("ann", "bo")}
    assert corpus["d1", "bo"].positions.tolist() == [4, 8]
    assert corpus.reading.notes == (note,)


def test_coders_may_have_nested_folders(folders: Path) -> None:
    corpus = cz.read(folders / "deep")
    assert set(corpus) == {(f"week1/d{i}", coder) for i in (1, 2, 3) for coder in ("ann", "bo")}


def test_texts_that_differ_a_little_are_the_same_text(folders: Path) -> None:
    lines = sentences("d1")
    lines[5] = "xx yy zz"
    choi(folders / "by_coder" / "bo" / "d1.ref", lines, {4})
    assert set(cz.read(folders / "by_coder")) == {(f"d{i}", coder) for i in (1, 2, 3) for coder in ("ann", "bo")}


def test_files_of_unknown_text_and_equal_length_are_coders(tmp_path: Path) -> None:
    for name, bits in {"ann/x": "010", "bo/x": "011", "ann/y": "01100", "bo/y": "11100"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.bits").write_text(f"{bits}\n")
    assert set(cz.read(tmp_path)) == {(f"{item}/1", coder) for item in "xy" for coder in ("ann", "bo")}


def test_files_of_unknown_text_and_different_length_are_items(tmp_path: Path) -> None:
    (tmp_path / "x.bits").write_text("010\n")
    (tmp_path / "y.bits").write_text("01100\n1\n")
    assert set(cz.read(tmp_path)) == {(item, tmp_path.name) for item in ("x/1", "y/1", "y/2")}


def test_files_that_name_their_items_keep_the_names(tmp_path: Path) -> None:
    for name in ("train", "test"):
        dialogues = [
            {"dial_id": f"{name}{i}", "utterances": sentences(f"{name}{i}", 4), "segments": [1, 3]} for i in (1, 2)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(dialogues))
    corpus = cz.read(tmp_path)
    assert corpus.item_names == ("test1", "test2", "train1", "train2")
    assert corpus.coders == (tmp_path.name,)


def test_salami(tmp_path: Path) -> None:
    for song in ("2", "4"):
        for i in (1, 2):
            salami(tmp_path / song / f"textfile{i}.txt", 30 + i)
            for part in ("functions", "uppercase", "lowercase"):
                salami(tmp_path / song / "parsed" / f"textfile{i}_{part}.txt")
    corpus = cz.read(tmp_path)
    assert set(corpus) == {(song, f"textfile{i}") for song in ("2", "4") for i in (1, 2)}
    for command in ("agree", "info"):
        assert invoke([command, str(tmp_path)]).exit_code == 0


def test_files_with_named_coders_in_several_folders(tmp_path: Path) -> None:
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "talk.csv").write_text("text,ann,bo\na,0,0\nb,1,0\nc,0,1\nd,0,0\n")
    expected = {(f"{day}/talk", coder) for day in ("monday", "tuesday") for coder in ("ann", "bo")}
    assert set(cz.read(tmp_path)) == expected


# -- several folders --------------------------------------------------------------------------------------------------


def test_two_folders_are_paired_by_path(folders: Path) -> None:
    ref, hyp = read_together([folders / "ref", folders / "hyp"])
    assert ref.item_names == hyp.item_names == CHOI
    assert (ref.coders, hyp.coders) == (("ref",), ("hyp",))
    result = invoke(["score", str(folders / "ref"), str(folders / "hyp"), "-m", "pk", "--json"])
    assert result.exit_code == 0
    entries = json.loads(result.stdout)["results"]["scores"]
    assert [entry["item"] for entry in entries] == [*CHOI, None]


def test_equal_paths_are_items_even_if_the_texts_are_equal_or_unknown(tmp_path: Path) -> None:
    for side in ("ref", "hyp"):
        for item in ("x", "y"):
            choi(tmp_path / side / f"{item}.ref", sentences("same"), {4})
            (tmp_path / f"{side}_bits").mkdir(exist_ok=True)
            (tmp_path / f"{side}_bits" / f"{item}.masses.json").write_text(json.dumps({"items": {item: {"1": [2, 3]}}}))
    ref, hyp = read_together([tmp_path / "ref", tmp_path / "hyp"])
    assert (set(ref), set(hyp)) == ({("x", "ref"), ("y", "ref")}, {("x", "hyp"), ("y", "hyp")})


def test_folders_of_files_that_number_their_items(tmp_path: Path) -> None:
    for side in ("ref", "hyp"):
        for name in ("a", "b"):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{name}.ptb").write_text("(S (NN x) (NN y))\n(S (NN y) (NN z))\n")
    ref, hyp = read_together([tmp_path / "ref", tmp_path / "hyp"])
    assert ref.item_names == hyp.item_names == ("a/1", "a/2", "b/1", "b/2")


@pytest.mark.parametrize("people", ["by_coder", "by_document"])
def test_judge_takes_folders(people: str, folders: Path) -> None:
    systems = ["--system", str(folders / "system"), "--system", str(folders / "other")]
    result = invoke(["judge", str(folders / people), *systems, "-m", "boundary_similarity", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["excluded"] == []
    assert '"system"' in result.stdout
    assert '"other"' in result.stdout
    # a file with the coders, and folders with the systems
    cz.write(cz.read(folders / people), folders / "people.csv")
    result = invoke(["judge", str(folders / "people.csv"), *systems, "-m", "boundary_similarity", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["results"] == document["results"]


# -- formats ----------------------------------------------------------------------------------------------------------


def test_files_in_another_format_are_listed_and_left_out(folders: Path) -> None:
    (folders / "system" / "speakers.csv").write_text("name,age\nann,30\nbo,40\n")
    (folders / "system" / "README.md").write_text("# Notes\n")
    with pytest.warns(CaesuraWarning, match=r"left out: (README\.md|speakers\.csv)") as warnings:
        corpus = cz.read(folders / "system")
    assert len(warnings) == 2
    assert set(corpus) == {(f"d{i}", "system") for i in (1, 2, 3)}
    assert corpus.reading.ignored == ("README.md (in no known format)", "speakers.csv (table-csv)")
    assert corpus.reading.format == "choi"
    assert invoke(["info", str(folders / "system")]).exit_code == 0


def test_a_file_in_another_format_that_names_the_same_coders_is_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("text,ann,bo\na,0,0\nb,1,0\nc,0,1\nd,0,0\n")
    (tmp_path / "c.json").write_text('{"items": {"z": {"ann": [2, 3], "bo": [1, 4]}}}')
    assert cz.read(tmp_path).item_names == ("a", "b", "z")


def test_info_exits_1_if_a_file_cannot_be_read(folders: Path) -> None:
    (folders / "system" / "d4.ref").write_text(f"{MARKER}\none\n\ntwo\n{MARKER}\n")
    result = invoke(["info", str(folders / "system")])
    assert result.exit_code == 1
    assert "d4.ref:3: a line is empty" in result.stderr
    assert "has 3 items (d1, d2, d3)" in result.stdout
    with pytest.raises(FormatError, match=r"d4\.ref:3"):
        cz.read(folders / "system")


def doccano(path: Path, **spans: list[tuple[int, int, str]]) -> None:
    """Write texts of doccano: name of the text -> its spans."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [{"id": name, "text": " ".join(sentences(name, 3)), "label": marked} for name, marked in spans.items()]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")


def test_coders_who_skipped_the_first_texts(tmp_path: Path) -> None:
    doccano(tmp_path / "ann.jsonl", a=[(0, 6, "X")], b=[(7, 13, "X")], c=[])
    doccano(tmp_path / "bo.jsonl", b=[(7, 13, "Y")], c=[(0, 6, "Y")])
    doccano(tmp_path / "cy.jsonl", a=[(0, 6, "Z")])
    assert set(cz.read(tmp_path)) == {("a", "ann"), ("b", "ann"), ("c", "ann"), ("b", "bo"), ("c", "bo"), ("a", "cy")}
    doccano(tmp_path / "cy.jsonl", d=[(0, 6, "Z")])  # a text that nobody else has
    assert ("d", "cy") in set(cz.read(tmp_path))


def test_batches_of_different_texts_are_items(tmp_path: Path) -> None:
    doccano(tmp_path / "week1.jsonl", a=[(0, 6, "X")], b=[])
    doccano(tmp_path / "week2.jsonl", c=[(0, 6, "X")], d=[])
    assert set(cz.read(tmp_path)) == {(item, tmp_path.name) for item in "abcd"}


def test_names_do_not_depend_on_files_that_cannot_be_read(tmp_path: Path) -> None:
    for coder in ("ann", "bo"):
        for document in ("d1", "d2"):
            choi(tmp_path / "all" / coder / f"{document}.ref", sentences(document), {4})
        choi(tmp_path / "one" / coder / "d1.ref", sentences("d1"), {4})
    for damaged in ("all/ann/d1.ref", "one/ann/d1.ref"):
        (tmp_path / damaged).write_text(f"{MARKER}\n{MARKER}\n{MARKER}\n")
    excluded: list[FormatError] = []
    assert set(cz.read(tmp_path / "all", excluded=excluded)) == {("d1", "bo"), ("d2", "ann"), ("d2", "bo")}
    assert set(cz.read(tmp_path / "one", excluded=excluded)) == {("d1", "bo")}
    assert [Path(error.path or "").parent.name for error in excluded] == ["ann", "ann"]


def test_archives_are_named(tmp_path: Path) -> None:
    (tmp_path / "doc1.txt").mkdir()
    (tmp_path / "doc1.txt" / "ann.zip").write_bytes(b"PK\x03\x04\x14\x00")
    with pytest.raises(FormatError, match=r"no file can be read; there are doc1.txt/ann.zip; unpack the .zip files"):
        cz.read(tmp_path)
    with pytest.raises(FormatError, match="this is a zip archive; unpack it"):
        cz.read(tmp_path / "doc1.txt" / "ann.zip")
