"""Measures that compare the spans of two hierarchies: Flammia & Zue's kappa, precision and recall, and crossing spans.

See :mod:`caesura.measures.meet` for the t- and l-measure, which compare how parts of the text are grouped.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.kernels import crossing as kernel
from caesura.kernels.marked import common_spans
from caesura.measures.base import BatchCounts, Counts, Measure, OverlapMeasure, divide, option
from caesura.measures.needs import Needs
from caesura.model.annotation import TICKS, Shape
from caesura.model.batch import Batch
from caesura.model.columns import nest, offsets, take
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.index import bincount, flatnonzero, lexsort, searchsorted
from caesura.model.interval_columns import Intervals
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import choice


class HierarchyMeasure(Measure):
    """Base class of measures of two hierarchies; spans that nest are hierarchies too."""

    kinds = ("hierarchy",)
    places_boundaries = False
    needs: ClassVar[Any] = Needs(Shape.NESTED, least=Shape.NESTED, extent=False, streams=False, axis="pair")

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        return batch.on(nest(batch.table)), {}


class SpanMeasure(HierarchyMeasure):
    """Base class of measures that compare the spans of two hierarchies over the same units."""

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        a, b = batch.sides("units")
        differ = a.sizes != b.sizes
        equal = flatnonzero(~differ)
        first, second = take(a, equal), take(b, equal)
        differ[equal[first.owner[(first.start != second.start) | (first.end != second.end)]]] = True
        return {int(row): MismatchError(self._units_problem(batch, int(row))) for row in flatnonzero(differ)}

    def _units_problem(self, batch: Batch, row: int) -> str:
        listed = []
        for side, units in zip(self.sides, batch.sides("units"), strict=True):
            number, (first, last) = units.sizes[row], (units.off[row], units.off[row + 1] - 1)
            listed.append(f"{side} has {number} from {units.start[first] / TICKS:g} to {units.end[last] / TICKS:g} s")
        hint = "put them on the same units with common_units"
        return f"both sides must have the same units; {', '.join(listed)}; {hint}"


def distinct(rows: Intervals) -> Intervals:
    """Return each start and end of an annotation once."""
    owner = rows.owner
    is_new = np.ones(len(owner), bool)
    is_new[1:] = (np.diff(owner) != 0) | (np.diff(rows.start) != 0) | (np.diff(rows.end) != 0)
    start, end, level, label = (column[is_new] for column in rows[:-1])
    return Intervals(start, end, level, label, np.append(0, np.cumsum(is_new))[rows.off])


class HierarchyKappa(SpanMeasure):
    name = "hierarchy_kappa"
    title = "Kappa of two hierarchies (Flammia & Zue)"
    summary = "ends of spans, beyond chance"
    short_name = "hierarchy kappa"
    aliases = MappingProxyType({"kappa": {}})
    sides = ("a", "b")
    worst = None  # unmatched spans with a common start lower the value without limit as chance agreement approaches 1
    symmetric = True
    chance_corrected = True
    coefficients = ("kappa",)
    default_coefficient = "kappa"
    chance_family = "spans"
    parts = ("matched", "segments", "chance")

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        # Both sides must have the same N, there must be a span, and chance agreement must be below 1.
        errors = super().check(batch)
        _, segments, chance = self._counts(batch).T
        a, b = (batch.table.chance_units[rows] for rows in (batch.first, batch.second))
        for d in flatnonzero((a != b) | (chance >= segments)).tolist():
            if d in errors:
                continue
            if a[d] != b[d]:
                errors[d] = MismatchError(
                    f"both sides must have the same extent, which is the N of chance agreement; a has {a[d]}, b has {b[d]}"
                )
            elif segments[d] == 0:
                errors[d] = Undefined("neither side has a span, so agreement beyond chance is undefined")
            else:
                errors[d] = Undefined(
                    f"chance agreement is {chance[d] / segments[d]:.6g}, because every unit begins and ends a span on both "
                    "sides; agreement beyond chance is undefined"
                )
        return errors

    def _counts(self, batch: Batch) -> Counts:
        return batch.shared("kappa", lambda: _kappa_counts(batch))

    def count(self, batch: Batch) -> BatchCounts:
        return BatchCounts(self._counts(batch), {"extent": batch.table.chance_units[batch.first]})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        matched, segments, chance = counts.T
        return divide(matched - chance, segments - chance)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        segments = counts["segments"]
        return {"p_o": counts["matched"] / segments, "p_c": counts["chance"] / segments}


def _kappa_counts(batch: Batch) -> Counts:
    base = offsets(batch.length + 1)  # of all places of a pair, from its beginning to its end
    sides = []
    for rows in batch.sides("rows"):
        spans = distinct(rows)
        before = (base[:-1] - batch.begin)[spans.owner]
        sides.append((spans.sizes.astype(np.float64), spans.off, before + spans.start, before + spans.end))
    (N_a, *a), (N_b, *b) = sides  # noqa: N806 - the paper's symbols, here and below
    O = _matched(*a, *b[1:]) + _matched(*b, *a[1:])  # noqa: N806, E741
    units = [batch.table.chance_units[rows] for rows in (batch.first, batch.second)]
    begins, ends = (
        [_distinct_places(side[k], base) / N for side, N in zip((a, b), units, strict=True)] for k in (1, 2)
    )
    either = [(begin + end - begin * end) ** 2 for begin, end in zip(begins, ends, strict=True)]
    chance = N_a * (begins[0] * ends[0] * either[1]) + N_b * (begins[1] * ends[1] * either[0])
    return np.column_stack([O, N_a + N_b, chance])


def _distinct_places(places: Ints, base: Ints) -> Ints:
    return np.diff(searchsorted(_sorted_unique(places), base))


def _sorted_unique(places: Ints) -> Ints:
    """Return the sorted places without duplicates; faster than ``np.unique``, because they consist of long sorted runs."""
    places = np.sort(places, kind="stable")
    return places[np.append(True, np.diff(places) != 0)] if len(places) else places


def _matched(off: Ints, start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> Ints:
    """Return the number of spans per pair that are matched: a span of the other side begins or ends at each end."""
    cuts = _sorted_unique(np.concatenate([other_start, other_end]))
    matched = np.ones(len(start), bool)
    for places in (start, end):
        matched &= np.append(cuts, -1)[searchsorted(cuts, places)] == places
    return np.diff(np.append(0, np.cumsum(matched))[off])


class HierarchyOverlap(SpanMeasure, OverlapMeasure):
    name = "hierarchy_overlap"
    title = "Precision, recall and F of the spans of a hierarchy"
    summary = "identical spans"
    short_name = "hierarchy F"
    aliases = MappingProxyType({"F": {}})
    symmetric = True  # only F is symmetric; precision and recall are swapped
    parts = ("relevant", "reference", "hypothesis")

    level: str = option("flat", choice("flat", "full"), "whether levels must agree too")

    def count(self, batch: Batch) -> BatchCounts:
        a, b = (self._columns(rows) for rows in batch.sides("rows"))
        counts = np.zeros((batch.pairs, 3))
        common_spans(*a, *b, counts)
        return BatchCounts(counts, {})

    def _columns(self, rows: Intervals) -> tuple[Ints, Ints, Ints, Ints]:
        level = rows.level if self.level == "full" else np.zeros_like(rows.level)
        return rows.start, rows.end, level, rows.off

    def unmatched_spans(self, a: Hierarchy, b: Hierarchy) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        size = 3 if self.level == "full" else 2  # start, end and level
        first, second = ({span[:size]: span for span in reversed(side.spans)} for side in (a, b))
        return (
            tuple(sorted(span for key, span in first.items() if key not in second)),
            tuple(sorted(span for key, span in second.items() if key not in first)),
        )


class NonCrossing(SpanMeasure):
    name = "non_crossing"
    title = "The proportion of spans that cross no span of the other hierarchy"
    summary = "spans that cross no other span"
    short_name = "non-crossing"
    aliases = MappingProxyType({"NC": {}})
    parts = ("uncrossed", "spans")

    def count(self, batch: Batch) -> BatchCounts:
        spans, others = (distinct(rows) for rows in batch.sides("rows"))
        number = spans.sizes
        return BatchCounts(np.column_stack([number - count_crossing(spans, others), number]).astype(float), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        uncrossed, spans = counts.T
        return divide(uncrossed, spans, empty=1.0)


def count_crossing(spans: Intervals, others: Intervals) -> Ints:
    """Return the number of spans of each annotation that cross a span of the other side."""
    owner, other_owner = spans.owner, others.owner
    last, other_last = spans.end - 1, others.end - 1
    crossing = np.zeros(len(owner), bool)
    stack = np.empty(int(np.diff(others.off).max(initial=0)), np.int64)
    # The kernel finds crossings at the end of a span. A second pass over the reversed text finds those at the start.
    for start, end, other_start, other_end in (
        (spans.start, last, others.start, other_last),
        (-last, -spans.start, -other_last, -others.start),
    ):
        order, other_order = lexsort((end, owner)), lexsort((other_start, other_owner))
        cut = np.zeros(len(owner), np.int64)
        other_ends = other_start[other_order], other_end[other_order]
        kernel.cut_at_end(start[order], end[order], spans.off, *other_ends, others.off, stack, cut)
        crossing[order] |= cut != 0
    return bincount(owner[crossing], minlength=len(spans.off) - 1)


def hierarchy_kappa(a: Hierarchy, b: Hierarchy) -> Score:
    """Compute Flammia & Zue's kappa: agreement of the spans of two hierarchies beyond chance.

    Parameters
    ----------
    a, b : Hierarchy
        The two sides, over the same units.

    Returns
    -------
    Score
        1 for identical spans, 0 for chance agreement, negative (without limit) for less; 0 if one side is empty.
        ``score.parts["p_o"]`` and ``score.parts["p_c"]`` are P_o and P_c.

    Raises
    ------
    Undefined
        If both sides are empty, or if P_c is 1: the text has one unit, or every unit is a span of its own on both
        sides. Remove spans of one unit if they carry no information, as in discourse trees.

    Notes
    -----
    Levels and labels are ignored. A span is *matched* if the other side has a boundary at both of its ends: some span of the
    other side starts at its first unit or ends just before it, and some span ends at its last unit or starts just after it.
    O_1 of the N_1 spans of a and O_2 of the N_2 spans of b are matched. P_b and P_e are the proportions of the N units that
    begin and that end at least one span::

        P_o = (O_1 + O_2) / (N_1 + N_2)
        P_c = N_1 / (N_1 + N_2) * P_b(1) P_e(1) P_a(2) + N_2 / (N_1 + N_2) * P_b(2) P_e(2) P_a(1)
        P_a = (P_b + P_e - P_b P_e)^2
        kappa = (P_o - P_c) / (1 - P_c)

    A span can therefore be matched although the other side does not contain it: the two trees of the example group
    three pairs differently, but kappa is 1. If this matters, use :func:`hierarchy_overlap`. Over several documents,
    matched spans, spans, and P_c times spans are summed.

    N is ``extent``. For times it is the duration divided by the tolerance of :func:`~caesura.common_units`, which puts both
    sides on the same units first: boundaries are then rare, P_c is tiny and kappa is nearly P_o.

    References
    ----------
    Flammia, G., & Zue, V. (1995). Empirical evaluation of human performance and agreement in parsing discourse
    constituents in spoken dialogue. Eurospeech.

    Carbone, Gal, Shieber & Grosz, Unifying annotated discourse hierarchies to create a gold standard, section 5.

    Examples
    --------
    >>> left = Hierarchy.from_brackets("(((1 2) (3 4)) (5 6))")
    >>> right = Hierarchy.from_brackets("((1 2) ((3 4) (5 6)))")
    >>> score = hierarchy_kappa(left, right)
    >>> score.value, score.parts["p_o"], score.parts["p_c"]
    (1.0, 1.0, 0.140625)
    """
    return HierarchyKappa.cached(None).score(a, b)


def hierarchy_overlap(reference: Hierarchy, hypothesis: Hierarchy, *, level: str = "flat") -> Score:
    """Compute precision, recall and F of the spans of a hierarchy.

    Parameters
    ----------
    reference : Hierarchy
        The reference, for example an annotation.
    hypothesis : Hierarchy
        The hypothesis, for example a gold standard built from several annotations.
    level : {"flat", "full"}, default "flat"
        Compare each (start, end) once, or each (start, end, level).

    Returns
    -------
    Score
        F, from 0 to 1. Precision, recall and F are 1 if both sides are empty, and 0 if only one side is empty.

    Notes
    -----
    ::

        recall = common spans / spans of the reference      precision = common spans / spans of the hypothesis

    A span that is one unit off counts as an error like any other. With ``"full"``, all spans of a tree that is one
    level deeper are errors too. Labels are ignored.

    References
    ----------
    Carbone, Gal, Shieber & Grosz, Unifying annotated discourse hierarchies to create a gold standard, section 5.

    Examples
    --------
    >>> annotation = Hierarchy(6, [(1, 6), (1, 4), (1, 2), (3, 4), (5, 6)])
    >>> gold = Hierarchy(6, [(1, 6), (1, 2), (3, 4)])
    >>> score = hierarchy_overlap(annotation, gold)
    >>> score.precision(), score.recall(), score.value
    (1.0, 0.6, 0.75)
    >>> hierarchy_overlap(annotation, gold, level="full").precision()     # 1-2 and 3-4 are a level higher
    0.3333333333333333
    """
    return HierarchyOverlap.cached(None, level=level).score(reference, hypothesis)


def non_crossing(reference: Hierarchy, hypothesis: Hierarchy) -> Score:
    """Compute the proportion of the reference's distinct spans that cross no span of the hypothesis.

    Parameters
    ----------
    reference, hypothesis : Hierarchy
        The two sides, over the same units.

    Returns
    -------
    Score
        From 0 to 1; 1 if the reference has no span. It is not symmetric.

    Notes
    -----
    Two spans cross if they overlap and neither contains the other. A hypothesis with few spans causes few crossings, so
    report this measure together with :func:`hierarchy_overlap`. Levels and labels are ignored. A reference without
    spans does not change the total over documents.

    Carbone et al. write that a segment "spans at least one boundary utterance", a definition by which nested segments
    would cross too. Their Table 1 shows that they did not count nested segments.

    Examples
    --------
    >>> annotation = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> gold = Hierarchy(6, [(1, 6), (1, 4)])
    >>> non_crossing(annotation, gold).parts          # 4-6 and 1-4 cross
    {'uncrossed': 2, 'spans': 3}
    >>> non_crossing(gold, annotation).value
    0.5
    """
    return NonCrossing.cached(None).score(reference, hypothesis)
