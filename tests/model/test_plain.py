"""JSON text, which must be what the json module writes for the plain form of a value."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.model import plain as plain_module
from caesura.model.plain import json_entries, json_pieces, to_json, to_plain
from caesura.model.result import HIDDEN, Reasoned, Result

ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
PLAIN = st.recursive(ATOMS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


class Place(NamedTuple):
    """A named tuple becomes an object."""

    start: int
    name: str


@dataclass(frozen=True)
class Row(Reasoned):
    """A row whose reason is part of the JSON if it is set."""

    value: float
    coders: tuple[str, ...]
    entry: Any = None
    hidden: int = field(default=7, metadata=HIDDEN)

    @property
    def reason(self) -> str | None:
        """Rows below 0 have one."""
        return "negative" if self.value < 0 else None


@dataclass(frozen=True)
class Table(Result):
    """A result with a property."""

    json_properties: ClassVar[tuple[str, ...]] = ("number",)

    rows: tuple[Any, ...]
    _private: int = 1

    @property
    def number(self) -> int:
        """Number of rows."""
        return len(self.rows)


class Replaced:
    """An object that says what is converted in its place."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __json__(self) -> Any:
        return {"value": self.value, "%s": (1.5, None)}


NUMBERS = (
    st.floats() | st.integers(-3, 3).map(np.int64) | st.floats(width=32).map(np.float32) | st.booleans().map(np.bool_)
)
VALUES = st.recursive(
    ATOMS | NUMBERS | st.builds(Place, st.integers(), st.text()) | st.frozensets(st.text()) | st.just(1j),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.lists(st.floats(), max_size=4).map(np.array)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.text(), st.integers()), inner)
        | st.dictionaries(st.text(), inner).map(OrderedDict)
        | st.lists(st.builds(Row, st.floats(), st.tuples(st.text(), st.text()), inner))
        | st.lists(st.fixed_dictionaries({"a": inner, "%d": inner}, optional={"c": inner}))
        | st.lists(inner).map(lambda rows: Table(tuple(rows)))
        | inner.map(Replaced)
    ),
    max_leaves=40,
)


@given(PLAIN)
def test_json_in_one_line_is_that_of_the_json_module(plain: Any) -> None:
    assert to_json(plain) == json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


@given(VALUES, st.integers(1, 200))
def test_the_text_of_any_value_is_that_of_its_plain_form(value: Any, characters: int) -> None:
    """The length of pieces makes no difference."""
    plain = to_plain(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_module, "_CHARACTERS", characters)
        pieces = list(json_pieces(value))
    assert all(len(piece) >= characters for piece in pieces[:-1])
    # The plain form has no NaN, so equal texts are equal values of the same types, in the same order.
    assert json.dumps(json.loads("".join(pieces))) == json.dumps(plain) == json.dumps(json.loads(to_json(value)))


def test_tables_have_one_row_per_line() -> None:
    rows = [Row(0.5, ("Ann", "Bo"), {"x": [1, 2]}), Row(-1.0, ())]
    assert "".join(json_pieces({"results": {"rows": rows, "none": (), "ä": {1: 2}}, "n": 3})).splitlines() == [
        "{",
        '  "results": {',
        '    "rows": [',
        '      {"value": 0.5, "coders": ["Ann", "Bo"], "entry": {"x": [1, 2]}},',
        '      {"value": -1.0, "coders": [], "entry": null, "reason": "negative"}',
        "    ],",
        '    "none": [],',
        '    "ä": {',
        '      "1": 2',
        "    }",
        "  },",
        '  "n": 3',
        "}",
    ]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": float("nan"), "b": [float("-inf"), float("inf")]}, '{"a":null,"b":["-inf","inf"]}'),
        ({("Ann", 1): 1, 3: 2}, '{"Ann|1":1,"3":2}'),
        (Place(1, "x"), '{"start":1,"name":"x"}'),
        (frozenset("cab"), '["a","b","c"]'),
        ([np.int64(3), np.float32(0.5), np.arange(2)], "[3,0.5,[0,1]]"),
        (Table((1j,)), '{"rows":["1j"],"number":1}'),
        (10**40, "1" + "0" * 40),
    ],
)
def test_plain_form(value: Any, plain: str) -> None:
    assert to_json(value) == plain


def test_a_row_has_its_reason_only_if_there_is_one() -> None:
    rows = [Row(0.5, ("Ann", "Bo")), Row(-1.0, ("Ann", "Cy"))]
    expected = [["value", "coders", "entry"], ["value", "coders", "entry", "reason"]]
    assert [list(row) for row in json.loads(to_json(rows))] == expected
    assert json_entries(rows[1]) == {"value": -1.0, "coders": ("Ann", "Cy"), "entry": None, "reason": "negative"}


def test_rows_are_converted_when_it_is_their_turn() -> None:
    converted = []

    class Counted:
        def __init__(self, number: int) -> None:
            self.number = number

        def __json__(self) -> str:
            converted.append(self.number)
            return "x" * 1000

    pieces: Iterator[str] = json_pieces({"rows": [Counted(number) for number in range(20_000)]})
    next(pieces)
    assert 1000 <= len(converted) <= 3000
    assert sum(map(len, pieces)) > 18_000_000
