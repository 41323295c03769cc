"""What a coefficient needs to know, whatever its chance is made of: agreement and chance under weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.observed import Observed

__all__ = ["Basis", "Figures"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """Row by row: agreement observed, agreement by chance, the error of the latter and the bias, where there is one."""

    observed: Floats
    expected: Floats
    """NaN where nobody placed a boundary."""
    error: Floats
    """Standard error of ``expected``; 0 where it was not simulated."""
    bias: Floats | None = None

    @property
    def corrected(self) -> Floats:
        """(observed - expected) / (1 - expected); NaN where that has no meaning."""
        room = np.where(self.expected < 1, 1 - self.expected, np.nan)
        return (self.observed - self.expected) / room


class Basis(ABC):
    """Parts computed once, from which every table and every bootstrap replicate follows by summing.

    Weights say how often an item or a coder counts: 0, 1, or more in a bootstrap.
    """

    observed: Observed
    """Items, coders, pairs and parts."""

    def total(self) -> Figures:
        """Everything: one row."""
        return self.over_items(np.ones((1, len(self.observed.items))))

    @abstractmethod
    def over_items(self, weights: Floats) -> Figures:
        """A row for each row of weights, a weight an item."""

    @abstractmethod
    def over_coders(self, weights: Floats) -> Figures:
        """A row for each row of weights, a weight a coder. A coder makes no pair with itself, and an item counts where
        at least two different coders are left."""

    @abstractmethod
    def each_item(self) -> Figures:
        """A row an item, as if there were no other."""

    def each_pair(self) -> Figures:
        """A row a pair of coders, as if there were no others."""
        return self.over_coders(self.observed.members)

    @abstractmethod
    def each_coder(self) -> Figures:
        """A row a coder: its pairs with all others."""
