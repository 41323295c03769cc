"""The command line, from arguments to output and exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from caesura.errors import CaesuraWarning
from caesura.formats import formats
from caesura.views.agreement import draw_dendrogram
from support.commands import invoke
from support.corpora import TALK
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    # ref ··|····|·····   ···|···
    # hyp ··|···|······   ···|···
    Path("folder").mkdir()
    Path("ref.bits").write_text("0100010000\n00100\n")
    Path("hyp.bits").write_text("0100100000\n00100\n")
    cz.write(stargazer(), "readers.json")

    def call(*arguments: str) -> Result:
        result = invoke(list(arguments))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return call


def test_score_table(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits")
    assert result.exit_code == 0
    # 3 matches or near misses, one of which costs 1/2: 1 - .5 / 3; 2 of 13 windows differ
    lines = result.output.splitlines()
    assert lines[0].startswith("2 boundaries match and 1 is a near miss: B = .83 over 2 items.")
    assert ["B", "0.8333", "2"] in [line.split() for line in lines]
    assert ["WD", "0.1538", "2"] in [line.split() for line in lines]


def test_score_json_has_everything(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "crisp(tolerance=1)", "-m", "pk", "--json", "--edits")
    data = results_of(result)
    total = [s for s in data["scores"] if s["item"] is None]
    assert [s["measure"] for s in total] == ["boundary_f(tolerance=1)", "pk"]
    assert total[0]["value"] == 1.0
    assert total[0]["parts"] == {"matches": 3, "reference": 3, "hypothesis": 3}
    assert total[0]["figures"] == {"precision": 1.0, "recall": 1.0, "f": 1.0}
    assert total[1]["params"]["window"] == 2
    assert total[1]["signature"].startswith("pk|documents:2|window:2|padded:no|")
    first = next(s for s in data["scores"] if s["item"] == "1" and s["measure"].startswith("boundary_f"))
    assert [e["kind"] for e in first["edits"]] == ["match", "transposition"]
    assert excluded_of(result) == []


def test_score_csv_keeps_all_digits(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "boundary_similarity", "--items", "--csv")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert float(row["value"]) == 1 - 0.5 / 3
    assert result.stderr == "caesura: --csv prints one table; for another, add --table items\n"
    result = run("score", "ref.bits", "hyp.bits", "-m", B, "--table", "items", "--csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert [(row["item"], float(row["value"])) for row in rows] == [("1", 0.75), ("2", 1.0)]


def test_score_latex(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "window_diff", "--latex")
    assert result.output.splitlines()[:5] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"measure & value & items \\",
        r"\midrule",
        r"WD & 0.1538 & 2 \\",
    ]


def test_score_prints_the_edits(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "boundary_similarity", "--edits")
    assert "REF  ··|··· ·|·····\nHYP  ··|···|· ·····\n       =   < >\n" in result.output
    edits = run("score", "ref.bits", "hyp.bits", "-m", "boundary_similarity", "--table", "edits").output
    assert "transposition" in edits


def test_edits_are_rejected_for_measures_without_edits(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "pk", "--edits")
    assert result.exit_code == 2
    assert "--edits: none of these measures aligns boundaries; add -m B" in result.stderr


def test_score_two_coders_from_the_same_file(run: Run) -> None:
    result = run("score", "readers.json", "--reference", "1", "--hypothesis", "3", "--json")
    value = results_of(result)["scores"][0]["value"]
    corpus = stargazer()
    assert value == cz.boundary_similarity(corpus["stargazer", "1"], corpus["stargazer", "3"]).value


def test_ambiguous_coder_must_be_specified(run: Run) -> None:
    result = run("score", "readers.json", "readers.json")
    assert result.exit_code == 1
    assert result.stderr == (
        "caesura: the reference has several coders; choose one with --reference: '1', '2', '3', '4', '5', '6', '7'\n"
    )
    result = run("score", "readers.json", "--reference", "9", "--hypothesis", "1")
    assert result.stderr == "caesura: the corpus has no coder '9'; it has '1', '2', '3', '4', '5', '6', '7'\n"


def test_invalid_items_are_listed_and_the_rest_are_scored(run: Run) -> None:
    Path("short.bits").write_text("0100100000\n0010\n")
    result = run("score", "ref.bits", "short.bits", "-m", "boundary_similarity", "--json")
    assert result.exit_code == 1
    assert result.stderr == (
        "caesura: item '2': boundary_similarity(n_t=2): both sides must have the same units; a has 6, b has 5\n"
    )
    data = results_of(result)
    assert [(s["item"], s["value"]) for s in data["scores"]] == [("1", 0.75), (None, 0.75)]
    assert len(excluded_of(result)) == 1


def test_unreadable_items_are_listed_and_the_rest_are_scored(run: Run) -> None:
    Path("odd.bits").write_text("0100100000\n00x00\n")
    result = run("score", "ref.bits", "odd.bits", "-m", "boundary_similarity", "--csv")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "caesura: odd.bits:2: a bit must be 0 or 1; got 'x' at mark 3",
        "caesura: item '2': not in the hypothesis",
    ]
    assert "0.75,1" in result.stdout


def test_item_shorter_than_the_window_is_listed(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "pk(window=7)", "--csv")
    assert result.exit_code == 1
    assert result.stderr == ("caesura: item '2': pk(window=7): window must lie in 1..5 for a text of 6 units; got 7\n")
    assert len(result.stdout.splitlines()) == 2


SUFFIXES = ", ".join(
    dict.fromkeys(
        x
        for file_format in formats().values()
        if file_format.write and cz.Segmentation in file_format.annotation_types
        for x in file_format.suffixes
    )
)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["score", "nowhere.bits", "hyp.bits"],
            1,
            "caesura: nowhere.bits: cannot be read: No such file or directory\n",
        ),
        (["score", "folder", "hyp.bits"], 1, "caesura: folder: no file can be read; the folder is empty\n"),
        (["score", "empty.bits", "hyp.bits"], 1, "caesura: empty.bits:1: the file is empty\n"),
        (
            ["score", "cut.json", "hyp.bits"],
            1,
            "caesura: cut.json:1: not valid JSON: Expecting ',' delimiter at column 27\n",
        ),
        (
            ["score", "binary.json", "hyp.bits"],
            1,
            "caesura: binary.json:1: expected text in UTF-8; got byte 0xff; is this a binary file, or text in another encoding (--encoding)?\n",
        ),
        (
            ["score", "ragged.tsv", "hyp.bits"],
            1,
            "caesura: ragged.tsv:2: a row must have 2 cells like the header; got 3; if the header is further down, say so with --reading skip=LINES\n",
        ),
        (
            ["convert", "readers.json", "out.bit"],
            1,
            "caesura: out.bit: the suffix must name the format: one of " + SUFFIXES + "; got .bit\n",
        ),
    ],
)
def test_invalid_input_prints_one_line_and_exits_1(run: Run, arguments: list[str], code: int, message: str) -> None:
    Path("empty.bits").write_text("")
    Path("cut.json").write_text('{"items": {"a": {"x": [1,2')
    Path("binary.json").write_bytes(b"\xff\xfd\0\0")
    Path("ragged.tsv").write_text("unit\tann\n1\t1\t1\n")
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (code, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["score", "ref.bits", "hyp.bits", "-m", "bounary_similarity"],
            "there is no measure 'bounary_similarity'; did you mean 'boundary_similarity'?",
        ),
        (["score", "ref.bits", "hyp.bits", "-m", "pk(window=0)"], "window must be a whole number of at least 1; got 0"),
        (["score", "ref.bits", "hyp.bits", "--types", "[1]"], "expected a JSON list of names; got [1]"),
        (["score"], "Missing argument 'REFERENCE'"),
    ],
)
def test_invalid_usage_exits_2(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_typed_tables(run: Run) -> None:
    Path("a.csv").write_text("unit,a\n1,\n2,act\n3,scene\n4,\n")
    Path("b.csv").write_text("unit,b\n1,\n2,scene\n3,scene\n4,\n")
    result = run("score", "a.csv", "b.csv", "-m", "boundary_similarity", "--types", "scene,act", "--json")
    total = results_of(result)["scores"][-1]
    assert total["value"] == 1 - 0.5 / 2  # one match, and one substitution by one of two steps
    assert "types:scene<act" in total["signature"]


@pytest.mark.parametrize("steps", [["a.csv", "b.tsv", "c.json"], ["a.tsv", "b.csv", "c.tsv", "d.json"]])
def test_convert_round_trip(run: Run, steps: list[str]) -> None:
    before = "readers.json"
    for after in steps:
        assert run("convert", before, after).exit_code == 0
        before = after
    assert cz.read(before) == stargazer()


def test_convert_one_coder_to_bits(run: Run) -> None:
    result = run("convert", "readers.json", "five.bits", "--coder", "5")
    assert result.exit_code == 0
    assert result.stderr == "coder '5' is called 'five' in five.bits\n"
    assert Path("five.bits").read_text() == "stargazer\t00101000100100001000\n"
    result = run("convert", "readers.json", "all.bits")
    assert (result.exit_code, Path("all.bits").exists()) == (1, False)


def test_demo_and_measures(run: Run) -> None:
    demo = run("demo")
    assert demo.exit_code == 0
    assert "reader 1  ··|· ··|·· ·|·|· · ·|· ··· · ·|·· ·\n" in demo.output
    listed = results_of(run("measures", "--json"))
    assert set(listed) == set(cz.measures())
    listing = run("measures").output
    for name, measure in cz.measures().items():
        assert f"  {measure().label} " in demo.output or measure().needs_labels
        assert name in listing


def test_trees(run: Run) -> None:
    """S and NP match, of three brackets each. Boundary measures reject files of trees."""
    Path("gold.ptb").write_text("(S (NP (PRP He)) (VP (VBD got) (RP up)))\n")
    Path("predicted.ptb").write_text("(S (NP (PRP He)) (VP (VBD got)) (RP up))\n")
    (total,) = [
        row
        for row in results_of(run("score", "gold.ptb", "predicted.ptb", "--json"))["scores"]
        if row["item"] is None and row["measure"] == "parseval"
    ]
    assert (total["value"], total["parts"]["matched"]) == (2 / 3, 2)
    for arguments, message in (
        (("score", "gold.ptb", "predicted.ptb", "-m", "pk"), "pk cannot score trees; use "),
        (("agree", "gold.ptb", "predicted.ptb"), "`agree` is not defined for trees; "),
        (("judge", "gold.ptb", "--system", "predicted.ptb"), "`judge` is not defined for trees; "),
    ):
        result = run(*arguments)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"caesura: {message}")
        assert result.stderr.count("\n") == 1


def test_python_dash_m_without_a_terminal() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "caesura.cli", "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "\x1b" not in process.stdout
    assert process.stderr == ""


# -- dialogues and agreement ------------------------------------------------------------------------------------------


@pytest.fixture
def talk(run: Run) -> Run:
    Path("talk.csv").write_text(TALK)
    Path("matrix.toml").write_text('normalize = "positions"\n[similarity]\npairs = [["?", ".", 0.75]]\n')
    return run


def test_flexible_measures_score_dialogues(talk: Run) -> None:
    result = talk("score", "talk.csv", "--json", "--edits")
    data = results_of(result)
    totals = {s["measure"]: s["value"] for s in data["scores"] if s["item"] is None}
    # one deletion and one substitution: cost 2 over 6 positions and 3 objects
    assert totals == {
        "flexible_similarity(normalize='positions')": pytest.approx(1 - 2 / 6),
        "flexible_similarity(normalize='boundaries')": pytest.approx(1 - 2 / 3),
    }
    assert [(e["stream"], e["kind"]) for e in data["scores"][0]["edits"]] == [
        ("F", "match"),
        ("F", "deletion"),
        ("M", "substitution"),
    ]


def test_dialogue_edits_are_printed_per_stream(talk: Run) -> None:
    result = talk("score", "talk.csv", "--edits", "-m", "flexible_similarity")
    assert "F\nREF  ··{,}···{.}\nHYP  ··{,}···\n       =     -\n\nM\nREF  ·{?}\nHYP  ·{.}\n      ~\n" in result.stdout


def test_settings_file(talk: Run) -> None:
    result = talk("score", "talk.csv", "--settings", "matrix.toml", "--json")
    (total,) = (s for s in results_of(result)["scores"] if s["item"] is None)
    assert total["value"] == pytest.approx(1 - 1.25 / 6)


def test_operations(talk: Run) -> None:
    result = talk("score", "talk.csv", "--operations", "--json")
    (operations,) = results_of(result)["operations"]
    rows = operations["table"]["rows"]
    assert {row["type"]: (row["boundaries"], row["match"], row["unpaired"]) for row in rows} == {
        ",": (2, 1.0, 0.0),
        ".": (2, 0.0, 0.5),
        "?": (1, 0.0, 0.0),
    }


def test_boundary_measures_score_dialogues(talk: Run) -> None:
    result = talk("score", "talk.csv", "-m", "WD", "-m", "F1", "-m", "Pk", "--json")
    corpus = cz.read("talk.csv")
    ((ann, bo),) = [tuple(corpus.of_item(item).values()) for item in corpus.item_names]
    rows = [row for row in results_of(result)["scores"] if row["item"] is None]
    assert {row["measure"]: row["value"] for row in rows} == {
        repr(cz.parse(name)): cz.parse(name).score(ann, bo).value for name in ("WD", "F1", "Pk")
    }


def test_measures_that_cannot_score_dialogues(talk: Run) -> None:
    result = talk("score", "talk.csv", "-m", "fuzzy_success")
    assert result.exit_code == 1
    assert result.stderr.startswith("caesura: fuzzy_success cannot score dialogues; use pk, window_diff, ")


def test_agree(talk: Run) -> None:
    result = talk("agree", "talk.csv", "-c", "kappa", "-c", "pi", "--seed", "1", "--draws", "200", "--json")
    assert result.exit_code == 0
    agreement = results_of(result)["agreement"]
    assert [(row["coefficient"], row["draws"], row["seed"]) for row in agreement] == [
        ("kappa", 200, 1),
        ("pi", 200, 1),
        ("kappa", 200, 1),
        ("pi", 200, 1),
    ]
    expected = cz.agreement(cz.read("talk.csv"), measure="flexible_similarity", seed=1, chance=cz.Simulate(draws=200))
    assert (agreement[0]["value"], agreement[0]["signature"]) == (expected.value, expected.signature)
    output = talk("agree", "talk.csv", "--seed", "1", "--draws", "200", "--details").stdout
    assert f"{expected.value:.6f}" in output
    assert "kappa over S_f = " in output


def test_agree_with_exact_chance(talk: Run) -> None:
    result = talk("agree", "talk.csv", "--chance", "exact", "-m", "flexible_similarity", "--json")
    (agreement,) = results_of(result)["agreement"]
    assert (agreement["method"], agreement["draws"], agreement["standard_error"]) == ("exact", 0, 0)


def test_agree_with_one_file_per_coder(talk: Run) -> None:
    for who, column in (("ann", 3), ("bo", 4)):
        rows = list(csv.reader(io.StringIO(TALK)))
        with open(f"talk_{who}.csv", "w", newline="") as file:
            csv.writer(file).writerows([*row[1:3], row[column]] for row in rows)
    from_one_file = results_of(talk("agree", "talk.csv", "--chance", "exact", "-m", "flexible_similarity", "--json"))
    from_two_files = results_of(
        talk("agree", "talk_ann.csv", "talk_bo.csv", "--chance", "exact", "-m", "flexible_similarity", "--json")
    )
    assert from_one_file["agreement"][0]["value"] == from_two_files["agreement"][0]["value"]


def test_agree_reports_undefined_coefficients(talk: Run) -> None:
    Path("empty.csv").write_text("unit,ann,bo\n1,,\n2,,\n")
    result = talk("agree", "empty.csv", "-m", "flexible_similarity")
    assert result.exit_code == 0
    assert "undefined" in result.stdout
    assert "no coder placed a boundary" in result.stdout


def test_agree_needs_two_coders(talk: Run) -> None:
    result = talk("agree", "ref.bits")
    assert (result.exit_code, result.stderr) == (1, "caesura: agreement needs at least two coders; got ref\n")


def test_each_warning_is_one_line(talk: Run) -> None:
    Path("trap.toml").write_text('[similarity]\npairs = [["?", "none", 1]]\n')
    result = talk("score", "talk.csv", "--settings", "trap.toml", "--csv")
    assert result.exit_code == 0
    assert result.stderr.startswith("caesura: warning: similarity: '?' is identical to no boundary")
    assert result.stderr.count("\n") == 1


# -- agreement of many coders -----------------------------------------------------------------------------------------

B = "boundary_similarity(n_t=2)"


def tables(text: str) -> list[list[dict[str, str]]]:
    """Return the tables of CSV output, which are separated by blank lines."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.strip().split("\n\n")]


