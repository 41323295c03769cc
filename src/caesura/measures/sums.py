"""Sums over documents, and quotients of the sums.

Exact sums of counts and summaries of resolved options together are a partial result that can be merged with others.

Counts are added as whole multiples of 2^-106, so a total is bit-identical for every order of the documents and every
distribution over batches, threads and machines. The score is computed once, at the end.

By default the counts of all items are added (``average="micro"``). With ``average="items"`` or ``"items_pr"`` the additive
columns are sums of the values and figures of the items, and the number of items. Everything that adds rows of columns (totals,
the bootstrap, partial results of many machines) works with both. With several references, the hypothesis is compared with each
of them, each comparison as one document of the kernels; the counts of these documents become the counts of the item.
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
from caesura.model.batch import Batch
from caesura.model.index import reduceat
from caesura.model.result import Score, f_measure, ratio
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, optional

if TYPE_CHECKING:
    from caesura.measures.base import Measure

# Additive counts: one row per document, one column per part.
Counts = Floats


@dataclass(frozen=True, slots=True)
class BatchCounts:
    counts: Counts
    # Options that were resolved per document, such as the window of Pk: one array per option.
    resolved: Mapping[str, NDArray[Any]]


# Chance agreement from which on a coefficient is undefined: 1 up to rounding.
CERTAIN = 1 - 1e-12
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


def pool_resolved(
    words: Mapping[str, NDArray[np.str_]], batch: Batch, resolved: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Return options that were resolved per stream as one text per document, such as ``2..5``."""
    ends, pooled = list(batch.stream_ranges()), {}
    for name, column in resolved.items():
        parts = [column[start:end] for start, end in ends]
        if name in words:
            texts = [summarize(words[name][part]) for part in parts]
        else:
            texts = [f"{part.min()}..{part.max()}" for part in parts]
        pooled[name] = np.array(texts, np.str_)
    return pooled


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


# -- means over items, and several references -------------------------------------------------------------------------

REFERENCES = Option(
    "references",
    None,
    optional(choice("each", "best", "union", "best_or_first")),
    "with several reference coders: mean over coders, the coder with the best value, or precision against the boundaries "
    "of all coders; best_or_first exists for presets only",
    omitted_at_default=True,
)
AVERAGE = Option(
    "average",
    "micro",
    choice("micro", "items", "items_pr"),
    "over several items: sum the counts, take the mean of the values, or F of the mean precision and recall",
    omitted_at_default=True,
)


