"""Every table and figure of the papers leads to the verdict that its entry declares."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from caesura.errors import FormatError, OptionError
from caesura.papers.data import Data, corpora
from caesura.papers.entry import NOT_FREE, NOT_RUN, PRESET, REFUTED, REPRODUCED, Entry, Reproduction, Row, verdict_of
from caesura.papers.registry import ENTRIES, find_entries
from caesura.tasks.reproduce import ReproduceOptions, list_displays, reproduce
from caesura.views.reproduce import reproductions_page
from support.commands import invoke
from support.oracles import oracle_bytes, read_oracle
from support.shared_data import DataFolder

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")


SHIPPED = ("conversations", "moonstone")  # an oracle file, and part of segeval
ALWAYS = [name for name, entry in ENTRIES.items() if set(entry.needs) <= set(SHIPPED)]


OF_THE_POEM = ("Kubla Khan", "boundaries placed")  # figures in the list of published numbers


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Return the data that ship with the tests."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "nccu.jsonl").write_bytes(oracle_bytes("nccu.jsonl"))
    return Data(folder)


@cache
def result_of(name: str, data: Data) -> Reproduction:
    """Return the result of an entry, which several tests look at."""
    return ENTRIES[name].run(data)


@pytest.mark.parametrize("name", ALWAYS)
def test_verdict(name: str, data: Data) -> None:
    check_verdict(ENTRIES[name], data)


@pytest.mark.slow
def test_verdicts_on_corpora_that_may_not_ship(shared: DataFolder, subtests: pytest.Subtests) -> None:
    data = Data((shared / "data/linear").parent)  # the folder beside the checkout
    for name, entry in ENTRIES.items():
        if name not in ALWAYS:
            with subtests.test(name):
                check_verdict(entry, data)
    with subtests.test("every published number is in an entry"):
        assert missing_numbers(data, poem=True) == set()


def check_verdict(entry: Entry, data: Data) -> None:
    result = result_of(entry.name, data)
    assert result.verdict == entry.expected, [row for row in result.rows if not row.agrees_under_preset]
    assert (entry.compute is None) == (result.verdict == NOT_FREE)
    assert set(entry.printed) <= {row.label for row in result.rows}


def test_every_departure_has_a_reason() -> None:
    for entry in ENTRIES.values():
        if entry.expected in (PRESET, REFUTED, NOT_FREE):
            assert entry.reason, entry.name
        assert bool(entry.preset) == (entry.expected == PRESET), entry.name
        assert (entry.compute is None) == (entry.expected == NOT_FREE), entry.name


def test_there_are_forty_displays_and_three_verdicts_on_numbers() -> None:
    counts = list_displays().counts
    assert len(ENTRIES) >= 40
    assert min(counts[REPRODUCED], counts[PRESET], counts[REFUTED]) > 0
    assert counts[NOT_RUN] == 0


def published_numbers(value: object) -> list[float]:
    """Return the numbers of a published value: a number, a list or a mapping."""
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, list):
        return [number for entry in value for number in published_numbers(entry)]
    return (
        [number for entry in value.values() for number in published_numbers(entry)] if isinstance(value, dict) else []
    )


def missing_numbers(data: Data, *, poem: bool) -> set[tuple[str, float]]:
    """Return the figures whose published number is in no entry; those of the poem need its corpus."""
    papers = ("fournier2012", "fournier2013", *(("poem",) if poem else ()))
    results = [result_of(name, data) for name, entry in ENTRIES.items() if entry.paper.key in papers]
    printed = {float(row.printed) for result in results for row in result.rows if re.fullmatch(r"[\d.]+", row.printed)}
    return {
        (record["figure"], number)
        for record in read_oracle("fournier_figures.json")
        if record["segeval_2_0_11"] is not None and (poem or not record["figure"].startswith(OF_THE_POEM))
        for number in published_numbers(record["published"])
        # The papers print some repeating decimals with three digits.
        if not any(abs(number - other) < 5e-5 or 1000 * other == int(1000 * number) for other in printed)
    }


def test_every_published_number_with_data_is_in_an_entry(data: Data) -> None:
    """The list of published numbers was made from the papers; ours must have each of them, to all printed digits."""
    assert missing_numbers(data, poem=False) == set()


@pytest.mark.parametrize(
    ("printed", "ours", "agrees"),
    [
        ("0.8461", 11 / 13, True),  # cut
        ("0.8462", 11 / 13, True),  # rounded
        ("0.8463", 11 / 13, False),
        ("0.777", 7 / 9, True),
        ("0.4405", 0.4644, False),
        ("13", 13.0, True),
        ("13", 9.0, False),
        ("yes", "yes", True),
        ("yes", "no", False),
    ],
)
def test_agreement_with_print(printed: str, ours: float | str, agrees: bool) -> None:
    assert Row("x", printed, ours).agrees is agrees


def test_an_exact_number_is_not_rounded() -> None:
    assert Row("S", "0.9", 0.9, exact=True).agrees
    assert not Row("S", "0.9", 0.95, exact=True).agrees


def test_sampling_error_widens_the_margin() -> None:
    assert not Row("WD", "0.2340", 0.2400).agrees
    assert Row("WD", "0.2340", 0.2400, error=0.006).agrees


def test_verdicts() -> None:
    right, preset, wrong = Row("a", "1", 1.0), Row("b", "1", 2.0, 1.0), Row("c", "1", 2.0)
    assert verdict_of([right]) == REPRODUCED
    assert verdict_of([right, preset]) == PRESET
    assert verdict_of([right, preset, wrong]) == REFUTED
    assert verdict_of([Row("it holds", "yes", "no")]) == REFUTED


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(OptionError, match=r"no display 'fournier2013-figure-9x'; did you mean 'fournier2013-figure-9"):
        find_entries(("fournier2013-figure-9x",))
    assert {entry.paper.key for entry in find_entries(("yondem",))} == {"yondem"}


def test_half_of_the_files(tmp_path: Path, data: Data) -> None:
    """Displays whose data are found are computed; the others say what they need."""
    (tmp_path / "nccu.jsonl").write_bytes(oracle_bytes("nccu.jsonl"))
    result = reproduce(("lai2023", "poem"), ReproduceOptions(data=str(tmp_path)))
    verdicts = {display.name: display.verdict for display in result.displays}
    assert verdicts["lai2023-figure-5"] == REPRODUCED
    assert verdicts["poem-table-1"] == NOT_RUN
    missing = next(display.missing for display in result.displays if display.name == "poem-table-1")
    assert "Kubla Khan" in missing[0]


def test_a_damaged_corpus_is_an_error_with_its_place(tmp_path: Path) -> None:
    file = corpora()["moonstone"].file
    (tmp_path / file).write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=rf"{file}.*eight chapters"):
        reproduce(("fournier2013-moonstone",), ReproduceOptions(data=str(tmp_path)))
    with pytest.raises(OptionError, match="is not a folder"):
        reproduce((), ReproduceOptions(data=str(tmp_path / "none")))
    with pytest.raises(OptionError, match="Kubla Khan"):
        Data(tmp_path).path("kubla-khan")


def test_page(data: Data) -> None:
    result = reproduce(("fournier2013-stargazer", "fournier2012-figure-5b", "yondem"))
    page = reproductions_page(result)
    assert "<script" not in page
    assert "http" not in re.sub(r"http-equiv|data:[^\"]+", "", page)
    for display in result.displays:
        assert f'id="{display.name}"' in page
    assert page.count("data:image/svg+xml") == 1
    assert "0.4405" in page
    assert "0.4644" in page


def test_command(tmp_path: Path) -> None:
    listed = invoke(["reproduce"])
    assert listed.exit_code == 0
    assert listed.stdout.startswith(f"{len(ENTRIES)} tables and figures of")
    one = json.loads(invoke(["reproduce", "fournier2013-stargazer", "--json"]).stdout)["results"]["displays"][0]
    assert (one["verdict"], one["rows"][1]["printed"], round(one["rows"][1]["preset"], 4)) == (PRESET, "0.4405", 0.4405)
    figure = tmp_path / "figure.svg"
    assert invoke(["reproduce", "fournier2012-figure-5b", "-o", str(figure)]).exit_code == 0
    assert "w_trp = 0" in figure.read_text(encoding="utf-8")
    assert invoke(["reproduce", "yondem", "-o", str(tmp_path / "record")]).exit_code == 0
    assert (tmp_path / "record" / "index.html").is_file()
    wrong = invoke(["reproduce", "yondem", "-o", str(figure)])
    assert (wrong.exit_code, "there is not one figure" in wrong.stderr) == (2, True)


def test_errata_list_every_display_that_is_not_reproduced() -> None:
    """The page of errata has one row per display with another verdict, with the reason of its entry."""
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    section = text[text.index("## Displays") :]
    rows = dict(re.findall(r"^\| `([\w.-]+)` \| (.+) \|$", section, re.MULTILINE))
    expected = {
        entry.name: f"{entry.expected} | {entry.reason}"
        for entry in ENTRIES.values()
        if entry.expected in (PRESET, REFUTED)
    }
    assert rows == expected
