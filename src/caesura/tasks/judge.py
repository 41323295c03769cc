"""Compare systems with human coders and with each other, with significance tests and an analysis of errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.agreement.unitizing import shared_results
from caesura.agreement.unitizing_registry import default_unitizing
from caesura.errors import OptionError
from caesura.formats.settings import Settings
from caesura.judging.comparison import SystemComparison
from caesura.judging.judge import Judgement, judge
from caesura.judging.participants import NEEDS_SEGMENTATIONS
from caesura.judging.substitution import AgreementDrop, unitizing_drop
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation
from caesura.options import OptionSet, choice, flag, fraction, number, optional, seed, setting, switch, whole
from caesura.statistics import RankTest
from caesura.tasks.measure_choice import (
    choose_measures,
    default_direct_measures,
    measures_as_they_are,
    measures_setting,
    with_plain_measures,
)
from caesura.tasks.score import check_only
from caesura.tasks.systems import systems_with_units
from caesura.tasks.units import level_setting

if TYPE_CHECKING:  # gold standards are imported when they are used
    from caesura.judging.crisp_gold import CrispAndFuzzy


@dataclass(frozen=True)
class JudgeOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        "Measure with its options. May be repeated (default: B, S, B-precision and B-recall, WindowDiff and fuzzy success; "
        "S_f and S_f^B for dialogues, or with --settings; kappa, hierarchy F, non-crossing and t-measure for hierarchies; in "
        "seconds F1@0.5s and purity_coverage, and label_share for labels)."
    )
    hierarchy_level: int | None = level_setting()
    interval: str | None = setting(
        "items",
        optional(choice("items", "pairs"), "none"),
        "Basis of the intervals: items (bootstrap), or boundary pairs of B (as in Fournier 2013; too narrow).",
    )
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int = setting(
        2000, whole(100), "Number of bootstrap replicates; the tests between many systems use more."
    )
    draws: int | None = setting(
        None, optional(whole(1)), "Number of random segmentations for the random baseline (default: 100)."
    )
    bounds: bool = setting(
        True,
        flag,
        "Add agreement between human coders as an upper bound, and baselines as lower bounds: random, regular, none, all.",
        flags=("--bounds/--no-bounds",),
    )
    alpha: float = setting(0.05, fraction, "Significance level; systems with a higher corrected p share a letter.")
    epsilon: float = setting(
        0.2,
        number(0, 1, below=True),
        "Margin of the alternative annotator test: .2 for experts, .15 for skilled coders, .1 for crowds.",
    )
    seed: int = setting(0, seed, "Random seed for bootstrap, tests and random baseline.")
    only: bool = switch("Do not add the plain number of a measure with a preset.")


def _gold_method(name: str, value: Any) -> tuple[str, int | None]:
    """Return the name of a method and its threshold, from text such as ``majority`` or ``threshold=3``."""
    if isinstance(value, tuple):
        return value
    from caesura.gold.linear import METHODS, method_name

    method, _, number = str(value).partition("=")
    checked = method_name(METHODS)(name, method)
    if (checked == "threshold") != bool(number):
        raise OptionError(f"{name}: write threshold=N with a number of coders; got {value!r}")
    if number and not number.strip().isdigit():
        raise OptionError(f"{name}: the threshold must be a whole number; got {number!r}")
    return checked, whole(1)("threshold", int(number)) if number else None


@dataclass(frozen=True)
class CrispOptions(OptionSet):
    gold: tuple[str, int | None] | None = setting(
        None,
        _gold_method,
        "Gold standard of --crisp: median (the default), majority, threshold=N, cochran, any or all.",
    )
    crisp: bool = switch(
        "Show precision, recall and F against one gold standard beside fuzzy success against all coders."
    )

    @property
    def requested(self) -> bool:
        return self.crisp or self.gold is not None

    def check(self, corpus: Corpus) -> None:
        """Raise an error if crisp evaluation is requested and no item has segmentations."""
        if self.requested and not any(isinstance(annotation, Segmentation) for annotation in corpus.values()):
            raise OptionError(NEEDS_SEGMENTATIONS)


def judge_systems(
    corpus: Corpus,
    systems: Mapping[str, Mapping[str, Annotation]],
    options: JudgeOptions | None = None,
    *,
    settings: Settings | None = None,
    crisp: CrispOptions | None = None,
) -> Judgement:
    """Judge systems against human coders."""
    options = options or JudgeOptions()
    spans = (corpus, systems) if corpus.kind == "spans" else None
    without_units: tuple[Excluded, ...] = ()
    annotations: list[Mapping[Any, Annotation]] = [corpus, *systems.values()]
    check_only(options.only, options.measures)
    requested = options.measures if options.only else with_plain_measures(options.measures)
    if options.hierarchy_level is None:
        requested = default_direct_measures("judge", annotations, requested, settings=settings)
    as_they_are = measures_as_they_are(annotations, requested)
    if not as_they_are or set(as_they_are) != set(requested):
        corpus, systems, without_units = systems_with_units(corpus, systems, level=options.hierarchy_level)
    if crisp is not None:
        crisp.check(corpus)
    drops = () if spans is None else _drops_on_spans(*spans, options.seed)
    measures = choose_measures("judge", corpus, requested, settings=settings)
    arguments = options.select("interval", "level", "replicates", "seed", "alpha", "epsilon")
    bounds = (options.draws or True) if options.bounds else False
    judgement = judge(corpus, systems, measures=measures, bounds=bounds, **arguments)
    return replace(
        judgement,
        excluded=(*without_units, *judgement.excluded),
        drops=(*drops, *judgement.drops),
        comparisons=tuple(map(_without_infinity, judgement.comparisons)),
    )


def _without_infinity(comparison: SystemComparison) -> SystemComparison:
    """Return the comparison without infinite intervals and critical differences, which say nothing; notes say why."""
    notes = list(comparison.notes)
    pairs = []
    for pair in comparison.pairs:
        if pair.interval is not None and not all(map(math.isfinite, pair.interval)):
            names = " - ".join(pair.systems)
            notes.append(
                f"no interval of {names} under {comparison.measure.label}: too few items in common ({pair.items})"
            )
            pair = replace(pair, interval=None)
        pairs.append(pair)
    return replace(
        comparison,
        pairs=tuple(pairs),
        kruskal_wallis=_with_finite_ranks(comparison.kruskal_wallis, "Kruskal-Wallis", notes),
        friedman=_with_finite_ranks(comparison.friedman, "Friedman", notes),
        notes=tuple(dict.fromkeys(notes)),
    )


def _with_finite_ranks(test: RankTest | None, name: str, notes: list[str]) -> RankTest | None:
    """Return a test whose infinite critical differences are undefined; the reason is appended to ``notes``."""
    if test is None or np.isfinite(test.critical).all():
        return test
    notes.append(f"no critical difference of ranks ({name}): there are too few items to reach {test.alpha:g}")
    return replace(test, critical=np.where(np.isfinite(test.critical), test.critical, np.nan))


def _drops_on_spans(
    corpus: Corpus, systems: Mapping[str, Mapping[str, Annotation]], seed: int
) -> tuple[AgreementDrop, ...]:
    """Return how much agreement on spans drops when each system joins the coders, by the default coefficients."""
    with shared_results():
        return tuple(
            unitizing_drop(corpus, system, annotations, coefficient, seed)
            for coefficient in default_unitizing(corpus)
            for system, annotations in systems.items()
        )


def crisp_and_fuzzy(judgement: Judgement, options: CrispOptions) -> tuple[Judgement, CrispAndFuzzy | None]:
    """Score the systems of a judgement against a gold standard of its coders, if options ask for it."""
    if not options.requested:
        return judgement, None
    from caesura.judging.crisp_gold import compare_crisp_and_fuzzy

    method, threshold = options.gold or ("median", None)
    comparison = compare_crisp_and_fuzzy(judgement.participants, method, threshold=threshold)
    excluded = tuple(dict.fromkeys((*judgement.excluded, *comparison.excluded)))
    return replace(judgement, excluded=excluded), comparison
