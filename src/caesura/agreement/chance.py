"""Options for chance agreement without a closed form: simulation or exact computation."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

from caesura.errors import OptionError
from caesura.options import OptionSet, flag, fraction, optional, setting, whole

DEFAULT_DRAWS = 10_000
MAX_DRAWS = 1_000_000


def _folder(name: str, value: Any) -> str:
    try:
        return str(os.fspath(value))
    except TypeError:
        raise OptionError(f"{name} must be the path of a folder; got {value!r}") from None


_DRAWS = optional(whole(20))  # with fewer there is no standard error
_DRAWS_HELP = f"Number of simulated pairs of texts, {DEFAULT_DRAWS:,} by default; with a tolerance, the maximum."
_TOLERANCE_HELP = (
    f"Simulate until the standard error of the coefficient is below this, with at most {MAX_DRAWS:,} draws."
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
    checkpoint: str | PathLike[str] | None = setting(None, optional(_folder), _CHECKPOINT_HELP)

    @property
    def max_draws(self) -> int:
        """Largest number of draws for one pair of coders."""
        return _max_draws(self)


@dataclass(frozen=True)
class Exact(OptionSet):
    """Chance agreement without simulation: a value for ``agreement(..., chance=...)``.

    The string ``"exact"`` means ``Exact()``. The expected cost is computed exactly. S_f^B is a ratio and is still simulated,
    with the exact cost as an additional control variate. If the computation needs too many states, chance is simulated as
    well. The options apply to these simulations.
    """

    draws: int | None = setting(None, _DRAWS, _DRAWS_HELP)
    tolerance: float | None = setting(None, optional(fraction), _TOLERANCE_HELP)
    checkpoint: str | PathLike[str] | None = setting(None, optional(_folder), _CHECKPOINT_HELP)

    variates: ClassVar[bool] = True

    @property
    def max_draws(self) -> int:
        """Largest number of draws for one pair of coders."""
        return _max_draws(self)


Chance = Simulate | Exact


def as_chance(chance: str | Chance | None) -> Chance:
    """Return the options of a chance model, which may be specified by name or as an object.

    Parameters
    ----------
    chance : str, Simulate, Exact or None
        ``"simulate"``, ``"exact"`` or an object; None means ``"simulate"``.

    Returns
    -------
    Simulate or Exact
        The options.

    Raises
    ------
    OptionError
        If ``chance`` is anything else.
    """
    if isinstance(chance, (Simulate, Exact)):
        return chance
    if chance is None or chance == "simulate":
        return Simulate()
    if chance == "exact":
        return Exact()
    raise OptionError(f"chance must be 'simulate', 'exact', Simulate(...) or Exact(...); got {chance!r}")


def _max_draws(chance: Chance) -> int:
    return chance.draws or (DEFAULT_DRAWS if chance.tolerance is None else MAX_DRAWS)
