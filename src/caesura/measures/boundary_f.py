"""Boundary precision, recall and F within a tolerance, and the pairing rules of other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from caesura.kernels import segments as kernel
from caesura.measures.axis import AXIS_WORDS, END_PLACES, AxisMeasure, Side, amount, amounts
from caesura.measures.base import COUNT_COEFFICIENTS, BatchCounts, Counts, OverlapMeasure, divide, option
from caesura.measures.edit_columns import EditColumns, edit_columns
from caesura.measures.expected import ExpectedCounts, MatchingPositions
from caesura.measures.needs import Needs
from caesura.model.batch import Batch
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import choice, flag, positive

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


class BoundaryF(OverlapMeasure, AxisMeasure):
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
    needs_common_units = True
    unit_by_options = True
    tolerance: float | str = option(0, amount, "largest distance at which two boundaries agree: 2, 0.5s, 500ms or 5%")
    beta: float = option(1, positive, "weight of recall against precision in F")
    ends: str = option(
        "none",
        choice("none", "start", "end", "both", "marked"),
        "ends of the extent that count as boundaries of both sides; marked: only where a coder has a point there",
    )
    strict: bool = option(False, flag, "whether the distance must be smaller than the tolerance")
    matching: str = option(
        "maximum",
        choice("maximum", *OTHER_MATCHINGS),
        "how boundaries are paired; all but the maximum exist for presets only",
    )
    empty: str = option(
        "one",
        choice("one", "zero", "side", "recall"),
        "value if neither side has boundaries (1 or 0), or 1 for the ratio of each empty side, or of recall only",
    )
    coefficients = COUNT_COEFFICIENTS
    default_coefficient = "multi_pi"
    chance_family = "counts"
    aligns = True
    parts = ("matches", "reference", "hypothesis")
    accepts_union = True
    question_options = ("tolerance", "extent")
    resolved_words = AXIS_WORDS
    amount_options = ("tolerance",)

    @property
    def symmetric(self) -> bool:
        return bool(self.beta == 1 and self.matching == "maximum" and self.extent in ("same", "union"))

    @cached_property
    def needs(self) -> Needs:
        return Needs(extent=bool(END_PLACES[self.ends] or str(self.tolerance).endswith("%")))

    @property
    def column(self) -> str:
        """The column of the table that is compared: a point at an end counts unless the option adds the ends."""
        return {"marked": "all_places", "none": "end_places"}.get(self.ends, "places")

    def count(self, batch: Batch) -> BatchCounts:
        a, b = batch.sides(self.column)
        partners = self.partners(batch)
        matched = np.zeros(len(partners) + 1, np.int64)
        np.cumsum(partners >= 0, out=matched[1:])
        counts = np.empty((batch.pairs, 3))
        ends = matched[a.off]
        counts[:, 0] = ends[1:] - ends[:-1]
        counts[:, 1], counts[:, 2] = a.count, b.count
        # The ends are the same place on both sides: some maximum matching pairs them, and so do all other rules.
        counts += len(END_PLACES[self.ends])
        axis = {"axis": np.zeros(batch.pairs, np.uint8)}  # units have one extent only
        return BatchCounts(counts, self.resolved(batch) if batch.seconds else axis)

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        return MatchingPositions() if self.tolerance == 0 and not set(self._changed) - {"tolerance"} else None

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        if self.beta == 1 and self.empty == "one":
            return super().finish(counts, types)
        precision, recall = self._ratios(counts)
        weight = float(self.beta) ** 2
        return divide((1 + weight) * precision * recall, weight * precision + recall)

    def _ratios(self, counts: Counts) -> tuple[Floats, Floats]:
        matches, reference, hypothesis = counts.T
        none = (reference == 0) & (hypothesis == 0)
        zero, one = np.zeros(len(counts)), np.ones(len(counts))
        words = {"one": (none.astype(float),) * 2, "zero": (zero, zero), "side": (one, one), "recall": (zero, one)}
        of_precision, of_recall = words[self.empty]
        return divide(matches, hypothesis, empty=of_precision), divide(matches, reference, empty=of_recall)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        row = np.array([[counts[name] for name in self.parts]], np.float64)
        precision, recall = self._ratios(row)
        return {"precision": float(precision[0]), "recall": float(recall[0]), "f": float(self.finish(row, types)[0])}

    def partners(self, batch: Batch) -> Ints:
        """Return, for each boundary of a, the index of its partner in b, or -1."""
        a, b = batch.sides(self.column)
        partners = np.full(len(a.place), -1, np.int64)
        if self.matching != "maximum":
            return self._other_partners(batch, partners)
        largest = np.floor(self._tolerances(batch))
        if self.strict:
            largest = np.ceil(self._tolerances(batch)) - 1
        kernel.pair_within(a.place, a.off, b.place, b.off, largest.astype(np.int64), partners)
        return partners

    def _tolerances(self, batch: Batch) -> Floats:
        """Return the tolerance of each pair in ticks; times are whole ticks, so amounts that differ by rounding are equal."""
        tolerance = amounts("tolerance", self.tolerance, batch)
        return np.rint(tolerance) if batch.seconds else tolerance

    def _other_partners(self, batch: Batch, partners: Ints) -> Ints:
        """Pair boundaries as another program does, pair by pair, with its rounded numbers."""
        pair = OTHER_MATCHINGS[self.matching]
        a, b = batch.sides(self.column)
        tolerances = (amounts("tolerance", self.tolerance, batch) / batch.ticks).tolist()
        for d, tolerance in enumerate(tolerances):
            first, last, offset = int(a.off[d]), int(a.off[d + 1]), int(b.off[d])
            reference = (a.place[first:last] / batch.ticks).tolist()
            hypothesis = (b.place[offset : b.off[d + 1]] / batch.ticks).tolist()
            if self.matching == "mir_eval":  # its boundaries have five decimals, and it adds the window to the estimate
                reference, hypothesis = (np.round(side, 5).tolist() for side in (reference, hypothesis))
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: h - t <= r <= h + t)  # type: ignore[misc]
            elif self.strict:
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: abs(r - h) < t)  # type: ignore[misc]
            else:
                found = pair(reference, hypothesis, lambda r, h, t=tolerance: abs(r - h) <= t)  # type: ignore[misc]
            partners[first:last] = [j + offset if j >= 0 else -1 for j in found]
        return partners

    def edit_columns(self, batch: Batch) -> EditColumns:
        free = {"transposition_cost": lambda d: 0.0, "substitution_cost": lambda x: 0.0}
        return edit_columns(batch, self.column, self.partners(batch), **free)


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
        latter only), ``extent`` ("same", "reference", "intersection", "union", "from_zero": the extent to compare if the
        sides have different ones, which matters only for ends and per cent), ``level`` (level of a hierarchy, if it has
        several) and ``references`` ("each", "best" or "union": the mean over the coders, the best coder, or precision against
        the boundaries of all coders, if ``reference`` is a list of several coders' annotations).

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
