"""Sums that do not depend on the order of what is added.

A real number is rounded to the nearest multiple of 2^-106, which for all but tiny ones is the number itself, and added as
integers, so that documents may be summed in any order and sums of sums in any grouping, to the last bit.
"""

from libc.math cimport llrint
from libc.stdint cimport int64_t

cdef double UNIT = 9007199254740992.0  # 2^53
cdef int64_t ONE = 9007199254740992
cdef double MOST = 4611686018427387904.0  # 2^62


cdef inline int64_t carry(int64_t* part) noexcept nogil:
    """Keep |part| below 2^53; what goes to the next higher place."""
    if part[0] >= ONE:
        part[0] -= ONE
        return 1
    if part[0] <= -ONE:
        part[0] += ONE
        return -1
    return 0


def add(const double[:, :] counts not None, int64_t[:, ::1] sums not None):
    """Add each column of ``counts`` to a row of ``sums``: whole numbers, multiples of 2^-53 and multiples of 2^-106, the
    latter two below 1.

    Returns how large the numbers are: all bits of their whole parts together, which the caller compares with what 64 bits
    hold. What is far beyond them is not added.
    """
    cdef Py_ssize_t d, c, n = counts.shape[0], k = counts.shape[1]
    cdef int64_t w, p, size = 0
    cdef double x, rest
    with nogil:
        for d in range(n):
            for c in range(k):
                x = counts[d, c]
                if not -MOST < x < MOST:
                    size |= <int64_t>MOST
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
