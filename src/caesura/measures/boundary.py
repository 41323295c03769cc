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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import lcm
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import boundary as kernel
from caesura.limits import MAX_BOUNDARY_PAIRS
from caesura.measures.axis import AXIS_WORDS, EXTENT, LEVEL, AxisMeasure, amount
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, declared, divide, option
from caesura.measures.edit_columns import EditColumns, edit_columns
from caesura.measures.expected import ChainEdits, ExpectedCounts, NeighbourEdits, edit_chain
from caesura.measures.needs import Needs
from caesura.model.annotation import TICKS
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries, rows_of, take
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero, reduceat, repeat, searchsorted
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, number, whole

MICROSECONDS = 10**6
_MAX_TOTAL = 2.0**62  # sums of costs stay below it

# Option for the maximum span of a transposition.
N_T = Option(
    "n_t", 2, whole(1, 1_000_000), "maximum span of a transposition, in positions (exclusive)", always_shown=True
)
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

    divides_by_pairs: ClassVar[bool] = True  # whether a pair must cost at most 1, so that the value is not negative

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

    @cached_property
    def edit_options(self) -> tuple[Any, ...]:
        """The options that determine the edits: how boundaries are paired, and costs."""
        return self.alignment, self.n_t, self.transposition, self.substitution, self.wt, self.ws, self.w_trp, self.w_sub

    def costs(self, types: tuple[str, ...]) -> BoundaryCosts:
        """Return the costs over some types."""
        costs = self._known.get(("costs", len(types)))
        if costs is None:
            costs = self._known["costs", len(types)] = _costs(*self.edit_options[1:], len(types))
        return costs

    def gains(self, types: tuple[str, ...], ticks: int) -> kernel.Gains:
        """Return the gains of pairs over some types, and the method that finds the pairs, for the kernel."""
        gains = self._known.get(("gains", len(types), ticks))
        if gains is None:
            costs = self.costs(types)
            method = kernel.MATCHING if len(types) > 1 or self.transposition == "te" else kernel.ORDERED
            method = kernel.GREEDY if self.alignment == "greedy" else method
            arrays = costs.gains if ticks == 1 else (costs.linear_gains(ticks), EMPTY)
            gains = kernel.Gains(*arrays, method if ticks == 1 else kernel.LINEAR)
            self._known["gains", len(types), ticks] = gains
        return gains

    def validate(self) -> None:
        for weight, kind in (("wt", "transposition"), ("ws", "substitution")):
            if self[weight] and self[kind] in ("unit", "te"):
                raise OptionError(f"{weight} has no effect with {kind}={self[kind]!r}; set only one of them")
        if self.transposition == "te" and self.n_t > 40:
            raise OptionError(f"n_t must be at most 40 with transposition='te'; got {self.n_t}")
        if self.divides_by_pairs and (problem := self.costs(("boundary",)).excess) is not None:
            raise OptionError(problem)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        n_t, costs = self.n_t, self.costs(batch.types)
        if self.divides_by_pairs and costs.excess is not None:
            return dict.fromkeys(range(batch.pairs), OptionError(costs.excess))
        if batch.seconds:
            return {}
        a, b = batch.boundaries()
        scale = min(costs.scale, 2**70)  # a float can hold it
        all_a, all_b = len(a.place), len(b.place)
        has_exact_sums = 2.0 * scale * (all_a + 1.0) ** 2 < 2.0**62
        if has_exact_sums and all_a * min(all_b, 2 * n_t * costs.types) <= MAX_BOUNDARY_PAIRS:
            return {}
        errors: dict[int, CaesuraError] = {}
        # Sums of integer gains must fit into 64 bits, and the table of possible pairs of boundaries into memory.
        pairs = np.minimum(a.count, b.count) + 1.0
        cause, hint = "the weights of edits have too many digits", "round them"
        if self.transposition == "te":
            cause, hint = "n_t is too large for transposition='te'", "choose a smaller n_t"
        for d in flatnonzero(2.0 * scale * pairs * pairs >= 2.0**62).tolist():
            errors[d] = OptionError(f"{cause} in a text with {int(pairs[d]) - 1} boundaries; {hint}")
        possible = a.count.astype(float) * np.minimum(b.count, 2.0 * n_t * costs.types)
        for d in flatnonzero(possible > MAX_BOUNDARY_PAIRS).tolist():
            own, other = (side.place[side.off[d] : side.off[d + 1]] for side in (a, b))
            number = int((searchsorted(other, own + n_t) - searchsorted(other, own - n_t, "right")).sum())
            if number > MAX_BOUNDARY_PAIRS:
                errors[d] = OptionError(
                    f"n_t={n_t} allows {number:,} pairs of boundaries, more than {MAX_BOUNDARY_PAIRS:,}; choose a smaller n_t"
                )
        return errors

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


