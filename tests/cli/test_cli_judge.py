"""``caesura judge``, from arguments to output and exit code."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from support.commands import invoke, run_command
from support.corpora import TALK
from support.envelope import excluded_of, results_of
from support.judged import SYSTEMS, people_and_systems

Run = Callable[..., Result]
LACKS = "caesura: item 'item 3', coder 'gamma': the system did not annotate this item\n"
QUICK = ("--seed", "3", "--draws", "5", "--replicates", "100")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judge")
    people, systems = people_and_systems()
    cz.write(people, path / "people.json")
    systems_by_item = {i: {s: systems[s][i] for s in SYSTEMS if i in systems[s]} for i in people.item_names}
    cz.write(cz.Corpus(systems_by_item), path / "systems.json")
    cz.write(cz.Corpus({i: {**people.of_item(i), **systems_by_item[i]} for i in people.item_names}), path / "both.json")
    cz.write(cz.Corpus({i: {"alpha": systems["alpha"][i]} for i in people.item_names}), path / "alpha.json")
    cz.write(stargazer(), path / "readers.json")
    (path / "talk.csv").write_text(TALK)
    (path / "matrix.toml").write_text('normalize = "positions"\n[similarity]\npairs = [["?", ".", 0.75]]\n')
    return path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder)
    return lambda line, *words: run_command(f"judge {line}", *words)


def without_warnings(result: Result) -> str:
    """Return standard error without the warning about few items and without progress, which a slow machine prints."""
    lines = result.stderr.splitlines(keepends=True)
    expected = ("caesura: warning: an interval from", " steps, ")
    return "".join(line for line in lines if not any(text in line for text in expected))


def inside(*names: str) -> list[str]:
    return [word for name in names for word in ("--system", name)]


def test_the_answer_and_the_main_table(run: Run) -> None:
    result = run("both.json", *inside(*SYSTEMS), *QUICK)
    assert result.exit_code == 1
    assert without_warnings(result) == LACKS
    text, table = result.stdout.split("\n\n")[:2]
    sentence = " ".join(text.split())
    assert re.match(
        r"alpha \(B \.\d\d over 6 items\) is best of 3 systems: .*gamma \(\.\d\d over 5 items\).* people \(\.\d\d\)\.",
        sentence,
    )
    assert "6 items are few: the interval is [" in sentence
    lines = table.splitlines()
    assert lines[0].split() == ["segmenter", "B", "S", "B-F", "WD", "fuzzy", "success", "items"]
    expected = [*("alpha", "beta", "gamma"), *("(human)", "(random)", "(placement)", "(regular)", "(none)", "(all)")]
    assert [line.split()[0] for line in lines[2:11]] == expected
    assert max(map(len, result.stdout.splitlines())) <= 80
    for note in ("letters: systems that share a letter do not differ at 0.05", "WD: error rate", "seed 3"):
        assert note in result.stdout
    assert "More: --details, or --table with one of scores, comparisons, drop, replacement," in result.stdout


def test_details(run: Run) -> None:
    result = run("both.json", *inside(*SYSTEMS), *QUICK, "--details")
    for text in (
        "low, high: 0.95 percentile bootstrap over 6 items, 100 replicates\n",
        "low, high of (random): 0.95 percentiles of 5 draws\n",
        "Systems compared",
        "Drop in agreement",
        "Alternative annotator test",
        "Errors of the systems",
        "Mistakes of the systems",
        "|seed:3|",
    ):
        assert text in result.stdout


def test_the_same_bytes_and_what_the_seed_changes(run: Run) -> None:
    """The seed changes intervals, the bootstrap and the random bound, and nothing else: the rest is exact."""
    arguments = ("both.json", *inside(*SYSTEMS), "--draws", "5", "--replicates", "100")
    first, again, other = (run(*arguments, "--details", *seed) for seed in ((), ("--seed", "0"), ("--seed", "1")))
    assert first.stdout_bytes == again.stdout_bytes
    assert first.stdout_bytes != other.stdout_bytes

    def fixed(*seed: str) -> object:
        data = results_of(run(*arguments, "--json", *seed))
        random = {"interval", "bootstrap", "borderline", "score", "interval_note"}
        rows = [row for row in data["rows"] if row["segmenter"] not in ("random", "placement")]
        kept = [{key: value for key, value in row.items() if key not in random} for row in rows]
        pairs = [pair for comparison in data["comparisons"] for pair in comparison["pairs"]]
        kept += [{key: value for key, value in pair.items() if key not in random} for pair in pairs]
        return kept, data["drops"], data["replacements"], [entry["letters"] for entry in data["comparisons"]]

    assert fixed() == fixed("--seed", "1")


def test_systems_in_the_corpus_or_in_files_give_equal_results(run: Run) -> None:
    """Systems may be coders of the corpus, one file, or several files."""
    options = ("-m", "boundary_similarity", "-m", "pk", "--json", *QUICK)
    results = [
        results_of(run(*arguments, *options))
        for arguments in (("both.json", *inside(*SYSTEMS)), ("people.json", "--system", "systems.json"))
    ]
    assert results[0] == results[1]
    mixed = run("people.json --system alpha.json -m pk --json", *QUICK)
    assert mixed.exit_code == 0
    value = {row["segmenter"]: row["value"] for row in results[0]["rows"] if row["measure"] == "pk"}
    assert results_of(mixed)["rows"][0]["value"] == value["alpha"]


def test_json(run: Run) -> None:
    result = run("both.json", *inside(*SYSTEMS), "--json", "--errors", *QUICK)
    data = results_of(result)
    assert data["systems"] == list(SYSTEMS)
    assert data["coders"] == [f"coder {k}" for k in range(1, 5)]
    assert excluded_of(result) == [LACKS.removeprefix("caesura: ").rstrip()]
    assert {"measure", "value", "macro", "interval"} <= set(data["rows"][0])
    assert {"parts", "params"} <= set(data["rows"][0]["score"])
    assert set(data["mistakes"]) == set(SYSTEMS)
    assert data["seed"] == 3
    assert len(data["comparisons"]) == 5
    assert "mistakes" not in results_of(run("both.json", *inside(*SYSTEMS), "--json", *QUICK))


def test_csv_names_the_measure_and_keeps_all_digits(run: Run) -> None:
    arguments = ("both.json", *inside(*SYSTEMS), "-m", "boundary_confusion", "-m", "pk", "--csv", *QUICK)
    main, scores, compared = (
        list(csv.DictReader(io.StringIO(run(*arguments, *more).stdout)))
        for more in ((), ("--table", "scores"), ("--table", "comparisons"))
    )
    people, systems = people_and_systems()
    pairs = [(people[key], systems["alpha"][key[0]]) for key in people]
    value = cz.score_many(pairs, "pk").total.value
    expected = [*("human", "random", "placement", "regular", "none", "all")]
    assert [row["segmenter"] for row in main if row["bound"] == "yes"] == expected
    assert float(next(row for row in main if row["segmenter"] == "alpha")["Pk"]) == value
    assert {row["Pk letters"] for row in main if row["bound"] == "no"} <= {"a", "b", "ab"}
    assert [row["measure"] for row in scores] == ["B-F"] * 9 + ["Pk"] * 9
    assert float(next(row for row in scores if (row["segmenter"], row["measure"]) == ("alpha", "Pk"))["value"]) == value
    assert [row["measure"] for row in compared] == ["B-F"] * 3 + ["Pk"] * 3
    for table in ("drop", "replacement"):
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "--table", table).stdout)))
        assert [row["system"] for row in rows] == list(SYSTEMS)


def test_latex_is_the_table_of_a_paper(run: Run) -> None:
    """Systems by measures, the best in bold, letters as superscripts, bounds below a rule."""
    result = run("both.json", *inside(*SYSTEMS), "-m", "boundary_similarity", "-m", "pk", "--latex", *QUICK)
    lines = result.stdout.splitlines()
    assert lines[:4] == [r"\begin{tabular}{lll}", r"\toprule", r" & B & Pk $\downarrow$ \\", r"\midrule"]
    assert re.fullmatch(r"alpha & \\textbf\{0\.\d{3}\}\$\^\{a\}\$ & .*\$\^\{a\}\$ \\\\", lines[4])
    assert result.stdout.count(r"\textbf") == 2
    assert lines[7] == r"\midrule"
    assert lines[8].startswith("human & 0.")
    assert "$^" not in lines[8]
    assert lines[14:16] == [r"\bottomrule", r"\end{tabular}"]
    assert all(line.startswith("% ") for line in lines[16:])


def test_latex_escapes_names(run: Run) -> None:
    people, systems = people_and_systems()
    named = {i: {"a_b & {c}": systems["alpha"][i], "50 %": systems["beta"][i]} for i in people.item_names}
    cz.write(cz.Corpus(named), "names.json")
    result = run("people.json --system names.json -m boundary_similarity --latex", *QUICK)
    assert r"a\_b \& \{c\} & \textbf{" in result.stdout
    assert r"50 \% & 0." in result.stdout


def test_errors(run: Run) -> None:
    result = run("both.json", *inside("alpha"), "-m", "boundary_similarity", "--errors", *QUICK)
    assert "Errors of the systems" in result.stdout
    assert "near misses" in result.stdout
    assert "coders' density" in result.stdout


def test_every_error_is_listed(run: Run) -> None:
    arguments = ("both.json", *inside("alpha"), "-m", "boundary_similarity", *QUICK)
    listed = run(*arguments, "--csv", "--table", "mistakes").stdout
    rows = list(csv.DictReader(io.StringIO(listed)))
    data = results_of(run(*arguments, "--list-errors", "--json"))
    assert len(rows) == len(data["mistakes"]["alpha"]["mistakes"]) > 20
    columns = ["system", "item", "coder", "kind", "coder has", "system has", "late by"]
    assert list(rows[0]) == columns  # untyped, no dialogue
    assert {row["kind"] for row in rows} == {"miss", "false alarm", "near miss"}
    assert "Mistakes of the systems" in run(*arguments, "--list-errors").stdout


def test_intervals(run: Run) -> None:
    arguments = ("both.json", *inside("alpha"), "-m", "boundary_similarity", "-m", "pk", "--json")
    rows = results_of(run(*arguments, *QUICK, "--interval", "pairs", "--level", "0.9"))["rows"]
    assert rows[0]["interval_note"].startswith("0.9, mean ± ")
    assert rows[0]["pairs"] > 100
    assert rows[0]["standard_error"] > 0
    none = run(*arguments, *QUICK, "--interval", "none")
    assert results_of(none)["rows"][0]["interval"] is None
    assert without_warnings(none) == ""
    output = " ".join(run(*arguments[:-1], *QUICK, "--interval", "pairs", "--table", "scores").stdout.split())
    assert "standard error" in output
    assert "no interval: pk is not a mean over boundary pairs; use boundary_similarity" in output


def test_bounds_alpha_and_epsilon(run: Run) -> None:
    arguments = ("both.json", *inside(*SYSTEMS), "-m", "boundary_similarity", "--json", *QUICK)
    data = results_of(run(*arguments, "--no-bounds", "--alpha", "0.001", "--epsilon", "0.1"))
    assert [row["segmenter"] for row in data["rows"]] == list(SYSTEMS)
    # 5 items are too few for a significant difference.
    assert data["comparisons"][0]["letters"] == dict.fromkeys(SYSTEMS, "a")
    assert data["replacements"][0]["test"]["epsilon"] == 0.1


def test_seed_is_chosen_and_printed(run: Run) -> None:
    arguments = ("both.json", *inside("alpha"), "-m", "boundary_similarity", "--draws", "3", "--json")
    first = results_of(run(*arguments))
    again = results_of(run(*arguments, "--seed", str(first["seed"])))
    assert first == again


def test_single_items_are_paired_despite_different_names(run: Run) -> None:
    cz.write(cz.Corpus({"other name": {"bot": cz.Segmentation.from_masses([5, 16])}}), "bot.json")
    result = run("readers.json --system bot.json -m boundary_similarity --json", *QUICK)
    assert result.exit_code == 0
    assert results_of(result)["items"] == ["stargazer"]


def test_one_coder(run: Run) -> None:
    """Undefined values are reported and are not an error."""
    result = run("readers.json", *inside(*"234567"), "-m", "boundary_similarity", *QUICK, "--details")
    assert (result.exit_code, result.stderr) == (0, "")
    output = " ".join(result.stdout.split())
    sentence = "is best of 6 systems: its lead over 5 others may be chance (smallest p = 1.00). One item is not enough."
    assert sentence in output
    assert "(human) is undefined: expected at least two coders; got one" in output
    assert "the alternative annotator test needs at least 3 coders; got 1" in output
    assert "no interval: an interval over items needs at least 2 items; got 1" in output


def test_dialogue_and_settings(run: Run) -> None:
    """One deletion and one substitution cost 2 of 6; with the matrix the substitution costs a quarter."""
    plain = results_of(run("talk.csv --system bo --json", *QUICK))
    expected = ["flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')"]
    assert [row["measure"] for row in plain["rows"] if row["segmenter"] == "bo"] == expected
    assert plain["rows"][0]["value"] == pytest.approx(1 - 2 / 6)
    with_matrix = results_of(run("talk.csv --system bo --json --settings matrix.toml", *QUICK))
    mine = [row for row in with_matrix["rows"] if row["segmenter"] == "bo"]
    assert [row["value"] for row in mine] == [pytest.approx(1 - 1.25 / 6)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.json --system a", "nowhere.json: cannot be read: No such file or directory"),
        (
            "people.json --system zoe",
            "system 'zoe' is neither a coder of the corpus ('coder 1', 'coder 2', 'coder 3', 'coder 4') nor a file",
        ),
        (
            f"readers.json {' '.join(inside(*'1234567'))}",
            "at least one coder must be human; all coders of the corpus are systems",
        ),
        (
            "people.json --system alpha.json --system systems.json",
            "system 'alpha' occurs twice, the second time in systems.json; rename one of them",
        ),
        (
            "readers.json --system people.json",
            "system 'coder 1' has no item in common with the coders, who have 'stargazer'; got 'item 1', 'item 2', 'item 3', "
            "'item 4', 'item 5' and 1 more",
        ),
        ("people.json --system people.json", "system 'coder 1': a coder has the same name; rename one of them"),
        (
            "talk.csv --system bo -m fuzzy_success",
            "fuzzy_success cannot score dialogues; use "
            + ", ".join(name for name, measure in cz.measures().items() if "dialogue" in measure.kinds),
        ),
        (
            "readers.json --system 7 -m fuzzy_success(minimal_peak=9)",
            "nothing could be scored: "
            "fuzzy success(minimal_peak=9): minimal_peak must lie in 1..6, the number of coders; got 9",
        ),
    ],
)
def test_invalid_input_prints_one_line_and_exits_1(run: Run, arguments: str, message: str) -> None:
    result = run(f"{arguments} --draws 2")
    assert (result.exit_code, result.stderr) == (1, f"caesura: {message}\n")


def test_items_without_a_cluster_are_listed_and_the_rest_are_scored(run: Run) -> None:
    far = {f"c{k}": cz.Segmentation.from_positions(12, [3 * k]) for k in (1, 2, 3)}
    near = dict.fromkeys(far, cz.Segmentation.from_positions(12, [5]))
    bot = {"bot": cz.Segmentation.from_positions(12, [5])}
    cz.write(cz.Corpus({"x": {**far, **bot}, "y": {**near, **bot}, "z": {**near, **bot}}), "few.json")
    result = run("few.json --system bot --csv", *QUICK)
    assert result.exit_code == 1
    expected = "caesura: item 'x': fuzzy success: there is no cluster: the highest count is 1, minimal_peak is 2\n"
    assert without_warnings(result) == expected
    (row,) = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row["segmenter"] == "bot"]
    assert row["fuzzy success"] == "1.0"


def test_different_lengths_are_listed_one_per_line(run: Run) -> None:
    people, systems = people_and_systems()
    wrong = {
        i: {"alpha": segmentation if i > "item 2" else cz.Segmentation.from_masses([3])}
        for i, segmentation in systems["alpha"].items()
    }
    cz.write(cz.Corpus(wrong), "wrong.json")
    result = run("people.json --system wrong.json -m pk", *QUICK)
    assert result.exit_code == 1
    assert without_warnings(result).splitlines() == [
        "caesura: item 'item 1', coder 'alpha': the system differs from the coders: 20 tokens for coder 1 and 3 for alpha",
        "caesura: item 'item 2', coder 'alpha': the system differs from the coders: 27 tokens for coder 1 and 3 for alpha",
    ]
    assert people.item_names == tuple(wrong)


def test_a_system_that_lacks_thousands_of_items_prints_one_line(run: Run, tmp_path: Path) -> None:
    text = cz.Segmentation.from_masses([2, 3, 2])
    items = [f"item {number:04}" for number in range(3000)]
    cz.write(cz.Corpus({item: {"ann": text, "bo": text} for item in items}), tmp_path / "many.json")
    cz.write(cz.Corpus({item: {"short": text} for item in items[:10]}), tmp_path / "short.json")
    arguments = (str(tmp_path / "many.json"), "--system", str(tmp_path / "short.json"), "--no-bounds", *QUICK)
    result = run(*arguments, "-m", "boundary_similarity", "--json")
    assert result.exit_code == 1
    assert without_warnings(result) == (
        "caesura: coder 'short', 2,990 items (item 0010, item 0011, item 0012, ...): the system did not annotate this item\n"
    )
    assert len(excluded_of(result)) == 2990


def test_unreadable_items_are_listed(run: Run) -> None:
    Path("ref.bits").write_text("0100010000\n00100\n00100\n")
    Path("hyp.bits").write_text("0100100000\n00x00\n00100\n")
    result = run("ref.bits --system hyp.bits -m boundary_similarity --json", *QUICK)
    assert result.exit_code == 1
    assert without_warnings(result).splitlines() == [
        "caesura: hyp.bits:2: a bit must be 0 or 1; got 'x' at mark 3",
        "caesura: item '2', coder 'hyp': the system did not annotate this item",
    ]
    assert excluded_of(result) == [line.removeprefix("caesura: ") for line in without_warnings(result).splitlines()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("readers.json", "Missing option '--system'"),
        ("", "Missing argument 'CORPUS"),
        ("readers.json --system 7 -m bounary_similarity", "did you mean 'boundary_similarity'?"),
        ("readers.json --system 7 -m fuzzy_success(alpha=3)", "alpha must be a number from 1 to 2; got 3"),
        ("readers.json --system 7 -m 'fuzzy_success(p_min=2, p_max=1)'", "p_min must not be above p_max; got 2 and 1"),
        ("readers.json --system 7 --interval coders", "'coders' is not one of 'items', 'pairs', 'none'"),
        ("readers.json --system 7 --level 95", "level must be a number between 0 and 1; got 95.0"),
        ("readers.json --system 7 --replicates 10", "replicates must be a whole number of at least 100; got 10"),
        ("readers.json --system 7 --draws 0", "draws must be a whole number of at least 1; got 0"),
        ("readers.json --system 7 --epsilon 1", "epsilon must be a number from 0 to below 1; got 1.0"),
        ("readers.json --system 7 --alpha 0", "alpha must be a number between 0 and 1; got 0.0"),
        ("readers.json --system 7 --seed -1", "seed must be a whole number of at least 0; got -1"),
    ],
)
def test_invalid_usage_exits_2(run: Run, arguments: str, message: str) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_help_names_every_option(run: Run) -> None:
    output = run("--help").stdout
    data = {"--system", "--measure", "--settings", "--seed", "--json", "--csv", "--latex"}
    tests = {"--interval", "--level", "--replicates", "--draws", "--bounds", "--alpha", "--epsilon"}
    for option in data | tests | {"--errors", "--list-errors"}:
        assert option in output


def test_systems_with_different_items(run: Run, folder: Path) -> None:
    """Values over different items are not compared: the items of both decide.

    # people  2 2    on all six items
    # mine    4      on t1 and t2: one addition each; 2 2 on the others: 1 - 2 / 6
    # theirs  1 3    on t1 and t2 only: a transposition over one of two positions, 1 - 1 / 2

    Of the four ways to swap the systems on two items, two have a difference as large as theirs: p = .50.
    """
    people = {"ann": [2, 2], "bo": [2, 2]}
    items = {f"t{number}": people | {"mine": [4] if number <= 2 else [2, 2]} for number in range(1, 7)}
    items["t1"]["theirs"] = items["t2"]["theirs"] = [1, 3]
    path = folder / "different.json"
    path.write_text(json.dumps({"items": items, "segmentation_type": "linear"}))
    options = ("different.json", *inside("mine", "theirs"), *QUICK, "-m", "B", "-m", "S", "--no-bounds")
    result = run(*options)
    text, table = result.stdout.split("\n\n")[:2]
    assert " ".join(text.split()).startswith(
        "mine (B .67 over 6 items) has a better value than theirs (.50 over 2 items), but over different items; over the 2 "
        "items of both theirs is ahead by .50, which may be chance (p = .50)."
    )
    lines = [line.split() for line in table.splitlines()]
    assert lines[0] == ["segmenter", "B", "S", "items"]
    assert [(line[0], line[-1]) for line in lines[2:4]] == [("mine", "6"), ("theirs", "2")]
    assert "values are over different items (mine 6, theirs 2)" in result.stdout
    document = run(*options, "--json")
    assert '"inf"' not in document.stdout
    assert '"-inf"' not in document.stdout
    comparison = results_of(document)["comparisons"][0]
    assert comparison["pairs"][0]["interval"] is None
    assert "no interval of mine - theirs under B: too few items in common (2)" in comparison["notes"]


def test_crisp_evaluation_of_dialogues_and_spans_is_refused_before_the_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(*_: object, **__: object) -> None:
        raise AssertionError("the systems were judged")

    monkeypatch.setattr(importlib.import_module("caesura.tasks.judge"), "judge", judge)
    spans = "item,coder,start,end,label\n" + "".join(f"x,{coder},{s},{s + 3},A\n" for coder in "abc" for s in (0, 8))
    (folder / "spans.csv").write_text(spans)
    for name, coder in (("talk.csv", "bo"), ("spans.csv", "c")):
        result = invoke(["judge", str(folder / name), "--system", coder, "--crisp"])
        assert result.exit_code
        assert "needs segmentations without streams" in result.stderr
