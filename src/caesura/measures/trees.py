"""Batches of pairs of trees, many sentences at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.measures.batch import EMPTY, Batch, Comparison, Packed, offsets_of, select_valid
from caesura.model.tree import Tree

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TreeBatch(Batch):
    """A batch of pairs of trees. The offsets of ``Batch`` count nodes, and its length counts words.

    Attributes
    ----------
    pairs : tuple of pairs
        The trees.
    """

    pairs: tuple[tuple[Tree, Tree], ...] = field(kw_only=True)
    document_fields: ClassVar[tuple[str, ...]] = ("pairs",)

    @classmethod
    def of(cls, pairs: Sequence[tuple[Tree, Tree]]) -> TreeBatch:
        """Return the batch of pairs that can be compared.

        Parameters
        ----------
        pairs : sequence of pairs
            Pairs of trees.

        Returns
        -------
        TreeBatch
            The batch.
        """
        a_off, b_off = (offsets_of([pair[side] for pair in pairs]) for side in (0, 1))
        length = np.array([gold.length for gold, _ in pairs], np.int64)
        return cls(length, EMPTY, EMPTY, a_off, EMPTY, EMPTY, b_off, pairs=tuple(pairs))

    def slice(self, start: int, stop: int) -> Self:
        return self.take(np.arange(start, stop))


def pack_trees(pairs: Sequence[Comparison], sides: tuple[str, str]) -> Packed[TreeBatch]:
    """Return the batch of the pairs that can be compared, their places in ``pairs``, and errors by place.

    Parameters
    ----------
    pairs : sequence of pairs
        Pairs of trees.
    sides : tuple of str
        Names of the two sides, for messages.

    Returns
    -------
    tuple
        Batch, places and errors.
    """
    errors: dict[int, CaesuraError] = {}
    places = select_valid(pairs, range(len(pairs)), lambda pair: _pair_problem(pair, sides), errors)
    chosen: Any = [pairs[place] for place in places]
    return TreeBatch.of(chosen), np.array(places, np.int64), errors


def _pair_problem(pair: Any, sides: tuple[str, str]) -> str | None:
    """Return why two trees cannot be compared, or None."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        return f"expected a pair of trees; got {type(pair).__name__}"
    for side, tree in zip(sides, (a, b), strict=True):
        if tree is None:
            return f"{side}: there is no tree"
        if not isinstance(tree, Tree):
            return f"{side}: expected a Tree; got {type(tree).__name__}"
    return None