class _SimilarityMeasure(EditDistanceMeasure):
    """Base class with the counts that S and B share."""

    sides = ("a", "b")

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        names = ("additions", "transpositions", "span", "substitutions", "distance", "matches")
        return (*names, "te") if self.transposition == "te" else names

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats]:
        return counts[:, 0], counts[:, 1]  # additions and transpositions

    def count_disagreements(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return np.asarray(counts[:, 0] + counts[:, 1] + counts[:, 3], np.float64)  # and substitutions

    def parts_of(self, counts: Counts, types: tuple[str, ...]) -> Counts:
        return counts[:, :6]

    def edit_counts(self, batch: Batch) -> Counts:
        """Return one row per pair: the columns of ``kernel.tally``, room for N-1, and with ``te`` the sum of 2^(1-d)."""
        # S and B share their counts if the options that affect the edits are equal.
        return batch.shared(("edits", batch.types, self.edit_options), lambda: self.align_and_count(batch))

    def expected_parts(self, types: tuple[str, ...], edits: Floats) -> Counts:
        gain, pairs, matches, positions, a, b = edits.T
        costs = self.costs(types)
        counts = np.zeros((len(edits), 8))
        counts[:, 0] = a + b - 2 * (pairs + matches)
        counts[:, [1, 2, 3, 4, 7]] = costs.split(pairs, 2 * pairs - gain / costs.scale)
        counts[:, 5] = matches
        counts[:, 6] = positions
        return self.parts_of(counts, types)

    def align_and_count(self, batch: Batch) -> Counts:
        """Return the columns of ``edit_counts``, computed anew."""
        a, b = batch.boundaries()
        out = np.empty((batch.pairs, 8))
        if self.coarse(batch) is not None:
            for rows, first, second, ticks in self.in_ticks(batch):
                part = np.empty((len(rows), 8))
                kernel.count(*first, *second, self.gains(batch.types, ticks), part)
                part[:, 2] *= batch.ticks // ticks
                out[rows] = part
        elif self.transposition == "te":
            partners = self.partners(batch)
            kernel.tally(*a, *b, partners, out)
            out[:, 7] = _te_sums(a, b, partners)
        else:
            kernel.count(*a, *b, self.gains(batch.types, batch.ticks), out)
        if batch.seconds:
            out[:, 2] /= batch.ticks
        return out


_TE_POWERS = np.array([0.0, *(2.0 ** (1 - d) for d in range(1, 41))])  # by distance; n_t is at most 40


def _te_sums(a: Boundaries, b: Boundaries, partners: Ints) -> Floats:
    """Return the sum of 2^(1-d) over the transpositions of each pair."""
    # A transposition over d positions costs 2 - 2^(1-d) by equation 3 of Fournier & Inkpen (2012).
    paired = flatnonzero(partners >= 0)
    powers = np.zeros(len(partners) + 1)  # one extra element, because the last documents may be empty
    powers[paired] = _TE_POWERS[np.abs(a.place[paired] - b.place[partners[paired]])]
    return np.where(a.count > 0, reduceat(np.add, powers, a.off[:-1]), 0.0)


class SegmentationSimilarity(_SimilarityMeasure):
    name = "segmentation_similarity"
    title = "Segmentation similarity S (Fournier & Inkpen 2012)"
    summary = "edits per possible boundary"
    short_name = "S"
    divides_by_pairs = False
    needs = Needs(
        units=True,
        hint=(
            "counts positions, and seconds have none; use boundary_similarity(n_t='1s') or boundary_f, or convert the "
            "annotations to units with over_units"
        ),
    )
    transposition: str = option("scaled", choice("scaled", "printed", "unit", "te"), "cost of a transposition")
    divisor: str = option(
        "types", choice("types", "types_squared"), "divisor of the cost: P * |T|, or segeval's P * |T| * |T|"
    )
    presets = MappingProxyType(
        {
            "fournier2012": {"transposition": "unit"},
            "fournier2013": {},
            "segeval-2.0.11": {**GREEDY, "divisor": "types_squared"},
        }
    )

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return (*super().part_names(types), "positions")

    def count(self, batch: Batch) -> BatchCounts:
        counts = self.edit_counts(batch)
        counts[:, 6] = batch.length - 1
        return BatchCounts(self.parts_of(counts, batch.types), {})

    def parts_of(self, counts: Counts, types: tuple[str, ...]) -> Counts:
        factor, te = len(types) ** (2 if self.divisor == "types_squared" else 1), self.transposition == "te"
        if factor == 1 and not te:
            return counts[:, :7]
        return np.concatenate([counts[:, :6], *([counts[:, 7:]] if te else []), counts[:, 6:7] * factor], axis=1)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return 1 - divide(self.costs(types).total(counts), counts[:, -1])


def _width(name: str, value: Any) -> int | str:
    """Check for n_t: a whole number of positions, or a time above 0 such as ``"1s"``."""
    if not isinstance(value, str) or value.isdecimal():
        return N_T.check(name, value)  # type: ignore[no-any-return]
    width = amount(name, value)
    if not isinstance(width, str) or width.endswith("%") or float(width[:-1]) <= 0:
        raise OptionError(f"{name} must be a whole number of positions, or a time above 0 such as '1s'; got {value!r}")
    return width


_width.value_type, _width.choices = str, ()  # type: ignore[attr-defined]  # for the command line


# Columns that count boundary pairs: additions, transpositions, substitutions and matches.
_PAIR_COLUMNS = np.array([1.0, 1, 0, 1, 0, 1])


class BoundarySimilarity(_SimilarityMeasure, AxisMeasure):
    kinds = ("hierarchy", "timed", "linear", "dialogue")
    needs = Needs(extent=True)
    name = "boundary_similarity"
    title = "Boundary similarity B (Fournier 2013)"
    summary = "edits per placed boundary"
    short_name = "B"
    is_mean_over_pairs = True
    needs_common_units = True
    unit_by_options = True
    n_t: Any = declared(
        replace(
            N_T,
            check=_width,
            description="maximum span of a transposition, in positions or, such as 1s, in seconds (exclusive)",
        )
    )
    extent: str = declared(replace(EXTENT, omitted_at_default=True), last=3)
    level: int | None = declared(replace(LEVEL, omitted_at_default=True), last=3)
    presets = MappingProxyType({"fournier2013": {}, "segeval-2.0.11": GREEDY})
    # Words for ``ticks``: places in seconds are compared in whole numbers of these.
    resolved_words = MappingProxyType({**AXIS_WORDS, "ticks": np.array(["1e-9s", "1e-6s"])})
    amount_options = ("n_t",)

    @property
    def in_seconds(self) -> bool:
        return isinstance(self.n_t, str)

    def validate(self) -> None:
        if self.in_seconds and (self.alignment != "exact" or self.transposition == "printed"):
            raise OptionError(f"n_t={self.n_t!r}: greedy pairs and transposition='printed' need positions; write n_t=2")
        super().validate()

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        if batch.seconds and not self.in_seconds:
            hint = "write n_t in seconds, such as n_t='1s', or convert the annotations with over_units"
            problem = f"n_t={self.n_t} is a number of positions, but the annotations are in seconds; {hint}"
            return dict.fromkeys(range(batch.pairs), OptionError(problem))
        if self.in_seconds and not batch.seconds:
            return Measure.check(self, batch)
        return super().check(batch)

    def count(self, batch: Batch) -> BatchCounts:
        counts = self.parts_of(self.edit_counts(batch), batch.types)
        return BatchCounts(counts, self.resolved(batch) if batch.seconds else {})

    def resolved(self, batch: Batch) -> dict[str, NDArray[Any]]:
        coarse = self.coarse(batch)
        return super().resolved(batch) | ({} if coarse is None else {"ticks": coarse.astype(np.uint8)})

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        return None if self.in_seconds else super().expected_counts(types, sets)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return 1 - divide(self.costs(types).total(counts), counts @ _PAIR_COLUMNS)


def segmentation_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n_t: int = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    w_trp: float | None = None,
    w_sub: float | None = None,
    **options: Any,
) -> Score:
    """Compute segmentation similarity S: one minus edit distance per potential boundary.

    Parameters
    ----------
    a, b : Segmentation
        The two segmentations to compare.
    n_t : int, default 2
        Transpositions span fewer than ``n_t`` positions; with 2, only boundaries at neighboring positions are near
        misses.
    compat : {"fournier2012", "fournier2013", "segeval-2.0.11", "evalsubtitle"}, optional
        Presets, in this order: a transposition costs 1; the default costs; boundaries are paired greedily, and the cost
        is divided by \\|T\\| twice.
    transposition : {"scaled", "printed", "unit", "te"}, optional
        Cost of a transposition over d positions: ``wt + d / n_t`` (default); ``wt + d / (n_t - 1)``; 1, as in the
        2012 paper; or ``2 - 2^(1-d)``, which is equation 3 of the 2012 paper with b = 2 and n = d + 1.
    substitution : {"scaled", "printed", "unit"}, optional
        Cost of a substitution over x types: ``ws + x / |T|`` (default), ``ws + x / (|T| - 1)``, or 1.
    w_trp, w_sub : float, optional
        Weights from 0 to 1 (default) that multiply the costs of transpositions and substitutions. ``w_trp=0`` forgives
        near misses.
    **options : object
        Rare options: ``wt`` and ``ws``, the constant parts of the costs of a transposition and a substitution, from 0
        (default) to 1; ``alignment``, "exact" (default) or segeval's "greedy" pairing; ``divisor``, "types" for
        ``P * |T|`` (default), or "types_squared" for segeval's ``P * |T| * |T|``.

    Returns
    -------
    Score
        S, from 0 to 1. Parts are the counts of edits; ``score.edits`` lists them.

    Notes
    -----
    With P inner positions and \\|T\\| declared types::

        S = 1 - (A + cost of transpositions + cost of substitutions) / (P * |T|)

    (Fournier & Inkpen 2012, section 3.3; costs in the table of :mod:`caesura.measures.boundary`). Most positions are empty
    on both sides and count as agreement, so S is high for all sparse segmentations; B corrects this. S is 1 for a text
    of one unit, which has no inner position.

    The weights are those of section 3.3 of the 2012 paper. The paper calls a full miss of a single type a substitution
    as well; here it is an addition, which always costs 1, and ``w_sub`` applies to two types at one position.

    References
    ----------
    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT.

    Examples
    --------
    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> segmentation_similarity(a, b).value, segmentation_similarity(a, b, compat="fournier2012").value
    (0.95, 0.9)
    """
    costs = {"transposition": transposition, "substitution": substitution, "w_trp": w_trp, "w_sub": w_sub}
    return SegmentationSimilarity.cached(compat, n_t=n_t, **costs, **options).score(a, b)


