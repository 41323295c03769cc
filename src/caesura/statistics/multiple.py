"""Multiple comparisons: corrected p-values, compact letters, wins and losses."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError
from caesura.model.result import Result
from caesura.options import fraction, non_negative
from caesura.statistics.arrays import Floats, matrix, p_matrix, p_values, vector

_MAX_GROUPS = 1000  # many more groups than letters: the search ends, because there is no display


@dataclass(frozen=True, eq=False)
class Wins(Result):
    """Number of items on which one system beats another, as tables of systems x systems.

    Attributes
    ----------
    wins : numpy.ndarray
        Number of items on which the row's system has a higher value than the column's system.
    ties : numpy.ndarray
        Number of items on which both values are equal.
    losses : numpy.ndarray
        Number of items on which the row's system has a lower value than the column's system.
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p-values.

    Parameters
    ----------
    p : array_like
        p-values of m comparisons.

    Returns
    -------
    numpy.ndarray
        Adjusted p-values, in the same order.

    Notes
    -----
    The probability of at least one false positive among all m comparisons stays below alpha. The smallest p is multiplied
    by m, the next by m - 1, and so on. No adjusted value may be smaller than the one before it or exceed 1. The correction
    is valid for any dependence between the comparisons.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = p_values("p", p)
    order = np.argsort(raw, kind="stable")
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1)))
    return adjusted


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Return p-values adjusted for the false discovery rate, by Benjamini & Yekutieli.

    Parameters
    ----------
    p : array_like
        p-values of m comparisons.

    Returns
    -------
    numpy.ndarray
        Adjusted p-values, in the same order.

    Notes
    -----
    The expected proportion of false positives among all positives stays below q. With m comparisons, p_(i) becomes the
    minimum of p_(j) (m / j) (1 + 1/2 + ... + 1/m) over j >= i, at most 1. The correction is valid for any dependence between
    the comparisons.

    References
    ----------
    Benjamini, Y., & Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under dependency.
    Annals of Statistics 29, theorem 1.3.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    raw = p_values("p", p)
    m = len(raw)
    largest_first = np.argsort(raw, kind="stable")[::-1]
    steps = np.arange(m, 0, -1)
    factor = m * float((1 / steps).sum())
    adjusted = np.empty_like(raw)
    adjusted[largest_first] = np.minimum(1.0, np.minimum.accumulate(raw[largest_first] * factor / steps))
    return adjusted


def letters(p: ArrayLike, means: ArrayLike, *, alpha: float = 0.05, higher_is_better: bool = True) -> tuple[str, ...]:
    """Return the compact letter display: two systems share a letter if and only if they do not differ at alpha.

    Parameters
    ----------
    p : array_like, systems x systems
        p-values of all pairs, corrected for their number.
    means : array_like
        One mean per system. They determine the order of the letters: the best system has an ``a``.
    alpha : float, default 0.05
        Significance level.
    higher_is_better : bool, default True
        Whether the largest mean is the best.

    Returns
    -------
    tuple of str
        Letters of each system, in the order of ``means``.

    Raises
    ------
    OptionError
        If there are more groups than letters (52: ``a`` to ``z``, then ``A`` to ``Z``).

    Notes
    -----
    The groups start as one group of all systems. For each pair of systems that differ, every group with both of them is
    replaced by two copies, each without one of the two (insert). Groups that are part of another group are removed (absorb).
    Every remaining group gets a letter.

    References
    ----------
    Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
    Computational and Graphical Statistics 13.

    Examples
    --------
    >>> p = [[1, 0.20, 0.01], [0.20, 1, 0.30], [0.01, 0.30, 1]]
    >>> letters(p, [0.5, 0.6, 0.7])
    ('b', 'ab', 'a')
    """
    table, order_by = p_matrix("p", p), vector("means", means)
    alpha = fraction("alpha", alpha)
    if len(order_by) != len(table):
        raise OptionError(f"means: must have one mean for each of {len(table)} systems; got {len(order_by)}")
    best_first = np.argsort(-order_by if higher_is_better else order_by, kind="stable")
    differ = (table <= alpha)[np.ix_(best_first, best_first)]
    groups = {frozenset(range(len(differ)))}
    for i, j in np.argwhere(np.triu(differ, 1)).tolist():
        both = {group for group in groups if i in group and j in group}
        groups -= both
        halves = {group - {place} for group in both for place in (i, j)}
        groups |= {half for half in halves if not any(half < other for other in groups | halves)}
        if len(groups) > _MAX_GROUPS:
            break
    if len(groups) > len(ascii_letters):
        raise OptionError(f"p: {len(table)} systems need more letters than the alphabet has; compare fewer systems")
    by_system = [""] * len(table)
    for letter, group in zip(ascii_letters, sorted(map(sorted, groups)), strict=False):
        for place in group:
            by_system[best_first[place]] += letter
    return tuple(by_system)


def wins(values: ArrayLike, *, tolerance: float = 1e-12) -> Wins:
    """Count the items on which each system is above, equal to or below each other system.

    Parameters
    ----------
    values : array_like, items x systems
        Values. An item counts for a pair of systems if neither value is missing (NaN).
    tolerance : float, default 1e-12
        Values that differ by at most this much count as a tie.

    Returns
    -------
    Wins
        Three tables of systems by systems.

    Examples
    --------
    >>> result = wins([[0.9, 0.5], [0.7, 0.7], [0.2, 0.6], [0.8, 0.1]])
    >>> int(result.wins[0, 1]), int(result.ties[0, 1]), int(result.losses[0, 1])
    (2, 1, 1)
    """
    table = matrix("values", values, "items", "systems", missing=True)
    tolerance = non_negative()("tolerance", tolerance)
    # A missing value (NaN) is neither above, below nor equal to any value.
    difference = table[:, :, None] - table[:, None, :]
    above = np.count_nonzero(difference > tolerance, axis=0)
    equal = np.count_nonzero(np.abs(difference) <= tolerance, axis=0)
    np.fill_diagonal(equal, 0)
    return Wins(above, equal, above.T.copy())
