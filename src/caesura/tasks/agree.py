"""Agreement between coders beyond chance, with additional analyses of their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from caesura.agreement.bootstrap import MIN_REPLICATES, REPLICATES_HELP
from caesura.agreement.chance import CHANCE_NAMES, Chance, Exact, Placement, Simulate, as_chance
from caesura.agreement.clusters import Clustering, cluster_coders, cluster_coefficients
from caesura.agreement.cochran import cochran_q
from caesura.agreement.coefficients import SharedScores, agreement, agreement_with_placement, has_positions
from caesura.agreement.families import coefficient_for, coefficient_name, default_coefficient, resolve_coefficient
from caesura.agreement.groups import GroupedAgreement, check_groups, group_agreement
from caesura.agreement.labels import label_agreement
from caesura.agreement.mean import MEAN
from caesura.agreement.placed import Placed, boundaries_placed, boundary_heat, spans_placed
from caesura.agreement.result import Agreement
from caesura.agreement.unitizing import UnitizingCoefficient, shared_results
from caesura.agreement.unitizing_registry import DEFAULT_UNITIZING, UNITIZING, default_unitizing, resolve_unitizing
from caesura.engines import Engine
from caesura.errors import CaesuraError, InputError, MismatchError, OptionConflictError, OptionError, Undefined
from caesura.formats.settings import Settings, read_groups
from caesura.measures.base import POSITION_COEFFICIENTS, Measure
from caesura.measures.registry import measures
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.plain import json_entries
from caesura.model.result import Excluded, Result
from caesura.model.similarity import first_asymmetry, is_full_matrix, symmetric_mean
from caesura.model.spans import Spans
from caesura.model.value import count_of, list_few
from caesura.notices import issue
from caesura.options import OptionSet, choice, fraction, optional, path, preset_check, seed, setting, switch, whole
from caesura.progress import progress_step
from caesura.tasks.measure_choice import (
    choose_measures,
    default_direct_measures,
    measures_as_they_are,
    measures_setting,
    requested_measures,
)
from caesura.tasks.units import CommonUnits, at_level, level_setting, on_common_units, with_units

# Presets of the measures and coefficients for which agreement is defined.
PRESETS = tuple(
    dict.fromkeys(
        [
            *(name for entry in measures().values() if entry.coefficients for name in entry.presets),
            *(name for entry in UNITIZING.values() for name in entry.presets),
        ]
    )
)


def named_group(name: str, value: Any) -> tuple[str, tuple[str, ...]]:
    if isinstance(value, tuple) and len(value) == 2:
        return str(value[0]), tuple(value[1])
    group, _, coders = str(value).partition("=")
    members = tuple(coder.strip() for coder in coders.split(",") if coder.strip())
    if not group.strip() or not members:
        raise OptionError(f"{name} must be NAME=CODER,CODER,...; got {value!r}")
    return group.strip(), members


@dataclass(frozen=True)
class AgreeOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        'Symmetric measure with its options, such as "boundary_similarity(n_t=3)". May be repeated (default: B and S; '
        "S_f and S_f^B for dialogues; in seconds F1@0.5s and purity_coverage, and label_share for labels)."
    )
    coefficients: tuple[str, ...] = setting(
        (),
        coefficient_name,
        "Coefficient: pi (Fleiss), kappa (Cohen, Davies & Fleiss), bias, alpha (Krippendorff), s and s_modified for S_f, or "
        f"mean, the mean over pairs; for spans {', '.join(UNITIZING)}, with options such as 'u_alpha(atom=0.01)'. May be "
        "repeated (default: pi; kappa for S_f, hierarchies and labels; mean in seconds; "
        f"{', '.join(DEFAULT_UNITIZING)} for spans).",
        flags=("-c", "--coefficient"),
    )
    hierarchy_level: int | None = level_setting()
    clusters: bool = switch("Add a dendrogram of the coders with the agreement inside each cluster.")
    cochran: bool = switch(
        "Add Cochran's Q, percentage agreement, and the number of coders who must mark a boundary for it to count."
    )
    label_similarity: bool = switch("Add the Jaccard similarity of segment labels.")
    heat: bool = switch("Add the number of coders who marked each position, item by item.")
    group: tuple[tuple[str, tuple[str, ...]], ...] = setting(
        (),
        named_group,
        "Group of coders, NAME=CODER,CODER,... Adds the agreement inside each group, with mean and deviation. May be repeated.",
    )
    groups: str | None = setting(None, path, "CSV file with the columns coder and group, instead of --group.")
    interval: str | None = setting(
        "items",
        optional(choice("items", "coders"), "none"),
        "Resample items or coders in the bootstrap; none omits the interval.",
    )
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int | None = setting(None, whole(MIN_REPLICATES), REPLICATES_HELP)
    chance: str | None = setting(
        None,
        choice(*CHANCE_NAMES),
        "How to compute chance agreement (default: published). placement is the similarity of coders who place their "
        "boundaries at random; simulate and exact are for S_f, li2024 for span_f and token_f.",
    )
    draws: int | None = setting(None, whole(20), "Number of simulated pairs of texts for S_f (default: 10000).")
    tolerance: float | None = setting(
        None, fraction, "Simulate chance agreement for S_f until its standard error is below this number."
    )
    no_variates: bool = switch("Simulate without control variates, which remove most of the noise (S_f only).")
    seed: int = setting(0, seed, "Random seed for bootstrap and simulation.")
    symmetric_mean: bool = switch("Use the mean of both directions of an asymmetric similarity matrix (S_f only).")
    compat: str | None = setting(
        None, preset_check(PRESETS), "Reproduce the conventions of a publication (segsimflex is for S_f)."
    )


T = TypeVar("T")
Errors = type[CaesuraError] | tuple[type[CaesuraError], ...]


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The result of an analysis, or the reason why it is undefined."""

    result: T | None = None
    reason: str | None = None

    @classmethod
    def attempt(cls, compute: Callable[[], T], errors: Errors = Undefined, **attributes: Any) -> Self:
        try:
            return cls(compute(), **attributes)
        except errors as error:
            return cls(None, str(error), **attributes)

    def __json__(self) -> Any:
        return {"value": None, "reason": self.reason} if self.result is None else self.result


