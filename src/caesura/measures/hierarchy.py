"""Measures between two hierarchies that look at their spans: Flammia & Zue's kappa, precision and recall, and whether
spans cross. See ``meet.py`` for those that look at which parts of the text lie together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.kernels import crossing as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch, Comparison
from caesura.measures.spans import DistinctSpans, HierarchyBatch, SpanArrays, pack_spans
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Score, f_measure, ratio
from caesura.options import Option, choice

Ints = NDArray[np.int64]


class HierarchyMeasure(Measure):
    """A measure of two hierarchies over the same units."""

    __slots__ = ()
    kinds = ("hierarchy",)
    view = "spans"

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
        return pack_spans(pairs, self.sides, same_units=True)


class HierarchyKappa(HierarchyMeasure):
    """See :func:`hierarchy_kappa`."""

    __slots__ = ()
    name = "hierarchy_kappa"
    title = "Kappa of two hierarchies (Flammia & Zue)"
    short_name = "kappa"
    sides = ("a", "b")
    worst = None  # a chain of spans from one place that the other side left out weighs ever more as chance nears 1
    symmetric = True
    chance_corrected = True
    coefficients = ("kappa",)
    default_coefficient = "kappa"
    chance_family = "spans"

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Both must mean the same by N, there must be a span, and room above chance."""
        assert isinstance(batch, HierarchyBatch)
        _, segments, chance = self._count(batch).T
        errors: dict[int, CaesuraError] = {}
        for d in np.flatnonzero((batch.a.extent != batch.b.extent) | (chance >= segments)).tolist():
            if batch.a.extent[d] != batch.b.extent[d]:
                errors[d] = MismatchError(
                    f"both sides must have the same extent, which is N for chance; a has {batch.a.extent[d]}, "
                    f"b has {batch.b.extent[d]}"
                )
            elif segments[d] == 0:
                errors[d] = Undefined("neither side has a span, so agreement beyond chance has no meaning")
            else:
                errors[d] = Undefined(
                    f"chance agreement is {chance[d] / segments[d]:.6g}, because every unit begins and ends a span on both "
                    "sides; agreement beyond it has no meaning"
                )
        return errors

    def _count(self, batch: HierarchyBatch) -> Counts:
        n = len(batch)
        base = np.concatenate([[0], np.cumsum(batch.length + 1)])
        one, other = batch.a.distinct, batch.b.distinct
        N = [flat.count(n) for flat in (one, other)]  # noqa: N806 - the paper's symbols, here and below
        O = [_matched(*pair, base).astype(np.float64) for pair in ((one, other), (other, one))]  # noqa: N806, E741
        begins, ends = [], []
        for flat, side in ((one, batch.a), (other, batch.b)):
            begins.append(_distinct(flat.document, flat.start, base) / side.extent)
            ends.append(_distinct(flat.document, flat.end, base) / side.extent)
        either = [(b + e - b * e) ** 2 for b, e in zip(begins, ends, strict=True)]
        chance = N[0] * (begins[0] * ends[0] * either[1]) + N[1] * (begins[1] * ends[1] * either[0])
        return np.column_stack([O[0] + O[1], N[0] + N[1], chance])

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("matched", "segments", "chance")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        return BatchCounts(self._count(batch), {"extent": batch.a.extent})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        matched, segments, chance = counts.T
        return divide(matched - chance, segments - chance)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        segments = counts["segments"]
        return {"p_o": counts["matched"] / segments, "p_c": counts["chance"] / segments}


def _distinct(document: Ints, at: Ints, base: Ints) -> Ints:
    """How many different units each document has among these."""
    return np.diff(np.searchsorted(_once(base[document] + at), base))


def _once(keys: Ints) -> Ints:
    """Sorted, each once; ``np.unique`` hashes first, which takes longer."""
    keys = np.sort(keys)
    return keys[np.append(True, np.diff(keys) != 0)] if len(keys) else keys


