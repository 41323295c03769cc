"""Confidence intervals of a single value.

There are two kinds of intervals. :func:`bootstrap` resamples items; its interval shows how much the value would change
with different items. :func:`mean_interval` treats the values as independent; its interval shows how precise their mean is.
Boundary pairs inside one text are not independent, so the second interval is too narrow. The literature reports the
second interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError, Undefined
from caesura.model import checks
from caesura.model.index import bincount
from caesura.model.result import Result
from caesura.options import fraction, whole
from caesura.options import seed as check_seed
from caesura.products import product
from caesura.statistics.arrays import Finish, Floats, checked_values, matrix, vector

MIN_ITEMS = 20  # with fewer items a percentile interval is too narrow
_CELLS = 2_000_000  # numbers in a block of samples; it only affects memory
_MAX_SINGLE = 2.0**24  # whole numbers below it are exact in single precision


@dataclass(frozen=True, slots=True)
class BootstrapInterval(Result):
    """A value and its percentile interval.

    Attributes
    ----------
    value : float
        Value over all items.
    low, high : float
        Ends of the interval.
    level : float
        Confidence level.
    items : int
        Number of items.
    replicates : int
        Number of bootstrap replicates.
    """

    json_properties = ("caution",)

    value: float
    low: float
    high: float
    level: float
    items: int
    replicates: int

    @property
    def caution(self) -> str | None:
        """Warning about too few items; None if there are at least 20."""
        if self.items >= MIN_ITEMS:
            return None
        return (
            f"the interval is computed from {self.items} items; below {MIN_ITEMS} a percentile interval is too narrow "
            "(a level of .95 covers about .84 at 5 items, .92 at 20)"
        )


@dataclass(frozen=True, slots=True)
class MeanInterval(Result):
    """A mean over values that are treated as independent, with its standard error and interval.

    Attributes
    ----------
    mean : float
        Mean of the values.
    standard_error : float
        Standard error of the mean.
    low, high : float
        Ends of the interval.
    level : float
        Confidence level.
    n : int
        Number of values.
    """

    mean: float
    standard_error: float
    low: float
    high: float
    level: float
    n: int


def item_weights(items: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Draw bootstrap samples of items, represented by the number of times that each item occurs.

    Parameters
    ----------
    items : int
        Number of items. Every sample has the same number of items, drawn with replacement.
    replicates : int
        Number of samples.
    rng : numpy.random.Generator
        Source of random numbers.

    Yields
    ------
    numpy.ndarray
        Blocks of rows, one row per replicate and one column per item. The size of a block is bounded, so that memory does
        not grow with the number of replicates.

    Examples
    --------
    >>> blocks = list(item_weights(3, 4, np.random.default_rng(1)))
    >>> [block.shape for block in blocks], [block.sum(axis=1).tolist() for block in blocks]
    ([(4, 3)], [[3.0, 3.0, 3.0, 3.0]])
    """
    for rows in block_sizes(replicates, items):
        sample = rng.integers(items, size=(rows, items))
        sample += np.arange(rows)[:, None] * items
        yield bincount(sample.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


class WeightedSums:
    """Sums of the rows of a table, each with a weight; the weights of a sum add up to at most the number of rows."""

    # Equal columns are summed once. Columns of small whole numbers are summed in single precision, where they are exact.

    def __init__(self, table: Floats) -> None:
        places: dict[bytes, int] = {}
        self._place_of = [places.setdefault(column.tobytes(), len(places)) for column in table.T]
        distinct = np.empty((len(table), len(places)))
        distinct[:, self._place_of] = table
        is_whole = (np.rint(distinct) == distinct).all(axis=0)
        self._short = is_whole & (np.abs(distinct).max(axis=0) * len(table) < _MAX_SINGLE)
        self._in_single = distinct[:, self._short].astype(np.float32)
        self._in_double = distinct[:, ~self._short]

    def of(self, weights: NDArray[np.generic]) -> Floats:
        """Return one row of sums per row of weights."""
        sums = np.empty((len(weights), len(self._short)))
        if self._in_single.size:
            sums[:, self._short] = weights.astype(np.float32) @ self._in_single
        if self._in_double.size:
            sums[:, ~self._short] = product(weights, self._in_double)
        return sums[:, self._place_of]


def block_sizes(rows: int, width: int) -> Iterator[int]:
    """Divide rows into blocks with a bounded number of cells."""
    size = max(1, _CELLS // width)
    for start in range(0, rows, size):
        yield min(size, rows - start)


def bootstrap(
    parts: ArrayLike, finish: Finish, *, replicates: int = 10_000, level: float = 0.95, seed: int | None = 0
) -> BootstrapInterval:
    """Compute the percentile bootstrap interval over items for a value computed from summed parts.

    Parameters
    ----------
    parts : array_like, items x parts
        Additive parts, one row per item.
    finish : callable
        Function from rows of summed parts to values, such as ``Measure.finish``.
    replicates : int, default 10000
        Number of bootstrap replicates.
    level : float, default 0.95
        Confidence level.
    seed : int or None, default 0
        Random seed; None chooses a random one.

    Returns
    -------
    BootstrapInterval
        Value and interval. ``.caution`` warns if there are few items.

    Raises
    ------
    Undefined
        If there is only one item, which cannot be resampled.

    Notes
    -----
    No item is scored again. Items are drawn with replacement, their parts are summed, and ``finish`` computes the value of
    each replicate. The interval excludes (1 - level) / 2 of the replicates on each side. The percentile interval is too
    narrow if there are few items.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall, chapter 13.

    Examples
    --------
    >>> parts = [[8, 10], [5, 9], [9, 12], [3, 8]]
    >>> result = bootstrap(parts, lambda sums: sums[:, 0] / sums[:, 1], seed=1)
    >>> f"{result.value:.3f} [{result.low:.3f}, {result.high:.3f}]"
    '0.641 [0.471, 0.773]'
    """
    return bootstrap_many([(parts, finish)], replicates=replicates, level=level, seed=seed)[0]


def bootstrap_many(
    tables: Sequence[tuple[ArrayLike, Finish]], *, replicates: int = 10_000, level: float = 0.95, seed: int | None = 0
) -> list[BootstrapInterval]:
    """Compute the intervals of :func:`bootstrap` for several values over the same number of items.

    Parameters
    ----------
    tables : sequence of tuple
        For each value: its parts, items x parts, and the function from rows of summed parts to values.
    replicates : int, default 10000
        Number of bootstrap replicates.
    level : float, default 0.95
        Confidence level.
    seed : int or None, default 0
        Random seed; None chooses a random one.

    Returns
    -------
    list of BootstrapInterval
        One interval per table. All of them come from the same samples of items, which are drawn once.

    Raises
    ------
    Undefined
        If there is only one item, which cannot be resampled.

    Examples
    --------
    >>> first, second = [[8, 10], [5, 9], [9, 12]], [[7, 10], [5, 9], [8, 12]]
    >>> results = bootstrap_many([(parts, lambda sums: sums[:, 0] / sums[:, 1]) for parts in (first, second)], seed=1)
    >>> [f"{result.low:.3f}" for result in results]
    ['0.556', '0.556']
    """
    arrays = [matrix("parts", parts, "items", "columns") for parts, _ in tables]
    replicates, level = whole(1)("replicates", replicates), fraction("level", level)
    rng = np.random.default_rng(check_seed("seed", seed))
    items = len(arrays[0])
    if items < 2:
        raise Undefined("an interval over items needs at least 2 items; got 1")
    ends = np.cumsum([array.shape[1] for array in arrays])
    weighted_sums = WeightedSums(np.concatenate(arrays, axis=1))
    sums = np.concatenate([weighted_sums.of(weights) for weights in item_weights(items, replicates, rng)])
    results = []
    for array, (_, finish), of_table in zip(arrays, tables, np.split(sums, ends[:-1], axis=1), strict=True):
        value = float(checked_values(finish, array.sum(axis=0, keepdims=True))[0])
        values = checked_values(finish, of_table)
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
        results.append(BootstrapInterval(value, float(low), float(high), level, items, replicates))
    return results


def mean_interval(values: ArrayLike, counts: ArrayLike | None = None, *, level: float = 0.95) -> MeanInterval:
    """Compute mean ± z SD / sqrt(n) over n values that are treated as independent.

    Parameters
    ----------
    values : array_like
        The values.
    counts : array_like, optional
        Number of times that each value occurred.
    level : float, default 0.95
        Confidence level; z is 1.96 at .95.

    Returns
    -------
    MeanInterval
        Mean, standard error and interval.

    Raises
    ------
    Undefined
        If all counts are 0.

    Notes
    -----
    SD is the population standard deviation of the values (divided by n). Figure 10b of Fournier (2013) shows this interval,
    and Table 2 there gives its standard error after ±. The interval is too narrow, because it ignores that pairs inside one
    text depend on each other.

    References
    ----------
    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.

    Examples
    --------
    239 boundary pairs match, 80 are near misses worth a half, and 738 boundaries have no partner:

    >>> result = mean_interval([1, 0.5, 0], [239, 80, 738])
    >>> f"{result.mean:.4f} ± {result.standard_error:.4f} over {result.n}"
    '0.2640 ± 0.0129 over 1057'
    """
    x = vector("values", values)
    weights = np.ones(len(x)) if counts is None else vector("counts", counts)
    level = fraction("level", level)
    if len(weights) != len(x):
        raise OptionError(f"counts: must have one count for each of {len(x)} values; got {len(weights)}")
    if (i := checks.first_true((weights < 0) | (weights % 1 != 0))) is not None:
        raise OptionError(f"counts[{i}]: must be a whole number from 0 up; got {weights[i]:g}")
    n = int(weights.sum())
    if n == 0:
        raise Undefined("a mean needs at least one value; all counts are 0")
    mean = product(weights, x) / n
    error = float(np.sqrt(product(weights, (x - mean) ** 2) / n / n))
    margin = NormalDist().inv_cdf((1 + level) / 2) * error
    return MeanInterval(mean, error, mean - margin, mean + margin, level, n)
