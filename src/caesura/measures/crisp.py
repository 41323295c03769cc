"""Boundary precision and recall within a tolerance, and the proportion of wrongly grouped units."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from caesura.kernels import segments as kernel
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, OverlapMeasure, divide, list_edits
from caesura.measures.batch import Batch
from caesura.measures.expected import ExpectedCounts, MatchingPositions
from caesura.model.result import Edit, Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import Option, whole


class Crisp(OverlapMeasure):
    """The measure behind :func:`crisp`."""

    kinds = ("linear", "dialogue")
    name = "crisp"
    title = "Boundary precision, recall and F within a tolerance"
    summary = "boundaries within a tolerance"
    short_name = "F1"
    aliases = MappingProxyType({"F": {}})
    at_option = "tolerance"
    options = (Option("tolerance", 0, whole(0), "largest distance in positions at which two boundaries agree"),)
    symmetric = True
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    aligns = True
    parts = ("matches", "reference", "hypothesis")

    def compute(self, batch: Batch) -> BatchCounts:
        has_partner = self._partners(batch) >= 0
        matched = np.zeros(len(has_partner) + 1, np.int64)
        has_partner.cumsum(out=matched[1:])
        ends = matched[batch.a_off - batch.a_off[0]]
        counts = np.empty((len(batch), 3))
        counts[:, 0] = ends[1:] - ends[:-1]
        counts[:, 1] = batch.a_count
        counts[:, 2] = batch.b_count
        return BatchCounts(counts, {})

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        return MatchingPositions() if self["tolerance"] == 0 else None

    def _partners(self, batch: Batch) -> Ints:
        partners = np.empty(len(batch.a_pos), np.int64)
        kernel.pair_within(batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, self["tolerance"], partners)
        return partners[batch.a_off[0] : batch.a_off[-1]]

    def align(self, batch: Batch) -> tuple[Edit, ...]:
        return list_edits(
            batch, self._partners(batch), transposition_cost=lambda d: 0.0, substitution_cost=lambda x: 0.0
        )


class UnitError(Measure):
    """The measure behind :func:`unit_error`."""

    kinds = ("linear", "dialogue")
    name = "unit_error"
    title = "R_FN and R_FP, the proportion of units missing from or added to a unit's segment"
    summary = "the segment around each unit"
    short_name = "unit error"
    best = 0.0
    worst = 1.0
    symmetric = True  # the value (the mean of the two) is symmetric; R_FN and R_FP are swapped
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    parts = ("fn", "fp", "units")

    def compute(self, batch: Batch) -> BatchCounts:
        counts = np.empty((len(batch), 3))
        counts[:, 2] = batch.length
        kernel.unit_overlap(batch.length, batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, counts)
        return BatchCounts(counts, {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        fn, fp, units = counts.T
        return divide(fn + fp, 2 * units)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"r_fn": counts["fn"] / counts["units"], "r_fp": counts["fp"] / counts["units"]}


def crisp(reference: Segmentation, hypothesis: Segmentation, *, tolerance: int = 0) -> Score:
    """Compute boundary precision, recall and F1 within a tolerance.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two sides.
    tolerance : int, default 0
        Largest distance in positions at which two boundaries agree.

    Returns
    -------
    Score
        F1, from 0 to 1; 1 if both sides are empty, 0 if one is. ``score.precision()`` and ``score.recall()`` are
        available.

    Notes
    -----
    Boundaries are paired one to one in a maximum matching, which a greedy search could miss. ::

        precision = pairs / boundaries of the hypothesis    recall = pairs / boundaries of the reference

    Within the tolerance, a nearer boundary is not preferred. A tolerance forgives moved boundaries that B penalizes.
    Types and position N are ignored.

    Examples
    --------
    >>> reference = Segmentation.from_positions(10, [2, 3])
    >>> hypothesis = Segmentation.from_positions(10, [1, 2])
    >>> crisp(reference, hypothesis).value, crisp(reference, hypothesis, tolerance=1).value
    (0.5, 1.0)
    """
    return Crisp.cached(None, tolerance=tolerance).score(reference, hypothesis)


def unit_error(reference: Segmentation, hypothesis: Segmentation) -> Score:
    """Compute R_FN and R_FP: how much of a unit's segment is missing or added, averaged over units.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two sides.

    Returns
    -------
    Score
        The mean of R_FN and R_FP, an error rate from 0 to 1. ``score.parts["r_fn"]`` and ``score.parts["r_fp"]``
        contain the two rates.

    Notes
    -----
    With R(w) and H(w) the segments that contain unit w::

        R_FN = mean of |R(w) minus H(w)| / |R(w)|       R_FP = mean of |H(w) minus R(w)| / |H(w)|

    The names are those of equation 2 of Fournier & Inkpen (2012), after Franz et al. (2007). The equation does not define
    FN(w) and FP(w); this definition is ours.

    References
    ----------
    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 2]), Segmentation.from_masses([4])
    >>> score = unit_error(reference, hypothesis)
    >>> score.parts["r_fn"], score.parts["r_fp"]
    (0.0, 0.5)
    """
    return UnitError.cached(None).score(reference, hypothesis)
