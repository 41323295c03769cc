"""t_measure and l_measure of music: which parts of a text lie deeper together, and do both hierarchies say the same?

They were defined over frames of a tenth of a second. Here the text is cut into *atoms* at every boundary of both sides:
all frames of an atom meet the same frames at the same levels, so that a sum over frames is a weighted sum over atoms. For
text that is exact, for times it is what shorter and shorter frames tend to.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.kernels import meet as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch, Comparison
from caesura.measures.spans import UNLABELLED, HierarchyBatch, SpanArrays, pack_spans
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Score, f_measure, ratio

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Stretches of atoms that share a code, in the order that the kernel takes; see ``kernels/meet.pyx``."""

    lo: Ints
    hi: Ints
    level: Ints
    code: Ints
    off: Ints

    def levels(self) -> Ints:
        """How many different levels each document has."""
        new = np.ones(len(self.level), bool)
        new[1:] = np.diff(self.level) != 0
        new[self.off[:-1][np.diff(self.off) > 0]] = True
        return np.diff(np.concatenate([[0], np.cumsum(new)])[self.off])


class MeetMeasure(Measure):
    """F of the triples that the other side orders in the same way."""

    __slots__ = ()
    kinds = ("hierarchy",)
    view = "spans"
    needs_common_units = False

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
        return pack_spans(pairs, self.sides, same_units=False)

    @abstractmethod
    def codes(self, side: SpanArrays) -> Ints:
        """What the atoms of each row share, as numbers that rise with document and level."""

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("recalled", "reference", "confirmed", "hypothesis")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        weight, atom_off, (lo_a, hi_a), (lo_b, hi_b) = _atoms(batch)
        a, b = self._rows(batch.a, lo_a, hi_a), self._rows(batch.b, lo_b, hi_b)
        R, E = 1 + a.levels(), 1 + b.levels()  # noqa: N806 - the kernel's symbols
        longest = int(np.diff(atom_off).max(initial=0))
        out = np.empty((len(batch), 4))
        kernel.triples(
            weight,
            atom_off,
            (np.diff(batch.a.edge_off) == 0).astype(np.float64),
            a.lo,
            a.hi,
            a.level,
            a.code,
            a.off,
            b.lo,
            b.hi,
            b.level,
            b.code,
            b.off,
            np.empty((2, longest), np.int64),
            np.empty(int((R * E).max(initial=0))),
            np.empty(int(E.max(initial=0))),
            out,
        )
        return BatchCounts(out, {})

    def _rows(self, side: SpanArrays, lo: Ints, hi: Ints) -> _Rows:
        code = self.codes(side)
        order = np.argsort(code, kind="stable")
        return _Rows(lo[order], hi[order], side.level[order], code[order], side.off)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        recalled, reference, confirmed, hypothesis = counts.T
        nothing = np.where(reference + hypothesis > 0, 0.0, 1.0)
        recall, precision = divide(recalled, reference, empty=nothing), divide(confirmed, hypothesis, empty=nothing)
        return np.minimum(divide(2 * recall * precision, recall + precision), 1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        ranked = counts["reference"] + counts["hypothesis"]
        precision = ratio(counts["confirmed"], counts["hypothesis"], ranked)
        recall = ratio(counts["recalled"], counts["reference"], ranked)
        return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}


