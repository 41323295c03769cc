"""From a pairing of boundaries to a readable list of edits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from caesura.measures.batch import Batch
from caesura.model.score import Edit


def edits_of(
    batch: Batch,
    mate: NDArray[np.int64],
    *,
    alone: float,
    moved: Callable[[int], float],
    changed: Callable[[int], float],
) -> tuple[Edit, ...]:
    """The edits of the one document in the batch, from left to right.

    ``mate[i]`` is the index of the boundary of b that goes with boundary i of a, or -1. ``alone``, ``moved(d)`` and
    ``changed(x)`` are the costs of an unpaired boundary, a transposition over d and a substitution over x.
    """
    types = batch.types
    a_pos, b_pos = batch.a_pos.tolist(), batch.b_pos.tolist()
    a_code = batch.a_code.tolist() or [0] * len(a_pos)
    b_code = batch.b_code.tolist() or [0] * len(b_pos)
    edits = []
    single = set(range(len(b_pos)))
    for i, j in enumerate(mate.tolist()):
        position, code = a_pos[i], a_code[i]
        if j < 0:
            edits.append(((position, code), Edit("deletion", position, None, types[code], None, alone)))
            continue
        single.discard(j)
        if b_pos[j] != position:
            kind, cost = "transposition", moved(abs(b_pos[j] - position))
        elif b_code[j] != code:
            kind, cost = "substitution", changed(abs(b_code[j] - code))
        else:
            kind, cost = "match", 0.0
        leftmost = min((position, code), (b_pos[j], b_code[j]))
        edits.append((leftmost, Edit(kind, position, b_pos[j], types[code], types[b_code[j]], cost)))
    for j in single:
        edits.append(((b_pos[j], b_code[j]), Edit("insertion", None, b_pos[j], None, types[b_code[j]], alone)))
    # No two edits begin at the same boundary, so the order is the same with the sides swapped.
    return tuple(edit for _, edit in sorted(edits, key=lambda entry: entry[0]))
