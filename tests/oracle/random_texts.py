"""Random bounds of a judgement, drawn one text after the other."""

from __future__ import annotations

import numpy as np

import caesura as cz
from caesura.judging.bounds import Baselines
from caesura.model.dialogue import texts_of
from caesura.simulation.segmentations import SegmentLengths, fill_with_segments


def draw_texts(baselines: Baselines, rng: np.random.Generator, bound: str) -> dict[str, object]:
    """Return one random annotation per item: segment lengths, or boundaries, that ignore the text."""
    lengths, types = SegmentLengths(baselines.lengths), baselines.types
    inner, ends = baselines.sets or (None, None)

    def draw(units: int) -> cz.Segmentation:
        if bound == "random":
            positions = fill_with_segments(units, lengths, rng)
        else:
            positions = np.flatnonzero(rng.random(units - 1) < baselines.rate) + 1
        if types is None:
            return cz.Segmentation.from_valid_entries(units, np.array(positions, np.int64))
        rows = [] if not len(inner.pool) else positions.tolist()
        sets = [inner.codes[k] for k in inner.pool[rng.integers(0, len(inner.pool), len(rows))]] if rows else []
        sets.append(ends.codes[ends.pool[rng.integers(0, len(ends.pool), 1)[0]]])
        entries = [(place, code) for place, codes in zip([*rows, units], sets, strict=True) for code in codes.tolist()]
        places, codes = np.array(entries, np.int64).reshape(-1, 2).T.copy()
        return cz.Segmentation.from_valid_entries(units, places, codes if len(types) > 1 else codes[:0], types)

    annotations: dict[str, object] = {}
    for item in sorted(baselines.participants.items):
        model = next(iter(baselines.participants.coders[item].values()))
        streams = {name: draw(text.length) for name, text in texts_of(model).items()}
        annotations[item] = cz.Dialogue(streams) if isinstance(model, cz.Dialogue) else streams[""]
    return annotations
