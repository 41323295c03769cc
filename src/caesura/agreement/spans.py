"""Agreement for measures that have chance agreement as an additive part: Flammia & Zue's kappa of hierarchies.

Matched spans, spans, and P_c times spans are summed over pairs of coders and items. A_o is then the overall P_o and A_e
the overall P_c, and pairs and items are weighted by their number of spans.
"""

from __future__ import annotations

import numpy as np

from caesura.agreement.chance import AgreementArrays, ChanceModel
from caesura.model.value import Floats
from caesura.products import product


class SpanChance(ChanceModel):
    """Chance model that takes expected agreement from the parts of the measure: matched spans, spans, chance.

    Parameters
    ----------
    observed : CoderPairs
        Scores of all pairs of coders.
    coefficient : Coefficient
        The coefficient.
    engine : Engine
        Not used.
    """

    family = "spans"
    coefficients = ("kappa",)

    def over_items(self, weights: Floats) -> AgreementArrays:
        return _arrays(product(weights, self.observed.item_parts))

    def over_coders(self, weights: Floats) -> AgreementArrays:
        observed = self.observed
        return _arrays(product(weights[:, observed.first] * weights[:, observed.second], observed.pair_parts))

    def by_item(self) -> AgreementArrays:
        return _arrays(self.observed.item_parts)

    def by_pair(self) -> AgreementArrays:
        return _arrays(self.observed.pair_parts)

    def by_coder(self) -> AgreementArrays:
        return _arrays(self.observed.coder_parts)


def _arrays(parts: Floats) -> AgreementArrays:
    matched, spans, chance = parts.T
    size = np.where(spans > 0, spans, np.nan)  # a resample may have no pair that shares an item
    return AgreementArrays.of(matched / size, chance / size)
