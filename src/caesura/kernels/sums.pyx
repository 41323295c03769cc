"""Sums that do not depend on the order of what is added.

A real number is rounded to the nearest multiple of 2^-53 and added as an integer, so that documents may be summed in any
order and sums of sums in any grouping, to the last bit. Whole numbers are added as they are.
"""

from libc.math cimport llrint
from libc.stdint cimport int64_t

cdef double UNIT = 9007199254740992.0  # 2^53
cdef int64_t ONE = 9007199254740992
cdef double MOST = 4611686018427387904.0  # 2^62


def add(const double[:, :] counts not None, int64_t[::1] whole not None, int64_t[::1] part not None):
    """Add each column of ``counts`` to ``whole`` + ``part`` / 2^53, where |part| stays below 2^53.

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
                whole[c] += w
                size |= w if w >= 0 else -w
                rest = x - w
                if rest != 0:
                    p = part[c] + llrint(rest * UNIT)
                    if p >= ONE:
                        p -= ONE
                        whole[c] += 1
                    elif p <= -ONE:
                        p += ONE
                        whole[c] -= 1
                    part[c] = p
    return size
