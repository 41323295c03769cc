"""The rows of a judgement: systems and bounds under one measure, with intervals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caesura.errors import Undefined
from caesura.judging.pair_scores import BOUND_PREFIX, PairScores
from caesura.judging.result import SegmenterScore
from caesura.statistics import bootstrap, mean_interval

Floats = NDArray[np.float64]

HUMAN = BOUND_PREFIX + "human"
RANDOM = BOUND_PREFIX + "random"


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals are computed.

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


def segmenter_rows(scores: PairScores, systems: tuple[str, ...], options: IntervalOptions) -> list[SegmenterScore]:
    """Return one row per system and bound that could be scored.

    Parameters
    ----------
    scores : PairScores
        Scores under one measure.
    systems : tuple of str
        Names of the systems.
    options : IntervalOptions
        How to compute intervals.

    Returns
    -------
    list of SegmenterScore
        The systems, then the bounds; empty if no system could be scored.
    """
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


def _row(scores: PairScores, name: str, options: IntervalOptions) -> SegmenterScore:
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


def _random_row(scores: PairScores, draws: list[str], options: IntervalOptions) -> SegmenterScore:
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
    row: SegmenterScore, scores: PairScores, parts: Floats, options: IntervalOptions
) -> SegmenterScore:
    level, replicates = options.level, options.replicates
    try:
        result = bootstrap(parts, scores.finish, replicates=replicates, level=level, seed=options.seed)
    except Undefined as error:
        return replace(row, interval_note=f"no interval: {error}")
    note = f"{level:.4g} percentile bootstrap over {result.items} items, {replicates} replicates"
    return replace(row, interval=(result.low, result.high), interval_note=note)


def _with_pairs_interval(
    row: SegmenterScore, scores: PairScores, name: str, options: IntervalOptions
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
