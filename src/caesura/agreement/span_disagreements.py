"""Disagreements of coders about spans: what is not aligned, shifted or of another category in the best alignment of gamma."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np

from caesura import limits
from caesura.agreement.disagreement_columns import count_totals
from caesura.agreement.disagreement_rows import (
    MAJORITY,
    Disagreement,
    DisagreementPlace,
    Disagreements,
    DisagreementTotals,
    sum_by_name,
)
from caesura.agreement.gamma import Gamma, align_items, work_to_align
from caesura.agreement.gamma_alignment import ItemAlignment, UnitaryAlignment
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.index import lexsort, repeat
from caesura.model.result import signature_line
from caesura.model.signature import with_data
from caesura.model.spans import MarkedSpan, Spans
from caesura.model.value import OnDemand, count_of
from caesura.notices import warn

# Kinds of disagreement about spans.
UNALIGNED, SHIFT, CATEGORY = "unaligned", "shift", "category"
_KINDS = (UNALIGNED, SHIFT, CATEGORY, f"{SHIFT} and {CATEGORY}")
# Two coders of an item, and kind and cost of their disagreement.
_Pair = tuple[int, int, str, float]
_CONTEXT_CHARACTERS = 30
_CONTEXT_TOKENS = 5
_MANY_PAIRS = 50  # pairs that arrays sort faster
_MAX_WARNED = 10  # items that have a warning of their own
_MAX_BETWEEN = 120  # characters of the text of a span


def span_disagreements(
    corpus: Corpus, coefficient: str | UnitizingCoefficient | None = None, against: str | None = None
) -> Disagreements:
    """List where coders disagree about spans, by their best alignment."""
    chosen = resolve_unitizing(coefficient or "gamma", {})
    if not isinstance(chosen, Gamma):
        raise OptionError(f"disagreements about spans come from the alignment of gamma; got {coefficient!r}")
    if against == MAJORITY and MAJORITY not in corpus.coders:
        raise OptionError(
            "spans have no majority; give the name of a coder, or leave out against for all pairs of coders"
        )
    items, excluded = unitized_items(corpus, chosen.bounds)
    share = min(1.0, limits.MAX_ALIGNMENT_WORK / max(work_to_align(items, chosen), 1))
    alignments = align_items(items, chosen, share=share)
    _warn_unproved(items, alignments, share)
    groups = [
        group for item in items for group in _item_groups(item, alignments[item.name], chosen.delta_empty, against)
    ]
    builder = _PlaceBuilder(sorted(groups, key=lambda group: group.rank))
    facts: dict[str, Any] = {"coders": len(corpus.coders), "against": against or "pairs"}
    signature = signature_line("disagreements", chosen.name, **chosen.settings, **facts)
    return Disagreements(
        measure=chosen,
        against=against,
        coders=corpus.coders,
        items=tuple(item.name for item in items),
        compared=sum(_comparisons(item, against) for item in items),
        rows=builder.rows,
        places=builder.places,
        excluded=tuple(excluded),
        signature=with_data(signature, corpus.fingerprint, sum(group.cost for group in builder.groups)),
        totals=builder.totals([item.name for item in items], corpus.coders),
    )


def _warn_unproved(items: Sequence[UnitizedItem], alignments: Mapping[str, ItemAlignment], share: float) -> None:
    searched = (item for item in items if share < 1 and len(item.coders) > 2)
    shortened = {item.name for item in searched if not alignments[item.name].proved}
    if shortened:
        seconds = limits.MAX_ALIGNMENT_WORK / share / 1e9
        warn(
            f"the alignments of {count_of(len(shortened), 'item')} with three or more coders are good, but not proved to be "
            f"the best: a full search would take about {seconds:.0f} seconds; choose fewer items or coders"
        )
    unproved = [name for name, alignment in alignments.items() if not alignment.proved and name not in shortened]
    for name in unproved[:_MAX_WARNED]:
        warn(f"item {name!r}: the alignment is not proved to be the best, because the search took too much work")
    if len(unproved) > _MAX_WARNED:
        warn(f"{len(unproved) - _MAX_WARNED:,} more alignments are not proved to be the best")


def _comparisons(item: UnitizedItem, against: str | None) -> int:
    number = len(item.coders)
    return number * (number - 1) // 2 if against is None else (number - 1) * (against in item.coders)


@dataclass(frozen=True, eq=False)
class _Group:
    """A unitary alignment about which two of the compared coders disagree."""

    item: UnitizedItem
    units: Sequence[MarkedSpan | None]  # the span of each coder
    context: _Context  # the text of the item
    pairs: list[_Pair]  # the disagreements

    @cached_property
    def cost(self) -> float:
        return sum(cost for _, _, _, cost in self.pairs)

    @property
    def rank(self) -> tuple[float, int, str, float]:
        return -self.cost, -len(self.pairs), self.item.name, self.context.number(_edges(self.units)[0])

    @cached_property
    def ranked(self) -> list[_Pair]:
        """The disagreements, the costliest first, then by position."""
        starts = [float("inf") if unit is None else unit.start for unit in self.units]
        if len(self.pairs) < _MANY_PAIRS:
            return sorted(self.pairs, key=lambda pair: (-pair[3], min(starts[pair[0]], starts[pair[1]])))
        first, second, _, costs = zip(*self.pairs, strict=True)
        start = np.minimum(*(np.array(starts)[[*places]] for places in (first, second)))
        return [self.pairs[k] for k in lexsort((start, -np.array(costs))).tolist()]


def _item_groups(
    item: UnitizedItem, alignment: ItemAlignment, delta_empty: float, against: str | None
) -> Iterator[_Group]:
    """Yield the unitary alignments of an item about which two of the compared coders disagree."""
    context = _Context.of(item)
    for unitary in alignment.unitary:
        pairs = _unitary_pairs(unitary, delta_empty)
        if against is not None:
            pairs = [pair for pair in pairs if against in (item.coders[pair[0]], item.coders[pair[1]])]
        if pairs:
            yield _Group(item, unitary.units, context, pairs)


def _unitary_pairs(unitary: UnitaryAlignment, delta_empty: float) -> list[_Pair]:
    """Return the disagreements of each pair of coders. Their costs add up to the disorder of the unitary alignment."""
    # A pair of coders without units costs delta_empty too, but has nothing to disagree about: its cost is divided equally among
    # the pairs with one unit.
    number = len(unitary.units)
    pairs = number * (number - 1) // 2
    has_unit = [unit is not None for unit in unitary.units]
    marked = sum(has_unit)
    alone = delta_empty * (1 + (number - marked - 1) / (2 * marked)) / pairs
    terms = {(first, second): (position, category) for first, second, position, category in unitary.pairs}
    disagreements: list[_Pair] = []
    for i, j in combinations(range(number), 2):
        if not (has_unit[i] or has_unit[j]):
            continue
        term = terms.get((i, j))
        if term is None:
            disagreements.append((i, j, UNALIGNED, alone))
        elif term[0] + term[1] > 0:
            kind = _KINDS[(term[0] > 0) + 2 * (term[1] > 0)]
            disagreements.append((i, j, kind, (term[0] + term[1]) / pairs))
    return disagreements


def _edges(units: Sequence[MarkedSpan | None]) -> list[float]:
    return sorted({edge for unit in units if unit is not None for edge in (unit.start, unit.end)})


class _PlaceBuilder:
    """The disagreements of all items, of which rows and places are built when they are needed."""

    def __init__(self, groups: Sequence[_Group]) -> None:
        self.groups = groups
        self.ends = list(accumulate((len(group.pairs) for group in groups), initial=0))

    @property
    def rows(self) -> OnDemand[Disagreement]:
        return OnDemand(self.row, range(self.ends[-1]))

    @property
    def places(self) -> OnDemand[DisagreementPlace]:
        return OnDemand(self.place, range(len(self.groups)))

    def totals(self, items: Sequence[str], coders: Sequence[str]) -> DisagreementTotals:
        item_numbers, coder_numbers = ({name: i for i, name in enumerate(names)} for names in (items, coders))
        kind_numbers = {kind: i for i, kind in enumerate(_KINDS)}
        sizes = [len(group.pairs) for group in self.groups]
        place_item = np.array([item_numbers[group.item.name] for group in self.groups], np.int64)
        sides: tuple[list[int], list[int]] = ([], [])
        kinds: list[int] = []
        costs: list[float] = []
        for group in self.groups:
            numbers = [coder_numbers[coder] for coder in group.item.coders]
            first, second, kind, cost = zip(*group.ranked, strict=True)
            sides[0].extend(map(numbers.__getitem__, first))
            sides[1].extend(map(numbers.__getitem__, second))
            kinds.extend(map(kind_numbers.__getitem__, kind))
            costs.extend(cost)
        return count_totals(
            {"items": items, "coders": coders, "kinds": _KINDS},
            np.array(kinds, np.int64),
            repeat(place_item, sizes),
            [np.array(side, np.int64) for side in sides],
            np.array(costs, float),
            place_item,
        )

    def row(self, number: int) -> Disagreement:
        place = bisect_right(self.ends, number) - 1
        group = self.groups[place]
        i, j, kind, cost = group.ranked[number - self.ends[place]]
        units = (group.units[i], group.units[j])
        context = group.context
        starts = [None if unit is None else context.number(unit.start) for unit in units]
        before, between, after = context.around(_edges(units))
        return Disagreement(
            item=group.item.name,
            stream=None,
            coders=(group.item.coders[i], group.item.coders[j]),
            kind=kind,
            positions=(starts[0], starts[1]),
            times=(starts[0], starts[1]) if context.seconds else (None, None),
            types=(units[0] and units[0].category, units[1] and units[1].category),
            cost=cost,
            before=before,
            between=between,
            after=after,
            units=units,
        )

    def place(self, number: int) -> DisagreementPlace:
        group = self.groups[number]
        context = group.context
        units = {coder: unit for coder, unit in zip(group.item.coders, group.units, strict=True) if unit is not None}
        edges = [context.number(edge) for edge in _edges(group.units)]
        starts = {coder: context.number(unit.start) for coder, unit in units.items()}
        before, between, after = context.around(_edges(group.units))
        return DisagreementPlace(
            item=group.item.name,
            stream=None,
            positions=tuple(edges),
            times=tuple(edges) if context.seconds else (),
            kinds=tuple(sum_by_name((), ((kind, cost) for _, _, kind, cost in group.pairs))),
            marks={coder: ((starts[coder], unit.category),) for coder, unit in units.items()},
            mark_times={coder: (start,) for coder, start in starts.items()} if context.seconds else {},
            has=tuple(units),
            has_not=tuple(coder for coder in group.item.coders if coder not in units),
            pairs=len(group.pairs),
            cost=group.cost,
            before=before,
            between=between,
            after=after,
            span=None,
            rows=self.rows[self.ends[number] : self.ends[number + 1]],
            units=units,
        )


@dataclass(frozen=True)
class _Context:
    """The text of an item, and whether its positions are seconds."""

    text: str | tuple[str, ...] | None
    seconds: bool

    @classmethod
    def of(cls, item: UnitizedItem) -> _Context:
        annotations: list[Spans] = list(item.annotations.values())
        texts = [spans.text if spans.text is not None else spans.units for spans in annotations]
        text = next((text for text in texts if text is not None), None)
        return cls(text, annotations[0].axis == "seconds")

    def number(self, position: float) -> Any:
        """Return a position as a whole number, if it is one and no time."""
        return int(position) if not self.seconds and position == int(position) else position

    def around(self, edges: Sequence[float]) -> tuple[str, str, str]:
        """Return the text before, between and after positions, with ``|`` at those inside; empty without text."""
        if self.text is None or self.seconds:
            return "", "", ""
        size = _CONTEXT_CHARACTERS if isinstance(self.text, str) else _CONTEXT_TOKENS
        places = [int(edge) for edge in edges]
        between = " | ".join(self._part(first, last) for first, last in pairwise(places))
        if len(between) > _MAX_BETWEEN:
            between = f"{between[: _MAX_BETWEEN // 2]} … {between[-_MAX_BETWEEN // 2 :]}"
        return (self._part(max(0, places[0] - size), places[0]), between, self._part(places[-1], places[-1] + size))

    def _part(self, first: int, last: int) -> str:
        assert self.text is not None
        part = self.text[first:last]
        return " ".join((part if isinstance(part, str) else " ".join(part)).split())
