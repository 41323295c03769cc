"""Chance agreement from random texts, for each pair of coders separately (Lai, Li & Zhang 2023, section 3.3).

With more than two coders, the coefficient uses the mean observed and the mean expected similarity over pairs.

**Simulated** (``chance_simulation.py``): the kernel scores random texts. Counts and summed costs of shared, a-only and
b-only positions have known means. Regression on them (control variates) removes most of the variance. **Exact**, for S_f
with the exact alignment: the expected cost is computed with a Markov chain (``kernels/frontier.pyx``). S_f^B is a ratio;
there the exact cost is an additional control variate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, cast

import numpy as np

from caesura.agreement import chance_simulation as simulation
from caesura.agreement.chance import ChanceModel, Coefficient, Exact, Placement, max_draws
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.expected_cost import expectation
from caesura.agreement.parts import Parts, Rows, Sums
from caesura.engines import Checkpoint, Engine
from caesura.errors import OptionError, TooManyStates
from caesura.model.index import bincount
from caesura.model.value import Floats
from caesura.version import __version__

# The random texts of one pair of coders, one entry per item.
RandomItems = tuple[simulation.RandomItem, ...]
# Maximum number of states for exact chance.
MAX_STATES = 400_000


class RandomTextChance(ChanceModel):
    """Chance model that simulates random texts, or computes their expected similarity exactly."""

    coefficients: ClassVar[tuple[str, ...]] = ("kappa", "pi", "s", "s_modified")
    accepts_chance = True

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        assert coefficient.chance is not None
        super().__init__(observed, coefficient, engine)
        self._chance = coefficient.chance
        self._measure = cast(simulation.DrawnMeasure, observed.measure)
        self._rows = observed.rows_of_pairs
        self._similarity = observed.similarity(observed.pair_parts)
        self._pairs = self._expected_similarities(engine)
        self.draws = max(pair.draws for pair in self._pairs)

    @property
    def signature_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"chance": self.method}
        if self.draws:
            facts |= {"draws": self.draws, "seed": self.coefficient.seed}
            if self._chance.tolerance is not None:
                facts["tolerance"] = f"{self._chance.tolerance:g}"
        return facts

    def _random_items(self, pair: int) -> RandomItems:
        """Return the random texts of a pair of coders, one entry per item."""
        observed = self.observed
        batch = observed.scores.batch
        first = np.arange(batch.pairs + 1) if batch.streams is None else batch.streams  # first stream of each row
        names = [observed.coders[coder] for coder in observed.pairs[pair]]
        items = []
        rows = self._rows[pair]
        counts_of = np.stack([counts[rows] for counts in self._type_counts], axis=1)
        for row, counts in zip(rows.tolist(), self._selected_counts(pair, counts_of), strict=True):
            lengths = batch.length[first[row] : first[row + 1]]
            key = "\0".join((observed.items[observed.item_index[row]], *names))
            items.append(simulation.RandomItem(key, *simulation.distributions(self.coefficient.name, *counts), lengths))
        return tuple(items)

    @cached_property
    def _type_counts(self) -> tuple[Floats, Floats]:
        """How often either side of each document has each type, and (last) no boundary: documents x types."""
        batch = self.observed.scores.batch
        T = len(self.observed.scores.types)  # noqa: N806
        length = bincount(batch.item, batch.length, len(batch))
        sides = []
        for side in batch.sides("marked"):
            cells = batch.item[side.owner] * T + side.code
            by_type = bincount(cells, minlength=len(batch) * T).reshape(len(batch), T).astype(float)
            sides.append(np.column_stack([by_type, length - by_type.sum(axis=1)]))
        return sides[0], sides[1]

    def _selected_counts(self, pair: int, counts_of: Floats) -> Floats:
        """Return the counts that give the distributions of each item of a pair, items x sides x types: those of the item."""
        return counts_of

    def _expected_similarities(self, engine: Engine) -> list[simulation.ExpectedSimilarity]:
        """Return the chance agreement of every pair, and set ``method``."""
        types, chance = self.observed.scores.types, self._chance
        random_items = [self._random_items(pair) for pair in range(len(self._rows))]
        costs, self.method = self._known_costs(random_items)
        if costs is not None and self.method == "exact":
            if chance.checkpoint is not None:
                raise OptionError("checkpoint records draws, and chance='exact' simulates nothing here; leave it out")
            return [_exact(items, item_costs) for items, item_costs in zip(random_items, costs, strict=True)]
        simulations = [
            simulation.PairSimulation(items, self._known_means(items, None if costs is None else costs[i]))
            for i, items in enumerate(random_items)
        ]
        draws = max_draws(chance)
        return simulation.simulate(
            self._measure,
            types,
            simulations,
            seed=self.coefficient.seed,
            max_draws=draws,
            engine=engine,
            enough=None if chance.tolerance is None else self._enough,
            checkpoint=self._open_checkpoint(simulations, draws),
        )

    def _known_means(self, items: Sequence[simulation.RandomItem], costs: Sequence[float] | None) -> Floats:
        """Return the means of the control variates, one row per item; known costs are an additional variate."""
        means = np.array([simulation.known_means(self._measure, self.observed.scores.types, item) for item in items])
        if costs is not None:
            means = np.column_stack([means, costs])
        return means if self._chance.variates else means[:, :0]

    def _known_costs(self, random_items: Sequence[RandomItems]) -> tuple[list[list[float]] | None, str]:
        """Return the exact expected costs by pair and item, or None if not requested or not possible; and the method."""
        exact = self.observed.measure.supports_exact_chance and isinstance(self._chance, (Exact, Placement))
        variates = "6 control variates" if self._chance.variates else "no control variates"
        if not exact:
            return None, f"simulated, {variates}"
        try:
            costs = self._exact_costs(random_items)
        except TooManyStates as error:
            return None, f"simulated, {variates}; {error}"
        if self._measure.settings["normalize"] == "positions":
            return costs, "exact"
        return costs, f"simulated, {variates} and the exact cost"

    def _exact_costs(self, random_items: Sequence[RandomItems]) -> list[list[float]]:
        """Return the expected costs by pair and item. Items with the same distributions and lengths are computed once."""
        distances = self._measure.costs(self.observed.scores.types)
        known: dict[tuple[bytes, ...], float] = {}
        for item in chain.from_iterable(random_items):
            key = item.p_a.tobytes(), item.p_b.tobytes(), item.lengths.tobytes()
            if key in known:
                continue
            try:
                result = expectation(
                    item.p_a,
                    item.p_b,
                    item.lengths.tolist(),
                    distances.similarity,
                    distances.transposition,
                    max_states=MAX_STATES,
                )
            except TooManyStates:
                raise TooManyStates(f"exact chance would need more than {MAX_STATES} states") from None
            known[key] = result.cost
        return [
            [known[item.p_a.tobytes(), item.p_b.tobytes(), item.lengths.tobytes()] for item in items]
            for items in random_items
        ]

    def _open_checkpoint(self, simulations: Sequence[simulation.PairSimulation], draws: int) -> Checkpoint | None:
        """Return the checkpoint of this simulation, if any, labelled with everything that determines its draws."""
        if self._chance.checkpoint is None:
            return None
        run = {
            "what": "chance agreement",
            "caesura": __version__,
            "seed": self.coefficient.seed,
            "draws": draws,
            "tolerance": self._chance.tolerance,
            "coefficient": self.coefficient.name,
            "measure": repr(self._measure),
            "method": self.method,
            "data": simulation.digest(self.observed.scores.types, simulations),
        }
        return Checkpoint(self._chance.checkpoint, run)

    def _enough(self, pair: int, expected: simulation.Estimate) -> bool:
        tolerance = self._chance.tolerance
        if tolerance is None or expected.value >= 1:
            return False
        error = (1 - float(self._similarity[pair])) / (1 - expected.value) ** 2 * expected.error
        # The mean over pairs is more precise than each of them.
        return error <= tolerance * math.sqrt(len(self._rows))

    @cached_property
    def parts(self) -> Parts:
        """Counts, sizes, expected costs and variances of each row; over all items, of each pair."""
        observed = self.observed
        rows, totals = np.empty((len(observed.pair_index), 3)), np.empty((len(self._pairs), 3))
        for place, (own, pair) in enumerate(zip(self._rows, self._pairs, strict=True)):
            expected = np.array([estimate.value for estimate in pair.items])
            errors = np.array([estimate.error for estimate in pair.items])
            # Expected costs of resampled items are summed before the ratio is computed.
            rows[own] = np.column_stack([pair.sizes, pair.sizes * (1 - expected), errors**2])
            totals[place] = 1.0, 1 - pair.total.value, pair.total.error**2
        return observed.table(
            self.finish,
            values=np.column_stack([observed.scores.counts, rows]),
            pairwise=True,
            pair_totals=np.column_stack([observed.pair_parts, totals]),
        )

    @cached_property
    def _any_boundary(self) -> bool:
        return any(len(side.place) for side in self.observed.scores.batch.sides("marked"))

    def finish(self, sums: Sums) -> Rows:
        """Return the means over pairs. The error is that of the estimates for single pairs or items."""
        pairs, parts = sums.pairs, sums.pairs.parts
        similarity = self.observed.similarity(parts[:, :, :-3].reshape(-1, parts.shape[2] - 3)).reshape(parts.shape[:2])
        size, cost, variance = parts[:, :, -3], parts[:, :, -2], parts[:, :, -1]
        expected = 1 - cost / np.where(size > 0, size, 1)  # if there are no objects, the cost is 0
        number = pairs.sum(np.ones(parts.shape[:2]))
        error = np.sqrt(pairs.sum(variance)) / np.where(number > 0, number, np.nan)
        chance = pairs.mean(expected) if self._any_boundary else np.full(len(error), np.nan)
        return Rows.of(pairs.mean(similarity), chance, error=error)


class PlacedTextChance(RandomTextChance):
    """Chance model of coders who place boundaries with the same probabilities in all items."""

    # The published model has probabilities for each item. Here a coder has one distribution, from all items (kappa), or both
    # coders of a pair have one (pi).

    coefficients = ("kappa", "pi")

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        self.method = f"placement, {self.method}"

    @property
    def signature_facts(self) -> dict[str, Any]:
        return super().signature_facts | {"chance": "placement"}

    @cached_property
    def _coder_counts(self) -> dict[int, Floats]:
        """Number of times that each coder placed each type, and (last) no boundary, over all items."""
        observed = self.observed
        counts: dict[tuple[int, int], Floats] = {}
        for row, (item, pair) in enumerate(
            zip(observed.item_index.tolist(), observed.pair_index.tolist(), strict=True)
        ):
            for side, coder in enumerate(observed.pairs[pair]):
                if (item, coder) not in counts:
                    counts[item, coder] = self._type_counts[side][row]
        totals: dict[int, Floats] = {}
        for (_, coder), row_counts in counts.items():
            totals[coder] = totals.get(coder, 0.0) + row_counts
        return totals

    def _selected_counts(self, pair: int, counts_of: Floats) -> Floats:
        sides = np.stack([self._coder_counts[coder] for coder in self.observed.pairs[pair]])
        return np.broadcast_to(sides, counts_of.shape)


def _exact(items: RandomItems, costs: list[float]) -> simulation.ExpectedSimilarity:
    N = np.array([item.positions for item in items], float)  # noqa: N806
    estimates = tuple(simulation.Estimate(1 - cost / n, 0.0) for cost, n in zip(costs, N.tolist(), strict=True))
    return simulation.ExpectedSimilarity(simulation.Estimate(1 - sum(costs) / float(N.sum()), 0.0), estimates, 0, N)
