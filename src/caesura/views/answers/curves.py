"""Sentences about boundary scores and their thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.model.value import count_of
from caesura.views.answers.words import join, short

if TYPE_CHECKING:  # commands with other results must not import these
    from caesura.measures.curve import BoundaryCurve, CurvePoint
    from caesura.tasks.curve import CurveRow, CurveStudy, MeanPoint

_MAX_ROWS = 3


def curve_answer(study: CurveStudy) -> str:
    """Say how good boundary scores are, and at which threshold."""
    if study.means:
        return " ".join(_over_coders(study, mean) for mean in study.means[:_MAX_ROWS])
    first = study.curves[0]
    sentences = [_quality(row) for row in study.curves[:_MAX_ROWS]]
    sentences.append(_threshold(study, first.curve))
    return " ".join(sentences)


def threshold_text(point: CurvePoint) -> str:
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
        f"{quality} The best threshold for all of them is {mean.threshold:.6g}: mean F = {short(mean.f)}, with "
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
    place = join(study.threshold_from)
    there = f"was chosen on {place}, where F = {short(chosen.f)}"
    return f"The threshold {threshold_text(chosen)} {there}; here it gives F = {short(applied.f)}; {best}."
