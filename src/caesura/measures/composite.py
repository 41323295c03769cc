"""A composite of boundary F, Pk and WindowDiff, which benchmarks of dialogue segmentation print as "score"."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from caesura.measures.base import BatchCounts, Counts, Measure
from caesura.measures.batch import Batch
from caesura.measures.chunks import LAST_POSITION
from caesura.measures.distances import BoundaryF
from caesura.measures.window import Pk, WindowDiff
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats
from caesura.options import Option, choice

_SUPERDIALSEG = "superdialseg"


class SegmentationScore(Measure):
    kinds = ("linear", "dialogue")
    name = "segmentation_score"
    title = "Half F1, a quarter 1 - Pk and a quarter 1 - WindowDiff (SuperDialseg)"
    summary = "F1, Pk and WindowDiff in one"
    short_name = "score"
    options = (
        Option(
            "conventions",
            "plain",
            choice("plain", _SUPERDIALSEG),
            "plain definitions of the three measures, or those of SuperDialseg",
        ),
        LAST_POSITION,
    )
    presets = MappingProxyType(
        {_SUPERDIALSEG: {"conventions": _SUPERDIALSEG, "last_position": True, "average": "items"}}
    )
    preset_mistakes = MappingProxyType(
        {_SUPERDIALSEG: "F is 0 if no side has boundaries, so the score of a right answer is .5"}
    )
    resolved_words = Pk.resolved_words
    parts = ("matches", "reference", "hypothesis", "pk_errors", "windows", "window_diff_errors")

    @property
    def _measures(self) -> tuple[Measure, Measure, Measure]:
        compat = None if self["conventions"] == "plain" else _SUPERDIALSEG
        return BoundaryF.cached(compat), Pk.cached(compat), WindowDiff.cached(compat)

    def compute(self, batch: Batch) -> BatchCounts:
        f, pk, window_diff = (measure.compute(batch) for measure in self._measures)
        counts = np.column_stack([f.counts, pk.counts, window_diff.counts[:, 0]])
        return BatchCounts(counts, {name: pk.resolved[name] for name in ("window", "window_from")})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        f, pk, window_diff = self._values(counts, types)
        return f / 2 + (1 - pk) / 4 + (1 - window_diff) / 4

    def _values(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
        columns = counts[:, :3], counts[:, 3:5], counts[:, [5, 4]]
        f, pk, window_diff = (m.finish(c, types) for m, c in zip(self._measures, columns, strict=True))
        return f, pk, window_diff

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        row = np.array([[counts[name] for name in self.parts]], np.float64)
        return {name: float(x[0]) for name, x in zip(("f", "pk", "window_diff"), self._values(row, types), strict=True)}


def segmentation_score(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    conventions: str | None = None,
    last_position: bool | None = None,
    compat: str | None = None,
) -> Score:
    """Compute the composite score of SuperDialseg: half F1, a quarter 1 - Pk and a quarter 1 - WindowDiff.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two segmentations to compare.
    conventions : {"plain", "superdialseg"}, optional
        The plain definitions of the three measures (default), or those of SuperDialseg.
    last_position : bool, optional
        Whether the position after the last unit counts (default: False).
    compat : {"superdialseg"}, optional
        The number that SuperDialseg prints: its conventions, with the position after the last utterance, and the mean over
        dialogues.

    Returns
    -------
    Score
        From 0 to 1; ``score.parts["f"]``, ``["pk"]`` and ``["window_diff"]`` are its three terms.

    Notes
    -----
    ::

        score = F1 / 2 + (1 - Pk) / 4 + (1 - WindowDiff) / 4

    Use it only to extend a table that has it: Pk and WindowDiff measure nearly the same, and their weights are arbitrary.

    References
    ----------
    Jiang, J., Dong, C., Kurohashi, S., & Aizawa, A. (2023). SuperDialseg: A large-scale dataset for supervised dialogue
    segmentation. EMNLP.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> f"{segmentation_score(reference, hypothesis).value:.4f}"
    '0.7222'
    """
    measure = SegmentationScore.cached(compat, conventions=conventions, last_position=last_position)
    return measure.score(reference, hypothesis)
