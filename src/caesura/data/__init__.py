"""Codings that ship with the package: figures from published tables."""

from __future__ import annotations

from importlib.resources import as_file, files

from caesura.formats import read
from caesura.model.corpus import Corpus

__all__ = ["STARGAZER_SOURCE", "stargazer"]

STARGAZER_SOURCE = (
    "Hearst, M. (1997). TextTiling. Computational Linguistics 23(1): 33-64, seven readers of 'Stargazers'"
)


def stargazer() -> Corpus:
    """Seven readers' topic segments of a magazine article in 21 paragraphs."""
    with as_file(files("caesura.data") / "stargazer.json") as path:
        return read(path)
