"""Chance agreement from the numbers of boundaries that coders placed (Fournier & Inkpen 2012, section 3.5).

If two coders each place a boundary of type t with probability P_t at any position, both place it with probability P_t^2.
"No boundary" is not a category. Therefore, for any similarity of boundaries::

    pi, multi_pi         A_e = sum over t of P_t^2         P_t = boundaries of type t over all coders and items
                                                                 / positions over all of them (equation 8)
    kappa, multi_kappa   A_e = mean over pairs of coders of the sum over t of P_t(c) P_t(d)     (equations 11 and 15)
    bias                 A_e(pi) - A_e(kappa)                                                  (equation 16)

If some coders did not annotate all items, P_t counts each (coder, item) once, P_t(c) uses all items of c, and only pairs
of coders who share an item count. The bias may then be negative.

Published figures use different conventions. These are available as options of the coefficients and as presets.
"""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from caesura.agreement.chance import AgreementArrays, ChanceModel, Coefficient, in_blocks
from caesura.agreement.coder_pairs import CoderPairs, check_coders_and_pairs
from caesura.engines import Engine
from caesura.limits import MAX_KAPPA_CELLS, MAX_PAIR_CELLS
from caesura.model.columns import typed_inner
from caesura.model.corpus import Corpus
from caesura.model.index import bincount
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice
from caesura.products import product

_WITH_BIAS = ("kappa", "multi_kappa", "bias")  # coefficients that are computed from the bias


