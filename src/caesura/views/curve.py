"""Boundary scores at their thresholds: sentences and tables."""

from __future__ import annotations

from typing import Any

from caesura.measures.curve import CURVE, BoundaryCurve, CurvePoint
from caesura.measures.recipes import recipe_of
from caesura.model.value import count_of
from caesura.tasks.curve import CurveRow, CurveStudy, MeanPoint
from caesura.views.answer import Answer, Section
from caesura.views.answers.words import join, short
from caesura.views.table import Table, or_undefined

_MAX_ROWS = 3  # curves, coders or densities in a sentence


def curve_view(study: CurveStudy, figure: str | None = None) -> Answer:
    per_length = "per minute" if study.axis == "time" else "per unit"
    rows = tuple((entry.coder, entry.boundaries, entry.density) for entry in study.densities)
    densities = Table(("coder", "boundaries", per_length), rows, title="How densely coders mark")
    sections = (
        Section("thresholds", _thresholds(study, per_length)),
        Section("points", lambda: _points(study, per_length)),
        Section("densities", densities),
    )
    more = [] if study.first.chosen is not None else ["--threshold-from FILE for a threshold from other data"]
    more += [] if figure is not None else ["--plot FILE.svg for a figure"]
    return Answer(curve_answer(study), sections, tuple(more))


def _thresholds(study: CurveStudy, per_length: str) -> Table:
    records = [record for row in study.curves for record in _records(study, row, per_length)]
    for mean in study.means:
        names = {"scores": mean.system, "reference": "(mean)", "AP": or_undefined(mean.average_precision)}
        records.append(names | {"choice": "best"} | _point_cells(mean, per_length))
    # So that a row fits into 80 columns.
    left_out = "choice" if len(records) == len(study.curves) + len(study.means) else "marks"
    records = [{name: cell for name, cell in record.items() if name != left_out} for record in records]
    return Table.from_records(records, notes=_notes(study), digits=3)


def _notes(study: CurveStudy) -> tuple[str, ...]:
    undefined = dict.fromkeys(f"AP is undefined: {row.curve.reason}" for row in study.curves if row.curve.reason)
    chosen = [f"chosen: on {join(study.threshold_from)}; applied: here"] if study.threshold_from else []
    recipe = recipe_of(CURVE, study.first.compat)
    mistakes = [] if recipe is None else [f"{recipe.name}: {recipe.mistakes[CURVE]}"]
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


def _point_cells(point: CurvePoint | MeanPoint, per_length: str) -> dict[str, Any]:
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


# -- sentences --------------------------------------------------------------------------------------------------------


def curve_answer(study: CurveStudy) -> str:
    if study.means:
        return " ".join(_over_coders(study, mean) for mean in study.means[:_MAX_ROWS])
    return " ".join([*map(_quality, study.curves[:_MAX_ROWS]), _threshold(study, study.first)])


def threshold_text(point: CurvePoint | MeanPoint) -> str:
    return "none" if point.threshold is None else f"{point.threshold:.6g}"


def density_text(density: float, axis: str) -> str:
    return f"{density:.3g} per {'minute' if axis == 'time' else 'unit'}"


def _over_coders(study: CurveStudy, mean: MeanPoint) -> str:
    """Say how good scores are against several coders, and at which common threshold."""
    curves = {row.reference: row.curve for row in study.curves if row.system == mean.system}
    tolerance = study.first.measure.settings["tolerance"]
    coders = f"{len(curves)} coders{f' within {tolerance}' if tolerance else ''}"
    if mean.average_precision is None:
        quality = f"{mean.system}: the mean AP over {coders} is undefined, because a coder marked nothing."
    else:
        each = [f"{short(curve.average_precision)} for {name}" for name, curve in curves.items()]
        quality = f"{mean.system} has a mean AP of {short(mean.average_precision)} over {coders} ({_few(each)})."
    if mean.threshold is None:
        return f"{quality} The best is to mark nothing: mean F = {short(mean.f)}."
    densities = [f"{name} {density_text(curve.reference_density, study.axis)}" for name, curve in curves.items()]
    return (
        f"{quality} The best threshold for all of them is {threshold_text(mean)}: mean F = {short(mean.f)}, with "
        f"{density_text(mean.density, study.axis)} marked ({_few(densities)})."
    )


def _few(entries: list[str]) -> str:
    rest = len(entries) - _MAX_ROWS
    return join(entries) if rest <= 0 else ", ".join(entries[:_MAX_ROWS]) + f" and {rest} more"


def _quality(row: CurveRow) -> str:
    curve = row.curve
    items = count_of(curve.documents, "item")
    boundaries = f"{curve.reference:,} boundar{'y' if curve.reference == 1 else 'ies'}"
    if curve.reason is not None:
        return f"{row.system} against {row.reference}: AP is undefined, because {curve.reason} ({items})."
    tolerance = curve.measure.settings["tolerance"]
    within = f" within {tolerance}" if tolerance else ""
    value = f"AP = {short(curve.average_precision)} ({items})"
    return f"{row.system} finds the {boundaries} of {row.reference}{within} with {value}."


def _threshold(study: CurveStudy, curve: BoundaryCurve) -> str:
    if curve.chosen is not None and curve.applied is not None:
        return _applied(study, curve, curve.chosen, curve.applied)
    best = curve.best
    if best.threshold is None:
        return f"The best is to mark nothing: F = {short(best.f)}."
    densities = [f"{entry.coder} {density_text(entry.density, curve.axis)}" for entry in study.densities[:_MAX_ROWS]]
    rule = "" if curve.compat is None else f" by the rule of {curve.compat}"
    text = (
        f"The best threshold{rule} is {threshold_text(best)}: F = {short(best.f)}, precision {short(best.precision)}, recall "
        f"{short(best.recall)}, with {density_text(best.density, curve.axis)} marked ({join(densities)})."
    )
    plain = curve.plain_best
    if curve.compat is not None and plain != best:
        text += f" Without the preset it is {threshold_text(plain)}, with F = {short(plain.f)}."
    return text


def _applied(study: CurveStudy, curve: BoundaryCurve, chosen: CurvePoint, applied: CurvePoint) -> str:
    best = f"the best threshold here, {threshold_text(curve.best)}, would give {short(curve.best.f)}"
    if not study.threshold_from:
        return f"At the threshold {threshold_text(applied)}, F = {short(applied.f)}; {best}."
    there = f"was chosen on {join(study.threshold_from)}, where F = {short(chosen.f)}"
    return f"The threshold {threshold_text(chosen)} {there}; here it gives F = {short(applied.f)}; {best}."
