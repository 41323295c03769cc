"""What ``caesura info`` tells about large tables, and the commands that it suggests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura as cz
from caesura.formats import reading
from support.commands import invoke


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Lower the limits, so that small files count as large."""
    monkeypatch.setattr(reading, "MAX_SAMPLE_ROWS", 25)
    monkeypatch.setattr(reading, "MIN_SAMPLED_ROWS", 50)
    monkeypatch.setattr(reading, "MAX_SAMPLE_BYTES", 500)
    monkeypatch.setattr(reading, "MIN_SAMPLED_BYTES", 1500)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(text: str = "unit {i}") -> list[tuple[str, str, int, int]]:
    return [(f"d{i // 10}", text.format(i=i), int(i % 4 == 0), int(i % 5 == 0)) for i in range(200)]


def write_csv(path: Path, text: str = "unit {i}") -> None:
    lines = [f'{item},"{unit}",{a},{b}' for item, unit, a, b in rows(text)]
    path.write_text("\n".join(["item,text,ann,bo", *lines]) + "\n")


def described(*arguments: str) -> dict:
    result = invoke(["info", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_large_parquet_table_is_described_by_its_first_rows(small_samples: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = dict(zip(("item", "text", "ann", "bo"), map(list, zip(*rows(), strict=True)), strict=True))
    pq.write_table(pa.table(columns), "large.parquet")
    document = described("large.parquet")
    assert document["results"]["rows"] == [25, 200]
    assert document["results"]["contents"]["items"] == ["d0", "d1"]  # d2 may be incomplete
    assert "the counts are of the first 25 of 200 rows" in document["reading"][0]["notes"]
    assert "estimates from the first 25 of 200 rows" in invoke("info large.parquet").stdout
    document = described("large.parquet", "--exact")
    assert document["results"]["rows"] is None
    assert len(document["results"]["contents"]["items"]) == 20
    pq.write_table(pa.table(columns).slice(0, 40), "small.parquet")
    assert described("small.parquet")["results"]["rows"] is None
    Path("damaged.parquet").write_bytes(Path("large.parquet").read_bytes()[:-20])
    assert invoke("info damaged.parquet").exit_code == 1


@pytest.mark.parametrize("text", ["unit {i}", "two\nlines {i}"])
def test_a_large_csv_table_is_cut_between_rows(text: str, small_samples: Path) -> None:
    write_csv(small_samples / "large.csv", text)
    document = described("large.csv")
    assert document["results"]["rows"] is not None
    items = document["results"]["contents"]["items"]
    whole = cz.read("large.csv")
    assert items == list(whole.item_names[: len(items)])
    assert document["results"]["contents"]["coders"][0]["units"] == 10 * len(items)


def test_an_error_in_the_first_rows_is_reported_for_the_whole_file(small_samples: Path) -> None:
    write_csv(small_samples / "bad.csv")
    content = Path("bad.csv").read_text().splitlines()
    Path("bad.csv").write_text("\n".join([*content[:5], "d0,too,many,cells,here", *content[5:]]) + "\n")
    result = invoke("info bad.csv")
    assert result.exit_code == 1
    assert "bad.csv:6:" in result.stderr


GOLD_AND_REPORT = ["gold x.csv", "report x.csv"]


@pytest.mark.parametrize(
    ("coders", "expected"),
    [
        (["ann"], ["score x.csv HYPOTHESIS", "agree x.csv SECOND_CODER"]),
        (["ann", "bo"], ["agree x.csv", "score x.csv", *GOLD_AND_REPORT]),
        (["ann", "b o", "cy"], ["agree x.csv", "score x.csv --reference ann --hypothesis 'b o'", *GOLD_AND_REPORT]),
    ],
)
def test_suggested_commands(coders: list[str], expected: list[str], small_samples: Path) -> None:
    lines = [",".join(["a", *(str(int(i == k + 1)) for k in range(len(coders)))]) for i in range(5)]
    Path("x.csv").write_text("\n".join([",".join(["text", *coders]), *lines]) + "\n")
    expected = [f"caesura {line}" for line in expected]
    assert described("x.csv")["results"]["next_commands"] == expected
    assert invoke("info x.csv").stdout.endswith("\n".join(["Next:", *(f"  {line}" for line in expected)]) + "\n")


def test_suggested_commands_keep_the_options_of_reading(small_samples: Path) -> None:
    for coder in ("ann", "bo"):
        Path(f"x_{coder}.csv").write_text("Speaker,Utterance\nF,good night .\nF,moon .\n")
    document = described(".", "--pattern", "{item}_{coder}.csv", "--format", "segsimflex")
    expected = "caesura agree . --format segsimflex --pattern '{item}_{coder}.csv'"
    assert document["results"]["next_commands"][0] == expected