class CountChance(ChanceModel):
    family = "counted"
    coefficients = ("pi", "kappa", "multi_pi", "multi_kappa", "bias")
    general_forms = MappingProxyType({"pi": "multi_pi", "kappa": "multi_kappa"})
    options = (
        Option(
            "counted",
            "boundaries",
            choice("boundaries", "segments"),
            "Objects to count; published figures use segments.",
        ),
        Option(
            "rates", "pooled", choice("pooled", "mean"), "Probability in pi: pooled, or the mean over coders and items."
        ),
        Option(
            "types", "separate", choice("separate", "together"), "One probability per boundary type, or one for all."
        ),
    )
    presets = MappingProxyType(
        {
            "fournier2012": {"counted": "segments", "rates": "pooled", "types": "together"},
            "fournier2013": {"counted": "segments", "rates": "mean", "types": "together"},
            "segeval-2.0.11": {"counted": "boundaries", "rates": "mean", "types": "together"},
        }
    )

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        self._settings = coefficient.settings
        self._width = max(len(observed.items), len(observed.pairs) * self._cells.shape[2])

    @classmethod
    def check_size(cls, corpus: Corpus, coefficient: str) -> None:
        check_coders_and_pairs(corpus, MAX_KAPPA_CELLS if coefficient in _WITH_BIAS else MAX_PAIR_CELLS)

    @property
    def signature_facts(self) -> dict[str, Any]:
        defaults = {option.name: option.default for option in self.options}
        changed = {name: value for name, value in self._settings.items() if value != defaults[name]}
        return super().signature_facts | changed

    @property
    def replicate_work(self) -> float:
        return (40.0 if self._has_bias(2) else 1.0) * len(self.observed.pairs)

    @cached_property
    def _boundaries(self) -> Floats:
        """Number of boundaries per coder, item and type: items x coders x types."""
        observed = self.observed
        types = observed.scores.types
        counts = np.zeros((len(observed.items), len(observed.coders), len(types)))
        texts = observed.texts
        if len(types) == 1:
            np.add.at(counts[:, :, 0], (texts.item, texts.coder), texts.numbers_of_boundaries)
            return counts
        for i, j, text in zip(texts.item.tolist(), texts.coder.tolist(), texts.segmentations, strict=True):
            counts[i, j] += bincount(typed_inner(text, types)[1], minlength=len(types))
        return counts

    @cached_property
    def _positions(self) -> Floats:
        """Number of inner positions per item, 0 for coders who did not annotate it: items x coders."""
        observed = self.observed
        lengths = {item: annotation.length for (item, _), annotation in observed.annotations.items()}
        positions = np.array([lengths[item] for item in observed.items], float)[:, None] - self._streams
        return np.where(observed.present, positions, 0.0)

    @cached_property
    def _streams(self) -> Floats:
        """Number of streams per item, which is 1 unless the item is a dialogue: items x coders, 0 if not annotated."""
        observed = self.observed
        texts = observed.texts
        streams = np.zeros(len(observed.items))
        np.maximum.at(streams, texts.item, texts.stream + 1.0)
        return np.where(observed.present, streams[:, None], 0.0)

    @cached_property
    def _cells(self) -> Floats:
        """The numbers to be summed: items x coders x (boundaries, positions, counts by type)."""
        # If the probability of pi is a mean of rates, (cells, rates by type) follow. Otherwise all numbers are whole.
        b, n = self._boundaries, self._positions[:, :, None]
        total = b.sum(axis=2, keepdims=True)
        if self._settings["types"] == "together":
            n = n * b.shape[2]
            b = total
        if self._settings["counted"] == "segments":
            b = b + self._streams[:, :, None]
        if self._settings["rates"] == "pooled":
            return np.concatenate([total, n, b], axis=2)
        possible = n > 0  # an item of one unit has no position and therefore no rate
        rates = np.where(possible, b / np.where(possible, n, 1), 0)
        return np.concatenate([total, n, b, possible, rates], axis=2)

    def _agreement(
        self, parts: Floats, sums: Floats, coders: Floats, pairs: Floats | None, sides: tuple[Ints, Ints] | None = None
    ) -> AgreementArrays:
        """Return the agreement from summed parts, cells summed over items, and weights of coders and pairs."""
        # The sums of cells have the shape rows x coders x columns. ``sides`` are the coders of each pair, as indices. Without
        # weights of pairs, there is no bias.
        left, right = sides or (self.observed.first, self.observed.second)
        pooled = self._settings["rates"] == "pooled"
        T = sums.shape[2] - 2 if pooled else (sums.shape[2] - 3) // 2  # noqa: N806 - the number of types
        n, b = sums[:, :, 1:2], sums[:, :, 2 : 2 + T]
        ratio = (b, n) if pooled else (sums[:, :, 3 + T :], sums[:, :, 2 + T : 3 + T])
        numerator, denominator = (np.einsum("rct,rc->rt", column, coders) for column in ratio)
        any_boundary = np.einsum("rc,rc->r", sums[:, :, 0], coders) > 0
        P = numerator / np.where(any_boundary, denominator[:, 0], np.nan)[:, None]  # noqa: N806 - the paper's symbol
        pi = (P * P).sum(axis=1)
        if pairs is None or (pairs.shape[1] > 1 and not self._has_bias(len(P))):
            return AgreementArrays.of(self.observed.similarity(parts), pi)
        # Products of kappa as deviations from P, so that coders with equal rates have a bias of exactly 0.
        possible = n[:, :, 0] > 0
        rates = b / np.where(possible, n[:, :, 0], 1)[:, :, None]
        deviation = np.where(possible[:, :, None], rates - P[:, None, :], 0)
        observed = self.observed
        first, second = deviation[:, left], deviation[:, right]
        pairs = pairs * (possible[:, left] & possible[:, right])
        products = np.einsum("rpt,rp->r", P[:, None, :] * (first + second) + first * second, pairs)
        weight = pairs.sum(axis=1)
        bias = -products / np.where(weight > 0, weight, np.nan) + 0.0
        expected = pi - bias if self.coefficient.name in _WITH_BIAS[:2] else pi
        return AgreementArrays.of(observed.similarity(parts), expected, bias=bias)

    def _summed(self, weights: Floats) -> Floats:
        """Return cells summed over weighted items: rows x coders x columns."""
        flat = self._cells.reshape(len(self._cells), -1)
        summed: Floats = product(weights, flat)
        return summed.reshape(len(weights), *self._cells.shape[1:])

    def over_items(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._items_block, weights, self._width)

    def _items_block(self, rows: Floats) -> AgreementArrays:
        observed = self.observed
        if not self._has_bias(len(rows)) and self._settings["rates"] == "pooled":
            # Only whole numbers of all coders together are needed.
            sums = product(rows, self._cells.sum(axis=1))[:, None, :]
            return self._agreement(product(rows, observed.item_parts), sums, np.ones((len(rows), 1)), None)
        pairs = np.ones((len(rows), len(observed.pairs)))
        if not observed.complete:
            pairs = ((rows > 0).astype(float) @ observed.shared > 0).astype(float)
        coders = np.ones((len(rows), len(observed.coders)))
        return self._agreement(product(rows, observed.item_parts), self._summed(rows), coders, pairs)

    def over_coders(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._coders_block, weights, self._width)

    def _coders_block(self, rows: Floats) -> AgreementArrays:
        observed = self.observed
        pairs, usable = observed.pair_weights(rows), observed.usable_items(rows)
        return self._agreement(product(pairs, observed.pair_parts), self._summed(usable), rows, pairs)

    def without_coders(self) -> AgreementArrays:
        observed, n = self.observed, len(self.observed.coders)
        if self._has_bias(n):
            return super().without_coders()
        rows = 1 - np.eye(n)
        usable = (observed.present.sum(axis=1) - observed.present.T >= 2).astype(float)
        parts = observed.pair_parts.sum(axis=0) - observed.coder_parts
        return self._agreement(parts, self._summed(usable), rows, None)

    def _has_bias(self, rows: int) -> bool:
        """Return whether bias is computed. Resamples need none, and its products of all pairs take most of the time."""
        return rows == 1 or len(self.observed.pairs) == 1 or self.coefficient.name in _WITH_BIAS

    def by_item(self) -> AgreementArrays:
        observed = self.observed
        present, shared = observed.present.astype(float), observed.shared.astype(float)
        return self._agreement(observed.item_parts, self._cells, present, shared)

    def by_coder(self) -> AgreementArrays:
        return in_blocks(self._by_coder_block, np.arange(len(self.observed.coders)), self._width)

    def _by_coder_block(self, coders: Ints) -> AgreementArrays:
        n = len(coders)
        sums = np.broadcast_to(self._cells.sum(axis=0), (n, *self._cells.shape[1:]))
        parts = self.observed.coder_parts[coders]
        return self._agreement(parts, sums, np.ones((n, sums.shape[1])), self.observed.pairs_of(coders))

    def by_pair(self) -> AgreementArrays:
        width = len(self.observed.items) * self._cells.shape[2]
        return in_blocks(self._by_pair_block, np.arange(len(self.observed.pairs)), width)

    def _by_pair_block(self, pairs: Ints) -> AgreementArrays:
        observed, n = self.observed, len(pairs)
        usable = observed.both_present(pairs).astype(float)
        sides = [
            np.einsum("ip,ipc->pc", usable, self._cells[:, side[pairs]]) for side in (observed.first, observed.second)
        ]
        only = np.array([0]), np.array([1])
        sums = np.stack(sides, axis=1)
        return self._agreement(observed.pair_parts[pairs], sums, np.ones((n, 2)), np.ones((n, 1)), only)
