"""``caesura agree`` on corpora of many coders."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from caesura.errors import CaesuraWarning
from caesura.views import agreement as views
from caesura.views.agreement import draw_dendrogram, heat_table
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]


B = "boundary_similarity(n_t=2)"


def tables(text: str) -> list[list[dict[str, str]]]:
    """Return the tables of CSV output, which are separated by blank lines."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.strip().split("\n\n")]


def test_agree_shows_values_coders_and_thresholds(run: Run) -> None:
    result = run("agree readers.json --details")
    assert (result.exit_code, result.stderr) == (0, "")
    # pi* of Hearst's readers over B and S: .4644 and .7667; the preset gives what Fournier printed
    text = " ".join(result.stdout.split())
    assert text.startswith(
        "Seven coders agree moderately: pi over B = .46 on 1 item (.30 if chance means random placement). Without coder 4"
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["multi_pi", "B", "0.4644", "0.5301", "0.1225", "0.3006", "0.3281"] in lines
    assert ["multi_pi", "S", "0.7667", "0.7952", "0.1225", "0.3863", "0.6663"] in lines
    assert "no interval: it needs at least two items to resample; there is one" in result.stdout
    assert "bias, A_e(pi) - A_e(kappa): 0.0014" in result.stdout
    assert "Each coder with all others" in result.stdout
    assert "boundaries per item: 7.0000 ± 1.8516 over coders" in result.stdout
    assert "the others agree best without 4" in result.stdout
    assert "Landis & Koch (1977), a convention and not a test" in text
    assert not any(line.endswith("\x1b[0m") for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    ("compat", "measure", "value"),
    [
        ("fournier2013", B, 0.4405),
        ("fournier2013", "segmentation_similarity(n_t=2)", 0.7562),
        (None, B, 0.4644),
        (None, "segmentation_similarity(n_t=2)", 0.7667),
    ],
)
def test_agree_compat(run: Run, compat: str | None, measure: str, value: float) -> None:
    """The values published in 2013 (section 5), and those of the corrected definition."""
    preset = [] if compat is None else ["--compat", compat]
    (agreement,) = results_of(run("agree readers.json -m", measure, *preset, "--json"))["agreement"]
    assert round(agreement["value"], 4) == value
    assert ("counted:segments" in agreement["signature"]) == (compat is not None)


def test_agree_compat_selects_measures_with_that_preset(run: Run) -> None:
    agreement = results_of(run("agree readers.json --compat fournier2012 --json"))["agreement"]
    assert [row["measure"] for row in agreement] == ["segmentation_similarity(n_t=2, compat='fournier2012')"]


def test_agree_json_has_everything(many: Run) -> None:
    coefficients = ("multi_pi", "multi_kappa", "bias", "alpha")
    chosen = " ".join(f"-c {name}" for name in coefficients)
    result = many(f"agree many.json -m {B} {chosen} --seed 1 --clusters --cochran --heat --json")
    assert result.exit_code == 0
    data = results_of(result)
    corpus = cz.read("many.json")
    with pytest.warns(CaesuraWarning, match="3 items is too narrow"):
        expected = {name: cz.agreement(corpus, coefficient=name, seed=1) for name in coefficients}
    values = {row["coefficient"]: row["value"] for row in data["agreement"]}
    assert values == {name: row.value for name, row in expected.items()}
    assert [row["interval"] for row in data["agreement"]] == [list(row.interval or ()) for row in expected.values()]
    assert [row["measure"] for row in data["agreement"]] == [B, B, B, None]
    assert len(data["agreement"][0]["pairs"]) == len(data["agreement"][0]["coders"]) == 3
    counts = {"coder": "ann", "items": 3, "units": 18, "positions": 15, "boundaries": 4}
    ann = data["placed"]["rows"][0]
    assert ann == counts | {"per_item": 4 / 3, "per_unit": 4 / 15, "types": ann["types"]}
    assert data["analyses"]["clusters"] == cz.cluster_coders(corpus).to_dict()
    assert data["analyses"]["cochran"] == cz.cochran_q(corpus).to_dict()
    heat = {"item": "x", "stream": None, "coders": 3, "counts": [0, 2, 0, 1, 2], "excluded": []}
    assert data["analyses"]["heat"][0] == heat
    assert excluded_of(result) == []


def test_agree_tables_as_csv(many: Run) -> None:
    command = ("agree", "many.json", "-m", B, "--seed", "1", "--csv", "--table")
    names = ("coefficients", "coders", "pairs", "items")
    whole, coders, pairs, items = (list(csv.DictReader(io.StringIO(many(*command, name).stdout))) for name in names)
    corpus = cz.read("many.json")
    with pytest.warns(CaesuraWarning):
        expected = cz.agreement(corpus, seed=1)
    assert float(whole[0]["value"]) == expected.value
    assert (float(whole[0]["low"]), float(whole[0]["high"])) == expected.interval
    assert [(row["coder"], row["boundaries"], float(row["value"])) for row in coders] == [
        (row.coder, n, row.value) for row, n in zip(expected.coders, ("4", "4", "3"), strict=True)
    ]
    assert [(row["coders"], float(row["value"]), row["items"]) for row in pairs] == [
        (" - ".join(row.coders), row.value, "3") for row in expected.pairs
    ]
    by_item = {row.item: row.value for row in expected.items}
    assert {row["item"]: float(row["pi(B)"]) for row in items} == {"all": expected.value, **by_item}
    assert [row["item"] for row in items] == ["all", *sorted(by_item, key=lambda item: (by_item[item], item))]


def test_agree_tables_on_a_terminal(many: Run) -> None:
    plain = many(f"agree many.json -m {B} --seed 1").stdout
    assert "Pairs of coders" not in plain
    assert "Each coder" not in plain
    full = many(f"agree many.json -m {B} --seed 1 --pairs --coders").stdout
    assert full.count("Each coder with all others") == 1
    details = many(f"agree many.json -m {B} --seed 1 --details").stdout
    assert "interval: 0.95 percentile bootstrap over 3 items, 2000 replicates" in details
    assert "\nPairs of coders: multi_pi, B\n" in full
    assert "ann - bo" in full


def test_agree_two_coders_have_no_table_by_default(run: Run) -> None:
    assert "Each coder" not in run("agree ref.bits hyp.bits").stdout
    result = run(f"agree ref.bits hyp.bits --table coders -c pi -m {B} --csv --seed 1")
    (coders,) = tables(result.stdout)
    assert [(row["coder"], row["without"], row["gain"]) for row in coders] == [("ref", "", ""), ("hyp", "", "")]


def test_agree_latex(many: Run) -> None:
    result = many(f"agree many.json -m {B} --seed 1 --table coefficients --latex")
    assert result.stdout.count(r"\begin{tabular}") == result.stdout.count(r"\end{tabular}") == 1
    assert r"multi\_pi & B & " in result.stdout
    assert "% interval: 0.95 percentile bootstrap over 3 items" in result.stdout


def test_agree_interval_options(many: Run) -> None:
    def interval(*arguments: str) -> tuple[list[float] | None, str]:
        result = many(f"agree many.json -m {B} --json", *arguments)
        (agreement,) = results_of(result)["agreement"]
        return agreement["interval"], agreement["interval_note"]

    assert interval("--interval", "none") == (None, "no interval was requested")
    _, note = interval("--interval", "coders", "--seed", "1", "--replicates", "300", "--level", "0.8")
    assert note == "0.8 percentile bootstrap over 3 coders, 300 replicates"
    assert interval("--seed", "5") == interval("--seed", "5")
    wide, narrow = (interval("--seed", "5", "--level", level)[0] for level in ("0.99", "0.5"))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_agree_prints_the_seed_it_chose(many: Run) -> None:
    first = results_of(many(f"agree many.json -m {B} --json"))["agreement"][0]
    again = results_of(many(f"agree many.json -m {B} --json --seed", str(first["seed"])))
    assert again["agreement"][0] == first


def test_agree_warns_about_few_items(many: Run) -> None:
    result = many("agree many.json --csv")
    assert result.exit_code == 0
    assert result.stderr == (
        "caesura: warning: an interval from 3 items is too narrow: a 95 % interval covers about 84 % of cases with 5 items, "
        "92 % with 20 and 95 % with 50\n"
    )


def test_agree_clusters(run: Run) -> None:
    result = run(f"agree readers.json -m {B} --clusters -c multi_kappa")
    assert "\nCoders joined by average linkage of 1 - B\n" in result.stdout
    agreement = cz.cluster_coders(stargazer(), coefficient="multi_kappa")
    assert agreement.signature in result.stdout
    assert draw_dendrogram(agreement) in result.stdout
    (joints,) = tables(run(f"agree readers.json -m {B} --clusters --csv --table clusters").stdout)
    assert (joints[0]["coders"], joints[0]["distance"]) in {("7, 3", "0.25"), ("3, 7", "0.25")}


def test_agree_prints_clusters_of_dialogues_on_request(talk: Run) -> None:
    data = results_of(talk("agree talk.csv --clusters --draws 200 --seed 3 --json"))
    assert "|draws:200|seed:3|" in data["analyses"]["clusters"]["signature"]
    assert data["analyses"]["clusters"]["clusters"][0]["value"] == data["agreement"][0]["value"]
    data = results_of(talk("agree talk.csv --clusters --chance exact -c pi --json"))
    assert "|pi|" in data["analyses"]["clusters"]["signature"]
    assert "|chance:exact|" in data["analyses"]["clusters"]["signature"]


def test_agree_cochran(run: Run) -> None:
    result = run(f"agree readers.json -m {B} --cochran")
    assert "\nCochran's Q = 58.8597, 19 degrees of freedom, p = " in result.stdout
    assert "by partial Q: 6 of 7 coders" in result.stdout
    assert "by the exact chance distribution: none" in result.stdout
    assert "percentage agreement with the majority: 0.8071" in result.stdout
    output = [line.split() for line in result.stdout.splitlines()]
    small = next(line for line in output if line[:2] == ["6", "3"])
    assert small[4].endswith("e-05")  # and not 0.0000


def test_agree_labels(labelled: Run) -> None:
    result = labelled(f"agree labelled.json --label-similarity -m {B}")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    # units: 1, 1, 0 and 1/2
    assert ["ann", "-", "bo", "0.6250", "0.4146", "4"] in lines
    assert ["all", "0.6250", "0.4146", "4"] in lines
    analyses = results_of(labelled("agree labelled.json --label-similarity --json"))["analyses"]
    assert analyses["label_similarity"]["value"] == 0.625


def test_agree_heat(run: Run) -> None:
    result = run(f"agree readers.json -m {B} --heat")
    # counted in the output of the demo
    assert "\nBoundaries by position\n\nstargazer, 7 coders\n    1  ·63·5·2361164··325·2\n" in result.stdout
    (rows,) = tables(run(f"agree readers.json -m {B} --heat --csv --table heat").stdout)
    assert rows[1] == {"item": "stargazer", "position": "2", "marked by": "6", "coders": "7"}
    assert len(rows) == 20


def test_failed_analysis_does_not_affect_the_others(run: Run) -> None:
    result = run(f"agree readers.json -m {B} --label-similarity --cochran")
    assert result.exit_code == 1
    assert "0.4644" in result.stdout
    assert "Cochran's Q" in result.stdout
    assert result.stderr == (
        "caesura: --label-similarity: no item has labels from two coders: item 'stargazer': not labelled by any coder\n"
    )


def test_undefined_analysis_is_reported_in_its_section(run: Run) -> None:
    Path("blank.json").write_text('{"items": {"x": {"a": [5], "b": [5]}}}')
    result = run(f"agree blank.json --cochran -m {B}")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    message = "Agreement is undefined: no coder placed a boundary, so agreement beyond chance is undefined."
    assert text.startswith(message)
    assert "every coder marked all positions or none, so Q is 0/0" in text
    command = ("agree", "blank.json", "--cochran", "-m", B, "--csv")
    (whole,), (cochran,) = tables(run(*command).stdout), tables(run(*command, "--table", "cochran").stdout)
    reason = "no coder placed a boundary, so agreement beyond chance is undefined"
    assert (whole[0]["value"], whole[0]["reason"]) == ("undefined", reason)
    assert cochran == [{"cochran": "undefined", "reason": "every coder marked all positions or none, so Q is 0/0"}]
    data = results_of(run(f"agree blank.json --cochran -m {B} --json"))
    assert data["agreement"][0]["value"] is None
    assert data["agreement"][0]["reason"].startswith("no coder placed a boundary")
    assert data["analyses"]["cochran"] == {"value": None, "reason": cochran[0]["reason"]}


def test_alpha_over_the_streams_of_a_dialogue(talk: Run) -> None:
    result = talk("agree talk.csv -c kappa -c alpha --chance exact -m flexible_similarity --csv")
    assert result.exit_code == 0
    assert tables(result.stdout)[0][0].keys() == {"item", "kappa(S_f)", "alpha"}


def test_each_measure_has_its_own_coefficients(talk: Run) -> None:
    result = talk(f"agree readers.json -m {B} -m flexible_similarity -c multi_pi -c s_modified --chance exact --csv")
    assert [*tables(result.stdout)[0][0]] == ["item", "pi(B)", "pi(B) placed", "s_modified(S_f)"]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("pi", "multi_pi"),
        ("davies-fleiss", "multi_kappa"),
        ("Kappa", "multi_kappa"),
        ("krippendorff", "alpha"),
        ("multi-pi", "multi_pi"),
    ],
)
def test_names_of_coefficients_that_people_type(talk: Run, typed: str, name: str) -> None:
    """With more than two coders, pi and kappa are the coefficients of several coders."""
    expected = results_of(talk("agree readers.json -m B -c", name, "--interval", "none", "--json"))
    result = results_of(talk("agree readers.json -m B -c", typed, "--interval", "none", "--json"))
    assert result == expected
    assert [row["coefficient"] for row in result["agreement"]] == [name]


