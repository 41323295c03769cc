"""The page about limits names the numbers of the code."""

from __future__ import annotations

import re
from pathlib import Path

from caesura import limits
from caesura.tasks.figures import MAX_FIGURE_CODERS
from caesura.tasks.report import MAX_UNITS
from caesura.tasks.report_subject import MAX_CODERS, MAX_FIGURES, MAX_ITEMS
from caesura.views.disagreements import MAX_LISTED_ROWS
from caesura.views.page.sections import MAX_ROWS
from caesura.views.text_table import MAX_TEXT_ROWS

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")


def test_limits_of_hostile_files() -> None:
    documented = re.findall(r"^\| .* \| ([0-9,]+) \| `(MAX_\w+)` \|", PAGE, re.M)
    assert {name: int(number.replace(",", "")) for number, name in documented} == {
        name: getattr(limits, name) for _, name in documented
    }
    assert len(documented) == 8


def test_what_is_shown() -> None:
    table = PAGE.partition("## What is shown")[2].partition("The server")[0]
    shown = [int(number.replace(",", "")) for number in re.findall(r"^\| [^|]* \| ([0-9,]+)", table, re.M)]
    assert shown == [MAX_ITEMS, MAX_CODERS, MAX_FIGURES, MAX_UNITS, MAX_ROWS, MAX_LISTED_ROWS, MAX_FIGURE_CODERS]
    assert MAX_TEXT_ROWS == MAX_ROWS
