"""``caesura score`` and ``caesura agree`` on dialogues."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from support.corpora import TALK
from support.envelope import results_of

Run = Callable[..., Result]


def test_flexible_measures_score_dialogues(talk: Run) -> None:
    result = talk("score talk.csv --json --edits")
    data = results_of(result)
    totals = {s["measure"]: s["value"] for s in data["scores"] if s["item"] is None}
    # one deletion and one substitution: cost 2 over 6 positions and 3 objects
    assert totals == {
        "flexible_similarity(normalize='positions')": pytest.approx(1 - 2 / 6),
        "flexible_similarity(normalize='boundaries')": pytest.approx(1 - 2 / 3),
    }
    expected = [("F", "match"), ("F", "deletion"), ("M", "substitution")]
    assert [(e["stream"], e["kind"]) for e in data["scores"][0]["edits"]] == expected


def test_dialogue_edits_are_printed_per_stream(talk: Run) -> None:
    result = talk("score talk.csv --edits -m flexible_similarity")
    assert "F\nREF  ··{,}···{.}\nHYP  ··{,}···\n       =     -\n\nM\nREF  ·{?}\nHYP  ·{.}\n      ~\n" in result.stdout


def test_settings_file(talk: Run) -> None:
    result = talk("score talk.csv --settings matrix.toml --json")
    (total,) = (s for s in results_of(result)["scores"] if s["item"] is None)
    assert total["value"] == pytest.approx(1 - 1.25 / 6)


def test_operations(talk: Run) -> None:
    result = talk("score talk.csv --operations --json")
    (operations,) = results_of(result)["operations"]
    rows = operations["table"]["rows"]
    expected = {",": (2, 1.0, 0.0), ".": (2, 0.0, 0.5), "?": (1, 0.0, 0.0)}
    assert {row["type"]: (row["boundaries"], row["match"], row["unpaired"]) for row in rows} == expected


def test_boundary_measures_score_dialogues(talk: Run) -> None:
    result = talk("score talk.csv -m WD -m F1 -m Pk --json")
    corpus = cz.read("talk.csv")
    ((ann, bo),) = [tuple(corpus.of_item(item).values()) for item in corpus.item_names]
    rows = [row for row in results_of(result)["scores"] if row["item"] is None]
    expected = {repr(cz.parse(name)): cz.parse(name).score(ann, bo).value for name in ("WD", "F1", "Pk")}
    assert {row["measure"]: row["value"] for row in rows} == expected


def test_measures_that_cannot_score_dialogues(talk: Run) -> None:
    result = talk("score talk.csv -m fuzzy_success")
    assert result.exit_code == 1
    assert result.stderr.startswith("caesura: fuzzy_success cannot score dialogues; use pk, window_diff, ")


def test_agree(talk: Run) -> None:
    result = talk("agree talk.csv -c kappa -c pi --seed 1 --draws 200 --json")
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
    output = talk("agree talk.csv --seed 1 --draws 200 --details").stdout
    assert f"{expected.value:.6f}" in output
    assert "kappa over S_f = " in output


def test_agree_with_exact_chance(talk: Run) -> None:
    result = talk("agree talk.csv --chance exact -m flexible_similarity --json")
    (agreement,) = results_of(result)["agreement"]
    assert (agreement["method"], agreement["draws"], agreement["standard_error"]) == ("exact", 0, 0)


def test_agree_with_one_file_per_coder(talk: Run) -> None:
    for who, column in (("ann", 3), ("bo", 4)):
        rows = list(csv.reader(io.StringIO(TALK)))
        with open(f"talk_{who}.csv", "w", newline="") as file:
            csv.writer(file).writerows([*row[1:3], row[column]] for row in rows)
    from_one_file = results_of(talk("agree talk.csv --chance exact -m flexible_similarity --json"))
    from_two_files = results_of(talk("agree talk_ann.csv talk_bo.csv --chance exact -m flexible_similarity --json"))
    assert from_one_file["agreement"][0]["value"] == from_two_files["agreement"][0]["value"]


def test_agree_reports_undefined_coefficients(talk: Run) -> None:
    Path("empty.csv").write_text("unit,ann,bo\n1,,\n2,,\n")
    result = talk("agree empty.csv -m flexible_similarity")
    assert result.exit_code == 0
    assert "undefined" in result.stdout
    assert "no coder placed a boundary" in result.stdout


def test_agree_needs_two_coders(talk: Run) -> None:
    result = talk("agree ref.bits")
    assert (result.exit_code, result.stderr) == (1, "caesura: agreement needs at least two coders; got ref\n")


def test_each_warning_is_one_line(talk: Run) -> None:
    Path("trap.toml").write_text('[similarity]\npairs = [["?", "none", 1]]\n')
    result = talk("score talk.csv --settings trap.toml --csv")
    assert result.exit_code == 0
    assert result.stderr.startswith("caesura: warning: similarity: '?' is identical to no boundary")
    assert result.stderr.count("\n") == 1


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
