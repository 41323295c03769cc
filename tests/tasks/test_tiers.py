"""Tasks and measures that need units convert tiers in seconds, with the same result as converting at reading."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Tier
from caesura.errors import CaesuraWarning, TierError
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


def both(arguments: list[str]) -> list[object]:
    """Return the results of a command without and with conversion at reading."""
    results = []
    for more in ([], ["--reading", "units=union"]):
        result = invoke([*arguments, *more, "--json"])
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("the units are the union of the coders' times") == 1
        results.append(json.loads(result.stdout)["results"])
    return results


def test_agree(folder: Path) -> None:
    first, second = both(["agree", str(folder / "by_coder"), "-m", "B", "-m", "S", "--cochran", "--heat"])
    assert first == second


def test_score_of_two_files(folder: Path) -> None:
    files = [str(folder / "by_coder" / coder / "x.TextGrid") for coder in ("ann", "cy")]
    first, second = both(["score", *files, "-m", "B", "-m", "pk"])
    assert first == second


def test_score_of_two_folders(folder: Path) -> None:
    folders = [str(folder / "by_coder" / coder) for coder in ("ann", "cy")]
    first, second = both(["score", *folders, "-m", "B", "-m", "pk"])
    assert first == second


def test_judge_a_folder_and_a_file(folder: Path) -> None:
    first, second = both(["judge", str(folder / "by_coder"), "--system", "cy", "--no-bounds", "-m", "B"])
    assert first == second


@pytest.mark.parametrize("kind", ["pairwise", "boundary_heat"])
def test_plot(folder: Path, kind: str) -> None:
    figures = []
    for name, more in (("a.svg", []), ("b.svg", ["--reading", "units=union"])):
        target = folder / name
        result = invoke(["plot", kind, str(folder / "by_coder"), "-o", str(target), *more])
        assert result.exit_code == 0, result.stderr
        figures.append(target.read_bytes())
    assert figures[0] == figures[1]


def test_report_and_convert(folder: Path) -> None:
    result = invoke(["report", str(folder / "by_coder"), "-m", "B", "-o", str(folder / "page.html")])
    assert result.exit_code == 0, result.stderr
    assert "the units are the union" in (folder / "page.html").read_text()
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
    results = []
    for more in ({}, {"units": "union"}):
        with pytest.warns(CaesuraWarning, match="the units are the union"):
            results.append(
                cz.evaluate(folder / "by_coder", "boundary_similarity", reference="ann", hypothesis="bo", **more)
            )
    assert results[0].to_dict() == results[1].to_dict()
    corpus = cz.read(folder / "by_coder")
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        whole = cz.evaluate(corpus, "boundary_similarity", reference="ann", hypothesis="bo")
    assert 0 < whole["boundary_similarity"].value < 1


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
    assert agree(corpus, AgreeOptions(measures=("B", "S"))).agreement == agree(units).agreement
    measures = ScoreOptions(measures=("B", "S", "window_diff", "pk"))
    scoring = score_corpora(corpus.select(coders=["ann"]), corpus.select(coders=["bo"]), measures)
    expected, _ = cz.over_units(corpus.select(coders=["ann", "bo"]))
    assert scoring.totals == score_corpora(expected).totals


@pytest.mark.filterwarnings("ignore:the units are the union", "ignore:the order of the types")
def test_items_that_cannot_be_converted_are_excluded() -> None:
    at_the_beginning = Tier(points=[(0.0, "A")], end=6)
    corpus = Corpus(
        {"x": {"ann": tier((1.0,)), "bo": tier((2.0,))}, "y": {"ann": at_the_beginning, "bo": tier((2.0,))}}
    )
    (converted,), excluded = with_units([corpus])
    assert converted.item_names == ("x",)
    assert ["item 'y'" in entry.reason for entry in excluded] == [True]
    assert excluded[0] in agree(corpus, AgreeOptions(measures=("B",))).excluded
    with pytest.raises(TierError, match="item 'y'"):
        with_units([corpus.select(items=["y"])])