@pytest.fixture
def many(run: Run) -> Run:
    """Three items of three readers. Item "bad" has one coder; the coders of "odd" have different texts."""
    Path("many.json").write_text(
        json.dumps(
            {
                "items": {
                    "x": {"ann": [2, 2, 2], "bo": [2, 3, 1], "cy": [5, 1]},
                    "y": {"ann": [1, 3], "bo": [1, 3], "cy": [2, 2]},
                    "z": {"ann": [4, 4], "bo": [4, 4], "cy": [4, 4]},
                }
            }
        )
    )
    Path("bad.json").write_text(
        json.dumps(
            {
                "items": {
                    "x": {"ann": [2, 2, 2], "bo": [2, 3, 1]},
                    "bad": {"ann": [2, 2]},
                    "odd": {"ann": [2, 2], "bo": [2, 3]},
                }
            }
        )
    )
    return run


def test_agree_shows_values_coders_and_thresholds(run: Run) -> None:
    result = run("agree", "readers.json", "--details")
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
    (agreement,) = results_of(run("agree", "readers.json", "-m", measure, *preset, "--json"))["agreement"]
    assert round(agreement["value"], 4) == value
    assert ("counted:segments" in agreement["signature"]) == (compat is not None)


def test_agree_compat_selects_measures_with_that_preset(run: Run) -> None:
    agreement = results_of(run("agree", "readers.json", "--compat", "fournier2012", "--json"))["agreement"]
    assert [row["measure"] for row in agreement] == ["segmentation_similarity(n_t=2, compat='fournier2012')"]


