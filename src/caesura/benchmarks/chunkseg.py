"""chunkseg: segmentation of recordings, over chunks of six seconds or, for its collar F1, in seconds."""

from __future__ import annotations

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.measures.recipes import Recipe, register
from caesura.measures.window import SEGEVAL
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries, Table, distinct, offsets
from caesura.model.index import bincount, flatnonzero
from caesura.model.value import Ints

SECONDS = 6
_MERGED = "boundaries within a chunk of 6 s are one"
_FIRST = f"{_MERGED}, and the first chunk can have one"


def in_chunks(batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
    """Return recordings as texts whose units are chunks, and one unit more, so that the last chunk can be marked."""
    if not batch.seconds:
        problem = (
            f"chunkseg divides seconds into chunks of {SECONDS} s, but the texts have units; remove compat=chunkseg"
        )
        return batch, dict.fromkeys(range(batch.pairs), OptionError(problem))
    chunks = batch.length // (SECONDS * batch.ticks)
    short: dict[int, CaesuraError] = {
        row: MismatchError(f"a recording of {batch.length[row] / batch.ticks:.10g} s has no chunk of {SECONDS} s")
        for row in flatnonzero(chunks == 0).tolist()
    }
    sides = [_marked_chunks(side, batch, chunks) for side in batch.sides("end_places")]
    table = Table.of_texts(np.concatenate([chunks + 1, chunks + 1]), np.concatenate([side.count for side in sides]))
    off = offsets(table.size)
    table.places = Boundaries(np.concatenate([side.place for side in sides]), EMPTY, off)
    rows = np.arange(batch.pairs)
    return batch.on(table, rows, rows + batch.pairs), short


def _marked_chunks(side: Boundaries, batch: Batch, chunks: Ints) -> Boundaries:
    """Return the positions after the chunks in which a boundary lies."""
    # A boundary at the beginning is in no chunk, one at the end in the last chunk. The rest after the last chunk is ignored.
    owner, size = side.owner, SECONDS * batch.ticks
    times = side.place - batch.begin[owner]
    inside = (times > 0) & (times <= chunks[owner] * size)
    owner, times = owner[inside], times[inside]
    position = np.minimum(times // size + 1, chunks[owner])
    return distinct(Boundaries(position, EMPTY, offsets(bincount(owner, minlength=batch.pairs))))


register(
    Recipe(
        name="chunkseg",
        title="chunkseg, over chunks of 6 s",
        measures={
            "pk": {"average": "items"},
            "window_diff": {"average": "items"},
            "boundary_similarity": {"alignment": "greedy", "average": "items"},
            "generalized_hamming": {"average": "items"},
            "boundary_f": {"empty": "zero", "average": "items_pr"},
        },
        rules={"windows": SEGEVAL},
        mistakes={
            "pk": _FIRST,
            "window_diff": _FIRST,
            "boundary_similarity": _FIRST,
            "generalized_hamming": f"{_MERGED}; a distance is in chunks",
            "boundary_f": f"{_FIRST}; F is 0 if neither side has boundaries",
        },
        conversion="units are chunks of 6 s, marked if a boundary lies in them",
        prepare=in_chunks,
        kept_in_plain=("boundary_f", "boundary_similarity"),  # their tolerance and n_t are chunks
        seconds=True,
    )
)
register(
    Recipe(
        name="chunkseg-collar",
        title="chunkseg, F1 within a collar of 3 s",
        measures={"boundary_f": {"tolerance": "3s", "matching": "nearest", "average": "items"}},
        mistakes={"boundary_f": "the closest pair first can lose a pair"},
    )
)
