"""Average precision of boundary scores, on an axis of units or seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.kernels import curve as kernel
from caesura.measures.axis import AXIS_WORDS, LEVEL, Side, amount, amounts, check_amounts, on_level, with_units_of_axis
from caesura.measures.base import BatchCounts, Counts, Measure, declared, divide, option
from caesura.measures.needs import Needs
from caesura.model.annotation import HAS_SCORES
from caesura.model.batch import Batch
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, searchsorted
from caesura.model.result import Score
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.options import optional

# Score of a boundary that is a mark without a score.
MARKED = 1.0
_MAX_CELLS = 50_000_000  # documents times thresholds of a batch


class Marks(NamedTuple):
    """Marks of all pairs of a batch, in the order of pairs and, in each, of falling scores."""

    row: Ints  # pair of each mark
    code: Ints  # place of its score among the thresholds
    gain: Ints  # 1 if the mark enlarges a maximum matching of the marks before it, else 0


class AveragePrecision(Measure):
    # The additive parts are counts by threshold, so that the curves of many texts add up: the marks that have exactly this
    # score, and by how many they enlarge the matching. The types of a batch are its thresholds, the highest first.

    name = "average_precision"
    title = "Average precision of boundary scores within a tolerance"
    summary = "boundary scores at all thresholds"
    short_name = "AP"
    sides = ("reference", "scores")
    at_option = "tolerance"
    kinds = ("hierarchy", "timed", "linear", "dialogue")
    needs_common_units = False
    resolved_words = AXIS_WORDS
    column = "all_places"
    tolerance: float | str = option(0, amount, "largest distance at which two boundaries agree: 2, 0.5s, 500ms or 5%")
    min_distance: float | str | None = option(
        None, optional(amount), "smallest distance of two marks; the higher score is kept"
    )
    level: int | None = declared(LEVEL, last=1)
    parts = ("reference", "matches", "marked")
    symmetric = False
    needs_boundaries = True
    amount_options: ClassVar[tuple[str, ...]] = ("tolerance", "min_distance")

    @property
    def fixed_types(self) -> bool:
        """False: the types are thresholds, and counts at different thresholds add up."""
        return False

    @cached_property
    def needs(self) -> Needs:
        return Needs(extent=any(str(self[name]).endswith("%") for name in self.amount_options), scores=True)

    @property
    def preparation(self) -> tuple[Any, ...]:
        return *super().preparation, self.level

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        ends = ["" if name in UNTYPED else f"@{name}" for name in types]
        return ("reference", *(f"{part}{end}" for end in ends for part in ("matches", "marked")))

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        return on_level(batch, self.level, self.sides)

    def scale(self, batch: Batch) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
        if not batch.table.has(HAS_SCORES)[batch.second].any():
            return UNTYPED, {}
        return tuple(map(repr, thresholds_in(batch).tolist())), {}

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        if batch.pairs * len(batch.types) > _MAX_CELLS:
            problem = f"{batch.pairs} texts with {len(batch.types)} different scores are too many for one batch"
            raise OptionError(f"{problem}; use boundary_curve, which adds them up")
        error = Undefined("average precision is not defined for a reference without boundaries")
        empty = flatnonzero(batch.sides("all_places")[0].count == 0)
        return dict.fromkeys(empty.tolist(), error) | self.check_places(batch)

    def check_places(self, batch: Batch) -> dict[int, CaesuraError]:
        """Return the pairs that do not have one score per inner position, or have a time outside the recording."""
        errors = check_amounts(self, batch)
        has_scores = batch.table.has(HAS_SCORES)[batch.second]
        begin, end, (place, _, off) = batch.begin, batch.begin + batch.length, batch.sides("weighted")[1]
        for row in flatnonzero(has_scores & (np.diff(off) != end - 1)).tolist() if not batch.seconds else ():
            errors[row] = MismatchError(_wrong_number(int(off[row + 1] - off[row]), int(end[row])))
        for row in flatnonzero(has_scores).tolist() if batch.seconds else ():
            times = place[off[row] : off[row + 1]]
            outside = times[(times < begin[row] - 1) | (times > end[row] + 1)]
            if len(outside):
                time, *extent = (f"{x / batch.ticks:.10g}" for x in (outside[0], begin[row], end[row]))
                problem = f"the time {time} s lies outside the extent of the reference, {'-'.join(extent)} s"
                errors[row] = MismatchError(f"scores: {problem}")
        return errors

    def count(self, batch: Batch) -> BatchCounts:
        marks, width = self.enter(batch, thresholds_of(batch.types)), len(batch.types)
        counts = np.empty((batch.pairs, 1 + 2 * width))
        counts[:, 0] = batch.sides("all_places")[0].count
        cells = marks.row * width + marks.code
        for column, weights in ((1, marks.gain), (2, None)):
            sums = bincount(cells, weights, batch.pairs * width)
            counts[:, column::2] = sums.reshape(batch.pairs, width)
        return BatchCounts(counts, {"axis": np.full(batch.pairs, int(batch.seconds), np.uint8)})

    def enter(self, batch: Batch, thresholds: Floats) -> Marks:
        """Let the marks of each pair enter in the order of their scores, which are all among the thresholds."""
        reference, marks = batch.sides("all_places")[0], batch.sides("weighted")[1]
        places, row = marks.place.astype(np.float64), marks.owner
        code = searchsorted(-thresholds, -marks.weight)
        order = lexsort((code, row))  # stable: of equal scores, the earlier place comes first
        if self.min_distance is not None:
            kernel.keep_peaks(places, marks.off, order, self._ticks("min_distance", batch))
        gain = np.zeros(len(order), np.uint8)
        tolerance = self._ticks("tolerance", batch)
        kernel.add_marks(reference.place.astype(np.float64), reference.off, places, marks.off, order, tolerance, gain)
        kept = order[order >= 0]
        return Marks(row[kept], code[kept], gain[order >= 0].astype(np.int64))

    def _ticks(self, name: str, batch: Batch) -> Floats:
        """Return an amount for each pair; times are whole ticks, so amounts that differ by rounding are equal."""
        ticks = amounts(name, self[name], batch)
        return np.rint(ticks) if batch.seconds else ticks

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        return with_units_of_axis(super().signature(params, types, documents), params, self.amount_options)

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


def thresholds_in(batch: Batch) -> Floats:
    """Return the distinct scores of a batch, the highest first."""
    return 0.0 - np.unique(-batch.sides("weighted")[1].weight)


def _wrong_number(scores: int, units: int) -> str:
    """Return that a text does not have one score per inner position."""
    problem = f"a text of {units} units has {units - 1} inner positions, so it needs {units - 1} scores; got {scores}"
    if scores == units:
        problem += "; the end of the text is no inner position: leave out the last score"
    return f"scores: {problem}"


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
