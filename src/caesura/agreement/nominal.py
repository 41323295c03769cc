"""Krippendorff's alpha over positions, a common baseline that gives no credit for near misses.

The value that a coder gives to an inner position is the set of types there, which may be empty. If an item has m coders,
every position has m values and m (m - 1) ordered pairs of values. A pair has the weight 1 / (m - 1), so that every value
counts once (Krippendorff 2004, section 11.3). Let n be the number of all values, and n_v the number of values v::

    A_o = sum over positions of (pairs that agree) / (m - 1) / n        A_e = sum over v of n_v (n_v - 1) / (n (n - 1))

and alpha = (A_o - A_e) / (1 - A_e), which equals 1 - D_o / D_e. Coders may be missing for some items. At most positions
no coder places a boundary, which increases alpha. Therefore also report coefficients based on B.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from caesura.agreement.chance import ChanceModel
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import Parts, Rows, Sparse, Sums, sum_rows
from caesura.kernels.marked import common_spans
from caesura.model.columns import Boundaries, Table, take
from caesura.model.index import bincount, flatnonzero, lexsort, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product

_BLOCK = 2**21  # marks of pairs of coders that are compared at once


class NominalChance(ChanceModel):
    """Chance model of alpha, computed from the segmentations only; the scores in ``observed`` are not used."""

    family = "nominal"
    coefficients = ("alpha",)
    uses_measure = False

    @cached_property
    def parts(self) -> Parts:
        observed = self.observed
        matches, positions, margins = _counted(observed)
        coders_of_items = bincount(observed.cells.item, minlength=len(observed.items))
        weighted = 2 * matches / (coders_of_items[observed.item_index] - 1)
        table = observed.table(self.finish, values=weighted[:, None], margins=margins)
        return NominalParts(**vars(table) | {"matches": matches, "positions": positions})

    def finish(self, sums: Sums) -> Rows:
        matches, counts = sums.parts[:, 0], sums.margins
        n = counts.sum(axis=1)
        marked = counts[:, 1:].sum(axis=1) > 0
        expected = (counts * (counts - 1)).sum(axis=1) / np.where(marked, n * (n - 1), np.nan)
        return Rows.of(matches / np.where(n > 0, n, np.nan), expected)


@dataclass(frozen=True, eq=False)
class NominalParts(Parts):
    """Parts of alpha, in which the weight of a pair depends on the number of coders who are chosen."""

    matches: Floats = field(kw_only=True)  # positions at which both coders of a row have the same value
    positions: Floats = field(kw_only=True)

    @cached_property
    def pair_sums(self) -> Floats:
        sums: Floats = 2 * sum_rows(self.matches[:, None], self.pair, len(self.first))  # of two coders alone
        return sums

    @cached_property
    def _matches_by_item(self) -> Sparse:
        shape = len(self.first), len(self.items)
        return Sparse(self.matches, self.pair, self.item, shape).transposed

    def total(self) -> Rows:
        return self.resampled(np.ones((1, len(self.items))))

    def by_coder(self) -> Rows:
        """Return the share of equal values of each coder; chance agreement is that of all coders."""
        columns = np.column_stack([self.matches, self.positions])
        by_pair, number = sum_rows(columns, self.pair, len(self.first)), len(self.coders)
        matches, compared = (sum_rows(by_pair, self.first, number) + sum_rows(by_pair, self.second, number)).T
        return Rows.of(matches / np.where(compared > 0, compared, np.nan), np.full(number, self.total().expected[0]))

    def parts_of_coders(self, coders: Floats, pairs: Floats) -> Floats:
        """Weight the pairs of an item so that each value counts once, even if a coder counts twice."""
        if self.is_complete:
            factor = coders.sum(axis=1) / pairs.sum(axis=1)
            return np.asarray((product(pairs, self.pair_sums)[:, 0] / 2 * factor)[:, None])
        here = self._by_item[-1].transposed.weighted(coders)  # selection x item
        weight = self._rows_by_item[-1].transposed.weighted(pairs)
        factor = here / np.where(weight > 0, weight, np.inf)
        return np.asarray((self._matches_by_item.weighted(pairs) * factor).sum(axis=1, keepdims=True))

    def parts_without(self) -> Floats:
        # Without a coder of an item, its other pairs count for more, and two coders are needed.
        item, coder, _ = self.margins
        own, coders = np.zeros(len(item)), self.coders_of_items
        for side in self.sides:
            np.add.at(own, side, self.matches)
        of_items = bincount(self.item, self.matches, len(self.items))
        number = coders[item]
        left = np.where(number > 2, (of_items[item] - own) / np.where(number > 2, number - 2, 1), 0.0)
        change = bincount(coder, left - of_items[item] / (number - 1), len(self.coders))
        return np.asarray(2 * ((of_items / (coders - 1)).sum() + change)[:, None])


def _counted(observed: CoderPairs) -> tuple[Floats, Floats, Floats]:
    """Return matches and positions of each row, and how often each cell has each value, the empty set first."""
    texts, cells = observed.texts, len(observed.cells.item)
    lengths = np.fromiter((text.length for text in texts.segmentations), np.int64, len(texts.segmentations))
    positions = bincount(texts.cell, lengths - 1, cells)
    text, place, value, values = _values(texts.segmentations)
    cell = texts.cell[text]
    counts = bincount(cell * values + value, minlength=cells * values).reshape(cells, values).astype(float)
    counts[:, 0] = positions - counts.sum(axis=1)
    # The marks of each cell in the order of their places, streams one after the other.
    starts = np.cumsum(lengths) - lengths
    place = place + (starts - starts[searchsorted(texts.cell, texts.cell)])[text]
    order = lexsort((place, cell))
    marks = Boundaries(place[order], value[order], searchsorted(cell[order], np.arange(cells + 1)))
    sizes, (first, second) = np.diff(marks.off), observed.sides
    matches = positions[first] - sizes[first] - sizes[second]  # where neither has a mark, if no place has two
    step = max(1, _BLOCK // max(1, int(sizes.max(initial=0))))
    for start in range(0, len(first), step):
        rows = slice(start, start + step)
        a, b = take(marks, first[rows]), take(marks, second[rows])
        none_a, none_b = np.zeros_like(a.place), np.zeros_like(b.place)
        common = np.empty((len(a.off) - 1, 3))
        for code_a, code_b in ((a.code, b.code), (none_a, none_b)):  # equal values, then places with two marks
            common_spans(a.place, none_a, code_a, a.off, b.place, none_b, code_b, b.off, common)
            matches[rows] += common[:, 0]
    return matches, positions[first], counts


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