@pytest.mark.parametrize("output", ["--json", "--csv", "--latex", None])
def test_excluded_items_are_listed(many: Run, output: str | None) -> None:
    result = many(f"agree bad.json -m {B} --heat", *([output] if output else []))
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "caesura: item 'bad': coded by ann only",
        "caesura: item 'odd': a is ann, b is bo: both sides must have the same units; a has 4, b has 5",
    ]
    assert "0.7" in result.stdout
    if output == "--json":
        data = results_of(result)
        assert [line.removeprefix("caesura: ") for line in result.stderr.splitlines()] == excluded_of(result)
        assert [row["item"] for row in data["analyses"]["heat"]] == ["x"]


def test_unreadable_items_are_listed_and_the_rest_are_used(run: Run) -> None:
    Path("part.json").write_text('{"items": {"x": {"a": [2, 3], "b": [1, 4]}, "y": {"a": [2, 0], "b": [1, 1]}}}')
    result = run(f"agree part.json -m {B} --csv")
    assert result.exit_code == 1
    assert "a mass must be a whole number" in result.stderr.splitlines()[0]
    assert result.stdout.startswith("item,pi(B),pi(B) placed\nx,")


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv", "masses.tsv"])
def test_agree_reads_every_format(run: Run, suffix: str) -> None:
    to = ["--to", "masses-tsv"] if suffix == "masses.tsv" else []
    assert run("convert readers.json", f"out.{suffix}", *to).exit_code == 0
    (agreement,) = results_of(run("agree", f"out.{suffix}", "-m", B, "--json"))["agreement"]
    assert agreement["value"] == cz.agreement(stargazer()).value


