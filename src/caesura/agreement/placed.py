"""How many boundaries each coder placed, who cuts finely and who coarsely; and how many coders placed each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MismatchError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import streams_of
from caesura.model.segmentation import Segmentation

__all__ = ["Heat", "Placed", "PlacedRow", "boundaries_placed", "boundary_heat"]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """What one coder placed, over all items of that coder."""

    coder: str
    items: int
    units: int
    positions: int
    """Places between two units of a text, or of a stream."""
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
        return self.boundaries / self.positions if self.positions else 0.0


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

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        names = ("coder", "items", "units", "positions", "boundaries", "per_item", "per_unit")
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
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: a Corpus is needed; got {type(corpus).__name__}")
    if not corpus.coders:
        raise OptionError("at least one coder is needed; got none")
    texts: dict[str, list[Segmentation]] = {coder: [] for coder in corpus.coders}
    items = dict.fromkeys(corpus.coders, 0)
    for item, coder in corpus:
        texts[coder] += streams_of(corpus[item, coder]).values()
        items[coder] += 1
    return Placed(tuple(_row(coder, items[coder], texts[coder]) for coder in corpus.coders))


@dataclass(frozen=True, slots=True)
class Heat:
    """How many coders put a boundary, of any type, at each inner position of a text or stream."""

    item: str
    stream: str | None
    coders: int
    counts: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        stream = {} if self.stream is None else {"stream": self.stream}
        return {"item": self.item} | stream | {"coders": self.coders, "counts": list(self.counts)}


def boundary_heat(corpus: Corpus) -> tuple[Heat, ...]:
    """How many coders marked each position, item by item: where the text itself falls apart.

    The heat map of Figure 11 of Fournier & Inkpen (2012). Coders whose text or streams have another length than those of
    the item's first coder are an error.

    >>> from caesura.data import stargazer
    >>> (found,) = boundary_heat(stargazer())
    >>> found.coders, found.counts
    (7, (0, 6, 3, 0, 5, 0, 2, 3, 6, 1, 1, 6, 4, 0, 0, 3, 2, 5, 0, 2))
    """
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: a Corpus is needed; got {type(corpus).__name__}")
    found = []
    for item in corpus.item_names:
        counts: dict[str | None, NDArray[np.int64]] = {}
        by_coder = corpus.of_item(item)
        for coder, given in by_coder.items():
            streams = {stream or None: one for stream, one in streams_of(given).items()}
            positions = {stream: one.length - 1 for stream, one in streams.items()}
            counts = counts or {stream: np.zeros(n, np.int64) for stream, n in positions.items()}
            if positions != {stream: n.size for stream, n in counts.items()}:
                raise MismatchError(f"item {item!r}, coder {coder!r}: all coders must segment the same text")
            for stream, one in streams.items():
                counts[stream][one.inner - 1] += 1
        found += [Heat(item, stream, len(by_coder), tuple(n.tolist())) for stream, n in counts.items()]
    return tuple(found)


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
        sum(one.length - 1 for one in texts),
        sum(one.inner.size for one in texts),
        dict(sorted(types.items())),
    )
