"""Disagreements of coders about spans: what is not aligned, shifted or of another category in the best alignment of gamma."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from caesura.agreement.coder_pairs import Key
from caesura.agreement.disagreement_links import MISSING, MOVED, RELABELLED, Links, SpanRow, links_of_spans
from caesura.agreement.disagreement_rows import Mark
from caesura.agreement.gamma import Gamma, align_items
from caesura.agreement.gamma_alignment import ItemAlignment, UnitaryAlignment
from caesura.agreement.unitized import UnitizedItem
from caesura.model.spans import MarkedSpan, Spans
from caesura.notices import warn

# Kinds of disagreement about spans, by the numbers of links.
SPAN_KINDS = ("unaligned", "shift", "category", "shift and category")
_CONTEXT_CHARACTERS = 30
_CONTEXT_TOKENS = 5
_MAX_WARNED = 10  # items that have a warning of their own
_MAX_BETWEEN = 120  # characters of the text of a span


def align_spans(
    items: Sequence[UnitizedItem], gamma: Gamma, against: str | None
) -> tuple[list[Key], Links, ComparedSpans]:
    """Return the comparisons of two coders, their disagreements, and the spans about which they disagree."""
    alignments = align_items(items, gamma)
    _warn_unproved(alignments)
    keys: list[Key] = []
    places: list[tuple[UnitizedItem, UnitaryAlignment]] = []

    def rows() -> Iterator[SpanRow]:
        for item in items:
            compared = {}
            for i, j in combinations(range(len(item.coders)), 2):
                if against in (None, item.coders[i], item.coders[j]):
                    compared[i, j] = len(keys)
                    keys.append((item.name, item.coders[i], item.coders[j]))
            for unitary in alignments[item.name].unitary:
                marks = [None if unit is None else (unit.start, unit.category) for unit in unitary.units]
                for i, j, kind, cost in _disagreements(unitary, gamma.delta_empty):
                    if (i, j) in compared:
                        yield compared[i, j], kind, marks[i], marks[j], cost, len(places)
                places.append((item, unitary))

    links = links_of_spans(rows())
    return keys, links, ComparedSpans(items, links, places)


def _warn_unproved(alignments: Mapping[str, ItemAlignment]) -> None:
    unproved = [name for name, alignment in alignments.items() if not alignment.proved]
    for name in unproved[:_MAX_WARNED]:
        warn(f"item {name!r}: the alignment is not proved to be the best, because the search took too much work")
    if len(unproved) > _MAX_WARNED:
        warn(f"{len(unproved) - _MAX_WARNED:,} more alignments are not proved to be the best")


def _disagreements(unitary: UnitaryAlignment, delta_empty: float) -> Iterator[tuple[int, int, int, float]]:
    """Yield the disagreements of each pair of coders. Their costs add up to the disorder of the unitary alignment."""
    # A pair of coders without units costs delta_empty too, but has nothing to disagree about: its cost is divided equally among
    # the pairs with one unit.
    number = len(unitary.units)
    pairs = number * (number - 1) // 2
    has_unit = [unit is not None for unit in unitary.units]
    marked = sum(has_unit)
    alone = delta_empty * (1 + (number - marked - 1) / (2 * marked)) / pairs
    terms = {(first, second): (position, category) for first, second, position, category in unitary.pairs}
    for i, j in combinations(range(number), 2):
        term = terms.get((i, j))
        if term is not None and term[0] + term[1] > 0:
            yield i, j, MOVED * (term[0] > 0) + RELABELLED * (term[1] > 0), (term[0] + term[1]) / pairs
        elif term is None and (has_unit[i] or has_unit[j]):
            yield i, j, MISSING, alone


class ComparedSpans:
    """The spans of the coders in each place, which is a unitary alignment, and the text around them."""

    kinds = SPAN_KINDS

    def __init__(
        self, items: Sequence[UnitizedItem], links: Links, places: Sequence[tuple[UnitizedItem, UnitaryAlignment]]
    ) -> None:
        self._links, self._places = links, places
        # The text of each item, and whether its positions are seconds.
        self._text: dict[str, str | tuple[str, ...] | None] = {}
        self._seconds: dict[str, bool] = {}
        for item in items:
            annotations: list[Spans] = list(item.annotations.values())
            texts = (spans.text if spans.text is not None else spans.units for spans in annotations)
            self._text[item.name] = next((text for text in texts if text is not None), None)
            self._seconds[item.name] = annotations[0].axis == "seconds"

    def number(self, item: str, position: float) -> Any:
        """Return a position as a whole number, if it is one and no time."""
        return int(position) if not self._seconds[item] and position == int(position) else position

    def time(self, item: str, coder: str, stream: str | None, position: float | None) -> float | None:
        return position if self._seconds[item] else None

    def span(self, i: int) -> None:
        return None

    def units(self, i: int) -> dict[str, MarkedSpan]:
        """Return the span of each coder at the place of a link."""
        item, unitary = self._places[self._links.place[i]]
        return {coder: unit for coder, unit in zip(item.coders, unitary.units, strict=True) if unit is not None}

    def marks_at(self, i: int, links: Links) -> tuple[dict[str, tuple[Mark, ...]], list[Any]]:
        """Return coder -> start and category of the coder's span at the place of a link, and all starts and ends there."""
        (item, _), units = self._places[links.place[0]], self.units(i)
        edges = sorted({self.number(item.name, edge) for unit in units.values() for edge in unit[:2]})
        marks = {coder: ((self.number(item.name, unit.start), unit.category),) for coder, unit in units.items()}
        return {coder: marks.get(coder, ()) for coder in item.coders}, edges

    def around(self, item: str, stream: str | None, edges: Sequence[float]) -> tuple[str, str, str]:
        """Return the text before, between and after positions, with ``|`` at those inside; empty without text."""
        text = self._text[item]
        if text is None or self._seconds[item]:
            return "", "", ""
        size = _CONTEXT_CHARACTERS if isinstance(text, str) else _CONTEXT_TOKENS
        places = [int(edge) for edge in edges]
        between = " | ".join(_part(text, first, last) for first, last in pairwise(places))
        if len(between) > _MAX_BETWEEN:
            between = f"{between[: _MAX_BETWEEN // 2]} … {between[-_MAX_BETWEEN // 2 :]}"
        return _part(text, max(0, places[0] - size), places[0]), between, _part(text, places[-1], places[-1] + size)


def _part(text: str | tuple[str, ...], first: int, last: int) -> str:
    part = text[first:last]
    return " ".join((part if isinstance(part, str) else " ".join(part)).split())
