"""Alignments of the spans of an item, with their terms for gamma-cat and gamma-k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from caesura.agreement.gamma_chance import Continuum, observed_units
from caesura.agreement.unitary import UNKNOWN, Alignments
from caesura.agreement.unitized import UnitizedItem
from caesura.kernels.sums import sum_groups
from caesura.model.index import argsort, bincount, flatnonzero, repeat, searchsorted
from caesura.model.plain import to_plain
from caesura.model.result import HIDDEN
from caesura.model.spans import MarkedSpan
from caesura.model.value import Floats

T = TypeVar("T")


class PairDissimilarity(NamedTuple):
    """How much two aligned units differ."""

    # Places of the two coders.
    first: int
    second: int
    # alpha d_pos and beta d_cat; their sum is d.
    position: float
    category: float


@dataclass(frozen=True)
class UnitaryAlignment:
    """Units of different coders that were aligned with each other.

    Attributes
    ----------
    disorder : float
        Mean of d over all pairs of coders.
    units : tuple of MarkedSpan or None
        The unit of each coder; None if the coder has no unit here.
    pairs : tuple of PairDissimilarity
        One entry for each pair of units.
    """

    disorder: float
    units: tuple[MarkedSpan | None, ...]
    pairs: tuple[PairDissimilarity, ...] = field(default=(), repr=False, metadata=HIDDEN)

    def __json__(self) -> dict[str, Any]:
        units = [None if unit is None else unit._asdict() for unit in self.units]  # an item may have thousands of them
        return {"disorder": self.disorder, "units": units}


@dataclass(frozen=True)
class ItemAlignment:
    """Best alignment of the coders' units on one item.

    Attributes
    ----------
    coders : tuple of str
        The coders, in the order of the units.
    disorder : float
        Disorder of the alignment.
    bound : float
        Lower bound of the disorder of every alignment; the same as ``disorder`` if that is proved.
    proved : bool
        Whether no alignment has a smaller disorder.
    unique : bool or None
        Whether no other alignment has the same disorder; None if this is unknown.
    unitary : tuple of UnitaryAlignment
        The unitary alignments, in the order of their first units.
    """

    coders: tuple[str, ...]
    disorder: float
    bound: float
    proved: bool
    unique: bool | None
    unitary: tuple[UnitaryAlignment, ...]


class ItemAlignments(Mapping[str, ItemAlignment]):
    """Item -> best alignment. The alignments are computed when one is looked at for the first time."""

    def __init__(self, names: Sequence[str], align: Callable[[], Sequence[AlignedItem]]) -> None:
        self._names = dict.fromkeys(names)
        self._align = align
        self._known: dict[str, ItemAlignment] = {}

    @cached_property
    def _aligned(self) -> dict[str, AlignedItem]:
        return dict(zip(self._names, self._align(), strict=True))

    def __getitem__(self, item: str) -> ItemAlignment:
        if item not in self._known:
            self._known[item] = self._aligned[item].build()
        return self._known[item]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _plain(self) -> dict[str, Any]:
        return {name: aligned.__json__() for name, aligned in self._aligned.items()}

    def __json__(self) -> dict[str, Any]:
        return self._plain  # several coefficients have the same alignments

    def __repr__(self) -> str:
        return f"<best alignments of {len(self)} items>"


def continuum_of(item: UnitizedItem, codes: Mapping[str | None, int]) -> Continuum:
    annotations = item.annotations.values()
    return Continuum(
        np.concatenate([spans.starts for spans in annotations]),
        np.concatenate([spans.ends for spans in annotations]),
        np.array([codes[name] for spans in annotations for name in spans.categories], np.int32),
        tuple(map(len, annotations)),
        item.bounds,
    )


def concatenate(continua: Sequence[Continuum]) -> Continuum:
    ends = np.cumsum([continuum.length for continuum in continua]).tolist()
    moved = [offset - part.bounds[0] for offset, part in zip([0.0, *ends], continua, strict=False)]
    units = observed_units(continua)
    order = argsort(units.owners, kind="stable")  # one annotator after the other
    shift = repeat(moved, units.sizes)
    sizes = np.sum([continuum.sizes for continuum in continua], axis=0)
    starts, ends_of_units = (units.starts + shift)[order], (units.ends + shift)[order]
    return Continuum(starts, ends_of_units, units.codes[order], tuple(sizes.tolist()), (0.0, ends[-1]))


@dataclass(frozen=True)
class AlignedItem:
    """The best alignment of an item as arrays, with the spans of the coders."""

    item: UnitizedItem
    alignments: Alignments
    number: int  # of the sample that has the units of the item
    delta_empty: float  # dissimilarity of a unit and an empty place
    mean_units: float  # number by which the total cost is divided

    def build(self) -> ItemAlignment:
        spans = [span for annotation in self.item.annotations.values() for span in annotation.spans]
        pairs = self._pairs()
        rows = [
            UnitaryAlignment(disorder, tuple(units), tuple(pairs.get(place, ())))
            for place, (disorder, units) in enumerate(self._unitary(spans))
        ]
        return ItemAlignment(*self._facts(), tuple(rows))

    def __json__(self) -> dict[str, Any]:
        """Return the plain form of the alignment, without its pairs of units, which take long for thousands of items."""
        spans = [span._asdict() for annotation in self.item.annotations.values() for span in annotation.spans]
        names = [entry.name for entry in fields(ItemAlignment)]
        rows = [{"disorder": to_plain(disorder), "units": units} for disorder, units in self._unitary(spans)]
        return dict(zip(names, (*map(to_plain, self._facts()), rows), strict=True))

    def _facts(self) -> tuple[tuple[str, ...], float, float, bool, bool | None]:
        found, number = self.alignments, self.number
        scale = self.delta_empty / self.mean_units if self.mean_units else 0.0
        unique = None if found.unique[number] == UNKNOWN else bool(found.unique[number])
        costs = float(found.cost[number]) * scale, float(found.bound[number]) * scale
        return self.item.coders, *costs, bool(found.proved[number]), unique

    def _unitary(self, spans: Sequence[T]) -> Iterator[tuple[float, list[T | None]]]:
        """Yield disorder and spans of each unitary alignment; ``spans`` has those of one coder after the other."""
        found, first, last = self.alignments, *self.alignments.offset[self.number : self.number + 2]
        table, unit = found.table, int(found.table.offset[self.number])
        places, owners = table.index - unit, table.annotator  # the index counts the units of all samples
        groups = found.of_sample(self.number)
        for members, cost in zip(groups, found.pairs.cost[first:last].tolist(), strict=True):
            units: list[T | None] = [None] * len(self.item.annotations)
            for member in members:
                units[owners[member]] = spans[places[member]]
            yield cost * self.delta_empty, units

    def _pairs(self) -> dict[int, list[PairDissimilarity]]:
        """Return unitary alignment -> its pairs of units."""
        terms, how, annotator = self.alignments.pairs, self.alignments.dissimilarity, self.alignments.table.annotator
        unitary = self.alignments.offset[self.number : self.number + 2]
        part = slice(*searchsorted(terms.owner, unitary).tolist())  # owners ascend
        first, second = annotator[terms.first[part]], annotator[terms.second[part]]
        columns = (
            np.minimum(first, second),
            np.maximum(first, second),
            terms.position[part] * how.alpha * self.delta_empty,
            terms.distance[part] * how.beta * self.delta_empty,
        )
        pairs: dict[int, list[PairDissimilarity]] = {}
        rows = map(PairDissimilarity, *(column.tolist() for column in columns))
        for owner, row in zip((terms.owner[part] - unitary[0]).tolist(), rows, strict=True):
            pairs.setdefault(owner, []).append(row)
        return pairs


def category_terms(
    alignments: Alignments, categories: int, delta_empty: float = 1.0, *, unaligned: bool = False
) -> Floats:
    """Return numerator and denominator of delta_cat for all categories, then for each one."""
    pairs, table, samples = alignments.pairs, alignments.table, alignments.table.samples
    sizes = np.diff(alignments.begin)
    scale = alignments.dissimilarity.alpha * delta_empty if unaligned else 1.0
    weights = np.maximum(0.0, 1 - scale * pairs.position) / np.maximum(sizes[pairs.owner] - 1, 1)
    numerators = weights * pairs.distance * (delta_empty if unaligned else 1.0)
    sample = alignments.sample[pairs.owner]
    first, second = (table.category[units].astype(np.int64) for units in (pairs.first, pairs.second))
    # One group per sample for all categories, then one per sample and category; a mixed pair counts for both categories.
    groups, members = [sample], [np.arange(len(sample))]
    if categories:
        mixed = flatnonzero(first != second)
        groups += [samples + first * samples + sample, (samples + second * samples + sample)[mixed]]
        members += [members[0], mixed]
    group, member = np.concatenate(groups), np.concatenate(members)
    order = argsort(group, kind="stable")
    group, member = group[order], member[order]
    terms = np.empty((samples, 2 + 2 * categories))
    for k, values in enumerate((numerators, weights)):
        sums = sum_groups(values[member], group, samples * (1 + categories))
        terms[:, k::2] = sums.reshape(1 + categories, samples).T
    if unaligned:
        aligned = bincount(group, minlength=samples * (1 + categories)).reshape(1 + categories, samples).T > 0
        missing = np.column_stack([_empty_places(alignments, k) for k in range(-1, categories)]) * aligned
        terms[:, ::2] += missing * delta_empty**2
        terms[:, 1::2] += missing * delta_empty
    return terms


def _empty_places(alignments: Alignments, category: int) -> Floats:
    """Return the number of pairs of a unit of a category (-1: any) and an empty place, for each sample."""
    table, sizes = alignments.table, np.diff(alignments.begin)
    empty = repeat(table.annotators - sizes, sizes)
    if category >= 0:
        empty = empty * (table.category[alignments.members] == category)
    owners = repeat(alignments.sample, sizes)
    return bincount(owners, weights=empty, minlength=table.samples)