@dataclass(frozen=True, kw_only=True)
class AgreementOutcome(Outcome[Agreement]):
    """One coefficient over one measure: its result, or the reason why it is undefined."""

    coefficient: str  # name of the coefficient, such as ``multi_pi``; ``mean`` for the mean over pairs of coders
    # Measure that the coefficient corrects for chance; None for coefficients of spans, which need no measure.
    measure: Measure | None
    # The coefficient with the chance agreement of coders who place their boundaries at random; None if it is not defined, if
    # ``result`` already uses it, or with a preset.
    placement: Agreement | None = None

    @property
    def over(self) -> str:
        """Short name of the measure under the coefficient, or ``positions`` or ``spans``."""
        if self.measure is None:
            return "spans"
        if self.coefficient in POSITION_COEFFICIENTS:
            return "positions"
        measure = self.measure if self.result is None or self.result.measure is None else self.result.measure
        return measure.short_name if measure.chance_family == "random_texts" else measure.label

    def __json__(self) -> dict[str, Any]:
        if self.result is not None:
            placement = {} if self.placement is None else {"placement": self.placement}
            return json_entries(self.result) | placement
        by_position = self.coefficient in POSITION_COEFFICIENTS
        measure = None if by_position or self.measure is None else repr(self.measure)
        return {"coefficient": self.coefficient, "measure": measure, "value": None, "reason": self.reason}


@dataclass(frozen=True)
class AgreementStudy(Result):
    agreement: tuple[AgreementOutcome, ...]  # one entry per measure and coefficient
    placed: Placed
    # Name of each requested analysis (``clusters``, ``cochran``, ``label_similarity``, ``heat``) -> its outcome.
    analyses: Mapping[str, Outcome[Any]] = field(default_factory=dict)
    # Agreement inside groups of coders, one entry per measure and coefficient; empty if there are no groups.
    groups: tuple[GroupedAgreement, ...] = ()
    # Items that could not be used, and coefficients and analyses that could not be computed.
    excluded: tuple[Excluded, ...] = ()

    frame_field: ClassVar[str] = "agreement"

    @property
    def defined(self) -> tuple[tuple[AgreementOutcome, Agreement], ...]:
        return tuple((entry, entry.result) for entry in self.agreement if entry.result is not None)

    @property
    def signature(self) -> str | None:
        return self.defined[0][1].signature if self.defined else None