def test_agree_json_has_everything(many: Run) -> None:
    result = many(
        "agree",
        "many.json",
        "-m",
        B,
        "-c",
        "multi_pi",
        "-c",
        "multi_kappa",
        "-c",
        "bias",
        "-c",
        "alpha",
        "--seed",
        "1",
        "--clusters",
        "--cochran",
        "--heat",
        "--json",
    )
    assert result.exit_code == 0
    data = results_of(result)
    corpus = cz.read("many.json")
    with pytest.warns(CaesuraWarning, match="3 items is too narrow"):
        expected = {
            name: cz.agreement(corpus, coefficient=name, seed=1)
            for name in ("multi_pi", "multi_kappa", "bias", "alpha")
        }
    assert {row["coefficient"]: row["value"] for row in data["agreement"]} == {
        name: row.value for name, row in expected.items()
    }
    assert [row["interval"] for row in data["agreement"]] == [list(row.interval or ()) for row in expected.values()]
    assert [row["measure"] for row in data["agreement"]] == [B, B, B, None]
    assert len(data["agreement"][0]["pairs"]) == len(data["agreement"][0]["coders"]) == 3
    assert data["placed"]["rows"][0] == {
        "coder": "ann",
        "items": 3,
        "units": 18,
        "positions": 15,
        "boundaries": 4,
        "per_item": 4 / 3,
        "per_unit": 4 / 15,
        "types": {"1": 4},
    } | {"types": data["placed"]["rows"][0]["types"]}
    assert data["analyses"]["clusters"] == cz.cluster_coders(corpus).to_dict()
    assert data["analyses"]["cochran"] == cz.cochran_q(corpus).to_dict()
    assert data["analyses"]["heat"][0] == {
        "item": "x",
        "stream": None,
        "coders": 3,
        "counts": [0, 2, 0, 1, 2],
        "excluded": [],
    }
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
    plain = many("agree", "many.json", "-m", B, "--seed", "1").stdout
    assert "Pairs of coders" not in plain
    assert "Each coder" not in plain
    full = many("agree", "many.json", "-m", B, "--seed", "1", "--pairs", "--coders").stdout
    assert full.count("Each coder with all others") == 1
    details = many("agree", "many.json", "-m", B, "--seed", "1", "--details").stdout
    assert "interval: 0.95 percentile bootstrap over 3 items, 2000 replicates" in details
    assert "\nPairs of coders: multi_pi, B\n" in full
    assert "ann - bo" in full


