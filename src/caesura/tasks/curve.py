"""At which threshold are boundary scores best, how good are they at any, and how densely do people mark?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from caesura.errors import OptionConflictError, OptionError
from caesura.measures.axis import amount
from caesura.measures.curve import CURVE, AveragePrecision, BoundaryCurve, curve_of, with_threshold_from
from caesura.measures.recipes import recipes_of
from caesura.model.corpus import Corpus
from caesura.model.index import searchsorted
from caesura.model.plain import json_entries
from caesura.model.result import Excluded, Result
from caesura.model.scores import BoundaryScores
from caesura.model.value import Floats
from caesura.options import OptionSet, choice, finite, path, setting, text, whole
from caesura.tasks.reading import ReadingOptions

# Tolerance for scores in seconds, unless another one is chosen.
DEFAULT_SECONDS = "0.5s"


def _amount(name: str, value: Any) -> float | str:
    """Check for a tolerance; on the command line a number is a text."""
    try:
        return amount(name, float(value))
    except (TypeError, ValueError):
        return amount(name, value)


_amount.value_type, _amount.choices = str, ()  # type: ignore[attr-defined]  # for the command line


@dataclass(frozen=True)
class CurveOptions(OptionSet):
    tolerance: float | str | None = setting(
        None, _amount, "Largest distance at which two boundaries agree: 2, 0.5s, 500ms or 5% (default: 0, or 0.5s)."
    )
    min_distance: float | str | None = setting(
        None, _amount, "Smallest distance of two marks; the mark with the higher score is kept."
    )
    threshold_from: tuple[str, ...] = setting(
        (), path, "File with references and scores on which the threshold is chosen. May be repeated."
    )
    threshold: float | None = setting(None, finite, "Threshold to apply, instead of one from another file.")
    references: tuple[str, ...] = setting(
        (), text, "Coder who is a reference (default: all coders). May be repeated.", flags=("--reference",)
    )
    systems: tuple[str, ...] = setting(
        (), text, "Name of the scores to use (default: all). May be repeated.", flags=("--system",)
    )
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))
    level: int | None = setting(None, whole(1), "Level of a hierarchy to compare (needed if it has several).")
    compat: str | None = setting(
        None,
        choice(*(recipe.name for recipe in recipes_of(CURVE))),
        "Rule of another program for the best threshold; the usual one is shown beside it.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold_from and self.threshold is not None:
            raise OptionConflictError("--threshold and --threshold-from exclude each other; remove one of them")


@dataclass(frozen=True)
class CurveRow(Result):
    system: str
    reference: str
    curve: BoundaryCurve

    def __json__(self) -> dict[str, Any]:
        """Return names, curve and points as one object with the reference's number of boundaries."""
        entries = json_entries(self.curve)
        boundaries = entries.pop("reference")
        entries.pop("excluded", None)
        return {"system": self.system, "reference": self.reference, "reference_boundaries": boundaries, **entries}


@dataclass(frozen=True)
class CoderDensity:
    coder: str
    boundaries: int  # number of boundaries, over all items with scores
    density: float  # boundaries per unit, or per minute


@dataclass(frozen=True)
class MeanPoint:
    """One threshold for all coders: the one with the highest mean F of a program against each of them."""

    system: str
    references: tuple[str, ...]
    average_precision: float | None  # mean of the average precisions; None if it is undefined for a coder
    threshold: float | None  # the highest of the best thresholds; None: mark nothing
    precision: float  # like recall and f, a mean over the coders at this threshold
    recall: float
    f: float
    marked: int
    density: float  # marks per unit, or per minute

    @classmethod
    def of(cls, rows: Sequence[CurveRow]) -> MeanPoint:
        curves = [row.curve for row in rows]
        thresholds = np.unique(np.concatenate([curve.thresholds for curve in curves]))[::-1]
        f = np.mean([_f_at(curve, thresholds) for curve in curves], axis=0)
        nothing = fmean(curve.at(None).f for curve in curves)
        # Nothing is marked only if that is better than every threshold, as for one coder.
        best = float(thresholds[np.argmax(f)]) if f.size and f.max() >= nothing else None
        points = [curve.at(best) for curve in curves]
        precisions = [curve.average_precision for curve in curves if curve.average_precision is not None]
        return cls(
            system=rows[0].system,
            references=tuple(row.reference for row in rows),
            average_precision=fmean(precisions) if len(precisions) == len(curves) else None,
            threshold=points[0].threshold,
            precision=fmean(point.precision for point in points),
            recall=fmean(point.recall for point in points),
            f=fmean(point.f for point in points),
            marked=points[0].marked,
            density=points[0].density,
        )


def _f_at(curve: BoundaryCurve, thresholds: Floats) -> Floats:
    """Return F of a curve at many thresholds, which need not be its own."""
    marked = searchsorted(-curve.thresholds, -thresholds, "right")
    return np.asarray(np.concatenate([[curve.at(None).f], curve.f])[marked], np.float64)