def agree(
    corpus: Corpus,
    options: AgreeOptions | None = None,
    *,
    settings: Settings | None = None,
    engine: str | Engine = "threads",
    checkpoint: str | None = None,
) -> AgreementStudy:
    options = options or AgreeOptions()
    _refuse_mixed_kinds(corpus)
    unitizing, others = _divide_coefficients(corpus, options)
    if unitizing and not others and not options.measures:
        with shared_results():
            return _agree_on_spans(corpus, unitizing, options, engine)
    if unitizing:
        return _agree_on_both(corpus, unitizing, replace(options, coefficients=others), settings, engine, checkpoint)
    options = _with_defaults_in_seconds(corpus, options, settings)
    as_they_are = measures_as_they_are([corpus], options.measures)
    unchanged = bool(as_they_are) and set(as_they_are) == set(options.measures)
    unchanged = unchanged and corpus.kind != "hierarchy"  # hierarchies without common units have no boundaries to count
    unchanged = unchanged and not (options.clusters or options.cochran or options.heat or options.label_similarity)
    original = corpus
    corpora, without_units = ([corpus], ()) if unchanged else with_units([corpus], needs_lengths=True)
    (corpus,) = at_level(corpora, options.hierarchy_level, options.measures)
    chosen = choose_measures("agree", corpus, options.measures, settings=settings, compat=options.compat)
    chosen = tuple(_with_symmetric_matrix(measure, options.symmetric_mean) for measure in chosen)
    if original.kind == "spans" and set(options.coefficients) & set(POSITION_COEFFICIENTS):
        _refuse_positions_of_spans(chosen, options.coefficients)
    check_agree_options(chosen, options, checkpoint)
    _note_streams(original, chosen)
    # If no measure compares common units, they only count boundaries, and what they merge changes no number.
    counts_only = set(chosen) <= set(as_they_are)
    prepared = CommonUnits(corpus, corpus) if unchanged else on_common_units(corpus, warn=not counts_only)
    corpus_of = {measure: original if measure in as_they_are else prepared.corpus for measure in chosen}
    shared = SharedScores()
    coefficients, failures = _coefficients(corpus_of, options, engine, checkpoint, shared)
    excluded = _excluded_by(coefficients, original)
    excluded_items = {entry.item for entry in excluded}
    analyses, more_failures = _analyses(
        prepared.corpus, corpus_of[chosen[0]], chosen[0], options, excluded_items, shared
    )
    return AgreementStudy(
        agreement=tuple(coefficients),
        placed=spans_placed(corpus) if corpus.kind == "spans" else boundaries_placed(prepared.boundaries),
        analyses=analyses,
        groups=_groups(corpus_of, options, engine),
        excluded=(*without_units, *failures, *excluded, *more_failures),
    )


def _excluded_by(outcomes: Sequence[AgreementOutcome], corpus: Corpus) -> list[Excluded]:
    # Items of one coder are not listed if the file declines the others: nothing is wrong there.
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    excluded = dict.fromkeys(entry for result in results for entry in result.excluded)
    declined = () if corpus.source is None else corpus.source.declined
    present = frozenset(corpus.item_names)
    single = [item for item in declined if item in present and len(corpus.of_item(item)) < 2]
    if single:
        issue([f"{count_of(len(single), 'item')} with one accepted annotation not compared: {list_few(single)}"])
    return [entry for entry in excluded if entry.item not in single]


def _with_defaults_in_seconds(corpus: Corpus, options: AgreeOptions, settings: Settings | None) -> AgreeOptions:
    """Return the options with the default measures of tiers in seconds, if the user chose no measure."""
    # If coefficients were chosen, the measures are those that have one of them.
    if options.measures and options.hierarchy_level is None:
        return replace(options, measures=requested_measures([corpus], options.measures, settings=settings))
    if options.measures or options.compat is not None:
        return options
    defaults = default_direct_measures("agree", [corpus], (), settings=settings)
    if MEAN in options.coefficients:
        return replace(options, measures=defaults)
    having = [measure for measure in defaults if default_coefficient(measure, has_positions=False) != MEAN]
    chosen = tuple(measure for measure in having if set(options.coefficients) & set(measure.coefficients))
    return replace(options, measures=chosen or defaults)


def _note_streams(corpus: Corpus, measures: Sequence[Measure]) -> None:
    """Say that a coefficient over labels adds the times of all streams."""
    if any(measure.chance_family == "labels" for measure in measures):
        streams = dict.fromkeys(stream for entry in corpus.values() for stream in tiers_of(entry) if stream)
        if streams:
            issue([f"the times of the streams {', '.join(streams)} are added: they have one coefficient together"])


