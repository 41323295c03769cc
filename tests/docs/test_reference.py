"""The reference lists every public name under one topic."""

from __future__ import annotations

import re
from pathlib import Path

import caesura as cz

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
MODULES = {"errors", "plot", "simulation", "statistics"}  # each is a topic


def test_every_public_name_has_one_topic() -> None:
    listed = re.findall(r"^\.\. auto(?:class|function):: caesura\.(\w+)$", _pages(), re.MULTILINE)
    assert sorted(listed) == sorted(set(cz.__all__) - MODULES - {"__version__"})


def test_modules_have_topics() -> None:
    for name in ("caesura.errors", "caesura.views.figures", "caesura.simulation", "caesura.statistics"):
        assert f".. automodule:: {name}\n" in _pages()


def _pages() -> str:
    return "\n".join(path.read_text(encoding="utf8") for path in sorted(FOLDER.glob("*.md")))
