"""Chance agreement of coders who place their boundaries at random: the expected similarity under independent placement.

The published expected agreement (:mod:`caesura.agreement.counts`) is the probability that two random coders both mark a
position. It is not the expected value of B or S: near misses, and for S the many positions that are empty on both sides, give
random coders far more. Here, every position of a text has a boundary with a fixed probability, independently of all
others::

    pi, multi_pi         one probability for all coders: boundaries / positions over all coders and items
    kappa, multi_kappa   each coder's own: boundaries / positions over all items of the coder

The expected *parts* of every item and pair of coders are summed and finished once, as observed agreement is. If boundaries
have types, each set of types that occurs at a position has its own probability.

For one type and n_t = 2 the expected parts of B and S are exact. Matches are expected P p_a p_b times. What is left
over follows a chain with three states: nothing is open, or a boundary of a alone, or of b alone, at the last position that is
still unpaired (``kernels/placement.pyx``). Other measures have formulas of their own, or the texts are simulated;
``method`` says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from caesura.agreement.chance import ChanceModel, Coefficient, Placement, max_draws
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import PairSums, Parts, Rows, Sums
from caesura.engines import Engine
from caesura.measures.base import Measure
from caesura.measures.expected import ExpectedCounts, Moments, RandomStreams, SimulatedCounts
from caesura.model.columns import typed_inner
from caesura.model.index import flatnonzero, repeat
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product

# Sets of types that occur at a position, each as sorted indices of types.
Sets = tuple[tuple[int, ...], ...]
_OWN_RATES = ("kappa", "multi_kappa")  # coefficients for which each coder has rates of its own


class BoundaryCounts:
    """Number of boundaries of each set of types, and number of streams of each length."""

    def __init__(self, items: Sequence[Sequence[Any]], types: tuple[str, ...]) -> None:
        if len(types) == 1 and all(type(text) is Segmentation for by_coder in items for text in by_coder):
            self._count_plain(items)
            return
        number: dict[tuple[int, ...], int] = {(0,): 0} if len(types) == 1 else {}
        entries: list[tuple[int, int, int, int]] = []
        lengths = []
        for i, by_coder in enumerate(items):
            texts = [[] if annotation is None else _texts(annotation) for annotation in by_coder]
            lengths.append([text.length - 1 for text in next(filter(None, texts), ())])
            for c, text in ((c, text) for c, streams in enumerate(texts) for text in streams):
                for types_here, times in _sets_of(text, types):
                    entries.append((i, c, number.setdefault(types_here, len(number)), times))
        self.sets: Sets = tuple(number)
        self.boundaries = np.zeros((len(items), max(map(len, items), default=0), max(1, len(number))))
        if entries:
            *cells, numbers = np.array(entries, np.int64).T
            np.add.at(self.boundaries, tuple(cells), numbers)
        flat = np.array([n for row in lengths for n in row], np.int64)
        self.lengths, columns = np.unique(flat, return_inverse=True)
        self.streams = np.zeros((len(items), len(self.lengths)))
        np.add.at(self.streams, (repeat(np.arange(len(items)), [len(row) for row in lengths]), columns), 1.0)

    def _count_plain(self, items: Sequence[Sequence[Segmentation]]) -> None:
        """Count the boundaries of texts without types, each with all coders or with none."""
        self.sets = ((0,),)
        self.boundaries = np.zeros((len(items), max(map(len, items), default=0), 1))
        for i, by_coder in enumerate(items):
            self.boundaries[i, : len(by_coder), 0] = [text.inner.size for text in by_coder]
        lengths = np.array([texts[0].length - 1 for texts in items if texts], np.int64)
        self.lengths, columns = np.unique(lengths, return_inverse=True)
        self.streams = np.zeros((len(items), len(self.lengths)))
        self.streams[[i for i, texts in enumerate(items) if texts], columns] = 1.0


def _texts(annotation: Any) -> list[Segmentation]:
    """Return the streams of an annotation: a segmentation, a dialogue, or a mapping of streams."""
    return [annotation] if isinstance(annotation, Segmentation) else list(annotation.values())


def _sets_of(text: Segmentation, types: tuple[str, ...]) -> Iterable[tuple[tuple[int, ...], int]]:
    if len(types) == 1:
        return [((0,), int(text.inner.size))]
    positions, codes = typed_inner(text, types)
    if not positions.size:
        return []
    if codes.size and (positions[1:] != positions[:-1]).all():
        return [((code,), number) for code, number in Counter(codes.tolist()).items()]
    sets = np.split(codes if codes.size else np.zeros_like(positions), flatnonzero(np.diff(positions)) + 1)
    counts: dict[tuple[int, ...], int] = {}
    for types_here in sets:
        key = tuple(sorted(types_here.tolist()))
        counts[key] = counts.get(key, 0) + 1
    return counts.items()


def _merge_long(counts: BoundaryCounts, linear_after: int | None) -> tuple[Ints, Floats]:
    """Return different numbers of positions, and the streams of each item as weights of these numbers."""
    # If expected counts are linear in the number of positions from n on, a stream of n + m positions counts 1 - m times as one
    # of n and m times as one of n + 1. So all long streams need two columns.
    if linear_after is None or len(counts.lengths) <= linear_after + 2:
        return counts.lengths, counts.streams
    first = linear_after + 1
    short = counts.lengths < first
    long_streams, surplus = counts.streams[:, ~short], counts.lengths[~short] - first
    ends = np.stack([product(long_streams, 1.0 - surplus), product(long_streams, surplus)], axis=1)
    lengths = np.append(counts.lengths[short], [first, first + 1])
    return lengths, np.concatenate([counts.streams[:, short], ends], axis=1)


def choose_expected_counts(
    measure: Measure, types: tuple[str, ...], sets: Sets, *, draws: int, seed: int
) -> ExpectedCounts:
    formula = measure.expected_counts(types, sets)
    return SimulatedCounts(measure, types, sets, draws=draws, seed=seed) if formula is None else formula


def finish_moments(
    measure: Measure, types: tuple[str, ...], moments: Moments, *, as_similarity: bool = True
) -> tuple[Floats, Floats]:
    """Return the similarity that expected counts give, and its standard error."""

    def finish(counts: Floats) -> Floats:
        values = measure.finish(counts, types)
        return measure.as_similarity(values) if as_similarity else values

    counts, covariance = moments.counts, moments.covariance
    value = finish(counts)
    if covariance is None:
        return value, np.zeros(len(value))
    step = 1e-6 * np.maximum(1.0, np.abs(counts).max(axis=1))
    gradient = np.empty_like(counts)
    for j in range(counts.shape[1]):
        shift = np.zeros_like(counts)
        shift[:, j] = step
        gradient[:, j] = (finish(counts + shift) - finish(counts - shift)) / (2 * step)
    return value, np.sqrt(np.maximum(np.einsum("rp,rpq,rq->r", gradient, covariance, gradient), 0.0))


class PlacementChance(ChanceModel):
    """Chance model of coders who place their boundaries at random."""

    family = "placement"
    coefficients = ("pi", "kappa", "multi_pi", "multi_kappa")
    general_forms = MappingProxyType({"pi": "multi_pi", "kappa": "multi_kappa"})
    accepts_chance = True

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        assert isinstance(coefficient.chance, Placement)
        self._own_rates = coefficient.name in _OWN_RATES
        types = observed.scores.types
        self._counts = BoundaryCounts([[entry] for entry in observed.cells.annotations], types)
        self._expected = choose_expected_counts(
            observed.measure, types, self._counts.sets, draws=max_draws(coefficient.chance), seed=coefficient.seed
        )
        self._lengths, self._streams = _merge_long(self._counts, self._expected.linear_after)
        self.parts.total()  # simulates, so that the method and the number of draws are known
        self.method, self.draws = self._expected.method, self._expected.draws

    @property
    def signature_facts(self) -> dict[str, Any]:
        return super().signature_facts | ({"draws": self.draws, "seed": self.coefficient.seed} if self.draws else {})

    @cached_property
    def parts(self) -> Parts:
        """Counts and lengths of streams of each row; boundaries of each set of types and positions of each cell."""
        observed, counts = self.observed, self._counts
        values = np.column_stack([observed.scores.counts, self._streams[observed.sides[0]]])
        positions = product(counts.streams, counts.lengths.astype(float))
        margins = np.column_stack([counts.boundaries[:, 0], positions])
        return observed.table(self.finish, values=values, margins=margins, pairwise=self._own_rates)

    def finish(self, sums: Sums) -> Rows:
        observed, number = self.observed, len(self._lengths)
        any_boundary = sums.margins[:, :-1].any(axis=1)
        if self._own_rates:
            moments = self._own(sums.pairs)
        else:
            moments = self._pooled(sums.margins, sums.parts[:, -number:] if number else sums.parts[:, :0])
        expected, error = finish_moments(observed.measure, observed.scores.types, moments)
        return Rows.of(
            observed.similarity(sums.parts[:, : observed.scores.counts.shape[1]]),
            np.where(any_boundary, expected, np.nan),
            error=np.where(any_boundary, error, 0.0),
        )

    def _pooled(self, margins: Floats, streams: Floats) -> Moments:
        if len(margins) > self._expected.max_rates:
            margins = np.broadcast_to(self.parts.margins.values.sum(axis=0), margins.shape)
        rates = _rates(margins)
        return self._moments(rates, rates, streams, np.arange(len(rates)))

    def _own(self, pairs: PairSums) -> Moments:
        """Return the moments of coders with rates of their own: those of each pair, summed."""
        margins, weights = pairs.margins, pairs.weights
        selections = len(weights) if pairs.owner is None else pairs.number
        if selections * len(self.observed.first) > self._expected.max_rates:
            margins = self.parts.coder_margins[pairs.coders][None]
        rates = _rates(margins)
        streams = pairs.parts[:, :, self.observed.scores.counts.shape[1] :]
        number = max(len(rates), len(streams))
        p_a, p_b = (
            np.broadcast_to(rates[:, side], (number, len(side), rates.shape[2])).reshape(-1, rates.shape[2])
            for side in (pairs.first, pairs.second)
        )
        group = np.tile(np.arange(streams.shape[0] * streams.shape[1]), number // len(streams))
        moments = self._moments(p_a, p_b, streams.reshape(-1, streams.shape[2]), group)
        counts = pairs.sum_columns(moments.counts, weights)
        if moments.covariance is None:
            return Moments(counts)
        covariance = moments.covariance.reshape(len(moments.counts), -1)
        shape = len(counts), counts.shape[1], counts.shape[1]
        return Moments(counts, pairs.sum_columns(covariance, weights**2).reshape(shape))

    def _moments(self, p_a: Floats, p_b: Floats, streams: Floats, group: Ints) -> Moments:
        random = RandomStreams(self._lengths, np.ascontiguousarray(streams))
        return self._expected.moments(np.ascontiguousarray(p_a), np.ascontiguousarray(p_b), random, group)


def _rates(margins: Floats) -> Floats:
    """Return boundaries per position; the last column has the positions."""
    positions = margins[..., -1:]
    rates: Floats = margins[..., :-1] / np.where(positions > 0, positions, 1)
    return rates
