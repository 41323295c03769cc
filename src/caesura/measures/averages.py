"""Means over items instead of sums over items: the option ``average``, which every measure has.

By default the counts of all items are added, and the value is computed once, from the sums (``average="micro"``). With
``average="items"`` or ``"items_pr"`` the additive columns are sums of the values and figures of the items, and the number of
items. Everything that adds rows of columns (totals, the bootstrap, partial results of many machines) works with both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.model.value import Floats
from caesura.options import Option, choice

if TYPE_CHECKING:
    from caesura.measures.base import Measure

# Option for the value of several items.
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
    """Return the names of the additive columns of a mean over items."""
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
    measure: Measure, sums: dict[str, float], types: tuple[str, ...], value: float
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
