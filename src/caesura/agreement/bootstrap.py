"""Percentile bootstrap of a coefficient, computed from additive parts without scoring again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.agreement.chance_model import AgreementArrays, ChanceModel, Floats
from caesura.errors import CaesuraWarning
from caesura.options import OptionSet, choice, fraction, optional, setting, whole


@dataclass(frozen=True)
class Bootstrap(OptionSet):
    """Options of the confidence interval of a coefficient."""

    interval: str | None = setting(
        "items", optional(choice("items", "coders"), "none"), "What is resampled, if anything."
    )
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int = setting(2000, whole(100), "Number of bootstrap replicates.")

    def run(
        self, coefficient: str, model: ChanceModel, seed: int, *, stacklevel: int = 3
    ) -> tuple[tuple[float, float] | None, str]:
        """Return the interval, if there is one, and a note about it.

        Parameters
        ----------
        coefficient : str
            Name of the coefficient.
        model : ChanceModel
            Observed and expected agreement.
        seed : int
            Random seed.
        stacklevel : int, default 3
            Frame in which the warning about few items is shown; the default is the caller of the caller.

        Returns
        -------
        interval : tuple of float or None
            Ends of the interval.
        note : str
            Description of the interval, or the reason why there is none.
        """
        from caesura.statistics.intervals import MIN_ITEMS  # not needed by everyone

        n = len(model.observed.items) if self.interval == "items" else len(model.observed.coders)
        reason = self._reason_without(n)
        if reason is not None:
            return None, reason
        if self.interval == "items" and n < MIN_ITEMS:
            warnings.warn(
                f"an interval from {n} items is too short: it covers about .84 at 5 items, .92 at 20, .95 at 50",
                CaesuraWarning,
                stacklevel=stacklevel,
            )
        values = np.concatenate([arrays.values(coefficient) for arrays in self._resamples(model, n, seed)])
        values = values[~np.isnan(values)]
        if not len(values):
            return None, "no interval: the coefficient is undefined in every resample"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        note = f"{self.level:.4g} percentile bootstrap over {n} {self.interval}, {self.replicates} replicates"
        if len(values) < self.replicates:
            note += f", {self.replicates - len(values)} of them undefined and left out"
        return (float(low), float(high)), note

    def _reason_without(self, n: int) -> str | None:
        """Return the reason why n items or coders allow no interval; None if they allow one."""
        if self.interval is None:
            return "no interval was requested"
        if self.interval == "items" and n < 2:
            return "no interval: it needs at least two items to resample; there is one"
        if self.interval == "coders" and n < 3:
            return "no interval: two coders, each drawn at least once, are always the same pair"
        return None

    def signature_facts(self, seed: int) -> dict[str, Any]:
        """Return the signature entries that describe the interval.

        Parameters
        ----------
        seed : int
            Random seed.

        Returns
        -------
        dict
            Names and values.
        """
        return {"interval": self.interval, "level": f"{self.level:g}", "replicates": self.replicates, "seed": seed}

    def _resamples(self, model: ChanceModel, n: int, seed: int) -> Iterator[AgreementArrays]:
        compute = model.over_items if self.interval == "items" else model.over_coders
        return map(compute, self._weights(n, seed))

    def _weights(self, n: int, seed: int) -> Iterator[Floats]:
        """Yield how often each of n items or coders is drawn, one row per replicate; at least two different coders."""
        from caesura.statistics.intervals import item_weights  # not needed by everyone

        rng = np.random.default_rng([seed, n])
        for weights in item_weights(n, self.replicates, rng):
            while self.interval == "coders" and (alone := np.flatnonzero((weights > 0).sum(axis=1) < 2)).size:
                weights[alone] = next(item_weights(n, len(alone), rng))
            yield weights
