"""Compare many annotations with each other without an object per pair: pack every annotation once, and pair the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from caesura.measures.base import Measure
from caesura.measures.batch import EMPTY, Batch, PackedSides, entries_at, rows_of
from caesura.measures.edges import EdgeBatch
from caesura.measures.many import Scores, score_many, score_packed
from caesura.measures.pooled import PooledBatch
from caesura.measures.streams import StreamBatch
from caesura.model.value import Ints


class Positions(NamedTuple):
    """Boundaries of many texts: those of text t are ``positions[off[t]:off[t + 1]]``."""

    positions: Ints
    codes: Ints
    off: Ints


@dataclass(frozen=True, eq=False)
class CrossedSides:
    """Annotations of both sides, each packed once."""

    batch: Batch  # documents whose sides contain every annotation
    # Document whose side a (b) contains the annotation; -1 for an annotation that is not used on that
    # side.
    first_of: Ints
    second_of: Ints
    # The sides as they were packed, from which pairs are made without a copy of their boundaries; None if types matter.
    packed: PackedSides | None = None

    def boundaries(self, first: Ints, second: Ints) -> int:
        """Return the number of boundaries of all pairs, which ``pairs`` copies."""
        return int(self.batch.a_count[self.first_of[first]].sum() + self.batch.b_count[self.second_of[second]].sum())

    def pairs(self, first: Ints, second: Ints) -> Batch:
        batch, first, second = self.batch, self.first_of[first], self.second_of[second]
        if self.packed is None:
            return cross(batch, first, Positions(batch.b_pos, batch.b_code, batch.b_off), second)
        a, b = (
            np.array(side, object)[documents].tolist()
            for side, documents in zip(self.packed, (first, second), strict=True)
        )
        a_off, b_off = (np.insert(np.cumsum(count), 0, 0) for count in (batch.a_count[first], batch.b_count[second]))
        return Batch.from_packed((a, b), batch.length[first], a_off, b_off)

    def pairs_with(self, first: Ints, texts: Positions, second: Ints) -> Batch:
        return cross(self.batch, self.first_of[first], texts, second)


def cross(batch: Batch, first: Ints, texts: Positions, second: Ints) -> Batch:
    """Return documents with the first side of some documents and other second sides."""
    fields = {name: entries_at(getattr(batch, name), first) for name in ("length", *batch.document_fields)}
    a_pos, a_code, a_off = _take_texts(Positions(batch.a_pos, batch.a_code, batch.a_off), first)
    b_pos, b_code, b_off = _take_texts(texts, second)
    return replace(batch, a_pos=a_pos, a_code=a_code, a_off=a_off, b_pos=b_pos, b_code=b_code, b_off=b_off, **fields)


def _take_texts(texts: Positions, numbers: Ints) -> Positions:
    rows, off = rows_of(texts.off, numbers)
    return Positions(texts.positions[rows], texts.codes[rows] if texts.codes.size else EMPTY, off)


def pack_sides(measure: Measure, annotations: Sequence[Any], first: Ints, second: Ints) -> CrossedSides | None:
    """Pack the annotations of many pairs, each annotation once per side."""
    if not measure.packs_sides_separately or not len(first):
        return None
    places = [np.unique(side, return_index=True) for side in (first, second)]
    chosen = np.concatenate([index for _, index in places])
    pairs = [(annotations[a], annotations[b]) for a, b in zip(first[chosen], second[chosen], strict=True)]
    batch, _, errors = measure.to_batch(pairs)
    if errors or isinstance(batch, (PooledBatch, EdgeBatch)):
        return None
    documents = []
    start = 0
    for numbers, _ in places:
        document_of = np.full(len(annotations), -1, np.int64)
        document_of[numbers] = np.arange(start, start + len(numbers))
        documents.append(document_of)
        start += len(numbers)
    if isinstance(batch, StreamBatch) and not _have_same_streams(batch, documents[0][first], documents[1][second]):
        return None
    return CrossedSides(batch, documents[0], documents[1], batch.packed)


def _have_same_streams(batch: StreamBatch, first: Ints, second: Ints) -> bool:
    """Return whether both sides of all pairs have their streams in the same order."""
    numbers: dict[tuple[str | None, ...], int] = {}
    order = np.array([numbers.setdefault(layout.names, len(numbers)) for layout in batch.streams])
    return bool((order[first] == order[second]).all())


def score_crossed(measure: Measure, annotations: Sequence[Any], first: Ints, second: Ints) -> Scores:
    """Score pairs of annotations that are packed once, if the measure allows it."""
    sides = pack_sides(measure, annotations, first, second)
    if sides is None:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return score_many([(annotations[a], annotations[b]) for a, b in pairs], measure)
    return score_packed(measure, measure.pack_crossed(sides.pairs(first, second)), len(first))
