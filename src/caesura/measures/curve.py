"""Boundary scores: average precision, and precision, recall and F at every threshold, with the best threshold.

Both are defined on an axis of units or seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.kernels import curve as kernel
from caesura.measures.axis import AXIS_WORDS, LEVEL, Side, amount, amounts, on_level
from caesura.measures.base import BatchCounts, Counts, Measure, declared, divide, option
from caesura.measures.needs import Needs
from caesura.measures.recipes import recipe_of, recipes_of
from caesura.model.annotation import HAS_SCORES
from caesura.model.batch import Batch
from caesura.model.checks import finite_number
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, searchsorted
from caesura.model.result import HIDDEN, Reasoned, Result, Score, f_measure, ratio, signature_line
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, flag, non_negative, optional, resolve_options, suggest

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
        errors = super().check(batch)
        has_scores = batch.table.has(HAS_SCORES)[batch.second]
        begin, end, (place, _, off) = batch.begin, batch.begin + batch.length, batch.sides("weighted")[1]
        for row in flatnonzero(has_scores & (np.diff(off) != end - 1)).tolist() if not batch.seconds else ():
            scores, units = int(off[row + 1] - off[row]), int(end[row])
            problem = (
                f"a text of {units} units has {units - 1} inner positions, so it needs {units - 1} scores; got {scores}"
            )
            if scores == units:
                problem += "; the end of the text is no inner position: leave out the last score"
            errors[row] = MismatchError(f"scores: {problem}")
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


# Why average precision is undefined.
UNDEFINED = "the reference has no boundary"
_MINUTE = 60.0

# Options of the rule that chooses the best threshold.
RULE_OPTIONS = (
    Option("f_constant", 0.0, non_negative(), "number added to precision plus recall before F is divided by it"),
    Option("prefer", "highest", choice("highest", "lowest"), "threshold to take if several have the highest F"),
    Option("may_mark_nothing", True, flag, "whether to mark nothing if the reference has no boundary"),
)
# The rules of other programs are those of the recipes for this name.
CURVE = "boundary_curve"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Quality of the marks at one threshold.

    Attributes
    ----------
    threshold : float or None
        Every place with at least this score is marked; None: no place is marked.
    matches, marked : int
        Number of pairs in a maximum matching with the reference, and number of marks.
    precision, recall, f : float
        The three ratios; see ``caesura.boundary_f`` for empty sides.
    density : float
        Marks per unit, or per minute.
    """

    threshold: float | None
    matches: int
    marked: int
    precision: float
    recall: float
    f: float
    density: float


