"""The bootstrap interval of a coefficient, which resamples items or coders and does not score again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.model.index import flatnonzero
from caesura.model.value import Floats
from caesura.notices import warn
from caesura.options import OptionSet, choice, fraction, optional, setting, whole
from caesura.progress import report_progress

# Number of items below which a bootstrap interval is too narrow.
MIN_ITEMS = 20
DEFAULT_REPLICATES = 2000
MIN_REPLICATES = 100
REPLICATES_HELP = f"Number of bootstrap replicates (default: {DEFAULT_REPLICATES})."
_MAX_REPEATED = 7  # items of which most samples are drawn several times: there are at most 1716 different ones
_MAX_KEPT = 2**28  # numbers in the samples that are kept, one byte each

# What was resampled -> how often each replicate has each item or coder, in blocks of rows.
Samples = dict[tuple[object, ...], list[NDArray[np.unsignedinteger]]]


@dataclass(frozen=True)
class Bootstrap(OptionSet):
    """Options of the confidence interval, which is computed from additive parts without scoring again."""

    interval: str | None = setting("items", optional(choice("items", "coders"), "none"), "What to resample.")
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int | None = setting(None, optional(whole(MIN_REPLICATES)), REPLICATES_HELP)

    @property
    def number(self) -> int:
        return self.replicates or DEFAULT_REPLICATES

    def run(
        self, n: int, seed: int, compute: Callable[[Floats], Floats], samples: Samples | None = None
    ) -> tuple[tuple[float, float] | None, str]:
        """Return the interval of a coefficient."""
        reason = self._reason_without(n)
        if reason is not None:
            return None, reason
        computed = []
        for weights in self._weights(n, seed, {} if samples is None else samples):
            computed.append(self._values(weights, compute))
            report_progress(sum(map(len, computed)), self.number)
        values = np.concatenate(computed)
        values = values[~np.isnan(values)]
        if not len(values):
            return None, "no interval: the coefficient is undefined in every resample"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        note = f"{self.level:.4g} percentile bootstrap over {n} {self.interval}, {self.number} replicates"
        if len(values) < self.number:
            note += f", {self.number - len(values)} of them undefined and left out"
        return (low, high), note

    def facts(self, ends: tuple[float, float] | None, seed: int) -> dict[str, object]:
        """Return the entries of a signature that describe the interval."""
        if ends is None:
            return {}
        return {"interval": self.interval, "level": f"{self.level:g}", "replicates": self.number, "seed": seed}

    def warn(self, items: int) -> None:
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

    @staticmethod
    def _values(weights: Floats, compute: Callable[[Floats], Floats]) -> Floats:
        """Return the coefficient of each row of weights; equal rows of few items are computed once."""
        if weights.shape[1] > _MAX_REPEATED:
            return compute(weights)
        different, places = np.unique(weights, axis=0, return_inverse=True)
        return compute(different)[places.reshape(-1)]

    def _weights(self, n: int, seed: int, samples: Samples) -> Iterator[Floats]:
        """Yield the number of times that each of n items or coders is drawn, one row per replicate."""
        if n * self.number > _MAX_KEPT:
            yield from self._drawn(n, seed)
            return
        key = self.interval, n, seed, self.number
        if key not in samples:
            samples.clear()
            samples[key] = [block.astype(np.min_scalar_type(int(block.max()))) for block in self._drawn(n, seed)]
        yield from (block.astype(np.float64) for block in samples[key])

    def _drawn(self, n: int, seed: int) -> Iterator[Floats]:
        """Draw samples, and yield how often they have each item or coder. A sample has at least two different coders."""
        from caesura.statistics.intervals import item_weights  # slow to import

        rng = np.random.default_rng([seed, n])
        for weights in item_weights(n, self.number, rng):
            while self.interval == "coders" and (alone := flatnonzero((weights > 0).sum(axis=1) < 2)).size:
                weights[alone] = next(item_weights(n, len(alone), rng))
            yield weights


def warn_about_few_items(items: int) -> None:
    if items < MIN_ITEMS:
        warn(
            f"an interval from {items} items is too narrow: a 95 % interval covers about 84 % of cases with 5 items, "
            "92 % with 20 and 95 % with 50"
        )
