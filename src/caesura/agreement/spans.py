"""Agreement for measures that have chance agreement as an additive part: Flammia & Zue's kappa of hierarchies.

Matched spans, spans, and P_c times spans are summed over pairs of coders and items. A_o is then the overall P_o and A_e
the overall P_c, and pairs and items are weighted by their number of spans.
"""

from __future__ import annotations

import numpy as np

from caesura.agreement.chance import AgreementArrays, PartsChance
from caesura.model.value import Floats


class SpanChance(PartsChance):
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

    def _arrays(self, parts: Floats) -> AgreementArrays:
        matched, spans, chance = parts.T
        size = np.where(spans > 0, spans, np.nan)  # a resample may have no pair that shares an item
        return AgreementArrays.of(matched / size, chance / size)
