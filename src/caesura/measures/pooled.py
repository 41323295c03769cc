"""Batches of dialogues for measures of single texts: every stream is scored on its own, and the counts are added.

A stream is a document of the kernels. The counts of a dialogue are the sums over its streams, and the score is computed from
the sums, as for several documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.measures.batch import Batch, Comparison, Packed, rows_of
from caesura.measures.old_edit_columns import EditColumns
from caesura.measures.streams import stream_pairs, valid_results
from caesura.measures.sums import as_float, exact_sums, summarize
from caesura.model.index import flatnonzero, reduceat, repeat, searchsorted
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints

# Names of the streams of a document; None for a text that is no dialogue.
StreamNames = tuple[str | None, ...]


def has_streams(pairs: Sequence[Any]) -> bool:
    """Return whether a pair has a dialogue on either side."""
    return any(
        type(side) is not Segmentation and isinstance(side, Mapping)
        for pair in pairs
        if isinstance(pair, (tuple, list))
        for side in pair
    )


@dataclass(frozen=True, slots=True)
class PooledBatch(Batch):
    """A batch of documents that consist of one or several streams."""

    # The streams of all documents, each as one document.
    streams: Batch = None  # type: ignore[assignment]  # fields of the base class have defaults
    # Offsets: the first stream of each document, followed by the number of all streams.
    stream_off: Ints = None  # type: ignore[assignment]
    names: tuple[StreamNames, ...] = ()  # names of the streams of each document

    @classmethod
    def of(cls, streams: Batch, stream_off: Ints, names: tuple[StreamNames, ...]) -> PooledBatch:
        ends = np.concatenate([[0], np.cumsum(streams.length)])[stream_off]
        a = streams.a_pos, streams.a_code, streams.a_off[stream_off]
        b = streams.b_pos, streams.b_code, streams.b_off[stream_off]
        return cls(np.diff(ends), *a, *b, streams.types, streams, stream_off, names)

    def slice(self, start: int, stop: int) -> PooledBatch:
        """Return documents ``start`` to ``stop - 1`` without copying."""
        first, last = int(self.stream_off[start]), int(self.stream_off[stop])
        offsets = self.stream_off[start : stop + 1] - first
        return self.of(self.streams.slice(first, last), offsets, self.names[start:stop])

    def take(self, documents: Ints) -> PooledBatch:
        rows, offsets = rows_of(self.stream_off, documents)
        return self.of(self.streams.take(rows), offsets, tuple(self.names[d] for d in documents.tolist()))

    def named_streams(self) -> Iterator[tuple[str | None, Batch]]:
        for i, name in enumerate(self.names[0]):
            yield name, self.streams.take(np.array([i]))

    def document_errors(self, errors: Mapping[int, CaesuraError]) -> dict[int, CaesuraError]:
        found: dict[int, CaesuraError] = {}
        for place, error in sorted(errors.items()):
            document = int(searchsorted(self.stream_off, place, side="right")) - 1
            name = self.names[document][place - int(self.stream_off[document])]
            found.setdefault(document, _named(error, name))
        return found

    def pool_counts(self, counts: Floats) -> Floats:
        """Return the sum of the counts of the streams of each document."""
        starts = self.stream_off[:-1]
        if not len(starts) or (counts == np.floor(counts)).all():
            return reduceat(np.add, counts, starts, axis=0) if len(starts) else counts[:0]
        rows = [exact_sums(np.ascontiguousarray(counts[start:end])) for start, end in self._ranges()]
        return np.array([[as_float(units) for units in row] for row in rows])

    def pool_resolved(self, column: NDArray[Any], words: NDArray[np.str_] | None) -> NDArray[np.str_]:
        """Return an option that was resolved per stream as one text per document, such as ``2..5``."""
        values = column if words is None else words[column]
        texts = [values[start:end] for start, end in self._ranges()]
        if words is None:
            return np.array([f"{part.min()}..{part.max()}" for part in texts], np.str_)
        return np.array([summarize(part) for part in texts], np.str_)

    def pool_edits(self, columns: EditColumns) -> EditColumns:
        numbers: dict[str | None, int] = {}
        codes = [numbers.setdefault(name, len(numbers)) for names in self.names for name in names]
        document = repeat(np.arange(len(self)), np.diff(self.stream_off))
        return replace(
            columns,
            document=document[columns.document],
            documents=len(self),
            stream=np.array(codes, np.int64)[columns.document],
            streams=tuple(numbers),
        )

    def _ranges(self) -> Iterator[tuple[int, int]]:
        return zip(self.stream_off[:-1].tolist(), self.stream_off[1:].tolist(), strict=True)


def pack_dialogues(
    pairs: Sequence[Comparison], sides: tuple[str, str], pack_streams: Callable[[Sequence[Any]], Packed[Any]]
) -> Packed[Batch]:
    errors: dict[int, CaesuraError] = {}
    texts = valid_results(lambda pair: stream_pairs(pair, sides, tiers=True), dict(enumerate(pairs)), errors)
    document = repeat(list(texts), [len(text) for text in texts.values()]).astype(np.int64)
    flat = [entry for text in texts.values() for entry in text]
    streams, packed, stream_errors = pack_streams([(a, b) for _, a, b in flat])
    for place, error in sorted(stream_errors.items()):
        errors.setdefault(int(document[place]), _named(error, flat[place][0]))
    if stream_errors:  # the other streams of these dialogues are left out as well
        rest = ~np.isin(document[packed], list(errors))
        streams, packed = streams.take(flatnonzero(rest)), packed[rest]
    places, counts = np.unique(document[packed], return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    names = tuple(tuple(name for name, _, _ in texts[place]) for place in places.tolist())
    return PooledBatch.of(streams, offsets, names), places, errors


def _named(error: CaesuraError, stream: str | None) -> CaesuraError:
    return error if stream is None else type(error)(f"stream {stream!r}: {error}")
