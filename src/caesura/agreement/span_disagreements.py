"""Disagreements of coders about spans: what is not aligned, shifted or of another category in the best alignment of gamma."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from caesura.agreement.disagreement_rows import MAJORITY, Disagreement, DisagreementPlace, Disagreements, sum_by_name
from caesura.agreement.gamma import Gamma, align_items
from caesura.agreement.gamma_alignment import ItemAlignment, UnitaryAlignment
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.result import signature_line
from caesura.model.signature import with_data
from caesura.model.spans import MarkedSpan, Spans
from caesura.notices import warn

UNALIGNED, SHIFT, CATEGORY = "unaligned", "shift", "category"
"""Kinds of disagreement about spans."""
_CONTEXT_CHARACTERS = 30
_CONTEXT_TOKENS = 5
_MAX_BETWEEN = 120  # characters of the text of a span


def span_disagreements(
    corpus: Corpus, coefficient: str | UnitizingCoefficient | None = None, against: str | None = None
) -> Disagreements:
    """List where coders disagree about spans, by their best alignment.

    Parameters
    ----------
    corpus : Corpus
        Spans of at least two coders; they may overlap, nest and cross.
    coefficient : str or Gamma, optional
        Gamma with the weights of positions and categories (default: those of :class:`Gamma`).
    against : str, optional
        Keep only the disagreements with this coder (default: all pairs of coders).

    Returns
    -------
    Disagreements
        One place per unitary alignment with disorder, the largest disorder first. The cost of a place is its disorder, and
        the sum of all costs of an item divided by the mean number of spans per coder is the observed disorder of gamma.

    Raises
    ------
    OptionError
        If the coefficient is not gamma, or ``against`` is the majority.
    """
    chosen = _gamma(coefficient)
    if against == MAJORITY and MAJORITY not in corpus.coders:
        raise OptionError(
            "spans have no majority; give the name of a coder, or leave out against for all pairs of coders"
        )
    items, excluded = unitized_items(corpus, chosen.bounds)
    alignments = align_items(items, chosen)
    _warn_unproved(alignments)
    places = [
        place for item in items for place in _item_places(item, alignments[item.name], chosen.delta_empty, against)
    ]
    places.sort(key=lambda place: (-place.cost, -place.pairs, place.item, place.position))
    facts: dict[str, Any] = {"coders": len(corpus.coders), "against": against or "pairs"}
    signature = signature_line("disagreements", chosen.name, **chosen.settings, **facts)
    return Disagreements(
        measure=chosen,
        against=against,
        coders=corpus.coders,
        items=tuple(item.name for item in items),
        compared=sum(_comparisons(item, against) for item in items),
        rows=tuple(row for place in places for row in place.rows),
        places=tuple(places),
        excluded=tuple(excluded),
        signature=with_data(signature, corpus.fingerprint, sum(place.cost for place in places)),
    )


def _gamma(coefficient: str | UnitizingCoefficient | None) -> Gamma:
    chosen = resolve_unitizing(coefficient or "gamma", {})
    if not isinstance(chosen, Gamma):
        raise OptionError(f"disagreements about spans come from the alignment of gamma; got {coefficient!r}")
    return chosen


def _warn_unproved(alignments: Mapping[str, ItemAlignment]) -> None:
    for name, alignment in alignments.items():
        if not alignment.proved:
            warn(f"item {name!r}: the alignment is not proved to be the best, because the search took too much work")


def _comparisons(item: UnitizedItem, against: str | None) -> int:
    number = len(item.coders)
    return number * (number - 1) // 2 if against is None else (number - 1) * (against in item.coders)


def _item_places(
    item: UnitizedItem, alignment: ItemAlignment, delta_empty: float, against: str | None
) -> Iterator[DisagreementPlace]:
    """Yield the unitary alignments of an item about which two of the compared coders disagree."""
    context = _Context.of(item)
    for unitary in alignment.unitary:
        rows = [
            row
            for row in _unitary_rows(item, unitary, delta_empty, context)
            if against is None or against in row.coders
        ]
        if rows:
            yield _place(item, unitary, rows, context)


# -- disagreements of two coders ----------------------------------------------------------------------------------------


def _unitary_rows(
    item: UnitizedItem, unitary: UnitaryAlignment, delta_empty: float, context: _Context
) -> Iterator[Disagreement]:
    """Yield the disagreements of each pair of coders. Their costs add up to the disorder of the unitary alignment.

    A pair of coders without units costs delta_empty too, but has nothing to disagree about: its cost is divided equally
    among the pairs with one unit.
    """
    number = len(unitary.units)
    pairs = number * (number - 1) // 2
    marked = sum(unit is not None for unit in unitary.units)
    alone = delta_empty * (1 + (number - marked - 1) / (2 * marked)) / pairs
    terms = {(pair.first, pair.second): pair for pair in unitary.pairs}
    for i, j in combinations(range(number), 2):
        units = (unitary.units[i], unitary.units[j])
        if units[0] is None and units[1] is None:
            continue
        pair = terms.get((i, j))
        if pair is None:
            yield _row(item, (i, j), units, UNALIGNED, alone, context)
        elif pair.position + pair.category > 0:
            kinds = [kind for kind, term in ((SHIFT, pair.position), (CATEGORY, pair.category)) if term > 0]
            yield _row(item, (i, j), units, " and ".join(kinds), (pair.position + pair.category) / pairs, context)


def _row(
    item: UnitizedItem,
    places: tuple[int, int],
    units: tuple[MarkedSpan | None, MarkedSpan | None],
    kind: str,
    cost: float,
    context: _Context,
) -> Disagreement:
    first, second = (item.coders[place] for place in places)
    starts = [None if unit is None else context.number(unit.start) for unit in units]
    before, between, after = context.around(_edges(units))
    return Disagreement(
        item=item.name,
        stream=None,
        coders=(first, second),
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


def _edges(units: Sequence[MarkedSpan | None]) -> list[float]:
    """Return all starts and ends, in ascending order."""
    return sorted({edge for unit in units if unit is not None for edge in (unit.start, unit.end)})


def _place(
    item: UnitizedItem, unitary: UnitaryAlignment, rows: Sequence[Disagreement], context: _Context
) -> DisagreementPlace:
    units = {coder: unit for coder, unit in zip(item.coders, unitary.units, strict=True) if unit is not None}
    edges = [context.number(edge) for edge in _edges(unitary.units)]
    starts = {coder: context.number(unit.start) for coder, unit in units.items()}
    before, between, after = context.around(_edges(unitary.units))
    return DisagreementPlace(
        item=item.name,
        stream=None,
        positions=tuple(edges),
        times=tuple(edges) if context.seconds else (),
        kinds=tuple(sum_by_name((), ((row.kind, row.cost) for row in rows))),
        marks={coder: ((starts[coder], unit.category),) for coder, unit in units.items()},
        mark_times={coder: (start,) for coder, start in starts.items()} if context.seconds else {},
        has=tuple(units),
        has_not=tuple(coder for coder in item.coders if coder not in units),
        pairs=len(rows),
        cost=sum(row.cost for row in rows),
        before=before,
        between=between,
        after=after,
        span=None,
        rows=tuple(sorted(rows, key=lambda row: (-row.cost, row.position))),
        units=units,
    )


# -- text ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Context:
    """The text of an item, and whether its positions are seconds."""

    text: str | tuple[str, ...] | None
    seconds: bool

    @classmethod
    def of(cls, item: UnitizedItem) -> _Context:
        """Return the text that a coder of the item has."""
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
