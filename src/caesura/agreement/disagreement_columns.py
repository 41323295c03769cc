"""Disagreements of pairs of coders as columns of numbers, and the places at which they meet, the costliest place first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.disagreement_rows import DisagreementTotals, Mark
from caesura.measures.edit_columns import DELETION, EDIT_KINDS, INSERTION, NONE
from caesura.measures.many import Scores
from caesura.model.hierarchy import Span
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, reduceat, repeat
from caesura.model.result import Edit
from caesura.model.value import Floats, Ints

_CHUNK = 500_000  # boundaries that are aligned at a time, to save memory
_MAX_CODE = 2**62
# Whole numbers of any size, small ones to save memory.
Numbers = NDArray[np.integer[Any]]
_COLUMNS = ("comparison", "stream", "kind", "a_position", "b_position", "a_type", "b_type", "cost", "end")


@dataclass(frozen=True, eq=False, slots=True)
class DisagreementColumns:
    """Disagreements of two coders: one entry each, in the order of comparisons and then from left to right."""

    comparison: Numbers  # place of the comparison: an item and two coders
    stream: Numbers  # index in ``streams``
    # Index in ``EDIT_KINDS``. After a deletion only the first coder has the boundary or span, after an insertion only the
    # second.
    kind: Numbers
    # Positions of both coders, or times; entries of a coder who has none mean nothing.
    a_position: Any
    b_position: Any
    # Types as indices into ``types``, or ``NONE``.
    a_type: Numbers
    b_type: Numbers
    cost: Floats  # costs, all above 0
    end: Numbers | None  # last units of spans of hierarchies, which begin after the position; None for boundaries
    streams: tuple[str | None, ...]
    types: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.comparison)

    def take(self, rows: Ints) -> DisagreementColumns:
        columns = {name: getattr(self, name)[rows] for name in _COLUMNS if getattr(self, name) is not None}
        return replace(self, **columns)

    def boundaries(self, *, typed: bool) -> set[Mark]:
        """Return all boundaries about which coders disagree."""
        a, b = self.kind != INSERTION, self.kind != DELETION
        position, index = np.unique(np.concatenate([self.a_position[a], self.b_position[b]]), return_inverse=True)
        number = len(self.types) + 1  # the types, and none
        codes = np.unique(index.reshape(-1) * number + np.concatenate([self.a_type[a], self.b_type[b]]) + 1)
        types = (None, *self.types) if typed else (None,) * number
        names = [types[code] for code in (codes % number).tolist()]
        return set(zip(position[codes // number].tolist(), names, strict=True))

    @property
    def first(self) -> Any:
        """Position of the first coder who has the boundary."""
        return np.where(self.kind == INSERTION, self.b_position, self.a_position)

    @property
    def last(self) -> Any:
        """Position of the last coder who has the boundary."""
        return np.where(self.kind == DELETION, self.a_position, self.b_position)


def columns_of_scores(scores: Scores) -> DisagreementColumns | None:
    """Return the edits of all scores that cost something; None if the measure lists edits one document at a time."""
    chunks = []
    streams: dict[str | None, int] = {}
    # Consecutive documents that have some hundred thousand boundaries together.
    ends = scores.batch.work[1:] // _CHUNK
    for documents in np.split(np.arange(len(scores.batch)), flatnonzero(np.diff(ends)) + 1):
        edits = scores.measure.edit_columns(scores.batch.take(documents))
        if edits is None or edits.seconds:
            return None
        chosen = edits.cost > 0
        stream = np.zeros(len(edits), np.int64) if edits.stream is None else edits.stream
        columns = (edits.document, stream, edits.kind, edits.a_position, edits.b_position, edits.a_type, edits.b_type)
        entries = [column[chosen].astype(np.int32 if column.max(initial=0) < 2**31 else np.int64) for column in columns]
        entries[0] = scores.places[documents[0] + entries[0]].astype(np.int32)
        codes = np.array([streams.setdefault(name, len(streams)) for name in edits.streams], np.int32)
        entries[1] = codes[entries[1]]
        chunks.append((*entries, edits.cost[chosen]))
    joined: dict[str, Any] = dict(zip(_COLUMNS[:-1], map(np.concatenate, zip(*chunks, strict=True)), strict=True))
    return DisagreementColumns(**joined, end=None, streams=tuple(streams), types=scores.types)


def columns_of_edits(edits: Iterable[tuple[int, Edit]]) -> DisagreementColumns:
    kinds = {kind: number for number, kind in enumerate(EDIT_KINDS)}
    streams: dict[str | None, int] = {}
    types: dict[str, int] = {}
    rows = [
        (
            place,
            streams.setdefault(edit.stream, len(streams)),
            kinds[edit.kind],
            NONE if edit.a_position is None else edit.a_position,
            NONE if edit.b_position is None else edit.b_position,
            NONE if edit.a_type is None else types.setdefault(edit.a_type, len(types)),
            NONE if edit.b_type is None else types.setdefault(edit.b_type, len(types)),
            edit.cost,
        )
        for place, edit in edits
        if edit.cost > 0
    ]
    *columns, cost = _arrays(rows, 8)
    joined = dict(zip(_COLUMNS[:-1], (*columns, cost.astype(float)), strict=True))
    return DisagreementColumns(**joined, end=None, streams=tuple(streams), types=tuple(types))


def columns_of_spans(spans: Iterable[tuple[int, int, Span, str]]) -> DisagreementColumns:
    """Return spans that only one of two coders has as columns; each costs 1."""
    types: dict[str, int] = {}
    rows = [
        (place, side, span.start - 1, span.end, types.setdefault(name, len(types))) for place, side, span, name in spans
    ]
    comparison, side, start, end, name = _arrays(rows, 5)
    kind = np.where(side == 0, DELETION, INSERTION)
    a_type, b_type = np.where(side == 0, name, NONE), np.where(side == 1, name, NONE)
    stream, cost = np.zeros(len(rows), np.int8), np.ones(len(rows))
    return DisagreementColumns(comparison, stream, kind, start, start, a_type, b_type, cost, end, (None,), tuple(types))


def _arrays(rows: Sequence[tuple[Any, ...]], number: int) -> list[Any]:
    return [np.array(column) for column in zip(*rows, strict=True)] if rows else [np.zeros(0, np.int64)] * number


@dataclass(frozen=True, eq=False, slots=True)
class RankedPlaces:
    """Disagreements that share or link positions together, the costliest place first."""

    order: Ints  # the disagreements, place by place, the costliest first in each place
    ends: Ints  # where each place ends in ``order``, after a 0
    cost: Floats  # cost of each place

    def __len__(self) -> int:
        return len(self.cost)


def rank_places(columns: DisagreementColumns, item: Numbers, item_names: Sequence[str]) -> RankedPlaces:
    """Join the disagreements about the same or linked positions, or about the same span, and sort them."""
    if not len(columns):
        return RankedPlaces(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0))
    first, last = columns.first, columns.last
    position = np.minimum(first, last)
    _, example, place = np.unique(_link(columns, item, first, last), return_index=True, return_inverse=True)
    place = place.reshape(-1)
    pairs = bincount(place)
    together = argsort(place, kind="stable")
    ends = np.concatenate([[0], np.cumsum(pairs)])
    costs = columns.cost[together].tolist()
    cost = np.array([sum(costs[begin:end]) for begin, end in pairwise(ends.tolist())])
    leftmost = reduceat(np.minimum, position[together], ends[:-1])
    item_rank, stream_rank = _ranks(item_names), _ranks([stream or "" for stream in columns.streams])
    keys = (stream_rank[columns.stream[example]], item_rank[item[example]], -pairs, -cost)
    ranked = lexsort((example, leftmost, *keys))
    rank = np.empty(len(ranked), np.int64)
    rank[ranked] = np.arange(len(ranked))
    order = lexsort((position, -columns.cost, rank[place]))
    return RankedPlaces(order, np.concatenate([[0], np.cumsum(pairs[ranked])]), cost[ranked])


def _ranks(names: Sequence[str]) -> Ints:
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names], np.int64)


def _link(columns: DisagreementColumns, item: Numbers, first: Any, last: Any) -> Ints:
    """Return a number for each disagreement, the same for those that belong together."""
    text = item.astype(np.int64) * len(columns.streams) + columns.stream
    if columns.end is not None:
        span = np.unique(first.astype(np.int64) * (int(columns.end.max()) + 1) + columns.end, return_inverse=True)[1]
        return _codes(text, span.reshape(-1))
    moved = first != last
    codes = _codes(np.concatenate([text, text[moved]]), np.concatenate([first, last[moved]]))
    _, node = np.unique(codes, return_inverse=True)
    node = node.reshape(-1)
    root = _roots(int(node.max()) + 1, node[: len(text)][moved], node[len(text) :])
    return root[node[: len(text)]]


def _codes(text: Ints, position: Any) -> Ints:
    """Return a whole number for each text and position."""
    if position.dtype.kind == "f" or int(position.max()) >= _MAX_CODE // (int(text.max()) + 1):
        position = np.unique(position, return_inverse=True)[1].reshape(-1)
    codes: Ints = text * (int(position.max()) + 1) + position
    return codes


def _roots(number: int, first: Ints, second: Ints) -> Ints:
    """Return one node for each node, the same for all nodes that edges connect."""
    parent = list(range(number))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    edges = np.unique(first * number + second)
    for one, other in zip((edges // number).tolist(), (edges % number).tolist(), strict=True):
        parent[root(one)] = root(other)
    roots = np.array(parent)
    while (roots[roots] != roots).any():
        roots = roots[roots]
    return roots


def count_totals(
    names: Mapping[str, Sequence[str]],
    kind: Numbers,
    item: Numbers,
    sides: Sequence[Numbers],
    cost: Floats,
    place_item: Numbers,
) -> DisagreementTotals:
    coder = np.stack(sides, axis=1).reshape(-1)
    own = coder >= 0
    seen, first = np.unique(kind, return_index=True)
    kinds = [names["kinds"][number] for number in seen[argsort(first)].tolist()]
    by_kind = _sums(names["kinds"], kind, cost)
    return DisagreementTotals(
        rows=len(cost),
        places=len(place_item),
        cost=sum(chain.from_iterable(part.tolist() for part in np.array_split(cost, len(cost) // _CHUNK + 1))),
        by_item=_largest_first(_sums(names["items"], item, cost)),
        by_coder=_largest_first(_sums(names["coders"], coder[own], repeat(cost, len(sides))[own])),
        by_kind=_largest_first({name: by_kind[name] for name in kinds}),
        rows_by_item=_numbers(names["items"], item),
        rows_by_kind=_numbers(names["kinds"], kind),
        places_by_item=_numbers(names["items"], place_item),
    )


def _sums(names: Sequence[str], index: Numbers, cost: Floats) -> dict[str, float]:
    return dict(zip(names, bincount(index, cost, len(names)).tolist(), strict=True))


def _numbers(names: Sequence[str], index: Numbers) -> dict[str, int]:
    return dict(zip(names, bincount(index, minlength=len(names)).tolist(), strict=True))


def _largest_first(sums: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))