def _matched(one: DistinctSpans, other: DistinctSpans, base: Ints) -> Ints:
    """Spans of one, per document, at both ends of which the other has the end of a span, from whichever side."""
    place = base[other.document]
    cuts = _once(np.concatenate([place + other.start - 1, place + other.end]))
    both = np.ones(len(one), bool)
    for at in (one.start - 1, one.end):
        keys = base[one.document] + at
        found = np.searchsorted(cuts, keys)
        both &= np.append(cuts, -1)[found] == keys
    return one.count(len(base) - 1, both)


class HierarchyOverlap(HierarchyMeasure):
    """See :func:`hierarchy_overlap`."""

    __slots__ = ()
    name = "hierarchy_overlap"
    title = "Precision, recall and F of the spans of a hierarchy"
    short_name = "span F"
    options = (Option("level", "flat", choice("flat", "full"), "whether the level must agree too"),)
    symmetric = True  # F; precision and recall change places

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("relevant", "reference", "hypothesis")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        rows = [self._keys(side) for side in (batch.a, batch.b)]
        # Each side has a row once, so that equal neighbours are of both sides.
        both = np.concatenate(rows)
        both = both[np.lexsort(both.T[::-1])]
        shared = both[1:][(both[1:] == both[:-1]).all(axis=1), 0]
        counts = [np.bincount(one, minlength=len(batch)) for one in (shared, rows[0][:, 0], rows[1][:, 0])]
        return BatchCounts(np.column_stack(counts).astype(float), {})

    def _keys(self, side: SpanArrays) -> Ints:
        """Document, start, end and with ``"full"`` level, each row once."""
        if self["level"] == "flat":
            flat = side.distinct
            return np.column_stack([flat.document, flat.start, flat.end])
        return np.unique(np.column_stack([side.document, side.start, side.end, side.level]), axis=0)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        relevant, reference, hypothesis = counts.T
        return divide(2 * relevant, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        relevant, reference, hypothesis = counts["relevant"], counts["reference"], counts["hypothesis"]
        precision = ratio(relevant, hypothesis, reference + hypothesis)
        recall = ratio(relevant, reference, reference + hypothesis)
        return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}


