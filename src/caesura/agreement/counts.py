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

from caesura.agreement.chance import ChanceModel
from caesura.agreement.coder_pairs import Texts
from caesura.agreement.parts import Parts, Rows, Sums
from caesura.model.columns import typed_inner
from caesura.model.index import bincount
from caesura.model.value import Floats
from caesura.options import Option, choice

_WITH_BIAS = ("kappa", "multi_kappa", "bias")  # coefficients that are computed from the bias
_ROUNDING = 1e-14  # a bias that is smaller, relative to A_e(pi), is the rounding error of equal rates


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

    @property
    def signature_facts(self) -> dict[str, Any]:
        defaults = {option.name: option.default for option in self.options}
        settings = self.coefficient.settings
        changed = {name: value for name, value in settings.items() if value != defaults[name]}
        return super().signature_facts | changed

    @cached_property
    def parts(self) -> Parts:
        return self.observed.table(self.finish, margins=self._margins, pairwise=self.coefficient.name in _WITH_BIAS)

    @cached_property
    def _margins(self) -> Floats:
        """Boundaries, positions and counts by type of each coder and item."""
        # If the probability of pi is a mean of rates, (cells, rates by type) follow. Otherwise all numbers are whole.
        observed, settings = self.observed, self.coefficient.settings
        texts, types = observed.texts, observed.scores.types
        cells = len(observed.cells.item)
        streams = bincount(texts.cell, minlength=cells)[:, None].astype(float)
        lengths = np.array([[entry.length] for entry in observed.cells.annotations], float)
        b, n = boundaries_by_type(texts, types, cells), lengths - streams
        total = b.sum(axis=1, keepdims=True)
        if settings["types"] == "together":
            n = n * b.shape[1]
            b = total
        if settings["counted"] == "segments":
            b = b + streams
        if settings["rates"] == "pooled":
            return np.concatenate([total, n, b], axis=1)
        possible = n > 0  # an item of one unit has no position and therefore no rate
        rates = np.where(possible, b / np.where(possible, n, 1), 0)
        return np.concatenate([total, n, b, possible, rates], axis=1)

    def finish(self, sums: Sums) -> Rows:
        observed, name = self.observed.similarity(sums.parts), self.coefficient.name
        pooled, columns = self.coefficient.settings["rates"] == "pooled", sums.margins.shape[1]
        T = columns - 2 if pooled else (columns - 3) // 2  # noqa: N806 - the number of types
        positions, counts = sums.margins[:, 1], sums.margins[:, 2 : 2 + T]
        numerator, denominator = (counts, positions) if pooled else (sums.margins[:, 3 + T :], sums.margins[:, 2 + T])
        P = numerator / np.where(sums.margins[:, 0] > 0, denominator, np.nan)[:, None]  # noqa: N806 - the paper's symbol
        pi = (P * P).sum(axis=1)
        if name not in _WITH_BIAS and len(pi) > 1:
            return Rows.of(observed, pi)
        own = sums.pairs.margins[:, :, 1 : 2 + T]
        bias = pi - sums.pairs.mean_product(own[:, :, 1:] / np.where(own[:, :, :1] > 0, own[:, :, :1], np.nan))
        bias[np.abs(bias) <= _ROUNDING * pi] = 0.0  # coders with equal rates
        if name == "bias":
            return Rows.of(observed, pi, bias=bias, values=bias)
        return Rows.of(observed, pi - bias if name in _WITH_BIAS else pi, bias=bias)


def boundaries_by_type(texts: Texts, types: tuple[str, ...], cells: int) -> Floats:
    """Return the number of boundaries of each type in each cell."""
    counts = np.zeros((cells, len(types)))
    if len(types) == 1:
        sizes = np.fromiter((text.inner.size for text in texts.segmentations), np.int64, len(texts.segmentations))
        np.add.at(counts[:, 0], texts.cell, sizes)
        return counts
    for cell, text in zip(texts.cell.tolist(), texts.segmentations, strict=True):
        counts[cell] += bincount(typed_inner(text, types)[1], minlength=len(types))
    return counts
