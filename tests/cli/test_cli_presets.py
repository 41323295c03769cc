"""``caesura score`` with presets, several reference coders and means over items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from support.commands import invoke

MASSES = {"ann": [2, 3, 6], "ben": [5, 6], "cat": [2, 9]}
SYSTEM = [2, 2, 7]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against {2, 5}, {5} and {2}, the system {2, 4} has P 1/2, 0, 1/2 and R 1/2, 0, 1."""
    monkeypatch.chdir(tmp_path)
    people = {coder: cz.Segmentation.from_masses(masses) for coder, masses in MASSES.items()}
    cz.write(cz.Corpus({"text": people}), "people.json")
    cz.write(cz.Corpus({"text": {"mine": cz.Segmentation.from_masses(SYSTEM)}}), "mine.json")


def score(*arguments: str) -> Result:
    return invoke(["score", "people.json", "mine.json", *arguments])


def rows(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [row for row in json.loads(result.stdout)["results"]["scores"] if row["item"] is None]


@pytest.mark.usefixtures("files")
def test_all_reference_coders():
    each = rows(score("-m", "F1", "--reference-coder", "all", "--json"))
    expected = pytest.approx({"ann": 1 / 2, "ben": 0, "cat": 2 / 3, None: 7 / 18})
    assert {row.get("coder"): row["value"] for row in each} == expected
    for word, value in (("best", 2 / 3), ("union", 1 / 2)):
        (row,) = rows(score("-m", "F1", "--reference-coder", "all", "--references", word, "--json"))
        assert row["value"] == pytest.approx(value)
    table = score("-m", "F1", "--reference-coder", "all").output
    assert all(name in table for name in ("reference", "ann", "ben", "cat", "mean"))


@pytest.mark.usefixtures("files")
def test_plain_number_beside_a_preset():
    (row,) = rows(score("-m", "Pk", "--compat", "nltk", "--reference", "ann", "--json"))
    plain = cz.pk(*(cz.Segmentation.from_masses(masses) for masses in (MASSES["ann"], SYSTEM)))
    assert row["plain"] == plain.value
    assert "plain" in score("-m", "Pk", "--compat", "nltk", "--reference", "ann").output
    assert "plain" not in score("-m", "Pk", "--compat", "nltk", "--reference", "ann", "--only").output
    assert "plain" not in score("-m", "Pk", "--reference", "ann").output


@pytest.mark.usefixtures("files")
def test_mean_over_items():
    (row,) = rows(score("-m", "F1", "--average", "items", "--reference", "ann", "--json"))
    assert (row["value"], row["params"]["average"]) == (1 / 2, "items")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "Pk", "--average", "items_pr", "--reference", "ann"], "average='items_pr' needs precision and recall"),
        (["-m", "Pk", "--references", "best", "--reference", "ann"], "--references needs several reference coders"),
        (["-m", "Pk", "--compat", "tcpd", "--reference", "ann"], "none of these measures has this preset"),
        (["-m", "Pk(compat=tcpd)", "--reference", "ann"], "pk has no preset 'tcpd'; choose from 'fournier2012'"),
        (["-m", "F1@", "--reference", "ann"], "there is no tolerance after '@'"),
        (["-m", "F1@0.5s", "--reference", "ann"], "tolerance='0.5s' is in seconds, but the texts have units"),
        (["-m", "F1"], "the reference has several coders; choose one with --reference"),
    ],
)
def test_messages(arguments, message):
    result = score(*arguments)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_evaluate_adds_the_plain_measure(tmp_path: Path):
    """{2, 5} and {2, 6} share a boundary, {4} and {4} another; the preset also counts two ends of texts."""
    documents = [(["2", "5"], ["2", "6"]), (["4"], ["4"])]
    lines = [
        f'{{"item": "{i}", "length": 11, "reference": [{", ".join(a)}], "hypothesis": [{", ".join(b)}]}}\n'
        for i, (a, b) in enumerate(documents)
    ]
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(lines))
    for arguments, expected in (((), [4 / 5, 2 / 3]), (("--only",), [4 / 5])):
        result = invoke(["evaluate", str(path), "-m", "F1(compat=wtpsplit)", *arguments, "--json"])
        scores = json.loads(result.stdout)["results"]["scores"]
        assert [score["value"] for score in scores.values()] == pytest.approx(expected)


def test_all_measures_of_chunkseg_score_recordings_without_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first recording has marks in chunks 2 and 4, and 2 and 6; of the second, chunks 1 and 7, and 3 and 7."""
    monkeypatch.chdir(tmp_path)
    documents = [([7.0, 20.5], [8.0, 31.0], 60.0), ([5.0, 40.0], [12.0, 41.0], 50.0)]
    lines = [json.dumps(dict(zip(("reference", "hypothesis", "duration"), entry, strict=True))) for entry in documents]
    Path("batch.jsonl").write_text("\n".join(lines))
    result = invoke(
        [
            "score",
            "batch.jsonl",
            "-m",
            "Pk",
            "-m",
            "WD",
            "-m",
            "B",
            "-m",
            "GHD",
            "-m",
            "F1",
            "--compat",
            "chunkseg",
            "--json",
        ]
    )
    assert result.exit_code == 0, result.output
    totals = [entry for entry in json.loads(result.stdout)["results"]["scores"] if entry["item"] is None]
    values = {entry["measure"].partition("(")[0]: (entry["value"], entry["plain"]) for entry in totals}
    assert values["boundary_similarity"] == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert values["boundary_f"] == (0.5, 0.5)
    assert values["generalized_hamming"][0] == 2
