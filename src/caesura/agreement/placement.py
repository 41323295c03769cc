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

from caesura.agreement.chance import (
    BLOCK_SIZE,
    AgreementArrays,
    ChanceModel,
    Coefficient,
    Placement,
    in_blocks,
    max_draws,
)
from caesura.agreement.coder_pairs import CoderPairs, check_coders_and_pairs
from caesura.engines import Engine
from caesura.limits import MAX_KAPPA_CELLS, MAX_PAIR_CELLS
from caesura.measures.base import Measure
from caesura.measures.expected import ExpectedCounts, Moments, RandomStreams, SimulatedCounts
from caesura.model.columns import typed_inner
from caesura.model.corpus import Corpus
from caesura.model.index import flatnonzero, nonzero, reduceat, repeat
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product

# Sets of types that occur at a position, each as sorted indices of types.
Sets = tuple[tuple[int, ...], ...]
_OWN_RATES = ("kappa", "multi_kappa")  # coefficients for which each coder has rates of its own
_MAX_DENSE = 40  # lengths of streams up to which the zeros of a table need not be skipped


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
        annotations = [
            [observed.annotations.get((item, coder)) for coder in observed.coders] for item in observed.items
        ]
        self._counts = BoundaryCounts(annotations, types)
        self._expected = choose_expected_counts(
            observed.measure, types, self._counts.sets, draws=max_draws(coefficient.chance), seed=coefficient.seed
        )
        self._lengths, self._streams = _merge_long(self._counts, self._expected.linear_after)
        items, pairs = len(observed.items), len(observed.pairs)
        self._width = max(items, len(self._lengths)) * (pairs if self._own_rates else 1)
        self.total()  # simulates, so that the method and the number of draws are known
        self.method, self.draws = self._expected.method, self._expected.draws

    @classmethod
    def check_size(cls, corpus: Corpus, coefficient: str) -> None:
        check_coders_and_pairs(corpus, MAX_KAPPA_CELLS if coefficient in _OWN_RATES else MAX_PAIR_CELLS)

    @property
    def replicate_work(self) -> float:
        return (120.0 if self._own_rates else 1.0) * len(self.observed.pairs)

    @property
    def signature_facts(self) -> dict[str, Any]:
        return super().signature_facts | ({"draws": self.draws, "seed": self.coefficient.seed} if self.draws else {})

    @cached_property
    def _positions(self) -> Floats:
        """Number of inner positions per item and coder, 0 for coders who did not annotate it."""
        positions = self._counts.streams @ self._counts.lengths
        return np.where(self.observed.present, positions[:, None], 0.0)

    def _agreement(self, parts: Floats, items: Floats, coders: Floats, pairs: Floats) -> AgreementArrays:
        """Return the agreement from observed parts and weights of items, coders and pairs, row by row."""
        boundaries, positions = self._summed_counts(items)
        if self._own_rates and not self.observed.complete:
            coded = items[:, None, :] * self.observed.shared.T[None]
            streams = self._summed_streams(coded.reshape(-1, items.shape[1]))  # rows x pairs of coders
            return self._beyond(parts, boundaries, positions, coders, pairs, streams)
        if not self._own_rates:
            items = items * (
                self._pairs_per_item if (pairs == 1).all() else pairs @ self.observed.shared.T.astype(float)
            )
        elif (items == 1).all():
            return self._beyond(parts, boundaries, positions, coders, pairs, None)
        return self._beyond(parts, boundaries, positions, coders, pairs, self._summed_streams(items))

    def _summed_counts(self, items: Floats) -> tuple[Floats, Floats]:
        """Return boundaries, rows x coders x sets, and positions, rows x coders, of weighted items."""
        counts = self._counts.boundaries
        boundaries = product(items, counts.reshape(len(counts), -1)).reshape(len(items), *counts.shape[1:])
        return boundaries, product(items, self._positions)

    @cached_property
    def _pairs_per_item(self) -> Floats:
        pairs: Floats = self.observed.shared.sum(axis=1).astype(float)
        return pairs

    @cached_property
    def _entries(self) -> tuple[Ints, Ints, Floats]:
        """The entries of ``_streams`` that are not 0: items, columns and values, sorted by column."""
        columns, items = nonzero(self._streams.T)
        return items, columns, self._streams[items, columns]

    def _summed_streams(self, weights: Floats) -> Floats:
        """Return the product of weights and ``_streams``, most of whose entries are 0 if there are many columns."""
        if self._streams.shape[1] <= _MAX_DENSE:
            dense: Floats = product(weights, self._streams)
            return dense
        items, columns, values = self._entries
        sums = np.zeros((len(weights), self._streams.shape[1]))
        if len(items):
            used, starts = np.unique(columns, return_index=True)
            sums[:, used] = reduceat(np.add, weights[:, items] * values, starts, axis=1)
        return sums

    def _beyond(
        self,
        parts: Floats,
        boundaries: Floats,
        positions: Floats,
        coders: Floats,
        pairs: Floats,
        streams: Floats | None,
        sides: tuple[Ints, Ints] | None = None,
    ) -> AgreementArrays:
        """Return the agreement from observed parts, boundaries and positions of each coder, and streams."""
        # Streams have one row per row of ``parts``, or one per row and pair of coders. With one rate for all coders, they are
        # already summed over pairs. Without streams, all items count once. If ``sides`` are given, each row has two coders of
        # its own, and these are their indices.
        any_boundary = np.einsum("rck,rc->r", boundaries, coders) > 0
        if streams is None:
            moments = self._moments_of_pairs.summed(pairs)
        elif self._own_rates:
            moments = self._own(boundaries, positions, pairs, streams, sides)
        else:
            pooled = np.einsum("rck,rc->rk", boundaries, coders), np.einsum("rc,rc->r", positions, coders)
            moments = self._pooled(*pooled, streams)
        observed = self.observed
        expected, error = finish_moments(observed.measure, observed.scores.types, moments)
        return AgreementArrays.of(
            observed.similarity(parts),
            np.where(any_boundary, expected, np.nan),
            error=np.where(any_boundary, error, 0.0),
        )

    def _pooled(self, boundaries: Floats, positions: Floats, streams: Floats) -> Moments:
        rates = boundaries / np.where(positions > 0, positions, 1)[:, None]
        if len(rates) > self._expected.max_rates:
            rates = np.broadcast_to(self._overall[0], rates.shape)
        return self._moments(rates, rates, streams, np.arange(len(rates)))

    def _own(
        self,
        boundaries: Floats,
        positions: Floats,
        pairs: Floats,
        streams: Floats,
        sides: tuple[Ints, Ints] | None = None,
    ) -> Moments:
        rates = boundaries / np.where(positions > 0, positions, 1)[:, :, None]
        observed = self.observed
        rows, number = pairs.shape
        if rows * len(observed.pairs) > self._expected.max_rates:
            overall = self._overall[1]
            rates = (
                np.broadcast_to(overall, rates.shape)
                if sides is None
                else np.stack([overall[side] for side in sides], axis=1)
            )
        left, right = (observed.first, observed.second) if sides is None else (np.array([0]), np.array([1]))
        p_a, p_b = (rates[:, side].reshape(rows * number, -1) for side in (left, right))
        group = np.arange(rows * number) if len(streams) > rows else repeat(np.arange(rows), number)
        return self._moments(p_a, p_b, streams, group).summed(pairs)

    @cached_property
    def _moments_of_pairs(self) -> Moments:
        """Expected counts of each pair of coders over all items, if each coder has rates of its own."""
        observed, rates = self.observed, self._overall[1]
        streams = self._summed_streams(np.ones((1, len(observed.items))))
        return self._moments(
            rates[observed.first], rates[observed.second], streams, np.zeros(len(observed.pairs), np.int64)
        )

    def _moments(self, p_a: Floats, p_b: Floats, streams: Floats, group: Ints) -> Moments:
        random = RandomStreams(self._lengths, np.ascontiguousarray(streams))
        return self._expected.moments(np.ascontiguousarray(p_a), np.ascontiguousarray(p_b), random, group)

    @cached_property
    def _overall(self) -> tuple[Floats, Floats]:
        """Rates over all items: of all coders, and of each coder."""
        boundaries, positions = self._counts.boundaries.sum(axis=0), self._positions.sum(axis=0)
        pooled = boundaries.sum(axis=0) / max(positions.sum(), 1.0)
        return pooled, boundaries / np.where(positions > 0, positions, 1)[:, None]

    def over_items(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._items_block, weights, self._width)

    def _items_block(self, rows: Floats) -> AgreementArrays:
        observed = self.observed
        coders, pairs = np.ones((len(rows), len(observed.coders))), np.ones((len(rows), len(observed.pairs)))
        if not self._own_rates:
            # Only whole numbers of all coders together are needed.
            boundaries, positions = (
                product(rows, cells.sum(axis=1).reshape(len(cells), -1))
                for cells in (self._counts.boundaries, self._positions)
            )
            streams = self._summed_streams(rows * self._pairs_per_item)
            parts = product(rows, observed.item_parts)
            return self._beyond(parts, boundaries[:, None], positions, coders[:, :1], pairs[:, :1], streams)
        return self._agreement(product(rows, observed.item_parts), rows, coders, pairs)

    def over_coders(self, weights: Floats) -> AgreementArrays:
        width = len(self.observed.pairs) if self.observed.complete else self._width
        return in_blocks(self._coders_block, weights, max(width, len(self.observed.items)))

    def _coders_block(self, rows: Floats) -> AgreementArrays:
        observed = self.observed
        pairs, usable = observed.pair_weights(rows), observed.usable_items(rows)
        return self._agreement(product(pairs, observed.pair_parts), usable, rows, pairs)

    def without_coders(self) -> AgreementArrays:
        observed, n = self.observed, len(self.observed.coders)
        pair_parts = observed.pair_parts
        if self._own_rates or not np.array_equal(np.rint(pair_parts), pair_parts):
            return super().without_coders()
        # Whole numbers: subtracting a coder gives the same as adding up the others.
        rows, usable = 1 - np.eye(n), (observed.present.sum(axis=1) - observed.present.T >= 2).astype(float)
        parts = pair_parts.sum(axis=0) - observed.coder_parts
        pairs_per_item = self._pairs_per_item - observed.sum_by_coder(observed.shared.T.astype(float))
        streams = self._summed_streams(usable * pairs_per_item)
        return self._beyond(parts, *self._summed_counts(usable), rows, rows, streams)

    def by_item(self) -> AgreementArrays:
        observed = self.observed
        present, shared = observed.present.astype(float), observed.shared.astype(float)
        streams = self._streams if self._own_rates else self._streams * shared.sum(axis=1)[:, None]
        counts = self._counts.boundaries, self._positions
        columns: tuple[Any, ...] = (observed.item_parts, *counts, present, shared, streams)
        step = max(1, BLOCK_SIZE // max(1, self._width))
        blocks = [self._beyond(*(c[i : i + step] for c in columns)) for i in range(0, len(observed.items), step)]
        return AgreementArrays(*map(np.concatenate, zip(*blocks, strict=True)))

    def by_coder(self) -> AgreementArrays:
        width = max(len(self.observed.items) if self.observed.complete else self._width, len(self.observed.pairs))
        return in_blocks(self._by_coder_block, np.arange(len(self.observed.coders)), width)

    def _by_coder_block(self, coders: Ints) -> AgreementArrays:
        items = np.ones((len(coders), len(self.observed.items)))
        parts = self.observed.coder_parts[coders]
        weights = np.ones((len(coders), len(self.observed.coders)))
        return self._agreement(parts, items, weights, self.observed.pairs_of(coders))

    def by_pair(self) -> AgreementArrays:
        width = max(len(self.observed.items) * self._counts.boundaries.shape[2], len(self._lengths))
        return in_blocks(self._by_pair_block, np.arange(len(self.observed.pairs)), width)

    def _by_pair_block(self, pairs: Ints) -> AgreementArrays:
        """Return the agreement of some pairs, from the counts of their two coders alone."""
        observed, n = self.observed, len(pairs)
        usable = observed.both_present(pairs)
        sides = [side[pairs] for side in (observed.first, observed.second)]
        weights = usable.astype(float)
        boundaries = np.stack(
            [np.einsum("ip,ipk->pk", weights, self._counts.boundaries[:, side]) for side in sides], axis=1
        )
        positions = np.stack([(weights * self._positions[:, side]).sum(axis=0) for side in sides], axis=1)
        streams = self._summed_streams((weights * observed.shared[:, pairs]).T)
        parts, ones = observed.pair_parts[pairs], np.ones((n, 2))
        return self._beyond(parts, boundaries, positions, ones, ones[:, :1], streams, (sides[0], sides[1]))
