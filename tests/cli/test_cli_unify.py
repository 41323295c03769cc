"""``caesura unify``, and hierarchies in the other commands."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura import Corpus, Hierarchy
from support.commands import run_command
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]
BAD = Path(__file__).parents[1] / "formats" / "bad"

# Figure 4 of Carbone et al.: two optima of weight 8. The one without 1-4 and 5-8 (of "second") is chosen.
#  first   |---------------|   second  |---------------|   third  |---------------|
#          |-1-2-|-3-6-|7-8|           |--1-4--|--5-8--|          |-1-2-|-3-6-|
FIGURE_4 = {
    "first": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    "second": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    "third": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    cz.write(Corpus({"figure 4": FIGURE_4}), "figure.json")
    return run_command


def complaint(result: Result) -> str:
    """Return the single line on standard error of a failed run."""
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("caesura: ")
    return line.removeprefix("caesura: ")


def test_gold_is_printed(run: Run) -> None:
    result = run("unify figure.json")
    assert result.exit_code == 0
    assert "conflict_free_union, flat" in result.stdout
    assert [line.split() for line in result.stdout.splitlines() if " first" in line] == [
        ["figure", "4", "1-8", "1", "first,", "second,", "third", "3"],
        ["1-2", "2", "first,", "third", "2"],
        ["3-6", "2", "first,", "third", "2"],
        ["7-8", "2", "first", "1"],
    ]
    assert "unify|method:conflict_free_union|level:flat|weights:coders|min_support:1|coders:3" in result.stdout


def test_why(run: Run) -> None:
    result = run("unify figure.json --table dropped --csv")
    table = list(csv.DictReader(io.StringIO(result.stdout)))
    expected = [("1-4", "second", "3-6 of first, third"), ("5-8", "second", "3-6 of first, third")]
    assert [(row["span"], row["coders"], row["crosses"]) for row in table] == expected
    assert "crosses 3-6" in run("unify figure.json --why").stdout
    assert "crosses 3-6" not in run("unify figure.json").stdout


@pytest.mark.parametrize("name", ["gold.json", "gold.csv", "gold.tsv"])
def test_gold_is_written_to_a_file(run: Run, name: str) -> None:
    assert run("unify figure.json -o", name).exit_code == 0
    assert cz.read(name)["figure 4", "gold"] == Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)])


def test_unique_weights_select_the_other_optimum(run: Run) -> None:
    run("unify figure.json --weights unique -o gold.json")
    gold = cz.read("gold.json")["figure 4", "gold"]
    assert isinstance(gold, Hierarchy)
    assert gold.flat == {(1, 8), (1, 2), (1, 4), (5, 8), (7, 8)}


def test_options_are_passed_to_the_library(run: Run) -> None:
    for options, n_spans in (
        (("--method", "consensus"), 1),
        (("--method", "majority"), 3),
        (("--method", "majority", "--threshold", "0.7"), 1),
        (("--method", "majority", "--level", "full"), 3),
        (("--method", "union"), 6),
        (("--method", "union", "--min-support", "2"), 3),
        (("--method", "best_annotator"), 3),
    ):
        data = results_of(run("unify figure.json --json", *options))
        assert len(data["kept"]) == n_spans, options


def test_crossing_gold_is_warned_about(run: Run) -> None:
    result = run("unify figure.json --method union -o gold.json")
    assert "warning: item 'figure 4': spans of the gold standard cross; reading it again needs repair" in result.stderr
    with pytest.raises(cz.errors.FormatError, match="cross"):
        cz.read("gold.json")


def test_levels_that_contradict_nesting_are_replaced_on_export(run: Run) -> None:
    cz.write(Corpus({"t": {"a": Hierarchy(4, [(1, 4), (1, 2)]), "b": Hierarchy(4, [(1, 3), (1, 2)])}}), "t.json")
    result = run("unify t.json -o gold.json")
    assert "levels of the gold standard contradict nesting; levels by nesting are written" in result.stderr
    assert cz.read("gold.json")["t", "gold"] == Hierarchy(4, [(1, 4, 1), (1, 3, 2), (1, 2, 3)])


def test_one_file_per_coder(run: Run) -> None:
    for coder, hierarchy in FIGURE_4.items():
        cz.write(Corpus({f"poem_{coder}": {f"poem_{coder}": hierarchy}}), f"poem_{coder}.csv")
    data = results_of(run("unify", *(f"poem_{coder}.csv" for coder in FIGURE_4), "--json"))
    assert data["coders"] == ["poem_first", "poem_second", "poem_third"]
    assert [entry["item"] for entry in data["kept"]] == ["poem"] * 4


def test_times(run: Run) -> None:
    songs = {"a": Hierarchy.from_times([(0, 10, 1), (0, 5, 2)]), "b": Hierarchy.from_times([(0, 10.2, 1), (0, 5.4, 2)])}
    cz.write(Corpus({"song": songs}), "song.json")
    result = run("unify song.json --method consensus -o gold.csv")
    assert result.exit_code == 0
    gold = cz.read("gold.csv")["song", "gold"]
    assert isinstance(gold, Hierarchy)
    assert gold.edges == (0, 5, 10)
    assert gold.full == {(1, 2, 1), (1, 1, 2)}
    narrow = results_of(run("unify song.json --method consensus --tolerance 0.3 --json"))
    assert [span["level"] for span in narrow["kept"]] == [1]


def test_repair(run: Run) -> None:
    result = run("unify", str(BAD / "crossing.json"), "--repair")
    assert result.exit_code == 0
    assert "spans left out because they do not nest: 1 (first in" in result.stderr


BAD_FILES = ("crossing.json", "outside.json", "backwards.json", "levels.json", "damaged.json", "backwards.csv")


@pytest.mark.parametrize("name", BAD_FILES)
def test_invalid_files_print_one_line(run: Run, name: str) -> None:
    # tests/formats/test_spans.py checks the messages.
    with pytest.raises(cz.errors.FormatError) as caught:
        cz.read(BAD / name)
    result = run("unify", str(BAD / name))
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[0].split(";")[0] == f"caesura: {caught.value}".split(";")[0]
    assert lines[1:] in ([], ["caesura: a gold standard needs at least two coders; got 'ann'"])


def test_invalid_input_prints_one_line(run: Run) -> None:
    Path("empty.json").write_text("")
    Path("one.csv").write_text("item,coder,start,end\nt,a,1,4\n")
    Path("none.csv").write_text("item,coder,start,end,length\nt,a,,,4\nt,b,,,4\n")
    Path("lengths.csv").write_text("item,coder,start,end,length\nt,a,1,4,4\nt,b,1,4,5\n")
    Path("masses.json").write_text('{"items": {"t": {"a": [2, 2], "b": [4]}}}')
    Path("folder").mkdir()
    for arguments, message in (
        ("folder", "folder: no file can be read; the folder is empty"),
        ("nowhere.json", "nowhere.json: cannot be read: No such file or directory"),
        ("empty.json", "empty.json:1: the file is empty"),
        ("one.csv", "a gold standard needs at least two coders; got 'a'"),
        (
            "none.csv",
            "no item has a gold standard: item 't': expected at least one span to unify; none of the 2 coders marked any",
        ),
        (
            "lengths.csv",
            "no item has a gold standard: item 't': all coders must annotate the same units; 'a' has 4, 'b' has 5",
        ),
        ("masses.json", "item 't', coder 'a': unify needs spans; got a Segmentation; `caesura gold` makes"),
        ("figure.json --item x", "the corpus has no item 'x'; it has 'figure 4'"),
        ("figure.json --level full", "level of conflict_free_union must be one of 'flat'; got 'full'"),
        ("figure.json -o gold.bits", "gold.bits: item 'figure 4', coder 'gold': this format (bits) cannot store"),
        ("figure.json -o gold", "gold: the suffix must name the format"),
        ("figure.json -o folder/x/gold.json", "folder/x/gold.json: cannot be written: No such file"),
    ):
        assert complaint(run(f"unify {arguments}")).startswith(message), arguments
    assert run("unify figure.json --method average").exit_code == 2
    assert run("unify figure.json --tolerance 0").exit_code == 2
    assert run("unify").exit_code == 2


def test_invalid_item_does_not_affect_the_others(run: Run) -> None:
    rows = "item,coder,start,end\ngood,a,1,4\ngood,b,1,4\nbad,a,1,4\nbad,b,4,1\nlone,a,1,4\n"
    Path("t.csv").write_text(rows)
    result = run("unify t.csv --json")
    assert result.exit_code == 1
    data = results_of(result)
    assert [entry["item"] for entry in data["items"]] == ["good"]
    assert [line.split(": ", 1)[1] for line in result.stderr.splitlines()] == excluded_of(result)
    assert excluded_of(result) == [
        "t.csv:5: item 'bad', coder 'b': start must be before end; got 4 and 1",
        "item 'bad': expected at least two coders to unify; got 'a'",
        "item 'lone': expected at least two coders to unify; got 'a'",
    ]


def test_evaluate(run: Run) -> None:
    rows = {row["name"]: row for row in results_of(run("unify figure.json --evaluate --json"))["evaluation"]["rows"]}
    assert rows["FlatUNI"]["recall"]["mean"] == 1
    assert rows["FlatCNS"]["precision"]["mean"] == 1
    # second has 1 of 3 spans in the gold, first 4 of 4, third 3 of 3
    assert rows["CFU"]["recall"]["mean"] == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert rows["CFU"]["non_crossing"] == rows["CFU"]["recall"]
    assert "BestAnnotator-self" in run("unify figure.json --evaluate").stdout
    assert run("unify figure.json --evaluate --table deviations").exit_code == 0
    assert run("unify figure.json --evaluate --latex").stdout.count(r"\begin{tabular}") == 1


def test_convert(run: Run) -> None:
    assert run("convert figure.json figure.csv").exit_code == 0
    assert cz.read("figure.csv") == cz.read("figure.json")
    Path("masses.json").write_text('{"items": {"t": {"a": [2, 2], "b": [4]}}}')
    assert run("convert masses.json spans.csv --to spans-csv").exit_code == 0
    assert cz.read("spans.csv")["t", "a"] == Hierarchy(4, [(1, 2, 1), (3, 4, 1)])
    assert "cannot store a Hierarchy; it can be written as spans-json, " in complaint(run("convert figure.json f.bits"))


def test_boundary_measures_reject_hierarchies(run: Run) -> None:
    cz.write(Corpus({"t": {name: FIGURE_4[name] for name in ("first", "second")}}), "two.json")
    assert "the hierarchy has the levels 1, 2; choose one with level=1" in complaint(run("score two.json -m pk"))
    assert "choose one with level=1" in complaint(run("agree two.json -m boundary_similarity"))
    assert "--cochran: " in run("agree two.json --cochran").stderr
    assert run("judge figure.json --system third").exit_code == 0
    crisp = run("judge figure.json --system third --crisp")
    assert "needs segmentations" in complaint(crisp)
    for arguments in (("score", "two.json"), ("agree", "two.json")):  # with or without measures for hierarchies
        result = run(*arguments)
        assert result.exit_code == 0 or "hierarchies" in complaint(result)
