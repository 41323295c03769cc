"""What an agreement coefficient is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from caesura.measures.base import Measure

__all__ = ["Agreement", "Row", "corrected"]


@dataclass(frozen=True, slots=True)
class Row:
    """Agreement of one pair of coders, or on one item."""

    name: tuple[str, ...]
    """The two coders, or the item."""
    observed: float
    expected: float
    expected_error: float
    """Standard error of ``expected``; 0 where it is exact."""
    items: int

    @property
    def value(self) -> float | None:
        """The coefficient, or None where chance leaves nothing to agree beyond."""
        return corrected(self.observed, self.expected)


@dataclass(frozen=True)
class Agreement:
    """A chance-corrected coefficient with everything behind it; ``float(agreement)`` is ``.value``."""

    coefficient: str
    value: float
    observed: float
    expected: float
    """Agreement by chance."""
    standard_error: float
    """Of the coefficient, from the simulation of chance alone; 0 where chance is exact."""
    expected_error: float
    """Of ``expected``."""
    pairs: tuple[Row, ...]
    items: tuple[Row, ...]
    measure: Measure
    method: str
    """How chance was found."""
    draws: int
    seed: int | None
    signature: str
    interval: tuple[float, float] | None = None
    dropped: dict[str, str] = field(default_factory=dict)
    """Items left out, and why."""

    def __float__(self) -> float:
        return self.value

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""

        def rows(which: tuple[Row, ...], name: str) -> list[dict[str, Any]]:
            return [
                {
                    name: list(row.name) if len(row.name) > 1 else row.name[0],
                    "value": row.value,
                    "observed": row.observed,
                    "expected": row.expected,
                    "expected_error": row.expected_error,
                    "items": row.items,
                }
                for row in which
            ]

        return {
            "coefficient": self.coefficient,
            "measure": repr(self.measure),
            "value": self.value,
            "standard_error": self.standard_error,
            "observed": self.observed,
            "expected": self.expected,
            "expected_error": self.expected_error,
            "method": self.method,
            "draws": self.draws,
            "seed": self.seed,
            "interval": self.interval,
            "pairs": rows(self.pairs, "coders"),
            "items": rows(self.items, "item"),
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


def corrected(observed: float, expected: float) -> float | None:
    """(observed - expected) / (1 - expected), or None where chance agreement is 1."""
    return (observed - expected) / (1 - expected) if expected < 1 else None
