"""Agreement for measures that have chance agreement as an additive part.

Flammia & Zue's kappa of hierarchies: matched spans, spans, and P_c times spans are summed over pairs of coders and items.
A_o is then the overall P_o and A_e the overall P_c, and pairs and items are weighted by their number of spans.

Spans at random places (Li et al. 2024): matches, sizes and expected matches are summed over items and pairs of coders;
observed and expected F are then computed once from the sums. See :mod:`caesura.measures.span_f`.
"""

from __future__ import annotations

import numpy as np

from caesura.agreement.chance import AgreementArrays, PartsChance
from caesura.measures.base import Measure
from caesura.measures.span_f import CERTAIN
from caesura.model.value import Floats


class SpanChance(PartsChance):
    """Chance model that takes expected agreement from the parts of the measure: matched spans, spans, chance."""

    family = "spans"
    coefficients = ("kappa",)

    def _arrays(self, parts: Floats) -> AgreementArrays:
        matched, spans, chance = parts.T
        size = np.where(spans > 0, spans, np.nan)  # a resample may have no pair that shares an item
        return AgreementArrays.of(matched / size, chance / size)


# Name of the coefficient, and word for ``chance=``.
LI2024 = "li2024"


class PlacedSpans(PartsChance):
    """Chance model that takes expected matches from the parts of the measure."""

    family = LI2024
    coefficients = (LI2024,)
    method = "spans at random places, exact"
    nothing = "no coder has spans"
    accepts_chance = True

    @classmethod
    def scored_measure(cls, measure: Measure) -> Measure:
        return measure.replace(chance="expected")

    def _arrays(self, parts: Floats) -> AgreementArrays:
        matches, reference, hypothesis, expected = parts.T
        size = reference + hypothesis
        known = size > 0
        divisor = size + ~known
        chance = 2 * expected / divisor
        chance[chance >= CERTAIN] = 1.0
        chance[~known] = float("nan")
        return AgreementArrays.of(2 * matches / divisor, chance)