@dataclass(frozen=True)
class CurveStudy(Result):
    """Curves of all programs against all coders, the result of ``score_thresholds``."""

    curves: tuple[CurveRow, ...]  # one curve per program and coder
    densities: tuple[CoderDensity, ...]
    axis: str
    threshold_from: tuple[str, ...] = ()  # files on which the threshold was chosen
    # One threshold per program for all coders, if there are several; empty if a threshold is applied.
    means: tuple[MeanPoint, ...] = ()
    excluded: tuple[Excluded, ...] = ()

    json_properties: ClassVar[tuple[str, ...]] = ("average_precision", "best_threshold", "best_f", "signature")
    frame_field: ClassVar[str | None] = "curves"

    @property
    def first(self) -> BoundaryCurve:
        return self.curves[0].curve

    @property
    def average_precision(self) -> float | None:
        """Average precision of the first program, as mean over the coders; None if it is undefined."""
        return self.means[0].average_precision if self.means else self.first.average_precision

    @property
    def best_threshold(self) -> float | None:
        """The best threshold of the first program for all coders; None: mark nothing."""
        return self.means[0].threshold if self.means else self.first.best_threshold

    @property
    def best_f(self) -> float:
        """F of the first program at its best threshold, as mean over the coders."""
        return self.means[0].f if self.means else self.first.best_f

    @property
    def signature(self) -> str:
        return self.first.signature


def read_scored(reading: ReadingOptions, paths: Sequence[str]) -> Corpus:
    """Read references and boundary scores; times stay in seconds."""
    if any(reading.accepts(name, "scores") for name in paths):
        reading = reading.with_options(scores=True)
    corpus = reading.require(reading.read_in_seconds(paths), "draw a curve of")
    if reading.errors and not any(isinstance(entry, BoundaryScores) for entry in corpus.values()):
        raise OptionError("no boundary scores could be read; correct the cells that are listed above")
    return corpus


def score_thresholds(
    corpus: Corpus, options: CurveOptions | None = None, *, threshold_corpus: Corpus | None = None
) -> CurveStudy:
    options = options or CurveOptions()
    corpus = corpus.select(items=options.items or None)
    systems, coders = _sides(corpus, options)
    timed = any(isinstance(entry, BoundaryScores) and entry.timed for entry in corpus.values())
    tolerance = (DEFAULT_SECONDS if timed else 0) if options.tolerance is None else options.tolerance
    measure = AveragePrecision(tolerance=tolerance, min_distance=options.min_distance, level=options.level)
    rows, excluded = [], []
    for system, coder in product(systems, coders):
        curve, missing = _curve(corpus, system, coder, measure, options)
        source = None if threshold_corpus is None else _chosen_curve(threshold_corpus, system, coder, measure, options)
        rows.append(CurveRow(system, coder, with_threshold_from(curve, source or options.threshold)))
        excluded += missing
    densities = tuple(
        CoderDensity(row.reference, row.curve.reference, row.curve.reference_density)
        for row in rows
        if row.system == systems[0]
    )
    axis = rows[0].curve.axis
    may_share = len(coders) > 1 and rows[0].curve.chosen is None and options.compat is None
    means = [MeanPoint.of([row for row in rows if row.system == system]) for system in systems] if may_share else []
    return CurveStudy(
        tuple(rows), densities, axis, options.threshold_from, tuple(means), tuple(dict.fromkeys(excluded))
    )


def _sides(corpus: Corpus, options: CurveOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    scored = {coder for (_, coder), entry in corpus.items() if isinstance(entry, BoundaryScores)}
    systems = tuple(name for name in corpus.coders if name in scored)
    coders = tuple(name for name in corpus.coders if name not in scored)
    if not systems:
        raise OptionError(
            "no boundary scores: expected a column called score, or a JSON field called scores; name the column with "
            "--fields score=NAME"
        )
    if not coders:
        raise OptionError(
            "no reference: expected a column of 0/1 marks beside the scores, or a file with the reference"
        )
    return _chosen("scores", systems, options.systems), _chosen("coder", coders, options.references)


def _chosen(kind: str, names: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    for name in wanted:
        if name not in names:
            raise OptionError(f"there is no {kind} {name!r}; there is {', '.join(map(repr, names))}")
    return tuple(name for name in names if name in wanted) if wanted else names


def _curve(
    corpus: Corpus, system: str, coder: str, measure: AveragePrecision, options: CurveOptions
) -> tuple[BoundaryCurve, list[Excluded]]:
    references, scores = corpus.of_coder(coder), corpus.of_coder(system)
    if len(references) == len(scores) == 1:  # one text, which may have two names
        scores = dict(zip(references, scores.values(), strict=True))
    items = [item for item in references if item in scores]
    excluded = [Excluded(item, system, "no scores for this item") for item in references if item not in scores]
    excluded += [Excluded(item, coder, "no reference for these scores") for item in scores if item not in references]
    if not items:
        raise OptionError(
            f"{coder!r} and the scores {system!r} have no item in common; use the same item names in both"
        )
    curve, errors = curve_of(measure, [(references[item], scores[item]) for item in items], compat=options.compat)
    if len(errors) == len(items):
        place, error = next(iter(errors.items()))
        raise type(error)(f"item {items[place]!r}: {error}")
    excluded += [Excluded(items[place], coder, str(error)) for place, error in errors.items()]
    return curve, excluded


def _chosen_curve(
    corpus: Corpus, system: str, coder: str, measure: AveragePrecision, options: CurveOptions
) -> BoundaryCurve:
    """Return the curve of the corpus on which the threshold is chosen; its names may differ if there is only one."""
    systems, coders = _sides(corpus, replace(options, systems=(), references=()))
    names = []
    for kind, name, known in (("scores", system, systems), ("coder", coder, coders)):
        if name not in known and len(known) > 1:
            raise OptionError(f"--threshold-from: there is no {kind} {name!r}; there is {', '.join(map(repr, known))}")
        names.append(name if name in known else known[0])
    return _curve(corpus, names[0], names[1], measure, options)[0]
