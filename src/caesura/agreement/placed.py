"""How many boundaries each coder placed: who cuts finely, who coarsely."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.dialogue import streams_of
from caesura.model.segmentation import Segmentation

__all__ = ["Placed", "PlacedRow", "boundaries_placed"]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """What one coder placed, over all items of that coder."""

    coder: str
    items: int
    units: int
    boundaries: int
    """Inner positions with a boundary, whatever its types."""
    types: Mapping[str, int]
    """Boundaries of each type that occurs; a position with two types counts for both."""

    @property
    def per_item(self) -> float:
        """Boundaries per item, comparable between coders who coded different numbers of items."""
        return self.boundaries / self.items

    @property
    def per_unit(self) -> float:
        """Boundaries per inner position: the density, from 0 to 1."""
        positions = self.units - self.items
        return self.boundaries / positions if positions > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A row a coder. ``mean`` and ``deviation`` are of boundaries per item, over these coders as the population."""

    rows: tuple[PlacedRow, ...]

    @property
    def mean(self) -> float:
        """Mean over coders of boundaries per item."""
        return math.fsum(row.per_item for row in self.rows) / len(self.rows)

    @property
    def deviation(self) -> float:
        """Standard deviation over coders of boundaries per item."""
        mean = self.mean
        return math.sqrt(math.fsum((row.per_item - mean) ** 2 for row in self.rows) / len(self.rows))

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        names = ("coder", "items", "units", "boundaries", "per_item", "per_unit")
        rows = [{name: getattr(row, name) for name in names} | {"types": dict(row.types)} for row in self.rows]
        return {"coders": rows, "mean": self.mean, "deviation": self.deviation}


def boundaries_placed(corpus: Corpus) -> Placed:
    """Boundaries placed by each coder, with mean and deviation over coders.

    Only inner positions count: that a text ends is nobody's decision. The streams of a dialogue are taken as texts.

    >>> from caesura.data import stargazer
    >>> placed = boundaries_placed(stargazer())
    >>> [row.boundaries for row in placed.rows]
    [6, 5, 10, 9, 5, 6, 8]
    >>> placed.mean
    7.0
    """
    texts: dict[str, list[Segmentation]] = {coder: [] for coder in corpus.coders}
    items = dict.fromkeys(corpus.coders, 0)
    for item, coder in corpus:
        texts[coder] += streams_of(corpus[item, coder]).values()
        items[coder] += 1
    return Placed(tuple(_row(coder, items[coder], texts[coder]) for coder in corpus.coders))


def _row(coder: str, items: int, texts: list[Segmentation]) -> PlacedRow:
    types: dict[str, int] = {}
    for one in texts:
        for position, name in one.boundaries:
            if position < one.length:
                types[name] = types.get(name, 0) + 1
    return PlacedRow(
        coder,
        items,
        sum(one.length for one in texts),
        sum(one.inner.size for one in texts),
        dict(sorted(types.items())),
    )
