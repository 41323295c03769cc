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
from caesura.formats import formats
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]
B = "boundary_similarity(n_t=2)"


def test_score_table(run: Run) -> None:
    result = run("score ref.bits hyp.bits")
    assert result.exit_code == 0
    # 3 matches or near misses, one of which costs 1/2: 1 - .5 / 3; 2 of 13 windows differ
    lines = result.output.splitlines()
    assert lines[0].startswith("2 boundaries match and 1 is a near miss: B = .83 over 2 items.")
    assert ["B", "0.8333", "2"] in [line.split() for line in lines]
    assert ["WD", "0.1538", "2"] in [line.split() for line in lines]


def test_weights_with_too_many_digits(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m boundary_similarity(wt=1e-320)")
    assert result.exit_code == 1
    problem = "the weights of edits have too many digits in a text with 1 boundaries; round them"
    assert result.stderr.splitlines()[-1] == f"caesura: item '2': boundary_similarity(n_t=2, wt=1e-320): {problem}"


def test_score_json_has_everything(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m crisp(tolerance=1) -m pk --json --edits")
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
    result = run("score ref.bits hyp.bits -m boundary_similarity --items --csv")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert float(row["value"]) == 1 - 0.5 / 3
    assert result.stderr == "caesura: --csv prints one table; for another, add --table items\n"
    result = run(f"score ref.bits hyp.bits -m {B} --table items --csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert [(row["item"], float(row["value"])) for row in rows] == [("1", 0.75), ("2", 1.0)]


def test_score_latex(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m window_diff --latex")
    head = [r"\begin{tabular}{lrr}", r"\toprule", r"measure & value & items \\", r"\midrule"]
    assert result.output.splitlines()[:5] == [*head, r"WD & 0.1538 & 2 \\"]


def test_score_prints_the_edits(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m boundary_similarity --edits")
    assert "REF  ··|··· ·|·····\nHYP  ··|···|· ·····\n       =   < >\n" in result.output
    edits = run("score ref.bits hyp.bits -m boundary_similarity --table edits").output
    assert "transposition" in edits


def test_edits_are_rejected_for_measures_without_edits(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m pk --edits")
    assert result.exit_code == 2
    assert "--edits: none of these measures aligns boundaries; add -m B" in result.stderr


def test_score_two_coders_from_the_same_file(run: Run) -> None:
    result = run("score readers.json --reference 1 --hypothesis 3 --json")
    value = results_of(result)["scores"][0]["value"]
    corpus = stargazer()
    assert value == cz.boundary_similarity(corpus["stargazer", "1"], corpus["stargazer", "3"]).value


def test_ambiguous_coder_must_be_specified(run: Run) -> None:
    result = run("score readers.json readers.json")
    assert result.exit_code == 1
    assert result.stderr == (
        "caesura: the reference has several coders; choose one with --reference: '1', '2', '3', '4', '5', '6', '7'\n"
    )
    result = run("score readers.json --reference 9 --hypothesis 1")
    assert result.stderr == "caesura: the corpus has no coder '9'; it has '1', '2', '3', '4', '5', '6', '7'\n"


def test_invalid_items_are_listed_and_the_rest_are_scored(run: Run) -> None:
    Path("short.bits").write_text("0100100000\n0010\n")
    result = run("score ref.bits short.bits -m boundary_similarity --json")
    assert result.exit_code == 1
    expected = "caesura: item '2': boundary_similarity(n_t=2): both sides must have the same units; a has 6, b has 5\n"
    assert result.stderr == expected
    data = results_of(result)
    assert [(s["item"], s["value"]) for s in data["scores"]] == [("1", 0.75), (None, 0.75)]
    assert len(excluded_of(result)) == 1


def test_unreadable_items_are_listed_and_the_rest_are_scored(run: Run) -> None:
    Path("odd.bits").write_text("0100100000\n00x00\n")
    result = run("score ref.bits odd.bits -m boundary_similarity --csv")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "caesura: odd.bits:2: a bit must be 0 or 1; got 'x' at mark 3",
        "caesura: item '2': not in the hypothesis",
    ]
    assert "0.75,1" in result.stdout
    result = run("score odd.bits ref.bits -m boundary_similarity --csv")  # the other way round
    assert result.stderr.splitlines()[-1] == "caesura: item '2': not in the reference"


def test_item_shorter_than_the_window_is_listed(run: Run) -> None:
    result = run("score ref.bits hyp.bits -m pk(window=7) --csv")
    assert result.exit_code == 1
    assert result.stderr == ("caesura: item '2': pk(window=7): window must lie in 1..5 for a text of 6 units; got 7\n")
    assert len(result.stdout.splitlines()) == 2


WRITTEN = [entry for entry in formats().values() if entry.write and cz.Segmentation in entry.annotation_types]
SUFFIXES = ", ".join(dict.fromkeys(suffix for entry in WRITTEN for suffix in entry.suffixes))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("score nowhere.bits hyp.bits", 1, "caesura: nowhere.bits: cannot be read: No such file or directory\n"),
        ("score folder hyp.bits", 1, "caesura: folder: no file can be read; the folder is empty\n"),
        ("score empty.bits hyp.bits", 1, "caesura: empty.bits:1: the file is empty\n"),
        ("score cut.json hyp.bits", 1, "caesura: cut.json:1: not valid JSON: Expecting ',' delimiter at column 27\n"),
        (
            "score binary.json hyp.bits",
            1,
            "caesura: binary.json:1: expected text in UTF-8; got byte 0xff; is this a binary file, or text in another encoding (--encoding)?\n",
        ),
        (
            "score ragged.tsv hyp.bits",
            1,
            "caesura: ragged.tsv:2: a row must have 2 cells like the header; got 3; if the header is further down, say so with --reading skip=LINES\n",
        ),
        (
            "convert readers.json out.bit",
            1,
            "caesura: out.bit: the suffix must name the format: one of " + SUFFIXES + "; got .bit\n",
        ),
    ],
)
def test_invalid_input_prints_one_line_and_exits_1(run: Run, arguments: str, code: int, message: str) -> None:
    Path("empty.bits").write_text("")
    Path("cut.json").write_text('{"items": {"a": {"x": [1,2')
    Path("binary.json").write_bytes(b"\xff\xfd\0\0")
    Path("ragged.tsv").write_text("unit\tann\n1\t1\t1\n")
    result = run(arguments)
    assert (result.exit_code, result.stderr) == (code, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "score ref.bits hyp.bits -m bounary_similarity",
            "there is no measure 'bounary_similarity'; did you mean 'boundary_similarity'?",
        ),
        ("score ref.bits hyp.bits -m pk(window=0)", "window must be a whole number of at least 1; got 0"),
        ("score ref.bits hyp.bits --types [1]", "expected a JSON list of names; got [1]"),
        ("score", "Missing argument 'REFERENCE'"),
    ],
)
def test_invalid_usage_exits_2(run: Run, arguments: str, message: str) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_typed_tables(run: Run) -> None:
    Path("a.csv").write_text("unit,a\n1,\n2,act\n3,scene\n4,\n")
    Path("b.csv").write_text("unit,b\n1,\n2,scene\n3,scene\n4,\n")
    result = run("score a.csv b.csv -m boundary_similarity --types scene,act --json")
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
    result = run("convert readers.json five.bits --coder 5")
    assert result.exit_code == 0
    assert result.stderr == "coder '5' is called 'five' in five.bits\n"
    assert Path("five.bits").read_text() == "stargazer\t00101000100100001000\n"
    result = run("convert readers.json all.bits")
    assert (result.exit_code, Path("all.bits").exists()) == (1, False)


def test_demo_and_measures(run: Run) -> None:
    demo = run("demo")
    assert demo.exit_code == 0
    assert "reader 1  ··|· ··|·· ·|·|· · ·|· ··· · ·|·· ·\n" in demo.output
    listed = results_of(run("measures --json"))
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
        for row in results_of(run("score gold.ptb predicted.ptb --json"))["scores"]
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
        [sys.executable, "-m", "caesura", "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "\x1b" not in process.stdout
    assert process.stderr == ""


def test_control_characters_in_names_do_not_reach_the_terminal(run: Run) -> None:
    items = {"po\x1b[31mem": {"a\x07": [2, 3], "b": [1, 4]}, "odd\n": {"a\x07": [2], "b": [3]}}
    Path("odd.json").write_text(json.dumps({"items": items}))
    result = run(f"agree odd.json -m {B} --coders --pairs --clusters --heat")
    assert result.exit_code == 1
    for text in (result.stdout, result.stderr):
        assert not any(character in text for character in "\x1b\x07")
    assert "po�[31mem" in result.stdout
    assert len(result.stderr.splitlines()) == 1
    assert "\x07" not in run(f"agree odd.json -m {B} --coders --latex").stdout


def test_convert_drop_labels(labelled: Run) -> None:
    result = labelled("convert labelled.json out.csv")
    assert (result.exit_code, result.stderr, Path("out.csv").exists()) == (
        1,
        "caesura: out.csv: item 'poem', coder 'ann': this format cannot store segment labels; write .json, or leave them "
        "out (convert --drop-labels)\n",
        False,
    )
    assert labelled("convert labelled.json out.csv --drop-labels").exit_code == 0
    read = cz.read("out.csv")
    assert [read["poem", coder].masses for coder in ("ann", "bo")] == [(2, 2), (3, 1)]
    assert labelled("convert labelled.json kept.json").exit_code == 0
    assert cz.read("kept.json")["poem", "ann"].labels is not None
    assert labelled("convert labelled.json bare.json --drop-labels").exit_code == 0
    assert cz.read("bare.json")["poem", "ann"].labels is None


def test_convert_drop_labels_of_dialogues(talk: Run) -> None:
    assert talk("convert talk.csv again.csv --drop-labels").exit_code == 0
    assert cz.read("again.csv") == cz.read("talk.csv")


def test_identical_warnings_are_printed_once(run: Run) -> None:
    """Both coders of one row use an undeclared type."""
    Path("typed.csv").write_text("unit,ann,bo\n1,x,x\n2,,\n")
    result = run("agree typed.csv --types a,b")
    assert (result.exit_code, result.stderr.splitlines()) == (
        1,
        [
            "caesura: typed.csv:2: column 'ann': type 'x' is not declared; the declared types are 'a', 'b'; correct the cell, "
            "declare boundary types with types, or leave the column out with fields"
        ],
    )


def test_score_with_one_coder_says_what_is_missing(run: Run) -> None:
    Path("one.bits").write_text("0101\n")
    result = run("score one.bits")
    assert result.exit_code == 1
    assert "expected two coders to compare; there is only 'one'; add a second file" in result.stderr
    assert result.stdout == ""
