"""Read what many annotations have packed into flat arrays: headers, inner places, and numbers of labels."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from caesura.kernels.packed cimport HAS_CODES, Side, read_side

import numpy as np


def gather(list packed not None, const int64_t[::1] off not None):
    """Return the positions of all segmentations of a side, which begin at their offsets."""
    cdef Py_ssize_t d, n = len(packed)
    positions = np.empty(off[n], np.int64)
    cdef int64_t[::1] pos = positions
    cdef Side side
    for d in range(n):
        read_side(packed[d], &side)
        if side.size:
            memcpy(&pos[off[d]], side.pos, side.size * sizeof(int64_t))
    return positions


def read_headers(list packed not None):
    """Return begin, end, traits and rows of annotations, one line each, and the offsets of their inner places."""
    cdef Py_ssize_t d, n = len(packed)
    cdef Side side
    headers, offsets = np.empty((4, n), np.int64), np.empty(n + 1, np.int64)
    cdef int64_t[:, ::1] header = headers
    cdef int64_t[::1] off = offsets
    off[0] = 0
    for d in range(n):
        read_side(packed[d], &side)
        header[0, d] = side.begin
        header[1, d] = side.begin + side.length
        header[2, d] = side.traits
        header[3, d] = side.rows
        off[d + 1] = off[d] + side.size
    return headers, offsets


def gather_codes(list packed not None, const int64_t[::1] off not None):
    """Return the numbers of the labels of all segments, which begin at their offsets; 1 for annotations without numbers."""
    cdef Py_ssize_t d, n = len(packed)
    codes = np.ones(off[n], np.int64)
    cdef int64_t[::1] code = codes
    cdef Side side
    for d in range(n):
        read_side(packed[d], &side)
        if side.traits & HAS_CODES:
            memcpy(&code[off[d]], side.pos + side.size, (side.size + 1) * sizeof(int64_t))
    return codes
