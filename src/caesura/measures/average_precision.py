"""Average precision of boundary scores, on an axis of units or seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.kernels import curve as kernel
from caesura.measures.axis import LEVEL, Side, amount
from caesura.measures.batch import Batch, Comparison, Packed
from caesura.measures.edges import EdgeBatch, Packing, join_edges, pack_axis, side_edges
from caesura.measures.old_axis import AxisMeasure, amounts, within
from caesura.measures.old_base import BatchCounts, Counts, divide
from caesura.model.edges import SAME_PLACE, Edges
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, repeat
from caesura.model.result import Score
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.options import Option, optional

# Score of a boundary that is a mark without a score.
MARKED = 1.0
_MAX_CELLS = 50_000_000  # documents times thresholds of a batch


class Marks(NamedTuple):
    """Marks of all documents of a batch, in the order of documents and, in each, of falling scores."""

    document: Ints  # document of each mark
    code: Ints  # place of its score among the types of the batch
    gain: Ints  # 1 if the mark enlarges a maximum matching of the marks before it, else 0


class AveragePrecision(AxisMeasure):
    # The additive parts are counts by threshold, so that the curves of many texts add up: the marks that have exactly this
    # score, and by how many they enlarge the matching. The types of a batch are its thresholds, the highest first.

    name = "average_precision"
    title = "Average precision of boundary scores within a tolerance"
    summary = "boundary scores at all thresholds"
    short_name = "AP"
    sides = ("reference", "scores")
    at_option = "tolerance"
    options = (
        Option("tolerance", 0, amount, "largest distance at which two boundaries agree: 2, 0.5s, 500ms or 5%"),
        Option("min_distance", None, optional(amount), "smallest distance of two marks; the higher score is kept"),
        LEVEL,
    )
    parts = ("reference", "matches", "marked")
    symmetric = False
    needs_boundaries = True
    amount_options: ClassVar[tuple[str, ...]] = ("tolerance", "min_distance")

    @property
    def fixed_types(self) -> bool:
        """False: the types are thresholds, and counts at different thresholds add up."""
        return False

    @property
    def packing(self) -> Packing:
        percent = any(str(self[name]).endswith("%") for name in self.amount_options)
        return Packing(self["level"], needs_extent=percent, all_points=True)

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        ends = ["" if name in UNTYPED else f"@{name}" for name in types]
        return ("reference", *(f"{part}{end}" for end in ends for part in ("matches", "marked")))

    def to_batch(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        if not has_scores(pairs):
            return pack_axis(pairs, self.sides, self.packing)
        (batch, places, errors), thresholds = pack_scores(pairs, self.sides, self.packing)
        return replace(batch, types=tuple(map(repr, thresholds.tolist()))), places, errors

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        if len(batch) * len(batch.types) > _MAX_CELLS:
            problem = f"{len(batch)} texts with {len(batch.types)} different scores are too many for one batch"
            raise OptionError(f"{problem}; use boundary_curve, which adds them up")
        error = Undefined("average precision is not defined for a reference without boundaries")
        return super().check(batch) | dict.fromkeys(flatnonzero(batch.a_count == 0).tolist(), error)

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, EdgeBatch)
        marks, width = self.enter(batch), len(batch.types)
        counts = np.empty((len(batch), 1 + 2 * width))
        counts[:, 0] = batch.a_count
        cells = marks.document * width + marks.code
        for column, weights in ((1, marks.gain), (2, None)):
            sums = bincount(cells, weights, len(batch) * width)
            counts[:, column::2] = sums.reshape(len(batch), width)
        return BatchCounts(counts, batch.resolved(extent=False))

    def enter(self, batch: EdgeBatch) -> Marks:
        """Let the marks of each document enter in the order of their scores."""
        a_pos, b_pos = (
            np.ascontiguousarray(pos[off[0] : off[-1]], np.float64)
            for pos, off in ((batch.a_pos, batch.a_off), (batch.b_pos, batch.b_off))
        )
        a_off, b_off = batch.a_off - batch.a_off[0], batch.b_off - batch.b_off[0]
        document = repeat(np.arange(len(batch)), np.diff(b_off))
        code = batch.b_code[batch.b_off[0] : batch.b_off[-1]] if batch.b_code.size else np.zeros(len(b_pos), np.int64)
        order = lexsort((code, document))  # stable: of equal scores, the earlier place comes first
        if self["min_distance"] is not None:
            distance = amounts("min_distance", self["min_distance"], batch)
            kernel.keep_peaks(b_pos, b_off, order, within(distance, timed=batch.timed, strict=True))
        tolerance = within(amounts("tolerance", self["tolerance"], batch), timed=batch.timed, strict=False)
        gain = np.zeros(len(order), np.uint8)
        kernel.add_marks(a_pos, a_off, b_pos, b_off, order, tolerance, gain)
        kept = order[order >= 0]
        return Marks(document[kept], code[kept], gain[order >= 0].astype(np.int64))

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        thresholds = thresholds_of(types)
        order = argsort(-thresholds, kind="stable")
        ends = np.append(np.diff(thresholds[order]) != 0, True)  # equal scores enter together
        matches, marked = (np.cumsum(counts[:, first::2][:, order], axis=1)[:, ends] for first in (1, 2))
        return average_steps(matches, marked, counts[:, :1])


def thresholds_of(types: Sequence[str]) -> Floats:
    return np.array([MARKED if name in UNTYPED else float(name) for name in types], np.float64)


def average_steps(matches: Floats, marked: Floats, reference: Floats) -> Floats:
    """Return the sum of the steps of recall, each times the precision at its end."""
    steps = np.diff(matches, axis=1, prepend=0)
    return divide(np.sum(steps * divide(matches, marked), axis=1), reference[:, 0])


def has_scores(pairs: Sequence[Any]) -> bool:
    return any(isinstance(pair, (tuple, list)) and isinstance(pair[-1], BoundaryScores) for pair in pairs if pair)


def pack_scores(pairs: Sequence[Any], sides: tuple[str, str], packing: Packing) -> tuple[Packed[EdgeBatch], Floats]:
    """Return the batch of the pairs that can be compared, and the thresholds to which its codes refer."""
    rows: list[tuple[Edges, Edges, Floats]] = []
    places: list[int] = []
    errors: dict[int, CaesuraError] = {}
    axis: bool | None = None
    for place, pair in enumerate(pairs):
        try:
            timed, *row = _score_edges(pair, sides, packing)
            if axis not in (None, timed):
                raise MismatchError("all pairs must be on the same axis; some are in units and some in seconds")
            axis = timed
            rows.append(tuple(row))  # type: ignore[arg-type]
            places.append(place)
        except CaesuraError as error:
            errors[place] = error
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    batch = join_edges(first, second, np.zeros(len(rows)), timed=bool(axis), packing=packing)
    scores = np.concatenate([row[2] for row in rows]) if rows else np.empty(0)
    falling, codes = np.unique(-scores, return_inverse=True)
    packed = replace(batch, b_code=codes.astype(np.int64)), np.array(places, np.int64), errors
    return packed, 0.0 - falling


def _score_edges(pair: Any, sides: tuple[str, str], packing: Packing) -> tuple[bool, Edges, Edges, Floats]:
    """Return whether a pair is in seconds, the edges of the reference, the places of the marks, and their scores."""
    reference, scored = pair
    timed, edges = side_edges(reference, sides[0], packing)
    if not isinstance(scored, BoundaryScores):
        scored_timed, places = side_edges(scored, sides[1], packing)
        scores = np.full(len(places.inner), MARKED)
    else:
        scored_timed, scores = scored.timed, scored.scores
        places = Edges(edges.begin, edges.end, scored.places)
    if timed is not scored_timed:
        first, second = ("seconds", "units") if timed else ("units", "seconds")
        raise MismatchError(f"both sides must be on the same axis; {sides[0]} has {first}, the scores have {second}")
    if isinstance(scored, BoundaryScores):
        _check_places(edges, scored)
    return timed, edges, places, scores


def _check_places(edges: Edges, scored: BoundaryScores) -> None:
    """Raise an error if there is not one score per inner position, or if a time lies outside the recording."""
    if scored.times is None:
        check_number(len(scored), int(edges.end))
        return
    outside = (scored.times < edges.begin - SAME_PLACE) | (scored.times > edges.end + SAME_PLACE)
    if outside.any():
        time = scored.times[np.argmax(outside)]
        extent = f"{edges.begin:.10g}-{edges.end:.10g} s"
        raise MismatchError(f"scores: the time {time:.10g} s lies outside the extent of the reference, {extent}")


def check_number(scores: int, units: int) -> None:
    """Raise an error if a text does not have one score per inner position."""
    if scores == units - 1:
        return
    problem = f"a text of {units} units has {units - 1} inner positions, so it needs {units - 1} scores; got {scores}"
    if scores == units:
        problem += "; the end of the text is no inner position: leave out the last score"
    raise MismatchError(f"scores: {problem}")


def as_scores(scores: Any) -> Any:
    """Return a list or an array as boundary scores; other objects are returned unchanged."""
    if isinstance(scores, np.ndarray):
        return BoundaryScores.from_pairs(scores) if scores.ndim == 2 else BoundaryScores(scores)
    if not isinstance(scores, (list, tuple)):
        return scores
    paired = bool(scores) and isinstance(scores[0], (list, tuple, np.ndarray))
    return BoundaryScores.from_pairs(scores) if paired else BoundaryScores(scores)


def average_precision(
    reference: Side,
    scores: BoundaryScores | Sequence[Any] | Side,
    *,
    tolerance: float | str = 0,
    min_distance: float | str | None = None,
    level: int | None = None,
) -> Score:
    """Compute the average precision of boundary scores over all thresholds.

    Parameters
    ----------
    reference : Segmentation, Tier or Hierarchy
        The reference, in units or in seconds.
    scores : BoundaryScores or sequence
        One score per inner position of the reference (N-1 scores for N units), or pairs (time, score) in seconds. The
        boundaries of a segmentation all have the same score, and average precision is then precision times recall.
    tolerance : float or str, default 0
        Largest distance at which two boundaries agree: a number in the unit of the axis, ``"0.5s"``, ``"500ms"`` or ``"5%"`` of
        the extent.
    min_distance : float or str, optional
        Smallest distance of two marks. The mark with the higher score is kept (default: all marks are kept).
    level : int, optional
        Level of a hierarchy, if it has several.

    Returns
    -------
    Score
        Average precision, from 0 to 1. Its parts are counts by threshold, which add up over texts.

    Raises
    ------
    Undefined
        If the reference has no boundary.
    MismatchError
        If the number of scores is not that of the inner positions, or a time lies outside the recording.

    Notes
    -----
    At every score t, the highest first, the marks are all places with a score of at least t. They are paired with the reference
    one to one in a maximum matching within the tolerance. With precision P and recall R at the k-th threshold::

        AP = sum over k of (R_k - R_(k-1)) P_k

    Equal scores enter together. There is no interpolation, so at tolerance 0 the number is that of scikit-learn's
    ``average_precision_score``. :func:`~caesura.boundary_curve` returns the whole curve and the best threshold.

    Do not use it to choose between systems whose output is marks: all of them have one threshold. Do not compare numbers with
    different tolerances. A high value says that some threshold is good, not that a threshold is known.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference = Segmentation.from_positions(7, [2, 4])
    >>> average_precision(reference, [0.1, 0.9, 0.3, 0.3, 0.7, 0.05]).value
    0.75
    >>> average_precision(reference, [0.1, 0.9, 0.3, 0.3, 0.7, 0.05], tolerance=1).value
    1.0
    """
    measure = AveragePrecision.cached(None, tolerance=tolerance, min_distance=min_distance, level=level)
    return measure.score(reference, as_scores(scores))
