"""Segmentation similarity S, boundary similarity B and the boundary confusion matrix.

All three count the edits of one boundary edit distance (Fournier & Inkpen 2012, section 3.2; Fournier 2013, section
3.1). Boundaries of the same type at the same position match, for free, and always: agreeing on a boundary is never
reinterpreted. What remains on either side is explained by

    addition/deletion   A   a boundary on one side only                            cost 1
    substitution        S   two types at one position, x steps apart on the scale  cost ws + x / |T|
    transposition       T   one type at two positions, d apart, 1 <= d < n_t       cost wt + d / n_t

at the least total cost, and of equal costs with the fewest edits, which makes S and B unique. It is a true minimum: for
one type by a dynamic programme over two sorted lists, for several by a minimum-cost matching. The seed promises one;
segeval's is greedy, misses it for n_t >= 3 and changes when the text is reversed.

Where the papers' print and their figures differ, the figures rule: the cost of a transposition is d / n_t and not
d / (n_t - 1) (equation 5), that of a substitution x / (max - min + 1) and not x / (max - min) (equation 6);
``transposition="printed"`` and ``substitution="printed"`` give the printed forms.

The list of edits is deterministic and the same with the arguments swapped: of all optimal lists of pairs the smallest,
ordered by leftmost position and lower type. It may differ when the text is reversed; S and B do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import boundary as kernel
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch
from caesura.measures.edits import edits_of
from caesura.model.score import Edit, Score, f_measure, ratio
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice, number, whole

Ints = NDArray[np.int64]

MOST_PAIRS = 100_000_000
"""Boundaries of both sides within reach of each other, in one document; each takes 16 bytes or more."""

_N_T = Option("n_t", 2, whole(1, 1_000_000), "transpositions span fewer than n_t positions", always_shown=True)
_SCALED = Option("transposition", "scaled", choice("scaled", "printed", "unit"), "what a transposition costs")
_REST = (
    Option("substitution", "scaled", choice("scaled", "printed", "unit"), "what a substitution costs"),
    Option("wt", 0, number(0, 1), "constant part of the cost of a transposition"),
    Option("ws", 0, number(0, 1), "constant part of the cost of a substitution"),
    Option("alignment", "exact", choice("exact", "greedy"), "the minimum, or segeval's greedy pairing"),
)
_EDITS = (_N_T.name, _SCALED.name, *(option.name for option in _REST))
"""What decides about edits: S and B that agree in it count the same ones."""
_GREEDY = {"alignment": "greedy"}


@dataclass(frozen=True)
class Costs:
    """What edits cost, as exact fractions, and what pairs save in whole numbers of 1 / scale."""

    n_t: int
    transposition: str
    substitution: str
    wt: Fraction
    ws: Fraction
    types: int

    @cached_property
    def per_position(self) -> Fraction:
        """Cost of one position of span."""
        if self.transposition in ("unit", "te"):
            return Fraction(0)
        return Fraction(1, self.n_t if self.transposition == "scaled" else max(1, self.n_t - 1))

    @cached_property
    def per_step(self) -> Fraction:
        """Cost of one step on the scale of types."""
        if self.substitution == "unit":
            return Fraction(0)
        return Fraction(1, self.types if self.substitution == "scaled" else max(1, self.types - 1))

    def moved(self, d: int) -> Fraction:
        """Cost of a transposition over d positions; d = 0 gives the constant part."""
        if self.transposition == "te":
            return 2 - Fraction(1, 2 ** (d - 1))
        return (1 if self.transposition == "unit" else self.wt) + d * self.per_position

    def changed(self, x: int) -> Fraction:
        """Cost of a substitution over x steps."""
        return (1 if self.substitution == "unit" else self.ws) + x * self.per_step

    @cached_property
    def scale(self) -> int:
        """A common denominator of all costs."""
        halves = 2 ** max(0, self.n_t - 2) if self.transposition == "te" else 1
        return lcm(
            self.per_position.denominator, self.per_step.denominator, self.wt.denominator, self.ws.denominator, halves
        )

    @cached_property
    def gains(self) -> tuple[Ints, Ints]:
        """What a transposition over d = 0, 1, ... n_t-1 and a substitution over x = 0, 1, ... save against 2 additions."""
        scale = self.scale
        if self.transposition == "te":
            moved = [0] + [int((2 - self.moved(d)) * scale) for d in range(1, self.n_t)]
            gain_t = np.array(moved, np.int64)
        else:
            gain_t = int((2 - self.moved(0)) * scale) - np.arange(self.n_t) * int(self.per_position * scale)
        gain_s = int((2 - self.changed(0)) * scale) - np.arange(self.types) * int(self.per_step * scale)
        return gain_t.astype(np.int64), gain_s.astype(np.int64)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """What one addition, transposition, position of span, substitution, step and match cost, times ``scale``."""
        te = self.transposition == "te"
        constant = Fraction(2) if te else self.moved(0)
        each = [Fraction(1), constant, self.per_position, self.changed(0), self.per_step, Fraction(0)]
        return np.array([float(cost * self.scale) for cost in ([*each, Fraction(-1)] if te else each)])

    @cached_property
    def no_share(self) -> str | None:
        """Why B and correctness are no shares of 1 with these costs: a pair costs more than 1. None if all is well."""
        moved, changed = self.moved(max(0, self.n_t - 1)), self.changed(self.types - 1)
        if moved > 1:
            return f"wt must leave transpositions at a cost of at most 1; {float(moved):g} at n_t={self.n_t}"
        if self.types > 1 and changed > 1:
            return f"ws must leave substitutions at a cost of at most 1; {float(changed):g} with {self.types} types"
        return None

    def total(self, counts: Counts) -> NDArray[np.float64]:
        """Cost of each row of counts: additions, transpositions, span, substitutions, distance, matches (, te)."""
        # Whole numbers up to the one division, so the result is the nearest float.
        cost: NDArray[np.float64] = counts[:, : len(self.weights)] @ self.weights / self.scale
        return cost


@lru_cache(256)
def _costs(n_t: int, transposition: str, substitution: str, wt: float, ws: float, types: int) -> Costs:
    # A weight is meant as it is written: 0.1 is a tenth, not the nearest binary fraction.
    return Costs(n_t, transposition, substitution, Fraction(repr(wt)), Fraction(repr(ws)), types)


class _Edited(Measure):
    """What the three share: the options of the edit distance, and the pairing."""

    __slots__ = ()
    view = "typed"
    aligns: ClassVar[bool] = True
    symmetric = True  # of the confusion matrix the value, F1; precision and recall change places
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"

    def costs(self, types: tuple[str, ...]) -> Costs:
        o = self.settings
        return _costs(o["n_t"], o["transposition"], o["substitution"], o["wt"], o["ws"], len(types))

    def validate(self) -> None:
        for weight, kind in (("wt", "transposition"), ("ws", "substitution")):
            if self[weight] and self[kind] in ("unit", "te"):
                raise OptionError(f"{weight} has no place in {kind}={self[kind]!r}; leave one of them out")
        if self["transposition"] == "te" and self["n_t"] > 40:
            raise OptionError(f"n_t must be at most 40 with transposition='te'; got {self['n_t']}")
        problem = self.too_dear(self.costs(("one",)))
        if problem is not None:
            raise OptionError(problem)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Costs must allow a share, and sums of whole-number gains must fit into 64 bits."""
        problem = self.too_dear(self.costs(batch.types))
        if problem is not None:
            return {d: OptionError(problem) for d in range(len(batch))}
        return {**self._too_fine(batch), **self._too_wide(batch)}

    def _too_fine(self, batch: Batch) -> dict[int, CaesuraError]:
        scale = self.costs(batch.types).scale
        if 2.0 * scale * (len(batch.a_pos) + 1.0) ** 2 < 2.0**62:
            return {}
        pairs = np.minimum(batch.a_count, batch.b_count) + 1.0
        fine = "n_t with transposition='te'" if self["transposition"] == "te" else "wt and ws"
        return {
            int(d): OptionError(
                f"{fine} make costs too fine for a text with {int(pairs[d]) - 1} boundaries; take coarser ones"
            )
            for d in np.flatnonzero(2.0 * scale * pairs * pairs >= 2.0**62)
        }

    def _too_wide(self, batch: Batch) -> dict[int, CaesuraError]:
        """Every pair within reach takes a place in a table, so a wide reach over many boundaries takes much memory."""
        n_t = self["n_t"]
        if len(batch.a_pos) * min(len(batch.b_pos), 2 * n_t * len(batch.types)) <= MOST_PAIRS:
            return {}
        a, b = batch.a_count.astype(float), batch.b_count.astype(float)
        suspects = np.flatnonzero(a * np.minimum(b, 2.0 * n_t * len(batch.types)) > MOST_PAIRS)
        found: dict[int, CaesuraError] = {}
        for d in suspects.tolist():
            ours = batch.a_pos[batch.a_off[d] : batch.a_off[d + 1]]
            theirs = batch.b_pos[batch.b_off[d] : batch.b_off[d + 1]]
            pairs = int((np.searchsorted(theirs, ours + n_t) - np.searchsorted(theirs, ours - n_t, "right")).sum())
            if pairs > MOST_PAIRS:
                found[d] = OptionError(
                    f"n_t={n_t} lets {pairs:,} pairs of boundaries come into question, more than {MOST_PAIRS:,}; "
                    "take a smaller one"
                )
        return found

    def too_dear(self, costs: Costs) -> str | None:
        """Why these costs do not suit the measure, if they do not."""
        return None

    def mates(self, batch: Batch) -> Ints:
        """For each boundary of a, the index of its partner in b, or -1."""
        gain_t, gain_s = self.costs(batch.types).gains
        method = kernel.MATCHING if len(batch.types) > 1 or self["transposition"] == "te" else kernel.ORDERED
        if self["alignment"] == "greedy":
            method = kernel.GREEDY
        mate = np.empty(len(batch.a_pos), np.int64)
        mate[batch.a_off[0] : batch.a_off[-1]] = -1
        kernel.align(
            batch.a_pos, batch.a_code, batch.a_off, batch.b_pos, batch.b_code, batch.b_off, gain_t, gain_s, method, mate
        )
        return mate

    def align(self, batch: Batch) -> tuple[Edit, ...]:
        costs = self.costs(batch.types)
        return edits_of(
            batch,
            self.mates(batch),
            alone=1.0,
            moved=lambda d: float(costs.moved(d)),
            changed=lambda x: float(costs.changed(x)),
        )


