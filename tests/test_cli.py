"""The command line, as a person types it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import caesura as cz
from caesura.cli import main
from caesura.data import stargazer

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    # ref ··|····|·····   ···|···
    # hyp ··|···|······   ···|···
    Path("ref.bits").write_text("0100010000\n00100\n")
    Path("hyp.bits").write_text("0100100000\n00100\n")
    cz.write(stargazer(), "readers.json")

    def call(*words: str) -> Result:
        result = CliRunner().invoke(main, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return call


def test_score_table(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits")
    assert result.exit_code == 0
    # 3 matches or near misses of which one costs 1/2: 1 - .5 / 3; 2 of 13 windows differ
    assert "boundary_similarity(n_t=2)" in result.output
    assert "0.8333" in result.output
    assert "0.1538" in result.output
    assert "window_diff|documents:2|window:2|" in result.output


def test_score_json_has_everything(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "crisp(tolerance=1)", "-m", "pk", "--json", "--edits")
    data = json.loads(result.output)
    total = [s for s in data["scores"] if s["item"] is None]
    assert [s["measure"] for s in total] == ["crisp(tolerance=1)", "pk"]
    assert total[0]["value"] == 1.0
    assert total[0]["parts"] == {"matches": 3, "reference": 3, "hypothesis": 3}
    assert total[0]["figures"] == {"precision": 1.0, "recall": 1.0, "f": 1.0}
    assert total[1]["params"]["window"] == 2
    assert total[1]["signature"].startswith("pk|documents:2|window:2|padded:no|")
    first = next(s for s in data["scores"] if s["item"] == "1" and s["measure"].startswith("crisp"))
    assert [e["kind"] for e in first["edits"]] == ["match", "transposition"]
    assert data["errors"] == []


def test_score_csv_keeps_all_digits(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "boundary_similarity", "--items", "--csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert [(row["item"], float(row["value"])) for row in rows] == [("1", 0.75), ("2", 1.0), ("all", 1 - 0.5 / 3)]


def test_score_latex(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "window_diff", "--latex")
    assert result.output.splitlines()[:5] == [
        r"\begin{tabular}{lrr}", r"\toprule", r"measure & value & items \\", r"\midrule", r"window\_diff & 0.1538 & 2 \\",
    ]  # fmt: skip


def test_score_edits_are_drawn(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "boundary_similarity", "--edits")
    assert "REF  ··|··· ·|·····\nHYP  ··|···|· ·····\n       =   < >\n" in result.output
    assert "transposition" in result.output


def test_edits_of_a_measure_without(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "pk", "--edits")
    assert "None of these measures aligns boundaries; boundary_similarity does." in result.stderr


def test_two_coders_of_one_file(run: Run) -> None:
    result = run("score", "readers.json", "--reference-coder", "1", "--hypothesis-coder", "3", "--json")
    value = json.loads(result.output)["scores"][0]["value"]
    corpus = stargazer()
    assert value == cz.boundary_similarity(corpus["stargazer", "1"], corpus["stargazer", "3"]).value


def test_coder_must_be_named(run: Run) -> None:
    result = run("score", "readers.json", "readers.json")
    assert result.exit_code == 1
    assert result.stderr == "caesura: the reference has several coders; name one of 1, 2, 3, 4, 5, 6, 7\n"
    result = run("score", "readers.json", "--reference-coder", "9", "--hypothesis-coder", "1")
    assert result.stderr == "caesura: no coder '9'; there are '1', '2', '3', '4', '5', '6', '7'\n"


def test_bad_items_are_listed_and_good_ones_scored(run: Run) -> None:
    Path("short.bits").write_text("0100100000\n0010\n")
    result = run("score", "ref.bits", "short.bits", "-m", "boundary_similarity", "--json")
    assert result.exit_code == 1
    assert result.stderr == (
        "caesura: item '2': boundary_similarity(n_t=2): both sides must have the same units; a has 6, b has 5\n"
    )
    data = json.loads(result.stdout)
    assert [(s["item"], s["value"]) for s in data["scores"]] == [("1", 0.75), (None, 0.75)]
    assert len(data["errors"]) == 1


def test_unreadable_items_are_listed_and_good_ones_scored(run: Run) -> None:
    Path("odd.bits").write_text("0100100000\n00x00\n")
    result = run("score", "ref.bits", "odd.bits", "-m", "boundary_similarity", "--csv")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "caesura: odd.bits:2: a bit must be 0 or 1; got 'x' at mark 3",
        "caesura: item '2' is not in the hypothesis",
    ]
    assert "0.75,1" in result.stdout


def test_window_too_wide_for_one_item(run: Run) -> None:
    result = run("score", "ref.bits", "hyp.bits", "-m", "pk(window=7)", "--csv")
    assert result.exit_code == 1
    assert result.stderr == ("caesura: item '2': pk(window=7): window must lie in 1..5 for a text of 6 units; got 7\n")
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["score", "nowhere.bits", "hyp.bits"], 1, "caesura: nowhere.bits: cannot be read: No such file or directory\n"),
        (["score", ".", "hyp.bits"], 1, "caesura: .: a file is needed; this is a directory\n"),
        (["score", "empty.bits", "hyp.bits"], 1, "caesura: empty.bits:1: the file is empty\n"),
        (["score", "cut.json", "hyp.bits"], 1,
         "caesura: cut.json:1: not valid JSON: Expecting ',' delimiter at column 27\n"),
        (["score", "binary.json", "hyp.bits"], 1,
         "caesura: binary.json:1: text in UTF-8 is needed; got byte 0xff, is this a binary file?\n"),
        (["score", "ragged.tsv", "hyp.bits"], 1, "caesura: ragged.tsv:2: a row must have 2 cells like the header; got 3\n"),
        (["convert", "readers.json", "out.xls"], 1,
         "caesura: out.xls: the suffix must say the format, one of .json, .tsv, .csv, .bits, .txt; got .xls\n"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_1(run: Run, words: list[str], code: int, message: str) -> None:
    Path("empty.bits").write_text("")
    Path("cut.json").write_text('{"items": {"a": {"x": [1,2')
    Path("binary.json").write_bytes(b"\xff\xfe\0\0")
    Path("ragged.tsv").write_text("unit\tann\n1\t1\t1\n")
    result = run(*words)
    assert (result.exit_code, result.stderr) == (code, message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", "ref.bits", "hyp.bits", "-m", "bounary_similarity"],
         "there is no measure 'bounary_similarity'; did you mean 'boundary_similarity'?"),
        (["score", "ref.bits", "hyp.bits", "-m", "pk(window=0)"], "window must be a whole number of at least 1; got 0"),
        (["score", "ref.bits", "hyp.bits", "--types", "[1]"], "not a JSON list of names: [1]"),
        (["score"], "Missing argument 'REFERENCE'"),
    ],
)  # fmt: skip
def test_bad_usage_is_exit_2(run: Run, words: list[str], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_typed_tables(run: Run) -> None:
    Path("a.csv").write_text("unit,a\n1,\n2,act\n3,scene\n4,\n")
    Path("b.csv").write_text("unit,b\n1,\n2,scene\n3,scene\n4,\n")
    result = run("score", "a.csv", "b.csv", "-m", "boundary_similarity", "--types", "scene,act", "--json")
    total = json.loads(result.output)["scores"][-1]
    assert total["value"] == 1 - 0.5 / 2  # one match, one substitution over one of two steps
    assert "types:scene<act" in total["signature"]


@pytest.mark.parametrize("steps", [["a.csv", "b.tsv", "c.json"], ["a.tsv", "b.csv", "c.tsv", "d.json"]])
def test_convert_there_and_back(run: Run, steps: list[str]) -> None:
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
    assert "reader 1  ··|···|···|·|···|······|···" in demo.output
    listed = json.loads(run("measures", "--json").output)
    assert set(listed) == set(cz.measures())
    for name, kind in cz.measures().items():
        assert name in demo.output or kind.view == "spans"  # its readers drew no hierarchies
        assert name in run("measures").output


def test_as_a_module_without_a_terminal() -> None:
    done = subprocess.run([sys.executable, "-m", "caesura.cli", "demo"], capture_output=True, text=True, check=True,
                          env={"PYTHONIOENCODING": "ascii", "PATH": ""})  # fmt: skip
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


# -- dialogues and agreement ------------------------------------------------------------------------------------------

# F  ann ··, ···.   bo ··, ····    M  ann ·?   bo ·.
TALK = """item,stream,unit,ann,bo
talk,F,1,,
talk,F,2,",",","
talk,F,3,,
talk,F,4,,
talk,F,5,.,
talk,M,1,?,.
"""


@pytest.fixture
def talk(run: Run) -> Run:
    Path("talk.csv").write_text(TALK)
    Path("matrix.toml").write_text('normalize = "positions"\n[similarity]\npairs = [["?", ".", 0.75]]\n')
    return run


def test_dialogue_is_scored_by_the_flexible_family(talk: Run) -> None:
    result = talk("score", "talk.csv", "--json", "--edits")
    data = json.loads(result.stdout)
    totals = {s["measure"]: s["value"] for s in data["scores"] if s["item"] is None}
    # one deletion and one substitution: cost 2 over 6 positions and 3 objects
    assert totals == {
        "flexible_similarity(normalize='positions')": pytest.approx(1 - 2 / 6),
        "flexible_similarity(normalize='boundaries')": pytest.approx(1 - 2 / 3),
    }
    assert [(e["stream"], e["kind"]) for e in data["scores"][0]["edits"]] == [
        ("F", "match"), ("F", "deletion"), ("M", "substitution"),
    ]  # fmt: skip


def test_dialogue_is_drawn_stream_by_stream(talk: Run) -> None:
    result = talk("score", "talk.csv", "--edits", "-m", "flexible_similarity")
    assert "F\nREF  ··{,}···{.}\nHYP  ··{,}···\n       =     -\n\nM\nREF  ·{?}\nHYP  ·{.}\n      ~\n" in result.stdout


def test_settings_file(talk: Run) -> None:
    result = talk("score", "talk.csv", "--settings", "matrix.toml", "--json")
    (total,) = (s for s in json.loads(result.stdout)["scores"] if s["item"] is None)
    assert total["value"] == pytest.approx(1 - 1.25 / 6)


def test_operations(talk: Run) -> None:
    result = talk("score", "talk.csv", "--operations", "--json")
    (rows,) = json.loads(result.stdout)["operations"].values()
    assert {row["type"]: (row["boundaries"], row["match"], row["alone"]) for row in rows} == {
        ",": (2, 1.0, 0.0), ".": (2, 0.0, 0.5), "?": (1, 0.0, 0.0),
    }  # fmt: skip


def test_linear_measures_refuse_a_dialogue(talk: Run) -> None:
    result = talk("score", "talk.csv", "-m", "pk")
    assert (result.exit_code, result.stderr) == (
        1,
        "caesura: item 'talk': pk: reference: a dialogue, whose streams only flexible_similarity scores; got 2 stream(s)\n",
    )


def test_agree(talk: Run) -> None:
    result = talk("agree", "talk.csv", "-c", "kappa", "-c", "pi", "--seed", "1", "--draws", "200", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)["agreement"]
    assert [(one["coefficient"], one["draws"], one["seed"]) for one in found] == [
        ("kappa", 200, 1), ("pi", 200, 1), ("kappa", 200, 1), ("pi", 200, 1),
    ]  # fmt: skip
    expected = cz.agreement(cz.read("talk.csv"), measure="flexible_similarity", seed=1, draws=200)
    assert (found[0]["value"], found[0]["signature"]) == (expected.value, expected.signature)
    shown = talk("agree", "talk.csv", "--seed", "1", "--draws", "200").stdout
    assert f"{expected.value:.6f}" in shown
    assert expected.signature in shown


def test_agree_exactly(talk: Run) -> None:
    result = talk("agree", "talk.csv", "--chance", "exact", "-m", "flexible_similarity", "--json")
    (found,) = json.loads(result.stdout)["agreement"]
    assert (found["method"], found["draws"], found["standard_error"]) == ("exact", 0, 0)


def test_agree_with_a_file_for_each_coder(talk: Run) -> None:
    for who, column in (("ann", 3), ("bo", 4)):
        rows = list(csv.reader(io.StringIO(TALK)))
        with open(f"talk_{who}.csv", "w", newline="") as file:
            csv.writer(file).writerows([*row[1:3], row[column]] for row in rows)
    one = json.loads(talk("agree", "talk.csv", "--chance", "exact", "-m", "flexible_similarity", "--json").stdout)
    two = json.loads(
        talk("agree", "talk_ann.csv", "talk_bo.csv", "--chance", "exact", "-m", "flexible_similarity", "--json").stdout
    )
    assert one["agreement"][0]["value"] == two["agreement"][0]["value"]


def test_agree_where_it_is_undefined(talk: Run) -> None:
    Path("empty.csv").write_text("unit,ann,bo\n1,,\n2,,\n")
    result = talk("agree", "empty.csv", "-m", "flexible_similarity")
    assert result.exit_code == 0
    assert "undefined" in result.stdout
    assert "nobody placed a boundary" in result.stdout


def test_agree_needs_two_coders(talk: Run) -> None:
    result = talk("agree", "ref.bits")
    assert (result.exit_code, result.stderr) == (1, "caesura: agreement needs at least two coders; got ref\n")


def test_warnings_are_one_line(talk: Run) -> None:
    Path("trap.toml").write_text('[similarity]\npairs = [["?", "none", 1]]\n')
    result = talk("score", "talk.csv", "--settings", "trap.toml", "--csv")
    assert result.exit_code == 0
    assert result.stderr.startswith("caesura: warning: similarity: '?' is identical to no boundary")
    assert result.stderr.count("\n") == 1