def _divide_coefficients(corpus: Corpus, options: AgreeOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the coefficients for spans and the others; without any choice, spans have coefficients of their own."""
    if not options.coefficients and not options.measures and options.hierarchy_level is None and corpus.kind == "spans":
        names = default_unitizing(corpus)
        if names != DEFAULT_UNITIZING:
            issue(
                [
                    "u_alpha is left out, because it counts atoms; choose their length in seconds: -c 'u_alpha(atom=0.01)'"
                ]
            )
        return names, ()
    unitizing = tuple(name for name in options.coefficients if resolve_unitizing(name, {}) is not None)
    return unitizing, tuple(name for name in options.coefficients if name not in unitizing)


def _agree_on_both(
    corpus: Corpus,
    unitizing: Sequence[str],
    options: AgreeOptions,
    settings: Settings | None,
    engine: str | Engine,
    checkpoint: str | None,
) -> AgreementStudy:
    only_spans = replace(
        options, clusters=False, cochran=False, label_similarity=False, heat=False, group=(), groups=None
    )
    with shared_results():
        spans = _agree_on_spans(corpus, unitizing, only_spans, engine)
    study = agree(corpus, options, settings=settings, engine=engine, checkpoint=checkpoint)
    excluded = tuple(dict.fromkeys((*spans.excluded, *study.excluded)))
    return replace(study, agreement=(*spans.agreement, *study.agreement), excluded=excluded)


def _agree_on_spans(
    corpus: Corpus, coefficients: Sequence[str], options: AgreeOptions, engine: str | Engine
) -> AgreementStudy:
    """Return coefficients that compare spans; those that cannot be computed are listed with the reason."""
    outcomes: list[AgreementOutcome] = []
    failures: dict[str, InputError] = {}
    for step, name in enumerate(coefficients, 1):
        coefficient = _unitizing(name, options)
        arguments = options.select("interval", "level", "replicates", "seed")
        try:
            with progress_step(step, len(coefficients)):
                result = agreement(corpus, coefficient=coefficient, engine=engine, **arguments)
            outcomes.append(AgreementOutcome(result, coefficient=coefficient.name, measure=None))
        except OptionError:
            raise
        except InputError as error:
            if not isinstance(error, Undefined):
                failures[f"{coefficient.name}: {error}"] = error
            outcomes.append(AgreementOutcome(None, str(error), coefficient=coefficient.name, measure=None))
    if len(failures) == len(outcomes):
        raise next(iter(failures.values()))
    excluded = _excluded_by(outcomes, corpus)
    return AgreementStudy(
        agreement=tuple(outcomes),
        placed=spans_placed(corpus),
        excluded=(*excluded, *(Excluded(None, None, message) for message in failures), *_unsuitable(options)),
    )


def _unitizing(name: str, options: AgreeOptions) -> UnitizingCoefficient:
    """Return a coefficient with the options of the command that it has: ``--chance`` and ``--compat``."""
    plain = resolve_unitizing(name, {})
    assert plain is not None
    declared = {entry.name for entry in plain.declared()}
    chosen = {key: value for key, value in options.select("chance", "compat").items() if value is not None}
    for key in chosen:
        if key not in declared:
            raise OptionConflictError(f"--{key} has no effect on {plain.name}; leave it out")
    coefficient = resolve_unitizing(name, chosen)
    assert coefficient is not None
    return coefficient


def _unsuitable(options: AgreeOptions) -> list[Excluded]:
    """Return the analyses that were requested but need boundaries."""
    names = [name for name in ("clusters", "cochran", "label_similarity", "heat") if getattr(options, name)]
    names += ["group"] if options.group or options.groups is not None else []
    hint = "it needs a measure; choose one with -m, such as hierarchy_kappa for spans that nest"
    return [Excluded(None, None, f"--{name.replace('_', '-')}: {hint}") for name in names]


def _with_symmetric_matrix(measure: Measure, use_mean: bool) -> Measure:
    """Return the measure with a symmetric similarity matrix; an asymmetric one is an error unless the mean is used."""
    similarity = measure.settings.get("similarity")
    if similarity is None or not is_full_matrix(similarity):
        return measure
    asymmetry = first_asymmetry(similarity)
    if asymmetry is None:
        return measure
    if use_mean:
        return measure.replace(similarity=symmetric_mean(similarity))
    x, y, forth, back = asymmetry
    raise OptionError(
        f"agreement needs a symmetric similarity matrix; the similarity of {x!r} to {y!r} is {forth:g}, and of {y!r} to "
        f"{x!r} {back:g}; correct the matrix, or use the mean of both directions with --symmetric-mean"
    )


def _refuse_mixed_kinds(corpus: Corpus) -> None:
    if not corpus.holds(Spans) or all(isinstance(entry, Spans) for entry in corpus.values()):
        return
    first: dict[bool, str] = {}
    for (item, coder), entry in corpus.items():
        first.setdefault(isinstance(entry, Spans), f"coder {coder!r} of item {item!r}")
    raise MismatchError(
        f"the annotations are of different kinds: {first[True]} has spans, and {first[False]} has not; compare one kind at a "
        "time, or read all of them as spans (--reading as_=spans, where the format has it)"
    )


def _refuse_positions_of_spans(measures: Sequence[Measure], coefficients: Sequence[str]) -> None:
    if not any(set(coefficients) & set(measure.coefficients) for measure in measures):
        name = "Krippendorff's alpha" if "alpha" in coefficients else coefficients[0]
        raise OptionConflictError(
            f"{name} is not defined over positions of spans; use Krippendorff's alpha for unitizing, -c u_alpha, or cu_alpha "
            "for categories alone"
        )


def check_agree_options(measures: Sequence[Measure], options: AgreeOptions, checkpoint: str | None) -> None:
    """Raise an error if options contradict each other, independently of the data."""
    _check_simulation(measures, options, checkpoint)
    for name in options.coefficients:
        if name != MEAN and not any(name in measure.coefficients for measure in measures):
            suitable = ", ".join(measures[0].coefficients)
            hint = f"use {suitable}" if suitable else "leave it out for the mean over pairs of coders"
            raise OptionConflictError(f"{name} is not defined over {measures[0].name}; {hint}")
    only_positions = options.coefficients and set(options.coefficients) <= set(POSITION_COEFFICIENTS)
    for measure in () if only_positions else measures:
        try:
            resolve_coefficient(measure, compat=options.compat)
        except OptionError as error:
            raise OptionConflictError(str(error)) from None


def _check_simulation(measures: Sequence[Measure], options: AgreeOptions, checkpoint: str | None) -> None:
    simulating = options.select("chance", "draws", "tolerance", "no_variates") | {"checkpoint": checkpoint}
    placement = options.chance == "placement"
    if options.chance in ("published", "placement", "li2024"):
        del simulating["chance"]
    if placement:
        del simulating["draws"]
        if options.compat is not None:
            raise OptionConflictError(
                f"--compat {options.compat} reproduces published figures, which do not use --chance placement; remove one"
            )
    flags = [f"--{name.replace('_', '-')}" for name, value in simulating.items() if value not in (None, False)]
    if flags and not any(measure.chance_family == "random_texts" for measure in measures):
        raise OptionConflictError(
            f"{', '.join(flags)}: only for measures whose chance agreement is simulated, such as flexible_similarity"
        )
    if options.chance == "exact" and options.no_variates:
        raise OptionConflictError("--no-variates applies to simulation only; remove it, or remove --chance exact")


def _coefficients(
    corpus_of: Mapping[Measure, Corpus],
    options: AgreeOptions,
    engine: str | Engine,
    checkpoint: str | None,
    shared: SharedScores,
) -> tuple[list[AgreementOutcome], list[Excluded]]:
    """Return the outcomes of all coefficients, and those that cannot be computed as excluded entries."""
    outcomes: list[AgreementOutcome] = []
    failures: dict[str, OptionError] = {}
    requested = list(_requested(corpus_of, options))
    for step, (number, measure, name) in enumerate(requested, 1):
        corpus = corpus_of[measure]
        folder = None if checkpoint is None else str(Path(checkpoint, f"{number}-{name}"))
        arguments = _arguments(measure, name, options, folder)
        arguments |= {"coefficient": name, "engine": engine, "shared": shared}
        try:
            with progress_step(step, len(requested)):
                result, placement = agreement_with_placement(corpus, measure, **arguments)
            outcomes.append(
                AgreementOutcome(result, coefficient=result.coefficient, measure=measure, placement=placement)
            )
        except Undefined as error:
            outcomes.append(AgreementOutcome(None, str(error), coefficient=name, measure=measure))
        except OptionError as error:
            failures[f"{name}: {error}"] = error
    if failures and not outcomes:
        raise next(iter(failures.values()))
    return outcomes, [Excluded(None, None, message) for message in failures]


def _requested(
    corpus_of: Mapping[Measure, Corpus], options: AgreeOptions, *, coders: int | None = None
) -> Iterator[tuple[int, Measure, str]]:
    """Yield number of the measure, measure and coefficient. What depends on positions only is yielded once."""
    of_positions = next((measure for measure in corpus_of if "alpha" in measure.coefficients), None)
    for number, (measure, corpus) in enumerate(corpus_of.items(), 1):
        names = options.coefficients or (default_coefficient(measure, has_positions=has_positions(corpus)),)
        number_of_coders = len(corpus.coders) if coders is None else coders
        for name in dict.fromkeys(coefficient_for(name, measure, number_of_coders) for name in names):
            is_first = name not in POSITION_COEFFICIENTS or measure is of_positions
            if name == MEAN or (name in measure.coefficients and is_first):
                yield number, measure, name


def _arguments(measure: Measure, coefficient: str, options: AgreeOptions, checkpoint: str | None) -> dict[str, Any]:
    arguments = options.select("interval", "level", "replicates", "seed")
    if coefficient in POSITION_COEFFICIENTS:
        return arguments
    arguments["compat"] = options.compat
    arguments["chance"] = _chance(measure, options, checkpoint)
    return arguments


def _chance(measure: Measure, options: AgreeOptions, checkpoint: str | None = None) -> Chance | None:
    """Return the method for chance agreement of a measure; None for the published one, if it simulates nothing."""
    if options.chance == "placement":
        return Placement(draws=options.draws)
    if options.chance == "li2024":
        return as_chance(options.chance)
    if measure.chance_family != "random_texts":
        return None
    kind = Exact if options.chance == "exact" else Simulate
    variates = {} if kind is Exact else {"variates": not options.no_variates}
    return kind(draws=options.draws, tolerance=options.tolerance, checkpoint=checkpoint, **variates)


def _groups(
    corpus_of: Mapping[Measure, Corpus], options: AgreeOptions, engine: str | Engine
) -> tuple[GroupedAgreement, ...]:
    if options.group and options.groups is not None:
        raise OptionConflictError("--group and --groups: use only one of them")
    if not options.group and options.groups is None:
        return ()
    groups: dict[str, tuple[str, ...]] = {} if options.groups is None else read_groups(options.groups)
    for name, coders in options.group:
        groups[name] = (*groups.get(name, ()), *coders)
    check_groups(groups, next(iter(corpus_of.values())).coders)
    several = 3  # the forms of coefficients for several coders, which two coders may use too
    return tuple(
        group_agreement(
            corpus_of[measure],
            groups,
            measure,
            coefficient=name,
            clusters=options.clusters,
            engine=engine,
            **_arguments(measure, name, options, None),
        )
        for _, measure, name in _requested(corpus_of, options, coders=several)
    )


def _analyses(
    corpus: Corpus,
    compared: Corpus,
    measure: Measure,
    options: AgreeOptions,
    excluded_items: set[str | None],
    shared: SharedScores,
) -> tuple[dict[str, Outcome[Any]], list[Excluded]]:
    """Return the additional analyses; those for which the corpus is unsuitable are listed as excluded."""
    items = [item for item in corpus.item_names if item not in excluded_items]
    analyses: dict[str, Callable[[], Any]] = {
        "clusters": partial(_clusters, compared, measure, options, shared),
        "cochran": partial(cochran_q, corpus),
        "label_similarity": partial(label_agreement, corpus),
        "heat": lambda: boundary_heat(corpus.select(items=items)),
    }
    outcomes: dict[str, Outcome[Any]] = {}
    failures: list[Excluded] = []
    for name, compute in analyses.items():
        try:
            if getattr(options, name):
                outcomes[name] = Outcome.attempt(compute)
        except InputError as error:
            failures.append(Excluded(None, None, f"--{name.replace('_', '-')}: {error}"))
    return outcomes, failures


def _clusters(corpus: Corpus, measure: Measure, options: AgreeOptions, shared: SharedScores) -> Clustering:
    suitable = cluster_coefficients(measure)
    coefficient = next((name for name in options.coefficients if name in suitable), None)
    by_position = coefficient in POSITION_COEFFICIENTS
    return cluster_coders(
        corpus,
        measure,
        coefficient=coefficient,
        compat=None if by_position else options.compat,
        seed=options.seed,
        chance=None if by_position else _chance(measure, options),
        shared=shared,
    )