def _atoms(batch: HierarchyBatch) -> tuple[Floats, Ints, tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Weights of all atoms, where each document begins, and for both sides the atoms where rows begin and end."""
    n = len(batch)
    low, high = np.zeros(n), batch.length.astype(np.float64)
    timed = np.diff(batch.a.edge_off) > 0
    low[timed], high[timed] = (
        batch.a.edges[batch.a.edge_off[:-1][timed]],
        batch.a.edges[batch.a.edge_off[1:][timed] - 1],
    )
    documents = [np.arange(n), np.arange(n)]
    points = [low, high]
    for side in (batch.a, batch.b):
        d = side.document
        for at in (side.start - 1, side.end):
            documents.append(d)
            # What lies beyond the reference is cut off.
            points.append(np.clip(_times(side, d, at), low[d], high[d]))
    document, point = np.concatenate(documents), np.concatenate(points)
    order = np.lexsort((point, document))
    d, x = document[order], point[order]
    new = np.ones(len(x), bool)
    new[1:] = (np.diff(d) != 0) | (np.diff(x) != 0)
    cut_off = np.concatenate([[0], np.cumsum(np.bincount(d[new], minlength=n))])
    cuts = x[new]
    place = np.empty(len(x), np.int64)
    place[order] = np.cumsum(new) - 1
    place -= cut_off[document]
    lo_a, hi_a, lo_b, hi_b = np.split(place[2 * n :], np.cumsum([len(one) for one in points[2:5]]))
    # One atom fewer than cuts: between the documents there is none.
    inside = np.ones(max(len(cuts) - 1, 0), bool)
    inside[cut_off[1:-1] - 1] = False
    return np.diff(cuts)[inside], cut_off - np.arange(n + 1), (lo_a, hi_a), (lo_b, hi_b)


def _times(side: SpanArrays, document: Ints, at: Ints) -> Floats:
    """Positions as times, where units have any."""
    out = at.astype(np.float64)
    timed = (np.diff(side.edge_off) > 0)[document]
    out[timed] = side.edges[side.edge_off[document[timed]] + at[timed]]
    return out


class TMeasure(MeetMeasure):
    """See :func:`t_measure`."""

    __slots__ = ()
    name = "t_measure"
    title = "t-measure of two hierarchies: what lies in one span (McFee)"
    short_name = "T"

    def codes(self, side: SpanArrays) -> Ints:
        """Every row is a span of its own."""
        code = np.empty(len(side.level), np.int64)
        code[np.lexsort((side.level, side.document))] = np.arange(len(code))
        return code


class LMeasure(MeetMeasure):
    """See :func:`l_measure`."""

    __slots__ = ()
    name = "l_measure"
    title = "l-measure of two hierarchies: what carries one label (McFee)"
    short_name = "L"

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Every span must have a label."""
        assert isinstance(batch, HierarchyBatch)
        errors: dict[int, CaesuraError] = {}
        for name, side in zip(self.sides, (batch.a, batch.b), strict=True):
            document = side.document
            for row in np.flatnonzero(side.label == UNLABELLED).tolist():
                errors.setdefault(
                    int(document[row]),
                    MismatchError(
                        f"{name}: l_measure needs a label on every span; {side.start[row]}-{side.end[row]} on level "
                        f"{side.level[row]} has none; t_measure needs no labels"
                    ),
                )
        return errors

    def codes(self, side: SpanArrays) -> Ints:
        """Rows of one level with one label are alike."""
        document = side.document
        order = np.lexsort((side.label, side.level, document))
        new = np.zeros(len(order), np.int64)
        for column in (document, side.level, side.label):
            new[1:] |= np.diff(column[order]) != 0
        code = np.empty(len(order), np.int64)
        code[order] = np.cumsum(new)
        return code


def t_measure(reference: Hierarchy, hypothesis: Hierarchy) -> Score:
    """The t-measure: does the text hang together around every place as it does in the reference?

    From 0 to 1. The *meet* of two places is the deepest level on which they lie in one span, 0 if there is none. Seen from
    a place q, a hierarchy puts places in an order: v before u where meet(q, v) > meet(q, u). Recall is the share of such
    triples (q, u, v) of the reference that the hypothesis puts in the same order, averaged over q; precision has the roles
    swapped, and the value is F. With atoms of duration d between all boundaries of both sides, and W_q(r, e) the duration
    of all that meets q on level r in the reference and e in the hypothesis,

        Z_q = sum over r < r' of W_q(r, .) W_q(r', .)
        C_q = sum over r < r', e < e' of W_q(r, e) W_q(r', e')
        recall = sum of d_q C_q / Z_q / sum of d_q, over all q with Z_q > 0

    In a text units weigh 1, and the unit q itself is left out of W_q. Times are taken as they are, each side with its own;
    nothing is merged. What no span covers meets nothing. The reference says how long the text is: what the hypothesis has
    before or beyond is cut off, and where it has nothing it meets nothing. With the same range on both sides the value is
    symmetric.

    Only the order of levels counts, so hierarchies of different depth compare; boundaries that are a little off cost
    little. It says nothing of labels (see :func:`l_measure`) and does not correct for chance: two flat segmentations of
    many short spans are alike by it. Where one side puts nothing in order (no span, or one that covers all) all three
    are 0, and where neither does 1; ``mir_eval`` says 0 there too.

    McFee, B., Nieto, O., & Bello, J. P. (2015). Hierarchical evaluation of segment boundary detection. ISMIR. The window of
    15 s and the restriction to neighbouring levels, which ``mir_eval`` has by default, are left out: it is
    ``mir_eval.hierarchy.tmeasure(..., transitive=True, window=None)`` without frames.

    >>> reference = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2), (3, 4)])
    >>> hypothesis = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> score = t_measure(reference, hypothesis)
    >>> f"{score.value:.4f} {score.precision():.4f} {score.recall():.4f}"
    '0.5485 0.5556 0.5417'
    """
    return TMeasure.cached(None).score(reference, hypothesis)


def l_measure(reference: Hierarchy, hypothesis: Hierarchy) -> Score:
    """The l-measure: as :func:`t_measure`, with labels in place of spans.

    From 0 to 1. Two places meet on the deepest level on which they carry the same label, in one span or in two: the second
    chorus meets the first. Every span must have a label. Labels of the two sides are never compared with each other, so
    they may be named in any way.

    McFee, B., Nieto, O., Farbood, M., & Bello, J. P. (2017). Evaluating hierarchical structure in music annotations.
    Frontiers in Psychology 8. It is ``mir_eval.hierarchy.lmeasure`` without frames.

    >>> verse = Hierarchy.from_times([(0, 30, 1, "A"), (30, 60, 1, "B"), (60, 90, 1, "A")])
    >>> other = Hierarchy.from_times([(0, 31, 1, "x"), (31, 60, 1, "y"), (60, 92, 1, "x")])
    >>> score = l_measure(verse, other)
    >>> f"{score.value:.4f} {score.precision():.4f} {score.recall():.4f}"
    '0.9642 0.9727 0.9559'
    >>> f"{t_measure(verse, other).value:.4f}"
    '0.9729'
    """
    return LMeasure.cached(None).score(reference, hypothesis)
