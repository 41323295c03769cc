"""Survey many segmentations, and copy their inner positions into flat arrays."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from caesura.kernels.packed cimport HAS_CODES, Side, read_side

import numpy as np


def survey(list a_packed not None, list b_packed not None):
    """Return the sizes of pairs of segmentations, or None if the two sides of a pair differ in length.

    ``a_packed`` and ``b_packed`` have the ``Segmentation.packed`` of each pair. The result is the length of each document, the
    offsets of the boundaries of a and of b, the bits that all segmentations have, and the bits that both sides of some pair have.
    """
    cdef Py_ssize_t d, n = len(a_packed)
    cdef Side a, b
    cdef int64_t in_all = -1, in_a_pair = 0
    lengths, a_offsets, b_offsets = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    cdef int64_t[::1] length = lengths, a_off = a_offsets, b_off = b_offsets
    a_off[0] = b_off[0] = 0
    for d in range(n):
        read_side(a_packed[d], &a)
        read_side(b_packed[d], &b)
        if a.length != b.length:
            return None
        in_all &= a.traits & b.traits
        in_a_pair |= a.traits & b.traits
        length[d] = a.length
        a_off[d + 1] = a_off[d] + a.size
        b_off[d + 1] = b_off[d] + b.size
    return lengths, a_offsets, b_offsets, in_all, in_a_pair


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
