"""Measures that compare the spans of two hierarchies: Flammia & Zue's kappa, precision and recall, and crossing spans.

See :mod:`caesura.measures.meet` for the t- and l-measure, which compare how parts of the text are grouped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.kernels import crossing as kernel
from caesura.measures.batch import Batch, Comparison, Packed
from caesura.measures.old_base import BatchCounts, Counts, Measure, OverlapMeasure, divide
from caesura.measures.spans import DistinctSpans, HierarchyBatch, SpanArrays, count_common, distinct_rows, pack_spans
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.index import flatnonzero, lexsort, searchsorted
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice


class HierarchyMeasure(Measure):
    """A measure of two hierarchies, over the same units if ``needs_common_units``."""

    kinds = ("hierarchy",)
    view = "spans"

    def to_batch(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        return pack_spans(pairs, self.sides, same_units=self.needs_common_units)


class HierarchyKappa(HierarchyMeasure):
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
        assert isinstance(batch, HierarchyBatch)
        _, segments, chance = self._count(batch).T
        errors: dict[int, CaesuraError] = {}
        for d in flatnonzero((batch.a.extent != batch.b.extent) | (chance >= segments)).tolist():
            if batch.a.extent[d] != batch.b.extent[d]:
                errors[d] = MismatchError(
                    f"both sides must have the same extent, which is the N of chance agreement; a has "
                    f"{batch.a.extent[d]}, b has {batch.b.extent[d]}"
                )
            elif segments[d] == 0:
                errors[d] = Undefined("neither side has a span, so agreement beyond chance is undefined")
            else:
                errors[d] = Undefined(
                    f"chance agreement is {chance[d] / segments[d]:.6g}, because every unit begins and ends a span on both "
                    "sides; agreement beyond chance is undefined"
                )
        return errors

    def _count(self, batch: HierarchyBatch) -> Counts:
        return batch.cached("kappa", lambda: self._count_batch(batch))

    def _count_batch(self, batch: HierarchyBatch) -> Counts:
        n = len(batch)
        base = np.concatenate([[0], np.cumsum(batch.length + 1)])
        a, b = batch.a.distinct, batch.b.distinct
        N = [spans.count(n) for spans in (a, b)]  # noqa: N806 - the paper's symbols, here and below
        O = [_matched(*pair, base).astype(np.float64) for pair in ((a, b), (b, a))]  # noqa: N806, E741
        begins, ends = [], []
        for spans, side in ((a, batch.a), (b, batch.b)):
            begins.append(_count_distinct(spans.document, spans.start, base) / side.extent)
            ends.append(_count_distinct(spans.document, spans.end, base) / side.extent)
        either = [(b + e - b * e) ** 2 for b, e in zip(begins, ends, strict=True)]
        chance = N[0] * (begins[0] * ends[0] * either[1]) + N[1] * (begins[1] * ends[1] * either[0])
        return np.column_stack([O[0] + O[1], N[0] + N[1], chance])

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        return BatchCounts(self._count(batch), {"extent": batch.a.extent})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        matched, segments, chance = counts.T
        return divide(matched - chance, segments - chance)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        segments = counts["segments"]
        return {"p_o": counts["matched"] / segments, "p_c": counts["chance"] / segments}


def _count_distinct(document: Ints, units: Ints, base: Ints) -> Ints:
    return np.diff(searchsorted(_sorted_unique(base[document] + units), base))


def _sorted_unique(keys: Ints) -> Ints:
    """Return the sorted keys without duplicates; faster than ``np.unique``, because keys consist of long sorted runs."""
    keys = np.sort(keys, kind="stable")
    return keys[np.append(True, np.diff(keys) != 0)] if len(keys) else keys


def _matched(spans: DistinctSpans, others: DistinctSpans, base: Ints) -> Ints:
    """Return the number of spans per document that are matched: a span of the other side begins or ends at each end."""
    place = base[others.document]
    cuts = _sorted_unique(np.concatenate([place + others.start - 1, place + others.end]))
    matched = np.ones(len(spans), bool)
    for ends in (spans.start - 1, spans.end):
        keys = base[spans.document] + ends
        matched &= np.append(cuts, -1)[searchsorted(cuts, keys)] == keys
    return spans.count(len(base) - 1, matched)


class HierarchyOverlap(HierarchyMeasure, OverlapMeasure):
    name = "hierarchy_overlap"
    title = "Precision, recall and F of the spans of a hierarchy"
    summary = "identical spans"
    short_name = "hierarchy F"
    aliases = MappingProxyType({"F": {}})
    options = (Option("level", "flat", choice("flat", "full"), "whether levels must agree too"),)
    symmetric = True  # only F is symmetric; precision and recall are swapped
    parts = ("relevant", "reference", "hypothesis")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        return BatchCounts(count_common(self._keys(batch.a), self._keys(batch.b), len(batch)), {})

    def unmatched_spans(self, a: Hierarchy, b: Hierarchy) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        size = 3 if self["level"] == "full" else 2  # start, end and level
        first, second = ({span[:size]: span for span in reversed(side.spans)} for side in (a, b))
        return (
            tuple(sorted(span for key, span in first.items() if key not in second)),
            tuple(sorted(span for key, span in second.items() if key not in first)),
        )

    def _keys(self, side: SpanArrays) -> Ints:
        """Return distinct rows of document, start, end and, with ``"full"``, level."""
        if self["level"] == "flat":
            spans = side.distinct
            return np.column_stack([spans.document, spans.start, spans.end])
        return distinct_rows(np.column_stack([side.document, side.start, side.end, side.level]))


class NonCrossing(HierarchyMeasure):
    name = "non_crossing"
    title = "The proportion of spans that cross no span of the other hierarchy"
    summary = "spans that cross no other span"
    short_name = "non-crossing"
    aliases = MappingProxyType({"NC": {}})
    parts = ("uncrossed", "spans")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        n, spans = len(batch), batch.a.distinct
        crossing = find_crossing(spans, batch.b.distinct, n)
        return BatchCounts(np.column_stack([spans.count(n, ~crossing), spans.count(n)]).astype(float), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        uncrossed, spans = counts.T
        return divide(uncrossed, spans, empty=1.0)


def find_crossing(spans: DistinctSpans, others: DistinctSpans, documents: int) -> NDArray[np.bool_]:
    crossing = np.zeros(len(spans), bool)
    stack = np.empty(int(others.count(documents).max(initial=0)), np.int64)
    offsets, other_offsets = _offsets(spans, documents), _offsets(others, documents)
    # The kernel finds crossings at the end of a span. A second pass over the reversed text finds those at the start.
    for start, end, other_start, other_end in (
        (spans.start, spans.end, others.start, others.end),
        (-spans.end, -spans.start, -others.end, -others.start),
    ):
        order, other_order = lexsort((end, spans.document)), lexsort((other_start, others.document))
        counts = np.zeros(len(spans), np.int64)
        other_ends = other_start[other_order], other_end[other_order]
        kernel.cut_at_end(start[order], end[order], offsets, *other_ends, other_offsets, stack, counts)
        crossing[order] |= counts != 0
    return crossing


def _offsets(spans: DistinctSpans, documents: int) -> Ints:
    return np.concatenate([[0], np.cumsum(spans.count(documents))])


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
