"""Measures of boundaries on an axis of units or seconds: pairs within a tolerance, distances, and edit costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import distances as kernel
from caesura.kernels import segments as unit_kernel
from caesura.measures.axis import (
    AXIS_WORDS,
    EXTENT,
    LEVEL,
    AxisMeasure,
    amount,
    amounts,
    check_amounts,
    with_units_of_axis,
    within,
)
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, OverlapMeasure, PairCounts, divide
from caesura.measures.batch import EMPTY, Batch
from caesura.measures.chunks import CHUNK, FIRST_TOKEN, LAST_POSITION
from caesura.measures.edges import EdgeBatch, Packing
from caesura.measures.edit_list import count_misses, list_edits
from caesura.measures.expected import ExpectedCounts, MatchingPositions
from caesura.measures.matching import OTHER_MATCHINGS
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Edit, Score
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, flag, non_negative, optional, positive

# An annotation on an axis: units, seconds, or a level of a hierarchy.
Side = Segmentation | Tier | Hierarchy

_ENDS = Option(
    "ends", "none", choice("none", "start", "end", "both"), "ends of the extent that count as boundaries of both sides"
)
_ENDS_OF_F = Option(
    "ends",
    "none",
    choice("none", "start", "end", "both", "marked"),
    "ends of the extent that count as boundaries of both sides; marked: only where a coder has a point there",
)
_ON_UNITS = MappingProxyType({"axis": "units"})
_END_PLACES = {"none": (), "start": ("begin",), "end": ("end",), "both": ("begin", "end"), "marked": ()}


class BoundaryF(OverlapMeasure):
    kinds = ("hierarchy", "timed", "linear", "dialogue")
    name = "boundary_f"
    title = "Boundary precision, recall and F within a tolerance"
    caution = (
        "systems of different density are hardly comparable, because the number of marks moves F; with a tolerance "
        "near half a segment everything matches"
    )
    summary = "boundaries within a tolerance"
    short_name = "F1"
    aliases = MappingProxyType({"F": {}, "crisp": {}, "boundary_f1": {}, "hit_rate": {}, "collar_f1": {}})
    at_option = "tolerance"
    options = (
        Option("tolerance", 0, amount, "largest distance at which two boundaries agree: 2, 0.5s, 500ms or 5%"),
        Option("beta", 1, positive, "weight of recall against precision in F"),
        _ENDS_OF_F,
        Option("strict", False, flag, "whether the distance must be smaller than the tolerance"),
        Option(
            "matching",
            "maximum",
            choice("maximum", *OTHER_MATCHINGS),
            "how boundaries are paired; all but the maximum exist for presets only",
        ),
        Option(
            "empty",
            "one",
            choice("one", "zero", "side", "recall"),
            "value if neither side has boundaries (1 or 0), or 1 for the ratio of each empty side, or of recall only",
        ),
        LAST_POSITION,
        FIRST_TOKEN,
        CHUNK,
        EXTENT,
        LEVEL,
    )
    presets = MappingProxyType(
        {
            "mir_eval": {
                "tolerance": 0.5,
                "ends": "both",
                "matching": "mir_eval",
                "empty": "zero",
                "extent": "from_zero",
            },
            "pyannote": {"matching": "nearest", "empty": "side"},
            "ruptures": {"tolerance": 10, "strict": True, "matching": "ruptures", "empty": "zero"},
            "tcpd": {"tolerance": 5, "ends": "start", "matching": "in_order", "references": "union"},
            "gebd": {
                "tolerance": "5%",
                "ends": "marked",
                "matching": "in_order",
                "empty": "recall",
                "extent": "reference",
                "references": "best_or_first",
            },
            "superdialseg": {"empty": "zero", "last_position": True, "average": "items"},
            "chunkseg": {"empty": "zero", "chunk": 6, "average": "items_pr"},
            "chunkseg-collar": {"tolerance": "3s", "matching": "nearest", "average": "items"},
            "disrpt-2025": {"first_token": True},
            "wtpsplit": {"ends": "end"},
            "evalsubtitle": {"ends": "end"},
        }
    )
    preset_mistakes = MappingProxyType(
        {
            "mir_eval": "both ends always match; F is 0 if neither side has boundaries; 3.732 and 0.732 are not 3 s apart",
            "pyannote": "the closest pair first can lose a pair; precision is 1 without hypothesis boundaries",
            "ruptures": "one reference boundary uses up all estimates near it; 0 without estimates",
            "tcpd": "the start always matches; a reference boundary can take the estimate of the next one; near boundaries of "
            "several coders each want an estimate",
            "gebd": "a reference boundary can take the estimate of the next one; without estimates, the first rater counts and "
            "not the best",
            "superdialseg": "F is 0 if neither side has boundaries, even though they agree",
            "chunkseg": "boundaries within a chunk of 6 s are one, and the first chunk can have one; F is 0 if neither side "
            "has boundaries",
            "chunkseg-collar": "the closest pair first can lose a pair",
            "disrpt-2025": "token 1 counts, so F rises with short documents (reading option first=yes)",
            "wtpsplit": "the end of the text always matches: a text of one sentence has F 1",
            "evalsubtitle": "the end of the file always matches",
        }
    )
    preset_reading = MappingProxyType({"disrpt-2025": {"first": "yes"}})
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    aligns = True
    parts = ("matches", "reference", "hypothesis")
    accepts_union = True
    question_options = ("tolerance", "extent", "chunk")
    resolved_words = AXIS_WORDS
    amount_options: ClassVar[tuple[str, ...]] = ("tolerance",)

    @property
    def symmetric(self) -> bool:
        return bool(self["beta"] == 1 and self["matching"] == "maximum" and self["extent"] in ("same", "union"))

    @property
    def packing(self) -> Packing:
        marked = self["ends"] == "marked"
        packing = Packing(self["level"], self["extent"], needs_extent=self._needs_extent)
        return packing._replace(all_points=marked or self["ends"] == "none", start_points=marked)

    @property
    def _needs_extent(self) -> bool:
        return bool(_END_PLACES[self["ends"]] or str(self["tolerance"]).endswith("%"))

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        return check_amounts(self, batch)

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        return with_units_of_axis(super().signature(params, types, documents), params, self.amount_options)

    def compute(self, batch: Batch) -> BatchCounts:
        has_partner = self._partners(batch) >= 0
        matched = np.zeros(len(has_partner) + 1, np.int64)
        has_partner.cumsum(out=matched[1:])
        ends = matched[batch.a_off - batch.a_off[0]]
        counts = np.empty((len(batch), 3))
        counts[:, 0] = ends[1:] - ends[:-1]
        counts[:, 1] = batch.a_count
        counts[:, 2] = batch.b_count
        # The ends are the same place on both sides: some maximum matching pairs them, and so do all other rules.
        counts += len(_END_PLACES[self["ends"]])
        if isinstance(batch, EdgeBatch):
            return BatchCounts(counts, batch.resolved(extent=self._needs_extent and self["extent"] != "same"))
        return BatchCounts(counts, {"axis": np.zeros(len(batch), np.uint8)})

    def count_pair(self, a: Segmentation, b: Segmentation) -> PairCounts | None:
        if self["matching"] != "maximum" or isinstance(self["tolerance"], str) or self._largest_distance < 0:
            return None
        counts = unit_kernel.count_within_pair(a.packed, b.packed, self._largest_distance)
        ends = len(_END_PLACES[self["ends"]])
        return [count + ends for count in counts], _ON_UNITS

    @cached_property
    def _largest_distance(self) -> int:
        """The largest distance of a pair in positions; -1 if there can be none."""
        tolerance: float = self["tolerance"]
        return math.ceil(tolerance) - 1 if self["strict"] else math.floor(tolerance)

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        return MatchingPositions() if self["tolerance"] == 0 and self.is_plain else None

    @property
    def is_plain(self) -> bool:
        """Whether all options except the tolerance have their defaults."""
        defaults = self._defaults(None)
        return all(value == defaults[name] for name, value in self.settings.items() if name != "tolerance")

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        if self["beta"] == 1 and self["empty"] == "one":
            return super().finish(counts, types)
        precision, recall = self._ratios(counts)
        weight = float(self["beta"]) ** 2
        return divide((1 + weight) * precision * recall, weight * precision + recall)

    def _ratios(self, counts: Counts) -> tuple[Floats, Floats]:
        matches, reference, hypothesis = counts.T
        none = (reference == 0) & (hypothesis == 0)
        zero, one = np.zeros(len(counts)), np.ones(len(counts))
        words = {"one": (none.astype(float),) * 2, "zero": (zero, zero), "side": (one, one), "recall": (zero, one)}
        of_precision, of_recall = words[self["empty"]]
        return divide(matches, hypothesis, empty=of_precision), divide(matches, reference, empty=of_recall)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        row = np.array([[counts[name] for name in self.parts]], np.float64)
        precision, recall = self._ratios(row)
        return {"precision": float(precision[0]), "recall": float(recall[0]), "f": float(self.finish(row, types)[0])}

    def _partners(self, batch: Batch) -> Ints:
        partners = np.full(len(batch.a_pos), -1, np.int64)
        if self["matching"] != "maximum":
            self._other_partners(batch, partners)
        elif isinstance(batch, EdgeBatch) or isinstance(self["tolerance"], str):
            places = batch.a_pos.astype(np.float64), batch.a_off, batch.b_pos.astype(np.float64), batch.b_off
            kernel.pair_within(*places, self._tolerances(batch), self["strict"], partners)
        elif self._largest_distance >= 0:
            distance = self._largest_distance
            unit_kernel.pair_within(batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, distance, partners)
        return partners[batch.a_off[0] : batch.a_off[-1]]

    def _tolerances(self, batch: Batch) -> Floats:
        if isinstance(batch, EdgeBatch):
            tolerance = amounts("tolerance", self["tolerance"], batch)
            exact = self["matching"] == "maximum"  # other programs compare rounded numbers
            return within(tolerance, timed=batch.timed, strict=self["strict"]) if exact else tolerance
        if isinstance(self["tolerance"], str):
            return batch.length * float(self["tolerance"][:-1]) / 100
        return np.full(len(batch), float(self["tolerance"]))

    def _other_partners(self, batch: Batch, partners: Ints) -> None:
        """Pair boundaries as another program does, document by document."""
        pair = OTHER_MATCHINGS[self["matching"]]
        peer = self["matching"] == "mir_eval"
        tolerances = self._tolerances(batch).tolist()
        for d, tolerance in enumerate(tolerances):
            first, last = int(batch.a_off[d]), int(batch.a_off[d + 1])
            reference = batch.a_pos[first:last].tolist()
            hypothesis = batch.b_pos[batch.b_off[d] : batch.b_off[d + 1]].tolist()
            if peer:  # its boundaries have five decimals, and it adds the window to the estimate
                reference, hypothesis = (np.round(side, 5).tolist() for side in (reference, hypothesis))
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: h - t <= r <= h + t)  # type: ignore[misc]
            elif self["strict"]:
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: abs(r - h) < t)  # type: ignore[misc]
            else:
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: abs(r - h) <= t)  # type: ignore[misc]
            offset = int(batch.b_off[d])
            partners[first:last] = [j + offset if j >= 0 else -1 for j in found]

    def misses_in(self, batch: Batch) -> tuple[Floats, Floats]:
        return count_misses(batch, self._partners(batch))

    def align(self, batch: Batch) -> tuple[Edit, ...]:
        partners = self._partners(batch)
        partners = np.where(partners >= 0, partners - batch.b_off[0], -1)
        if isinstance(batch, EdgeBatch):  # classes of segments are not types of boundaries
            batch = replace(batch, a_code=EMPTY, b_code=EMPTY)
        return list_edits(batch, partners, transposition_cost=lambda d: 0.0, substitution_cost=lambda x: 0.0)


# -- distances --------------------------------------------------------------------------------------------------------


class _Points:
    """Boundaries of all documents of a batch, with the ends that count."""

    def __init__(self, batch: EdgeBatch, ends: str) -> None:
        self.a_pos, self.a_off = _with_ends(batch.a_pos, batch.a_off, batch, ends)
        self.b_pos, self.b_off = _with_ends(batch.b_pos, batch.b_off, batch, ends)

    @property
    def one_empty(self) -> NDArray[np.bool_]:
        """Whether exactly one side has no boundaries, for each document."""
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
    for place in _END_PLACES[ends]:
        at = off[:-1] if place == "begin" else off[1:]
        pos = np.insert(pos, at, getattr(batch, place))
        off = off + np.arange(len(off))
    return pos, off


def _sums(values: Floats, off: Ints) -> Floats:
    document = np.repeat(np.arange(len(off) - 1), np.diff(off))
    return np.asarray(np.bincount(document, values, len(off) - 1), np.float64)


def _maxima(values: Floats, off: Ints) -> Floats:
    """Return the largest value of each document; 0 if it has none."""
    out = np.zeros(len(off) - 1)
    filled = np.diff(off) > 0
    if filled.any():
        out[filled] = np.maximum.reduceat(values, off[:-1][filled])
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
        empty = np.flatnonzero(_Points(batch, self["ends"]).one_empty)
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


# -- functions --------------------------------------------------------------------------------------------------------


def boundary_f(
    reference: Side,
    hypothesis: Side,
    *,
    tolerance: float | str | None = None,
    beta: float = 1,
    ends: str | None = None,
    compat: str | None = None,
    **options: Any,
) -> Score:
    """Compute boundary precision, recall and F within a tolerance.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    tolerance : float or str, optional
        Largest distance at which two boundaries agree: a number of positions or seconds, ``"0.5s"``, ``"500ms"``, or ``"5%"``
        of the extent (default: 0).
    beta : float, default 1
        Weight of recall against precision in F.
    ends : {"none", "start", "end", "both", "marked"}, optional
        Ends of the extent that count as boundaries of both sides. They are always right, so they raise F (default: none).
        With ``"marked"``, points that a coder placed at an end count for that coder.
    compat : str, optional
        The rules of another program: ``mir_eval``, ``pyannote``, ``ruptures``, ``tcpd``, ``gebd``, ``superdialseg``,
        ``disrpt-2025``, ``wtpsplit``, ``chunkseg``, ``chunkseg-collar`` or ``evalsubtitle``; see Notes.
    **options : object
        ``strict`` (the distance must be smaller than the tolerance), ``matching`` ("maximum", or the rule of another program:
        "nearest", "in_order", "ruptures", "mir_eval"), ``empty`` (value if both sides have no boundaries: "one", "zero", or
        "side" for precision 1 without hypothesis boundaries and recall 1 without reference boundaries, or "recall" for the
        latter only), ``extent`` ("same",
        "reference", "intersection", "union", "from_zero": the extent to compare if the sides have different ones, which
        matters only for ends and per cent), ``level`` (level of a hierarchy, if it has several), ``chunk`` (length of chunks
        in seconds, which become units), ``last_position`` (whether the position after the last unit counts),
        ``first_token`` (whether the texts must begin with an empty unit, so that the first token counts) and
        ``references`` ("each", "best" or "union": the mean over the coders, the best
        coder, or precision against the boundaries of all coders, if ``reference`` is a list of several coders' annotations).

    Returns
    -------
    Score
        F, from 0 to 1; 1 if both sides are empty, 0 if one is. ``score.precision()`` and ``score.recall()`` are available.

    Raises
    ------
    OptionError
        If the tolerance is in seconds and the texts have units.

    Notes
    -----
    Boundaries are paired one to one in a maximum matching, which a greedy search can miss. ::

        precision = pairs / boundaries of the hypothesis    recall = pairs / boundaries of the reference

    Within the tolerance, a nearer boundary is not preferred. Types and position N are ignored. Times that differ by at most
    1e-9 s are the same place.

    The tolerance changes F more than most systems differ: do not compare numbers with different tolerances. Do not use a
    tolerance near half the mean segment length, because then everything matches; and do not compare systems that place
    very different numbers of boundaries by F alone.

    The presets keep the mistakes of their programs. pyannote pairs the closest boundaries first and can lose a pair; its
    precision is 1 without hypothesis boundaries. ruptures uses up every estimate within the margin of a reference
    boundary. TCPDBench gives each reference boundary its nearest free estimate, and counts the start. mir_eval counts both
    ends of the recording, and F is 0 if both sides are empty.

    References
    ----------
    Turnbull, D., Lanckriet, G., Pampalk, E., & Goto, M. (2007). A supervised approach for detecting boundaries in music using
    difference features and boosting. ISMIR.

    Examples
    --------
    >>> reference = Segmentation.from_times([12, 15.5], duration=60)
    >>> hypothesis = Segmentation.from_times([10, 13], duration=60)
    >>> boundary_f(reference, hypothesis, tolerance="3s").value
    1.0
    >>> boundary_f(reference, hypothesis, tolerance="3s", compat="pyannote").value
    0.5
    """
    measure = BoundaryF.cached(compat, tolerance=tolerance, beta=beta, ends=ends, **options)
    return measure.score(reference, hypothesis)


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
    >>> generalized_hamming(Segmentation.from_masses([8, 2, 1]), Segmentation.from_masses([2, 8, 1])).value
    4.0
    """
    costs_of_edits = {"insertion": insertion, "deletion": deletion, "shift": shift, "costs": costs}
    measure = GeneralizedHamming.cached(compat, **costs_of_edits, normalize=normalize, **options)
    return measure.score(reference, hypothesis)
