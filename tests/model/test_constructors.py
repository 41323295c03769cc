"""Public constructors check their arguments: no foreign exception, and nothing invalid is accepted."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraError

TEXT = cz.Segmentation.from_masses([2, 3])
TIER = cz.Tier(points=[(1, "")], end=2)
SEGMENTATION: dict[str, Any] = {"length": 5, "positions": [2, 3], "codes": [0, 1], "types": ("a", "b")}
TREE: dict[str, Any] = {"labels": ["S"], "parent": [-1], "start": [0], "end": [1], "words": ["a"]}
HIERARCHY: dict[str, Any] = {"length": 5, "spans": [(1, 2)]}
MARKS: dict[str, Any] = {"counts": [1, 2], "coders": 2}
SPANS: dict[str, Any] = {"spans": [(0, 1)]}
TIERS: dict[str, Any] = {"intervals": [(0, 1, "a")]}
VALID: dict[type, dict[str, Any]] = {
    cz.Segmentation: SEGMENTATION,
    cz.Tree: TREE,
    cz.Hierarchy: HIERARCHY,
    cz.Marks: MARKS,
    cz.Spans: SPANS,
    cz.Tier: TIERS,
}

INVALID: dict[type, dict[str, list[Any]]] = {
    cz.Segmentation: {
        "length": ["5", -1, 0, 2, 5.0, True, None, nan, 2**31],
        "positions": [5, None, "23", [3, 2], [2, 6], [0, 2], [-2, 2], [nan, 2], [[2, 3]], [2], [1.5, 2], [2**70, 2]],
        "codes": [None, [0], [0, 2], [-1, 0], [0.5, 1], "01", [nan, 0]],
        "types": [None, (), ("a", "a"), "ab", ("a", ""), ("a", None), 5],
        "units": [("a",), 5, (1, 2, 3, 4, 5)],
        "labels": [("a",), 5, (1, 2, 3, 4, 5)],
        "types_declared": ["x", None],
    },
    cz.Tree: {
        "labels": [5, None, [5], ["S", "S"], []],
        "parent": [5, [-1.5], ["x"], [0], [-1, 0], [nan], [[-1]], ["-1"], [2**70]],
        "start": [5, [0.7], [1], [-1], [nan], [True]],
        "end": [5, [0], [2], [nan], [inf]],
        "words": [5, None, [5], []],
        "times": [5, [(1, 0)], [(0, nan)], [(0, 1), (1, 2)], ["ab"]],
    },
    cz.Hierarchy: {
        "length": ["5", -1, 1, nan],
        "spans": [5, None, [5], [(1,)], [(nan, 2)], [(1.5, 2)], ["12"], [(2, 1)], [(1, 9)], [(0, 2)], [(1, 3), (2, 4)]],
        "units": [5, ["a"]],
        "edges": [5, list("abcdef"), [0, 1, 2, 3, 4, nan], [0, 1, 2, 3, 5, 4], [0, 1], [0, 1, 2, 3, 4, inf]],
        "extent": ["x", -4, 0, nan, 2.5],
        "repair": ["x", None],
        "nested": ["x", None],
    },
    cz.Marks: {
        "counts": [5, None, "12", [3], [-1], [nan], [1.5], [[1]], [inf], [2**70]],
        "coders": ["2", 0, -1, nan, 2.0, True, None],
        "units": [5, ["a"], [1, 2, 3]],
    },
    cz.Spans: {
        "spans": [5, None, [5], ["ab"], [(1,)], [(2, 1)], [(nan, 1)], [(0, inf)], [(0, 1, ["x"])], [("0", "1")]],
        "length": ["5", -5, nan, 0.5],
        "bounds": [5, (0,), (5, 0), (0, nan), "ab", (0.5, 2)],
        "seconds": ["x", None],
        "text": [5, ""],
        "units": [5, []],
    },
    cz.Tier: {
        "intervals": [5, None, [5], ["ab"], [(1, 2)], [(2, 1, "a")], [(nan, 1, "a")], [(1, inf, "a")], [(0, 1, 5)]],
        "begin": ["x", nan, 5, 0.5],
        "end": ["2", nan, -1, 0.5],
        "points": [5, [(1,)], [(1, 5)], [(nan, "a")], [(1, "a"), (0, "b")], [(2, "a")]],
        "words": [5, [(1, 1, "a")], [(0, 1)]],
    },
}
CASES = [
    pytest.param(cls, name, value, id=f"{cls.__name__}-{name}-{value!r:.20}")
    for cls, arguments in INVALID.items()
    for name, values in arguments.items()
    for value in values
]


@pytest.mark.parametrize("cls", VALID, ids=lambda cls: cls.__name__)
def test_valid_arguments(cls: type) -> None:
    assert isinstance(cls(**VALID[cls]), cls)


@pytest.mark.parametrize(("cls", "name", "value"), CASES)
def test_invalid_arguments(cls: type, name: str, value: Any) -> None:
    extra = {"end": 1} if cls is cz.Tier and name == "points" else {}
    with pytest.raises(CaesuraError) as raised:
        cls(**(VALID[cls] | extra | {name: value}))
    assert str(raised.value)


@pytest.mark.parametrize(
    "streams", [None, 5, {}, ["F"], "F", {1: TEXT}, {"F": 1}, {"F": None}, {nan: TEXT}, {"F": TEXT, "I": TIER}]
)
def test_invalid_dialogues(streams: Any) -> None:
    with pytest.raises(CaesuraError):
        cz.Dialogue(streams)


@pytest.mark.parametrize(
    "annotations",
    [
        None,
        5,
        ["x"],
        "x",
        {"x": None},
        {"x": {}},
        {"x": [TEXT]},
        {"x": {"a": 5}},
        {"x": {"a": None}},
        {"x": {None: TEXT}},
        {None: {"a": TEXT}},
        {nan: {"a": TEXT}},
        {"x": {nan: TEXT}},
        {"x": {1: TEXT, "1": TEXT}},
        {"x": {"a": {"F": 5}}},
    ],
)
def test_invalid_corpora(annotations: Any) -> None:
    with pytest.raises(CaesuraError):
        cz.Corpus(annotations)


def test_entries_that_are_valid_are_not_checked() -> None:
    checked = cz.Segmentation(5, np.array([2, 2, 5]), np.array([0, 1, 0]), ("a", "b"))
    trusted = cz.Segmentation.from_valid_entries(5, np.array([2, 2, 5]), np.array([0, 1, 0]), ("a", "b"))
    assert checked == trusted == cz.Segmentation.from_positions(5, [2, 5], marks=[("a", "b"), "a"], types=("a", "b"))
    untyped = cz.Segmentation(9, np.array([2, 5, 7]), np.empty(0, np.int64), ("boundary",))
    assert untyped == cz.Segmentation.from_positions(9, [2, 5, 7])
