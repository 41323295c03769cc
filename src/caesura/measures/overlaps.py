"""Measures of how segments overlap: purity and coverage, covering, the alignment index A, and unit error."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from caesura.errors import CaesuraError
from caesura.kernels import cells as kernel
from caesura.kernels import segments as segment_kernel
from caesura.measures.axis import BETA, SegmentMeasure, Side, amounts, f_of_ratios, on_level, pairs_of
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, Measure, declared, divide, option
from caesura.measures.needs import Needs
from caesura.model.annotation import HAS_LABELS, Edges, Shape, edges_of_intervals
from caesura.model.batch import Batch
from caesura.model.columns import Partition, Table
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import choice, non_negative


class _Overlaps(NamedTuple):
    """Sums of the largest overlaps and of Jaccard times length, of both sides, and the pairs of A."""

    covered: Floats
    covering: Floats
    pure: Floats
    covering_back: Floats
    total: Floats
    jaccard: Floats
    pairs: Floats


class _OverlapMeasure(SegmentMeasure):
    def overlaps(self, batch: Batch, ties: str | None = None) -> _Overlaps:
        """Return the sums of the largest overlaps; pairs of segments are chosen only if ``ties`` is set."""
        return batch.shared(("overlaps", self.counted, ties), lambda: self._overlaps(batch, ties))

    def _overlaps(self, batch: Batch, ties: str | None) -> _Overlaps:
        sums = np.zeros((batch.pairs, len(_Overlaps.__annotations__)))
        # Either end of a length in seconds is rounded to whole ticks.
        near = 2 if batch.seconds else 0
        kernel.overlaps(pairs_of(batch, self.counted), ties is not None, ties == "all", near, sums)
        if batch.seconds:
            sums[:, :5] /= batch.ticks
        return _Overlaps(*sums.T)


class PurityCoverage(_OverlapMeasure):
    name = "purity_coverage"
    summary = "how far segments cover each other"
    title = "Purity, coverage and their F (pyannote.metrics)"
    caution = "purity alone is 1 for the finest segmentation and coverage alone for a single segment; report both"
    short_name = "purity F"
    aliases = MappingProxyType({"purity": {}, "coverage": {}, "f_purity_coverage": {}})
    beta: float = declared(BETA)
    fill: float = option(
        0,
        non_negative(),
        "join reference intervals with equal labels and a gap below this; only labelled reference time then counts",
    )
    gaps: str = option(
        "segment",
        choice("segment", "ignore", "reference"),
        "whether time without a label is a segment, is ignored, or is ignored only in the reference",
        last=2,
    )
    parts = ("covered", "pure", "total")
    two_ratios = ("purity", "coverage")

    @property
    def symmetric(self) -> bool:
        return bool(self.beta == 1 and not self._labelled_reference and self.extent != "reference")

    @property
    def _labelled_reference(self) -> bool:
        return bool(self.fill or self.gaps == "reference")

    always_converts = _labelled_reference

    @property
    def counted(self) -> str:
        return "reference" if self._labelled_reference else self.gaps

    @property
    def reason_without_cells(self) -> str:
        if self._labelled_reference:
            return "the hypothesis has no labelled time of the reference; use fill=0"
        return super().reason_without_cells

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        if not self._labelled_reference:
            return super().convert(batch)
        extent = "reference" if self.extent == "same" else self.extent
        return self.replace(fill=0, gaps="segment", extent=extent).convert(
            self._filled(on_level(batch, self.level, self.sides)[0])
        )

    def _filled(self, batch: Batch) -> Batch:
        """Return the batch with the gaps of references filled."""
        table, first = batch.table, batch.first.copy()
        references = np.unique(first)
        references = references[table.has(HAS_LABELS)[references] & (table.shape[references] <= Shape.PARTITION)]
        (places, _, off), segments = table.places, table.segments
        fill = float(amounts("fill", self.fill, batch)[0]) if batch.pairs else 0.0
        filled = []
        for k in references.tolist():
            ends = np.array([table.begin[k], *places[off[k] : off[k + 1]], table.end[k]])
            edges = _fill_gaps(ends, segments.label[segments.off[k] : segments.off[k + 1]], fill, table.ticks)
            filled.append(Partition(edges, seconds=table.seconds, units=getattr(table.annotations[k], "units", None)))
        row = np.arange(len(table))
        row[references] = len(table) + np.arange(len(filled))
        return batch.on(Table.of([*table.annotations, *filled]), row[first])

    def count(self, batch: Batch) -> BatchCounts:
        sums = self.overlaps(batch)
        return BatchCounts(np.array([sums.covered, sums.pure, sums.total]).T, self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return f_of_ratios(counts, (1, 2, 0, 2), self.beta)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"purity": counts["pure"] / counts["total"], "coverage": counts["covered"] / counts["total"]}


def _fill_gaps(ends: Ints, labels: Ints, fill: float, ticks: int) -> Edges:
    """Return the edges of a reference in which intervals with equal labels and a gap shorter than ``fill`` are joined.

    ``ends`` and ``fill`` are in ticks.
    """
    spans: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    for label, (start, end) in zip(labels.tolist(), pairwise(ends.tolist()), strict=True):
        before = last.get(label)
        if label == 0:
            continue
        if before is not None and (start == spans[before][1] or start - spans[before][1] < fill):
            spans[before] = spans[before][0], end
        else:
            last[label] = len(spans)
            spans.append((start, end))
    cuts = sorted({place for span in spans for place in span})
    parts = [
        (start / ticks, end / ticks, "labelled")
        for start, end in pairwise(cuts)
        if any(first <= start and end <= last_end for first, last_end in spans)
    ]
    return edges_of_intervals(parts, float(ends[0] / ticks), float(ends[-1] / ticks))


class Covering(_OverlapMeasure):
    name = "covering"
    summary = "the best overlap of each segment"
    title = "Segmentation covering (Arbelaez et al. 2011; van den Burg & Williams 2020)"
    caution = "not symmetric, and long reference segments weigh more; direction='mean' is symmetric"
    short_name = "Covering"
    aliases = MappingProxyType({"cover": {}})
    direction: str = option(
        "reference",
        choice("reference", "hypothesis", "mean"),
        "side whose segments are covered, or the mean of both directions",
    )
    parts = ("weighted", "total")

    @property
    def symmetric(self) -> bool:
        return bool(self.direction == "mean" and self.extent != "reference")

    def count(self, batch: Batch) -> BatchCounts:
        sums = self.overlaps(batch)
        forward, backward = sums.covering, sums.covering_back
        weighted = {"reference": forward, "hypothesis": backward, "mean": (forward + backward) / 2}[self.direction]
        return BatchCounts(np.array([weighted, sums.total]).T, self.resolved(batch))

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
    ties: str = option("left", choice("left", "all"), "of equally large overlaps, count the left one or all of them")
    parts = ("jaccard", "pairs")

    @property
    def symmetric(self) -> bool:
        return bool(self.extent != "reference")

    @property
    def reversible(self) -> bool:  # type: ignore[override]
        """Whether reading the text backwards never changes the value: only if no overlap is preferred for its place."""
        return bool(self.ties == "all")

    def count(self, batch: Batch) -> BatchCounts:
        sums = self.overlaps(batch, self.ties)
        return BatchCounts(np.array([sums.jaccard, sums.pairs]).T, self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return np.minimum(divide(*counts.T), 1.0)


class UnitError(Measure):
    kinds = ("linear", "dialogue")
    needs = Needs(units=True)
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

    def count(self, batch: Batch) -> BatchCounts:
        a, b = batch.sides()
        counts = np.empty((batch.pairs, 3))
        counts[:, 2] = batch.length
        segment_kernel.unit_overlap(batch.length, a.place, a.off, b.place, b.off, counts)
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
