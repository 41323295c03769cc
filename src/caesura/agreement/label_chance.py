"""Chance agreement of labels over time: shares of time instead of numbers of boundaries.

Observed agreement is the share of time in which two coders have the same label, over all pairs and items. Expected agreement::

    pi      sum over labels of P(l)^2       P(l) = time with label l / time, over all coders and items, each once (Fleiss)
    kappa   mean over pairs of coders of the sum over labels of P_c(l) P_d(l), P_c over all items of coder c

All coders of an item are compared in one sweep over all of their boundaries. With ``gaps="ignore"``, only time that every
coder of the item labels counts. With a tolerance there are two tables per pair of coders, and kappa is the mean of the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caesura.agreement.chance import AgreementArrays, ChanceModel, Coefficient, PartsChance, in_blocks
from caesura.agreement.coder_pairs import CoderPairs
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

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        measure = observed.measure
        assert isinstance(measure, LabelShare)
        items, coders, labels = len(observed.items), len(observed.coders), len(observed.scores.types) + 1
        self._agreed = np.zeros((items, len(observed.pairs)))
        self._length = np.zeros(items)
        self._labels = np.zeros((items, coders, labels))
        numbers = {pair: k for k, pair in enumerate(observed.pairs)}
        table, rows = _table(measure, observed)
        for i, item in enumerate(observed.items):
            # All coders of the item: with gaps="ignore", time that one of them leaves open counts for no pair.
            present = [c for c, coder in enumerate(observed.coders) if (item, coder) in observed.annotations]
            streams = [rows[item, observed.coders[c]] for c in present]
            agreed, length, by_label = _sweep(measure, table, streams, observed.scores.types)
            self._length[i], self._labels[i, present] = length, by_label
            for x, c in enumerate(present):
                for y, d in enumerate(present[x + 1 :], x + 1):
                    pair = numbers.get((c, d), numbers.get((d, c)))
                    if pair is not None:  # two coders who label no time together are no pair
                        self._agreed[i, pair] = agreed[x, y]
        for lengths in (self._agreed, self._length, self._labels):
            lengths /= table.ticks

    @classmethod
    def suited_to(cls, measure: Measure) -> type[ChanceModel]:
        return NearLabelChance if isinstance(measure, LabelShare) and measure.has_tolerance else cls

    def _agreement(self, items: Floats, coders: Floats, pairs: Floats) -> AgreementArrays:
        shared = self.observed.shared
        # Over pairs first, because there are many more pairs than items.
        agreed = np.einsum("ri,ri->r", items, pairs @ self._agreed.T)
        compared = items * self._length
        length = np.einsum("ri,ri->r", compared, pairs @ shared.T.astype(float))
        by_label = np.einsum("ri,icl->rcl", items, self._labels, optimize=True)
        own = compared @ self.observed.present.astype(float)  # rows x coders
        if self.coefficient.name == "pi":
            total = np.einsum("rc,rc->r", own, coders)
            pooled = np.einsum("rcl,rc->rl", by_label, coders) / np.where(total > 0, total, np.nan)[:, None]
            expected = (pooled**2).sum(axis=1)
        else:
            possible = np.where(own > 0, own, np.nan)
            rates = np.nan_to_num(by_label / possible[:, :, None])
            # A pair without an item in common does not count.
            weights = pairs if shared.all() else pairs * ((items > 0).astype(float) @ shared > 0)
            expected = np.empty(len(rates))
            weights = np.ascontiguousarray(weights)
            kernel.mean_of_pairs(rates, self.observed.first, self.observed.second, weights, expected)
        return _arrays(agreed, length, expected)

    @property
    def _width(self) -> int:
        return len(self.observed.pairs) * self._labels.shape[2]

    def over_items(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._items_block, weights, self._width)

    def _items_block(self, rows: Floats) -> AgreementArrays:
        observed, n = self.observed, len(rows)
        return self._agreement(rows, np.ones((n, len(observed.coders))), np.ones((n, len(observed.pairs))))

    def over_coders(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._coders_block, weights, self._width)

    def _coders_block(self, rows: Floats) -> AgreementArrays:
        observed = self.observed
        return self._agreement(observed.usable_items(rows), rows, observed.pair_weights(rows))

    def by_pair(self) -> AgreementArrays:
        # One pair per row: a row of weights for all pairs would take time in proportion to the square of their number.
        width = len(self.observed.items) * self._labels.shape[2]
        return in_blocks(self._by_pair_block, np.arange(len(self.observed.pairs)), width)

    def _by_pair_block(self, pairs: Ints) -> AgreementArrays:
        observed = self.observed
        items = observed.usable_items(observed.members[pairs])  # pairs x items
        compared = items * self._length
        agreed = np.einsum("pi,ip->p", items, self._agreed[:, pairs])
        length = np.einsum("pi,ip->p", compared, observed.shared[:, pairs].astype(float))
        coders = observed.first[pairs], observed.second[pairs]
        own, other = (np.einsum("pi,ip->p", compared, observed.present[:, side].astype(float)) for side in coders)
        by_label, other_by_label = (np.einsum("pi,ipl->pl", items, self._labels[:, side]) for side in coders)
        if self.coefficient.name == "pi":
            total = own + other
            pooled = (by_label + other_by_label) / np.where(total > 0, total, np.nan)[:, None]
            expected = (pooled**2).sum(axis=1)
        else:
            possible = np.where((own > 0) & (other > 0), own * other, np.nan)
            expected = np.nan_to_num((by_label * other_by_label).sum(axis=1) / possible)
        return _arrays(agreed, length, expected)

    def by_item(self) -> AgreementArrays:
        return in_blocks(self._by_item_block, np.arange(len(self.observed.items)), self._width)

    def _by_item_block(self, items: Ints) -> AgreementArrays:
        observed = self.observed
        rows = np.eye(len(observed.items))[items]
        return self._agreement(rows, observed.present[items].astype(float), observed.shared[items].astype(float))

    def by_coder(self) -> AgreementArrays:
        return in_blocks(self._by_coder_block, np.arange(len(self.observed.coders)), self._width)

    def _by_coder_block(self, coders: Ints) -> AgreementArrays:
        observed, n = self.observed, len(coders)
        all_coders = np.ones((n, len(observed.coders)))
        return self._agreement(np.ones((n, len(observed.items))), all_coders, observed.pairs_of(coders))


def _arrays(agreed: Floats, length: Floats, expected: Floats) -> AgreementArrays:
    """Return agreement from the agreed length, the counted length and the agreement expected by chance."""
    observed = np.nan_to_num(agreed / np.where(length > 0, length, np.nan))
    expected = np.where(length > 0, expected, np.nan)  # no time that all coders label
    return AgreementArrays.of(observed, np.where(expected >= CERTAIN, 1.0, expected))


class _TwoTables(AgreementArrays):
    """Means of two tables, whose coefficient is the mean of their coefficients."""

    kappas: Floats

    def values(self, coefficient: str) -> Floats:
        return self.kappas


class NearLabelChance(PartsChance):
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

    def _arrays(self, parts: Floats) -> AgreementArrays:
        measure = self.observed.measure
        assert isinstance(measure, LabelShare)
        first, second = measure.tables(parts)
        kappas = (first.coefficient("kappa") + second.coefficient("kappa")) / 2
        # One base can have a kappa and the other none: then there is no mean, and chance agreement is given as 1.
        expected = np.where(np.isnan(kappas), 1.0, (first.kappa + second.kappa) / 2)
        arrays = _TwoTables.of((first.observed + second.observed) / 2, expected)
        assert isinstance(arrays, _TwoTables)
        arrays.kappas = kappas
        return arrays


def _table(measure: LabelShare, observed: CoderPairs) -> tuple[Table, dict[tuple[str, str], dict[str, int]]]:
    """Return all annotations as one table, and the row of each stream by item and coder."""
    rows: dict[tuple[str, str], dict[str, int]] = {}
    annotations: list[Any] = []
    for key, annotation in observed.annotations.items():
        streams = annotation if isinstance(annotation, Mapping) else {"": annotation}
        rows[key] = {name: len(annotations) + number for number, name in enumerate(streams)}
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
