"""Folders of files with tiers: items and coders from paths, words and lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, CaesuraWarning, FormatError
from caesura.formats import read_together
from support.commands import invoke

LENGTHS = {"rec1": 4, "rec2": 6, "talk": 9}


def grid(path: Path, length: float, *tiers: str, words: str = "", edge: float = 1.5) -> None:
    """Write a TextGrid whose tiers have two segments, and perhaps a tier with one word per second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', f"0 {length} <exists> {len(tiers) + bool(words)}"]
    if words:
        lines.append(f'"IntervalTier" "words" 0 {length} {len(words.split())}')
        lines += [f'{i} {i + 1} "{word}"' for i, word in enumerate(words.split())]
    lines += [f'"IntervalTier" "{name}" 0 {length} 2 0 {edge} "A" {edge} {length} "B"' for name in tiers]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    "form", ["{coder}/{item}", "{item}/{coder}", "{item}_{coder}", "{coder}-{item}", "{coder}/{item}.{coder}"]
)
def test_arrangements_by_length(tmp_path: Path, form: str) -> None:
    for item in ("rec1", "rec2"):
        for coder in ("anna", "bo"):
            grid(tmp_path / f"{form.format(item=item, coder=coder)}.TextGrid", LENGTHS[item], "IU")
    corpus = cz.read(tmp_path)
    assert set(corpus) == {(item, coder) for item in ("rec1", "rec2") for coder in ("anna", "bo")}
    assert corpus.kind == "timed"
    assert len(corpus.reading.notes) == 1
    assert corpus.reading.roles == {"IU": "segments"}


@pytest.mark.parametrize("form", ["{coder}/{item}", "{item}/{coder}", "{item}_{coder}", "{coder}_{item}"])
def test_arrangements_by_words(tmp_path: Path, form: str) -> None:
    """All recordings are equally long, and names have no numbers."""
    texts = {"fox": "the quick brown fox jumps", "moon": "good night to every moon"}
    for item, words in texts.items():
        for coder in ("anna", "bo"):
            path = tmp_path / f"{form.format(item=item, coder=coder)}.TextGrid"
            grid(path, 5, "IU", words=words, edge=2)
    corpus = cz.read(tmp_path)
    assert set(corpus) == {(item, coder) for item in texts for coder in ("anna", "bo")}
    assert corpus["moon", "bo"].units == tuple(texts["moon"].split())


def test_numbers_are_in_names_of_items(tmp_path: Path) -> None:
    for name in ("anna_1", "anna_2", "bo_1", "bo_2"):
        grid(tmp_path / f"{name}.TextGrid", 5, "IU")
    assert set(cz.read(tmp_path)) == {("1", "anna"), ("2", "anna"), ("1", "bo"), ("2", "bo")}


def test_names_that_do_not_tell_items_from_coders(tmp_path: Path) -> None:
    for name in ("anna_x", "anna_y", "bo_x", "bo_y"):
        grid(tmp_path / f"{name}.TextGrid", 5, "IU")
    with pytest.raises(AmbiguousFileError, match="the names of the files do not tell items from coders") as caught:
        cz.read(tmp_path)
    readings = [set(cz.read(tmp_path, **options)) for _, options in caught.value.choices]
    assert readings[0] == {("anna", "x"), ("anna", "y"), ("bo", "x"), ("bo", "y")}
    assert readings[1] == {(coder, item) for item, coder in readings[0]}
    for folder in ("anna", "bo"):  # folders are coders if nothing else is known
        for item in ("x", "y"):
            grid(tmp_path / "by_coder" / folder / f"{item}.TextGrid", 5, "IU")
    assert set(cz.read(tmp_path / "by_coder")) == readings[1]


def test_one_coder_and_several_recordings(tmp_path: Path) -> None:
    for item, length in LENGTHS.items():
        grid(tmp_path / f"{item}.TextGrid", length, "IU")
    corpus = cz.read(tmp_path)
    assert set(corpus) == {(item, "IU") for item in LENGTHS}
    assert corpus.reading.notes == ("each file is an item, named by its path, because the recordings differ",)


