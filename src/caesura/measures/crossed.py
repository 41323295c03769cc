"""Compare many annotations with each other: every annotation is in the table once, and pairs are row numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.measures.base import Measure
from caesura.measures.many import Scores, score_many, score_packed
from caesura.model.batch import Texts
from caesura.model.value import Ints


def score_crossed(measure: Measure, annotations: Sequence[Any], first: Ints, second: Ints) -> Scores:
    """Score pairs of annotations that are in one table, if the measure allows it."""
    texts = None if measure.needs_pairs else Texts.of(annotations)
    batch = None if texts is None else texts.pairs(first, second)
    if batch is None:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return score_many([(annotations[a], annotations[b]) for a, b in pairs], measure)
    return score_packed(measure, measure.pack_batch(batch, np.arange(len(batch))), len(first))