def test_agree_reads_one_file_per_coder(run: Run) -> None:
    names = []
    for coder in stargazer().coders:
        names.append(f"reader{coder}.bits")
        assert run("convert readers.json", names[-1], "--coder", coder).exit_code == 0
    (agreement,) = results_of(run("agree", *names, "-m", B, "--json"))["agreement"]
    assert agreement["value"] == pytest.approx(cz.agreement(stargazer()).value)
    assert [row["coder"] for row in agreement["coders"]] == [Path(name).stem for name in names]
    result = run("agree", names[0], names[0])
    expected = (1, "caesura: reader1.bits: item 'stargazer' has coder 'reader1' in another file too\n")
    assert (result.exit_code, result.stderr) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.json", "nowhere.json: cannot be read: No such file or directory"),
        ("folder", "folder: no file can be read; the folder is empty"),
        ("empty.csv", "empty.csv:1: the file is empty"),
        ("ref.bits", "agreement needs at least two coders; got ref"),
    ],
)
def test_agree_invalid_input_prints_one_line_and_exits_1(run: Run, arguments: str, message: str) -> None:
    Path("empty.csv").write_text("")
    result = run(f"agree {arguments}")
    assert (result.exit_code, result.stderr) == (1, f"caesura: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Missing argument 'CORPUS...'"),
        ("readers.json -m pk -c pi", "pi is not defined over pk; leave it out for the mean over pairs"),
        ("readers.json -m kp", "there is no measure 'kp'"),
        ("readers.json -c u_alpha(atoms=2)", "u_alpha has no option 'atoms'; did you mean 'atom'?"),
        ("readers.json -c flies", "there is no coefficient 'flies'; did you mean 'fleiss'?"),
        (
            "readers.json -c s",
            "s is not defined over boundary_similarity; use pi, kappa, multi_pi, multi_kappa, bias, alpha",
        ),
        (
            "readers.json -m flexible_similarity -c multi_pi",
            "multi_pi is not defined over flexible_similarity; use kappa, pi, s, s_modified, alpha",
        ),
        ("readers.json --compat nltk", "there is no preset 'nltk'; choose from 'chunkseg', 'chunkseg-collar'"),
        (
            f"readers.json --compat fournier2012 -m {B}",
            "boundary_similarity has no preset 'fournier2012'; did you mean 'fournier2013'?",
        ),
        ("readers.json --compat segsimflex", "has no preset 'segsimflex'"),
        ("readers.json --draws 100", "--draws: only for measures whose chance agreement is simulated"),
        (
            "readers.json --chance exact --tolerance 0.1",
            "--chance, --tolerance: only for measures whose chance agreement is simulated",
        ),
        (
            "readers.json -m flexible_similarity --chance exact --no-variates",
            "--no-variates applies to simulation only; remove it, or remove --chance exact",
        ),
        ("readers.json --level 1", "level must be a number between 0 and 1; got 1.0"),
        ("readers.json --replicates 99", "replicates must be a whole number of at least 100; got 99"),
        ("readers.json --seed -1", "seed must be a whole number of at least 0; got -1"),
        ("readers.json --interval units", "'units' is not one of 'items', 'coders', 'none'"),
        ("readers.json --draws 1", "draws must be a whole number of at least 20; got 1"),
        ("readers.json --tolerance 0", "tolerance must be a number between 0 and 1; got 0.0"),
    ],
)
def test_agree_invalid_usage_exits_2(run: Run, arguments: str, message: str) -> None:
    result = run(f"agree {arguments}")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_bias_has_no_outliers(run: Run) -> None:
    assert "the others agree best" not in run("agree readers.json -c bias").stdout


