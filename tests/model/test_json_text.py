"""JSON text of plain data, which must be what the json module writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.model.result import plain_to_json, to_json

ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
PLAIN = st.recursive(ATOMS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@given(PLAIN, st.integers(1, 4))
def test_json_with_an_indent_is_that_of_the_json_module(plain: Any, indent: int) -> None:
    expected = json.dumps(plain, ensure_ascii=False, indent=indent, allow_nan=False)
    assert plain_to_json(plain, indent=indent) == to_json(plain, indent=indent) == expected


@given(PLAIN)
def test_json_in_one_line_is_that_of_the_json_module(plain: Any) -> None:
    assert plain_to_json(plain, indent=None) == json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def test_numbers_that_json_does_not_have() -> None:
    assert to_json({"a": float("nan"), "b": [float("-inf")]}, indent=None) == '{"a":null,"b":["-inf"]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        plain_to_json([float("nan")])
