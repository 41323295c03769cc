"""Annotations from published tables, and the JSON Schema of the output, which are distributed with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

STARGAZER_SOURCE = "Hearst (1997). TextTiling. Computational Linguistics 23(1): 33-64, seven readers of 'Stargazers'"
# Hearst, M. (1997). TextTiling: segmenting text into multi-paragraph subtopic passages. Computational Linguistics 23(1):
# 33-64. Reader -> lengths of the segments in paragraphs.
_STARGAZER = {
    "1": (2, 3, 3, 1, 3, 6, 3),
    "2": (2, 8, 2, 4, 2, 3),
    "3": (2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1),
    "4": (2, 1, 4, 1, 1, 3, 1, 4, 3, 1),
    "5": (3, 2, 4, 3, 5, 4),
    "6": (2, 3, 4, 2, 2, 5, 3),
    "7": (2, 3, 2, 2, 3, 1, 3, 2, 3),
}


def stargazer() -> Corpus:
    """Return the topic segments that seven readers saw in a magazine article of 21 paragraphs."""
    return Corpus({"stargazer": {reader: Segmentation.from_masses(masses) for reader, masses in _STARGAZER.items()}})


def output_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what every command prints with ``--json``."""
    schema: dict[str, Any] = json.loads((files("caesura") / "output.schema.json").read_text(encoding="utf-8"))
    return schema
