"""Krippendorff's alpha and the coefficients of textbooks over positions: baselines that give no credit for near misses.

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
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from caesura.agreement.chance import ChanceModel, Coefficient
from caesura.agreement.coder_pairs import CoderPairs
from caesura.agreement.parts import Parts, Rows, Sparse, Sums, sum_rows
from caesura.engines import Engine
from caesura.errors import OptionError
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
    coefficients: ClassVar[tuple[str, ...]] = ("alpha",)
    uses_measure = False
    by_value = True  # whether every value counts once, not every position

    @cached_property
    def _counted(self) -> tuple[Floats, Floats, Floats, int]:
        return _counted(self.observed)

    @cached_property
    def parts(self) -> Parts:
        observed = self.observed
        matches, positions, counts, _ = self._counted
        coders = bincount(observed.cells.item, minlength=len(observed.items))
        pairs = (coders - 1 if self.by_value else coders * (coders - 1))[observed.item_index]
        table = observed.table(
            self.finish, values=2 * matches[:, None] / pairs[:, None], margins=counts, pairwise=not self.by_value
        )
        return NominalParts(**vars(table), matches=matches, positions=positions, by_value=self.by_value)

    def finish(self, sums: Sums) -> Rows:
        matches, counts = sums.parts[:, 0], sums.margins
        n = counts.sum(axis=1)
        marked = counts[:, 1:].sum(axis=1) > 0
        expected = (counts * (counts - 1)).sum(axis=1) / np.where(marked, n * (n - 1), np.nan)
        return Rows.of(matches / np.where(n > 0, n, np.nan), expected)


class TextbookChance(NominalChance):
    """Chance models of textbooks, for which every inner position is a thing that each coder puts into a category.

    Observed agreement is the mean over positions of the share of pairs of coders who agree. With P_v the share of category v
    among all values, the mean over positions if coders are missing, and Q categories::

        scott, fleiss   A_e = sum over v of P_v^2                    two coders; any equal number of coders
        cohen           A_e = sum over v of P_v(c) P_v(d)            two coders
        bennett         A_e = 1 / Q
        gwet            A_e = sum over v of P_v (1 - P_v) / (Q - 1)  AC1 (Gwet 2008)

    AC1 is not 0 for coders who place rare boundaries independently of each other: with 10 % of the positions it is .78.
    """

    family = "textbook"
    coefficients: ClassVar[tuple[str, ...]] = ("cohen", "scott", "fleiss", "bennett", "gwet")
    general_forms = MappingProxyType({"cohen": "krippendorff", "scott": "fleiss"})
    by_value = False

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        name = coefficient.name
        numbers = np.unique(bincount(observed.cells.item, minlength=len(observed.items))).tolist()
        if name == "fleiss" and len(numbers) > 1:
            raise OptionError(
                f"fleiss needs the same number of coders for every item; got {numbers[0]} to {numbers[-1]}; use krippendorff"
            )
        if self._counted[-1]:
            raise OptionError(
                f"{name} puts every position into one category, and some positions have two types; use krippendorff, "
                "or choose one type at a time"
            )

    def finish(self, sums: Sums) -> Rows:
        n = sums.margins.sum(axis=1)
        shares = sums.margins / np.where(sums.margins[:, 1:].sum(axis=1) > 0, n, np.nan)[:, None]
        observed, categories = sums.parts[:, 0] / np.where(n > 0, n, np.nan), shares.shape[1]
        if self.coefficient.name == "cohen":
            own = sums.pairs.margins
            size = own.sum(axis=2, keepdims=True)
            expected = sums.pairs.mean_product(own / np.where(size > 0, size, np.nan)) + 0 * shares[:, 0]
        elif self.coefficient.name == "bennett":
            expected = 1 / categories + 0 * shares[:, 0]
        elif self.coefficient.name == "gwet":
            expected = (shares * (1 - shares)).sum(axis=1) / (categories - 1)
        else:
            expected = (shares**2).sum(axis=1)
        return Rows.of(observed, expected)


class PercentAgreement(TextbookChance):
    """The mean over positions of the share of pairs of coders who agree, without chance."""

    family = "none"
    coefficients: ClassVar[tuple[str, ...]] = ("percent",)
    corrects = False
    method = "not corrected for chance"
    nothing = "no item has an inner position"

    def finish(self, sums: Sums) -> Rows:
        n = sums.margins.sum(axis=1)
        observed = sums.parts[:, 0] / np.where(n > 0, n, np.nan)
        return Rows.of(observed, np.full(len(n), np.nan), values=observed)


@dataclass(frozen=True, eq=False)
class NominalParts(Parts):
    """Parts of pairs of values, whose weight depends on the number of coders who are chosen."""

    matches: Floats = field(kw_only=True)  # positions at which both coders of a row have the same value
    positions: Floats = field(kw_only=True)
    by_value: bool = field(kw_only=True)

    @cached_property
    def item_margins(self) -> Floats:
        if self.by_value:
            return super().item_margins
        item, _, values = self.margins
        return sum_rows(values / self.coders_of_items[item][:, None], item, len(self.items))

    @cached_property
    def pair_sums(self) -> Floats:
        """The parts of two coders alone, whose margins have every position twice."""
        sums: Floats = 2 * sum_rows(self.matches[:, None], self.pair, len(self.first))
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
        observed, total = matches / np.where(compared > 0, compared, np.nan), self.total()
        is_corrected = not np.isnan(total.expected[0]) or np.isnan(total.values[0])
        return Rows.of(observed, np.full(number, total.expected[0]), values=None if is_corrected else observed)

    def without(self) -> Rows:
        number = len(self.coders)
        return super().without() if self.by_value else self.of_coders(1 - np.eye(number))

    def margins_of_coders(self, coders: Floats, own: Floats) -> Floats:
        if self.by_value:
            return super().margins_of_coders(coders, own)
        item, coder, values = self.margins
        here = self._by_item[-1].transposed.weighted(coders)  # selection x item
        usable = self._by_item[-1].transposed.weighted((coders > 0).astype(float)) >= 2
        share = usable / np.where(here > 0, here, 1)
        return np.asarray(product(share[:, item] * coders[:, coder], values))

    def parts_of_coders(self, coders: Floats, pairs: Floats) -> Floats:
        """Weight the pairs of an item so that each value or position counts once, even if a coder counts twice."""
        if self.is_complete and self.by_value:
            factor = coders.sum(axis=1) / pairs.sum(axis=1)
            return np.asarray((product(pairs, self.pair_sums)[:, 0] / 2 * factor)[:, None])
        here = self._by_item[-1].transposed.weighted(coders) if self.by_value else 1.0  # selection x item
        weight = self._rows_by_item[-1].transposed.weighted(pairs)
        factor = here / np.where(weight > 0, weight, np.inf)
        return np.asarray((self._matches_by_item.weighted(pairs) * factor).sum(axis=1, keepdims=True))

    def parts_without(self) -> Floats:
        # Without a coder of an item, its other pairs count for more.
        item, coder, _ = self.margins
        own, coders = np.zeros(len(item)), self.coders_of_items
        for side in self.sides:
            np.add.at(own, side, self.matches)
        of_items = bincount(self.item, self.matches, len(self.items))
        number = coders[item]
        left = (of_items[item] - own) / np.maximum(number - 2, 1)  # nothing is left of a single pair
        change = bincount(coder, left - of_items[item] / (number - 1), len(self.coders))
        return np.asarray(2 * ((of_items / (coders - 1)).sum() + change)[:, None])


def _counted(observed: CoderPairs) -> tuple[Floats, Floats, Floats, int]:
    """Return matches and positions of each row, how often each cell has each value, and the number of sets of types."""
    texts, cells = observed.texts, len(observed.cells.item)
    lengths = np.fromiter((text.length for text in texts.segmentations), np.int64, len(texts.segmentations))
    positions = bincount(texts.cell, lengths - 1, cells)
    text, place, value, types, sets = _values(texts.segmentations)
    values = 1 + types + sets  # the empty set comes first
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
    return matches, positions[first], counts, sets


def _values(segmentations: Sequence[Segmentation]) -> tuple[Ints, Ints, Ints, int, int]:
    """Return the text, the position and the value of each mark, and the number of types and of sets of several types."""
    # The order of types does not matter to a nominal coefficient, so it need not be declared.
    types = tuple(sorted({name for text in segmentations for name in _used_types(text)})) or UNTYPED
    boundaries = Table.of(segmentations).column("inner", types)
    position, codes, text = boundaries.place, boundaries.code, boundaries.owner
    if len(types) == 1:
        return text, position, np.ones_like(position), 1, 0
    is_first = np.ones(len(position), bool)
    is_first[1:] = (position[1:] != position[:-1]) | (text[1:] != text[:-1])
    starts = flatnonzero(is_first)
    ends = np.append(starts[1:], len(position))
    value = codes[starts] + 1
    sets: dict[bytes, int] = {}
    for mark in flatnonzero(ends - starts > 1).tolist():
        key = codes[starts[mark] : ends[mark]].tobytes()
        value[mark] = sets.setdefault(key, len(types) + 1 + len(sets))
    return text[starts], position[starts], value, len(types), len(sets)


def _used_types(text: Segmentation) -> Iterable[str]:
    if text.types is UNTYPED:
        return UNTYPED if text.boundary_positions.size else ()
    return (text.types[code] for code in set(text.codes.tolist()))
