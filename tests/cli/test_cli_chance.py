"""Chance on the command line: ``score --chance`` and ``agree --chance placement``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import caesura as cz
from caesura.data import stargazer
from support.commands import invoke

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
FILES = [str(EXAMPLES / "reference.bits"), str(EXAMPLES / "hypothesis.bits")]
READERS = str(EXAMPLES / "readers.json")


@pytest.fixture
def article(tmp_path: Path) -> str:
    path = tmp_path / "stargazer.json"
    cz.write(stargazer(), path)
    return str(path)


def test_score_beside_chance() -> None:
    outcome = invoke(["score", *FILES, "--chance", "--csv"])
    assert outcome.exit_code == 0
    rows = list(csv.DictReader(outcome.stdout.splitlines()))
    assert [row["measure"] for row in rows] == ["B", "S", "WD", "Pk"]
    for row in rows:
        value, chance, beyond = (float(row[name]) for name in ("value", "chance", "beyond chance"))
        best = 0 if row["measure"] in ("WD", "Pk") else 1
        assert beyond == pytest.approx((value - chance) / (best - chance))
        assert (float(row["chance error"]) == 0) == (row["measure"] in ("B", "S"))
    message = "Boundaries placed at random would have B = .17"
    assert message in " ".join(invoke(["score", *FILES, "--chance"]).stdout.split())


def test_score_chance_as_json() -> None:
    arguments = ["score", *FILES, "--chance", "--json", "-m", "B", "-m", "Pk"]
    outcomes = [invoke(arguments), invoke(arguments), invoke([*arguments, "--seed", "1"])]
    assert outcomes[0].stdout == outcomes[1].stdout
    results = [json.loads(outcome.stdout)["results"]["scores"] for outcome in outcomes]
    for first, other in zip(results[0], results[2], strict=True):
        expected = "placement, exact" if "boundary" in first["measure"] else "placement, simulated"
        assert first["chance"]["method"] == expected
        assert (first["chance"] == other["chance"]) == (first["chance"]["draws"] == 0)
        expected = {name: value for name, value in other.items() if name != "chance"}
        assert {name: value for name, value in first.items() if name != "chance"} == expected
    plain = json.loads(invoke(["score", *FILES, "--json"]).stdout)["results"]["scores"]
    assert all("chance" not in entry for entry in plain)


def test_chance_of_trees() -> None:
    outcome = invoke(["score", str(EXAMPLES / "gold.ptb"), str(EXAMPLES / "parser.ptb"), "--chance"])
    assert outcome.exit_code == 2
    assert "--chance: none of these measures compares segmentations" in " ".join(outcome.stderr.split())


def test_agreement_beyond_placement(article: str) -> None:
    plain = json.loads(invoke(["agree", article, "--json"]).stdout)["results"]["agreement"][0]
    chosen = json.loads(invoke(["agree", article, "--json", "--chance", "placement"]).stdout)["results"]["agreement"][0]
    assert round(plain["value"], 2) == 0.46
    assert round(plain["placement"]["value"], 2) == 0.30
    assert round(plain["placement"]["expected"], 4) == 0.3281
    assert plain["placement"]["method"] == "placement, exact"
    assert [row["item"] for row in plain["placement"]["items"]] == [row["item"] for row in plain["items"]]
    assert chosen["value"] == plain["placement"]["value"]
    assert "placement" not in chosen
    published = invoke(["agree", article, "--json", "--compat", "fournier2013", "-m", "B"])
    assert "placement" not in json.loads(published.stdout)["results"]["agreement"][0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--compat", "fournier2013"], "which do not use --chance placement"),
        (["--tolerance", "0.1"], "--tolerance: only for measures whose chance agreement is simulated"),
    ],
)
def test_options_that_contradict_placement(options: list[str], message: str) -> None:
    outcome = invoke(["agree", READERS, "--chance", "placement", *options])
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.stderr.split())


def test_draws_of_simulated_placement() -> None:
    arguments = ["agree", READERS, "--chance", "placement", "-m", "unit_error", "--draws", "60", "--json"]
    result = json.loads(invoke(arguments).stdout)["results"]["agreement"][0]
    assert result["method"] == "placement, simulated"
    assert 60 <= result["draws"] < 80  # at least some texts of every length


def test_words_for_chance_are_listed() -> None:
    outcome = invoke("measures --csv --table chance")
    rows = list(csv.DictReader(outcome.stdout.splitlines()))
    assert [row["chance"] for row in rows] == ["published", "placement", "simulate", "exact", "li2024"]
    for row in rows[:-1]:  # the last one is for spans
        assert (
            invoke(["agree", READERS, "--chance", row["chance"], "-m", "flexible_similarity", "--json"]).exit_code == 0
        )
