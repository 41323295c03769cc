"""T-measure and L-measure as mir_eval computes them."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
import pytest

import caesura as cz

Level = list[tuple[float, float, str]]


def import_mir_eval() -> ModuleType:
    """Return mir_eval.hierarchy, or skip the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("mir_eval.hierarchy", reason="mir_eval is not installed: pip install caesura[test]")


def value_of_mir_eval(name: str, a: list[Level], b: list[Level], frame: float) -> tuple[float, float, float]:
    """Return precision, recall and F of the measure "t" or "l", from levels of (start, end, label)."""
    module = import_mir_eval()
    x, y = ([np.array([s[:2] for s in level], float) for level in side] for side in (a, b))
    x_labels, y_labels = ([[s[2] for s in level] for level in side] for side in (a, b))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "t":
            return module.tmeasure(x, y, transitive=True, window=None, frame_size=frame)
        return module.lmeasure(x, x_labels, y, y_labels, frame_size=frame)


def our_value(name: str, a: cz.Hierarchy, b: cz.Hierarchy) -> tuple[float, float, float]:
    """Return the same three from caesura."""
    score = {"t": cz.t_measure, "l": cz.l_measure}[name](a, b)
    return score.precision(), score.recall(), score.value


def check_mir_eval_on_times(a: cz.Hierarchy, b: cz.Hierarchy, name: str) -> None:
    """Within .005 of mir_eval at frames of a tenth of a second. Our value is the limit for short frames."""
    theirs = value_of_mir_eval(name, levels_in_seconds(a), levels_in_seconds(b), 0.1)
    assert our_value(name, a, b) == pytest.approx(theirs, abs=0.005)


def levels_in_seconds(hierarchy: cz.Hierarchy) -> list[Level]:
    """Return the (start, end, label) of the spans of each level."""
    assert hierarchy.edges is not None
    return [
        [(hierarchy.edges[s.start - 1], hierarchy.edges[s.end], s.label) for s in hierarchy if s.level == level]
        for level in range(1, hierarchy.depth + 1)
    ]
