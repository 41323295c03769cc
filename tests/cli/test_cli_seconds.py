"""``caesura score`` on files in seconds: no units, presets, and messages."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import caesura as cz
from caesura.cli import main
from support.shared_data import DataFolder

MEASURES = ("F1@0.5s", "F1@3s", "deviation", "pairwise_f", "rand_index", "ARI", "nce", "V")
KEYS = (
    {"precision": "Precision@0.5", "recall": "Recall@0.5", "f": "F-measure@0.5"},
    {"precision": "Precision@3.0", "recall": "Recall@3.0", "f": "F-measure@3.0"},
    {"ref_to_est": "Ref-to-est deviation", "est_to_ref": "Est-to-ref deviation"},
    {"precision": "Pairwise Precision", "recall": "Pairwise Recall", "f": "Pairwise F-measure"},
    {"value": "Rand Index"},
    {"value": "Adjusted Rand Index"},
    {"over": "NCE Over", "under": "NCE Under", "value": "NCE F-measure"},
    {"over": "V Precision", "under": "V Recall", "value": "V-measure"},
)


def run(line: str, *words: str) -> Result:
    return CliRunner().invoke(main, [*shlex.split(line), *words], prog_name="caesura")


def totals(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [row for row in json.loads(result.stdout)["results"]["scores"] if row["item"] is None]


@pytest.fixture
def tiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, cz.Tier]:
    # ref |AA|BBB|AAAA|   hyp |AAA|BBB|AAA|
    monkeypatch.chdir(tmp_path)
    sides = {"ref": [(0, 2, "A"), (2, 5, "B"), (5, 9, "A")], "hyp": [(0, 2.4, "A"), (2.4, 5.2, "B"), (5.2, 9, "A")]}
    made = {name: cz.Tier(rows) for name, rows in sides.items()}
    for name, tier in made.items():
        cz.write(cz.Corpus({name: {name: tier}}), f"{name}.TextGrid")
    return made


def test_tiers_are_scored_in_seconds(tiers: dict[str, cz.Tier]) -> None:
    texts = ("purity_coverage", "F1@0.5s", "pk(window=2s)", "v_measure")
    rows = totals(run("score ref.TextGrid hyp.TextGrid --json", *(x for text in texts for x in ("-m", text))))
    for row, text in zip(rows, texts, strict=True):
        score = cz.parse(text).score(tiers["ref"], tiers["hyp"])
        assert row["value"] == score.value
        assert row["params"]["axis"] == "time"


def test_several_measures_in_seconds(tiers: dict[str, cz.Tier]) -> None:
    result = run("score ref.TextGrid hyp.TextGrid -m purity_coverage -m B(n_t=1s) --json")
    rows = totals(result)
    assert [row["measure"] for row in rows] == ["purity_coverage", "boundary_similarity(n_t='1s')"]
    assert rows[0]["value"] == cz.purity_coverage(tiers["ref"], tiers["hyp"]).value


def test_levels_in_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("song.lab").write_text("0 30 A\n30 61 B\n61 90 A\n")
    Path("system.lab").write_text("0 30.4 x\n30.4 60 y\n60 80 x\n")
    result = run("score song.lab system.lab -m covering")
    assert result.exit_code == 1
    message = "got reference 0-90 s, hypothesis 0-80 s; set extent to 'reference', 'intersection' or 'union'"
    assert message in result.stderr
    (row,) = totals(run("score song.lab system.lab -m F1@0.5s --json"))
    assert row["parts"] == {"matches": 1, "reference": 2, "hypothesis": 2}


def test_seconds_on_units_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.bits", "b.bits"):
        Path(name).write_text("0100\n")
    result = run("score a.bits b.bits -m F1@0.5s")
    assert result.exit_code == 1
    assert "tolerance='0.5s' is in seconds, but the texts have units" in result.stderr


@pytest.mark.parametrize("number", ["00", "01", "02", "03", "05", "09"])
def test_fixtures_of_mir_eval(number: str, shared: DataFolder) -> None:
    """All numbers that mir_eval prints for its own fixtures, except mutual information, in one command each."""
    folder = shared / "data/mir_eval"
    expected = json.loads((folder / f"output{number}.json").read_text())
    files = [str(folder / f"{side}{number}.lab") for side in ("ref", "est")]
    arguments = [x for measure in MEASURES for x in ("-m", measure)]
    rows = totals(run("score", *files, "--compat", "mir_eval", *arguments, "--json"))
    for row, keys in zip(rows, KEYS, strict=True):
        figures = row.get("figures", {}) | {"value": row["value"]}
        for name, key in keys.items():
            assert figures[name] == pytest.approx(expected[key], abs=1e-9), key


@pytest.fixture
def lab_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.lab").write_text("0 10 A\n10 20 B\n20 30 A\n")
    Path("est.lab").write_text("0 10.3 A\n10.3 25 B\n25 30 A\n")


def test_one_level_in_seconds_is_compared_in_seconds(lab_files: None) -> None:
    rows = totals(run("score ref.lab est.lab --json"))
    # Labels are equal from 0 to 10, from 10.3 to 20 and from 25 to 30 s; one of two boundaries is within .5 s.
    expected = ["label_share", "boundary_f(tolerance='0.5s')", "boundary_similarity(n_t='0.5s')", "purity_coverage"]
    assert [row["measure"] for row in rows] == expected
    # 10 and 10.3 s are a near miss that costs .3 / .5; 20 and 25 s stand alone.
    assert rows[2]["value"] == pytest.approx(1 - (0.6 + 2) / 3)
    assert rows[0]["value"] == pytest.approx(24.7 / 30)
    assert rows[1]["value"] == 0.5
    result = run("agree ref.lab est.lab --json")
    assert result.exit_code == 0, result.output
    assert "F1@0.5s" in run("agree ref.lab est.lab").stdout


def test_preset_without_a_measure_applies_to_the_defaults_in_seconds(lab_files: None) -> None:
    """mir_eval counts the ends 0 and 30, which match: three of four boundaries are within half a second."""
    (row,) = totals(run("score ref.lab est.lab --compat mir_eval --json"))
    expected = ("boundary_f(tolerance='0.5s', compat='mir_eval')", 0.75, 0.5)
    assert (row["measure"], row["value"], row["plain"]) == expected
    names = [row["measure"] for row in totals(run("score ref.lab est.lab --compat pyannote --json"))]
    assert ["compat='pyannote'" in name for name in names] == [True, True]


def test_preset_of_no_default_in_seconds_is_refused(lab_files: None) -> None:
    result = run("score ref.lab est.lab --compat nltk")
    assert result.exit_code == 2
    assert "it exists for Pk, WD" in result.stderr


def test_disagreements_about_one_level_have_the_times_of_each_coder(lab_files: None) -> None:
    result = json.loads(run("disagreements ref.lab est.lab --json").stdout)["results"]
    assert [place["times"] for place in result["places"]] == [[20.0], [25.0], [10.0, 10.3]]
    within = json.loads(run("disagreements ref.lab est.lab -m F1@0.5s --json").stdout)["results"]
    assert [place["times"] for place in within["places"]] == [[20.0], [25.0]]
    assert run("disagreements ref.lab est.lab -o places.TextGrid").exit_code == 0
    assert 'name = "disagreements"' in Path("places.TextGrid").read_text()


def test_length_and_first_line_of_segments_of_music_are_in_seconds(lab_files: None) -> None:
    result = run("info ref.lab")
    assert "30 seconds" in result.stderr
    assert "0.00-10.00 s A; 10.00-20.00 s B; 20.00-30.00 s A;" in result.stdout
    assert json.loads(run("info ref.lab --json").stdout)["reading"][0]["items"] == {"ref": 30.0}


def test_several_levels_are_compared_as_hierarchies(lab_files: None) -> None:
    options = ["--reading", "deeper=ref.lab"]
    Path("top.lab").write_text("0 30 A\n")
    result = run("score top.lab top.lab", *options, "--json")
    assert "t_measure" in {row["measure"] for row in totals(result)}


def test_details_of_tiers(tmp_path: Path) -> None:
    """Boundaries in seconds are listed, not drawn."""
    for name, time in (("a.lab", "1.5"), ("b.lab", "1.75")):
        (tmp_path / name).write_text(f"0 {time} A\n{time} 4 B\n")
    result = run("score", str(tmp_path / "a.lab"), str(tmp_path / "b.lab"), "--details")
    assert result.exit_code == 0, result.output
    assert "Only texts with units are drawn" in result.stdout
