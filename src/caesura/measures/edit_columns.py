"""Edits of one document as a list, or of many as columns of numbers, for pages and tables that need millions of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.model.batch import Batch
from caesura.model.index import bincount, lexsort, searchsorted
from caesura.model.result import Edit
from caesura.model.value import Floats, Ints

# Kinds of edits; columns contain their index.
EDIT_KINDS = ("match", "transposition", "substitution", "transposition with substitution", "deletion", "insertion")
MATCH, TRANSPOSITION, SUBSTITUTION, DELETION, INSERTION = 0, 1, 2, 4, 5
# Position and type on a side that has no boundary.
NONE = -1


@dataclass(frozen=True, eq=False, slots=True)
class EditColumns:
    """Edits of many documents: one entry per edit, in the order of documents and then from left to right."""

    document: Ints  # place of the document in the batch
    kind: Ints  # index in ``EDIT_KINDS``
    # Positions of the boundaries on both sides, or ``NONE``; times in seconds are floats.
    a_position: Any
    b_position: Any
    # Types as indices into ``types``, or ``NONE``.
    a_type: Ints
    b_type: Ints
    cost: Floats
    types: tuple[str, ...]
    documents: int
    # Stream of a dialogue as index into ``streams``; None if the documents are no dialogues. Positions are counted in the
    # stream.
    stream: Ints | None = None
    streams: tuple[str | None, ...] = (None,)  # names of the streams; None for a text that is no dialogue
    seconds: bool = False  # whether positions are times

    def __len__(self) -> int:
        return len(self.document)

    @property
    def position(self) -> Ints:
        """The leftmost position of each edit."""
        either = np.where(self.kind == INSERTION, self.b_position, self.a_position)
        return np.asarray(np.where(self.kind < DELETION, np.minimum(self.a_position, self.b_position), either))

    @property
    def shift(self) -> Ints:
        """Distance from the boundary of a to that of b; 0 if only one side has it."""
        return np.asarray(np.where(self.kind < DELETION, self.b_position - self.a_position, 0))

    @property
    def disagreements(self) -> Ints:
        return bincount(self.document[self.kind != MATCH], minlength=self.documents)

    def by_document(self) -> list[tuple[Edit, ...]]:
        """Return the edits of each document, stream by stream from left to right."""
        types: dict[int, str | None] = {NONE: None, **dict(enumerate(self.types))}
        columns = (self.kind, self.a_position, self.b_position, self.a_type, self.b_type, self.cost)
        streams = [None] * len(self) if self.stream is None else [self.streams[k] for k in self.stream.tolist()]
        edits = []
        for kind, a, b, a_type, b_type, cost, stream in zip(
            *(column.tolist() for column in columns), streams, strict=True
        ):
            positions = (None if a_type == NONE else a, None if b_type == NONE else b)
            edits.append(Edit(EDIT_KINDS[kind], *positions, types[a_type], types[b_type], cost, stream))
        ends = searchsorted(self.document, np.arange(self.documents + 1)).tolist()
        return [tuple(edits[start:end]) for start, end in pairwise(ends)]


def edit_columns(
    batch: Batch,
    column: str,
    partners: Ints,
    *,
    transposition_cost: Callable[[Any], float],
    substitution_cost: Callable[[int], float],
) -> EditColumns:
    """Return the edits of all items of a batch, from the partner in b of each boundary of a in a column of the table."""
    # A boundary without a partner costs 1.
    (a_place, a_code, _), (b_place, b_code, _) = sides = batch.sides(column)
    a_code = a_code if a_code.size else np.zeros_like(a_place)
    b_code = b_code if b_code.size else np.zeros_like(b_place)
    a_row, b_row = (side.owner for side in sides)
    paired = partners >= 0
    alone = np.ones(len(b_place), bool)
    alone[partners[paired]] = False
    missing = np.full(int(alone.sum()), NONE, np.int64)
    b_position, b_type = (np.full(len(partners), NONE, np.int64) for _ in range(2))
    b_position[paired], b_type[paired] = b_place[partners[paired]], b_code[partners[paired]]
    row = np.concatenate([a_row, b_row[alone]])
    a_position, b_position = np.concatenate([a_place, missing]), np.concatenate([b_position, b_place[alone]])
    a_type, b_type = np.concatenate([a_code, missing]), np.concatenate([b_type, b_code[alone]])
    kind = np.select(
        [b_type == NONE, a_type == NONE, a_position != b_position, a_type != b_type],
        [DELETION, INSERTION, TRANSPOSITION + SUBSTITUTION * (a_type != b_type), SUBSTITUTION],
        MATCH,
    )
    distance = np.abs(a_position - b_position)
    cost = np.select([kind == MATCH, kind >= DELETION], [0.0, 1.0])
    cost += _costs(kind == TRANSPOSITION, distance / batch.ticks if batch.seconds else distance, transposition_cost)
    cost += _costs(kind == SUBSTITUTION, np.abs(a_type - b_type), substitution_cost)
    # Sort the edits of a row by the leftmost boundary and the first type there. No two edits begin at the same boundary, so the
    # order is the same when the sides are swapped.
    types = len(batch.types)
    a, b = a_position * types + a_type, b_position * types + b_type
    leftmost = np.where(a_type == NONE, b, np.where(b_type == NONE, a, np.minimum(a, b)))
    order = lexsort((leftmost, row))
    row = row[order]
    stream: Ints | None = None
    streams: tuple[str | None, ...] = (None,)
    if batch.names is not None:
        numbers: dict[str | None, int] = {}
        stream = np.array([numbers.setdefault(name, len(numbers)) for name in batch.names], np.int64)[row]
        streams = tuple(numbers)
    if batch.seconds:
        a_position, b_position = (
            np.where(code == NONE, NONE, place / batch.ticks)
            for place, code in ((a_position, a_type), (b_position, b_type))
        )
    return EditColumns(
        document=batch.item[row],
        kind=kind[order],
        a_position=a_position[order],
        b_position=b_position[order],
        a_type=a_type[order],
        b_type=b_type[order],
        cost=cost[order],
        types=batch.types,
        documents=len(batch),
        stream=stream,
        streams=streams,
        seconds=batch.seconds,
    )


def _costs(chosen: Ints, distance: Any, cost_of: Callable[[Any], float]) -> Floats:
    """Return the cost of the chosen edits by their distance, and 0 for all others."""
    costs = np.zeros(len(distance))
    values, places = np.unique(distance[chosen], return_inverse=True)
    costs[chosen] = np.array([cost_of(value) for value in values.tolist()], np.float64)[places]
    return costs
