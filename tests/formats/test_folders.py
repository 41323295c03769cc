"""Reading folders: which files are read, and their items and coders."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.formats import find, folders, read_together
from caesura.model.tier import Tier

WORDS = ("good", "night", "moon")


def table(path: Path, bits: str, words: tuple[str, ...] = WORDS) -> None:
    """Write a segsimflex table, which names neither item nor coder; segments are utterances."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, utterance = ["Speaker,Utterance"], []
    for word, bit in zip(words, bits, strict=True):
        utterance.append(word)
        if bit == "1":
            rows.append(f"F,{' '.join(utterance)} .")
            utterance = []
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def grid(path: Path, *tiers: tuple[str, float]) -> None:
    """Write a TextGrid of 3 s whose tiers have two intervals, A and B, with a common edge."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3\n<exists>\n{len(tiers)}\n'
    body = "".join(f'"IntervalTier"\n"{name}"\n0\n3\n2\n0\n{at}\n"A"\n{at}\n3\n"B"\n' for name, at in tiers)
    path.write_text(head + body, encoding="utf-8")


# -- names ------------------------------------------------------------------------------------------------------------


def test_one_folder_per_coder(tmp_path: Path) -> None:
    for coder in ("ann", "bo"):
        for item in ("x", "y"):
            table(tmp_path / coder / f"{item}.csv", "101")
    expected = {("x", "ann"), ("x", "bo"), ("y", "ann"), ("y", "bo")}
    assert set(cz.read(tmp_path)) == expected  # by what the names have in common
    assert set(cz.read(tmp_path, pattern="{coder}/{item}.csv")) == expected
    assert set(cz.read(str(tmp_path / "*" / "*.csv"), pattern="{coder}/{item}.csv")) == expected
    assert set(cz.read(tmp_path, pattern="{coder}/*.csv")) == expected  # the rest of the path is the item
    # as in read_coders
    assert cz.read(tmp_path) == cz.read_coders(sorted(tmp_path.glob("*/*.csv")))


def test_item_and_coder_in_the_name(tmp_path: Path) -> None:
    for name in ("t1_ann", "t1_bo", "t2_ann"):
        table(tmp_path / f"{name}.csv", "101")
    corpus = cz.read(tmp_path, pattern="{item}_{coder}.csv")
    assert set(corpus) == {("t1", "ann"), ("t1", "bo"), ("t2", "ann")}
    # without a pattern they are coders of one item, like a list of files; there is a warning, because they were not listed
    with pytest.warns(CaesuraWarning, match=r"3 files name no item and no coder: .* one item, '1'; .* pattern such as"):
        assert set(cz.read(tmp_path)) == {("1", "t1_ann"), ("1", "t1_bo"), ("1", "t2_ann")}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{item}_{coder}.csv", ("t1", "ann.v2")),
        ("{item}_{coder}.v2.csv", ("t1", "ann")),
        ("t{item}_{coder}.*", ("1", "ann.v2")),
        ("t1_{coder}.*.csv", ("t1_.v2", "ann")),
        ("{item}_*.csv", ("t1", "_ann.v2")),
    ],
)
def test_names_from_patterns(pattern: str, expected: tuple[str, str], tmp_path: Path) -> None:
    table(tmp_path / "t1_ann.v2.csv", "101")
    item, coder = expected
    ((found_item, found_coder),) = cz.read(tmp_path, pattern=pattern)
    # separators at the ends of a name are removed
    assert (found_item, found_coder) == (item.strip("_. "), coder.strip("_. "))


def test_a_file_that_numbers_its_own_items(tmp_path: Path) -> None:
    for coder in ("old", "new"):
        for doc in ("a", "b"):
            (tmp_path / f"{doc}.{coder}.ptb").write_text("(S (NN x))\n(S (NN y))\n")
    corpus = cz.read(tmp_path, pattern="{item}.{coder}.ptb")
    assert corpus.item_names == ("a/1", "a/2", "b/1", "b/2")
    assert set(corpus.coders) == {"old", "new"}


def test_tiers_are_coders_and_files_items(tmp_path: Path) -> None:
    grid(tmp_path / "x.TextGrid", ("ann", 1), ("bo", 2))
    grid(tmp_path / "y.TextGrid", ("ann", 1))
    expected = {("x", "ann"), ("x", "bo"), ("y", "ann")}
    assert set(cz.read(tmp_path, units="times")) == expected
    assert set(cz.read(tmp_path, pattern="{item}.TextGrid", units="times")) == expected
    assert set(cz.read(tmp_path, tiers="a*", units="times", pattern="{item}.TextGrid")) == {("x", "ann"), ("y", "ann")}


def test_tiers_of_all_files_share_their_units(tmp_path: Path) -> None:
    # ann |---A---|--B--|      0  1    3
    # bo  |----A----|-B-|      0   1.5 3     over steps of half a second
    grid(tmp_path / "ann" / "x.TextGrid", ("IU", 1))
    grid(tmp_path / "bo" / "x.TextGrid", ("IU", 1.5))
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        union = cz.read(tmp_path, pattern="{coder}/{item}.TextGrid", units="union")
    assert [union["x", coder].positions.tolist() for coder in ("ann", "bo")] == [[1, 3], [2, 3]]
    steps = cz.read(tmp_path, pattern="{coder}/{item}.TextGrid", units=0.5)
    assert [steps["x", coder].positions.tolist() for coder in ("ann", "bo")] == [[2, 6], [3, 6]]


def test_two_files_share_their_units_and_remain_two_corpora(tmp_path: Path) -> None:
    grid(tmp_path / "ref.TextGrid", ("IU", 1))
    grid(tmp_path / "hyp.TextGrid", ("IU", 1.5))
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        ref, hyp = read_together([tmp_path / "ref.TextGrid", tmp_path / "hyp.TextGrid"], units="union")
    assert (list(ref), list(hyp)) == ([("ref", "IU")], [("hyp", "IU")])
    assert ref["ref", "IU"].units == hyp["hyp", "IU"].units
    assert [ref["ref", "IU"].positions.tolist(), hyp["hyp", "IU"].positions.tolist()] == [[1, 3], [2, 3]]


# -- which files ------------------------------------------------------------------------------------------------------


def test_other_files_are_left_out_with_a_warning(tmp_path: Path) -> None:
    table(tmp_path / "a" / "x.csv", "101")
    table(tmp_path / "b" / "x.csv", "011")
    (tmp_path / "README.md").write_text("# Notes")
    (tmp_path / "notes.txt").write_text("to do")
    (tmp_path / ".hidden.csv").write_text("nothing")
    with pytest.warns(CaesuraWarning, match=r"2 files are in no known format and are left out: README\.md, notes\.txt"):
        corpus = cz.read(tmp_path)
    assert set(corpus) == {("x", "a"), ("x", "b")}
    message = r"1 file does not match the pattern b/\{item\}\.csv and is left out: a/x\.csv"
    with pytest.warns(CaesuraWarning, match=message):
        assert set(cz.read(str(tmp_path / "*" / "*.csv"), pattern="b/{item}.csv")) == {("x", "b")}


@pytest.mark.parametrize(("bad_files", "message"), [(1, "1 file does not"), (2, "2 files do not")])
def test_a_warning_quotes_the_pattern_as_it_is(bad_files: int, message: str, tmp_path: Path) -> None:
    table(tmp_path / "software_ann", "101")
    for i in range(bad_files):
        (tmp_path / f"notes{i}.md").write_text("to do")
    with pytest.warns(CaesuraWarning, match=rf"{message} match the pattern software_\{{coder\}} and (is|are) left out"):
        cz.read(tmp_path, format="segsimflex", pattern="software_{coder}")


def test_the_text_of_an_annotation_is_not_read_by_itself(tmp_path: Path) -> None:
    for coder in ("ann", "bo"):
        (tmp_path / coder).mkdir()
        (tmp_path / coder / "x.txt").write_text("01 10")  # looks like bits
        (tmp_path / coder / "x.ann").write_text("T1\tA 0 2\t01\n")
    assert set(cz.read(tmp_path)) == {("x", "ann"), ("x", "bo")}


GLOBS = [
    ("*.csv", ["a.csv", "b1.csv"]),
    ("b?.csv", ["b1.csv"]),
    ("[ac].csv", ["a.csv"]),
    ("[!ac]*.csv", ["b1.csv"]),
    ("**/*.csv", ["a.csv", "b1.csv", "in/c.csv", "in/deep/d.csv"]),
    ("in/**/d.csv", ["in/deep/d.csv"]),
    ("*/*.csv", ["in/c.csv"]),
    ("in/**", ["in/c.csv", "in/deep/d.csv"]),
]


@pytest.mark.parametrize(("glob", "expected"), GLOBS)
def test_globs(glob: str, expected: list[str], tmp_path: Path) -> None:
    for name in ("a.csv", "b1.csv", "in/c.csv", "in/deep/d.csv"):
        table(tmp_path / name, "101")
    names = [str(Path(file.path).relative_to(tmp_path)) for file in find(str(tmp_path / glob))]
    assert names == expected
    if glob != "in/**":  # pathlib's own ** at the end means folders
        assert names == sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob(glob))


def test_the_name_of_a_file_may_look_like_a_glob(tmp_path: Path) -> None:
    table(tmp_path / "what?[1].csv", "101")
    assert len(cz.read(tmp_path / "what?[1].csv")) == 1


def test_links_are_not_followed_in_circles(tmp_path: Path) -> None:
    table(tmp_path / "a" / "x.csv", "101")
    table(tmp_path / "b" / "x.csv", "101")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert len(cz.read(tmp_path)) == 2


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table(tmp_path / "x.csv", "101")
    monkeypatch.setattr(folders, "MAX_FILES", 0)
    with pytest.raises(FormatError, match="expected a folder of at most 0 files; this has more"):
        cz.read(tmp_path)


def test_deep_folders(tmp_path: Path) -> None:
    """The recursion limit is lowered, so that few folders are enough."""
    table(tmp_path.joinpath(*"d" * 300) / "x.csv", "101")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        assert len(find(tmp_path)) == 1
    finally:
        sys.setrecursionlimit(before)


# -- errors -----------------------------------------------------------------------------------------------------------


def test_no_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no file can be read; the folder is empty"):
        cz.read(tmp_path)
    (tmp_path / "notes.md").write_text("to do")
    with pytest.raises(FormatError, match=r"no file can be read; there are notes\.md"):
        cz.read(tmp_path)
    with pytest.raises(FormatError, match=r"no file matches the pattern \{item\}\.csv; there are notes\.md"):
        cz.read(tmp_path, pattern="{item}.csv")
    with pytest.raises(FormatError, match=r"no file can be read; there are notes\.md"):
        cz.read(str(tmp_path / "*.csv"))
    with pytest.raises(FormatError, match="there is no folder "):
        cz.read(str(tmp_path / "nowhere" / "*.csv"))
    with pytest.raises(FormatError, match=r"no file can be read; there are notes\.md"):
        cz.read(str(tmp_path / "[z-a].csv"))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("{who}.csv", r"\{item\} and \{coder\} may occur once each; got \{who\}"),
        ("{item}{item}.csv", r"may occur once each; got \{item\}"),
        ("*.csv", r"it must contain \{item\} or \{coder\}; got '\*\.csv'"),
        ("", "pattern must be a string such as"),
    ],
)
def test_invalid_patterns(pattern: str, message: str, tmp_path: Path) -> None:
    table(tmp_path / "x.csv", "101")
    with pytest.raises(OptionError, match=message):
        cz.read(tmp_path, pattern=pattern)


def test_a_pattern_needs_a_folder(tmp_path: Path) -> None:
    table(tmp_path / "x.csv", "101")
    with pytest.raises(OptionError, match="a pattern is for a folder or a glob"):
        cz.read(tmp_path / "x.csv", pattern="{item}.csv")


def test_an_invalid_file_is_excluded_and_the_others_are_read(tmp_path: Path) -> None:
    for coder in ("ann", "bo", "cy"):
        table(tmp_path / f"x_{coder}.csv", "101")
    (tmp_path / "x_bo.csv").write_text("Speaker,Utterance\nF\n")
    excluded: list[FormatError] = []
    corpus = cz.read(tmp_path, pattern="{item}_{coder}.csv", excluded=excluded)
    assert set(corpus) == {("x", "ann"), ("x", "cy")}
    assert [(Path(error.path).name, error.line) for error in excluded] == [("x_bo.csv", 2)]
    with pytest.raises(FormatError, match=r"x_bo\.csv:2: "):
        cz.read(tmp_path, pattern="{item}_{coder}.csv")


def test_the_first_errors_of_a_file_are_listed(tmp_path: Path) -> None:
    (tmp_path / "bad.bits").write_text("2\n" * 50 + "01\n")
    (tmp_path / "good.bits").write_text("01\n")
    excluded: list[FormatError] = []
    cz.read(tmp_path, excluded=excluded)
    assert [error.problem for error in excluded][-1] == "45 more errors"
    assert len(excluded) == 6


def test_a_coder_twice(tmp_path: Path) -> None:
    for name in ("a/x_ann.csv", "b/x_ann.csv"):
        table(tmp_path / name, "101")
    with pytest.raises(FormatError, match=r"item 'x' has coder 'ann' in another file too; use a pattern with \{item\}"):
        cz.read(tmp_path, pattern="*/{item}_{coder}.csv")
    excluded: list[FormatError] = []
    assert len(cz.read(tmp_path, pattern="*/{item}_{coder}.csv", excluded=excluded)) == 1
    assert len(excluded) == 1


def test_several_coders_in_a_file_of_one_coder(tmp_path: Path) -> None:
    grid(tmp_path / "x_ann.TextGrid", ("ann", 1), ("bo", 2))
    with pytest.raises(FormatError, match="expected one coder, 'ann'; got ann, bo"):
        cz.read(tmp_path, pattern="{item}_{coder}.TextGrid", units="times")
    tier = cz.read(tmp_path, pattern="{item}_{coder}.TextGrid", tiers="bo", units="times")["x", "ann"]
    assert isinstance(tier, Tier)


def test_options_go_to_the_formats_that_have_them(tmp_path: Path) -> None:
    table(tmp_path / "x.csv", "101")
    grid(tmp_path / "y.TextGrid", ("ann", 1), ("bo", 2))
    corpus = cz.read(tmp_path, pattern="{item}.*", tiers="ann", units=0.5, symbols=["."])
    assert len(corpus) == 2
    with pytest.raises(OptionError, match="formats segsimflex, textgrid: no option 'tier'; did you mean 'tiers'"):
        cz.read(tmp_path, pattern="{item}.*", tier="ann")


def test_files_that_differ_in_their_suffix_alone(tmp_path: Path) -> None:
    for name in ("sample.gld", "sample.tst"):
        (tmp_path / name).write_text("(S (A a) (B b))\n(S (A a))\n")
    corpus = cz.read_coders([tmp_path / "sample.gld", tmp_path / "sample.tst"])
    assert corpus.coders == ("sample.gld", "sample.tst")
    assert corpus.item_names == ("1", "2")
