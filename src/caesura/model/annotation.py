"""What all annotations have in common: an axis, a shape, and a header that kernels read without asking the object.

What one coder marked in one stream of one item is intervals on an axis; a boundary is an interval of length 0. Every shape
includes the ones before it::

    MARKS       |   .      ,   .  |     boundaries and nothing else, perhaps with types: segmentations, points
    PARTITION   |--A---|--B--| |-C|     intervals that do not overlap: labelled segments, tiers
    NESTED      intervals inside each other, levels by depth: hierarchies, trees
    LAYERED     every level is a partition, but the levels may cross: music, two independent tiers
    FREE        anything: spans
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct

import numpy as np
from numpy.typing import ArrayLike

from caesura.model.value import Ints

# Whole ticks per second. Places in seconds are compared in ticks, so equal places are equal numbers and sums are exact.
TICKS = 10**9
# Bits of the third number of ``packed``; the shape is above them.
# With ``HAS_CODES``, the inner places are followed by the number of the label of each segment.
HAS_NO_TYPES, HAS_UNITS, IN_SECONDS, OPEN_END, HAS_END_POINTS, HAS_LABELS, HAS_CODES, IS_TREE = (
    1 << bit for bit in range(8)
)
SHAPE_BIT = 8
HEADER = Struct("=qqqq")


class Shape(IntEnum):
    MARKS, PARTITION, NESTED, LAYERED, FREE = range(5)


def to_ticks(seconds: ArrayLike) -> Ints:
    """Return times in whole nanoseconds."""
    return np.rint(np.asarray(seconds, np.float64) * TICKS).astype(np.int64)


def pack_header(begin: int, end: int, traits: int, shape: Shape, rows: int) -> bytes:
    """Return the first four numbers of ``packed``: begin and end in ticks, traits and shape, and the number of rows."""
    return HEADER.pack(begin, end, traits | shape << SHAPE_BIT, rows)
