"""Measures of the distances between boundaries on an axis of units or seconds, and of the cost of moving them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import distances as kernel
from caesura.measures.axis import END_PLACES, EXTENT, LEVEL, Side
from caesura.measures.batch import Batch
from caesura.measures.chunks import CHUNK
from caesura.measures.edges import EdgeBatch, Packing
from caesura.measures.old_axis import AxisMeasure
from caesura.measures.old_base import BatchCounts, Counts, divide
from caesura.model.index import bincount, flatnonzero, reduceat, repeat
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, non_negative, optional

_ENDS = Option(
    "ends", "none", choice("none", "start", "end", "both"), "ends of the extent that count as boundaries of both sides"
)


class _Points:
    """Boundaries of all documents of a batch, with the ends that count."""

    def __init__(self, batch: EdgeBatch, ends: str) -> None:
        self.a_pos, self.a_off = _with_ends(batch.a_pos, batch.a_off, batch, ends)
        self.b_pos, self.b_off = _with_ends(batch.b_pos, batch.b_off, batch, ends)

    @property
    def one_empty(self) -> NDArray[np.bool_]:
        return np.asarray((np.diff(self.a_off) == 0) != (np.diff(self.b_off) == 0))

    def distances(self) -> tuple[Floats, Floats]:
        """Return the distance of each boundary to the nearest boundary of the other side, for both sides."""
        to_b, to_a = np.zeros(int(self.a_off[-1])), np.zeros(int(self.b_off[-1]))
        kernel.nearest(self.a_pos, self.a_off, self.b_pos, self.b_off, to_b)
        kernel.nearest(self.b_pos, self.b_off, self.a_pos, self.a_off, to_a)
        return to_b, to_a


def _with_ends(pos: NDArray[Any], off: Ints, batch: EdgeBatch, ends: str) -> tuple[Floats, Ints]:
    """Return the boundaries of a side with the ends that count, and offsets that begin at 0."""
    pos, off = pos[off[0] : off[-1]].astype(np.float64), off - off[0]
    for place in END_PLACES[ends]:
        at = off[:-1] if place == "begin" else off[1:]
        pos = np.insert(pos, at, getattr(batch, place))
        off = off + np.arange(len(off))
    return pos, off


def _sums(values: Floats, off: Ints) -> Floats:
    document = repeat(np.arange(len(off) - 1), np.diff(off))
    return bincount(document, values, len(off) - 1)


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
    if len(off) == 2 and len(values):  # one document, which may be long
        out[0] = np.median(values)
        return out
    kernel.medians(values.copy(), off, out)
    return out


class _DistanceMeasure(AxisMeasure):
    """Base class of measures of the distance to the nearest boundary of the other side."""

    best = 0.0
    worst = None
    higher_is_better = False

    @property
    def packing(self) -> Packing:
        ends = self["ends"] != "none"
        return super().packing._replace(needs_extent=ends, all_points=not ends)

    @property
    def symmetric(self) -> bool:
        return bool(self["extent"] in ("same", "union"))

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        assert isinstance(batch, EdgeBatch)
        empty = flatnonzero(_Points(batch, self["ends"]).one_empty)
        error = Undefined(
            f"{self.name} needs boundaries on both sides; only one side has any; ends='both' adds the ends"
        )
        return dict.fromkeys(empty.tolist(), error)

    def resolved(self, batch: EdgeBatch) -> dict[str, NDArray[Any]]:
        return batch.resolved(extent=self["ends"] != "none" and self["extent"] != "same")


class BoundaryDeviation(_DistanceMeasure):
    name = "boundary_deviation"
    title = "Median distance to the nearest boundary of the other side (Turnbull et al. 2007)"
    caution = "do not rank systems by it alone: one boundary that is exactly right has no deviation"
    summary = "distance to the nearest boundary"
    short_name = "median deviation"
    aliases = MappingProxyType({"deviation": {}})
    options = (
        Option("statistic", "median", choice("median", "mean"), "median or mean of the distances of an item"),
        _ENDS,
        EXTENT,
        LEVEL,
    )
    presets = MappingProxyType({"mir_eval": {"ends": "both", "extent": "from_zero"}})
    question_options = ("extent",)
    preset_mistakes = MappingProxyType({"mir_eval": "both ends count, so at least two distances are 0"})

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        if self["statistic"] == "mean":
            return "reference_distance", "reference", "hypothesis_distance", "hypothesis"
        return "deviation_sum", "ref_to_est_sum", "est_to_ref_sum", "items"

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        points = _Points(batch, self["ends"])
        to_b, to_a = points.distances()
        if self["statistic"] == "mean":
            sums = _sums(to_b, points.a_off), np.diff(points.a_off), _sums(to_a, points.b_off), np.diff(points.b_off)
            return BatchCounts(np.column_stack(sums).astype(np.float64), self.resolved(batch))
        ref_to_est, est_to_ref = _medians(to_b, points.a_off), _medians(to_a, points.b_off)
        larger = np.maximum(ref_to_est, est_to_ref)
        return BatchCounts(np.column_stack([larger, ref_to_est, est_to_ref, np.ones(len(batch))]), self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        if self["statistic"] == "mean":
            return np.maximum(divide(counts[:, 0], counts[:, 1]), divide(counts[:, 2], counts[:, 3]))
        return divide(counts[:, 0], counts[:, 3])

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        a, b, c, d = (counts[name] for name in self.part_names(types))
        if self["statistic"] == "mean":
            return {"ref_to_est": a / b if b else 0.0, "est_to_ref": c / d if d else 0.0}
        return {"ref_to_est": b / d if d else 0.0, "est_to_ref": c / d if d else 0.0}


class Hausdorff(_DistanceMeasure):
    name = "hausdorff"
    title = "Hausdorff distance: the largest distance to the nearest boundary of the other side"
    caution = "one stray boundary decides the value; it is undefined if one side has no boundary"
    summary = "largest distance to a boundary"
    short_name = "Hausdorff distance"
    options = (_ENDS, EXTENT, LEVEL)
    parts = ("distance_sum", "items")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        points = _Points(batch, self["ends"])
        to_b, to_a = points.distances()
        largest = np.maximum(_maxima(to_b, points.a_off), _maxima(to_a, points.b_off))
        return BatchCounts(np.column_stack([largest, np.ones(len(batch))]), self.resolved(batch))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(*counts.T)


class GeneralizedHamming(AxisMeasure):
    name = "generalized_hamming"
    title = "Generalized Hamming distance (Bookstein, Kulyukin & Raita 2002)"
    caution = "compare texts of different length with normalize='worst' only"
    summary = "cost of moving boundaries"
    short_name = "GHD"
    options = (
        Option("insertion", 2, non_negative(), "cost of a boundary that only the reference has"),
        Option("deletion", 2, non_negative(), "cost of a boundary that only the hypothesis has"),
        Option("shift", 1, non_negative(), "cost of moving a boundary, per unit or second"),
        Option(
            "costs",
            None,
            optional(choice("bookstein")),
            "bookstein: shift 2, and the mean length of a reference segment for insertion and deletion",
        ),
        Option(
            "normalize", "none", choice("none", "worst"), "whether to divide by the cost of replacing all boundaries"
        ),
        CHUNK,
        EXTENT,
        LEVEL,
    )
    best = 0.0
    worst = None
    higher_is_better = False
    presets = MappingProxyType({"chunkseg": {"chunk": 6, "average": "items"}})
    preset_mistakes = MappingProxyType(
        {"chunkseg": "boundaries within a chunk of 6 s are one; a distance is in chunks"}
    )
    parts = ("cost", "worst")

    @property
    def symmetric(self) -> bool:
        return bool(self["costs"] is None and self["insertion"] == self["deletion"])

    @property
    def packing(self) -> Packing:
        return super().packing._replace(needs_extent=self["costs"] is not None, all_points=True)

    def validate(self) -> None:
        defaults = self._defaults(self.compat)
        if self["costs"] is not None and any(self[n] != defaults[n] for n in ("insertion", "deletion", "shift")):
            raise OptionError("costs='bookstein' sets insertion, deletion and shift; remove these options, or costs")

    def compute(self, batch: Batch) -> BatchCounts:
        n, m = batch.a_count, batch.b_count
        insertion, deletion, shift = self._costs(batch)
        out = np.empty(len(batch))
        row = np.empty(int(m.max(initial=0)) + 1)
        a, b = (batch.a_pos.astype(np.float64), batch.a_off), (batch.b_pos.astype(np.float64), batch.b_off)
        kernel.edit_costs(*a, *b, insertion, deletion, shift, row, out)
        counts = np.column_stack([out, deletion * m + insertion * n])
        if not isinstance(batch, EdgeBatch):  # chunks
            return BatchCounts(counts, {"axis": np.zeros(len(batch), np.uint8)})
        return BatchCounts(counts, batch.resolved(extent=self["costs"] is not None and self["extent"] != "same"))

    def _costs(self, batch: Batch) -> tuple[Floats, Floats, float]:
        if self["costs"] is not None:
            length = batch.end - batch.begin if isinstance(batch, EdgeBatch) else batch.length
            mean = length / (batch.a_count + 1)
            return mean, mean, 2.0
        ones = np.ones(len(batch))
        return ones * self["insertion"], ones * self["deletion"], float(self["shift"])

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(*counts.T) if self["normalize"] == "worst" else counts[:, 0].copy()


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
        different ones, which matters only with ``costs``), ``level`` (level of a hierarchy, if it has several) and ``chunk``
        (length of chunks in seconds, which become units).

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
