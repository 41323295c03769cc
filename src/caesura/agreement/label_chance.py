"""Chance agreement of labels over time: shares of time instead of numbers of boundaries.

Observed agreement is the share of time in which two coders have the same label, over all pairs and items. Expected agreement::

    pi      sum over labels of P(l)^2       P(l) = time with label l / time, over all coders and items, each once (Fleiss)
    kappa   mean over pairs of coders of the sum over labels of P_c(l) P_d(l), P_c over all items of coder c

All coders of an item are compared in one sweep over all of their boundaries. With ``gaps="ignore"``, only time that every
coder of the item labels counts. With a tolerance there are two tables per pair of coders, and kappa is the mean of the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.agreement.chance import ChanceModel, Coefficient
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import Parts, Rows, Sums
from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.kernels import products as kernel
from caesura.measures.base import Measure
from caesura.measures.label_share import LabelShare
from caesura.measures.sums import CERTAIN
from caesura.model.columns import Table, at_level
from caesura.model.index import bincount, searchsorted
from caesura.model.value import Floats, Ints


class LabelChance(ChanceModel):
    """Chance model of labels over time, from the length of each label of each coder."""

    family = "labels"
    coefficients = ("kappa", "pi")
    method = "lengths of labels"
    nothing = "no time is labelled by all coders of an item"

    @classmethod
    def suited_to(cls, measure: Measure) -> type[ChanceModel]:
        return NearLabelChance if isinstance(measure, LabelShare) and measure.has_tolerance else cls

    @cached_property
    def parts(self) -> Parts:
        """The agreed and the counted length of each row, and the counted length and that of each label of each cell."""
        observed, measure = self.observed, self.observed.measure
        assert isinstance(measure, LabelShare)
        table, streams = _table(measure, observed)
        cells, types = observed.cells, observed.scores.types
        starts = searchsorted(cells.item, np.arange(len(observed.items) + 1))
        rows = searchsorted(observed.item_index, np.arange(len(observed.items) + 1))
        values, margins = np.empty((len(observed.item_index), 2)), np.empty((len(cells.item), len(types) + 2))
        for item, (start, stop) in enumerate(pairwise(starts.tolist())):
            # All coders of the item: with gaps="ignore", time that one of them leaves open counts for no pair.
            agreed, length, by_label = _sweep(measure, table, streams[start:stop], types)
            own = slice(rows[item], rows[item + 1])
            first, second = (side[own] - start for side in observed.sides)
            values[own] = np.column_stack([agreed[first, second], 0 * first + length])
            margins[start:stop] = np.column_stack([np.full(stop - start, length), by_label])
        pooled = self.coefficient.name == "pi"
        return observed.table(
            self.finish, values=values / table.ticks, margins=margins / table.ticks, pairwise=not pooled
        )

    def finish(self, sums: Sums) -> Rows:
        agreed, length = sums.parts.T
        if self.coefficient.name == "pi":
            total = sums.margins[:, :1]
            expected = ((sums.margins[:, 1:] / np.where(total > 0, total, np.nan)) ** 2).sum(axis=1)
        else:
            own = sums.pairs.margins[:, :, :1]
            rates = np.nan_to_num(sums.pairs.margins[:, :, 1:] / np.where(own > 0, own, np.nan))
            expected = sums.pairs.mean_product(rates)
        observed = np.nan_to_num(agreed / np.where(length > 0, length, np.nan))
        expected = np.where(length > 0, expected, np.nan)  # no time that all coders label
        return Rows.of(observed, np.where(expected >= CERTAIN, 1.0, expected))


class NearLabelChance(ChanceModel):
    """Chance model of labels within a tolerance, for two coders: two tables, with either coder as the base."""

    family = "labels"
    coefficients = ("kappa",)
    method = "lengths of labels, two tables"

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        if coefficient.name != "kappa":
            raise OptionError("a tolerance is defined for kappa only; use kappa, or remove the tolerance")
        if len(observed.coders) > 2:
            raise OptionError(
                f"a tolerance compares two coders, one of whom is the base; got {len(observed.coders)} coders; "
                "use pairwise, or remove the tolerance"
            )

    def finish(self, sums: Sums) -> Rows:
        measure = self.observed.measure
        assert isinstance(measure, LabelShare)
        first, second = measure.tables(sums.parts)
        kappas = (first.coefficient("kappa") + second.coefficient("kappa")) / 2
        # One base can have a kappa and the other none: then there is no mean, and chance agreement is given as 1.
        expected = np.where(np.isnan(kappas), 1.0, (first.kappa + second.kappa) / 2)
        return Rows.of((first.observed + second.observed) / 2, expected, values=kappas)


def _table(measure: LabelShare, observed: CoderPairs) -> tuple[Table, list[dict[str, int]]]:
    """Return all annotations as one table, and the row of each stream of each cell."""
    rows: list[dict[str, int]] = []
    annotations: list[Any] = []
    for annotation in observed.cells.annotations:
        streams = annotation if isinstance(annotation, Mapping) else {"": annotation}
        rows.append({name: len(annotations) + number for number, name in enumerate(streams)})
        annotations += streams.values()
    return at_level(Table.of(annotations), measure.level)[0], rows


def _sweep(
    measure: LabelShare, table: Table, streams: Sequence[Mapping[str, int]], names: tuple[str, ...]
) -> tuple[Floats, float, Floats]:
    """Return the agreed length of every two coders of an item, the counted length, and that of each coder and label."""
    n = len(streams)
    agreed, length, by_label = np.zeros((n, n)), 0.0, np.zeros((n, len(names) + 1))
    (places, _, off), labels = table.places, table.column("labels", names)
    for name in streams[0]:
        rows = np.array([coder[name] for coder in streams])
        begin, end = _extent(table, rows, measure.extent)
        inner = [places[off[row] : off[row + 1]] for row in rows]
        cuts = np.unique(np.concatenate([[begin, end], table.begin[rows], table.end[rows], *inner]))
        cuts = cuts[(cuts >= begin) & (cuts <= end)]
        width, middle = np.diff(cuts).astype(np.float64), (cuts[:-1] + cuts[1:]) / 2
        codes = np.zeros((len(width), n), np.int64)
        for x, (row, ends) in enumerate(zip(rows, inner, strict=True)):
            own = labels.label[labels.off[row] : labels.off[row + 1]][searchsorted(ends, middle)]
            codes[:, x] = np.where((middle > table.begin[row]) & (middle < table.end[row]), own, 0)
        if measure.gaps == "ignore":
            width = np.where((codes > 0).all(axis=1), width, 0.0)
        length += float(width.sum())
        for x in range(n):
            by_label[x] += bincount(codes[:, x], width, len(names) + 1)
        kernel.equal_lengths(codes, width, agreed)
    return agreed, length, by_label


def _extent(table: Table, rows: Ints, extent: str) -> tuple[int, int]:
    """Return the extent in ticks that a measure chose for two coders; they were checked pair by pair."""
    begins, ends = table.begin[rows], table.end[rows]
    begin, end = {
        "intersection": (begins.max(), ends.min()),
        "union": (begins.min(), ends.max()),
        "from_zero": (0, ends[0]),
    }.get(extent, (begins[0], ends[0]))
    return int(begin), int(end)