@dataclass(frozen=True, eq=False)
class BoundaryCurve(Reasoned, Result):
    """Precision, recall and F at every threshold, the result of :func:`boundary_curve`.

    Attributes
    ----------
    measure : AveragePrecision
        Tolerance and smallest distance of marks.
    compat : str or None
        Preset whose rule chooses the best threshold.
    axis : {"units", "time"}
        Axis of the scores.
    documents : int
        Number of texts or recordings.
    reference : int
        Number of boundaries of the reference.
    length : float
        Length of all texts together, in units or seconds.
    thresholds : numpy.ndarray
        Distinct scores, the highest first.
    matches, marked : numpy.ndarray
        Pairs and marks at each threshold, summed over the texts.
    chosen : CurvePoint or None
        Point at the best threshold of another corpus, there.
    excluded : tuple of Excluded
        Items that could not be used.
    """

    measure: AveragePrecision
    compat: str | None
    axis: str
    documents: int
    reference: int
    length: float
    thresholds: Floats = field(repr=False, metadata=HIDDEN)
    matches: Ints = field(repr=False, metadata=HIDDEN)
    marked: Ints = field(repr=False, metadata=HIDDEN)
    chosen: CurvePoint | None = None
    excluded: tuple[Any, ...] = ()

    json_properties: ClassVar[tuple[str, ...]] = (
        "average_precision",
        "best_threshold",
        "best_f",
        "best",
        "applied",
        "reference_density",
        "points",
        "signature",
    )
    frame_field: ClassVar[str | None] = "points"

    def __repr__(self) -> str:
        best = self.best
        value = "undefined" if self.average_precision is None else f"{self.average_precision:.4f}"
        place = "nothing marked" if best.threshold is None else f"threshold {best.threshold:.10g}"
        return f"BoundaryCurve(AP {value}, best F {best.f:.4f} with {place}, {len(self.thresholds)} thresholds)"

    @property
    def reason(self) -> str | None:
        """Why average precision is undefined; None if it is defined."""
        return None if self.reference else UNDEFINED

    @property
    def precision(self) -> Floats:
        """Precision at each threshold."""
        return divide(self.matches, self.marked)

    @property
    def recall(self) -> Floats:
        """Recall at each threshold; it never falls as the threshold falls."""
        return divide(self.matches, np.full(len(self.matches), self.reference))

    @property
    def f(self) -> Floats:
        """F at each threshold."""
        return divide(2 * self.matches, self.reference + self.marked)

    @property
    def density(self) -> Floats:
        """Marks per unit, or per minute, at each threshold."""
        return np.asarray(self.marked * self._per_length, np.float64)

    @property
    def reference_density(self) -> float:
        """Boundaries of the reference per unit, or per minute."""
        return self.reference * self._per_length

    @property
    def _per_length(self) -> float:
        unit = _MINUTE if self.axis == "time" else 1.0
        return unit / self.length if self.length else 0.0

    @cached_property
    def average_precision(self) -> float | None:
        """Sum of the steps of recall, each times the precision at its end; None if the reference has no boundary."""
        if not self.reference:
            return None
        rows = (np.asarray(row, np.float64)[None, :] for row in (self.matches, self.marked, [self.reference]))
        return float(average_steps(*rows)[0])

    @property
    def points(self) -> tuple[CurvePoint, ...]:
        """The curve, one point per threshold, the highest first."""
        rows = (self.thresholds, self.matches, self.marked, self.precision, self.recall, self.f, self.density)
        return tuple(CurvePoint(*row) for row in zip(*(column.tolist() for column in rows), strict=True))

    @property
    def rule(self) -> Mapping[str, Any]:
        """Options of the rule that chooses the best threshold."""
        recipe = recipe_of(CURVE, self.compat)
        return resolve_options(CURVE, RULE_OPTIONS, {}, None if recipe is None else recipe.measures[CURVE])

    @property
    def best(self) -> CurvePoint:
        """The point with the highest F; of equal ones, that with the highest threshold, or as the preset says."""
        return self.choose(**self.rule)

    @property
    def plain_best(self) -> CurvePoint:
        """The best point without a preset."""
        return self.choose()

    @property
    def best_threshold(self) -> float | None:
        """The best threshold; None: mark nothing."""
        return self.best.threshold

    @property
    def best_f(self) -> float:
        """F at the best threshold."""
        return self.best.f

    @property
    def applied(self) -> CurvePoint | None:
        """The point of this curve at the threshold that was chosen on another corpus."""
        return None if self.chosen is None else self.at(self.chosen.threshold)

    def choose(self, *, f_constant: float = 0.0, prefer: str = "highest", may_mark_nothing: bool = True) -> CurvePoint:
        """Return the best point by a rule.

        Parameters
        ----------
        f_constant : float, default 0
            Number added to precision plus recall before F is divided by it.
        prefer : {"highest", "lowest"}, default "highest"
            Threshold to take if several have the highest F.
        may_mark_nothing : bool, default True
            Whether to mark nothing if the reference has no boundary.

        Returns
        -------
        CurvePoint
            The point, with F as usual.
        """
        if not len(self.thresholds) or (not self.reference and may_mark_nothing):
            return self.at(None)
        f = self.f
        if f_constant:
            f = 2 * self.precision * self.recall / (self.precision + self.recall + f_constant)
        best = len(f) - 1 - int(np.argmax(f[::-1])) if prefer == "lowest" else int(np.argmax(f))
        return self.at(float(self.thresholds[best]))

    def at(self, threshold: float | None) -> CurvePoint:
        """Return the point at any threshold.

        Parameters
        ----------
        threshold : float or None
            Every place with at least this score is marked; None: no place is marked.

        Returns
        -------
        CurvePoint
            The point.
        """
        n = 0 if threshold is None else int(searchsorted(-self.thresholds, -threshold, "right"))
        matches, marked = (int(self.matches[n - 1]), int(self.marked[n - 1])) if n else (0, 0)
        all_boundaries = self.reference + marked
        precision, recall = ratio(matches, marked, all_boundaries), ratio(matches, self.reference, all_boundaries)
        f = 2 * matches / all_boundaries if all_boundaries else f_measure(precision, recall)
        return CurvePoint(threshold, matches, marked, precision, recall, f, marked * self._per_length)

    @property
    def signature(self) -> str:
        """One line with every option that is set, the axis and the version."""
        names = ("tolerance", "min_distance", "level")
        options = {name: self.measure[name] for name in names if self.measure[name] is not None}
        for name in self.measure.amount_options:
            if self.axis == "time" and isinstance(options.get(name), (int, float)):
                options[name] = f"{options[name]}s"
        documents = None if self.documents == 1 else self.documents
        return signature_line("boundary_curve", documents=documents, **options, axis=self.axis, compat=self.compat)


