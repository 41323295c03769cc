"""Count the boundaries that each coder placed and the coders who marked each position."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from caesura.agreement.coder_pairs import check_corpus
from caesura.errors import MismatchError, OptionError
from caesura.memory import check_memory
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.index import bincount
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans


@dataclass(frozen=True, slots=True)
class PlacedRow(Result):
    """Number of boundaries of one coder, over all items that the coder annotated."""

    json_properties = ("per_item", "per_unit")

    coder: str
    items: int
    units: int
    positions: int  # number of positions between two units of a text or stream
    boundaries: int  # number of inner positions with a boundary of any type
    types: Mapping[str, int]  # Type -> number of its boundaries. A position with two types counts for both.

    @property
    def per_item(self) -> float:
        """Boundaries per item; comparable between coders who annotated different numbers of items."""
        return self.boundaries / self.items

    @property
    def per_unit(self) -> float:
        """Boundaries per inner position: the density, from 0 to 1."""
        return self.boundaries / self.positions if self.positions else 0.0


@dataclass(frozen=True, slots=True)
class Placed(Result):
    """Boundaries per coder, with mean and population standard deviation of boundaries per item over the coders.

    Attributes
    ----------
    rows : tuple of PlacedRow
        One row per coder.
    excluded : tuple of Excluded
        Always empty: no item is excluded.
    noun : str
        What was counted: boundaries or spans.
    """

    json_properties = ("mean", "deviation")
    frame_field = "rows"

    rows: tuple[PlacedRow, ...]
    excluded: tuple[Excluded, ...] = ()
    noun: str = field(default="boundaries", metadata=HIDDEN)

    @property
    def mean(self) -> float:
        """Mean over coders of boundaries per item; NaN if there are no coders."""
        return _mean([row.per_item for row in self.rows])

    @property
    def deviation(self) -> float:
        """Standard deviation over coders of boundaries per item."""
        mean = self.mean
        return math.sqrt(_mean([(row.per_item - mean) ** 2 for row in self.rows]))

    @property
    def mean_density(self) -> float:
        """Mean over coders of boundaries per inner position."""
        return _mean([row.per_unit for row in self.rows])

    @property
    def density_deviation(self) -> float:
        """Standard deviation over coders of boundaries per inner position."""
        return statistics.pstdev(row.per_unit for row in self.rows) if self.rows else math.nan


def _mean(values: list[float]) -> float:
    return statistics.fmean(values) if values else math.nan


@dataclass(frozen=True, slots=True)
class Heat(Result):
    """Number of coders who put a boundary, of any type, at each inner position of a text or stream.

    Attributes
    ----------
    item : str
        Name of the item.
    stream : str or None
        Name of the stream; None for a text without streams.
    coders : int
        Number of coders of the item.
    counts : tuple of int
        Number of coders who marked each inner position.
    excluded : tuple of Excluded
        Always empty: no item is excluded.
    """

    item: str
    stream: str | None
    coders: int
    counts: tuple[int, ...]
    excluded: tuple[Excluded, ...] = ()


def boundaries_placed(corpus: Corpus) -> Placed:
    """Count the boundaries of each coder.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues or tiers in seconds. Each stream of a dialogue counts as a text. Tiers have no units and
        positions.

    Returns
    -------
    Placed
        One row per coder, with mean and deviation over coders. The end of a text does not count, because
        no coder decides it.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> placed = boundaries_placed(stargazer())
    >>> [row.boundaries for row in placed.rows]
    [6, 5, 10, 9, 5, 6, 8]
    >>> placed.mean
    7.0
    """
    check_corpus(corpus)
    if not corpus.coders:
        raise OptionError("expected at least one coder; got none")
    return Placed(tuple(_row(coder, annotations) for coder, annotations in corpus.by_coder().items()))


def _row(coder: str, annotations: Mapping[str, Annotation]) -> PlacedRow:
    tiers = [tier for annotation in annotations.values() for tier in tiers_of(annotation).values()]
    with_units = [annotation for annotation in annotations.values() if not tiers_of(annotation)]
    segmentations = [stream for annotation in with_units for stream in texts_of(annotation).values()]
    types = Counter(
        name
        for segmentation in segmentations
        for position, name in segmentation.boundaries
        if position < segmentation.length
    )
    units = sum(segmentation.length for segmentation in segmentations)
    return PlacedRow(
        coder,
        len(annotations),
        units,
        units - len(segmentations),
        sum(segmentation.inner.size for segmentation in segmentations) + sum(tier.edges.inner.size for tier in tiers),
        dict(sorted(types.items())),
    )


def boundary_heat(corpus: Corpus) -> tuple[Heat, ...]:
    """Count the coders who marked each position: the heat map of Figure 11 of Fournier & Inkpen (2012).

    Parameters
    ----------
    corpus : Corpus
        Segmentations or dialogues.

    Returns
    -------
    tuple of Heat
        One entry per item, or per stream of an item.

    Raises
    ------
    MismatchError
        If the text or the streams of a coder differ in length from those of the item's first coder.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> (heat,) = boundary_heat(stargazer())
    >>> heat.coders, heat.counts
    (7, (0, 6, 3, 0, 5, 0, 2, 3, 6, 1, 1, 6, 4, 0, 0, 3, 2, 5, 0, 2))
    """
    check_corpus(corpus)
    return tuple(heat for item in corpus.item_names for heat in _item_heat(item, corpus.of_item(item)))


def _item_heat(item: str, by_coder: Mapping[str, Annotation]) -> list[Heat]:
    streams = {coder: texts_of(annotation) for coder, annotation in by_coder.items()}
    first: Mapping[str, Segmentation] = next(iter(streams.values()), {})
    for coder, texts in streams.items():
        if {name: text.length for name, text in texts.items()} != {name: text.length for name, text in first.items()}:
            raise MismatchError(f"item {item!r}, coder {coder!r}: all coders must segment the same text")
    return [
        Heat(item, name or None, len(by_coder), marks_per_position([texts[name] for texts in streams.values()]))
        for name in first
    ]


def marks_per_position(segmentations: Sequence[Segmentation]) -> tuple[int, ...]:
    length = segmentations[0].length
    check_memory(f"the marks at each position of a text of {length:,} units", 40 * length, "use shorter texts")
    marks = np.concatenate([segmentation.inner for segmentation in segmentations])
    return tuple(bincount(marks, minlength=length)[1:].tolist())


def spans_placed(corpus: Corpus) -> Placed:
    rows = []
    for coder, by_item in corpus.by_coder().items():
        entries = [annotation for annotation in by_item.values() if isinstance(annotation, Spans)]
        if entries:
            length = round(sum(spans.length for spans in entries))
            categories = Counter(name or "" for spans in entries for name in spans.categories)
            number = sum(map(len, entries))
            rows.append(PlacedRow(coder, len(entries), length, length, number, dict(categories)))
    return Placed(tuple(rows), noun="spans")
