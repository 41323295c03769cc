"""``caesura gold``, and ``caesura judge --gold``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from support.commands import run_command
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]

# position  1 2 3 4 5 6 7 8
# ann       . | . . | . . .
# bo        . | . . . | . .
# cy        . . . . | . . |
# di        . . . . . | . .
FOUR = {"ann": [2, 3, 4], "bo": [2, 4, 3], "cy": [5, 3, 1], "di": [6, 3]}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("four.json").write_text(json.dumps({"items": {"poem": FOUR}}))
    return run_command


def rows(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_answer_and_main_table(run: Run) -> None:
    result = run("gold four.json")
    assert result.exit_code == 0
    first = " ".join(result.stdout.split("\n\n")[0].split())
    assert first == (
        "The gold standard of 4 coders on 1 item has 2 boundaries; all of them were placed by at least two coders. It is one "
        "of several equally good solutions."
    )
    (row,) = rows(run("gold four.json --csv"))
    assert row == {"item": "poem", "units": "9", "kept": "2", "dropped": "2", "optima": "4", "cost": "4.0"} | {
        "B": row["B"]
    }


def test_kept_and_dropped_boundaries_with_their_coders(run: Run) -> None:
    assert rows(run("gold four.json --table kept --csv")) == [
        {"item": "poem", "position": "2", "coders": "ann, bo", "near misses": ""},
        {"item": "poem", "position": "5", "coders": "ann, cy", "near misses": "bo at 6, di at 6"},
    ]
    assert rows(run("gold four.json --table dropped --csv")) == [
        {"item": "poem", "position": "6", "coders": "bo, di", "counts for": "5 (bo, di)"},
        {"item": "poem", "position": "8", "coders": "cy", "counts for": ""},
    ]
    printed = run("gold four.json --kept --dropped").stdout
    assert "Boundaries of the gold standard" in printed
    assert "Dropped boundaries" in printed


def test_json(run: Run) -> None:
    results = results_of(run("gold four.json --json --method threshold --threshold 2"))
    assert results["method"] == "threshold"
    assert [boundary["position"] for boundary in results["kept"]] == [2, 5, 6]
    assert results["items"][0]["optima"] == results["optima"] == 1


@pytest.mark.parametrize("name", ["gold.json", "gold.csv", "gold.tsv", "gold.bits"])
def test_gold_is_written_and_read_again(run: Run, name: str) -> None:
    result = run("gold four.json -o", name)
    assert result.exit_code == 0
    assert f"{name}: 1 item, coder 'gold'" in result.stderr
    (annotation,) = cz.read(name).values()
    assert isinstance(annotation, cz.Segmentation)
    assert annotation.positions.tolist() == [2, 5]


def test_gold_can_be_scored_like_any_coder(run: Run) -> None:
    run("gold four.json -o gold.json")
    Path("mine.json").write_text(json.dumps({"items": {"poem": {"mine": [2, 3, 4]}}}))
    assert run("score gold.json mine.json").exit_code == 0


def test_text_is_written(run: Run) -> None:
    Path("t.csv").write_text("unit,text,a,b\n1,good,0,0\n2,night,1,1\n3,moon,0,0\n")
    assert run("gold t.csv -o gold.csv").exit_code == 0
    (annotation,) = cz.read("gold.csv").values()
    assert annotation == cz.Segmentation.from_positions(3, [2], units=["good", "night", "moon"])


def test_hierarchies(run: Run) -> None:
    a, b = cz.Hierarchy(4, [(1, 4), (1, 2)]), cz.Hierarchy(4, [(1, 4), (2, 3)])
    cz.write(cz.Corpus({"t": {"a": a, "b": b}}), "spans.json")
    result = run("gold spans.json --method all -o gold.json")
    assert "has 1 span; it was placed by at least two coders." in " ".join(result.stdout.split())
    assert cz.read("gold.json")["t", "gold"] == cz.Hierarchy(4, [(1, 4)])


def test_dialogue_and_types(run: Run) -> None:
    def talk(last: str) -> cz.Dialogue:
        marks = {"A": [",", "", last], "B": ["", "."]}
        scale = [",", ".", "?"]
        return cz.Dialogue({name: cz.Segmentation.from_marks(types, types=scale) for name, types in marks.items()})

    cz.write(cz.Corpus({"t": {"a": talk("."), "b": talk("?")}}), "talk.csv")
    refused = run("gold talk.csv")
    assert refused.exit_code == 1
    assert "stream 'A': position 3 would get the types '.' and '?'" in refused.stderr
    assert "--ignore-types" in refused.stderr
    majority = rows(run("gold talk.csv --method majority --table kept --csv"))
    assert [(row["stream"], row["position"], row["type"]) for row in majority] == [("A", "1", ","), ("B", "2", ".")]
    assert run("gold talk.csv --ignore-types").exit_code == 0
    assert run("gold talk.csv --method majority -o gold.csv").exit_code == 0
    assert set(cz.read("gold.csv", types=[",", ".", "?"])["t", "gold"]) == {"A", "B"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"t": {"a": [2, 2]}}, "a gold standard needs at least two coders; got 'a'"),
        ({"x": {"a": [2, 2]}, "y": {"b": [2, 2]}}, "no item was annotated by two coders: item 'x': coded by a only"),
    ],
)
def test_coders_that_share_nothing(run: Run, content: object, message: str) -> None:
    Path("t.json").write_text(json.dumps({"items": content}))
    result = run("gold t.json")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(f"caesura: {message}")


def test_bad_options(run: Run) -> None:
    for arguments, code, message in (
        (("--method", "mayority"), 2, "did you mean 'majority'?"),
        (("--method", "threshold"), 1, "method 'threshold' needs a threshold"),
        (("--method", "threshold", "--threshold", "9"), 1, "threshold must be at most 4, the number of coders; got 9"),
        (("-o", "gold.ptb"), 1, "cannot store a Segmentation"),
        (("-o", "gold"), 1, "the suffix must name the format"),
        (("--level", "full"), 1, "level is an option for hierarchies"),
        (("--table", "spans"), 2, "there is no table 'spans'; the tables are items, kept, dropped"),
        (("--n-t", "x"), 2, "'x'"),
    ):
        result = run("gold four.json", *arguments)
        assert result.exit_code == code, arguments
        assert message in " ".join(result.stderr.split()), arguments
        assert not Path("gold").exists()


def test_unusable_items_are_listed_and_the_rest_is_used(run: Run) -> None:
    Path("t.json").write_text(json.dumps({"items": {"good": FOUR, "lone": {"ann": [4]}}}))
    result = run("gold t.json --json")
    assert result.exit_code == 1
    assert excluded_of(result) == ["item 'lone': coded by ann only"]
    assert [item["item"] for item in results_of(result)["items"]] == ["good"]


def test_judge_shows_crisp_beside_fuzzy(run: Run) -> None:
    Path("mine.json").write_text(json.dumps({"items": {"poem": {"mine": [2, 3, 4]}}}))
    arguments = ("judge", "four.json", "--system", "mine.json", "-m", "B", "--gold", "threshold=2")
    (row,) = rows(run(*arguments, "--crisp", "--table", "crisp", "--csv"))
    assert (row["system"], row["precision"], float(row["recall"])) == ("mine", "1.0", pytest.approx(2 / 3))
    result = run(*arguments)
    assert "Against the threshold gold standard, mine has F .80" in " ".join(result.stdout.split())
    assert results_of(run(*arguments, "--json"))["crisp"]["rows"][0]["system"] == "mine"
    assert run(*arguments[:-1], "mayority").exit_code == 2
    assert run(*arguments[:-1], "threshold").exit_code == 2
    assert "crisp" not in results_of(run(*arguments[:-2], "--json"))
