"""From pairs of trees to one batch, many sentences at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.batch import EMPTY, Batch, Comparison
from caesura.model.tree import Tree

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TreeBatch(Batch):
    """A batch of pairs of trees. What ``Batch`` counts as boundaries are nodes, and its length is in words."""

    pairs: tuple[tuple[Tree, Tree], ...] = field(kw_only=True)

    @classmethod
    def of(cls, pairs: Sequence[tuple[Tree, Tree]]) -> TreeBatch:
        """From trees that can be compared."""
        off = [np.concatenate([[0], np.cumsum([len(pair[side]) for pair in pairs], dtype=np.int64)]) for side in (0, 1)]
        length = np.array([one.length for one, _ in pairs], np.int64)
        return cls(length, EMPTY, EMPTY, off[0], EMPTY, EMPTY, off[1], pairs=tuple(pairs))

    def slice(self, start: int, stop: int) -> TreeBatch:
        """Sentences start .. stop-1."""
        return TreeBatch.of(self.pairs[start:stop])

    def take(self, documents: Ints) -> TreeBatch:
        """Only these sentences."""
        return TreeBatch.of([self.pairs[d] for d in documents.tolist()])


def pack_trees(pairs: Sequence[Comparison], sides: tuple[str, str]) -> tuple[TreeBatch, Ints, dict[int, CaesuraError]]:
    """The batch of all pairs that can be compared, their places in ``pairs``, and what is wrong with the others."""
    errors: dict[int, CaesuraError] = {}
    sound: list[int] = []
    chosen: list[tuple[Tree, Tree]] = []
    for i, pair in enumerate(pairs):
        problem = pair_problem(pair, sides)
        if problem is None:
            sound.append(i)
            chosen.append(pair)  # type: ignore[arg-type]
        else:
            errors[i] = MismatchError(problem)
    return TreeBatch.of(chosen), np.array(sound, np.int64), errors


def pair_problem(pair: Any, sides: tuple[str, str]) -> str | None:
    """Why the two cannot be compared, or None."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        return f"a pair of trees is needed; got {type(pair).__name__}"
    for side, one in zip(sides, (a, b), strict=True):
        if one is None:
            return f"{side}: there is no tree"
        if not isinstance(one, Tree):
            return f"{side}: a Tree is needed; got {type(one).__name__}"
    return None
