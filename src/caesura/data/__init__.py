"""Annotations from published tables, and the JSON Schema of the output, which are distributed with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

STARGAZER_SOURCE = "Hearst (1997). TextTiling. Computational Linguistics 23(1): 33-64, seven readers of 'Stargazers'"


def stargazer() -> Corpus:
    """Return the topic segments that seven readers saw in a magazine article of 21 paragraphs."""
    # Hearst, M. (1997). TextTiling: segmenting text into multi-paragraph subtopic passages. Computational Linguistics 23(1):
    # 33-64.
    table = json.loads((files("caesura.data") / "stargazer.json").read_text(encoding="utf-8"))
    masses = table["items"]["stargazer"]
    return Corpus({"stargazer": {coder: Segmentation.from_masses(lengths) for coder, lengths in masses.items()}})


def output_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what every command prints with ``--json``."""
    schema: dict[str, Any] = json.loads((files("caesura.data") / "output.schema.json").read_text(encoding="utf-8"))
    return schema
