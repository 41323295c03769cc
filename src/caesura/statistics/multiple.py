"""Many comparisons at once: what their p-values are worth, and how to show them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError
from caesura.statistics.arrays import Floats, fraction, matrix, p_matrix, p_values, vector

__all__ = ["Wins", "benjamini_yekutieli", "holm", "letters", "wins"]


@dataclass(frozen=True, eq=False)
class Wins:
    """Systems by systems: on how many items the row's system beat, tied with or lost to the column's."""

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p-values: the chance of even one false alarm among all m comparisons stays below alpha.

    The smallest p is multiplied by m, the next by m - 1, and so on; none may fall below the one before it, and none
    exceeds 1 (Holm 1979). It holds whatever the dependence between the comparisons.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = p_values("p", p)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1)))
    return adjusted


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Adjusted p-values that keep the expected share of false alarms among all alarms below q.

    With m comparisons, p_(i) becomes the least of p_(j) (m / j) (1 + 1/2 + ... + 1/m) over j >= i, at most 1 (Benjamini
    & Yekutieli 2001, theorem 1.3). It holds whatever the dependence between the comparisons.

    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    given = p_values("p", p)
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(given, method="by"), np.float64)


def letters(p: ArrayLike, means: ArrayLike, *, alpha: float = 0.05, higher_is_better: bool = True) -> tuple[str, ...]:
    """The compact letter display: two systems share a letter if and only if they do not differ at alpha.

    ``p`` is the table of p-values of all pairs, corrected for their number, and ``means`` orders the letters: the best
    system has an ``a``. One string a system, in the order given (Piepho 2004; computed by scikit-posthocs, which the
    extra ``stats`` installs).

    >>> p = [[1, 0.20, 0.01], [0.20, 1, 0.30], [0.01, 0.30, 1]]
    >>> letters(p, [0.5, 0.6, 0.7])
    ('b', 'ab', 'a')
    """
    table, order_by = p_matrix("p", p), vector("means", means)
    fraction("alpha", alpha)
    if len(order_by) != len(table):
        raise OptionError(f"means: must have one mean for each of {len(table)} systems; got {len(order_by)}")
    try:
        from scikit_posthocs import compact_letter_display
    except ImportError as problem:
        raise OptionError(
            f"compact letters need scikit-posthocs, which could not be imported ({problem}); pip install 'caesura[stats]'"
        ) from problem
    best_first = np.argsort(-order_by if higher_is_better else order_by, kind="stable")
    # scikit-posthocs takes p = alpha for no difference; with 0 and 1 in place of p the border is ours.
    alike = np.where(table <= alpha, 0.0, 1.0)[np.ix_(best_first, best_first)]
    try:
        display = compact_letter_display(alike, alpha=0.5)
    except ValueError as problem:
        raise OptionError(
            f"p: {len(table)} systems fall into more groups than there are letters; compare fewer"
        ) from problem
    shown = np.empty(len(table), object)
    shown[best_first] = ["".join(word.split()) for word in display]
    return tuple(shown.tolist())


def wins(values: ArrayLike, *, tolerance: float = 1e-12) -> Wins:
    """On how many items each system is above, level with and below each other one.

    ``values`` has a row an item and a column a system; an item counts for a pair where neither value is missing (NaN).
    Values no further apart than ``tolerance`` are a tie.

    >>> found = wins([[0.9, 0.5], [0.7, 0.7], [0.2, 0.6], [0.8, 0.1]])
    >>> int(found.wins[0, 1]), int(found.ties[0, 1]), int(found.losses[0, 1])
    (2, 1, 1)
    """
    table = matrix("values", values, "items", "systems", missing=True)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < np.inf:
        raise OptionError(f"tolerance: must be a number from 0 up; got {tolerance!r}")
    ahead = table[:, :, None] - table[:, None, :]  # NaN, where a value is missing, is neither above nor below nor level
    won = np.count_nonzero(ahead > tolerance, axis=0)
    level = np.count_nonzero(np.abs(ahead) <= tolerance, axis=0)
    np.fill_diagonal(level, 0)
    return Wins(won, level, won.T.copy())
