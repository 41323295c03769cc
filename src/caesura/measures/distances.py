"""Measures of the distances between boundaries on an axis of units or seconds, and of the cost of moving them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import distances as kernel
from caesura.measures.axis import END_PLACES, AxisMeasure, Side
from caesura.measures.base import BatchCounts, Counts, divide, option
from caesura.measures.needs import Needs
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries
from caesura.model.index import bincount, flatnonzero, reduceat, repeat
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import choice, non_negative, optional


def _sums(values: Floats, off: Ints) -> Floats:
    return bincount(repeat(np.arange(len(off) - 1), np.diff(off)), values, len(off) - 1)


def _maxima(values: Floats, off: Ints) -> Floats:
    """Return the largest value of each document; 0 if it has none."""
    out = np.zeros(len(off) - 1)
    filled = np.diff(off) > 0
    if filled.any():
        out[filled] = reduceat(np.maximum, values, off[:-1][filled])
    return out


def _medians(values: Floats, off: Ints) -> Floats:
    """Return the median of the values of each document; 0 if it has none."""
    out = np.empty(len(off) - 1)
    kernel.medians(values.copy(), off, out)
    return out


class _DistanceMeasure(AxisMeasure):
    """Base class of measures of the distance to the nearest boundary of the other side."""

    best = 0.0
    worst = None
    higher_is_better = False

    ends: str = option(
        "none",
        choice("none", "start", "end", "both"),
        "ends of the extent that count as boundaries of both sides",
        last=1,
    )

    @cached_property
    def needs(self) -> Needs:
        return Needs(extent=self.ends != "none")

    @property
    def column(self) -> str:
        """The column of the table that is compared: a point at the end counts unless the option adds the ends."""
        return "end_places" if self.ends == "none" else "places"

    @property
    def symmetric(self) -> bool:
        return bool(self.extent in ("same", "union"))

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        a, b = self._boundaries(batch)
        error = Undefined(
            f"{self.name} needs boundaries on both sides; only one side has any; ends='both' adds the ends"
        )
        return dict.fromkeys(flatnonzero((a.count == 0) != (b.count == 0)).tolist(), error)

    def _boundaries(self, batch: Batch) -> tuple[Boundaries, Boundaries]:
        """Return the boundaries of both sides with the ends that count."""
        a, b = batch.sides(self.column)
        for end in END_PLACES[self.ends]:
            a, b = (_with_end(side, batch, end) for side in (a, b))
        return a, b

    def distances(self, batch: Batch) -> tuple[tuple[Floats, Ints], tuple[Floats, Ints]]:
        """Return the distances of the boundaries to the nearest one of the other side, and their offsets, for both sides."""
        a, b = self._boundaries(batch)
        to_b, to_a = np.zeros(len(a.place)), np.zeros(len(b.place))
        kernel.nearest(a.place, a.off, b.place, b.off, to_b)
        kernel.nearest(b.place, b.off, a.place, a.off, to_a)
        return (to_b / batch.ticks, a.off), (to_a / batch.ticks, b.off)


def _with_end(side: Boundaries, batch: Batch, end: str) -> Boundaries:
    """Return the boundaries of a side and an end of each extent."""
    at, place = (side.off[:-1], batch.begin) if end == "begin" else (side.off[1:], batch.begin + batch.length)
    return Boundaries(np.insert(side.place, at, place), EMPTY, side.off + np.arange(len(side.off)))


class BoundaryDeviation(_DistanceMeasure):
    name = "boundary_deviation"
    title = "Median distance to the nearest boundary of the other side (Turnbull et al. 2007)"
    caution = "do not rank systems by it alone: one boundary that is exactly right has no deviation"
    summary = "distance to the nearest boundary"
    short_name = "median deviation"
    aliases = MappingProxyType({"deviation": {}})
    statistic: str = option("median", choice("median", "mean"), "median or mean of the distances of an item")
    question_options = ("extent",)

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        if self.statistic == "mean":
            return "reference_distance", "reference", "hypothesis_distance", "hypothesis"
        return "deviation_sum", "ref_to_est_sum", "est_to_ref_sum", "items"

    def count(self, batch: Batch) -> BatchCounts:
        (to_b, a_off), (to_a, b_off) = self.distances(batch)
        if self.statistic == "mean":
            sums = _sums(to_b, a_off), np.diff(a_off), _sums(to_a, b_off), np.diff(b_off)
            return BatchCounts(np.column_stack(sums).astype(np.float64), self.resolved(batch))
        ref_to_est, est_to_ref = _medians(to_b, a_off), _medians(to_a, b_off)
        columns = np.maximum(ref_to_est, est_to_ref), ref_to_est, est_to_ref, np.ones(batch.pairs)
        return BatchCounts(np.column_stack(columns), self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        if self.statistic == "mean":
            return np.maximum(divide(counts[:, 0], counts[:, 1]), divide(counts[:, 2], counts[:, 3]))
        return divide(counts[:, 0], counts[:, 3])

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        a, b, c, d = (counts[name] for name in self.part_names(types))
        if self.statistic == "mean":
            return {"ref_to_est": a / b if b else 0.0, "est_to_ref": c / d if d else 0.0}
        return {"ref_to_est": b / d if d else 0.0, "est_to_ref": c / d if d else 0.0}


class Hausdorff(_DistanceMeasure):
    name = "hausdorff"
    title = "Hausdorff distance: the largest distance to the nearest boundary of the other side"
    caution = "one stray boundary decides the value; it is undefined if one side has no boundary"
    summary = "largest distance to a boundary"
    short_name = "Hausdorff distance"
    parts = ("distance_sum", "items")

    def count(self, batch: Batch) -> BatchCounts:
        (to_b, a_off), (to_a, b_off) = self.distances(batch)
        largest = np.maximum(_maxima(to_b, a_off), _maxima(to_a, b_off))
        return BatchCounts(np.column_stack([largest, np.ones(batch.pairs)]), self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(*counts.T)


class GeneralizedHamming(AxisMeasure):
    name = "generalized_hamming"
    title = "Generalized Hamming distance (Bookstein, Kulyukin & Raita 2002)"
    caution = "compare texts of different length with normalize='worst' only"
    summary = "cost of moving boundaries"
    short_name = "GHD"
    insertion: float = option(2, non_negative(), "cost of a boundary that only the reference has")
    deletion: float = option(2, non_negative(), "cost of a boundary that only the hypothesis has")
    shift: float = option(1, non_negative(), "cost of moving a boundary, per unit or second")
    costs: str | None = option(
        None,
        optional(choice("bookstein")),
        "bookstein: shift 2, and the mean length of a reference segment for insertion and deletion",
    )
    normalize: str = option(
        "none", choice("none", "worst"), "whether to divide by the cost of replacing all boundaries"
    )
    best = 0.0
    worst = None
    higher_is_better = False
    column = "end_places"
    parts = ("cost", "worst")

    @property
    def symmetric(self) -> bool:
        return bool(self.costs is None and self.insertion == self.deletion)

    @cached_property
    def needs(self) -> Needs:
        return Needs(extent=self.costs is not None)

    def validate(self) -> None:
        defaults = self._defaults(self.compat)
        if self.costs is not None and any(self.settings[n] != defaults[n] for n in ("insertion", "deletion", "shift")):
            raise OptionError("costs='bookstein' sets insertion, deletion and shift; remove these options, or costs")

    def count(self, batch: Batch) -> BatchCounts:
        a, b = batch.sides(self.column)
        insertion, deletion, shift = self._costs(batch, a.count)
        out, row = np.empty(batch.pairs), np.empty(int(b.count.max(initial=0)) + 1)
        kernel.edit_costs(a.place, a.off, b.place, b.off, insertion, deletion, shift, row, out)
        counts = np.column_stack([out, deletion * b.count + insertion * a.count]) / batch.ticks
        return BatchCounts(counts, self.resolved(batch))

    def _costs(self, batch: Batch, boundaries: Ints) -> tuple[Floats, Floats, float]:
        """Return the costs of insertion, deletion and a shift by one tick, in ticks."""
        if self.costs is not None:
            mean = batch.length / (boundaries + 1)
            return mean, mean, 2.0
        ticks = np.full(batch.pairs, float(batch.ticks))
        return ticks * self.insertion, ticks * self.deletion, float(self.shift)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(*counts.T) if self.normalize == "worst" else counts[:, 0].copy()


def boundary_deviation(
    reference: Side,
    hypothesis: Side,
    *,
    statistic: str = "median",
    ends: str | None = None,
    extent: str | None = None,
    level: int | None = None,
    compat: str | None = None,
) -> Score:
    """Compute how far boundaries are from the nearest boundary of the other side.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    statistic : {"median", "mean"}, default "median"
        Median or mean of the distances.
    ends : {"none", "start", "end", "both"}, optional
        Ends of the extent that count as boundaries of both sides (default: none).
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; matters only with ``ends``.
    level : int, optional
        Level of a hierarchy, if it has several.
    compat : {"mir_eval"}, optional
        Both ends count, from 0 to the end of the reference.

    Returns
    -------
    Score
        The larger of ``score.parts["ref_to_est"]`` and ``score.parts["est_to_ref"]``, in positions or seconds; lower is
        better. 0 if both sides have no boundaries.

    Raises
    ------
    Undefined
        If only one side has boundaries.

    Notes
    -----
    ``ref_to_est`` is the median distance of the reference boundaries to their nearest hypothesis boundary, ``est_to_ref`` the
    other way round. Medians do not add up: the value of several items is the mean of their values. With
    ``statistic="mean"`` the value of several items is that of all boundaries together.

    Do not rank systems by it alone: a hypothesis of one boundary that is exactly right has an ``est_to_ref`` of 0.

    References
    ----------
    Turnbull, D., Lanckriet, G., Pampalk, E., & Goto, M. (2007). A supervised approach for detecting boundaries in music using
    difference features and boosting. ISMIR.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference = Segmentation.from_times([10, 20, 30], duration=60)
    >>> hypothesis = Segmentation.from_times([10.5, 31], duration=60)
    >>> score = boundary_deviation(reference, hypothesis)
    >>> score.value, score.parts["ref_to_est"], score.parts["est_to_ref"]
    (1.0, 1.0, 0.75)
    """
    measure = BoundaryDeviation.cached(compat, statistic=statistic, ends=ends, extent=extent, level=level)
    return measure.score(reference, hypothesis)


def hausdorff(
    reference: Side, hypothesis: Side, *, ends: str = "none", extent: str = "same", level: int | None = None
) -> Score:
    """Compute the Hausdorff distance: the largest distance of a boundary to the nearest one of the other side.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    ends : {"none", "start", "end", "both"}, default "none"
        Ends of the extent that count as boundaries of both sides. With ``"both"`` the distance is always defined.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, default "same"
        The extent to compare if the two sides have different ones; matters only with ``ends``.
    level : int, optional
        Level of a hierarchy, if it has several.

    Returns
    -------
    Score
        A distance in positions or seconds; lower is better. 0 if both sides have no boundaries. The value of several items
        is the mean of their values.

    Raises
    ------
    Undefined
        If only one side has boundaries.

    Notes
    -----
    One stray boundary decides the value. Do not use it for systems that sometimes place a wrong boundary.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> hausdorff(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])).value
    3.0
    """
    return Hausdorff.cached(None, ends=ends, extent=extent, level=level).score(reference, hypothesis)


def generalized_hamming(
    reference: Side,
    hypothesis: Side,
    *,
    insertion: float | None = None,
    deletion: float | None = None,
    shift: float | None = None,
    costs: str | None = None,
    normalize: str = "none",
    compat: str | None = None,
    **options: Any,
) -> Score:
    """Compute the generalized Hamming distance: the lowest cost of turning the hypothesis into the reference.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    insertion, deletion : float, optional
        Cost of a boundary that only the reference, or only the hypothesis, has (default: 2).
    shift : float, optional
        Cost of moving a boundary, per position or second (default: 1).
    costs : {"bookstein"}, optional
        A shift costs 2 per position; an insertion or deletion costs the mean length of a reference segment.
    normalize : {"none", "worst"}, default "none"
        Whether to divide by the cost of deleting and inserting all boundaries, which gives a value from 0 to 1.
    compat : {"chunkseg"}, optional
        Marks of chunks of 6 s instead of seconds.
    **options : object
        ``extent`` ("same", "reference", "intersection", "union" or "from_zero": the extent to compare if the two sides have
        different ones, which matters only with ``costs``) and ``level`` (level of a hierarchy, if it has several).

    Returns
    -------
    Score
        A cost; lower is better. It is always defined.

    Notes
    -----
    Boundaries that are moved never cross, and no boundary is moved further than (insertion + deletion) / shift, because
    replacing it is cheaper. The distance is symmetric if insertion = deletion. Costs grow with the text: do not compare texts
    of different length without ``normalize="worst"``.

    References
    ----------
    Bookstein, A., Kulyukin, V. A., & Raita, T. (2002). Generalized Hamming distance. Information Retrieval 5, 353-375.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> generalized_hamming(Segmentation.from_masses([8, 2, 1]), Segmentation.from_masses([2, 8, 1])).value
    4.0
    """
    costs_of_edits = {"insertion": insertion, "deletion": deletion, "shift": shift, "costs": costs}
    measure = GeneralizedHamming.cached(compat, **costs_of_edits, normalize=normalize, **options)
    return measure.score(reference, hypothesis)
