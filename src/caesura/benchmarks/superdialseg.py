"""SuperDialseg: dialogue segmentation, with the tables of SuperDialseg, DialSeg711 and TIAGE.

Jiang, J., Dong, C., Kurohashi, S., & Aizawa, A. (2023). SuperDialseg: A large-scale dataset for supervised dialogue
segmentation. EMNLP.
"""

from __future__ import annotations

import numpy as np

from caesura.errors import CaesuraError
from caesura.kernels.window import POSITIONS
from caesura.measures.recipes import Recipe, register
from caesura.model.batch import Batch
from caesura.model.columns import Table
from caesura.model.segmentation import Segmentation

_OF_WINDOWS = "the position after the last utterance counts, but not for k; all dialogues have the same weight"


def with_last_position(batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
    """Return the texts with one unit more: there is a mark after every utterance, also after the last one."""
    if batch.seconds:
        return batch, {}
    texts, (place, _, off) = list(batch.table.annotations), batch.table.places
    for row in np.unique(np.concatenate([batch.first, batch.second])).tolist():
        inner = place[off[row] : off[row + 1]]  # all that a level of a hierarchy has
        positions = np.unique(getattr(texts[row], "positions", inner))
        texts[row] = Segmentation.from_positions(int(batch.table.end[row]) + 1, positions)
    return batch.on(Table.of(texts)), {}


register(
    Recipe(
        name="superdialseg",
        title="SuperDialseg (Jiang et al. 2023)",
        measures={
            "pk": {"average": "items"},
            "window_diff": {"average": "items"},
            "boundary_f": {"empty": "zero", "average": "items"},
            "segmentation_score": {"average": "items"},
        },
        rules={"windows": {"half_even": True, "mean": POSITIONS, "clamp": False}},
        mistakes={
            "pk": _OF_WINDOWS,
            "window_diff": _OF_WINDOWS,
            "boundary_f": "F is 0 if neither side has boundaries, even though they agree",
            "segmentation_score": "F is 0 if no side has boundaries, so the score of a right answer is .5",
        },
        conversion="the position after the last unit counts",
        prepare=with_last_position,
    )
)