def test_agree_two_coders_have_no_table_by_default(run: Run) -> None:
    assert "Each coder" not in run("agree", "ref.bits", "hyp.bits").stdout
    result = run("agree", "ref.bits", "hyp.bits", "--table", "coders", "-c", "pi", "-m", B, "--csv", "--seed", "1")
    (coders,) = tables(result.stdout)
    assert [(row["coder"], row["without"], row["gain"]) for row in coders] == [("ref", "", ""), ("hyp", "", "")]


def test_agree_latex(many: Run) -> None:
    result = many("agree", "many.json", "-m", B, "--seed", "1", "--table", "coefficients", "--latex")
    assert result.stdout.count(r"\begin{tabular}") == result.stdout.count(r"\end{tabular}") == 1
    assert r"multi\_pi & B & " in result.stdout
    assert "% interval: 0.95 percentile bootstrap over 3 items" in result.stdout


def test_agree_interval_options(many: Run) -> None:
    def interval(*arguments: str) -> tuple[list[float] | None, str]:
        result = many("agree", "many.json", "-m", B, "--json", *arguments)
        (agreement,) = results_of(result)["agreement"]
        return agreement["interval"], agreement["interval_note"]

    assert interval("--interval", "none") == (None, "no interval was requested")
    _, note = interval("--interval", "coders", "--seed", "1", "--replicates", "300", "--level", "0.8")
    assert note == "0.8 percentile bootstrap over 3 coders, 300 replicates"
    assert interval("--seed", "5") == interval("--seed", "5")
    wide, narrow = (interval("--seed", "5", "--level", level)[0] for level in ("0.99", "0.5"))
    assert wide is not None
    assert narrow is not None
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_agree_prints_the_seed_it_chose(many: Run) -> None:
    first = results_of(many("agree", "many.json", "-m", B, "--json"))["agreement"][0]
    again = results_of(many("agree", "many.json", "-m", B, "--json", "--seed", str(first["seed"])))
    assert again["agreement"][0] == first