class _Similarity(_Edited):
    __slots__ = ()
    sides = ("a", "b")

    @property
    def _te(self) -> bool:
        return bool(self["transposition"] == "te")

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        names = ("additions", "transpositions", "span", "substitutions", "distance", "matches")
        return (*names, "te") if self._te else names

    def compute(self, batch: Batch) -> BatchCounts:
        return BatchCounts(self.tally(batch)[:, :6], {})

    def tally(self, batch: Batch) -> Counts:
        """The columns of ``kernel.tally``, column 6 being N-1."""
        return batch.cached(("edits", *(self[name] for name in _EDITS)), lambda: self._tally(batch))

    def _tally(self, batch: Batch) -> Counts:
        out = np.empty((len(batch), 8))
        np.subtract(batch.length, 1, out=out[:, 6])
        mate = self.mates(batch)
        kernel.tally(batch.a_pos, batch.a_code, batch.a_off, batch.b_pos, batch.b_code, batch.b_off, mate, out)
        if self._te:
            out[:, 7] = _te_sums(batch, mate)
        return out


def _te_sums(batch: Batch, mate: Ints) -> NDArray[np.float64]:
    """Return the sum of 2^(1-d) over the transpositions of each document; equation 3 of 2012 is 2 minus the power."""
    boundaries = slice(batch.a_off[0], batch.a_off[-1])
    paired = np.flatnonzero(mate[boundaries] >= 0)
    d = np.abs(batch.a_pos[boundaries][paired] - batch.b_pos[mate[boundaries][paired]])
    document = np.repeat(np.arange(len(batch)), batch.a_count)[paired]
    return np.asarray(np.bincount(document[d > 0], np.ldexp(1.0, 1 - d[d > 0]), len(batch)), np.float64)


