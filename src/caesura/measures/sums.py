"""Sums over documents, and quotients of the sums.

Exact sums of counts and summaries of resolved options together are a partial result that can be merged with others.

Counts are added as whole multiples of 2^-106, so a total is bit-identical for every order of the documents and every
distribution over batches, threads and machines. The score is computed once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.kernels import sums as kernel
from caesura.model.result import Score, f_measure, ratio
from caesura.model.value import Floats

if TYPE_CHECKING:
    from caesura.measures.base import BatchCounts, Measure

_UNIT = 2**106  # numbers from 2^-53 up are multiples of 2^-106: two digits of 53 bits
_BLOCK_ROWS = 2**16  # rows whose whole parts, of up to 46 bits, add up within 63 bits
_LARGE = 2**46


def exact_sums(counts: Floats) -> tuple[int, ...]:
    """Return the sum of each column in units of 2^-106; each number is rounded to this unit."""
    total = [0] * counts.shape[1]
    for start in range(0, len(counts), _BLOCK_ROWS):
        rows = counts[start : start + _BLOCK_ROWS]
        digits = np.zeros((counts.shape[1], 3), np.int64)
        if kernel.add(rows, digits) < _LARGE:
            sums = [(a << 106) + (b << 53) + c for a, b, c in digits.tolist()]
        else:
            sums = [sum(map(_to_units, column)) for column in rows.T.tolist()]
        total = list(map(add, total, sums))
    return tuple(total)


def exact_sum(numbers: Iterable[float]) -> float:
    """Return the sum of numbers, each rounded to a multiple of 2^-106; the order does not matter."""
    return as_float(sum(map(_to_units, numbers)))


def as_float(units: int) -> float:
    """Return the float nearest to a number of units of 2^-106."""
    return units / _UNIT


def _to_units(number: float) -> int:
    """Return the nearest number of units; halves are rounded to even, as in the kernel."""
    numerator, denominator = number.as_integer_ratio()
    whole, rest = divmod(numerator * _UNIT, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))


def summarize(values: Sequence[Any] | NDArray[Any]) -> Any:
    """Return the value if all are equal, else a short text such as ``2..5``."""
    if isinstance(values, np.ndarray):
        is_number = values.dtype.kind in "iuf" and values.size
        values = [values.min().item(), values.max().item()] if is_number else np.unique(values).tolist()
    distinct = list(dict.fromkeys(end for value in values for end in _range_ends(value)))
    if len(distinct) == 1:
        return distinct[0]
    if all(isinstance(value, (int, float)) for value in distinct):
        return f"{min(distinct)}..{max(distinct)}"
    return "/".join(sorted({word for value in distinct for word in str(value).split("/")}))


def _range_ends(value: Any) -> tuple[Any, ...]:
    """Return the two numbers of a range ``2..5``, or the value itself."""
    ends = value.split("..") if isinstance(value, str) else ()
    try:
        return tuple(int(end) if end.isdecimal() else float(end) for end in ends) if len(ends) == 2 else (value,)
    except ValueError:
        return (value,)


@dataclass(frozen=True, slots=True)
class Partial:
    sums: tuple[int, ...]  # sum of each count, in units of 2^-106
    documents: int
    types: tuple[str, ...]
    resolved: Mapping[str, Any]  # options resolved per document, summarized

    @classmethod
    def of(cls, measure: Measure, result: BatchCounts, types: tuple[str, ...]) -> Self:
        if not len(result.counts):
            return cls.empty(measure, types)
        resolved = measure.summarize_resolved(result.resolved)
        return cls(exact_sums(result.counts), len(result.counts), types, resolved)

    @classmethod
    def empty(cls, measure: Measure, types: tuple[str, ...]) -> Self:
        return cls((0,) * len(measure.columns(types)), 0, types, {})

    def score(self, measure: Measure) -> Score:
        counts = np.array([as_float(units) for units in self.sums])
        return measure.build_score(counts, self.types, self.resolved, documents=self.documents)

    def merge(self, other: Partial, measure: Measure) -> Partial:
        if not self.documents or not other.documents:
            return self if self.documents else other
        if other.types != self.types and measure.fixed_types:
            raise OptionError(
                f"{measure!r}: only counts over the same types add up; some documents have {', '.join(self.types)}, "
                f"others {', '.join(other.types)}. Declare types=[...]"
            )
        types = self.types if other.types == self.types else tuple(sorted({*self.types, *other.types}))
        sums = map(add, self._sums_over(measure, types), other._sums_over(measure, types))
        resolved: dict[str, list[Any]] = {}
        for name, value in (*self.resolved.items(), *other.resolved.items()):
            resolved.setdefault(name, []).append(value)
        summaries = {name: summarize(values) for name, values in resolved.items()}
        return Partial(tuple(sums), self.documents + other.documents, types, summaries)

    def _sums_over(self, measure: Measure, types: tuple[str, ...]) -> tuple[int, ...]:
        """Return the sums for a longer list of types, for a measure whose counts do not depend on this list."""
        if types == self.types:
            return self.sums
        by_name = dict(zip(measure.columns(self.types), self.sums, strict=True))
        return tuple(by_name.get(name, 0) for name in measure.columns(types))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the sums from plain values, as ``model.plain.to_plain`` returns them."""
        return cls(tuple(map(int, data["sums"])), int(data["documents"]), tuple(data["types"]), data["resolved"])


def divide(numerator: NDArray[Any], denominator: NDArray[Any], *, empty: float | NDArray[Any] = 0.0) -> Floats:
    if np.count_nonzero(denominator) == denominator.size:
        return np.asarray(numerator / denominator, np.float64)
    zero = denominator == 0
    return np.asarray(np.where(zero, empty, numerator / (denominator + zero)), np.float64)


def precision_recall(
    recalled: float, reference: float, hypothesis: float, confirmed: float | None = None
) -> dict[str, float]:
    precision = ratio(recalled if confirmed is None else confirmed, hypothesis, reference + hypothesis)
    recall = ratio(recalled, reference, reference + hypothesis)
    return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}
