"""The best alignment against pygamma-agreement, where it is installed.

It brings a solver under the GPL, so it is no dependency: ``pip install pygamma-agreement`` in an environment of its own.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.continua import align

pygamma = pytest.importorskip(
    "pygamma_agreement", reason="pygamma-agreement is not installed; it needs a solver under the GPL"
)
core = pytest.importorskip("pyannote.core", reason="pyannote.core is not installed")


def random_continuum(seed: int) -> dict[str, list[tuple[int, int, str]]]:
    """Return spans of two or three annotators; positions begin at 0, where pygamma's distances are those of the paper."""
    draw = random.Random(seed)
    continuum: dict[str, list[tuple[int, int, str]]] = {}
    for name in "abc"[: draw.choice((2, 3))]:
        starts = draw.sample(range(30), draw.randint(1, 5))
        continuum[name] = [(start, start + draw.randint(1, 6), draw.choice("XY")) for start in sorted(starts)]
    return continuum


@pytest.mark.parametrize("seed", range(25))
def test_disorder_is_that_of_pygamma(seed: int) -> None:
    units = random_continuum(seed)
    continuum: Any = pygamma.Continuum()
    for annotator, rows in units.items():
        for start, end, category in rows:
            continuum.add(annotator, core.Segment(start, end), category)
    dissimilarity = pygamma.CombinedCategoricalDissimilarity(alpha=3, beta=1, delta_empty=1.0)
    peer = continuum.get_best_alignment(dissimilarity).disorder
    number = sum(map(len, units.values()))
    # Its distances are single precision.
    assert align(units, alpha=3).cost[0] / (number / len(units)) == pytest.approx(peer, rel=2e-6)