class SegmentationSimilarity(_Similarity):
    """See :func:`segmentation_similarity`."""

    __slots__ = ()
    name = "segmentation_similarity"
    title = "Segmentation similarity S (Fournier & Inkpen 2012)"
    short_name = "S"
    options = (
        _N_T,
        Option(_SCALED.name, _SCALED.default, choice("scaled", "printed", "unit", "te"), _SCALED.description),
        *_REST,
        Option("divisor", "types", choice("types", "types_squared"), "P * |T|, or segeval's P * |T| * |T|"),
    )
    presets = MappingProxyType(
        {
            "fournier2012": {"transposition": "unit"},
            "fournier2013": {},
            "segeval-2.0.11": {**_GREEDY, "divisor": "types_squared"},
        }
    )

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return (*super().part_names(types), "positions")

    def compute(self, batch: Batch) -> BatchCounts:
        times = len(batch.types) ** (2 if self["divisor"] == "types_squared" else 1)
        out = self.tally(batch)
        if times == 1 and not self._te:
            return BatchCounts(out[:, :7], {})
        parts = [out[:, :6], *([out[:, 7:]] if self._te else []), out[:, 6:7] * times]
        return BatchCounts(np.concatenate(parts, axis=1), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        return 1 - divide(self.costs(types).total(counts), counts[:, -1])


# additions, transpositions, substitutions and matches: the columns that count boundary pairs
_COUNTED = np.array([1.0, 1, 0, 1, 0, 1])


class BoundarySimilarity(_Similarity):
    """See :func:`boundary_similarity`."""

    __slots__ = ()
    name = "boundary_similarity"
    title = "Boundary similarity B (Fournier 2013)"
    short_name = "B"
    is_mean_over_pairs = True
    options = (_N_T, _SCALED, *_REST)
    presets = MappingProxyType({"fournier2013": {}, "segeval-2.0.11": _GREEDY})

    def too_dear(self, costs: Costs) -> str | None:
        return costs.no_share

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        return 1 - divide(self.costs(types).total(counts), counts @ _COUNTED)


class ConfusionScore(Score):
    """A ``Score`` that knows its confusion matrix. The value is micro-averaged F1."""

    measure: BoundaryConfusion

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Rows predicted, columns actual, over ``types`` and "no boundary" (last).

        A pair adds its correctness to its cell: a match 1, a transposition or substitution 1 minus its cost.
        """
        T = len(self.types)  # noqa: N806
        costs = self.measure.costs(self.types)
        out = np.zeros((T + 1, T + 1))
        for i, x in enumerate(self.types):
            out[i, T] = self._count("insertions", x)
            out[T, i] = self._count("deletions", x)
            out[i, i] = self._correct(x)
            for j, y in enumerate(self.types):
                if i != j:
                    out[i, j] = self._count("substitutions", x, y) * float(1 - costs.changed(abs(i - j)))
        return out

    def _count(self, what: str, *types: str) -> int:
        return int(self.parts[_part(what, *types)])

    def _correct(self, name: str) -> float:
        """Cell (t, t): correctness of the pairs of one type."""
        costs = self.measure.costs(self.types)
        near, span = self._count("transpositions", name), self._count("span", name)
        return float(self._count("matches", name) + near * (1 - costs.moved(0)) - span * costs.per_position)

    def _fraction(self, side: str, names: tuple[str, ...]) -> tuple[float, float, float]:
        """Correctness, what it is divided by, and the boundaries of both sides."""
        correct = sum(self._correct(name) for name in names)
        placed = {who: sum(self._count(who, name) for name in names) for who in ("hypothesis", "reference")}
        whole: float = placed[side]
        if self.params["denominator"] == "errors":
            lost = "insertions" if side == "hypothesis" else "deletions"
            whole = correct + sum(self._count(lost, name) for name in names)
        return correct, whole, sum(placed.values())

    def _rate(self, side: str, name: str | None, average: str) -> float:
        if name is not None:
            if name not in self.types:
                raise OptionError(f"no boundary type {name!r}; there are {', '.join(self.types)}")
            return ratio(*self._fraction(side, (name,)))
        if average == "micro":
            return ratio(*self._fraction(side, self.types))
        occurring = self._occurring(average)
        return sum(self._rate(side, one, "micro") for one in occurring) / len(occurring) if occurring else 1.0

    def _occurring(self, average: str) -> list[str]:
        if average != "macro":
            raise OptionError(f"average must be 'micro' or 'macro'; got {average!r}")
        return [t for t in self.types if self._count("hypothesis", t) or self._count("reference", t)]

    def precision(self, type: str | None = None, *, average: str = "micro") -> float:
        """B-precision of one type, or over all boundary types; ``macro`` averages the types that occur."""
        return self._rate("hypothesis", type, average)

    def recall(self, type: str | None = None, *, average: str = "micro") -> float:
        """B-recall of one type, or over all boundary types; ``macro`` averages the types that occur."""
        return self._rate("reference", type, average)

    def f(self, type: str | None = None, *, average: str = "micro", beta: float = 1.0) -> float:
        """B-F-beta of one type, or over all boundary types; ``macro`` averages the types that occur."""
        if type is None and average != "micro":
            occurring = self._occurring(average)
            return sum(self.f(one, beta=beta) for one in occurring) / len(occurring) if occurring else 1.0
        return f_measure(self.precision(type), self.recall(type), beta)

    @property
    def figures(self) -> dict[str, float]:
        """B-precision, B-recall and B-F over all types."""
        return {"precision": self.precision(), "recall": self.recall(), "f": self.f()}

    def to_dict(self) -> dict[str, Any]:
        """As of every score, with the matrix."""
        return super().to_dict() | {"types": [*self.types, None], "matrix": self.matrix.tolist()}


def _part(what: str, *types: str) -> str:
    """``matches[act]``, ``substitutions[act>scene]``; names that could be misread are quoted."""
    return f"{what}[{'>'.join(name if _PLAIN.fullmatch(name) else repr(name) for name in types)}]"


_PLAIN = re.compile(r"[^>'\"\[\]\s]+")
_BY_TYPE = ("matches", "transpositions", "span", "hypothesis", "reference", "insertions", "deletions")


class BoundaryConfusion(_Edited):
    """See :func:`boundary_confusion`."""

    __slots__ = ()
    name = "boundary_confusion"
    title = "Boundary confusion matrix, B-precision, B-recall and B-F (Fournier 2013)"
    short_name = "B-F"
    options = (
        _N_T,
        _SCALED,
        *_REST,
        Option("denominator", "boundaries", choice("boundaries", "errors"), "what correctness is divided by"),
    )
    presets = MappingProxyType({"fournier2013": {"denominator": "errors"}})
    reversible = False  # of several types: cost and pairs stay, but which types they fall on may change
    score_class: ClassVar[type[Score]] = ConfusionScore

    def too_dear(self, costs: Costs) -> str | None:
        return costs.no_share

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        by_type = [_part(what, name) for what in _BY_TYPE for name in types]
        return (*by_type, *(_part("substitutions", x, y) for x in types for y in types))

    def compute(self, batch: Batch) -> BatchCounts:
        T = len(batch.types)  # noqa: N806
        out = np.zeros((len(batch), 7 * T + T * T))
        mate = self.mates(batch)
        kernel.confuse(batch.a_pos, batch.a_code, batch.a_off, batch.b_pos, batch.b_code, batch.b_off, mate, T, out)
        return BatchCounts(out, {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        T = len(types)  # noqa: N806
        matches, near, span, hypothesis, reference, insertions, deletions = (
            counts[:, i * T : (i + 1) * T].sum(axis=1) for i in range(7)
        )
        costs = self.costs(types)
        per = costs.per_position
        correct = matches + near * float(1 - costs.moved(0)) - span * per.numerator / per.denominator
        if self["denominator"] == "errors":
            both = 2 * correct + insertions + deletions
        else:
            both = hypothesis + reference
        # With no boundary at all F is 1; under "errors" all boundaries may be substitutions, and F is 0.
        return divide(2 * correct, both, empty=np.where(hypothesis + reference > 0, 0.0, 1.0))


def segmentation_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n_t: int = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    wt: float | None = None,
    ws: float | None = None,
    alignment: str | None = None,
    divisor: str | None = None,
) -> Score:
    """Segmentation similarity S: one minus the edit distance over everything that could have been a boundary.

    From 0 to 1. With P inner positions and |T| declared types,

        S = 1 - (A + cost of transpositions + cost of substitutions) / (P * |T|)

    (Fournier & Inkpen 2012, section 3.3, with the costs of the module's table). Most positions are empty on both sides
    and count as agreement, so S is high for sparse segmentations whatever they are; B is the measure that corrects it.
    1 where there is nothing to compare (one unit). Parts are the counts of edits; ``score.edits`` says what happened
    to every boundary.

    ``transposition``: ``"scaled"`` (wt + d / n_t), ``"printed"`` (wt + d / (n_t - 1)), ``"unit"`` (1, as in 2012),
    ``"te"`` (equation 3 of 2012 with b = 2 and n = d + 1, that is 2 - 2^(1-d)). ``substitution``: ``"scaled"``
    (ws + x / |T|), ``"printed"`` (ws + x / (|T| - 1)), ``"unit"`` (1). ``compat``: ``"fournier2012"`` (unit
    transpositions), ``"fournier2013"`` (the default), ``"segeval-2.0.11"`` (greedy, and divided by |T| twice).

    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT.

    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> segmentation_similarity(a, b).value, segmentation_similarity(a, b, compat="fournier2012").value
    (0.95, 0.9)
    """
    return SegmentationSimilarity.cached(
        compat,
        n_t=n_t,
        transposition=transposition,
        substitution=substitution,
        wt=wt,
        ws=ws,
        alignment=alignment,
        divisor=divisor,
    ).score(a, b)


def boundary_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n_t: int = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    wt: float | None = None,
    ws: float | None = None,
    alignment: str | None = None,
) -> Score:
    """Boundary similarity B: one minus the edit distance over the boundaries that somebody placed.

    From 0 to 1. With A additions, T transpositions, S substitutions and M matches,

        B = 1 - (|A| + cost of T + cost of S) / (|A| + |T| + |S| + |M|)

    (Fournier 2013, section 3.2, with the costs of the module's table): the mean correctness of a boundary pair. 1 if
    neither side has a boundary. n_t = 2 makes only neighbouring positions near misses.

    The *cost* is the least possible, which is not always the largest B: at n_t = 10, {1, 11} against {10, 20} costs 1.8
    as two transpositions (B = 0.1), where a costlier explanation with one of them and two additions would give 0.3.

    ``compat``: ``"fournier2013"`` (the default), ``"segeval-2.0.11"`` (greedy pairing, no minimum for n_t >= 3); the
    other options as for :func:`segmentation_similarity`.

    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.

    >>> a, b = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> score = boundary_similarity(a, b)             # Figure 6
    >>> score.value
    0.75
    >>> [(e.kind, e.a_position, e.b_position, e.cost) for e in score.edits]
    [('match', 2, 2, 0.0), ('transposition', 5, 4, 0.5)]
    """
    return BoundarySimilarity.cached(
        compat, n_t=n_t, transposition=transposition, substitution=substitution, wt=wt, ws=ws, alignment=alignment
    ).score(a, b)


def boundary_confusion(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    n_t: int = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    wt: float | None = None,
    ws: float | None = None,
    alignment: str | None = None,
    denominator: str | None = None,
) -> ConfusionScore:
    """The boundary confusion matrix, with B-precision, B-recall and B-F per type and over all types.

    Each pair of the edit distance adds its correctness, one minus its cost, to the cell (predicted, actual):

        B-precision(t) = cell (t, t) / boundaries of type t in the hypothesis
        B-recall(t)    = cell (t, t) / boundaries of type t in the reference

    so what a near miss loses counts against both. The value is micro-averaged F1 over the boundary types ("no boundary"
    is no type). Nothing to divide by: 1 if the other side is empty too, else 0.

    Equation 7 of 2013 credits a near miss with its cost instead of its correctness (the same at n_t = 2 only), and Table
    2 divides by TP + FP and TP + FN with only additions as FP and FN, so that one boundary nine positions off at
    n_t = 10 has precision 1: the latter is ``compat="fournier2013"``.

    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 3, 4])
    >>> score = boundary_confusion(reference, hypothesis)
    >>> score.precision(), score.recall()
    (0.5, 0.75)
    >>> score.matrix
    array([[1.5, 1. ],
           [0. , 0. ]])
    """
    score = BoundaryConfusion.cached(
        compat,
        n_t=n_t,
        transposition=transposition,
        substitution=substitution,
        wt=wt,
        ws=ws,
        alignment=alignment,
        denominator=denominator,
    ).score(reference, hypothesis)
    assert isinstance(score, ConfusionScore)
    return score
