"""Boundary curves: precision, recall and F of boundary scores at every threshold, and the best threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError, OptionError
from caesura.measures.average_precision import AveragePrecision, as_scores, average_steps, thresholds_in
from caesura.measures.axis import Side
from caesura.measures.recipes import recipe_of, recipes_of
from caesura.measures.sums import divide
from caesura.model.batch import Batch
from caesura.model.checks import finite_number
from caesura.model.index import argsort, flatnonzero, searchsorted
from caesura.model.result import HIDDEN, Reasoned, Result, f_measure, ratio, signature_line
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, flag, non_negative, resolve_options, suggest

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
