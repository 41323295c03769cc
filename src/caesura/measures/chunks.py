"""Chunks of a recording as units, for the measure that has not moved to the table of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.measures.batch import EMPTY, Batch, Packed
from caesura.measures.edges import EdgeBatch
from caesura.measures.pooled import PooledBatch
from caesura.model.edges import SAME_PLACE
from caesura.model.index import bincount, flatnonzero, repeat
from caesura.model.value import Floats, Ints
from caesura.options import Option, optional, positive

# Option for chunks of equal length.
CHUNK = Option(
    "chunk",
    None,
    optional(positive),
    "length of chunks in seconds: a chunk with boundaries is one mark, and chunks are units; exists for presets only",
    omitted_at_default=True,
)


def in_chunks(packed: Packed[Batch], seconds: float) -> Packed[Batch]:
    """Return documents whose units are chunks of the recording, and one unit more."""
    # A chunk is marked if a boundary after 0 lies in it; a boundary at the end belongs to the last chunk. The rest of the
    # recording after the last whole chunk is ignored.
    batch, places, errors = packed
    streams = batch.streams if isinstance(batch, PooledBatch) else batch
    if not isinstance(streams, EdgeBatch) or not streams.timed:
        problem = (
            f"chunk={seconds:g} divides seconds, but the texts have units; remove chunk or the preset that sets it"
        )
        return _without(batch, places, errors, dict.fromkeys(range(len(batch)), OptionError(problem)))
    length = streams.end - streams.begin
    short: dict[int, CaesuraError] = {
        int(d): MismatchError(f"a recording of {length[d]:.10g} s has no chunk of {seconds:g} s")
        for d in flatnonzero(length + SAME_PLACE < seconds)
    }
    if isinstance(batch, PooledBatch):
        batch, places, errors = _without(batch, places, errors, batch.document_errors(short))
        pooled = PooledBatch.of(_marked(batch.streams, seconds), batch.stream_off, batch.names)  # type: ignore[attr-defined]
        return pooled, places, errors
    batch, places, errors = _without(batch, places, errors, short)
    return _marked(batch, seconds), places, errors


def _without(
    batch: Batch, places: Ints, errors: dict[int, CaesuraError], problems: dict[int, CaesuraError]
) -> Packed[Batch]:
    batch, places, excluded = batch.drop(problems, places)
    return batch, places, errors | excluded


def _marked(batch: Batch, seconds: float) -> Batch:
    assert isinstance(batch, EdgeBatch)
    chunks = np.floor((batch.end - batch.begin) / seconds + SAME_PLACE).astype(np.int64)
    a_pos, a_off = _marks(batch.a_pos, batch.a_off, batch.begin, chunks, seconds)
    b_pos, b_off = _marks(batch.b_pos, batch.b_off, batch.begin, chunks, seconds)
    return Batch(chunks + 1, a_pos, EMPTY, a_off, b_pos, EMPTY, b_off)


def _marks(pos: NDArray[np.number], off: Ints, begin: Floats, chunks: Ints, seconds: float) -> tuple[Ints, Ints]:
    """Return the positions after the marked chunks of one side, and their offsets."""
    document = repeat(np.arange(len(off) - 1), np.diff(off))
    times = pos[off[0] : off[-1]] - begin[document]
    kept = (times > 0) & (times <= seconds * chunks[document])
    document, times = document[kept], times[kept]
    chunk = np.minimum(np.floor(times / seconds).astype(np.int64), chunks[document] - 1)
    distinct = np.ones(len(chunk), bool)
    distinct[1:] = (np.diff(chunk) != 0) | (np.diff(document) != 0)
    counts = bincount(document[distinct], minlength=len(off) - 1)
    return chunk[distinct] + 1, np.concatenate([[0], np.cumsum(counts)])