def test_agree_warns_about_few_items(many: Run) -> None:
    result = many("agree", "many.json", "--csv")
    assert result.exit_code == 0
    assert result.stderr == (
        "caesura: warning: an interval from 3 items is too narrow: a 95 % interval covers about 84 % of cases with 5 items, "
        "92 % with 20 and 95 % with 50\n"
    )


def test_agree_clusters(run: Run) -> None:
    result = run("agree", "readers.json", "-m", B, "--clusters", "-c", "multi_kappa")
    assert "\nCoders joined by average linkage of 1 - B\n" in result.stdout
    agreement = cz.cluster_coders(stargazer(), coefficient="multi_kappa")
    assert agreement.signature in result.stdout
    assert draw_dendrogram(agreement) in result.stdout
    (joints,) = tables(run("agree", "readers.json", "-m", B, "--clusters", "--csv", "--table", "clusters").stdout)
    assert (joints[0]["coders"], joints[0]["distance"]) in {("7, 3", "0.25"), ("3, 7", "0.25")}


def test_agree_prints_clusters_of_dialogues_on_request(talk: Run) -> None:
    data = results_of(talk("agree", "talk.csv", "--clusters", "--draws", "200", "--seed", "3", "--json"))
    assert "|draws:200|seed:3|" in data["analyses"]["clusters"]["signature"]
    assert data["analyses"]["clusters"]["clusters"][0]["value"] == data["agreement"][0]["value"]
    data = results_of(talk("agree", "talk.csv", "--clusters", "--chance", "exact", "-c", "pi", "--json"))
    assert "|pi|" in data["analyses"]["clusters"]["signature"]
    assert "|chance:exact|" in data["analyses"]["clusters"]["signature"]


