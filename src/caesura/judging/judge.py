"""Every system against every coder, with bounds, intervals, significance, drop and replacement."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.coefficients import agreement
from caesura.errors import CaesuraWarning, InputError, OptionError, Undefined
from caesura.judging.bounds import Baselines
from caesura.judging.comparison import Comparison, compare
from caesura.judging.field import Field, Systems, enter
from caesura.judging.result import Drop, Judged, Judgement, Replacement
from caesura.judging.trials import BOUND, Trials, run
from caesura.measures.base import Measure
from caesura.measures.batch import warn_about_type_order
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import Segmentation, sort_types
from caesura.options import fraction, whole
from caesura.options import seed as check_seed
from caesura.statistics import alternative_annotator, bootstrap, mean_interval
from caesura.version import __version__

__all__ = ["DIALOGUE", "LINEAR", "judge"]

LINEAR = (
    "boundary_similarity(n_t=2)",
    "segmentation_similarity(n_t=2)",
    "boundary_confusion(n_t=2)",
    "window_diff",
    "fuzzy_success",
)
DIALOGUE = ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]

_HUMAN = BOUND + "human"
_RANDOM = BOUND + "random"


def judge(
    corpus: Corpus,
    systems: Systems,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    interval: str | None = "items",
    seed: int | None = None,
    bounds: bool = True,
    draws: int = 100,
    level: float = 0.95,
    replicates: int = 2000,
    alpha: float = 0.05,
    epsilon: float = 0.2,
    progress: Progress | None = None,
) -> Judgement:
    """Which segmenter is best, is that luck, and could it stand in for a person?

    ``corpus`` holds the coders, ``systems`` the programs: names of coders in the corpus, a mapping system -> item ->
    segmentation, or a corpus of their own. Every system is held against every coder on every item it has, the coder
    being the reference, under each of the ``measures``: by default B, S, the boundary confusion matrix (B-precision and
    B-recall), WindowDiff and fuzzy success, for dialogue S_f and S_f^B. What a system lacks is named in ``.problems``.

    ``.rows``: the micro value (parts summed over items and coders) and the macro value (mean over items), with an
    interval, for the systems and for **bounds**: ``human``, every coder against every other, each once as reference;
    ``random``, segments drawn from those of all coders, the mean of ``draws`` draws; ``regular``, a boundary every mean
    segment; ``none``; ``all``. ``interval="items"`` is the percentile bootstrap over items (``replicates``, ``level``);
    ``"pairs"``, for B, mean +- 1.96 SD / sqrt(n) over boundary pairs, as in Figure 10b of 2013: it takes boundaries of
    one text for independent and is too short. ``random`` has the percentiles of its draws.

    ``.comparisons``, with two systems or more: Kruskal-Wallis with Siegel & Castellan's comparisons and Friedman with the
    Wilcoxon-Nemenyi-McDonald-Thompson post-hoc, over (item, coder); studentised paired bootstrap and approximate
    randomisation over items, corrected by Holm; letters at ``alpha``; wins, ties and losses. Coders of one item are not
    independent: with several of them the first two call equal systems different far too often (32 and 22 % in place of
    5 %, with 6 coders and 20 items), the last two do not.

    ``.drops``: by how much the coders' agreement falls when the system joins them, multi_pi over the first symmetric
    measure (kappa where that is flexible similarity). ``.replacements``: the alternative annotator test over the same
    measure, with ``epsilon`` .2 for experts, .15 for skilled coders, .1 for crowds. ``.mistakes``: where each system
    goes wrong. ``.undefined`` says what has no meaning here: with one coder there is no human bound, no drop and no
    replacement.

    Fournier, C., & Inkpen, D. (2012), section 3.4; Fournier, C. (2013), section 6; Calderon, N., Reichart, R., & Dror, R.
    (2025). The alternative annotator test. ACL.

    >>> from caesura.data import stargazer
    >>> people = stargazer()
    >>> seventh = {"reader 7": {"stargazer": people["stargazer", "7"]}}
    >>> found = judge(people.select(coders="123456"), seventh, seed=1)
    >>> for name in ("reader 7", "human", "random", "none"):
    ...     print(f"{name:9} {found.row(name, 'boundary_similarity').value:.3f}")
    reader 7  0.613
    human     0.496
    random    0.412
    none      0.000
    >>> print(f"{found.drops[0].value:+.3f}")
    -0.035
    """
    _check(interval, draws)
    chosen = check_seed("seed", seed)
    whole(100)("replicates", replicates)
    fraction("level", level)
    fraction("alpha", alpha)
    _check_epsilon(epsilon)
    field = enter(corpus, systems)
    made = _measures(measures, field)
    names = tuple(field.systems)
    undefined = _undefined(field, names)
    _warn_of_order(field, made)
    plan = _Plan(interval, level, replicates, chosen)
    segmenters = _segmenters(field, bounds, draws, chosen)
    human = _HUMAN if bounds and "human" not in undefined else None
    rows: list[Judged] = []
    comparisons: list[Comparison] = []
    excluded = list(field.excluded)
    fit: list[Measure] = []
    steps = len(made) + 2
    for step, measure in enumerate(made):
        trials = run(field, measure, segmenters, human=human)
        excluded += trials.excluded
        able = tuple(name for name in names if name in trials.rows_of)
        rows += _rows(trials, names, plan, bounds) if able else []
        if able == names:
            fit.append(measure)
        if len(able) > 1:
            comparisons.append(compare(trials, able, alpha=alpha, level=level, replicates=replicates, seed=chosen))
        if progress is not None:
            progress(step + 1, steps)
    if not rows:
        raise OptionError(f"nothing could be scored: {'; '.join(dict.fromkeys(excluded[:5]))}")
    aligner = next((one for one in fit if one.coefficients and one.aligns), _aligner(field))
    drops = tuple(_drop(field, name, aligner, chosen) for name in names)
    if progress is not None:
        progress(steps - 1, steps)
    replacements = _replacements(field, names, aligner, epsilon)
    if progress is not None:
        progress(steps, steps)
    _warn_of_few_items(rows, plan)
    words = [
        "judge",
        f"systems:{len(names)}",
        f"coders:{len(field.names)}",
        f"items:{len(field.items)}",
        f"interval:{interval or 'none'}",
        f"level:{level:g}",
        f"replicates:{replicates}",
        f"draws:{draws}",
        f"seed:{chosen}",
        f"caesura:{__version__}",
    ]
    return Judgement(
        rows=tuple(rows),
        comparisons=tuple(comparisons),
        drops=drops,
        replacements=replacements,
        systems=names,
        coders=field.names,
        items=field.items,
        undefined=undefined,
        excluded=tuple(dict.fromkeys(excluded)),
        seed=chosen,
        signature="|".join(words),
        entrants=field,
        aligner=aligner,
    )


@dataclass(frozen=True)
class _Plan:
    interval: str | None
    level: float
    replicates: int
    seed: int


def _check(interval: str | None, draws: int) -> None:
    if interval not in (None, "items", "pairs"):
        raise OptionError(f"interval must be 'items', 'pairs' or None; got {interval!r}")
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise OptionError(f"draws must be a whole number of at least 1; got {draws!r}")


def _check_epsilon(epsilon: float) -> None:
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise OptionError(f"epsilon: must be a number from 0 up and below 1; got {epsilon!r}")


def _dialogue(field: Field) -> bool:
    return any(not isinstance(one, Segmentation) for by in field.coders.values() for one in by.values())


def _aligner(field: Field) -> Measure:
    return parse(DIALOGUE[0] if _dialogue(field) else LINEAR[0])


def _measures(given: str | Measure | Iterable[str | Measure] | None, field: Field) -> tuple[Measure, ...]:
    if given is None:
        return tuple(map(parse, DIALOGUE if _dialogue(field) else LINEAR))
    if isinstance(given, (str, Measure)):
        given = [given]
    if not isinstance(given, Iterable):
        raise OptionError(f"measures: names or measures are needed; got {given!r}")
    made = tuple(dict.fromkeys(map(parse, given)))
    if not made:
        raise OptionError("measures: at least one is needed; got none")
    return made


def _undefined(field: Field, systems: tuple[str, ...]) -> dict[str, str]:
    """What has no meaning with so few coders or systems."""
    out = {}
    coders = len(field.names)
    if coders < 2:
        out["human"] = out["drop"] = "at least two coders are needed; got one"
    elif all(len(by) < 2 for by in field.coders.values()):
        out["human"] = out["drop"] = "no two coders share an item"
    if coders < 3:
        out["replacement"] = f"the alternative annotator test needs at least 3 coders; got {coders}"
    if len(systems) < 2:
        out["comparison"] = "at least two systems are needed; got one"
    return out


def _segmenters(field: Field, bounds: bool, draws: int, seed: int) -> dict[str, Mapping[str, Annotation]]:
    out: dict[str, Mapping[str, Annotation]] = dict(field.systems)
    if bounds:
        base = Baselines(field)
        rng = np.random.default_rng([seed, 1])
        out |= {f"{_RANDOM} {k}": base.random(rng) for k in range(draws)}
        out |= {BOUND + "regular": base.regular(), BOUND + "none": base.none(), BOUND + "all": base.all()}
    return out


def _rows(trials: Trials, systems: tuple[str, ...], plan: _Plan, bounds: bool) -> list[Judged]:
    rows = [_row(trials, name, name, plan, False) for name in systems if name in trials.rows_of]
    if not bounds:
        return rows
    for name in ("human", "random", "regular", "none", "all"):
        if name == "random":
            drawn = [one for one in trials.rows_of if one.startswith(_RANDOM)]
            rows += [_random(trials, drawn, plan)] if drawn else []
        elif BOUND + name in trials.rows_of:
            rows.append(_row(trials, BOUND + name, name, plan, True))
    return rows


def _row(trials: Trials, key: str, name: str, plan: _Plan, bound: bool) -> Judged:
    score = trials.score(key)
    items, parts = trials.by_item(key)
    macro = float(trials.finish(parts).mean())
    plain = Judged(
        name, bound, trials.measure, score.value, macro, None, "", len(items), score, by_coder=trials.by_coder(key)
    )
    if plan.interval == "pairs":
        return _pairs_interval(trials, key, plan, plain)
    interval, note = _interval(trials, parts, plan)
    return replace(plain, interval=interval, interval_note=note)


def _random(trials: Trials, drawn: list[str], plan: _Plan) -> Judged:
    """The mean of pooled values over draws, and their percentiles."""
    parts = [trials.by_item(one)[1] for one in drawn]
    values = trials.finish(np.array([one.sum(axis=0) for one in parts]))
    macro = float(np.mean([trials.finish(one).mean() for one in parts]))
    score = trials.scores.over(np.concatenate([trials.rows_of[one] for one in drawn]))
    low, high = np.quantile(values, [(1 - plan.level) / 2, (1 + plan.level) / 2]).tolist()
    note = f"{plan.level:.4g} percentiles of {len(drawn)} draws"
    items = len({int(i) for one in drawn for i in trials.item[trials.rows_of[one]]})
    return Judged("random", True, trials.measure, float(values.mean()), macro, (low, high), note, items, score)


def _interval(trials: Trials, parts: Floats, plan: _Plan) -> tuple[tuple[float, float] | None, str]:
    if plan.interval is None:
        return None, "no interval was asked for"
    try:
        found = bootstrap(parts, trials.finish, replicates=plan.replicates, level=plan.level, seed=plan.seed)
    except Undefined as problem:
        return None, f"no interval: {problem}"
    note = f"{plan.level:.4g} percentile bootstrap over {found.items} items, {plan.replicates} replicates"
    return (found.low, found.high), note


def _pairs_interval(trials: Trials, key: str, plan: _Plan, plain: Judged) -> Judged:
    measure = trials.measure
    if not measure.is_mean_over_pairs:
        note = f"no interval: boundary pairs are what boundary_similarity counts; {measure.name} does not"
        return replace(plain, interval_note=note)
    values: dict[float, int] = {}
    for row in trials.rows_of[key].tolist():
        for edit in trials.scores[row].edits or ():
            values[1 - edit.cost] = values.get(1 - edit.cost, 0) + 1
    if not values:
        return replace(plain, interval_note="no interval: there are no boundary pairs", pairs=0)
    found = mean_interval(list(values), list(values.values()), level=plan.level)
    note = f"{plan.level:.4g}, mean ± {found.standard_error:.4f} (one standard error) over {found.n} boundary pairs"
    return replace(
        plain, interval=(found.low, found.high), interval_note=note, pairs=found.n, standard_error=found.standard_error
    )


def _drop(field: Field, system: str, measure: Measure, seed: int) -> Drop:
    coefficient = "kappa" if isinstance(measure, FlexibleSimilarity) else "multi_pi"
    # The same items on both sides: where a single coder meets the system, there is nothing to drop from.
    items = [item for item in field.items if item in field.systems[system] and len(field.coders[item]) > 1]
    if not items:
        few = "agreement of coders needs at least two of them; got one"
        why = few if len(field.names) < 2 else f"no item of {system} has two coders"
        return Drop(system, None, None, None, coefficient, measure, 0, why)
    given: dict[str, Any] = {"measure": measure, "coefficient": coefficient, "interval": None, "seed": seed}
    try:
        joined = agreement(field.corpus(system=system).select(items=items), **given)
        items = [item for item in items if item not in joined.dropped]
        alone = agreement(field.corpus().select(items=items), **given)
    except InputError as problem:
        return Drop(system, None, None, None, coefficient, measure, len(items), str(problem))
    return Drop(system, alone.value - joined.value, alone.value, joined.value, coefficient, measure, len(items))


def _replacements(field: Field, systems: tuple[str, ...], measure: Measure, epsilon: float) -> tuple[Replacement, ...]:
    """The alternative annotator test of every system: instances are items, similarities those of the measure."""
    coders = len(field.names)
    if coders < 3:
        why = f"the alternative annotator test needs at least 3 coders; got {coders}"
        return tuple(Replacement(name, None, field.names, measure, why) for name in systems)
    trials = run(field, measure, field.systems, human=_HUMAN)  # one batch: everything over the same types
    between = np.full((len(trials.items), coders, coders), np.nan)
    rows = trials.rows_of.get(_HUMAN, np.empty(0, np.int64))
    between[trials.item[rows], trials.other[rows], trials.coder[rows]] = _similarity(trials, rows)
    out = []
    for name in systems:
        closeness = np.full((len(trials.items), coders), np.nan)
        rows = trials.rows_of.get(name, np.empty(0, np.int64))
        closeness[trials.item[rows], trials.coder[rows]] = _similarity(trials, rows)
        system, human = _others(between, closeness)
        seen = (~np.isnan(system)).sum(axis=1)
        if (seen < 2).any():
            few = int(np.flatnonzero(seen < 2)[0])
            why = (
                f"coder {trials.coders[few]!r} must share at least 2 items with the system and another coder; "
                f"got {seen[few]}"
            )
            out.append(Replacement(name, None, trials.coders, measure, why))
        else:
            test = alternative_annotator(system, human, epsilon=epsilon)
            out.append(Replacement(name, test, trials.coders, measure))
    return tuple(out)


def _similarity(trials: Trials, rows: Ints) -> Floats:
    return trials.measure.as_similarity(trials.scores.values[rows])


def _others(between: Floats, closeness: Floats) -> tuple[Floats, Floats]:
    """S_f and S_h: means over the coders other than j, coders x items, on items that j coded and the system has.

    ``between`` is items x coders x coders, row j the similarity of coder j to the others; ``closeness`` is items x coders.
    """
    n = between.shape[1]
    system, human = (np.full((n, len(between)), np.nan) for _ in range(2))
    for j in range(n):
        rest = np.arange(n) != j
        there = ~np.isnan(between[:, j, :][:, rest]) & ~np.isnan(closeness[:, rest])
        count = there.sum(axis=1)
        use = count > 0
        for out, values in ((system, closeness[:, rest]), (human, between[:, j, :][:, rest])):
            sums = np.where(there, values, 0).sum(axis=1)
            out[j, use] = sums[use] / count[use]
    return system, human


def _warn_of_order(field: Field, measures: tuple[Measure, ...]) -> None:
    """Bounds declare the types they use, so that scoring does not notice that nobody else did."""
    texts = [
        one
        for by in (*field.coders.values(), *field.systems.values())
        for one in by.values()
        if isinstance(one, Segmentation) and one.boundary_positions.size
    ]
    if any(one.types_declared for one in texts) or not any(measure.view == "typed" for measure in measures):
        return
    scale = sort_types({name for one in texts for _, name in one.boundaries})
    warn_about_type_order(scale, stacklevel=4)


def _warn_of_few_items(rows: list[Judged], plan: _Plan) -> None:
    few = min((one.items for one in rows if one.interval is not None and not one.bound), default=20)
    if plan.interval == "items" and few < 20:
        warnings.warn(
            f"an interval from {few} items is too short: it covers about .84 at 5 items, .92 at 20, .95 at 50",
            CaesuraWarning,
            stacklevel=3,
        )
