"""Agreement over Flammia & Zue's kappa of hierarchies, whose chance is one of the additive parts.

Matched spans, spans and P_c times spans are summed over pairs of coders and items, so that A_o is P_o and A_e is P_c over
everything: pairs and items weigh by their spans.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.observed import Observed

__all__ = ["Spanned"]

Floats = NDArray[np.float64]


class Spanned(Basis):
    """A ``Basis`` whose chance comes with the parts of ``hierarchy_kappa``."""

    def __init__(self, observed: Observed) -> None:
        self.observed = observed

    def _figures(self, parts: Floats) -> Figures:
        matched, segments, chance = parts.T
        there = np.where(segments > 0, segments, np.nan)  # a resample may have no pair that shares an item
        return Figures(matched / there, chance / there, np.zeros(len(parts)))

    def over_items(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        return self._figures(weights @ self.observed.by_item)

    def over_coders(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        return self._figures(weights[:, o.first] * weights[:, o.second] @ o.by_pair)

    def each_item(self) -> Figures:
        """See :class:`Basis`."""
        return self._figures(self.observed.by_item)

    def each_pair(self) -> Figures:
        """See :class:`Basis`."""
        return self._figures(self.observed.by_pair)

    def each_coder(self) -> Figures:
        """See :class:`Basis`."""
        return self._figures(self.observed.members.T @ self.observed.by_pair)
