"""Pair the boundaries of two annotations in seconds at the lowest cost, for boundary similarity."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import boundary as kernel
from caesura.measures.batch import EMPTY
from caesura.measures.edges import EdgeBatch
from caesura.model.value import Floats, Ints

_NANOSECONDS = 10**9
_MAX_TOTAL = 2.0**62


def pair_times(batch: EdgeBatch, n_t: Fraction, constant: Fraction, weight: Fraction) -> Ints:
    """Return, for each boundary of a, the index of its partner in b, or -1."""
    # Times are compared in whole nanoseconds, so that equal costs are exactly equal; in documents with tens of thousands of
    # boundaries the unit is a multiple of ten nanoseconds, so that sums of costs fit into 64 bits.
    partners = np.full(len(batch.a_pos), -1, np.int64)
    for ticks in np.unique(_ticks_per_second(batch, n_t, constant, weight)).tolist():
        documents = np.flatnonzero(_ticks_per_second(batch, n_t, constant, weight) == ticks)
        window = max(1, round(n_t * ticks))
        denominator = lcm(constant.denominator, weight.denominator)
        gains = np.array([int((2 - constant) * denominator) * window, int(weight * denominator), window], np.int64)
        rule = kernel.Gains(gains, EMPTY, kernel.LINEAR)
        places = [np.rint(side * ticks).astype(np.int64) for side in (batch.a_pos, batch.b_pos)]
        for first, last in _runs(documents):
            off = batch.a_off[first : last + 1], batch.b_off[first : last + 1]
            kernel.align(places[0], EMPTY, off[0], places[1], EMPTY, off[1], rule, partners)
    return partners


def _ticks_per_second(batch: EdgeBatch, n_t: Fraction, constant: Fraction, weight: Fraction) -> NDArray[np.int64]:
    """Return the number of units per second in which the times of each document are compared."""
    pairs = np.minimum(batch.a_count, batch.b_count) + 2.0
    denominator = lcm(constant.denominator, weight.denominator)
    total = 2.0 * denominator * float(n_t) * _NANOSECONDS * pairs * pairs
    powers = np.ceil(np.log10(np.maximum(total / _MAX_TOTAL, 1.0))).astype(np.int64)
    return _NANOSECONDS // 10 ** np.minimum(powers, 9)


def _runs(documents: Ints) -> list[tuple[int, int]]:
    """Return the first document and the one after the last, for each run of neighbouring documents."""
    cuts = np.flatnonzero(np.diff(documents) > 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(documents, cuts) if len(run)]


def count_times(batch: EdgeBatch, partners: Ints) -> Floats:
    """Return the edits of each document: additions, transpositions, span in seconds, and matches."""
    first, last = int(batch.a_off[0]), int(batch.a_off[-1])
    document = np.repeat(np.arange(len(batch)), batch.a_count)
    own = partners[first:last]
    paired = own >= 0
    distance = np.abs(batch.a_pos[first:last][paired] - batch.b_pos[own[paired]])
    moved = distance > 0
    out = np.zeros((len(batch), 8))
    pairs = np.bincount(document[paired], minlength=len(batch))
    out[:, 0] = batch.a_count + batch.b_count - 2 * pairs
    out[:, 1] = np.bincount(document[paired][moved], minlength=len(batch))
    out[:, 2] = np.bincount(document[paired], distance, minlength=len(batch))
    out[:, 5] = pairs - out[:, 1]
    return out
