"""``caesura disagreements`` and ``caesura pairwise``: answers, tables, tiers and bad input."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from support.commands import run_command
from support.corpora import random_corpus
from support.envelope import envelope_of, excluded_of, results_of

DATA = Path(__file__).parents[2] / "examples" / "data"
Run = Callable[..., Result]

# The recording has 4 s. ann and cy have a boundary at 1.0 s, bo has none; bo and cy have one at 3.0 s, ann at 2.5 s.
#           0         1         2         3         4
#     words |  good   |  night  |  moon   |  light  |
#     ann   |----A----|------B-------|-----A--------|
#     bo    |------------A----------------|----B----|
#     cy    |----A----|--------B----------|----A----|
WORDS = [(0, 1.0, "good"), (1.0, 2.0, "night"), (2.0, 2.9, "moon"), (2.9, 4.0, "light")]
TIERS = {
    "ann": [(0, 1.0, "A"), (1.0, 2.1, "B"), (2.1, 4.0, "A")],
    "bo": [(0, 2.95, "A"), (2.95, 4.0, "B")],
    "cy": [(0, 1.0, "A"), (1.0, 2.95, "B"), (2.95, 4.0, "A")],
}
CHOSEN = [word for coder in TIERS for word in ("--tier", coder)]
IGNORE = ["--labels", "ignore"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    shutil.copytree(DATA, tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    tiers = {coder: cz.Tier(rows, end=4.0, words=WORDS) for coder, rows in TIERS.items()}
    cz.write(cz.Corpus({"song": tiers}), "song.TextGrid")
    cz.write(cz.Corpus({"song": {coder: tier.with_words(None) for coder, tier in tiers.items()}}), "song.eaf")
    return run_command


def rows_of(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def sentence(result: Result) -> str:
    return " ".join(result.stdout.split("\n\n")[0].split())


# -- disagreements ----------------------------------------------------------------------------------------------------


def test_long_lists_are_cut_unless_all_are_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = results_of(run("disagreements people.json --json"))
    monkeypatch.setattr("caesura.views.disagreements.MAX_LISTED_ROWS", 2)
    result = run("disagreements people.json --json")
    cut = results_of(result)
    assert (len(cut["rows"]), len(cut["places"])) == (2, 2)
    assert cut["rows"] == whole["rows"][:2]
    expected = [whole[name] for name in ("cost", "row_count", "by_coder")]
    assert [cut[name] for name in ("cost", "row_count", "by_coder")] == expected
    message = f"the costliest 2 of {whole['place_count']} places and 2 of {whole['row_count']} disagreements"
    assert message in result.stderr
    assert "--all lists all" in " ".join(run("disagreements people.json").stdout.split())
    assert results_of(run("disagreements people.json --json --all")) == whole


def test_answer(run: Run) -> None:
    result = run("disagreements people.json")
    assert result.exit_code == 0
    # letter: ann has 7 2 6, bo 7 8, cy 7 3 5, so that ann and cy nearly agree and bo has nothing there
    assert sentence(result) == (
        "Three coders disagree at 11 places in 6 items; the costliest is letter, near unit 9: ann has a boundary after unit "
        "9, cy after unit 10, bo has none. bo takes part in 74 % of the cost."
    )


def test_answer_with_words(run: Run) -> None:
    assert sentence(run("disagreements ann.csv bo.csv cy.csv")).startswith(
        "Three coders disagree at 2 places in 2 items; the costliest is harbour, around 'My brother rang the bell.': ann and "
        "cy have a boundary after it, bo before it."
    )
    assert "talk (A), after 'we went down': bo has a boundary, ann has none." in sentence(run("disagreements talk.csv"))


def test_answer_with_many_marks(run: Run) -> None:
    """Stargazer, after unit 7 and unit 8: readers 1 and 3 have 8, 7 has 7, and 4 has both."""
    cz.write(stargazer(), "stargazer.json")
    result = run("disagreements stargazer.json")
    message = "the costliest is stargazer, near unit 7: 1, 3, 4 and 7 have a boundary nearby, 2, 5 and 6 have none."
    assert message in sentence(result)
    assert "7: 4, 7; 8: 1, 3, 4" in " ".join(result.stdout.split())


def test_two_coders_take_part_in_everything(run: Run) -> None:
    assert "takes part" not in run("disagreements ann.csv bo.csv").stdout


def test_tables(run: Run) -> None:
    places = rows_of(run("disagreements people.json --csv"))
    assert len(places) == 11
    assert places[0] == {
        "item": "letter",
        "stream": "",
        "place": "9-10",
        "text": "",
        "has": "9: ann; 10: cy",
        "has not": "bo",
        "kind": "miss, near miss",
        "cost": "2.5",
    }
    pairs = rows_of(run("disagreements people.json --csv --table pairs"))
    assert sum(float(row["cost"]) for row in pairs) == sum(float(row["cost"]) for row in places)
    coders = rows_of(run("disagreements people.json --csv --table coders"))
    assert sum(float(row["share"]) for row in coders) == pytest.approx(2)
    assert sum(float(r["share"]) for r in rows_of(run("disagreements people.json --csv --table items"))) == 1


def test_limit(run: Run) -> None:
    lines = run("disagreements people.json --limit 2").stdout
    assert "and 9 more" in lines
    assert "--all lists\nevery place" in lines
    assert "more" not in run("disagreements people.json --limit 2 --all").stdout.split("More:")[0]


def test_items_and_measures(run: Run) -> None:
    result = run("disagreements people.json --item engine -m B(n_t=1) --json")
    data = results_of(result)
    assert data["items"] == ["engine"]
    assert set(data["by_kind"]) == {"miss"}  # without near misses


def test_against(run: Run) -> None:
    majority = results_of(run("disagreements people.json --against majority --json"))
    assert {row["coders"][0] for row in majority["rows"]} == {"majority"}
    assert {row["coders"][0] for row in results_of(run("disagreements people.json --against bo --json"))["rows"]} == {
        "bo"
    }
    assert "differs most, with" in sentence(run("disagreements people.json --against majority"))


def test_envelope(run: Run) -> None:
    envelope = envelope_of(run("disagreements people.json --json"))
    assert envelope["command"] == "disagreements"
    assert envelope["signature"].startswith("disagreements|coders:3|against:pairs|boundary_similarity|")
    assert envelope["results"]["cost"] == 17.5


def test_verify(run: Run) -> None:
    for command, options in (("disagreements", ("--against", "majority")), ("disagreements", ()), ("pairwise", ())):
        signature = envelope_of(run(command, "people.json", *options, "--json"))["signature"]
        result = run("verify", signature, "people.json")
        assert (result.exit_code, result.stdout.partition(":")[0]) == (0, "verified"), result.output


def test_tables_in_a_folder(run: Run) -> None:
    for command, names in (
        ("disagreements", {"places", "pairs", "items", "coders", "kinds"}),
        ("pairwise", {"matrix", "pairs", "items", "counts"}),
    ):
        assert run(command, "people.json", "--output", f"{command}-tables").exit_code == 0
        assert {path.stem for path in Path(f"{command}-tables").iterdir()} == names


def test_many_coders(run: Run) -> None:
    """Ten coders have 45 pairs: a list, those that agree least first, and all of them as CSV."""
    corpus = random_corpus(1, items=3, coders="abcdefghij")
    cz.write(corpus, "ten.json")
    result = run("pairwise ten.json")
    assert "and 25 more" in result.stdout
    rows = rows_of(run("pairwise ten.json --csv"))
    values = [float(row["B"]) for row in rows]
    assert (len(rows), values) == (45, sorted(values))


def test_nothing_disagrees(run: Run) -> None:
    Path("same.json").write_text('{"items": {"x": {"a": [2, 3], "b": [2, 3]}}}')
    result = run("disagreements same.json")
    assert (result.exit_code, sentence(result)) == (0, "The coders agree everywhere, on 1 item.")
    result = run("disagreements same.json --against majority")
    assert sentence(result) == "The coders agree with the majority everywhere, on 1 item."


def test_hierarchies(run: Run) -> None:
    result = run("disagreements annotators.json")
    assert "talk, units 1 to 2: ann and cy have this span, bo has none." in sentence(result)


# -- times and tiers --------------------------------------------------------------------------------------------------


def test_times(run: Run) -> None:
    result = run("disagreements song.TextGrid", *CHOSEN, *IGNORE, "--words", "words")
    assert "1.00 s" in result.stdout
    assert "2.10 s: ann; 2.95 s: bo, cy" in " ".join(result.stdout.split())
    assert "good | night moon light" in " ".join(result.stdout.split())


def test_units_of_the_user_keep_the_times(run: Run) -> None:
    options = ("--tier", "ann", "--tier", "bo", "--labels", "ignore", "--reading", "units=0.5")
    (first, second, third) = results_of(run("disagreements song.TextGrid", *options, "--json"))["rows"]
    assert [row["time"] for row in (first, second, third)] == [1.0, 2.1, 2.95]
    assert [row["position"] for row in (first, second, third)] == [2, 4, 6]


@pytest.mark.parametrize("source", ["song.TextGrid", "song.eaf"])
@pytest.mark.parametrize("target", ["out.TextGrid", "out.eaf"])
def test_tier(run: Run, source: str, target: str) -> None:
    axis = ["--words", "words"] if source.endswith("TextGrid") else ["-m", "B(n_t=1s)"]
    result = run("disagreements", source, *CHOSEN, *axis, *IGNORE, "-o", target)
    assert result.exit_code == 0, result.output
    assert target in result.stderr
    tiers = {tier.name: tier for tier in cz.formats.list_tiers(target)}
    words = {"words"} if source.endswith("TextGrid") else set()
    assert set(tiers) == {"ann", "bo", "cy", "disagreements"} | words
    again = cz.read(target, tiers=["ann", "bo", "cy"], units="times")
    for coder, rows in TIERS.items():
        assert [row[:2] for row in again["out", coder].intervals] == [row[:2] for row in rows]
    disagreements = cz.read(target, tiers="disagreements", units="times")["out", "disagreements"]
    labels = [row.label for row in disagreements.rows]
    # 1.0 s: a miss of bo. Over words, 2.1 s and 2.95 s are neighbouring gaps; over times, they are .85 s apart.
    assert labels == ["ann, cy | not bo", "near miss: ann, bo, cy"]
    if target.endswith("TextGrid"):
        assert [point.time for point in disagreements.points] == [1.0, 2.1]
    else:
        first, second = disagreements.intervals
        assert first[:2] == (0.9, 1.1)
        assert (round(second.start, 3), round(second.end, 3)) == (2.0, 3.05)


def test_other_programs_read_the_tier(run: Run) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    options = (*CHOSEN, *IGNORE, "--words", "words")
    assert run("disagreements song.TextGrid", *options, "-o", "out.TextGrid").exit_code == 0
    grid = textgrid.openTextgrid("out.TextGrid", includeEmptyIntervals=False)
    assert grid.tierNames == ("ann", "bo", "cy", "disagreements", "words")
    expected = [(1.0, "ann, cy | not bo"), (2.1, "near miss: ann, bo, cy")]
    assert [(point.time, point.label) for point in grid.getTier("disagreements").entries] == expected


def test_one_file_per_item(run: Run) -> None:
    for coder in ("ann", "bo"):
        Path(coder + "s").mkdir()
        for item in ("t1", "t2"):
            tier = cz.Tier(TIERS[coder], end=4.0)
            cz.write(cz.Corpus({item: {"segments": tier}}), f"{coder}s/{item}.TextGrid")
    result = run("disagreements anns bos -o out.TextGrid --labels ignore")
    assert result.exit_code == 1
    message = "this format stores one item and the corpus has 2; choose one with --item, or write one file per item: "
    assert message in result.stderr
    assert not Path("out.TextGrid").exists()
    result = run("disagreements anns bos -o out/{item}.TextGrid --labels ignore")
    assert result.exit_code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["t1.TextGrid", "t2.TextGrid"]
    assert run("disagreements anns bos --item t1 -o t.eaf --labels ignore").exit_code == 0


def test_files_are_written_whole_or_not_at_all(run: Run) -> None:
    """The second item has a label that XML cannot store."""
    for coder, label in (("ann", "a"), ("bo", "\x01")):
        Path(coder + "s").mkdir()
        for item in ("t1", "t2"):
            rows = [(0, 1, "a"), (1, 3 if coder == "bo" else 2, label if item == "t2" else "a")]
            cz.write(cz.Corpus({item: {"segments": cz.Tier(rows, end=4.0)}}), f"{coder}s/{item}.TextGrid")
    result = run("disagreements anns bos -o out/{item}.eaf")
    assert result.exit_code == 1
    assert "out/t2.eaf: item 't2', coder 'bos': XML cannot store the character '\\x01'" in result.stderr
    assert not Path("out").exists()


# -- pairwise ---------------------------------------------------------------------------------------------------------


def test_pairwise_answer(run: Run) -> None:
    result = run("pairwise people.json")
    expected = "ann and cy agree most (B .72), bo and cy least (.53); the mean over 3 pairs is .64 ± .08."
    assert sentence(result) == expected
    (ann, bo, cy) = rows_of(run("pairwise people.json --csv"))
    assert ann["ann"] == bo["bo"] == cy["cy"] == ""
    assert ann["cy"] == cy["ann"]
    assert float(bo["cy"]) == pytest.approx(cz.pairwise(cz.read("people.json"), "B").rows[2].value)


def test_pairwise_items(run: Run) -> None:
    """harbour: ann 3 4 2 5, bo 3 6 5, cy 2 5 2 5, so 3 + 2 + 3 boundaries."""
    rows = {row["item"]: row for row in rows_of(run("pairwise people.json --csv --table items"))}
    harbour = rows["harbour"]
    assert (harbour["coders"], harbour["units"], harbour["boundaries"]) == ("3", "14", "8")
    # ann-bo 7 missing; ann-cy 3 against 2; bo-cy both
    assert (harbour["full"], harbour["near"]) == ("2", "2")
    counts = rows_of(run("pairwise people.json --csv --table counts"))
    assert [row["boundaries"] for row in counts] == ["14", "12", "16"]


def test_pairwise_measures(run: Run) -> None:
    result = run("pairwise people.json -m window_diff -m B")
    message = "the mean over 6 ordered pairs is .23 ± .05 (an error rate, 1 - WD = .77). Other means: B .64 ± .08."
    assert message in sentence(result)
    rows = rows_of(run("pairwise people.json -m window_diff -m B --csv"))
    assert len(rows) == 6
    expected = {frozenset(pair) for pair in (("ann", "bo"), ("ann", "cy"), ("bo", "cy"))}
    assert {frozenset((row["reference"], row["hypothesis"])): row["B"] for row in rows}.keys() == expected
    assert len(rows_of(run("pairwise people.json --ordered --table pairs --csv"))) == 6


def test_pairwise_two_coders(run: Run) -> None:
    assert sentence(run("pairwise ann.csv bo.csv")) == "ann and bo have B = .88 over 2 items."


def test_pairwise_other_data(run: Run) -> None:
    assert "hierarchy kappa" in run("pairwise annotators.json").stdout
    assert "Struct-IoU = .98" in sentence(run("pairwise gold.ptb parser.ptb"))
    assert "S_f" in sentence(run("pairwise talk.csv"))


# -- folders and bad input --------------------------------------------------------------------------------------------


def test_one_folder_per_coder(run: Run) -> None:
    for command in ("agree", "pairwise", "disagreements", "unify"):
        assert run(command, "ann", "bo").exit_code == 0, command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("disagreements ann.csv", "agreement needs at least two coders; got ann"),
        ("pairwise ann.csv", "agreement needs at least two coders; got ann"),
        ("disagreements apart.json", "no item was annotated by two coders: item 'x': coded by a only"),
        ("pairwise apart.json", "no item was annotated by two coders: item 'x': coded by a only"),
        ("disagreements people.json --against ane", "against: there is no coder 'ane'; did you mean 'ann'?"),
        ("disagreements people.json -m pk", "pk does not say where coders disagree; use boundary_f, "),
        ("disagreements people.json -o x.TextGrid", "x.TextGrid: the boundaries have no times, "),
        ("disagreements people.json -o x.csv", "x.csv: table-csv cannot store several tiers; write one of "),
        ("disagreements people.json -o x.foo", "x.foo: the suffix must name the format: one of "),
        (
            "disagreements gold.ptb parser.ptb",
            "trees have no boundaries to list; compare two files with `caesura trees",
        ),
        ("disagreements people.json --item zoo", "the corpus has no item 'zoo'"),
    ],
)
def test_bad_input(run: Run, arguments: str, message: str) -> None:
    Path("apart.json").write_text('{"items": {"x": {"a": [2, 3]}, "y": {"b": [2, 3]}}}')
    result = run(arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not Path("x.TextGrid").exists()


def test_usage_errors(run: Run) -> None:
    assert run("disagreements people.json -m B -m S").exit_code == 2
    assert run("disagreements people.json --table zoo").exit_code == 2
    assert "the tables are places, pairs, items, coders, kinds" in run("disagreements people.json --table zoo").stderr


def test_excluded_items(run: Run) -> None:
    Path("some.json").write_text('{"items": {"x": {"a": [2, 3], "b": [5]}, "y": {"b": [2, 3]}}}')
    for command in ("disagreements", "pairwise"):
        result = run(command, "some.json", "--json")
        assert result.exit_code == 1
        assert excluded_of(result) == ["item 'y': coded by b only"]
