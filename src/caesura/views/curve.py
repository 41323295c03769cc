"""Tables of boundary scores at their thresholds."""

from __future__ import annotations

from typing import Any

from caesura.measures.curve import PRESET_MISTAKES, CurvePoint
from caesura.tasks.curve import CurveRow, CurveStudy, MeanPoint
from caesura.views.answer import Answer, Section
from caesura.views.answers.curves import curve_answer, threshold_text
from caesura.views.answers.words import join
from caesura.views.table import Table, or_undefined


def curve_view(study: CurveStudy, figure: str | None = None) -> Answer:
    """Return what ``caesura curve`` prints."""
    per_length = "per minute" if study.axis == "time" else "per unit"
    sections = (
        Section("thresholds", _thresholds(study, per_length)),
        Section("points", lambda: _points(study, per_length)),
        Section(
            "densities",
            Table.from_records(
                [
                    {"coder": entry.coder, "boundaries": entry.boundaries, per_length: entry.density}
                    for entry in study.densities
                ],
                title="How densely coders mark",
            ),
        ),
    )
    more = [] if study.first.chosen is not None else ["--threshold-from FILE for a threshold from other data"]
    more += [] if figure is not None else ["--plot FILE.svg for a figure"]
    return Answer(curve_answer(study), sections, tuple(more))


def _thresholds(study: CurveStudy, per_length: str) -> Table:
    records = [record for row in study.curves for record in _records(study, row, per_length)]
    records += [_mean_record(mean, per_length) for mean in study.means]
    left_out = (
        "choice" if len(records) == len(study.curves) + len(study.means) else "marks"
    )  # so that a row fits into 80 columns
    records = [{name: cell for name, cell in record.items() if name != left_out} for record in records]
    return Table.from_records(records, notes=_notes(study), digits=3)


def _mean_record(mean: MeanPoint, per_length: str) -> dict[str, Any]:
    return {
        "scores": mean.system,
        "reference": "(mean)",
        "AP": or_undefined(mean.average_precision),
        "choice": "best",
        "threshold": "none" if mean.threshold is None else f"{mean.threshold:.6g}",
        "P": mean.precision,
        "R": mean.recall,
        "F": mean.f,
        "marks": mean.marked,
        per_length: mean.density,
    }


def _notes(study: CurveStudy) -> tuple[str, ...]:
    undefined = dict.fromkeys(f"AP is undefined: {row.curve.reason}" for row in study.curves if row.curve.reason)
    chosen = [f"chosen: on {join(study.threshold_from)}; applied: here"] if study.threshold_from else []
    compat = study.first.compat
    mistakes = [f"{compat}: {PRESET_MISTAKES[compat]}"] if compat is not None else []
    means = ["(mean): over coders, at the threshold with the highest mean F"] if study.means else []
    return (*means, *chosen, *mistakes, *undefined, study.signature)


def _records(study: CurveStudy, row: CurveRow, per_length: str) -> list[dict[str, Any]]:
    curve = row.curve
    points: list[tuple[str, CurvePoint]] = [("best", curve.best)]
    if curve.compat is not None:
        points = [(curve.compat, curve.best), ("best", curve.plain_best)]
    if curve.chosen is not None and curve.applied is not None:
        if study.threshold_from:
            points.append(("chosen", curve.chosen))
        points.append(("applied", curve.applied))
    names = {"scores": row.system, "reference": row.reference, "AP": or_undefined(curve.average_precision)}
    return [names | {"choice": choice} | _point_cells(point, per_length) for choice, point in points]


def _point_cells(point: CurvePoint, per_length: str) -> dict[str, Any]:
    return {
        "threshold": threshold_text(point),
        "P": point.precision,
        "R": point.recall,
        "F": point.f,
        "marks": point.marked,
        per_length: point.density,
    }


def _points(study: CurveStudy, per_length: str) -> Table:
    records = [
        {"scores": row.system, "reference": row.reference} | _point_cells(point, per_length)
        for row in study.curves
        for point in row.curve.points
    ]
    return Table.from_records(records, title="Every threshold", digits=3)
