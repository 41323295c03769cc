"""Judge systems against coders: scores, bounds, confidence intervals, tests, drop in agreement and replacement test."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraWarning, OptionError, Undefined
from caesura.judging.bounds import Baselines
from caesura.judging.comparison import SystemComparison, compare_systems
from caesura.judging.pair_scores import BOUND_PREFIX, HUMAN, RANDOM, PairScores, score_pairs
from caesura.judging.participants import Participants, Systems, collect_participants
from caesura.judging.result import Judgement, SegmenterScore
from caesura.judging.substitution import agreement_drop, replacement_tests, too_few_coders
from caesura.measures.base import Measure
from caesura.measures.batch import warn_about_type_order
from caesura.measures.registry import default_measures, parse_measures
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.result import Excluded, signature_line
from caesura.model.segmentation import Segmentation, sort_types
from caesura.options import choice, fraction, number, optional, whole
from caesura.options import seed as check_seed
from caesura.progress import report_progress
from caesura.statistics import bootstrap, mean_interval

Floats = NDArray[np.float64]
RANDOM_DRAWS = 100
"""Default number of draws of the random bound."""


@dataclass(frozen=True)
class _IntervalOptions:
    """Settings of the confidence intervals.

    Attributes
    ----------
    over : str or None
        ``"items"``, ``"pairs"`` or None for no intervals.
    level : float
        Confidence level.
    replicates : int
        Number of bootstrap replicates.
    seed : int
        Random seed.
    """

    over: str | None
    level: float
    replicates: int
    seed: int


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
    """Judge systems against human coders: which is best, is the difference significant, and could it replace a coder?

    Parameters
    ----------
    corpus : Corpus
        The annotations of the coders, and of the systems if ``systems`` is a list of names.
    systems : sequence of str, mapping, or Corpus
        Names of the corpus's coders that are systems; or a mapping system -> item -> segmentation; or a corpus of
        systems.
    measures : str, Measure or iterable, optional
        The measures. By default B, S, the boundary confusion matrix (B-precision and B-recall), WindowDiff and fuzzy success;
        for dialogue S_f and S_f^B.
    interval : str or None, default "items"
        ``"items"``: percentile bootstrap over items. ``"pairs"``: mean ± z SD / sqrt(n) over boundary pairs. None or
        ``"none"``: no intervals.
    level : float, default 0.95
        Confidence level.
    replicates : int, default 2000
        Number of bootstrap replicates; the tests between systems use at least this number.
    seed : int or None, default 0
        Random seed; None draws one.
    bounds : bool or int, default True
        Whether to score bounds: human coders against each other, and baselines that ignore the text. A number is the number
        of draws of the random baseline (True: 100).
    alpha : float, default 0.05
        Significance level of the letters.
    epsilon : float, default 0.2
        Allowance of the alternative annotator test: .2 for experts, .15 for skilled coders, .1 for crowds.

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
    - ``regular``: all segments as long as the mean segment of the coders;
    - ``none`` and ``all``: no boundary, and a boundary at every position.

    ``interval="pairs"`` works for B only, as in Figure 10b of Fournier (2013). It treats the boundaries of a text as
    independent, so the interval is too short.

    **Comparisons** (``.comparisons``, with two systems or more): Kruskal-Wallis with Siegel & Castellan's comparisons and
    Friedman with the Wilcoxon-Nemenyi-McDonald-Thompson post-hoc test, over (item, coder); studentised paired bootstrap and
    approximate randomisation over items, corrected by Holm; letters at ``alpha``; wins, ties and losses. The coders of an
    item are not independent. With 6 coders and 20 items the first two tests find a difference between equal systems in 32
    % and 22 % of cases instead of 5 %; the last two tests stay near 5 %.

    **Drop** (``.drops``): how much the coders' agreement falls when the system joins them. The coefficient is the default
    of the first measure that aligns boundaries and has a coefficient. **Replacement** (``.replacements``): the
    alternative annotator test with the same measure. **Mistakes** (``.mistakes``): misses, false alarms, near misses and
    confusions of each system.

    ``.undefined`` lists the bounds and tests that are undefined for these data. With one coder there is no human bound,
    no drop and no replacement.

    References
    ----------
    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT, section 3.4.

    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL, section 6.

    Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test. ACL.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> people = stargazer()
    >>> seventh = {"reader 7": {"stargazer": people["stargazer", "7"]}}
    >>> judgement = judge(people.select(coders="123456"), seventh, seed=1)
    >>> for name in ("reader 7", "human", "random", "none"):
    ...     print(f"{name:9} {judgement.row(name, 'boundary_similarity').value:.3f}")
    reader 7  0.613
    human     0.496
    random    0.412
    none      0.000
    >>> print(f"{judgement.drops[0].value:+.3f}")
    -0.035
    """
    options = _IntervalOptions(
        over=optional(choice("items", "pairs"), "none")("interval", interval),
        level=fraction("level", level),
        replicates=whole(100)("replicates", replicates),
        seed=check_seed("seed", seed),
    )
    draws = _random_draws(bounds)
    alpha, epsilon = fraction("alpha", alpha), number(0, 1, below=True)("epsilon", epsilon)
    participants = collect_participants(corpus, systems)
    chosen = default_measures("judge", participants.kind) if measures is None else parse_measures(measures)
    names = tuple(participants.systems)
    undefined = _undefined(participants)
    _warn_of_undeclared_order(participants, chosen)
    segmenters = _segmenters(participants, draws, options.seed)
    human = HUMAN if draws and "human" not in undefined else None
    steps = len(chosen) + 2
    verdicts: list[_MeasureVerdict] = []
    for step, measure in enumerate(chosen, 1):
        scores = score_pairs(participants, measure, segmenters, human=human)
        verdicts.append(_judge_measure(scores, names, options, alpha))
        report_progress(step, steps)
    rows = tuple(row for verdict in verdicts for row in verdict.rows)
    excluded = tuple(dict.fromkeys(chain(participants.excluded, *(verdict.excluded for verdict in verdicts))))
    if not rows:
        raise OptionError(f"nothing could be scored: {'; '.join(map(str, excluded[:5]))}")
    aligner = _aligner(verdicts, participants)
    drops = tuple(agreement_drop(participants, name, aligner, options.seed) for name in names)
    report_progress(steps - 1, steps)
    replacements = replacement_tests(participants, aligner, epsilon)
    report_progress(steps, steps)
    _warn_of_few_items(rows, options)
    return Judgement(
        rows=rows,
        comparisons=tuple(chain.from_iterable(verdict.comparisons for verdict in verdicts)),
        drops=drops,
        replacements=replacements,
        systems=names,
        coders=participants.coder_names,
        items=participants.items,
        undefined=undefined,
        excluded=excluded,
        seed=options.seed,
        signature=_signature(participants, options, draws),
        participants=participants,
        aligner=aligner,
    )


@dataclass(frozen=True)
class _MeasureVerdict:
    """Systems and bounds under one measure.

    ``comparisons`` has one entry, or none if fewer than two systems could be scored. ``is_complete`` is true if all
    systems could be scored.
    """

    measure: Measure
    rows: list[SegmenterScore]
    comparisons: tuple[SystemComparison, ...]
    excluded: tuple[Excluded, ...]
    is_complete: bool


def _judge_measure(
    scores: PairScores, systems: tuple[str, ...], options: _IntervalOptions, alpha: float
) -> _MeasureVerdict:
    scored = tuple(name for name in systems if name in scores.rows_of)
    comparisons: tuple[SystemComparison, ...] = ()
    if len(scored) > 1:
        comparison = compare_systems(
            scores, scored, alpha=alpha, level=options.level, replicates=options.replicates, seed=options.seed
        )
        comparisons = (comparison,)
    rows = _segmenter_rows(scores, systems, options)
    return _MeasureVerdict(scores.measure, rows, comparisons, scores.excluded, scored == systems)


def _aligner(verdicts: Iterable[_MeasureVerdict], participants: Participants) -> Measure:
    """Return the first measure that scored all systems, aligns boundaries and has a coefficient of agreement."""
    for verdict in verdicts:
        if verdict.is_complete and verdict.measure.coefficients and verdict.measure.aligns:
            return verdict.measure
    return default_measures("judge", participants.kind)[0]


def _random_draws(bounds: bool | int) -> int:
    """Return the number of draws of the random bound; 0 if there are no bounds."""
    if isinstance(bounds, (bool, np.bool_)):
        return RANDOM_DRAWS if bounds else 0
    return int(whole(1)("bounds", bounds))


def _signature(participants: Participants, options: _IntervalOptions, draws: int) -> str:
    return signature_line(
        "judge",
        systems=len(participants.systems),
        coders=len(participants.coder_names),
        items=len(participants.items),
        interval=options.over or "none",
        level=f"{options.level:g}",
        replicates=options.replicates,
        bounds=draws or False,
        seed=options.seed,
    )


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
    if len(participants.systems) < 2:
        reasons["comparison"] = "expected at least two systems; got one"
    return reasons


def _segmenters(participants: Participants, draws: int, seed: int) -> dict[str, Mapping[str, Annotation]]:
    """Return systems and bounds: segmenter -> item -> annotation."""
    segmenters: dict[str, Mapping[str, Annotation]] = dict(participants.systems)
    if draws:
        baselines = Baselines(participants)
        rng = np.random.default_rng([seed, 1])
        segmenters |= {f"{RANDOM} {k}": baselines.random(rng) for k in range(draws)}
        segmenters[BOUND_PREFIX + "regular"] = baselines.regular()
        segmenters[BOUND_PREFIX + "none"] = baselines.none()
        segmenters[BOUND_PREFIX + "all"] = baselines.all()
    return segmenters


def _warn_of_undeclared_order(participants: Participants, measures: tuple[Measure, ...]) -> None:
    """Warn if the order of types matters and no annotation declares it.

    Bounds declare the types they use, so scoring alone would not notice that the annotations do not.
    """
    if not any(measure.view == "typed" for measure in measures):
        return
    groups = (*participants.coders.values(), *participants.systems.values())
    annotations = chain.from_iterable(group.values() for group in groups)
    texts = [text for text in annotations if isinstance(text, Segmentation) and text.boundary_positions.size]
    if not any(text.types_declared for text in texts):
        warn_about_type_order(sort_types({name for text in texts for _, name in text.boundaries}), stacklevel=4)


def _warn_of_few_items(rows: Iterable[SegmenterScore], options: _IntervalOptions) -> None:
    items = min((row.items for row in rows if row.interval is not None and not row.bound), default=20)
    if options.over == "items" and items < 20:
        warnings.warn(
            f"an interval from {items} items is too short: it covers about .84 at 5 items, .92 at 20, .95 at 50",
            CaesuraWarning,
            stacklevel=3,
        )


# -- rows: systems and bounds under one measure, with intervals ------------------------------------------------------


def _segmenter_rows(scores: PairScores, systems: tuple[str, ...], options: _IntervalOptions) -> list[SegmenterScore]:
    """Return one row per system and bound that could be scored."""
    rows = [_row(scores, name, options) for name in systems if name in scores.rows_of]
    if not rows:
        return []
    for bound in ("human", "random", "regular", "none", "all"):
        name = BOUND_PREFIX + bound
        if name == RANDOM:
            draws = [segmenter for segmenter in scores.rows_of if segmenter.startswith(RANDOM)]
            rows += [_random_row(scores, draws, options)] if draws else []
        elif name in scores.rows_of:
            rows.append(_row(scores, name, options))
    return rows


def _row(scores: PairScores, name: str, options: _IntervalOptions) -> SegmenterScore:
    score = scores.score(name)
    items, parts = scores.by_item(name)
    row = SegmenterScore(
        segmenter=name.removeprefix(BOUND_PREFIX),
        bound=name.startswith(BOUND_PREFIX),
        measure=scores.measure,
        value=score.value,
        macro=float(scores.finish(parts).mean()),
        interval=None,
        interval_note="no interval was requested",
        items=len(items),
        score=score,
        by_coder=scores.by_coder(name),
    )
    if options.over is None:
        return row
    return (
        _with_pairs_interval(row, scores, name, options)
        if options.over == "pairs"
        else _with_items_interval(row, scores, parts, options)
    )


def _random_row(scores: PairScores, draws: list[str], options: _IntervalOptions) -> SegmenterScore:
    """Return the mean of pooled values over draws, with their percentiles."""
    parts = [scores.by_item(name)[1] for name in draws]
    values = scores.finish(np.array([by_item.sum(axis=0) for by_item in parts]))
    low, high = np.quantile(values, [(1 - options.level) / 2, (1 + options.level) / 2]).tolist()
    rows = np.concatenate([scores.rows_of[name] for name in draws])
    return SegmenterScore(
        segmenter="random",
        bound=True,
        measure=scores.measure,
        value=float(values.mean()),
        macro=float(np.mean([scores.finish(by_item).mean() for by_item in parts])),
        interval=(low, high),
        interval_note=f"{options.level:.4g} percentiles of {len(draws)} draws",
        items=len(np.unique(scores.item_of[rows])),
        score=scores.scores.over(rows),
    )


def _with_items_interval(
    row: SegmenterScore, scores: PairScores, parts: Floats, options: _IntervalOptions
) -> SegmenterScore:
    level, replicates = options.level, options.replicates
    try:
        result = bootstrap(parts, scores.finish, replicates=replicates, level=level, seed=options.seed)
    except Undefined as error:
        return replace(row, interval_note=f"no interval: {error}")
    note = f"{level:.4g} percentile bootstrap over {result.items} items, {replicates} replicates"
    return replace(row, interval=(result.low, result.high), interval_note=note)


def _with_pairs_interval(
    row: SegmenterScore, scores: PairScores, name: str, options: _IntervalOptions
) -> SegmenterScore:
    if not scores.measure.is_mean_over_pairs:
        note = f"no interval: {scores.measure.name} is not a mean over boundary pairs; boundary_similarity is"
        return replace(row, interval_note=note)
    counts: Counter[float] = Counter()
    for place in scores.rows_of[name].tolist():
        counts.update(1 - edit.cost for edit in scores.scores[place].edits or ())
    if not counts:
        return replace(row, interval_note="no interval: there are no boundary pairs", pairs=0)
    result = mean_interval(list(counts), list(counts.values()), level=options.level)
    note = (
        f"{options.level:.4g}, mean ± {result.standard_error:.4f} (one standard error) over {result.n} boundary pairs"
    )
    return replace(
        row,
        interval=(result.low, result.high),
        interval_note=note,
        pairs=result.n,
        standard_error=result.standard_error,
    )
