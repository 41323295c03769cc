"""The t- and l-measure from music research, which compare how two hierarchies group the parts of a text.

The measures were defined over frames of a tenth of a second. Here the text is cut into *atoms* at every boundary of
both sides: all frames of an atom meet the same frames at the same levels, so a sum over frames is a weighted sum over
atoms. For text this is exact; for times it is the limit of ever shorter frames.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from caesura.errors import CaesuraError, MismatchError
from caesura.kernels import meet as kernel
from caesura.measures.base import BatchCounts, Counts, divide, precision_recall
from caesura.measures.hierarchy import HierarchyMeasure
from caesura.measures.needs import Needs
from caesura.model.annotation import IN_SECONDS, TICKS, Shape
from caesura.model.batch import Batch
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero, lexsort
from caesura.model.interval_columns import UNLABELLED, Intervals
from caesura.model.result import Score
from caesura.model.value import Floats, Ints


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
        atoms, cells, columns = kernel.sizes(atom_off, *levels)
        scratch = np.empty((2, atoms), np.int64), np.empty(cells, np.int64), np.empty(columns)
        in_seconds = batch.table.has(IN_SECONDS)[batch.first]
        own = (~in_seconds).astype(np.int64)  # a unit is not compared with itself
        out = np.empty((batch.pairs, 4))
        kernel.triples(weight, weight.astype(np.int64), atom_off, own, *ranges[0], *ranges[1], *scratch, out)
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
    atoms = kernel.cut(point, owner, lexsort((point, owner)), weight, place, off)
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
