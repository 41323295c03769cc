"""Cases of spans that must have an answer: a number, ``Undefined`` with its reason, or an error that names the place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, InputError, MismatchError, Undefined
from support.commands import invoke

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")

GAMMA = ("gamma", "gamma_cat")
ALPHA = ("u_alpha", "bar_u_alpha", "cu_alpha", "ku_alpha", "alpha_u_2004")
Units = Mapping[str, list[tuple[float, float, str]]]

# 0----5----0----5----0
# ann |-a-|  |b|  |--a--|
# bo  |-a--| |b|  |-a-|
PAIR: Units = {"ann": [(0, 4, "a"), (7, 9, "b"), (12, 18, "a")], "bo": [(0, 5, "a"), (7, 9, "b"), (12, 16, "a")]}


def value(units: Units, name: str, *, length: float | None = 100, **options: Any) -> float:
    corpus = cz.Corpus({"text": {coder: cz.Spans(rows, length=length) for coder, rows in units.items()}})
    options = ({"samples": 30} if name.startswith("gamma") else {}) | options
    return cz.agreement(corpus, coefficient=name, interval=None, **options).value


@pytest.mark.parametrize("name", GAMMA + ALPHA)
@pytest.mark.parametrize(
    ("units", "length", "error", "message"),
    [
        ({"ann": PAIR["ann"]}, 100, MismatchError, "needs at least two coders; got 1"),
        ({"ann": [], "bo": []}, 100, Undefined, "nobody marked anything"),
        ({"ann": [], "bo": []}, None, Undefined, "nobody marked anything"),
        (PAIR | {"bo": [(90, 101, "a")]}, 100, InputError, r"101"),
    ],
)
def test_both_families_refuse(
    units: Units, length: int | None, error: type[Exception], message: str, name: str
) -> None:
    with pytest.raises(error, match=message):
        value(units, name, length=length)


@pytest.mark.parametrize("name", ["gamma", "u_alpha", "alpha_u_2004"])
def test_one_span_each(name: str) -> None:
    assert value({"ann": [(2, 6, "a")], "bo": [(3, 6, "a")]}, name) < 1


def test_spans_of_length_zero() -> None:
    """Gamma aligns them at the same position only, counts them and warns; an alpha has no atoms to count."""
    units = {"ann": [*PAIR["ann"], (30, 30, "a")], "bo": [*PAIR["bo"], (31, 31, "a")]}
    with pytest.warns(CaesuraWarning, match="2 spans have length 0"):
        apart = value(units, "gamma")
    assert apart < value({"ann": units["ann"], "bo": [*PAIR["bo"], (30, 30, "a")]}, "gamma")
    with pytest.raises(InputError, match=r"coder 'ann': spans\[3\] \(30-30 'a'\) has no atoms"):
        value(units, "u_alpha")


@pytest.mark.parametrize("name", GAMMA)
def test_gamma_accepts_overlaps_and_copies(name: str) -> None:
    overlapping = PAIR | {"ann": [*PAIR["ann"], (2, 8, "b")]}
    assert value(overlapping, name) <= 1
    with pytest.warns(CaesuraWarning, match="1 span occurs twice"):
        value(PAIR | {"ann": [*PAIR["ann"], PAIR["ann"][0]]}, name)


def test_missing_coder_is_not_a_coder_who_marked_nothing() -> None:
    def corpus(items: Mapping[str, Units]) -> cz.Corpus:
        return cz.Corpus({i: {c: cz.Spans(u, length=100) for c, u in units.items()} for i, units in items.items()})

    full = PAIR | {"cy": PAIR["ann"]}
    missing, empty = corpus({"x": full, "y": PAIR}), corpus({"x": full, "y": PAIR | {"cy": []}})
    for name in ("gamma", "u_alpha"):
        options = {"samples": 30} if name == "gamma" else {}
        values = [cz.agreement(data, coefficient=name, interval=None, **options).value for data in (missing, empty)]
        assert values[0] > values[1]
    alone = cz.agreement(corpus({"x": full, "z": {"cy": PAIR["ann"]}}), coefficient="u_alpha", interval=None)
    assert [(entry.item, "only 'cy'" in entry.reason) for entry in alone.excluded] == [("z", True)]


@pytest.fixture
def ten_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten items of three coders as a table; the last row of item i9 ends before it starts."""
    monkeypatch.chdir(tmp_path)
    rows = ["item,coder,start,end,label"]
    for i in range(10):
        for shift, coder in enumerate(("ann", "bo", "sys")):
            rows += [f"i{i},{coder},{start + shift},{start + 6},{label}" for start, label in ((0, "a"), (10, "b"))]
    rows[-1] = "i9,sys,16,12,b"
    Path("spans.csv").write_text("\n".join(rows) + "\n")


@pytest.mark.usefixtures("ten_items")
@pytest.mark.parametrize(
    "arguments",
    [
        ["agree", "-c", "gamma"],
        ["agree", "-c", "u_alpha"],
        ["score", "--reference", "ann", "--hypothesis", "sys", "-m", "span_f"],
        ["judge", "--system", "sys"],
        ["disagreements"],
        ["pairwise"],
    ],
    ids=" ".join,
)
def test_one_bad_item_of_ten_is_listed_and_nine_are_used(arguments: list[str]) -> None:
    command, *options = arguments
    result = invoke([command, "spans.csv", *options, "--json"])
    assert result.exit_code == 1, result.stderr
    assert "spans.csv:61" in result.stderr
    envelope = json.loads(result.stdout)
    assert any("i9" in json.dumps(entry) for entry in envelope["excluded"])
    assert envelope["results"]
