"""Means over items, and several references for one hypothesis: the options ``average`` and ``references`` of every measure.

By default the counts of all items are added, and the value is computed once, from the sums (``average="micro"``). With
``average="items"`` or ``"items_pr"`` the additive columns are sums of the values and figures of the items, and the number of
items. Everything that adds rows of columns (totals, the bootstrap, partial results of many machines) works with both.

With several references, the hypothesis is compared with each of them, each comparison as one document of the kernels; the
counts of these documents become the counts of the item.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.measures.sums import summarize
from caesura.model.batch import Batch
from caesura.model.index import reduceat
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, optional

if TYPE_CHECKING:
    from caesura.measures.base import BatchCounts, Measure

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
        return type(result)(counts, resolved)
    counts = averaged_rows(measure, result.counts, types)
    if mode == "union":
        counts = _unions(measure, counts, batch)
    elif len(first) > 1:  # the mean over the references of each item
        counts = np.asarray(reduceat(np.add, counts, first[:-1], axis=0) / np.diff(first)[:, None], np.float64)
    return type(result)(counts, {name: _per_item(column, first) for name, column in result.resolved.items()})


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