def test_one_recording_of_several_coders(tmp_path: Path) -> None:
    for name in ("anna", "bo"):
        grid(tmp_path / f"{name}.TextGrid", 5, "IU")
    with pytest.warns(CaesuraWarning, match="2 files name no item and no coder"):
        assert cz.read(tmp_path).coders == ("anna", "bo")
    for name in ("talk_anna", "talk_bo"):
        grid(tmp_path / "named" / f"{name}.TextGrid", 5, "IU")
    assert set(cz.read(tmp_path / "named")) == {("talk", "anna"), ("talk", "bo")}


def test_tiers_in_files_of_several_folders_are_not_coders(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        grid(tmp_path / folder / "rec1.TextGrid", 4, "ann", "bo")
    message = r"has the same tiers, so that the folders could be the coders"
    with pytest.raises(AmbiguousFileError, match=message) as caught:
        cz.read(tmp_path)
    assert [options for _, options in caught.value.choices] == [{"tiers": "ann"}, {"tiers": "bo"}]
    assert set(cz.read(tmp_path, tiers="ann")) == {("rec1", "x"), ("rec1", "y")}
    grid(tmp_path / "y" / "rec1.TextGrid", 6, "ann", "bo")  # another recording
    assert set(cz.read(tmp_path)) == {(item, coder) for item in ("x/rec1", "y/rec1") for coder in ("ann", "bo")}


def test_a_folder_of_ambiguous_files_is_one_error(tmp_path: Path) -> None:
    for item in ("rec1", "rec2"):
        grid(tmp_path / f"{item}.TextGrid", LENGTHS[item], "IU", "topic")
    with pytest.raises(AmbiguousFileError, match=r"rec1\.TextGrid: several tiers could be the segmentation"):
        cz.read(tmp_path, excluded=[])
    result = invoke(["agree", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.count("several tiers") == 1
    assert "tier topic, 2 intervals: caesura" in result.stderr
    assert "--tier topic" in result.stderr
    assert "--tier IU --tier topic" in result.stderr


def test_two_folders_are_paired_by_file(tmp_path: Path) -> None:
    for folder, edge in (("ref", 1.5), ("hyp", 2)):
        for item in ("rec1", "rec2"):
            grid(tmp_path / folder / f"{item}.TextGrid", LENGTHS[item], "IU", edge=edge)
    ref, hyp = read_together([tmp_path / "ref", tmp_path / "hyp"])
    assert set(ref) == {("rec1", "ref"), ("rec2", "ref")}
    assert set(hyp) == {("rec1", "hyp"), ("rec2", "hyp")}


def test_files_that_cannot_be_told_apart(tmp_path: Path) -> None:
    grid(tmp_path / "a" / "rec1.TextGrid", 4, "IU")
    grid(tmp_path / "b" / "rec1.TextGrid", 4, "ann", "bo")
    excluded: list[FormatError] = []
    assert set(cz.read(tmp_path, excluded=excluded)) == {("rec1", "IU"), ("rec1", "ann"), ("rec1", "bo")}
    assert excluded == []


@pytest.mark.parametrize("form", ["{coder}/{item}", "{item}/{coder}", "{item}_{coder}"])
def test_spans_of_tiers_have_the_coders_of_tiers(tmp_path: Path, form: str) -> None:
    for item in ("rec1", "rec2"):
        for coder in ("anna", "bo"):
            grid(tmp_path / f"{form.format(item=item, coder=coder)}.TextGrid", LENGTHS[item], "laughter")
    corpus = cz.read(tmp_path, as_="spans")
    assert set(corpus) == {("rec1", "anna"), ("rec1", "bo"), ("rec2", "anna"), ("rec2", "bo")}
    assert corpus["rec1", "bo"] == cz.Spans([(0, 1.5, "A"), (1.5, 4, "B")], bounds=(0, 4), seconds=True)


def test_names_do_not_depend_on_files_that_cannot_be_read(tmp_path: Path) -> None:
    grid(tmp_path / "anna" / "rec1.TextGrid", 4, "IU")
    grid(tmp_path / "bo" / "rec1.TextGrid", 4, "IU")
    assert set(cz.read(tmp_path)) == {("rec1", "anna"), ("rec1", "bo")}
    (tmp_path / "anna" / "rec1.TextGrid").write_text('File type = "ooTextFile"\nObject class = "TextGrid"\n0 x\n')
    excluded: list[FormatError] = []
    assert set(cz.read(tmp_path, excluded=excluded)) == {("rec1", "bo")}
    assert len(excluded) == 1
