"""List the edits of one document, or count the misses of many, from the partners of their boundaries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caesura.measures.batch import Batch
from caesura.model.result import Edit
from caesura.model.value import Floats, Ints


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
    document = np.repeat(np.arange(len(batch)), batch.a_count)
    pairs, near = (np.bincount(document[chosen], minlength=len(batch)) for chosen in (paired, moved))
    return (batch.a_count + batch.b_count - 2 * pairs).astype(np.float64), near.astype(np.float64)
