"""Krippendorff's alpha over positions, a common baseline that gives no credit for near misses.

The value that a coder gives to an inner position is the set of types there, which may be empty. If an item has m coders,
every position has m values and m (m - 1) ordered pairs of values. A pair has the weight 1 / (m - 1), so that every value
counts once (Krippendorff 2004, section 11.3). Let n be the number of all values, and n_v the number of values v::

    A_o = sum over positions of (pairs that agree) / (m - 1) / n        A_e = sum over v of n_v (n_v - 1) / (n (n - 1))

and alpha = (A_o - A_e) / (1 - A_e), which equals 1 - D_o / D_e. Coders may be missing for some items. At most positions
no coder places a boundary, which increases alpha. Therefore also report coefficients based on B.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from caesura.agreement.chance import AgreementArrays, ChanceModel, Coefficient, in_blocks
from caesura.agreement.coder_pairs import CoderPairs, Texts
from caesura.engines import Engine
from caesura.model.columns import Table
from caesura.model.index import argsort, bincount, flatnonzero, reduceat, repeat, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product

_BLOCK_CELLS = 2**21  # coders times positions with a mark that are compared at once


class NominalChance(ChanceModel):
    """Chance model of alpha, computed from the segmentations only; the scores in ``observed`` are not used."""

    family = "nominal"
    coefficients = ("alpha",)
    uses_measure = False

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        items, pairs = len(observed.items), len(observed.pairs)
        marks = _Marks.of(observed.texts, items)
        self._positions = marks.positions.astype(float)
        # How often each coder gave each value: items x coders x values, the empty set first.
        self._counts = np.zeros((items, len(observed.coders), marks.values))
        np.add.at(self._counts, (marks.item, marks.coder, marks.value), 1.0)
        unmarked = self._positions[:, None] - self._counts.sum(axis=2)
        self._counts[:, :, 0] = np.where(observed.present, unmarked, 0.0)
        self._matches = np.zeros(items)  # pairs of values that agree; each pair of coders counts once
        # The same for each pair: one row per item, or all items in one row if every coder annotated every item.
        self._pair_matches = np.zeros((1 if observed.complete else items, pairs))
        self._pair_numbers = np.full((len(observed.coders), len(observed.coders)), -1)
        self._pair_numbers[observed.first, observed.second] = np.arange(pairs)
        for first, stop, columns in marks.blocks(len(observed.coders)):
            self._count(marks, first, stop, columns)
        self._weighted_matches = 2 * self._matches / (observed.present.sum(axis=1) - 1)

    def _count(self, marks: _Marks, first: int, stop: int, columns: slice) -> None:
        """Count the matches in the items ``first:stop``, whose positions with a mark are these columns."""
        observed = self.observed
        item = marks.item_of_column[columns] - first
        codes = marks.codes(len(observed.coders), columns)
        present = observed.present[first:stop]
        if not observed.complete:  # a coder who did not annotate an item agrees with nobody
            absent = -1 - np.arange(len(observed.coders))[:, None]
            codes = np.where(present.T[:, item], codes, absent)
        unmarked = marks.positions[first:stop] - bincount(item, minlength=stop - first)
        here, starts = np.unique(item, return_index=True)
        agreeing = np.zeros(codes.shape[1], np.int64)
        for row in range(len(codes) - 1):
            matches = codes[row + 1 :] == codes[row]
            agreeing += matches.sum(axis=0)
            numbers = self._pair_numbers[row, row + 1 :]
            if observed.complete:
                self._pair_matches[0, numbers] += matches.sum(axis=1) + unmarked.sum()
                continue
            both = present[:, row + 1 :] & present[:, row, None]
            by_item = np.where(both, unmarked[:, None], 0)
            if len(here):
                by_item[here] += reduceat(np.add, matches, starts, axis=1, dtype=np.int64).T
            used = numbers >= 0
            self._pair_matches[first:stop, numbers[used]] += by_item[:, used]
        coders = present.sum(axis=1)
        pairs = coders * (coders - 1) // 2
        self._matches[first:stop] = bincount(item, agreeing, minlength=stop - first) + unmarked * pairs

    def over_items(self, weights: Floats) -> AgreementArrays:
        return _arrays(product(weights, self._weighted_matches), weights @ self._counts.sum(axis=1))

    def by_item(self) -> AgreementArrays:
        return _arrays(self._weighted_matches, self._counts.sum(axis=1))

    def over_coders(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._block, weights, len(self.observed.pairs) + len(self.observed.items))

    def _block(self, rows: Floats) -> AgreementArrays:
        """Weight the pairs of an item so that each value counts once, even if the bootstrap draws a coder twice."""
        observed = self.observed
        pairs, usable = observed.pair_weights(rows), observed.usable_items(rows)
        counts = np.einsum("ri,icv,rc->rv", usable, self._counts, rows, optimize=True)
        if observed.complete:
            return _arrays(product(pairs, self._pair_matches[0]) * rows.sum(axis=1) / pairs.sum(axis=1), counts)
        m, weight = rows @ observed.present.T, pairs @ observed.shared.T.astype(float)  # rows x items
        factor = np.where(weight > 0, usable * m / np.where(weight > 0, weight, 1), 0)
        return _arrays((product(pairs, self._pair_matches.T) * factor).sum(axis=1), counts)

    def by_pair(self) -> AgreementArrays:
        return in_blocks(self._by_pair_block, np.arange(len(self.observed.pairs)), self._counts[:, 0].size)

    def _by_pair_block(self, pairs: Ints) -> AgreementArrays:
        observed = self.observed
        usable = observed.both_present(pairs).astype(float)
        sides = [self._counts[:, side[pairs]] for side in (observed.first, observed.second)]
        counts = sum(np.einsum("ip,ipv->pv", usable, side) for side in sides)
        matches = self._pair_matches[:, pairs]
        if not observed.complete:
            matches = matches * observed.shared[:, pairs]
        return _arrays(2 * matches.sum(axis=0), np.asarray(counts))

    def by_coder(self) -> AgreementArrays:
        # Chance agreement is computed from all coders.
        observed = self.observed
        compared = observed.sum_by_coder(observed.shared.T.astype(float) @ self._positions)
        matches = observed.sum_by_coder(self._pair_matches.sum(axis=0))
        expected = repeat(self.total().expected, len(observed.coders))
        return AgreementArrays.of(matches / np.where(compared > 0, compared, np.nan), expected)


def _arrays(matches: Floats, counts: Floats) -> AgreementArrays:
    n = counts.sum(axis=1)
    marked = counts[:, 1:].sum(axis=1) > 0
    expected = (counts * (counts - 1)).sum(axis=1) / np.where(marked, n * (n - 1), np.nan)
    return AgreementArrays.of(matches / np.where(n > 0, n, np.nan), expected)


class _Marks(NamedTuple):
    """All positions with a mark, of all items and coders."""

    # One entry per mark, in the order of positions: item, coder, position, and set of types as a
    # number from 1 up.
    item: Ints
    coder: Ints
    column: Ints
    value: Ints
    item_of_column: Ints  # item of each position that has a mark of any coder
    positions: Ints  # number of inner positions of each item
    values: int  # number of different values, with 0 for no mark

    @classmethod
    def of(cls, texts: Texts, items: int) -> _Marks:
        streams = np.zeros(items + 1, np.int64)
        np.maximum.at(streams, texts.item + 1, texts.stream + 1)
        place = np.cumsum(streams)[texts.item] + texts.stream
        lengths = np.ones(int(streams.sum()), np.int64)
        lengths[place] = texts.lengths
        starts = np.cumsum(lengths) - lengths
        item_of_stream = repeat(np.arange(items), streams[1:])
        positions = bincount(item_of_stream, lengths - 1, minlength=items).astype(np.int64)
        text, position, value, values = _values(texts.segmentations)
        columns, column = np.unique(starts[place[text]] + position, return_inverse=True)
        order = argsort(column, kind="stable")
        item_of_column = item_of_stream[searchsorted(starts, columns, "right") - 1]
        marks = texts.item[text[order]], texts.coder[text[order]], column[order], value[order]
        return cls(*marks, item_of_column, positions, values)

    def blocks(self, coders: int) -> Iterator[tuple[int, int, slice]]:
        """Yield the first item and the end of each block of items, and its columns; blocks have a bounded size."""
        ends = searchsorted(self.item_of_column, np.arange(len(self.positions)), "right")
        first, start = 0, 0
        while first < len(ends):
            stop = max(first + 1, int(searchsorted(ends, start + _BLOCK_CELLS // coders, "right")))
            yield first, stop, slice(start, int(ends[stop - 1]))
            first, start = stop, int(ends[stop - 1])

    def codes(self, coders: int, columns: slice) -> Ints:
        """Return the values of all coders in some columns, 0 for no mark: coders x columns."""
        codes = np.zeros((coders, columns.stop - columns.start), np.int32)
        chosen = slice(*searchsorted(self.column, (columns.start, columns.stop)).tolist())
        codes[self.coder[chosen], self.column[chosen] - columns.start] = self.value[chosen]
        return codes


def _values(segmentations: Sequence[Segmentation]) -> tuple[Ints, Ints, Ints, int]:
    """Return the text, the position and the value of each mark, and the number of different values and no mark."""
    # The order of types does not matter to a nominal coefficient, so it need not be declared.
    types = tuple(sorted({name for text in segmentations for name in _used_types(text)})) or UNTYPED
    boundaries = Table.of(segmentations).column("inner", types)
    position, codes, text = boundaries.place, boundaries.code, boundaries.owner
    if len(types) == 1:
        return text, position, np.ones_like(position), 2
    is_first = np.ones(len(position), bool)
    is_first[1:] = (position[1:] != position[:-1]) | (text[1:] != text[:-1])
    starts = flatnonzero(is_first)
    ends = np.append(starts[1:], len(position))
    value = codes[starts] + 1
    sets: dict[bytes, int] = {}
    for mark in flatnonzero(ends - starts > 1).tolist():
        key = codes[starts[mark] : ends[mark]].tobytes()
        value[mark] = sets.setdefault(key, len(types) + 1 + len(sets))
    return text[starts], position[starts], value, len(types) + len(sets) + 1


def _used_types(text: Segmentation) -> Iterable[str]:
    if text.types is UNTYPED:
        return UNTYPED if text.boundary_positions.size else ()
    return (text.types[code] for code in set(text.codes.tolist()))
