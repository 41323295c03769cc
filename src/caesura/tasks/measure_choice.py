"""The measures of a task: those that the user requested, or the defaults for the kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caesura.errors import OptionError
from caesura.formats.settings import Settings
from caesura.measures.axis import compares_seconds, in_seconds
from caesura.measures.base import Measure
from caesura.measures.registry import DEFAULT_MEASURES, default_measures, parse
from caesura.measures.registry import measures as registered_measures
from caesura.model.annotation import tiers_of
from caesura.model.common_units import are_no_types
from caesura.model.corpus import Corpora, Corpus, extent_problem, flat_as_tiers, lack_units, tier_option, tiers_by_item
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED
from caesura.model.spans import Spans
from caesura.notices import warn
from caesura.options import setting

# Kind of data -> its plural in messages.
KIND_NAMES = {
    "linear": "segmentations",
    "dialogue": "dialogues",
    "timed": "tiers in seconds",
    "spans": "spans",
    "hierarchy": "hierarchies",
    "trees": "trees",
}


def measure_value(name: str, value: Measure | str) -> Measure:
    """Return a measure; parse it if it is a string. This function is a validator for options."""
    return parse(value)


def measures_setting(
    description: str = 'Measure with its options, such as "window_diff(window=5)". May be repeated; see `caesura measures`.',
) -> Any:
    return setting((), measure_value, description, flags=("-m", "--measure"))


def with_plain_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures; those with a preset are followed by their plain form, unless files are read for the preset."""
    chosen = []
    for measure in measures:
        has_own_reading = measure.recipe is not None and measure.recipe.reading
        chosen += [measure] if has_own_reading else [measure, measure.plain()]
    return tuple(dict.fromkeys(chosen))


def choose_measures(
    task: str,
    corpus: Corpus,
    requested: Sequence[Measure | str] = (),
    *,
    settings: Settings | None = None,
    compat: str | None = None,
) -> tuple[Measure, ...]:
    kind = corpus.kind
    chosen = tuple(dict.fromkeys(map(parse, requested)))
    if kind in ("timed", "spans") and chosen:
        _check_measures(chosen, task, kind)
        return chosen
    if kind not in DEFAULT_MEASURES[task]:
        raise OptionError(f"`{task}` is not defined for {KIND_NAMES[kind]}; {_ALTERNATIVES[kind]}")
    if chosen:
        _check_measures(chosen, task, kind)
    else:
        chosen = _defaults(task, corpus, settings, compat)
    return with_settings(chosen, settings)


_ALTERNATIVES = {
    "hierarchy": "`caesura score` and `caesura agree` compare hierarchies",
    "trees": "`caesura score` and `caesura trees` compare two files of trees",
    "timed": "convert the tiers to units first: --reading units=union",
}


def _defaults(task: str, corpus: Corpus, settings: Settings | None, compat: str | None) -> tuple[Measure, ...]:
    kind = corpus.kind
    if kind == "linear" and settings is not None:
        kind = "dialogue"  # a settings file describes boundary types and their similarity
    defaults = default_measures(task, kind)
    hierarchies = (entry for entry in corpus.values() if isinstance(entry, Hierarchy))
    if kind == "hierarchy" and any(span.label is None for entry in hierarchies for span in entry.spans):
        defaults = tuple(measure for measure in defaults if not measure.needs_labels)
    return tuple(measure for measure in defaults if compat in (None, *measure.presets)) or defaults


def _check_measures(chosen: Sequence[Measure], task: str, kind: str) -> None:
    for measure in chosen:
        if kind not in measure.kinds:
            fitting = [name for name, entry in registered_measures().items() if kind in entry.kinds]
            if task == "agree":
                with_coefficients = [name for name in fitting if registered_measures()[name].coefficients]
                fitting = fitting if kind == "timed" else with_coefficients or fitting
            raise OptionError(f"{measure.name} cannot score {KIND_NAMES[kind]}; use {', '.join(fitting)}")


def with_settings(measures: Sequence[Measure], settings: Settings | None) -> tuple[Measure, ...]:
    """Return the measures with the matrix and costs of a settings file."""
    if settings is None:
        return tuple(measures)
    options = settings.measure_options()
    normalize = options.pop("normalize", None)
    if normalize is not None and len(measures) > 1:
        measures = [measure for measure in measures if measure.settings.get("normalize") in (None, normalize)]
    return tuple(measure.with_settings(options) for measure in measures)


def compares_spans(measures: Sequence[Measure]) -> bool:
    """Return whether all measures compare spans as they are, so that spans need not become hierarchies."""
    return bool(measures) and all("spans" in measure.kinds for measure in measures)


def measures_in_seconds(
    corpora: Sequence[Mapping[Any, Annotation]], requested: Sequence[Measure]
) -> tuple[Measure, ...]:
    """Return the requested measures that compare the tiers of some corpora in seconds, without units."""
    annotations = [annotation for corpus in corpora for annotation in corpus.values()]
    if not annotations or not all(map(tiers_of, annotations)):
        return ()
    without_units = lack_units(corpora)
    return tuple(
        measure
        for measure in dict.fromkeys(requested)
        if compares_seconds(measure) or (without_units and _has_time_axis(measure))
    )


