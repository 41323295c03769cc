"""Edits of one document as a list, or of many as columns of numbers, for pages and tables that need millions of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caesura.measures.batch import Batch
from caesura.model.index import bincount, lexsort, repeat, searchsorted
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
    # Positions of the boundaries on both sides, or ``NONE``.
    a_position: Ints
    b_position: Ints
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

    def __len__(self) -> int:
        return len(self.document)

    @property
    def position(self) -> Ints:
        """The leftmost position of each edit."""
        both = np.minimum(self.a_position, self.b_position)
        return np.where(both == NONE, np.maximum(self.a_position, self.b_position), both)

    @property
    def shift(self) -> Ints:
        """Distance from the boundary of a to that of b; 0 if only one side has it."""
        paired = (self.a_position != NONE) & (self.b_position != NONE)
        return np.where(paired, self.b_position - self.a_position, 0)

    @property
    def disagreements(self) -> Ints:
        return bincount(self.document[self.kind != MATCH], minlength=self.documents)

    def by_document(self) -> list[tuple[Edit, ...]]:
        """Return the edits of each document that is no dialogue, from left to right."""
        types: dict[int, str | None] = {NONE: None, **dict(enumerate(self.types))}
        columns = (self.kind, self.a_position, self.b_position, self.a_type, self.b_type, self.cost)
        edits = []
        for kind, a, b, a_type, b_type, cost in zip(*(column.tolist() for column in columns), strict=True):
            positions = (None if a == NONE else a, None if b == NONE else b)
            edits.append(Edit(EDIT_KINDS[kind], *positions, types[a_type], types[b_type], cost))
        ends = searchsorted(self.document, np.arange(self.documents + 1)).tolist()
        return [tuple(edits[start:end]) for start, end in pairwise(ends)]


def edit_columns(
    batch: Batch,
    partners: Ints,
    *,
    transposition_cost: Callable[[int], float],
    substitution_cost: Callable[[int], float],
) -> EditColumns:
    """Return the edits of all documents of a batch, as ``list_edits`` does for one."""
    a_code = batch.a_code if batch.a_code.size else np.zeros_like(batch.a_pos)
    b_code = batch.b_code if batch.b_code.size else np.zeros_like(batch.b_pos)
    documents = np.arange(len(batch))
    a_document, b_document = repeat(documents, batch.a_count), repeat(documents, batch.b_count)
    paired = partners >= 0
    alone = np.ones(len(batch.b_pos), bool)
    alone[partners[paired]] = False
    missing = np.full(int(alone.sum()), NONE, np.int64)
    b_position, b_type = (np.full(len(partners), NONE, np.int64) for _ in range(2))
    b_position[paired], b_type[paired] = batch.b_pos[partners[paired]], b_code[partners[paired]]
    document = np.concatenate([a_document, b_document[alone]])
    a_position, b_position = np.concatenate([batch.a_pos, missing]), np.concatenate([b_position, batch.b_pos[alone]])
    a_type, b_type = np.concatenate([a_code, missing]), np.concatenate([b_type, b_code[alone]])
    kind = np.select(
        [b_position == NONE, a_position == NONE, a_position != b_position, a_type != b_type],
        [DELETION, INSERTION, TRANSPOSITION, SUBSTITUTION],
        MATCH,
    )
    cost = np.select([kind == MATCH, kind >= DELETION], [0.0, 1.0])
    cost += _costs(kind == TRANSPOSITION, np.abs(a_position - b_position), transposition_cost)
    cost += _costs(kind == SUBSTITUTION, np.abs(a_type - b_type), substitution_cost)
    # Sort the edits of a document by the leftmost boundary and the first type there.
    a, b = a_position * len(batch.types) + a_type, b_position * len(batch.types) + b_type
    leftmost = np.where(a_position == NONE, b, np.where(b_position == NONE, a, np.minimum(a, b)))
    order = lexsort((leftmost, document))
    return EditColumns(
        document=document[order],
        kind=kind[order],
        a_position=a_position[order],
        b_position=b_position[order],
        a_type=a_type[order],
        b_type=b_type[order],
        cost=cost[order],
        types=batch.types,
        documents=len(batch),
    )


def _costs(chosen: Ints, distance: Ints, cost_of: Callable[[int], float]) -> Floats:
    """Return the cost of the chosen edits by their distance, and 0 for all others."""
    costs = np.zeros(len(distance))
    for value in np.unique(distance[chosen]).tolist():
        costs[chosen & (distance == value)] = cost_of(value)
    return costs


def list_edits(
    batch: Batch,
    partners: Ints,
    *,
    transposition_cost: Callable[[int], float],
    substitution_cost: Callable[[int], float],
) -> tuple[Edit, ...]:
    """Return the edits of a document, from left to right. A boundary without a partner costs 1."""
    types = batch.types
    a_pos, b_pos = batch.a_pos.tolist(), batch.b_pos.tolist()
    a_code = batch.a_code.tolist() or [0] * len(a_pos)
    b_code = batch.b_code.tolist() or [0] * len(b_pos)
    edits = []
    unpaired = set(range(len(b_pos)))
    for i, j in enumerate(partners.tolist()):
        position, code = a_pos[i], a_code[i]
        if j < 0:
            edits.append(((position, code), Edit("deletion", position, None, types[code], None, 1.0)))
            continue
        unpaired.discard(j)
        if b_pos[j] != position:
            kind, cost = "transposition", transposition_cost(abs(b_pos[j] - position))
        elif b_code[j] != code:
            kind, cost = "substitution", substitution_cost(abs(b_code[j] - code))
        else:
            kind, cost = "match", 0.0
        leftmost = min((position, code), (b_pos[j], b_code[j]))
        edits.append((leftmost, Edit(kind, position, b_pos[j], types[code], types[b_code[j]], cost)))
    for j in unpaired:
        edits.append(((b_pos[j], b_code[j]), Edit("insertion", None, b_pos[j], None, types[b_code[j]], 1.0)))
    # No two edits begin at the same boundary, so the order is the same when the sides are swapped.
    return tuple(edit for _, edit in sorted(edits, key=lambda entry: entry[0]))


def count_misses(batch: Batch, partners: Ints) -> tuple[Floats, Floats]:
    """Return the full misses and the near misses of each document: boundaries without a partner, and pairs at a distance."""
    paired = partners >= 0
    moved = paired.copy()
    moved[paired] = batch.a_pos[batch.a_off[0] : batch.a_off[-1]][paired] != batch.b_pos[partners[paired]]
    document = repeat(np.arange(len(batch)), batch.a_count)
    pairs, near = (bincount(document[chosen], minlength=len(batch)) for chosen in (paired, moved))
    return (batch.a_count + batch.b_count - 2 * pairs).astype(np.float64), near.astype(np.float64)
