"""Tiers without units: measures over positions are refused, and analyses that need units convert the tiers."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Tier
from caesura.errors import CaesuraWarning, OptionError, TierError
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.tasks.units import on_common_units, with_units
from support.commands import invoke

EDGES = {"ann": (1.0, 2.5, 4.0), "bo": (1.02, 3.0, 4.0), "cy": (0.6, 2.5, 5.5)}


def tier(edges: tuple[float, ...]) -> Tier:
    """Return a tier of 6 s with labels A and B in turn."""
    times = [0.0, *edges, 6.0]
    return Tier([(a, b, "AB"[i % 2]) for i, (a, b) in enumerate(pairwise(times))], end=6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for coder, edges in EDGES.items():
        (tmp_path / "by_coder" / coder).mkdir(parents=True)
        for item, shift in (("x", 0.0), ("y", 0.2)):
            moved = tuple(round(edge + shift, 3) for edge in edges)
            path = tmp_path / "by_coder" / coder / f"{item}.TextGrid"
            cz.write(Corpus({item: {"IU": tier(moved)}}), path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["agree", "by_coder"],
        ["pairwise", "by_coder"],
        ["disagreements", "by_coder"],
        ["judge", "by_coder", "--system", "cy"],
        ["score", "by_coder/ann/x.TextGrid", "by_coder/cy/x.TextGrid"],
        ["evaluate", "by_coder", "--reference", "ann", "--hypothesis", "bo"],
        ["report", "by_coder", "-o", "page.html"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_b_over_positions_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(folder)
    result = invoke([*arguments, "-m", "B"])
    assert result.exit_code == 1
    problem = "B counts positions between units, and these annotations are in seconds, without units"
    assert result.stderr.splitlines()[-1].startswith(f"caesura: {problem}; use B(n_t=1s) in seconds, F1@0.5s")
    assert "--reading units=0.1" in result.stderr
    assert invoke([*arguments, "-m", "B", "--reading", "units=union"]).exit_code == 0
    assert invoke([*arguments, "-m", "B(n_t=1s)"]).exit_code == 0


@pytest.mark.parametrize("command", ["agree", "score", "evaluate"])
def test_s_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(folder)
    sides = {
        "agree": ["by_coder"],
        "score": ["by_coder/ann", "by_coder/cy"],
        "evaluate": ["by_coder", "--reference", "ann", "--hypothesis", "cy"],
    }
    result = invoke([command, *sides[command], "-m", "S"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "S counts positions between units" in result.stderr
    assert "use F1@0.5s, B(n_t=1s), Pk, WD" in result.stderr


@pytest.mark.parametrize("name", ["pk", "window_diff", "F1@1"])
def test_measures_with_a_time_axis_need_no_unit_in_their_options(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(folder)
    ann, cy = (tier(EDGES[coder]) for coder in ("ann", "cy"))
    expected = {"pk": cz.pk, "window_diff": cz.window_diff, "F1@1": lambda a, b: cz.boundary_f(a, b, tolerance="1s")}
    result = invoke(["score", "by_coder/ann/x.TextGrid", "by_coder/cy/x.TextGrid", "-m", name, "--json"])
    assert result.exit_code == 0, result.stderr
    row = json.loads(result.stdout)["results"]["scores"][0]
    assert row["value"] == pytest.approx(expected[name](ann, cy).value, abs=1e-12)
    assert row["params"]["axis"] == "time"


def test_analyses_that_count_positions_convert_tiers(folder: Path) -> None:
    results = []
    for more in ([], ["--reading", "units=union"]):
        result = invoke(["agree", str(folder / "by_coder"), "--cochran", "--heat", *more, "--json"])
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("the units are the union of the coders' times") == 1
        results.append(json.loads(result.stdout)["results"]["analyses"])
    assert results[0] == results[1]


@pytest.mark.parametrize("kind", ["pairwise", "boundary_heat"])
def test_plot(folder: Path, kind: str) -> None:
    figures = []
    for name, more in (("a.svg", []), ("b.svg", ["--reading", "units=union"])):
        target = folder / name
        result = invoke(["plot", kind, str(folder / "by_coder"), "-o", str(target), *more])
        assert result.exit_code == 0, result.stderr
        figures.append(target.read_bytes())
    assert figures[0] == figures[1]


def test_convert(folder: Path) -> None:
    tables = []
    for name, more in (("a.csv", []), ("b.csv", ["--reading", "units=union"])):
        result = invoke(["convert", str(folder / "by_coder"), str(folder / name), *more])
        assert result.exit_code == 0, result.stderr
        tables.append((folder / name).read_text())
    assert tables[0] == tables[1]


@pytest.mark.filterwarnings("ignore:the units are the union", "ignore:the order of the types")
def test_evaluate_files_that_name_item_and_coder(folder: Path) -> None:
    (folder / "files").mkdir()
    for coder in EDGES:
        for item in ("x", "y"):
            name = folder / "by_coder" / coder / f"{item}.TextGrid"
            (folder / "files" / f"{item}1_{coder}.TextGrid").write_bytes(name.read_bytes())
    sides = {"reference": "ann", "hypothesis": "bo"}
    by_file, by_folder = (cz.evaluate(folder / name, "pk", **sides) for name in ("files", "by_coder"))
    assert by_file["pk"] == by_folder["pk"]


def test_evaluate(folder: Path) -> None:
    sides = {"reference": "ann", "hypothesis": "bo"}
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        result = cz.evaluate(folder / "by_coder", "boundary_similarity", units="union", **sides)
    assert 0 < result["boundary_similarity"].value < 1
    for source in (folder / "by_coder", cz.read(folder / "by_coder")):
        with pytest.raises(OptionError, match="counts positions between units"):
            cz.evaluate(source, "boundary_similarity", **sides)


def test_evaluate_without_a_measure_compares_seconds(folder: Path) -> None:
    result = cz.evaluate(folder / "by_coder", reference="ann", hypothesis="bo")
    assert [*result] == ["label_share", "boundary_f", "boundary_similarity", "purity_coverage"]
    # x: 1.0 2.5 4.0 against 1.02 3.0 4.0, y the same 0.2 s later: three of three within half a second
    assert result["F1@0.5s"].value == 1


@pytest.mark.filterwarnings("ignore:the units are the union")
def test_options_of_reading_reach_the_task(folder: Path) -> None:
    for options, at_reading in (
        ({"labels": "ignore"}, {"units": "union", "labels": "ignore"}),
        ({"tolerance": 0.7}, {"units": "union", "tolerance": 0.7}),
        ({"types": ["B", "A"]}, {"units": "union", "types": ["B", "A"]}),
    ):
        kept = cz.read(folder / "by_coder", **options)
        assert kept.kind == "timed"
        converted = on_common_units(kept.select(items=["x"])).corpus
        assert converted == cz.read(folder / "by_coder", **at_reading).select(items=["x"])


@pytest.mark.filterwarnings("ignore:the units are the union", "ignore:the order of the types")
def test_corpora_that_were_not_read_from_files() -> None:
    corpus = Corpus({"x": {coder: tier(edges) for coder, edges in EDGES.items()}})
    units, _ = cz.over_units(corpus)
    assert agree(units).agreement[0].measure == cz.parse("B")
    with pytest.raises(OptionError, match="counts positions"):
        agree(corpus, AgreeOptions(measures=("B", "S")))
    sides = corpus.select(coders=["ann"]), corpus.select(coders=["bo"])
    total = score_corpora(*sides, ScoreOptions(measures=("pk",))).totals[0]
    assert total.value == cz.pk(tier(EDGES["ann"]), tier(EDGES["bo"])).value


@pytest.mark.filterwarnings("ignore:the units are the union", "ignore:the order of the types", "ignore:an interval")
def test_items_that_cannot_be_converted_are_excluded() -> None:
    at_the_beginning = Tier(points=[(0.0, "A")], end=6)
    corpus = Corpus(
        {"x": {"ann": tier((1.0,)), "bo": tier((2.0,))}, "y": {"ann": at_the_beginning, "bo": tier((2.0,))}}
    )
    (converted,), excluded = with_units([corpus])
    assert converted.item_names == ("x",)
    assert ["item 'y'" in entry.reason for entry in excluded] == [True]
    assert excluded[0] in agree(corpus, AgreeOptions(cochran=True)).excluded
    with pytest.raises(TierError, match="item 'y'"):
        with_units([corpus.select(items=["y"])])
