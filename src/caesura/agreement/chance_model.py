"""Base class of chance models: observed and expected agreement for any selection of items or coders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.chance import Chance
from caesura.agreement.coder_pairs import CoderPairs
from caesura.engines import Engine
from caesura.measures.base import Measure
from caesura.options import Option

Floats = NDArray[np.float64]
BLOCK_SIZE = 4_000_000
"""Maximum number of values in a block of rows; it only affects memory."""


@dataclass(frozen=True)
class AgreementArrays:
    """Observed and expected agreement, one value per row.

    Attributes
    ----------
    observed : numpy.ndarray
        Observed agreement A_o.
    expected : numpy.ndarray
        Agreement expected by chance, A_e; NaN if no coder placed a boundary.
    error : numpy.ndarray
        Standard error of ``expected``; 0 if it was not simulated.
    bias : numpy.ndarray or None
        A_e(pi) - A_e(kappa), if the chance model has one.
    """

    observed: Floats
    expected: Floats
    error: Floats
    bias: Floats | None = None

    @property
    def corrected(self) -> Floats:
        """(observed - expected) / (1 - expected); NaN if it is undefined."""
        possible = np.where(self.expected < 1, 1 - self.expected, np.nan)
        return (self.observed - self.expected) / possible

    def values(self, coefficient: str) -> Floats:
        """Return the coefficient of each row.

        Parameters
        ----------
        coefficient : str
            Name of the coefficient: ``"bias"`` or any chance-corrected coefficient.

        Returns
        -------
        numpy.ndarray
            One value per row; NaN if it is undefined.
        """
        if coefficient == "bias":
            assert self.bias is not None
            return self.bias
        return self.corrected


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its full definition, created by :func:`~caesura.agreement.families.resolve_coefficient`.

    Attributes
    ----------
    name : str
        Name of the coefficient.
    measure : Measure
        The measure, with the preset.
    model_class : type of ChanceModel
        Class that computes chance agreement.
    settings : mapping
        Every option of the chance model with its value.
    chance : Simulate, Exact or None
        Method for chance agreement; None if the model computes it from counts.
    compat : str or None
        The preset.
    seed : int
        Random seed of simulation and bootstrap.
    """

    name: str
    measure: Measure
    model_class: type[ChanceModel]
    settings: Mapping[str, Any]
    chance: Chance | None
    compat: str | None
    seed: int


class ChanceModel(ABC):
    """Base class of chance models, which compute parts once and sum them for all tables and bootstrap replicates.

    Weights give the number of times that an item or a coder counts: 0, 1, or more in a bootstrap. To add a chance model, add
    one file and one line in ``families.py``.

    Parameters
    ----------
    observed : CoderPairs
        Scores of all pairs of coders.
    coefficient : Coefficient
        The coefficient.
    engine : Engine
        Engine that runs long computations.

    Attributes
    ----------
    coefficients : tuple of str
        Names of the coefficients that the model computes.
    general_forms : mapping
        Coefficient for two coders -> its generalization to more coders.
    options : tuple of Option
        Options of the coefficients.
    presets : mapping
        Preset -> values of the options. If the model has presets, any other preset is an error.
    accepts_chance : bool
        Whether the model simulates chance or computes it exactly, and therefore accepts ``chance=Simulate(...)``.
    uses_measure : bool
        Whether the coefficient depends on the measure.
    observed : CoderPairs
        Items, coders, pairs and parts.
    method : str
        Method by which chance agreement was computed.
    draws : int
        Number of simulated pairs of texts; 0 without simulation.
    """

    coefficients: ClassVar[tuple[str, ...]]
    general_forms: ClassVar[Mapping[str, str]] = MappingProxyType({})
    options: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    accepts_chance: ClassVar[bool] = False
    uses_measure: ClassVar[bool] = True

    observed: CoderPairs
    method: str = "counted"
    draws: int = 0

    @abstractmethod
    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None: ...

    @property
    @abstractmethod
    def signature_facts(self) -> dict[str, Any]:
        """Signature entries that describe the computation of chance agreement."""

    @abstractmethod
    def over_items(self, weights: Floats) -> AgreementArrays:
        """Return the agreement of weighted items.

        Parameters
        ----------
        weights : numpy.ndarray, rows x items
            Number of times that each item counts.

        Returns
        -------
        AgreementArrays
            One row per row of weights.
        """

    @abstractmethod
    def over_coders(self, weights: Floats) -> AgreementArrays:
        """Return the agreement of weighted coders.

        A coder is never paired with itself. An item counts if at least two of its coders have a weight above 0.

        Parameters
        ----------
        weights : numpy.ndarray, rows x coders
            Number of times that each coder counts.

        Returns
        -------
        AgreementArrays
            One row per row of weights.
        """

    @abstractmethod
    def by_item(self) -> AgreementArrays:
        """Return the agreement on each item separately.

        Returns
        -------
        AgreementArrays
            One row per item.
        """

    @abstractmethod
    def by_coder(self) -> AgreementArrays:
        """Return the agreement of each coder with all others.

        Returns
        -------
        AgreementArrays
            One row per coder.
        """

    def by_pair(self) -> AgreementArrays:
        """Return the agreement of each pair of coders separately.

        Returns
        -------
        AgreementArrays
            One row per pair.
        """
        return self.over_coders(self.observed.members)

    def total(self) -> AgreementArrays:
        """Return the agreement of all coders on all items.

        Returns
        -------
        AgreementArrays
            A single row.
        """
        return self.over_items(np.ones((1, len(self.observed.items))))


def row_blocks(rows: Floats, width: int) -> list[Floats]:
    """Split rows into blocks of bounded size.

    Parameters
    ----------
    rows : numpy.ndarray
        The rows.
    width : int
        Number of values that the computation needs per row.

    Returns
    -------
    list of numpy.ndarray
        The blocks, in order.
    """
    step = max(1, BLOCK_SIZE // max(1, width))
    return [rows[i : i + step] for i in range(0, len(rows), step)]
