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

import numpy as np

from caesura.agreement.placement import BoundaryCounts, choose_expected_counts, finish_moments
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.expected import Moments, RandomStreams
from caesura.measures.many import Scores, score_many
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints

DEFAULT_DRAWS = 2000
"""Number of simulated pairs of texts, for measures without a formula."""


@dataclass(frozen=True, slots=True)
class ChanceScore:
    """The score of randomly placed boundaries.

    Attributes
    ----------
    value : float
        The expected score.
    error : float
        Its standard error; 0 if it is exact.
    beyond : float or None
        How far the real score is beyond chance: 1 is the best score, 0 is chance. None if the measure has no best score, or
        chance already reaches it.
    method : str
        Method of the computation.
    draws : int
        Number of simulated pairs of texts; 0 if the value is exact.
    """

    value: float
    error: float
    beyond: float | None
    method: str
    draws: int


def supports_chance(measure: Measure, pairs: Iterable[Pair] = ()) -> bool:
    """Return whether a measure compares the boundaries of segmentations, which can be placed at random.

    Parameters
    ----------
    measure : Measure
        The measure.
    pairs : iterable of pairs, optional
        Annotations to compare; those in seconds and hierarchies have no positions.

    Returns
    -------
    bool
        Whether :func:`chance_scores` is defined for it.
    """
    if "linear" not in measure.kinds or measure.needs_labels:
        return False
    texts = [
        text for pair in pairs for side in pair for text in (side.values() if isinstance(side, Mapping) else [side])
    ]
    return all(isinstance(text, Segmentation) for text in texts)


def chance_scores(
    pairs: Sequence[Pair], scores: Scores, *, draws: int = DEFAULT_DRAWS, seed: int = 0
) -> tuple[ChanceScore, dict[int, ChanceScore]]:
    """Return the scores of randomly placed boundaries, for all pairs together and for each pair.

    Parameters
    ----------
    pairs : sequence of pairs
        References and hypotheses.
    scores : Scores
        Their scores, at least one of which is defined.
    draws : int, default 2000
        Number of simulated pairs of texts, if the measure has no formula.
    seed : int, default 0
        Random seed.

    Returns
    -------
    total : ChanceScore
        The score of all pairs, with the rates of either side over all of them.
    by_pair : dict
        Place of a pair -> its score, with the rates of either side in this pair. Pairs without any boundary are missing.
    """
    model = _PairChance(pairs, scores, draws, seed)
    places = scores.scored
    total = model.score(np.ones((1, len(places))), np.array([scores.total.value]))[0]
    values = scores.values[places]
    single = model.score(np.eye(len(places)), values)
    return total, {int(place): single[i] for i, place in enumerate(places.tolist()) if model.is_marked[i]}


def _streams(pair: Pair) -> list[Pair]:
    """Return the pairs of streams of a dialogue, or the pair itself."""
    a, b = pair
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return [(a[name], b[name]) for name in a]
    return [pair]


class _PairChance:
    """Expected counts of pairs; streams whose options were resolved differently have separate formulas."""

    def __init__(self, pairs: Sequence[Pair], scores: Scores, draws: int, seed: int) -> None:
        measure = self.measure = scores.measure
        places = scores.scored.tolist()
        streams = [_streams(pairs[place]) for place in places]
        flat = [pair for own in streams for pair in own]
        # Streams x pairs: 1 if the stream belongs to the pair.
        self.owners = np.repeat(np.eye(len(places)), [len(own) for own in streams], axis=0)
        self.types = scores.types if measure.view in ("typed", "streams") else scores.types[:1]
        self.counts = BoundaryCounts([list(pair) for pair in flat], self.types)
        self.is_marked = self.owners.T @ self.counts.boundaries.sum(axis=(1, 2)) > 0
        resolved = self._resolved(scores, flat)
        self.formulas = {
            entry: choose_expected_counts(entry, self.types, self.counts.sets, draws=draws, seed=seed)
            for entry in dict.fromkeys(resolved)
        }
        self.members = {entry: np.array([other == entry for other in resolved], float) for entry in self.formulas}

    def _resolved(self, scores: Scores, streams: Sequence[Pair]) -> list[Measure]:
        """Return the measure of each stream, with the options that were resolved for the stream."""
        if not scores.resolved:
            return [self.measure] * len(streams)
        if len(streams) > len(scores.scored):
            scores = score_many(streams, self.measure)
        places = scores.scored.tolist()
        return [self.measure.as_resolved(self.measure.resolved_at(scores.resolved, place)) for place in places]

    def score(self, weights: Floats, values: Floats) -> list[ChanceScore]:
        """Return the chance score of each row of weighted pairs, beside their real scores."""
        weights = weights @ self.owners.T
        boundaries = np.einsum("rp,psk->rsk", weights, self.counts.boundaries)
        positions = weights @ (self.counts.streams @ self.counts.lengths)
        rates = boundaries / np.where(positions > 0, positions, 1)[:, None, None]
        moments = self._moments(weights, rates)
        expected, errors = finish_moments(self.measure, self.types, moments, as_similarity=False)
        formulas = self.formulas.values()
        draws = max(formula.draws for formula in formulas)
        method = next(iter(formulas)).method
        return [
            ChanceScore(chance, error, self._beyond(value, chance), method, draws)
            for chance, error, value in zip(expected.tolist(), errors.tolist(), values.tolist(), strict=True)
        ]

    def _moments(self, weights: Floats, rates: Floats) -> Moments:
        p_a, p_b = (np.ascontiguousarray(rates[:, side]) for side in (0, 1))
        group: Ints = np.arange(len(weights))
        parts: list[Moments] = []
        for measure, formula in self.formulas.items():
            streams = RandomStreams(
                self.counts.lengths, np.ascontiguousarray((weights * self.members[measure]) @ self.counts.streams)
            )
            parts.append(formula.moments(p_a, p_b, streams, group))
        covariances = [part.covariance for part in parts if part.covariance is not None]
        covariance = np.sum(covariances, axis=0) if covariances else None
        return Moments(np.sum([part.counts for part in parts], axis=0), covariance)

    def _beyond(self, value: float, chance: float) -> float | None:
        best = self.measure.best
        return None if best is None or chance == best else (value - chance) / (best - chance)
