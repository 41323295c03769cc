"""Sums that do not depend on the order of their terms.

A real number is rounded to the nearest multiple of 2^-106 and added as integers. The rounding changes only tiny numbers.
So documents may be summed in any order, and sums of sums in any grouping, with the same result to the last bit.
"""

from libc.math cimport llrint
from libc.stdint cimport int64_t

cdef double UNIT = 9007199254740992.0  # 2^53
cdef int64_t UNIT_INT = 9007199254740992
cdef double LIMIT = 4611686018427387904.0  # 2^62


cdef inline int64_t carry(int64_t* part) noexcept nogil:
    """Keep |part| below 2^53; return the carry for the next higher place."""
    if part[0] >= UNIT_INT:
        part[0] -= UNIT_INT
        return 1
    if part[0] <= -UNIT_INT:
        part[0] += UNIT_INT
        return -1
    return 0


def add(const double[:, :] counts not None, int64_t[:, ::1] sums not None):
    """Add each column of ``counts`` to a row of ``sums``.

    A row of ``sums`` contains whole numbers, multiples of 2^-53 and multiples of 2^-106, the latter two below 1. Return the
    union of the bits of all whole parts; it shows the caller whether 64 bits suffice. Numbers far beyond 64 bits are
    not added.
    """
    cdef Py_ssize_t d, c, n = counts.shape[0], k = counts.shape[1]
    cdef int64_t w, p, size = 0
    cdef double x, rest
    with nogil:
        for d in range(n):
            for c in range(k):
                x = counts[d, c]
                if not -LIMIT < x < LIMIT:
                    size |= <int64_t>LIMIT
                    continue
                w = <int64_t>x
                sums[c, 0] += w
                size |= w if w >= 0 else -w
                rest = x - w
                if rest != 0:
                    rest *= UNIT
                    p = <int64_t>rest
                    sums[c, 2] += llrint((rest - p) * UNIT)
                    sums[c, 1] += p + carry(&sums[c, 2])
                    sums[c, 0] += carry(&sums[c, 1])
    return size