class NonCrossing(HierarchyMeasure):
    """See :func:`non_crossing`."""

    __slots__ = ()
    name = "non_crossing"
    title = "The share of spans that cross no span of the other hierarchy"
    short_name = "NC"

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("uncrossed", "spans")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        n, one = len(batch), batch.a.distinct
        cut = crossed(one, batch.b.distinct, n)
        return BatchCounts(np.column_stack([one.count(n, ~cut), one.count(n)]).astype(float), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        uncrossed, spans = counts.T
        return divide(uncrossed, spans, empty=1.0)


def crossed(one: DistinctSpans, other: DistinctSpans, documents: int) -> NDArray[np.bool_]:
    """Which spans of one cross a span of the other; spans may stand several times."""
    cut = np.zeros(len(one), bool)
    stack = np.empty(int(other.count(documents).max(initial=0)), np.int64)
    # The kernel sees who crosses at the end; read backwards, the start of a span is its end.
    for start, end, c, d in (
        (one.start, one.end, other.start, other.end),
        (-one.end, -one.start, -other.end, -other.start),
    ):
        mine, theirs = np.lexsort((end, one.document)), np.lexsort((c, other.document))
        found = np.zeros(len(one), np.int64)
        kernel.cut_at_end(
            start[mine], end[mine], _ends(one, documents), c[theirs], d[theirs], _ends(other, documents), stack, found
        )
        cut[mine] |= found != 0
    return cut


def _ends(flat: DistinctSpans, documents: int) -> Ints:
    return np.concatenate([[0], np.cumsum(flat.count(documents))])


def hierarchy_kappa(a: Hierarchy, b: Hierarchy) -> Score:
    """Flammia & Zue's kappa: how far the spans of two hierarchies agree beyond chance.

    1 for the same spans, 0 for what chance gives, below 0 for less, without limit. Levels and labels are not looked at.
    A span of one side is *matched* if the other side has the end of a span, whichever, at both its ends: one that starts
    at its first unit or ends just before, and one that ends at its last or starts just after. With O_1 of N_1 spans and
    O_2 of N_2 matched, and P_b, P_e the share of the N units that begin, that end one or more spans,

        P_o = (O_1 + O_2) / (N_1 + N_2)
        P_c = N_1 / (N_1 + N_2) * P_b(1) P_e(1) P_a(2) + N_2 / (N_1 + N_2) * P_b(2) P_e(2) P_a(1)
        P_a = (P_b + P_e - P_b P_e)^2
        kappa = (P_o - P_c) / (1 - P_c)

    They are ``score.parts["p_o"]`` and ``["p_c"]``. So a span may be matched without being drawn: the example has two
    trees that group three pairs differently and agree fully. Where that matters, see :func:`hierarchy_overlap`.

    0 if one side is empty. ``Undefined`` if both are, or if P_c is 1: a text of one unit, or every unit a span of its own
    on both sides. (So leave spans of one unit out if they say nothing, as in trees of discourse.) Over several documents,
    matched spans, spans, and P_c times spans are summed.

    N is ``extent``. For times that is the duration over the tolerance of :func:`~caesura.common_units`, which lays both
    sides over the same units first: boundaries are then rare, P_c is tiny and kappa nearly P_o.

    Flammia, G., & Zue, V. (1995). Empirical evaluation of human performance and agreement in parsing discourse
    constituents in spoken dialogue. Eurospeech. As used by Carbone, Gal, Shieber & Grosz, Unifying annotated discourse
    hierarchies to create a gold standard, section 5.

    >>> left = Hierarchy.from_brackets("(((1 2) (3 4)) (5 6))")
    >>> right = Hierarchy.from_brackets("((1 2) ((3 4) (5 6)))")
    >>> score = hierarchy_kappa(left, right)
    >>> score.value, score.parts["p_o"], score.parts["p_c"]
    (1.0, 1.0, 0.140625)
    """
    return HierarchyKappa.cached(None).score(a, b)


def hierarchy_overlap(reference: Hierarchy, hypothesis: Hierarchy, *, level: str = "flat") -> Score:
    """Precision, recall and F of spans: how many stand on both sides.

    From 0 to 1. With the reference an annotation and the hypothesis a gold standard made of several of them,

        recall = common spans / spans of the reference      precision = common spans / spans of the hypothesis

    ``level="flat"`` compares each (start, end) once, ``"full"`` each (start, end, level). The value is F; with both sides
    empty all three are 1, with one empty 0. A span that is one unit off counts as wrong as any other, and so do all spans
    of a tree that hangs one level deeper under ``"full"``. Labels are not looked at.

    Carbone, Gal, Shieber & Grosz, Unifying annotated discourse hierarchies to create a gold standard, section 5.

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
    """The share of the reference's distinct spans that cross no span of the hypothesis.

    From 0 to 1. Two spans cross if they overlap and neither contains the other. A hypothesis with few spans is crossed by
    few: read it beside :func:`hierarchy_overlap`. Levels and labels are not looked at. 1 if the reference has no span;
    sums over documents then pass over it. It is not symmetric.

    Carbone et al. say that a segment "spans at least one boundary utterance", by which nested segments would cross too;
    their Table 1 shows that it did not count them.

    >>> annotation = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> gold = Hierarchy(6, [(1, 6), (1, 4)])
    >>> non_crossing(annotation, gold).parts          # 4-6 and 1-4 cross
    {'uncrossed': 2, 'spans': 3}
    >>> non_crossing(gold, annotation).value
    0.5
    """
    return NonCrossing.cached(None).score(reference, hypothesis)