def _has_time_axis(measure: Measure) -> bool:
    """Return whether a measure has a definition in seconds with these options; B needs its n_t in seconds."""
    return compares_seconds(measure) or ("timed" in measure.kinds and not isinstance(measure.settings.get("n_t"), int))


def measures_as_they_are(
    corpora: Sequence[Mapping[Any, Annotation]], requested: Sequence[Measure]
) -> tuple[Measure, ...]:
    """Return the measures that compare the annotations without conversion: times in seconds, or spans that may cross."""
    if _axes_of_spans(corpora):
        return tuple(measure for measure in dict.fromkeys(requested) if "spans" in measure.kinds)
    annotations = [annotation for corpus in corpora for annotation in corpus.values()]
    if annotations and all(isinstance(entry, Hierarchy) and entry.edges is not None for entry in annotations):
        # Common units would merge times that are close to each other.
        in_time = [measure for measure in dict.fromkeys(requested) if "hierarchy" in measure.kinds]
        return tuple(measure for measure in in_time if compares_seconds(measure) or _has_time_axis(measure))
    return measures_in_seconds(corpora, requested)


def default_direct_measures(
    task: str,
    corpora: Sequence[Mapping[Any, Annotation]],
    requested: tuple[Measure, ...],
    *,
    settings: Settings | None = None,
) -> tuple[Measure, ...]:
    """Return the requested measures; if there are none, those that compare spans or seconds without conversion."""
    if requested:
        return requested_measures(corpora, requested, settings=settings)
    timed = corpora if lack_units(corpora) else flat_as_tiers(corpora)
    if settings is None and timed:
        return default_timed_measures(task, timed)
    axes = _axes_of_spans(corpora)
    chosen = default_measures(task, "timed spans" if "seconds" in axes else "spans") if axes else ()
    if chosen and "seconds" in axes:
        warn(
            "spans in seconds are equal only if both ends are at the same time; `caesura agree` compares them with gamma, "
            "which allows shifts"
        )
    return chosen


def requested_measures(
    corpora: Sequence[Mapping[Any, Annotation]], requested: Sequence[Measure], *, settings: Settings | None = None
) -> tuple[Measure, ...]:
    """Return the requested measures; for annotations in seconds without units, with their numbers in seconds."""
    tiers = lack_units(corpora)
    if settings is not None or not (tiers or flat_as_tiers(corpora)):
        return tuple(requested)
    chosen = []
    for measure in requested:
        counts_positions = not {"linear", "dialogue"}.isdisjoint(measure.kinds)
        if _has_time_axis(measure):
            chosen.append(in_seconds(measure))
        elif counts_positions and (tiers or "timed" in measure.kinds or "hierarchy" not in measure.kinds):
            raise OptionError(_no_positions(measure, convertible=tiers))
        else:
            chosen.append(measure)
    return tuple(chosen)


def _no_positions(measure: Measure, *, convertible: bool) -> str:
    """Return why a measure cannot compare annotations in seconds, and what to use."""
    problem = f"{measure.label} counts positions between units, and these annotations are in seconds, without units"
    own = f"{measure.label}(n_t=1s) in seconds, " if "timed" in measure.kinds else ""
    hint = f"use {own}F1@0.5s, {'' if own else 'B(n_t=1s), '}Pk, WD, purity_coverage or label_share"
    units = "; or make units: --reading units=0.1 (steps of 0.1 s) or units=union (the coders' times)"
    return f"{problem}; {hint}{units if convertible else ''}"


def _axes_of_spans(corpora: Sequence[Mapping[Any, Annotation]]) -> set[str]:
    """Return what the positions of spans count; empty if there are other annotations."""
    axes: set[str] = set()
    for corpus in corpora:
        for annotation in corpus.values():
            if not isinstance(annotation, Spans):
                return set()
            axes.add(annotation.axis)
    return axes


def default_timed_measures(task: str, corpora: Corpora) -> tuple[Measure, ...]:
    chosen = default_measures(task, "timed labels" if _share_labels(corpora) else "timed")
    problem = extent_problem(corpora)
    if problem is None:
        return chosen
    warn(problem)
    return tuple(measure for measure in chosen if not measure.needs.extent)


def _share_labels(corpora: Corpora) -> bool:
    """Return whether labels say what a segment is: two annotations of an item use the same one, and they are no text."""
    wanted = {tier_option(corpus, "labels") for corpus in corpora}
    together = tiers_by_item(corpora).values()
    tiers = [tier for group in together for tier in group]
    if "ignore" in wanted or ("types" not in wanted and are_no_types(tiers)):
        return False
    for group in together:
        labels = [label for tier in group for label in {interval.label for interval in tier.intervals} - {*UNTYPED}]
        if len(set(labels)) < len(labels):
            return True
    return False
