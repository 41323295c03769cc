"""Chance agreement of flexible similarity, pair of coders by pair: simulated, or exact (Lai & Li 2023, section 3.3).

With more than two coders the coefficient is that of the mean observed and the mean expected similarity over pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.chance import Chance, Draft, Estimate, distributions, exact_costs
from caesura.agreement.observed import Observed
from caesura.agreement.simulated import Lot, Progress, digest, simulate
from caesura.engines import Checkpoint, Engine
from caesura.errors import OptionError
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.streams import StreamBatch
from caesura.version import __version__

__all__ = ["Drawn", "Plan", "Progress"]

DRAWS = 10_000
MOST_DRAWS = 1_000_000
MOST_STATES = 400_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """How much to draw, and what becomes of the draws."""

    most: int
    tolerance: float | None
    seed: int
    variates: bool = True
    checkpoint: str | PathLike[str] | None = None

    @classmethod
    def of(
        cls,
        draws: int | None,
        tolerance: float | None,
        seed: int,
        variates: bool | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Plan:
        """What was asked for, checked."""
        if draws is not None and (isinstance(draws, bool) or not isinstance(draws, int) or draws < 1):
            raise OptionError(f"draws must be a whole number of at least 1; got {draws!r}")
        if draws is not None and draws < 20:
            raise OptionError(f"draws must be at least 20, or there is no standard error; got {draws}")
        if tolerance is not None and not 0 < tolerance < 1:
            raise OptionError(f"tolerance must lie between 0 and 1; got {tolerance!r}")
        if variates is not None and not isinstance(variates, bool):
            raise OptionError(f"variates must be True or False; got {variates!r}")
        most = draws or (DRAWS if tolerance is None else MOST_DRAWS)
        return cls(most, tolerance, seed, variates is not False, checkpoint)


class Drawn(Basis):
    """A ``Basis`` whose chance is drawn, or found exactly, from the distribution of types of each coder and item."""

    def __init__(
        self,
        observed: Observed,
        coefficient: str,
        plan: Plan,
        chance: str,
        engine: Engine,
        progress: Progress | None = None,
    ) -> None:
        measure = observed.measure
        assert isinstance(measure, FlexibleSimilarity)
        self.observed = observed
        self.measure = measure
        self.plan = plan
        self.rows = [np.flatnonzero(observed.pair == k) for k in range(len(observed.pairs))]
        """The rows of ``observed`` that belong to each pair."""
        self.by_pair = observed.similarity(observed.by_pair)
        self.chance, self.method = self._expect(coefficient, chance, engine, progress)

    @property
    def draws(self) -> int:
        """How many pairs of texts were drawn, at most, for a pair of coders; 0 where chance is exact."""
        return max(each.draws for each in self.chance)

    def _drafts(self, pair: int, coefficient: str) -> tuple[Draft, ...]:
        """What chance is drawn from, item by item."""
        o = self.observed
        batch = o.scores.batch
        assert isinstance(batch, StreamBatch)
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

    def _expect(
        self, coefficient: str, chance: str, engine: Engine, progress: Progress | None
    ) -> tuple[list[Chance], str]:
        """Chance agreement of every pair, and how it was found."""
        measure, types, plan = self.measure, self.observed.scores.types, self.plan
        drafts = [self._drafts(pair, coefficient) for pair in range(len(self.rows))]
        costs, method = self._known(drafts, chance)
        if costs is not None and measure["normalize"] == "positions":
            if plan.checkpoint is not None:
                raise OptionError(
                    "checkpoint keeps what was simulated, and chance='exact' simulates nothing here; leave it out"
                )
            return [_exact(*each) for each in zip(drafts, costs, strict=True)], method
        lots = [
            Lot.of(measure, types, each, costs=None if costs is None else costs[i], variates=plan.variates)
            for i, each in enumerate(drafts)
        ]
        found = simulate(
            measure,
            types,
            lots,
            seed=plan.seed,
            most=plan.most,
            engine=engine,
            enough=None if plan.tolerance is None else self._enough,
            checkpoint=self._checkpoint(coefficient, method, lots),
            progress=progress,
        )
        return found, method

    def _known(self, drafts: Sequence[tuple[Draft, ...]], chance: str) -> tuple[list[list[float]] | None, str]:
        """The expected cost of each item of each pair, where that was asked for and can be had; and how chance is found."""
        variates = "6 control variates" if self.plan.variates else "no control variates"
        if chance != "exact":
            return None, f"simulated, {variates}"
        costs = []
        for each in drafts:
            found = exact_costs(self.measure, self.observed.scores.types, each, MOST_STATES)
            if found is None:
                return None, f"simulated, {variates}; exact chance would need more than {MOST_STATES} states"
            costs.append(found)
        if self.measure["normalize"] == "positions":
            return costs, "exact"
        return costs, f"simulated, {variates} and the exact cost"

    def _checkpoint(self, coefficient: str, method: str, lots: Sequence[Lot]) -> Checkpoint | None:
        """The folder of this simulation, if there is one: everything that its draws depend on says whose it is."""
        plan = self.plan
        if plan.checkpoint is None:
            return None
        about = {
            "what": "chance agreement",
            "caesura": __version__,
            "seed": plan.seed,
            "draws": plan.most,
            "tolerance": plan.tolerance,
            "coefficient": coefficient,
            "measure": repr(self.measure),
            "method": method,
            "data": digest(self.observed.scores.types, lots),
        }
        return Checkpoint(plan.checkpoint, about)

    def _enough(self, pair: int, now: Estimate) -> bool:
        if self.plan.tolerance is None or now.value >= 1:
            return False
        spread = (1 - float(self.by_pair[pair])) / (1 - now.value) ** 2 * now.error
        # The mean over pairs is more precise than each of them.
        return spread <= self.plan.tolerance * math.sqrt(len(self.rows))

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


def _exact(drafts: tuple[Draft, ...], costs: list[float]) -> Chance:
    N = np.array([draft.positions for draft in drafts], float)  # noqa: N806
    alone = tuple(Estimate(1 - cost / n, 0.0) for cost, n in zip(costs, N.tolist(), strict=True))
    return Chance(Estimate(1 - sum(costs) / float(N.sum()), 0.0), alone, 0, N)
