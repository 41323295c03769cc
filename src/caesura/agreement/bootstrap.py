"""The bootstrap interval of a coefficient, which resamples items or coders and does not score again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from caesura.model.value import Floats
from caesura.notices import warn
from caesura.options import OptionSet, choice, fraction, optional, setting, whole

MIN_ITEMS = 20
"""Number of items below which a bootstrap interval is too narrow."""


@dataclass(frozen=True)
class Bootstrap(OptionSet):
    """Options of the confidence interval, which is computed from additive parts without scoring again."""

    interval: str | None = setting("items", optional(choice("items", "coders"), "none"), "What to resample.")
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int = setting(2000, whole(100), "Number of bootstrap replicates.")

    def run(self, n: int, seed: int, compute: Callable[[Floats], Floats]) -> tuple[tuple[float, float] | None, str]:
        """Return the interval of a coefficient.

        Parameters
        ----------
        n : int
            Number of items or coders to resample.
        seed : int
            Random seed.
        compute : callable
            Function from weights, one row per replicate, to the coefficient of each replicate; NaN if it is undefined.

        Returns
        -------
        interval : tuple of (float, float) or None
            Ends of the interval; None if there is none.
        note : str
            Description of the interval, or the reason why there is none.
        """
        reason = self._reason_without(n)
        if reason is not None:
            return None, reason
        values = np.concatenate([compute(weights) for weights in self._weights(n, seed)])
        values = values[~np.isnan(values)]
        if not len(values):
            return None, "no interval: the coefficient is undefined in every resample"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        note = f"{self.level:.4g} percentile bootstrap over {n} {self.interval}, {self.replicates} replicates"
        if len(values) < self.replicates:
            note += f", {self.replicates - len(values)} of them undefined and left out"
        return (low, high), note

    def facts(self, ends: tuple[float, float] | None, seed: int) -> dict[str, object]:
        """Return the entries of a signature that describe the interval.

        Parameters
        ----------
        ends : tuple of (float, float) or None
            The interval.
        seed : int
            Random seed.

        Returns
        -------
        dict
            Name -> value; empty without an interval.
        """
        if ends is None:
            return {}
        return {"interval": self.interval, "level": f"{self.level:g}", "replicates": self.replicates, "seed": seed}

    def warn(self, items: int) -> None:
        """Warn if there are too few items.

        Parameters
        ----------
        items : int
            Number of items.
        """
        if self.interval == "items" and self._reason_without(items) is None:
            warn_about_few_items(items)

    def _reason_without(self, n: int) -> str | None:
        """Return the reason why n items or coders allow no interval; None if they allow one."""
        if self.interval is None:
            return "no interval was requested"
        if self.interval == "items" and n < 2:
            return "no interval: it needs at least two items to resample; there is one"
        if self.interval == "coders" and n < 3:
            return "no interval: every resample of two coders has the same pair"
        return None

    def _weights(self, n: int, seed: int) -> Iterator[Floats]:
        """Yield the number of times that each of n items or coders is drawn, one row per replicate.

        A sample of coders contains at least two different coders.
        """
        from caesura.statistics.intervals import item_weights  # slow to import

        rng = np.random.default_rng([seed, n])
        for weights in item_weights(n, self.replicates, rng):
            while self.interval == "coders" and (alone := np.flatnonzero((weights > 0).sum(axis=1) < 2)).size:
                weights[alone] = next(item_weights(n, len(alone), rng))
            yield weights


def warn_about_few_items(items: int) -> None:
    """Warn if a bootstrap interval has too few items.

    Parameters
    ----------
    items : int
        Number of items.
    """
    if items < MIN_ITEMS:
        warn(
            f"an interval from {items} items is too narrow: a 95 % interval covers about 84 % of cases with 5 items, "
            "92 % with 20 and 95 % with 50"
        )
