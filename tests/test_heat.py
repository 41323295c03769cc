"""The heat map: counted by hand, and drawn."""

from __future__ import annotations

import json

import pytest

import caesura as cz
from caesura.errors import OptionError
from caesura.report.heat import draw_heat

#   ann  ··|··|·      bo  ··|···|     cy  ·|·|···
ITEM = {"ann": [2, 2, 1], "bo": [2, 3], "cy": [1, 1, 3]}


def texts(by: dict[str, list[int]]) -> dict[str, cz.Segmentation]:
    return {coder: cz.Segmentation.from_masses(masses) for coder, masses in by.items()}


def test_counts_by_hand() -> None:
    heat = cz.heat_map(cz.Corpus({"x": texts(ITEM)}))
    assert heat["x"].counts.tolist() == [1, 3, 0, 1]
    assert heat["x"].coders == 3
    assert list(heat) == ["x"]
    assert json.loads(json.dumps(heat.as_dict())) == {
        "items": {"x": {"coders": 3, "units": 5, "positions": [1, 2, 4], "counts": [1, 3, 1]}},
        "dropped": {},
    }


def test_drawing() -> None:
    heat = cz.heat_map(cz.Corpus({"x": texts(ITEM), "blank": texts({"ann": [4], "bo": [4]})}))
    assert draw_heat(heat).splitlines() == [
        "x: 3 coders, 5 units; a full bar is all of them",
        "      1 ▁█ ▁",
        "blank: 2 coders, 4 units; a full bar is all of them",
        "        nobody placed a boundary",
    ]


def test_long_texts_are_wrapped_and_only_all_coders_fill_a_bar() -> None:
    many = {f"c{i}": cz.Segmentation.from_positions(100, [1, 50] if i else [50]) for i in range(9)}
    lines = draw_heat(cz.heat_map(cz.Corpus({"x": many})), width=28).splitlines()
    assert lines[1:] == ["      1 ▇", "     41          █"]


def test_streams_of_a_dialogue_have_a_row_each() -> None:
    talk = {coder: {"F": one, "M": one} for coder, one in texts({"ann": [2, 1], "bo": [1, 2]}).items()}
    assert list(cz.heat_map(cz.Corpus({"talk": talk}))) == ["talk / F", "talk / M"]


def test_what_cannot_be_drawn_is_named() -> None:
    tree = cz.Hierarchy(5, [(1, 5)])
    corpus = cz.Corpus(
        {"x": texts(ITEM), "odd": texts({"ann": [2, 1], "bo": [2, 2]}), "tree": {"ann": tree, "bo": tree}}
    )
    assert cz.heat_map(corpus).dropped == {
        "odd": "3 tokens for ann and 4 for bo",
        "tree": "a hierarchy has no single row of boundaries",
    }
    with pytest.raises(OptionError, match="no item has a heat map: item 'odd': 3 tokens for ann and 4 for bo"):
        cz.heat_map(corpus.select(items=["odd"]))
