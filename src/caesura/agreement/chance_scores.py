"""The score that random placement gives: how good is a hypothesis whose boundaries are placed by chance?

Boundaries of the reference and of the hypothesis are placed at random, each side with its own share of marked positions, as for
kappa in :mod:`caesura.agreement.placement`. The expected parts of all items are summed and finished once. A window that
depends on the reference keeps the width that it has for the real reference. How far a score is beyond chance is ::

    (score - chance) / (best - chance)

so that 1 is the best possible score, 0 is chance, and negative values are worse, for similarities and error rates alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.agreement.placement import BoundaryCounts, choose_expected_counts, finish_moments
from caesura.measures.base import Measure
from caesura.measures.expected import Moments, RandomStreams
from caesura.measures.many import Scores, score_many
from caesura.model.batch import Pair
from caesura.model.index import bincount, repeat
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints

# Number of simulated pairs of texts, for measures without a formula.
DEFAULT_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class ChanceScore:
    value: float  # the expected score
    error: float  # its standard error; 0 if it is exact
    # How far the real score is beyond chance: 1 is the best score, 0 is chance. None if the measure has no best score, or
    # chance already reaches it.
    beyond: float | None
    method: str  # method of the computation
    draws: int  # number of simulated pairs of texts; 0 if the value is exact
    reason: str | None = None  # why ``beyond`` is None


def supports_chance(measure: Measure, pairs: Iterable[Pair] = ()) -> bool:
    """Return whether a measure compares the boundaries of segmentations, which can be placed at random."""
    if (
        "linear" not in measure.kinds
        or measure.needs_labels
        or measure.is_averaged
        or measure["references"] is not None
    ):
        return False
    return all(
        type(side) is Segmentation
        or all(isinstance(text, Segmentation) for text in (side.values() if isinstance(side, Mapping) else [side]))
        for pair in pairs
        for side in pair
    )


def chance_scores(
    pairs: Sequence[tuple[Any, Any]], scores: Scores, *, draws: int = DEFAULT_DRAWS, seed: int = 0
) -> tuple[ChanceScore, dict[int, ChanceScore]]:
    """Return the scores of randomly placed boundaries, for all pairs together and for each pair."""
    model = _PairChance(pairs, scores, draws, seed)
    places = scores.scored
    total = model.scores(np.array([scores.total.value]), together=True)[0]
    if len(places) > model.max_pairs:
        return total, {}
    single = model.scores(scores.values[places], together=False)
    rows = zip(places.tolist(), single, model.is_marked.tolist(), strict=True)
    return total, {place: score for place, score, is_marked in rows if is_marked}


def _streams(pair: tuple[Any, Any]) -> list[Pair]:
    """Return the pairs of streams of a dialogue, or the pair itself."""
    a, b = pair
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return [(a[name], b[name]) for name in a]
    return [pair]


class _PairChance:
    """Expected counts of pairs; streams whose options were resolved differently have separate formulas."""

    def __init__(self, pairs: Sequence[tuple[Any, Any]], scores: Scores, draws: int, seed: int) -> None:
        self.measure = scores.measure
        places = scores.scored.tolist()
        streams = [_streams(pairs[place]) for place in places]
        flat = [pair for own in streams for pair in own]
        # The pair to which each stream belongs.
        self.owner = repeat(np.arange(len(places)), [len(own) for own in streams])
        self.types = scores.types
        self.counts = BoundaryCounts([list(pair) for pair in flat], self.types)
        self.is_marked = bincount(self.owner, self.counts.boundaries.sum(axis=(1, 2)), len(places)) > 0
        resolved = self._resolved(scores, flat)
        objects = {id(entry): entry for entry in resolved}  # few, and hashing a measure is slow
        self.formulas = {
            entry: choose_expected_counts(entry, self.types, self.counts.sets, draws=draws, seed=seed)
            for entry in dict.fromkeys(objects.values())
        }
        number = {entry: i for i, entry in enumerate(self.formulas)}
        of_object = {key: number[entry] for key, entry in objects.items()}
        numbers = np.array([of_object[id(entry)] for entry in resolved])
        self.members = {entry: (numbers == i).astype(float) for entry, i in number.items()}

    @property
    def max_pairs(self) -> int:
        """Number of pairs whose separate scores can be computed in reasonable time."""
        return min(formula.max_rates for formula in self.formulas.values())

    def _resolved(self, scores: Scores, streams: Sequence[tuple[Any, Any]]) -> list[Measure]:
        """Return the measure of each stream, with the options that were resolved for the stream."""
        if not scores.resolved:
            return [self.measure] * len(streams)
        if len(streams) > len(scores.scored):
            scores = score_many(streams, self.measure)
        known: dict[tuple[Any, ...], Measure] = {}
        columns = [column[scores.scored].tolist() for column in scores.resolved.values()]
        measures = []
        for place, key in zip(scores.scored.tolist(), zip(*columns, strict=True), strict=True):
            if key not in known:
                known[key] = self.measure.as_resolved(self.measure.resolved_at(scores.resolved, place))
            measures.append(known[key])
        return measures

    def scores(self, values: Floats, *, together: bool) -> list[ChanceScore]:
        boundaries = self._sums(self.counts.boundaries, together)
        positions = self._sums(self.counts.streams @ self.counts.lengths, together)
        rates = boundaries / np.where(positions > 0, positions, 1)[:, None, None]
        expected, errors = finish_moments(self.measure, self.types, self._moments(rates, together), as_similarity=False)
        formulas = self.formulas.values()
        draws = max(formula.draws for formula in formulas)
        method = next(iter(formulas)).method
        return [
            self._score(value, chance, error, method, draws)
            for chance, error, value in zip(expected.tolist(), errors.tolist(), values.tolist(), strict=True)
        ]

    def _sums(self, column: Floats, together: bool) -> Floats:
        sums = np.zeros((1 if together else len(self.is_marked), *column.shape[1:]))
        np.add.at(sums, 0 * self.owner if together else self.owner, column)
        return sums

    def _moments(self, rates: Floats, together: bool) -> Moments:
        p_a, p_b = (np.ascontiguousarray(rates[:, side]) for side in (0, 1))
        group: Ints = np.arange(len(rates))
        parts: list[Moments] = []
        for measure, formula in self.formulas.items():
            own = self.counts.streams * self.members[measure][:, None]
            streams = RandomStreams(self.counts.lengths, self._sums(own, together))
            parts.append(formula.moments(p_a, p_b, streams, group))
        covariances = [part.covariance for part in parts if part.covariance is not None]
        covariance = np.sum(covariances, axis=0) if covariances else None
        return Moments(np.sum([part.counts for part in parts], axis=0), covariance)

    def _score(self, value: float, chance: float, error: float, method: str, draws: int) -> ChanceScore:
        best = self.measure.best
        if best is None:
            return ChanceScore(chance, error, None, method, draws, "the measure has no best value")
        if chance == best:
            return ChanceScore(chance, error, None, method, draws, "chance already reaches the best value")
        return ChanceScore(chance, error, (value - chance) / (best - chance), method, draws)
