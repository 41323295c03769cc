"""Crisp boundary precision and recall, and the share of wrongly grouped units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import segments as kernel
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch
from caesura.measures.edits import edits_of
from caesura.model.score import Edit, Score, f_measure, ratio
from caesura.model.segmentation import Segmentation
from caesura.options import Option, whole


class Crisp(Measure):
    """See :func:`crisp`."""

    __slots__ = ()
    name = "crisp"
    title = "Boundary precision, recall and F within a tolerance"
    short_name = "F"
    options = (Option("tolerance", 0, whole(0), "how many positions apart two boundaries may be and still agree"),)
    symmetric = True
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    aligns: ClassVar[bool] = True

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("matches", "reference", "hypothesis")

    def compute(self, batch: Batch) -> BatchCounts:
        found = np.concatenate([[0], np.cumsum(self._mates(batch) >= 0)])
        first = batch.a_off[0]
        matches = found[batch.a_off[1:] - first] - found[batch.a_off[:-1] - first]
        return BatchCounts(np.column_stack([matches, batch.a_count, batch.b_count]).astype(float), {})

    def _mates(self, batch: Batch) -> NDArray[np.int64]:
        mate = np.empty(len(batch.a_pos), np.int64)
        kernel.pair_within(batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, self["tolerance"], mate)
        return mate[batch.a_off[0] : batch.a_off[-1]]

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        matches, reference, hypothesis = counts.T
        return divide(2 * matches, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        matches, reference, hypothesis = counts["matches"], counts["reference"], counts["hypothesis"]
        precision = ratio(matches, hypothesis, reference + hypothesis)
        recall = ratio(matches, reference, reference + hypothesis)
        return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}

    def align(self, batch: Batch) -> tuple[Edit, ...]:
        return edits_of(batch, self._mates(batch), alone=1.0, moved=lambda d: 0.0, changed=lambda x: 0.0)


class UnitError(Measure):
    """See :func:`unit_error`."""

    __slots__ = ()
    name = "unit_error"
    title = "R_FN and R_FP, the share of units missing from or added to a unit's segment"
    short_name = "R"
    best = 0.0
    worst = 1.0
    symmetric = True  # the value, the mean of the two; R_FN and R_FP change places
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("fn", "fp", "units")

    def compute(self, batch: Batch) -> BatchCounts:
        out = np.empty((len(batch), 2))
        kernel.unit_overlap(batch.length, batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, out)
        return BatchCounts(np.column_stack([out, batch.length]), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        fn, fp, units = counts.T
        return divide(fn + fp, 2 * units)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"r_fn": counts["fn"] / counts["units"], "r_fp": counts["fp"] / counts["units"]}


def crisp(reference: Segmentation, hypothesis: Segmentation, *, tolerance: int = 0) -> Score:
    """Boundary precision, recall and F1, counting boundaries at most ``tolerance`` positions apart as agreeing.

    From 0 to 1. Boundaries are paired one to one, as many as possible (a maximum matching, never a greedy one that
    could miss a pair):

        precision = pairs / boundaries of the hypothesis    recall = pairs / boundaries of the reference

    The value is F1; 1 if both sides are empty, 0 if one is. Within the tolerance nearer is no better, and a tolerance
    forgives moved boundaries that B would charge. Types and position N are not looked at.

    >>> reference = Segmentation.from_positions(10, [2, 3])
    >>> hypothesis = Segmentation.from_positions(10, [1, 2])
    >>> crisp(reference, hypothesis).value, crisp(reference, hypothesis, tolerance=1).value
    (0.5, 1.0)
    """
    return Crisp.cached(None, tolerance=tolerance).score(reference, hypothesis)


def unit_error(reference: Segmentation, hypothesis: Segmentation) -> Score:
    """R_FN and R_FP: how much of a unit's segment is missing, and how much does not belong, on average over units.

    Error rates from 0 to 1. With R(w) and H(w) the segments that contain unit w,

        R_FN = mean of |R(w) minus H(w)| / |R(w)|       R_FP = mean of |H(w) minus R(w)| / |H(w)|

    one minus purity-like overlaps. The names are those of equation 2 of Fournier & Inkpen (2012), after Franz et al.
    (2007); the equation leaves FN(w) and FP(w) open and this definition is ours. The value is the mean of the two, which
    are ``score.parts["r_fn"]`` and ``score.parts["r_fp"]``.

    >>> reference, hypothesis = Segmentation.from_masses([2, 2]), Segmentation.from_masses([4])
    >>> score = unit_error(reference, hypothesis)
    >>> score.parts["r_fn"], score.parts["r_fp"]
    (0.0, 0.5)
    """
    return UnitError.cached(None).score(reference, hypothesis)