def test_agree_cochran(run: Run) -> None:
    result = run("agree", "readers.json", "-m", B, "--cochran")
    assert "\nCochran's Q = 58.8597, 19 degrees of freedom, p = " in result.stdout
    assert "by partial Q: 6 of 7 coders" in result.stdout
    assert "by the exact chance distribution: none" in result.stdout
    assert "percentage agreement with the majority: 0.8071" in result.stdout
    output = [line.split() for line in result.stdout.splitlines()]
    small = next(line for line in output if line[:2] == ["6", "3"])
    assert small[4].endswith("e-05")  # and not 0.0000


LABELLED = {
    "items": {"poem": {"ann": [2, 2], "bo": [3, 1]}},
    "segment_labels": {"poem": {"ann": ["Scenery", "Sound/Person"], "bo": ["Scenery", "Sound"]}},
}


@pytest.fixture
def labelled(run: Run) -> Run:
    Path("labelled.json").write_text(json.dumps(LABELLED))
    return run


def test_agree_labels(labelled: Run) -> None:
    result = labelled("agree", "labelled.json", "--label-similarity", "-m", B)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    # units: 1, 1, 0 and 1/2
    assert ["ann", "-", "bo", "0.6250", "0.4146", "4"] in lines
    assert ["all", "0.6250", "0.4146", "4"] in lines
    assert (
        results_of(labelled("agree", "labelled.json", "--label-similarity", "--json"))["analyses"]["label_similarity"][
            "value"
        ]
        == 0.625
    )


def test_agree_heat(run: Run) -> None:
    result = run("agree", "readers.json", "-m", B, "--heat")
    # counted in the output of the demo
    assert "\nBoundaries by position\n\nstargazer, 7 coders\n    1  ·63·5·2361164··325·2\n" in result.stdout
    (rows,) = tables(run("agree", "readers.json", "-m", B, "--heat", "--csv", "--table", "heat").stdout)
    assert rows[1] == {"item": "stargazer", "position": "2", "marked by": "6", "coders": "7"}
    assert len(rows) == 20


def test_failed_analysis_does_not_affect_the_others(run: Run) -> None:
    result = run("agree", "readers.json", "-m", B, "--label-similarity", "--cochran")
    assert result.exit_code == 1
    assert "0.4644" in result.stdout
    assert "Cochran's Q" in result.stdout
    assert result.stderr == (
        "caesura: --label-similarity: no item has labels from two coders: item 'stargazer': not labelled by any coder\n"
    )


def test_undefined_analysis_is_reported_in_its_section(run: Run) -> None:
    Path("blank.json").write_text('{"items": {"x": {"a": [5], "b": [5]}}}')
    result = run("agree", "blank.json", "--cochran", "-m", B)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert text.startswith(
        "Agreement is undefined: no coder placed a boundary, so agreement beyond chance is undefined."
    )
    assert "every coder marked all positions or none, so Q is 0/0" in text
    command = ("agree", "blank.json", "--cochran", "-m", B, "--csv")
    (whole,), (cochran,) = tables(run(*command).stdout), tables(run(*command, "--table", "cochran").stdout)
    assert (whole[0]["value"], whole[0]["reason"]) == (
        "undefined",
        "no coder placed a boundary, so agreement beyond chance is undefined",
    )
    assert cochran == [{"cochran": "undefined", "reason": "every coder marked all positions or none, so Q is 0/0"}]
    data = results_of(run("agree", "blank.json", "--cochran", "-m", B, "--json"))
    assert data["agreement"][0]["value"] is None
    assert data["agreement"][0]["reason"].startswith("no coder placed a boundary")
    assert data["analyses"]["cochran"] == {
        "value": None,
        "reason": "every coder marked all positions or none, so Q is 0/0",
    }


def test_alpha_over_the_streams_of_a_dialogue(talk: Run) -> None:
    result = talk(
        "agree", "talk.csv", "-c", "kappa", "-c", "alpha", "--chance", "exact", "-m", "flexible_similarity", "--csv"
    )
    assert result.exit_code == 0
    assert tables(result.stdout)[0][0].keys() == {"item", "kappa(S_f)", "alpha"}


