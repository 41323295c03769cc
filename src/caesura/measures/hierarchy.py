"""Measures of hierarchies: Flammia & Zue's kappa, precision and recall, crossing spans, and the t- and l-measure.

The t- and l-measure are from music research. They compare how two hierarchies group the parts of a text. They were defined over
frames of a tenth of a second. Here the text is cut into *atoms* at every boundary of both sides: all frames of an atom meet
the same frames at the same levels, so a sum over frames is a weighted sum over atoms. For text this is exact; for times it is
the limit of ever shorter frames.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.kernels import crossing as crossing_kernel
from caesura.kernels import meet as meet_kernel
from caesura.kernels.marked import common_spans
from caesura.measures.base import BatchCounts, Counts, Measure, OverlapMeasure, divide, option, precision_recall
from caesura.measures.needs import Needs
from caesura.model.annotation import IN_SECONDS, TICKS, Shape
from caesura.model.batch import Batch
from caesura.model.columns import nest, offsets, take
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.index import bincount, flatnonzero, lexsort, searchsorted
from caesura.model.interval_columns import UNLABELLED, Intervals
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
        errors: dict[int, CaesuraError] = {}
        for row in flatnonzero(differ).tolist():
            listed = []
            for side, units in zip(self.sides, (a, b), strict=True):
                number, first, last = units.sizes[row], units.off[row], units.off[row + 1] - 1
                listed.append(
                    f"{side} has {number} from {units.start[first] / TICKS:g} to {units.end[last] / TICKS:g} s"
                )
            hint = "put them on the same units with common_units"
            errors[row] = MismatchError(f"both sides must have the same units; {', '.join(listed)}; {hint}")
        return errors


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
        [np.diff(searchsorted(_sorted_unique(side[k]), base)) / N for side, N in zip((a, b), units, strict=True)]
        for k in (1, 2)
    )
    either = [(begin + end - begin * end) ** 2 for begin, end in zip(begins, ends, strict=True)]
    chance = N_a * (begins[0] * ends[0] * either[1]) + N_b * (begins[1] * ends[1] * either[0])
    return np.column_stack([O, N_a + N_b, chance])


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
        crossing_kernel.cut_at_end(start[order], end[order], spans.off, *other_ends, others.off, stack, cut)
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


class MeetMeasure(HierarchyMeasure):
    """Base class of the t- and l-measure: F of the triples that both sides put in the same order."""

    needs = Needs(Shape.LAYERED, least=Shape.NESTED, extent=False, streams=False, axis="pair")
    needs_common_units = False
    parts = ("recalled", "reference", "confirmed", "hypothesis")
    two_ratios = ("precision", "recall")

    @abstractmethod
    def codes(self, side: Intervals) -> tuple[Ints, Ints]:
        """Return the order of the spans by pair, level and code, and the code of each span in this order."""

    def count(self, batch: Batch) -> BatchCounts:
        a, b = batch.sides("rows")
        weight, atom_off, places = _atoms(batch, (a.start, a.end, b.start, b.end))
        ranges = [self._ranges(a, *places[:2]), self._ranges(b, *places[2:])]
        levels = [column for _, _, level, _, off in ranges for column in (level, off)]
        atoms, cells, columns = meet_kernel.sizes(atom_off, *levels)
        scratch = np.empty((2, atoms), np.int64), np.empty(cells, np.int64), np.empty(columns)
        in_seconds = batch.table.has(IN_SECONDS)[batch.first]
        own = (~in_seconds).astype(np.int64)  # a unit is not compared with itself
        out = np.empty((batch.pairs, 4))
        meet_kernel.triples(weight, weight.astype(np.int64), atom_off, own, *ranges[0], *ranges[1], *scratch, out)
        return BatchCounts(out / np.where(in_seconds, TICKS, 1)[:, None], {})

    def _ranges(self, side: Intervals, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return ranges of atoms with a common code, in the order that the kernel expects; see ``kernels/meet.pyx``."""
        order, code = self.codes(side)
        return low[order], high[order], side.level[order], code, side.off

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        recalled, reference, confirmed, hypothesis = counts.T
        empty = np.where(reference + hypothesis > 0, 0.0, 1.0)
        recall, precision = divide(recalled, reference, empty=empty), divide(confirmed, hypothesis, empty=empty)
        return np.minimum(divide(2 * recall * precision, recall + precision), 1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return precision_recall(**counts)


def _atoms(batch: Batch, places: tuple[Ints, ...]) -> tuple[Floats, Ints, list[Ints]]:
    """Return the lengths of all atoms, their offsets, and the atoms where the spans of both sides begin and end."""
    a, b = batch.sides("rows")
    low, high = batch.begin, batch.begin + batch.length
    pair = np.arange(batch.pairs)
    owner = np.concatenate([pair, pair, a.owner, a.owner, b.owner, b.owner])
    # Parts outside the reference are cut off.
    point = np.clip(np.concatenate([low, high, *places]), low[owner], high[owner]).astype(np.float64)
    weight, place = np.empty(len(point)), np.empty(len(point), np.int64)
    off = np.empty(batch.pairs + 1, np.int64)
    atoms = meet_kernel.cut(point, owner, lexsort((point, owner)), weight, place, off)
    return weight[:atoms], off, np.split(place[2 * batch.pairs :], np.cumsum([len(side) for side in places[:-1]]))


class TMeasure(MeetMeasure):
    name = "t_measure"
    title = "t-measure of two hierarchies, which compares positions in the same span (McFee)"
    summary = "positions nested deeper together"
    short_name = "t-measure"
    aliases = MappingProxyType({"T": {}})

    def codes(self, side: Intervals) -> tuple[Ints, Ints]:
        # Every span meets only itself.
        return lexsort((side.level, side.owner)), np.arange(len(side.level))


class LMeasure(MeetMeasure):
    name = "l_measure"
    title = "l-measure of two hierarchies, which compares positions with the same label (McFee)"
    summary = "positions with the same label"
    short_name = "l-measure"
    aliases = MappingProxyType({"L": {}})
    needs_labels = True

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        errors: dict[int, CaesuraError] = {}
        for name, side in zip(self.sides, batch.sides("rows"), strict=True):
            owner = side.owner
            for row in flatnonzero(side.label == UNLABELLED).tolist():
                pair = int(owner[row])
                if pair in errors:
                    continue
                place = f"{side.start[row] + 1}-{side.end[row]}"
                if batch.table.traits[batch.first[pair]] & IN_SECONDS:
                    place = f"{side.start[row] / TICKS:.10g}-{side.end[row] / TICKS:.10g} s"
                errors[pair] = MismatchError(
                    f"{name}: l_measure needs a label on every span; {place} on level {side.level[row]} has none; t_measure "
                    "needs no labels"
                )
        return errors

    def codes(self, side: Intervals) -> tuple[Ints, Ints]:
        # Spans of the same level with the same label meet.
        owner = side.owner
        order = lexsort((side.label, side.level, owner))
        is_new = np.zeros(len(order), bool)
        for column in (owner, side.level, side.label):
            is_new[1:] |= np.diff(column[order]) != 0
        return order, np.cumsum(is_new)


def t_measure(reference: Hierarchy, hypothesis: Hierarchy) -> Score:
    """Compute the t-measure, which compares how both sides group the text around every place.

    Parameters
    ----------
    reference, hypothesis : Hierarchy
        The two sides, each with its own times. The reference defines the length of the text: parts of the hypothesis
        outside this range are cut off, and places that the hypothesis does not cover meet nothing.

    Returns
    -------
    Score
        F, from 0 to 1; ``score.precision()`` and ``score.recall()`` are available. If one side has no order (no span,
        or one span that covers everything), all three are 0. If neither side has an order, all three are 1, while
        ``mir_eval`` returns 0.

    Notes
    -----
    The *meet* of two places is the deepest level on which they are in one span, 0 if there is none. For a place q, a
    hierarchy puts all places in an order: v comes before u if meet(q, v) > meet(q, u). Recall is the proportion of such
    triples (q, u, v) of the reference that the hypothesis puts in the same order, averaged over q; for precision the
    roles are swapped. With atoms of duration d between all boundaries of both sides, and W_q(r, e) the duration of
    everything that meets q on level r in the reference and on level e in the hypothesis::

        Z_q = sum over r < r' of W_q(r, .) W_q(r', .)
        C_q = sum over r < r', e < e' of W_q(r, e) W_q(r', e')
        recall = sum of d_q C_q / Z_q / sum of d_q, over all q with Z_q > 0

    In a text, units have weight 1, and W_q excludes the unit q itself. Times are compared directly and are not merged.
    Places that no span covers meet nothing. If both sides have the same range, the value is symmetric. Levels need not nest
    (``Hierarchy(..., nested=False)``).

    Only the order of levels counts, so hierarchies of different depth can be compared, and boundaries that are slightly off
    cost little. The t-measure ignores labels (see :func:`l_measure`) and does not correct for chance: two flat segmentations
    with many short spans are always similar.

    References
    ----------
    McFee, B., Nieto, O., & Bello, J. P. (2015). Hierarchical evaluation of segment boundary detection. ISMIR. The window of
    15 s and the restriction to neighboring levels, the defaults of ``mir_eval``, are left out: this is
    ``mir_eval.hierarchy.tmeasure(..., transitive=True, window=None)`` without frames.

    Examples
    --------
    >>> reference = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2), (3, 4)])
    >>> hypothesis = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> score = t_measure(reference, hypothesis)
    >>> f"{score.value:.4f} {score.precision():.4f} {score.recall():.4f}"
    '0.5485 0.5556 0.5417'
    """
    return TMeasure.cached(None).score(reference, hypothesis)


def l_measure(reference: Hierarchy, hypothesis: Hierarchy) -> Score:
    """Compute the l-measure: :func:`t_measure` with labels instead of spans.

    Parameters
    ----------
    reference, hypothesis : Hierarchy
        The two sides. Every span must have a label.

    Returns
    -------
    Score
        F, from 0 to 1; ``score.precision()`` and ``score.recall()`` are available.

    Raises
    ------
    MismatchError
        If a span has no label.

    Notes
    -----
    Two places meet on the deepest level on which they have the same label, in the same span or in different spans: the
    second chorus meets the first. Labels of the two sides are never compared with each other, so the sides may use
    different names.

    References
    ----------
    McFee, B., Nieto, O., Farbood, M., & Bello, J. P. (2017). Evaluating hierarchical structure in music annotations.
    Frontiers in Psychology 8. It is ``mir_eval.hierarchy.lmeasure`` without frames.

    Examples
    --------
    >>> verse = Hierarchy.from_times([(0, 30, 1, "A"), (30, 60, 1, "B"), (60, 90, 1, "A")])
    >>> other = Hierarchy.from_times([(0, 31, 1, "x"), (31, 60, 1, "y"), (60, 92, 1, "x")])
    >>> score = l_measure(verse, other)
    >>> f"{score.value:.4f} {score.precision():.4f} {score.recall():.4f}"
    '0.9642 0.9727 0.9559'
    >>> f"{t_measure(verse, other).value:.4f}"
    '0.9729'
    """
    return LMeasure.cached(None).score(reference, hypothesis)
