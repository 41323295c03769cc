"""What an agreement coefficient is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from caesura.measures.base import Measure
from caesura.model.display import Displayed

__all__ = ["Agreement", "CoderRow", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """Agreement of one pair of coders, or on one item."""

    name: tuple[str, ...]
    """The two coders, or the item."""
    value: float | None
    """The coefficient of these alone, or None where it is undefined."""
    observed: float
    expected: float | None
    """None where nobody placed a boundary."""
    expected_error: float
    """Standard error of ``expected``; 0 where it was not simulated."""
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        name: dict[str, Any] = {"coders": list(self.name)} if len(self.name) > 1 else {"item": self.name[0]}
        return name | {key: getattr(self, key) for key in ("value", "observed", "expected", "expected_error", "items")}


@dataclass(frozen=True, slots=True)
class CoderRow:
    """One coder against all others."""

    name: str
    value: float | None
    """The coefficient over the pairs this coder is part of, or None where it is undefined."""
    observed: float
    expected: float | None
    without: float | None
    """The coefficient of all others, without this coder; None where it is undefined."""
    gain: float | None
    """``without`` less the coefficient of all: above 0 where the others agree better among themselves."""
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("value", "observed", "expected", "without", "gain", "items")
        return {"coder": self.name} | {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Agreement(Displayed):
    """A chance-corrected coefficient with everything behind it; ``float(agreement)`` is ``.value``."""

    coefficient: str
    value: float
    observed: float
    expected: float
    """Agreement by chance."""
    bias: float | None
    """A_e(pi) - A_e(kappa), where chance is counted: how unlike the coders' numbers of boundaries are."""
    standard_error: float
    """Of the coefficient, from the simulation of chance alone; 0 where chance was not simulated."""
    expected_error: float
    """Of ``expected``."""
    pairs: tuple[Row, ...]
    items: tuple[Row, ...]
    coders: tuple[CoderRow, ...]
    measure: Measure | None
    """None for ``alpha``, which has none."""
    method: str
    """How chance was found."""
    draws: int
    seed: int | None
    """Of the simulation and of the bootstrap; None if there was neither."""
    signature: str
    interval: tuple[float, float] | None
    interval_note: str
    """What the interval is, or why there is none."""
    dropped: dict[str, str] = field(default_factory=dict)
    """Items left out, and why."""

    def __float__(self) -> float:
        return self.value

    @property
    def outliers(self) -> tuple[CoderRow, ...]:
        """Coders without whom the others agree better, the one whose removal helps most first. None for ``bias``, of which
        more is not better."""
        if self.coefficient == "bias":
            return ()
        worse = [row for row in self.coders if row.gain is not None and row.gain > 0]
        return tuple(sorted(worse, key=lambda row: (-(row.gain or 0), row.name)))

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "coefficient": self.coefficient,
            "measure": None if self.measure is None else repr(self.measure),
            "value": self.value,
            "standard_error": self.standard_error,
            "observed": self.observed,
            "expected": self.expected,
            "expected_error": self.expected_error,
            "bias": self.bias,
            "method": self.method,
            "draws": self.draws,
            "seed": self.seed,
            "interval": self.interval,
            "interval_note": self.interval_note,
            "pairs": [row.to_dict() for row in self.pairs],
            "items": [row.to_dict() for row in self.items],
            "coders": [row.to_dict() for row in self.coders],
            "outliers": [row.name for row in self.outliers],
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }
