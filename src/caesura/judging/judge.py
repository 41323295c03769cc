"""Judge systems against coders: scores, bounds, confidence intervals, tests, drop in agreement and replacement test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from caesura.agreement.bootstrap import warn_about_few_items
from caesura.errors import OptionError, Undefined
from caesura.judging.bounds import Baselines, TimedBaselines
from caesura.judging.comparison import ComparisonOptions, SystemComparison, compare_systems
from caesura.judging.drawn_bounds import DrawSums, score_draws
from caesura.judging.mistakes import Mistakes, find_mistakes
from caesura.judging.pair_scores import BOUND_PREFIX, HUMAN, PLACEMENT, RANDOM, Pairing, PairScores
from caesura.judging.participants import Participants, Systems, collect_participants
from caesura.judging.substitution import AgreementDrop, Replacement, agreement_drop, replacement_tests, too_few_coders
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures, is_called, parse_measures
from caesura.model.annotation import tiers_of
from caesura.model.batch import warn_about_type_order
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Excluded, Result, Score, keep_warnings, signature_line, signature_value
from caesura.model.segmentation import Segmentation, sort_types
from caesura.model.value import Floats
from caesura.options import choice, number, optional, setting, whole
from caesura.options import seed as check_seed
from caesura.progress import progress_step
from caesura.statistics import bootstrap_many, mean_interval

# Default number of draws of the random bound.
RANDOM_DRAWS = 100


@dataclass(frozen=True, slots=True)
class SegmenterScore:
    segmenter: str
    bound: bool  # whether it is a bound (human, random, placement, regular, none, all) and not a system
    measure: Measure
    # Micro value, from parts summed over all items and coders; for ``random`` and ``placement``, the mean of the micro values
    # of all draws.
    value: float
    macro: float  # macro value: mean over items of the value from all coders
    interval: tuple[float, float] | None
    interval_note: str  # description of the interval, or the reason why there is none
    items: int
    # The micro value with its parts, related values such as precision and recall, and its signature.
    score: Score = field(repr=False)
    # Value against each coder as reference, from parts summed over items. Empty if all coders together are the reference (fuzzy
    # success), and for ``random`` and ``placement``.
    by_coder: Mapping[str, float] = field(default_factory=dict, repr=False)
    pairs: int | None = None  # number of boundary pairs, with ``interval="pairs"``
    standard_error: float | None = None  # standard error of the mean over boundary pairs, with ``interval="pairs"``


@dataclass(frozen=True, eq=False)
class Judgement(Result):
    """Result of :func:`judge`.

    Attributes
    ----------
    rows : tuple of SegmenterScore
        Scores of systems and bounds, grouped by measure.
    comparisons : tuple of SystemComparison
        Significance tests, one entry per measure; empty if there is only one system.
    drops : tuple of AgreementDrop
        One entry per system.
    replacements : tuple of Replacement
        One entry per system.
    systems, coders, items : tuple of str
        Names of systems, coders and items.
    undefined : mapping of str to str
        Name of each bound or test that is undefined for these data -> reason.
    excluded : tuple of Excluded
        Items and systems that were not scored; ``coder`` may be the name of a system.
    seed : int
        Random seed.
    signature : str
        One line to reproduce the result.
    participants : Participants
        The annotations of coders and systems.
    aligner : Measure
        The measure that aligns boundaries for drops, replacements and mistakes.
    """

    frame_field: ClassVar[str] = "rows"

    rows: tuple[SegmenterScore, ...]
    comparisons: tuple[SystemComparison, ...]
    drops: tuple[AgreementDrop, ...]
    replacements: tuple[Replacement, ...]
    systems: tuple[str, ...]
    coders: tuple[str, ...]
    items: tuple[str, ...]
    undefined: Mapping[str, str]
    excluded: tuple[Excluded, ...]
    seed: int
    signature: str
    participants: Participants = field(repr=False, metadata=HIDDEN)
    aligner: Measure = field(repr=False, metadata=HIDDEN)

    @cached_property
    def mistakes(self) -> dict[str, Mistakes]:
        """System -> its mistakes, computed on first access; empty for hierarchies, whose boundaries are not aligned."""
        if "errors" in self.undefined:
            return {}
        return {system: find_mistakes(self.participants, system, self.aligner) for system in self.systems}

    def row(self, segmenter: str, measure: str | Measure, *, bound: bool | None = None) -> SegmenterScore:
        """Return the row of a system or bound.

        Parameters
        ----------
        segmenter : str
            Name of the system or bound.
        measure : str or Measure
            The measure, its ``repr``, its name, or an alias.
        bound : bool, optional
            Whether to return the bound (True) or the system (False) if both have this name (default: the system).

        Returns
        -------
        SegmenterScore
            The first matching row.

        Raises
        ------
        KeyError
            If there is no such row.
        """
        for row in self._rows_of(measure):
            if row.segmenter == segmenter and bound in (None, row.bound):
                return row
        raise KeyError((segmenter, measure))

    def ranking(self, measure: str | Measure) -> tuple[str, ...]:
        """Return the systems under a measure, best first.

        Parameters
        ----------
        measure : str or Measure
            The measure, its ``repr``, its name, or an alias.

        Returns
        -------
        tuple of str
            Names of the systems.
        """
        systems = [row for row in self._rows_of(measure) if not row.bound]
        systems.sort(key=lambda row: -row.value if row.measure.higher_is_better else row.value)
        return tuple(row.segmenter for row in systems)

    def _rows_of(self, measure: str | Measure) -> list[SegmenterScore]:
        if isinstance(measure, Measure):
            return [row for row in self.rows if row.measure == measure]
        return [row for row in self.rows if is_called(row.measure, measure)]


@dataclass(frozen=True)
class _JudgeOptions(ComparisonOptions):
    interval: str | None = setting("items", optional(choice("items", "pairs"), "none"), "Basis of the intervals.")
    epsilon: float = setting(0.2, number(0, 1, below=True), "Margin of the alternative annotator test.")


@keep_warnings
def judge(
    corpus: Corpus,
    systems: Systems,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    interval: str | None = "items",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int | None = 0,
    bounds: bool | int = True,
    alpha: float = 0.05,
    epsilon: float = 0.2,
) -> Judgement:
    """Compare systems with human coders: scores, bounds, confidence intervals, and tests of difference and replacement.

    Parameters
    ----------
    corpus : Corpus
        The annotations of the coders, and of the systems if ``systems`` is a list of names.
    systems : sequence of str, mapping, or Corpus
        Names of the corpus's coders that are systems; or a mapping system -> item -> segmentation; or a corpus of
        systems.
    measures : str, Measure or iterable, optional
        The measures. By default B, S, the boundary confusion matrix (B-precision and B-recall), WindowDiff and fuzzy success;
        for dialogue S_f and S_f^B; for hierarchies kappa, hierarchy F, non-crossing and the t-measure.
    interval : str or None, default "items"
        ``"items"``: percentile bootstrap over items. ``"pairs"``: mean ± z SD / sqrt(n) over boundary pairs. None or
        ``"none"``: no intervals.
    level : float, default 0.95
        Confidence level.
    replicates : int, default 2000
        Number of bootstrap replicates; the bootstrap tests between systems use at least this number.
    seed : int or None, default 0
        Random seed; None chooses a random one.
    bounds : bool or int, default True
        Whether to score bounds: human coders against each other, and baselines that ignore the text. A number is the number
        of draws of the random baseline (True: 100).
    alpha : float, default 0.05
        Significance level; systems with a higher corrected p-value share a letter.
    epsilon : float, default 0.2
        Margin of the alternative annotator test: .2 for experts, .15 for skilled coders, .1 for crowds.

    Returns
    -------
    Judgement
        Rows, comparisons, drops, replacements and mistakes. ``.excluded`` lists the items that were not scored.

    Raises
    ------
    OptionError
        If an option is invalid, or nothing can be scored.

    Notes
    -----
    Every system is compared with every coder on all items that it annotated; the coder is the reference.

    **Rows** (``.rows``) have the micro value (parts summed over items and coders) and the macro value (mean over items) with
    an interval, for the systems and for the bounds:

    - ``human``: each coder compared with every other coder as reference;
    - ``random``: segment lengths drawn from those of all coders; the mean and the percentiles of many draws;
    - ``placement``: boundaries placed independently at random, as many as coders place on average; mean and percentiles;
    - ``regular``: all segments as long as the mean segment of the coders;
    - ``none`` and ``all``: no boundary, and a boundary at every position.

    ``interval="pairs"`` works for B only, as in Figure 10b of Fournier (2013). It treats the boundaries of a text as
    independent, so the interval is too narrow.

    **Comparisons** (``.comparisons``) are computed if there are at least two systems. There are four tests, all of which
    take items as independent observations:

    - randomisation over items, exact if two systems differ on at most 20 items, corrected by Holm;
    - studentised paired bootstrap over items, corrected by Holm;
    - Friedman with the Wilcoxon-Nemenyi-McDonald-Thompson comparison of pairs, over the mean of the coders per item;
    - Kruskal-Wallis over the same means, with permutations within items, because all systems share the items.

    There are also letters at ``alpha`` from randomisation, and wins, ties and losses. Each test finds a difference between
    equal systems in at most 6.5 % of 2,000 comparisons on 6, 20 and 100 items (``python -m bench level``). A p-value from
    random draws that is within three standard errors of ``alpha`` is listed in ``pair.borderline``.

    **Drops** (``.drops``) show how much the coders' agreement falls when the system joins them. The coefficient is the
    default of the first measure that aligns boundaries and has a coefficient. **Replacements** (``.replacements``) are the
    alternative annotator tests with the same measure. **Mistakes** (``.mistakes``) are the misses, false alarms, near
    misses and confusions of each system.

    ``.undefined`` lists the bounds and tests that are undefined for these data. With one coder there is no human bound,
    no drop and no replacement. For hierarchies there are no baselines and no list of mistakes. Tiers in seconds are judged
    under measures that compare seconds; there, the drop is that of the mean over pairs, and there is no bound ``all``.

    References
    ----------
    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT, section 3.4.

    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL, section 6.

    Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test. ACL.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> readers = stargazer()
    >>> seventh = {"reader 7": {"stargazer": readers["stargazer", "7"]}}
    >>> judgement = judge(readers.select(coders="123456"), seventh, seed=1)
    >>> for name in ("reader 7", "human", "random", "none"):
    ...     print(f"{name:9} {judgement.row(name, 'boundary_similarity').value:.3f}")
    reader 7  0.613
    human     0.496
    random    0.412
    none      0.000
    >>> print(f"{judgement.drops[0].value:+.3f}")
    -0.035
    """
    options = _JudgeOptions(alpha, level, replicates, check_seed("seed", seed), interval, epsilon)
    draws = _random_draws(bounds)
    requested = () if measures is None else parse_measures(measures)
    in_seconds = bool(requested) and all(map(compares_seconds, requested))
    participants = collect_participants(corpus, systems, common_units=not in_seconds)
    defaults = default_measures("judge", participants.kind)
    if measures is None and not defaults:
        raise OptionError(
            "judging in seconds needs a measure that compares seconds, such as boundary_f(tolerance='0.5s')"
        )
    chosen = requested or defaults
    names = tuple(participants.systems)
    undefined = _undefined(participants)
    _warn_of_undeclared_order(participants, chosen)
    human = draws > 0 and "human" not in undefined
    baselines: Baselines | TimedBaselines | None = None
    if draws and "baselines" not in undefined:
        baselines = (TimedBaselines if participants.kind == "timed" else Baselines)(participants)
    fixed = {} if baselines is None else baselines.fixed()
    segmenters = {**participants.systems, **{BOUND_PREFIX + bound: texts for bound, texts in fixed.items()}}
    pairing = Pairing(participants, segmenters, human=human)
    drawn: dict[tuple[Measure, str], DrawSums] = {}
    steps = len(chosen) + 3
    with progress_step(1, steps):
        if baselines is not None:
            drawn = score_draws(pairing, baselines, chosen, draws, options.seed)
    rows: list[SegmenterScore] = []
    comparisons: list[SystemComparison] = []
    excluded = list(participants.excluded)
    aligned: PairScores | None = None
    for step, measure in enumerate(chosen, 2):
        with progress_step(step, steps):
            scores = pairing.score(measure)
            scored = scores.scored(names)
            if len(scored) > 1:
                comparisons.append(compare_systems(scores, scored, options))
            excluded += scores.excluded
            if scored:
                sums = {bound: drawn[measure, bound] for bound in (RANDOM, PLACEMENT) if (measure, bound) in drawn}
                rows += _rows(scores, participants, sums, options)
                for bound, of_bound in sums.items():
                    excluded += of_bound.excluded(
                        scores.items, bound.removeprefix(BOUND_PREFIX), scores.failed_references
                    )
            if aligned is None and scored == names and _measures_agreement(measure, participants.kind):
                aligned = scores
    excluded = list(dict.fromkeys(excluded))
    if not rows:
        raise OptionError(f"nothing could be scored: {'; '.join(map(str, excluded[:5]))}")
    aligner = (*defaults, *chosen)[0] if aligned is None else aligned.measure
    with progress_step(steps - 1, steps):
        replacements = replacement_tests(participants, aligner, options.epsilon, aligned)
    del pairing, scores, aligned  # the boundaries of all pairs take much memory
    with progress_step(steps, steps):
        drops = tuple(agreement_drop(participants, name, aligner, options.seed) for name in names)
    items = [row.items for row in rows if row.interval is not None and not row.bound]
    if items and options.interval == "items":
        warn_about_few_items(min(items))
    sizes = {"systems": len(names), "coders": len(participants.coder_names), "items": len(participants.items)}
    settings = {"interval": options.interval or "none", "level": f"{options.level:g}", "replicates": options.replicates}
    facts: dict[str, Any] = {**sizes, **settings, "bounds": draws or False, "seed": options.seed}
    return Judgement(
        rows=tuple(rows),
        comparisons=tuple(comparisons),
        drops=drops,
        replacements=replacements,
        systems=names,
        coders=participants.coder_names,
        items=participants.items,
        undefined=undefined,
        excluded=tuple(excluded),
        seed=options.seed,
        signature=signature_line("judge", **facts, data=participants.fingerprint),
        participants=participants,
        aligner=aligner,
    )


def _measures_agreement(measure: Measure, kind: str) -> bool:
    """Return whether the drop in agreement and the replacement tests can use a measure."""
    if kind in ("timed", "spans"):
        return measure.higher_is_better
    return bool(measure.coefficients) and (measure.aligns or kind == "hierarchy")


def _random_draws(bounds: bool | int) -> int:
    """Return the number of draws of the random bound; 0 if there are no bounds."""
    if isinstance(bounds, (bool, np.bool_)):
        return RANDOM_DRAWS if bounds else 0
    return int(whole(1)("bounds", bounds))


def _undefined(participants: Participants) -> dict[str, str]:
    """Return the bounds and tests that need more coders or systems, with the reason."""
    reasons = {}
    if len(participants.coder_names) < 2:
        reasons["human"] = reasons["drop"] = "expected at least two coders; got one"
    elif all(len(by_coder) < 2 for by_coder in participants.coders.values()):
        reasons["human"] = reasons["drop"] = "no two coders share an item"
    reason = too_few_coders(participants)
    if reason is not None:
        reasons["replacement"] = reason
    if participants.kind in ("hierarchy", "spans"):
        reasons["baselines"] = "random, regular, none and all are defined for segmentations only"
        reasons["errors"] = "misses and false alarms are defined for boundaries of segmentations only"
    annotations = (entry for by_coder in participants.coders.values() for entry in by_coder.values())
    if any(tier.open_end for annotation in annotations for tier in tiers_of(annotation).values()):
        reasons["baselines"] = "random, regular and none need the lengths of the items; --reading lengths=FILE"
    if participants.kind == "timed":
        reasons["all"] = "there is no last boundary that could be added to a segmentation of time"
        reasons["errors"] = "misses and false alarms are listed for boundaries between units only"
    if len(participants.systems) < 2:
        reasons["comparison"] = "expected at least two systems; got one"
    return reasons


def _warn_of_undeclared_order(participants: Participants, measures: tuple[Measure, ...]) -> None:
    """Warn if the order of types matters and no annotation declares it."""
    # Bounds declare the types they use, so scoring alone would not notice that the annotations do not.
    if not any(measure.typed for measure in measures):
        return
    groups = (*participants.coders.values(), *participants.systems.values())
    annotations = chain.from_iterable(group.values() for group in groups)
    texts = [text for text in annotations if isinstance(text, Segmentation) and text.boundary_positions.size]
    if not any(text.types_declared for text in texts):
        warn_about_type_order(sort_types({name for text in texts for _, name in text.boundaries}))


def _rows(
    scores: PairScores, participants: Participants, drawn: Mapping[str, DrawSums], options: _JudgeOptions
) -> list[SegmenterScore]:
    """Return the rows of all systems and bounds that could be scored under a measure."""
    bounds = (HUMAN, RANDOM, PLACEMENT, *(BOUND_PREFIX + name for name in ("regular", "none", "all")))
    names = scores.scored([*participants.systems, *bounds])
    parts = {name: scores.by_item(scores.rows_of[name])[1] for name in names}
    intervals = _item_intervals(scores, parts, options) if options.interval == "items" else {}
    rows = {
        bound: _random_row(of_bound, bound.removeprefix(BOUND_PREFIX), options)
        for bound, of_bound in drawn.items()
        if of_bound.sums
    }
    for name in names:
        score, bound = scores.score(name), name.startswith(BOUND_PREFIX)
        if not bound:  # bounds have no data of their own
            origin = ("judge", f"system:{signature_value(name)}")
            score = replace(score, data=participants.fingerprints[name], origin=origin)
        rows[name] = SegmenterScore(
            segmenter=name.removeprefix(BOUND_PREFIX),
            bound=bound,
            measure=scores.measure,
            value=score.value,
            macro=float(scores.finish(parts[name]).mean()),
            items=len(parts[name]),
            score=score,
            by_coder=scores.by_coder(name),
            **(intervals.get(name) or _pairs_interval(scores, name, options)),
        )
    return [rows[name] for name in (*participants.systems, *bounds) if name in rows]


def _random_row(drawn: DrawSums, bound: str, options: _JudgeOptions) -> SegmenterScore:
    """Return the mean of pooled values over draws, with their percentiles."""
    values = drawn.values
    low, high = np.quantile(values, [(1 - options.level) / 2, (1 + options.level) / 2]).tolist()
    return SegmenterScore(
        segmenter=bound,
        bound=True,
        measure=drawn.measure,
        value=float(values.mean()),
        macro=float(np.mean(drawn.macros)),
        interval=(low, high),
        interval_note=f"{options.level:.4g} percentiles of {len(values)} draws",
        items=len(drawn.items),
        score=drawn.score,
    )


def _item_intervals(
    scores: PairScores, parts: Mapping[str, Floats], options: _JudgeOptions
) -> dict[str, dict[str, Any]]:
    """Return the fields of rows that describe their intervals over items."""
    level, replicates = options.level, options.replicates
    intervals: dict[str, dict[str, Any]] = {}
    for size in {len(of_items) for of_items in parts.values()}:  # they share their samples
        tables = {name: (of_items, scores.finish) for name, of_items in parts.items() if len(of_items) == size}
        try:
            results = bootstrap_many([*tables.values()], replicates=replicates, level=level, seed=options.seed)
        except Undefined as error:
            intervals |= dict.fromkeys(tables, _no_interval(f"no interval: {error}"))
            continue
        note = f"{level:.4g} percentile bootstrap over {size} items, {replicates} replicates"
        for name, result in zip(tables, results, strict=True):
            intervals[name] = {"interval": (result.low, result.high), "interval_note": note}
    return intervals


def _no_interval(note: str) -> dict[str, Any]:
    return {"interval": None, "interval_note": note}


def _pairs_interval(scores: PairScores, name: str, options: _JudgeOptions) -> dict[str, Any]:
    """Return the fields of a row that describe its interval over boundary pairs, by name."""
    if options.interval != "pairs":
        return _no_interval("no interval was requested")
    level = options.level
    if not scores.measure.is_mean_over_pairs:
        return _no_interval(
            f"no interval: {scores.measure.name} is not a mean over boundary pairs; use boundary_similarity"
        )
    counts: Counter[float] = Counter()
    for place in scores.rows_of[name].tolist():
        counts.update(1 - edit.cost for edit in scores.scores[place].edits or ())
    if not counts:
        return _no_interval("no interval: there are no boundary pairs") | {"pairs": 0}
    result = mean_interval(list(counts), list(counts.values()), level=level)
    error = result.standard_error
    note = f"{level:.4g}, mean ± {error:.4f} (one standard error) over {result.n} boundary pairs"
    ends = (result.low, result.high)
    return {"interval": ends, "interval_note": note, "pairs": result.n, "standard_error": error}
