"""Quotients of counts: values, precision, recall and F."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.model.result import f_measure, ratio
from caesura.model.value import Floats


def divide(numerator: NDArray[Any], denominator: NDArray[Any], *, empty: float | NDArray[Any] = 0.0) -> Floats:
    """Return the quotients, row by row.

    Parameters
    ----------
    numerator, denominator : numpy.ndarray
        If a denominator is 0, its numerator must be 0 too.
    empty : float or numpy.ndarray, default 0
        The result for a denominator of 0.

    Returns
    -------
    numpy.ndarray
        One quotient per row.
    """
    if np.count_nonzero(denominator) == denominator.size:
        return np.asarray(numerator / denominator, np.float64)
    zero = denominator == 0
    return np.asarray(np.where(zero, empty, numerator / (denominator + zero)), np.float64)


def precision_recall(
    recalled: float, reference: float, hypothesis: float, confirmed: float | None = None
) -> dict[str, float]:
    """Return precision, recall and F from counts.

    Parameters
    ----------
    recalled : float
        Boundaries or spans of the reference that the hypothesis has too.
    reference, hypothesis : float
        Boundaries or spans of each side.
    confirmed : float, optional
        Those of the hypothesis that the reference has too (default: as many as ``recalled``).

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``f``; see :func:`~caesura.model.result.ratio` for empty sides.
    """
    precision = ratio(recalled if confirmed is None else confirmed, hypothesis, reference + hypothesis)
    recall = ratio(recalled, reference, reference + hypothesis)
    return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}
