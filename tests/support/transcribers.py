"""Checks of two coders whose tokens differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import FormatError, MismatchError
from caesura.model.projection import over_characters, over_edits


def check_unknown_texts_of_different_length(both: dict[str, cz.Segmentation], folder: Path) -> None:
    """Neither a measure nor an alignment accepts two coders with different numbers of units and no text."""
    (a, first), (_, second) = both.items()
    with pytest.raises(MismatchError, match=rf"reference has {first.length}, hypothesis has {second.length}$"):
        cz.window_diff(first, second)
    for align in (over_characters, over_edits):
        with pytest.raises(
            MismatchError,
            match=rf"item 'x': coder '{a}': expected units with a text; got {first.length} units without one",
        ):
            align(cz.Corpus({"x": both}))
    paths = []
    for coder, annotation in both.items():
        paths.append(folder / f"{coder}.bits")
        cz.write(cz.Corpus({"talk": {coder: annotation}}), paths[-1])
    with pytest.raises(FormatError, match="expected units with a text"):
        cz.read_coders(paths, align="edit")
