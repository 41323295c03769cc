"""``caesura measures`` and ``caesura formats``: the lists, one entry, and examples that work."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import caesura as cz
from caesura.cli.program import main
from caesura.formats import formats
from caesura.views.listing import format_facts, measure_facts

DATA = Path(__file__).parents[2] / "examples" / "data"
MEASURES = cz.measures()


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def run(line: str) -> Result:
    return CliRunner().invoke(main, shlex.split(line))


def test_list_of_measures_has_one_line_per_measure():
    lines = run("measures").stdout.splitlines()
    assert lines[0] == f"{len(MEASURES)} measures; `caesura measures NAME` shows one with its options and an example."
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if any(f" {name} " in line for name in MEASURES)]
    assert len(rows) == len(MEASURES)
    assert all(measure.summary for measure in MEASURES.values())
    for name, measure in MEASURES.items():
        assert any(measure().short_name in row and name in row and measure.summary in row for row in rows)


def test_list_of_formats_names_all_and_fits():
    lines = run("formats").stdout.splitlines()
    assert lines[0].startswith(f"{len(formats())} formats; `caesura formats NAME` shows one")
    assert max(map(len, lines)) <= 80
    assert {line.split()[0] for line in lines if line.strip()} >= set(formats())


@pytest.mark.parametrize("name", MEASURES)
def test_one_measure_under_each_of_its_names(name: str):
    result = run(f"measures {name}")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    facts = measure_facts(MEASURES[name])
    assert facts["example"] in text
    for option in MEASURES[name].options:
        assert option.name in text
        assert set(option.description.split()) <= set(text.split())
    for preset in MEASURES[name].presets:
        assert preset in text
    for alias in (facts["label"], *facts["aliases"], name.upper(), name.replace("_", "-")):
        assert run(shlex.join(["measures", alias])).stdout == result.stdout


@pytest.mark.parametrize("name", MEASURES)
def test_example_of_every_measure_works(name: str):
    result = run(measure_facts(MEASURES[name])["example"].removeprefix("caesura "))
    assert result.exit_code == 0, result.output
    assert MEASURES[name]().label in result.stdout


@pytest.mark.parametrize(
    "name", [name for name, entry in formats().items() if " convert " in format_facts(entry)["example"]]
)
def test_example_of_every_format_that_can_be_written(name: str):
    result = run(format_facts(formats()[name])["example"].removeprefix("caesura "))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", formats())
def test_one_format(name: str):
    result = run(f"formats {name.upper()}")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert formats()[name].description in text
    for option in formats()[name].options:
        assert option.name in text


def test_aliases_and_coefficients_on_request():
    aliases = run("measures --table aliases --csv").stdout
    for alias in ("B", "S", "Pk", "WD", "WinPR", "F1", "F1@2", "SF", "SFB"):
        assert f"\n{alias}," in aliases
    for line in aliases.splitlines()[1:]:
        alias, _, measure = line.partition(",")
        assert cz.parse(alias) == cz.parse(measure.strip('"'))
    assert 'kappa,"kappa, multi_kappa",davies_fleiss' in run("measures --table coefficients --csv").stdout


def test_options_of_all_measures_on_request():
    table = run("measures --table options --csv").stdout
    assert "pk,window or k,None," in table
    assert set(json.loads(run("measures wd --json").stdout)["results"]) == {"window_diff"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("measures f", "'f' has several meanings; choose 'boundary_f' or "),
        ("measures windowdif", "there is no measure 'windowdif'; did you mean 'window_diff'?"),
        ("formats textgird", "no format 'textgird'; did you mean 'textgrid'?"),
        ("formats .csv", "'.csv' is a suffix of several formats; choose "),
    ],
)
def test_unknown_names(line: str, message: str):
    result = run(line)
    assert result.exit_code == 1
    assert message in result.stderr


def test_coefficients_for_spans_are_described_with_their_presets():
    result = run("measures gamma")
    assert result.exit_code == 0
    for word in ("alpha", "delta_empty", "precision", "pygamma", "gamma-software", "Refuses"):
        assert word in result.stdout
    facts = json.loads(run("measures gamma_cat --json").stdout)["results"]["gamma_cat"]
    assert facts["presets"]["gamma-software"]["alpha"] == 3
    assert "gamma_k" in run("measures --table unitizing --csv").stdout