def test_each_measure_has_its_own_coefficients(talk: Run) -> None:
    result = talk(
        "agree",
        "readers.json",
        "-m",
        B,
        "-m",
        "flexible_similarity",
        "-c",
        "multi_pi",
        "-c",
        "s_modified",
        "--chance",
        "exact",
        "--csv",
    )
    assert [*tables(result.stdout)[0][0]] == ["item", "pi(B)", "pi(B) placed", "s_modified(S_f)"]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("pi", "multi_pi"),
        ("fleiss", "multi_pi"),
        ("Kappa", "multi_kappa"),
        ("krippendorff", "alpha"),
        ("multi-pi", "multi_pi"),
    ],
)
def test_names_of_coefficients_that_people_type(talk: Run, typed: str, name: str) -> None:
    """With more than two coders, pi and kappa are the coefficients of several coders."""
    expected = results_of(talk("agree", "readers.json", "-m", "B", "-c", name, "--interval", "none", "--json"))
    result = results_of(talk("agree", "readers.json", "-m", "B", "-c", typed, "--interval", "none", "--json"))
    assert result == expected
    assert [row["coefficient"] for row in result["agreement"]] == [name]


@pytest.mark.parametrize("output", ["--json", "--csv", "--latex", None])
def test_excluded_items_are_listed(many: Run, output: str | None) -> None:
    result = many("agree", "bad.json", "-m", B, "--heat", *([output] if output else []))
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
    result = run("agree", "part.json", "-m", B, "--csv")
    assert result.exit_code == 1
    assert "a mass must be a whole number" in result.stderr.splitlines()[0]
    assert result.stdout.startswith("item,pi(B),pi(B) placed\nx,")


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv", "masses.tsv"])
def test_agree_reads_every_format(run: Run, suffix: str) -> None:
    to = ["--to", "masses-tsv"] if suffix == "masses.tsv" else []
    assert run("convert", "readers.json", f"out.{suffix}", *to).exit_code == 0
    (agreement,) = results_of(run("agree", f"out.{suffix}", "-m", B, "--json"))["agreement"]
    assert agreement["value"] == cz.agreement(stargazer()).value


