"""The proportion of wrongly grouped units, and the former name of boundary precision and recall."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from caesura.kernels import segments as kernel
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch
from caesura.measures.distances import BoundaryF
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats


class UnitError(Measure):
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
    """Compute boundary precision, recall and F1 within a tolerance; the same as :func:`~caesura.boundary_f`.

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

    Examples
    --------
    >>> reference = Segmentation.from_positions(10, [2, 3])
    >>> hypothesis = Segmentation.from_positions(10, [1, 2])
    >>> crisp(reference, hypothesis).value, crisp(reference, hypothesis, tolerance=1).value
    (0.5, 1.0)
    """
    return BoundaryF.cached(None, tolerance=tolerance).score(reference, hypothesis)


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