def figure_names(measure: Measure, types: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(measure.derived(dict.fromkeys(measure.part_names(types), 1.0), types))


def averaged_columns(measure: Measure, types: tuple[str, ...]) -> tuple[str, ...]:
    return ("value_sum", *(f"{name}_sum" for name in figure_names(measure, types)), "items")


def averaged_rows(measure: Measure, counts: Floats, types: tuple[str, ...]) -> Floats:
    """Return the columns of a mean over items, from the counts of each item."""
    parts, figures = measure.part_names(types), figure_names(measure, types)
    rows = np.ones((len(counts), len(figures) + 2))
    rows[:, 0] = measure.finish(counts, types)
    for row, numbers in zip(rows, counts.tolist() if figures else (), strict=False):
        derived = measure.derived(dict(zip(parts, numbers, strict=True)), types)
        row[1:-1] = [derived[name] for name in figures]
    return rows


def averaged_values(measure: Measure, sums: Floats, types: tuple[str, ...]) -> Floats:
    """Return the values of rows that are sums over items."""
    items = np.maximum(sums[:, -1], 1)
    if measure["average"] != "items_pr":
        return np.asarray(sums[:, 0] / items, np.float64)
    names = figure_names(measure, types)
    assert measure.two_ratios is not None  # checked when the measure was created
    precision, recall = (sums[:, 1 + names.index(name)] / items for name in measure.two_ratios)
    return combine(precision, recall, float(measure.settings.get("beta", 1)))


def averaged_figures(
    measure: Measure, types: tuple[str, ...], value: float, sums: Mapping[str, float]
) -> dict[str, float]:
    """Return the mean of each figure; f is the value where the measure calls its value f."""
    items = max(sums["items"], 1)
    figures = {name: sums[f"{name}_sum"] / items for name in figure_names(measure, types)}
    return figures | {"f": value} if "f" in figures and measure.two_ratios else figures


def combine(precision: Floats, recall: Floats, beta: float = 1.0) -> Floats:
    """Return the weighted harmonic means of precision and recall."""
    weight = beta * beta
    weighted = weight * precision + recall
    product = (1 + weight) * precision * recall
    return np.asarray(np.divide(product, weighted, out=np.zeros_like(product), where=weighted > 0), np.float64)


def count_references(measure: Measure, batch: Batch, result: BatchCounts) -> BatchCounts:
    """Return the columns of items that are compared with one or several references."""
    first, types, mode = _offsets(batch), batch.types, measure["references"]
    if mode in ("best", "best_or_first"):
        rows = _best(measure, batch, result.counts)
        counts = result.counts[rows]
        counts = averaged_rows(measure, counts, types) if measure.is_averaged else counts
        resolved = {name: column[rows] for name, column in result.resolved.items()}
        return BatchCounts(counts, resolved)
    counts = averaged_rows(measure, result.counts, types)
    if mode == "union":
        counts = _unions(measure, counts, batch)
    elif len(first) > 1:  # the mean over the references of each item
        counts = np.asarray(reduceat(np.add, counts, first[:-1], axis=0) / np.diff(first)[:, None], np.float64)
    return BatchCounts(counts, {name: _per_item(column, first) for name, column in result.resolved.items()})


def _best(measure: Measure, batch: Batch, counts: Floats) -> Ints:
    """Return the comparison of each item with the best value, the first of equals."""
    values = measure.finish(counts, batch.types)
    values = values if measure.higher_is_better else -values
    first = _offsets(batch)
    ranges = zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    best = np.array([start + int(np.argmax(values[start:end])) for start, end in ranges], np.int64)
    if measure["references"] == "best_or_first":
        rows = first[:-1] if batch.streams is None else batch.streams[first[:-1]]
        best = np.where(batch.sides()[1].count[rows] == 0, first[:-1], best)
    return best


def _offsets(batch: Batch) -> Ints:
    """Return the first document of each item, followed by the number of all documents."""
    return np.arange(batch.documents + 1) if batch.references is None else batch.references


def _unions(measure: Measure, rows: Floats, batch: Batch) -> Floats:
    """Return precision against the union of all references, the mean recall of the references, and F of the two."""
    assert measure.two_ratios is not None
    names = figure_names(measure, batch.types)
    at_precision, at_recall = (1 + names.index(name) for name in measure.two_ratios)
    first = _offsets(batch)
    union = first[1:] - 1
    out = rows[union]
    recalls = [
        rows[start:end, at_recall].mean() for start, end in zip(first[:-1].tolist(), union.tolist(), strict=True)
    ]
    out[:, at_recall] = recalls
    out[:, 0] = combine(out[:, at_precision], out[:, at_recall], float(measure.settings.get("beta", 1)))
    if "f" in names:
        out[:, 1 + names.index("f")] = out[:, 0]
    return out


def _per_item(column: NDArray[Any], first: Ints) -> NDArray[Any]:
    """Return an option that was resolved per comparison as one entry per item."""
    starts = first[:-1]
    if not len(starts) or all(len(np.unique(column[a:b])) == 1 for a, b in zip(starts, first[1:], strict=True)):
        return column[starts]
    texts = [str(summarize(column[a:b])) for a, b in zip(starts.tolist(), first[1:].tolist(), strict=True)]
    return np.array(texts, np.str_)