def boundary_curve(
    reference: Side | Sequence[Side] | Mapping[str, Side],
    scores: Any,
    *,
    tolerance: float | str = 0,
    min_distance: float | str | None = None,
    threshold_from: BoundaryCurve | float | None = None,
    level: int | None = None,
    compat: str | None = None,
) -> BoundaryCurve:
    """Compute precision, recall and F of boundary scores at every threshold.

    Parameters
    ----------
    reference : Segmentation, Tier or Hierarchy, or a list or mapping of them
        The reference, in units or in seconds. Several texts are pooled: at each threshold, matches and marks are added.
    scores : BoundaryScores or sequence, or a list or mapping of them
        One score per inner position (N-1 scores for N units), or pairs (time, score) in seconds; one entry per text if the
        reference is a list or mapping.
    tolerance : float or str, default 0
        Largest distance at which two boundaries agree: a number in the unit of the axis, ``"0.5s"``, ``"500ms"`` or ``"5%"`` of
        the extent.
    min_distance : float or str, optional
        Smallest distance of two marks. Marks enter in the order of their scores, and a mark that is nearer to one before it
        is left out; of equal scores, the earlier place comes first (default: all marks are kept).
    threshold_from : BoundaryCurve or float, optional
        Curve of another corpus, whose best threshold is applied to this one; or a threshold.
    level : int, optional
        Level of a hierarchy, if it has several.
    compat : {"wtpsplit"}, optional
        Rule of another program for the best threshold: the lowest threshold with the highest 2PR / (P + R + 0.000001).

    Returns
    -------
    BoundaryCurve
        The points, average precision and the best threshold.

    Raises
    ------
    MismatchError
        If the number of scores is not that of the inner positions, or a time lies outside the recording.
    OptionError
        If an option is invalid, or the other curve has different options.

    Notes
    -----
    At a threshold t, the marks are all places with a score of at least t. They are paired with the reference in a maximum
    matching within the tolerance. The sets of marks that can be matched form a matroid, so one pass over the marks in the
    order of their scores gives the matching of every threshold. Recall never falls as the threshold falls.

    Choose the threshold on other data than those on which F is reported, with ``threshold_from``: the best F of a curve is too
    good. If the reference has no boundary, average precision is undefined, and the best is to mark nothing, with F = 1.

    The same F can belong to very different numbers of marks. ``density`` is the number of marks per unit or minute, to be
    compared with that of human coders.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> reference = Segmentation.from_positions(7, [2, 4])
    >>> curve = boundary_curve(reference, [0.1, 0.9, 0.3, 0.3, 0.7, 0.05], tolerance=1)
    >>> curve.average_precision, curve.best_threshold, curve.best_f
    (1.0, 0.7, 1.0)
    >>> curve.at(0.8).recall
    0.5
    """
    measure = AveragePrecision.cached(None, tolerance=tolerance, min_distance=min_distance, level=level)
    names, pairs = _pairs(reference, scores)
    curve, errors = curve_of(measure, pairs, compat=compat)
    for place, error in errors.items():
        raise error if not names else type(error)(f"item {names[place]!r}: {error}")
    return with_threshold_from(curve, threshold_from)


