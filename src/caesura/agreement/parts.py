"""One table of parts, from which every number of an agreement study is a weighted sum.

A row has the additive parts of one item and one pair of coders (:class:`Parts`) or one group of coders (:class:`GroupParts`).
What chance needs of each coder, such as positions and boundaries per type, are the margins: one row per item and coder. Two
tables, because chance of pi counts each coder of an item once, however many pairs the coder is in. A ``finish`` function turns
the sums of a selection of items and coders into agreement. A view only selects::

    total        all items, all coders            by_pair      one pair, and the items that both coded
    by_item      one item                         by_coder     all pairs of a coder, chance of everybody
    resampled    items, as often as drawn         without      all other coders, and the items two of them coded
                                                  of_coders    coders, as often as drawn, and the items two of them coded

Only what exists has a row, so the cost grows with the pairs of coders who share an item, not with the square of the coders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.products import mean_of_pairs
from caesura.model.index import bincount, flatnonzero, lexsort, searchsorted
from caesura.model.value import Floats, Ints
from caesura.products import product

BLOCK_SIZE = 4_000_000  # numbers in a block of selections; it only affects memory


class Rows(NamedTuple):
    """Agreement of several selections."""

    values: Floats  # the coefficient; NaN if it is undefined
    observed: Floats
    expected: Floats  # NaN without chance agreement
    error: Floats  # standard error of ``expected``; 0 if it was not simulated
    bias: Floats  # A_e(pi) - A_e(kappa); NaN if there is none
    reasons: list[str | None] | None = None  # why values are undefined, if that is not one of the usual reasons

    @classmethod
    def of(
        cls,
        observed: Floats,
        expected: Floats,
        *,
        values: Floats | None = None,
        error: Floats | None = None,
        bias: Floats | None = None,
    ) -> Rows:
        """Return agreement beyond chance, unless ``values`` are given."""
        zeros = np.zeros(len(observed))
        if values is None:
            values = (observed - expected) / np.where(expected < 1, 1 - expected, np.nan)
        error, bias = zeros if error is None else error, zeros + np.nan if bias is None else bias
        return cls(values, observed, expected, error, bias)

    @classmethod
    def join(cls, blocks: Sequence[Rows]) -> Rows:
        if len(blocks) == 1:
            return blocks[0]
        columns = zip(*(block[:5] for block in blocks), strict=True)
        values, observed, expected, error, bias = map(np.concatenate, columns)
        return cls(values, observed, expected, error, bias)

    def columns(self) -> tuple[list[float | None], list[float], list[float | None], list[float]]:
        """Return values, observed and expected agreement and standard errors, None instead of NaN."""
        is_exact = not self.error.any() and not np.signbit(self.error).any()
        error = [0.0] * len(self.error) if is_exact else self.error.tolist()  # one object, whose text is found once
        return or_none(self.values), self.observed.tolist(), or_none(self.expected), error


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums for the single pairs of coders of several selections."""

    # Margins and parts of all selections may be the same; then they are there once. If the pairs differ by selection,
    # ``owner`` has the selection of each pair, and the other arrays have one row.
    first: Ints  # the coders of each pair, as places in ``margins``
    second: Ints
    weights: Floats  # selection x pair: how often a pair counts
    coders: Ints  # the coder of each row of ``margins``
    find_margins: Callable[[], Floats]  # selection x coder x column
    find_parts: Callable[[], Floats]  # selection x pair x part
    owner: Ints | None = None
    number: int = 0  # of selections, if the pairs have owners
    others: bool = False  # whether a selection has all pairs but its own; each pair then has two owners

    @cached_property
    def margins(self) -> Floats:
        return self.find_margins()

    @cached_property
    def parts(self) -> Floats:
        return self.find_parts()

    def sum(self, values: Floats) -> Floats:
        """Return the weighted sum over the pairs of each selection of ``values``, selection x pair."""
        weighted = self.weights * values
        if self.owner is None:
            sums: Floats = weighted.sum(axis=1)
            return sums
        own = bincount(self.owner, weighted[0], self.number)
        return own.sum() / 2 - own if self.others else own

    def sum_columns(self, columns: Floats, weights: Floats) -> Floats:
        """Return the weighted sums of (selection x pair) x column; all selections may share the same pairs."""
        if self.owner is None:
            number, pairs = weights.shape
            rows = columns.reshape(-1, pairs, columns.shape[1])
            sums: Floats = np.einsum("rp,rpk->rk", weights, np.broadcast_to(rows, (number, *rows.shape[1:])))
            return sums
        own = sum_rows(columns * weights[0][:, None], self.owner, self.number)
        return own.sum(axis=0) / 2 - own if self.others else own

    def mean(self, values: Floats) -> Floats:
        """Return the weighted mean over pairs; what is NaN does not count."""
        missing = np.isnan(values)
        total = self.sum(np.where(missing, 0.0, 1.0))
        return self.sum(np.where(missing, 0.0, values)) / np.where(total > 0, total, np.nan)

    def mean_product(self, rates: Floats) -> Floats:
        """Return the mean over pairs of the scalar product of the rates of both coders; coders without rates have NaN."""
        missing = np.isnan(rates[:, :, 0])
        if self.owner is None and len(rates) > 1:
            out = np.empty(len(rates))
            weights = self.weights
            if missing.any():
                weights = weights * ~(missing[:, self.first] | missing[:, self.second])
            weights = np.ascontiguousarray(np.broadcast_to(weights, (len(rates), len(self.first))), np.float64)
            mean_of_pairs(np.ascontiguousarray(rates), self.first, self.second, weights, out)
            return out
        return self.mean(np.einsum("rpk,rpk->rp", rates[:, self.first], rates[:, self.second]))


