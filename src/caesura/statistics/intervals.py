"""How sure is a number? Intervals around one value.

Two questions are easily confused. *Would other items have given another value?* Items are what was sampled, so items
are what is drawn again: :func:`bootstrap`. *How precise is a mean over n values, if those were independent?*
:func:`mean_interval`; boundary pairs inside one text are not independent, so it is too narrow, but it is what the
literature prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import OptionError, Undefined
from caesura.statistics.arrays import Finish, Floats, fraction, matrix, values_of, vector, whole

__all__ = ["BootstrapInterval", "MeanInterval", "bootstrap", "item_weights", "mean_interval"]

FEW_ITEMS = 20
_CELLS = 250_000  # numbers in a block of weights: 2 MB, whatever the number of replicates


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A value and the percentile interval around it."""

    value: float
    low: float
    high: float
    level: float
    items: int
    replicates: int

    @property
    def caution(self) -> str | None:
        """What to tell a reader of the interval; None from 20 items on."""
        if self.items >= FEW_ITEMS:
            return None
        return (
            f"the interval rests on {self.items} items; below {FEW_ITEMS} a percentile interval is too narrow "
            "(a level of .95 covers about .84 at 5 items, .92 at 20)"
        )


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean over values taken as independent, its standard error and its interval."""

    mean: float
    standard_error: float
    low: float
    high: float
    level: float
    n: int


def item_weights(items: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each item is drawn, in ``replicates`` samples of ``items`` items with replacement.

    Every row sums to ``items``. Rows come in blocks of bounded size, so that ten thousand replicates of a large corpus
    need no more memory than a hundred.

    >>> blocks = list(item_weights(3, 4, np.random.default_rng(1)))
    >>> [block.shape for block in blocks], [block.sum(axis=1).tolist() for block in blocks]
    ([(4, 3)], [[3.0, 3.0, 3.0, 3.0]])
    """
    for rows in block_sizes(replicates, items):
        drawn = rng.integers(items, size=(rows, items))
        drawn += np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def block_sizes(rows: int, width: int) -> Iterator[int]:
    """``rows`` cut into blocks of a bounded number of cells."""
    most = max(1, _CELLS // width)
    for start in range(0, rows, most):
        yield min(most, rows - start)


def bootstrap(
    parts: ArrayLike, finish: Finish, *, replicates: int = 10_000, level: float = 0.95, seed: int | None = None
) -> BootstrapInterval:
    """The percentile bootstrap over items, for a value that is made from summed parts.

    ``parts`` has a row an item, and ``finish`` turns rows of summed parts into values, so that no item is ever scored
    again: items are drawn with replacement, their parts summed, the sums finished, and the interval cuts off
    (1 - level) / 2 of the replicates on either side (Efron & Tibshirani 1993, chapter 13).

    The percentile interval is too narrow for few items; ``.caution`` says so. ``Undefined`` with one item: drawing the
    same item again says nothing.

    >>> parts = [[8, 10], [5, 9], [9, 12], [3, 8]]
    >>> found = bootstrap(parts, lambda sums: sums[:, 0] / sums[:, 1], seed=1)
    >>> f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
    '0.641 [0.471, 0.773]'
    """
    table = matrix("parts", parts, "items", "columns")
    whole("replicates", replicates, 1)
    fraction("level", level)
    items = len(table)
    if items < 2:
        raise Undefined("an interval over items needs at least 2 items; got 1")
    value = float(values_of(finish, table.sum(axis=0, keepdims=True))[0])
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([values_of(finish, block @ table) for block in item_weights(items, replicates, rng)])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return BootstrapInterval(value, float(low), float(high), level, items, replicates)


def mean_interval(values: ArrayLike, counts: ArrayLike | None = None, *, level: float = 0.95) -> MeanInterval:
    """Mean ± z SD / sqrt(n), z = 1.96 at level .95, over n values that are taken as independent.

    ``counts`` says how often each value occurred: 239 boundary pairs that match, 80 near misses worth a half and 738
    that have nothing on the other side are ``mean_interval([1, 0.5, 0], [239, 80, 738])``. SD is that of the values
    themselves (divided by n). This is the interval of Figure 10b of Fournier (2013), and its standard error the ± of
    Table 2 there; it ignores that pairs inside one text depend on each other, so it is too narrow.

    >>> found = mean_interval([1, 0.5, 0], [239, 80, 738])
    >>> f"{found.mean:.4f} ± {found.standard_error:.4f} over {found.n}"
    '0.2640 ± 0.0129 over 1057'
    """
    x = vector("values", values)
    often = np.ones(len(x)) if counts is None else vector("counts", counts)
    fraction("level", level)
    if len(often) != len(x):
        raise OptionError(f"counts: must have one count for each of {len(x)} values; got {len(often)}")
    if (bad := np.flatnonzero((often < 0) | (often % 1 != 0))).size:
        raise OptionError(f"counts[{bad[0]}]: must be a whole number from 0 up; got {often[bad[0]]:g}")
    n = int(often.sum())
    if n == 0:
        raise Undefined("a mean needs at least one value; all counts are 0")
    mean = float(often @ x) / n
    error = float(np.sqrt(often @ (x - mean) ** 2 / n / n))
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    return MeanInterval(mean, error, mean - reach, mean + reach, level, n)
