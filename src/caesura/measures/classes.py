"""Measures of classes of segments: Rand index, pairwise F, V-measure and normalized conditional entropies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.kernels import cells as cells_kernel
from caesura.kernels import classes as kernel
from caesura.measures.axis import BETA, COUNTED, SegmentMeasure, Side, f_of_ratios, pairs_of
from caesura.measures.base import BatchCounts, Counts, declared, divide, option
from caesura.measures.needs import Needs
from caesura.model.annotation import TICKS
from caesura.model.batch import Batch
from caesura.model.index import repeat
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import choice, optional, positive

_OVER = choice("segments", "labels"), "what forms a class: every segment, or all segments with equal labels"


class ClassSums(NamedTuple):
    """Sums over the classes of each pair, and over the lengths that a class of either side have in common."""

    # Squares of the common lengths, and of the lengths of the classes of the reference and of the hypothesis.
    cells: Floats
    rows: Floats
    columns: Floats
    # Conditional entropies times the whole length, in bits: x log2(row / x) and x log2(column / x).
    cells_in_rows: Floats
    cells_in_columns: Floats
    # Entropies times the whole length.
    row_entropy: Floats
    column_entropy: Floats
    # Number of classes of either side.
    row_number: Floats
    column_number: Floats
    total: Floats  # whole length
    # Only without entropies: products of every two different common lengths of the same class, and of the lengths of every two
    # classes.
    in_rows: Floats
    in_columns: Floats
    of_rows: Floats
    of_columns: Floats


# What the sums are divided by in seconds: the powers of a length.
_IN_SECONDS = float(TICKS) ** np.array([2, 2, 2, 1, 1, 1, 1, 0, 0, 1, 2, 2, 2, 2])


class ClassMeasure(SegmentMeasure):
    """Base class of measures that compare classes: every segment, or all segments with equal labels."""

    question_options = ("over", "extent")

    needs_entropies: ClassVar[bool] = False

    over: str = option("segments", *_OVER)
    frame: float | None = option(
        None, optional(positive), "count samples at this distance in seconds instead of time, as mir_eval does", last=1
    )

    @abstractmethod
    def columns_of(self, sums: ClassSums, *, in_units: bool) -> Sequence[Any]:
        """Return the counts of this measure."""

    def count(self, batch: Batch) -> BatchCounts:
        in_units = not batch.seconds or self.frame is not None
        key = ("classes", self.over, self.frame, self.gaps, self.needs_entropies)
        columns = self.columns_of(batch.shared(key, lambda: self._sums(batch)), in_units=in_units)
        return BatchCounts(np.array(columns).T, self.resolved(batch))

    def _sums(self, batch: Batch) -> ClassSums:
        labels = "segments" if self.over == "labels" else None
        samples = batch.seconds and self.frame is not None  # units are samples already
        pairs = _sampled(batch, self.frame, self.gaps) if samples else pairs_of(batch, self.gaps, labels)
        sums = np.empty((batch.pairs, len(_IN_SECONDS)))
        kernel.class_sums(pairs, self.over == "labels", self.needs_entropies, sums)
        if batch.seconds and not samples:
            sums /= _IN_SECONDS
        return ClassSums(*sums.T)

    @property
    def symmetric(self) -> bool:
        return bool(self.extent not in ("reference", "from_zero") and self.settings.get("beta", 1) == 1)

    @cached_property
    def needs(self) -> Needs:
        return Needs(
            labels="needs labels of segments; use over='segments' without them" if self.over == "labels" else ""
        )


def _sampled(batch: Batch, frame: Any, gaps: str) -> cells_kernel.Pairs:
    """Return the pairs with places as numbers of samples, which mir_eval takes at multiples of ``frame`` in 32 bits."""
    step = np.float32(frame)

    def count(ticks: Ints, most: Ints) -> Ints:
        """Return the number of samples before each place; a sample on a boundary belongs to the later segment."""
        places = ticks / batch.ticks
        number = np.maximum(np.floor(places / frame) - 3, 0)
        for _ in range(7):
            number += (number.astype(np.float32) * step).astype(np.float64) < places
        return np.asarray(np.minimum(number, most), np.int64)

    samples = np.floor((batch.begin + batch.length) / batch.ticks / frame).astype(np.int64)
    a, b = (
        (count(place, repeat(samples, np.diff(off))), off, segments.label)
        for (place, _, off), segments in zip(batch.sides(), batch.sides("segments"), strict=True)
    )
    return cells_kernel.Pairs(count(batch.begin, samples), samples, *a, *b, COUNTED[gaps])


def _pairs(length: Any, squares: Any, *, in_units: bool) -> Any:
    """Return the pairs of places within lengths, from their sum and the sum of their squares."""
    # They are pairs of different units or samples, or the product measure of time.
    return (squares - length) / 2 if in_units else squares


def _pair_sums(sums: ClassSums, *, in_units: bool) -> list[Any]:
    """Return the pairs in common cells, in classes of the reference and in classes of the hypothesis."""
    return [_pairs(sums.total, squares, in_units=in_units) for squares in (sums.cells, sums.rows, sums.columns)]


class RandIndex(ClassMeasure):
    name = "rand_index"
    summary = "pairs in the same segment"
    title = "Rand index (Rand 1971)"
    caution = "near 1 for many segments, because most pairs are apart; use adjusted_rand_index then"
    short_name = "RI"
    aliases = MappingProxyType({"rand": {}})
    parts = ("agreeing", "all")

    def columns_of(self, sums: ClassSums, *, in_units: bool) -> Sequence[Any]:
        joined, rows, columns = _pair_sums(sums, in_units=in_units)
        pairs = _pairs(sums.total, sums.total**2, in_units=in_units)
        separated = (rows - joined) + (columns - joined)  # exactly 0 for identical segments
        return np.clip(pairs - separated, 0, pairs), pairs

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(*counts.T, empty=1.0)


class AdjustedRandIndex(ClassMeasure):
    name = "adjusted_rand_index"
    summary = "the same, beyond chance"
    title = "Adjusted Rand index (Hubert & Arabie 1985)"
    short_name = "ARI"
    aliases = MappingProxyType({"adjusted_rand": {}})
    worst = None
    parts = ("joined", "expected", "maximum", "maximum_minus_joined", "maximum_minus_expected")

    def columns_of(self, sums: ClassSums, *, in_units: bool) -> Sequence[Any]:
        joined, rows, columns = _pair_sums(sums, in_units=in_units)
        pairs = np.asarray(_pairs(sums.total, sums.total**2, in_units=in_units))
        # Pairs of places in different classes are sums of products, because differences of squares lose digits in long texts.
        factor = 1 if in_units else 2
        split = factor * (sums.in_rows + sums.in_columns) / 2
        adjusted = divide(factor * (rows * sums.of_columns + columns * sums.of_rows) / 2, pairs)
        return joined, divide(rows * columns, pairs), (rows + columns) / 2, split, adjusted

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        split, adjusted = counts.T[3:]
        return 1 - divide(split, adjusted)


class PairwiseF(ClassMeasure):
    name = "pairwise_f"
    summary = "pairs with the same label"
    title = "Pairwise precision, recall and F (Levy & Sandler 2008)"
    short_name = "pairwise F"
    needs_labels = True
    aliases = MappingProxyType({"pairwise": {}})
    over: str = option("labels", *_OVER)
    beta: float = declared(BETA)
    parts = ("joined", "reference", "hypothesis")
    two_ratios = ("precision", "recall")

    def columns_of(self, sums: ClassSums, *, in_units: bool) -> Sequence[Any]:
        return _pair_sums(sums, in_units=in_units)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return f_of_ratios(counts, (0, 2, 0, 1), self.beta, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        joined, reference, hypothesis = (counts[name] for name in self.parts)
        empty = 0.0 if reference + hypothesis else 1.0
        precision, recall = joined / hypothesis if hypothesis else empty, joined / reference if reference else empty
        value = self.finish(np.array([[joined, reference, hypothesis]], np.float64), types)
        return {"precision": precision, "recall": recall, "f": float(value[0])}


class _EntropyMeasure(ClassMeasure):
    """Base class of V and NCE: conditional entropies, in bits, divided by a normalizer."""

    over: str = option("labels", *_OVER)
    beta: float = declared(BETA)
    empty: str = option("one", choice("one", "zero"), "ratio of a side with one class, whose entropy is 0", last=1)
    needs_entropies = True
    parts = ("hypothesis_given_reference", "hypothesis", "reference_given_hypothesis", "reference")
    two_ratios = ("over", "under")

    @abstractmethod
    def _normalizers(self, sums: ClassSums) -> tuple[Any, Any]:
        """Return the largest possible conditional entropies of reference and hypothesis times the length."""

    def columns_of(self, sums: ClassSums, *, in_units: bool) -> Sequence[Any]:
        reference, hypothesis = self._normalizers(sums)
        return sums.cells_in_rows, hypothesis, sums.cells_in_columns, reference

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        values = np.empty(len(counts))
        empty, weight = float(self.empty == "one"), float(self.beta) ** 2
        kernel.f_of_entropies(np.asarray(counts, np.float64), empty, weight, values)
        return values

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        ratios = []
        for part, whole in (self.parts[:2], self.parts[2:]):
            explained = 1 - counts[part] / counts[whole] if counts[whole] > 0 else float(self.empty == "one")
            ratios.append(min(max(explained, 0.0), 1.0))
        return {"over": ratios[0], "under": ratios[1]}


class VMeasure(_EntropyMeasure):
    name = "v_measure"
    summary = "labels: homogeneous and complete"
    title = "V-measure (Rosenberg & Hirschberg 2007)"
    caution = "rewards many labels; compare systems with similar numbers of labels"
    short_name = "V"
    needs_labels = True

    def _normalizers(self, sums: ClassSums) -> tuple[Any, Any]:
        return sums.row_entropy, sums.column_entropy


class NormalizedConditionalEntropy(_EntropyMeasure):
    name = "nce"
    summary = "labels: conditional entropy"
    title = "Normalized conditional entropy, over- and under-segmentation (Lukashevich 2008)"
    caution = "rewards many labels; compare systems with similar numbers of labels"
    short_name = "NCE F"
    needs_labels = True
    aliases = MappingProxyType({"s_over": {}, "s_under": {}})

    def _normalizers(self, sums: ClassSums) -> tuple[Any, Any]:
        numbers = sums.row_number, sums.column_number
        reference, hypothesis = (sums.total * np.log2(np.maximum(number, 1)) for number in numbers)
        return reference, hypothesis


def rand_index(
    reference: Side,
    hypothesis: Side,
    *,
    over: str | None = None,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
    frame: float | None = None,
    compat: str | None = None,
) -> Score:
    """Compute the Rand index: the proportion of pairs of places that both sides join or both separate.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    over : {"segments", "labels"}, optional
        By default "segments". Whether every segment is a class, or all segments with the same label form one.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a segment, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    frame : float, optional
        Count samples at this distance in seconds instead of time.
    compat : {"mir_eval"}, optional
        Labels, samples every 0.1 s, and the time from 0 to the end of the reference.

    Returns
    -------
    Score
        From 0 to 1; 1 for a text of one unit.

    Notes
    -----
    Over units, a pair consists of two different units: a length x contains x (x - 1) / 2 pairs. Over time it contains x^2, the
    limit of ever shorter units; the numbers of the two axes therefore differ. With f these pairs::

        rand = (f(T) - f(reference) - f(hypothesis) + 2 f(common)) / f(T)

    With many segments most pairs are separated on both sides and the index is near 1 for every hypothesis: use
    :func:`adjusted_rand_index` instead.

    References
    ----------
    Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. JASA 66. For change points: Prates, L.
    (2021). A more efficient algorithm to compute the Rand index for change-point problems. arXiv:2112.03738.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> rand_index(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])).parts
    {'agreeing': 49, 'all': 55}
    """
    measure = RandIndex.cached(compat, over=over, gaps=gaps, extent=extent, level=level, frame=frame)
    return measure.score(reference, hypothesis)


def adjusted_rand_index(
    reference: Side,
    hypothesis: Side,
    *,
    over: str | None = None,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
    frame: float | None = None,
    compat: str | None = None,
) -> Score:
    """Compute the Rand index adjusted for chance.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    over : {"segments", "labels"}, optional
        By default "segments". Whether every segment is a class, or all segments with the same label form one.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a segment, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    frame : float, optional
        Count samples at this distance in seconds instead of time.
    compat : {"mir_eval"}, optional
        Labels, samples every 0.1 s, and the time from 0 to the end of the reference.

    Returns
    -------
    Score
        At most 1; 0 for chance, below 0 if worse than chance.

    Notes
    -----
    With f as in :func:`rand_index`, S = f(common), X = (f(reference) + f(hypothesis)) / 2 and
    E = f(reference) f(hypothesis) / f(T)::

        adjusted = (S - E) / (X - E) = 1 - (X - S) / (X - E)

    X - S and X - E are computed from the places that a side separates, without subtraction, so that no digits are lost in a
    text of 2 * 10^9 units. The value is 1 if X = E, that is, if both sides are one segment or both separate all units.

    Chance means classes of these sizes with any members, not segments: two segmentations have contiguous classes, so random
    boundaries score above 0. Do not read 0 as the score of random boundaries.

    References
    ----------
    Hubert, L., & Arabie, P. (1985). Comparing partitions. Journal of Classification 2.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> score = adjusted_rand_index(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6]))
    >>> f"{score.value:.4f}"
    '0.7755'
    """
    measure = AdjustedRandIndex.cached(compat, over=over, gaps=gaps, extent=extent, level=level, frame=frame)
    return measure.score(reference, hypothesis)


def pairwise_f(
    reference: Side,
    hypothesis: Side,
    *,
    over: str | None = None,
    beta: float = 1,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
    frame: float | None = None,
    compat: str | None = None,
) -> Score:
    """Compute precision, recall and F of the pairs of places that have the same label.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    over : {"labels", "segments"}, optional
        By default "labels". Whether all segments with the same label form a class, or every segment is one. Labels of the
        two sides are never compared with each other.
    beta : float, default 1
        Weight of recall against precision in F.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a class, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    frame : float, optional
        Count samples at this distance in seconds instead of time.
    compat : {"mir_eval"}, optional
        Labels, samples every 0.1 s, and the time from 0 to the end of the reference.

    Returns
    -------
    Score
        F, from 0 to 1; ``score.precision()`` and ``score.recall()`` are available. If neither side joins two units, all three
        are 1; if only one side does, they are 0.

    Raises
    ------
    MismatchError
        If labels are needed and a side has none.

    Notes
    -----
    With f as in :func:`rand_index`, precision = f(common) / f(hypothesis) and recall = f(common) / f(reference). Long
    classes dominate, because pairs grow with the square of the length; do not use it if short segments matter.

    References
    ----------
    Levy, M., & Sandler, M. (2008). Structural segmentation of musical audio by constrained clustering. IEEE TASLP 16.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference = Segmentation.from_labels(["A", "A", "B", "B", "A"])
    >>> hypothesis = Segmentation.from_labels(["x", "x", "y", "y", "y"])
    >>> score = pairwise_f(reference, hypothesis)
    >>> score.precision(), score.recall(), score.value
    (0.5, 0.5, 0.5)
    """
    measure = PairwiseF.cached(compat, over=over, beta=beta, gaps=gaps, extent=extent, level=level, frame=frame)
    return measure.score(reference, hypothesis)


def v_measure(
    reference: Side,
    hypothesis: Side,
    *,
    over: str | None = None,
    beta: float = 1,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
    frame: float | None = None,
    empty: str | None = None,
    compat: str | None = None,
) -> Score:
    """Compute the V-measure: how much the labels of each side say about the labels of the other.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    over : {"labels", "segments"}, optional
        By default "labels". Whether all segments with the same label form a class, or every segment is one.
    beta : float, default 1
        Weight of ``under`` against ``over`` in F.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a class, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    frame : float, optional
        Count samples at this distance in seconds instead of time.
    empty : {"one", "zero"}, optional
        Ratio of a side with one class (default: one).
    compat : {"mir_eval"}, optional
        Labels, samples every 0.1 s, and the time from 0 to the end of the reference.

    Returns
    -------
    Score
        From 0 to 1; ``score.parts["over"]`` and ``score.parts["under"]`` contain the two ratios. A ratio is 1 if its
        denominator is 0, so two identical annotations with one label have a value of 1 (mir_eval gives 0).

    Raises
    ------
    MismatchError
        If labels are needed and a side has none.

    Notes
    -----
    With H the entropy of the time that each class covers::

        over = 1 - H(hypothesis | reference) / H(hypothesis)     under = 1 - H(reference | hypothesis) / H(reference)

    The value is F of the two. Many labels make it large; do not use it to compare systems with different numbers of labels.

    References
    ----------
    Rosenberg, A., & Hirschberg, J. (2007). V-measure: a conditional entropy-based external cluster evaluation measure. EMNLP.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> f"{v_measure(reference, hypothesis, over='segments').value:.4f}"
    '0.8183'
    """
    measure = VMeasure.cached(
        compat, over=over, beta=beta, gaps=gaps, extent=extent, level=level, frame=frame, empty=empty
    )
    return measure.score(reference, hypothesis)


def nce(
    reference: Side,
    hypothesis: Side,
    *,
    over: str | None = None,
    beta: float = 1,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
    frame: float | None = None,
    empty: str | None = None,
    compat: str | None = None,
) -> Score:
    """Compute normalized conditional entropies, which tell over-segmentation from under-segmentation.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    over : {"labels", "segments"}, optional
        By default "labels". Whether all segments with the same label form a class, or every segment is one.
    beta : float, default 1
        Weight of ``under`` against ``over`` in F.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label is a class, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.
    frame : float, optional
        Count samples at this distance in seconds instead of time.
    empty : {"one", "zero"}, optional
        Ratio of a side with one class (default: one).
    compat : {"mir_eval"}, optional
        Labels, samples every 0.1 s, and the time from 0 to the end of the reference.

    Returns
    -------
    Score
        F of the two, from 0 to 1; ``score.parts["over"]`` is low for over-segmentation, ``score.parts["under"]`` for
        under-segmentation. A ratio is 1 if its side has one class.

    Raises
    ------
    MismatchError
        If labels are needed and a side has none.

    Notes
    -----
    As :func:`v_measure`, divided by the logarithm of the number of classes instead of the entropy::

        over = 1 - H(hypothesis | reference) / log2(classes of the hypothesis)

    A side with many labels that are hardly used gets a high value: prefer :func:`v_measure`.

    References
    ----------
    Lukashevich, H. (2008). Towards quantitative measures of evaluating song segmentation. ISMIR.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> score = nce(reference, hypothesis, over="segments")
    >>> f"{score.parts['over']:.4f} {score.parts['under']:.4f}"
    '1.0000 0.7215'
    """
    measure = NormalizedConditionalEntropy.cached(
        compat, over=over, beta=beta, gaps=gaps, extent=extent, level=level, frame=frame, empty=empty
    )
    return measure.score(reference, hypothesis)