def _no_pairs() -> PairSums:
    raise TypeError("groups of coders have no pairs")


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of several selections, one per row."""

    parts: Floats  # selection x part
    margins: Floats  # selection x column: of all coders, each as often as it counts
    find_pairs: Callable[[], PairSums] = _no_pairs

    @cached_property
    def pairs(self) -> PairSums:
        """The same for single pairs, for coefficients that are a mean over pairs."""
        return self.find_pairs()


Finish = Callable[[Sums], Rows]


class Margins(NamedTuple):
    """What chance needs of each coder of an item: one row per item and coder, in this order."""

    item: Ints
    coder: Ints
    values: Floats


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of pairs of coders. A set of coders is all of its pairs that share an item."""

    items: tuple[str, ...]
    coders: tuple[str, ...]
    item: Ints  # of each row, ascending
    pair: Ints  # of each row
    values: Floats  # row x part
    first: Ints  # the coders of each pair
    second: Ints
    margins: Margins
    finish: Finish
    pairwise: bool = False  # whether ``finish`` looks at single pairs
    pair_totals: Floats | None = None  # parts of each pair over all its items, if they are not sums of ``values``

    # -- sums that all views share ------------------------------------------------------------------------------------

    @cached_property
    def pair_sums(self) -> Floats:
        return sum_rows(self.values, self.pair, len(self.first)) if self.pair_totals is None else self.pair_totals

    @cached_property
    def item_sums(self) -> Floats:
        return sum_rows(self.values, self.item, len(self.items))

    @cached_property
    def coder_sums(self) -> Floats:
        """Parts of the pairs of each coder."""
        return sum_rows(self.pair_sums, self.first, len(self.coders)) + sum_rows(
            self.pair_sums, self.second, len(self.coders)
        )

    @cached_property
    def item_margins(self) -> Floats:
        return sum_rows(self.margins.values, self.margins.item, len(self.items))

    @cached_property
    def coder_margins(self) -> Floats:
        return sum_rows(self.margins.values, self.margins.coder, len(self.coders))

    @cached_property
    def coders_of_items(self) -> Ints:
        """Number of coders of each item."""
        return bincount(self.margins.item, minlength=len(self.items))

    @cached_property
    def items_of_coders(self) -> Ints:
        """Number of items of each coder."""
        return bincount(self.margins.coder, minlength=len(self.coders))

    @cached_property
    def items_of_pairs(self) -> Ints:
        return bincount(self.pair, minlength=len(self.first))

    @cached_property
    def is_complete(self) -> bool:
        """Whether every pair has every item, in the same order."""
        rows, pairs = len(self.item), len(self.first)
        return rows == pairs * len(self.items) and bool((self.pair.reshape(-1, pairs) == np.arange(pairs)).all())

    @cached_property
    def sides(self) -> tuple[Ints, Ints]:
        """The margins of both coders of each row, as places."""
        coders = self.first[self.pair], self.second[self.pair]
        return places_of_sides(self.margins.item, self.margins.coder, self.item, coders, len(self.coders))

    @cached_property
    def _all_coders(self) -> Ints:
        return np.arange(len(self.coders))

    @cached_property
    def _by_item(self) -> tuple[Sparse, ...]:
        """Each column of the margins by coder and item, and last whether a coder has an item."""
        shape = len(self.coders), len(self.items)
        columns = [*self.margins.values.T, np.ones(len(self.margins.item))]
        return tuple(Sparse(column, self.margins.coder, self.margins.item, shape) for column in columns)

    @cached_property
    def _rows_by_item(self) -> tuple[Sparse, ...]:
        """Each part by pair and item, and last whether a pair has an item."""
        shape = len(self.first), len(self.items)
        columns = [*self.values.T, np.ones(len(self.item))]
        return tuple(Sparse(column, self.pair, self.item, shape) for column in columns)

    # -- views: nothing but weights -----------------------------------------------------------------------------------

    def total(self) -> Rows:
        return self.of_coders(np.ones((1, len(self.coders))))

    def resampled(self, items: Floats) -> Rows:
        """Return one row per draw; ``items`` says how often each draw has each item."""
        width = len(self.first) * max(1, self.values.shape[1]) if self.pairwise else 1
        return Rows.join([self._of_items(items[block]) for block in blocks(len(items), max(width, len(self.items)))])

    def _of_items(self, items: Floats) -> Rows:
        def pairs() -> PairSums:
            weights = np.ones((len(items), len(self.first)))
            if not self.is_complete:  # a pair counts if the draw has an item of it
                weights = (self._rows_by_item[-1].weighted((items > 0).astype(float)) > 0).astype(float)
            margins, parts = partial(self._coder_margins, items), partial(self._pair_parts, items)
            return PairSums(self.first, self.second, weights, self._all_coders, margins, parts)

        return self.finish(Sums(product(items, self.item_sums), product(items, self.item_margins), pairs))

    def by_item(self) -> Rows:
        def pairs() -> PairSums:
            margins, parts = (lambda: self.margins.values[None]), (lambda: self.values[None])
            weights, coders = np.ones((1, len(self.item))), self.margins.coder
            return PairSums(*self.sides, weights, coders, margins, parts, self.item, len(self.items))

        return self.finish(Sums(self.item_sums, self.item_margins, pairs))

    def by_pair(self) -> Rows:
        number = len(self.first)
        sides = [sum_rows(self.margins.values[side], self.pair, number) for side in self.sides]

        def pairs() -> PairSums:
            own, coders = np.arange(number), np.concatenate([self.first, self.second])
            margins, parts = (lambda: np.concatenate(sides)[None]), (lambda: self.pair_sums[None])
            return PairSums(own, own + number, np.ones((1, number)), coders, margins, parts, own, number)

        return self.finish(Sums(self.pair_sums, sides[0] + sides[1], pairs))

    def by_coder(self) -> Rows:
        margins = np.broadcast_to(self.coder_margins.sum(axis=0), (len(self.coders), self.coder_margins.shape[1]))
        return self.finish(Sums(self.coder_sums, margins, partial(self._pairs_of_coders, others=False)))

    def without(self) -> Rows:
        """Return the agreement of all coders but one."""
        lost = self.coder_margins.copy()
        here = flatnonzero(
            self.coders_of_items[self.margins.item] == 2
        )  # without one, the other has nobody to agree with
        if len(here):
            others = here.reshape(-1, 2)[:, ::-1].reshape(-1)
            lost += sum_rows(self.margins.values[others], self.margins.coder[here], len(self.coders))
        margins = self.coder_margins.sum(axis=0) - lost
        rows = self.finish(Sums(self.parts_without(), margins, partial(self._pairs_of_coders, others=True)))
        changed = np.unique(self.margins.coder[here])
        if not (len(changed) and self.pairwise and self.margins.values.shape[1]):
            return rows
        for block in blocks(
            len(changed), max(len(self.first), len(self.items))
        ):  # the rates of others change with them
            chosen = changed[block]
            weights = np.ones((len(chosen), len(self.coders)))
            weights[np.arange(len(chosen)), chosen] = 0.0
            for column, own in zip(rows[:5], self.of_coders(weights), strict=False):
                column[chosen] = own
        return rows

    def of_coders(self, coders: Floats) -> Rows:
        """Return one row per set of coders. A coder may count several times, but is never paired with itself."""
        width = max(len(self.first), len(self.items), self.coder_margins.size)
        return Rows.join([self._of_coders(coders[block]) for block in blocks(len(coders), width)])

    def _of_coders(self, coders: Floats) -> Rows:
        weights = coders[:, self.first] * coders[:, self.second]
        own = self.coder_margins[None]
        if len(self.margins.item) < len(self.items) * len(self.coders):  # some sets may lose an item
            usable = (self._by_item[-1].transposed.weighted((coders > 0).astype(float)) >= 2).astype(float)
            own = own if usable.all() else self._coder_margins(usable)
        margins = self.margins_of_coders(coders, np.broadcast_to(own, (len(coders), *own.shape[1:])))

        def pairs() -> PairSums:
            parts = lambda: self.pair_sums[None]  # noqa: E731
            return PairSums(self.first, self.second, weights, self._all_coders, lambda: own, parts)

        return self.finish(Sums(self.parts_of_coders(coders, weights), margins, pairs))

    def margins_of_coders(self, coders: Floats, own: Floats) -> Floats:
        """Return the margins of sets of coders, of which each has its ``own``: set x coder x column."""
        sums: Floats = np.einsum("rck,rc->rk", own, coders)
        return sums

    def parts_of_coders(self, coders: Floats, pairs: Floats) -> Floats:
        """Return the parts of sets of coders, of whose pairs each counts as often as ``pairs`` says."""
        sums: Floats = product(pairs, self.pair_sums)
        return sums

    def parts_without(self) -> Floats:
        """Return the parts of all coders but one."""
        rest: Floats = self.pair_sums.sum(axis=0) - self.coder_sums
        return rest

    def _pairs_of_coders(self, *, others: bool) -> PairSums:
        first, second, owner = (
            np.concatenate(sides)
            for sides in ((self.first, self.first), (self.second, self.second), (self.first, self.second))
        )
        weights, number = np.ones((1, len(owner))), len(self.coders)
        margins = lambda: self.coder_margins[None]  # noqa: E731
        parts = lambda: np.concatenate([self.pair_sums, self.pair_sums])[None]  # noqa: E731
        return PairSums(first, second, weights, self._all_coders, margins, parts, owner, number, others)

    def _coder_margins(self, items: Floats) -> Floats:
        """Return the margins of each coder over weighted items: selection x coder x column."""
        out = np.empty((len(items), *self.coder_margins.shape))
        for column, matrix in enumerate(self._by_item[:-1]):
            out[:, :, column] = matrix.weighted(items)
        return out

    def _pair_parts(self, items: Floats) -> Floats:
        """Return the parts of each pair over weighted items: selection x pair x part."""
        shape = len(items), len(self.first), self.values.shape[1]
        if self.is_complete:
            dense: Floats = product(items, self.values.reshape(len(self.items), -1)).reshape(shape)
            return dense
        out = np.empty(shape)
        for column, matrix in enumerate(self._rows_by_item[:-1]):
            out[:, :, column] = matrix.weighted(items)
        return out