def test_agree_reads_one_file_per_coder(run: Run) -> None:
    names = []
    for coder in stargazer().coders:
        names.append(f"reader{coder}.bits")
        assert run("convert", "readers.json", names[-1], "--coder", coder).exit_code == 0
    (agreement,) = results_of(run("agree", *names, "-m", B, "--json"))["agreement"]
    assert agreement["value"] == pytest.approx(cz.agreement(stargazer()).value)
    assert [row["coder"] for row in agreement["coders"]] == [Path(name).stem for name in names]
    result = run("agree", names[0], names[0])
    assert (result.exit_code, result.stderr) == (
        1,
        "caesura: reader1.bits: item 'stargazer' has coder 'reader1' in another file too\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json"], "nowhere.json: cannot be read: No such file or directory"),
        (["folder"], "folder: no file can be read; the folder is empty"),
        (["empty.csv"], "empty.csv:1: the file is empty"),
        (["ref.bits"], "agreement needs at least two coders; got ref"),
    ],
)
def test_agree_invalid_input_prints_one_line_and_exits_1(run: Run, arguments: list[str], message: str) -> None:
    Path("empty.csv").write_text("")
    result = run("agree", *arguments)
    assert (result.exit_code, result.stderr) == (1, f"caesura: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'CORPUS...'"),
        (["readers.json", "-m", "pk", "-c", "pi"], "pi is not defined over pk; leave it out for the mean over pairs"),
        (["readers.json", "-m", "kp"], "there is no measure 'kp'"),
        (["readers.json", "-c", "u_alpha(atoms=2)"], "u_alpha has no option 'atoms'; did you mean 'atom'?"),
        (["readers.json", "-c", "flies"], "there is no coefficient 'flies'; did you mean 'fleiss'?"),
        (
            ["readers.json", "-c", "s"],
            "s is not defined over boundary_similarity; use pi, kappa, multi_pi, multi_kappa, bias, alpha",
        ),
        (
            ["readers.json", "-m", "flexible_similarity", "-c", "multi_pi"],
            "multi_pi is not defined over flexible_similarity; use kappa, pi, s, s_modified, alpha",
        ),
        (["readers.json", "--compat", "nltk"], "there is no preset 'nltk'; choose from 'mir_eval', 'pyannote'"),
        (
            ["readers.json", "--compat", "fournier2012", "-m", B],
            "boundary_similarity has no preset 'fournier2012'; did you mean 'fournier2013'?",
        ),
        (["readers.json", "--compat", "segsimflex"], "has no preset 'segsimflex'"),
        (["readers.json", "--draws", "100"], "--draws: only for measures whose chance agreement is simulated"),
        (
            ["readers.json", "--chance", "exact", "--tolerance", "0.1"],
            "--chance, --tolerance: only for measures whose chance agreement is simulated",
        ),
        (
            ["readers.json", "-m", "flexible_similarity", "--chance", "exact", "--no-variates"],
            "--no-variates applies to simulation only; remove it, or remove --chance exact",
        ),
        (["readers.json", "--level", "1"], "level must be a number between 0 and 1; got 1.0"),
        (["readers.json", "--replicates", "99"], "replicates must be a whole number of at least 100; got 99"),
        (["readers.json", "--seed", "-1"], "seed must be a whole number of at least 0; got -1"),
        (["readers.json", "--interval", "units"], "'units' is not one of 'items', 'coders', 'none'"),
        (["readers.json", "--draws", "1"], "draws must be a whole number of at least 20; got 1"),
        (["readers.json", "--tolerance", "0"], "tolerance must be a number between 0 and 1; got 0.0"),
    ],
)
def test_agree_invalid_usage_exits_2(run: Run, arguments: list[str], message: str) -> None:
    result = run("agree", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_control_characters_in_names_do_not_reach_the_terminal(run: Run) -> None:
    items = {"po\x1b[31mem": {"a\x07": [2, 3], "b": [1, 4]}, "odd\n": {"a\x07": [2], "b": [3]}}
    Path("odd.json").write_text(json.dumps({"items": items}))
    result = run("agree", "odd.json", "-m", B, "--coders", "--pairs", "--clusters", "--heat")
    assert result.exit_code == 1
    for text in (result.stdout, result.stderr):
        assert not any(character in text for character in "\x1b\x07")
    assert "po�[31mem" in result.stdout
    assert len(result.stderr.splitlines()) == 1
    assert "\x07" not in run("agree", "odd.json", "-m", B, "--coders", "--latex").stdout


def test_convert_drop_labels(labelled: Run) -> None:
    result = labelled("convert", "labelled.json", "out.csv")
    assert (result.exit_code, result.stderr, Path("out.csv").exists()) == (
        1,
        "caesura: out.csv: item 'poem', coder 'ann': this format cannot store segment labels; write .json, or leave them "
        "out (convert --drop-labels)\n",
        False,
    )
    assert labelled("convert", "labelled.json", "out.csv", "--drop-labels").exit_code == 0
    read = cz.read("out.csv")
    assert [read["poem", coder].masses for coder in ("ann", "bo")] == [(2, 2), (3, 1)]
    assert labelled("convert", "labelled.json", "kept.json").exit_code == 0
    assert cz.read("kept.json")["poem", "ann"].labels is not None
    assert labelled("convert", "labelled.json", "bare.json", "--drop-labels").exit_code == 0
    assert cz.read("bare.json")["poem", "ann"].labels is None


def test_convert_drop_labels_of_dialogues(talk: Run) -> None:
    assert talk("convert", "talk.csv", "again.csv", "--drop-labels").exit_code == 0
    assert cz.read("again.csv") == cz.read("talk.csv")


def test_identical_warnings_are_printed_once(run: Run) -> None:
    """Both coders of one row use an undeclared type."""
    Path("typed.csv").write_text("unit,ann,bo\n1,x,x\n2,,\n")
    result = run("agree", "typed.csv", "--types", "a,b")
    assert (result.exit_code, result.stderr.splitlines()) == (
        1,
        [
            "caesura: typed.csv:2: column 'ann': type 'x' is not declared; the declared types are 'a', 'b'; correct the cell, "
            "declare boundary types with types, or leave the column out with fields"
        ],
    )


def test_bias_has_no_outliers(run: Run) -> None:
    assert "the others agree best" not in run("agree", "readers.json", "-c", "bias").stdout


# -- one coder, and asymmetric similarity -----------------------------------------------------------------------------


def test_score_with_one_coder_says_what_is_missing(run: Run) -> None:
    Path("one.bits").write_text("0101\n")
    result = run("score", "one.bits")
    assert result.exit_code == 1
    assert "expected two coders to compare; there is only 'one'; add a second file" in result.stderr
    assert result.stdout == ""


def test_agree_refuses_an_asymmetric_matrix_and_offers_the_mean(talk: Run) -> None:
    types = '[",", ".", "?"]'
    for name, forth, back in (("skew", 0.5, 0.1), ("mean", 0.3, 0.3)):
        matrix = [[1, forth, 0, 0], [back, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        Path(f"{name}.toml").write_text(f"[similarity]\ntypes = {types}\nmatrix = {matrix}\n")
    arguments = ["agree", "talk.csv", "-m", "flexible_similarity", "--draws", "100", "--json"]
    refused = talk(*arguments, "--settings", "skew.toml")
    assert refused.exit_code == 1
    assert "the similarity of ',' to '.' is 0.5, and of '.' to ',' 0.1; correct the matrix, or use" in refused.stderr
    mean = talk(*arguments, "--settings", "skew.toml", "--symmetric-mean")
    expected = talk(*arguments, "--settings", "mean.toml")
    assert mean.exit_code == expected.exit_code == 0, mean.stderr
    assert results_of(mean)["agreement"][0]["value"] == pytest.approx(results_of(expected)["agreement"][0]["value"])
