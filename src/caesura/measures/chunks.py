"""Other units than those of the annotation, for presets: chunks of a recording, and a unit after the last one.

chunkseg counts marks of chunks of equal length (the option ``chunk``). SuperDialseg has a mark after every utterance, also
after the last one (the option ``last_position``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.measures.batch import EMPTY, Batch, Packed
from caesura.measures.edges import EdgeBatch
from caesura.measures.pooled import PooledBatch
from caesura.model.edges import SAME_PLACE
from caesura.model.index import bincount, flatnonzero, repeat
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import Option, flag, optional, positive

# Option for chunks of equal length.
CHUNK = Option(
    "chunk",
    None,
    optional(positive),
    "length of chunks in seconds: a chunk with boundaries is one mark, and chunks are units; exists for presets only",
    omitted_at_default=True,
)
# Option for the position after the last unit.
LAST_POSITION = Option(
    "last_position",
    False,
    flag,
    "whether the position after the last unit counts as an inner position; exists for presets only",
    omitted_at_default=True,
)
# Option for texts that begin with an empty unit.
FIRST_TOKEN = Option(
    "first_token",
    False,
    flag,
    "whether the texts must begin with an empty unit, so that the first token counts; exists for presets only",
    omitted_at_default=True,
)


def without_first_token(pairs: Sequence[Any]) -> dict[int, CaesuraError]:
    """Return an error for each pair of texts that do not begin with an empty unit."""
    problem = (
        "the preset counts the first token, but the texts do not begin with an empty unit; read both files with "
        "--reading first=yes"
    )
    return {
        place: MismatchError(problem)
        for place, pair in enumerate(pairs)
        if isinstance(pair, (tuple, list))
        and any(isinstance(text, Segmentation) and (text.units or (None,))[0] != "" for text in pair)
    }


def without_empty_unit(pairs: Sequence[Any]) -> list[Any]:
    """Return pairs of texts without the empty unit at their beginning, so that the first token does not count."""
    return [tuple(map(_without_first_unit, pair)) for pair in pairs]


def _without_first_unit(text: Any) -> Any:
    if not isinstance(text, Segmentation) or text.length == 1 or (text.units or (None,))[0] != "":
        return text
    return Segmentation.from_positions(text.length - 1, text.inner[text.inner > 1] - 1, units=(text.units or ())[1:])


def with_last_position(pairs: Sequence[Any]) -> list[Any]:
    """Return pairs of texts with an empty unit after the end, so that position N is an inner position."""
    return [tuple(map(_longer, pair)) if isinstance(pair, (tuple, list)) else pair for pair in pairs]


def _longer(text: Any) -> Any:
    if isinstance(text, Segmentation):
        return Segmentation.from_positions(text.length + 1, np.unique(text.positions).tolist())
    return {name: _longer(stream) for name, stream in text.items()} if isinstance(text, Mapping) else text


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
