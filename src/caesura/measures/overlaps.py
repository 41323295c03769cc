"""Measures of how segments overlap: purity and coverage, covering, the alignment index A, and unit error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, Undefined
from caesura.kernels import cells as kernel
from caesura.kernels import segments as segment_kernel
from caesura.measures.axis import AXIS_OPTIONS, BETA, EXTENT, LEVEL, Side, f_of_ratios
from caesura.measures.batch import Batch
from caesura.measures.edges import Cells, EdgeBatch, Packing, find_cells, segment_classes
from caesura.measures.old_axis import SegmentMeasure
from caesura.measures.old_base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, divide
from caesura.model.edges import SAME_PLACE, Edges, edges_of_intervals
from caesura.model.index import flatnonzero
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, non_negative


def _sizes(cells: Cells, segment: Ints) -> Floats:
    length = np.zeros(int(segment.max(initial=-1)) + 1)
    kernel.lengths(cells.width, segment, length)
    return length


class _Overlaps(NamedTuple):
    """Sums of the largest overlaps and of Jaccard times length, of both sides, and the pairs of A: of one document or each."""

    covered: Any
    covering: Any
    pure: Any
    covering_back: Any
    jaccard: Any
    pairs: Any
    total: Any


def _overlaps(cells: Cells, ties: str | None) -> _Overlaps:
    """Return the sums of the largest overlaps; pairs of segments are chosen only if ``ties`` is set."""
    n = len(cells.off) - 1
    a, b = (cells.a_seg, _sizes(cells, cells.a_seg)), (cells.b_seg, _sizes(cells, cells.b_seg))
    chosen = np.zeros(len(cells.width) if ties else 0, np.uint8)
    forward, backward, pairs = np.empty((n, 3)), np.empty((n, 3)), np.zeros((n, 2))
    kernel.overlaps(cells.width, cells.off, *a, *b, ties is not None, ties == "all", chosen, forward)
    kernel.overlaps(cells.width, cells.off, *b, *a, ties is not None, ties == "all", chosen, backward)
    if ties:
        kernel.chosen_pairs(cells.width, cells.off, *a, *b, chosen, pairs)
    sums = (forward[:, 0], forward[:, 1], backward[:, 0], backward[:, 1], pairs[:, 0], pairs[:, 1])
    return _Overlaps(*sums, forward[:, 2])


def _without_pairs(covered: Any, covering: Any, total: Any, pure: Any, covering_back: Any, _: Any) -> _Overlaps:
    """Return the sums of the segments of either side; no pairs of segments were chosen."""
    return _Overlaps(covered, covering, pure, covering_back, None, None, total)


class _OverlapMeasure(SegmentMeasure):
    @property
    def counts_all(self) -> bool:
        return bool(self["gaps"] == "segment")

    def overlaps(self, batch: EdgeBatch) -> _Overlaps:
        ties = self.settings.get("ties")
        if ties is not None or not self.counts_all:
            return _overlaps(self.counted_cells(batch), ties)
        out = np.empty((len(batch), 6))
        a_pos, b_pos = batch.a_places, batch.b_places
        kernel.overlaps_of_batch(batch.begin, batch.end, a_pos, batch.a_off, b_pos, batch.b_off, out)
        return _without_pairs(*out.T)

    def overlaps_of_tiers(self, a: Tier, b: Tier) -> _Overlaps | None:
        """Return the sums of two tiers, without pairs of segments; None if not all cells count or the extents differ."""
        sums = kernel.overlaps_of_pair(a.packed_edges, b.packed_edges) if self.counts_all else None
        return None if sums is None else _without_pairs(*sums)


class PurityCoverage(_OverlapMeasure):
    name = "purity_coverage"
    summary = "how far segments cover each other"
    title = "Purity, coverage and their F (pyannote.metrics)"
    caution = "purity alone is 1 for the finest segmentation and coverage alone for a single segment; report both"
    short_name = "purity F"
    aliases = MappingProxyType({"purity": {}, "coverage": {}, "f_purity_coverage": {}})
    options = (
        BETA,
        Option(
            "fill",
            0,
            non_negative(),
            "join reference intervals with equal labels and a gap below this; only labelled reference time then counts",
        ),
        Option(
            "gaps",
            "segment",
            choice("segment", "ignore", "reference"),
            "whether time without a label is a segment, is ignored, or is ignored only in the reference",
        ),
        EXTENT,
        LEVEL,
    )
    presets = MappingProxyType({"pyannote": {"fill": 0.5, "gaps": "reference"}})
    preset_mistakes = MappingProxyType({"pyannote": "joins neighbouring reference intervals with equal labels"})
    parts = ("covered", "pure", "total")
    two_ratios = ("purity", "coverage")

    @property
    def symmetric(self) -> bool:
        return bool(self["beta"] == 1 and not self._labelled_reference and self["extent"] != "reference")

    @property
    def _labelled_reference(self) -> bool:
        return bool(self["fill"] or self["gaps"] == "reference")

    @property
    def packing(self) -> Packing:
        if not self._labelled_reference:
            return super().packing
        fill = self["fill"]
        extent = "reference" if self["extent"] == "same" else self["extent"]
        return Packing(self["level"], extent, needs_labels=True, prepare=lambda edges: _fill_gaps(edges, fill))

    def counted_cells(self, batch: EdgeBatch) -> Cells:
        return _labelled_cells(batch) if self._labelled_reference else super().counted_cells(batch)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        assert isinstance(batch, EdgeBatch)
        if not self._labelled_reference:
            return super().check(batch)
        empty = flatnonzero(np.diff(self.counted_cells(batch).off) == 0)
        return {int(d): Undefined("the hypothesis has no labelled time of the reference; use fill=0") for d in empty}

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        sums = self.overlaps(batch)
        return BatchCounts(np.column_stack([sums.covered, sums.pure, sums.total]), self.resolved(batch))

    def count_tiers(self, a: Tier, b: Tier) -> Sequence[float] | None:
        sums = self.overlaps_of_tiers(a, b)
        return None if sums is None else (sums.covered, sums.pure, sums.total)

    @property
    def counts_all(self) -> bool:
        return super().counts_all and not self._labelled_reference

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return f_of_ratios(counts, (1, 2, 0, 2), self["beta"])

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"purity": counts["pure"] / counts["total"], "coverage": counts["covered"] / counts["total"]}


def _labelled_cells(batch: EdgeBatch) -> Cells:
    """Return the cells with a label in the reference; a segment of the hypothesis ends where the reference has none."""
    cells = find_cells(batch)
    a, b = segment_classes(batch, "a"), segment_classes(batch, "b")
    # Time before the first and after the last interval of the hypothesis is not part of its segmentation.
    last = (batch.b_off - batch.b_off[0])[1:] + np.arange(len(batch))
    first = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
    outside = np.zeros(len(b), bool)
    for ends in (first, last):
        outside[ends] |= b[ends] == 0
    wanted = (a[cells.a_seg] > 0) & ~outside[cells.b_seg]
    rest = cells.keep(wanted)
    is_new = np.diff(rest.b_seg, prepend=-1) != 0
    is_new[1:] |= np.diff(flatnonzero(wanted)) > 1
    return rest._replace(b_seg=np.cumsum(is_new) - 1)


def _fill_gaps(edges: Edges, fill: float) -> Edges:
    """Return the edges of a reference in which intervals with equal labels and a gap shorter than ``fill`` are joined."""
    if not edges.labels:
        return edges
    places = [edges.begin, *edges.inner.tolist(), edges.end]
    spans: list[tuple[float, float]] = []
    last: dict[int, int] = {}
    for code, (start, end) in zip(edges.codes.tolist(), pairwise(places), strict=True):
        before = last.get(code)
        if code == 0:
            continue
        if before is not None and start - spans[before][1] < max(fill - SAME_PLACE, SAME_PLACE):
            spans[before] = spans[before][0], end
        else:
            last[code] = len(spans)
            spans.append((start, end))
    cuts = sorted({place for span in spans for place in span})
    parts = [
        (start, end, "labelled")
        for start, end in pairwise(cuts)
        if any(first <= start and end <= last_end for first, last_end in spans)
    ]
    return edges_of_intervals(parts, edges.begin, edges.end)


class Covering(_OverlapMeasure):
    name = "covering"
    summary = "the best overlap of each segment"
    title = "Segmentation covering (Arbelaez et al. 2011; van den Burg & Williams 2020)"
    caution = "not symmetric, and long reference segments weigh more; direction='mean' is symmetric"
    short_name = "Covering"
    aliases = MappingProxyType({"cover": {}})
    options = (
        Option(
            "direction",
            "reference",
            choice("reference", "hypothesis", "mean"),
            "side whose segments are covered, or the mean of both directions",
        ),
        *AXIS_OPTIONS,
    )
    presets = MappingProxyType({"tcpd": {"references": "each"}})
    preset_mistakes = MappingProxyType({"tcpd": "none known; the mean over coders, then over series"})
    parts = ("weighted", "total")

    @property
    def symmetric(self) -> bool:
        return bool(self["direction"] == "mean" and self["extent"] != "reference")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        sums = self.overlaps(batch)
        return BatchCounts(np.column_stack([self._weighted(sums), sums.total]), self.resolved(batch))

    def count_tiers(self, a: Tier, b: Tier) -> Sequence[float] | None:
        sums = self.overlaps_of_tiers(a, b)
        return None if sums is None else (self._weighted(sums), sums.total)

    def _weighted(self, sums: _Overlaps) -> Any:
        """Return the sums of Jaccard times length in the chosen direction."""
        forward, backward = sums.covering, sums.covering_back
        return {"reference": forward, "hypothesis": backward, "mean": (forward + backward) / 2}[self["direction"]]

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return np.minimum(divide(*counts.T), 1.0)


class AlignmentIndex(_OverlapMeasure):
    name = "alignment_index"
    summary = "time that aligned segments share"
    title = "Alignment index A (Ocampo Diaz & Ouyang 2022)"
    caution = (
        "with ties='left', the rule of its authors, a text read backwards can have another value; ties='all' has not"
    )
    short_name = "A"
    aliases = MappingProxyType({"a_index": {}})
    options = (
        Option("ties", "left", choice("left", "all"), "of equally large overlaps, count the left one or all of them"),
        *AXIS_OPTIONS,
    )
    parts = ("jaccard", "pairs")

    @property
    def symmetric(self) -> bool:
        return bool(self["extent"] != "reference")

    @property
    def reversible(self) -> bool:  # type: ignore[override]
        """Whether reading the text backwards never changes the value: only if no overlap is preferred for its place."""
        return bool(self["ties"] == "all")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        sums = self.overlaps(batch)
        return BatchCounts(np.column_stack([sums.jaccard, sums.pairs]), self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return np.minimum(divide(*counts.T), 1.0)


class UnitError(Measure):
    kinds = ("linear", "dialogue")
    name = "unit_error"
    title = "R_FN and R_FP, the proportion of units missing from or added to a unit's segment"
    summary = "the segment around each unit"
    short_name = "unit error"
    best = 0.0
    worst = 1.0
    symmetric = True  # the value (the mean of the two) is symmetric; R_FN and R_FP are swapped
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    parts = ("fn", "fp", "units")

    def compute(self, batch: Batch) -> BatchCounts:
        counts = np.empty((len(batch), 3))
        counts[:, 2] = batch.length
        segment_kernel.unit_overlap(batch.length, batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, counts)
        return BatchCounts(counts, {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        fn, fp, units = counts.T
        return divide(fn + fp, 2 * units)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"r_fn": counts["fn"] / counts["units"], "r_fp": counts["fp"] / counts["units"]}


def purity_coverage(
    reference: Side,
    hypothesis: Side,
    *,
    beta: float = 1,
    fill: float | None = None,
    gaps: str | None = None,
    extent: str = "same",
    level: int | None = None,
    compat: str | None = None,
) -> Score:
    """Compute purity, coverage and their F.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    beta : float, default 1
        Weight of coverage against purity in F.
    fill : float, optional
        Join reference intervals with equal labels and a gap shorter than this. Only labelled time of the reference then
        counts (default: 0, which changes nothing).
    gaps : {"segment", "ignore", "reference"}, optional
        Time without a label is a segment (the default), or only time that both sides label counts, or only time that the
        reference labels.
    extent : {"same", "reference", "intersection", "union"}, default "same"
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    compat : {"pyannote"}, optional
        ``fill=0.5, gaps="reference"``, as in pyannote.metrics.

    Returns
    -------
    Score
        F, from 0 to 1. ``score.parts["purity"]`` and ``score.parts["coverage"]`` contain the two ratios.

    Raises
    ------
    MismatchError
        If the two sides are not on the same axis or do not have the same extent.
    Undefined
        If no time counts.

    Notes
    -----
    With T the length of the text or recording::

        coverage = sum over reference segments of the largest overlap with one hypothesis segment / T
        purity   = sum over hypothesis segments of the largest overlap with one reference segment / T

    Swapping the sides swaps purity and coverage. Many short segments have a purity of 1, one long segment has a coverage of 1:
    report both. Do not use purity or coverage alone to rank systems.

    References
    ----------
    Bredin, H. (2017). pyannote.metrics: a toolkit for reproducible evaluation of speaker diarization systems. Interspeech.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> score = purity_coverage(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6]))
    >>> f"{score.value:.4f} {score.parts['purity']:.4f} {score.parts['coverage']:.4f}"
    '0.9000 0.8182 1.0000'
    """
    measure = PurityCoverage.cached(compat, beta=beta, fill=fill, gaps=gaps, extent=extent, level=level)
    return measure.score(reference, hypothesis)


def covering(
    reference: Side,
    hypothesis: Side,
    *,
    direction: str = "reference",
    gaps: str = "segment",
    extent: str = "same",
    level: int | None = None,
    references: str | None = None,
    compat: str | None = None,
) -> Score:
    """Compute the covering of the segments of one side by the segments of the other.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    direction : {"reference", "hypothesis", "mean"}, default "reference"
        The side whose segments are covered, or the mean of both directions.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a segment, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union"}, default "same"
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    references : {"each", "best"}, optional
        If ``reference`` is a list of the annotations of several coders: the mean over the coders, or the best value.
    compat : {"tcpd"}, optional
        The rule of TCPDBench: the mean over the coders, ``references="each"``.

    Returns
    -------
    Score
        From 0 to 1.

    Notes
    -----
    With J(A, B) the Jaccard index of two segments, their overlap divided by their union::

        covering = sum over reference segments A of |A| max over hypothesis segments B of J(A, B) / T

    Covering is not symmetric unless ``direction="mean"``, and it favours long reference segments. Do not use it as the only
    measure; :func:`alignment_index` gives every segment the same weight.

    References
    ----------
    van den Burg, G. J. J., & Williams, C. K. I. (2020). An evaluation of change point detection algorithms. arXiv:2003.06222,
    after equation 8 of Arbelaez, P., et al. (2011). Contour detection and hierarchical image segmentation.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> f"{covering(reference, hypothesis).value:.4f}", f"{covering(hypothesis, reference).value:.4f}"
    ('0.7818', '0.8182')
    """
    measure = Covering.cached(compat, direction=direction, gaps=gaps, extent=extent, level=level, references=references)
    return measure.score(reference, hypothesis)


def alignment_index(
    reference: Side,
    hypothesis: Side,
    *,
    ties: str = "left",
    gaps: str = "segment",
    extent: str = "same",
    level: int | None = None,
) -> Score:
    """Compute the alignment index A: the mean Jaccard index of segments that overlap most.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    ties : {"left", "all"}, default "left"
        If a segment overlaps equally with several segments: use the left one, or all of them.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a segment, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union"}, default "same"
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.

    Returns
    -------
    Score
        From 0 to 1; ``score.parts["pairs"]`` is the number of pairs.

    Notes
    -----
    Every segment of either side points to the segment of the other side with the largest overlap; of equal overlaps to the
    one with the larger Jaccard index, then to the left one. A is the mean Jaccard index of the distinct pairs.

    The last rule is that of the authors' program. With it, A can change if the text is read backwards; use ``ties="all"`` if
    that matters. A has no reward for a boundary that is nearly right in long segments; do not use it to measure how far
    boundaries are off.

    References
    ----------
    Ocampo Diaz, G., & Ouyang, J. (2022). An alignment-based approach to text segmentation similarity scoring. CoNLL.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> score = alignment_index(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7]))
    >>> f"{score.value:.4f}", score.parts["pairs"]
    ('0.8413', 3)
    """
    measure = AlignmentIndex.cached(None, ties=ties, gaps=gaps, extent=extent, level=level)
    return measure.score(reference, hypothesis)


def unit_error(reference: Segmentation, hypothesis: Segmentation) -> Score:
    """Compute R_FN and R_FP: how much of a unit's segment is missing or added, averaged over units.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two sides.

    Returns
    -------
    Score
        The mean of R_FN and R_FP, an error rate from 0 to 1. ``score.parts["r_fn"]`` and ``score.parts["r_fp"]``
        contain the two rates.

    Notes
    -----
    With R(w) and H(w) the segments that contain unit w::

        R_FN = mean of |R(w) minus H(w)| / |R(w)|       R_FP = mean of |H(w) minus R(w)| / |H(w)|

    The names are those of equation 2 of Fournier & Inkpen (2012), after Franz et al. (2007). The equation does not define
    FN(w) and FP(w); this definition is ours.

    References
    ----------
    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 2]), Segmentation.from_masses([4])
    >>> score = unit_error(reference, hypothesis)
    >>> score.parts["r_fn"], score.parts["r_fp"]
    (0.0, 0.5)
    """
    return UnitError.cached(None).score(reference, hypothesis)