def test_table_of_heat_is_built_only_if_it_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    monkeypatch.setattr(views, "heat_table", lambda strips: built.append(strips) or heat_table(strips))
    assert run(f"agree readers.json -m {B} --heat --json").exit_code == 0
    assert not built
    assert run(f"agree readers.json -m {B} --heat --csv --table heat").exit_code == 0
    assert len(built) == 1


def test_the_table_of_pairs_by_hand(run: Run) -> None:
    """One boundary of three in x and the one in y are common; both coders mark 3 of 8 positions: (1/2 - 9/64) / (1 - 9/64)."""
    Path("two.json").write_text('{"x": {"ann": [1, 1, 3], "bo": [1, 2, 2]}, "y": {"ann": [2, 3], "bo": [2, 3]}}')
    lines = run("agree two.json -m B(n_t=1) -c pi --pairs").stdout.splitlines()
    place = lines.index("Pairs of coders: pi, B(n_t=1)")
    assert lines[place + 1].split() == ["coders", "value", "observed", "expected", "items"]
    assert lines[place + 3].split() == ["ann", "-", "bo", "0.4182", "0.5000", "0.1406", "2"]


def test_shares_that_chance_explains_never_head_an_answer(talk: Run) -> None:
    answer = talk("agree readers.json -c gwet -c percent -c multi_kappa --interval none").stdout
    assert " coders agree " in answer
    assert "kappa over B" in answer.partition(".")[0]
    assert "AC1 is high if boundaries are rare" in " ".join(talk("agree readers.json -c gwet").stdout.split())
    percent = " ".join(talk("agree readers.json -c percent").stdout.split())
    assert "which is not corrected for chance" in percent
    assert "agree substantially" not in percent