def boundary_similarity(
    a: Segmentation | Tier | Hierarchy,
    b: Segmentation | Tier | Hierarchy,
    *,
    n_t: int | str = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    w_trp: float | None = None,
    w_sub: float | None = None,
    **options: Any,
) -> Score:
    """Compute boundary similarity B: one minus edit distance per boundary pair.

    Parameters
    ----------
    a, b : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    n_t : int or str, default 2
        Transpositions span fewer than ``n_t`` positions; with 2, only boundaries at neighboring positions are near
        misses. In seconds a text such as ``"1s"``: boundaries closer than that are near misses.
    compat : {"fournier2013", "segeval-2.0.11", "chunkseg", "evalsubtitle"}, optional
        Presets, in this order: the default costs; greedy pairing, which misses the minimum for n_t >= 3; the same over
        chunks of 6 s; the same.
    transposition : {"scaled", "printed", "unit"}, optional
        Cost of a transposition over d positions: ``wt + d / n_t`` (default), ``wt + d / (n_t - 1)``, or 1.
    substitution : {"scaled", "printed", "unit"}, optional
        Cost of a substitution over x types: ``ws + x / |T|`` (default), ``ws + x / (|T| - 1)``, or 1.
    w_trp, w_sub : float, optional
        Weights from 0 to 1 (default) that multiply the costs of transpositions and substitutions.
    **options : object
        Rare options: ``wt`` and ``ws``, the constant parts of the costs of a transposition and a substitution, from 0
        (default) to 1; ``alignment``, "exact" (default) or segeval's "greedy" pairing. In seconds: ``extent`` (the extent
        to compare if the two sides have different ones) and ``level`` (level of a hierarchy, if it has several).

    Returns
    -------
    Score
        B, from 0 to 1: the mean correctness of a boundary pair; 1 if neither side has a boundary.

    Notes
    -----
    With A additions, T transpositions, S substitutions and M matches::

        B = 1 - (|A| + cost of T + cost of S) / (|A| + |T| + |S| + |M|)

    (Fournier 2013, section 3.2; costs in the table of :mod:`caesura.measures.boundary`).

    The *cost* is minimal, but the minimal cost does not always give the largest B: with n_t = 10, {1, 11} against {10,
    20} costs 1.8 as two transpositions (B = 0.1); a costlier explanation, one transposition and two additions, would
    give 0.3.

    References
    ----------
    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.

    Examples
    --------
    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> score = boundary_similarity(a, b)             # Figure 6
    >>> score.value
    0.75
    >>> [(e.kind, e.a_position, e.b_position, e.cost) for e in score.edits]
    [('match', 2, 2, 0.0), ('transposition', 5, 4, 0.5)]
    """
    costs = {"transposition": transposition, "substitution": substitution, "w_trp": w_trp, "w_sub": w_sub}
    return BoundarySimilarity.cached(compat, n_t=n_t, **costs, **options).score(a, b)
