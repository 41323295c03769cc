"""Boundary precision, recall and F within a tolerance, and the pairing rules of other programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError
from caesura.kernels import distances as kernel
from caesura.kernels import segments as unit_kernel
from caesura.measures.axis import (
    AXIS_WORDS,
    END_PLACES,
    EXTENT,
    LEVEL,
    Side,
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
from caesura.measures.edit_columns import count_misses, list_edits
from caesura.measures.expected import ExpectedCounts, MatchingPositions
from caesura.model.result import Edit, Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, flag, positive

_ENDS_OF_F = Option(
    "ends",
    "none",
    choice("none", "start", "end", "both", "marked"),
    "ends of the extent that count as boundaries of both sides; marked: only where a coder has a point there",
)
_ON_UNITS = MappingProxyType({"axis": "units"})

# The rules of other programs for pairs within a tolerance. Each takes the sorted boundaries of one document and a test whether
# two of them are near, and returns for each boundary of the reference the index of its partner in the hypothesis, or -1.
Near = Callable[[float, float], bool]
Matching = Callable[[Sequence[float], Sequence[float], Near], list[int]]


def nearest_first(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Pair the closest two boundaries first, as pyannote.metrics does; ties by reference, then by hypothesis."""
    candidates = [(abs(r - h), i, j) for i, r in enumerate(reference) for j, h in enumerate(hypothesis) if near(r, h)]
    partners = [-1] * len(reference)
    taken: set[int] = set()
    for _, i, j in sorted(candidates):
        if partners[i] < 0 and j not in taken:
            partners[i] = j
            taken.add(j)
    return partners


def in_order(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Give every boundary of the reference, from left to right, its nearest free boundary, as TCPDBench and GEBD do."""
    free = list(range(len(hypothesis)))
    partners = []
    for r in reference:
        best = min(free, key=lambda j: (abs(hypothesis[j] - r), j), default=-1)
        if best >= 0 and near(r, hypothesis[best]):
            free.remove(best)
        else:
            best = -1
        partners.append(best)
    return partners


def all_within(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Use up every free boundary within the tolerance of each boundary of the reference, as ruptures does."""
    free = set(range(len(hypothesis)))
    partners = []
    for r in reference:
        used = [j for j in sorted(free) if near(r, hypothesis[j])]
        free -= set(used)
        partners.append(used[0] if used else -1)
    return partners


def walk(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Pair the first two boundaries that are near, else advance the smaller one: a maximum matching."""
    partners = [-1] * len(reference)
    i = j = 0
    while i < len(reference) and j < len(hypothesis):
        if near(reference[i], hypothesis[j]):
            partners[i] = j
            i += 1
            j += 1
        elif reference[i] < hypothesis[j]:
            i += 1
        else:
            j += 1
    return partners


OTHER_MATCHINGS: dict[str, Matching] = {
    "nearest": nearest_first,
    "in_order": in_order,
    "ruptures": all_within,
    "mir_eval": walk,
}


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
        return bool(END_PLACES[self["ends"]] or str(self["tolerance"]).endswith("%"))

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
        counts += len(END_PLACES[self["ends"]])
        if isinstance(batch, EdgeBatch):
            return BatchCounts(counts, batch.resolved(extent=self._needs_extent and self["extent"] != "same"))
        return BatchCounts(counts, {"axis": np.zeros(len(batch), np.uint8)})

    def count_pair(self, a: Segmentation, b: Segmentation) -> PairCounts | None:
        if self["matching"] != "maximum" or isinstance(self["tolerance"], str) or self._largest_distance < 0:
            return None
        counts = unit_kernel.count_within_pair(a.packed, b.packed, self._largest_distance)
        ends = len(END_PLACES[self["ends"]])
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


def crisp(reference: Segmentation, hypothesis: Segmentation, *, tolerance: int = 0) -> Score:
    """Compute boundary precision, recall and F1 within a tolerance; the same as :func:`~caesura.boundary_f`.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two sides.
    tolerance : int, default 0
        Largest distance in positions at which two boundaries agree.

    Returns
    -------
    Score
        F1, from 0 to 1; 1 if both sides are empty, 0 if one is. ``score.precision()`` and ``score.recall()`` are
        available.

    Examples
    --------
    >>> reference = Segmentation.from_positions(10, [2, 3])
    >>> hypothesis = Segmentation.from_positions(10, [1, 2])
    >>> crisp(reference, hypothesis).value, crisp(reference, hypothesis, tolerance=1).value
    (0.5, 1.0)
    """
    return BoundaryF.cached(None, tolerance=tolerance).score(reference, hypothesis)
