"""All tasks decide alike what is compared in seconds: .lab files, TextGrids, and both together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura as cz
from caesura.model.corpus import one_level_as_tiers
from support.commands import invoke

# ref |----A----10----B----20----A----30|
# hyp |----A----10.3---B----21---A----30|
REF = "0 10 A\n10 20 B\n20 30 A\n"
HYP = "0 10.3 A\n10.3 21 B\n21 30 A\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, rows in {"ref": REF, "hyp": HYP}.items():
        Path(f"{name}.lab").write_text(rows)
        assert invoke(["convert", f"{name}.lab", f"{name}.TextGrid"]).exit_code == 0


PAIRS = [("ref.lab", "hyp.lab"), ("ref.TextGrid", "hyp.TextGrid"), ("ref.lab", "hyp.TextGrid")]


@pytest.mark.parametrize("pair", PAIRS, ids=["lab", "textgrid", "both"])
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["score"], "label share = .96 over 1 item. Also F1@0.5s = .50"),
        (["score", "-m", "F1@3"], "F1@3s = 1.00"),
        (["score", "-m", "pk"], "Pk = .10"),
        (["agree"], "kappa over label share = .90"),
        (["agree", "-m", "pk"], "the mean Pk over 2 pairs is .10"),
        (["pairwise"], "label share"),
        (["disagreements"], "disagree at 3 places in 1 item; the costliest is item 1 at 20.00 s"),
        (["gold"], "has 3 boundaries"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_the_same_answer_for_every_format(pair: tuple[str, str], command: list[str], words: str) -> None:
    result = invoke([command[0], *pair, *command[1:]])
    assert result.exit_code == 0, result.stderr
    assert words in " ".join(result.stdout.split())
    assert "union" not in result.stderr


def test_pk_in_continuous_time() -> None:
    """Windows (s, s + 5], s from 0 to 25: they differ while one side's boundary alone is in them, 0.3 + 0.3 + 1 + 1 s."""
    result = invoke("score ref.lab hyp.lab -m pk --json")
    row = json.loads(result.stdout)["results"]["scores"][0]
    assert row["params"]["window"] == 5
    assert row["value"] == pytest.approx((0.3 + 0.3 + 1 + 1) / 25)


@pytest.mark.filterwarnings("ignore:2 files name no item")
def test_python_lists_the_same_disagreements_and_adjudicates_in_seconds() -> None:
    corpus = cz.read("*.lab")
    result = cz.disagreements(corpus)
    assert result.measure == cz.parse("B(n_t=0.5s)")
    assert [place.times for place in result.places] == [(20.0,), (21.0,), (10.0, 10.3)]
    with cz.adjudicate(corpus, in_memory=True) as work:
        for place in work.places:
            work.decide(place, "coder", coder="hyp")
        tier = work.gold().corpus["1", "gold"]
    assert [tuple(row) for row in tier.intervals] == [(0, 10.3, "A"), (10.3, 21, "B"), (21, 30, "A")]


def test_evaluate_without_a_measure(tmp_path: Path) -> None:
    Path("all").mkdir()
    Path("all/x_reference.lab").write_text(REF)
    Path("all/x_hypothesis.lab").write_text(HYP)
    result = cz.evaluate(tmp_path / "all", pattern="{item}_{coder}.lab")
    assert [*result] == ["label_share", "boundary_f", "boundary_similarity", "purity_coverage"]
    assert result["boundary_f"].value == 0.5


def test_segments_without_labels_are_compared() -> None:
    Path("a.lab").write_text("0 10\n10 20\n20 30\n")
    Path("b.lab").write_text("0 11\n11 20\n20 30\n")
    for command in ("score", "agree", "disagreements", "gold"):
        result = invoke([command, "a.lab", "b.lab"])
        assert result.exit_code == 0, result.stderr
        assert "label share" not in result.stdout
    assert "F1@0.5s = .50" in invoke("score a.lab b.lab").stdout


def test_gold_of_distant_boundaries_is_no_compromise() -> None:
    Path("a.lab").write_text("0 20 x\n20 300 x\n")
    Path("b.lab").write_text("0 200 x\n200 300 x\n")
    kept = json.loads(invoke("gold a.lab b.lab --json").stdout)["results"]["kept"]
    assert [row["time"] for row in kept] == [20, 200]
    near = invoke("gold a.lab b.lab --n-t 200s --details")
    assert "b at 200.00 s" in near.stdout
    assert "write 3s" in invoke("gold a.lab b.lab --n-t 3").stderr


def test_gold_does_not_depend_on_labels_and_takes_those_of_most_coders() -> None:
    # 10.0, 10.2 and 10.3 are one boundary, whose best place is 10.2; two of three coders call what follows B
    for name, edge, label in (("a", 10.0, "B"), ("b", 10.2, "C"), ("c", 10.3, "B")):
        Path(f"{name}.lab").write_text(f"0 {edge} A\n{edge} 30 {label}\n")
    result = invoke("gold a.lab b.lab c.lab -o gold.TextGrid")
    assert result.exit_code == 0, result.stderr
    (tier,) = cz.read("gold.TextGrid").values()
    assert isinstance(tier, cz.Tier)
    assert [tuple(row) for row in tier.intervals] == [(0, 10.2, "A"), (10.2, 30, "B")]