def _pairs(reference: Any, scores: Any) -> tuple[list[str], list[tuple[Any, Any]]]:
    """Return the names of the texts, if there are several, and the pairs."""
    if isinstance(reference, Mapping):
        if not isinstance(scores, Mapping) or reference.keys() != scores.keys():
            raise OptionError("reference and scores must be mappings with the same keys")
        return [str(name) for name in reference], [(reference[name], as_scores(scores[name])) for name in reference]
    if isinstance(reference, (list, tuple)) and all(not isinstance(entry, (int, float)) for entry in reference):
        if not isinstance(scores, (list, tuple)) or len(scores) != len(reference):
            raise OptionError(f"expected {len(reference)} entries of scores, one per reference")
        listed = zip(reference, map(as_scores, scores), strict=True)
        return [str(i) for i in range(len(reference))], list(listed)
    return [], [(reference, as_scores(scores))]


class _CurveMarks(AveragePrecision):
    """What a curve needs of its texts: the reference may have no boundaries, and all scores of a corpus fit."""

    def scale(self, batch: Batch) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
        return UNTYPED, {}

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        return self.check_places(batch)


def curve_of(
    measure: AveragePrecision, pairs: Sequence[tuple[Any, Any]], *, compat: str | None = None
) -> tuple[BoundaryCurve, dict[int, CaesuraError]]:
    """Return the pooled curve of texts, and the errors of those that cannot be used."""
    if compat is not None and recipe_of(CURVE, compat) is None:
        raise OptionError(suggest("boundary_curve has no preset", compat, [entry.name for entry in recipes_of(CURVE)]))
    batch, _, errors = _CurveMarks(**measure.settings).pack(pairs)
    if batch.streams is not None:
        raise OptionError("boundary_curve needs scores of one text or recording; got streams")
    thresholds = thresholds_in(batch)
    marks = measure.enter(batch, thresholds)
    order = argsort(marks.code, kind="stable")
    codes = marks.code[order]
    last = np.append(flatnonzero(np.diff(codes)), len(codes) - 1) if len(codes) else np.empty(0, np.int64)
    curve = BoundaryCurve(
        measure,
        compat,
        "time" if batch.seconds else "units",
        len(batch),
        len(batch.sides("all_places")[0].place),
        float(np.sum(batch.length)) / batch.ticks,
        thresholds[codes[last]],
        np.cumsum(marks.gain[order])[last],
        last + 1,
    )
    return curve, errors


def with_threshold_from(curve: BoundaryCurve, source: BoundaryCurve | float | None) -> BoundaryCurve:
    if source is None:
        return curve
    if isinstance(source, BoundaryCurve):
        if source.measure != curve.measure or source.compat != curve.compat:
            first, second = source.signature, curve.signature
            raise OptionError(f"threshold_from: both curves need the same options; got {first} and {second}")
        chosen = source.best
    else:
        threshold = finite_number(source)
        if threshold is None:
            raise OptionError(f"threshold_from must be a curve or a finite number; got {source!r:.40}")
        chosen = curve.at(threshold)
    return replace(curve, chosen=chosen)
