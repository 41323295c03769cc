"""Chance agreement of flexible similarity, pair of coders by pair: simulated, or exact (Lai & Li 2023, section 3.3).

With more than two coders the coefficient is that of the mean observed and the mean expected similarity over pairs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.chance import Chance, Draft, Estimate, distributions, exact_costs, simulate
from caesura.agreement.observed import Observed
from caesura.errors import OptionError
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.streams import Dialogues

__all__ = ["Drawn", "Plan"]

DRAWS = 10_000
MOST_DRAWS = 1_000_000
MOST_STATES = 400_000

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """How much to draw."""

    most: int
    tolerance: float | None
    seed: int
    threads: int

    @classmethod
    def of(cls, draws: int | None, tolerance: float | None, seed: int, threads: int | None) -> Plan:
        """What was asked for, checked."""
        if draws is not None and (isinstance(draws, bool) or not isinstance(draws, int) or draws < 1):
            raise OptionError(f"draws must be a whole number of at least 1; got {draws!r}")
        if draws is not None and draws < 20:
            raise OptionError(f"draws must be at least 20, or there is no standard error; got {draws}")
        if tolerance is not None and not 0 < tolerance < 1:
            raise OptionError(f"tolerance must lie between 0 and 1; got {tolerance!r}")
        most = draws or (DRAWS if tolerance is None else MOST_DRAWS)
        return cls(most, tolerance, seed, threads or os.cpu_count() or 1)


class Drawn(Basis):
    """A ``Basis`` whose chance is drawn, or found exactly, from the distribution of types of each coder and item."""

    def __init__(
        self, observed: Observed, coefficient: str, plan: Plan, chance: str, progress: Progress | None = None
    ) -> None:
        measure = observed.measure
        assert isinstance(measure, FlexibleSimilarity)
        self.observed = observed
        self.measure = measure
        self.plan = plan
        self.rows = [np.flatnonzero(observed.pair == k) for k in range(len(observed.pairs))]
        """The rows of ``observed`` that belong to each pair."""
        self.by_pair = observed.similarity(observed.by_pair)
        self.chance, self.method = self._expect(coefficient, chance, progress)

    @property
    def draws(self) -> int:
        """How many pairs of texts were drawn, at most, for a pair of coders; 0 where chance is exact."""
        return max(each.draws for each in self.chance)

    def _drafts(self, pair: int, coefficient: str) -> tuple[Draft, ...]:
        """What chance is drawn from, item by item."""
        o = self.observed
        batch = o.scores.batch
        assert isinstance(batch, Dialogues)
        T = len(o.scores.types)  # noqa: N806
        names = [o.coders[one] for one in o.pairs[pair]]
        drafts = []
        for row in self.rows[pair].tolist():
            counts = []
            for code, off in ((batch.a_code, batch.a_off), (batch.b_code, batch.b_off)):
                codes = code[off[row] : off[row + 1]]
                by_type = np.bincount(codes[codes < T], minlength=T).astype(float)
                counts.append(np.append(by_type, batch.length[row] - by_type.sum()))
            lengths = np.array(batch.streams[row].lengths, np.int64)
            key = "\0".join((o.items[o.item[row]], *names))
            drafts.append(Draft(key, *distributions(coefficient, *counts), lengths))
        return tuple(drafts)

    def _expect(self, coefficient: str, chance: str, progress: Progress | None) -> tuple[list[Chance], str]:
        """Chance agreement of every pair, and how it was found."""
        measure, types, plan = self.measure, self.observed.scores.types, self.plan
        drafts = [self._drafts(pair, coefficient) for pair in range(len(self.rows))]
        method = "simulated, 6 control variates"
        known: list[list[float] | None] = [None] * len(drafts)
        if chance == "exact":
            found = [exact_costs(measure, types, each, MOST_STATES) for each in drafts]
            if any(one is None for one in found):
                method += f"; exact chance would need more than {MOST_STATES} states"
            else:
                known = found
                method = (
                    "exact"
                    if measure["normalize"] == "positions"
                    else "simulated, 6 control variates and the exact cost"
                )
        out = []
        for i, (each, costs) in enumerate(zip(drafts, known, strict=True)):
            if costs is not None and measure["normalize"] == "positions":
                N = np.array([draft.positions for draft in each], float)  # noqa: N806
                alone = [Estimate(1 - cost / n, 0.0) for cost, n in zip(costs, N.tolist(), strict=True)]
                out.append(Chance(Estimate(1 - sum(costs) / float(N.sum()), 0.0), tuple(alone), 0, N))
                continue
            told = None if progress is None else partial(_report, progress, i * plan.most, len(drafts) * plan.most)
            out.append(
                simulate(
                    measure, types, each, seed=plan.seed, most=plan.most, enough=self._enough(self.by_pair[i]),
                    threads=plan.threads, exact_costs=costs, progress=told,
                )
            )  # fmt: skip
        return out, method

    def _enough(self, observed: float) -> Callable[[Estimate], bool]:
        tolerance, pairs = self.plan.tolerance, len(self.rows)

        def enough(now: Estimate) -> bool:
            if tolerance is None or now.value >= 1:
                return False
            # The mean over pairs is more precise than each of them.
            spread = (1 - observed) / (1 - now.value) ** 2 * now.error
            return spread <= tolerance * math.sqrt(pairs)

        return enough

    # -- tables ---------------------------------------------------------------------------------------------------

    def _mean(self, observed: Floats, expected: Floats, error: Floats, weights: Floats) -> Figures:
        """Weighted means over pairs: a row for each row of weights. NaN, with weight 0, is a pair that shares no item."""
        whole = weights.sum(axis=1)
        whole = np.where(whole > 0, whole, np.nan)
        a, e, s = (np.nansum(weights * one, axis=1) for one in (observed, expected, error**2 * weights))
        return Figures(a / whole, np.where(self._placed, e / whole, np.nan), np.sqrt(s) / whole)

    @property
    def _placed(self) -> bool:
        T = len(self.observed.scores.types)  # noqa: N806
        batch = self.observed.scores.batch
        return bool((batch.a_code < T).any() or (batch.b_code < T).any())

    def _expected(self) -> tuple[Floats, Floats]:
        return (
            np.array([each.total.value for each in self.chance]),
            np.array([each.total.error for each in self.chance]),
        )

    def total(self) -> Figures:
        """The mean over pairs."""
        return self.over_coders(np.ones((1, len(self.observed.coders))))

    def each_pair(self) -> Figures:
        """See :class:`Basis`."""
        return Figures(self.by_pair, *self._expected())

    def over_coders(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        return self._mean(self.by_pair, *self._expected(), weights[:, o.first] * weights[:, o.second])

    def each_coder(self) -> Figures:
        """See :class:`Basis`."""
        return self._mean(self.by_pair, *self._expected(), self.observed.members.T)

    def each_item(self) -> Figures:
        """The mean over the pairs that coded it."""
        o = self.observed
        n, k = len(o.items), len(o.pairs)
        grid = np.full((3, n, k), np.nan)
        values = o.similarity(o.parts)
        for pair, (rows, each) in enumerate(zip(self.rows, self.chance, strict=True)):
            grid[0, o.item[rows], pair] = values[rows]
            grid[1, o.item[rows], pair] = [one.value for one in each.items]
            grid[2, o.item[rows], pair] = [one.error for one in each.items]
        return self._mean(grid[0], grid[1], grid[2], (~np.isnan(grid[0])).astype(float))

    def over_items(self, weights: Floats) -> Figures:
        """See :class:`Basis`. Of resampled items, the expected costs are summed before the ratio is taken."""
        o = self.observed
        shape = (len(weights), len(o.pairs))
        observed, expected, there = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape)
        for pair, (rows, each) in enumerate(zip(self.rows, self.chance, strict=True)):
            mine = weights[:, o.item[rows]]
            there[:, pair] = mine.any(axis=1)
            observed[:, pair] = np.where(there[:, pair], o.similarity(mine @ o.parts[rows]), np.nan)
            size = mine @ each.sizes
            cost = mine @ (each.sizes * (1 - np.array([one.value for one in each.items])))
            expected[:, pair] = 1 - cost / np.where(size > 0, size, 1)  # nothing to place, nothing to pay
        return self._mean(observed, expected, np.zeros(shape), there)


def _report(progress: Progress, before: int, total: int, made: int) -> None:
    progress(before + made, total)