def test_gold_by_a_method_for_hierarchies() -> None:
    result = invoke("gold ref.lab hyp.lab --method union")
    assert "5 spans" in result.stdout


def test_two_kinds_of_data_are_one_error() -> None:
    Path("film.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nGood night\n")
    result = invoke("score ref.lab film.srt --quiet")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "the reference has hierarchies in seconds and the hypothesis has segmentations over units" in line


def test_spans_are_scored_as_spans() -> None:
    Path("spans.csv").write_text(
        "item,coder,start,end,label\nt,ann,0.0,2.5,x\nt,ann,2.0,6.0,y\nt,bo,0.1,2.5,x\nt,bo,2.0,6.0,y\n"
    )
    result = invoke("score spans.csv --reference ann --hypothesis bo")
    assert result.exit_code == 0, result.stderr
    assert "span F = .50" in result.stdout
    assert "equal only if both ends are at the same time" in result.stderr


def test_numbered_labels_are_no_types() -> None:
    for name, ends in {"ann": (1, 2, 3, 4), "bo": (1, 3, 4)}.items():
        rows = [(start, end, f"u{i}") for i, (start, end) in enumerate(zip((0, *ends), ends, strict=False), 1)]
        cz.write(cz.Corpus({name: {name: cz.Tier(rows)}}), f"{name}.TextGrid")
    (reading,) = json.loads(invoke("agree ann.TextGrid bo.TextGrid --json").stdout)["reading"]
    assert "labels number the segments, so boundaries have no types (--labels types keeps them)" in reading["notes"]
    result = invoke("agree ann.TextGrid bo.TextGrid")
    assert "mean F1@0.5s over 1 pair is .80" in " ".join(result.stdout.split())
    typed = invoke("agree ann.TextGrid bo.TextGrid --labels types")
    assert "label share" in typed.stdout


def test_a_coefficient_over_positions_names_what_to_use() -> None:
    result = invoke("agree ref.lab hyp.lab -c alpha")
    assert result.exit_code == 1
    assert (
        "alpha counts positions between units, and annotations in seconds, hierarchies and spans have none; use a measure"
        in result.stderr
    )


def test_several_levels_stay_a_hierarchy() -> None:
    deep = cz.Hierarchy.from_times([(0, 30), (0, 10), (10, 30)])
    corpus = cz.Corpus({"song": {"ann": deep}})
    assert one_level_as_tiers(corpus) is corpus


@pytest.mark.parametrize("suffix", ["lab", "TextGrid"])
def test_plan_needs_units(suffix: str) -> None:
    result = invoke(["plan", f"ref.{suffix}", f"hyp.{suffix}"])
    assert result.exit_code == 1
    assert "these annotations are in seconds, without units" in result.stderr
    assert "--reading units=0.5" in result.stderr


def test_a_level_of_hierarchies_in_seconds() -> None:
    spans = [(0, 30, 1, "A"), (0, 10, 2, "a"), (10, 30, 2, "b")]
    for name, edge in {"ann": 10, "bo": 10.4}.items():
        rows = [(start, edge if end == 10 else end, level, label) for start, end, level, label in spans[:2]]
        rows.append((edge, 30, 2, "b"))
        cz.write(cz.Corpus({"song": {name: cz.Hierarchy.from_times(rows)}}), f"{name}.json")
    files = ["score", "ann.json", "bo.json"]
    assert "F1@0.5s(level=2) = 1.00" in invoke([*files, "-m", "F1@0.5s(level=2)"]).stdout
    none = invoke([*files, "-m", "F1@0.5s"])
    assert "the hierarchy has the levels 1, 2; choose one with level=1" in none.stderr
    units = invoke([*files, "-m", "F1@0.5s", "--hierarchy-level", "2"])
    assert units.stderr.endswith("choose the level in the measure: -m 'F1@0.5s(level=2)'\n")


def test_a_reason_that_all_items_share_is_said_once() -> None:
    Path("a.bits").write_text("0100\n0010\n")
    Path("b.bits").write_text("0100\n0100\n")
    result = invoke("score a.bits b.bits -m F1@0.5s")
    assert (result.exit_code, result.stderr.count("is in seconds, but the texts have units")) == (1, 1)
    assert "none of 2 items can be scored" in result.stderr


def test_an_item_whose_name_is_a_number_is_called_item() -> None:
    Path("items.csv").write_text(
        "doc,sentence,ann,bo\n" + "".join(f"{d},{i},{i % 2},{int(i == d)}\n" for d in (1, 2) for i in (1, 2, 3))
    )
    assert "Most disagreement: item " in " ".join(invoke("agree items.csv").stdout.split())


def test_latex_explains_what_its_rows_have() -> None:
    Path("judged.csv").write_text(
        "doc,sentence,ann,bo,mine\n" + "".join(f"{d},{i},{i % 2},{i % 2},0\n" for d in "abc" for i in (1, 2, 3))
    )
    printed = invoke("judge judged.csv --system mine --latex").stdout
    assert "% below the rule: bounds" in printed
    assert "in brackets" not in printed
    assert "in brackets: bounds" in invoke("judge judged.csv --system mine").stdout
