"""Chance agreement: options of its computation, the base class of chance models, and models that need only parts.

A chance model says what the parts and margins of its table are, and how their sums become observed and expected agreement;
:mod:`caesura.agreement.parts` sums them for any selection of items and coders.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import Parts, Rows, Sums
from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.sums import CERTAIN
from caesura.options import Option, OptionSet, flag, fraction, optional, path, setting, whole

DEFAULT_DRAWS = 10_000
# Coefficient of spans at random places, and word for ``chance=``.
LI2024 = "li2024"
# Largest number of draws, with a tolerance.
MAX_DRAWS = 1_000_000

_DRAWS = optional(whole(20))  # with fewer there is no standard error
_DRAWS_HELP = f"Number of simulated pairs of texts, {DEFAULT_DRAWS:,} by default; with a tolerance, the maximum."
_TOLERANCE_HELP = (
    f"Simulate until the standard error of the coefficient is below this value, with at most {MAX_DRAWS:,} draws."
)
_CHECKPOINT_HELP = "Folder that records finished draws, so that the same call continues where it stopped."


@dataclass(frozen=True)
class Simulate(OptionSet):
    """Chance agreement from simulated pairs of texts: a value for ``agreement(..., chance=...)``.

    The string ``"simulate"`` means ``Simulate()``.
    """

    draws: int | None = setting(None, _DRAWS, _DRAWS_HELP)
    tolerance: float | None = setting(None, optional(fraction), _TOLERANCE_HELP)
    variates: bool = setting(
        True, flag, "Whether to reduce the noise with control variates; False is plain simulation."
    )
    checkpoint: str | PathLike[str] | None = setting(None, optional(path), _CHECKPOINT_HELP)


@dataclass(frozen=True)
class Exact(OptionSet):
    """Chance agreement without simulation: a value for ``agreement(..., chance=...)``.

    The string ``"exact"`` means ``Exact()``. The expected cost is computed exactly. S_f^B is a ratio and is still simulated,
    with the exact cost as an additional control variate. If the computation needs too many states, chance is simulated as
    well. The options apply to these simulations.
    """

    draws: int | None = setting(None, _DRAWS, _DRAWS_HELP)
    tolerance: float | None = setting(None, optional(fraction), _TOLERANCE_HELP)
    checkpoint: str | PathLike[str] | None = setting(None, optional(path), _CHECKPOINT_HELP)

    variates: ClassVar[bool] = True


@dataclass(frozen=True)
class Placement(OptionSet):
    """Chance agreement of coders who place their boundaries at random: a value for ``agreement(..., chance=...)``.

    The string ``"placement"`` means ``Placement()``. The options apply to measures without a formula, for which texts are
    simulated; see :mod:`caesura.agreement.placement`.
    """

    draws: int | None = setting(None, _DRAWS, f"Number of simulated pairs of texts, {DEFAULT_DRAWS:,} by default.")

    tolerance: ClassVar[float | None] = None
    checkpoint: ClassVar[str | PathLike[str] | None] = None
    variates: ClassVar[bool] = True


@dataclass(frozen=True)
class PlacedAtRandom(OptionSet):
    """Exact chance agreement of spans at random places (Li et al. 2024): the meaning of ``chance="li2024"``."""

    # It has no options; see ``measures.span_f``.

    draws: ClassVar[int | None] = None
    tolerance: ClassVar[float | None] = None
    checkpoint: ClassVar[str | PathLike[str] | None] = None
    variates: ClassVar[bool] = True


Chance = Simulate | Exact | Placement | PlacedAtRandom


class ChanceName(NamedTuple):
    """A word for ``chance=``."""

    create: Callable[[], Chance | None]  # returns the value that the word means; None for the published convention
    description: str  # how chance agreement is computed, in one sentence


# Words for ``chance=`` and what they mean.
CHANCE_NAMES: Mapping[str, ChanceName] = MappingProxyType(
    {
        "published": ChanceName(lambda: None, "as in the paper that defines the coefficient; the default"),
        "placement": ChanceName(Placement, "the expected similarity of coders who place their boundaries at random"),
        "simulate": ChanceName(Simulate, "from random texts, simulated; the published way for flexible_similarity"),
        "exact": ChanceName(Exact, "from random texts without simulation, for flexible_similarity"),
        LI2024: ChanceName(PlacedAtRandom, "spans of the same lengths at random places, exact (span_f, token_f)"),
    }
)


def as_chance(chance: str | Chance | None) -> Chance | None:
    """Return the options for chance agreement, from a name or an object."""
    if chance is None or isinstance(chance, (Simulate, Exact, Placement, PlacedAtRandom)):
        return chance
    if isinstance(chance, str) and chance in CHANCE_NAMES:
        return CHANCE_NAMES[chance].create()
    names = ", ".join(map(repr, CHANCE_NAMES))
    raise OptionError(f"chance must be {names}, Simulate(...), Exact(...) or Placement(...); got {chance!r}")


def max_draws(chance: Chance) -> int:
    return chance.draws or (DEFAULT_DRAWS if chance.tolerance is None else MAX_DRAWS)


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its full definition, created by ``agreement.families.resolve_coefficient``."""

    name: str
    measure: Measure  # the measure, with the preset
    model_class: type[ChanceModel]  # class that computes chance agreement
    settings: Mapping[str, Any]  # every option of the chance model with its value
    chance: Chance | None  # method for chance agreement; None if the model computes it from counts
    compat: str | None
    seed: int  # random seed of simulation and bootstrap