@dataclass(frozen=True, eq=False)
class GroupParts:
    """Parts of whole groups of coders, as in gamma and the alphas for spans.

    A set of coders is one group on each item: those of the set who annotated it. So an item needs a row for all of its coders,
    and for the tables one for every pair and for all coders but one.
    """

    items: tuple[str, ...]
    coders: tuple[str, ...]
    item: Ints  # of each row, ascending
    group: Ints  # of each row
    values: Floats  # row x part
    groups: tuple[tuple[int, ...], ...]  # coders of each group, ascending
    finish: Finish
    reason: Callable[[Floats], str | None] = lambda parts: None  # why the value of a sum of parts is undefined
    by_means: bool = False  # whether a value is the mean over items of their values, not the value of a sum

    @cached_property
    def _sizes(self) -> Ints:
        return np.array([len(group) for group in self.groups], np.int64)[self.group]

    @cached_property
    def _whole(self) -> Ints:
        """The row of all coders of each item: its largest group."""
        order = lexsort((self._sizes, self.item))
        return order[searchsorted(self.item[order], np.arange(len(self.items)), "right") - 1]

    @cached_property
    def coders_of_items(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.groups[group] for group in self.group[self._whole].tolist())

    @cached_property
    def item_sums(self) -> Floats:
        """Parts of all coders of each item."""
        return self.values[self._whole]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of coders who share an item."""
        used = np.unique(self.group[self._sizes == 2]).tolist()
        return tuple(sorted((self.groups[group][0], self.groups[group][1]) for group in used))

    @property
    def first(self) -> Ints:
        return np.array([pair[0] for pair in self.pairs], np.int64)

    @property
    def second(self) -> Ints:
        return np.array([pair[1] for pair in self.pairs], np.int64)

    @cached_property
    def _pair_rows(self) -> tuple[Ints, Ints]:
        """The rows of pairs, and their pairs."""
        number: dict[tuple[int, ...], int] = {pair: place for place, pair in enumerate(self.pairs)}
        place = np.array([number.get(group, -1) for group in self.groups], np.int64)[self.group]
        rows = flatnonzero(place >= 0)
        return rows, place[rows]

    @cached_property
    def items_of_pairs(self) -> Ints:
        return bincount(self._pair_rows[1], minlength=len(self.pairs))

    @cached_property
    def items_of_coders(self) -> Ints:
        present = [coder for coders in self.coders_of_items for coder in coders]
        return bincount(np.array(present, np.int64), minlength=len(self.coders))

    def _finished(self, sums: Floats) -> Rows:
        rows = self.finish(Sums(sums, np.empty((len(sums), 0))))
        undefined = np.isnan(rows.values).tolist()
        return rows._replace(
            reasons=[self.reason(own) if no else None for own, no in zip(sums, undefined, strict=True)]
        )

    def _over(self, rows: Ints, selection: Ints, number: int) -> Rows:
        """Return the agreement of several selections of rows, NaN for one without rows."""
        if not self.by_means:
            sums = sum_rows(self.values[rows], selection, number)
            sums[bincount(selection, minlength=number) == 0] = np.nan
            return self._finished(sums)
        keys, place = np.unique(selection * len(self.items) + self.item[rows], return_inverse=True)
        single, owner = self._finished(sum_rows(self.values[rows], place, len(keys))), keys // len(self.items)
        count = bincount(owner, minlength=number)
        values, observed, expected, error, bias = (
            bincount(owner, column, number) / np.where(count > 0, count, np.nan) for column in single[:5]
        )
        reasons: list[str | None] = [None] * number
        for own, reason in zip(owner.tolist(), single.reasons or (), strict=True):
            if reason is not None and reasons[own] is None:
                reasons[own] = f"it is undefined for an item: {reason}"
        return Rows(values, observed, expected, error, bias, reasons)

    def total(self) -> Rows:
        return self._over(self._whole, np.zeros(len(self.items), np.int64), 1)

    def resampled(self, items: Floats) -> Rows:
        """Return one row per draw; ``items`` says how often each draw has each item."""
        if self.by_means:
            means = self.finish(Sums(self.item_sums, np.empty((len(self.items), 0))))
            number = items.sum(axis=1)
            values, observed, expected, error, bias = (product(items, column) / number for column in means[:5])
            return Rows(values, observed, expected, error, bias)
        width = max(len(self.items), self.values.shape[1])
        none = np.empty((0, 0))
        draws = (product(items[block], self.item_sums) for block in blocks(len(items), width))
        return Rows.join([self.finish(Sums(parts, none)) for parts in draws])

    def by_item(self) -> Rows:
        return self._finished(self.item_sums)

    def by_pair(self) -> Rows:
        return self._over(*self._pair_rows, len(self.pairs))

    def by_coder(self) -> Rows:
        """Return the agreement of all pairs of each coder."""
        rows, pair = self._pair_rows
        sides = np.concatenate([self.first[pair], self.second[pair]])
        return self._over(np.concatenate([rows, rows]), sides, len(self.coders))

    def without(self) -> Rows:
        """Return the agreement of all coders but one."""
        place = {group: number for number, group in enumerate(self.groups)}
        row_of = {key: row for row, key in enumerate(zip(self.item.tolist(), self.group.tolist(), strict=True))}
        rows, selection = [], []
        for coder in range(len(self.coders)):
            for item, (whole, present) in enumerate(zip(self._whole.tolist(), self.coders_of_items, strict=True)):
                others = tuple(other for other in present if other != coder)
                if len(others) > 1:
                    rows.append(whole if len(others) == len(present) else row_of[item, place[others]])
                    selection.append(coder)
        return self._over(np.array(rows, np.int64), np.array(selection, np.int64), len(self.coders))


class Sparse:
    """A matrix that is mostly 0, by which weights are multiplied."""

    def __init__(self, values: Floats, row: Ints, column: Ints, shape: tuple[int, int]) -> None:
        from scipy.sparse import csr_array  # slow to import

        self._matrix: Any = csr_array((values, (row, column)), shape)

    @cached_property
    def transposed(self) -> Sparse:
        other = Sparse.__new__(Sparse)
        other._matrix = self._matrix.T.tocsr()
        return other

    def weighted(self, weights: Floats) -> Floats:
        """Return the product of weights, selection x column, with the transposed matrix: selection x row."""
        sums: Floats = (self._matrix @ np.ascontiguousarray(weights.T)).T
        return sums


def places_of_sides(item: Ints, coder: Ints, row: Ints, coders: tuple[Ints, Ints], number: int) -> tuple[Ints, Ints]:
    """Return where ``item`` and ``coder``, in ascending order, have the item of each row and either of its two coders."""
    known = item * number + coder
    return searchsorted(known, row * number + coders[0]), searchsorted(known, row * number + coders[1])


def sum_rows(values: Floats, index: Ints, size: int) -> Floats:
    """Return the sums of the rows with the same index."""
    out = np.empty((size, values.shape[1]))
    for column in range(values.shape[1]):
        out[:, column] = bincount(index, np.ascontiguousarray(values[:, column]), size)
    return out


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Divide rows so that a block has a bounded number of values, ``width`` per row."""
    step = max(1, BLOCK_SIZE // max(1, width))
    return (slice(start, start + step) for start in range(0, max(rows, 1), step))


def or_none(column: NDArray[np.float64]) -> list[float | None]:
    """Return numbers, each None instead of NaN."""
    numbers: list[float | None] = column.tolist()
    for place in flatnonzero(np.isnan(column)).tolist():
        numbers[place] = None
    return numbers
