"""Segmentation similarity S and boundary similarity B.

Both count the edits of the boundary edit distance, which :mod:`caesura.measures.boundary_edits` defines (Fournier & Inkpen
2012, section 3.2; Fournier 2013, section 3.1).
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import boundary as kernel
from caesura.measures.axis import AXIS_WORDS, EXTENT, LEVEL, AxisMeasure, amount
from caesura.measures.base import BatchCounts, Counts, declared, divide, option
from caesura.measures.boundary_edits import GREEDY, N_T, BoundaryCosts, EditDistanceMeasure, cost_options
from caesura.measures.expected import ExpectedCounts
from caesura.measures.needs import Needs
from caesura.model.batch import Batch
from caesura.model.columns import Boundaries
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero, reduceat
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import choice


class _SimilarityMeasure(EditDistanceMeasure):
    """Base class with the counts that S and B share."""

    sides = ("a", "b")

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        names = ("additions", "transpositions", "span", "substitutions", "distance", "matches")
        return (*names, "te") if self._te else names

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats]:
        return counts[:, 0], counts[:, 1]  # additions and transpositions

    def count_disagreements(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return np.asarray(counts[:, 0] + counts[:, 1] + counts[:, 3], np.float64)  # and substitutions

    def count(self, batch: Batch) -> BatchCounts:
        return BatchCounts(self.parts_of(self.edit_counts(batch), batch.types), {})

    def parts_of(self, counts: Counts, types: tuple[str, ...]) -> Counts:
        return counts[:, :6]

    def edit_counts(self, batch: Batch) -> Counts:
        """Return one row per pair: the columns of ``kernel.tally``, N-1, and with ``te`` the sum of 2^(1-d)."""
        # S and B share their counts if the options that affect the edits are equal.
        key = ("edits", batch.types, self.alignment, *cost_options(self.settings))
        return batch.shared(key, lambda: self.align_and_count(batch))

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
        np.subtract(batch.length, 1, out=out[:, 6])
        if self.coarse(batch) is not None:
            for rows, first, second, ticks in self.in_ticks(batch):
                part = np.empty((len(rows), 8))
                kernel.count(*first, *second, self.gains(batch.types, ticks), part)
                part[:, 2] *= batch.ticks // ticks
                out[rows] = part
        elif self._te:
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

    def parts_of(self, counts: Counts, types: tuple[str, ...]) -> Counts:
        factor = len(types) ** (2 if self["divisor"] == "types_squared" else 1)
        if factor == 1 and not self._te:
            return counts[:, :7]
        parts = [counts[:, :6], *([counts[:, 7:]] if self._te else []), counts[:, 6:7] * factor]
        return np.concatenate(parts, axis=1)

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
        return AxisMeasure.check(self, batch) or super().check(batch)

    def cost_problem(self, costs: BoundaryCosts) -> str | None:
        return costs.excess

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
