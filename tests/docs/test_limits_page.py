"""The page of limits states the values of ``caesura/limits.py``."""

from __future__ import annotations

import re
from pathlib import Path

from caesura import limits

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_page_states_limits_as_they_are() -> None:
    rows = re.findall(r"^\| .*? \| ([0-9,]+) \| `(MAX_[A-Z_]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {name: int(value.replace(",", "")) for value, name in rows}
    assert len(rows) == len(listed)
    assert listed == {name: int(getattr(limits, name)) for name in listed}
