"""Chance-corrected agreement: one coefficient over one measure, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.agreement.result import Agreement
from caesura.measures.base import Measure


@dataclass(frozen=True)
class AgreementOutcome:
    """One coefficient over one measure: its result, or the reason why it is undefined.

    Parameters
    ----------
    coefficient : str
        Name of the coefficient, such as ``multi_pi``.
    measure : Measure
        Measure that the coefficient corrects for chance.
    result : Agreement or None
        The agreement; None if it is undefined.
    reason : str or None
        Why the agreement is undefined; None if there is a result.
    """

    coefficient: str
    measure: Measure
    result: Agreement | None
    reason: str | None = None

    @property
    def over(self) -> str:
        """Short name of what the coefficient is computed over: a measure, or ``positions``."""
        if self.coefficient == "alpha":
            return "positions"
        if self.measure.name == "flexible_similarity":
            return "S_f" if self.measure["normalize"] == "positions" else "S_f^B"
        if self.result is not None and self.result.measure is not None:
            return self.result.measure.label
        return self.measure.label

    def __json__(self) -> dict[str, Any]:
        """Return the result as plain data; an undefined coefficient has the value None and a reason."""
        if self.result is not None:
            return self.result.to_dict()
        measure = None if self.coefficient == "alpha" else repr(self.measure)
        return {"coefficient": self.coefficient, "measure": measure, "value": None, "undefined": self.reason}