class ChanceModel(ABC):
    """Base class of chance models: a table of parts whose ``finish`` knows what chance gives."""

    # To add a chance model, write one file and add one line in ``families.py``.

    family: ClassVar[str] = ""  # name of the model in a signature
    coefficients: ClassVar[tuple[str, ...]]  # names of the coefficients that the model computes
    # Coefficient for two coders -> its generalization to more coders.
    general_forms: ClassVar[Mapping[str, str]] = MappingProxyType({})
    options: ClassVar[tuple[Option, ...]] = ()  # options of the coefficients
    # Preset -> values of the options. If the model has presets, any other preset is an error.
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    # Whether the model simulates chance or computes it exactly, and therefore accepts ``chance=Simulate(...)``.
    accepts_chance: ClassVar[bool] = False
    uses_measure: ClassVar[bool] = True  # whether the coefficient depends on the measure
    nothing: ClassVar[str] = "no coder placed a boundary"  # why chance agreement does not exist if it is NaN
    corrects: ClassVar[bool] = True  # whether the model corrects for chance; if not, there is no expected agreement
    # Whether a measure that is not symmetric is scored in both directions.
    scores_both_directions: ClassVar[bool] = False

    best: float = 1.0  # agreement of identical annotations: the value of the coefficient there is 1
    method: str = "counted"  # method by which chance agreement was computed
    draws: int = 0  # number of simulated pairs of texts; 0 without simulation

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        name, coders = coefficient.name, len(observed.coders)
        if name in self.general_forms and coders > 2:
            raise OptionError(f"{name} is for two coders; use {self.general_forms[name]} for {coders} coders")
        self.observed = observed
        self.coefficient = coefficient

    @classmethod
    def scored_measure(cls, measure: Measure) -> Measure:
        return measure.observed_measure

    @classmethod
    def suited_to(cls, measure: Measure) -> type[ChanceModel]:
        """Return the model of this family for a measure with its options."""
        return cls

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def signature_facts(self) -> dict[str, Any]:
        """Signature entries that describe the computation of chance agreement."""
        return {"chance": self.family}

    @cached_property
    def parts(self) -> Parts:
        """The table of parts; those of the measure alone, if a model says nothing else."""
        return self.observed.table(self.finish)

    @abstractmethod
    def finish(self, sums: Sums) -> Rows:
        """Return the agreement of each selection of items and coders."""


class SpanChance(ChanceModel):
    """Chance model of Flammia & Zue's kappa, which takes expected agreement from the parts of the measure."""

    # Matched spans, spans, and P_c times spans are summed over pairs of coders and items. A_o is then the overall P_o and A_e
    # the overall P_c, and pairs and items are weighted by their number of spans.

    family = "spans"
    coefficients = ("kappa",)

    def finish(self, sums: Sums) -> Rows:
        matched, spans, chance = sums.parts.T
        size = np.where(spans > 0, spans, np.nan)  # a resample may have no pair that shares an item
        return Rows.of(matched / size, chance / size)


class PlacedSpans(ChanceModel):
    """Chance model of spans at random places (Li et al. 2024); see :mod:`caesura.measures.span_f`."""

    # Matches, sizes and expected matches are summed over items and pairs of coders; observed and expected F are then computed
    # once from the sums.

    family = LI2024
    coefficients = (LI2024,)
    method = "spans at random places, exact"
    nothing = "no coder has spans"
    accepts_chance = True

    @classmethod
    def scored_measure(cls, measure: Measure) -> Measure:
        return measure.replace(chance="expected")

    def finish(self, sums: Sums) -> Rows:
        matches, reference, hypothesis, expected = sums.parts.T
        size = reference + hypothesis
        known = size > 0
        divisor = size + ~known
        chance = 2 * expected / divisor
        chance[chance >= CERTAIN] = 1.0
        chance[~known] = np.nan
        return Rows.of(2 * matches / divisor, chance)
