"""The boundary edit distance, on which S, B and the confusion matrix of boundaries are based.

All of them count the edits of the same distance (Fournier & Inkpen 2012, section 3.2; Fournier 2013,
section 3.1). Boundaries of the same type at the same position always match, at no cost. The other boundaries are
explained by these edits ::

    addition/deletion   A   a boundary on one side only                            cost 1
    substitution        S   two types at one position, x steps apart on the scale  cost w_sub (ws + x / |T|)
    transposition       T   one type at two positions, d apart, 1 <= d < n_t       cost w_trp (wt + d / n_t)

with the weights w_sub = w_trp = 1 and ws = wt = 0 by default.
The total cost is minimal. Among alignments of equal cost, the one with the fewest edits is chosen, which makes S and B
unique. For one type, a dynamic program over two sorted lists finds the minimum; for several types, a minimum-cost
matching. The papers promise a minimum. segeval pairs boundaries greedily: it misses the minimum for n_t >= 3, and its
result changes when the text is reversed.

If the printed equations and the figures of the papers differ, we follow the figures: a transposition costs d / n_t and not
d / (n_t - 1) (equation 5), a substitution x / (max - min + 1) and not x / (max - min) (equation 6).
``transposition="printed"`` and ``substitution="printed"`` select the printed equations.

The list of edits is deterministic and does not change when the sides are swapped: it is the smallest of all optimal lists
of pairs, ordered by leftmost position and lower type. It may change when the text is reversed; S and B do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import lcm
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import boundary as kernel
from caesura.limits import MAX_BOUNDARY_PAIRS
from caesura.measures.base import COUNT_COEFFICIENTS, Counts, Measure, declared, option
from caesura.measures.edit_chain import edit_chain
from caesura.measures.edit_columns import EditColumns, edit_columns
from caesura.measures.expected import ChainEdits, ExpectedCounts, NeighbourEdits
from caesura.measures.needs import Needs
from caesura.model.annotation import TICKS
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries, rows_of, take
from caesura.model.index import flatnonzero, repeat, searchsorted
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, number, whole

MICROSECONDS = 10**6
_MAX_TOTAL = 2.0**62  # sums of costs stay below it

# Option for the maximum span of a transposition.
N_T = Option(
    "n_t", 2, whole(1, 1_000_000), "maximum span of a transposition, in positions (exclusive)", always_shown=True
)
# Return the options that determine costs from a mapping.
cost_options = itemgetter("n_t", "transposition", "substitution", "wt", "ws", "w_trp", "w_sub")
# Option of presets that pair boundaries greedily, like segeval.
GREEDY = {"alignment": "greedy"}


@dataclass(frozen=True)
class BoundaryCosts:
    """Costs of edits as exact fractions, and gains of pairs as integer multiples of 1 / scale."""

    # Transpositions span fewer than ``n_t`` positions, or seconds if it is a fraction.
    n_t: Any  # whole number of positions, or fraction of seconds
    # Form of the cost.
    transposition: str
    substitution: str
    # Constant parts of the costs.
    wt: Fraction
    ws: Fraction
    # Weights that multiply the costs of transpositions and substitutions.
    w_trp: Fraction
    w_sub: Fraction
    types: int  # number of boundary types

    @cached_property
    def per_position(self) -> Fraction:
        """Cost of a transposition per position."""
        if self.transposition in ("unit", "te"):
            return Fraction(0)
        width = Fraction(self.n_t if self.transposition == "scaled" else max(1, self.n_t - 1))
        return self.w_trp / width

    @cached_property
    def per_step(self) -> Fraction:
        """Cost of a substitution per step on the scale of types."""
        if self.substitution == "unit":
            return Fraction(0)
        return self.w_sub / (self.types if self.substitution == "scaled" else max(1, self.types - 1))

    def transposition_cost(self, d: Any) -> Fraction:
        if self.transposition == "te":
            return Fraction(self.w_trp * (2 - Fraction(1, 2 ** (d - 1))))
        return Fraction(self.w_trp * (1 if self.transposition == "unit" else self.wt) + d * self.per_position)

    def substitution_cost(self, x: int) -> Fraction:
        return self.w_sub * (1 if self.substitution == "unit" else self.ws) + x * self.per_step

    @cached_property
    def scale(self) -> int:
        """A common denominator of all costs."""
        terms = [self.substitution_cost(0), self.per_step]
        if self.transposition == "te":
            terms.append(self.w_trp / 2 ** max(0, self.n_t - 2))
        else:
            terms += [self.transposition_cost(0), self.per_position]
        return lcm(*(term.denominator for term in terms))

    @cached_property
    def gains(self) -> tuple[Ints, Ints]:
        """Savings compared with two additions, times ``scale``."""
        # The first array is for transpositions over d = 0, 1, ... n_t-1, the second for substitutions over x = 0, 1, ...
        scale = self.scale
        if scale >= 2**62:
            raise OptionError("the weights of edits have too many digits; round them")
        if self.transposition == "te":
            gain_t = np.array([0, *(int((2 - self.transposition_cost(d)) * scale) for d in range(1, self.n_t))])
        else:
            gain_t = int((2 - self.transposition_cost(0)) * scale) - np.arange(self.n_t) * int(
                self.per_position * scale
            )
        gain_s = int((2 - self.substitution_cost(0)) * scale) - np.arange(self.types) * int(self.per_step * scale)
        return gain_t.astype(np.int64), gain_s.astype(np.int64)

    def linear_gains(self, ticks: int) -> Ints:
        """Return the gains of transpositions in seconds: at distance 0, what each tick costs, and the widest distance."""
        # Places are compared in whole ticks, so equal costs are exactly equal.
        width = Fraction(self.n_t)
        constant, weight = self.transposition_cost(0), self.per_position * width
        denominator, window = lcm(constant.denominator, weight.denominator), max(1, round(width * ticks))
        return np.array([int((2 - constant) * denominator) * window, int(weight * denominator), window], np.int64)

    @cached_property
    def weights(self) -> Floats:
        """Costs times ``scale``, in the order of the counts."""
        # These are the costs per addition, transposition, position between transposed boundaries, substitution, step on the
        # scale of types, and match; with ``te`` also the weight of the sum of 2^(1-d).
        te = self.transposition == "te"
        constant = 2 * self.w_trp if te else self.transposition_cost(0)
        costs = [Fraction(1), constant, self.per_position, self.substitution_cost(0), self.per_step, Fraction(0)]
        return np.array([float(cost * self.scale) for cost in ([*costs, -self.w_trp] if te else costs)])

    @cached_property
    def excess(self) -> str | None:
        """Error message if a pair can cost more than 1, so that B and correctness could be negative; else None."""
        timed = isinstance(self.n_t, Fraction)
        transposition = self.transposition_cost(self.n_t if timed else max(0, self.n_t - 1))
        substitution = self.substitution_cost(self.types - 1)
        if transposition > 1:
            return (
                f"wt is too large: a transposition may cost at most 1, but costs up to {float(transposition):g} at "
                f"n_t={float(self.n_t):g}; choose a smaller wt"
            )
        if self.types > 1 and substitution > 1:
            return (
                f"ws is too large: a substitution may cost at most 1, but costs up to {float(substitution):g} with "
                f"{self.types} types; choose a smaller ws"
            )
        return None

    def split(self, pairs: Floats, cost: Floats) -> Counts:
        """Return transpositions and substitutions with a given total cost."""
        counts = np.zeros((len(pairs), 5))
        near, per_position, other, per_step = (self.weights[1:5] / self.scale).tolist()
        if self.transposition == "te":
            counts[:, 0], counts[:, 4] = pairs, (near * pairs - cost) / float(self.w_trp or 1)
        elif per_position:
            counts[:, 0], counts[:, 1] = pairs, (cost - near * pairs) / per_position
        elif self.types == 1 or (per_step == 0 and near == other):
            counts[:, 0] = pairs
        elif per_step:
            counts[:, 2], counts[:, 3] = pairs, (cost - other * pairs) / per_step
        else:
            counts[:, 0] = (cost - other * pairs) / (near - other)
            counts[:, 2] = pairs - counts[:, 0]
        return counts

    def total(self, counts: Counts) -> Floats:
        # All terms are integers before the division, so the result is the nearest float.
        cost: Floats = counts[:, : len(self.weights)] @ self.weights / self.scale
        return cost


@lru_cache(256)
def _costs(n_t: int | str, transposition: str, substitution: str, *weights_and_types: float) -> BoundaryCosts:
    # A weight is read as a decimal number: 0.1 is a tenth, not the nearest binary fraction.
    *weights, types = weights_and_types
    wt, ws, w_trp, w_sub = (Fraction(repr(weight)) for weight in weights)
    width = Fraction(n_t[:-1]) if isinstance(n_t, str) else n_t
    return BoundaryCosts(width, transposition, substitution, wt, ws, w_trp, w_sub, int(types))


class EditDistanceMeasure(Measure):
    """Base class with the options and the alignment of the boundary edit distance."""

    kinds: ClassVar[tuple[str, ...]] = ("linear", "dialogue")
    needs: ClassVar[Any] = Needs(units=True)
    typed = True
    aligns = True
    symmetric = True  # swapping the sides keeps the value, but exchanges precision and recall of the confusion matrix
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"

    n_t: Any = declared(N_T)
    transposition: str = option("scaled", choice("scaled", "printed", "unit"), "cost of a transposition")
    substitution: str = option("scaled", choice("scaled", "printed", "unit"), "cost of a substitution")
    wt: float = option(0, number(0, 1), "constant part of the cost of a transposition")
    ws: float = option(0, number(0, 1), "constant part of the cost of a substitution")
    w_trp: float = option(
        1, number(0, 1), "weight of transpositions, which multiplies their cost; 0 forgives near misses"
    )
    w_sub: float = option(1, number(0, 1), "weight of substitutions, which multiplies their cost")
    alignment: str = option("exact", choice("exact", "greedy"), "minimum-cost alignment, or segeval's greedy pairing")

    @property
    def _te(self) -> bool:
        return bool(self.transposition == "te")

    def costs(self, types: tuple[str, ...]) -> BoundaryCosts:
        """Return the costs over some types."""
        number = len(types)
        costs = self._known_costs.get(number)
        if costs is None:
            costs = self._known_costs[number] = _costs(*cost_options(self.settings), number)
        return costs

    @cached_property
    def _known_costs(self) -> dict[int, BoundaryCosts]:
        return {}

    def gains(self, types: tuple[str, ...], ticks: int) -> kernel.Gains:
        """Return the gains of pairs over some types, and the method that finds the pairs, for the kernel."""
        key = len(types), ticks
        gains = self._known_gains.get(key)
        if gains is None:
            costs = self.costs(types)
            method = kernel.MATCHING if len(types) > 1 or self._te else kernel.ORDERED
            method = kernel.GREEDY if self.alignment == "greedy" else method
            arrays = costs.gains if ticks == 1 else (costs.linear_gains(ticks), EMPTY)
            gains = kernel.Gains(*arrays, method if ticks == 1 else kernel.LINEAR)
            self._known_gains[key] = gains
        return gains

    @cached_property
    def _known_gains(self) -> dict[tuple[int, int], kernel.Gains]:
        return {}

    def validate(self) -> None:
        for weight, kind in (("wt", "transposition"), ("ws", "substitution")):
            if self[weight] and self[kind] in ("unit", "te"):
                raise OptionError(f"{weight} has no effect with {kind}={self[kind]!r}; set only one of them")
        if self._te and self.n_t > 40:
            raise OptionError(f"n_t must be at most 40 with transposition='te'; got {self.n_t}")
        problem = self.cost_problem(self.costs(("boundary",)))
        if problem is not None:
            raise OptionError(problem)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        costs, rows = self.costs(batch.types), range(batch.pairs)
        problem = self.cost_problem(costs)
        if problem is not None:
            return dict.fromkeys(rows, OptionError(problem))
        if batch.seconds:
            return {}
        a, b = batch.boundaries()
        if self._is_small(len(a.place), len(b.place), costs):
            return {}
        return self._with_overflow(a, b, costs.scale) | self._with_too_many_pairs(a, b, len(batch.types))

    def _is_small(self, a_count: int, b_count: int, costs: BoundaryCosts) -> bool:
        """Return whether so few boundaries certainly have small sums of gains and a small table of possible pairs."""
        is_exact = 2.0 * min(costs.scale, 2**70) * (a_count + 1.0) ** 2 < 2.0**62
        return is_exact and a_count * min(b_count, 2 * self.n_t * costs.types) <= MAX_BOUNDARY_PAIRS

    def _with_overflow(self, a: Boundaries, b: Boundaries, scale: int) -> dict[int, CaesuraError]:
        """Return errors for pairs in which sums of integer gains might not fit into 64 bits."""
        scale = min(scale, 2**70)  # a float can hold it
        pairs = np.minimum(a.count, b.count) + 1.0
        cause = "n_t is too large for transposition='te'" if self._te else "the weights of edits have too many digits"
        hint = "choose a smaller n_t" if self._te else "round them"
        return {
            int(d): OptionError(f"{cause} in a text with {int(pairs[d]) - 1} boundaries; {hint}")
            for d in flatnonzero(2.0 * scale * pairs * pairs >= 2.0**62)
        }

    def _with_too_many_pairs(self, a: Boundaries, b: Boundaries, types: int) -> dict[int, CaesuraError]:
        """Return errors for pairs whose table of possible pairs of boundaries would take too much memory."""
        n_t = self.n_t
        errors: dict[int, CaesuraError] = {}
        for d in flatnonzero(
            a.count.astype(float) * np.minimum(b.count, 2.0 * n_t * types) > MAX_BOUNDARY_PAIRS
        ).tolist():
            own, other = (side.place[side.off[d] : side.off[d + 1]] for side in (a, b))
            pairs = int((searchsorted(other, own + n_t) - searchsorted(other, own - n_t, "right")).sum())
            if pairs > MAX_BOUNDARY_PAIRS:
                errors[d] = OptionError(
                    f"n_t={n_t} allows {pairs:,} pairs of boundaries, more than {MAX_BOUNDARY_PAIRS:,}; choose a smaller n_t"
                )
        return errors

    def cost_problem(self, costs: BoundaryCosts) -> str | None:
        return None

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        gain_t, gain_s = self.costs(types).gains
        parts_of = partial(self.expected_parts, types)
        if len(types) == 1 and len(gain_t) <= 2:
            return NeighbourEdits(int(gain_t[1]) if len(gain_t) == 2 else -1, parts_of)
        chain = edit_chain(gain_t, gain_s, sets) if self.alignment == "exact" else None
        return None if chain is None else ChainEdits(chain, sets, parts_of)

    def expected_parts(self, types: tuple[str, ...], edits: Floats) -> Counts:
        raise NotImplementedError  # subclasses define it

    def partners(self, batch: Batch) -> Ints:
        """Return, for each boundary of a, the index of its partner in b, or -1."""
        a, b = batch.boundaries()
        partners = np.full(len(a.place), -1, np.int64)
        if self.coarse(batch) is None:
            kernel.align(*a, *b, self.gains(batch.types, batch.ticks), partners)
            return partners
        for rows, first, second, ticks in self.in_ticks(batch):
            own = np.full(len(first.place), -1, np.int64)
            kernel.align(*first, *second, self.gains(batch.types, ticks), own)
            shift = repeat(b.off[rows] - second.off[:-1], first.count)
            partners[rows_of(a.off, rows)[0]] = np.where(own < 0, own, own + shift)
        return partners

    def coarse(self, batch: Batch) -> NDArray[np.bool_] | None:
        """Return the recordings so long that sums of costs fit into 64 bits in microseconds only; None if there are none."""
        if not batch.seconds:
            return None
        a, b = batch.boundaries()
        pairs = np.minimum(a.count, b.count) + 2.0
        per_pair = float(self.costs(batch.types).linear_gains(batch.ticks)[0])
        coarse: NDArray[np.bool_] = per_pair * pairs * pairs > _MAX_TOTAL
        return coarse if coarse.any() else None

    def in_ticks(self, batch: Batch) -> Iterator[tuple[Ints, Boundaries, Boundaries, int]]:
        """Yield rows, their sides, and the ticks per second of these: nanoseconds where sums fit, else microseconds."""
        coarse = self.coarse(batch)
        assert coarse is not None
        for rows, step in ((flatnonzero(~coarse), 1), (flatnonzero(coarse), TICKS // MICROSECONDS)):
            a, b = (take(side, rows) for side in batch.boundaries())
            a, b = (side._replace(place=np.rint(side.place / step).astype(np.int64)) for side in (a, b))
            yield rows, a, b, batch.ticks // step

    def edit_columns(self, batch: Batch) -> EditColumns | None:
        costs = self.costs(batch.types)
        return edit_columns(
            batch,
            "inner",
            self.partners(batch),
            transposition_cost=lambda d: float(costs.transposition_cost(Fraction(d) if batch.seconds else d)),
            substitution_cost=lambda x: float(costs.substitution_cost(x)),
        )
